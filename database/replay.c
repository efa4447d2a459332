#include "database/replay.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>

#include "base/mem.h"
#include "database/engine.h"
#include "database/replay_internal.h"
#include "database/scratch.h"
#include "database/sql.h"

enum { LOCK_MILLISECONDS = 2000 };

/* ---- levels --------------------------------------------------------------------------------- */

static enum record_isolation level_of(const struct model *m)
{
    switch (m->id) {
    case MODEL_SER:
    case MODEL_PG_SER:
        return RECORD_SERIALIZABLE;
    case MODEL_SI:
    case MODEL_PSI:
    case MODEL_PG_RR:
        return RECORD_REPEATABLE_READ;
    default:
        return RECORD_READ_COMMITTED;
    }
}

void pgreplay_levels(struct replay *r, const struct plan *p, int forced)
{
    bool same = true;
    r->forced = forced >= 0;
    r->level = arena_array(&r->arena, enum record_isolation, p->txns.len + 1);
    for (size_t i = 0; i < p->txns.len; i++) {
        r->level[i] = forced >= 0 ? (enum record_isolation)forced : level_of(p->txns.data[i].level);
        same &= r->level[i] == r->level[0];
    }
    r->level_name =
        same && p->txns.len ? record_isolation_names[r->level[0]] : "each transaction's own level";
}

static bool try_levels(const struct plan *p, enum record_isolation at_most, struct schedule *s,
                       const struct replay *r)
{
    enum record_isolation *level = mem_calloc(p->txns.len + 1, sizeof *level);
    for (size_t i = 0; i < p->txns.len; i++)
        level[i] = r->level[i] < at_most ? r->level[i] : at_most;
    bool found = schedule_find(p, level, s);
    mem_free(level);
    return found;
}

static const char *why_none(struct replay *r, const struct plan *p, bool forced,
                            const struct schedule *s)
{
    const struct model *m = engine_model(forced ? RECORD_READ_COMMITTED : r->level[0]);
    if (s->broken)
        return arena_printf(&r->arena, "the history engine's answer is not certified: %s", s->why);
    if (s->gave_up)
        return "a limit was reached while looking for an order of the statements";
    if (!s->why)
        return "row locks prevent it: in every order of begins and commits that gives each read "
               "what it saw, a statement waits for a row that another transaction holds "
               "(for_update is only a read under the models below psi; whether another execution "
               "breaks the property at this level is not known)";
    const char *text =
        arena_printf(&r->arena,
                     "it is an anomaly (%s) that %s: PostgreSQL commits one transaction after the "
                     "other, and no order of begins and commits gives every read what it saw",
                     s->why,
                     forced ? "not even READ COMMITTED has"
                            : arena_printf(&r->arena, "%s does not have", r->level_name));
    if (forced || !p->model || p->model == m)
        return text;
    return arena_printf(&r->arena,
                        "%s (whether another execution breaks the property there is what `visar "
                        "verify --model %s` answers)",
                        text, m->name);
}

/* Levels of databases have the execution's own order, whatever level the server is then asked
 * for. */
static bool by_statements(struct replay *r, const struct plan *p, struct schedule *s)
{
    for (size_t i = 0; i < p->txns.len; i++)
        if (p->txns.data[i].level->engine == ENGINE_INNODB) {
            r->outcome = REPLAY_NOT_EXPRESSIBLE;
            r->reason =
                arena_printf(&r->arena, "%s is a level of InnoDB", p->txns.data[i].level->name);
            return false;
        }
    if (schedule_statements(p, s))
        return true;
    r->outcome = REPLAY_BROKEN;
    r->reason = s->why;
    return false;
}

bool pgreplay_schedule(struct replay *r, const struct plan *p, bool forced, struct schedule *s)
{
    if (p->by_statements)
        return by_statements(r, p, s);
    for (int level = RECORD_SERIALIZABLE; level >= RECORD_READ_COMMITTED; level--) {
        if (try_levels(p, (enum record_isolation)level, s, r))
            return true;
        if (!forced || s->gave_up || s->broken)
            break;
        if (level > RECORD_READ_COMMITTED)
            schedule_free(s);
    }
    r->outcome = s->broken ? REPLAY_BROKEN : s->gave_up ? REPLAY_UNKNOWN : REPLAY_NOT_EXPRESSIBLE;
    r->reason = why_none(r, p, forced, s);
    return false;
}

/* ---- running -------------------------------------------------------------------------------- */

static int64_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

void stage_line(struct stage *g, uint32_t txn, const char *text)
{
    vec_push(&g->r->statements, ((struct replay_statement){txn, text, false}));
}

