/* Lines are finished beside everything else, but whoever adds a line or opens it again writes its
 * order.  So a line that is done stays done as long as its order is not written: a transaction that
 * closes an order may rely on that, and on nothing stronger.
 * prove: ser=proved si=proved psi=proved pc=not
 */
#include <visar.h>

DATABASE struct { bool closed; int version; } order[ANY];
DATABASE struct { bool present; int order; bool done; } line[ANY];

INITIAL void nothing(void) { }

TRANSACTION void add(int i, int o)
{
    assume(i >= 0 && i < ANY && o >= 0 && o < ANY);
    if (order[o].closed || line[i].present)
        rollback();
    line[i].present = true;
    line[i].order = o;
    order[o].version++;
}

TRANSACTION void finish(int i)
{
    assume(i >= 0 && i < ANY);
    if (line[i].present)
        line[i].done = true;
}

TRANSACTION void reopen(int i, int o)
{
    assume(i >= 0 && i < ANY && o >= 0 && o < ANY);
    if (!line[i].present || line[i].order != o || order[o].closed)
        rollback();
    line[i].done = false;
    order[o].version++;
}

TRANSACTION void close(int o)
{
    assume(o >= 0 && o < ANY);
    for (int i = 0; i < ANY; i++)
        if (line[i].present && line[i].order == o && !line[i].done)
            rollback();
    order[o].closed = true;
}

INVARIANT bool all_done(int i, int o)
{
    return !line[i].present || line[i].done || line[i].order != o || !order[o].closed;
}
