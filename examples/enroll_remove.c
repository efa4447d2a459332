/* Enrol and remove (the running example of Indigo and CISE): a course is removed if nobody is
 * enrolled, a student is enrolled if the course exists.  Side by side they write different rows and
 * leave an enrolment in a course that is gone: referential integrity by hand.  Any number of
 * students and courses.
 *
 * expect: ser=holds si=violated psi=violated pc=violated cc=violated ra=violated rcs=violated rc=violated ec=violated
 */
#include <visar.h>

DATABASE struct { bool exists; } student[ANY], course[ANY];
DATABASE struct { bool enrolled; } enrolment[ANY][ANY]; /* student, course */

TRANSACTION void add_student(int s)
{
    assume(s >= 0 && s < ANY);
    student[s].exists = true;
}

TRANSACTION void add_course(int c)
{
    assume(c >= 0 && c < ANY);
    course[c].exists = true;
}

TRANSACTION void enroll(int s, int c)
{
    assume(s >= 0 && s < ANY);
    assume(c >= 0 && c < ANY);
    if (student[s].exists && course[c].exists)
        enrolment[s][c].enrolled = true;
}

TRANSACTION void remove_course(int c)
{
    assume(c >= 0 && c < ANY);
    for (int s = 0; s < ANY; s++)
        if (enrolment[s][c].enrolled)
            rollback();
    course[c].exists = false;
}

INITIAL void term_begins(void)
{
    for (int i = 0; i < ANY; i++) {
        student[i].exists = true;
        course[i].exists = true;
    }
}

INVARIANT bool enrolled_means_both_exist(int s, int c)
{
    return !enrolment[s][c].enrolled || (student[s].exists && course[c].exists);
}

SCENARIO void enroll_and_remove(void)
{
    enroll(0, 1);
    remove_course(1);
}
