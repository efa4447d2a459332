/* Programs, straight from the axioms: every execution that the model allows is run.
 *
 * An execution is built in ar order.  All freedom (who is next in ar, what it sees, the values of
 * its parameters) goes through pick(), and the execution is run again from the start for every
 * sequence of picks: an odometer over choices.  A transaction only sees earlier ones, whose writes
 * are known by then, so running it is plain interpretation.
 *
 * Where the definitions leave room, this file decides: a rolled-back transaction is one without
 * writes and locks (its snapshot obeys the model, its session goes on after it).  An execution in
 * which an index is out of bounds counts for that alone. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include "tests/oracle/axioms.h"

enum { PICKS = 512 };

/* The odometer. */
struct picks {
    int n, pos;
    int digit[PICKS], limit[PICKS];
};

enum state { RUNNING, RETURNED, ROLLED_BACK, IMPOSSIBLE };

struct machine {
    const struct orc_prog *p;
    const struct orc_run *run;
    struct orc_rules rules;
    struct orc_orders orders;
    bool mixed;
    int n_txns; /* with the observer */
    struct picks picks;
    /* this execution */
    struct orc_exec x;
    int value[ORC_TXNS][ORC_CELLS]; /* what each placed transaction wrote */
    bool assert_failed, observed_bad, out_of_bounds;
    bool divided;
    int shared; /* the scenario's value */
    int result[ORC_TXNS];
    uint32_t made; /* calls */
    /* this transaction */
    int t;
    enum state state;
    uint32_t v;                     /* its visible set so far */
    bool stmt_chosen;               /* RCS: this statement has its prefix */
    uint32_t written, locked, seen; /* rows; seen: read from outside, with the values in `last` */
    bool failed;                    /* one of its assertions */
    int own[ORC_CELLS], last[ORC_CELLS], local[ORC_FIELDS];
    int regs[ORC_REGS], params[ORC_PARAMS];
};

/* ---- choices ---- */

static int pick(struct picks *k, int n)
{
    if (n <= 0 || k->pos >= PICKS)
        abort();
    if (k->pos == k->n) {
        k->digit[k->n] = 0;
        k->limit[k->n++] = n;
    }
    return k->digit[k->pos++];
}

/* The next sequence; false when there is none. */
static bool advance(struct picks *k)
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

static enum orc_level level(const struct machine *m)
{
    return m->rules.level[m->t];
}

static const struct orc_table *table_of(const struct orc_prog *p, int cell)
{
    int t = 0;
    while (t + 1 < p->n_tables && p->tables[t + 1].base <= cell)
        t++;
    return &p->tables[t];
}

/* The unit of versions and conflicts that the cell belongs to: its row, named by its first cell; or
 * the cell itself. */
static int unit(const struct machine *m, int cell)
{
    const struct orc_table *t = table_of(m->p, cell);
    return m->run->by_field ? cell : cell - (cell - t->base) % t->fields;
}

/* RC: the visible set grows to the one before, or to that and one writer of the row which then is
 * the ar-largest there.  (A larger set only constrains what comes after.) */
static void grow_read(struct machine *m, int row)
{
    uint32_t grown[ORC_TXNS + 1];
    int n = 0;
    grown[n++] = m->v;
    for (int i = 0; i < m->x.n_placed; i++) {
        int w = m->x.at[i];
        if (!orc_has(m->v, w) && orc_ext_writer(&m->x, m->v | 1u << w, row) == w)
            grown[n++] = m->v | 1u << w;
    }
    m->v = grown[pick(&m->picks, n)];
}

/* Any set that the model allows and that contains the set so far. */
static bool grow_any(struct machine *m)
{
    uint32_t grown[1 << ORC_TXNS];
    int n = 0;
    for (uint32_t w = 0; w < 1u << m->n_txns; w++)
        if (orc_subset(m->v, w) && orc_may_see(&m->x, &m->rules, &m->orders, m->mixed, m->t, w))
            grown[n++] = w;
    if (n == 0)
        return false;
    m->v = grown[pick(&m->picks, n)];
    return true;
}

