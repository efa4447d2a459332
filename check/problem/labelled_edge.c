/* Edges of the problem as edges of the history; see labelled_edge.h. */
#include "check/problem/labelled_edge.h"

#include <assert.h>

/* The end of an edge at a read, or at the write of a version. */
struct end {
    uint32_t txn, op;
};

static struct end at_read(const struct prob *p, uint32_t read)
{
    return (struct end){p->hist[p->rd_txn[read]], p->rd_op[read]};
}

static struct end at_write(const struct prob *p, uint32_t version)
{
    return (struct end){p->hist[p->ver_txn[version]], p->ver_op[version]};
}

struct check_edge edge_told(const struct prob *p, const struct edge *e, uint32_t seen,
                            uint32_t because)
{
    assert(e->kind == CHECK_WR || e->kind == CHECK_WW || e->kind == CHECK_RW);
    struct end from = e->kind == CHECK_WW   ? at_write(p, e->a)
                      : e->kind == CHECK_WR ? at_write(p, seen)
                                            : at_read(p, e->a);
    struct end to = e->kind == CHECK_WR ? at_read(p, e->a) : at_write(p, e->b);
    return (struct check_edge){.kind = e->kind,
                               .from = from.txn,
                               .to = to.txn,
                               .key = e->kind == CHECK_WW ? p->ver_key[e->a] : p->rd_key[e->a],
                               .from_op = from.op,
                               .to_op = to.op,
                               .via = e->kind == CHECK_RW ? p->ver_op[seen] : HIST_NONE,
                               .because = because};
}

struct check_edge edge_of_session(const struct prob *p, uint32_t from, uint32_t to)
{
    return (struct check_edge){.kind = CHECK_SO,
                               .from = p->hist[from],
                               .to = p->hist[to],
                               .key = HIST_NONE,
                               .from_op = HIST_NONE,
                               .to_op = HIST_NONE,
                               .via = HIST_NONE,
                               .because = HIST_NONE};
}
