/* What the sessions of a replay saw, as a history.  Keys are the rows' names; a version is known by
 * the write id that every UPDATE leaves in its row, so nothing is open.  A transaction that rolled
 * back as planned counts as one that committed without writes, as in what `visar verify
 * --save-history` writes: it ran on a snapshot, and what it read there means something. */
#include <stdlib.h>
#include <string.h>

#include "postgres/replay_private.h"

/* One number per row, everywhere: then values are numbers, else texts. */
static bool all_integers(const struct plan *p)
{
    for (size_t i = 0; i < p->tables.len; i++)
        if (p->tables.data[i].columns.len != 1 ||
            p->tables.data[i].columns.data[0].type != PLAN_BIGINT)
            return false;
    return true;
}

static struct hist_value value_of(struct history *h, const struct plan *p,
                                  const struct plan_cells *cells, bool integers)
{
    size_t n = p->tables.data[p->rows.data[cells->row].table].columns.len;
    if (integers)
        return hist_int(strtoll(cells->value[0], NULL, 10));
    struct strbuf b = {0};
    sb_puts(&b, n == 1 ? "" : "(");
    for (size_t c = 0; c < n; c++)
        sb_printf(&b, "%s%s", c ? ", " : "", cells->value[c] ? cells->value[c] : "_");
    sb_puts(&b, n == 1 ? "" : ")");
    int64_t id = hist_value_text(h, sb_str(&b), b.len);
    sb_free(&b);
    return hist_int(id);
}

static uint32_t key_of(struct history *h, const struct plan *p, uint32_t row)
{
    const char *name = p->rows.data[row].name;
    return hist_key_str(h, name, strlen(name));
}

static void put_txn(const struct stage *g, struct history *h, uint32_t session, uint32_t txn,
                    bool integers)
{
    const struct seen_txn *t = &g->seen[txn];
    hist_begin_txn(h, session);
    hist_txn_name(h, g->p->txns.data[txn].name);
    struct hist_times times = t->times;
    if (t->status != HIST_COMMITTED)
        times.commit_answered = HIST_NO_TIME;
    hist_txn_intervals(h, times);
    for (size_t i = 0; i < t->ops.len; i++) {
        const struct seen_op *op = &t->ops.data[i];
        uint32_t key = key_of(h, g->p, op->cells.row);
        struct hist_value v = value_of(h, g->p, &op->cells, integers);
        if (op->write)
            hist_write(h, key, v);
        else if (op->id == 0)
            hist_read_initial(h, key, v);
        else
            hist_read(h, key, v);
        hist_write_id(h, op->id);
    }
    hist_end_txn(h, t->status);
}

struct history *pgreplay_history(const struct stage *g)
{
    const struct plan *p = g->p;
    struct history *h = hist_new();
    bool integers = all_integers(p);
    uint32_t sessions = plan_sessions(p);
    hist_set_source(h, p->file);
    for (uint32_t row = 0; row < p->rows.len; row++)
        hist_set_initial(h, key_of(h, p, row), value_of(h, p, &p->initial.data[row], integers));
    for (uint32_t s = 0; s < sessions; s++) {
        uint32_t session = hist_add_session(h, NULL);
        for (uint32_t position = 0; position < p->txns.len; position++) {
            uint32_t txn = plan_at(p, position);
            if (p->txns.data[txn].session == s && g->seen[txn].begun)
                put_txn(g, h, session, txn, integers);
        }
    }
    if (!hist_finish(h))
        return h;
    hist_free(h);
    return NULL;
}
