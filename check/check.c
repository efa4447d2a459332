/* The pipeline: match, saturate, replay greedily, solve what is open, certify; see check.h.
 *
 * Each step may end it.  The steps trust each other, the answer does not: whatever comes out goes
 * through certify.h, which starts from the history again. */
#include "check/check.h"

#include <assert.h>
#include <strings.h>

#include "base/limit.h"
#include "base/strbuf.h"
#include "check/problem/finding.h"
#include "certify/certify.h"
#include "history/lower/lower.h"
#include "check/problem/duplicate_values.h"
#include "check/explain/explain.h"
#include "check/explain/prove.h"
#include "check/order/candidate_order.h"
#include "check/order/greedy.h"
#include "check/order/linear.h"
#include "check/problem/lists.h"
#include "check/graph/residual.h"
#include "check/order/recorded_order.h"
#include "history/rereads.h"
#include "check/graph/saturate.h"
#include "check/visibility/weak.h"

#define MAX_CLOCKS ((size_t)6 << 30) /* bytes */

/* --- answers ---------------------------------------------------------------------------------- */

/* RCS, see weak.h: commits of whole transactions. */
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

static void give_up(struct check_result *r)
{
    finding_unknown(r, "%s", limit_reached() ? limit_text() : "the solver gave up");
}

static double now(const struct check_options *o)
{
    return o->stats ? stats_user_seconds() : 0;
}

/* --- the solver ------------------------------------------------------------------------------- */

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

static void reject(struct residual *x, const struct check_options *o, struct check_result *r)
{
    struct backend_answer core;
    struct backend_options quiet = check_solver(o);
    quiet.stats = NULL;
    backend_solve(&x->problem, &quiet, true, &core);
    if (core.result == SAT_STOPPED)
        give_up(r);
    else if (core.result == SAT_YES) {
        r->verdict = CHECK_BROKEN;
        r->reason = "two solvers disagree";
    } else
        explain_unsat(x, &core, !o->no_cases, r);
    backend_answer_free(&core);
}

static void solve(struct pg *g, const uint32_t *guess, const struct check_options *o,
                  struct check_result *r)
{
    struct residual x;
    struct backend_answer a = {0};
    residual_build(&x, g, guess);
    if (o->stats)
        o->stats->open_pairs += x.vars.len;
    if (x.too_many) {
        finding_unknown(r, "more than %llu orders of versions are open",
                        (unsigned long long)x.limit);
    } else {
        struct backend_options solver = check_solver(o);
        backend_solve(&x.problem, &solver, false, &a);
        if (a.error)
            finding_unknown(r, "%s", a.error);
        else if (a.result == SAT_YES) {
            accept_model(&x, &a, r);
            r->loose = x.loose;
        } else if (a.result == SAT_NO && !o->little_effort)
            reject(&x, o, r);
        else
            give_up(r);
        backend_answer_free(&a);
    }
    residual_free(&x);
}

/* --- graphs: SER, SI, PC ---------------------------------------------------------------------- */

static bool saturate_and_judge(struct pg *g, const struct check_options *o, struct check_result *r)
{
    uint32_t witness = 0;
    double start = now(o);
    if (saturate_memory(g) > MAX_CLOCKS) {
        finding_unknown(r, "%u chains of transactions are too many for the clocks", g->chains);
        return false;
    }
    enum saturate_outcome s = saturate(g, !o->always_solve, o->stats, &witness);
    if (o->stats)
        o->stats->saturation_seconds += now(o) - start;
    if (s == SATURATE_CYCLE)
        explain_cycle(g, r);
    else if (s == SATURATE_NO_SOURCE)
        explain_no_source(g, witness, r);
    else if (s == SATURATE_NO_RESULT)
        explain_no_result(g, witness, r);
    else if (s == SATURATE_STOPPED)
        give_up(r);
    return s == SATURATE_FIXPOINT;
}

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

static bool replay_and_judge(struct pg *g, const struct check_options *o, uint32_t *guess,
                             struct check_result *r)
{
    double start = now(o);
    bool through = greedy_replay(g, guess);
    if (o->stats)
        o->stats->greedy_seconds += now(o) - start;
    if (!through || (o->always_solve && !g->p->known.len))
        return false;
    uint8_t *absent = g->p->maybe;
    accept(g, guess, absent, r);
    return true;
}

static bool try_stronger(const struct history *h, const struct check_options *o,
                         struct check_result *r);

