#include <visar.h>

DATABASE int account[ANY];

TRANSACTION void t(void)
{
    int i = 0;
    while (i < ANY)
        account[i++] = 0;
    do {
        account[--i] = 1;
    } while (i != ANY);
}
