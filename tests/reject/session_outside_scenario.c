#include <visar.h>

DATABASE int x;

TRANSACTION void t(void)
{
    SESSION
    {
        x = 1;
    }
}