/* The server does not go along.  False, for the caller to return. */
bool stage_refused(struct stage *g, uint32_t txn, const char *sqlstate, const char *why)
{
    struct replay *r = g->r;
    r->outcome = REPLAY_REFUSED;
    r->txn = txn;
    r->statement = vec_last(&r->statements).text;
    r->sqlstate = arena_strdup(&r->arena, sqlstate);
    r->reason = arena_strdup(&r->arena, why);
    vec_last(&r->statements).failed = true;
    return false;
}

bool stage_check(struct stage *g, uint32_t txn, enum db_answer a)
{
    const struct db *d = &g->db[txn];
    if (a == DB_OK)
        return true;
    if (a == DB_ERROR)
        return stage_refused(g, txn, d->sqlstate, d->message);
    if (a == DB_STRANGE)
        g->error = arena_strdup(&g->r->arena, d->message);
    stage_refused(g, txn, "", a == DB_LOST ? "the connection is lost" : "interrupted");
    g->r->outcome = REPLAY_UNKNOWN;
    return false;
}

/* "balance = 60, printed = true": what is known. */
const char *stage_cells_text(struct stage *g, const struct plan_cells *cells)
{
    const struct plan_table *t = &g->p->tables.data[g->p->rows.data[cells->row].table];
    struct strbuf b = {0};
    for (size_t c = 0; c < t->columns.len; c++) {
        const char *path = t->columns.data[c].path;
        if (!cells->value[c])
            continue;
        sb_puts(&b, b.len ? ", " : "");
        if (*path)
            sb_printf(&b, "%s = ", *path == '.' ? path + 1 : path);
        sb_puts(&b, cells->value[c]);
    }
    const char *text = arena_strdup(&g->r->arena, sb_str(&b));
    sb_free(&b);
    return text;
}

size_t stage_columns(const struct stage *g, uint32_t row, struct db_column *out)
{
    static const struct db_column columns_of[] = {
        [PLAN_BOOLEAN] = {DB_BOOLEAN, 0, 1},
        [PLAN_BIGINT] = {DB_INTEGER, INT64_MIN, INT64_MAX},
        [PLAN_NUMERIC] = {DB_INTEGER, INT64_MIN, UINT64_MAX},
    };
    const struct plan_table *t = &g->p->tables.data[g->p->rows.data[row].table];
    size_t n = t->columns.len;
    for (size_t c = 0; c < n && out; c++)
        out[c] = columns_of[t->columns.data[c].type];
    if (out)
        out[n] = DB_NATURAL;
    return n + 1;
}

/* One row of the table as sql.h returns it: the columns, then the version. */
static struct db_shape shape_of(struct stage *g, uint32_t row)
{
    size_t n = stage_columns(g, row, NULL);
    struct db_column *columns = arena_array(&g->r->arena, struct db_column, n);
    stage_columns(g, row, columns);
    return (struct db_shape){columns, n, 1, 1};
}

/* A row as the server gave it. */
struct plan_cells stage_cells(struct stage *g, uint32_t row, const struct db_rows *rows,
                              size_t first)
{
    const struct plan_table *t = &g->p->tables.data[g->p->rows.data[row].table];
    struct plan_cells cells = {row, arena_array(&g->r->arena, const char *, t->columns.len + 1)};
    for (size_t c = 0; c < t->columns.len; c++) {
        db_int v = db_cell(rows, 0, first + c);
        cells.value[c] = t->columns.data[c].type != PLAN_BOOLEAN ? db_int_text(v, &g->r->arena)
                         : v                                     ? "true"
                                                                 : "false";
    }
    return cells;
}

/* The statement that g->sql holds; it returns one row. */
static bool ask_row(struct stage *g, uint32_t txn, uint32_t row, struct db_rows *rows)
{
    struct db_shape shape = shape_of(g, row);
    return stage_check(g, txn,
                       db_query(&g->db[txn], sb_str(&g->sql.text), (int)g->sql.params.len,
                                g->sql.params.data, &shape, rows));
}

static bool select_row(struct stage *g, uint32_t txn, uint32_t row, bool lock,
                       struct plan_cells *cells)
{
    struct db_rows rows;
    const char *name = g->p->rows.data[row].name;
    sql_select(&g->sql, row, lock);
    stage_line(g, txn,
               arena_printf(&g->r->arena, "%s %s", lock ? "SELECT … FOR UPDATE" : "SELECT", name));
    if (!ask_row(g, txn, row, &rows))
        return false;
    *cells = stage_cells(g, row, &rows, 0);
    struct seen_op op = {.cells = *cells, .id = (uint64_t)db_cell(&rows, 0, rows.columns - 1)};
    db_rows_free(&rows);
    vec_push(&g->seen[txn].ops, op);
    vec_last(&g->r->statements).text = arena_printf(
        &g->r->arena, "%s → %s", vec_last(&g->r->statements).text, stage_cells_text(g, cells));
    return true;
}

