/* Predicate reads in terms of items: which keys and operations come out, which results contradict
 * themselves, what is left alone; and that a history and what becomes of it have one verdict.
 *
 * VISAR_FUZZ=N runs N histories instead of the default; VISAR_SEED sets the seed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/strbuf.h"
#include "check/certified_search.h"
#include "history/lower/lower.h"
#include "tests/unit/oracle_history.h"
#include "tests/unit/small_history.h"

struct setting {
    struct history *h;
    struct arena messages;
    struct lowered x;
};

static void lower(struct setting *s, const struct lower_options *o)
{
    hist_free(s->x.history);
    mem_free(s->x.spans);
    lower_history(s->h, o, &s->messages, &s->x);
}

static void begin(struct setting *s, struct history *h, enum lower_view view)
{
    struct lower_options o = lower_view_options(view, true);
    *s = (struct setting){.h = h};
    assert_null(hist_finish(h));
    lower(s, &o);
}

static void end(struct setting *s)
{
    hist_free(s->x.history);
    mem_free(s->x.spans);
    arena_free(&s->messages);
    hist_free(s->h);
}

static uint32_t key_of(struct history *h, const char *name)
{
    return hist_key_str(h, name, 1);
}

/* A read of the rows that are at least this. */
static uint32_t read_rows(struct history *h, int64_t least)
{
    uint32_t op = hist_predicate_read(h, HIST_ROWS);
    hist_condition_int(h, "value", 5, HIST_GE, least);
    return op;
}

static void assert_key(const struct history *h, uint32_t key, const char *name)
{
    struct strbuf b = {0};
    hist_key_text(h, key, &b);
    assert_string_equal(sb_str(&b), name);
    sb_free(&b);
}

/* --- what comes out --------------------------------------------------------------------------- */

/* C was not told of x, which A's version matches and B's does not.  The new key says so of both,
 * and C read that it does not match. */
static void test_missing_row(void **state)
{
    (void)state;
    struct setting s;
    struct history *h = small_builder("A: wx5  B: wx1");
    hist_begin_txn(h, hist_add_session(h, NULL));
    read_rows(h, 3);
    hist_end_txn(h, HIST_COMMITTED);
    begin(&s, h, LOWER_STRONG);
    const struct history *to = s.x.history;
    assert_non_null(to);
    assert_int_equal(to->keys.len, 2);
    assert_int_equal(to->lowered.keys, 1);
    assert_key(to, 1, "x ? value >= 3");
    static const struct {
        uint32_t key, kind;
        int64_t value;
    } expected[] = {{0, HIST_WRITE, 5},
                    {1, HIST_WRITE, 1},
                    {0, HIST_WRITE, 1},
                    {1, HIST_WRITE, 0},
                    {1, HIST_READ, 0}};
    assert_int_equal(to->ops.len, sizeof expected / sizeof *expected);
    for (size_t i = 0; i < to->ops.len; i++) {
        assert_int_equal(to->ops.data[i].key, expected[i].key);
        assert_int_equal(to->ops.data[i].kind, expected[i].kind);
        assert_int_equal(to->ops.data[i].value, expected[i].value);
    }
    assert_true(s.x.spans[0].first == 4 && s.x.spans[0].end == 5);
    end(&s);
}

/* Rows that never match, and rows that were returned, need no key. */
static void test_rows_without_keys(void **state)
{
    (void)state;
    struct setting s;
    struct history *h = small_builder("A: wx1 wy7");
    hist_begin_txn(h, hist_add_session(h, NULL));
    read_rows(h, 3);
    hist_returned_row(h, key_of(h, "y"), hist_int(7), 0);
    hist_end_txn(h, HIST_COMMITTED);
    begin(&s, h, LOWER_STRONG);
    assert_non_null(s.x.history);
    assert_int_equal(s.x.history->keys.len, 2);
    assert_int_equal(s.x.history->ops.len, 3);
    end(&s);
}

