/* Saturation: what the clocks say is what walking along the edges says; at the end no order of two
 * versions has only one possible direction; and nothing is derived that some explanation of the
 * history contradicts.
 *
 * VISAR_FUZZ=N runs N histories per setting instead of the default; VISAR_SEED sets the seed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "check/graph/saturate.h"
#include "tests/unit/oracle_history.h"
#include "tests/unit/small_history.h"

static const enum model_id models[] = {MODEL_SER, MODEL_SI, MODEL_PC};
enum { MODELS = sizeof models / sizeof *models };

static const struct orc_hist_params unique = {
    .txns = 6, .sessions = 4, .ops = 4, .keys = 2, .wild = 5};
static const struct orc_hist_params duplicates = {
    .txns = 5, .sessions = 4, .ops = 3, .keys = 2, .values = 2, .wild = 5};

static enum saturate_outcome run(struct small_graph *s, const char *text, enum model_id model)
{
    uint32_t witness = HIST_NONE;
    small_graph_init(s, small_history(text), small_level(model));
    assert_true(s->matched && s->sorted);
    return saturate(&s->g, true, NULL, NULL, &witness);
}

/* The version that an operation wrote. */
static uint32_t version(const struct small_graph *s, uint32_t op)
{
    for (uint32_t v = 0; v < s->p.versions; v++)
        if (s->p.ver_op[v] == op)
            return v;
    fail();
    return HIST_NONE;
}

/* --- by hand ---------------------------------------------------------------------------------- */

/* C saw B's x after it had seen A's y, and A wrote x before y: so A's x is the older one (R1). */
static void test_order_by_read(void **state)
{
    (void)state;
    for (size_t m = 0; m < MODELS; m++) {
        struct small_graph s;
        assert_int_equal(run(&s, "A: wx1 wy1  B: wx2  C: ry1 rx2", models[m]), SATURATE_FIXPOINT);
        assert_true(saturate_older(&s.g, version(&s, 0), version(&s, 2)));
        assert_false(saturate_older(&s.g, version(&s, 2), version(&s, 0)));
        small_graph_free(&s);
    }
}

/* B comes after A by its session, and so does what it overwrites: D, which read A's x, cannot come
 * after B (R2).  The initial version of y is the oldest one. */
static void test_order_by_session(void **state)
{
    (void)state;
    for (size_t m = 0; m < MODELS; m++) {
        struct small_graph s;
        assert_int_equal(run(&s, "A: wx1  A: wx2  D: rx1 wy1", models[m]), SATURATE_FIXPOINT);
        assert_true(saturate_older(&s.g, version(&s, 0), version(&s, 1)));
        assert_true(pg_reaches(&s.g, pg_begin(&s.g, 2), pg_commit(&s.g, 1)));
        uint32_t y = version(&s, 3);
        assert_true(saturate_older(&s.g, s.p.ver_start[s.p.ver_key[y]], y));
        assert_false(saturate_older(&s.g, y, s.p.ver_start[s.p.ver_key[y]]));
        small_graph_free(&s);
    }
}

/* Nothing says which of two blind writes was first. */
static void test_order_left_open(void **state)
{
    (void)state;
    for (size_t m = 0; m < MODELS; m++) {
        struct small_graph s;
        assert_int_equal(run(&s, "A: wx1  B: wx2", models[m]), SATURATE_FIXPOINT);
        assert_false(saturate_older(&s.g, version(&s, 0), version(&s, 1)));
        assert_false(saturate_older(&s.g, version(&s, 1), version(&s, 0)));
        assert_int_equal(s.g.edges.len, 0);
        small_graph_free(&s);
    }
}

/* Two reads that each missed the other's write, and a fork that two readers saw in two orders. */
static void test_cycles(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        enum saturate_outcome outcome[MODELS];
    } cases[] = {
        {"A: rx0 wx1  B: rx0 wx2  C: rx1",
         {SATURATE_CYCLE, SATURATE_CYCLE, SATURATE_FIXPOINT}}, /* lost update */
        {"A: rx0 ry0 wx1  B: rx0 ry0 wy1",
         {SATURATE_CYCLE, SATURATE_FIXPOINT, SATURATE_FIXPOINT}}, /* write skew */
        {"A: wx1  B: wy1  C: rx1 ry0  D: rx0 ry1",
         {SATURATE_CYCLE, SATURATE_CYCLE, SATURATE_CYCLE}}, /* long fork */
        {"A: wx1 wy1  B: rx1 ry0",
         {SATURATE_CYCLE, SATURATE_CYCLE, SATURATE_CYCLE}}, /* fractured */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (size_t m = 0; m < MODELS; m++) {
            struct small_graph s;
            assert_int_equal(run(&s, cases[i].text, models[m]), cases[i].outcome[m]);
            small_graph_free(&s);
        }
}

