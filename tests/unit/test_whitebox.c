/* White-box histories against the oracle: predicates and ranges with and without version sets,
 * complete version orders; and on such histories that a level that holds makes all weaker ones
 * hold. (Partial version orders: test_history_engine.c; repeatable read: test_repeatable.c;
 * expected orders: test_replay.c.)
 *
 * VISAR_FUZZ=N runs N histories per setting instead of the default; VISAR_SEED sets the seed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "check/predicate/missing_rows.h"
#include "certify/order/certify_missing_rows.h"
#include "certify/predicate/certify_whitebox.h"
#include "check/certified_search.h"
#include "history/lower/lower.h"
#include "history/version_order.h"
#include "models/model_sets.h"
#include "tests/unit/oracle_history.h"

/* --- one question ---------------------------------------------------------------------------- */

/* The ways to an answer that tests take; ROWS: rows that were not returned only as far as they
 * matter. */
enum how { FAST, ALL_VERSIONS, SOLVE, ROWS, ROWS_SOLVE, WAYS, Z3 };

/* The answer as a file: what it says must follow from the history as it was recorded. */
static void check_certificate(const struct history *h, const struct check_options *o,
                              const struct check_result *r)
{
    struct arena a = {0};
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    struct certificate c = certificate_of_order(r->level, 0, r);
    c.violation = r->verdict == CHECK_VIOLATION ? r : NULL;
    certificate_write(r->history, &c, file);
    fclose(file);
    struct certificate_piece piece = {.text = text, .size = size};
    struct certificate_head head;
    assert_true(certificate_read_head(&piece, h, &a, &head));
    enum lower_view view = head.exact ? LOWER_EXACT : lower_view_of(r->level.model);
    struct lower_options d = lower_view_options(view, o->level.session_order);
    d.only = &head.rows;
    struct lowered x;
    struct missing_rows absent;
    lower_history(h, &d, &a, &x);
    assert_null(certificate_read(&piece, x.history, &a, &c));
    assert_null(certificate_judge(x.history, &c, &a));
    missing_rows_init(&absent, h);
    if (!c.violation) {
        assert_null(certify_missing_rows(&x, &c, &absent, &a));
        assert_int_equal(absent.wrong.len, 0);
    }
    missing_rows_free(&absent);
    certificate_free(&c);
    hist_free(x.history);
    mem_free(x.spans);
    vec_free(&head.rows);
    arena_free(&a);
    free(text);
}

static void ask_rows(const struct history *h, const struct check_options *o, struct check_result *r)
{
    struct arena messages = {0};
    struct missing_rows_search s;
    missing_rows_start(&s, h, check_items, &messages);
    missing_rows_check(&s, o, r);
    if (r->verdict == CHECK_OK || r->verdict == CHECK_VIOLATION)
        check_certificate(h, o, r);
    missing_rows_end(&s);
    arena_free(&messages);
}

static enum check_verdict ask(const struct history *h, struct level asked, enum how how)
{
    struct arena messages = {0};
    struct level level = level_normal(asked);
    lower_rows none = {0};
    bool rows = how == ROWS || how == ROWS_SOLVE;
    struct lower_options d = lower_view_options(lower_view_of(level.model), level.session_order);
    if (how == ALL_VERSIONS)
        d.all_versions = !(d.by_session = false);
    d.only = rows ? &none : NULL;
    struct lowered x = {0};
    struct check_options o = check_defaults();
    struct check_result r;
    enum check_verdict v;
    o.level = level;
    o.always_solve = how == SOLVE || how == ROWS_SOLVE || how == Z3;
    o.backend = how == Z3 ? BACKEND_Z3 : BACKEND_BUILTIN;
    lower_history(h, &d, &messages, &x);
    if (x.violation)
        assert_null(certify_mismatch(h, &x, &messages));
    else if (!x.unknown)
        assert_null(certify_results(h, &messages));
    if (x.violation)
        v = CHECK_VIOLATION;
    else if (x.unknown)
        v = CHECK_UNKNOWN;
    else {
        if (x.history && rows)
            ask_rows(h, &o, &r);
        else
            check_items(x.history ? x.history : h, &o, &r);
        v = r.verdict;
        if (v == CHECK_BROKEN)
            check_result_dump(x.history ? x.history : h, &r, stderr);
        check_result_free(&r);
    }
    hist_free(x.history);
    mem_free(x.spans);
    arena_free(&messages);
    return v;
}