/* Only the rows that are asked for. */
static void test_only_some_rows(void **state)
{
    (void)state;
    struct setting s;
    struct history *h = small_builder("A: wx5 wy7");
    hist_begin_txn(h, hist_add_session(h, NULL));
    read_rows(h, 3);
    hist_end_txn(h, HIST_COMMITTED);
    begin(&s, h, LOWER_STRONG);
    assert_int_equal(s.x.history->lowered.keys, 2);
    lower_rows only = {0};
    struct lower_options o = lower_view_options(LOWER_STRONG, true);
    o.only = &only;
    lower(&s, &o);
    assert_int_equal(s.x.history->lowered.keys, 0);
    assert_true(s.x.history->lowered.some_missing_rows);
    vec_push(&only, ((struct hist_pair){0, key_of(h, "y")}));
    lower(&s, &o);
    assert_int_equal(s.x.history->lowered.keys, 1);
    assert_key(s.x.history, 2, "y ? value >= 3");
    assert_int_equal(s.x.history->lowered.missing_rows.len, 1);
    assert_int_equal(s.x.history->lowered.missing_rows.data[0].key, key_of(h, "y"));
    vec_free(&only);
    end(&s);
}

/* Two reads of one predicate share their keys; another predicate has its own. */
static void test_predicates_share_keys(void **state)
{
    (void)state;
    struct setting s;
    struct history *h = small_builder("A: wx5");
    hist_begin_txn(h, hist_add_session(h, NULL));
    read_rows(h, 3);
    read_rows(h, 3);
    read_rows(h, 4);
    hist_end_txn(h, HIST_COMMITTED);
    begin(&s, h, LOWER_STRONG);
    assert_int_equal(s.x.history->lowered.keys, 2);
    end(&s);
}

/* An aggregate reads every row that may be part of it, in any version. */
static void test_aggregate(void **state)
{
    (void)state;
    struct setting s;
    struct history *h = small_builder("A: wx5  B: wy1  C: wz4");
    hist_begin_txn(h, hist_add_session(h, NULL));
    hist_predicate_read(h, HIST_COUNT);
    hist_condition_int(h, "value", 5, HIST_GE, 3);
    hist_aggregate(h, "value", 0, hist_int(1));
    hist_end_txn(h, HIST_COMMITTED);
    begin(&s, h, LOWER_STRONG);
    assert_non_null(s.x.history);
    const struct hist_predicate *q = &s.x.history->predicates.data[0];
    assert_true(q->any);
    assert_int_equal(q->rows, 2); /* x and z; y never is at least 3 */
    for (uint32_t i = 0; i < q->rows; i++)
        assert_true(s.x.history->ops.data[q->first_op + i].flags & HIST_OP_ANY);
    end(&s);
}

/* --- results that contradict themselves ------------------------------------------------------- */

static void test_row_that_does_not_match(void **state)
{
    (void)state;
    struct setting s;
    struct history *h = small_builder("A: wx1");
    hist_begin_txn(h, hist_add_session(h, NULL));
    read_rows(h, 3);
    hist_returned_row(h, key_of(h, "x"), hist_int(1), 0);
    hist_end_txn(h, HIST_COMMITTED);
    begin(&s, h, LOWER_STRONG);
    assert_non_null(s.x.violation);
    assert_null(s.x.history);
    assert_int_equal(s.x.fault, LOWER_ROW);
    assert_int_equal(s.x.txn, 1);
    assert_int_equal(s.x.key, key_of(h, "x"));
    end(&s);
}

/* No versions of x and y have the sum 100, and what an aborted transaction wrote does not count;
 * with a row of the reader's own they do. */
static void test_aggregate_that_nothing_gives(void **state)
{
    (void)state;
    for (int own = 0; own < 2; own++) {
        struct setting s;
        struct history *h = small_builder("A: wx5  B: wy7  C!: wz88");
        hist_begin_txn(h, hist_add_session(h, NULL));
        if (own)
            hist_write(h, key_of(h, "o"), hist_int(88));
        hist_predicate_read(h, HIST_SUM);
        hist_condition_int(h, "value", 5, HIST_GE, 3);
        hist_aggregate(h, "value", 5, hist_int(100));
        hist_end_txn(h, HIST_COMMITTED);
        begin(&s, h, LOWER_STRONG);
        assert_int_equal(s.x.violation != NULL, !own);
        if (!own)
            assert_int_equal(s.x.fault, LOWER_AGGREGATE);
        end(&s);
    }
}