bool stage_as_planned(struct stage *g, uint32_t txn, const struct plan_cells *want,
                      const struct plan_cells *got)
{
    size_t columns = g->p->tables.data[g->p->rows.data[got->row].table].columns.len;
    for (size_t c = 0; c < columns; c++)
        if (want->value[c] && strcmp(want->value[c], got->value[c]) != 0)
            return stage_refused(
                g, txn, "",
                arena_printf(&g->r->arena, "the execution has %s here", stage_cells_text(g, want)));
    return true;
}

static bool run_read(struct stage *g, uint32_t txn, uint32_t n)
{
    const struct plan_read *want = &g->p->txns.data[txn].reads.data[n];
    struct plan_cells got;
    if (!select_row(g, txn, want->cells.row, want->lock, &got))
        return false;
    g->r->seen[txn][n] = got;
    return stage_as_planned(g, txn, &want->cells, &got);
}

static bool run_write(struct stage *g, uint32_t txn, uint32_t n)
{
    const struct plan_txn *t = &g->p->txns.data[txn];
    const struct plan_cells *cells = &t->writes.data[n];
    struct db_rows rows;
    sql_update(&g->sql, cells, t->first_write_id + n);
    stage_line(g, txn,
               arena_printf(&g->r->arena, "UPDATE %s: %s", g->p->rows.data[cells->row].name,
                            stage_cells_text(g, cells)));
    if (!ask_row(g, txn, cells->row, &rows))
        return false;
    struct seen_op op = {
        .cells = stage_cells(g, cells->row, &rows, 0), .id = t->first_write_id + n, .write = true};
    bool mine = db_cell(&rows, 0, rows.columns - 1) == (db_int)op.id;
    db_rows_free(&rows);
    vec_push(&g->seen[txn].ops, op);
    return mine ||
           stage_check(g, txn, db_strange(&g->db[txn], sb_str(&g->sql.text), "another version"));
}

static bool run_end(struct stage *g, uint32_t txn)
{
    struct seen_txn *seen = &g->seen[txn];
    bool commits = g->p->txns.data[txn].end == PLAN_COMMITS;
    const char *sql = commits ? "COMMIT" : "ROLLBACK";
    stage_line(g, txn, sql);
    seen->status = HIST_UNKNOWN;
    seen->times.commit_asked = now();
    enum db_answer a = db_finish(&g->db[txn], sql);
    bool agreed = a == DB_OK && !strcmp(g->db[txn].tag, sql);
    if (a == DB_ERROR || (a == DB_OK && !agreed))
        seen->status = HIST_ABORTED;
    if (!stage_check(g, txn, a))
        return false;
    if (!agreed)
        return stage_refused(g, txn, "", "the transaction was rolled back instead");
    seen->status = HIST_COMMITTED;
    seen->times.commit_answered = now();
    return true;
}

static bool run_begin(struct stage *g, uint32_t txn)
{
    const char *sql = arena_printf(&g->r->arena, "BEGIN ISOLATION LEVEL %s",
                                   record_isolation_names[g->r->level[txn]]);
    stage_line(g, txn, sql);
    g->seen[txn].times = (struct hist_times){now(), HIST_NO_TIME, HIST_NO_TIME, HIST_NO_TIME};
    g->seen[txn].begun = true;
    g->seen[txn].status = HIST_ABORTED; /* until it ends as planned */
    return stage_check(g, txn, db_run(&g->db[txn], sql));
}

static bool run_step(struct stage *g, const struct schedule_step *s)
{
    struct plan_cells ignored;
    switch (s->kind) {
    case SCHEDULE_BEGIN:
        return run_begin(g, s->txn);
    case SCHEDULE_SNAPSHOT:
        return select_row(g, s->txn, s->n, false, &ignored);
    case SCHEDULE_LOCK:
        return select_row(g, s->txn, g->p->txns.data[s->txn].locks.data[s->n], true, &ignored);
    case SCHEDULE_READ:
        return run_read(g, s->txn, s->n);
    case SCHEDULE_WRITE:
        return run_write(g, s->txn, s->n);
    case SCHEDULE_END:
        return run_end(g, s->txn);
    case SCHEDULE_STATEMENT:
    case SCHEDULE_WAIT:
    case SCHEDULE_HOLD:
    case SCHEDULE_RESUME:
    case SCHEDULE_OPEN:
        break;
    }
    return stage_statement(g, s);
}

