/* The machine of prog_machine.h.
 *
 * Where the definitions leave room, this file decides: a rolled-back transaction is one without
 * writes and locks (its snapshot obeys the model, its session goes on after it).  An execution in
 * which an index is out of bounds counts for that alone.  A call of fresh gets a row for good, even
 * if its transaction rolls back. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include "tests/oracle/prog_machine.h"

/* ---- choices ---- */

int orc_pick(struct orc_picks *k, int n)
{
    if (n <= 0 || k->pos >= ORC_PICKS)
        abort();
    if (k->pos == k->n) {
        k->digit[k->n] = 0;
        k->limit[k->n++] = n;
    }
    return k->digit[k->pos++];
}

/* The next sequence; false when there is none. */
bool orc_picks_advance(struct orc_picks *k)
{
    while (k->n > 0 && k->digit[k->n - 1] + 1 == k->limit[k->n - 1])
        k->n--;
    k->pos = 0;
    if (k->n == 0)
        return false;
    k->digit[k->n - 1]++;
    return true;
}

/* ---- reading and writing ---- */

enum orc_level orc_machine_level(const struct orc_machine *m)
{
    return m->rules.level[m->t];
}

/* RC: the visible set grows to the one before, or to that and one writer of the row which then is
 * the ar-largest there.  (A larger set only constrains what comes after.) */
static void grow_read(struct orc_machine *m, int row)
{
    uint32_t grown[ORC_TXNS + 1];
    int n = 0;
    grown[n++] = m->v;
    for (int i = 0; i < m->x.n_placed; i++) {
        int w = m->x.at[i];
        if (!orc_has(m->v, w) && orc_ext_writer(&m->x, m->v | 1u << w, row) == w)
            grown[n++] = m->v | 1u << w;
    }
    m->v = grown[orc_pick(&m->picks, n)];
}

/* Any set that the model allows and that contains the set so far. */
static bool grow_any(struct orc_machine *m)
{
    uint32_t grown[1 << ORC_TXNS];
    int n = 0;
    for (uint32_t w = 0; w < 1u << m->n_txns; w++)
        if (orc_subset(m->v, w) && orc_may_see(&m->x, &m->rules, &m->orders, m->mixed, m->t, w))
            grown[n++] = w;
    if (n == 0)
        return false;
    m->v = grown[orc_pick(&m->picks, n)];
    return true;
}

/* EC: any set at all, so any writer of the row, or none. */
static void forget_and_read(struct orc_machine *m, int row)
{
    m->v = 0;
    grow_read(m, row);
}

/* What this read sees, where a transaction has no snapshot: per read, per fold or per statement. */
static void choose_set(struct orc_machine *m, int row)
{
    enum orc_level level = orc_machine_level(m);
    if (level != ORC_EC && level != ORC_RC && level != ORC_RCS)
        return;
    if (m->in_fold || level == ORC_RCS) {
        if (!m->stmt_chosen && level == ORC_EC)
            m->v = 0;
        m->stmt_chosen = m->stmt_chosen || grow_any(m);
    } else if (level == ORC_EC) {
        forget_and_read(m, row);
    } else {
        grow_read(m, row);
    }
}

/* An external read of the row: `last` then has all its fields. */
static void read_row(struct orc_machine *m, int row)
{
    m->x.reads[m->t] |= 1u << row;
    choose_set(m, row);
    m->some |= m->v;
    int writer = orc_ext_writer(&m->x, m->v, row); /* EXT */
    if (m->n_saw == ORC_SEEN)
        abort();
    m->saw[m->n_saw++] = (struct orc_saw){m->t, row, writer};
    for (int c = 0; c < m->p->n_cells; c++)
        if (m->unit[c] == row)
            m->last[c] = writer < 0 ? m->p->init[c] : m->value[writer][c];
    m->seen |= 1u << row;
}

/* n cells from this one on, all of one row of a table: one read, or one of every field. */
static void read_cells(struct orc_machine *m, int cell, int n, int *out)
{
    if (m->store) {
        m->store->read(m, cell, n, out);
        return;
    }
    for (int c = cell; c < cell + n; c++) {
        int row = m->unit[c];
        bool own = orc_has(m->written, row); /* INT */
        if (!own && (c == cell || m->unit[c - 1] != row))
            read_row(m, row);
        out[c - cell] = own ? m->own[c] : m->last[c];
    }
}

