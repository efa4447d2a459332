/* Who is enrolled exists, although courses are removed if nobody is in them.
 * prove: ser=proved si=not pc=not
 */
#include <visar.h>
DATABASE struct { bool present; } course[ANY];
DATABASE struct { bool present; } student[ANY];
DATABASE struct { bool present; int student, course; } enrolled[ANY];
INITIAL void open(void) { }
TRANSACTION void new_course(int c) { assume(c >= 0 && c < ANY); course[c].present = true; }
TRANSACTION void new_student(int s) { assume(s >= 0 && s < ANY); student[s].present = true; }
TRANSACTION void enroll(int s, int c)
{
    assume(c >= 0 && c < ANY && s >= 0 && s < ANY);
    if (!course[c].present || !student[s].present) rollback();
    int e = fresh(enrolled);
    enrolled[e].present = true;
    enrolled[e].student = s;
    enrolled[e].course = c;
}
TRANSACTION void remove_course(int c)
{
    assume(c >= 0 && c < ANY);
    for (int i = 0; i < ANY; i++)
        if (enrolled[i].present && enrolled[i].course == c) rollback();
    course[c].present = false;
}
INVARIANT bool both_exist(int i)
{
    return !enrolled[i].present || (course[enrolled[i].course].present && student[enrolled[i].student].present);
}
