/* What saturation leaves open, as clauses and edges: it has a solution exactly where the history
 * can be explained, and the solution's order explains it.
 *
 * VISAR_FUZZ=N runs N histories per setting instead of the default; VISAR_SEED sets the seed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "check/graph/residual.h"
#include "check/graph/saturate.h"
#include "check/order/greedy.h"
#include "tests/unit/oracle_history.h"
#include "tests/unit/small_history.h"

static const enum model_id models[] = {MODEL_SER, MODEL_SI, MODEL_PC};
enum { MODELS = sizeof models / sizeof *models };

struct open_problem {
    struct small_graph s;
    struct residual x;
    uint32_t *guess;
    enum saturate_outcome outcome;
};

/* derive: with all that saturation finds out. */
static void begin(struct open_problem *o, struct history *h, struct level level, bool derive)
{
    uint32_t witness;
    small_graph_init(&o->s, h, level);
    o->outcome = SATURATE_CYCLE;
    if (!o->s.matched || !o->s.sorted)
        return;
    o->outcome = saturate(&o->s.g, derive, NULL, NULL, &witness);
    if (o->outcome != SATURATE_FIXPOINT)
        return;
    o->guess = mem_alloc(mem_mul(o->s.g.nodes + 1, sizeof *o->guess));
    memcpy(o->guess, o->s.g.order, o->s.g.nodes * sizeof *o->guess);
    residual_build(&o->x, &o->s.g, o->guess, UINT64_MAX);
    assert_false(o->x.too_many);
    assert_int_equal(o->x.vars.len, o->x.problem.vars);
}

static void end(struct open_problem *o)
{
    if (o->outcome == SATURATE_FIXPOINT) {
        residual_free(&o->x);
        mem_free(o->guess);
    }
    small_graph_free(&o->s);
}

static uint32_t count_vars(const struct residual *x, enum residual_kind kind)
{
    uint32_t n = 0;
    for (size_t i = 0; i < x->vars.len; i++)
        n += x->vars.data[i].kind == kind;
    return n;
}

static struct backend_answer solve(const struct residual *x)
{
    struct backend_options o = {.kind = BACKEND_BUILTIN};
    struct backend_answer a = {0};
    backend_solve(&x->problem, &o, false, &a);
    assert_null(a.error);
    return a;
}

/* --- by hand ---------------------------------------------------------------------------------- */

