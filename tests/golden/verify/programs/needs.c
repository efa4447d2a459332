/* shipped_paid follows from paid; what is missing for paid is told, and only that. */
#include <visar.h>

DATABASE int state = 0, cash = 0;

TRANSACTION void pay(void)
{
    if (state == 0) {
        state = 1;
        cash += 10;
    }
}

TRANSACTION void ship(void)
{
    if (state == 1)
        state = 2;
}

INVARIANT bool shipped_paid(void)
{
    return state != 2 || cash == 10;
}

INVARIANT bool paid(void)
{
    return state != 1 || cash == 10;
}
