/* Programs, straight from the axioms: every execution that the model allows is run.
 *
 * An execution is built in ar order by the machine of prog_machine.h, again from the start for
 * every sequence of choices. */
#include <stdlib.h>
#include <string.h>
#include "tests/oracle/prog_machine.h"

/* Its values; false if the one that the scenario passes is not among them. */
static bool choose_params(struct orc_machine *m, const struct orc_ptxn *t)
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
            t->shared[i] || from ? passed : t->choices[i][orc_pick(&m->picks, t->n_choices[i])];
    }
    return true;
}

/* Its guard decides, unless the scenario may have ended before. */
static bool is_made(struct orc_machine *m, int t)
{
    return !m->p->results || (orc_call_wanted(m->p, t, m->result) &&
                              (!orc_calls_may_stop(m->p, t) || orc_pick(&m->picks, 2)));
}

static void run_body(struct orc_machine *m, const struct orc_ptxn *t)
{
    orc_machine_run(m, t->body);
    m->stmt_chosen = false;
    if (m->store)
        m->store->begin(m, -1, t->returns ? t->returned : -1);
    if (t->returns)
        m->result[m->t] = (int)orc_machine_eval(m, t->returned);
    if (m->p->results && m->state == ORC_ROLLED_BACK)
        abort(); /* its result could be anything */
}

bool orc_machine_call(struct orc_machine *m, int t)
{
    bool made = is_made(m, t);
    m->result[t] = 0;
    m->made |= made ? 1u << t : 0;
    if (made && !choose_params(m, &m->p->txns[t]))
        return false;
    if (made)
        run_body(m, &m->p->txns[t]);
    return m->state != ORC_IMPOSSIBLE;
}

/* Runs transaction t, next in ar; false if there is no such execution. */
static bool run_txn(struct orc_machine *m, int t)
{
    bool observer = t == m->p->n_txns;
    orc_machine_clear(m, t);
    if (!orc_machine_start(m))
        return false;
    if (observer)
        m->failed = !orc_machine_eval(m, m->p->invariant) && m->state == ORC_RUNNING;
    else if (!orc_machine_call(m, t))
        return false;
    if (m->state == ORC_ROLLED_BACK)
        m->written = m->locked = 0;
    m->observed_bad |= observer && m->failed;
    m->assert_failed |= !observer && m->failed;
    m->x.writes[t] = m->written;
    m->x.touches[t] = m->written | m->locked;
    memcpy(m->value[t], m->own, sizeof m->own);
    if (!orc_no_conflict(&m->x, orc_machine_level(m), t, m->v))
        return false;
    orc_place(&m->x, t, orc_machine_level(m) == ORC_EC ? m->some : m->v);
    return true;
}

/* ---- executions ---- */

/* Any value that somebody takes. */
void orc_machine_choose_shared(struct orc_machine *m)
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
        m->shared = all[orc_pick(&m->picks, n)];
}

bool orc_machine_finish(struct orc_machine *m)
{
    if (!m->p->results)
        return true;
    enum orc_calls_end end = orc_calls_judge(m->p, &m->rules, m->result, m->made);
    m->assert_failed |= end == ORC_CALLS_ASSERT_FAILED;
    m->divided = end == ORC_CALLS_CHECK_FAILED;
    return end != ORC_CALLS_IMPOSSIBLE;
}

bool orc_machine_constraint(const struct orc_machine *m, const int state[ORC_CELLS])
{
    return !m->p->constraint || orc_machine_on_state(m, state, m->p->constraint - 1);
}

/* In the state of all that are placed: else the last of them would have been rolled back. */
static bool constraint_kept(const struct orc_machine *m)
{
    int state[ORC_CELLS];
    orc_machine_show(m, m->x.placed, state);
    return orc_machine_constraint(m, state);
}

static bool run_execution(struct orc_machine *m)
{
    uint32_t ser = 0;
    m->made = m->taken = 0;
    m->n_saw = 0;
    memset(&m->x, 0, sizeof m->x);
    m->assert_failed = m->observed_bad = m->out_of_bounds = m->divided = false;
    orc_machine_choose_shared(m);
    for (int i = 0; i < m->n_txns; i++) {
        int next[ORC_TXNS], n = 0;
        for (int t = 0; t < m->n_txns; t++)
            if (!orc_has(m->x.placed, t) && orc_subset(m->orders.ar_before[t], m->x.placed))
                next[n++] = t;
        if (!run_txn(m, next[orc_pick(&m->picks, n)]) || !constraint_kept(m))
            return false;
    }
    for (int t = 0; t < m->n_txns; t++)
        if (m->rules.level[t] == ORC_SER)
            ser |= 1u << t;
    if (!orc_machine_finish(m))
        return false;
    return !m->mixed || orc_ser_acyclic(&m->x, &m->orders, ser);
}

