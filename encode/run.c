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
#include "encode/loops.h"
#include "encode/minimise.h"
#include "encode/race.h"
#include "encode/rerun.h"

/* In the solver's units of work, of which a second has two to forty million. */
#define EVENT_TURN 1000000u
#define SLOT_TURN 20000000u
#define LONG_TURN 150000000u

/* A property and what reaches it. */
struct target {
    uint32_t property;
    struct prob_predicate *pred; /* or NULL: points of the problem */
    size_t pred_point;           /* a check inside the predicate, or SIZE_MAX: its value */
    enum enc_place place;
    uint32_t goal;
    bool open;
    enum verify_reach reach;
    const struct sx_point *fails;
};

struct run {
    const struct run_input *in;
    struct problem *p;
    struct enc *e;
    VEC(struct prob_predicate *) preds;
    VEC(struct target) targets;
    uint32_t observer_sets;
    run_items *out;
    size_t first; /* of this run in `out` */
    double start;
    bool bits, slots;
    bool retry, exhausted, incomplete; /* why the attempt gave up, if it did */
    unsigned work;
    struct race *race; /* or NULL: alone */
};

/* ---- what there is to ask ------------------------------------------------------------------ */

static bool wanted(const struct run *r, uint32_t property)
{
    if (property == PROPERTY_NONE || !r->in->wanted[property])
        return false;
    for (size_t i = r->first; i < r->out->len; i++)
        if (r->out->data[i].property == property)
            return false; /* settled by an earlier attempt */
    return true;
}

/* Is the predicate, or a check inside it, wanted? */
static bool wants_predicate(const struct run *r, const struct sx_summary *sum)
{
    if (wanted(r, properties_of_predicate(r->in->of.props, sum->func)))
        return true;
    for (size_t i = 0; i < sum->n_points; i++)
        if (wanted(r, properties_of_point(r->in->of.props, r->p->sx, &sum->points[i])))
            return true;
    return false;
}

/* Predicates are copied with the observer's kind of snapshot; in the final state all sets are the
 * same, so any kind will do. */
static void copy_predicates(struct run *r)
{
    const struct sx_program *sx = r->p->sx;
    const struct model *level = r->in->observer ? r->in->observer : model_get(MODEL_SER);
    for (uint32_t i = 0; i < sx->n_invariants; i++)
        if (wants_predicate(r, sx->invariants[i]))
            vec_push(&r->preds, prob_predicate(r->p, sx->invariants[i], level));
    for (uint32_t i = 0; i < sx->n_finals && r->p->scenario && !r->in->initially; i++)
        if (wants_predicate(r, sx->finals[i]))
            vec_push(&r->preds, prob_predicate(r->p, sx->finals[i], level));
    r->observer_sets = 1;
    for (size_t i = 0; i < r->preds.len; i++)
        if (r->preds.data[i]->n_points > r->observer_sets)
            r->observer_sets = r->preds.data[i]->n_points;
}

static enum enc_place place_for(const struct run *r, const struct prob_predicate *pred)
{
    if (r->in->initially)
        return ENC_INITIAL;
    return r->in->observer && pred->sum->func->role == AST_INVARIANT ? ENC_SEEN : ENC_FINAL;
}

static void target_predicates(struct run *r)
{
    for (size_t i = 0; i < r->preds.len; i++) {
        struct prob_predicate *pred = r->preds.data[i];
        struct target t = {.property = properties_of_predicate(r->in->of.props, pred->sum->func),
                           .pred = pred,
                           .pred_point = SIZE_MAX,
                           .place = place_for(r, pred),
                           .open = true,
                           .reach = VERIFY_REACHED};
        if (wanted(r, t.property)) {
            t.goal = enc_goal_violated(r->e, pred, t.place);
            vec_push(&r->targets, t);
        }
        for (size_t k = 0; k < pred->sum->n_points; k++) {
            t.property = properties_of_point(r->in->of.props, r->p->sx, &pred->sum->points[k]);
            if (!wanted(r, t.property))
                continue;
            t.pred_point = k;
            t.goal = enc_goal_predicate_point(r->e, pred, k, t.place);
            vec_push(&r->targets, t);
        }
    }
}

/* The instances of a place make one goal.  A place that cannot be reached in this problem at all
 * still gets its item, if its function takes part. */
