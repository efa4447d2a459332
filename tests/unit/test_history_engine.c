/* The history engine against the oracle: thousands of random small histories at every level, with
 * and without duplicate values, aborted and unknown transactions, time stamps, known version
 * orders.  The engine certifies each answer itself; here the verdict is compared.
 *
 * VISAR_FUZZ=N runs N histories per setting instead of the default; VISAR_SEED sets the seed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "check/certified_search.h"
#include "tests/unit/oracle_history.h"

static enum check_verdict run(const struct history *h, const struct check_options *o,
                              const struct orc_history *source, bool expected)
{
    struct check_result r;
    check_items(h, o, &r);
    enum check_verdict v = r.verdict;
    if (v != (expected ? CHECK_OK : CHECK_VIOLATION)) {
        print_error("%s%s, backend %d, always_solve %d, drift %ld: verdict %d (%s), expected %d\n",
                    level_title(o->level), o->level.session_order ? "" : " (no sessions)",
                    o->backend, o->always_solve, (long)o->clock_drift, v, r.reason, expected);
        orc_hist_print(stderr, source);
        check_result_dump(h, &r, stderr);
    }
    assert_int_equal(v, expected ? CHECK_OK : CHECK_VIOLATION);
    check_result_free(&r);
    return v;
}

/* Nothing rests on where the search begins: everything backwards and twice, without the first begin
 * and with events that there are not. */
static void run_along_trail(const struct history *h, struct check_options *o,
                            const struct orc_history *source, bool expected)
{
    struct check_trail trail = {0};
    uint32_t end = 2 * (uint32_t)h->txns.len + 4;
    for (uint32_t i = 0; i < 2 * (end - 1); i++)
        vec_push(&trail.events, end - 1 - i % (end - 1));
    o->trail = &trail;
    run(h, o, source, expected);
    o->trail = NULL;
    vec_free(&trail.events);
}

/* By each way that there is to an answer.  MonoSAT is in no distribution; it takes part if
 * VISAR_MONOSAT names its library. */
static void run_all(const struct history *h, struct check_options *o,
                    const struct orc_history *source, bool expected)
{
    run(h, o, source, expected);
    o->no_guess = true;
    run(h, o, source, expected);
    o->always_ranked = true;
    run(h, o, source, expected);
    o->always_solve = true;
    run(h, o, source, expected);
    run_along_trail(h, o, source, expected);
    o->backend = BACKEND_Z3;
    run(h, o, source, expected);
    o->backend = BACKEND_MONOSAT;
    o->monosat_path = getenv("VISAR_MONOSAT");
    if (o->monosat_path)
        run(h, o, source, expected);
}

struct level_pair {
    enum orc_level orc;
    enum model_id model;
};

static const struct level_pair levels[] = {
    {ORC_SER, MODEL_SER},
    {ORC_SI, MODEL_SI},
    {ORC_PC, MODEL_PC},
};

static void compare(const struct orc_hist_params *params, bool complete, uint64_t seed, long rounds)
{
    struct orc_rng rng = orc_rng(seed);
    struct backend_z3_state *z3 = backend_z3_new();
    long verdicts[2] = {0, 0};
    for (long i = 0; i < rounds; i++) {
        struct orc_history o;
        if (complete)
            orc_versions_random(&rng, params, &o);
        else
            orc_hist_random(&rng, params, &o);
        struct history *h = oracle_history(&o, complete ? ORACLE_COMPLETE : 0);
        for (size_t l = 0; l < sizeof levels / sizeof *levels; l++)
            for (int session = 0; session < 2; session++) {
                struct orc_rules rules = orc_rules_uniform(levels[l].orc, session);
                bool expected = orc_hist_axioms(&o, &rules, NULL);
                struct check_options c = check_defaults();
                c.level = (struct level){levels[l].model, session, LEVEL_NO_TIME};
                c.seed = (uint64_t)i;
                c.z3 = z3;
                run_all(h, &c, &o, expected);
                verdicts[expected]++;
            }
        hist_free(h);
    }
    backend_z3_free(z3);
    assert_true(verdicts[0] > rounds / 10 && verdicts[1] > rounds / 10);
}

