/* Levels of databases: statements that may wait.
 *
 * Whether a backend waits is asked of the server (pg_blocking_pids), by a connection of its own,
 * until there is an answer or one of the replay's own sessions is in the way; nothing depends on
 * how long that takes.  The same connection keeps the gates: advisory locks that a statement asks
 * for in its WHERE, when it has its snapshot and before it locks rows.
 *
 * What an UPDATE finds is known by the version that it replaces ("#before"): the row as the UPDATE
 * that made that version returned it. */
#include <inttypes.h>
#include <string.h>

#include "base/limit.h"
#include "base/map.h"
#include "base/mem.h"
#include "database/replay_internal.h"

enum { POLL_MILLISECONDS = 10 };

/* ---- who waits ------------------------------------------------------------------------------ */

static const struct db_column number_column = {DB_INTEGER, 0, INT64_MAX};
static const struct db_column truth_column = {DB_BOOLEAN, 0, 1};
static const struct db_shape one_number = {&number_column, 1, 1, 1};
static const struct db_shape truth = {&truth_column, 1, 1, 1};

static enum db_answer ask_number(struct db *d, const char *sql, int n, const char *const *params,
                                 int64_t *out)
{
    struct db_rows rows;
    enum db_answer a = db_query(d, sql, n, params, &one_number, &rows);
    if (a == DB_OK)
        *out = (int64_t)db_cell(&rows, 0, 0);
    db_rows_free(&rows);
    return a;
}

/* The monitor failed: nothing is known of the server. */
static bool monitor_failed(struct stage *g, uint32_t txn)
{
    stage_refused(g, txn, "", g->monitor->message);
    g->r->outcome = REPLAY_UNKNOWN;
    return false;
}

enum state { ANSWERED, BLOCKED, FAILED };

/* Until the statement under way is answered, or one of our own sessions is in its way. */
static enum state await(struct stage *g, uint32_t txn)
{
    const char *params[] = {arena_printf(&g->r->arena, "%" PRId64, g->backend[txn]), g->backends};
    while (!db_answers(&g->db[txn], POLL_MILLISECONDS)) {
        int64_t blocking = 0;
        if (limit_reached())
            return ANSWERED; /* taking the answer says so */
        if (ask_number(g->monitor,
                       "SELECT count(*) FROM unnest(pg_blocking_pids($1::int)) b "
                       "WHERE b = ANY ($2::int[])",
                       2, params, &blocking) != DB_OK) {
            monitor_failed(g, txn);
            return FAILED;
        }
        if (blocking)
            return db_answers(&g->db[txn], 0) ? ANSWERED : BLOCKED;
    }
    return ANSWERED;
}

const char *stage_monitor(struct stage *g, struct db *d)
{
    struct strbuf all = {0};
    size_t n = g->p->txns.len;
    enum db_answer a = DB_OK;
    int64_t number = 0;
    struct db *failed = d;
    g->monitor = d;
    g->backend = arena_array(&g->r->arena, int64_t, n + 1);
    g->under_way = arena_array(&g->r->arena, const char *, n + 1);
    a = ask_number(d, "SELECT pg_backend_pid()", 0, NULL, &number);
    sb_printf(&all, "{%" PRId64, number);
    for (size_t i = 0; i < n && a == DB_OK; i++) {
        failed = &g->db[i];
        a = ask_number(failed, "SELECT pg_backend_pid()", 0, NULL, &g->backend[i]);
        sb_printf(&all, ",%" PRId64, g->backend[i]);
    }
    sb_puts(&all, "}");
    g->backends = arena_strdup(&g->r->arena, sb_str(&all));
    sb_free(&all);
    return a == DB_OK ? NULL : arena_strdup(&g->r->arena, failed->message);
}

/* ---- gates ---------------------------------------------------------------------------------- */

/* Of this replay and this statement: another replay on the server has another schema. */
static struct sql_gate gate_of(const struct stage *g, const struct schedule_step *s)
{
    uint64_t replay = hash_bytes(g->sql.schema, strlen(g->sql.schema));
    return (struct sql_gate){true, {(int32_t)(replay & INT32_MAX), sql_gate_key(s->txn, s->n)}};
}

static bool move_gate(struct stage *g, const struct schedule_step *s, const char *function)
{
    struct sql_gate gate = gate_of(g, s);
    struct db_rows rows;
    enum db_answer a =
        db_query(g->monitor,
                 arena_printf(&g->r->arena, "SELECT %s(%" PRId32 ", %" PRId32 ") IS NOT NULL",
                              function, gate.key[0], gate.key[1]),
                 0, NULL, &truth, &rows);
    db_rows_free(&rows);
    return a == DB_OK || monitor_failed(g, s->txn);
}

/* Whoever is still held must not be in the way of the cleaning. */
void stage_monitor_end(struct stage *g)
{
    struct db_rows rows;
    if (g->monitor)
        db_finish_query(g->monitor, "SELECT pg_advisory_unlock_all() IS NOT NULL", &truth, &rows);
    if (g->monitor)
        db_rows_free(&rows);
    vec_free(&g->versions);
}

