#include <visar.h>

DATABASE struct { int x, y; } a[4];

static int checked(int v)
{
    assert(v > 0);
    return v;
}
static int checked_twice(int v) { return checked(v); }
static int bump(int i) { return a[i].x++; }
static int plain(int v) { return v + 1; }

TRANSACTION void t(int i)
{
    assume(0 <= i && i < 4);
    ATOMIC {
        a[i].x = 1;
        assert(a[i].x > 0);
    }
    ATOMIC if (a[i].x > 0) a[i].x = nondet_int();
    ATOMIC {
        assume(a[i].x > 0);
        a[i].x = 1;
    }
    ATOMIC if (a[i].x > 0) { a[i].x = 1; rollback(); }
    ATOMIC { for_update(a[i]); a[i].x++; }
    ATOMIC { for_share(a[i]); a[i].x++; }
    ATOMIC a[i].x = checked_twice(a[i].y);
    ATOMIC a[i].y = bump(i);
    ATOMIC a[i].y = plain(a[i].x);
    ATOMIC a[fresh(a)].x = 1;
}
