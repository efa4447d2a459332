/* Real time: begins and commits are intervals (history.h), and only what holds for every point of
 * them may be an edge.
 *
 * A simulated server runs transactions whose snapshots and commits lie anywhere between being asked
 * for and being answered, and its clients stamp what they see, by clocks of their own.  Whatever
 * they stamp, no level that the server has may reject it.  The levels imply each other as
 * docs/levels.md says, on these histories and, if $VISAR_HISTORIES is there, on recorded ones.
 * (test_history_engine.c compares with the oracle.)
 *
 * VISAR_FUZZ=N runs N histories per server; VISAR_SEED sets the seed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "certify/certify.h"
#include "check/certified_search.h"
#include "history/format/formats.h"
#include "tests/oracle/oracle.h"
#include "tests/unit/oracle_history.h"

enum { TXNS = 24, KEYS = 4, OPS = 4, SESSIONS = 5 };

/* Servers.  SI takes its snapshot between begin and answer; GSI takes an older one now and then, so
 * that a session may not even see itself; OPTIMISTIC is SI and aborts who read what others changed
 * since; SERIAL runs each transaction at one point between its begin and its end. */
enum server { SI, GSI, OPTIMISTIC, SERIAL, SERVERS };

/* What clients stamp: each end now and then, one stamp each, both ends, the call as a whole (as in
 * EDN), or the server's own points. */
enum stamps { SOME, SINGLE, BOTH, CALL, POINTS, STAMPS };

struct sim_txn {
    uint32_t session;
    int64_t begin, begun, end, ended; /* asked, answered, asked, answered; by the server's clock */
    int64_t snapshot, commit;
    int n_ops;
    struct {
        bool write;
        int key;
        int64_t value;
    } ops[OPS];
    bool aborted;
};

struct sim {
    struct orc_rng *rng;
    enum server server;
    struct sim_txn txns[TXNS];
    int order[TXNS]; /* by commit */
    int64_t clock[SESSIONS], offset[SESSIONS];
};

/* ---- the server ----------------------------------------------------------------------------- */

static int64_t between(struct orc_rng *r, int64_t a, int64_t b)
{
    return a + orc_below(r, (int)(b - a + 1));
}

static void plan(struct sim *s, int t)
{
    struct sim_txn *x = &s->txns[t];
    *x = (struct sim_txn){.session = (uint32_t)orc_below(s->rng, SESSIONS)};
    int64_t *now = &s->clock[x->session];
    x->begin = *now += 1 + orc_below(s->rng, 4);
    x->begun = *now += orc_below(s->rng, 8);
    x->end = *now += orc_below(s->rng, 8);
    x->ended = *now += orc_below(s->rng, 8);
    x->snapshot = between(s->rng, x->begin, x->begun);
    x->commit = between(s->rng, x->end, x->ended);
    if (s->server == SERIAL)
        x->snapshot = x->commit = between(s->rng, x->begin, x->ended);
    if (s->server == GSI && orc_percent(s->rng, 40))
        x->snapshot -= orc_below(s->rng, 30);
    if (x->snapshot > x->commit)
        x->snapshot = x->commit;
    x->n_ops = 1 + orc_below(s->rng, OPS);
    for (int i = 0; i < x->n_ops; i++) {
        x->ops[i].write = orc_percent(s->rng, 50);
        x->ops[i].key = orc_below(s->rng, KEYS);
        x->ops[i].value = t * OPS + i + 1;
    }
}

/* In the order of commits.  What happens at one moment happens in this order, too. */
static int by_commit(const void *a, const void *b, void *sim)
{
    const struct sim_txn *t = ((struct sim *)sim)->txns;
    int x = *(const int *)a, y = *(const int *)b;
    if (t[x].commit != t[y].commit)
        return t[x].commit < t[y].commit ? -1 : 1;
    return x - y;
}

static bool writes(const struct sim_txn *x, int key)
{
    for (int i = 0; i < x->n_ops; i++)
        if (x->ops[i].write && x->ops[i].key == key)
            return true;
    return false;
}

