/* What the sessions of a replay saw, as a history.  Keys are the rows' names; a version is known by
 * the write id that every UPDATE leaves in its row, so nothing is open.  A transaction that rolled
 * back as planned counts as one that committed without writes, as in what `visar verify
 * --save-history` writes: it ran on a snapshot, and what it read there means something. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "database/replay_internal.h"
#include "database/row_value.h"

/* One number per row, everywhere: then values are numbers, else names of numbers and rows. */
static bool all_integers(const struct plan *p)
{
    for (size_t i = 0; i < p->tables.len; i++)
        if (p->tables.data[i].columns.len != 1 ||
            p->tables.data[i].columns.data[0].type == PLAN_NUMERIC)
            return false;
    return true;
}

/* A truth value is 0 or 1; a number beyond 64 bits with sign is C's literal, a text. */
static struct row_cell cell_of(const struct plan_column *column, const char *value, struct arena *a)
{
    struct row_cell cell = {column->path, value, false};
    if (value && column->type == PLAN_BOOLEAN)
        cell.text = *value == 't' ? "1" : "0";
    errno = 0;
    if (value && column->type == PLAN_NUMERIC && (strtoll(value, NULL, 10), errno == ERANGE)) {
        cell.text = arena_printf(a, "%su", value);
        cell.quoted = true;
    }
    return cell;
}

static struct hist_value value_of(struct history *h, const struct plan *p,
                                  const struct plan_cells *cells, bool integers)
{
    const struct plan_table *t = &p->tables.data[p->rows.data[cells->row].table];
    struct arena scratch = {0};
    struct row_cell *row = arena_array(&scratch, struct row_cell, t->columns.len + 1);
    for (size_t c = 0; c < t->columns.len; c++)
        row[c] = cell_of(&t->columns.data[c], cells->value[c], &scratch);
    struct strbuf b = {0};
    row_value(row, t->columns.len, &b);
    int64_t value = integers ? strtoll(sb_str(&b), NULL, 10) : hist_value_text(h, b.data, b.len);
    sb_free(&b);
    arena_free(&scratch);
    return hist_int(value);
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
        if (op->write && g->p->txns.data[txn].end == PLAN_ROLLS_BACK)
            continue;
        uint32_t key = key_of(h, g->p, op->cells.row);
        struct hist_value v = value_of(h, g->p, &op->cells, integers);
        if (op->write)
            hist_write(h, key, v);
        else if (op->id == 0)
            hist_read_initial(h, key, v);
        else
            hist_read(h, key, v);
        hist_write_id(h, op->id);
        if (op->same_statement)
            hist_op_flag(h, HIST_OP_SAME_STMT);
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
