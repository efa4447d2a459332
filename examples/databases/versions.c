/* Optimistic versions: read the row, compute, and write only if the version is still the one that was
 * read; otherwise try once more.  No edit is ever lost, at any level.  But trying again in the same
 * transaction helps at READ COMMITTED only: at REPEATABLE READ of InnoDB the second SELECT shows the
 * same snapshot again, so the edit is given up; PostgreSQL's refuses the first attempt already,
 * and the whole transaction has to be tried again.
 *
 * expect: ser=holds si=holds psi=holds pc=violated cc=violated ra=violated rcs=violated rc=violated ec=violated
 */
#include <visar.h>

struct page { int lines, version; };
DATABASE struct page page[ANY];

TRANSACTION void add_line(int i)
{
    assume(i >= 0 && i < ANY);
    bool done = false;
    for (int tries = 0; tries < 2; tries++) {
        struct page seen = page[i]; /* one SELECT */
        ATOMIC if (page[i].version == seen.version) {
            page[i].lines = seen.lines + 1;
            page[i].version = seen.version + 1;
            done = true;
        }
        if (done)
            break;
    }
    if (!done)
        rollback();
}

INITIAL void empty(void) {}

/* Every version has one line more than the one before. */
INVARIANT bool no_edit_is_lost(int i)
{
    return page[i].lines == page[i].version;
}

SCENARIO void two_edits(void)
{
    add_line(0);
    add_line(0);
}

FINAL bool nobody_gave_up(void)
{
    return page[0].version == 2;
}
