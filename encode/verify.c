/* Questions and answers: which runs a question needs, and the verdicts that they give; what these
 * add up to is said in verdicts.c.
 *
 * A program with scenarios is run once per scenario; one without, with any 2, 3, … instances of its
 * transactions.  Before that the proof rule is tried (proof.c): what it proves needs no run. */
#include "encode/verify.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/limit.h"
#include "encode/proof.h"
#include "encode/run.h"
#include "encode/verdicts.h"
#include "encode/verify_program.h"

/* Growing without a time limit: stop when a size has taken this long. */
#define GROWTH_SECONDS 5.0

/* One question being answered. */
struct inquiry {
    struct verify_program *v;
    const struct verify_question *q;
    struct verify_result *r;
    const struct model **levels; /* by TRANSACTION */
    struct sx_program *sx;
    const struct properties *props;
    struct run_program spare[VERIFY_SPARE_MAX];
    size_t n_spare;
    struct z3ctx_pool *pool; /* one per question, unless the caller has one: so answers do not
                             depend on earlier ones */
    double deadline;         /* wall clock, of this question; 0: none */
    bool *open;              /* by property: still to be run */
    verdict_list verdicts;
    struct verify_gap **gaps; /* by property, from the proof rule, not yet given away */
    const char **unproved;    /* by property: why the rule did not prove it, or NULL */
    const uint32_t **needs;   /* by property: what the rule would need */
    size_t *n_needs;
};

/* ---- verdicts ------------------------------------------------------------------------------ */

static void tell(struct inquiry *q, const struct verify_verdict *verdict)
{
    if (q->q->news)
        q->q->news(q->q->news_arg, q->r, verdict);
}

static void add_verdict(struct inquiry *q, struct verify_verdict verdict)
{
    uint32_t p = verdict.property;
    if (verdict.status != VERIFY_PROVED) {
        verdict.gap = q->gaps[p];
        q->gaps[p] = NULL;
        verdict.needs = q->needs[p];
        verdict.n_needs = q->n_needs[p];
    }
    vec_push(&q->verdicts, verdict);
    tell(q, &verdict);
}

/* The results of one run. */
static void take_items(struct inquiry *q, run_items *items, const struct sx_summary *scenario,
                       unsigned bound, bool from_invariants)
{
    for (size_t i = 0; i < items->len; i++) {
        const struct run_item *item = &items->data[i];
        add_verdict(q, (struct verify_verdict){.property = item->property,
                                               .status = item->status,
                                               .reason = item->reason,
                                               .scenario = scenario,
                                               .bound = bound,
                                               .from_invariants = from_invariants,
                                               .execution = item->execution,
                                               .reach = item->reach,
                                               .fails = item->fails,
                                               .seconds = item->seconds});
    }
    vec_clear(items);
}

/* ---- runs ---------------------------------------------------------------------------------- */

static struct run_input run_input(struct inquiry *q)
{
    return (struct run_input){
        .ast = q->v->ast,
        .of = {q->sx, q->props},
        .spare = q->spare,
        .n_spare = q->n_spare,
        .question = q->q,
        .levels = q->levels,
        .scenario = RUN_ANY,
        .observer = q->q->observe == VERIFY_OBSERVE_SNAPSHOTS ? q->q->model : NULL,
        .wanted = q->open,
        .pool = q->pool,
        .arena = &q->r->arena,
    };
}

/* Invariants hold initially, and INITIAL itself passes its checks; a violation closes the property.
 */
static void run_initially(struct inquiry *q)
{
    struct run_input in = run_input(q);
    run_items items = {0}, bad = {0};
    in.initially = true;
    run_bounded(&in, &items);
    for (size_t i = 0; i < items.len; i++) {
        enum verify_property_kind kind = q->props->v.data[items.data[i].property].kind;
        if (items.data[i].status == VERIFY_HOLDS && kind == VERIFY_INVARIANT)
            continue; /* so far, so good */
        if (items.data[i].status == VERIFY_HOLDS &&
            !properties_in(q->props, items.data[i].property, q->sx->initial))
            continue;
        if (items.data[i].status != VERIFY_HOLDS)
            q->open[items.data[i].property] = false;
        vec_push(&bad, items.data[i]);
    }
    take_items(q, &bad, NULL, 0, false);
    vec_free(&items);
    vec_free(&bad);
}

