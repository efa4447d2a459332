/* User names, the name is not the key: registering scans the users for the name and inserts a row
 * under the user's id.  Two registrations of one name write different rows.  Any number of users.
 * Compare usernames_key.c.
 *
 * expect: ser=holds si=violated psi=violated pc=violated cc=violated ra=violated rcs=violated rc=violated ec=violated
 */
#include <visar.h>

#define NAMELESS 0

DATABASE struct { int name; } user[ANY];

TRANSACTION void register_user(int id, int name)
{
    assume(id >= 0 && id < ANY);
    assume(name != NAMELESS);
    if (user[id].name != NAMELESS)
        rollback();
    for (int i = 0; i < ANY; i++)
        if (user[i].name == name)
            rollback();
    user[id].name = name;
}

INVARIANT bool names_are_unique(int i, int j)
{
    return i == j || user[i].name == NAMELESS || user[i].name != user[j].name;
}

SCENARIO void two_registrations(void)
{
    register_user(0, 7);
    register_user(1, 7);
}