/* ---- answers -------------------------------------------------------------------------------- */

static struct db_shape shape_of(struct stage *g, uint32_t txn, const struct plan_statement *st)
{
    const struct plan_txn *t = &g->p->txns.data[txn];
    size_t n = 0;
    for (size_t i = 0; i < st->reads.len; i++)
        n += stage_columns(g, t->reads.data[st->reads.data[i]].cells.row, NULL);
    for (size_t i = 0; i < st->locks.len; i++)
        n += stage_columns(g, st->locks.data[i].set.row, NULL) + 1;
    struct db_column *columns = arena_array(&g->r->arena, struct db_column, n + 1);
    n = 0;
    for (size_t i = 0; i < st->reads.len; i++)
        n += stage_columns(g, t->reads.data[st->reads.data[i]].cells.row, columns + n);
    for (size_t i = 0; i < st->locks.len; i++) {
        n += stage_columns(g, st->locks.data[i].set.row, columns + n);
        if (st->locks.data[i].changes)
            columns[n++] = DB_NATURAL;
    }
    return (struct db_shape){columns, n, 1, 1};
}

static void push_op(struct stage *g, uint32_t txn, struct seen_op op)
{
    for (size_t i = 0; i < g->seen[txn].ops.len && op.write; i++) {
        struct seen_op *earlier = &g->seen[txn].ops.data[i];
        if (earlier->write && earlier->cells.row == op.cells.row) {
            earlier->cells = op.cells; /* its last value is what others see */
            return;
        }
    }
    vec_push(&g->seen[txn].ops, op);
}

/* A version of the row; NULL: nobody made it. */
static const struct plan_cells *version(const struct stage *g, uint32_t row, uint64_t id)
{
    if (id == 0)
        return &g->p->initial.data[row];
    for (size_t i = g->versions.len; i-- > 0;)
        if (g->versions.data[i].id == id && g->versions.data[i].cells.row == row)
            return &g->versions.data[i].cells;
    return NULL;
}

/* The row that a change landed on: the transaction's read of the newest version, if it has one. */
static bool take_newest(struct stage *g, uint32_t txn, uint32_t row, const struct plan_cells *found,
                        uint64_t id)
{
    const struct plan_txn *t = &g->p->txns.data[txn];
    for (size_t i = 0; i < t->reads.len; i++) {
        const struct plan_read *want = &t->reads.data[i];
        if (!want->newest || want->cells.row != row || g->r->seen[txn][i].value)
            continue;
        if (!found)
            return stage_refused(g, txn, "", "somebody else has changed the row");
        g->r->seen[txn][i] = *found;
        push_op(g, txn, (struct seen_op){.cells = *found, .id = id});
        return stage_as_planned(g, txn, &want->cells, found);
    }
    return true;
}

/* What the rows were, for the report: "→ a: n = 1; b: n = 2". */
static void add_answer(struct stage *g, const struct plan_cells *cells, bool first, bool only)
{
    struct replay_statement *l = &vec_last(&g->r->statements);
    const char *name = only ? "" : g->p->rows.data[cells->row].name;
    l->text = arena_printf(&g->r->arena, "%s%s%s%s%s", l->text, first ? " → " : "; ", name,
                           only ? "" : ": ", stage_cells_text(g, cells));
}

static bool take_reads(struct stage *g, uint32_t txn, const struct plan_statement *st,
                       const struct db_rows *rows, size_t *column)
{
    const struct plan_txn *t = &g->p->txns.data[txn];
    bool as_planned = true;
    for (size_t i = 0; i < st->reads.len; i++) {
        uint32_t n = st->reads.data[i], row = t->reads.data[n].cells.row;
        struct plan_cells got = stage_cells(g, row, rows, *column);
        *column += stage_columns(g, row, NULL);
        g->r->seen[txn][n] = got;
        push_op(g, txn,
                (struct seen_op){.cells = got,
                                 .id = (uint64_t)db_cell(rows, 0, *column - 1),
                                 .same_statement = i > 0});
        add_answer(g, &got, i == 0, st->reads.len == 1 && !st->locks.len);
    }
    for (size_t i = 0; i < st->reads.len && as_planned; i++) {
        uint32_t n = st->reads.data[i];
        as_planned = stage_as_planned(g, txn, &t->reads.data[n].cells, &g->r->seen[txn][n]);
    }
    return as_planned;
}

