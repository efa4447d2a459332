/* A sum under a condition that a loop changes in all rows: what it is then is not known. */
#include <visar.h>

DATABASE struct { int owner; int balance; } account[ANY];
DATABASE long total;

INITIAL void open(void) { }

TRANSACTION void interest(void)
{
    for (int i = 0; i < ANY; i++)
        account[i].balance = account[i].balance * 2;
    total = total * 2 + 1;
}

TRANSACTION void own(int a, int owner)
{
    assume(a >= 0 && a < ANY);
    account[a].owner = owner;
    account[a].balance = 0;
}

INVARIANT bool adds_up(void)
{
    long sum = 0;
    for (int i = 0; i < ANY; i++)
        if (account[i].balance * account[i].owner > 4)
            sum += account[i].balance;
    return sum <= total;
}