static void run_scenario(struct inquiry *q, uint32_t number)
{
    const struct sx_summary *scenario = q->sx->scenarios[number];
    struct run_input in = run_input(q);
    run_items items = {0};
    in.scenario = number;
    run_bounded(&in, &items);
    take_items(q, &items, scenario, (unsigned)scenario->n_calls, false);
    vec_free(&items);
}

/* ---- any instances ------------------------------------------------------------------------- */

/* Growing numbers of instances: what is known of each property so far. */
struct growth {
    unsigned *bound; /* by property: holds up to so many; 0: not known */
    enum verify_reach *reach;
    const struct sx_point **fails;
    double *seconds;
    bool any_state;
    unsigned n_open;
};

/* Growing ends when the time is up, that is what the time is for: HOLDS up to there.  Whoever was
 * interrupted, or ran out of memory, wanted to know more: UNKNOWN, and what is known. */
static struct verify_verdict held(struct inquiry *q, const struct growth *g, uint32_t property)
{
    unsigned bound = g->bound[property];
    bool cut = limit_why() == LIMIT_INTERRUPT || limit_why() == LIMIT_MEMORY;
    return (struct verify_verdict){
        .property = property,
        .status = cut ? VERIFY_UNKNOWN : VERIFY_HOLDS,
        .reason =
            cut ? arena_printf(&q->r->arena, "%s; holds up to %u transactions", limit_text(), bound)
                : NULL,
        .reach = g->reach[property],
        .fails = g->fails[property],
        .bound = bound,
        .from_invariants = g->any_state,
        .seconds = g->seconds[property]};
}

static void take_grown(struct inquiry *q, struct growth *g, const struct run_item *item, unsigned n)
{
    uint32_t p = item->property;
    g->seconds[p] += item->seconds;
    if (item->status == VERIFY_HOLDS) {
        g->bound[p] = n;
        g->reach[p] = item->reach;
        g->fails[p] = item->fails;
        g->n_open++;
        tell(q, &(struct verify_verdict){.property = p, .status = VERIFY_HOLDS, .bound = n});
        return;
    }
    q->open[p] = false;
    if (item->status == VERIFY_UNKNOWN && g->bound[p]) {
        add_verdict(q, held(q, g, p)); /* what holds for fewer is the better answer */
        return;
    }
    add_verdict(q, (struct verify_verdict){.property = p,
                                           .status = item->status,
                                           .reason = item->reason,
                                           .bound = n,
                                           .from_invariants = g->any_state,
                                           .execution = item->execution,
                                           .seconds = g->seconds[p]});
}

static void run_instances(struct inquiry *q, struct growth *g, unsigned n, double seconds)
{
    struct run_input in = run_input(q);
    run_items items = {0};
    in.n = n;
    in.any_state = g->any_state;
    in.seconds = seconds;
    run_bounded(&in, &items);
    g->n_open = 0;
    for (size_t i = 0; i < items.len; i++)
        take_grown(q, g, &items.data[i], n);
    vec_free(&items);
}

static void run_growing(struct inquiry *q, bool any_state)
{
    size_t n_props = q->props->v.len;
    struct growth g = {.bound = mem_calloc(n_props + 1, sizeof *g.bound),
                       .reach = mem_calloc(n_props + 1, sizeof *g.reach),
                       .fails = mem_calloc(n_props + 1, sizeof *g.fails),
                       .seconds = mem_calloc(n_props + 1, sizeof *g.seconds),
                       .any_state = any_state};
    unsigned most = q->q->max_txns ? q->q->max_txns : VERIFY_TXNS_CAP;
    bool timed = isfinite(limit_remaining()) || q->q->max_txns;
    double start = stats_wall_seconds();
    if (q->q->txns) {
        run_instances(q, &g, q->q->txns, 0);
    } else {
        for (unsigned n = 2; n <= most && !limit_reached(); n++) {
            double left = GROWTH_SECONDS - (stats_wall_seconds() - start);
            if (!timed && n > 2 && left < 0.1)
                break;
            run_instances(q, &g, n, timed || n == 2 ? 0 : left);
            if (g.n_open == 0)
                break;
        }
    }
    for (uint32_t p = 0; p < n_props; p++)
        if (q->open[p] && g.bound[p])
            add_verdict(q, held(q, &g, p));
    mem_free(g.bound);
    mem_free(g.reach);
    mem_free(g.fails);
    mem_free(g.seconds);
}

