#include <visar.h>

DATABASE int account[ANY];

TRANSACTION void t(void)
{
    int list[ANY] = {0}, table[2][ANY];
    __typeof__(account) copy;
    account[0] = list[0] + table[0][0] + copy[0];
}
