/* Summing up verdicts.
 *
 * For one question: an assertion may be reached in one run and not in another, the worst verdict is
 * that of the program, and a program without verdicts does not count as verified.  For several
 * models: an execution under one model is an execution under every weaker one, whatever the search
 * found there. */
#include "encode/verdicts.h"

#include "encode/result/execution.h"
#include "models/lattice.h"

/* ---- one question -------------------------------------------------------------------------- */

static const char *why_checked(const struct verify_verdict *d, struct verify_result *r)
{
    const struct ast_program *ast = r->program->ast;
    if (!d->fails || d->fails->loc.file >= ast->n_texts)
        return "every execution that reaches it fails a check, and counts for that alone";
    return arena_printf(&r->arena,
                        "every execution that reaches it fails a check (%s, %s:%u), and counts for "
                        "that alone",
                        d->fails->text, ast->file_names[d->fails->loc.file], d->fails->loc.line);
}

static const char *why_blocked(const struct verify_verdict *d, struct verify_result *r)
{
    if (!d->bound || d->scenario)
        return "no execution that satisfies the assumptions reaches it";
    return arena_printf(&r->arena,
                        "no execution of up to %u transactions that satisfies the assumptions "
                        "reaches it",
                        d->bound);
}

/* Assertions that are not reached in any of their runs, or only in runs that do not count. */
static void weigh_reach(verdict_list *v, uint32_t property, struct verify_result *r)
{
    enum verify_reach most = VERIFY_UNREACHED;
    bool reached = false;
    const struct verify_verdict *worst = NULL;
    for (size_t i = 0; i < v->len; i++) {
        const struct verify_verdict *d = &v->data[i];
        if (d->property != property)
            continue;
        reached |= d->reach == VERIFY_REACHED;
        if (d->reach > most) {
            most = d->reach;
            worst = d;
        }
    }
    for (size_t i = 0; i < v->len; i++) {
        struct verify_verdict *d = &v->data[i];
        bool fine = d->status == VERIFY_HOLDS || d->status == VERIFY_PROVED;
        if (d->property != property || !fine || d->reach == VERIFY_REACHED)
            continue;
        d->reason = "no execution reaches it";
        if (reached || !worst)
            continue;
        d->status = VERIFY_VACUOUS;
        d->reason = most == VERIFY_CHECKED ? why_checked(worst, r) : why_blocked(d, r);
    }
}

/* In the order of the properties, whatever the solver settled first; of one, as they were run. */
static void take_in_order(verdict_list *v, struct verify_result *r)
{
    r->verdicts = arena_array(&r->arena, struct verify_verdict, v->len + 1);
    for (uint32_t p = 0; p < r->n_properties; p++) {
        weigh_reach(v, p, r);
        for (size_t i = 0; i < v->len; i++)
            if (v->data[i].property == p)
                r->verdicts[r->n_verdicts++] = v->data[i];
    }
}

/* Greater is worse. */
static int badness(enum verify_status s)
{
    static const int order[] = {
        [VERIFY_PROVED] = 0,  [VERIFY_HOLDS] = 1,    [VERIFY_VACUOUS] = 2,
        [VERIFY_UNKNOWN] = 3, [VERIFY_VIOLATED] = 4, [VERIFY_INTERNAL_ERROR] = 5};
    return order[s];
}

static void take_worst(struct verify_result *r)
{
    for (size_t i = 0; i < r->n_verdicts; i++)
        if (badness(r->verdicts[i].status) > badness(r->overall))
            r->overall = r->verdicts[i].status;
}

void verdicts_sum_up(verdict_list *v, struct verify_result *r)
{
    take_in_order(v, r);
    r->overall = r->n_verdicts ? VERIFY_PROVED : VERIFY_UNKNOWN;
    if (!r->error && !r->n_verdicts)
        r->error = r->n_properties ? "no property of the program applies to this question"
                                   : "the program has no property to verify: add an INVARIANT, a "
                                     "FINAL predicate or an assertion";
    take_worst(r);
}

void verify_result_free(struct verify_result *r)
{
    if (!r)
        return;
    for (size_t i = 0; i < r->n_verdicts; i++) {
        exec_free(r->verdicts[i].execution);
        verify_gap_free(r->verdicts[i].gap);
    }
    arena_free(&r->arena);
    mem_free(r);
}

/* ---- several models ------------------------------------------------------------------------ */

/* Scenarios are compared by their functions: the two may come from different summaries. */
static bool same_run(const struct verify_verdict *a, const struct verify_verdict *b)
{
    return a->property == b->property && !a->scenario == !b->scenario &&
           (!a->scenario || a->scenario->func == b->scenario->func);
}

static void infer_from(struct verify_result *weak, const struct verify_verdict *strong,
                       const struct model *model)
{
    for (size_t i = 0; i < weak->n_verdicts; i++) {
        struct verify_verdict *d = &weak->verdicts[i];
        bool fewer = d->status == VERIFY_HOLDS &&
                     ((!d->scenario && d->bound < strong->bound) || d->rows < strong->rows);
        if (!same_run(d, strong) || (d->status != VERIFY_UNKNOWN && !fewer))
            continue;
        d->status = VERIFY_VIOLATED;
        d->bound = strong->bound;
        d->rows = strong->rows;
        d->reason = arena_printf(&weak->arena, "the execution under %s is one of this model, too",
                                 model->name);
    }
    take_worst(weak);
}

void verify_infer(struct verify_result *const *results, size_t n)
{
    for (size_t s = 0; s < n; s++)
        for (size_t w = 0; w < n; w++) {
            if (s == w || !model_weaker_or_equal(results[w]->model->id, results[s]->model->id))
                continue;
            for (size_t i = 0; i < results[s]->n_verdicts; i++)
                if (results[s]->verdicts[i].status == VERIFY_VIOLATED &&
                    results[s]->verdicts[i].execution)
                    infer_from(results[w], &results[s]->verdicts[i], results[s]->model);
        }
}
