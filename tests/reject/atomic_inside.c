#include <visar.h>

DATABASE struct { int x, y; } a[4];
DATABASE int n;

TRANSACTION int jumps(int i)
{
    assume(0 <= i && i < 4);
    for (int k = 0; k < 3; k++) {
        ATOMIC if (a[i].x) break;
        ATOMIC {
            a[i].x = 1;
            continue;
        }
        ATOMIC {
            a[i].x = 2;
            return 1;
        }
        ATOMIC {
            a[i].x = 3;
            goto out;
        }
    }
    ATOMIC {
        again: a[i].x = 4;
    }
out:
    return 0;
}

TRANSACTION void declares(int i)
{
    assume(0 <= i && i < 4);
    ATOMIC {
        int old = a[i].x;
        a[i].x = old + 1;
    }
    ATOMIC {
        static const int one = 1;
        a[i].x = one;
    }
}

TRANSACTION void loops(int i)
{
    assume(0 <= i && i < 4);
    ATOMIC while (a[i].x < 3)
        a[i].x++;
    ATOMIC {
        for (int k = 0; k < 4; k++)
            a[k].x++;
    }
    ATOMIC do a[i].x++; while (a[i].x < 3);
    ATOMIC for (int k = 0; k < 4; k++)
        while (a[k].x < 3)
            a[k].x++;
}

TRANSACTION void nested(int i)
{
    assume(0 <= i && i < 4);
    ATOMIC ATOMIC a[i].x = 1;
    ATOMIC if (n) { ATOMIC a[i].x = 1; }
}
