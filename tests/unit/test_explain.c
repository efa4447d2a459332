/* Explanations: of every kind of contradiction that saturation and the solver end with, the cycle
 * that is shown is closed, made of edges that the certificate checker accepts, and has the name
 * that the literature gives it.
 *
 * VISAR_FUZZ=N runs N histories per setting instead of the default; VISAR_SEED sets the seed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/strbuf.h"
#include "certify/certify.h"
#include "check/explain/prove.h"
#include "check/explain/explain.h"
#include "check/graph/saturate.h"
#include "history/lower/lower.h"
#include "tests/unit/oracle_history.h"
#include "tests/unit/small_history.h"

/* How a contradiction was found. */
enum found { BY_SORTING, BY_CYCLE, BY_SOURCES, BY_RESULT, BY_SOLVER, NOT_FOUND, FOUND };

static enum found ask_solver(struct small_graph *s)
{
    struct residual x;
    struct backend_options o = {.kind = BACKEND_BUILTIN};
    struct backend_answer a = {0};
    residual_build(&x, &s->g, s->g.order, UINT64_MAX);
    backend_solve(&x.problem, &o, true, &a);
    bool contradiction = a.result == SAT_NO;
    if (contradiction)
        assert_true(explain_unsat(&x, &a, true, &s->r));
    backend_answer_free(&a);
    residual_free(&x);
    return contradiction ? BY_SOLVER : NOT_FOUND;
}

/* derive: by saturation as far as it goes; else the solver has to find it. */
static enum found contradict(struct small_graph *s, bool derive)
{
    uint32_t witness;
    if (!s->sorted) {
        explain_cycle(&s->g, &s->r);
        return BY_SORTING;
    }
    switch (saturate(&s->g, derive, NULL, NULL, &witness)) {
    case SATURATE_CYCLE:
        explain_cycle(&s->g, &s->r);
        return BY_CYCLE;
    case SATURATE_NO_SOURCE:
        explain_no_source(&s->g, witness, &s->r);
        return BY_SOURCES;
    case SATURATE_NO_RESULT:
        explain_no_result(&s->g, witness, &s->r);
        return BY_RESULT;
    default:
        return ask_solver(s);
    }
}

/* Every edge leads to where the next one starts. */
static void check_closed(const struct check_result *r)
{
    for (size_t i = 0; i < r->cycles.len; i++) {
        const struct check_cycle *c = &r->cycles.data[i];
        assert_true(c->len > 1 && c->start + c->len <= r->edges.len);
        for (uint32_t e = 0; e < c->len; e++)
            assert_int_equal(r->edges.data[c->start + e].to,
                             r->edges.data[c->start + (e + 1) % c->len].from);
    }
}

static void check_certified(struct small_graph *s)
{
    struct certify_question q = {.level = s->r.level};
    struct arena messages = {0};
    const char *error = prove_violation(s->h, &q, &s->r, &messages);
    if (!error)
        error = certify_violation(s->h, &q, &s->r, &messages);
    if (error) {
        print_error("%s\n", error);
        hist_dump(s->h, stderr);
        check_result_dump(s->h, &s->r, stderr);
    }
    assert_null(error);
    arena_free(&messages);
}

/* The contradiction as it is found, and as it is told. */
static enum found explain(struct small_graph *s, bool derive)
{
    enum found how = contradict(s, derive);
    if (how == NOT_FOUND)
        return how;
    assert_int_equal(s->r.verdict, CHECK_VIOLATION);
    check_closed(&s->r);
    check_certified(s);
    explain_finish(s->h, &s->r);
    check_closed(&s->r);
    check_certified(s);
    return how;
}

/* The cycle that is shown, such as "wr rw". */
static void assert_cycle(const struct check_result *r, const char *kinds)
{
    struct strbuf b = {0};
    assert_true(r->cycle < r->cycles.len);
    const struct check_cycle *c = &r->cycles.data[r->cycle];
    for (uint32_t i = 0; i < c->len; i++)
        sb_printf(&b, "%s%s", i ? " " : "", check_edge_name(r->edges.data[c->start + i].kind));
    assert_string_equal(sb_str(&b), kinds);
    sb_free(&b);
}

/* --- by hand ---------------------------------------------------------------------------------- */

