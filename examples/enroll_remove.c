/* Enrol and remove (the running example of Indigo and CISE): a course is removed if nobody is
 * enrolled, a student is enrolled if the course exists.  Side by side they write different rows and
 * leave an enrolment in a course that is gone: referential integrity by hand.
 *
 * expect: ser=holds si=violated psi=violated pc=violated cc=violated ra=violated rcs=violated rc=violated ec=violated
 */
#include <visar.h>

#define STUDENTS 2
#define COURSES 2

DATABASE struct { bool exists; } course[COURSES];
DATABASE struct { bool enrolled; } enrolment[STUDENTS][COURSES];

TRANSACTION void add_course(int c)
{
    assume(c >= 0 && c < COURSES);
    course[c].exists = true;
}

TRANSACTION void enroll(int s, int c)
{
    assume(s >= 0 && s < STUDENTS);
    assume(c >= 0 && c < COURSES);
    if (course[c].exists)
        enrolment[s][c].enrolled = true;
}

TRANSACTION void remove_course(int c)
{
    assume(c >= 0 && c < COURSES);
    for (int s = 0; s < STUDENTS; s++)
        if (enrolment[s][c].enrolled)
            rollback();
    course[c].exists = false;
}

INITIAL void term_begins(void)
{
    for (int c = 0; c < COURSES; c++)
        course[c].exists = true;
}

INVARIANT bool enrolled_courses_exist(void)
{
    for (int s = 0; s < STUDENTS; s++)
        for (int c = 0; c < COURSES; c++)
            if (enrolment[s][c].enrolled && !course[c].exists)
                return false;
    return true;
}

SCENARIO void enroll_and_remove(void)
{
    enroll(0, 1);
    remove_course(1);
}
