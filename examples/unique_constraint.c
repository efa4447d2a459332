/* Check, then insert, as in unique_email.c, but the database has a UNIQUE constraint: of two
 * sign-ups with one email that run at the same time, the database rolls the second one back.  The
 * check in the program is then a courtesy to the user, and the invariant holds at every level.
 * Any number of users.
 *
 * expect: ser=holds si=holds psi=holds pc=holds cc=holds ra=holds rcs=holds rc=holds ec=holds
 */
#include <visar.h>

DATABASE struct { bool present; int email; } user[ANY];

CONSTRAINT bool unique_email(int i, int j)
{
    return i == j || !user[i].present || !user[j].present || user[i].email != user[j].email;
}

TRANSACTION void sign_up(int email)
{
    for (int i = 0; i < ANY; i++)
        if (user[i].present && user[i].email == email)
            rollback();
    int id = fresh(user);
    user[id].present = true;
    user[id].email = email;
}

INVARIANT bool nobody_has_two_accounts(int email)
{
    int accounts = 0;
    for (int i = 0; i < ANY; i++)
        if (user[i].present && user[i].email == email)
            accounts++;
    return accounts <= 1;
}

SCENARIO void same_email(void)
{
    SESSION { sign_up(7); }
    SESSION { sign_up(7); }
    SESSION { sign_up(8); }
}
