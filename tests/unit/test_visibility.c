/* The levels below snapshot isolation against the oracle: EC, RC, RCS, RA, CC and PSI on random
 * small histories, with and without session order, duplicate values, aborted and unknown
 * transactions, statements, and version orders known in part or completely.  The engine certifies
 * each answer itself.
 *
 * VISAR_FUZZ=N runs N histories per setting instead of the default; VISAR_SEED sets the seed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/map.h"
#include "check/certified_search.h"
#include "history/generate/generate.h"
#include "tests/unit/oracle_history.h"

static const struct {
    enum orc_level orc;
    enum model_id model;
} levels[] = {
    {ORC_EC, MODEL_EC}, {ORC_RC, MODEL_RC}, {ORC_RCS, MODEL_RCS},
    {ORC_RA, MODEL_RA}, {ORC_CC, MODEL_CC}, {ORC_PSI, MODEL_PSI},
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
    check_items(h, c, &r);
    enum check_verdict v = r.verdict;
    if (v != (expected ? CHECK_OK : CHECK_VIOLATION)) {
        print_error("%s, sessions %d: verdict %d (%s), expected %d\n", level_title(c->level),
                    c->level.session_order, v, r.reason, expected);
        orc_hist_print(stderr, o);
        check_result_dump(h, &r, stderr);
    }
    check_result_free(&r);
    assert_int_equal(v, expected ? CHECK_OK : CHECK_VIOLATION);
}

static void compare(const struct orc_hist_params *params, bool complete, uint64_t seed, long rounds)
{
    struct orc_rng rng = orc_rng(seed);
    long verdicts[LEVELS][2] = {{0}};
    for (long i = 0; i < rounds; i++) {
        struct orc_history o;
        if (complete)
            orc_versions_random(&rng, params, &o);
        else
            orc_hist_random(&rng, params, &o);
        struct history *h = oracle_history(&o, complete ? ORACLE_COMPLETE : 0);
        for (size_t l = 0; l < LEVELS; l++)
            for (int session = 0; session < 2 && wanted(l); session++) {
                struct orc_rules rules = orc_rules_uniform(levels[l].orc, session);
                bool expected = orc_hist_axioms(&o, &rules, NULL);
                struct check_options c = check_defaults();
                c.level = (struct level){levels[l].model, session, LEVEL_NO_TIME};
                c.seed = (uint64_t)i;
                c.always_solve = i % 3 == 1; /* else an OK may come from a guess */
                c.first_reason = i % 3 == 2;
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
    compare(&p, false, (uint64_t)oracle_setting("VISAR_SEED", 1),
            oracle_setting("VISAR_FUZZ", 6000));
}

static void test_duplicates(void **state)
{
    (void)state;
    struct orc_hist_params p = {
        .txns = 5, .sessions = 3, .ops = 4, .keys = 2, .values = 2, .wild = 10, .stmts = true};
    compare(&p, false, (uint64_t)oracle_setting("VISAR_SEED", 2),
            oracle_setting("VISAR_FUZZ", 5000));
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
    compare(&p, false, (uint64_t)oracle_setting("VISAR_SEED", 3),
            oracle_setting("VISAR_FUZZ", 5000));
}

static void test_versions(void **state)
{
    (void)state;
    struct orc_hist_params p = {
        .txns = 5, .sessions = 4, .ops = 3, .keys = 2, .wild = 10, .stmts = true, .versions = 40};
    compare(&p, false, (uint64_t)oracle_setting("VISAR_SEED", 4),
            oracle_setting("VISAR_FUZZ", 3000));
}

static void test_complete(void **state)
{
    (void)state;
    struct orc_hist_params p = {
        .txns = 5, .sessions = 4, .ops = 4, .keys = 2, .wild = 8, .stmts = true};
    compare(&p, true, (uint64_t)oracle_setting("VISAR_SEED", 5),
            oracle_setting("VISAR_FUZZ", 3000));
}

/* Orders on record of which some versions may not have happened. */
static void test_versions_and_outcomes(void **state)
{
    (void)state;
    struct orc_hist_params p = {.txns = 5,
                                .sessions = 4,
                                .ops = 4,
                                .keys = 2,
                                .values = 3,
                                .aborted = 5,
                                .unknown = 30,
                                .wild = 5,
                                .stmts = true,
                                .versions = 60};
    compare(&p, false, (uint64_t)oracle_setting("VISAR_SEED", 6),
            oracle_setting("VISAR_FUZZ", 3000));
    p.versions = 0;
    compare(&p, true, (uint64_t)oracle_setting("VISAR_SEED", 8),
            oracle_setting("VISAR_FUZZ", 1500));
}

