/* The solver against brute force: random clauses alone, and random clauses over edges of a random
 * graph that must stay acyclic.  Every SAT_YES is checked as a model (and its order as a
 * topological order), every SAT_NO by enumeration, and every core is solved again alone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/map.h"
#include "history/acyclic.h"
#include "history/sat.h"

enum { VARS = 9, NODES = 7, MAX_CLAUSES = 60, MAX_EDGES = 40 };

struct instance {
    uint32_t vars, nodes;
    uint32_t clause[MAX_CLAUSES][4], clause_len[MAX_CLAUSES], clauses;
    struct acyclic_edge edge[MAX_EDGES];
    uint32_t edges;
};

static uint32_t draw(uint64_t *state, uint32_t n)
{
    *state += 0x9e3779b97f4a7c15u;
    return (uint32_t)(hash_u64(*state) % n);
}

static void make(struct instance *in, uint64_t *rng, bool graph)
{
    *in = (struct instance){.vars = 2 + draw(rng, VARS - 1), .nodes = graph ? NODES : 1};
    uint32_t clauses = draw(rng, graph ? 12 : in->vars * 5 + 1);
    for (uint32_t i = 0; i < clauses && i < MAX_CLAUSES; i++) {
        in->clause_len[i] = 1 + draw(rng, 3) + (draw(rng, 8) != 0);
        for (uint32_t j = 0; j < in->clause_len[i]; j++)
            in->clause[i][j] = draw(rng, 2 * in->vars);
        in->clauses++;
    }
    for (uint32_t i = 0; graph && i < 4 + draw(rng, MAX_EDGES - 4); i++) {
        uint32_t a = draw(rng, NODES), b = draw(rng, NODES);
        if (a == b)
            continue;
        bool fixed = draw(rng, 4) == 0;
        if (fixed && a > b)
            continue; /* so that the order 0, 1, 2, … agrees with the fixed edges */
        in->edge[in->edges++] =
            (struct acyclic_edge){a, b, fixed ? ACYCLIC_FIXED : draw(rng, 2 * in->vars), 0};
    }
}

static bool lit_true(uint32_t model, uint32_t lit)
{
    return (model >> lit / 2 & 1) != (lit & 1);
}

static bool acyclic(const struct instance *in, uint32_t model)
{
    uint8_t reach[NODES] = {0};
    for (uint32_t i = 0; i < in->edges; i++)
        if (in->edge[i].lit == ACYCLIC_FIXED || lit_true(model, in->edge[i].lit))
            reach[in->edge[i].from] |= (uint8_t)(1u << in->edge[i].to);
    for (uint32_t k = 0; k < NODES; k++)
        for (uint32_t i = 0; i < NODES; i++)
            if (reach[i] >> k & 1)
                reach[i] |= reach[k];
    for (uint32_t i = 0; i < NODES; i++)
        if (reach[i] >> i & 1)
            return false;
    return true;
}

static bool satisfies(const struct instance *in, uint32_t model)
{
    for (uint32_t i = 0; i < in->clauses; i++) {
        bool some = false;
        for (uint32_t j = 0; j < in->clause_len[i]; j++)
            some |= lit_true(model, in->clause[i][j]);
        if (!some)
            return false;
    }
    return acyclic(in, model);
}

static bool satisfiable(const struct instance *in)
{
    for (uint32_t m = 0; m < 1u << in->vars; m++)
        if (satisfies(in, m))
            return true;
    return false;
}

struct run {
    struct sat *sat;
    struct acyclic *graph;
};

static struct run load(const struct instance *in, uint64_t seed, bool trace)
{
    struct run r = {sat_new(seed, trace), NULL};
    uint32_t order[NODES];
    for (uint32_t i = 0; i < in->nodes; i++)
        order[i] = i;
    r.graph = acyclic_new(in->nodes, order, trace);
    for (uint32_t v = 0; v < in->vars; v++)
        sat_new_var(r.sat, (seed >> v % 8) & 1);
    for (uint32_t i = 0; i < in->edges; i++)
        acyclic_add_edge(r.graph, in->edge[i].from, in->edge[i].to, in->edge[i].lit, i);
    acyclic_start(r.graph, in->vars);
    struct sat_theory t = acyclic_theory(r.graph);
    sat_set_theory(r.sat, &t);
    for (uint32_t i = 0; i < in->clauses; i++)
        assert_int_equal(sat_add_clause(r.sat, in->clause[i], in->clause_len[i]), i);
    return r;
}

static void unload(struct run *r)
{
    sat_free(r->sat);
    acyclic_free(r->graph);
}