static void expect(const struct orc_history *o, const struct history *h, struct level level,
                   enum how how, bool ok)
{
    enum check_verdict v = ask(h, level, how);
    if (v != (ok ? CHECK_OK : CHECK_VIOLATION)) {
        print_error("%s, way %d: verdict %d, expected %s\n", level_title(level), how, v,
                    ok ? "OK" : "violation");
        orc_hist_print(stderr, o);
        hist_dump(h, stderr);
    }
    assert_int_equal(v, ok ? CHECK_OK : CHECK_VIOLATION);
}

struct level_pair {
    enum orc_level orc;
    enum model_id model;
};
static const struct level_pair levels[] = {
    {ORC_SER, MODEL_SER}, {ORC_SI, MODEL_SI}, {ORC_PC, MODEL_PC},
    {ORC_PSI, MODEL_PSI}, {ORC_CC, MODEL_CC}, {ORC_RA, MODEL_RA},
    {ORC_RCS, MODEL_RCS}, {ORC_RC, MODEL_RC}, {ORC_EC, MODEL_EC},
};
enum { LEVELS = sizeof levels / sizeof *levels };

/* --- black boxes ----------------------------------------------------------------------------- */

static void compare(const struct orc_hist_params *params, bool complete, uint64_t seed, long rounds)
{
    struct orc_rng rng = orc_rng(seed);
    long verdicts[2] = {0, 0};
    for (long i = 0; i < rounds; i++) {
        struct orc_history o;
        if (complete)
            orc_versions_random(&rng, params, &o);
        else
            orc_hist_random(&rng, params, &o);
        struct history *h = oracle_history(&o, ORACLE_ABSENT | (complete ? ORACLE_COMPLETE : 0));
        for (size_t l = 0; l < LEVELS; l++)
            for (int session = 0; session < 2; session++) {
                struct orc_rules rules = orc_rules_uniform(levels[l].orc, session);
                bool ok = orc_hist_axioms(&o, &rules, NULL);
                struct level level = {levels[l].model, session, LEVEL_NO_TIME};
                expect(&o, h, level, i % 40 ? (enum how)(i % WAYS) : Z3, ok);
                verdicts[ok]++;
            }
        hist_free(h);
    }
    assert_true(verdicts[0] > rounds / 10 && verdicts[1] > rounds / 10);
}

static void test_predicates(void **state)
{
    (void)state;
    struct orc_hist_params p = {.txns = 4,
                                .sessions = 3,
                                .ops = 3,
                                .keys = 3,
                                .wild = 5,
                                .predicates = 60,
                                .deletes = 15,
                                .updates = 25};
    compare(&p, false, (uint64_t)oracle_setting("VISAR_SEED", 11),
            oracle_setting("VISAR_FUZZ", 1500));
}

static void test_ranges(void **state)
{
    (void)state;
    struct orc_hist_params p = {
        .txns = 4, .sessions = 3, .ops = 3, .keys = 3, .wild = 5, .ranges = 60, .deletes = 30};
    compare(&p, false, (uint64_t)oracle_setting("VISAR_SEED", 12),
            oracle_setting("VISAR_FUZZ", 1500));
}

static void test_outcomes(void **state)
{
    (void)state;
    struct orc_hist_params p = {.txns = 4,
                                .sessions = 3,
                                .ops = 3,
                                .keys = 2,
                                .values = 3,
                                .aborted = 15,
                                .unknown = 20,
                                .wild = 5,
                                .predicates = 40,
                                .ranges = 30,
                                .deletes = 20,
                                .stmts = true};
    compare(&p, false, (uint64_t)oracle_setting("VISAR_SEED", 13),
            oracle_setting("VISAR_FUZZ", 1500));
}