/* Two wrote 1 to x.  C had seen a later write by A, so it read B's. */
static void test_choice_settled(void **state)
{
    (void)state;
    for (size_t m = 0; m < MODELS; m++) {
        struct small_graph s;
        assert_int_equal(run(&s, "A: wx1  A: wx2 wy1  B: wx1  C: ry1 rx1", models[m]),
                         SATURATE_FIXPOINT);
        assert_int_equal(s.p.choices.len, 1);
        const struct match_choice *c = &s.p.choices.data[0];
        assert_int_equal(c->len, 1);
        assert_int_equal(s.p.rd_ver[c->read], version(&s, 3));
        assert_true(pg_reaches(&s.g, pg_commit(&s.g, 2), pg_begin(&s.g, 3)));
        small_graph_free(&s);
    }
}

/* Both who wrote 1 to x have overwritten it before C, which saw that, read it. */
static void test_no_source(void **state)
{
    (void)state;
    for (size_t m = 0; m < MODELS; m++) {
        struct small_graph s;
        uint32_t witness = HIST_NONE;
        small_graph_init(&s,
                         small_history("A: wx1  A: wx2 wy1  B: wx1  B: wx3 wz1  C: ry1 rz1 rx1"),
                         small_level(models[m]));
        assert_int_equal(saturate(&s.g, true, NULL, NULL, &witness), SATURATE_NO_SOURCE);
        assert_int_equal(witness, 0);
        small_graph_free(&s);
    }
}

static void test_latest(void **state)
{
    (void)state;
    struct small_graph s;
    assert_int_equal(run(&s, "A: wx1  A: wy1  A: wx2  B: wx3  A: wx4", MODEL_SER),
                     SATURATE_FIXPOINT);
    uint32_t key = s.p.ver_key[version(&s, 0)], group = s.g.groups.start[key];
    assert_int_equal(s.g.groups.start[key + 1] - group, 2);
    assert_int_equal(saturate_latest(&s.g, key, group, 0, PROB_INIT), HIST_NONE);
    assert_int_equal(saturate_latest(&s.g, key, group, 1, PROB_INIT), version(&s, 0));
    assert_int_equal(saturate_latest(&s.g, key, group, 2, PROB_INIT), version(&s, 0));
    assert_int_equal(saturate_latest(&s.g, key, group, 3, PROB_INIT), version(&s, 2));
    assert_int_equal(saturate_latest(&s.g, key, group, 4, PROB_INIT), version(&s, 4));
    assert_int_equal(saturate_latest(&s.g, key, group, 4, s.p.ver_txn[version(&s, 4)]),
                     version(&s, 2));
    assert_int_equal(saturate_latest(&s.g, key, group + 1, 1, PROB_INIT), version(&s, 3));
    small_graph_free(&s);
}

/* However long a session is, its clock counts on: entries of one, two and four bytes. */
static void test_long_sessions(void **state)
{
    (void)state;
    static const uint32_t lengths[] = {100, 255, 256, 300, 65535, 65536, 70000};
    for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++) {
        struct history *h = small_builder("");
        uint32_t x = hist_key_str(h, "x", 1), y = hist_key_str(h, "y", 1), n = lengths[l];
        uint32_t first = hist_add_session(h, NULL), second = hist_add_session(h, NULL), witness;
        for (uint32_t i = 0; i < n; i++) {
            hist_begin_txn(h, first);
            hist_write(h, i + 1 < n ? y : x, hist_int(i + 1));
            hist_end_txn(h, HIST_COMMITTED);
        }
        hist_begin_txn(h, second);
        hist_read(h, x, hist_int(n));
        hist_end_txn(h, HIST_COMMITTED);
        assert_null(hist_finish(h));
        struct small_graph s;
        small_graph_init(&s, h, small_level(MODEL_SER));
        assert_int_equal(saturate(&s.g, true, NULL, NULL, &witness), SATURATE_FIXPOINT);
        assert_true(pg_reaches(&s.g, 0, n) && pg_reaches(&s.g, n - 1, n));
        assert_false(pg_reaches(&s.g, n, 0) || pg_reaches(&s.g, n - 1, 0));
        assert_int_equal(clocks_entry(&s.g.clocks, n, 0), n);
        small_graph_free(&s);
    }
}

