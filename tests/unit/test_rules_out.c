/* What a violation is said to rule out, and what its name says, against the oracle: on random small
 * histories, every level that the report names and every level that the name's definition rules out
 * must be one that the axioms do not allow either.  Takes whatever proofs the engine gives, with
 * and without saturation, with and without session order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "history/lower/lower.h"
#include "check/certified_search.h"
#include "check/explain/explain.h"
#include "certify/ruled_out.h"
#include "report/report.h"
#include "tests/oracle/oracle.h"
#include "tests/unit/oracle_history.h"

/* VISAR_FUZZ=N takes 10 N histories. */
#define HISTORIES (oracle_setting("VISAR_FUZZ", 2000) * 10)

/* No model of the set allows the history.  The oracle's levels stand in the order of the model
 * table. */
static void expect_violated(const struct orc_history *o, const struct history *h,
                            const struct check_result *r, uint32_t models, bool needs_sessions,
                            const char *who)
{
    for (int m = 0; m < MODEL_COUNT; m++) {
        if (!(models >> m & 1))
            continue;
        for (int session = needs_sessions; session <= 1; session++) {
            struct orc_rules rules = orc_rules_uniform((enum orc_level)m, session);
            if (!orc_hist_axioms(o, &rules, NULL))
                continue;
            print_error("%s of %s: %s rules out %s%s\n", anomaly_name(r->anomaly),
                        level_title(r->level), who, model_get((enum model_id)m)->name,
                        session ? "" : " without session order");
            orc_hist_print(stderr, o);
            check_result_dump(h, r, stderr);
            fail();
        }
    }
}

/* Does the oracle allow the history at a level that is no model? */
static bool allowed(const struct orc_history *o, struct level l, long drift)
{
    struct orc_rules rules =
        orc_rules_uniform(l.model == MODEL_SER ? ORC_SER : ORC_SI, l.session_order);
    if (l.real_time == LEVEL_ITEMS_ONLY)
        return orc_hist_repeatable(o, l.session_order);
    rules.realtime = l.model == MODEL_SER                ? ORC_RT_STRICT
                     : l.real_time == LEVEL_TIME_COMMITS ? ORC_RT_GSI
                                                         : ORC_RT_STRONG;
    rules.drift = drift;
    return orc_hist_axioms(o, &rules, NULL);
}

static const struct level no_models[] = {
    {MODEL_SER, true, LEVEL_ITEMS_ONLY},   {MODEL_SER, false, LEVEL_ITEMS_ONLY},
    {MODEL_SER, true, LEVEL_TIME_STRICT},  {MODEL_SER, false, LEVEL_TIME_STRICT},
    {MODEL_SI, true, LEVEL_TIME_STRICT},   {MODEL_SI, false, LEVEL_TIME_STRICT},
    {MODEL_SI, false, LEVEL_TIME_COMMITS}, {MODEL_SI, true, LEVEL_TIME_COMMITS},
};
enum { NO_MODELS = sizeof no_models / sizeof *no_models };

/* … and the levels that are no models: real time, repeatable read. */
static void expect_levels_violated(const struct orc_history *o, const struct history *h,
                                   const struct check_result *r, const struct ruled_out *out,
                                   long drift)
{
    for (int i = 0; i < NO_MODELS; i++) {
        struct level l = no_models[i];
        if (!ruled_out_level(out, l) || !allowed(o, l, drift))
            continue;
        print_error("%s of %s: the report rules out %s%s\n", anomaly_name(r->anomaly),
                    level_title(r->level), level_short_title(l),
                    l.session_order ? "" : " without session order");
        orc_hist_print(stderr, o);
        check_result_dump(h, r, stderr);
        fail();
    }
}

static void compare(const struct orc_history *o, const struct history *h,
                    const struct check_result *r, long drift)
{
    struct ruled_out out = ruled_out_by(h, r);
    assert_true(ruled_out_level(&out, r->level));
    assert_true(out.needs_real_time ? !out.models : out.models >> r->level.model & 1);
    expect_levels_violated(o, h, r, &out, drift);
    expect_violated(o, h, r, out.models, out.needs_sessions, "the report");
    uint32_t name = anomaly_rules_out(r->anomaly);
    for (size_t i = 0; i < h->predicates.len; i++)
        if (h->predicates.data[i].any) /* as if a transaction saw a row only once */
            name &= ~(1u << MODEL_EC | 1u << MODEL_RC | 1u << MODEL_RCS);
    if (h->lowered.view == HIST_FOR_STRONG) /* as if versions were seen one after the other */
        name &= ~(1u << MODEL_EC | 1u << MODEL_RC | 1u << MODEL_RA | 1u << MODEL_CC);
    if (h->lowered.view == HIST_FOR_CAUSAL)
        name &= model_and_above(MODEL_CC);
    expect_violated(o, h, r, name, out.needs_sessions, "the name");
}