/* The value of a key in a snapshot that contains the commits before `place`. */
static int64_t value_at(const struct sim *s, int place, int key)
{
    while (place-- > 0) {
        const struct sim_txn *x = &s->txns[s->order[place]];
        for (int i = x->n_ops; i-- > 0 && !x->aborted;)
            if (x->ops[i].write && x->ops[i].key == key)
                return x->ops[i].value;
    }
    return 0;
}

/* Did one of the commits from `from` up to `to` write what the transaction writes, or (OPTIMISTIC)
 * reads? */
static bool conflicts(const struct sim *s, const struct sim_txn *x, int from, int to)
{
    for (int p = from; p < to; p++)
        for (int i = 0; i < x->n_ops && !s->txns[s->order[p]].aborted; i++)
            if ((x->ops[i].write || s->server == OPTIMISTIC) &&
                writes(&s->txns[s->order[p]], x->ops[i].key))
                return true;
    return false;
}

static void run(struct sim *s)
{
    for (int t = 0; t < TXNS; t++) {
        plan(s, t);
        s->order[t] = t;
    }
    qsort_r(s->order, TXNS, sizeof *s->order, by_commit, s);
    for (int p = 0; p < TXNS; p++) {
        struct sim_txn *x = &s->txns[s->order[p]];
        int seen = p; /* the snapshot has the commits up to its point */
        while (seen > 0 && s->txns[s->order[seen - 1]].commit > x->snapshot)
            seen--;
        x->aborted = conflicts(s, x, seen, p);
        for (int i = 0; i < x->n_ops; i++) {
            if (x->ops[i].write)
                continue;
            x->ops[i].value = value_at(s, seen, x->ops[i].key);
            for (int j = 0; j < i; j++)
                if (x->ops[j].write && x->ops[j].key == x->ops[i].key)
                    x->ops[i].value = x->ops[j].value;
        }
    }
}

/* ---- its clients ---------------------------------------------------------------------------- */

static struct hist_times stamp(struct sim *s, const struct sim_txn *x, enum stamps stamps)
{
    int64_t o = s->offset[x->session];
    struct hist_times t = {x->begin + o, x->begun + o, x->end + o, x->ended + o};
    if (stamps == POINTS)
        return (struct hist_times){x->snapshot, x->snapshot, x->commit, x->commit};
    if (stamps == CALL)
        return (struct hist_times){t.begin_asked, t.commit_answered, t.begin_asked,
                                   t.commit_answered};
    if (stamps == SINGLE)
        t.begin_answered = t.commit_asked = HIST_NO_TIME;
    int64_t *ends[] = {&t.begin_asked, &t.begin_answered, &t.commit_asked, &t.commit_answered};
    for (int i = 0; i < 4 && stamps == SOME; i++)
        if (orc_percent(s->rng, 25))
            *ends[i] = HIST_NO_TIME;
    return t;
}

static struct history *record(struct sim *s, enum stamps stamps)
{
    struct history *h = hist_new();
    hist_set_initial_default(h, hist_int(0));
    for (int i = 0; i < SESSIONS; i++)
        hist_add_session(h, NULL);
    for (int t = 0; t < TXNS; t++) {
        const struct sim_txn *x = &s->txns[t];
        hist_begin_txn(h, x->session);
        hist_txn_intervals(h, stamp(s, x, stamps));
        for (int i = 0; i < x->n_ops; i++)
            (x->ops[i].write ? hist_write : hist_read)(h, hist_key_int(h, x->ops[i].key),
                                                       hist_int(x->ops[i].value));
        hist_end_txn(h, x->aborted ? HIST_ABORTED : HIST_COMMITTED);
    }
    assert_null(hist_finish(h));
    return h;
}

static enum check_verdict ask(const struct history *h, const char *level, int64_t drift)
{
    struct check_options o = check_defaults();
    struct check_result r;
    assert_true(level_find(level, &o.level));
    o.clock_drift = drift;
    check_items(h, &o, &r);
    enum check_verdict v = r.verdict;
    if (v == CHECK_BROKEN)
        print_error("%s: %s\n", level, r.reason);
    check_result_free(&r);
    return v;
}

/* The levels that a server has.  The points of a serial one may be later than its begin's answer,
 * and a server of old snapshots does not see what committed before. */
