#include <visar.h>

DATABASE int x;

TRANSACTION void t(void)
{
    int list[3] = {0};
    x = fresh(list);
}
