/* Lists against brute force: small random histories of appends and list reads; every serial order
 * (SER), every order of begins and commits (SI, PC) and every arbitration (the other levels) is
 * tried with the certificate checker as the judge, which knows lists by their values only, and the
 * engine must say the same; and what a violation is said to rule out must be ruled out.  Once with
 * unique values, once with values that repeat. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/map.h"
#include "certify/certify.h"
#include "certify/ruled_out.h"
#include "check/certified_search.h"
#include "check/problem/lists.h"
#include "report/report.h"

enum { MAX_TXNS = 4, KEYS = 2 };

static uint32_t draw(uint64_t *state, uint32_t n)
{
    *state += 0x9e3779b97f4a7c15u;
    return (uint32_t)(hash_u64(*state) % n);
}

/* The lists as they grow; a snapshot is a length per key. */
struct store {
    int64_t list[KEYS][64];
    uint32_t len[KEYS];
};

/* A new value, or one of a few. */
static int64_t next_value(uint64_t *rng, int64_t *value, uint32_t few)
{
    return few ? 1 + draw(rng, few) : ++*value;
}

/* Reads come from the present or a slightly older snapshot; now and then one is spoilt. */
static void make_txn(struct history *h, struct store *s, uint64_t *rng, uint32_t session,
                     int64_t *value, uint32_t few)
{
    uint32_t seen[KEYS];
    int64_t own[64], copy[64];
    uint32_t own_key[64], owns = 0, ops = 1 + draw(rng, 3);
    for (uint32_t k = 0; k < KEYS; k++) {
        uint32_t lag = draw(rng, 4) ? 0 : draw(rng, 3);
        seen[k] = lag < s->len[k] ? s->len[k] - lag : 0;
    }
    uint32_t status = draw(rng, 10);
    bool blind =
        status == 1 && (few || draw(rng, 3)); /* as Jepsen records those of unknown outcome */
    hist_begin_txn(h, session);
    for (uint32_t i = 0; i < ops; i++) {
        uint32_t k = draw(rng, KEYS);
        if (blind || draw(rng, 2)) {
            own[owns] = next_value(rng, value, few);
            own_key[owns] = k;
            hist_append(h, k, own[owns++]);
            continue;
        }
        uint32_t n = seen[k];
        memcpy(copy, s->list[k], n * sizeof *copy);
        for (uint32_t j = 0; j < owns; j++)
            if (own_key[j] == k)
                copy[n++] = own[j];
        if (n > 1 && draw(rng, 25) == 0) {
            int64_t x = copy[0];
            copy[0] = copy[n - 1];
            copy[n - 1] = x;
        }
        if (n && draw(rng, 25) == 0)
            n--;
        hist_list_read(h, k, copy, n);
    }
    hist_end_txn(h, status == 0 ? HIST_ABORTED : status == 1 ? HIST_UNKNOWN : HIST_COMMITTED);
    for (uint32_t j = 0; j < owns && (status || draw(rng, 3) == 0); j++)
        s->list[own_key[j]][s->len[own_key[j]]++] = own[j];
}

static struct history *make(uint64_t *rng, uint32_t few)
{
    struct history *h = hist_new();
    struct store s = {0};
    int64_t value = 0;
    uint32_t sessions = 1 + draw(rng, 3), txns = 2 + draw(rng, MAX_TXNS - 1);
    for (uint32_t k = 0; k < KEYS; k++)
        hist_key_int(h, k);
    for (uint32_t i = 0; i < sessions; i++)
        hist_add_session(h, NULL);
    for (uint32_t i = 0; i < txns; i++)
        make_txn(h, &s, rng, draw(rng, sessions), &value, few);
    assert_null(hist_finish(h));
    return h;
}

struct brute {
    const struct history *h;
    struct certificate c;
    uint32_t order[2 * MAX_TXNS];
    uint32_t members, used;
    struct arena arena;
};

static bool try_orders(struct brute *b)
{
    bool events = b->c.kind == CHECK_EVENTS, full = true;
    for (uint32_t e = 0; e < (events ? 2 : 1) * b->h->txns.len; e++) {
        uint32_t t = events ? e / 2 : e;
        if (!(b->members >> t & 1) || b->used >> e & 1)
            continue;
        full = false;
        if (events && e & 1 && !(b->used >> (e - 1) & 1))
            continue;
        b->used |= 1u << e;
        b->order[b->c.len++] = e;
        if (try_orders(b))
            return true;
        b->c.len--;
        b->used &= ~(1u << e);
    }
    return full && !certify_order(b->h, &b->c, &b->arena);
}

/* With any of the transactions of unknown outcome, or without. */
static bool brute_force(const struct history *h, struct level level)
{
    bool found = false;
    for (uint32_t set = 0; set < 1u << h->txns.len && !found; set++) {
        struct brute b = {.h = h, .members = set};
        bool fits = true;
        for (uint32_t t = 0; t < h->txns.len; t++) {
            bool in = set >> t & 1;
            fits &= h->txns.data[t].status == HIST_COMMITTED ? in
                    : h->txns.data[t].status == HIST_ABORTED ? !in
                                                             : true;
        }
        if (!fits)
            continue;
        b.c.level = level;
        b.c.kind = level.model == MODEL_SER                             ? CHECK_SERIAL
                   : level.model == MODEL_SI || level.model == MODEL_PC ? CHECK_EVENTS
                                                                        : CHECK_ARBITRATION;
        b.c.order = b.order;
        found = try_orders(&b);
        arena_free(&b.arena);
    }
    return found;
}