/* An order is open only if somebody would notice: at SI write conflicts do. */
static void test_open_orders(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint32_t open[MODELS];
    } cases[] = {
        {"A: wx1  B: wx2", {0, 1, 0}},
        {"A: wx1  B: wx2  C: rx1", {1, 1, 1}},
        {"A: wx1  A: wx2  C: rx1", {0, 0, 0}},
        {"A: wx1  B: wx2  C: wx3  D: rx1", {2, 3, 2}},
        {"A: wx1  B: wx2  C: wy1  D: wy2  E: rx1 ry1", {2, 2, 2}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (size_t m = 0; m < MODELS; m++) {
            struct open_problem o;
            begin(&o, small_history(cases[i].text), small_level(models[m]), true);
            assert_int_equal(o.outcome, SATURATE_FIXPOINT);
            assert_int_equal(count_vars(&o.x, RESIDUAL_ORDER), cases[i].open[m]);
            assert_int_equal(o.x.vars.len, cases[i].open[m]);
            end(&o);
        }
}

/* "A's x is older than B's" brings A → B and C → B; the reverse brings B → A. */
static void test_edges_of_an_order(void **state)
{
    (void)state;
    struct open_problem o;
    begin(&o, small_history("A: wx1  B: wx2  C: rx1"), small_level(MODEL_SER), true);
    uint32_t edges[2][2] = {{0, 0}, {0, 0}}, total = 0;
    assert_int_equal(o.x.vars.len, 1);
    const struct residual_var *v = &o.x.vars.data[0];
    bool first = o.s.p.ver_txn[v->a] == 0; /* the literal 0 says that A's is older */
    for (size_t i = 0; i < o.x.problem.edges.len; i++) {
        const struct acyclic_edge *e = &o.x.problem.edges.data[i];
        if (e->lit == ACYCLIC_FIXED)
            continue;
        bool order = e->lit == (first ? 0 : 1);
        assert_true(e->to == (order ? 1u : 0u) && e->from != e->to);
        edges[order][o.x.edges.data[e->tag].kind == CHECK_RW]++;
        total++;
    }
    assert_int_equal(total, 3);
    assert_true(edges[1][0] == 1 && edges[1][1] == 1 && edges[0][0] == 1);
    end(&o);
}

/* Sources of a read, and whether a writer of unknown outcome happened. */
static void test_sources_and_outcomes(void **state)
{
    (void)state;
    struct open_problem o;
    begin(&o, small_history("A: wx1  B: wx1  C: rx1"), small_level(MODEL_SER), true);
    assert_int_equal(count_vars(&o.x, RESIDUAL_SOURCE), 2);
    assert_int_equal(count_vars(&o.x, RESIDUAL_HAPPENED), 0);
    end(&o);
    begin(&o, small_history("A: wx1  B?: wx1  C: rx1"), small_level(MODEL_SER), true);
    assert_int_equal(count_vars(&o.x, RESIDUAL_SOURCE), 2);
    assert_int_equal(count_vars(&o.x, RESIDUAL_HAPPENED), 1);
    struct backend_answer a = solve(&o.x);
    assert_int_equal(a.result, SAT_YES);
    /* Who was seen has happened. */
    for (uint32_t i = 0; i < o.x.vars.len; i++) {
        const struct residual_var *v = &o.x.vars.data[i];
        if (v->kind != RESIDUAL_SOURCE || !a.value[i])
            continue;
        uint32_t writer = o.s.p.ver_txn[v->b];
        assert_true(o.x.happened[writer] == HIST_NONE || a.value[o.x.happened[writer] / 2]);
    }
    backend_answer_free(&a);
    end(&o);
}

/* The fixed edges are those of the graph. */
static void test_fixed_edges(void **state)
{
    (void)state;
    for (size_t m = 0; m < MODELS; m++) {
        struct open_problem o;
        begin(&o, small_history("A: wx1  A: wx2 wy1  B: rx1 wx3  C: ry1 rx2"),
              small_level(models[m]), true);
        assert_int_equal(o.outcome, SATURATE_FIXPOINT);
        struct pg *g = &o.s.g;
        for (uint32_t u = 0; u < g->nodes; u++) {
            pg_successors(g, u);
            for (size_t i = 0; i < g->scratch.len; i++) {
                bool found = false;
                for (size_t e = 0; e < o.x.problem.edges.len; e++)
                    found |= o.x.problem.edges.data[e].lit == ACYCLIC_FIXED &&
                             o.x.problem.edges.data[e].from == u &&
                             o.x.problem.edges.data[e].to == g->scratch.data[i];
                assert_true(found);
            }
        }
        end(&o);
    }
}

/* --- at random -------------------------------------------------------------------------------- */

static void compare(const struct orc_hist_params *params, uint64_t seed)
{
    struct orc_rng rng = orc_rng(seed);
    long rounds = oracle_setting("VISAR_FUZZ", 2000), solved[2] = {0, 0};
    for (long i = 0; i < rounds; i++) {
        struct orc_history h;
        orc_hist_random(&rng, params, &h);
        for (size_t m = 0; m < MODELS; m++)
            for (int derive = 0; derive < 2; derive++) {
                struct open_problem o;
                bool expected = small_expected(&h, models[m]);
                begin(&o, oracle_history(&h, 0), small_level(models[m]), derive);
                if (o.outcome == SATURATE_FIXPOINT) {
                    struct backend_answer a = solve(&o.x);
                    assert_int_equal(a.result, expected ? SAT_YES : SAT_NO);
                    if (a.result == SAT_YES && !o.s.p.maybe)
                        assert_int_equal(greedy_misses(&o.s.g, a.order), 0);
                    solved[expected]++;
                    backend_answer_free(&a);
                } else
                    assert_false(expected);
                end(&o);
            }
    }
    assert_true((solved[0] || rounds < 1000) && solved[1] > rounds / 2);
}

static void test_unique_values(void **state)
{
    (void)state;
    struct orc_hist_params p = {.txns = 5, .sessions = 4, .ops = 4, .keys = 3, .wild = 10};
    compare(&p, (uint64_t)oracle_setting("VISAR_SEED", 61));
}

static void test_equal_values(void **state)
{
    (void)state;
    struct orc_hist_params p = {
        .txns = 5, .sessions = 3, .ops = 3, .keys = 2, .values = 2, .wild = 10};
    compare(&p, (uint64_t)oracle_setting("VISAR_SEED", 62));
}

static void test_unknown_outcomes(void **state)
{
    (void)state;
    struct orc_hist_params p = {.txns = 5,
                                .sessions = 3,
                                .ops = 3,
                                .keys = 2,
                                .values = 2,
                                .aborted = 10,
                                .unknown = 30,
                                .wild = 10,
                                .versions = 20};
    compare(&p, (uint64_t)oracle_setting("VISAR_SEED", 63));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_open_orders),          cmocka_unit_test(test_edges_of_an_order),
        cmocka_unit_test(test_sources_and_outcomes), cmocka_unit_test(test_fixed_edges),
        cmocka_unit_test(test_unique_values),        cmocka_unit_test(test_equal_values),
        cmocka_unit_test(test_unknown_outcomes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
