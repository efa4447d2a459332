/* One bounded run, of a scenario or of any n instances.
 *
 * Every property becomes one goal (the disjunction over its instances).  One check asks whether any
 * goal can be reached; if not, all properties hold at once.  Otherwise the goals that the execution
 * reaches are settled, and the check is repeated for the rest.
 *
 * HOLDS needs two more facts: some execution exists at all (else: vacuous), and no loop bound can
 * be hit (else: unknown, since executions beyond the bound were not looked at). */
#include "encode/run.h"

#include <limits.h>
#include <string.h>

#include "base/limit.h"
#include "base/stats.h"
#include "encode/decode.h"
#include "encode/minimise.h"
#include "encode/rerun.h"
#include "encode/run_internal.h"

/* In the solver's units of work, of which a second has two to forty million. */
#define EVENT_TURN 1000000u
#define SLOT_TURN 20000000u
#define LONG_TURN 150000000u

/* ---- answers ------------------------------------------------------------------------------- */

void run_settle(struct run *r, struct target *t, enum verify_status status, const char *reason,
                struct execution *x)
{
    t->unsettled = false;
    /* A predicate's check may be asked in several predicates that share a helper: one item. */
    for (size_t i = r->first; i < r->out->len; i++) {
        struct run_item *item = &r->out->data[i];
        if (item->property == t->property && x == NULL && item->status == status)
            return;
    }
    struct run_item item = {.property = t->property,
                            .status = status,
                            .reason = reason ? arena_strdup(r->in->arena, reason) : NULL,
                            .execution = x,
                            .reach = t->reach,
                            .fails = t->fails,
                            .seconds = stats_wall_seconds() - r->start};
    vec_push(r->out, item);
    if (r->race)
        race_settled(r->race, t->property);
}

void run_settle_rest(struct run *r, enum verify_status status, const char *reason)
{
    for (size_t i = 0; i < r->targets.len; i++)
        if (r->targets.data[i].unsettled)
            run_settle(r, &r->targets.data[i], status, reason, NULL);
}

/* The solver has an execution: read it, run it again. */
struct execution *run_confirmed(struct run *r, const struct target *t, const char **error)
{
    struct execution *x = decode(r->e, r->p, t->pred, t->place, r->observer_sets, error);
    x->model = r->in->question->levels ? NULL : r->in->question->model;
    if (r->in->of.props->v.data[t->property].kind == VERIFY_SERIALIZABLE)
        robust_observe(x);
    if (!*error)
        *error = replay_confirm(r->in->ast, x, &r->in->of.props->v.data[t->property], &x->arena);
    return x;
}

/* Locals get a value wherever they might be read before they are assigned; most are not.  The run
 * used those without whose value the interpreter does not come to the same. */
static void find_used(struct run *r, const struct target *t, const struct execution *x,
                      struct exec_input *in, size_t n)
{
    static const term_int other[] = {1, 64}; /* bits: no value leaves its type */
    for (size_t i = 0; i < n; i++) {
        term_int value = in[i].value;
        if (!in[i].local || !in[i].used)
            continue;
        in[i].used = false;
        for (int k = 0; k < (in[i].type->is_bool ? 1 : 2) && !in[i].used; k++) {
            in[i].value = value ^ other[k];
            in[i].used = replay_confirm(r->in->ast, x, &r->in->of.props->v.data[t->property],
                                        r->in->arena) != NULL;
        }
        in[i].value = value;
    }
}

void run_complete(struct run *r, const struct target *t, struct execution *x)
{
    x->values = replay_values(r->in->ast, x, &r->in->of.props->v.data[t->property], &x->arena);
    find_used(r, t, x, x->inputs, x->n_inputs);
    for (uint32_t k = 0; k < x->n_txns; k++)
        find_used(r, t, x, x->txns[k].inputs, x->txns[k].n_inputs);
}

