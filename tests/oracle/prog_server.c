/* Statements at the levels of databases: what they see, touch and wait for.
 *
 * ar is the order of commits, St(i) the state after the first i of it, p the place of this
 * transaction T.  A full expression is a SELECT of all that it reads, followed by an UPDATE of the
 * assigned columns of each row that it assigns; a lock is a statement of its own.
 *
 * A statement has a base and an end, places in ar.  The base is a choice and decides what a SELECT
 * sees: St(base), T's own writes on top.  The end only ever matters as a bound from below for the
 * bases of later statements, so it is as small as it may be (`floor`): the base itself, or just
 * behind the last earlier transaction that touched the row in a mode that conflicts.  All rows
 * exist and are found by their keys: so an UPDATE or a lock needs no base of its own, and the modes
 * of updates and of locks for update conflict with each other and with themselves.
 *
 * A transaction that rolls back itself has a place in ar.  What it saw and touched counts. */
#include <stdlib.h>
#include "tests/oracle/prog_machine.h"

const char *orc_server_name(enum orc_server level)
{
    static const char *const names[] = {"none",  "pg-rc", "pg-rr", "pg-ser",
                                        "my-rc", "my-rr", "my-ser"};
    return names[level];
}

/* ---- what a statement may read ---- */

/* The cells of a row of the table, or of all its rows if the index is no constant. */
static uint32_t place_cells(const struct orc_prog *p, int table, int index)
{
    const struct orc_table *t = &p->tables[table];
    const struct orc_expr *e = &p->exprs[index];
    uint32_t all = (1u << t->rows * t->fields) - 1, row = (1u << t->fields) - 1;
    bool known = t->n_dims < 2 && e->kind == ORC_CONST && e->a >= 0 && e->a < t->rows;
    return known ? row << (t->base + e->a * t->fields) : all << t->base;
}

static uint32_t expr_cells(const struct orc_prog *p, int number)
{
    const struct orc_expr *e = &p->exprs[number];
    switch (e->kind) {
    case ORC_CONST:
    case ORC_REG:
    case ORC_PARAM:
    case ORC_LOCAL:
    case ORC_LOOP:
    case ORC_SIZE:
        return 0;
    case ORC_FRESH:
        return p->tables[e->a].n_dims > 1 ? expr_cells(p, e->b) : 0;
    case ORC_CELL:
        return place_cells(p, e->a, e->b) | expr_cells(p, e->b) |
               (p->tables[e->a].n_dims > 1 ? expr_cells(p, e->d) : 0);
    case ORC_NOT:
        return expr_cells(p, e->a);
    case ORC_COND:
        return expr_cells(p, e->a) | expr_cells(p, e->b) | expr_cells(p, e->c);
    default:
        return expr_cells(p, e->a) | expr_cells(p, e->b);
    }
}

static uint32_t stmt_cells(const struct orc_prog *p, int number)
{
    const struct orc_stmt *s = &p->stmts[number];
    uint32_t index = 0;
    switch (s->kind) {
    case ORC_WRITE:
    case ORC_FOR_UPDATE:
    case ORC_COMPOUND:
    case ORC_TAKE:
    case ORC_PUT:
    case ORC_COPY:
        index = expr_cells(p, s->index);
        if (p->tables[s->table].n_dims > 1)
            index |= expr_cells(p, s->second);
        break;
    default:
        break;
    }
    switch (s->kind) {
    case ORC_SET:
    case ORC_IF:
    case ORC_ASSUME:
    case ORC_ASSERT:
    case ORC_GIVE:
        return expr_cells(p, s->e);
    case ORC_WRITE:
        return index | expr_cells(p, s->e);
    case ORC_COMPOUND:
        return index | expr_cells(p, s->e) | place_cells(p, s->table, s->index);
    case ORC_TAKE:
        return index | place_cells(p, s->table, s->index);
    case ORC_COPY:
        return index | expr_cells(p, s->from) | place_cells(p, s->table, s->from);
    case ORC_FOR_UPDATE:
    case ORC_PUT:
        return index;
    case ORC_ROLLBACK:
    case ORC_RETURN:
    case ORC_BREAK:
        return 0;
    case ORC_FOR:
        return ~0u;
    }
    return ~0u;
}

/* ---- bases ---- */

/* A place in ar from this one on.  Of two that show the same in the cells, the earlier one leaves
 * all that the later one leaves to later statements: it alone is tried. */
static int choose_place(struct orc_machine *m, int from, uint32_t cells)
{
    int n = 0, place[ORC_TXNS + 1];
    for (int i = from; i <= m->x.n_placed; i++) {
        bool is_new = true;
        for (int k = 0; k < n && is_new; k++) {
            int c = 0;
            while (c < m->p->n_cells &&
                   (!orc_has(cells, c) || m->server.state[i][c] == m->server.state[place[k]][c]))
                c++;
            is_new = c < m->p->n_cells;
        }
        if (is_new)
            place[n++] = i;
    }
    return place[orc_pick(&m->picks, n)];
}