/* ---- questions ----------------------------------------------------------------------------- */

static const struct sx_summary *find_scenario(const struct sx_program *sx, const char *name)
{
    for (uint32_t i = 0; i < sx->n_scenarios; i++)
        if (!strcmp(sx->scenarios[i]->func->name, name))
            return sx->scenarios[i];
    return NULL;
}

/* What is wrong with the question, or NULL. */
static const char *check_question(struct inquiry *q)
{
    const struct verify_question *ask = q->q;
    if (ask->scenario && !find_scenario(q->sx, ask->scenario))
        return arena_printf(&q->r->arena, "there is no scenario \"%s\"", ask->scenario);
    if (ask->scenario && ask->txns)
        return "a scenario has its own transactions: give either a scenario or a number";
    if (q->sx->n_txns == 0)
        return "the program has no TRANSACTION";
    if (ask->bounded && ask->prove_only)
        return "nothing is left to do: neither bounded runs nor the proof rule";
    return NULL;
}

static void set_levels(struct inquiry *q)
{
    uint32_t n = q->v->shared->sx[SX_READS_SNAPSHOT].n_txns;
    q->levels = arena_array(&q->r->arena, const struct model *, n + 2);
    for (uint32_t i = 0; i < n; i++)
        q->levels[i] = q->q->levels ? q->q->levels[i] : q->q->model;
    q->levels[n] = q->q->model; /* the observer's */
    enum sx_reads kind = prob_reads_for(q->levels, n + 1);
    q->sx = verify_summaries(q->v, kind);
    for (size_t i = 0; i < q->q->n_spare && i < VERIFY_SPARE_MAX; i++)
        q->spare[q->n_spare++] =
            (struct run_program){verify_summaries(q->q->spare[i], kind), q->props};
}

/* Does the property occur in a run of the scenario? */
static bool occurs_in(const struct inquiry *q, uint32_t property, const struct sx_summary *scenario)
{
    const struct properties *props = q->props;
    if (props->v.data[property].kind <= VERIFY_FINAL || properties_in(props, property, scenario))
        return true;
    for (size_t i = 0; i < scenario->n_calls; i++)
        if (properties_in(props, property, sx_find_txn(q->sx, scenario->calls[i].func)))
            return true;
    return false;
}

/* A limit came before the scenario did. */
static void skip_scenario(struct inquiry *q, const struct sx_summary *scenario)
{
    for (uint32_t p = 0; p < q->props->v.len; p++)
        if (q->open[p] && occurs_in(q, p, scenario))
            add_verdict(q, (struct verify_verdict){.property = p,
                                                   .status = VERIFY_UNKNOWN,
                                                   .reason = limit_text_of("not tried"),
                                                   .scenario = scenario,
                                                   .bound = (unsigned)scenario->n_calls});
}

static bool start_anywhere(const struct inquiry *q)
{
    if (q->q->start != VERIFY_START_AUTO)
        return q->q->start == VERIFY_START_INVARIANTS;
    return !q->sx->has_initial;
}

static bool runs_scenarios(const struct inquiry *q)
{
    return !q->q->txns && (q->q->scenario || q->sx->n_scenarios);
}

/* One initial state, that of the program. */
static bool has_start(const struct inquiry *q)
{
    return runs_scenarios(q) || !start_anywhere(q);
}

static void run_all(struct inquiry *q)
{
    const struct verify_question *ask = q->q;
    if (has_start(q))
        run_initially(q);
    if (!runs_scenarios(q)) {
        run_growing(q, start_anywhere(q));
        return;
    }
    for (uint32_t i = 0; i < q->sx->n_scenarios; i++)
        if (ask->scenario && strcmp(q->sx->scenarios[i]->func->name, ask->scenario) != 0)
            continue;
        else if (limit_reached())
            skip_scenario(q, q->sx->scenarios[i]);
        else
            run_scenario(q, i);
}

/* ---- proofs -------------------------------------------------------------------------------- */

/* Which invariants hold initially.  Where every state that satisfies them may be the initial one,
 * all do by definition. */