static int read_cell(struct orc_machine *m, int cell)
{
    int value = 0;
    read_cells(m, cell, 1, &value);
    return value;
}

/* A row is written whole, the other fields as last read. */
static void write_cells(struct orc_machine *m, int cell, int n, const int *values)
{
    if (m->store) {
        m->store->write(m, cell, n, values);
        return;
    }
    for (int c = cell; c < cell + n; c++) {
        int row = m->unit[c];
        bool whole = true;
        for (int other = 0; other < m->p->n_cells; other++)
            whole &= m->unit[other] != row || (other >= cell && other < cell + n);
        if (!orc_has(m->written, row) && !whole) {
            if (!orc_has(m->seen, row))
                read_row(m, row);
            for (int other = 0; other < m->p->n_cells; other++)
                if (m->unit[other] == row)
                    m->own[other] = m->last[other];
        }
        m->own[c] = values[c - cell];
        m->written |= 1u << row;
    }
}

/* ---- running ---- */

/* An index of a dimension, or -1 if it is out of bounds: then the transaction has no effect. */
static int index_in(struct orc_machine *m, int e, int rows)
{
    long i = orc_machine_eval(m, e);
    if (m->state != ORC_RUNNING)
        return -1;
    if (i >= 0 && i < rows)
        return (int)i;
    m->out_of_bounds = true;
    m->state = ORC_ROLLED_BACK; /* the others go on, for their own bounds' sake */
    return -1;
}

/* The cell, or -1 as above. */
static int locate(struct orc_machine *m, int table, int index, int second, int field)
{
    const struct orc_table *t = &m->p->tables[table];
    int columns = t->n_dims > 1 ? orc_extent(m->p, t->dim[1]) : 1;
    int i = index_in(m, index, t->rows / columns), j = 0;
    if (i >= 0 && t->n_dims > 1)
        j = index_in(m, second, columns);
    return i < 0 || j < 0 ? -1 : t->base + (i * columns + j) * t->fields + field;
}

static bool row_is_zero(const struct orc_machine *m, const int state[ORC_CELLS], int cell,
                        int fields)
{
    for (int c = cell; c < cell + fields; c++)
        if (state[c])
            return false;
    return !orc_has(m->taken, cell);
}

/* fresh: a row that is all zeros in the state of all earlier transactions, and that no other call
 * got.  Without one there is no such execution. */
static long eval_fresh(struct orc_machine *m, const struct orc_expr *e)
{
    const struct orc_table *t = &m->p->tables[e->a];
    int columns = t->n_dims > 1 ? orc_extent(m->p, t->dim[1]) : t->rows;
    int lead = t->n_dims > 1 ? index_in(m, e->b, t->rows / columns) : 0;
    int state[ORC_CELLS], row[ORC_CELLS], n = 0;
    if (lead < 0)
        return 0;
    orc_machine_show(m, m->x.placed, state);
    for (int i = 0; i < columns; i++)
        if (row_is_zero(m, state, t->base + (lead * columns + i) * t->fields, t->fields))
            row[n++] = i;
    if (n == 0) {
        m->state = ORC_IMPOSSIBLE;
        return 0;
    }
    int found = row[orc_pick(&m->picks, n)];
    m->taken |= 1u << (t->base + (lead * columns + found) * t->fields);
    return found;
}

static long arithmetic(struct orc_machine *m, enum orc_expr_kind kind, long a, long b)
{
    long r = kind == ORC_ADD ? a + b : kind == ORC_SUB ? a - b : kind == ORC_XOR ? a ^ b : a * b;
    if (r < INT_MIN || r > INT_MAX) { /* signed overflow rolls back */
        m->state = ORC_ROLLED_BACK;
        return 0;
    }
    return r;
}

