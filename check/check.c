/* One door for every question about a history; see check.h. */
#include "check/check.h"

#include <assert.h>

#include "base/mem.h"
#include "certify/predicate/certify_whitebox.h"
#include "check/lowered_question.h"
#include "check/order/expected_order.h"
#include "check/several_levels.h"

/* --- the history in terms of items --------------------------------------------------------------
 */

/* The same answer for all levels. */
static void answer_all(struct check_answers *a, enum check_verdict verdict, const char *reason)
{
    for (size_t i = 0; i < a->count; i++) {
        struct check_result *r = &a->results[i];
        *r = (struct check_result){.level = a->at[i].level,
                                   .history = a->history,
                                   .verdict = verdict,
                                   .reason = reason,
                                   .cycle = HIST_NONE};
        if (a->mismatch) {
            r->anomaly = ANOMALY_RESULT_MISMATCH;
            vec_push(&r->txns, a->mismatch->txn);
        }
        a->at[i].verdict = verdict;
    }
}

/* Sets up the answers and puts the history in terms of items, as the levels need it.  False: there
 * is nothing to look for, see check_answers. */
static bool door_open(const struct history *h, const struct check_request *q,
                      const struct level *levels, size_t count, struct check_answers *a)
{
    assert(h->finished && q->count <= LATTICE_MAX);
    *a = (struct check_answers){.count = q->count, .history = h};
    for (size_t i = 0; i < q->count; i++)
        a->at[i] = (struct check_answer){.name = q->levels[i].name,
                                         .level = q->levels[i].level,
                                         .verdict = CHECK_UNKNOWN,
                                         .result = &a->results[i],
                                         .by = i};
    for (size_t i = 0; i < q->count; i++)
        a->results[i] = (struct check_result){.verdict = CHECK_UNKNOWN, .reason = ""};
    a->unique_values_refused = q->options.unique_values && lowering_needed(h, levels, count);
    if (a->unique_values_refused) {
        answer_all(a, CHECK_UNKNOWN, "unique values cannot be asked for with predicate reads");
        return false;
    }
    struct check_lowering *x = a->lowering = mem_calloc(1, sizeof *x);
    lowering_make(x, h, levels, count, &a->arena);
    a->history = x->shown;
    a->several_rows = x->needed || h->predicates.len;
    a->mismatch = x->mismatch;
    a->fault = x->fault;
    a->beforehand = x->mismatch ? x->mismatch->violation : x->unknown;
    if (x->fault)
        answer_all(a, CHECK_BROKEN, x->fault);
    else if (a->beforehand)
        answer_all(a, x->mismatch ? CHECK_VIOLATION : CHECK_UNKNOWN, a->beforehand);
    return !x->fault && !a->beforehand;
}

/* --- answers ------------------------------------------------------------------------------------
 */

void check(const struct history *h, const struct check_request *q, struct check_answers *out)
{
    struct named_level named[LATTICE_MAX];
    struct level levels[LATTICE_MAX];
    struct check_request normal = *q;
    assert(q->count <= LATTICE_MAX);
    for (size_t i = 0; i < q->count; i++) {
        levels[i] = level_normal(q->levels[i].level);
        named[i] = (struct named_level){q->levels[i].name, levels[i]};
    }
    normal.levels = named;
    if (door_open(h, &normal, levels, q->count, out))
        several_levels(out->lowering, &normal, out);
}

void check_answers_free(struct check_answers *a)
{
    for (size_t i = 0; i < a->count; i++)
        check_result_free(&a->results[i]);
    if (a->lowering)
        lowering_free(a->lowering);
    mem_free(a->lowering);
    arena_free(&a->arena);
    *a = (struct check_answers){0};
}

const char *check_solver_missing(const struct check_options *o, struct arena *messages)
{
    struct backend_options solver = check_solver(o);
    return backend_missing(&solver, messages);
}

void check_expected_order(const struct history *h, const char *path, const char *text, size_t size,
                          struct arena *messages, struct check_order_answer *out)
{
    expected_order order = {0};
    struct expected_answer a = {0};
    *out = (struct check_order_answer){.late_in_session = HIST_NONE};
    out->unreadable = expected_order_read(h, path, text, size, messages, &order, &out->note);
    if (!out->unreadable) {
        expected_order_run(h, &order, messages, &a);
        out->stopped = a.stopped;
        out->disagreement = a.disagreement;
        out->late_in_session = a.against_session;
        out->fault = a.stopped ? NULL : certify_replay(h, &order, &a, messages);
    }
    vec_free(&order);
}
