/* A counter by hand: SELECT the number, add one, UPDATE with the result.  Where nobody notices that
 * the row has changed in between (READ COMMITTED everywhere, and REPEATABLE READ of InnoDB, whose
 * changes act on the newest row), a vote is lost.  PostgreSQL's REPEATABLE READ refuses the second
 * writer.  Compare counter_locked.c and counter_atomic.c.
 *
 * expect: ser=holds si=holds psi=holds pc=violated cc=violated ra=violated rcs=violated rc=violated ec=violated
 */
#include <visar.h>

DATABASE struct { int votes; } candidate[ANY];
DATABASE struct { bool cast; int candidate; } ballot[ANY];

TRANSACTION void vote(int c)
{
    assume(c >= 0 && c < ANY);
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