static long eval_binary(struct orc_machine *m, const struct orc_expr *e)
{
    long a = orc_machine_eval(m, e->a), b;
    if (e->kind == ORC_AND && !a)
        return 0;
    if (e->kind == ORC_OR && a)
        return 1;
    b = orc_machine_eval(m, e->b);
    switch (e->kind) {
    case ORC_EQ:
        return a == b;
    case ORC_NE:
        return a != b;
    case ORC_LT:
        return a < b;
    case ORC_LE:
        return a <= b;
    case ORC_AND:
    case ORC_OR:
        return b != 0;
    default:
        return arithmetic(m, e->kind, a, b);
    }
}

long orc_machine_eval(struct orc_machine *m, int number)
{
    const struct orc_expr *e = &m->p->exprs[number];
    int cell;
    if (m->state != ORC_RUNNING)
        return 0;
    switch (e->kind) {
    case ORC_CONST:
        return e->a;
    case ORC_REG:
        return m->regs[e->a];
    case ORC_PARAM:
        return m->params[e->a];
    case ORC_CELL:
        cell = locate(m, e->a, e->b, e->d, e->c);
        return cell < 0 ? 0 : read_cell(m, cell);
    case ORC_LOCAL:
        return m->local[e->a];
    case ORC_LOOP:
        return m->loops[e->a];
    case ORC_SIZE:
        return m->p->size;
    case ORC_FRESH:
        return eval_fresh(m, e);
    case ORC_NOT:
        return !orc_machine_eval(m, e->a);
    case ORC_COND:
        return orc_machine_eval(m, e->a) ? orc_machine_eval(m, e->b) : orc_machine_eval(m, e->c);
    default:
        return eval_binary(m, e);
    }
}

static void run_assert(struct orc_machine *m, long holds)
{
    if (m->state == ORC_RUNNING && !holds)
        m->failed = true;
}

static void run_assume(struct orc_machine *m, long holds)
{
    if (m->state == ORC_RUNNING && !holds)
        m->state = ORC_IMPOSSIBLE;
}

static void run_update(struct orc_machine *m, const struct orc_stmt *s)
{
    int cell = locate(m, s->table, s->index, s->second, 0), ignored[ORC_FIELDS];
    if (cell < 0)
        return;
    if (m->store) {
        m->store->lock(m, cell, s->kind == ORC_FOR_SHARE);
        return;
    }
    int n = m->p->tables[s->table].fields;
    read_cells(m, cell, n, ignored);
    for (int c = cell; c < cell + n; c++)
        m->locked |= 1u << m->unit[c];
}

/* As the field's type has it. */
static int converted(const struct orc_machine *m, const struct orc_stmt *s, long value)
{
    return m->p->tables[s->table].bools >> s->field & 1 ? value != 0 : (int)value;
}

static void run_write(struct orc_machine *m, const struct orc_stmt *s)
{
    int value = converted(m, s, orc_machine_eval(m, s->e));
    int cell = locate(m, s->table, s->index, s->second, s->field);
    if (cell >= 0)
        write_cells(m, cell, 1, &value);
}

static void run_compound(struct orc_machine *m, const struct orc_stmt *s)
{
    int cell = locate(m, s->table, s->index, s->second, s->field);
    long old = cell < 0 ? 0 : read_cell(m, cell), e = orc_machine_eval(m, s->e);
    if (m->state != ORC_RUNNING)
        return;
    int value = converted(m, s, arithmetic(m, s->op, old, e));
    if (m->state == ORC_RUNNING)
        write_cells(m, cell, 1, &value);
}

/* Copies of structs: from a row to the local one, back, or from row to row. */
static void run_copy(struct orc_machine *m, const struct orc_stmt *s)
{
    int n = m->p->tables[s->table].fields, row[ORC_FIELDS];
    int cell = locate(m, s->table, s->index, s->second, 0), *values = m->local;
    if (s->kind == ORC_COPY) {
        int from = cell < 0 ? -1 : locate(m, s->table, s->from, s->second, 0);
        values = row;
        if (from >= 0)
            read_cells(m, from, n, row);
    }
    if (m->state != ORC_RUNNING)
        return;
    if (s->kind == ORC_TAKE)
        read_cells(m, cell, n, m->local);
    else
        write_cells(m, cell, n, values);
}

