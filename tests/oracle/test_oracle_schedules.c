/* Self test of the oracle at the levels of databases against a small database.
 *
 * The database runs the transactions of a program concurrently: it takes snapshots of what is
 * committed, locks rows until the end of the transaction, lets others wait, keeps a version of each
 * row that a transaction changed, and raises the error of REPEATABLE READ.  It knows nothing of the
 * axioms.  Over all schedules of a program it must reach the final states that the axioms allow, no
 * more and no fewer; where there are too many schedules, no more.
 *
 * A client makes one operation after the other: a SELECT (all that a statement reads), an UPDATE, a
 * lock, the end.  An UPDATE that reads has a snapshot as well, and may be slow behind it.  To go
 * on, its transaction is run again from the start with what the earlier operations saw. */
#include <stdlib.h>
#include <string.h>
#include "tests/oracle/check.h"
#include "tests/oracle/prog_machine.h"

enum { OPS = 64, SCHEDULES = 10000 };

struct client {
    struct orc_picks params; /* the values of its parameters */
    int done;                /* operations */
    int base[OPS];           /* by operation: the commits that its snapshot contains, or its row */
    int snapshot;            /* REPEATABLE READ: of all; -1: not taken yet */
    uint32_t locks, shares;  /* rows */
    bool ended;
    /* since its transaction was last run: */
    uint32_t versions; /* the rows of which it has a version … */
    int value[ORC_CELLS];
};

static struct database {
    struct orc_machine m;
    struct orc_picks schedule;
    struct client clients[ORC_TXNS], *now;
    int n, commits;
    int state[ORC_TXNS + 1][ORC_CELLS];
    int written[ORC_CELLS]; /* by row: the last commit that wrote it; 0: none */
    bool failed;            /* an assertion */
    /* this run of a transaction */
    int op;
    bool moved, stopped, waits;
    int at_hand; /* of an UPDATE: the first cell of its row; -1: none */
    int row[ORC_FIELDS];
} db;

static enum orc_server level(void)
{
    return db.m.run->server[db.m.t];
}

/* The next operation of this run, or -1: it stops here. */
static int next_operation(void)
{
    if (db.op == db.now->done && !db.moved) {
        db.moved = true;
        return db.op++;
    }
    if (db.op < db.now->done)
        return db.op++;
    db.stopped = true;
    db.m.state = ORC_IMPOSSIBLE;
    return -1;
}

static bool is_new(int op)
{
    return op == db.now->done;
}

static void begin(struct orc_machine *m, int stmt, int also)
{
    (void)m;
    (void)stmt;
    (void)also;
}

static bool is_innodb(void)
{
    return level() == ORC_MY_RC || level() == ORC_MY_RR;
}

/* False: it waits, or it gets an error. */
static bool get_row(int row, bool share)
{
    for (int i = 0; i < db.n; i++)
        db.waits |= &db.clients[i] != db.now &&
                    orc_has(db.clients[i].locks | (share ? 0 : db.clients[i].shares), row);
    if (db.waits || (level() == ORC_PG_RR && db.written[row] > db.now->snapshot)) {
        db.m.state = ORC_IMPOSSIBLE;
        return false;
    }
    if (share)
        db.now->shares |= 1u << row;
    else
        db.now->locks |= 1u << row;
    return true;
}

/* A snapshot for the statement; false: it stops here. */
static bool take_snapshot(struct orc_machine *m)
{
    struct client *c = db.now;
    if (m->stmt_chosen)
        return true;
    int op = next_operation();
    if (op < 0)
        return false;
    if (is_new(op) && level() == ORC_MY_RR && c->snapshot < 0)
        c->snapshot = db.commits;
    if (is_new(op))
        c->base[op] = level() == ORC_PG_RR || level() == ORC_MY_RR ? c->snapshot : db.commits;
    m->v = (uint32_t)c->base[op];
    m->stmt_chosen = true;
    return true;
}

