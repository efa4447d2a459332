/* What the pieces of an answer have in common: verdicts are added, runs are begun. */
#include "encode/inquiry.h"

/* ---- verdicts ------------------------------------------------------------------------------ */

void inquiry_tell(struct inquiry *q, const struct verify_verdict *verdict)
{
    if (q->q->news)
        q->q->news(q->q->news_arg, q->r, verdict);
}

void inquiry_add(struct inquiry *q, struct verify_verdict verdict)
{
    uint32_t p = verdict.property;
    if (verdict.status != VERIFY_PROVED) {
        verdict.gap = q->gaps[p];
        q->gaps[p] = NULL;
        verdict.needs = q->needs[p];
        verdict.n_needs = q->n_needs[p];
    }
    vec_push(&q->verdicts, verdict);
    inquiry_tell(q, &verdict);
}

void inquiry_take(struct inquiry *q, run_items *items, const struct sx_summary *scenario,
                  unsigned bound, bool from_invariants)
{
    for (size_t i = 0; i < items->len; i++) {
        const struct run_item *item = &items->data[i];
        inquiry_add(q, (struct verify_verdict){.property = item->property,
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

struct run_input inquiry_run(struct inquiry *q)
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
        .wanted = q->unsettled,
        .pool = q->pool,
        .arena = &q->r->arena,
    };
}

bool inquiry_starts_anywhere(const struct inquiry *q)
{
    if (q->q->start != VERIFY_START_AUTO)
        return q->q->start == VERIFY_START_INVARIANTS;
    return !q->sx->has_initial;
}

bool inquiry_runs_scenarios(const struct inquiry *q)
{
    return !q->q->txns && (q->q->scenario || q->sx->n_scenarios);
}

bool inquiry_has_start(const struct inquiry *q)
{
    return inquiry_runs_scenarios(q) || !inquiry_starts_anywhere(q);
}