static void compare_times(const struct orc_hist_params *params, uint64_t seed, long rounds)
{
    static const struct {
        enum orc_level orc;
        enum orc_realtime orc_time;
        enum model_id model;
        enum level_time time;
    } kinds[] = {{ORC_SER, ORC_RT_STRICT, MODEL_SER, LEVEL_TIME_STRICT},
                 {ORC_SI, ORC_RT_GSI, MODEL_SI, LEVEL_TIME_COMMITS},
                 {ORC_SI, ORC_RT_STRONG, MODEL_SI, LEVEL_TIME_STRICT}};
    struct orc_rng rng = orc_rng(seed);
    struct backend_z3_state *z3 = backend_z3_new();
    for (long i = 0; i < rounds; i++) {
        struct orc_history o;
        orc_hist_random(&rng, params, &o);
        struct history *h = oracle_history(&o, 0);
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds && h->times; k++)
            for (int session = 0; session < 2; session++) {
                struct orc_rules rules = orc_rules_uniform(kinds[k].orc, session);
                rules.realtime = kinds[k].orc_time;
                rules.drift = i % 3;
                bool expected = orc_hist_axioms(&o, &rules, NULL);
                struct check_options c = check_defaults();
                c.level = (struct level){kinds[k].model, session, kinds[k].time};
                c.clock_drift = i % 3;
                c.z3 = z3;
                run_all(h, &c, &o, expected);
            }
        hist_free(h);
    }
    backend_z3_free(z3);
}

static void test_unique(void **state)
{
    (void)state;
    struct orc_hist_params p = {.txns = 5, .sessions = 4, .ops = 4, .keys = 3, .wild = 15};
    compare(&p, false, (uint64_t)oracle_setting("VISAR_SEED", 1),
            oracle_setting("VISAR_FUZZ", 6000));
}

static void test_duplicates(void **state)
{
    (void)state;
    struct orc_hist_params p = {
        .txns = 5, .sessions = 3, .ops = 3, .keys = 2, .values = 2, .wild = 10};
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
                                .wild = 10};
    compare(&p, false, (uint64_t)oracle_setting("VISAR_SEED", 3),
            oracle_setting("VISAR_FUZZ", 5000));
}

static void test_versions(void **state)
{
    (void)state;
    struct orc_hist_params p = {
        .txns = 5, .sessions = 4, .ops = 3, .keys = 2, .wild = 10, .versions = 40};
    compare(&p, false, (uint64_t)oracle_setting("VISAR_SEED", 4),
            oracle_setting("VISAR_FUZZ", 2500));
}

static void test_complete(void **state)
{
    (void)state;
    struct orc_hist_params p = {.txns = 5, .sessions = 4, .ops = 4, .keys = 2, .wild = 8};
    compare(&p, true, (uint64_t)oracle_setting("VISAR_SEED", 6),
            oracle_setting("VISAR_FUZZ", 2500));
}

/* Orders on record, in part or all of them, of which some versions may not have happened.  The
 * second also has orders that contradict the first: then not all of them happened. */
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
                                .versions = 60};
    compare(&p, false, (uint64_t)oracle_setting("VISAR_SEED", 7),
            oracle_setting("VISAR_FUZZ", 1000));
    p.unknown = 45;
    p.keys = 1;
    p.values = 2;
    compare(&p, true, (uint64_t)oracle_setting("VISAR_SEED", 8),
            oracle_setting("VISAR_FUZZ", 1000));
    p.versions = 0;
    compare(&p, true, (uint64_t)oracle_setting("VISAR_SEED", 9),
            oracle_setting("VISAR_FUZZ", 1000));
}

static void test_times(void **state)
{
    (void)state;
    struct orc_hist_params p = {
        .txns = 5, .sessions = 3, .ops = 3, .keys = 2, .wild = 10, .times = true};
    compare_times(&p, (uint64_t)oracle_setting("VISAR_SEED", 5),
                  oracle_setting("VISAR_FUZZ", 12000));
}

static void test_times_and_outcomes(void **state)
{
    (void)state;
    struct orc_hist_params p = {.txns = 5,
                                .sessions = 4,
                                .ops = 3,
                                .keys = 2,
                                .values = 3,
                                .aborted = 10,
                                .unknown = 30,
                                .wild = 10,
                                .times = true};
    compare_times(&p, (uint64_t)oracle_setting("VISAR_SEED", 7),
                  oracle_setting("VISAR_FUZZ", 8000));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_unique),   cmocka_unit_test(test_duplicates),
        cmocka_unit_test(test_outcomes), cmocka_unit_test(test_versions),
        cmocka_unit_test(test_complete), cmocka_unit_test(test_versions_and_outcomes),
        cmocka_unit_test(test_times),    cmocka_unit_test(test_times_and_outcomes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
