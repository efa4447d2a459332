/* Unique names, checked by hand: look for the name among all users, then insert.  There is no row that
 * two sign-ups have in common, so neither locks nor single statements help: only SERIALIZABLE does.
 * Compare signup_claimed.c.
 *
 * expect: ser=holds si=violated psi=violated pc=violated cc=violated ra=violated rcs=violated rc=violated ec=violated
 */
#include <visar.h>

DATABASE struct { bool present; int name; } user[ANY];

TRANSACTION void sign_up(int name)
{
    for (int i = 0; i < ANY; i++)
        if (user[i].present && user[i].name == name)
            rollback();
    int id = fresh(user);
    user[id].present = true;
    user[id].name = name;
}

INITIAL void nobody(void) {}

INVARIANT bool names_are_unique(int i, int j)
{
    return i == j || !user[i].present || !user[j].present || user[i].name != user[j].name;
}
