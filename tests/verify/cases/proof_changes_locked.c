/* As proof_changes_with.c, but whoever adds a line locks its order and writes some other one: two
 * transactions of which one only locks a row do not exclude each other if the writer is first.
 * prove: ser=proved si=not psi=not pc=not
 */
#include <visar.h>

DATABASE struct { bool closed; int version; } order[ANY];
DATABASE struct { bool present; int order; bool done; } line[ANY];

INITIAL void nothing(void) { }

TRANSACTION void add(int i, int o, int other)
{
    assume(i >= 0 && i < ANY && o >= 0 && o < ANY && other >= 0 && other < ANY);
    if (order[o].closed || line[i].present)
        rollback();
    line[i].present = true;
    line[i].order = o;
    for_update(order[o]);
    order[other].version++;
}

TRANSACTION void finish(int i)
{
    assume(i >= 0 && i < ANY);
    if (line[i].present)
        line[i].done = true;
}

TRANSACTION void close(int o)
{
    assume(o >= 0 && o < ANY);
    for (int i = 0; i < ANY; i++)
        if (line[i].present && line[i].order == o && !line[i].done)
            rollback();
    order[o].closed = true;
}

INVARIANT bool all_done(int i)
{
    return !line[i].present || line[i].done || line[i].order < 0 || line[i].order >= ANY ||
           !order[line[i].order].closed;
}
