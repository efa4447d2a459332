#include <visar.h>

DATABASE int x;

#include <stdarg.h>

TRANSACTION void t(int n, ...)
{
    va_list ap;
    va_start(ap, n);
    x = va_arg(ap, int);
    va_end(ap);
}
