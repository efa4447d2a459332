/* The certifier of orders against the oracle: of a small history every order of transactions (and
 * of begins and commits, where the level has them) is offered as a certificate, with and without
 * the transactions of unknown outcome.  Some order is accepted exactly where the oracle explains
 * the history; so a certifier that forgets a rule is noticed as well as one that is too strict.
 * (Lists: test_history_lists.c; repeatable read: test_repeatable.c.)  Of a history that the oracle
 * explains no cycle of two transactions and no anomaly of two operations is accepted, whatever is
 * claimed.
 *
 * VISAR_FUZZ=N runs N histories per setting instead of the default; VISAR_SEED sets the seed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "certify/certify.h"
#include "tests/unit/oracle_history.h"
#include "tests/unit/small_history.h"

struct question {
    struct level level;
    enum orc_level orc;
    enum orc_realtime time;
};

/* --- all orders ------------------------------------------------------------------------------- */

struct orders {
    const struct history *h;
    struct certificate c;
    uint32_t order[2 * ORC_TXNS], len;
    uint8_t state[ORC_TXNS]; /* 0: to come, 1: began, 2: over, 3: left out */
};

static bool accepted(struct orders *s)
{
    struct arena messages = {0};
    s->c.order = s->order;
    s->c.len = s->len;
    bool yes = !certify_order(s->h, &s->c, &messages);
    arena_free(&messages);
    return yes;
}

/* Some order that begins as the one at hand is accepted. */
static bool some_order(struct orders *s)
{
    bool whole = true;
    uint32_t n = (uint32_t)s->h->txns.len;
    for (uint32_t t = 0; t < n; t++) {
        if (s->state[t] >= 2)
            continue;
        whole = false;
        bool events = s->c.kind == CHECK_EVENTS, begins = events && !s->state[t];
        s->order[s->len++] = events ? 2 * t + s->state[t] : t;
        uint8_t before = s->state[t];
        s->state[t] = begins ? 1 : 2;
        bool found = some_order(s);
        s->state[t] = before;
        s->len--;
        if (found)
            return true;
    }
    return whole && accepted(s);
}

/* … with some of the transactions of unknown outcome. */
static bool some_subset(struct orders *s, uint32_t t)
{
    if (t == s->h->txns.len)
        return some_order(s);
    uint8_t status = s->h->txns.data[t].status;
    bool found = false;
    s->state[t] = 0;
    if (status != HIST_ABORTED)
        found = some_subset(s, t + 1);
    s->state[t] = 3;
    if (!found && status != HIST_COMMITTED)
        found = some_subset(s, t + 1);
    return found;
}

static bool some_proof(const struct history *h, struct level level, int64_t drift)
{
    enum model_id m = level.model;
    struct orders s = {.h = h, .c = {.level = level, .clock_drift = drift}};
    s.c.kind = m == MODEL_SER                   ? CHECK_SERIAL
               : m == MODEL_SI || m == MODEL_PC ? CHECK_EVENTS
                                                : CHECK_ARBITRATION;
    return some_subset(&s, 0);
}

/* --- against the oracle ----------------------------------------------------------------------- */

static void compare(const struct orc_hist_params *params, const struct question *q, size_t n,
                    uint64_t seed, long rounds)
{
    struct orc_rng rng = orc_rng(seed);
    long verdicts[2] = {0, 0};
    for (long i = 0; i < rounds; i++) {
        struct orc_history o;
        orc_hist_random(&rng, params, &o);
        struct history *h = oracle_history(&o, 0);
        for (size_t k = 0; k < n; k++)
            for (int session = 0; session < 2; session++) {
                struct orc_rules rules = orc_rules_uniform(q[k].orc, session);
                struct level level = q[k].level;
                rules.realtime = q[k].time;
                rules.drift = q[k].time ? i % 3 : 0;
                level.session_order = session;
                if (q[k].time && !h->times)
                    continue;
                bool expected = orc_hist_axioms(&o, &rules, NULL);
                bool found = some_proof(h, level, rules.drift);
                if (found != expected) {
                    print_error("%s, sessions %d: some order is accepted: %d\n", level_title(level),
                                session, found);
                    orc_hist_print(stderr, &o);
                }
                assert_int_equal(found, expected);
                verdicts[expected]++;
            }
        hist_free(h);
    }
    assert_true(rounds < 100 || (verdicts[0] > rounds / 10 && verdicts[1] > rounds / 10));
}

