/* Courseware, enrolment: a student and a course are added while somebody enrols the one in the
 * other.  Nothing is ever removed, so whatever enrolling saw stays true: safe at every level.
 * Any number of students and courses.
 *
 * expect: ser=holds si=holds psi=holds pc=holds cc=holds ra=holds rcs=holds rc=holds ec=holds
 * robust: ser=proved si=robust psi=robust pc=robust cc=robust ra=robust rcs=robust rc=robust ec=robust */
#include <visar.h>

DATABASE bool student[ANY];
DATABASE bool course[ANY];
DATABASE bool enrolled[ANY][ANY]; /* student, course */

TRANSACTION void add_student(int s)
{
    assume(s >= 0 && s < ANY);
    student[s] = true;
}

TRANSACTION void add_course(int c)
{
    assume(c >= 0 && c < ANY);
    course[c] = true;
}

TRANSACTION void enroll(int s, int c)
{
    assume(s >= 0 && s < ANY);
    assume(c >= 0 && c < ANY);
    if (student[s] && course[c])
        enrolled[s][c] = true;
}

INVARIANT bool enrolled_means_both_exist(int s, int c)
{
    return !enrolled[s][c] || (student[s] && course[c]);
}

SCENARIO void first_day(void)
{
    add_student(1);
    add_course(1);
    enroll(1, 1);
}
