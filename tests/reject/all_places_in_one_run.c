#include <stdlib.h>
#include <visar.h>

DATABASE int x;

DATABASE struct {
    float rate;
    int flags : 3;
} account[2];
int cache;
static int lookup(const char *name);

TRANSACTION int transfer(int *from, int n)
{
    static int calls;
    double d = n * 0.5;
    int *p = malloc(sizeof *p);
    int a[n];
again:
    calls++;
    if (lookup("me"))
        goto again;
    return (int)d + a[0] + *p;
}

INVARIANT int fine(int n)
{
    cache = 1;
    x = n;
    return x;
}