/* The row as it is, or was when this operation was made, and locked; false: it stops here. */
static bool read_locked(struct orc_machine *m, int cell, int n, bool share, int *out)
{
    struct client *c = db.now;
    int op = next_operation(), row = m->unit[cell];
    if (op < 0 || (is_new(op) && !get_row(row, share)))
        return false;
    if (is_new(op))
        c->base[op] = db.commits;
    for (int i = cell; i < cell + n; i++)
        out[i - cell] = orc_has(c->versions, row) ? c->value[i] : db.state[c->base[op]][i];
    return true;
}

static void read_cells(struct orc_machine *m, int cell, int n, int *out)
{
    struct client *c = db.now;
    memset(out, 0, (size_t)n * sizeof *out);
    if (db.at_hand >= 0 && m->unit[cell] == m->unit[db.at_hand]) {
        memcpy(out, &db.row[cell - db.at_hand], (size_t)n * sizeof *out);
        return;
    }
    if (db.at_hand >= 0 && is_innodb()) {
        read_locked(m, cell, n, true, out);
        return;
    }
    if (!take_snapshot(m))
        return;
    for (int i = cell; i < cell + n; i++)
        out[i - cell] = orc_has(c->versions, m->unit[i]) ? c->value[i] : db.state[m->v][i];
}

static void lock_row(struct orc_machine *m, int cell, bool share)
{
    int op = next_operation();
    if (op >= 0 && is_new(op))
        get_row(m->unit[cell], share);
}

/* A version of its own of the row with these values in these cells. */
static void change_row(struct orc_machine *m, int cell, int n, const int *values)
{
    struct client *c = db.now;
    int row = m->unit[cell];
    if (!orc_has(c->versions, row)) {
        const int *newest = db.state[db.commits]; /* nobody else writes it before this one ends */
        if (is_innodb() && !memcmp(&newest[cell], values, (size_t)n * sizeof *values))
            return;
        for (int i = 0; i < m->p->n_cells; i++)
            if (m->unit[i] == row)
                c->value[i] = newest[i];
        c->versions |= 1u << row;
    }
    memcpy(&c->value[cell], values, (size_t)n * sizeof *values);
}

static void write_cells(struct orc_machine *m, int cell, int n, const int *values)
{
    if (db.at_hand >= 0) {
        memcpy(&db.row[cell - db.at_hand], values, (size_t)n * sizeof *values);
        return;
    }
    int op = next_operation();
    if (op >= 0 && (!is_new(op) || get_row(m->unit[cell], false)))
        change_row(m, cell, n, values);
}

static bool matches(struct orc_machine *m, const struct orc_stmt *s)
{
    return s->e < 0 || orc_machine_eval(m, s->e);
}

static void update_row(struct orc_machine *m, const struct orc_stmt *s, int cell)
{
    struct client *c = db.now;
    uint32_t locks = c->locks;
    int n = m->p->tables[s->table].fields;
    if (!is_innodb() && !take_snapshot(m))
        return;
    if (!is_innodb() && !matches(m, s)) {
        orc_machine_run(m, s->no);
        return;
    }
    if (!read_locked(m, cell, n, false, db.row))
        return;
    db.at_hand = cell;
    if (matches(m, s)) {
        orc_machine_run(m, s->yes);
        db.at_hand = -1;
        if (m->state == ORC_RUNNING)
            change_row(m, cell, n, db.row);
        return;
    }
    db.at_hand = -1;
    if (level() == ORC_MY_RC && m->state == ORC_RUNNING && db.op == c->done + 1)
        c->locks = locks; /* not a row that it changes: it gives the lock back */
    orc_machine_run(m, s->no);
}

static const struct orc_store store = {begin, read_cells, write_cells, lock_row, update_row};

static void end(struct client *c)
{
    c->ended = true;
    c->locks = c->shares = 0;
    db.failed |= db.m.failed;
    if (db.m.state == ORC_ROLLED_BACK || !c->versions)
        return;
    db.commits++;
    memcpy(db.state[db.commits], db.state[db.commits - 1], sizeof *db.state);
    for (int i = 0; i < db.m.p->n_cells; i++)
        if (orc_has(c->versions, db.m.unit[i])) {
            db.state[db.commits][i] = c->value[i];
            db.written[db.m.unit[i]] = db.commits;
        }
}