static const struct {
    enum server server;
    const char *level;
} promises[] = {
    {SI, "si"},
    {SI, "gsi"},
    {SI, "strong-si"},
    {GSI, "adya-si"},
    {GSI, "gsi"},
    {OPTIMISTIC, "ser"},
    {OPTIMISTIC, "si"},
    {OPTIMISTIC, "gsi"},
    {OPTIMISTIC, "strong-si"},
    {OPTIMISTIC, "strict-ser"},
    {SERIAL, "ser"},
    {SERIAL, "si"},
    {SERIAL, "strict-ser"},
};

static void expect_ok(const struct history *h, const char *level, int64_t drift, int server,
                      int stamps)
{
    if (ask(h, level, drift) == CHECK_OK)
        return;
    print_error("server %d, stamps %d, drift %ld: not %s\n", server, stamps, (long)drift, level);
    hist_dump(h, stderr);
    fail();
}

static void test_no_correct_server_is_rejected(void **state)
{
    (void)state;
    struct orc_rng rng = orc_rng((uint64_t)oracle_setting("VISAR_SEED", 1));
    long rounds = oracle_setting("VISAR_FUZZ", 1500);
    for (long i = 0; i < rounds * SERVERS; i++) {
        struct sim s = {.rng = &rng, .server = (enum server)(i % SERVERS)};
        enum stamps stamps = (enum stamps)orc_below(&rng, STAMPS);
        if (s.server == SERIAL && stamps == POINTS)
            stamps = BOTH; /* its one point is not what POINTS takes for the begin's */
        int64_t drift = orc_percent(&rng, 50) ? orc_below(&rng, 10) : 0;
        for (int c = 0; c < SESSIONS; c++)
            s.offset[c] = between(&rng, 0, drift);
        run(&s);
        struct history *h = record(&s, stamps);
        for (size_t p = 0; p < sizeof promises / sizeof *promises; p++)
            if (promises[p].server == s.server)
                expect_ok(h, promises[p].level, drift, s.server, stamps);
        hist_free(h);
    }
}

/* Otherwise the test above would show nothing: a server that has less is found out, now and then,
 * by its points and by both ends. */
static void test_others_are_found_out(void **state)
{
    (void)state;
    struct orc_rng rng = orc_rng(2);
    long found[3] = {0};
    for (int i = 0; i < 600; i++) {
        struct sim s = {.rng = &rng, .server = i % 2 ? GSI : SERIAL};
        run(&s);
        struct history *both = record(&s, BOTH), *points = record(&s, POINTS);
        if (s.server == GSI) {
            found[0] += ask(both, "strong-si", 0) == CHECK_VIOLATION;
            found[1] += ask(points, "strict-ser", 0) == CHECK_VIOLATION;
        } else
            found[2] += ask(both, "gsi", 0) == CHECK_VIOLATION;
        hist_free(both);
        hist_free(points);
    }
    for (int i = 0; i < 3; i++)
        assert_true(found[i] > 30);
}

/* ---- implications --------------------------------------------------------------------------- */

static bool commit_before_begin(const struct hist_times *s, const struct hist_times *t)
{
    return s->commit_answered != HIST_NO_TIME && t->begin_asked != HIST_NO_TIME &&
           s->commit_answered < t->begin_asked;
}

/* Strict SER gives an order in which every transaction commits at once: that order satisfies SI,
 * and it keeps every commit before the begins that came later. */
static void expect_si_with_begins(const struct history *h)
{
    struct check_options o = check_defaults();
    struct check_result r;
    struct arena messages = {0};
    level_find("strict-ser", &o.level);
    check_items(h, &o, &r);
    assert_int_equal(r.verdict, CHECK_OK);
    uint32_t *events = calloc(2 * r.order.len + 1, sizeof *events);
    int64_t last_begin = INT64_MIN;
    for (size_t i = 0; i < r.order.len; i++) {
        uint32_t t = r.order.data[i];
        events[2 * i] = 2 * t;
        events[2 * i + 1] = 2 * t + 1;
        struct hist_times last = {last_begin, HIST_NO_TIME, HIST_NO_TIME, HIST_NO_TIME};
        assert_false(commit_before_begin(&h->times[t], &last));
        if (h->times[t].begin_asked > last_begin)
            last_begin = h->times[t].begin_asked;
    }
    struct certificate c = {.level = {MODEL_SI, true, LEVEL_NO_TIME},
                            .kind = CHECK_EVENTS,
                            .order = events,
                            .len = 2 * r.order.len};
    assert_null(certify_order(h, &c, &messages));
    free(events);
    arena_free(&messages);
    check_result_free(&r);
}

