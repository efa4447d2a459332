/* Questions and answers: which runs a question needs, and the verdicts that they give; what these
 * add up to is said in verdicts.c.
 *
 * A program with scenarios is run once per scenario; one without, with any 2, 3, … instances of its
 * transactions.  Before that the proof rule is tried (proof.c): what it proves needs no run. */
#include "encode/verify.h"

#include <assert.h>
#include <string.h>

#include "base/limit.h"
#include "encode/inquiry.h"
#include "encode/proof/proof.h"
#include "encode/robust.h"

/* ---- questions ----------------------------------------------------------------------------- */

static const struct sx_summary *find_scenario(const struct sx_program *sx, const char *name)
{
    for (uint32_t i = 0; i < sx->n_scenarios; i++)
        if (!strcmp(sx->scenarios[i]->func->name, name))
            return sx->scenarios[i];
    return NULL;
}

/* The levels of one database may be mixed.  (InnoDB's SERIALIZABLE locks whatever it reads; how
 * that goes with its other levels was not measured.) */
static const char *check_levels(const struct inquiry *q)
{
    const struct model *first = q->levels[0];
    bool servers = false, uniform = true;
    for (uint32_t i = 0; i < q->sx->n_txns; i++) {
        servers |= model_is_server(q->levels[i]);
        uniform &= q->levels[i] == first;
    }
    for (uint32_t i = 0; servers && i < q->sx->n_txns; i++) {
        const struct model *m = q->levels[i];
        if (!model_is_server(m) || !model_is_server(first))
            return "the level of a database goes with levels of the same database only";
        if (m->engine != first->engine)
            return "the transactions of one execution are in one database";
        if (!uniform && m->id == MODEL_MY_SER)
            return "my-ser together with other levels has not been measured";
    }
    if (servers && q->q->judge)
        return "robustness is a question about the models ec to si";
    if (q->q->judge && q->sx->n_constraints)
        return "robustness is a question about programs without CONSTRAINT: a serial order would "
               "have to satisfy it, too";
    if (servers && q->sx->options.granularity == SX_FIELD)
        return "the levels of databases say what becomes of columns: leave out --granularity field";
    return NULL;
}

/* What is wrong with the question, or NULL. */
static const char *check_question(struct inquiry *q)
{
    const struct verify_question *ask = q->q;
    const char *levels = check_levels(q);
    if (levels)
        return levels;
    if (ask->scenario && !find_scenario(q->sx, ask->scenario))
        return arena_printf(&q->r->arena, "there is no scenario \"%s\"", ask->scenario);
    if (ask->scenario && ask->txns)
        return "a scenario has its own transactions: give either a scenario or a number";
    if (q->sx->n_txns == 0)
        return "the program has no TRANSACTION";
    if (ask->judge && ask->levels)
        return "robustness is a question about one model for all transactions";
    if (ask->bounded && ask->prove_only)
        return "nothing is left to do: neither bounded runs nor the proof rule";
    return NULL;
}

static void set_levels(struct inquiry *q)
{
    uint32_t n = q->v->shared->first->sx.n_txns;
    q->levels = arena_array(&q->r->arena, const struct model *, n + 2);
    for (uint32_t i = 0; i < n; i++)
        q->levels[i] = q->q->levels ? q->q->levels[i] : q->q->model;
    q->levels[n] = q->q->model; /* the observer's */
    q->kind = prob_reads_for(q->levels, n + 1);
}

/* NULL, or why the program could not be executed with the kind of reads that the question needs.
 * Then the summaries, for names and places, are those that were made when the program was opened.
 */
static const char *set_summaries(struct inquiry *q)
{
    enum sx_reads kind = q->kind;
    bool sized = verify_is_sized(q->v->ast);
    if (sized)
        q->max_rows = q->q->max_rows ? q->q->max_rows : VERIFY_ROWS;
    const char *why = inquiry_set_rows(q, sized);
    if (!why)
        return NULL;
    q->kind = SX_READS_EACH;
    const char *never = inquiry_set_rows(q, sized);
    assert(!never);
    (void)never;
    q->kind = kind;
    return why;
}

/* Does the property occur in a run of the scenario? */
static bool occurs_in(const struct inquiry *q, uint32_t property, const struct sx_summary *scenario)
{
    const struct properties *props = q->props;
    if (props->v.data[property].kind <= VERIFY_SERIALIZABLE ||
        properties_in(props, property, scenario))
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
        if (q->unsettled[p] && occurs_in(q, p, scenario))
            inquiry_add(q, (struct verify_verdict){.property = p,
                                                   .status = VERIFY_UNKNOWN,
                                                   .reason = limit_text_of("not tried"),
                                                   .scenario = scenario,
                                                   .bound = (unsigned)scenario->n_calls});
}

