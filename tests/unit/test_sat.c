/* The solver against brute force and against Z3: random clauses alone, and random clauses over
 * edges of a random graph that must stay acyclic.  Every SAT_YES is checked as a model (and its
 * order as a topological order), every SAT_NO by enumeration or by Z3 with an integer for each
 * node, and every core is solved again alone.  The back ends must agree; MonoSAT too, if
 * VISAR_MONOSAT says where it is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>
#include <z3.h>

#include "base/limit.h"
#include "base/map.h"
#include "check/solver/acyclic.h"
#include "check/solver/backend.h"
#include "check/solver/sat.h"

enum { VARS = 9, NODES = 7, CLAUSES = 60, EDGES = 40 };
enum { MANY_VARS = 32, MANY_NODES = 24, MAX_CLAUSES = 160, MAX_EDGES = 240 };

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

/* Fixed edges agree with the order 0, 1, 2, … */
static void add_edge(struct instance *in, uint64_t *rng)
{
    uint32_t a = draw(rng, in->nodes), b = draw(rng, in->nodes);
    bool fixed = draw(rng, 4) == 0;
    if (a == b || (fixed && a > b))
        return;
    in->edge[in->edges++] =
        (struct acyclic_edge){a, b, fixed ? ACYCLIC_FIXED : draw(rng, 2 * in->vars), 0};
}

static void make(struct instance *in, uint64_t *rng, bool graph)
{
    *in = (struct instance){.vars = 2 + draw(rng, VARS - 1), .nodes = graph ? NODES : 1};
    uint32_t clauses = draw(rng, graph ? 12 : in->vars * 5 + 1);
    for (uint32_t i = 0; i < clauses && i < CLAUSES; i++) {
        in->clause_len[i] = 1 + draw(rng, 3) + (draw(rng, 8) != 0);
        for (uint32_t j = 0; j < in->clause_len[i]; j++)
            in->clause[i][j] = draw(rng, 2 * in->vars);
        in->clauses++;
    }
    for (uint32_t i = 0; graph && i < 4 + draw(rng, EDGES - 4); i++)
        add_edge(in, rng);
}

/* Too large to try every model.  Most clauses are wide, so that the graph decides. */
static void make_large(struct instance *in, uint64_t *rng)
{
    *in = (struct instance){.vars = 16 + draw(rng, MANY_VARS - 15),
                            .nodes = 8 + draw(rng, MANY_NODES - 7)};
    in->clauses = draw(rng, 2 * in->vars);
    for (uint32_t i = 0; i < in->clauses; i++) {
        in->clause_len[i] = 2 + draw(rng, 3);
        for (uint32_t j = 0; j < in->clause_len[i]; j++)
            in->clause[i][j] = draw(rng, 2 * in->vars);
    }
    uint32_t edges = in->vars * (2 + draw(rng, 3));
    for (uint32_t i = 0; i < edges && in->edges < MAX_EDGES; i++)
        add_edge(in, rng);
}

static bool lit_true(uint32_t model, uint32_t lit)
{
    return (model >> lit / 2 & 1) != (lit & 1);
}

