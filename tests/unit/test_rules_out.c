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

#include "history/explain.h"
#include "report/report.h"
#include "tests/oracle/oracle.h"

#define HISTORIES 20000

static struct history *translate(const struct orc_history *o)
{
    struct history *h = hist_new();
    int sessions = 0;
    for (int k = 0; k < o->n_keys; k++)
        hist_set_initial(h, hist_key_int(h, k), hist_int(o->init[k]));
    for (int t = 0; t < o->n_txns; t++)
        sessions = o->txns[t].session >= sessions ? o->txns[t].session + 1 : sessions;
    for (int s = 0; s < sessions; s++)
        hist_add_session(h, NULL);
    for (int t = 0; t < o->n_txns; t++) {
        const struct orc_txn *x = &o->txns[t];
        static const enum hist_status status[] = {HIST_COMMITTED, HIST_ABORTED, HIST_UNKNOWN};
        hist_begin_txn(h, (uint32_t)x->session);
        for (int i = 0; i < x->n_ops; i++) {
            uint32_t key = hist_key_int(h, x->ops[i].key);
            if (x->ops[i].write)
                hist_write(h, key, hist_int(x->ops[i].value));
            else
                hist_read(h, key, hist_int(x->ops[i].value));
            if (i && x->ops[i].stmt == x->ops[i - 1].stmt)
                hist_op_flag(h, HIST_OP_SAME_STMT);
        }
        hist_end_txn(h, status[x->status]);
    }
    assert_null(hist_finish(h));
    return h;
}

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
            print_error("%s of %s: %s rules out %s%s\n", check_anomaly_name(r->anomaly),
                        check_level_title(r->level), who, model_get((enum model_id)m)->name,
                        session ? "" : " without session order");
            orc_hist_print(stderr, o);
            check_result_dump(h, r, stderr);
            fail();
        }
    }
}

static void compare(const struct orc_history *o, const struct history *h,
                    const struct check_result *r)
{
    struct report_ruled_out out = report_rules_out(h, r);
    assert_true(out.models >> r->level.model & 1);
    expect_violated(o, h, r, out.models, out.needs_sessions, "the report");
    expect_violated(o, h, r, explain_definition(r->anomaly), out.needs_sessions, "the name");
}

static void run(const struct orc_hist_params *p, uint64_t seed)
{
    struct orc_rng rng = orc_rng(seed);
    size_t violations = 0, nameless = 0, named[CHECK_ANOMALY_COUNT] = {0};
    for (int i = 0; i < HISTORIES; i++) {
        struct orc_history o;
        orc_hist_random(&rng, p, &o);
        struct history *h = translate(&o);
        struct check_options options = check_defaults();
        options.level = (struct check_level){(enum model_id)orc_below(&rng, MODEL_COUNT),
                                             orc_percent(&rng, 75), CHECK_NO_TIME};
        options.always_solve = orc_percent(&rng, 30);
        struct check_result r;
        check_history(h, &options, &r);
        if (r.verdict == CHECK_VIOLATION) {
            violations++;
            nameless += r.anomaly == CHECK_UNSATISFIABLE;
            named[r.anomaly]++;
            assert_true(report_refutes(h, &r));
            compare(&o, h, &r);
        }
        check_result_free(&r);
        hist_free(h);
    }
    assert_true(violations > HISTORIES / 50);
    assert_true(nameless <= violations / 20); /* an honest way out, not a habit */
    for (int a = 0; a < CHECK_ANOMALY_COUNT; a++)
        if (named[a])
            print_message("%6zu %s\n", named[a], check_anomaly_name((enum check_anomaly)a));
}

static void unique_values(void **state)
{
    (void)state;
    run(&(struct orc_hist_params){.txns = 5, .sessions = 3, .ops = 4, .keys = 3, .wild = 5}, 1);
}

static void repeated_values(void **state)
{
    (void)state;
    run(
        &(struct orc_hist_params){
            .txns = 4, .sessions = 3, .ops = 4, .keys = 2, .values = 2, .wild = 5},
        2);
}

static void all_outcomes(void **state)
{
    (void)state;
    run(&(struct orc_hist_params){.txns = 5,
                                  .sessions = 3,
                                  .ops = 3,
                                  .keys = 2,
                                  .aborted = 15,
                                  .unknown = 15,
                                  .wild = 5,
                                  .stmts = true},
        3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unique_values),
        cmocka_unit_test(repeated_values),
        cmocka_unit_test(all_outcomes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