static void run_all(struct inquiry *q)
{
    const struct verify_question *ask = q->q;
    if (inquiry_has_start(q)) {
        if (!ask->judge)
            inquiry_run_initially(q);
        if (!limit_reached())
            inquiry_find_filled(q);
    }
    if (!inquiry_runs_scenarios(q)) {
        inquiry_run_growing(q, inquiry_starts_anywhere(q));
        return;
    }
    for (uint32_t i = 0; i < q->sx->n_scenarios; i++)
        if (ask->scenario && strcmp(q->sx->scenarios[i]->func->name, ask->scenario) != 0)
            continue;
        else if (limit_reached())
            skip_scenario(q, q->sx->scenarios[i]);
        else
            inquiry_run_scenario(q, i);
}

/* The place is in no transaction that the scenarios call. */
static void never_called(struct inquiry *q, uint32_t property)
{
    for (uint32_t i = 0; i < q->sx->n_scenarios; i++) {
        const struct sx_summary *s = q->sx->scenarios[i];
        if (!q->q->scenario || !strcmp(s->func->name, q->q->scenario))
            inquiry_add(q, (struct verify_verdict){.property = property,
                                                   .status = VERIFY_HOLDS,
                                                   .reach = VERIFY_UNREACHED,
                                                   .scenario = s,
                                                   .bound = (unsigned)s->n_calls});
    }
}

/* Properties that nothing has been said about: limits (`late`: reached before the question was
 * asked), a program that could not be executed (`stopped`: why, or NULL), or places that no run
 * reaches.  Checks of code that does not run are not worth a line, unless there is nothing else. */
static void close_rest(struct inquiry *q, bool late, const char *stopped)
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
            inquiry_add(q,
                        (struct verify_verdict){.property = p,
                                                .status = VERIFY_UNKNOWN,
                                                .reason = limit_text_of(late ? "not tried" : "")});
        else if (stopped)
            inquiry_add(q, (struct verify_verdict){
                               .property = p, .status = VERIFY_UNKNOWN, .reason = stopped});
        else if (final && !q->q->prove_only)
            inquiry_add(q, (struct verify_verdict){.property = p,
                                                   .status = VERIFY_UNKNOWN,
                                                   .reason = "a FINAL predicate needs a scenario"});
        else if (q->q->prove_only && q->unsettled[p])
            inquiry_add(q, inquiry_not_proved(q, p));
        else if (!q->q->prove_only && inquiry_runs_scenarios(q) &&
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
    mem_free(q->unsettled);
    mem_free(q->gaps);
    mem_free(q->unproved);
    mem_free(q->needs);
    mem_free(q->n_needs);
}

struct verify_result *verify_run(struct verify_program *v, const struct verify_question *ask)
{
    struct verify_result *r = mem_calloc(1, sizeof *r);
    const struct properties *props = ask->judge ? robust_properties(&r->arena) : &v->shared->props;
    size_t n = props->v.len;
    struct inquiry q = {
        .v = v, .q = ask, .r = r, .props = props, .pool = ask->pool ? ask->pool : enc_pool_new()};
    q.unsettled = mem_calloc(n + 1, sizeof *q.unsettled);
    q.gaps = mem_calloc(n + 1, sizeof *q.gaps);
    q.unproved = mem_calloc(n + 1, sizeof *q.unproved);
    q.needs = mem_calloc(n + 1, sizeof *q.needs);
    q.n_needs = mem_calloc(n + 1, sizeof *q.n_needs);
    memset(q.unsettled, true, n);
    set_levels(&q);
    const char *stopped = set_summaries(&q);
    q.deadline = ask->seconds > 0 ? stats_wall_seconds() + ask->seconds : 0;
    enc_pool_deadline(q.pool, q.deadline);
    r->program = q.sx;
    r->model = ask->model;
    r->n_properties = n;
    r->properties = arena_copy(&r->arena, q.props->v.data, n * sizeof *r->properties);
    r->error = check_question(&q);
    bool late = limit_reached(), begins = !r->error && !late && !stopped;
    if (begins && !ask->bounded && ask->judge)
        inquiry_prove_robust(&q);
    else if (begins && !ask->bounded)
        inquiry_prove(&q);
    if (begins && !ask->prove_only)
        run_all(&q);
    if (!r->error)
        close_rest(&q, late, stopped);
    finish(&q);
    r->out_of_time = q.deadline > 0 && stats_wall_seconds() >= q.deadline - 0.1;
    enc_pool_deadline(q.pool, 0);
    if (!ask->pool)
        enc_pool_free(q.pool);
    return r;
}
