#include <visar.h>

DATABASE int x;

DATABASE struct { int balance; } account[2];
static void add(int *to, int n)
{
    *to += n;
}
TRANSACTION void t(void) { add(&account[0].balance, 5); }