static void test_names(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        enum model_id model;
        enum anomaly name;
        const char *cycle;
        uint32_t cases;
    } cases[] = {
        {"A: rx0 wx1  B: rx0 wx2", MODEL_SI, ANOMALY_LOST_UPDATE, "rw rw", 0},
        {"A: wx1 wy1  B: ry0 rx1", MODEL_PC, ANOMALY_READ_SKEW, "wr rw", 0},
        {"A: wx1 wy1  B: rx1 ry0", MODEL_PC, ANOMALY_NON_MONOTONIC_READ, "wr rw", 0},
        {"A: rx0 ry0 wx1  B: rx0 ry0 wy1", MODEL_SER, ANOMALY_WRITE_SKEW, "rw rw", 0},
        {"A: wx1  B: wy1  C: rx1 ry0  D: rx0 ry1", MODEL_SI, ANOMALY_LONG_FORK, "wr rw wr rw", 0},
        {"A: wx1  A: rx0", MODEL_SI, ANOMALY_STALE_SESSION, "so rw", 0},
        {"A: wx1  B: rx1 wy1  C: ry1 rx0", MODEL_SI, ANOMALY_CAUSALITY, "wr wr rw", 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int derive = 0; derive < 2; derive++) {
            struct small_graph s;
            small_graph_init(&s, small_history(cases[i].text), small_level(cases[i].model));
            assert_true(explain(&s, derive) != NOT_FOUND);
            assert_int_equal(s.r.anomaly, cases[i].name);
            assert_cycle(&s.r, cases[i].cycle);
            assert_int_equal(s.r.cases.len, cases[i].cases);
            small_graph_free(&s);
        }
}

/* Which of A's and B's x is older is open at first; C and D each settle it, in two ways: the cycle
 * that is shown rests on a case. */
static void test_orders_need_cases(void **state)
{
    (void)state;
    for (int derive = 0; derive < 2; derive++) {
        struct small_graph s;
        small_graph_init(&s, small_history("A: wx1  B: wx2  C: rx1  C: rx2  D: rx2  D: rx1"),
                         small_level(MODEL_SER));
        assert_true(explain(&s, derive) != NOT_FOUND);
        assert_int_equal(s.r.cases.len, 1);
        const struct check_case *c = &s.r.cases.data[0];
        assert_int_equal(c->kind, CHECK_ORDER);
        assert_true(c->first + c->second == 1 && c->cycle != s.r.cycle);
        small_graph_free(&s);
    }
}

/* Neither of the two writes of 1 can be what C saw: a case for each of them, and for the initial
 * version there is none, for it has another value. */
static void test_no_source(void **state)
{
    (void)state;
    struct small_graph s;
    small_graph_init(&s, small_history("A: wx1  A: wx2 wy1  B: wx1  B: wx3 wz1  C: ry1 rz1 rx1"),
                     small_level(MODEL_SER));
    assert_int_equal(explain(&s, true), BY_SOURCES);
    assert_true(s.r.no_source);
    assert_int_equal(s.r.ops.data[0], 8);
    assert_int_equal(s.r.cases.len, 2);
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(s.r.cases.data[i].kind, CHECK_SOURCE);
        assert_int_equal(s.r.cases.data[i].first, 8);
    }
    assert_int_equal(s.r.cases.data[0].second + s.r.cases.data[1].second, 0 + 3);
    small_graph_free(&s);
}

/* A's second transaction follows its own write of 5 and yet counted nothing. */
static void test_no_result(void **state)
{
    (void)state;
    struct history *h = small_builder("A: wx5");
    struct lower_options d = lower_view_options(LOWER_STRONG, true);
    struct arena messages = {0};
    struct lowered x;
    hist_begin_txn(h, 0);
    hist_predicate_read(h, HIST_COUNT);
    hist_condition_int(h, "value", 5, HIST_GE, 3);
    hist_aggregate(h, "value", 0, hist_int(0));
    hist_end_txn(h, HIST_COMMITTED);
    assert_null(hist_finish(h));
    lower_history(h, &d, &messages, &x);
    assert_non_null(x.history);
    struct small_graph s;
    small_graph_init(&s, x.history, small_level(MODEL_SER));
    assert_true(s.matched);
    assert_int_equal(explain(&s, true), BY_RESULT);
    assert_true(s.r.no_source);
    assert_int_equal(s.r.cases.len, 1);
    assert_int_equal(s.r.cases.data[0].kind, CHECK_SOURCE);
    assert_int_equal(s.r.cases.data[0].second, HIST_NONE); /* the initial version */
    small_graph_free(&s);
    mem_free(x.spans);
    arena_free(&messages);
    hist_free(h);
}

