/* Courseware, names: two clerks add a course of the same name under different ids.  Each looks
 * through all courses for the name and then inserts a row of its own, so no row is written twice
 * and only serializability keeps the names unique.  (A phantom, in SQL's words.)
 *
 * expect: ser=holds si=violated psi=violated pc=violated cc=violated ra=violated rcs=violated rc=violated ec=violated
 */
#include <visar.h>

DATABASE struct { bool exists; int name; } course[ANY];

TRANSACTION void add_course(int id, int name)
{
    assume(id >= 0 && id < ANY);
    for (int i = 0; i < ANY; i++)
        if (course[i].exists && (i == id || course[i].name == name))
            rollback();
    course[id].exists = true;
    course[id].name = name;
}

INVARIANT bool names_are_unique(int i, int j)
{
    return i == j || !course[i].exists || !course[j].exists || course[i].name != course[j].name;
}

SCENARIO void two_clerks(void)
{
    int name = nondet_int();
    add_course(0, name);
    add_course(2, name);
}