/* "invariant solvent", "3 properties": what is not settled. */
static void rest_text(const struct run *r, char *out, size_t size)
{
    static const char *const kinds[] = {
        [VERIFY_INVARIANT] = "invariant ", [VERIFY_FINAL] = "FINAL "};
    const struct verify_property *only = NULL;
    size_t n = 0;
    for (size_t i = 0; i < r->targets.len; i++)
        if (r->targets.data[i].unsettled) {
            const struct verify_property *p = &r->in->of.props->v.data[r->targets.data[i].property];
            n += p != only;
            only = p;
        }
    if (n == 1)
        snprintf(out, size, "%s%s", only->kind <= VERIFY_FINAL ? kinds[only->kind] : "",
                 only->name);
    else
        snprintf(out, size, "%zu properties", n);
}

static const char *under_text(const struct run *r)
{
    const struct verify_question *q = r->in->question;
    return q->levels || !q->model ? "mixed levels" : q->model->name;
}

/* What the run does now: Z3's part of the work, or ours. */
static void say_phase(const struct run *r, const char *verb)
{
    char what[160];
    const char *under = under_text(r);
    rest_text(r, what, sizeof what);
    if (r->in->scenario == RUN_ANY)
        limit_phase("%s %s under %s, %u transactions", verb, what, under, r->in->n);
    else
        limit_phase("%s %s under %s, scenario %s", verb, what, under,
                    r->in->of.sx->scenarios[r->in->scenario]->func->name);
}

/* The first execution is the verdict; a smaller one is welcome if it is confirmed, too. */
static void violated(struct run *r, struct target *t)
{
    const char *error = NULL, *small_error = NULL;
    struct execution *x = run_confirmed(r, t, &error);
    bool keep = r->in->question->keep_raw || r->in->quietly || error;
    limit_phase("minimising the counterexample to %s", r->in->of.props->v.data[t->property].name);
    if (!keep && minimise(r->e, r->p, t->pred, t->goal)) {
        struct execution *small = run_confirmed(r, t, &small_error);
        exec_free(x);
        x = small;
        error = small_error;
    }
    if (error)
        error = arena_printf(r->in->arena, "the execution found is not confirmed: %s", error);
    else
        run_complete(r, t, x);
    run_settle(r, t, error ? VERIFY_INTERNAL_ERROR : VERIFY_VIOLATED, error, x);
}

/* ---- questions ----------------------------------------------------------------------------- */

/* A check that another thread may spare us. */
enum enc_answer run_check(struct run *r, uint32_t goal)
{
    if (!r->race)
        return enc_check(r->e, &goal, 1);
    if (!race_enter(r->race))
        return ENC_UNKNOWN;
    enum enc_answer answer = enc_check(r->e, &goal, 1);
    race_leave(r->race);
    return answer;
}

bool run_spared(const struct run *r)
{
    return r->race && race_over(r->race);
}

/* What is not settled here, another thread has settled. */
static void take_answers(struct run *r)
{
    for (size_t i = 0; i < r->targets.len; i++) {
        struct target *t = &r->targets.data[i];
        const struct run_item *item = t->unsettled ? race_answer(r->race, t->property) : NULL;
        if (item) {
            t->reach = item->reach;
            t->fails = item->fails;
            run_settle(r, t, item->status, item->reason, NULL);
        }
    }
    r->retry = false;
}

/* The solver did not answer.  Out of work: another encoding.  Non-linear arithmetic, say:
 * bit-vectors are complete. */
void run_give_up(struct run *r)
{
    if (!limit_reached()) {
        r->exhausted = enc_exhausted(r->e);
        r->incomplete = !r->bits && strstr(enc_why(r->e), "incomplete");
        r->retry = r->exhausted || r->incomplete;
    }
    if (!r->retry)
        run_settle_rest(r, VERIFY_UNKNOWN, enc_why(r->e));
}

