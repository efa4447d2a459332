/* White-box histories against the oracle: predicates and ranges with and without version sets,
 * complete version orders, expected serialization orders; and on such histories that a level that
 * holds makes all weaker ones hold.  (Partial version orders: test_history_engine.c.)
 *
 * VISAR_FUZZ=N runs N histories per setting instead of the default; VISAR_SEED sets the seed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "history/check.h"
#include "history/derive.h"
#include "history/replay.h"
#include "history/version_order.h"
#include "tests/oracle/oracle.h"

static long setting(const char *name, long value)
{
    const char *s = getenv(name);
    return s ? atol(s) : value;
}

/* --- histories of the oracle as ours --------------------------------------------------------- */

/* 0 is an absent row. */
static struct hist_value value_of(int v)
{
    return v ? hist_int(v) : hist_null();
}

static uint32_t add_rows(struct history *h, const struct orc_history *o, const struct orc_op *op)
{
    bool range = op->rows == ORC_RANGE;
    uint32_t read = hist_predicate_read(h, range ? HIST_RANGE : HIST_ROWS);
    if (range) {
        hist_condition_int(h, "key", 3, HIST_GE, op->first);
        hist_condition_int(h, "key", 3, HIST_LE, op->last);
    } else
        hist_condition_int(h, "value", 5, HIST_GE, op->least);
    for (int k = 0; k < o->n_keys; k++)
        if (op->result[k])
            hist_returned_row(h, (uint32_t)k, value_of(op->result[k]), 0);
    return read;
}

struct places {
    uint32_t write[ORC_TXNS][ORC_KEYS], op[ORC_TXNS][ORC_OPS];
};

static void add_txn(struct history *h, const struct orc_history *o, int t, struct places *p)
{
    static const enum hist_status status[] = {[ORC_COMMITTED] = HIST_COMMITTED,
                                              [ORC_ABORTED] = HIST_ABORTED,
                                              [ORC_UNKNOWN] = HIST_UNKNOWN};
    const struct orc_txn *x = &o->txns[t];
    while (h->session_count <= (uint32_t)x->session)
        hist_add_session(h, NULL);
    hist_begin_txn(h, (uint32_t)x->session);
    for (int i = 0; i < x->n_ops; i++) {
        const struct orc_op *op = &x->ops[i];
        uint32_t key = (uint32_t)op->key;
        if (op->write)
            p->op[t][i] = p->write[t][op->key] = hist_write(h, key, value_of(op->value));
        else if (op->rows == ORC_ITEM)
            p->op[t][i] = hist_read(h, key, value_of(op->value));
        else
            p->op[t][i] = add_rows(h, o, op);
        if (i && op->stmt == x->ops[i - 1].stmt)
            hist_op_flag(h, HIST_OP_SAME_STMT);
    }
    hist_end_txn(h, status[x->status]);
}

static void add_set(struct history *h, const struct orc_history *o, int t, int i,
                    const struct places *p)
{
    const struct orc_op *op = &o->txns[t].ops[i];
    uint32_t set[ORC_KEYS], n = 0;
    for (int k = 0; k < o->n_keys; k++) {
        bool own = false;
        for (int j = 0; j < i; j++)
            own |= o->txns[t].ops[j].write && o->txns[t].ops[j].key == k;
        if (op->set[k] >= 0 && !own)
            set[n++] = p->write[op->set[k]][k];
    }
    hist_version_set(h, p->op[t][i], set, n);
}

static struct history *convert(const struct orc_history *o, bool sets)
{
    struct history *h = hist_new();
    struct places p;
    for (int k = 0; k < o->n_keys; k++)
        hist_set_initial(h, hist_key_int(h, k), value_of(o->init[k]));
    for (int t = 0; t < o->n_txns; t++)
        add_txn(h, o, t, &p);
    for (int t = 0; t < o->n_txns && sets; t++)
        for (int i = 0; i < o->txns[t].n_ops; i++)
            if (!o->txns[t].ops[i].write && o->txns[t].ops[i].rows == ORC_PREDICATE)
                add_set(h, o, t, i, &p);
    for (int k = 0; k < o->n_keys; k++) {
        uint32_t order[ORC_TXNS];
        for (int i = 0; i < o->n_versions[k]; i++)
            order[i] = p.write[o->version[k][i]][k];
        if (o->n_versions[k])
            hist_add_version_order(h, (uint32_t)k, order, (size_t)o->n_versions[k]);
    }
    h->version_orders_complete = sets;
    assert_null(hist_finish(h));
    return h;
}

/* --- one question ---------------------------------------------------------------------------- */

