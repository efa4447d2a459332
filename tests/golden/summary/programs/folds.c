/* Folds over tables of any size, as summary prints them. */
#include <visar.h>
DATABASE struct { bool present; int owner; int balance; } account[ANY];
DATABASE int grid[ANY][ANY];

INITIAL void opening(void)
{
    for (int i = 0; i < ANY; i++)
        account[i].balance = 10;
    account[0].balance = 5;
}

TRANSACTION void withdraw(int who, int amount)
{
    long sum = 0;
    int n = 0;
    for (int i = 0; i < ANY; i++)
        if (account[i].owner == account[who].owner) {
            sum += account[i].balance;
            n++;
        }
    if (sum < amount || n == 0)
        rollback();
    account[who].balance -= amount;
}

TRANSACTION int insert(int owner)
{
    int k = -1;
    for (int i = 0; i < ANY; i++)
        if (!account[i].present) {
            k = i;
            break;
        }
    if (k < 0)
        rollback();
    account[k].present = true;
    account[k].owner = owner;
    return fresh(account);
}

TRANSACTION void raise_all(int owner, int by)
{
    for (int i = 0; i < ANY; i++) {
        assert(account[i].balance >= 0);
        if (account[i].owner != owner)
            continue;
        for_update(account[i]);
        account[i].balance += by;
    }
    for (int i = 0; i < ANY; i++)
        for (int j = i + 1; j < ANY; j++)
            grid[i][j] = 0;
}

INVARIANT bool least(int i)
{
    int m = account[i].balance;
    for (int j = 0; j < ANY; j++)
        if (account[j].present && account[j].balance < m)
            m = account[j].balance;
    return m >= 0;
}

INVARIANT bool unique(void)
{
    for (int i = 0; i < ANY; i++)
        for (int j = i + 1; j < ANY; j++)
            if (account[i].owner == account[j].owner)
                return false;
    return true;
}
