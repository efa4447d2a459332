/* What HOLDS rests on: some execution exists at all (else: vacuous), no loop bound can be hit
 * (else: unknown), and an assertion that nothing reaches says so. */
#include "encode/result/loops.h"
#include "encode/run_internal.h"

/* Loop bounds inside the predicates count as well. */
static uint32_t unwinding_goal(struct run *r)
{
    VEC(uint32_t) goals = {0};
    vec_push(&goals, enc_goal_unwinds(r->e));
    for (size_t i = 0; i < r->preds.len; i++)
        for (size_t k = 0; k < r->preds.data[i]->sum->n_points; k++)
            if (r->preds.data[i]->sum->points[k].kind == SX_UNWIND)
                vec_push(&goals, enc_goal_predicate_point(r->e, r->preds.data[i], k,
                                                          run_place(r, r->preds.data[i])));
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
    if (run_check(r, reach_goal(r, t->property, VERIFY_CHECKED)) == ENC_YES) {
        t->reach = VERIFY_CHECKED;
        t->fails = failing_check(r, t->property);
    } else if (run_check(r, reach_goal(r, t->property, VERIFY_BLOCKED)) == ENC_YES) {
        t->reach = VERIFY_BLOCKED;
    }
}

/* One execution shows of several assertions that they are reached. */
static void find_reached(struct run *r)
{
    VEC(size_t) rest = {0};
    goal_list goals = {0};
    for (size_t i = 0; i < r->targets.len && !r->in->initially; i++)
        if (r->targets.data[i].unsettled &&
            r->in->of.props->v.data[r->targets.data[i].property].kind == VERIFY_ASSERT) {
            vec_push(&rest, i);
            vec_push(&goals, reach_goal(r, r->targets.data[i].property, VERIFY_REACHED));
        }
    enum enc_answer answer = ENC_YES;
    while (rest.len && answer == ENC_YES) {
        answer = run_check(r, enc_goal_any(r->e, goals.data, goals.len));
        for (size_t i = rest.len; answer == ENC_YES && i-- > 0;)
            if (enc_goal_met(r->e, goals.data[i])) {
                goals.data[i] = vec_pop(&goals);
                rest.data[i] = vec_pop(&rest);
            }
    }
    for (size_t i = 0; answer == ENC_NO && i < rest.len; i++)
        explain_unreached(r, &r->targets.data[rest.data[i]]);
    vec_free(&rest);
    vec_free(&goals);
}

void run_settle_holding(struct run *r)
{
    bool any = false;
    for (size_t i = 0; i < r->targets.len; i++)
        any |= r->targets.data[i].unsettled;
    if (!any)
        return;
    enum enc_answer answer = r->in->initially ? ENC_YES : run_check(r, enc_goal_exists(r->e));
    if (answer == ENC_UNKNOWN && run_spared(r))
        return;
    if (answer == ENC_NO)
        run_settle_rest(r, VERIFY_VACUOUS, "nothing satisfies the assumptions");
    if (answer == ENC_UNKNOWN)
        run_give_up(r);
    if (answer != ENC_YES)
        return;
    answer = run_check(r, unwinding_goal(r));
    if (answer == ENC_UNKNOWN && run_spared(r))
        return;
    if (answer == ENC_NO)
        find_reached(r);
    if (answer == ENC_NO)
        run_settle_rest(r, VERIFY_HOLDS, NULL);
    else if (answer == ENC_YES)
        run_settle_rest(r, VERIFY_UNKNOWN, loop_text(r));
    else
        run_give_up(r);
}
