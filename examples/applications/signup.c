/* Sign-up and rename with unique names: both look for the name among all users and then write a row
 * of their own.  Two that take one name write different rows, so only serializability keeps names
 * unique.  (../usernames_key.c has a row per name instead and gets by with psi.)  Who closes an
 * account gives the name back.  Any number of users.
 *
 * expect: ser=holds si=violated psi=violated pc=violated cc=violated ra=violated rcs=violated rc=violated ec=violated
 */
#include <visar.h>

DATABASE struct { bool present; int name; } user[ANY];

static bool taken(int name)
{
    for (int i = 0; i < ANY; i++)
        if (user[i].present && user[i].name == name)
            return true;
    return false;
}

TRANSACTION void sign_up(int name)
{
    if (taken(name))
        rollback();
    int id = fresh(user);
    user[id].present = true;
    user[id].name = name;
}

TRANSACTION void change_name(int id, int name)
{
    assume(id >= 0 && id < ANY);
    if (!user[id].present || taken(name))
        rollback();
    user[id].name = name;
}

TRANSACTION void close_account(int id)
{
    assume(id >= 0 && id < ANY);
    user[id].present = false;
}

INITIAL void the_first_user(void)
{
    user[0].present = true;
    user[0].name = 1;
}

INVARIANT bool names_are_unique(int i, int j)
{
    return i == j || !user[i].present || !user[j].present || user[i].name != user[j].name;
}

SCENARIO void two_sign_ups(void)
{
    sign_up(7);
    sign_up(7);
}

SCENARIO void sign_up_and_rename(void)
{
    sign_up(7);
    change_name(0, 7);
    close_account(0);
}