static bool take_lock(struct stage *g, uint32_t txn, const struct plan_lock *lock,
                      const struct db_rows *rows, size_t *column)
{
    uint32_t row = lock->set.row;
    struct plan_cells got = stage_cells(g, row, rows, *column);
    *column += stage_columns(g, row, NULL);
    uint64_t id = (uint64_t)db_cell(rows, 0, *column - 1);
    if (!lock->changes)
        return lock->mode != PLAN_UPDATE || take_newest(g, txn, row, &got, id);
    uint64_t before = (uint64_t)db_cell(rows, 0, (*column)++);
    if (before != id && !take_newest(g, txn, row, version(g, row, before), before))
        return false;
    vec_push(&g->versions, ((struct seen_version){id, got}));
    push_op(g, txn, (struct seen_op){.cells = got, .id = id, .write = true});
    return true;
}

static bool take_answer(struct stage *g, uint32_t txn, const struct plan_statement *st)
{
    struct db_shape shape = shape_of(g, txn, st);
    struct db_rows rows;
    size_t column = 0;
    bool ok = stage_check(g, txn, db_take(&g->db[txn], g->under_way[txn], &shape, &rows));
    ok = ok && take_reads(g, txn, st, &rows, &column);
    for (size_t i = 0; i < st->locks.len && ok; i++)
        ok = take_lock(g, txn, &st->locks.data[i], &rows, &column);
    db_rows_free(&rows);
    return ok;
}

/* ---- statements ----------------------------------------------------------------------------- */

static void put_lock_text(struct stage *g, const struct plan_lock *lock, struct strbuf *out)
{
    const char *name = g->p->rows.data[lock->set.row].name;
    if (lock->changes)
        sb_printf(out, "UPDATE %s: %s", name, stage_cells_text(g, &lock->set));
    else if (lock->mode == PLAN_UPDATE)
        sb_printf(out, "UPDATE %s: changes nothing", name);
    else
        sb_printf(out, "SELECT … FOR %s %s", lock->mode == PLAN_FOR_SHARE ? "SHARE" : "UPDATE",
                  name);
}

static const char *statement_text(struct stage *g, const struct plan_txn *t,
                                  const struct plan_statement *st)
{
    struct strbuf b = {0};
    for (size_t i = 0; i < st->locks.len; i++) {
        sb_puts(&b, i ? ", " : "");
        put_lock_text(g, &st->locks.data[i], &b);
    }
    for (size_t i = 0; i < st->reads.len; i++)
        sb_printf(&b, "%s%s",
                  i               ? ", "
                  : st->locks.len ? ", reading "
                                  : "SELECT ",
                  g->p->rows.data[t->reads.data[st->reads.data[i]].cells.row].name);
    const char *text = arena_strdup(&g->r->arena, sb_str(&b));
    sb_free(&b);
    return text;
}

static void issue(struct stage *g, const struct schedule_step *s, const struct plan_statement *st)
{
    struct sql_gate none = {0};
    struct sql_gate closed = s->kind == SCHEDULE_HOLD ? gate_of(g, s) : none;
    uint32_t txn = s->txn;
    sql_statement(&g->sql, &g->p->txns.data[txn], st, closed);
    g->under_way[txn] = arena_strdup(&g->r->arena, sb_str(&g->sql.text));
    db_start(&g->db[txn], g->under_way[txn], (int)g->sql.params.len, g->sql.params.data);
}

/* It is answered without waiting for anybody. */
static bool finish(struct stage *g, uint32_t txn, const struct plan_statement *st)
{
    enum state s = await(g, txn);
    if (s == BLOCKED)
        return stage_refused(g, txn, "", "it waits for a row that another transaction has locked");
    return s == ANSWERED && take_answer(g, txn, st);
}

/* It is not answered yet. */
static bool must_wait(struct stage *g, uint32_t txn, const struct plan_statement *st)
{
    enum state s = await(g, txn);
    if (s == ANSWERED)
        return take_answer(g, txn, st) && stage_refused(g, txn, "", "it does not wait");
    return s == BLOCKED;
}

bool stage_statement(struct stage *g, const struct schedule_step *s)
{
    const struct plan_txn *t = &g->p->txns.data[s->txn];
    const struct plan_statement *st = &t->statements.data[s->n];
    const char *text = statement_text(g, t, st);
    bool first = s->kind != SCHEDULE_RESUME && s->kind != SCHEDULE_OPEN;
    if (s->kind == SCHEDULE_WAIT)
        text = arena_printf(&g->r->arena, "%s – waits for the row that T%u has locked", text,
                            s->whom + 1);
    else if (s->kind == SCHEDULE_HOLD)
        text = arena_printf(&g->r->arena, "%s – has its snapshot, is slow to lock", text);
    else if (!first)
        text = arena_printf(&g->r->arena, "goes on: %s", text);
    stage_line(g, s->txn, text);
    if (s->kind == SCHEDULE_HOLD && !move_gate(g, s, "pg_advisory_lock"))
        return false;
    if (s->kind == SCHEDULE_OPEN && !move_gate(g, s, "pg_advisory_unlock"))
        return false;
    if (first)
        issue(g, s, st);
    bool waits = s->kind == SCHEDULE_WAIT || s->kind == SCHEDULE_HOLD;
    return waits ? must_wait(g, s->txn, st) : finish(g, s->txn, st);
}