static bool acyclic(const struct instance *in, uint32_t model)
{
    uint32_t reach[MANY_NODES] = {0};
    for (uint32_t i = 0; i < in->edges; i++)
        if (in->edge[i].lit == ACYCLIC_FIXED || lit_true(model, in->edge[i].lit))
            reach[in->edge[i].from] |= 1u << in->edge[i].to;
    for (uint32_t k = 0; k < in->nodes; k++)
        for (uint32_t i = 0; i < in->nodes; i++)
            if (reach[i] >> k & 1)
                reach[i] |= reach[k];
    for (uint32_t i = 0; i < in->nodes; i++)
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
    uint32_t order[MANY_NODES];
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
    /* Every other way to search, too. */
    if (seed % 3)
        sat_be_patient(r.sat, (uint32_t)(seed % 3));
    for (uint32_t lit = 0; lit < 2 * in->vars && seed % 4 == 1; lit++)
        sat_probe(r.sat, lit);
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

/* --- Z3 ----------------------------------------------------------------------------------------
 */

static Z3_ast z3_literal(Z3_context c, uint32_t lit)
{
    Z3_ast v = Z3_mk_const(c, Z3_mk_int_symbol(c, (int)(lit / 2)), Z3_mk_bool_sort(c));
    return lit & 1 ? Z3_mk_not(c, v) : v;
}

static Z3_ast z3_node(Z3_context c, uint32_t node)
{
    return Z3_mk_const(c, Z3_mk_int_symbol(c, (int)(1000 + node)), Z3_mk_int_sort(c));
}

/* Every node an integer, every edge "less than": nothing of ours is in it. */
static bool z3_satisfiable(const struct instance *in)
{
    Z3_config config = Z3_mk_config();
    Z3_context c = Z3_mk_context(config);
    Z3_del_config(config);
    Z3_solver s = Z3_mk_simple_solver(c);
    Z3_solver_inc_ref(c, s);
    for (uint32_t i = 0; i < in->edges; i++) {
        const struct acyclic_edge *e = &in->edge[i];
        Z3_ast less = Z3_mk_lt(c, z3_node(c, e->from), z3_node(c, e->to));
        Z3_solver_assert(
            c, s, e->lit == ACYCLIC_FIXED ? less : Z3_mk_implies(c, z3_literal(c, e->lit), less));
    }
    for (uint32_t i = 0; i < in->clauses; i++) {
        Z3_ast lits[4];
        for (uint32_t j = 0; j < in->clause_len[i]; j++)
            lits[j] = z3_literal(c, in->clause[i][j]);
        Z3_solver_assert(c, s, Z3_mk_or(c, in->clause_len[i], lits));
    }
    Z3_lbool answer = Z3_solver_check(c, s);
    assert_int_not_equal(answer, Z3_L_UNDEF);
    Z3_solver_dec_ref(c, s);
    Z3_del_context(c);
    return answer == Z3_L_TRUE;
}

/* The same through the interface that the engine uses. */
static void backend_kind(const struct instance *in, enum backend_kind backend, bool expected)
{
    struct backend_problem p = {.nodes = in->nodes};
    uint32_t order[MANY_NODES], model = 0;
    for (uint32_t i = 0; i < in->nodes; i++)
        order[i] = i;
    p.order = order;
    for (uint32_t v = 0; v < in->vars; v++)
        backend_var(&p, v % 3 == 0);
    for (uint32_t i = 0; i < in->clauses; i++)
        backend_clause(&p, in->clause[i], in->clause_len[i]);
    for (uint32_t i = 0; i < in->edges; i++)
        backend_edge(&p, in->edge[i].from, in->edge[i].to, in->edge[i].lit, i);
    struct backend_options o = {.kind = backend, .monosat_path = getenv("VISAR_MONOSAT")};
    struct backend_answer a;
    backend_solve(&p, &o, false, &a);
    assert_null(a.error);
    assert_int_equal(a.result, expected ? SAT_YES : SAT_NO);
    if (a.result == SAT_YES) {
        uint32_t place[MANY_NODES];
        for (uint32_t v = 0; v < in->vars; v++)
            model |= (uint32_t)a.value[v] << v;
        assert_true(satisfies(in, model));
        for (uint32_t i = 0; i < in->nodes; i++)
            place[a.order[i]] = i;
        for (uint32_t i = 0; i < in->edges; i++)
            if (in->edge[i].lit == ACYCLIC_FIXED || lit_true(model, in->edge[i].lit))
                assert_true(place[in->edge[i].from] < place[in->edge[i].to]);
    }
    backend_answer_free(&a);
    backend_problem_free(&p);
}

static void test_z3(void **state)
{
    (void)state;
    const char *count = getenv("VISAR_FUZZ"), *seed = getenv("VISAR_SEED");
    int rounds = count ? atoi(count) : 400, yes = 0;
    uint64_t rng = seed ? (uint64_t)atol(seed) : 5;
    for (int i = 0; i < rounds; i++) {
        struct instance in;
        bool small = i % 4 == 0;
        if (small)
            make(&in, &rng, true);
        else
            make_large(&in, &rng);
        bool expected = z3_satisfiable(&in);
        if (small)
            assert_int_equal(expected, satisfiable(&in));
        struct run r = load(&in, (uint64_t)i, true);
        assert_int_equal(sat_solve(r.sat), expected ? SAT_YES : SAT_NO);
        if (expected)
            check_model(&in, &r);
        else
            check_core(&in, &r);
        unload(&r);
        backend_kind(&in, BACKEND_BUILTIN, expected);
        backend_kind(&in, BACKEND_Z3, expected);
        if (getenv("VISAR_MONOSAT"))
            backend_kind(&in, BACKEND_MONOSAT, expected);
        yes += expected;
    }
    assert_true(yes > rounds / 10 && yes < rounds - rounds / 10);
}

/* --- search ------------------------------------------------------------------------------------
 */

/* n + 1 pigeons in n holes: needs real search, restarts and clause deletion. */
static struct sat *pigeons(uint32_t holes, uint64_t seed)
{
    struct sat *s = sat_new(seed, true);
    for (uint32_t i = 0; i < holes * (holes + 1); i++)
        sat_new_var(s, true);
    for (uint32_t p = 0; p <= holes; p++) {
        uint32_t c[16];
        for (uint32_t h = 0; h < holes; h++)
            c[h] = 2 * (p * holes + h);
        sat_add_clause(s, c, holes);
        for (uint32_t q = 0; q < p; q++)
            for (uint32_t h = 0; h < holes; h++) {
                uint32_t d[] = {2 * (p * holes + h) + 1, 2 * (q * holes + h) + 1};
                sat_add_clause(s, d, 2);
            }
    }
    return s;
}

static void test_pigeons(void **state)
{
    (void)state;
    struct sat *s = pigeons(7, 3);
    assert_int_equal(sat_solve(s), SAT_NO);
    struct stats st = {0};
    sat_stats(s, &st);
    assert_true(st.conflicts > 100);
    sat_free(s);
}

static int last_words(enum limit_reason why)
{
    (void)why;
    return 5;
}

/* A question that takes hours is given up when the time is over.  The last test: the limit stays
 * reached. */
static void test_interrupt(void **state)
{
    (void)state;
    limit_start(0.2, 0, last_words);
    struct sat *s = pigeons(14, 3);
    assert_int_equal(sat_solve(s), SAT_STOPPED);
    assert_true(limit_reached());
    sat_free(s);
    limit_stop();
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

/* … and another seed another one, as soon as there are conflicts enough to learn from. */
static void test_seeds_differ(void **state)
{
    (void)state;
    uint64_t first = 0;
    bool differ = false;
    for (uint64_t seed = 0; seed < 4; seed++) {
        struct stats st = {0};
        struct sat *s = pigeons(7, seed);
        assert_int_equal(sat_solve(s), SAT_NO);
        sat_stats(s, &st);
        first = seed ? first : st.decisions;
        differ |= st.decisions != first;
        sat_free(s);
    }
    assert_true(differ);
}

struct told {
    uint32_t vars[64];
    uint32_t len;
};

static bool note_told(void *self, uint32_t lit, sat_lits *conflict, uint32_t *tag)
{
    struct told *t = self;
    (void)conflict;
    (void)tag;
    t->vars[t->len++] = lit / 2;
    return true;
}

/* Variables that no conflict has named are decided in the order of memory, whatever the seed;
 * passive ones never; and those that come later are not forgotten. */
static void test_memory_order(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 3; seed++) {
        struct told t = {0};
        struct sat *s = sat_new(seed, false);
        sat_set_theory(s, &(struct sat_theory){.self = &t, .tell = note_told});
        for (uint32_t v = 0; v < 20; v++)
            v % 5 ? sat_new_var(s, v % 2) : sat_new_passive(s);
        assert_int_equal(sat_solve(s), SAT_YES);
        assert_int_equal(t.len, 16);
        for (uint32_t i = 1; i < t.len; i++)
            assert_true(t.vars[i - 1] < t.vars[i]);
        sat_restart(s);
        t.len = 0;
        uint32_t last = sat_new_var(s, true);
        assert_int_equal(sat_solve(s), SAT_YES);
        assert_int_equal(t.len, 17);
        assert_int_equal(t.vars[0], 1);
        assert_int_equal(t.vars[16], last);
        sat_free(s);
    }
}

/* A chain of implications is work without a conflict.  What was spent does not come back, but a new
 * budget counts from where it is set. */
static void test_budget(void **state)
{
    enum { LENGTH = 1000 };
    (void)state;
    struct sat *s = sat_new(1, false);
    for (uint32_t v = 0; v < 2 * LENGTH; v++)
        sat_new_var(s, true);
    for (uint32_t v = 1; v < LENGTH; v++)
        sat_add_clause(s, (uint32_t[]){2 * (v - 1) + 1, 2 * v}, 2);
    sat_set_budget(s, 0, LENGTH / 2);
    assert_int_equal(sat_solve(s), SAT_STOPPED);
    assert_int_equal(sat_solve(s), SAT_STOPPED);
    sat_set_budget(s, 0, 2 * LENGTH);
    assert_int_equal(sat_solve(s), SAT_YES);
    sat_restart(s);
    sat_set_budget(s, 0, 0);
    assert_int_equal(sat_solve(s), SAT_YES);
    sat_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_clauses),
        cmocka_unit_test(test_graphs),
        cmocka_unit_test(test_z3),
        cmocka_unit_test(test_pigeons),
        cmocka_unit_test(test_deterministic),
        cmocka_unit_test(test_seeds_differ),
        cmocka_unit_test(test_memory_order),
        cmocka_unit_test(test_budget),
        cmocka_unit_test(test_interrupt),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
