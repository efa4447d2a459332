#include <visar.h>

DATABASE struct { int x, y; } a[4];
DATABASE int n, m[2][ANY];

static void bump(int i) { ATOMIC a[i].x++; }

TRANSACTION void inside(void)
{
    for (int i = 0; i < 4; i++)
        ATOMIC a[i].x++;
    for (int i = 0; i < ANY; i++)
        if (m[0][i] > 3) {
            ATOMIC n++;
        }
    for (int i = 0; i < 4; i++)
        if (a[i].y)
            bump(i);
}

TRANSACTION void no_dimension(int k)
{
    assume(0 <= k && k < 4);
    ATOMIC for (int i = 0; i < k; i++)
        a[i].x++;
    ATOMIC for (int i = 0; i < 3; i++)
        a[i].x++;
}

TRANSACTION void fine(void)
{
    for (int i = 0; i < 3; i++)
        ATOMIC n++;
    ATOMIC for (int d = 0; d < 2; d++)
        for (int i = 0; i < ANY; i++)
            if (m[d][i] > 3)
                m[d][i] = 0;
}
