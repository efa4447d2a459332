/* gap.c with the lemma: the two invariants support each other. */
#include <visar.h>

DATABASE int saved, rate;

TRANSACTION void pay_interest(void)
{
    saved += rate;
}

INVARIANT bool nothing_saved(void)
{
    return saved == 0;
}

INVARIANT bool no_interest(void)
{
    return rate == 0;
}

INITIAL void start(void)
{
    saved = 0;
    rate = 0;
}