/* ---- setting up ----------------------------------------------------------------------------- */

static const char *create_tables(struct stage *g, struct db *d)
{
    enum db_answer a = DB_OK;
    for (uint32_t i = 0; i < g->p->tables.len && a == DB_OK; i++) {
        sql_create(&g->sql, i);
        a = db_run(d, sb_str(&g->sql.text));
    }
    for (uint32_t i = 0; i < g->p->rows.len && a == DB_OK; i++) {
        sql_insert(&g->sql, i);
        a = db_query(d, sb_str(&g->sql.text), (int)g->sql.params.len, g->sql.params.data, NULL,
                     NULL);
    }
    return a == DB_OK ? NULL
                      : arena_printf(&g->r->arena, "cannot create the tables: %s", d->message);
}

/* Rows are found by their key, so that SERIALIZABLE knows which ones were read, and no wait for a
 * lock is for ever: it has a limit, or it is part of the schedule. */
static const char *connect_all(struct stage *g, const char *url)
{
    char lock_timeout[48];
    const char *const settings[] = {"SET statement_timeout = 0", lock_timeout,
                                    "SET enable_seqscan = off", "SET jit = off"};
    snprintf(lock_timeout, sizeof lock_timeout, "SET lock_timeout = %d",
             g->p->by_statements ? 0 : LOCK_MILLISECONDS);
    for (size_t i = 0; i < g->p->txns.len; i++) {
        const char *error = db_open(&g->db[i], url, false, &g->r->arena);
        if (!error)
            error =
                db_set_up(&g->db[i], settings, sizeof settings / sizeof *settings, &g->r->arena);
        if (error)
            return error;
    }
    return NULL;
}

static void act(struct stage *g, const struct schedule *s)
{
    g->r->seen = arena_array(&g->r->arena, struct plan_cells *, g->p->txns.len + 1);
    for (size_t i = 0; i < g->p->txns.len; i++)
        g->r->seen[i] =
            arena_array(&g->r->arena, struct plan_cells, g->p->txns.data[i].reads.len + 1);
    g->r->outcome = REPLAY_NOT_EVALUATED;
    for (size_t i = 0; i < s->steps.len; i++)
        if (!run_step(g, &s->steps.data[i]))
            break;
    if (g->r->outcome == REPLAY_REFUSED && g->p->by_statements && !g->r->forced)
        g->r->outcome = REPLAY_NOT_REPRODUCED;
    g->r->history = pgreplay_history(g);
}

static const char *on_stage(struct stage *g, const struct schedule *s, const char *url,
                            struct db *d, struct scratch *scratch)
{
    const char *schema = arena_printf(&g->r->arena, "\"%s\"", scratch->name);
    sql_init(&g->sql, g->p, schema, SQL_PARAMETERS);
    const char *error = create_tables(g, d);
    if (!error)
        error = connect_all(g, url);
    if (!error && g->p->by_statements)
        error = stage_monitor(g, d);
    if (!error) {
        act(g, s);
        error = g->error;
    }
    stage_monitor_end(g);
    for (size_t i = 0; i < g->p->txns.len; i++) {
        db_close(&g->db[i]);
        vec_free(&g->seen[i].ops);
    }
    sql_free(&g->sql);
    return error;
}

const char *pgreplay_run(struct replay *r, const struct plan *p, const struct schedule *s,
                         const char *url)
{
    struct db d;
    struct scratch scratch;
    struct stage g = {.r = r, .p = p};
    const char *error = scratch_open(&d, url, false, &r->arena);
    if (error)
        return error;
    r->version = db_version(&d, &r->arena);
    error = scratch_create(&scratch, &d, url, &r->arena);
    if (!error) {
        g.db = mem_calloc(p->txns.len + 1, sizeof *g.db);
        g.seen = mem_calloc(p->txns.len + 1, sizeof *g.seen);
        error = on_stage(&g, s, url, &d, &scratch);
        const char *left = scratch_drop(&scratch, &r->arena);
        error = error ? error : left;
        mem_free(g.db);
        mem_free(g.seen);
    }
    db_close(&d);
    return error;
}

void pgreplay_free(struct replay *r)
{
    vec_free(&r->statements);
    hist_free(r->history);
    arena_free(&r->arena);
}
