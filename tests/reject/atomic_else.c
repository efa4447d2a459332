#include <visar.h>

DATABASE struct { int x, y; } a[4];
DATABASE int n;

TRANSACTION int t(int i)
{
    int done = 0;
    assume(0 <= i && i < 4);
    ATOMIC if (a[i].x > 0) a[i].x--;
    else a[i].y++;
    ATOMIC if (a[i].x > 0) a[i].x--;
    else done = n;
    ATOMIC if (a[i].x > 0) a[i].x--;
    else if (done) done = 2;
    else done = 3;
    ATOMIC if (a[i].x > 0 && done++) a[i].x--;
    ATOMIC if ((a[i].y = 3) > 0) a[i].x--;
    return done;
}