static void run(const struct orc_hist_params *p, uint64_t seed)
{
    struct orc_rng rng = orc_rng(seed);
    size_t violations = 0, nameless = 0, named[ANOMALY_COUNT] = {0};
    for (long i = 0, n = HISTORIES; i < n; i++) {
        struct orc_history o;
        orc_hist_random(&rng, p, &o);
        struct history *h = oracle_history(&o, 0);
        struct check_options options = check_defaults();
        options.level = (struct level){(enum model_id)orc_below(&rng, MODEL_COUNT),
                                       orc_percent(&rng, 75), LEVEL_NO_TIME};
        if (h->times && orc_percent(&rng, 80))
            options.level = no_models[orc_below(&rng, NO_MODELS)];
        options.clock_drift = p->times ? i % 3 : 0;
        options.always_solve = orc_percent(&rng, 30);
        struct check_result r;
        check_items(h, &options, &r);
        if (r.verdict == CHECK_VIOLATION) {
            violations++;
            nameless += r.anomaly == ANOMALY_UNSATISFIABLE;
            named[r.anomaly]++;
            assert_true(ruled_out_own_level(h, &r));
            compare(&o, h, &r, options.clock_drift);
        }
        check_result_free(&r);
        hist_free(h);
    }
    assert_true((long)violations > HISTORIES / 50);
    assert_true(nameless <= violations / 20); /* an honest way out, not a habit */
    for (int a = 0; a < ANOMALY_COUNT; a++)
        if (named[a])
            print_message("%6zu %s\n", named[a], anomaly_name((enum anomaly)a));
}

static void unique_values(void **state)
{
    (void)state;
    run(&oracle_unique, 1);
}

static void repeated_values(void **state)
{
    (void)state;
    run(&oracle_repeated, 2);
}

static void all_outcomes(void **state)
{
    (void)state;
    run(&oracle_outcomes, 3);
}

static void real_time(void **state)
{
    (void)state;
    struct orc_hist_params p = {
        .txns = 5, .sessions = 3, .ops = 3, .keys = 2, .wild = 10, .times = true};
    run(&p, 6);
    p.values = 3;
    run(&p, 7);
    p.values = 0;
    p.unknown = 20;
    run(&p, 8);
}

/* The history as some levels see its predicate reads.  Says whether it is a violation. */
static bool compare_view(const struct orc_history *o, int flags, const struct lower_options *view,
                         const struct check_options *options)
{
    struct arena messages = {0};
    struct lowered d;
    struct history *h = oracle_history(o, flags);
    bool violated = false;
    lower_history(h, view, &messages, &d);
    if (d.history) {
        struct check_result r;
        check_items(d.history, options, &r);
        violated = r.verdict == CHECK_VIOLATION;
        if (violated)
            compare(o, d.history, &r, 0);
        check_result_free(&r);
    }
    hist_free(d.history);
    mem_free(d.spans);
    hist_free(h);
    arena_free(&messages);
    return violated;
}

/* What contradicts repeatable read, where old versions of rows will do, contradicts what it says of
 * other levels, too. */
static void repeatable_read(void **state)
{
    (void)state;
    struct orc_hist_params p = {.txns = 4,
                                .sessions = 3,
                                .ops = 3,
                                .keys = 3,
                                .wild = 5,
                                .predicates = 50,
                                .ranges = 15,
                                .deletes = 20,
                                .aggregates = 50,
                                .initial = 60};
    struct orc_rng rng = orc_rng(4);
    size_t violations = 0;
    for (long i = 0, n = HISTORIES / 2; i < n; i++) {
        struct orc_history o;
        struct lower_options items = {.items_only = true, .by_session = i % 3};
        struct check_options options = check_defaults();
        p.values = i % 2 ? 3 : 0;
        p.unknown = i % 4 ? 0 : 25;
        orc_hist_random(&rng, &p, &o);
        options.level = (struct level){MODEL_SER, i % 3, LEVEL_ITEMS_ONLY};
        options.always_solve = orc_percent(&rng, 50);
        violations += compare_view(&o, ORACLE_ABSENT, &items, &options);
    }
    assert_true((long)violations > HISTORIES / 50);
}

/* Each level sees predicate reads in its own way. */
static void version_sets(void **state)
{
    (void)state;
    struct orc_hist_params p = {.txns = 5,
                                .sessions = 3,
                                .ops = 4,
                                .keys = 3,
                                .wild = 5,
                                .predicates = 60,
                                .deletes = 20,
                                .updates = 20};
    struct orc_rng rng = orc_rng(5);
    size_t violations = 0;
    for (long i = 0, n = HISTORIES / 2; i < n; i++) {
        struct orc_history o;
        enum model_id m = (enum model_id)orc_below(&rng, MODEL_COUNT);
        struct check_options options = check_defaults();
        options.level = (struct level){m, orc_percent(&rng, 75), LEVEL_NO_TIME};
        options.level = level_normal(options.level);
        struct lower_options view =
            lower_view_options(lower_view_of(m), options.level.session_order);
        orc_whitebox_random(&rng, &p, &o);
        violations += compare_view(&o, ORACLE_ABSENT | ORACLE_COMPLETE, &view, &options);
    }
    assert_true((long)violations > HISTORIES / 50);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unique_values), cmocka_unit_test(repeated_values),
        cmocka_unit_test(all_outcomes),  cmocka_unit_test(repeatable_read),
        cmocka_unit_test(version_sets),  cmocka_unit_test(real_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