/* A fold: its rounds, with one visible set for all. */
static void run_for(struct orc_machine *m, const struct orc_stmt *s)
{
    bool outer = m->in_fold;
    m->in_fold = true;
    long *i = &m->loops[s->reg];
    for (*i = orc_machine_eval(m, s->e); *i < orc_extent(m->p, s->dim) && m->state == ORC_RUNNING;
         ++*i)
        orc_machine_run(m, s->yes);
    if (m->state == ORC_BROKEN)
        m->state = ORC_RUNNING;
    m->in_fold = outer;
}

static void run_atomic_row(struct orc_machine *m, const struct orc_stmt *s)
{
    int cell = locate(m, s->table, s->index, s->second, 0);
    if (cell < 0)
        return;
    if (m->store)
        m->store->atomic(m, s, cell);
    else
        orc_machine_run(m, s->e < 0 || orc_machine_eval(m, s->e) ? s->yes : s->no);
}

/* One UPDATE, with one visible set as a fold has. */
static void run_atomic(struct orc_machine *m, const struct orc_stmt *s)
{
    bool outer = m->in_fold;
    long *i = &m->loops[s->reg];
    m->in_fold = true;
    if (!s->many)
        run_atomic_row(m, s);
    else
        for (*i = 0; *i < m->p->tables[s->table].rows && m->state == ORC_RUNNING; ++*i)
            run_atomic_row(m, s);
    m->in_fold = outer;
}

void orc_machine_run(struct orc_machine *m, int s)
{
    for (; s >= 0 && m->state == ORC_RUNNING; s = m->p->stmts[s].next) {
        const struct orc_stmt *stmt = &m->p->stmts[s];
        m->stmt_chosen = m->stmt_chosen && m->in_fold;
        if (m->store && !m->in_fold)
            m->store->begin(m, s, -1);
        switch (stmt->kind) {
        case ORC_SET:
            m->regs[stmt->reg] = (int)orc_machine_eval(m, stmt->e);
            break;
        case ORC_WRITE:
            run_write(m, stmt);
            break;
        case ORC_IF:
            orc_machine_run(m, orc_machine_eval(m, stmt->e) ? stmt->yes : stmt->no);
            break;
        case ORC_ROLLBACK:
            m->state = ORC_ROLLED_BACK;
            break;
        case ORC_RETURN:
            m->state = ORC_RETURNED;
            break;
        case ORC_ASSUME:
            run_assume(m, orc_machine_eval(m, stmt->e));
            break;
        case ORC_ASSERT:
            run_assert(m, orc_machine_eval(m, stmt->e));
            break;
        case ORC_FOR_UPDATE:
        case ORC_FOR_SHARE:
            run_update(m, stmt);
            break;
        case ORC_ATOMIC:
            run_atomic(m, stmt);
            break;
        case ORC_COMPOUND:
            run_compound(m, stmt);
            break;
        case ORC_TAKE:
        case ORC_PUT:
        case ORC_COPY:
            run_copy(m, stmt);
            break;
        case ORC_FOR:
            run_for(m, stmt);
            break;
        case ORC_BREAK:
            m->state = ORC_BROKEN;
            break;
        case ORC_GIVE:
            m->given = orc_machine_eval(m, stmt->e);
            if (m->state == ORC_RUNNING)
                m->state = ORC_RETURNED;
            break;
        }
    }
}

bool orc_machine_start(struct orc_machine *m)
{
    uint32_t least = m->x.placed;
    m->v = 0;
    if (orc_machine_level(m) == ORC_EC)
        return true;
    if (orc_machine_level(m) != ORC_RC && orc_machine_level(m) != ORC_RCS)
        return grow_any(m);
    if (!orc_subset(m->orders.see[m->t], m->x.placed))
        return false;
    for (uint32_t w = 0; w < 1u << m->n_txns; w++) /* prefixes are nested; RC: the empty set */
        if (orc_subset(w, least) && orc_may_see(&m->x, &m->rules, &m->orders, m->mixed, m->t, w))
            least = w;
    m->v = least;
    return true;
}

void orc_machine_clear(struct orc_machine *m, int t)
{
    m->t = t;
    m->state = ORC_RUNNING;
    m->written = m->locked = m->seen = m->some = 0;
    m->failed = m->stmt_chosen = m->in_fold = false;
    memset(m->regs, 0, sizeof m->regs);
    memset(m->local, 0, sizeof m->local);
}
