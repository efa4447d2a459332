/* Check, then insert: signing up looks for the email among all users and inserts a new row if it
 * finds none.  The two new rows of two users who sign up with one email are different rows, so
 * nothing conflicts, and only serializability keeps emails unique (or a UNIQUE constraint in the
 * database).  Any number of users.
 *
 * expect: ser=holds si=violated psi=violated pc=violated cc=violated ra=violated rcs=violated rc=violated ec=violated
 */
#include <visar.h>

DATABASE struct { bool present; int email; } user[ANY];

TRANSACTION void sign_up(int email)
{
    for (int i = 0; i < ANY; i++)
        if (user[i].present && user[i].email == email)
            rollback();
    int id = fresh(user);
    user[id].present = true;
    user[id].email = email;
}

INVARIANT bool emails_are_unique(int i, int j)
{
    return i == j || !user[i].present || !user[j].present || user[i].email != user[j].email;
}
