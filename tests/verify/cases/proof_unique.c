/* Check, then insert: pairs of rows, and a for-all fact about what was not found.
 * prove: ser=proved si=not psi=not pc=not
 */
#include <visar.h>
DATABASE struct { bool present; int email; } user[ANY];
INITIAL void open(void) { }
TRANSACTION void add(int email)
{
    for (int i = 0; i < ANY; i++)
        if (user[i].present && user[i].email == email) rollback();
    int n = fresh(user);
    user[n].present = true;
    user[n].email = email;
}
INVARIANT bool unique(int i, int j)
{
    return i == j || !user[i].present || !user[j].present || user[i].email != user[j].email;
}
