/* A counter behind a lock that comes too late: a plain read goes before it.  At REPEATABLE READ of
 * InnoDB that read takes the snapshot, and what is read behind the lock still comes from there: a vote
 * is lost in spite of the lock.  PostgreSQL's REPEATABLE READ refuses to lock a row that has changed
 * since its snapshot.  Compare counter_locked.c.
 *
 * expect: ser=holds si=holds psi=holds pc=violated cc=violated ra=violated rcs=violated rc=violated ec=violated
 */
#include <visar.h>

DATABASE struct { bool open; } election;
DATABASE struct { int votes; } candidate[ANY];
DATABASE struct { bool cast; int candidate; } ballot[ANY];

TRANSACTION void vote(int c)
{
    assume(c >= 0 && c < ANY);
    if (!election.open)
        rollback();
    for_update(candidate[c]);
    candidate[c].votes = candidate[c].votes + 1;
    int b = fresh(ballot);
    ballot[b].cast = true;
    ballot[b].candidate = c;
}

INITIAL void no_votes(void)
{
    election.open = true;
}

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