/* Client t makes an operation; false: this schedule is none. */
static bool step(int t)
{
    struct client *c = db.now = &db.clients[t];
    if (db.m.run->server[t] == ORC_PG_RR && c->snapshot < 0) { /* and may be slow from then on */
        c->snapshot = db.commits;
        return true;
    }
    db.op = 0;
    db.moved = db.stopped = db.waits = false;
    db.at_hand = -1;
    c->versions = 0;
    orc_machine_clear(&db.m, t);
    db.m.picks = c->params;
    db.m.picks.pos = 0;
    bool ran = orc_machine_call(&db.m, t);
    if (!ran && !db.stopped)
        return false;
    if (db.moved)
        c->done++;
    else
        end(c);
    return c->done < OPS;
}

/* Which of them can be next?  Those of a session one after the other. */
static int find_ready(int ready[ORC_TXNS])
{
    int n = 0;
    for (int t = 0; t < db.n; t++) {
        bool is = !db.clients[t].ended;
        for (int u = 0; u < db.n; u++)
            is &= !orc_has(db.m.orders.see[t], u) || db.clients[u].ended;
        if (is)
            ready[n++] = t;
    }
    return n;
}

static void choose_params(const struct orc_prog *p)
{
    for (int t = 0; t < db.n; t++)
        for (int i = 0; i < p->txns[t].n_params; i++)
            if (!p->txns[t].shared[i]) {
                struct orc_picks *k = &db.clients[t].params;
                k->limit[k->n] = p->txns[t].n_choices[i];
                k->digit[k->n++] = orc_pick(&db.schedule, p->txns[t].n_choices[i]);
            }
}

/* One schedule; false: somebody waits for ever, or gets an error, or an assumption is false. */
static bool run_schedule(const struct orc_prog *p)
{
    int ready[ORC_TXNS], n;
    memset(db.clients, 0, sizeof db.clients);
    memset(db.written, 0, sizeof db.written);
    db.commits = 0;
    db.failed = false;
    memcpy(db.state[0], p->init, sizeof p->init);
    for (int t = 0; t < db.n; t++)
        db.clients[t].snapshot = -1;
    db.m.picks = db.schedule;
    orc_machine_choose_shared(&db.m);
    db.schedule = db.m.picks;
    choose_params(p);
    while ((n = find_ready(ready)) > 0)
        if (!step(ready[orc_pick(&db.schedule, n)]))
            return false;
    return true;
}

struct tally {
    long programs, schedules, complete, states;
};

/* All schedules, or the first of them; false if the oracle does not agree. */
static bool agrees(const struct orc_prog *p, const struct orc_run *run, struct tally *t)
{
    struct orc_outcome truth = orc_prog_axioms(p, run);
    bool *seen = calloc((size_t)truth.n_finals + 1, sizeof *seen);
    bool ok = true, failed = false, more = true;
    if (!seen)
        abort();
    orc_machine_init(&db.m, p, run);
    orc_machine_find_orders(&db.m);
    db.m.store = &store;
    db.n = p->n_txns;
    memset(&db.schedule, 0, sizeof db.schedule);
    for (int i = 0; i < SCHEDULES && more && ok; i++) {
        if (run_schedule(p)) {
            int at = 0;
            while (at < truth.n_finals &&
                   memcmp(truth.finals[at], db.state[db.commits], sizeof *truth.finals))
                at++;
            ok = at < truth.n_finals && truth.assert_failed >= db.failed;
            seen[at] = true;
            failed |= db.failed;
        }
        t->schedules++;
        more = orc_picks_advance(&db.schedule);
    }
    t->programs++;
    t->complete += !more;
    t->states += truth.n_finals;
    for (int i = 0; i < truth.n_finals && !more; i++)
        ok &= seen[i];
    ok &= more || failed == truth.assert_failed;
    free(seen);
    free(truth.finals);
    return ok;
}

