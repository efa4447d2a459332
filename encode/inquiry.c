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

const char *inquiry_set_rows(struct inquiry *q, uint64_t rows)
{
    const char *why = NULL;
    struct sx_program *sx = verify_summaries(q->v, q->kind, rows, &why);
    if (!sx)
        return why;
    q->sx = sx;
    q->n_spare = 0;
    for (size_t i = 0; i < q->q->n_spare && i < VERIFY_SPARE_MAX; i++) {
        sx = verify_summaries(q->q->spare[i], q->kind, rows, &why);
        if (sx)
            q->spare[q->n_spare++] = (struct run_program){sx, q->props};
    }
    return NULL;
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