/* --- at random -------------------------------------------------------------------------------- */

/* Would "a before b" close a cycle with what is known? */
static bool impossible(const struct pg *g, const uint8_t *reach, uint32_t a, uint32_t b)
{
    const struct prob *p = g->p;
    uint32_t v = p->ver_txn[a], w = p->ver_txn[b], n = g->nodes;
    if (reach[pg_ww_head(g, w) * n + pg_commit(g, v)])
        return true;
    struct pg_readers i = pg_readers(g, a);
    for (uint32_t r; (r = pg_next_reader(g, &i)) != HIST_NONE;)
        if (p->rd_txn[r] != w && reach[pg_commit(g, w) * n + pg_begin(g, p->rd_txn[r])])
            return true;
    return false;
}

/* The clocks are right, and nothing more follows: of two versions in no known order both orders are
 * possible, and a known order has all its edges. */
static void check_fixpoint(struct pg *g)
{
    const struct prob *p = g->p;
    uint8_t *reach = small_reachable(g);
    uint32_t n = g->nodes;
    for (uint32_t a = 0; a < n; a++)
        for (uint32_t b = 0; b < n; b++)
            assert_int_equal(pg_reaches(g, a, b), reach[a * n + b]);
    for (uint32_t a = 0; a < p->versions; a++)
        for (uint32_t b = p->ver_start[p->ver_key[a]] + 1; b < p->ver_start[p->ver_key[a] + 1];
             b++) {
            if (a == b)
                continue;
            uint32_t w = p->ver_txn[b];
            if (!saturate_older(g, a, b)) {
                assert_false(p->ver_txn[a] == PROB_INIT);
                assert_false(impossible(g, reach, b, a));
                continue;
            }
            struct pg_readers i = pg_readers(g, a);
            for (uint32_t r; (r = pg_next_reader(g, &i)) != HIST_NONE;)
                assert_true(p->rd_txn[r] == w ||
                            pg_reaches(g, pg_begin(g, p->rd_txn[r]), pg_commit(g, w)));
        }
    mem_free(reach);
}

static void check_random(const struct orc_hist_params *params, uint64_t seed, bool ranked)
{
    struct orc_rng rng = orc_rng(seed);
    long rounds = oracle_setting("VISAR_FUZZ", 3000), done[2] = {0, 0};
    for (long i = 0; i < rounds; i++) {
        struct orc_history o;
        orc_hist_random(&rng, params, &o);
        enum model_id model = models[i % MODELS];
        struct small_graph s;
        uint32_t witness = HIST_NONE;
        small_graph_init(&s, oracle_history(&o, 0), small_level(model));
        if (s.matched && s.sorted) {
            s.g.always_ranked = ranked;
            enum saturate_outcome a = saturate(&s.g, true, NULL, NULL, &witness);
            if (a == SATURATE_FIXPOINT)
                check_fixpoint(&s.g);
            else
                assert_false(small_expected(&o, model));
            done[a == SATURATE_FIXPOINT]++;
        }
        small_graph_free(&s);
    }
    assert_true(done[0] > rounds / 20 && done[1] > rounds / 4);
}

static void test_fixpoint(void **state)
{
    (void)state;
    check_random(&unique, (uint64_t)oracle_setting("VISAR_SEED", 41), false);
}

static void test_fixpoint_in_lines(void **state)
{
    (void)state;
    check_random(&unique, (uint64_t)oracle_setting("VISAR_SEED", 42), true);
}

static void test_fixpoint_with_choices(void **state)
{
    (void)state;
    check_random(&duplicates, (uint64_t)oracle_setting("VISAR_SEED", 43), false);
}

static void test_fixpoint_with_outcomes(void **state)
{
    (void)state;
    struct orc_hist_params p = duplicates;
    p.unknown = 25;
    struct orc_rng rng = orc_rng((uint64_t)oracle_setting("VISAR_SEED", 44));
    long rounds = oracle_setting("VISAR_FUZZ", 3000);
    for (long i = 0; i < rounds; i++) {
        struct orc_history o;
        orc_hist_random(&rng, &p, &o);
        enum model_id model = models[i % MODELS];
        struct small_graph s;
        uint32_t witness;
        small_graph_init(&s, oracle_history(&o, 0), small_level(model));
        s.g.always_ranked = i % 2;
        if (s.matched && s.sorted &&
            saturate(&s.g, true, NULL, NULL, &witness) != SATURATE_FIXPOINT)
            assert_false(small_expected(&o, model));
        small_graph_free(&s);
    }
}