/* A version set with complete orders: all = B's x of 6 in the set, and what is returned. */
static void with_set(struct setting *s, uint32_t version, bool returned)
{
    struct history *h = small_builder("A: wx5  B: wx6 wx7");
    hist_begin_txn(h, hist_add_session(h, NULL));
    uint32_t read = read_rows(h, 3);
    if (returned)
        hist_returned_row(h, key_of(h, "x"), hist_int(version == 0 ? 5 : 7), 0);
    hist_end_txn(h, HIST_COMMITTED);
    hist_version_set(h, read, &version, 1);
    uint32_t order[] = {0, 2};
    hist_add_version_order(h, key_of(h, "x"), order, 2);
    h->version_orders_complete = true;
    begin(s, h, LOWER_STRONG);
}

static void test_version_sets(void **state)
{
    (void)state;
    struct setting s;
    with_set(&s, 2, true);
    assert_null(s.x.violation);
    assert_non_null(s.x.history);
    end(&s);
    with_set(&s, 2, false); /* it matches and was not returned */
    assert_non_null(s.x.violation);
    assert_int_equal(s.x.fault, LOWER_ROW);
    end(&s);
    with_set(&s, 1, true); /* a version that its own transaction overwrote */
    assert_non_null(s.x.violation);
    assert_int_equal(s.x.fault, LOWER_SET);
    assert_int_equal(s.x.op, 1);
    end(&s);
}

/* --- what is left alone ----------------------------------------------------------------------- */

static void test_not_needed(void **state)
{
    (void)state;
    struct setting s;
    begin(&s, small_builder("A: wx1  B: rx1"), LOWER_STRONG);
    assert_true(!s.x.history && !s.x.violation && !s.x.unknown);
    end(&s);
    struct history *h = small_builder("");
    hist_begin_txn(h, hist_add_session(h, NULL));
    hist_write(h, hist_key_int(h, 1), hist_int(5));
    hist_predicate_read(h, HIST_RANGE);
    hist_condition_int(h, "key", 3, HIST_GE, 1);
    hist_condition_int(h, "key", 3, HIST_LE, 2);
    hist_returned_row(h, hist_key_int(h, 1), hist_int(5), 0);
    hist_end_txn(h, HIST_COMMITTED);
    begin(&s, h, LOWER_STRONG);
    struct lower_options o = lower_view_options(LOWER_STRONG, true);
    assert_false(lower_needed(h, &o)); /* the operations of a range say it all … */
    o = lower_view_options(LOWER_ITEMS, true);
    assert_true(lower_needed(h, &o)); /* … but for repeatable read */
    end(&s);
}

static void test_aborted_and_unknown(void **state)
{
    (void)state;
    static const enum hist_status status[] = {HIST_COMMITTED, HIST_ABORTED, HIST_UNKNOWN};
    for (size_t i = 0; i < 3; i++) {
        struct setting s;
        struct history *h = small_builder("A: wx1");
        hist_begin_txn(h, hist_add_session(h, NULL));
        read_rows(h, 3);
        hist_returned_row(h, key_of(h, "x"), hist_int(1), 0);
        hist_end_txn(h, status[i]);
        begin(&s, h, LOWER_STRONG);
        assert_int_equal(s.x.violation != NULL, status[i] == HIST_COMMITTED);
        end(&s);
    }
}

static void test_views(void **state)
{
    (void)state;
    static const struct {
        enum model_id model;
        enum lower_view view;
    } views[] = {{MODEL_SER, LOWER_STRONG}, {MODEL_SI, LOWER_STRONG},  {MODEL_PC, LOWER_STRONG},
                 {MODEL_CC, LOWER_CAUSAL},  {MODEL_PSI, LOWER_STRONG}, {MODEL_RCS, LOWER_STRONG},
                 {MODEL_RA, LOWER_DIRECT},  {MODEL_RC, LOWER_DIRECT},  {MODEL_EC, LOWER_DIRECT}};
    for (size_t i = 0; i < sizeof views / sizeof *views; i++)
        assert_int_equal(lower_view_of(views[i].model), views[i].view);
    for (int view = 0; view < LOWER_VIEWS; view++) {
        struct lower_options o = lower_view_options((enum lower_view)view, false);
        assert_int_equal(o.items_only, view == LOWER_ITEMS);
        assert_int_equal(o.all_versions, view != LOWER_STRONG && view != LOWER_ITEMS);
        assert_int_equal(o.direct, view == LOWER_DIRECT);
        assert_int_equal(o.exact, view == LOWER_EXACT);
        assert_true(!o.by_session && !o.only);
    }
}

