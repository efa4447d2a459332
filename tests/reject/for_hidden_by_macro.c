#include <visar.h>

DATABASE int x;

#define UPTO(n) for (; i < n;)

TRANSACTION void t(void)
{
    int i = 0;
    UPTO(3)
        i++;
    x = i;
}
