#include <visar.h>

DATABASE int account[ANY];

static const int rows = ANY;

TRANSACTION void t(void)
{
    static const int last[2] = {0, ANY - 1};
    account[last[1]] = rows;
}