static void target_points(struct run *r)
{
    for (uint32_t i = 0; i < r->in->of.props->v.len; i++) {
        if (!wanted(r, i) || r->in->of.props->v.data[i].kind <= VERIFY_FINAL)
            continue;
        VEC(uint32_t) goals = {0};
        for (size_t k = 0; k < r->p->points.len; k++)
            if (properties_of_point(r->in->of.props, r->p->sx, r->p->points.data[k].of) == i &&
                (r->p->points.data[k].txn == PROB_INITIAL) == r->in->initially)
                vec_push(&goals, enc_goal_fires(r->e, k));
        bool occurs = goals.len > 0;
        for (size_t k = 0; k < r->p->txns.len && !r->in->initially; k++)
            for (size_t a = 0; a < r->p->txns.data[k].n_alts; a++)
                occurs |= properties_in(r->in->of.props, i, r->p->txns.data[k].alts[a].sum);
        if (r->p->scenario && !r->in->initially)
            occurs |= properties_in(r->in->of.props, i, r->p->scenario);
        if (occurs) {
            struct target t = {.property = i,
                               .pred_point = SIZE_MAX,
                               .place = ENC_FINAL,
                               .open = true,
                               .reach = VERIFY_REACHED};
            t.goal = enc_goal_any(r->e, goals.data, goals.len);
            vec_push(&r->targets, t);
        }
        vec_free(&goals);
    }
}

/* ---- answers ------------------------------------------------------------------------------- */

