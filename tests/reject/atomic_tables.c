#include <visar.h>

struct stock { int n; };
DATABASE struct stock here[3], there[3];
DATABASE struct { int x, y; } a[4];
DATABASE int n;

TRANSACTION void two(int i)
{
    assume(0 <= i && i < 3);
    ATOMIC {
        a[i].x--;
        n++;
    }
    ATOMIC n = a[i].x = 3;
}

TRANSACTION void pointers(int i, bool out)
{
    assume(0 <= i && i < 3);
    struct stock *from = out ? &here[i] : &there[i], *to = out ? &there[i] : &here[i];
    ATOMIC {
        from->n--;
        to->n++;
    }
    ATOMIC {
        from->n--;
        a[i].x++;
    }
    ATOMIC if (from->n > 0) from->n--; /* this is fine */
}

TRANSACTION void none(int i)
{
    int v = 0;
    assume(0 <= i && i < 3);
    ATOMIC v = a[i].x;
    ATOMIC if (v) v++;
    ATOMIC;
}