static const struct question serial[] = {{{.model = MODEL_SER}, ORC_SER, ORC_RT_NONE}};
static const struct question events[] = {{{.model = MODEL_SI}, ORC_SI, ORC_RT_NONE},
                                         {{.model = MODEL_PC}, ORC_PC, ORC_RT_NONE}};
static const struct question visibility[] = {
    {{.model = MODEL_PSI}, ORC_PSI, ORC_RT_NONE}, {{.model = MODEL_CC}, ORC_CC, ORC_RT_NONE},
    {{.model = MODEL_RA}, ORC_RA, ORC_RT_NONE},   {{.model = MODEL_RCS}, ORC_RCS, ORC_RT_NONE},
    {{.model = MODEL_RC}, ORC_RC, ORC_RT_NONE},   {{.model = MODEL_EC}, ORC_EC, ORC_RT_NONE}};
static const struct question timed[] = {
    {{.model = MODEL_SER, .real_time = LEVEL_TIME_STRICT}, ORC_SER, ORC_RT_STRICT},
    {{.model = MODEL_SI, .real_time = LEVEL_TIME_COMMITS}, ORC_SI, ORC_RT_GSI},
    {{.model = MODEL_SI, .real_time = LEVEL_TIME_STRICT}, ORC_SI, ORC_RT_STRONG}};

#define ASK(params, questions, seed, rounds)                                                       \
    compare(params, questions, sizeof(questions) / sizeof *(questions),                            \
            (uint64_t)oracle_setting("VISAR_SEED", seed), oracle_setting("VISAR_FUZZ", rounds))

static void test_serial_orders(void **state)
{
    (void)state;
    struct orc_hist_params p = {.txns = 4, .sessions = 3, .ops = 4, .keys = 2, .wild = 10};
    ASK(&p, serial, 101, 3000);
    p.values = 2; /* and values that repeat, outcomes that are not known */
    p.aborted = 10;
    p.unknown = 25;
    ASK(&p, serial, 102, 3000);
}

static void test_orders_of_events(void **state)
{
    (void)state;
    struct orc_hist_params p = {.txns = 3, .sessions = 3, .ops = 5, .keys = 2, .wild = 5};
    ASK(&p, events, 103, 2000);
    p.values = 2;
    p.aborted = 10;
    p.unknown = 25;
    ASK(&p, events, 104, 2000);
}

static void test_orders_of_visibility(void **state)
{
    (void)state;
    struct orc_hist_params p = {
        .txns = 4, .sessions = 3, .ops = 4, .keys = 2, .wild = 5, .stmts = true};
    ASK(&p, visibility, 105, 2000);
    p.aborted = 10;
    p.unknown = 25;
    ASK(&p, visibility, 106, 1000);
}

static void test_version_orders(void **state)
{
    (void)state;
    struct orc_hist_params p = {
        .txns = 3, .sessions = 3, .ops = 4, .keys = 2, .unknown = 10, .versions = 60};
    ASK(&p, serial, 107, 2000);
    ASK(&p, events, 108, 1000);
    ASK(&p, visibility, 109, 1000);
}

static void test_real_time(void **state)
{
    (void)state;
    struct orc_hist_params p = {
        .txns = 3, .sessions = 3, .ops = 3, .keys = 2, .wild = 5, .times = true};
    ASK(&p, timed, 110, 4000);
}

/* --- false violations ------------------------------------------------------------------------- */

/* The edges from one transaction to another that somebody could claim, whatever the history says.
 */
typedef VEC(struct check_edge) claimed_edges;

