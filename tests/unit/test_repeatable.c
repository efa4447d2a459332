/* Repeatable read (PL-2.99) against the oracle: predicate reads, ranges and aggregates with and
 * without version sets, with rows that match at first and rows that do not, complete, partial and
 * no version orders, unknown outcomes, with and without sessions.
 *
 * VISAR_FUZZ=N runs N histories per setting instead of the default; VISAR_SEED sets the seed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "certify/predicate/certify_whitebox.h"
#include "check/certified_search.h"
#include "history/lower/lower.h"
#include "history/version_order.h"
#include "tests/unit/oracle_history.h"

enum how { FAST, SOLVE, ALL_ROWS, Z3 }; /* the ways to an answer that tests take */

/* What explains the history is no proof that nothing gives its aggregates. */
static void refuse_mismatches(const struct history *h, const struct check_options *o)
{
    struct certify_question asked = {o->level, o->clock_drift, o->unique_values};
    for (size_t i = 0; i < h->predicates.len; i++) {
        const struct hist_predicate *q = &h->predicates.data[i];
        struct check_result r = {.level = o->level,
                                 .verdict = CHECK_VIOLATION,
                                 .anomaly = ANOMALY_RESULT_MISMATCH,
                                 .reason = "",
                                 .cycle = HIST_NONE};
        struct arena messages = {0};
        if (!q->any)
            continue;
        vec_push(&r.txns, q->txn);
        vec_push(&r.ops, q->first_op);
        assert_non_null(certify_violation(h, &asked, &r, &messages));
        check_result_free(&r);
        arena_free(&messages);
    }
}

/* The answer, and its certificate: of an OK against the history as it is, too. */
static enum check_verdict ask(const struct history *h, bool session, enum how how)
{
    struct arena messages = {0};
    struct lower_options d = {.items_only = true, .by_session = session && how != ALL_ROWS};
    struct lowered x = {0};
    struct check_options o = check_defaults();
    struct check_result r;
    enum check_verdict v;
    o.level = (struct level){MODEL_SER, session, LEVEL_ITEMS_ONLY};
    o.always_solve = how == SOLVE || how == Z3;
    o.backend = how == Z3 ? BACKEND_Z3 : BACKEND_BUILTIN;
    lower_history(h, &d, &messages, &x);
    if (x.violation) {
        assert_null(certify_mismatch(h, &x, &messages));
        v = CHECK_VIOLATION;
    } else if (x.unknown) {
        print_error("%s\n", x.unknown);
        v = CHECK_UNKNOWN;
    } else {
        check_items(x.history ? x.history : h, &o, &r);
        v = r.verdict;
        assert_null(certify_results(h, &messages));
        struct certificate c = {
            .level = o.level, .kind = r.order_kind, .order = r.order.data, .len = r.order.len};
        const char *error = v == CHECK_OK ? certify_repeatable(h, &c, &messages) : NULL;
        if (error)
            print_error("%s\n", error);
        assert_null(error);
        if (v == CHECK_OK && x.history)
            refuse_mismatches(x.history, &o);
        if (v == CHECK_BROKEN || v == CHECK_UNKNOWN)
            check_result_dump(x.history ? x.history : h, &r, stderr);
        check_result_free(&r);
    }
    hist_free(x.history);
    mem_free(x.spans);
    arena_free(&messages);
    return v;
}

static void expect(const struct orc_history *o, const struct history *h, bool session, enum how how,
                   bool ok)
{
    enum check_verdict v = ask(h, session, how);
    if (v != (ok ? CHECK_OK : CHECK_VIOLATION)) {
        print_error("sessions %d, way %d: verdict %d, expected %s\n", session, how, v,
                    ok ? "OK" : "violation");
        orc_hist_print(stderr, o);
        hist_dump(h, stderr);
    }
    assert_int_equal(v, ok ? CHECK_OK : CHECK_VIOLATION);
}