/* By model, without and with session order. */
typedef bool expectation[MODEL_COUNT][2];

static void expect_ruled_out(const struct history *h, const struct check_result *r,
                             expectation satisfied)
{
    struct ruled_out out = ruled_out_by(h, r);
    for (int m = 0; m < MODEL_COUNT; m++)
        for (int session = out.needs_sessions; session < 2 && out.models >> m & 1; session++) {
            if (satisfied[m][session]) {
                hist_dump(h, stderr);
                check_result_dump(h, r, stderr);
                print_error("%s rules out %s\n", level_title(r->level),
                            model_get((enum model_id)m)->name);
            }
            assert_false(satisfied[m][session]);
        }
}

static void compare(const struct history *h, struct level level, expectation satisfied,
                    long *verdicts)
{
    struct check_options o = check_defaults();
    o.level = level;
    bool expected = satisfied[level.model][level.session_order];
    struct check_result r;
    check_items(h, &o, &r);
    if (r.verdict != (expected ? CHECK_OK : CHECK_VIOLATION)) {
        hist_dump(h, stderr);
        check_result_dump(h, &r, stderr);
        print_error("%s\n", level_title(level));
    }
    assert_int_equal(r.verdict, expected ? CHECK_OK : CHECK_VIOLATION);
    verdicts[expected]++;
    if (!expected)
        expect_ruled_out(h, &r, satisfied);
    check_result_free(&r);
}

static void campaign(long rounds, uint32_t few)
{
    const char *count = getenv("VISAR_FUZZ"), *seed = getenv("VISAR_SEED");
    long verdicts[2] = {0, 0};
    uint64_t rng = seed ? (uint64_t)atol(seed) : 6;
    rounds = count ? atol(count) : rounds;
    for (long i = 0; i < rounds; i++) {
        struct history *h = make(&rng, few);
        expectation satisfied;
        for (int pass = 0; pass < 2; pass++)
            for (int m = 0; m < MODEL_COUNT; m++)
                for (int session = 0; session < 2; session++) {
                    struct level level = {(enum model_id)m, session, LEVEL_NO_TIME};
                    if (pass)
                        compare(h, level, satisfied, verdicts);
                    else
                        satisfied[m][session] = brute_force(h, level);
                }
        hist_free(h);
    }
    assert_true(verdicts[0] > rounds / 4 && verdicts[1] > rounds / 4);
}

static void test_unique(void **state)
{
    (void)state;
    campaign(1500, 0);
}

static void test_equal(void **state)
{
    (void)state;
    campaign(2000, 1);
    campaign(2000, 2);
    campaign(1000, 3);
}

static bool all_committed(const struct history *h)
{
    for (size_t t = 0; t < h->txns.len; t++)
        if (h->txns.data[t].status != HIST_COMMITTED)
            return false;
    return true;
}

/* Running alone: an order that it gives is a certificate; where all have committed it finds one
 * whenever there is one, but for SI. */
static void test_running(void **state)
{
    (void)state;
    static const enum model_id models[] = {MODEL_SER, MODEL_SI, MODEL_PC};
    const char *count = getenv("VISAR_FUZZ");
    long rounds = count ? atol(count) : 1500, ran = 0, stuck = 0;
    uint64_t rng = 8;
    for (long i = 0; i < rounds; i++) {
        struct history *h = make(&rng, 0);
        for (size_t m = 0; m < 3; m++) {
            struct check_options o = check_defaults();
            struct check_result r = {.reason = "", .cycle = HIST_NONE};
            struct arena messages = {0};
            o.level = (struct level){models[m], true, LEVEL_NO_TIME};
            if (lists_replay(h, &o, &r)) {
                struct certificate c = certificate_of_order(o.level, 0, &r);
                assert_null(certify_order(h, &c, &messages));
                ran++;
            } else if (models[m] != MODEL_SI && all_committed(h)) {
                assert_false(brute_force(h, o.level));
                stuck++;
            }
            arena_free(&messages);
            check_result_free(&r);
        }
        hist_free(h);
    }
    assert_true(ran > rounds / 2 && stuck > rounds / 20);
}

/* An anomaly if the user says that values are unique. */
static void test_unique_values(void **state)
{
    (void)state;
    struct history *h = hist_new();
    hist_key_int(h, 0);
    hist_add_session(h, NULL);
    for (int i = 0; i < 2; i++) {
        hist_begin_txn(h, 0);
        hist_append(h, 0, 7);
        hist_end_txn(h, HIST_COMMITTED);
    }
    assert_null(hist_finish(h));
    for (int unique = 0; unique < 2; unique++)
        for (int m = 0; m < MODEL_COUNT; m++) {
            struct check_options o = check_defaults();
            o.level.model = (enum model_id)m;
            o.unique_values = unique;
            struct check_result r;
            check_items(h, &o, &r);
            assert_int_equal(r.verdict, unique ? CHECK_VIOLATION : CHECK_OK);
            if (unique)
                assert_int_equal(r.anomaly, ANOMALY_DUPLICATE_WRITE);
            check_result_free(&r);
        }
    hist_free(h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_unique), cmocka_unit_test(test_equal),
                                       cmocka_unit_test(test_running),
                                       cmocka_unit_test(test_unique_values)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