static void find_base(struct inquiry *q, bool *base)
{
    size_t n = q->sx->n_invariants;
    memset(base, true, n);
    if (!has_start(q))
        return;
    struct run_input in = run_input(q);
    run_items items = {0};
    in.initially = true;
    in.quietly = true;
    run_bounded(&in, &items);
    memset(base, false, n);
    for (size_t i = 0; i < items.len; i++) {
        for (size_t k = 0; k < n; k++)
            if (items.data[i].status == VERIFY_HOLDS &&
                properties_of_predicate(q->props, q->sx->invariants[k]->func) ==
                    items.data[i].property)
                base[k] = true;
        exec_free(items.data[i].execution);
    }
    vec_free(&items);
}

static bool uniform(const struct inquiry *q)
{
    for (uint32_t i = 0; i < q->sx->n_txns; i++)
        if (q->levels[i] != q->levels[0])
            return false;
    return true;
}

static struct verify_verdict proved(const struct inquiry *q, uint32_t property,
                                    const struct proof_result *r)
{
    return (struct verify_verdict){.property = property,
                                   .status = VERIFY_PROVED,
                                   .used = r->used,
                                   .n_used = r->n_used,
                                   .relies = r->relies,
                                   .n_relies = r->n_relies,
                                   .reach = r->reach,
                                   .fails = r->fails,
                                   .from_invariants = !has_start(q),
                                   .seconds = r->seconds};
}

static void tell_proved(void *arg, uint32_t property, const struct proof_result *r)
{
    struct inquiry *q = arg;
    struct verify_verdict verdict = proved(q, property, r);
    tell(q, &verdict);
}

static void take_proof(struct inquiry *q, uint32_t property, const struct proof_result *r)
{
    if (!r->proved) {
        q->gaps[property] = r->gap;
        q->unproved[property] = r->why;
        q->needs[property] = r->needs;
        q->n_needs[property] = r->n_needs;
        return;
    }
    q->open[property] = false;
    add_verdict(q, proved(q, property, r));
}

static void take_never_run(struct inquiry *q, const bool *never_run)
{
    q->r->never_run = arena_array(&q->r->arena, const struct ast_func *, q->sx->n_txns + 1);
    for (uint32_t i = 0; i < q->sx->n_txns; i++)
        if (never_run[i])
            q->r->never_run[q->r->n_never_run++] = q->sx->txns[i]->func;
}

/* Of a limited time the rule has half, or nearly all of it if nothing else is wanted (the solver
 * takes a while to stop, and what was proved is to be printed); without a limit it has
 * PROOF_SECONDS, since some formulas keep the solver busy without end that it does not count as
 * work. */
#define PROOF_SECONDS 5
static double proof_deadline(const struct inquiry *q)
{
    double now = stats_wall_seconds(), end = now + limit_remaining();
    if (q->deadline > 0)
        end = fmin(end, q->deadline);
    if (q->q->prove_only)
        return isfinite(end) ? now + (end - now) * 0.8 : 0;
    return isfinite(end) ? now + (end - now) / 2 : now + PROOF_SECONDS;
}

static void prove(struct inquiry *q)
{
    double start = stats_wall_seconds();
    size_t n = q->props->v.len;
    bool applies = uniform(q) && proof_applies(q->levels[0]);
    for (uint32_t p = 0; p < n && !applies; p++)
        q->unproved[p] = uniform(q)
                             ? "the proof rule needs a model with one snapshot per transaction"
                             : "the proof rule needs one level for all transactions";
    if (!applies)
        return;
    bool *base = mem_calloc(q->sx->n_invariants + 1, sizeof *base);
    bool *never_run = mem_calloc(q->sx->n_txns + 1, sizeof *never_run);
    struct proof_result *results = mem_calloc(n + 1, sizeof *results);
    enc_pool_deadline(q->pool, proof_deadline(q));
    find_base(q, base);
    proof_run(q->sx, q->props, q->levels[0], base, q->pool, &q->r->arena, results, never_run,
              tell_proved, q);
    enc_pool_deadline(q->pool, q->deadline);
    take_never_run(q, never_run);
    for (uint32_t p = 0; p < n; p++) {
        results[p].seconds = stats_wall_seconds() - start;
        take_proof(q, p, &results[p]);
    }
    mem_free(base);
    mem_free(never_run);
    mem_free(results);
}

/* --prove, and the rule did not. */
static struct verify_verdict not_proved(const struct inquiry *q, uint32_t property)
{
    bool final = q->props->v.data[property].kind == VERIFY_FINAL;
    const char *why =
        final ? "the proof rule does not speak of FINAL predicates" : q->unproved[property];
    bool idle = q->r->n_never_run == q->sx->n_txns;
    return (struct verify_verdict){.property = property,
                                   .status = idle ? VERIFY_VACUOUS : VERIFY_UNKNOWN,
                                   .reason = idle  ? "nothing satisfies the assumptions of any "
                                                     "transaction"
                                             : why ? why
                                                   : "the proof rule fails"};
}

