/* Questions whose answer is a search: any instances, the smallest counterexample, the weakest
 * levels.  The oracle tries everything. */
#include <stdlib.h>
#include <string.h>

#include "encode/weakest.h"
#include "tests/verify/oracle_test.h"

/* ---- the smallest -------------------------------------------------------------------------- */

static int count_writes(const struct execution *x)
{
    int n = 0;
    for (uint32_t i = 0; i < x->n_txns; i++)
        n += (int)x->txns[i].n_writes;
    return n;
}

/* No execution that violates the invariant has fewer transactions, nor as many and fewer writes. */
static void check_smallest(struct test *t, const char *level, const struct verify_result *r,
                           int txns, int writes)
{
    char text[160];
    const struct verify_verdict *v = test_worst(r, VERIFY_INVARIANT);
    if (!v)
        v = test_worst(r, VERIFY_FINAL);
    if (!v || v->status != VERIFY_VIOLATED || !v->execution)
        return;
    t->tally->asked[MINIMAL]++;
    t->tally->violated[MINIMAL]++;
    int have = (int)v->execution->n_txns, wrote = count_writes(v->execution);
    if (have == txns && wrote == writes)
        return;
    snprintf(text, sizeof text, "%d transactions and %d writes will do, not %d and %d", txns,
             writes, have, wrote);
    test_complain(t, MINIMAL, level, "size", true, VERIFY_VIOLATED, text);
}

void ask_minimal(struct test *t, enum orc_level level)
{
    struct orc_run run = orc_run_uniform(level, true);
    run.all = true;
    struct verify_question q = {.model = test_model(level), .bounded = true, .pool = t->pool};
    struct orc_outcome truth = orc_prog_axioms(&t->prog, &run);
    struct verify_result *r = verify_run(t->by_row, &q);
    test_agree(t, MINIMAL, orc_level_name(level), &truth, r);
    check_smallest(t, orc_level_name(level), r, t->prog.n_txns, truth.fewest_writes);
    verify_result_free(r);
    free(truth.finals);
}

void ask_any(struct test *t, enum orc_level level, int n)
{
    struct orc_run run = orc_run_uniform(level, true);
    run.all = true;
    struct orc_any any = orc_prog_any(&t->prog, &run, n);
    struct verify_question q = {
        .model = test_model(level),
        .bounded = true,
        .txns = (unsigned)n,
        .pool = t->pool,
    };
    struct verify_result *r = verify_run(t->by_row, &q);
    t->tally->asked[ANY]++;
    t->tally->violated[ANY] += any.outcome.invariant_violated || any.outcome.assert_failed;
    test_agree(t, ANY, orc_level_name(level), &any.outcome, r);
    check_smallest(t, orc_level_name(level), r, any.fewest_txns, any.outcome.fewest_writes);
    verify_result_free(r);
}

/* ---- the weakest --------------------------------------------------------------------------- */

/* Does everything hold?  Nothing at all counts as neither. */
enum truth { FAILS, HOLDS, NOTHING };

static enum truth judge(const struct test *t, struct orc_run run)
{
    struct orc_outcome out = orc_prog_axioms(&t->prog, &run);
    free(out.finals);
    if (out.invariant_violated || out.assert_failed || out.out_of_bounds)
        return FAILS;
    return out.exists ? HOLDS : NOTHING;
}

static bool fits(enum truth truth, enum verify_status mine)
{
    switch (truth) {
    case FAILS:
        return mine == VERIFY_VIOLATED;
    case HOLDS:
        return mine == VERIFY_HOLDS || mine == VERIFY_PROVED;
    default:
        return mine == VERIFY_VACUOUS || mine == VERIFY_PROVED;
    }
}

/* The table: every model's status, and which ones are minimal. */
static void check_models(struct test *t, const struct weakest_models *w)
{
    enum truth truth[ORC_LEVELS];
    for (int l = 0; l < ORC_LEVELS; l++)
        truth[l] = judge(t, orc_run_uniform((enum orc_level)l, true));
    for (int l = 0; l < ORC_LEVELS; l++) {
        const struct model *m = test_model((enum orc_level)l);
        const struct weakest_entry *e = &w->entry[m->id];
        bool least = truth[l] == HOLDS;
        for (int b = 0; b < ORC_LEVELS; b++)
            if (b != l && orc_weaker_or_equal((enum orc_level)b, (enum orc_level)l))
                least &= truth[b] != HOLDS;
        t->tally->asked[WEAKEST]++;
        t->tally->violated[WEAKEST] += truth[l] == FAILS;
        if (!fits(truth[l], e->status))
            test_complain(t, WEAKEST, m->name, "model", truth[l] == FAILS, e->status, NULL);
        else if (truth[l] != NOTHING && least != e->minimal)
            test_complain(t, WEAKEST, m->name, "minimality", least, e->status,
                          least ? "it is minimal" : "it is not");
    }
}

static enum orc_level level_of(const struct model *m)
{
    int l = 0;
    while (l + 1 < ORC_LEVELS && strcmp(orc_level_name((enum orc_level)l), m->name))
        l++;
    return (enum orc_level)l;
}

/* The run in which each TRANSACTION has its level. */
static struct orc_run run_at(const struct test *t, const struct model *const *levels)
{
    struct orc_run run = orc_run_uniform(ORC_SER, true);
    for (int i = 0; i < t->prog.n_txns; i++)
        run.rules.level[i] = level_of(levels[test_callee(&t->prog, i)]);
    return run;
}

/* The assignment holds, and with any one transaction a step lower it does not. */
static void check_levels(struct test *t, const struct weakest_levels *w)
{
    const struct model *lower[ORC_TXNS];
    char text[80] = "";
    if (!w->levels)
        return;
    for (size_t i = 0; i < w->n_txns; i++)
        strcat(strcat(text, i ? "," : ""), w->levels[i]->name);
    t->tally->asked[WEAKEST]++;
    if (judge(t, run_at(t, w->levels)) != HOLDS)
        test_complain(t, WEAKEST, text, "assignment", true, VERIFY_HOLDS, NULL);
    for (size_t i = 0; i < w->n_txns; i++)
        for (int m = 0; m < MODEL_COUNT; m++) {
            if (!(w->levels[i]->below >> m & 1))
                continue;
            memcpy(lower, w->levels, w->n_txns * sizeof *lower);
            lower[i] = model_get((enum model_id)m);
            t->tally->asked[WEAKEST]++;
            t->tally->violated[WEAKEST]++;
            if (judge(t, run_at(t, lower)) == HOLDS)
                test_complain(t, WEAKEST, text, "minimality", false, VERIFY_VIOLATED,
                              lower[i]->name);
        }
}

void ask_weakest(struct test *t)
{
    struct verify_options options = {.granularity = SX_ROW};
    struct verify_question q = {.bounded = true, .keep_raw = true, .pool = t->pool};
    struct diag_list d = {0};
    struct weakest_models models;
    struct weakest_levels levels;
    struct batch *b = batch_open(t->ast, &options, 1, &d);
    if (b) {
        weakest_models(b, &q, NULL, NULL, &models);
        weakest_levels(b, t->ast, &q, &models, NULL, NULL, &levels);
        check_models(t, &models);
        check_levels(t, &levels);
        weakest_levels_free(&levels);
    }
    batch_close(b);
    diag_free(&d);
}
