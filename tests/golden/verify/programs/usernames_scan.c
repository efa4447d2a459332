/* User names, the name is not the key: registering scans the users for the name and inserts a row
 * under the user's id.  Two registrations of one name write different rows.
 * Compare usernames_key.c.
 *
 * expect: ser=holds si=violated psi=violated pc=violated cc=violated ra=violated rcs=violated rc=violated ec=violated
 */
#include <visar.h>

#define USERS 3
#define NAMELESS 0

DATABASE struct { int name; } user[USERS];

TRANSACTION void register_user(int id, int name)
{
    assume(id >= 0 && id < USERS);
    assume(name != NAMELESS);
    if (user[id].name != NAMELESS)
        rollback();
    for (int i = 0; i < USERS; i++)
        if (user[i].name == name)
            rollback();
    user[id].name = name;
}

INVARIANT bool names_are_unique(void)
{
    for (int i = 0; i < USERS; i++)
        for (int j = i + 1; j < USERS; j++)
            if (user[i].name != NAMELESS && user[i].name == user[j].name)
                return false;
    return true;
}

SCENARIO void two_registrations(void)
{
    register_user(0, 7);
    register_user(1, 7);
}
