#include <visar.h>

struct row { int balance; };
DATABASE struct row account[ANY], orders[3][ANY];

TRANSACTION void t(void)
{
    account[0].balance = sizeof(account) / sizeof(account[0]); /* the second is fine */
    account[1].balance = sizeof(int[ANY]);
    account[2].balance = sizeof orders[1];
    account[3].balance = sizeof(struct { int list[ANY]; });
    account[4].balance = sizeof(__typeof__(account));
}