static void test_partial(void **state)
{
    (void)state;
    struct orc_hist_params p = {.txns = 4,
                                .sessions = 3,
                                .ops = 3,
                                .keys = 3,
                                .wild = 5,
                                .predicates = 40,
                                .ranges = 20,
                                .deletes = 20,
                                .updates = 25,
                                .versions = 40};
    compare(&p, false, (uint64_t)oracle_setting("VISAR_SEED", 17),
            oracle_setting("VISAR_FUZZ", 1500));
}

static void test_complete(void **state)
{
    (void)state;
    struct orc_hist_params p = {.txns = 4,
                                .sessions = 3,
                                .ops = 3,
                                .keys = 3,
                                .wild = 5,
                                .predicates = 40,
                                .ranges = 20,
                                .deletes = 20,
                                .updates = 25};
    compare(&p, true, (uint64_t)oracle_setting("VISAR_SEED", 18),
            oracle_setting("VISAR_FUZZ", 1500));
}

/* Aggregates without version sets: every row in some version, which together give the result. */
static void test_sums(void **state)
{
    (void)state;
    struct orc_hist_params p = {.txns = 4,
                                .sessions = 3,
                                .ops = 3,
                                .keys = 3,
                                .wild = 5,
                                .predicates = 60,
                                .ranges = 10,
                                .deletes = 20,
                                .aggregates = 75};
    compare(&p, false, (uint64_t)oracle_setting("VISAR_SEED", 20),
            oracle_setting("VISAR_FUZZ", 600));
}

static void test_sums_of_equal_values(void **state)
{
    (void)state;
    struct orc_hist_params p = {.txns = 4,
                                .sessions = 3,
                                .ops = 4,
                                .keys = 3,
                                .values = 3,
                                .wild = 4,
                                .predicates = 55,
                                .ranges = 10,
                                .deletes = 15,
                                .updates = 25,
                                .aggregates = 60,
                                .stmts = true};
    compare(&p, false, (uint64_t)oracle_setting("VISAR_SEED", 21),
            oracle_setting("VISAR_FUZZ", 600));
}

static void test_sums_and_outcomes(void **state)
{
    (void)state;
    struct orc_hist_params p = {.txns = 4,
                                .sessions = 3,
                                .ops = 3,
                                .keys = 2,
                                .values = 3,
                                .aborted = 15,
                                .unknown = 25,
                                .wild = 5,
                                .predicates = 60,
                                .ranges = 10,
                                .deletes = 20,
                                .aggregates = 60,
                                .stmts = true};
    compare(&p, false, (uint64_t)oracle_setting("VISAR_SEED", 22),
            oracle_setting("VISAR_FUZZ", 600));
}

/* Half of the outcomes unknown: whether a transaction happened follows from several reads, and of
 * several transactions, together; and with orders on record, of which some do not count. */
static void test_many_outcomes(void **state)
{
    (void)state;
    struct orc_hist_params p = {.txns = 4,
                                .sessions = 3,
                                .ops = 3,
                                .keys = 3,
                                .values = 3,
                                .unknown = 50,
                                .wild = 5,
                                .predicates = 50,
                                .ranges = 30,
                                .deletes = 10,
                                .aggregates = 70};
    compare(&p, false, (uint64_t)oracle_setting("VISAR_SEED", 24),
            oracle_setting("VISAR_FUZZ", 600));
    p.txns = 5;
    p.keys = 2;
    p.versions = 50;
    p.stmts = true;
    compare(&p, false, (uint64_t)oracle_setting("VISAR_SEED", 25),
            oracle_setting("VISAR_FUZZ", 400));
    compare(&p, true, (uint64_t)oracle_setting("VISAR_SEED", 26),
            oracle_setting("VISAR_FUZZ", 400));
    p.aggregates = 0;
    p.versions = 0;
    p.updates = 20;
    compare(&p, false, (uint64_t)oracle_setting("VISAR_SEED", 27),
            oracle_setting("VISAR_FUZZ", 400));
}