/* Aggregates that contradict each other are shown by their operations, the first one first. */
static void test_mismatch(void **state)
{
    (void)state;
    struct history *h = small_builder("A: wx3  B: wx5");
    struct lower_options d = lower_view_options(LOWER_STRONG, true);
    struct arena messages = {0};
    struct lowered x;
    hist_begin_txn(h, hist_add_session(h, NULL));
    for (int i = 0; i < 2; i++) {
        hist_predicate_read(h, HIST_SUM);
        hist_condition_int(h, "value", 5, HIST_GE, 1);
        hist_aggregate(h, "value", 5, hist_int(i ? 5 : 3));
    }
    hist_end_txn(h, HIST_COMMITTED);
    assert_null(hist_finish(h));
    lower_history(h, &d, &messages, &x);
    struct small_graph s;
    small_graph_init(&s, x.history, small_level(MODEL_SER));
    assert_true(s.matched);
    uint32_t both[] = {0, 1};
    explain_mismatch(&s.p, both, 2, &s.r);
    assert_int_equal(s.r.verdict, CHECK_VIOLATION);
    assert_int_equal(s.r.anomaly, ANOMALY_RESULT_MISMATCH);
    assert_int_equal(s.r.ops.len, 2);
    for (int i = 0; i < 2; i++)
        assert_int_equal(s.r.ops.data[i], x.history->predicates.data[i].first_op);
    check_certified(&s);
    small_graph_free(&s);
    mem_free(x.spans);
    arena_free(&messages);
    hist_free(h);
}

/* --- at random -------------------------------------------------------------------------------- */

static void explain_all(const struct orc_hist_params *params, uint64_t seed, long *found)
{
    static const enum model_id models[] = {MODEL_SER, MODEL_SI, MODEL_PC};
    struct orc_rng rng = orc_rng(seed);
    long rounds = oracle_setting("VISAR_FUZZ", 2000);
    for (long i = 0; i < rounds; i++) {
        struct orc_history o;
        orc_hist_random(&rng, params, &o);
        enum model_id model = models[i % 3];
        for (int derive = 0; derive < 2; derive++) {
            struct small_graph s;
            struct level level = {model, i % 5 > 0, LEVEL_NO_TIME};
            small_graph_init(&s, oracle_history(&o, 0), level);
            enum found how = s.matched ? explain(&s, derive) : NOT_FOUND;
            if (how == NOT_FOUND && s.matched && level.session_order)
                assert_true(small_expected(&o, model));
            found[how]++;
            small_graph_free(&s);
        }
    }
}

static void test_unique_values(void **state)
{
    (void)state;
    struct orc_hist_params p = {.txns = 6, .sessions = 4, .ops = 4, .keys = 3, .wild = 10};
    long found[FOUND] = {0};
    explain_all(&p, (uint64_t)oracle_setting("VISAR_SEED", 91), found);
    assert_true(found[BY_CYCLE] > found[NOT_FOUND] / 20);
}

static void test_equal_values(void **state)
{
    (void)state;
    struct orc_hist_params p = {
        .txns = 6, .sessions = 3, .ops = 4, .keys = 2, .values = 2, .wild = 15};
    long found[FOUND] = {0};
    explain_all(&p, (uint64_t)oracle_setting("VISAR_SEED", 92), found);
    assert_true(found[BY_CYCLE] > 0 && found[BY_SOLVER] > 0 && found[BY_SOURCES] > 0);
}

static void test_outcomes_and_orders(void **state)
{
    (void)state;
    struct orc_hist_params p = {.txns = 6,
                                .sessions = 4,
                                .ops = 3,
                                .keys = 2,
                                .values = 3,
                                .unknown = 25,
                                .wild = 15,
                                .versions = 40};
    long found[FOUND] = {0};
    explain_all(&p, (uint64_t)oracle_setting("VISAR_SEED", 93), found);
    assert_true(found[BY_CYCLE] > 0 && found[BY_SORTING] > 0 && found[BY_SOLVER] > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),        cmocka_unit_test(test_orders_need_cases),
        cmocka_unit_test(test_no_source),    cmocka_unit_test(test_no_result),
        cmocka_unit_test(test_mismatch),     cmocka_unit_test(test_unique_values),
        cmocka_unit_test(test_equal_values), cmocka_unit_test(test_outcomes_and_orders),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
