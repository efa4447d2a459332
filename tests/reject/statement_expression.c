#include <visar.h>

DATABASE int x;

TRANSACTION void t(void)
{
    x = ({ int y = x; y + 1; });
}