/* Most values are written several times. */
static void test_many_choices(void **state)
{
    (void)state;
    struct orc_hist_params p = {
        .txns = 6, .sessions = 3, .ops = 5, .keys = 3, .values = 2, .unknown = 10, .wild = 20};
    compare(&p, false, (uint64_t)oracle_setting("VISAR_SEED", 7),
            oracle_setting("VISAR_FUZZ", 1500));
}

/* --- many values that are written again and again --------------------------------------------- */

static int64_t one_of_few(const struct hist_op *op, uint32_t few)
{
    return op->value ? (int64_t)(hash_u64((uint64_t)op->key << 32 ^ (uint64_t)op->value) % few) : 0;
}

/* The same history with few values, and one session told after the other. */
static struct history *with_few_values(const struct history *from, uint32_t few)
{
    struct history *h = hist_new();
    hist_set_initial_default(h, hist_int(0));
    for (uint32_t s = 0; s < from->session_count; s++)
        hist_add_session(h, NULL);
    for (uint32_t s = 0; s < from->session_count; s++)
        for (size_t t = 0; t < from->txns.len; t++) {
            const struct hist_txn *x = &from->txns.data[t];
            if (x->session != s)
                continue;
            hist_begin_txn(h, s);
            for (uint32_t i = x->first_op; i < x->first_op + x->op_count; i++) {
                const struct hist_op *op = &from->ops.data[i];
                struct hist_value v = hist_int(one_of_few(op, few));
                uint32_t key = hist_key_int(h, op->key);
                if (op->kind == HIST_READ)
                    hist_read(h, key, v);
                else
                    hist_write(h, key, v);
            }
            hist_end_txn(h, HIST_COMMITTED);
        }
    return h;
}

static void add_txn(struct history *h, uint32_t session, uint32_t key, bool write, int a, int b)
{
    uint32_t first = hist_key_int(h, key), second = hist_key_int(h, (int64_t)key + 1);
    hist_begin_txn(h, session);
    if (write) {
        hist_write(h, first, hist_int(a));
        hist_write(h, second, hist_int(b));
    } else {
        hist_read(h, first, hist_int(a));
        hist_read(h, second, hist_int(b));
    }
    hist_end_txn(h, HIST_COMMITTED);
}

/* A fractured read, whichever of two writes it saw. */
static void fracture(struct history *h)
{
    enum { KEY = 1000000 };
    add_txn(h, 0, KEY, true, 1, 1);
    add_txn(h, 1, KEY, true, 1, 1);
    add_txn(h, 2, KEY, true, 2, 2);
    add_txn(h, 3, KEY, false, 1, 2);
}

static void check_few_values(enum model_id store, enum model_id level, uint32_t keys, bool broken)
{
    struct gen_options g = gen_defaults();
    struct arena messages = {0};
    struct history *unique, *h;
    g.level = store;
    g.transactions = 500;
    g.operations = 4;
    g.keys = keys;
    assert_null(gen_history(&g, &messages, &unique));
    h = with_few_values(unique, 3);
    if (broken)
        fracture(h);
    assert_null(hist_finish(h));
    struct check_options c = check_defaults();
    struct check_result r;
    c.level = (struct level){level, true, LEVEL_NO_TIME};
    check_items(h, &c, &r);
    assert_int_equal(r.verdict, broken ? CHECK_VIOLATION : CHECK_OK);
    check_result_free(&r);
    hist_free(h);
    hist_free(unique);
    arena_free(&messages);
}

static void test_few_values(void **state)
{
    (void)state;
    static const enum model_id stores[] = {MODEL_SER, MODEL_SI, MODEL_CC};
    for (size_t i = 0; i < sizeof stores / sizeof *stores; i++)
        for (int broken = 0; broken < 2; broken++) {
            check_few_values(stores[i], MODEL_EC, 20, false);
            check_few_values(stores[i], MODEL_RC, 20, false);
            check_few_values(stores[i], MODEL_RA, 200, broken);
            check_few_values(stores[i], MODEL_CC, 200, broken);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_unique),       cmocka_unit_test(test_duplicates),
        cmocka_unit_test(test_outcomes),     cmocka_unit_test(test_versions),
        cmocka_unit_test(test_complete),     cmocka_unit_test(test_versions_and_outcomes),
        cmocka_unit_test(test_many_choices), cmocka_unit_test(test_few_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
