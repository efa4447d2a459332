#include <visar.h>

DATABASE int account[ANY];

DATABASE int orders[3][ANY];

static int first(int (*rows)[ANY]) { return (*rows)[0]; }
TRANSACTION void t(void)
{
    account[0] = first(&account);
    account[1] = first(&orders[1]);
}