static void test_sums_and_orders(void **state)
{
    (void)state;
    struct orc_hist_params p = {.txns = 4,
                                .sessions = 3,
                                .ops = 3,
                                .keys = 3,
                                .wild = 5,
                                .predicates = 55,
                                .ranges = 10,
                                .deletes = 20,
                                .updates = 25,
                                .aggregates = 70};
    compare(&p, true, (uint64_t)oracle_setting("VISAR_SEED", 23),
            oracle_setting("VISAR_FUZZ", 400));
    p.versions = 40;
    compare(&p, false, (uint64_t)oracle_setting("VISAR_SEED", 24),
            oracle_setting("VISAR_FUZZ", 400));
}

static void test_sums_and_times(void **state)
{
    (void)state;
    static const struct {
        enum orc_level orc;
        enum orc_realtime rt;
        struct level level;
    } strict[] = {{ORC_SER, ORC_RT_STRICT, {MODEL_SER, true, LEVEL_TIME_STRICT}},
                  {ORC_SI, ORC_RT_STRONG, {MODEL_SI, true, LEVEL_TIME_STRICT}},
                  {ORC_SI, ORC_RT_GSI, {MODEL_SI, true, LEVEL_TIME_COMMITS}}};
    struct orc_hist_params p = {.txns = 4,
                                .sessions = 3,
                                .ops = 3,
                                .keys = 3,
                                .values = 4,
                                .wild = 4,
                                .predicates = 60,
                                .deletes = 15,
                                .aggregates = 75,
                                .times = true};
    struct orc_rng rng = orc_rng((uint64_t)oracle_setting("VISAR_SEED", 28));
    long verdicts[2] = {0, 0}, rounds = oracle_setting("VISAR_FUZZ", 600);
    for (long i = 0; i < rounds; i++) {
        struct orc_history o;
        p.unknown = i % 2 ? 40 : 0;
        orc_hist_random(&rng, &p, &o);
        struct history *h = oracle_history(&o, ORACLE_ABSENT);
        for (size_t l = 0; l < sizeof strict / sizeof *strict && h->times; l++) {
            struct orc_rules rules = orc_rules_uniform(strict[l].orc, true);
            rules.realtime = strict[l].rt;
            bool ok = orc_hist_axioms(&o, &rules, NULL);
            expect(&o, h, strict[l].level, (enum how)(i % WAYS), ok);
            verdicts[ok]++;
        }
        hist_free(h);
    }
    assert_true(verdicts[0] > rounds / 10 && verdicts[1] > rounds / 10);
}

/* --- white boxes ----------------------------------------------------------------------------- */

/* Two oracles: the axioms for every level, and (where a value says which version it is) the graph
 * of Adya's dependencies. */
static void compare_levels(const struct orc_history *o, const struct history *h, int session,
                           bool graph, long (*verdicts)[2])
{
    for (size_t l = 0; l < LEVELS; l++) {
        struct orc_rules rules = orc_rules_uniform(levels[l].orc, session);
        struct level level = {levels[l].model, session, LEVEL_NO_TIME};
        enum model_id m = levels[l].model;
        bool ok = orc_hist_axioms(o, &rules, NULL);
        verdicts[l][ok]++;
        if (graph && (m == MODEL_SER || m == MODEL_SI || m == MODEL_PC))
            assert_int_equal(ok, orc_hist_whitebox(o, levels[l].orc, session, false));
        expect(o, h, level, FAST, ok);
        expect(o, h, level, ALL_VERSIONS, ok);
    }
}

static void compare_sets(const struct orc_hist_params *p, uint64_t seed, long rounds)
{
    struct orc_rng rng = orc_rng(seed);
    long verdicts[LEVELS][2] = {{0}};
    for (long i = 0; i < rounds; i++) {
        struct orc_history o;
        orc_whitebox_random(&rng, p, &o);
        struct history *h = oracle_history(&o, ORACLE_ABSENT | ORACLE_COMPLETE);
        struct arena messages = {0};
        assert_null(vo_check(h, &messages));
        arena_free(&messages);
        for (int session = 0; session < 2; session++)
            compare_levels(&o, h, session, true, verdicts);
        hist_free(h);
    }
    for (size_t l = 0; l < LEVELS; l++)
        assert_true(verdicts[l][0] > rounds / 10 && verdicts[l][1] > rounds / 10);
}

