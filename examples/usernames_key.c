/* User names, the name is the key: registering claims the row of the name itself, so two
 * registrations of one name conflict on it.  Compare usernames_scan.c.
 *
 * expect: ser=holds si=holds psi=holds pc=violated cc=violated ra=violated rcs=violated rc=violated ec=violated
 */
#include <visar.h>

#define USERS 3
#define NAMES 3
#define NAMELESS (-1)

DATABASE struct { bool taken; int owner; } name_row[NAMES];
DATABASE struct { int name; } user[USERS];

TRANSACTION void register_user(int id, int name)
{
    assume(id >= 0 && id < USERS);
    assume(name >= 0 && name < NAMES);
    if (user[id].name != NAMELESS || name_row[name].taken)
        rollback();
    name_row[name].taken = true;
    name_row[name].owner = id;
    user[id].name = name;
}

INITIAL void nobody_yet(void)
{
    for (int i = 0; i < USERS; i++)
        user[i].name = NAMELESS;
}

INVARIANT bool names_are_unique(void)
{
    for (int i = 0; i < USERS; i++)
        for (int j = i + 1; j < USERS; j++)
            if (user[i].name != NAMELESS && user[i].name == user[j].name)
                return false;
    return true;
}

/* The lemma: a name in use is taken. */
INVARIANT bool used_names_are_taken(void)
{
    for (int i = 0; i < USERS; i++) {
        if (user[i].name < NAMELESS || user[i].name >= NAMES)
            return false;
        if (user[i].name != NAMELESS && !name_row[user[i].name].taken)
            return false;
    }
    return true;
}

SCENARIO void two_registrations(void)
{
    register_user(0, 2);
    register_user(1, 2);
}
