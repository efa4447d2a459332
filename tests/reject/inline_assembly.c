#include <visar.h>

DATABASE int x;

TRANSACTION void t(void)
{
    __asm__("nop");
    x = 1;
}