/* A goal that is reached if that of any target is which is not settled; false if all are. */
static bool goal_of_rest(struct run *r, uint32_t *goal)
{
    VEC(uint32_t) goals = {0};
    for (size_t i = 0; i < r->targets.len; i++)
        if (r->targets.data[i].unsettled)
            vec_push(&goals, r->targets.data[i].goal);
    bool some = goals.len > 0;
    *goal = goals.len == 1 ? goals.data[0] : enc_goal_any(r->e, goals.data, goals.len);
    vec_free(&goals);
    return some;
}

static enum enc_answer ask_solver(struct run *r, uint32_t goal)
{
    if (r->in->question->dump_smt2 && !r->in->quietly)
        enc_dump(r->e, "an execution that violates a property", &goal, 1,
                 r->in->question->dump_smt2);
    say_phase(r, "Z3 decided");
    return run_check(r, goal);
}

/* The solver's model reaches some goals: settle these.  False if it reaches none. */
static bool settle_reached(struct run *r)
{
    /* Which ones?  Ask before minimising changes the model. */
    VEC(size_t) reached = {0};
    for (size_t i = 0; i < r->targets.len; i++)
        if (r->targets.data[i].unsettled && enc_goal_true(r->e, r->targets.data[i].goal))
            vec_push(&reached, i);
    for (size_t i = 0; i < reached.len; i++) {
        struct target *t = &r->targets.data[reached.data[i]];
        if (enc_check(r->e, &t->goal, 1) == ENC_YES)
            r->robust ? run_judge(r, t) : violated(r, t);
        else
            run_settle(r, t, VERIFY_UNKNOWN, enc_why(r->e), NULL);
    }
    bool some = reached.len > 0;
    vec_free(&reached);
    return some;
}

/* One round: can any goal be reached that is not settled?  True if there may be more. */
static bool search_violation(struct run *r)
{
    uint32_t goal;
    if (!goal_of_rest(r, &goal))
        return false;
    enum enc_answer answer = ask_solver(r, goal);
    if (answer == ENC_YES && run_spared(r)) {
        run_settle_rest(r, VERIFY_INTERNAL_ERROR, "two encodings give different answers");
        return false;
    }
    if (answer == ENC_UNKNOWN && !run_spared(r))
        run_give_up(r);
    if (answer != ENC_YES)
        return false;
    if (settle_reached(r))
        return true;
    run_settle_rest(r, VERIFY_INTERNAL_ERROR, "the solver's model reaches none of the goals");
    return false;
}

/* ---- the run ------------------------------------------------------------------------------- */

/* Every state may be the initial one that satisfies the invariants, for all values of their
 * parameters.  NULL, or why that cannot be said; or that the constraints cannot be stated. */
static const char *assume_start(struct run *r)
{
    const struct sx_program *sx = r->p->sx;
    prob_for_alls all = {0};
    const char *why = r->p->constraint_error;
    vec_clear(&r->p->assumed);
    for (uint32_t i = 0; r->p->any_state && i < sx->n_invariants && !why; i++)
        why = prob_for_all(r->p, sx->invariants[i], &all);
    for (size_t i = 0; i < all.len && !why; i++) {
        vec_push(&r->p->assumed, all.data[i].pred);
        enc_assume_initially(r->e, all.data[i].pred, all.data[i].holds);
    }
    vec_free(&all);
    return why;
}

static struct enc_options options_of(const struct run *r)
{
    return (struct enc_options){.observer = r->in->initially ? NULL : r->in->observer,
                                .observer_sets = r->observer_sets,
                                .pool = r->in->pool,
                                .seed = r->in->seed,
                                .stop = r->race ? race_stop(r->race) : r->in->stop,
                                .bits = r->bits,
                                .work = r->work,
                                .seconds = r->in->seconds};
}

