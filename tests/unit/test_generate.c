/* The generator: the same seed gives the same history, values are unique, and what it makes at SER
 * and SI is what a store at that level would have answered, replayed here independently of the
 * simulation from the times that the history records.  That the other levels hold and that
 * injected anomalies are found is for the engine's tests (tests/histories/run-generate.sh). */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "history/format/formats.h"
#include "history/generate/generate.h"
#include "models/lattice.h"

static struct history *generate(const struct gen_options *o)
{
    struct arena messages = {0};
    struct history *h;
    const char *error = gen_history(o, &messages, &h);
    if (error)
        fail_msg("%s", error);
    arena_free(&messages);
    return h;
}

static char *text_of(const struct gen_options *o)
{
    struct history *h = generate(o);
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    fmt_find("jsonl")->write(h, out);
    fclose(out);
    hist_free(h);
    return text;
}

static void test_deterministic(void **state)
{
    (void)state;
    for (int level = 0; level < MODEL_COUNT; level++) {
        struct gen_options o = gen_defaults();
        o.level = (enum model_id)level;
        char *a = text_of(&o), *b = text_of(&o);
        o.seed++;
        char *c = text_of(&o);
        assert_string_equal(a, b);
        assert_string_not_equal(a, c);
        free(a);
        free(b);
        free(c);
    }
}

static void test_counts(void **state)
{
    (void)state;
    struct gen_options o = gen_defaults();
    o.sessions = 7;
    o.transactions = 1234;
    o.operations = 5;
    o.reads = 0.25;
    struct history *h = generate(&o);
    size_t reads = 0;
    for (size_t i = 0; i < h->ops.len; i++)
        reads += h->ops.data[i].kind == HIST_READ;
    assert_int_equal(h->session_count, 7);
    assert_int_equal(h->txns.len, 1234);
    assert_int_equal(h->ops.len, 1234 * 5);
    assert_true(reads > 1234 && reads < 1234 * 2);
    hist_free(h);
}

/* --- replay ---------------------------------------------------------------------------------- */

struct version {
    int64_t commit, value;
};
typedef VEC(struct version) versions;

/* What a key holds for a snapshot taken at a time. */
static int64_t at(const versions *v, int64_t time)
{
    int64_t value = 0;
    for (size_t i = 0; i < v->len && v->data[i].commit <= time; i++)
        value = v->data[i].value;
    return value;
}

/* Transactions in commit order; each reads the state at `snapshot`, and at SI no write may have
 * hit what it writes since. */
static void replay(const struct history *h, bool si)
{
    versions *keys = calloc(h->keys.len, sizeof *keys);
    int64_t last = INT64_MIN;
    for (uint32_t t = 0; t < h->txns.len; t++) {
        const struct hist_op *ops = hist_txn_ops(h, t);
        uint32_t n = h->txns.data[t].op_count;
        int64_t begin = h->times[t].begin_asked, commit = h->times[t].commit_answered;
        assert_true(commit > last && begin < commit);
        last = commit;
        for (uint32_t i = 0; i < n; i++) {
            const versions *v = &keys[ops[i].key];
            int64_t expected = at(v, si ? begin : commit);
            for (uint32_t j = 0; j < i; j++)
                if (ops[j].key == ops[i].key && ops[j].kind == HIST_WRITE)
                    expected = ops[j].value;
            if (ops[i].kind == HIST_READ)
                assert_int_equal(ops[i].value, expected);
            else if (si && v->len)
                assert_true(vec_last(v).commit <= begin);
        }
        for (uint32_t i = 0; i < n; i++)
            if (ops[i].kind == HIST_WRITE) {
                versions *v = &keys[ops[i].key];
                if (v->len && vec_last(v).commit == commit)
                    v->len--;
                vec_push(v, ((struct version){commit, ops[i].value}));
            }
    }
    for (size_t i = 0; i < h->keys.len; i++)
        vec_free(&keys[i]);
    free(keys);
}

static void test_replay(void **state)
{
    (void)state;
    for (int i = 0; i < 60; i++) {
        struct gen_options o = gen_defaults();
        o.level = i & 1 ? MODEL_SI : MODEL_SER;
        o.distribution = (enum gen_distribution)(i % 3);
        o.seed = (uint64_t)i;
        o.transactions = 300;
        o.keys = 1 + (uint32_t)i;
        o.sessions = 1 + (uint32_t)i % 13;
        o.operations = 1 + (uint32_t)i % 10;
        o.rmw = i % 4 / 4.0;
        struct history *h = generate(&o);
        replay(h, i & 1);
        hist_free(h);
    }
}

/* Sessions do one thing after the other: strong session levels hold, too. */
static void test_session_times(void **state)
{
    (void)state;
    struct gen_options o = gen_defaults();
    struct history *h = generate(&o);
    for (uint32_t s = 0; s < h->session_count; s++)
        for (uint32_t i = h->index.session_start[s] + 1; i < h->index.session_start[s + 1]; i++)
            assert_true(h->times[h->index.session_txns[i - 1]].commit_answered <
                        h->times[h->index.session_txns[i]].begin_asked);
    hist_free(h);
}