/* An external read of the row: `last` then has all its fields. */
static void read_row(struct machine *m, int row)
{
    m->x.reads[m->t] |= 1u << row;
    if (level(m) == ORC_RC)
        grow_read(m, row);
    if (level(m) == ORC_RCS && !m->stmt_chosen)
        m->stmt_chosen = grow_any(m);
    int writer = orc_ext_writer(&m->x, m->v, row); /* EXT */
    for (int c = 0; c < m->p->n_cells; c++)
        if (unit(m, c) == row)
            m->last[c] = writer < 0 ? m->p->init[c] : m->value[writer][c];
    m->seen |= 1u << row;
}

/* n cells from this one on, all of one row of a table: one read, or one of every field. */
static void read_cells(struct machine *m, int cell, int n, int *out)
{
    for (int c = cell; c < cell + n; c++) {
        int row = unit(m, c);
        bool own = orc_has(m->written, row); /* INT */
        if (!own && (c == cell || unit(m, c - 1) != row))
            read_row(m, row);
        out[c - cell] = own ? m->own[c] : m->last[c];
    }
}

static int read_cell(struct machine *m, int cell)
{
    int value = 0;
    read_cells(m, cell, 1, &value);
    return value;
}

/* A row is written whole, the other fields as last read. */
static void write_cells(struct machine *m, int cell, int n, const int *values)
{
    for (int c = cell; c < cell + n; c++) {
        int row = unit(m, c);
        bool whole = true;
        for (int other = 0; other < m->p->n_cells; other++)
            whole &= unit(m, other) != row || (other >= cell && other < cell + n);
        if (!orc_has(m->written, row) && !whole) {
            if (!orc_has(m->seen, row))
                read_row(m, row);
            for (int other = 0; other < m->p->n_cells; other++)
                if (unit(m, other) == row)
                    m->own[other] = m->last[other];
        }
        m->own[c] = values[c - cell];
        m->written |= 1u << row;
    }
}

/* ---- running ---- */

static long eval(struct machine *m, int e);

/* The cell, or -1 if the index is out of bounds: then the transaction has no effect. */
static int locate(struct machine *m, int table, int index, int field)
{
    const struct orc_table *t = &m->p->tables[table];
    long i = eval(m, index);
    if (m->state != RUNNING)
        return -1;
    if (i < 0 || i >= t->rows) {
        m->out_of_bounds = true;
        m->state = ROLLED_BACK; /* the others go on, for their own bounds' sake */
        return -1;
    }
    return t->base + (int)i * t->fields + field;
}

static long arithmetic(struct machine *m, enum orc_expr_kind kind, long a, long b)
{
    long r = kind == ORC_ADD ? a + b : kind == ORC_SUB ? a - b : kind == ORC_XOR ? a ^ b : a * b;
    if (r < INT_MIN || r > INT_MAX) { /* signed overflow rolls back */
        m->state = ROLLED_BACK;
        return 0;
    }
    return r;
}