bool orc_machine_invariant(const struct orc_machine *m, const int state[ORC_CELLS])
{
    return m->p->invariant < 0 || orc_machine_on_state(m, state, m->p->invariant);
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

static int count_writes(const struct orc_machine *m)
{
    int n = 0;
    for (int t = 0; t < m->p->n_txns; t++)
        for (uint32_t rows = m->x.writes[t]; rows; rows &= rows - 1)
            n++;
    return n;
}

/* What every serial order keeps: sessions, and results that are used. */
static void find_serial_orders(const struct orc_machine *m, uint32_t before[ORC_TXNS])
{
    if (m->p->results)
        orc_calls_after(m->p, &m->rules, before);
    for (int a = 0; a < m->p->n_txns; a++)
        for (int b = a + 1; b < m->p->n_txns; b++)
            if (m->rules.session && m->p->txns[a].session == m->p->txns[b].session)
                before[b] |= 1u << a;
    /* A call that is not made has no place. */
    for (int t = 0; t < m->p->n_txns && m->p->results; t++)
        before[t] &= orc_has(m->made, t) ? m->made : 0;
}

void orc_machine_record(struct orc_machine *m, struct orc_outcome *out)
{
    int state[ORC_CELLS];
    uint32_t preds = 0;
    orc_machine_show(m, m->x.placed, state);
    if (!m->out_of_bounds)
        preds = orc_machine_preds(m, state, &m->out_of_bounds);
    out->exists = true;
    out->out_of_bounds |= m->out_of_bounds;
    out->divided |= m->divided;
    if (m->out_of_bounds || m->divided)
        return;
    out->executions++;
    if (m->run->serial && !out->not_serial) {
        uint32_t before[ORC_TXNS] = {0};
        find_serial_orders(m, before);
        out->not_serial = !orc_machine_is_serial(m, before);
    }
    out->assert_failed |= m->assert_failed;
    bool bad = m->run->observe_snapshots                 ? m->observed_bad
               : m->run->all || !out->invariant_violated ? !orc_machine_invariant(m, state)
                                                         : false;
    int writes = count_writes(m);
    if (bad && (out->fewest_writes < 0 || writes < out->fewest_writes))
        out->fewest_writes = writes;
    out->invariant_violated |= bad;
    out->preds |= preds;
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

void orc_machine_find_orders(struct orc_machine *m)
{
    if (m->p->results) { /* among SER transactions a result is a dependency, as a session is */
        orc_calls_after(m->p, &m->rules, m->orders.ar_before);
        memcpy(m->orders.dep, m->orders.ar_before, sizeof m->orders.dep);
    }
    for (int a = 0; a < m->p->n_txns; a++)
        for (int b = a + 1; b < m->p->n_txns; b++)
            if (m->rules.session && m->p->txns[a].session == m->p->txns[b].session)
                orc_orders_add(&m->orders, &m->rules, a, b);
}

bool orc_machine_enough(const struct orc_machine *m, const struct orc_outcome *out)
{
    const struct orc_prog *p = m->p;
    if (m->run->serial)
        return out->not_serial;
    return !m->run->all && !p->n_preds && out->exists &&
           (out->invariant_violated || p->invariant < 0) &&
           (out->assert_failed || !has_asserts(p)) && (out->out_of_bounds || !p->may_leave) &&
           (out->divided || !has_divisions(p));
}

struct orc_run orc_run_uniform(enum orc_level l, bool session)
{
    return (struct orc_run){.rules = orc_rules_uniform(l, session), .observer = l};
}

struct orc_outcome orc_prog_axioms(const struct orc_prog *p, const struct orc_run *run)
{
    struct orc_outcome out = {.fewest_writes = -1};
    struct orc_machine m;
    bool left = false;
    if (run->server[0])
        return orc_prog_server(p, run);
    orc_machine_init(&m, p, run);
    if (run->observe_snapshots && p->invariant >= 0) {
        if (p->n_txns == ORC_TXNS)
            abort();
        m.rules.level[m.n_txns++] = run->observer;
    }
    m.mixed = orc_is_mixed(&m.rules, m.n_txns);
    orc_machine_find_orders(&m);
    out.initially_violated = !orc_machine_invariant(&m, p->init);
    out.preds_initially = orc_machine_preds(&m, p->init, &left);
    out.out_of_bounds = left;
    do {
        if (run_execution(&m))
            orc_machine_record(&m, &out);
        if (orc_machine_enough(&m, &out))
            break;
    } while (orc_picks_advance(&m.picks));
    return out;
}
