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
 * exist and are found by their keys: so an UPDATE with known values or a lock needs no base of its
 * own.  The modes of updates and of locks for update conflict with each other, with themselves and
 * with that of locks for share, which does not conflict with itself.
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
    case ORC_FOR_SHARE:
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
    case ORC_FOR_SHARE:
    case ORC_PUT:
        return index;
    case ORC_ROLLBACK:
    case ORC_RETURN:
    case ORC_BREAK:
        return 0;
    case ORC_FOR:
    case ORC_ATOMIC:
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
    s->own = s->changed = s->changing = s->shared = 0;
    s->target = -1;
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

/* Every earlier transaction that touched the row in a mode that conflicts is within the end of this
 * statement.  At pg-rr those that wrote it are in the base, or there is an error. */
static void touch(struct orc_machine *m, int row, bool share)
{
    struct orc_server_txn *s = &m->server;
    for (int i = 0; i < m->x.n_placed; i++) {
        int earlier = m->x.at[i];
        uint32_t rows = m->x.touches[earlier] | (share ? 0 : s->shares[earlier]);
        if (orc_has(rows, row) && s->floor < i + 1)
            s->floor = i + 1;
        if (s->level == ORC_PG_RR && orc_has(m->x.writes[earlier], row) && i >= s->base)
            m->state = ORC_IMPOSSIBLE;
    }
    if (share)
        s->shared |= 1u << row;
    else
        m->locked |= 1u << row;
}

static bool of_innodb(enum orc_server level)
{
    return level == ORC_MY_RC || level == ORC_MY_RR || level == ORC_MY_SER;
}

static int newest(const struct orc_machine *m, int cell)
{
    return orc_has(m->server.own, cell) ? m->own[cell] : m->server.state[m->x.n_placed][cell];
}

/* In an UPDATE: the columns of the row at hand, with those that it assigned; InnoDB reads other
 * rows in their newest value and locks them for share.  False: a read like any other. */
static bool read_in_update(struct orc_machine *m, int cell, int n, int *out)
{
    const struct orc_server_txn *s = &m->server;
    if (s->target < 0)
        return false;
    bool own = m->unit[cell] == m->unit[s->target];
    if (!own && !of_innodb(s->level))
        return false;
    if (!own)
        touch(m, m->unit[cell], true);
    for (int c = cell; c < cell + n; c++)
        out[c - cell] = own ? s->row[c - s->target] : newest(m, c);
    return true;
}

static void read_cells(struct orc_machine *m, int cell, int n, int *out)
{
    const struct orc_server_txn *s = &m->server;
    if (read_in_update(m, cell, n, out))
        return;
    choose_base(m);
    const int *view = s->state[s->base], *last = s->state[m->x.n_placed];
    for (int c = cell; c < cell + n; c++) {
        bool changed = orc_has(s->changed, m->unit[c]);
        if (changed && s->level != ORC_MY_RR && view[c] != last[c])
            abort(); /* a row that was touched is in the base as it is */
        out[c - cell] = orc_has(s->own, c) ? m->own[c] : changed ? last[c] : view[c];
    }
}

static void lock_row(struct orc_machine *m, int cell, bool share)
{
    touch(m, m->unit[cell], share);
}

/* InnoDB makes no version of a row that has these values already: it is not changed, and at my-rr
 * the snapshot still shows it as it was. */
static bool makes_version(const struct orc_machine *m, int cell, int n, const int *values)
{
    const struct orc_server_txn *s = &m->server;
    if (!of_innodb(s->level) || orc_has(s->changed | s->changing, m->unit[cell]))
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
    if (s->target >= 0) { /* with the others at the end */
        for (int c = cell; c < cell + n; c++) {
            s->assigned |= 1u << (c - s->target);
            s->row[c - s->target] = values[c - cell];
        }
        return;
    }
    touch(m, row, false);
    m->written |= 1u << row;
    if (!makes_version(m, cell, n, values))
        return;
    s->changing |= 1u << row;
    for (int c = cell; c < cell + n; c++) {
        s->own |= 1u << c;
        m->own[c] = values[c - cell];
    }
}

/* ---- single-statement updates ---- */

static int fields_of(const struct orc_machine *m, int cell)
{
    int n = 1;
    while (cell + n < m->p->n_cells && m->unit[cell + n] == m->unit[cell])
        n++;
    return n;
}

/* The row is at hand, as it is after the first `commits`. */
static void take_row(struct orc_machine *m, int cell, int commits)
{
    struct orc_server_txn *s = &m->server;
    s->target = cell;
    s->assigned = 0;
    if (orc_has(s->changed | s->changing, m->unit[cell]))
        commits = m->x.n_placed;
    for (int c = cell; c < cell + fields_of(m, cell); c++)
        s->row[c - cell] = orc_has(s->own, c) ? m->own[c] : s->state[commits][c];
}

/* The row is changed.  It is even if no column was assigned: conditions inside are CASEs. */
static void put_row(struct orc_machine *m)
{
    struct orc_server_txn *s = &m->server;
    int cell = s->target;
    s->target = -1;
    m->written |= 1u << m->unit[cell];
    if (!makes_version(m, cell, fields_of(m, cell), s->row))
        return;
    s->changing |= 1u << m->unit[cell];
    for (int i = 0; i < fields_of(m, cell); i++)
        if (orc_has(s->assigned, i)) {
            s->own |= 1u << (cell + i);
            m->own[cell + i] = s->row[i];
        }
}

static bool matches(struct orc_machine *m, const struct orc_stmt *st)
{
    return st->e < 0 || orc_machine_eval(m, st->e);
}

/* my-rc: a row that does not match when it is looked at is not locked.  That may be at any time
 * from the end of the last statement on; the first will do. */
static bool passes_by(struct orc_machine *m, const struct orc_stmt *st, int cell)
{
    int at = -1;
    bool match = true;
    for (int i = m->server.floor; i <= m->x.n_placed; i++) {
        take_row(m, cell, i);
        match = matches(m, st);
        if (!match && at < 0)
            at = i;
    }
    m->server.target = -1;
    if (at < 0 || (match && orc_pick(&m->picks, 2)))
        return false;
    m->server.floor = at;
    return true;
}

/* PostgreSQL decides in the view whether the row is a candidate, and again on the newest row when
 * it has locked it.  InnoDB looks at the newest row alone. */
static void update_row(struct orc_machine *m, const struct orc_stmt *st, int cell)
{
    struct orc_server_txn *s = &m->server;
    bool candidate = true;
    if (!of_innodb(s->level)) {
        choose_base(m);
        candidate = matches(m, st);
    } else if (s->level == ORC_MY_RC && st->e >= 0) {
        candidate = !passes_by(m, st, cell);
    }
    if (candidate) {
        touch(m, m->unit[cell], false);
        take_row(m, cell, m->x.n_placed);
        candidate = matches(m, st);
    }
    if (!candidate) {
        s->target = -1;
        orc_machine_run(m, st->no);
        return;
    }
    orc_machine_run(m, st->yes);
    put_row(m);
}

const struct orc_store orc_server_store = {begin, read_cells, write_cells, lock_row, update_row};
