/* The levels below snapshot isolation against the oracle: RC, RCS, RA, CC and PSI on random small
 * histories, with and without session order, duplicate values, aborted and unknown transactions,
 * statements and known version orders.  The engine certifies each answer itself.
 *
 * VISAR_FUZZ=N runs N histories per setting instead of the default; VISAR_SEED sets the seed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "history/check.h"
#include "history/history.h"
#include "tests/oracle/oracle.h"

static struct history *convert(const struct orc_history *o)
{
    static const enum hist_status status[] = {[ORC_COMMITTED] = HIST_COMMITTED,
                                              [ORC_ABORTED] = HIST_ABORTED,
                                              [ORC_UNKNOWN] = HIST_UNKNOWN};
    struct history *h = hist_new();
    uint32_t write_of[ORC_TXNS][ORC_KEYS], sessions = 0;
    for (int k = 0; k < o->n_keys; k++)
        hist_set_initial(h, hist_key_int(h, k), hist_int(o->init[k]));
    for (int t = 0; t < o->n_txns; t++) {
        const struct orc_txn *x = &o->txns[t];
        while (sessions <= (uint32_t)x->session)
            sessions = hist_add_session(h, NULL) + 1;
        hist_begin_txn(h, (uint32_t)x->session);
        if (x->has_begin || x->has_commit)
            hist_txn_times(h, x->has_begin ? x->begin : HIST_NO_TIME,
                           x->has_commit ? x->commit : HIST_NO_TIME);
        for (int i = 0; i < x->n_ops; i++) {
            const struct orc_op *op = &x->ops[i];
            if (op->write)
                write_of[t][op->key] = hist_write(h, (uint32_t)op->key, hist_int(op->value));
            else
                hist_read(h, (uint32_t)op->key, hist_int(op->value));
            if (i && op->stmt == x->ops[i - 1].stmt)
                hist_op_flag(h, HIST_OP_SAME_STMT);
        }
        hist_end_txn(h, status[x->status]);
    }
    for (int t = 0; t < o->n_txns; t++)
        for (int s = 0; s < o->n_txns; s++)
            for (int k = 0; k < o->n_keys; k++) {
                bool both[2] = {false, false};
                for (int i = 0; i < o->txns[s].n_ops; i++)
                    both[0] |= o->txns[s].ops[i].write && o->txns[s].ops[i].key == k;
                for (int i = 0; i < o->txns[t].n_ops; i++)
                    both[1] |= o->txns[t].ops[i].write && o->txns[t].ops[i].key == k;
                uint32_t pair[] = {write_of[s][k], write_of[t][k]};
                if (o->txns[t].after >> s & 1 && both[0] && both[1])
                    hist_add_version_order(h, (uint32_t)k, pair, 2);
            }
    assert_null(hist_finish(h));
    return h;
}

static long setting(const char *name, long value)
{
    const char *s = getenv(name);
    return s ? atol(s) : value;
}

static const struct {
    enum orc_level orc;
    enum model_id model;
} levels[] = {
    {ORC_RC, MODEL_RC}, {ORC_RCS, MODEL_RCS}, {ORC_RA, MODEL_RA},
    {ORC_CC, MODEL_CC}, {ORC_PSI, MODEL_PSI},
};
enum { LEVELS = sizeof levels / sizeof *levels };

static bool wanted(size_t level)
{
    const char *only = getenv("VISAR_LEVEL");
    return !only || model_find(only)->id == levels[level].model;
}

static void check_one(const struct history *h, const struct orc_history *o,
                      const struct check_options *c, bool expected)
{
    struct check_result r;
    check_history(h, c, &r);
    enum check_verdict v = r.verdict;
    if (v != (expected ? CHECK_OK : CHECK_VIOLATION)) {
        print_error("%s, sessions %d: verdict %d (%s), expected %d\n", check_level_title(c->level),
                    c->level.session_order, v, r.reason, expected);
        orc_hist_print(stderr, o);
        check_result_dump(h, &r, stderr);
    }
    check_result_free(&r);
    assert_int_equal(v, expected ? CHECK_OK : CHECK_VIOLATION);
}

static void compare(const struct orc_hist_params *params, uint64_t seed, long rounds)
{
    struct orc_rng rng = orc_rng(seed);
    long verdicts[LEVELS][2] = {{0}};
    for (long i = 0; i < rounds; i++) {
        struct orc_history o;
        orc_hist_random(&rng, params, &o);
        struct history *h = convert(&o);
        for (size_t l = 0; l < LEVELS; l++)
            for (int session = 0; session < 2 && wanted(l); session++) {
                struct orc_rules rules = orc_rules_uniform(levels[l].orc, session);
                bool expected = orc_hist_axioms(&o, &rules, NULL);
                struct check_options c = check_defaults();
                c.level = (struct check_level){levels[l].model, session, CHECK_NO_TIME};
                c.seed = (uint64_t)i;
                c.always_solve = i % 2; /* else an OK may come from a stronger level */
                check_one(h, &o, &c, expected);
                verdicts[l][expected]++;
            }
        hist_free(h);
    }
    for (size_t l = 0; l < LEVELS; l++)
        if (wanted(l))
            assert_true(verdicts[l][0] > rounds / 20 && verdicts[l][1] > rounds / 20);
}

static void test_unique(void **state)
{
    (void)state;
    struct orc_hist_params p = {
        .txns = 5, .sessions = 4, .ops = 4, .keys = 3, .wild = 15, .stmts = true};
    compare(&p, (uint64_t)setting("VISAR_SEED", 1), setting("VISAR_FUZZ", 3000));
}

static void test_duplicates(void **state)
{
    (void)state;
    struct orc_hist_params p = {
        .txns = 5, .sessions = 3, .ops = 4, .keys = 2, .values = 2, .wild = 10, .stmts = true};
    compare(&p, (uint64_t)setting("VISAR_SEED", 2), setting("VISAR_FUZZ", 3000));
}

static void test_outcomes(void **state)
{
    (void)state;
    struct orc_hist_params p = {.txns = 5,
                                .sessions = 3,
                                .ops = 3,
                                .keys = 2,
                                .values = 3,
                                .aborted = 15,
                                .unknown = 25,
                                .wild = 10,
                                .stmts = true};
    compare(&p, (uint64_t)setting("VISAR_SEED", 3), setting("VISAR_FUZZ", 3000));
}

static void test_versions(void **state)
{
    (void)state;
    struct orc_hist_params p = {
        .txns = 5, .sessions = 4, .ops = 3, .keys = 2, .wild = 10, .stmts = true, .versions = 40};
    compare(&p, (uint64_t)setting("VISAR_SEED", 4), setting("VISAR_FUZZ", 2000));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_unique),
        cmocka_unit_test(test_duplicates),
        cmocka_unit_test(test_outcomes),
        cmocka_unit_test(test_versions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