static void expect_implications(const struct history *h, long held[2])
{
    if (ask(h, "strong-si", 0) == CHECK_OK) {
        assert_int_equal(ask(h, "gsi", 0), CHECK_OK);
        assert_int_equal(ask(h, "si", 0), CHECK_OK);
        held[0]++;
    }
    if (ask(h, "gsi", 0) == CHECK_OK)
        assert_int_equal(ask(h, "adya-si", 0), CHECK_OK);
    if (ask(h, "strict-ser", 0) == CHECK_OK) {
        expect_si_with_begins(h);
        held[1]++;
    }
}

/* Random histories, of which some satisfy the levels and others do not, and those of servers. */
static void test_implications(void **state)
{
    (void)state;
    struct orc_rng rng = orc_rng((uint64_t)oracle_setting("VISAR_SEED", 3));
    struct orc_hist_params p = {
        .txns = 5, .sessions = 3, .ops = 3, .keys = 2, .wild = 5, .times = true};
    long held[2] = {0}, rounds = oracle_setting("VISAR_FUZZ", 4000);
    for (long i = 0; i < rounds; i++) {
        struct orc_history o;
        orc_hist_random(&rng, &p, &o);
        struct history *h = oracle_history(&o, 0);
        if (h->times)
            expect_implications(h, held);
        hist_free(h);
    }
    for (long i = 0; i < rounds / 8; i++) {
        struct sim s = {.rng = &rng, .server = (enum server)(i % SERVERS)};
        run(&s);
        struct history *h = record(&s, (enum stamps)(i / SERVERS % STAMPS));
        expect_implications(h, held);
        hist_free(h);
    }
    assert_true(held[0] > rounds / 10 && held[1] > rounds / 10);
}

/* Recorded by visar from PostgreSQL, one stamp each: correct at their levels. */
static void test_recorded(void **state)
{
    (void)state;
    static const struct {
        const char *file, *levels[4];
    } recorded[] = {{"pg-bank-repeatable-read", {"si", "gsi", "strong-si", NULL}},
                    {"rw-serializable", {"gsi", "strong-si", "strict-ser", NULL}}};
    const char *folder = getenv("VISAR_HISTORIES");
    int found = 0;
    for (size_t i = 0; folder && i < sizeof recorded / sizeof *recorded; i++) {
        struct arena messages = {0};
        struct fmt_result r;
        long held[2] = {0};
        const char *path =
            arena_printf(&messages, "%s/measured/%s.jsonl.gz", folder, recorded[i].file);
        if (access(path, R_OK) != 0) {
            arena_free(&messages);
            continue;
        }
        assert_null(fmt_read(path, NULL, &messages, &r));
        for (const char *const *l = recorded[i].levels; *l; l++)
            assert_int_equal(ask(r.history, *l, 0), CHECK_OK);
        expect_implications(r.history, held);
        found++;
        hist_free(r.history);
        vec_free(&r.notes);
        arena_free(&messages);
    }
    if (!found)
        skip();
}

/* ---- by hand -------------------------------------------------------------------------------- */

/* One writes x = 1, the other reads it. */
static struct history *two(struct hist_times writer, struct hist_times reader, int64_t saw)
{
    struct history *h = hist_new();
    uint32_t x = hist_key_str(h, "x", 1);
    hist_set_initial_default(h, hist_int(0));
    for (int i = 0; i < 2; i++) {
        hist_begin_txn(h, hist_add_session(h, NULL));
        hist_txn_intervals(h, i ? reader : writer);
        if (i)
            hist_read(h, x, hist_int(saw));
        else
            hist_write(h, x, hist_int(1));
        hist_end_txn(h, HIST_COMMITTED);
    }
    assert_null(hist_finish(h));
    return h;
}

