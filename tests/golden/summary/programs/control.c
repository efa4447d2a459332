/* Loops, switch with fall-through, goto, early returns, short circuit, calls. */
#include <visar.h>

DATABASE int x, y, t[4] = {1, 2, 3};

static int clamp(int v, int low, int high)
{
    if (v < low)
        return low;
    if (v > high)
        return high;
    return v;
}

TRANSACTION int route(int kind)
{
    int r = 0;
    switch (kind) {
    case 1:
        r++;
    case 2:
        r += 10;
        break;
    case 3:
        return -1;
    default:
        if (kind < 0)
            goto out;
        r = clamp(x, 0, 9);
    }
    y = r;
out:
    return r;
}

TRANSACTION int find(int what)
{
    for (int i = 0; i < 4; i++) {
        if (t[i] == 0)
            continue;
        if (t[i] == what && ++x > 10)
            return i;
    }
    return -1;
}

TRANSACTION unsigned count_down(unsigned n)
{
    unsigned steps = 0;
    while (n > 3) {
        n /= 2;
        steps++;
    }
    return steps << (n & 3);
}

INITIAL void opening(void)
{
    int n = nondet_int();
    assume(n >= 5 && n <= 7);
    x = n;
    t[3] = x * 2;
}

SCENARIO void two(void)
{
    int k = nondet_int();
    for (int i = 0; i < 2; i++)
        find(k + i);
    SESSION
    {
        int r = route(k);
        if (r > 3)
            count_down(8);
        assert(r != 10);
    }
}

FINAL bool small(void)
{
    return x <= 12 || (y & 6) == 2;
}
