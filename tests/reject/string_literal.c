#include <visar.h>

DATABASE int x;

TRANSACTION void t(void)
{
    const char *s = "hello";
    x = s[0];
}