#define NO HIST_NO_TIME

static void test_two_transactions(void **state)
{
    (void)state;
    static const struct {
        struct hist_times writer, reader;
        int64_t saw, drift;
        bool strict_ser, strong_si, gsi;
    } cases[] = {
        /* The writer heard of its commit at 50; that may have been before 20. */
        {{10, NO, NO, 50}, {20, NO, NO, 60}, 1, 0, true, true, true},
        /* It asked for it only at 40, when the reader had its snapshot. */
        {{10, 11, 40, 50}, {20, 30, 55, 60}, 1, 0, true, false, false},
        {{10, 11, 40, 50}, {20, 30, 55, 60}, 1, 9, true, false, false},
        {{10, 11, 40, 50}, {20, 30, 55, 60}, 1, 10, true, true, true},
        {{10, 11, 40, 50}, {20, 40, 55, 60}, 1, 0, true, true, true},
        {{10, NO, 40, NO}, {NO, 30, NO, 60}, 1, 0, true, false, false},
        {{10, 11, NO, 50}, {20, 30, 55, 60}, 1, 0, true, true, true},
        {{10, 11, 40, 50}, {20, NO, 55, 60}, 1, 0, true, true, true},
        /* Points. */
        {{10, 10, 50, 50}, {20, 20, 60, 60}, 1, 0, true, false, false},
        {{10, 10, 15, 15}, {20, 20, 60, 60}, 1, 0, true, true, true},
        {{10, 10, 15, 15}, {20, 20, 60, 60}, 0, 0, false, false, true},
        /* A stale read: the writer had heard of its commit. */
        {{10, NO, NO, 15}, {20, NO, NO, 60}, 0, 0, false, false, true},
        {{10, NO, NO, 15}, {20, NO, NO, 60}, 0, 4, false, false, true},
        {{10, NO, NO, 15}, {20, NO, NO, 60}, 0, 5, true, true, true},
        {{10, NO, NO, 20}, {20, NO, NO, 60}, 0, 0, true, true, true},
        {{10, NO, NO, NO}, {20, NO, NO, 60}, 0, 0, true, true, true},
        {{10, NO, NO, 15}, {NO, 20, 21, 60}, 0, 0, true, true, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *const levels[] = {"strict-ser", "strong-si", "gsi"};
        const bool want[] = {cases[i].strict_ser, cases[i].strong_si, cases[i].gsi};
        struct history *h = two(cases[i].writer, cases[i].reader, cases[i].saw);
        for (int l = 0; l < 3; l++)
            if (ask(h, levels[l], cases[i].drift) != (want[l] ? CHECK_OK : CHECK_VIOLATION))
                fail_msg("case %zu at %s", i, levels[l]);
        hist_free(h);
    }
}

/* GSI has no session order, and strong SI has. */
static void test_sessions(void **state)
{
    (void)state;
    struct history *h = hist_new();
    uint32_t x = hist_key_str(h, "x", 1), session = hist_add_session(h, NULL);
    hist_set_initial_default(h, hist_int(0));
    hist_begin_txn(h, session);
    hist_txn_intervals(h, (struct hist_times){1, 2, 3, 4});
    hist_write(h, x, hist_int(1));
    hist_end_txn(h, HIST_COMMITTED);
    hist_begin_txn(h, session);
    hist_read(h, x, hist_int(0));
    hist_end_txn(h, HIST_COMMITTED);
    assert_null(hist_finish(h));
    assert_int_equal(ask(h, "gsi", 0), CHECK_OK);
    assert_int_equal(ask(h, "adya-si", 0), CHECK_OK);
    assert_int_equal(ask(h, "si", 0), CHECK_VIOLATION);
    assert_int_equal(ask(h, "strong-si", 0), CHECK_VIOLATION);
    hist_free(h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_two_transactions),
        cmocka_unit_test(test_sessions),
        cmocka_unit_test(test_no_correct_server_is_rejected),
        cmocka_unit_test(test_others_are_found_out),
        cmocka_unit_test(test_implications),
        cmocka_unit_test(test_recorded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
