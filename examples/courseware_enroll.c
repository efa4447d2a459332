/* Courseware, enrolment: a student and a course are added while somebody enrols the one in the
 * other.  Nothing is ever removed, so whatever enrolling saw stays true: safe at every level.
 *
 * expect: ser=holds si=holds psi=holds pc=holds cc=holds ra=holds rcs=holds rc=holds ec=holds
 * robust: ser=proved si=robust psi=robust pc=robust cc=robust ra=robust rcs=robust rc=robust ec=robust */
#include <visar.h>

#define STUDENTS 2
#define COURSES 2

DATABASE bool student[STUDENTS];
DATABASE bool course[COURSES];
DATABASE bool enrolled[STUDENTS][COURSES];

TRANSACTION void add_student(int s)
{
    assume(s >= 0 && s < STUDENTS);
    student[s] = true;
}

TRANSACTION void add_course(int c)
{
    assume(c >= 0 && c < COURSES);
    course[c] = true;
}

TRANSACTION void enroll(int s, int c)
{
    assume(s >= 0 && s < STUDENTS);
    assume(c >= 0 && c < COURSES);
    if (student[s] && course[c])
        enrolled[s][c] = true;
}

INVARIANT bool enrolled_means_both_exist(void)
{
    for (int s = 0; s < STUDENTS; s++)
        for (int c = 0; c < COURSES; c++)
            if (enrolled[s][c] && !(student[s] && course[c]))
                return false;
    return true;
}

SCENARIO void first_day(void)
{
    add_student(1);
    add_course(1);
    enroll(1, 1);
}
