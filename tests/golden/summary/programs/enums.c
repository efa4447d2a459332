#include <visar.h>
enum state { IDLE, OPEN = 5, CLOSED };
DATABASE struct { enum state s; int n; } door[2];
TRANSACTION enum state toggle(int i, enum state to)
{
    assume(i >= 0 && i < 2 && to <= CLOSED);
    if (door[i].s == OPEN) { door[i].s = CLOSED; return IDLE; }
    switch (door[i].s) { case IDLE: door[i].n = 5; break; case CLOSED: door[i].s = to == IDLE ? OPEN : CLOSED; break; default: rollback(); }
    assert(door[i].s != IDLE);
    return door[i].s;
}
INITIAL void init(void) { door[0].s = OPEN; door[1].n = 5; }
INVARIANT bool v(void) { return door[0].s != CLOSED || door[1].s == 7 || door[0].n + door[1].n > 5; }
SCENARIO void two(void) { toggle(0, OPEN); enum state s = toggle(1, IDLE); assert(s == OPEN); }
