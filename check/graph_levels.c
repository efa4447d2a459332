/* What SER, SI, PC and RCS are decided with: the polygraph, step by step; see graph_levels.h. */
#include "check/graph_levels.h"

#include "base/limit.h"
#include "check/explain/explain.h"
#include "check/graph/residual.h"
#include "check/graph/saturate.h"
#include "check/order/greedy.h"
#include "check/order/linear.h"
#include "check/order/recorded_order.h"
#include "check/problem/finding.h"
#include "check/visibility/visibility.h"

#define MAX_CLOCKS ((size_t)6 << 30) /* bytes */
#define MAX_VARIABLES 50000000
#define VARIABLE 16 /* steps that a variable of the solver takes before the search begins */

/* --- life ------------------------------------------------------------------------------------- */

void graph_start(struct graph_question *q, struct prob *p, const struct check_options *o,
                 struct check_result *r)
{
    *q = (struct graph_question){.p = p, .o = o, .r = r};
    if (p->level.model == MODEL_RCS) {
        match_list_order(p);
        vis_split_statements(p);
    }
}

void graph_end(struct graph_question *q)
{
    if (q->built)
        pg_free(&q->g);
    mem_free(q->guess);
}

/* --- answers ---------------------------------------------------------------------------------- */

/* RCS, see visibility.h: commits of whole transactions. */
static void accept_parts(const struct pg *g, const uint32_t *order, const uint8_t *absent,
                         struct check_result *r)
{
    const struct prob *p = g->p;
    r->order_kind = CHECK_ARBITRATION;
    for (uint32_t i = 0; i < g->nodes; i++) {
        uint32_t u = order[i], t = pg_txn(g, u);
        bool last = t + 1 >= p->n || p->hist[t + 1] != p->hist[t];
        if (u < g->txn_nodes && u == pg_commit(g, t) && last && !(absent && absent[t]))
            vec_push(&r->order, p->hist[t]);
    }
}

/* The nodes of an order as transactions or events of the history; helper nodes and transactions
 * that did not happen are left out. */
static void accept(const struct pg *g, const uint32_t *order, const uint8_t *absent,
                   struct check_result *r)
{
    const struct prob *p = g->p;
    r->verdict = CHECK_OK;
    r->order_kind = g->map == PG_SER ? CHECK_SERIAL : CHECK_EVENTS;
    vec_clear(&r->order);
    if (p->level.model == MODEL_RCS) {
        accept_parts(g, order, absent, r);
        return;
    }
    vec_reserve(&r->order, g->txn_nodes);
    for (uint32_t i = 0; i < g->nodes; i++) {
        uint32_t u = order[i], t = pg_txn(g, u);
        if (u >= g->txn_nodes || (absent && absent[t]))
            continue;
        uint32_t txn = p->hist[t];
        vec_push(&r->order, g->map == PG_SER ? txn : 2 * txn + (u & 1));
    }
}

void graph_give_up(struct check_result *r)
{
    finding_unknown(r, "%s", limit_reached() ? limit_text() : "the solver gave up");
}

/* The level is violated.  True if somebody wants to know why. */
static bool wants_reason(struct graph_question *q)
{
    q->hopeless = true;
    if (q->o->ok_only)
        finding_unknown(q->r, "the level is violated, and nobody asks why");
    return !q->o->ok_only;
}

static double now(const struct check_options *o)
{
    return o->stats ? stats_user_seconds() : 0;
}

/* --- orders that are there already ------------------------------------------------------------ */

bool graph_is_linear(const struct graph_question *q)
{
    return linear_applies(q->p);
}

bool graph_linear(struct graph_question *q)
{
    struct prob *p = q->p;
    struct check_result *r = q->r;
    bool events = p->level.model != MODEL_SER;
    vec_resize(&r->order, events ? 2 * (size_t)p->n : p->n);
    if (!linear_sort(p, r->order.data)) {
        vec_clear(&r->order);
        return false;
    }
    size_t len = 0;
    bool parts = p->level.model == MODEL_RCS; /* only the commits of whole transactions count */
    for (size_t i = 0; i < r->order.len; i++) {
        uint32_t e = r->order.data[i], t = events ? e / 2 : e;
        bool last = t + 1 >= p->n || p->hist[t + 1] != p->hist[t];
        if (!parts || (last && e & 1))
            r->order.data[len++] = events && !parts ? 2 * p->hist[t] + (e & 1) : p->hist[t];
    }
    r->order.len = len;
    r->order_kind = parts ? CHECK_ARBITRATION : events ? CHECK_EVENTS : CHECK_SERIAL;
    r->verdict = CHECK_OK;
    return true;
}

bool graph_recorded(struct graph_question *q)
{
    if (q->p->level.model != MODEL_RCS)
        match_list_order(q->p);
    return recorded_order(q->p, q->o, q->r);
}

/* --- the graph -------------------------------------------------------------------------------- */

bool graph_cycle(struct graph_question *q)
{
    pg_init(&q->g, q->p, q->o->clock_drift);
    q->built = true;
    q->g.always_ranked = q->o->always_ranked;
    q->guess = mem_alloc(mem_mul(q->g.nodes + 1, sizeof *q->guess));
    pg_add_known(&q->g);
    if (pg_sort(&q->g))
        return false;
    if (!wants_reason(q))
        return false;
    explain_cycle(&q->g, q->r);
    return true;
}

bool graph_replay(struct graph_question *q)
{
    double start = now(q->o);
    bool through = greedy_replay(&q->g, q->guess);
    if (q->o->stats)
        q->o->stats->greedy_seconds += now(q->o) - start;
    if (!through || (q->o->always_solve && !q->p->known.len))
        return false;
    accept(&q->g, q->guess, q->p->maybe, q->r);
    return true;
}

