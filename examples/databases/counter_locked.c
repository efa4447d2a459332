/* A counter behind a lock: SELECT … FOR UPDATE, then SELECT, add one and UPDATE.  Enough at every
 * level, here also at REPEATABLE READ of InnoDB, because the lock comes first: the snapshot of the
 * plain read is taken behind it.  Compare counter_locked_late.c.
 *
 * expect: ser=holds si=holds psi=holds pc=violated cc=violated ra=violated rcs=violated rc=violated ec=violated
 */
#include <visar.h>

DATABASE struct { int votes; } candidate[ANY];
DATABASE struct { bool cast; int candidate; } ballot[ANY];

TRANSACTION void vote(int c)
{
    assume(c >= 0 && c < ANY);
    for_update(candidate[c]);
    candidate[c].votes = candidate[c].votes + 1;
    int b = fresh(ballot);
    ballot[b].cast = true;
    ballot[b].candidate = c;
}

INITIAL void no_votes(void) {}

INVARIANT bool every_ballot_counts(int c)
{
    int n = 0;
    for (int b = 0; b < ANY; b++)
        if (ballot[b].cast && ballot[b].candidate == c)
            n++;
    return candidate[c].votes == n;
}

SCENARIO void two_votes(void)
{
    vote(0);
    vote(0);
}

FINAL bool both_counted(void)
{
    return candidate[0].votes == 2;
}
