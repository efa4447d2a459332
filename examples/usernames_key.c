/* User names, the name is the key: registering claims the row of the name itself, so two
 * registrations of one name conflict on it.  Any number of users and names.
 * Compare usernames_scan.c.
 *
 * expect: ser=holds si=holds psi=holds pc=violated cc=violated ra=violated rcs=violated rc=violated ec=violated
 */
#include <visar.h>

DATABASE struct { bool taken; int owner; } name_row[ANY];
DATABASE struct { bool named; int name; } user[ANY];

TRANSACTION void register_user(int id, int name)
{
    assume(id >= 0 && id < ANY);
    assume(name >= 0 && name < ANY);
    if (user[id].named || name_row[name].taken)
        rollback();
    name_row[name].taken = true;
    name_row[name].owner = id;
    user[id].named = true;
    user[id].name = name;
}

INVARIANT bool names_are_unique(int i, int j)
{
    return i == j || !user[i].named || !user[j].named || user[i].name != user[j].name;
}

/* The lemma: a name in use is taken. */
INVARIANT bool used_names_are_taken(int i)
{
    return !user[i].named ||
           (user[i].name >= 0 && user[i].name < ANY && name_row[user[i].name].taken);
}

SCENARIO void two_registrations(void)
{
    register_user(0, 1);
    register_user(1, 1);
}