static enum check_verdict ask(const struct history *h, struct check_level level, bool all)
{
    struct arena messages = {0};
    struct derive_options d = {.items_only = level.real_time == CHECK_ITEMS_ONLY,
                               .all_versions = all,
                               .by_session = !all && level.session_order &&
                                             (level.model == MODEL_SER || level.model == MODEL_SI ||
                                              level.model == MODEL_PC)};
    struct derived x = {0};
    struct check_options o = check_defaults();
    struct check_result r;
    enum check_verdict v;
    o.level = level;
    derive_history(h, &d, &messages, &x);
    if (x.violation)
        v = CHECK_VIOLATION;
    else if (x.unknown)
        v = CHECK_UNKNOWN;
    else {
        struct check_level plain = level;
        if (x.history)
            plain.real_time = level.real_time;
        o.level = plain;
        check_history(x.history ? x.history : h, &o, &r);
        v = r.verdict;
        check_result_free(&r);
    }
    hist_free(x.history);
    arena_free(&messages);
    return v;
}

static void expect(const struct orc_history *o, const struct history *h, struct check_level level,
                   bool all, bool ok)
{
    enum check_verdict v = ask(h, level, all);
    if (v != (ok ? CHECK_OK : CHECK_VIOLATION)) {
        print_error("%s, all versions %d: verdict %d, expected %s\n", check_level_title(level), all,
                    v, ok ? "OK" : "violation");
        orc_hist_print(stderr, o);
        hist_dump(h, stderr);
    }
    assert_int_equal(v, ok ? CHECK_OK : CHECK_VIOLATION);
}

struct level_pair {
    enum orc_level orc;
    enum model_id model;
};
static const struct level_pair levels[] = {
    {ORC_SER, MODEL_SER}, {ORC_SI, MODEL_SI}, {ORC_PC, MODEL_PC},   {ORC_PSI, MODEL_PSI},
    {ORC_CC, MODEL_CC},   {ORC_RA, MODEL_RA}, {ORC_RCS, MODEL_RCS},
};
enum { LEVELS = sizeof levels / sizeof *levels };

/* --- black boxes ----------------------------------------------------------------------------- */

static void compare(const struct orc_hist_params *params, uint64_t seed, long rounds)
{
    struct orc_rng rng = orc_rng(seed);
    long verdicts[2] = {0, 0};
    for (long i = 0; i < rounds; i++) {
        struct orc_history o;
        orc_hist_random(&rng, params, &o);
        struct history *h = convert(&o, false);
        for (size_t l = 0; l < LEVELS; l++)
            for (int session = 0; session < 2; session++) {
                struct orc_rules rules = orc_rules_uniform(levels[l].orc, session);
                bool ok = orc_hist_axioms(&o, &rules, NULL);
                struct check_level level = {levels[l].model, session, CHECK_NO_TIME};
                expect(&o, h, level, i & 1, ok);
                verdicts[ok]++;
            }
        hist_free(h);
    }
    assert_true(verdicts[0] > rounds / 10 && verdicts[1] > rounds / 10);
}

static void test_predicates(void **state)
{
    (void)state;
    struct orc_hist_params p = {
        .txns = 4, .sessions = 3, .ops = 3, .keys = 3, .wild = 5, .predicates = 60, .deletes = 15};
    compare(&p, (uint64_t)setting("VISAR_SEED", 11), setting("VISAR_FUZZ", 1500));
}

static void test_ranges(void **state)
{
    (void)state;
    struct orc_hist_params p = {
        .txns = 4, .sessions = 3, .ops = 3, .keys = 3, .wild = 5, .ranges = 60, .deletes = 30};
    compare(&p, (uint64_t)setting("VISAR_SEED", 12), setting("VISAR_FUZZ", 1500));
}

static void test_outcomes(void **state)
{
    (void)state;
    struct orc_hist_params p = {.txns = 4,
                                .sessions = 3,
                                .ops = 3,
                                .keys = 2,
                                .values = 3,
                                .aborted = 15,
                                .unknown = 20,
                                .wild = 5,
                                .predicates = 40,
                                .ranges = 30,
                                .deletes = 20,
                                .stmts = true};
    compare(&p, (uint64_t)setting("VISAR_SEED", 13), setting("VISAR_FUZZ", 1500));
}

/* --- white boxes ----------------------------------------------------------------------------- */

