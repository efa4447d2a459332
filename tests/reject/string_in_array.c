#include <visar.h>

DATABASE int x;

TRANSACTION void t(void)
{
    char s[6] = "hello";
    x = s[0];
}
