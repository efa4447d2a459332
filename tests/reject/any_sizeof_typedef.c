#include <visar.h>

DATABASE int account[ANY];

typedef int accounts[ANY];
struct bank { accounts of; };

TRANSACTION void t(void)
{
    account[0] = sizeof(accounts);
    account[1] = sizeof(struct bank);
    account[2] = __builtin_offsetof(struct bank, of);
}