/* Some order of some transactions is a proof. */
static bool some_proof(const struct history *h, bool session, uint32_t *order, uint32_t n,
                       uint32_t at)
{
    struct arena messages = {0};
    struct certificate c = {.level = {MODEL_SER, session, LEVEL_ITEMS_ONLY},
                            .kind = CHECK_SERIAL,
                            .order = order,
                            .len = at};
    bool ok = !certify_repeatable(h, &c, &messages) && !certify_results(h, &messages);
    arena_free(&messages);
    for (uint32_t i = at; i < n && !ok; i++) {
        uint32_t t = order[at];
        order[at] = order[i], order[i] = t;
        ok = some_proof(h, session, order, n, at + 1);
        order[i] = order[at], order[at] = t;
    }
    return ok;
}

static bool some_order_proves(const struct history *h, bool session)
{
    uint32_t order[ORC_TXNS];
    for (uint32_t t = 0; t < h->txns.len; t++)
        order[t] = t;
    return some_proof(h, session, order, (uint32_t)h->txns.len, 0);
}

/* A row that does not match is returned. */
static void return_wrong_row(struct orc_rng *rng, struct orc_history *o)
{
    for (int t = 0; t < o->n_txns; t++)
        for (int i = 0; i < o->txns[t].n_ops; i++) {
            struct orc_op *op = &o->txns[t].ops[i];
            if (!op->write && op->rows == ORC_PREDICATE && op->aggregate == ORC_ROWS &&
                op->least > 1 && orc_percent(rng, 30))
                op->result[orc_below(rng, o->n_keys)] = 1 + orc_below(rng, op->least - 1);
        }
}

/* Gives how many of some satisfy repeatable read, but not SER. */
static long compare(const struct orc_hist_params *params, bool complete, uint64_t seed, long rounds)
{
    struct orc_rng rng = orc_rng(seed);
    long verdicts[2] = {0, 0}, weaker = 0;
    for (long i = 0; i < rounds; i++) {
        struct orc_history o;
        if (complete)
            orc_versions_random(&rng, params, &o);
        else
            orc_hist_random(&rng, params, &o);
        if (i % 16 == 1)
            return_wrong_row(&rng, &o);
        struct history *h = oracle_history(&o, ORACLE_ABSENT | (complete ? ORACLE_COMPLETE : 0));
        for (int session = 0; session < 2; session++) {
            struct orc_rules ser = orc_rules_uniform(ORC_SER, session);
            bool ok = orc_hist_repeatable(&o, session);
            expect(&o, h, session, i % 40 ? (enum how)(i % 2) : Z3, ok);
            verdicts[ok]++;
            if (i % 8)
                continue;
            bool stronger = orc_hist_axioms(&o, &ser, NULL);
            assert_true(ok || !stronger);
            weaker += ok && !stronger;
            assert_int_equal(some_order_proves(h, session), ok);
        }
        hist_free(h);
    }
    assert_true(verdicts[0] > rounds / 10 && verdicts[1] > rounds / 10);
    return weaker;
}

/* --- with version sets ----------------------------------------------------------------------- */

/* Some predicate reads without, too. */
static void take_some_sets(struct orc_rng *rng, struct orc_history *o, int percent)
{
    for (int t = 0; t < o->n_txns; t++)
        for (int i = 0; i < o->txns[t].n_ops; i++)
            o->txns[t].ops[i].bare = orc_percent(rng, percent);
}

static void compare_sets(const struct orc_hist_params *p, long seed, long rounds)
{
    struct orc_rng rng = orc_rng((uint64_t)oracle_setting("VISAR_SEED", seed));
    long verdicts[2] = {0, 0}, weaker = 0;
    rounds = oracle_setting("VISAR_FUZZ", rounds);
    for (long i = 0; i < rounds; i++) {
        struct orc_history o;
        struct arena messages = {0};
        orc_whitebox_random(&rng, p, &o);
        if (i % 2)
            take_some_sets(&rng, &o, 30);
        struct history *h = oracle_history(&o, ORACLE_ABSENT | ORACLE_COMPLETE);
        assert_null(vo_check(h, &messages));
        arena_free(&messages);
        for (int session = 0; session < 2; session++) {
            bool ok = orc_hist_repeatable(&o, session);
            if (i % 2 == 0) { /* two oracles */
                bool ser = orc_hist_whitebox(&o, ORC_SER, session, false);
                assert_int_equal(orc_hist_whitebox(&o, ORC_SER, session, true), ok);
                assert_true(ok || !ser);
                weaker += ok && !ser;
            }
            expect(&o, h, session, (enum how)(i / 2 % 3), ok);
            if (i % 8 < 2)
                assert_int_equal(some_order_proves(h, session), ok);
            verdicts[ok]++;
        }
        hist_free(h);
    }
    assert_true(verdicts[0] > rounds / 10 && verdicts[1] > rounds / 10);
    assert_true(weaker > rounds / 200);
}

