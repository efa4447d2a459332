/* The static argument for robustness (robust_proof.c) as part of an answer. */
#include <math.h>

#include "base/limit.h"
#include "base/mem.h"
#include "encode/inquiry.h"
#include "encode/robust.h"

/* Of a limited time the argument has half, nearly all of it if nothing else is wanted; without a
 * limit it has so many seconds. */
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

/* Why the argument says nothing about this question, or NULL. */
static const char *does_not_apply(const struct inquiry *q)
{
    if (model_has(q->levels[0], AXIOM_TOTALVIS))
        return NULL;
    /* In a scenario session order counts, and so do results that calls use. */
    if (inquiry_runs_scenarios(q) && !q->q->prove_only)
        return "the static argument is about transactions in sessions of their own";
    /* The summaries are for tables of so many rows, or for a part of large ones. */
    if (verify_is_sized(q->v->ast))
        return q->v->ast->any ? "the static argument does not speak of tables of any size"
                              : "the static argument does not speak of large tables";
    return NULL;
}

void inquiry_prove_robust(struct inquiry *q)
{
    double start = stats_wall_seconds();
    q->unproved[0] = does_not_apply(q);
    if (q->unproved[0])
        return;
    enc_pool_deadline(q->pool, proof_deadline(q));
    limit_phase("looking for a static argument under %s", q->levels[0]->name);
    q->unproved[0] = robust_prove(q->sx, q->levels[0], q->pool, &q->r->arena);
    enc_pool_deadline(q->pool, q->deadline);
    if (q->unproved[0])
        return;
    q->unsettled[0] = false;
    inquiry_add(q, (struct verify_verdict){.property = 0,
                                           .status = VERIFY_PROVED,
                                           .reach = VERIFY_REACHED,
                                           .seconds = stats_wall_seconds() - start});
}
