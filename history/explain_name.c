/* Adya's names for cycles (thesis, 2000, section 4.2), and the well-known special cases. */
#include "history/explain.h"

struct tally {
    uint32_t ww, wr, rw;
    bool adjacent; /* two anti-dependencies in a row */
};

static struct tally count(const struct check_edge *e, uint32_t n)
{
    struct tally t = {0};
    for (uint32_t i = 0; i < n; i++) {
        t.ww += e[i].kind == CHECK_WW;
        t.wr += e[i].kind == CHECK_WR;
        t.rw += e[i].kind == CHECK_RW;
        t.adjacent |= e[i].kind == CHECK_RW && e[(i + 1) % n].kind == CHECK_RW;
    }
    return t;
}

/* Both read one version of a row and both overwrote it. */
static bool lost_update(const struct check_edge *e, uint32_t n)
{
    if (n != 2 || e[0].key != e[1].key)
        return false;
    if (e[0].kind == CHECK_RW && e[1].kind == CHECK_RW)
        return e[0].via == e[1].via;
    return (e[0].kind == CHECK_RW && e[1].kind == CHECK_WW) ||
           (e[0].kind == CHECK_WW && e[1].kind == CHECK_RW);
}

/* Write, read, missing write, write, read, missing write. */
static bool long_fork(const struct check_edge *e, uint32_t n)
{
    if (n != 4)
        return false;
    uint32_t i = e[0].kind == CHECK_RW;
    return e[i].kind == CHECK_WR && e[i + 1].kind == CHECK_RW && e[i + 2].kind == CHECK_WR &&
           e[(i + 3) % 4].kind == CHECK_RW && e[i].key != e[i + 2].key;
}

enum check_anomaly explain_name(const struct check_result *r)
{
    if (r->cycle == HIST_NONE)
        return CHECK_UNSATISFIABLE;
    const struct check_cycle *c = &r->cycles.data[r->cycle];
    const struct check_edge *e = r->edges.data + c->start;
    struct tally t = count(e, c->len);
    if (r->no_source)
        return CHECK_UNSATISFIABLE;
    if (!t.rw)
        return t.wr ? CHECK_G1C : CHECK_G0;
    if (lost_update(e, c->len))
        return CHECK_LOST_UPDATE;
    if (t.rw == 1)
        return CHECK_G_SINGLE;
    if (long_fork(e, c->len))
        return CHECK_LONG_FORK;
    if (!t.adjacent)
        return CHECK_G_NONADJACENT;
    return c->len == 2 ? CHECK_WRITE_SKEW : CHECK_G2_ITEM;
}