static void judge_graph(struct pg *g, const struct check_options *o, struct check_result *r)
{
    pg_add_known(g);
    if (!pg_sort(g)) {
        explain_cycle(g, r);
        return;
    }
    uint32_t *guess = mem_alloc(mem_mul(g->nodes + 1, sizeof *guess));
    /* Lists and white-box histories leave so little open that the replay mostly gets through. */
    bool done = g->p->known.len && replay_and_judge(g, o, guess, r);
    if (!done && saturate_and_judge(g, o, r) && !replay_and_judge(g, o, guess, r)) {
        double start = now(o);
        bool choice = g->p->choices.len;
        bool above = choice && !o->little_effort && !o->always_solve && !o->stronger_first;
        if (above && try_stronger(g->p->h, o, r)) {
            r->by_stronger = true;
        } else {
            if (choice)
                improve_guess(g, o->trail, guess);
            solve(g, guess, o, r);
        }
        if (o->stats)
            o->stats->solve_seconds += now(o) - start;
    }
    mem_free(guess);
}

/* Lists: if the one order that is possible does not do, the graph says why. */
static bool check_linear(struct prob *p, struct check_result *r)
{
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

static void check_graph(struct prob *p, const struct check_options *o, struct check_result *r)
{
    struct pg g;
    if (recorded_order(p, o, r))
        return;
    pg_init(&g, p, o->clock_drift);
    g.always_ranked = o->always_ranked;
    judge_graph(&g, o, r);
    pg_free(&g);
}

/* --- the whole -------------------------------------------------------------------------------- */

static void certify(const struct history *h, const struct check_options *o, struct check_result *r)
{
    const char *error = NULL;
    double start = now(o);
    if (r->verdict == CHECK_OK) {
        struct certificate c = certificate_of_order(r->level, o->clock_drift, r);
        error = certify_order(h, &c, &r->arena);
    } else if (r->verdict == CHECK_VIOLATION) {
        struct certify_question q = {o->level, o->clock_drift, o->unique_values};
        error = prove_violation(h, &q, r, &r->arena);
    }
    if (error && r->verdict == CHECK_OK && r->loose) {
        finding_unknown(r, "an aggregate has too many partial results");
        error = NULL;
    }
    if (error && limit_reached()) { /* perhaps it was only cut short */
        finding_unknown(r, "%s", limit_text());
    } else if (error) {
        r->verdict = CHECK_BROKEN;
        r->reason = error;
    }
    if (o->stats)
        o->stats->certify_seconds += now(o) - start;
}

static void check_as(const struct history *h, const struct check_options *o,
                     struct check_result *r);

/* Does a stronger model hold, with little effort or much?  False means nothing. */
static bool try_model(const struct history *h, const struct check_options *o, enum model_id model,
                      bool little_effort, struct check_result *r)
{
    struct check_options stronger = *o;
    struct check_result answer;
    stronger.level.model = model;
    stronger.little_effort = little_effort;
    stronger.stats = NULL;
    check_as(h, &stronger, &answer);
    bool holds = answer.verdict == CHECK_OK;
    if (holds)
        weak_take_over(h, &answer, r);
    check_result_free(&answer);
    return holds;
}

/* Where reads have a choice, more follows at a stronger level, and if it holds that is often found
 * out with little effort: the fewer snapshots a transaction has, the less is left to choose.  For
 * PSI all of SI is worth while. */
static bool try_stronger(const struct history *h, const struct check_options *o,
                         struct check_result *r)
{
    static const enum model_id models[] = {MODEL_SER, MODEL_SI, MODEL_PC, MODEL_RCS};
    enum model_id m = o->level.model;
    if (o->level.real_time != LEVEL_NO_TIME)
        return false;
    for (size_t i = 0; i < sizeof models / sizeof *models && !limit_reached(); i++)
        if (models[i] != m && model_weaker_or_equal(m, models[i]) &&
            try_model(h, o, models[i], true, r))
            return true;
    return m == MODEL_PSI && !limit_reached() && try_model(h, o, MODEL_SI, false, r);
}

/* Reads have a choice of writers.  Both answers are tried in turn, with little effort before much;
 * false means nothing. */
static bool try_shortcuts(const struct history *h, struct prob *p, const struct check_options *o,
                          struct check_result *r)
{
    /* Reads of ranges have so many candidates that a stronger level is the easier question. */
    bool early = h->predicates.len && !o->little_effort,
         late = !h->predicates.len && !o->little_effort;
    return weak_quick(p, o, r) || (early && try_stronger(h, o, r)) ||
           (late && weak_rerun(p, o, r)) || weak_refute(p, o, true, r) ||
           (late && try_stronger(h, o, r)) || (early && weak_rerun(p, o, r)) ||
           (!o->little_effort && weak_refute(p, o, false, r));
}

/* Lists with equal elements.  Below PC an order of PC's will do, and running finds one quickly. */
static void check_equal(const struct history *h, const struct check_options *o,
                        const struct duplicates *q, struct check_result *r)
{
    struct check_options stronger = *o;
    struct check_result events = {.reason = ""};
    bool weak = weak_decides(o->level.model);
    stronger.level.model = weak_stronger(o->level.model);
    r->ran = weak && !o->no_run && lists_replay(h, &stronger, &events);
    if (r->ran)
        weak_from_events(h, &events, r);
    else
        duplicates_check(h, o, q, check_as, r);
    check_result_free(&events);
}

static void check_as(const struct history *h, const struct check_options *o, struct check_result *r)
{
    struct prob p;
    *r = (struct check_result){
        .level = o->level, .verdict = CHECK_UNKNOWN, .reason = "", .cycle = HIST_NONE};
    if (candidate_order(h, o, r))
        return;
    bool lists = !o->no_run && lists_replay(h, o, r);
    if (!lists && !match_build(h, o, &p, r)) {
        if (p.duplicates.keys.len)
            check_equal(h, o, &p.duplicates, r);
        match_free(&p);
        return;
    }
    if (o->stats) {
        o->stats->transactions += lists ? h->txns.len : p.n;
        o->stats->operations += h->ops.len;
    }
    r->ran = lists;
    if (lists)
        return;
    if (weak_decides(o->level.model)) {
        match_list_order(&p);
        bool choice = p.choices.len && !o->always_solve;
        if (choice && !try_shortcuts(h, &p, o, r) && o->little_effort)
            give_up(r);
        else if (r->verdict == CHECK_UNKNOWN)
            weak_check(&p, o, r);
    } else if (o->stronger_first && p.choices.len && !o->little_effort && !o->always_solve &&
               try_stronger(h, o, r)) {
        r->by_stronger = true;
    } else if (o->level.model == MODEL_RCS) {
        match_list_order(&p);
        weak_split_statements(&p);
        if (!linear_applies(&p) || !check_linear(&p, r))
            check_graph(&p, o, r);
    } else if (!linear_applies(&p) || !check_linear(&p, r)) {
        match_list_order(&p);
        check_graph(&p, o, r);
    }
    match_free(&p);
}

static bool uses_sessions(const struct check_result *r)
{
    if (r->by_sessions)
        return true;
    for (size_t i = 0; i < r->edges.len; i++)
        if (r->edges.data[i].kind == CHECK_SO)
            return true;
    return false;
}

/* Sessions are good chains even where their order does not count: what holds with it holds without,
 * and so does a violation that does not mention it. */
static bool try_with_sessions(const struct history *h, const struct check_options *o,
                              struct check_result *r)
{
    struct check_options with = *o;
    with.level.session_order = true;
    check_as(h, &with, r);
    r->level.session_order = o->level.session_order;
    if (r->verdict == CHECK_OK || (r->verdict == CHECK_VIOLATION && !uses_sessions(r)))
        return true;
    if (r->verdict == CHECK_UNKNOWN && limit_reached())
        return true;
    check_result_free(r);
    return false;
}

static void judge(const struct history *h, const struct check_options *o, struct check_result *r)
{
    if (o->level.session_order || !try_with_sessions(h, o, r))
        check_as(h, o, r);
    if (r->verdict == CHECK_VIOLATION) {
        limit_step("explaining the violation");
        explain_finish(h, r);
    }
    limit_step("certifying the verdict");
    certify(h, o, r);
}

/* Running lists takes equal values in one list for each other.  An order in which that mattered is
 * not certified; then matching has the word, which tells such values apart or says that it cannot.
 */
static void judge_or_match(const struct history *h, const struct check_options *o,
                           struct check_result *r)
{
    judge(h, o, r);
    if (r->verdict == CHECK_BROKEN && r->ran) {
        struct check_options matched = *o;
        matched.no_run = true;
        check_result_free(r);
        judge(h, &matched, r);
    }
}

void check_history(const struct history *h, const struct check_options *o, struct check_result *r)
{
    assert(h->finished);
    *r = (struct check_result){.level = o->level, .reason = "", .cycle = HIST_NONE};
    struct lower_options d = {.items_only = o->level.real_time == LEVEL_ITEMS_ONLY};
    if (lower_needed(h, &d)) {
        finding_unknown(r, "predicate reads have to be put in terms of items first");
    } else if (o->level.real_time != LEVEL_NO_TIME && !d.items_only && !h->times) {
        finding_unknown(r, "%s needs time stamps, and the history has none", level_title(o->level));
    } else {
        struct history view;
        limit_phase("checking %s", level_title(o->level));
        const struct history *settled = rereads_settle(h, o->level, &view);
        judge_or_match(settled, o, r);
        rereads_free(settled, &view);
    }
    r->history = h;
}