/* --- the settings ---------------------------------------------------------------------------- */

struct setting {
    const char *name;
    bool sets; /* with version sets */
    long seed, rounds;
    struct orc_hist_params params;
};

/* clang-format off */
static const struct setting settings[] = {
    {"rows", false, 31, 1000,
     {.txns = 5, .sessions = 3, .ops = 4, .keys = 3, .wild = 5,
      .predicates = 60, .deletes = 20, .updates = 20, .initial = 60}},
    {"ranges", false, 34, 1000,
     {.txns = 5, .sessions = 3, .ops = 4, .keys = 3, .wild = 5,
      .predicates = 10, .ranges = 60, .deletes = 35, .initial = 70}},
    {"equal_values", false, 37, 1000,
     {.txns = 5, .sessions = 4, .ops = 3, .keys = 2, .values = 3, .wild = 5,
      .predicates = 50, .ranges = 20, .deletes = 20, .updates = 10, .initial = 60}},
    {"outcomes", false, 40, 700,
     {.txns = 5, .sessions = 3, .ops = 3, .keys = 3, .values = 4, .wild = 5, .aborted = 10, .unknown = 35,
      .predicates = 50, .ranges = 20, .deletes = 20, .initial = 60}},
    {"aggregates", false, 43, 1000,
     {.txns = 5, .sessions = 3, .ops = 3, .keys = 3, .wild = 5,
      .predicates = 60, .ranges = 10, .deletes = 20, .aggregates = 75, .initial = 50}},
    {"aggregates_of_equal_values", false, 46, 700,
     {.txns = 5, .sessions = 4, .ops = 4, .keys = 3, .values = 3, .wild = 5,
      .predicates = 60, .deletes = 20, .updates = 15, .aggregates = 70, .initial = 60}},
    {"aggregates_and_outcomes", false, 49, 700,
     {.txns = 5, .sessions = 3, .ops = 3, .keys = 3, .values = 4, .wild = 5, .aborted = 10, .unknown = 40,
      .predicates = 60, .ranges = 10, .deletes = 20, .aggregates = 70, .initial = 60}},
    {"version_sets", true, 14, 2000,
     {.txns = 5, .sessions = 4, .ops = 4, .keys = 3, .wild = 5,
      .predicates = 70, .deletes = 20, .updates = 20}},
    {"version_sets_of_aggregates", true, 19, 2000,
     {.txns = 5, .sessions = 4, .ops = 4, .keys = 3, .wild = 4,
      .predicates = 60, .deletes = 20, .aggregates = 80}},
};
/* clang-format on */
enum { SETTINGS = sizeof settings / sizeof *settings };

/* Without version orders, with complete ones, and with some. */
static void test_orders(const struct setting *s)
{
    uint64_t seed = (uint64_t)oracle_setting("VISAR_SEED", s->seed);
    long rounds = oracle_setting("VISAR_FUZZ", s->rounds);
    struct orc_hist_params p = s->params;
    long weaker = compare(&p, false, seed, rounds) + compare(&p, true, seed + 1, rounds);
    p.versions = 40;
    weaker += compare(&p, false, seed + 2, rounds);
    assert_true(weaker);
}

/* Without rows at first, and with some. */
static void test_sets(const struct setting *s)
{
    struct orc_hist_params p = s->params;
    compare_sets(&p, s->seed, s->rounds);
    p.initial = 50;
    compare_sets(&p, s->seed + 1, s->rounds / 2);
}

static void test(void **state)
{
    const struct setting *s = *state;
    (s->sets ? test_sets : test_orders)(s);
}

int main(void)
{
    struct CMUnitTest tests[SETTINGS];
    for (size_t i = 0; i < SETTINGS; i++)
        tests[i] = (struct CMUnitTest){
            .name = settings[i].name, .test_func = test, .initial_state = (void *)&settings[i]};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
