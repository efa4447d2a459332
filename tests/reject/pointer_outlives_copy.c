#include <visar.h>

DATABASE int x;

TRANSACTION void t(void)
{
    int *p = &x;
    for (int i = 0; i < 2; i++) {
        int *q = &i;
        p = q;
    }
    x = *p;
}