static const struct orc_prog_params shapes[] = {
    {.txns = 2, .stmts = 4, .wide = true, .for_update = true, .asserts = true, .servers = true},
    {.txns = 2, .stmts = 3, .params = true, .arrays = true, .locks = true, .servers = true},
    {.txns = 3, .stmts = 2, .wide = true, .locks = true, .servers = true},
    {.txns = 3, .stmts = 2, .structs = true, .sessions = 2, .asserts = true, .servers = true},
    {.txns = 2, .stmts = 3, .wide = true, .locks = true, .rollbacks = true, .servers = true},
    {.txns = 3,
     .stmts = 2,
     .for_update = true,
     .rollbacks = true,
     .asserts = true,
     .repeats = true},
};
/* … with ATOMIC and for_share. */
static const struct orc_prog_params atomic_shapes[] = {
    {.txns = 2, .stmts = 3, .wide = true, .locks = true, .servers = true, .atomic = true},
    {.txns = 2, .stmts = 2, .params = true, .arrays = true, .servers = true, .atomic = true},
    {.txns = 3, .stmts = 1, .arrays = true, .servers = true, .atomic = true},
    {.txns = 3, .stmts = 2, .sessions = 2, .locks = true, .servers = true, .atomic = true},
    {.txns = 2, .stmts = 3, .arrays = true, .rollbacks = true, .servers = true, .atomic = true},
    {.txns = 3, .stmts = 1, .structs = true, .locks = true, .servers = true, .atomic = true},
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

/* Each level, and two that are mixed. */
static struct orc_run run_of(int which, uint64_t seed, bool session)
{
    static const enum orc_server levels[] = {ORC_PG_RC, ORC_PG_RR, ORC_MY_RC,
                                             ORC_MY_RR, ORC_PG_RC, ORC_MY_RC};
    struct orc_run run = orc_run_server(levels[which], session);
    for (int t = 0; t < ORC_TXNS && which > 3; t++)
        if (seed >> t & 1)
            run.server[t] = levels[which - 3];
    run.all = true;
    return run;
}

static const char *const names[] = {"PostgreSQL READ COMMITTED",      "PostgreSQL REPEATABLE READ",
                                    "InnoDB READ COMMITTED",          "InnoDB REPEATABLE READ",
                                    "PostgreSQL, both levels",        "InnoDB, both levels",
                                    "… with single-statement updates"};

/* Random programs at the level or levels; false if the oracle disagrees about one of them. */
static bool test_level(int which, const struct orc_prog_params *of, uint64_t from, uint64_t count)
{
    static struct orc_prog p;
    struct tally t = {0};
    bool ok = true;
    for (uint64_t seed = from + (uint64_t)which; seed < from + count && ok; seed += 5) {
        struct orc_rng r = orc_rng(seed);
        orc_prog_random(&r, &of[seed % SHAPES], &p);
        struct orc_run run = run_of(which, (uint64_t)orc_below(&r, 16), seed % 4 != 0);
        if (p.reads_elsewhere && (run.server[0] == ORC_MY_RC || which == 5))
            continue;
        ok = agrees(&p, &run, &t);
        if (!ok) {
            printf("# seed %lu\n", (unsigned long)seed);
            orc_prog_print(stdout, &p, "INVARIANT");
        }
    }
    printf("# %ld programs, %ld with all schedules, %ld schedules, %ld final states\n", t.programs,
           t.complete, t.schedules, t.states);
    return ok;
}

int main(int argc, char **argv)
{
    struct checks c = {0};
    uint64_t count = argc > 1 ? strtoull(argv[1], NULL, 10) : 300;
    uint64_t from = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    for (int which = 0; which < 6; which++) {
        check(&c, test_level(which, shapes, from, count), names[which]);
        check(&c, test_level(which, atomic_shapes, from, count), names[6]);
    }
    return checks_done(&c);
}
