/* The invariant holds, as `paid` and `owed` never differ; but no induction shows it without that
 * second invariant, and nobody guesses it. */
#include <visar.h>

DATABASE int saved, paid, owed;

INITIAL void opening(void) { saved = paid = owed = 0; }

TRANSACTION void pay(void)
{
    if (paid < 100) {
        paid = paid + 1;
        owed = owed + 1;
    }
}

TRANSACTION void settle(void)
{
    if (paid != owed)
        saved = 1;
}

INVARIANT bool nothing_saved(void) { return saved == 0; }