/* --- at random -------------------------------------------------------------------------------- */

/* Without the operations on new keys the lowered history is the original one; the span of a
 * predicate read has nothing but its own reads of new keys. */
static void check_lowered(const struct history *h, const struct lowered *x)
{
    const struct history *to = x->history;
    uint32_t keys = (uint32_t)(to->keys.len - to->lowered.keys), at = 0;
    assert_int_equal(keys, h->keys.len);
    assert_int_equal(to->txns.len, h->txns.len);
    for (uint32_t i = 0; i < to->ops.len; i++) {
        const struct hist_op *op = &to->ops.data[i];
        if (op->key >= keys)
            continue;
        while (at < h->ops.len && h->txns.data[hist_op_txn(h, at)].status == HIST_ABORTED &&
               h->ops.data[at].key != op->key)
            at++;
        assert_true(at < h->ops.len);
        assert_int_equal(op->key, h->ops.data[at].key);
        assert_int_equal(op->kind, h->ops.data[at].kind);
        assert_true(hist_value_eq(hist_op_value(op), hist_op_value(&h->ops.data[at])));
        assert_int_equal(hist_op_txn(to, i), hist_op_txn(h, at));
        at++;
    }
    for (size_t q = 0; q < h->predicates.len; q++)
        for (uint32_t i = x->spans[q].first; i < x->spans[q].end; i++)
            assert_int_equal(hist_op_txn(to, i), h->predicates.data[q].txn);
}

static void test_verdicts(void **state)
{
    (void)state;
    static const enum model_id models[] = {MODEL_SER, MODEL_SI, MODEL_PC};
    struct orc_hist_params p = {.txns = 4,
                                .sessions = 3,
                                .ops = 3,
                                .keys = 3,
                                .wild = 5,
                                .predicates = 60,
                                .deletes = 15,
                                .updates = 25};
    struct orc_rng rng = orc_rng((uint64_t)oracle_setting("VISAR_SEED", 81));
    long rounds = oracle_setting("VISAR_FUZZ", 1500), verdicts[2] = {0, 0};
    for (long i = 0; i < rounds; i++) {
        struct orc_history o;
        orc_hist_random(&rng, &p, &o);
        struct history *h = oracle_history(&o, ORACLE_ABSENT);
        struct lower_options d = lower_view_options(LOWER_STRONG, true);
        struct setting s = {.h = h};
        lower(&s, &d);
        if (s.x.history)
            check_lowered(h, &s.x);
        for (size_t m = 0; m < 3; m++) {
            bool expected = small_expected(&o, models[m]), holds = false;
            struct check_options c = check_defaults();
            c.level = small_level(models[m]);
            if (!s.x.violation) {
                struct check_result r;
                assert_null(s.x.unknown);
                check_items(s.x.history ? s.x.history : h, &c, &r);
                assert_true(r.verdict == CHECK_OK || r.verdict == CHECK_VIOLATION);
                holds = r.verdict == CHECK_OK;
                check_result_free(&r);
            }
            assert_int_equal(holds, expected);
            verdicts[expected]++;
        }
        end(&s);
    }
    assert_true(verdicts[0] > rounds / 10 && verdicts[1] > rounds / 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_missing_row),
        cmocka_unit_test(test_rows_without_keys),
        cmocka_unit_test(test_only_some_rows),
        cmocka_unit_test(test_predicates_share_keys),
        cmocka_unit_test(test_aggregate),
        cmocka_unit_test(test_row_that_does_not_match),
        cmocka_unit_test(test_aggregate_that_nothing_gives),
        cmocka_unit_test(test_version_sets),
        cmocka_unit_test(test_not_needed),
        cmocka_unit_test(test_aborted_and_unknown),
        cmocka_unit_test(test_views),
        cmocka_unit_test(test_verdicts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
