/* Reads that say which version they saw, and reads of the same rows in the same transactions that
 * do not, against the oracle, at every level; with repeated values, so that it matters.
 *
 * VISAR_FUZZ=N runs N histories per setting instead of the default; VISAR_SEED sets the seed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "check/certified_search.h"
#include "tests/unit/oracle_history.h"

static bool writes(const struct orc_txn *t, int before, int key, int *value)
{
    bool any = false;
    for (int i = 0; i < before; i++)
        if (t->ops[i].write && t->ops[i].key == key) {
            *value = t->ops[i].value;
            any = true;
        }
    return any;
}

/* Somebody whose version the read may have seen; now and then anybody.  -2: there is none. */
static int pick(struct orc_rng *rng, const struct orc_history *h, int t, int i, bool ids)
{
    const struct orc_op *op = &h->txns[t].ops[i];
    int found[ORC_TXNS + 1], n = 0, value = 0, mine = 0;
    bool own = writes(&h->txns[t], i, op->key, &mine), anybody = orc_percent(rng, 5);
    for (int u = 0; u < h->n_txns && ids; u++)
        if (u == t ? own && mine == op->value
                   : (!own || anybody) && writes(&h->txns[u], h->txns[u].n_ops, op->key, &value) &&
                         (anybody || value == op->value))
            found[n++] = u;
    if (anybody || (!own && h->init[op->key] == op->value))
        found[n++] = -1;
    return n ? found[orc_below(rng, n)] : -2;
}

static void name_reads(struct orc_rng *rng, struct orc_history *h, bool ids)
{
    for (int t = 0; t < h->n_txns; t++)
        for (int i = 0; i < h->txns[t].n_ops; i++) {
            struct orc_op *op = &h->txns[t].ops[i];
            if (op->write || op->rows != ORC_ITEM || orc_percent(rng, 50))
                continue;
            op->by = pick(rng, h, t, i, ids);
            op->named = op->by >= -1;
        }
}

static void expect(const struct orc_history *o, const struct history *h, enum model_id m,
                   bool session, bool solve, bool ok)
{
    struct check_options options = check_defaults();
    struct check_result r;
    options.level = (struct level){m, session, LEVEL_NO_TIME};
    options.always_solve = solve;
    check_items(h, &options, &r);
    if (r.verdict != (ok ? CHECK_OK : CHECK_VIOLATION)) {
        print_error("%s: %s\n", level_title(options.level), ok ? "it holds" : "it does not");
        orc_hist_print(stderr, o);
        hist_dump(h, stderr);
        check_result_dump(h, &r, stderr);
    }
    assert_int_equal(r.verdict, ok ? CHECK_OK : CHECK_VIOLATION);
    check_result_free(&r);
}

static void compare(const struct orc_hist_params *p, bool ids, uint64_t seed)
{
    struct orc_rng rng = orc_rng(seed + (uint64_t)oracle_setting("VISAR_SEED", 0));
    long rounds = oracle_setting("VISAR_FUZZ", 1500), verdicts[2] = {0, 0};
    for (long i = 0; i < rounds; i++) {
        struct orc_history o;
        orc_hist_random(&rng, p, &o);
        name_reads(&rng, &o, ids);
        struct history *h = oracle_history(&o, ORACLE_ABSENT | (ids ? ORACLE_IDS : 0));
        for (int m = 0; m < MODEL_COUNT; m++)
            for (int session = 0; session < 2; session++) {
                struct orc_rules rules = orc_rules_uniform((enum orc_level)m, session);
                bool ok = orc_hist_axioms(&o, &rules, NULL);
                expect(&o, h, (enum model_id)m, session, i % 4 == 0, ok);
                verdicts[ok]++;
            }
        hist_free(h);
    }
    assert_true(verdicts[0] > rounds && verdicts[1] > rounds);
}

static const struct orc_hist_params few_values = {.txns = 4,
                                                  .sessions = 3,
                                                  .ops = 5,
                                                  .keys = 2,
                                                  .values = 2,
                                                  .wild = 3,
                                                  .ranges = 25,
                                                  .deletes = 25,
                                                  .stmts = true};

static void test_ids(void **state)
{
    (void)state;
    compare(&few_values, true, 61);
}

static void test_initial(void **state)
{
    (void)state;
    compare(&few_values, false, 62);
}

static void test_outcomes(void **state)
{
    (void)state;
    struct orc_hist_params p = few_values;
    p.aborted = 15;
    p.unknown = 25;
    compare(&p, true, 63);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ids),
        cmocka_unit_test(test_initial),
        cmocka_unit_test(test_outcomes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