/* Every serial order that explains a history agrees with every edge and every settled read. */
struct serial {
    struct pg *g;
    uint32_t order[ORC_TXNS], current[ORC_KEYS];
    bool done[ORC_TXNS];
    long found;
};

static bool may_have_seen(const struct prob *p, uint32_t read, uint32_t v)
{
    if (!(p->rd_ver[read] & PROB_CHOICE))
        return p->rd_ver[read] == v;
    const struct match_choice *c = &p->choices.data[p->rd_ver[read] & ~PROB_CHOICE];
    for (uint32_t i = 0; i < c->len; i++)
        if (p->cand.data[c->start + i] == v)
            return true;
    return false;
}

static bool has_value(const struct prob *p, uint32_t read, uint32_t v)
{
    struct hist_value seen = hist_op_value(&p->h->ops.data[p->rd_op[read]]);
    struct hist_value there =
        p->ver_op[v] == HIST_NONE ? hist_int(0) : hist_op_value(&p->h->ops.data[p->ver_op[v]]);
    return hist_value_eq(seen, there);
}

static void try_serial(struct serial *s, uint32_t at)
{
    struct pg *g = s->g;
    const struct prob *p = g->p;
    if (at == p->n) {
        uint32_t place[ORC_TXNS] = {0};
        for (uint32_t i = 0; i < at; i++)
            place[s->order[i]] = i;
        for (size_t e = 0; e < g->edges.len; e++)
            assert_true(place[g->edges.data[e].edge.from] < place[g->edges.data[e].edge.to]);
        s->found++;
        return;
    }
    for (uint32_t t = 0; t < p->n; t++) {
        bool fits = !s->done[t] && (!t || p->session[t - 1] != p->session[t] || s->done[t - 1]);
        for (uint32_t r = p->rd_start[t]; r < p->rd_start[t + 1] && fits; r++)
            fits = has_value(p, r, s->current[p->rd_key[r]]);
        if (!fits)
            continue;
        uint32_t saved[ORC_KEYS];
        memcpy(saved, s->current, sizeof saved);
        uint32_t missing = HIST_NONE;
        for (uint32_t r = p->rd_start[t]; r < p->rd_start[t + 1]; r++)
            if (!may_have_seen(p, r, s->current[p->rd_key[r]]))
                missing = r;
        for (uint32_t w = p->wr_start[t]; w < p->wr_start[t + 1]; w++)
            s->current[p->ver_key[p->wr_ver[w]]] = p->wr_ver[w];
        s->done[t] = true;
        s->order[at] = t;
        long before = s->found;
        try_serial(s, at + 1);
        if (s->found > before)
            assert_int_equal(missing, HIST_NONE); /* a candidate was dropped that was seen */
        s->done[t] = false;
        memcpy(s->current, saved, sizeof saved);
    }
}

static void test_serial_orders_agree(void **state)
{
    (void)state;
    struct orc_rng rng = orc_rng((uint64_t)oracle_setting("VISAR_SEED", 45));
    long rounds = oracle_setting("VISAR_FUZZ", 3000), orders = 0;
    for (long i = 0; i < rounds; i++) {
        struct orc_history o;
        orc_hist_random(&rng, i % 2 ? &unique : &duplicates, &o);
        struct small_graph s;
        uint32_t witness;
        small_graph_init(&s, oracle_history(&o, 0), small_level(MODEL_SER));
        if (s.matched && s.sorted &&
            saturate(&s.g, true, NULL, NULL, &witness) == SATURATE_FIXPOINT) {
            struct serial all = {.g = &s.g};
            for (uint32_t k = 0; k < s.p.keys; k++)
                all.current[k] = s.p.ver_start[k];
            try_serial(&all, 0);
            assert_int_equal(all.found > 0, small_expected(&o, MODEL_SER));
            orders += all.found;
        }
        small_graph_free(&s);
    }
    assert_true(orders > rounds / 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order_by_read),
        cmocka_unit_test(test_order_by_session),
        cmocka_unit_test(test_order_left_open),
        cmocka_unit_test(test_cycles),
        cmocka_unit_test(test_choice_settled),
        cmocka_unit_test(test_no_source),
        cmocka_unit_test(test_latest),
        cmocka_unit_test(test_long_sessions),
        cmocka_unit_test(test_fixpoint),
        cmocka_unit_test(test_fixpoint_in_lines),
        cmocka_unit_test(test_fixpoint_with_choices),
        cmocka_unit_test(test_fixpoint_with_outcomes),
        cmocka_unit_test(test_serial_orders_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
