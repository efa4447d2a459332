/* What there is to ask in a run: every property that is wanted becomes a target, with one goal for
 * all its instances. */
#include "encode/run_internal.h"

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
void run_copy_predicates(struct run *r)
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

enum enc_place run_place(const struct run *r, const struct prob_predicate *pred)
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
                           .place = run_place(r, pred),
                           .unsettled = true,
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
        if (!wanted(r, i) || r->in->of.props->v.data[i].kind <= VERIFY_SERIALIZABLE)
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
                               .unsettled = true,
                               .reach = VERIFY_REACHED};
            t.goal = enc_goal_any(r->e, goals.data, goals.len);
            vec_push(&r->targets, t);
        }
        vec_free(&goals);
    }
}

static void target_robustness(struct run *r)
{
    for (uint32_t i = 0; i < r->in->of.props->v.len && !r->in->initially; i++) {
        if (!wanted(r, i) || r->in->of.props->v.data[i].kind != VERIFY_SERIALIZABLE)
            continue;
        r->robust = robust_new(r->e);
        r->refuted = 0;
        vec_push(&r->targets, ((struct target){.property = i,
                                               .pred_point = SIZE_MAX,
                                               .place = ENC_FINAL,
                                               .goal = robust_goal(r->robust),
                                               .unsettled = true,
                                               .reach = VERIFY_REACHED}));
    }
}

void run_find_targets(struct run *r)
{
    vec_clear(&r->targets);
    target_predicates(r);
    target_points(r);
    target_robustness(r);
}