static void test_version_sets(void **state)
{
    (void)state;
    struct orc_hist_params p = {
        .txns = 5, .sessions = 4, .ops = 4, .keys = 3, .wild = 5, .predicates = 70, .deletes = 20};
    struct orc_rng rng = orc_rng((uint64_t)setting("VISAR_SEED", 14));
    long rounds = setting("VISAR_FUZZ", 4000), repeatable = 0, verdicts[2] = {0, 0};
    for (long i = 0; i < rounds; i++) {
        struct orc_history o;
        orc_whitebox_random(&rng, &p, &o);
        struct history *h = convert(&o, true);
        struct arena messages = {0};
        assert_null(vo_check_complete(h, &messages));
        arena_free(&messages);
        for (int session = 0; session < 2; session++) {
            bool ser = orc_hist_whitebox(&o, ORC_SER, session, false);
            bool items = orc_hist_whitebox(&o, ORC_SER, session, true);
            for (int all = 0; all < 2; all++)
                for (size_t l = 0; l < 3; l++)
                    expect(&o, h, (struct check_level){levels[l].model, session, CHECK_NO_TIME},
                           all, orc_hist_whitebox(&o, levels[l].orc, session, false));
            expect(&o, h, (struct check_level){MODEL_SER, session, CHECK_ITEMS_ONLY}, false, items);
            assert_true(items || !ser);
            repeatable += items && !ser;
            verdicts[ser]++;
        }
        hist_free(h);
    }
    assert_true(verdicts[0] > rounds / 10 && verdicts[1] > rounds / 10 &&
                repeatable > rounds / 100);
}

/* --- monotonicity ---------------------------------------------------------------------------- */

static void test_monotone(void **state)
{
    (void)state;
    struct orc_hist_params p = {.txns = 6,
                                .sessions = 4,
                                .ops = 5,
                                .keys = 4,
                                .values = 6,
                                .wild = 4,
                                .predicates = 20,
                                .ranges = 20,
                                .deletes = 15,
                                .versions = 20};
    struct orc_rng rng = orc_rng((uint64_t)setting("VISAR_SEED", 15));
    long rounds = setting("VISAR_FUZZ", 1500);
    for (long i = 0; i < rounds; i++) {
        struct orc_history o;
        bool ok[MODEL_COUNT][2] = {{false}};
        orc_hist_random(&rng, &p, &o);
        struct history *h = convert(&o, false);
        for (size_t l = 0; l < LEVELS; l++) {
            enum model_id m = levels[l].model;
            for (int session = 0; session < 2; session++)
                ok[m][session] =
                    ask(h, (struct check_level){m, session, CHECK_NO_TIME}, true) == CHECK_OK;
            assert_true(ok[m][0] || !ok[m][1]);
        }
        for (int a = 0; a < MODEL_COUNT; a++)
            for (int b = 0; b < MODEL_COUNT; b++)
                for (int s = 0; s < 2; s++)
                    if (a != MODEL_RC && b != MODEL_RC &&
                        model_weaker_or_equal((enum model_id)a, (enum model_id)b))
                        assert_true(ok[a][s] || !ok[b][s]);
        hist_free(h);
    }
}

/* --- expected orders ------------------------------------------------------------------------- */

/* Some order of all transactions is accepted iff the history is serializable without sessions. */
static bool some_order(const struct history *h, uint32_t *order, uint32_t n, uint32_t at)
{
    struct arena messages = {0};
    struct replay_answer a;
    if (at == n) {
        replay_order r = {0};
        for (uint32_t i = 0; i < n; i++)
            vec_push(&r, order[i]);
        replay_run(h, &r, &messages, &a);
        vec_free(&r);
        bool ok = !a.disagreement;
        arena_free(&messages);
        return ok;
    }
    for (uint32_t i = at; i < n; i++) {
        uint32_t t = order[at];
        order[at] = order[i], order[i] = t;
        bool ok = some_order(h, order, n, at + 1);
        order[i] = order[at], order[at] = t;
        if (ok)
            return true;
    }
    return false;
}

static void test_replay(void **state)
{
    (void)state;
    struct orc_hist_params p = {.txns = 4,
                                .sessions = 3,
                                .ops = 3,
                                .keys = 3,
                                .values = 4,
                                .wild = 5,
                                .predicates = 30,
                                .ranges = 20,
                                .deletes = 15};
    struct orc_rng rng = orc_rng((uint64_t)setting("VISAR_SEED", 16));
    long rounds = setting("VISAR_FUZZ", 1500);
    for (long i = 0; i < rounds; i++) {
        struct orc_history o;
        struct orc_rules rules = orc_rules_uniform(ORC_SER, false);
        uint32_t order[ORC_TXNS];
        orc_hist_random(&rng, &p, &o);
        struct history *h = convert(&o, false);
        for (uint32_t t = 0; t < h->txns.len; t++)
            order[t] = t;
        bool ok = orc_hist_axioms(&o, &rules, NULL);
        if (ok != some_order(h, order, (uint32_t)h->txns.len, 0))
            orc_hist_print(stderr, &o);
        assert_int_equal(ok, some_order(h, order, (uint32_t)h->txns.len, 0));
        hist_free(h);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_predicates), cmocka_unit_test(test_ranges),
        cmocka_unit_test(test_outcomes),   cmocka_unit_test(test_version_sets),
        cmocka_unit_test(test_monotone),   cmocka_unit_test(test_replay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
