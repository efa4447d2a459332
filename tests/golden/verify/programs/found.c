/* True, but not inductive: that `rate` is zero is a lemma that nobody states, and that is found. */
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

INITIAL void start(void)
{
    saved = 0;
    rate = 0;
}
