#include <visar.h>

DATABASE struct { int x, y; } a[4];
DATABASE int n, m[2][ANY], g[4][3];

static int total(int i) { return a[i].x + a[i].y; }
static int set(int *to) { return *to = 1; }

TRANSACTION int locals(int i, int j)
{
    int done = 0;
    assume(0 <= i && i < 4 && 0 <= j && j < 4);
    ATOMIC for (int k = 0; k < 4; k++)
        if (a[k].x > 0) {
            a[k].x = 0;
            done++;
        }
    ATOMIC {
        a[i].x--;
        a[j].x++;
        done = 1;
    }
    ATOMIC {
        a[i++].x = 1;
        a[i].y = 1;
    }
    ATOMIC {
        a[i].x = set(&done);
        a[j].x = 1;
    }
    return done;
}

TRANSACTION void changed(int i, int j)
{
    assume(0 <= i && i < 4 && 0 <= j && j < 4);
    ATOMIC {
        a[i].x = 1;
        a[j].x = a[i].x;
    }
    ATOMIC {
        a[0].x = 1;
        a[1].x = a[2].x;
        a[1].y = a[1].x;
    }
    ATOMIC for (int k = 0; k < 4; k++)
        a[k].x = a[0].x;
    ATOMIC for (int k = 0; k < 4; k++)
        if (total(k) > 3)
            a[k].x = 0;
    ATOMIC {
        a[i].x = 1;
        if (a[j].x > 3)
            a[j].y = 1;
    }
}

TRANSACTION void columns(void)
{
    ATOMIC for (int k = 0; k < 4; k++) {
        g[k][0] = g[k][0] + g[k][2];
        g[k][1] = n;
    }
    ATOMIC for (int k = 0; k < 4; k++) {
        g[k][0] = 1;
        g[k][1] = g[k][0];
    }
    ATOMIC for (int k = 0; k < 4; k++)
        g[k][0] = g[n][0];
    ATOMIC for (int k = 0; k < 4; k++) {
        g[k][0]++;
        if (g[k][0] > 1) /* this is fine, … */
            g[k][0] = g[k][0] - g[k][1];
        if (g[k][0] > 1) /* … and this is not */
            g[k][2] = 0;
    }
}

TRANSACTION void rows(void)
{
    ATOMIC for (int k = 0; k < 4; k++)
        if (a[k].x > 0)
            a[0].y++;
    ATOMIC for (int d = 0; d < 2; d++)
        for (int k = 0; k < ANY; k++)
            m[0][k] = 0;
}