/* Saturation found a contradiction. */
static bool explain(struct graph_question *q, enum saturate_outcome s, uint32_t witness)
{
    if (!wants_reason(q))
        return false;
    if (s == SATURATE_CYCLE)
        explain_cycle(&q->g, q->r);
    else if (s == SATURATE_NO_SOURCE)
        explain_no_source(&q->g, witness, q->r);
    else
        explain_no_result(&q->g, witness, q->r);
    return true;
}

bool graph_saturate(struct graph_question *q, struct budget *b)
{
    uint32_t witness = 0;
    double start = now(q->o);
    if (saturate_memory(&q->g) > MAX_CLOCKS) {
        finding_unknown(q->r, "%u chains of transactions are too many for the clocks", q->g.chains);
        q->hopeless = true;
        return false;
    }
    /* Whoever may want to know a violation wants all that saturation finds, in polynomial time. */
    struct budget *bound = q->o->ok_only ? b : NULL;
    enum saturate_outcome s = saturate(&q->g, !q->o->always_solve, bound, q->o->stats, &witness);
    if (q->o->stats)
        q->o->stats->saturation_seconds += now(q->o) - start;
    if (s == SATURATE_FIXPOINT) {
        q->saturated = true;
        return false;
    }
    if (s != SATURATE_STOPPED)
        return explain(q, s, witness);
    graph_give_up(q->r);
    q->hopeless = true;
    return false;
}

/* --- the solver ------------------------------------------------------------------------------- */

/* Where reads have a choice, the replay gets stuck early and the history's own order is often the
 * better guess, or the order that was found when less was asked. */
static void improve_guess(struct pg *g, const struct check_trail *trail, uint32_t *guess)
{
    uint32_t *other = mem_alloc(mem_mul(g->nodes + 1, sizeof *other));
    uint32_t misses = greedy_misses(g, guess);
    for (int followed = 0; followed <= (trail && trail->events.len); followed++) {
        recorded_guess(g, followed ? trail : NULL, other);
        uint32_t n = greedy_misses(g, other);
        if (n < misses) {
            memcpy(guess, other, g->nodes * sizeof *other);
            misses = n;
        }
    }
    mem_free(other);
}

static void accept_model(struct residual *x, const struct backend_answer *a, struct check_result *r)
{
    const struct prob *p = x->g->p;
    uint8_t *absent = mem_calloc(p->n + 1, 1);
    for (uint32_t t = 0; t < p->n && x->happened; t++)
        if (x->happened[t] != HIST_NONE)
            absent[t] = !a->value[x->happened[t] / 2];
    accept(x->g, a->order, absent, r);
    if (p->choices.len)
        recorded_trail(x->g, a->order, &r->trail);
    mem_free(absent);
}

/* The problem has no solution: which clauses and cycles say so?  `b` is the budget for it. */
static void reject(struct graph_question *q, struct residual *x, struct budget *b)
{
    struct backend_answer core;
    struct backend_options quiet = check_solver(q->o);
    if (!wants_reason(q))
        return;
    quiet.stats = NULL;
    quiet.budget = b;
    backend_solve(&x->problem, &quiet, true, &core);
    if (core.result == SAT_STOPPED)
        graph_give_up(q->r);
    else if (core.result == SAT_YES) {
        q->r->verdict = CHECK_BROKEN;
        q->r->reason = "two solvers disagree";
    } else
        explain_unsat(x, &core, !q->o->no_cases, q->r);
    backend_answer_free(&core);
}

/* Z3 and MonoSAT count no steps: they get all the time they want. */
static void solve(struct graph_question *q, struct residual *x, struct budget *b)
{
    struct backend_answer a = {0};
    struct backend_options solver = check_solver(q->o);
    solver.budget = q->o->backend == BACKEND_BUILTIN ? b : q->o->budget;
    backend_solve(&x->problem, &solver, false, &a);
    if (a.error)
        finding_unknown(q->r, "%s", a.error);
    else if (a.result == SAT_YES) {
        accept_model(x, &a, q->r);
        q->r->loose = x->loose;
    } else if (a.result == SAT_NO)
        reject(q, x, budget_left(q->o->budget) == BUDGET_ENDLESS ? NULL : b);
    else
        graph_give_up(q->r);
    backend_answer_free(&a);
}

/* More variables than the budget pays for are refused, for then the solver would have no time. */
static void build(struct graph_question *q, struct residual *x, struct budget *b)
{
    uint64_t affordable = budget_left(b) / VARIABLE;
    bool poor = q->o->backend == BACKEND_BUILTIN && affordable < MAX_VARIABLES;
    residual_build(x, &q->g, q->guess, poor ? affordable : MAX_VARIABLES);
    if (q->o->stats)
        q->o->stats->open_pairs += x->vars.len;
    if (!x->too_many)
        budget_spend(b, VARIABLE * x->vars.len + x->problem.edges.len);
    else if (poor)
        budget_spend(b, budget_left(b));
}

bool graph_solve(struct graph_question *q, struct budget *b)
{
    struct residual x;
    double start = now(q->o);
    if (q->p->choices.len && !q->guess_improved)
        improve_guess(&q->g, q->o->trail, q->guess);
    q->guess_improved = true;
    build(q, &x, b);
    if (!x.too_many)
        solve(q, &x, b);
    else if (budget_is_over(b))
        graph_give_up(q->r);
    else
        finding_unknown(q->r, "more than %llu orders of versions are open",
                        (unsigned long long)x.limit);
    residual_free(&x);
    if (q->o->stats)
        q->o->stats->solve_seconds += now(q->o) - start;
    return q->r->verdict != CHECK_UNKNOWN;
}