static void claim(claimed_edges *out, enum check_edge_kind kind, uint32_t from, uint32_t to,
                  uint32_t key, uint32_t from_op, uint32_t to_op, uint32_t via)
{
    vec_push(out, ((struct check_edge){kind, from, to, key, from_op, to_op, via, HIST_NONE}));
}

static void claim_edges(const struct history *h, uint32_t from, uint32_t to, claimed_edges *out)
{
    const struct hist_txn *t = &h->txns.data[from], *u = &h->txns.data[to];
    claim(out, CHECK_SO, from, to, HIST_NONE, HIST_NONE, HIST_NONE, HIST_NONE);
    for (uint32_t a = t->first_op; a < t->first_op + t->op_count; a++)
        for (uint32_t b = u->first_op; b < u->first_op + u->op_count; b++) {
            uint32_t key = h->ops.data[a].key;
            bool writes[] = {h->ops.data[a].kind == HIST_WRITE, h->ops.data[b].kind == HIST_WRITE};
            if (key != h->ops.data[b].key)
                continue;
            if (writes[0])
                claim(out, writes[1] ? CHECK_WW : CHECK_WR, from, to, key, a, b, HIST_NONE);
            if (writes[0] || !writes[1])
                continue;
            claim(out, CHECK_RW, from, to, key, a, b, HIST_NONE);
            for (uint32_t v = 0; v < h->ops.len; v++)
                if (h->ops.data[v].kind == HIST_WRITE && h->ops.data[v].key == key)
                    claim(out, CHECK_RW, from, to, key, a, b, v);
        }
}

static bool accepts_violation(const struct history *h, struct level level, struct check_result *r)
{
    struct certify_question q = {.level = level};
    struct arena messages = {0};
    bool yes = !certify_violation(h, &q, r, &messages);
    arena_free(&messages);
    return yes;
}

/* Some cycle of two transactions is accepted. */
static bool some_cycle(const struct history *h, struct level level)
{
    bool found = false;
    for (uint32_t t = 0; t < h->txns.len; t++)
        for (uint32_t u = 0; u < t; u++) {
            claimed_edges there = {0}, back = {0};
            claim_edges(h, t, u, &there);
            claim_edges(h, u, t, &back);
            struct check_result r = {.level = level, .verdict = CHECK_VIOLATION, .reason = ""};
            vec_push(&r.cycles, ((struct check_cycle){0, 2}));
            vec_resize(&r.edges, 2);
            for (size_t i = 0; i < there.len && !found; i++)
                for (size_t k = 0; k < back.len && !found; k++) {
                    r.edges.data[0] = there.data[i];
                    r.edges.data[1] = back.data[k];
                    found = accepts_violation(h, level, &r);
                }
            check_result_free(&r);
            vec_free(&there);
            vec_free(&back);
        }
    return found;
}

/* Some anomaly of one or two operations is accepted. */
static bool some_anomaly(const struct history *h, struct level level)
{
    static const enum anomaly names[] = {
        ANOMALY_G1A,         ANOMALY_IMPOSSIBLE_READ, ANOMALY_G1B,           ANOMALY_THIN_AIR,
        ANOMALY_FUTURE_READ, ANOMALY_INTERNAL,        ANOMALY_NON_REPEATABLE};
    struct check_result r = {
        .level = level, .verdict = CHECK_VIOLATION, .reason = "", .cycle = HIST_NONE};
    bool found = false;
    vec_resize(&r.ops, 2);
    for (size_t n = 0; n < sizeof names / sizeof *names; n++)
        for (uint32_t a = 0; a < h->ops.len && !found; a++)
            for (uint32_t b = 0; b < h->ops.len && !found; b++) {
                r.anomaly = names[n];
                r.ops.data[0] = a;
                r.ops.data[1] = b;
                found = accepts_violation(h, level, &r);
            }
    check_result_free(&r);
    return found;
}

