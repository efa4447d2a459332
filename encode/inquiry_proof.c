/* The proof rule (proof.c) as part of an answer: how long it may take, and what becomes of its
 * results. */
#include <math.h>
#include <string.h>

#include "base/limit.h"
#include "base/mem.h"
#include "encode/inquiry.h"
#include "encode/proof.h"

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
                                   .from_invariants = !inquiry_has_start(q),
                                   .seconds = r->seconds};
}

static void tell_proved(void *arg, uint32_t property, const struct proof_result *r)
{
    struct inquiry *q = arg;
    struct verify_verdict verdict = proved(q, property, r);
    inquiry_tell(q, &verdict);
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
    q->unsettled[property] = false;
    inquiry_add(q, proved(q, property, r));
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

void inquiry_prove(struct inquiry *q)
{
    double start = stats_wall_seconds();
    size_t n = q->props->v.len;
    bool any = verify_is_sized(q->v->ast);
    bool applies = !any && uniform(q) && proof_applies(q->levels[0]);
    for (uint32_t p = 0; p < n && !applies; p++)
        q->unproved[p] = any ? "the proof rule does not speak of tables of any size"
                         : uniform(q)
                             ? "the proof rule needs a model with one snapshot per transaction"
                             : "the proof rule needs one level for all transactions";
    if (!applies)
        return;
    bool *base = mem_calloc(q->sx->n_invariants + 1, sizeof *base);
    bool *never_run = mem_calloc(q->sx->n_txns + 1, sizeof *never_run);
    struct proof_result *results = mem_calloc(n + 1, sizeof *results);
    double deadline = proof_deadline(q);
    enc_pool_deadline(q->pool, deadline);
    inquiry_find_base(q, deadline, base);
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

struct verify_verdict inquiry_not_proved(const struct inquiry *q, uint32_t property)
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