/* Lists only grow, and at SER each read is the whole list at that moment. */
static void test_lists(void **state)
{
    (void)state;
    struct gen_options o = gen_defaults();
    o.level = MODEL_SER;
    o.lists = true;
    o.transactions = 3000;
    struct history *h = generate(&o);
    typedef VEC(int64_t) list;
    list *lists = calloc(h->keys.len, sizeof *lists);
    for (size_t i = 0; i < h->ops.len; i++) {
        const struct hist_op *op = &h->ops.data[i];
        list *l = &lists[op->key];
        if (op->kind == HIST_APPEND) {
            vec_push(l, op->value);
            continue;
        }
        assert_int_equal(op->kind, HIST_LIST_READ);
        assert_int_equal(op->list.len, l->len);
        if (l->len)
            assert_memory_equal(h->lists.data + op->list.start, l->data, l->len * sizeof *l->data);
    }
    for (size_t i = 0; i < h->keys.len; i++) {
        assert_true(lists[i].len < 100);
        vec_free(&lists[i]);
    }
    free(lists);
    hist_free(h);
}

static void test_unique_values(void **state)
{
    (void)state;
    for (int level = 0; level < MODEL_COUNT; level++) {
        struct gen_options o = gen_defaults();
        struct map seen = {0};
        o.level = (enum model_id)level;
        o.aborts = true;
        struct history *h = generate(&o);
        for (size_t i = 0; i < h->ops.len; i++) {
            bool fresh = true;
            if (h->ops.data[i].kind == HIST_WRITE)
                map_put(&seen, (uint64_t)h->ops.data[i].value, 1, &fresh);
            assert_true(fresh && h->ops.data[i].value >= 0);
        }
        map_free(&seen);
        hist_free(h);
    }
}

static void test_aborts(void **state)
{
    (void)state;
    struct gen_options o = gen_defaults();
    o.keys = 10;
    o.aborts = true;
    struct history *h = generate(&o);
    size_t aborted = 0;
    for (size_t i = 0; i < h->txns.len; i++)
        aborted += h->txns.data[i].status == HIST_ABORTED;
    assert_true(aborted > 10);
    hist_free(h);
}

/* --- anomalies ------------------------------------------------------------------------------- */

/* Each can be put in wherever its table says that it violates something, and nowhere else; the
 * number of transactions stays what was asked for. */
static void test_anomalies(void **state)
{
    (void)state;
    for (size_t i = 0; i < gen_anomaly_count(); i++)
        for (int level = 0; level < MODEL_COUNT; level++) {
            const struct gen_anomaly *a = gen_anomaly_at(i);
            struct arena messages = {0};
            struct gen_options o = gen_defaults();
            struct history *h;
            o.anomaly = a->name;
            o.level = (enum model_id)level;
            o.lists = a->lists_only;
            bool able = a->violates >> level & 1 &&
                        (!a->lists_only || level == MODEL_SER || level == MODEL_SI);
            const char *error = gen_history(&o, &messages, &h);
            assert_int_equal(!error, able);
            if (h)
                assert_int_equal(h->txns.len, o.transactions);
            hist_free(h);
            arena_free(&messages);
        }
}

static void test_violated_levels_are_upward_closed(void **state)
{
    (void)state;
    for (size_t i = 0; i < gen_anomaly_count(); i++)
        for (int a = 0; a < MODEL_COUNT; a++)
            for (int b = 0; b < MODEL_COUNT; b++)
                if (model_weaker_or_equal((enum model_id)a, (enum model_id)b) &&
                    gen_anomaly_at(i)->violates >> a & 1)
                    assert_true(gen_anomaly_at(i)->violates >> b & 1);
}

static void test_bad_options(void **state)
{
    (void)state;
    struct arena messages = {0};
    struct history *h;
    struct gen_options o = gen_defaults();
    o.sessions = 0;
    assert_non_null(gen_history(&o, &messages, &h));
    o = gen_defaults();
    o.reads = 1.5;
    assert_non_null(gen_history(&o, &messages, &h));
    o = gen_defaults();
    o.anomaly = "no such thing";
    assert_non_null(gen_history(&o, &messages, &h));
    o = gen_defaults();
    o.anomaly = "long-fork";
    o.sessions = 3;
    assert_string_equal(gen_history(&o, &messages, &h), "long-fork needs 4 sessions");
    o.anomaly = "write-skew";
    assert_string_equal(gen_history(&o, &messages, &h), "write-skew is allowed at si");
    o.anomaly = NULL;
    o.level = MODEL_CC;
    o.lists = true;
    assert_non_null(gen_history(&o, &messages, &h));
    assert_null(h);
    arena_free(&messages);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_deterministic),
        cmocka_unit_test(test_counts),
        cmocka_unit_test(test_replay),
        cmocka_unit_test(test_session_times),
        cmocka_unit_test(test_lists),
        cmocka_unit_test(test_unique_values),
        cmocka_unit_test(test_aborts),
        cmocka_unit_test(test_anomalies),
        cmocka_unit_test(test_violated_levels_are_upward_closed),
        cmocka_unit_test(test_bad_options),
    };
    return cmocka_run_group_tests_name("generate", tests, NULL, NULL);
}