/* Of a history that can be explained no violation is accepted, and of the others some are. */
static void test_false_violations(void **state)
{
    (void)state;
    static const struct {
        enum model_id model;
        enum orc_level orc;
    } levels[] = {{MODEL_SER, ORC_SER}, {MODEL_SI, ORC_SI}, {MODEL_PC, ORC_PC},
                  {MODEL_PSI, ORC_PSI}, {MODEL_CC, ORC_CC}, {MODEL_RA, ORC_RA},
                  {MODEL_RCS, ORC_RCS}, {MODEL_RC, ORC_RC}, {MODEL_EC, ORC_EC}};
    struct orc_hist_params p = {.txns = 3,
                                .sessions = 3,
                                .ops = 4,
                                .keys = 2,
                                .aborted = 10,
                                .unknown = 15,
                                .wild = 10,
                                .stmts = true};
    struct orc_rng rng = orc_rng((uint64_t)oracle_setting("VISAR_SEED", 111));
    long rounds = oracle_setting("VISAR_FUZZ", 2000), accepted_claims = 0, explained = 0;
    for (long i = 0; i < rounds; i++) {
        struct orc_history o;
        p.values = i % 3 ? 0 : 2;
        p.versions = i % 2 ? 50 : 0;
        orc_hist_random(&rng, &p, &o);
        struct history *h = oracle_history(&o, 0);
        for (size_t l = i % 2; l < sizeof levels / sizeof *levels; l += 2) {
            struct orc_rules rules = orc_rules_uniform(levels[l].orc, true);
            bool holds = orc_hist_axioms(&o, &rules, NULL);
            bool claimed = some_anomaly(h, small_level(levels[l].model)) ||
                           some_cycle(h, small_level(levels[l].model));
            if (holds && claimed)
                orc_hist_print(stderr, &o);
            assert_false(holds && claimed);
            accepted_claims += claimed;
            explained += holds;
        }
        hist_free(h);
    }
    assert_true(rounds < 100 || (accepted_claims > rounds / 5 && explained > rounds / 2));
}

/* --- what no order may do --------------------------------------------------------------------- */

static bool accepts(const char *text, enum model_id model, const uint32_t *order, size_t len)
{
    struct history *h = small_history(text);
    struct arena messages = {0};
    struct certificate c = {.level = small_level(model),
                            .kind = model == MODEL_SER  ? CHECK_SERIAL
                                    : model == MODEL_SI ? CHECK_EVENTS
                                                        : CHECK_ARBITRATION,
                            .order = order,
                            .len = len};
    bool yes = !certify_order(h, &c, &messages);
    arena_free(&messages);
    hist_free(h);
    return yes;
}

static void test_not_an_order(void **state)
{
    (void)state;
    const char *text = "A: wx1  B: rx1  C!: wy1";
    static const uint32_t right[] = {0, 1}, twice[] = {0, 1, 1}, missing[] = {0},
                          aborted[] = {0, 1, 2}, nobody[] = {0, 1, 7};
    static const enum model_id models[] = {MODEL_SER, MODEL_CC, MODEL_RA, MODEL_RC, MODEL_EC};
    for (size_t m = 0; m < sizeof models / sizeof *models; m++) {
        assert_true(accepts(text, models[m], right, 2));
        assert_false(accepts(text, models[m], twice, 3));
        assert_false(accepts(text, models[m], missing, 1));
        assert_false(accepts(text, models[m], aborted, 3));
        assert_false(accepts(text, models[m], nobody, 3));
    }
    static const uint32_t events_right[] = {0, 1, 2, 3}, early[] = {0, 1, 3, 2},
                          begun[] = {0, 1, 2}, again[] = {0, 1, 2, 3, 3};
    assert_true(accepts(text, MODEL_SI, events_right, 4));
    assert_false(accepts(text, MODEL_SI, early, 4));
    assert_false(accepts(text, MODEL_SI, begun, 3));
    assert_false(accepts(text, MODEL_SI, again, 5));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_serial_orders),
        cmocka_unit_test(test_orders_of_events),
        cmocka_unit_test(test_orders_of_visibility),
        cmocka_unit_test(test_version_orders),
        cmocka_unit_test(test_real_time),
        cmocka_unit_test(test_not_an_order),
        cmocka_unit_test(test_false_violations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