/* This statement reads something: it is a SELECT. */
static void choose_base(struct orc_machine *m)
{
    struct orc_server_txn *s = &m->server;
    if (m->stmt_chosen)
        return;
    m->stmt_chosen = true;
    switch (s->level) {
    case ORC_PG_SER:
    case ORC_MY_SER:
        s->base = m->x.n_placed;
        break;
    case ORC_MY_RR: /* the first plain read takes the snapshot; what is touched later is no bound */
        if (s->base < 0)
            s->base = choose_place(m, s->floor, ~0u);
        break;
    case ORC_PG_RC:
    case ORC_MY_RC:
        s->base = s->floor = choose_place(m, s->floor, s->reads);
        break;
    case ORC_PG_RR: /* chosen with the first statement */
    case ORC_NO_SERVER:
    case ORC_SERVERS:
        break;
    }
}

void orc_server_start(struct orc_machine *m, int t)
{
    struct orc_server_txn *s = &m->server;
    s->level = m->run->server[t];
    s->floor = 0;
    s->base = -1;
    s->own = s->changed = s->changing = 0;
    s->reads = ~0u;
    for (int i = 0; i < m->x.n_placed; i++) /* of its session: in the base of the first statement */
        if (orc_has(m->orders.see[t], m->x.at[i]))
            s->floor = i + 1;
    if (s->level == ORC_PG_RR) /* one that shows the same is not as good: see touch() */
        s->base = s->floor + orc_pick(&m->picks, m->x.n_placed - s->floor + 1);
}

static void begin(struct orc_machine *m, int stmt, int also)
{
    struct orc_server_txn *s = &m->server;
    s->changed |= s->changing;
    s->changing = 0;
    s->reads = stmt >= 0 ? stmt_cells(m->p, stmt) : also >= 0 ? expr_cells(m->p, also) : 0;
}

/* ---- reading and touching ---- */

static void read_cells(struct orc_machine *m, int cell, int n, int *out)
{
    const struct orc_server_txn *s = &m->server;
    choose_base(m);
    const int *view = s->state[s->base], *newest = s->state[m->x.n_placed];
    for (int c = cell; c < cell + n; c++) {
        bool changed = orc_has(s->changed, m->unit[c]);
        if (changed && s->level != ORC_MY_RR && view[c] != newest[c])
            abort(); /* a row that was touched is in the base as it is */
        out[c - cell] = orc_has(s->own, c) ? m->own[c] : changed ? newest[c] : view[c];
    }
}

/* Every earlier transaction that touched the row in a mode that conflicts is within the end of this
 * statement.  At pg-rr those that wrote it are in the base, or there is an error. */
static void touch(struct orc_machine *m, int row)
{
    struct orc_server_txn *s = &m->server;
    for (int i = 0; i < m->x.n_placed; i++) {
        int earlier = m->x.at[i];
        if (orc_has(m->x.touches[earlier], row) && s->floor < i + 1)
            s->floor = i + 1;
        if (s->level == ORC_PG_RR && orc_has(m->x.writes[earlier], row) && i >= s->base)
            m->state = ORC_IMPOSSIBLE;
    }
}

static void lock_row(struct orc_machine *m, int cell)
{
    touch(m, m->unit[cell]);
    m->locked |= 1u << m->unit[cell];
}

/* InnoDB makes no version of a row that has these values already: it is not changed, and at my-rr
 * the snapshot still shows it as it was. */
static bool makes_version(const struct orc_machine *m, int cell, int n, const int *values)
{
    const struct orc_server_txn *s = &m->server;
    if (s->level == ORC_PG_RC || s->level == ORC_PG_RR || s->level == ORC_PG_SER ||
        orc_has(s->changed | s->changing, m->unit[cell]))
        return true;
    for (int c = cell; c < cell + n; c++)
        if (values[c - cell] != s->state[m->x.n_placed][c])
            return true;
    return false;
}

static void write_cells(struct orc_machine *m, int cell, int n, const int *values)
{
    struct orc_server_txn *s = &m->server;
    int row = m->unit[cell];
    touch(m, row);
    m->written |= 1u << row;
    if (!makes_version(m, cell, n, values))
        return;
    s->changing |= 1u << row;
    for (int c = cell; c < cell + n; c++) {
        s->own |= 1u << c;
        m->own[c] = values[c - cell];
    }
}

const struct orc_store orc_server_store = {begin, read_cells, write_cells, lock_row};