static void settle(struct run *r, struct target *t, enum verify_status status, const char *reason,
                   struct execution *x)
{
    t->open = false;
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

static void settle_open(struct run *r, enum verify_status status, const char *reason)
{
    for (size_t i = 0; i < r->targets.len; i++)
        if (r->targets.data[i].open)
            settle(r, &r->targets.data[i], status, reason, NULL);
}

/* The solver has an execution: read it, run it again. */
static struct execution *confirmed(struct run *r, const struct target *t, const char **error)
{
    struct execution *x = decode(r->e, r->p, t->pred, t->place, r->observer_sets, error);
    x->model = r->in->question->levels ? NULL : r->in->question->model;
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

static void complete(struct run *r, const struct target *t, struct execution *x)
{
    x->values = replay_values(r->in->ast, x, &r->in->of.props->v.data[t->property], &x->arena);
    find_used(r, t, x, x->inputs, x->n_inputs);
    for (uint32_t k = 0; k < x->n_txns; k++)
        find_used(r, t, x, x->txns[k].inputs, x->txns[k].n_inputs);
}

/* "invariant solvent", "3 properties": what is open. */
static void open_text(const struct run *r, char *out, size_t size)
{
    static const char *const kinds[] = {
        [VERIFY_INVARIANT] = "invariant ", [VERIFY_FINAL] = "FINAL "};
    const struct verify_property *only = NULL;
    size_t n = 0;
    for (size_t i = 0; i < r->targets.len; i++)
        if (r->targets.data[i].open) {
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
    open_text(r, what, sizeof what);
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
    struct execution *x = confirmed(r, t, &error);
    bool keep = r->in->question->keep_raw || r->in->quietly || error;
    limit_phase("minimising the counterexample to %s", r->in->of.props->v.data[t->property].name);
    if (!keep && minimise(r->e, r->p, t->goal)) {
        struct execution *small = confirmed(r, t, &small_error);
        exec_free(x);
        x = small;
        error = small_error;
    }
    if (error)
        error = arena_printf(r->in->arena, "the execution found is not confirmed: %s", error);
    else
        complete(r, t, x);
    settle(r, t, error ? VERIFY_INTERNAL_ERROR : VERIFY_VIOLATED, error, x);
}

/* ---- questions ----------------------------------------------------------------------------- */

/* A check that another thread may spare us. */
static enum enc_answer check(struct run *r, uint32_t goal)
{
    if (!r->race)
        return enc_check(r->e, &goal, 1);
    if (!race_enter(r->race))
        return ENC_UNKNOWN;
    enum enc_answer answer = enc_check(r->e, &goal, 1);
    race_leave(r->race);
    return answer;
}

static bool spared(const struct run *r)
{
    return r->race && race_over(r->race);
}

/* What is still open, another thread has settled. */
static void take_answers(struct run *r)
{
    for (size_t i = 0; i < r->targets.len; i++) {
        struct target *t = &r->targets.data[i];
        const struct run_item *item = t->open ? race_answer(r->race, t->property) : NULL;
        if (item) {
            t->reach = item->reach;
            t->fails = item->fails;
            settle(r, t, item->status, item->reason, NULL);
        }
    }
    r->retry = false;
}

/* The solver did not answer.  Out of work: another encoding.  Non-linear arithmetic, say:
 * bit-vectors are complete. */
static void give_up(struct run *r)
{
    if (!limit_reached()) {
        r->exhausted = enc_exhausted(r->e);
        r->incomplete = !r->bits && strstr(enc_why(r->e), "incomplete");
        r->retry = r->exhausted || r->incomplete;
    }
    if (!r->retry)
        settle_open(r, VERIFY_UNKNOWN, enc_why(r->e));
}

/* One round: is any open goal reachable?  True if there may be more. */
static bool ask_open(struct run *r)
{
    VEC(uint32_t) goals = {0};
    for (size_t i = 0; i < r->targets.len; i++)
        if (r->targets.data[i].open)
            vec_push(&goals, r->targets.data[i].goal);
    uint32_t any = goals.len == 1 ? goals.data[0] : enc_goal_any(r->e, goals.data, goals.len);
    bool none = goals.len == 0;
    vec_free(&goals);
    if (none)
        return false;
    if (r->in->question->dump_smt2 && !r->in->quietly)
        enc_dump(r->e, "an execution that violates a property", &any, 1,
                 r->in->question->dump_smt2);
    say_phase(r, "Z3 decided");
    enum enc_answer answer = check(r, any);
    if (answer == ENC_YES && spared(r)) {
        settle_open(r, VERIFY_INTERNAL_ERROR, "two encodings give different answers");
        return false;
    }
    if (answer == ENC_UNKNOWN && spared(r))
        return false;
    if (answer == ENC_UNKNOWN)
        give_up(r);
    if (answer != ENC_YES)
        return false;
    /* Which ones does it reach?  Ask before minimising changes the model. */
    VEC(size_t) reached = {0};
    for (size_t i = 0; i < r->targets.len; i++)
        if (r->targets.data[i].open && enc_goal_true(r->e, r->targets.data[i].goal))
            vec_push(&reached, i);
    for (size_t i = 0; i < reached.len; i++)
        if (enc_check(r->e, &r->targets.data[reached.data[i]].goal, 1) == ENC_YES)
            violated(r, &r->targets.data[reached.data[i]]);
        else
            settle(r, &r->targets.data[reached.data[i]], VERIFY_UNKNOWN, enc_why(r->e), NULL);
    bool more = reached.len > 0;
    vec_free(&reached);
    if (!more)
        settle_open(r, VERIFY_INTERNAL_ERROR, "the solver's model reaches none of the goals");
    return more;
}

/* ---- what HOLDS rests on ------------------------------------------------------------------- */

/* Loop bounds inside the predicates count as well. */
static uint32_t unwinding_goal(struct run *r)
{
    VEC(uint32_t) goals = {0};
    vec_push(&goals, enc_goal_unwinds(r->e));
    for (size_t i = 0; i < r->preds.len; i++)
        for (size_t k = 0; k < r->preds.data[i]->sum->n_points; k++)
            if (r->preds.data[i]->sum->points[k].kind == SX_UNWIND)
                vec_push(&goals, enc_goal_predicate_point(r->e, r->preds.data[i], k,
                                                          place_for(r, r->preds.data[i])));
    uint32_t goal = enc_goal_any(r->e, goals.data, goals.len);
    vec_free(&goals);
    return goal;
}

static const char *loop_text(struct run *r)
{
    loop_list loops = {0};
    for (size_t i = 0; i < r->p->points.len; i++)
        if (r->p->points.data[i].fires != TERM_FALSE)
            loops_add(&loops, r->p->points.data[i].of, 1);
    for (size_t i = 0; i < r->preds.len; i++)
        loops_add(&loops, r->preds.data[i]->sum->points, r->preds.data[i]->sum->n_points);
    const char *text = loops_text(&loops, r->p->sx->ast, r->in->arena);
    vec_free(&loops);
    return text;
}

/* ---- what is reached ----------------------------------------------------------------------- */

typedef VEC(uint32_t) goal_list;

/* With an alternative, assertions that the executor did not come to because of contradicting
 * assumptions count, too. */
static void add_reaching(struct run *r, uint32_t property, const struct sx_summary *sum,
                         const term_id *conditions, const struct prob_alt *alt, uint32_t txn,
                         goal_list *goals)
{
    const struct verify_property *p = &r->in->of.props->v.data[property];
    bool occurs = false;
    if (!properties_in(r->in->of.props, property, sum))
        return;
    for (size_t i = 0; i < sum->n_points; i++)
        if (properties_of_point(r->in->of.props, r->p->sx, &sum->points[i]) == property) {
            occurs = true;
            vec_push(goals, enc_goal_if(r->e, conditions[i], txn));
        }
    for (size_t i = 0; i < sum->n_points && alt && !occurs; i++)
        if (properties_contradiction(&sum->points[i], p->loc))
            vec_push(goals,
                     enc_goal_if(r->e, term_and(r->p->store, alt->chosen, alt->stops[i]), txn));
}

static const term_id *conditions_of(const struct prob_alt *alt, enum verify_reach reach)
{
    return reach == VERIFY_REACHED   ? alt->reached
           : reach == VERIFY_CHECKED ? alt->checked
                                     : alt->blocked;
}

/* The scenario's own points, as if it were an alternative of a transaction. */
static struct prob_alt scenario_alt(const struct problem *p)
{
    return (struct prob_alt){.sum = p->scenario,
                             .reached = p->scenario_reached,
                             .checked = p->scenario_checked,
                             .blocked = p->scenario_blocked,
                             .stops = p->scenario_stops};
}

/* Some instance reaches the assertion; or does, and a check fails; or fails to because of an
 * assumption. */
static uint32_t reach_goal(struct run *r, uint32_t property, enum verify_reach reach)
{
    goal_list goals = {0};
    for (uint32_t k = 0; k < r->p->txns.len; k++)
        for (size_t a = 0; a < r->p->txns.data[k].n_alts; a++) {
            const struct prob_alt *alt = &r->p->txns.data[k].alts[a];
            add_reaching(r, property, alt->sum, conditions_of(alt, reach),
                         reach == VERIFY_BLOCKED ? alt : NULL, k, &goals);
        }
    struct prob_alt own = scenario_alt(r->p);
    if (own.sum)
        add_reaching(r, property, own.sum, conditions_of(&own, reach), NULL, PROB_SCENARIO, &goals);
    uint32_t goal = enc_goal_any(r->e, goals.data, goals.len);
    vec_free(&goals);
    return goal;
}

/* The check that fails in the solver's model, where the assertion is reached. */
static const struct sx_point *failing_in(struct run *r, uint32_t property,
                                         const struct prob_alt *alt)
{
    bool here = false;
    for (size_t i = 0; i < alt->sum->n_points; i++)
        here |= properties_of_point(r->in->of.props, r->p->sx, &alt->sum->points[i]) == property &&
                enc_condition(r->e, alt->checked[i]);
    for (size_t i = 0; here && i < alt->sum->n_points; i++)
        if (properties_is_check(&alt->sum->points[i]) && enc_condition(r->e, alt->stops[i]))
            return &alt->sum->points[i];
    return NULL;
}

static const struct sx_point *failing_check(struct run *r, uint32_t property)
{
    struct prob_alt own = scenario_alt(r->p);
    const struct sx_point *found = own.sum ? failing_in(r, property, &own) : NULL;
    for (size_t k = 0; k < r->p->txns.len && !found; k++)
        for (size_t a = 0; a < r->p->txns.data[k].n_alts && !found; a++)
            found = failing_in(r, property, &r->p->txns.data[k].alts[a]);
    return found;
}

/* Why is the assertion not reached? */
static void explain_unreached(struct run *r, struct target *t)
{
    t->reach = VERIFY_UNREACHED;
    if (check(r, reach_goal(r, t->property, VERIFY_CHECKED)) == ENC_YES) {
        t->reach = VERIFY_CHECKED;
        t->fails = failing_check(r, t->property);
    } else if (check(r, reach_goal(r, t->property, VERIFY_BLOCKED)) == ENC_YES) {
        t->reach = VERIFY_BLOCKED;
    }
}

/* One execution shows of several assertions that they are reached. */
static void find_reached(struct run *r)
{
    VEC(size_t) open = {0};
    goal_list goals = {0};
    for (size_t i = 0; i < r->targets.len && !r->in->initially; i++)
        if (r->targets.data[i].open &&
            r->in->of.props->v.data[r->targets.data[i].property].kind == VERIFY_ASSERT) {
            vec_push(&open, i);
            vec_push(&goals, reach_goal(r, r->targets.data[i].property, VERIFY_REACHED));
        }
    enum enc_answer answer = ENC_YES;
    while (open.len && answer == ENC_YES) {
        answer = check(r, enc_goal_any(r->e, goals.data, goals.len));
        for (size_t i = open.len; answer == ENC_YES && i-- > 0;)
            if (enc_goal_met(r->e, goals.data[i])) {
                goals.data[i] = vec_pop(&goals);
                open.data[i] = vec_pop(&open);
            }
    }
    for (size_t i = 0; answer == ENC_NO && i < open.len; i++)
        explain_unreached(r, &r->targets.data[open.data[i]]);
    vec_free(&open);
    vec_free(&goals);
}

static void settle_holding(struct run *r)
{
    bool any = false;
    for (size_t i = 0; i < r->targets.len; i++)
        any |= r->targets.data[i].open;
    if (!any)
        return;
    enum enc_answer answer = r->in->initially ? ENC_YES : check(r, enc_goal_exists(r->e));
    if (answer == ENC_UNKNOWN && spared(r))
        return;
    if (answer == ENC_NO)
        settle_open(r, VERIFY_VACUOUS, "nothing satisfies the assumptions");
    if (answer == ENC_UNKNOWN)
        give_up(r);
    if (answer != ENC_YES)
        return;
    answer = check(r, unwinding_goal(r));
    if (answer == ENC_UNKNOWN && spared(r))
        return;
    if (answer == ENC_NO)
        find_reached(r);
    if (answer == ENC_NO)
        settle_open(r, VERIFY_HOLDS, NULL);
    else if (answer == ENC_YES)
        settle_open(r, VERIFY_UNKNOWN, loop_text(r));
    else
        give_up(r);
}

/* ---- the run ------------------------------------------------------------------------------- */

static void assume_start(struct run *r)
{
    const struct sx_program *sx = r->p->sx;
    vec_clear(&r->p->assumed);
    for (uint32_t i = 0; r->p->any_state && i < sx->n_invariants; i++) {
        struct prob_predicate *p = prob_predicate(r->p, sx->invariants[i], model_get(MODEL_SER));
        vec_push(&r->p->assumed, p);
        enc_assume_initially(r->e, p);
    }
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
    assume_start(r);
    vec_clear(&r->targets);
    r->retry = r->exhausted = r->incomplete = false;
    target_predicates(r);
    target_points(r);
    while (ask_open(r) && !limit_reached())
        ;
    if (!r->retry && !spared(r) && limit_reached())
        settle_open(r, VERIFY_UNKNOWN, limit_text());
    enc_limit_work(r->e, 0);
    if (!r->retry && !spared(r))
        settle_holding(r);
    if (spared(r))
        take_answers(r);
    if (r->in->question->stats) {
        r->in->question->stats->solver_queries += enc_checks(r->e);
        r->in->question->stats->solve_seconds += enc_seconds(r->e);
    }
    enc_free(r->e);
}

/* ---- the portfolio ------------------------------------------------------------------------- */

/* Most questions do not outlast the first turns; then other threads join in. */
static void call_others(struct run *r, bool slots)
{
    size_t n = r->in->of.props->v.len;
    bool *open = mem_calloc(n + 1, sizeof *open);
    for (size_t i = 0; i < r->targets.len; i++)
        open[r->targets.data[i].property] |= r->targets.data[i].open;
    r->race = race_start(r->in, open, slots);
    mem_free(open);
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
    copy_predicates(&r);
    r.bits = enc_needs_bits(r.p, r.preds.data, r.preds.len);
    struct enc_options options = options_of(&r);
    bool suits = !in->initially && enc_slot_suits(r.p, &options);
    bool fixed = in->question->encoding == VERIFY_EVENT || in->question->encoding == VERIFY_SLOT;
    if (fixed || in->initially)
        one_encoding(&r, in->question->encoding == VERIFY_SLOT && suits);
    else
        take_turns(&r, suits);
    if (r.race && enc_stop_asked(race_stop(r.race)))
        enc_pool_renew(in->pool);
    race_end(r.race, in->question->stats);
    vec_free(&r.preds);
    vec_free(&r.targets);
    prob_free(r.p);
}
