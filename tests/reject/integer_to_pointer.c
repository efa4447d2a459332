#include <visar.h>

DATABASE int x;

TRANSACTION void t(void)
{
    *(int *)4096 = x;
}