/* The place is in no transaction that the scenarios call. */
static void never_called(struct inquiry *q, uint32_t property)
{
    for (uint32_t i = 0; i < q->sx->n_scenarios; i++) {
        const struct sx_summary *s = q->sx->scenarios[i];
        if (!q->q->scenario || !strcmp(s->func->name, q->q->scenario))
            add_verdict(q, (struct verify_verdict){.property = property,
                                                   .status = VERIFY_HOLDS,
                                                   .reach = VERIFY_UNREACHED,
                                                   .scenario = s,
                                                   .bound = (unsigned)s->n_calls});
    }
}

/* Properties that nothing has been said about: limits (`late`: reached before the question was
 * asked), or places that no run reaches.  Checks of code that does not run are not worth a line,
 * unless there is nothing else. */
static void close_rest(struct inquiry *q, bool late)
{
    bool nothing = q->verdicts.len == 0;
    for (uint32_t p = 0; p < q->props->v.len; p++) {
        bool said = false;
        for (size_t i = 0; i < q->verdicts.len; i++)
            said |= q->verdicts.data[i].property == p;
        if (said)
            continue;
        bool final = q->props->v.data[p].kind == VERIFY_FINAL;
        if (limit_reached())
            add_verdict(q,
                        (struct verify_verdict){.property = p,
                                                .status = VERIFY_UNKNOWN,
                                                .reason = limit_text_of(late ? "not tried" : "")});
        else if (final && !q->q->prove_only)
            add_verdict(q, (struct verify_verdict){.property = p,
                                                   .status = VERIFY_UNKNOWN,
                                                   .reason = "a FINAL predicate needs a scenario"});
        else if (q->q->prove_only && q->open[p])
            add_verdict(q, not_proved(q, p));
        else if (!q->q->prove_only && runs_scenarios(q) &&
                 (q->props->v.data[p].kind == VERIFY_ASSERT || nothing))
            never_called(q, p);
    }
}

static void finish(struct inquiry *q)
{
    verdicts_sum_up(&q->verdicts, q->r);
    for (uint32_t p = 0; p < q->props->v.len; p++)
        verify_gap_free(q->gaps[p]);
    vec_free(&q->verdicts);
    mem_free(q->open);
    mem_free(q->gaps);
    mem_free(q->unproved);
    mem_free(q->needs);
    mem_free(q->n_needs);
}

struct verify_result *verify_run(struct verify_program *v, const struct verify_question *ask)
{
    struct verify_result *r = mem_calloc(1, sizeof *r);
    size_t n = v->shared->props.v.len;
    struct inquiry q = {.v = v,
                        .q = ask,
                        .r = r,
                        .props = &v->shared->props,
                        .pool = ask->pool ? ask->pool : enc_pool_new()};
    q.open = mem_calloc(n + 1, sizeof *q.open);
    q.gaps = mem_calloc(n + 1, sizeof *q.gaps);
    q.unproved = mem_calloc(n + 1, sizeof *q.unproved);
    q.needs = mem_calloc(n + 1, sizeof *q.needs);
    q.n_needs = mem_calloc(n + 1, sizeof *q.n_needs);
    memset(q.open, true, n);
    set_levels(&q);
    q.deadline = ask->seconds > 0 ? stats_wall_seconds() + ask->seconds : 0;
    enc_pool_deadline(q.pool, q.deadline);
    r->program = q.sx;
    r->model = ask->model;
    r->n_properties = n;
    r->properties = arena_copy(&r->arena, q.props->v.data, n * sizeof *r->properties);
    r->error = check_question(&q);
    bool late = limit_reached();
    if (!r->error && !late && !ask->bounded)
        prove(&q);
    if (!r->error && !late && !ask->prove_only)
        run_all(&q);
    if (!r->error)
        close_rest(&q, late);
    finish(&q);
    r->out_of_time = q.deadline > 0 && stats_wall_seconds() >= q.deadline - 0.1;
    enc_pool_deadline(q.pool, 0);
    if (!ask->pool)
        enc_pool_free(q.pool);
    return r;
}