static long eval_binary(struct machine *m, const struct orc_expr *e)
{
    long a = eval(m, e->a), b;
    if (e->kind == ORC_AND && !a)
        return 0;
    if (e->kind == ORC_OR && a)
        return 1;
    b = eval(m, e->b);
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

static long eval(struct machine *m, int number)
{
    const struct orc_expr *e = &m->p->exprs[number];
    int cell;
    if (m->state != RUNNING)
        return 0;
    switch (e->kind) {
    case ORC_CONST:
        return e->a;
    case ORC_REG:
        return m->regs[e->a];
    case ORC_PARAM:
        return m->params[e->a];
    case ORC_CELL:
        cell = locate(m, e->a, e->b, e->c);
        return cell < 0 ? 0 : read_cell(m, cell);
    case ORC_LOCAL:
        return m->local[e->a];
    case ORC_NOT:
        return !eval(m, e->a);
    case ORC_COND:
        return eval(m, e->a) ? eval(m, e->b) : eval(m, e->c);
    default:
        return eval_binary(m, e);
    }
}

static void run_assert(struct machine *m, long holds)
{
    if (m->state == RUNNING && !holds)
        m->failed = true;
}

static void run_assume(struct machine *m, long holds)
{
    if (m->state == RUNNING && !holds)
        m->state = IMPOSSIBLE;
}

static void run_update(struct machine *m, const struct orc_stmt *s)
{
    int cell = locate(m, s->table, s->index, 0), ignored[ORC_FIELDS];
    if (cell < 0)
        return;
    int n = m->p->tables[s->table].fields;
    read_cells(m, cell, n, ignored);
    for (int c = cell; c < cell + n; c++)
        m->locked |= 1u << unit(m, c);
}

static void run_write(struct machine *m, const struct orc_stmt *s)
{
    int value = (int)eval(m, s->e);
    int cell = locate(m, s->table, s->index, s->field);
    if (cell >= 0)
        write_cells(m, cell, 1, &value);
}

static void run_compound(struct machine *m, const struct orc_stmt *s)
{
    int cell = locate(m, s->table, s->index, s->field);
    long old = cell < 0 ? 0 : read_cell(m, cell), e = eval(m, s->e);
    if (m->state != RUNNING)
        return;
    int value = (int)arithmetic(m, s->op, old, e);
    if (m->state == RUNNING)
        write_cells(m, cell, 1, &value);
}

/* Copies of structs: from a row to the local one, back, or from row to row. */
static void run_copy(struct machine *m, const struct orc_stmt *s)
{
    int n = m->p->tables[s->table].fields, row[ORC_FIELDS];
    int cell = locate(m, s->table, s->index, 0), *values = m->local;
    if (s->kind == ORC_COPY) {
        int from = cell < 0 ? -1 : locate(m, s->table, s->from, 0);
        values = row;
        if (from >= 0)
            read_cells(m, from, n, row);
    }
    if (m->state != RUNNING)
        return;
    if (s->kind == ORC_TAKE)
        read_cells(m, cell, n, m->local);
    else
        write_cells(m, cell, n, values);
}

static void run_list(struct machine *m, int s)
{
    for (; s >= 0 && m->state == RUNNING; s = m->p->stmts[s].next) {
        const struct orc_stmt *stmt = &m->p->stmts[s];
        m->stmt_chosen = false;
        switch (stmt->kind) {
        case ORC_SET:
            m->regs[stmt->reg] = (int)eval(m, stmt->e);
            break;
        case ORC_WRITE:
            run_write(m, stmt);
            break;
        case ORC_IF:
            run_list(m, eval(m, stmt->e) ? stmt->yes : stmt->no);
            break;
        case ORC_ROLLBACK:
            m->state = ROLLED_BACK;
            break;
        case ORC_RETURN:
            m->state = RETURNED;
            break;
        case ORC_ASSUME:
            run_assume(m, eval(m, stmt->e));
            break;
        case ORC_ASSERT:
            run_assert(m, eval(m, stmt->e));
            break;
        case ORC_FOR_UPDATE:
            run_update(m, stmt);
            break;
        case ORC_COMPOUND:
            run_compound(m, stmt);
            break;
        case ORC_TAKE:
        case ORC_PUT:
        case ORC_COPY:
            run_copy(m, stmt);
            break;
        }
    }
}

/* The set that a transaction starts with: a choice, or for RC and RCS the least allowed. */
static bool start_set(struct machine *m)
{
    uint32_t least = m->x.placed;
    m->v = 0;
    if (level(m) != ORC_RC && level(m) != ORC_RCS)
        return grow_any(m);
    if (!orc_subset(m->orders.see[m->t], m->x.placed))
        return false;
    for (uint32_t w = 0; w < 1u << m->n_txns; w++) /* prefixes are nested; RC: the empty set */
        if (orc_subset(w, least) && orc_may_see(&m->x, &m->rules, &m->orders, m->mixed, m->t, w))
            least = w;
    m->v = least;
    return true;
}

/* Its values; false if the one that the scenario passes is not among them. */
static bool choose_params(struct machine *m, const struct orc_ptxn *t)
{
    for (int i = 0; i < t->n_params; i++) {
        int from = t->glue.arg[i], passed = m->shared;
        if (from)
            passed = m->result[from - 1] + t->glue.arg_add[i];
        bool may = !t->shared[i] && !from;
        for (int k = 0; k < t->n_choices[i]; k++)
            may |= t->choices[i][k] == passed;
        if (!may)
            return false;
        m->params[i] =
            t->shared[i] || from ? passed : t->choices[i][pick(&m->picks, t->n_choices[i])];
    }
    return true;
}

/* Its guard decides, unless the scenario may have ended before. */
static bool is_made(struct machine *m, int t)
{
    return !m->p->results || (orc_call_wanted(m->p, t, m->result) &&
                              (!orc_calls_may_stop(m->p, t) || pick(&m->picks, 2)));
}

static void run_body(struct machine *m, const struct orc_ptxn *t)
{
    run_list(m, t->body);
    m->stmt_chosen = false;
    if (t->returns)
        m->result[m->t] = (int)eval(m, t->returned);
    if (m->p->results && m->state == ROLLED_BACK)
        abort(); /* its result could be anything */
}

/* Runs transaction t, next in ar; false if there is no such execution. */
static bool run_txn(struct machine *m, int t)
{
    bool observer = t == m->p->n_txns;
    m->t = t;
    m->state = RUNNING;
    m->written = m->locked = m->seen = 0;
    m->failed = m->stmt_chosen = false;
    memset(m->regs, 0, sizeof m->regs);
    memset(m->local, 0, sizeof m->local);
    if (!start_set(m))
        return false;
    bool made = !observer && is_made(m, t);
    m->result[t] = 0;
    m->made |= made ? 1u << t : 0;
    if (made && !choose_params(m, &m->p->txns[t]))
        return false;
    if (observer)
        run_assert(m, eval(m, m->p->invariant));
    else if (made)
        run_body(m, &m->p->txns[t]);
    if (m->state == IMPOSSIBLE)
        return false;
    if (m->state == ROLLED_BACK)
        m->written = m->locked = 0;
    m->observed_bad |= observer && m->failed;
    m->assert_failed |= !observer && m->failed;
    m->x.writes[t] = m->written;
    m->x.touches[t] = m->written | m->locked;
    memcpy(m->value[t], m->own, sizeof m->own);
    if (!orc_no_conflict(&m->x, level(m), t, m->v))
        return false;
    orc_place(&m->x, t, m->v);
    return true;
}

/* ---- executions ---- */

/* The scenario's own value: any that somebody takes. */
static void choose_shared(struct machine *m)
{
    int all[ORC_TXNS * ORC_PARAMS * ORC_CHOICES], n = 0;
    for (int t = 0; t < m->p->n_txns; t++)
        for (int i = 0; i < m->p->txns[t].n_params; i++)
            for (int k = 0; m->p->txns[t].shared[i] && k < m->p->txns[t].n_choices[i]; k++) {
                int value = m->p->txns[t].choices[i][k], j = 0;
                while (j < n && all[j] != value)
                    j++;
                all[j] = value;
                n += j == n;
            }
    if (n)
        m->shared = all[pick(&m->picks, n)];
}

/* The scenario's own part; false if there is no such execution. */
static bool finish_scenario(struct machine *m)
{
    if (!m->p->results)
        return true;
    enum orc_calls_end end = orc_calls_judge(m->p, m->rules.session, m->result, m->made);
    m->assert_failed |= end == ORC_CALLS_ASSERT_FAILED;
    m->divided = end == ORC_CALLS_CHECK_FAILED;
    return end != ORC_CALLS_IMPOSSIBLE;
}

static bool run_execution(struct machine *m)
{
    uint32_t ser = 0;
    m->made = 0;
    memset(&m->x, 0, sizeof m->x);
    m->assert_failed = m->observed_bad = m->out_of_bounds = m->divided = false;
    choose_shared(m);
    for (int i = 0; i < m->n_txns; i++) {
        int next[ORC_TXNS], n = 0;
        for (int t = 0; t < m->n_txns; t++)
            if (!orc_has(m->x.placed, t) && orc_subset(m->orders.ar_before[t], m->x.placed))
                next[n++] = t;
        if (!run_txn(m, next[pick(&m->picks, n)]))
            return false;
    }
    for (int t = 0; t < m->n_txns; t++)
        if (m->rules.level[t] == ORC_SER)
            ser |= 1u << t;
    if (!finish_scenario(m))
        return false;
    return !m->mixed || orc_ser_acyclic(&m->x, &m->orders, ser);
}

/* The final state: for each row the ar-largest writer, else the initial value. */
static void final_state(const struct machine *m, int state[ORC_CELLS])
{
    memset(state, 0, ORC_CELLS * sizeof *state);
    for (int c = 0; c < m->p->n_cells; c++) {
        int writer = orc_ext_writer(&m->x, m->x.placed, unit(m, c));
        state[c] = writer < 0 ? m->p->init[c] : m->value[writer][c];
    }
}

/* The invariant on a state: a machine whose transaction owns every row. */
static bool invariant_holds(const struct machine *m, const int state[ORC_CELLS])
{
    struct machine eye = *m;
    eye.t = 0;
    eye.state = RUNNING;
    eye.written = ~0u;
    memcpy(eye.own, state, sizeof eye.own);
    return m->p->invariant < 0 || eval(&eye, m->p->invariant);
}

/* Keeps the list sorted and without repetition. */
static void remember(struct orc_outcome *out, const int state[ORC_CELLS])
{
    size_t size = sizeof *out->finals;
    int i = 0;
    while (i < out->n_finals && memcmp(out->finals[i], state, size) < 0)
        i++;
    if (i < out->n_finals && memcmp(out->finals[i], state, size) == 0)
        return;
    int(*grown)[ORC_CELLS] = realloc(out->finals, size * (size_t)(out->n_finals + 1));
    if (!grown)
        abort();
    out->finals = grown;
    memmove(grown + i + 1, grown + i, size * (size_t)(out->n_finals - i));
    memcpy(grown[i], state, size);
    out->n_finals++;
}

static int count_writes(const struct machine *m)
{
    int n = 0;
    for (int t = 0; t < m->p->n_txns; t++)
        for (uint32_t rows = m->x.writes[t]; rows; rows &= rows - 1)
            n++;
    return n;
}

static void record(const struct machine *m, struct orc_outcome *out)
{
    int state[ORC_CELLS];
    final_state(m, state);
    out->exists = true;
    out->out_of_bounds |= m->out_of_bounds;
    out->divided |= m->divided;
    if (m->out_of_bounds || m->divided)
        return;
    out->executions++;
    out->assert_failed |= m->assert_failed;
    bool bad = m->run->observe_snapshots                 ? m->observed_bad
               : m->run->all || !out->invariant_violated ? !invariant_holds(m, state)
                                                         : false;
    int writes = count_writes(m);
    if (bad && (out->fewest_writes < 0 || writes < out->fewest_writes))
        out->fewest_writes = writes;
    out->invariant_violated |= bad;
    remember(out, state);
}

static bool has_asserts(const struct orc_prog *p)
{
    for (int s = 0; s < p->n_stmts; s++)
        if (p->stmts[s].kind == ORC_ASSERT)
            return true;
    return p->assert_first;
}

static bool has_divisions(const struct orc_prog *p)
{
    for (int t = 0; t < p->n_txns; t++)
        if (p->txns[t].glue.divide)
            return true;
    return false;
}

static void find_orders(struct machine *m)
{
    if (m->p->results) { /* among SER transactions a result is a dependency, as a session is */
        orc_calls_after(m->p, m->rules.session, m->orders.ar_before);
        memcpy(m->orders.dep, m->orders.ar_before, sizeof m->orders.dep);
    }
    for (int a = 0; a < m->p->n_txns; a++)
        for (int b = a + 1; b < m->p->n_txns; b++)
            if (m->rules.session && m->p->txns[a].session == m->p->txns[b].session)
                orc_orders_add(&m->orders, &m->rules, a, b);
}

struct orc_run orc_run_uniform(enum orc_level l, bool session)
{
    return (struct orc_run){.rules = orc_rules_uniform(l, session), .observer = l};
}

struct orc_outcome orc_prog_axioms(const struct orc_prog *p, const struct orc_run *run)
{
    struct orc_outcome out = {.fewest_writes = -1};
    struct machine m = {.p = p, .run = run, .rules = run->rules, .n_txns = p->n_txns};
    bool asserts = has_asserts(p), divisions = has_divisions(p);
    if (run->observe_snapshots && p->invariant >= 0) {
        if (p->n_txns == ORC_TXNS)
            abort();
        m.rules.level[m.n_txns++] = run->observer;
    }
    m.mixed = orc_is_mixed(&m.rules, m.n_txns);
    find_orders(&m);
    out.initially_violated = !invariant_holds(&m, p->init);
    do {
        if (run_execution(&m))
            record(&m, &out);
        if (!run->all && out.exists && (out.invariant_violated || p->invariant < 0) &&
            (out.assert_failed || !asserts) && (out.out_of_bounds || !p->may_leave) &&
            (out.divided || !divisions))
            break;
    } while (advance(&m.picks));
    return out;
}