static void attempt(struct run *r)
{
    struct enc_options options = options_of(r);
    limit_phase("building the formula under %s", under_text(r));
    r->e = r->slots ? enc_slot(r->p, &options) : enc_event(r->p, &options);
    const char *why_not = assume_start(r);
    r->retry = r->exhausted = r->incomplete = false;
    run_find_targets(r);
    if (why_not)
        run_settle_rest(r, VERIFY_UNKNOWN, why_not);
    while (search_violation(r) && !limit_reached())
        ;
    if (!r->retry && !run_spared(r) && limit_reached())
        run_settle_rest(r, VERIFY_UNKNOWN, limit_text());
    enc_limit_work(r->e, 0);
    if (!r->retry && !run_spared(r))
        run_settle_holding(r);
    if (run_spared(r))
        take_answers(r);
    if (r->in->question->stats) {
        r->in->question->stats->solver_queries += enc_checks(r->e);
        r->in->question->stats->solve_seconds += enc_seconds(r->e);
    }
    robust_free(r->robust);
    r->robust = NULL;
    enc_free(r->e);
}

/* ---- the portfolio ------------------------------------------------------------------------- */

/* Most questions do not outlast the first turns; then other threads join in. */
static void call_others(struct run *r, bool slots)
{
    size_t n = r->in->of.props->v.len;
    bool *unsettled = mem_calloc(n + 1, sizeof *unsettled);
    for (size_t i = 0; i < r->targets.len; i++)
        unsettled[r->targets.data[i].property] |= r->targets.data[i].unsettled;
    r->race = race_start(r->in, unsettled, slots);
    mem_free(unsettled);
}

/* The two encodings take turns with growing budgets of work: a short one for events, which find
 * most violations at once; a longer one for slots, which prove most of what holds; then long ones.
 * Budgets are counted in the solver's own units, so which one answers does not depend on the
 * machine. */
static void take_turns(struct run *r, bool slots)
{
    bool race = r->in->question->encoding == VERIFY_RACE;
    unsigned budget = race ? 1 : EVENT_TURN;
    for (int turn = 1;; turn++) {
        r->slots = slots && turn % 2 == 0;
        r->work = budget;
        attempt(r);
        if (r->incomplete) {
            r->bits = true;
            attempt(r);
        }
        if (!r->retry)
            return;
        if (turn == 2)
            call_others(r, slots);
        if (turn == 1 && !race)
            budget = SLOT_TURN;
        else if (turn == 2 && !race)
            budget = LONG_TURN;
        else if (turn % 2 == 0) /* both have had it */
            budget = budget < UINT_MAX / 8 ? budget * 4 : 0;
    }
}

static void one_encoding(struct run *r, bool slots)
{
    r->slots = slots;
    attempt(r);
    if (r->incomplete) {
        r->bits = true;
        attempt(r);
    }
}

static struct problem *problem_of(const struct run_input *in)
{
    bool sessions = !in->question->no_session_order;
    struct sx_program *sx = in->of.sx;
    return in->scenario == RUN_ANY
               ? prob_any(sx, in->n, in->levels, sessions, in->any_state)
               : prob_scenario(sx, sx->scenarios[in->scenario], in->levels, sessions);
}

void run_bounded(const struct run_input *in, run_items *out)
{
    struct run r = {.in = in, .p = problem_of(in), .out = out, .start = stats_wall_seconds()};
    r.first = out->len;
    run_copy_predicates(&r);
    r.bits = enc_needs_bits(r.p, r.preds.data, r.preds.len);
    struct enc_options options = options_of(&r);
    bool suits = !in->initially && enc_slot_suits(r.p, &options);
    bool slots = in->question->encoding == VERIFY_SLOT && !in->question->judge;
    bool fixed = in->question->encoding == VERIFY_EVENT || slots || in->question->judge;
    if (fixed || in->initially)
        one_encoding(&r, slots && suits);
    else
        take_turns(&r, suits);
    if (r.race && enc_stop_asked(race_stop(r.race)))
        enc_pool_renew(in->pool);
    race_end(r.race, in->question->stats);
    vec_free(&r.preds);
    vec_free(&r.targets);
    prob_free(r.p);
}
