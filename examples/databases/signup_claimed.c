/* Unique names, claimed: there is a row for every name, and one conditional UPDATE takes it.  Of two
 * that want a name the second finds it taken.  Enough at every level.  Compare signup_checked.c.
 *
 * expect: ser=holds si=holds psi=holds pc=violated cc=violated ra=violated rcs=violated rc=violated ec=violated
 */
#include <visar.h>

DATABASE struct { bool taken; int owner; } name_row[ANY];
DATABASE struct { bool present; int name; } user[ANY];

TRANSACTION void sign_up(int name)
{
    assume(name >= 0 && name < ANY);
    int id = fresh(user);
    bool claimed = false;
    ATOMIC if (!name_row[name].taken) {
        name_row[name].taken = true;
        name_row[name].owner = id;
        claimed = true;
    }
    if (!claimed)
        rollback();
    user[id].present = true;
    user[id].name = name;
}

INITIAL void nobody(void) {}

INVARIANT bool names_are_unique(int i, int j)
{
    return i == j || !user[i].present || !user[j].present || user[i].name != user[j].name;
}

/* The lemma: who has a name owns its row. */
INVARIANT bool users_own_their_names(int i, int n)
{
    return !user[i].present || user[i].name != n || (name_row[n].taken && name_row[n].owner == i);
}

/* The lemma: it is a name. */
INVARIANT bool names_have_rows(int i)
{
    return user[i].name >= 0 && user[i].name < ANY;
}

SCENARIO void one_name(void)
{
    sign_up(0);
    sign_up(0);
}