static void test_version_sets(void **state)
{
    (void)state;
    struct orc_hist_params p = {.txns = 5,
                                .sessions = 4,
                                .ops = 4,
                                .keys = 3,
                                .wild = 5,
                                .predicates = 70,
                                .deletes = 20,
                                .updates = 20};
    compare_sets(&p, (uint64_t)oracle_setting("VISAR_SEED", 14),
                 oracle_setting("VISAR_FUZZ", 2000));
}

static void test_version_sets_of_equal_values(void **state)
{
    (void)state;
    struct orc_hist_params p = {.txns = 5,
                                .sessions = 4,
                                .ops = 4,
                                .keys = 3,
                                .values = 2,
                                .wild = 5,
                                .predicates = 70,
                                .deletes = 10,
                                .aggregates = 20};
    struct orc_rng rng = orc_rng((uint64_t)oracle_setting("VISAR_SEED", 23));
    long verdicts[LEVELS][2] = {{0}}, rounds = oracle_setting("VISAR_FUZZ", 1500);
    for (long i = 0; i < rounds; i++) {
        struct orc_history o;
        orc_whitebox_random(&rng, &p, &o);
        struct history *h = oracle_history(&o, ORACLE_ABSENT | ORACLE_COMPLETE);
        for (int session = 0; session < 2; session++)
            compare_levels(&o, h, session, false, verdicts);
        hist_free(h);
    }
}

static void test_aggregates(void **state)
{
    (void)state;
    struct orc_hist_params p = {.txns = 5,
                                .sessions = 4,
                                .ops = 4,
                                .keys = 3,
                                .wild = 4,
                                .predicates = 60,
                                .deletes = 20,
                                .aggregates = 80};
    compare_sets(&p, (uint64_t)oracle_setting("VISAR_SEED", 19),
                 oracle_setting("VISAR_FUZZ", 2000));
}

/* --- monotonicity ---------------------------------------------------------------------------- */

static void test_monotone(void **state)
{
    (void)state;
    struct orc_hist_params p = {.txns = 6,
                                .sessions = 4,
                                .ops = 5,
                                .keys = 4,
                                .values = 6,
                                .wild = 4,
                                .predicates = 20,
                                .ranges = 20,
                                .deletes = 15,
                                .versions = 20};
    struct orc_rng rng = orc_rng((uint64_t)oracle_setting("VISAR_SEED", 15));
    long rounds = oracle_setting("VISAR_FUZZ", 1500);
    for (long i = 0; i < rounds; i++) {
        struct orc_history o;
        bool ok[MODEL_COUNT][2] = {{false}};
        orc_hist_random(&rng, &p, &o);
        struct history *h = oracle_history(&o, ORACLE_ABSENT);
        for (size_t l = 0; l < LEVELS; l++) {
            enum model_id m = levels[l].model;
            for (int session = 0; session < 2; session++)
                ok[m][session] =
                    ask(h, (struct level){m, session, LEVEL_NO_TIME}, ALL_VERSIONS) == CHECK_OK;
            assert_true(ok[m][0] || !ok[m][1]);
        }
        for (int a = 0; a < MODEL_COUNT; a++)
            for (int b = 0; b < MODEL_COUNT; b++)
                for (int s = 0; s < 2; s++)
                    if (model_weaker_or_equal((enum model_id)a, (enum model_id)b))
                        assert_true(ok[a][s] || !ok[b][s]);
        hist_free(h);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_predicates),
        cmocka_unit_test(test_ranges),
        cmocka_unit_test(test_outcomes),
        cmocka_unit_test(test_version_sets),
        cmocka_unit_test(test_version_sets_of_equal_values),
        cmocka_unit_test(test_partial),
        cmocka_unit_test(test_complete),
        cmocka_unit_test(test_sums_and_times),
        cmocka_unit_test(test_sums),
        cmocka_unit_test(test_sums_of_equal_values),
        cmocka_unit_test(test_sums_and_outcomes),
        cmocka_unit_test(test_many_outcomes),
        cmocka_unit_test(test_sums_and_orders),
        cmocka_unit_test(test_aggregates),
        cmocka_unit_test(test_monotone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