static void check_model(const struct instance *in, const struct run *r)
{
    uint32_t model = 0;
    for (uint32_t v = 0; v < in->vars; v++)
        model |= (uint32_t)sat_value(r->sat, v) << v;
    assert_true(satisfies(in, model));
    for (uint32_t i = 0; i < in->edges; i++)
        if (in->edge[i].lit == ACYCLIC_FIXED || lit_true(model, in->edge[i].lit))
            assert_true(acyclic_rank(r->graph, in->edge[i].from) <
                        acyclic_rank(r->graph, in->edge[i].to));
}

/* The clauses and cycles of a core must be unsatisfiable by themselves; each cycle must be one. */
static void check_core(const struct instance *in, const struct run *r)
{
    sat_lits clauses = {0}, tags = {0};
    sat_core(r->sat, &clauses, &tags);
    struct sat *s = sat_new(0, false);
    for (uint32_t v = 0; v < in->vars; v++)
        sat_new_var(s, false);
    for (size_t i = 0; i < clauses.len; i++) {
        uint32_t c = clauses.data[i];
        sat_add_clause(s, in->clause[c], in->clause_len[c]);
    }
    for (size_t i = 0; i < tags.len; i++) {
        const uint32_t *edges;
        size_t n = acyclic_cycle(r->graph, tags.data[i], &edges);
        sat_lits clause = {0};
        for (size_t j = 0; j < n; j++) {
            const struct acyclic_edge *e = acyclic_edge(r->graph, edges[j]);
            assert_int_equal(e->to, acyclic_edge(r->graph, edges[(j + 1) % n])->from);
            if (e->lit != ACYCLIC_FIXED)
                vec_push(&clause, sat_neg(e->lit));
        }
        sat_add_clause(s, clause.data, clause.len);
        vec_free(&clause);
    }
    assert_int_equal(sat_solve(s), SAT_NO);
    sat_free(s);
    vec_free(&clauses);
    vec_free(&tags);
}

static void compare(uint64_t *rng, bool graph, int rounds)
{
    int yes = 0, no = 0;
    for (int i = 0; i < rounds; i++) {
        struct instance in;
        make(&in, rng, graph);
        bool expected = satisfiable(&in);
        for (int trace = 0; trace < 2; trace++) {
            struct run r = load(&in, (uint64_t)i, trace);
            enum sat_result got = sat_solve(r.sat);
            assert_int_equal(got, expected ? SAT_YES : SAT_NO);
            if (got == SAT_YES)
                check_model(&in, &r);
            else if (trace)
                check_core(&in, &r);
            unload(&r);
        }
        expected ? yes++ : no++;
    }
    assert_true(yes > rounds / 20 && no > rounds / 20);
}

static void test_clauses(void **state)
{
    (void)state;
    uint64_t rng = 1;
    compare(&rng, false, 5000);
}

static void test_graphs(void **state)
{
    (void)state;
    uint64_t rng = 2;
    compare(&rng, true, 20000);
}

/* n + 1 pigeons in n holes: needs real search, restarts and clause deletion. */
static void test_pigeons(void **state)
{
    (void)state;
    enum { HOLES = 7 };
    struct sat *s = sat_new(3, true);
    for (int i = 0; i < HOLES * (HOLES + 1); i++)
        sat_new_var(s, true);
    for (uint32_t p = 0; p <= HOLES; p++) {
        uint32_t c[HOLES];
        for (uint32_t h = 0; h < HOLES; h++)
            c[h] = 2 * (p * HOLES + h);
        sat_add_clause(s, c, HOLES);
        for (uint32_t q = 0; q < p; q++)
            for (uint32_t h = 0; h < HOLES; h++) {
                uint32_t d[] = {2 * (p * HOLES + h) + 1, 2 * (q * HOLES + h) + 1};
                sat_add_clause(s, d, 2);
            }
    }
    assert_int_equal(sat_solve(s), SAT_NO);
    struct stats st = {0};
    sat_stats(s, &st);
    assert_true(st.conflicts > 100);
    sat_free(s);
}

/* The same seed gives the same run. */
static void test_deterministic(void **state)
{
    (void)state;
    uint64_t rng = 4;
    for (int i = 0; i < 200; i++) {
        struct instance in;
        make(&in, &rng, true);
        struct stats a = {0}, b = {0};
        struct run r = load(&in, 7, false);
        sat_solve(r.sat);
        sat_stats(r.sat, &a);
        unload(&r);
        r = load(&in, 7, false);
        sat_solve(r.sat);
        sat_stats(r.sat, &b);
        unload(&r);
        assert_int_equal(a.conflicts, b.conflicts);
        assert_int_equal(a.decisions, b.decisions);
        assert_int_equal(a.propagations, b.propagations);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_clauses),
        cmocka_unit_test(test_graphs),
        cmocka_unit_test(test_pigeons),
        cmocka_unit_test(test_deterministic),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
