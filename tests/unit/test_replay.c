/* Expected serialization orders against the oracle: a history is serializable, without session
 * order, exactly if some order explains it.  With predicates and ranges, version orders on record,
 * version sets; and every answer is certified, and its opposite is not.
 *
 * VISAR_FUZZ=N runs N histories per setting instead of the default; VISAR_SEED sets the seed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "certify/predicate/certify_whitebox.h"
#include "check/order/expected_order.h"
#include "tests/unit/oracle_history.h"

/* The answer stands, and an altered one does not. */
static void certify_order_answer(const struct history *h, const expected_order *order,
                                 struct expected_answer a, struct arena *messages)
{
    assert_null(certify_replay(h, order, &a, messages));
    struct expected_answer no = a;
    if (a.disagreement)
        no.disagreement = NULL;
    else {
        no.disagreement = "";
        no.op = order->len ? h->txns.data[order->data[0]].first_op : 0;
        no.txn = order->len ? order->data[0] : 0;
        no.place = 1;
    }
    assert_non_null(certify_replay(h, order, &no, messages));
}

/* Some order of all transactions is accepted iff the history is serializable without sessions. */
static bool some_order(const struct history *h, uint32_t *order, uint32_t n, uint32_t at)
{
    struct arena messages = {0};
    struct expected_answer a;
    if (at == n) {
        expected_order r = {0};
        for (uint32_t i = 0; i < n; i++)
            vec_push(&r, order[i]);
        expected_order_run(h, &r, &messages, &a);
        certify_order_answer(h, &r, a, &messages);
        vec_free(&r);
        bool ok = !a.disagreement;
        arena_free(&messages);
        return ok;
    }
    for (uint32_t i = at; i < n; i++) {
        uint32_t t = order[at];
        order[at] = order[i], order[i] = t;
        bool ok = some_order(h, order, n, at + 1);
        order[i] = order[at], order[at] = t;
        if (ok)
            return true;
    }
    return false;
}

typedef void generator(struct orc_rng *, const struct orc_hist_params *, struct orc_history *);

static void compare(generator *generate, const struct orc_hist_params *p, int flags, long seed,
                    long rounds)
{
    struct orc_rng rng = orc_rng((uint64_t)oracle_setting("VISAR_SEED", seed));
    struct orc_rules rules = orc_rules_uniform(ORC_SER, false);
    long verdicts[2] = {0, 0};
    rounds = oracle_setting("VISAR_FUZZ", rounds);
    for (long i = 0; i < rounds; i++) {
        struct orc_history o;
        uint32_t order[ORC_TXNS];
        generate(&rng, p, &o);
        struct history *h = oracle_history(&o, ORACLE_ABSENT | flags);
        for (uint32_t t = 0; t < h->txns.len; t++)
            order[t] = t;
        bool ok = orc_hist_axioms(&o, &rules, NULL);
        bool found = some_order(h, order, (uint32_t)h->txns.len, 0);
        if (ok != found) {
            orc_hist_print(stderr, &o);
            hist_dump(h, stderr);
        }
        assert_int_equal(ok, found);
        verdicts[ok]++;
        hist_free(h);
    }
    assert_true(verdicts[0] > rounds / 20 && verdicts[1] > rounds / 20);
}

static void test_state(void **state)
{
    (void)state;
    struct orc_hist_params p = {.txns = 4,
                                .sessions = 3,
                                .ops = 3,
                                .keys = 3,
                                .values = 4,
                                .wild = 5,
                                .predicates = 30,
                                .ranges = 20,
                                .deletes = 15};
    compare(orc_hist_random, &p, 0, 16, 1500);
}

static void test_partial_orders(void **state)
{
    (void)state;
    struct orc_hist_params p = {
        .txns = 4, .sessions = 3, .ops = 3, .keys = 2, .values = 3, .wild = 5, .versions = 30};
    compare(orc_hist_random, &p, 0, 31, 1500);
}

static void test_version_sets(void **state)
{
    (void)state;
    struct orc_hist_params p = {.txns = 4,
                                .sessions = 3,
                                .ops = 3,
                                .keys = 3,
                                .wild = 3,
                                .predicates = 70,
                                .deletes = 20,
                                .updates = 20,
                                .aggregates = 30};
    compare(orc_whitebox_random, &p, ORACLE_COMPLETE, 32, 2000);
    p.values = 2;
    compare(orc_whitebox_random, &p, ORACLE_COMPLETE, 33, 2000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_state),
        cmocka_unit_test(test_partial_orders),
        cmocka_unit_test(test_version_sets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
