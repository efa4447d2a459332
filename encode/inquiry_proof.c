/* The proof rule (proof.c) as part of an answer: how long it may take, and what becomes of its
 * results. */
#include <math.h>
#include <string.h>

#include "base/limit.h"
#include "base/mem.h"
#include "encode/inquiry.h"
#include "encode/proof/proof.h"

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
                                   .found = r->found,
                                   .n_found = r->n_found,
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

/* Why the rule is not tried, or NULL. */
static const char *does_not_apply(const struct inquiry *q)
{
    if (!uniform(q))
        return "the proof rule needs one level for all transactions";
    /* It proves what holds in every state; an observer's reads would be of several states. */
    if (q->q->observe == VERIFY_OBSERVE_SNAPSHOTS && !model_is_server(q->levels[0]) &&
        q->levels[0]->snapshot != SNAPSHOT_TRANSACTION)
        return "the proof rule is about observers that see one state";
    return NULL;
}

/* Tables with more rows are not written out just to see whether they satisfy an invariant. */
#define BASE_ROWS 4096

static bool is_small(const struct inquiry *q)
{
    uint64_t rows = 0;
    for (uint32_t t = 0; t < q->sx->n_tables && rows <= BASE_ROWS; t++)
        rows += sx_table_rows(&q->sx->tables[t]);
    return rows <= BASE_ROWS;
}

/* Asks a bounded run, once. */
struct base {
    struct inquiry *q;
    double deadline;
    bool *holds; /* NULL: not asked yet */
};

static bool holds_initially(void *arg, uint32_t invariant)
{
    struct base *b = arg;
    if (!b->holds) {
        b->holds = mem_calloc(b->q->sx->n_invariants + 1, sizeof *b->holds);
        inquiry_find_base(b->q, b->deadline, b->holds);
    }
    return b->holds[invariant];
}

/* Where a row that is locked or changed is as in the one snapshot, statements and columns make no
 * difference: the executions of the database's level are those of a model. */
static const struct model *rule_of(const struct model *m)
{
    bool same = model_has(m, AXIOM_TOTALVIS) || model_has(m, AXIOM_FIRSTUPDATER);
    return model_is_server(m) && same ? model_get(m->within) : m;
}

/* Some transaction changes rows in a loop over a table.  InnoDB makes no version of those that stay
 * the same, and at my-rr the transaction then sees them as in its snapshot. */
static bool changes_tables(const struct sx_program *sx)
{
    for (uint32_t i = 0; i < sx->n_txns; i++)
        for (size_t w = 0; w < sx->txns[i]->n_writes; w++)
            if (sx->txns[i]->writes[w].n_bound)
                return true;
    return false;
}

static void try_rule(struct inquiry *q, struct sx_program *sx, struct proof_result *results)
{
    bool *never_run = mem_calloc(sx->n_txns + 1, sizeof *never_run);
    struct base base = {.q = q, .deadline = proof_deadline(q)};
    struct proof_question ask = {.sx = sx,
                                 .props = q->props,
                                 .model = rule_of(q->levels[0]),
                                 .start = inquiry_has_start(q) ? PROOF_FROM_INITIAL
                                                               : PROOF_FROM_INVARIANTS,
                                 .pool = q->pool,
                                 .arena = &q->r->arena,
                                 .news = tell_proved,
                                 .news_arg = q};
    if (!verify_is_sized(q->v->ast) && is_small(q)) {
        ask.holds_initially = holds_initially;
        ask.initially_arg = &base;
    }
    enc_pool_deadline(q->pool, base.deadline);
    proof_run(&ask, results, never_run);
    enc_pool_deadline(q->pool, q->deadline);
    take_never_run(q, never_run);
    mem_free(base.holds);
    mem_free(never_run);
}

void inquiry_prove(struct inquiry *q)
{
    double start = stats_wall_seconds();
    size_t n = q->props->v.len;
    const char *why = does_not_apply(q);
    const struct model *rule = rule_of(q->levels[0]);
    struct sx_program *sx =
        why ? NULL : verify_fold_summaries(q->v, prob_reads_for(&rule, 1), &why);
    if (!why && rule->id == MODEL_MY_RR && changes_tables(sx))
        why = "at my-rr no proof rule is known for loops that change rows";
    for (uint32_t p = 0; p < n && why; p++)
        q->unproved[p] = why;
    if (why)
        return;
    struct proof_result *results = mem_calloc(n + 1, sizeof *results);
    try_rule(q, sx, results);
    for (uint32_t p = 0; p < n; p++) {
        results[p].seconds = stats_wall_seconds() - start;
        take_proof(q, p, &results[p]);
    }
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
