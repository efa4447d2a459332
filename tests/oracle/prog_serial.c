/* Is an execution equivalent to a serial one?  Every order of its transactions is tried. */
#include "tests/oracle/prog_machine.h"

struct orders {
    const struct orc_machine *m;
    const uint32_t *before;
    int n, order[ORC_TXNS];
    uint32_t placed;
};

/* The last of the first n in the order that writes the row, or -1. */
static int last_writer(const struct orders *o, int n, int row)
{
    for (int i = n; i-- > 0;)
        if (orc_has(o->m->x.writes[o->order[i]], row))
            return o->order[i];
    return -1;
}

static bool explains(const struct orders *o)
{
    const struct orc_machine *m = o->m;
    for (int i = 0; i < m->n_saw; i++) {
        int at = 0;
        while (o->order[at] != m->saw[i].t)
            at++;
        if (last_writer(o, at, m->saw[i].row) != m->saw[i].writer)
            return false;
    }
    for (int row = 0; row < m->p->n_cells; row++)
        if (last_writer(o, o->n, row) != orc_ext_writer(&m->x, m->x.placed, row))
            return false;
    return true;
}

static bool search(struct orders *o)
{
    if (o->n == o->m->x.n_placed)
        return explains(o);
    for (int t = 0; t < ORC_TXNS; t++) {
        if (!orc_has(o->m->x.placed, t) || orc_has(o->placed, t) ||
            !orc_subset(o->before[t] & o->m->x.placed, o->placed))
            continue;
        o->order[o->n++] = t;
        o->placed |= 1u << t;
        if (search(o))
            return true;
        o->placed &= ~(1u << t);
        o->n--;
    }
    return false;
}

bool orc_machine_is_serial(const struct orc_machine *m, const uint32_t before[ORC_TXNS])
{
    struct orders o = {.m = m, .before = before};
    return search(&o);
}
