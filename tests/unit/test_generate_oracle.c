/* Small generated histories and the brute-force oracle: at every level each satisfies the level
 * that it was made at and all weaker ones; with an anomaly put in, exactly the levels that the
 * anomaly's table says are violated. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "history/generate/generate.h"
#include "models/lattice.h"
#include "tests/oracle/oracle.h"

static const enum orc_level level_of[MODEL_COUNT] = {
    [MODEL_EC] = ORC_EC,   [MODEL_RC] = ORC_RC, [MODEL_RCS] = ORC_RCS,
    [MODEL_RA] = ORC_RA,   [MODEL_CC] = ORC_CC, [MODEL_PC] = ORC_PC,
    [MODEL_PSI] = ORC_PSI, [MODEL_SI] = ORC_SI, [MODEL_SER] = ORC_SER,
};

/* The oracle's arrays are small; false if the history does not fit.  Keys are numbered in order of
 * appearance. */
static bool convert(const struct history *h, struct orc_history *out)
{
    int key_of[64];
    memset(out, 0, sizeof *out);
    memset(key_of, -1, sizeof key_of);
    out->n_txns = (int)h->txns.len;
    if (h->txns.len > ORC_TXNS || h->keys.len > 64)
        return false;
    for (uint32_t t = 0; t < h->txns.len; t++) {
        struct orc_txn *x = &out->txns[t];
        const struct hist_op *ops = hist_txn_ops(h, t);
        x->status = (enum orc_status)h->txns.data[t].status;
        x->session = (int)h->txns.data[t].session;
        if (h->txns.data[t].op_count > ORC_OPS)
            return false;
        for (uint32_t i = 0; i < h->txns.data[t].op_count; i++) {
            if (key_of[ops[i].key] < 0) {
                if (out->n_keys == ORC_KEYS)
                    return false;
                key_of[ops[i].key] = out->n_keys++;
            }
            x->ops[x->n_ops] = (struct orc_op){.write = ops[i].kind == HIST_WRITE,
                                               .key = key_of[ops[i].key],
                                               .value = (int)ops[i].value,
                                               .stmt = x->n_ops};
            x->n_ops++;
        }
    }
    return true;
}

static bool oracle(const struct orc_history *h, int model)
{
    struct orc_rules rules = orc_rules_uniform(level_of[model], true);
    return orc_hist_axioms(h, &rules, NULL);
}

/* 1: as expected, 0: did not fit. */
static int compare(const struct gen_options *o, uint32_t violates)
{
    struct arena messages = {0};
    struct history *h;
    struct orc_history small;
    const char *error = gen_history(o, &messages, &h);
    if (error)
        fail_msg("%s", error);
    bool fits = convert(h, &small);
    for (int m = 0; fits && m < MODEL_COUNT; m++) {
        bool weaker = model_weaker_or_equal((enum model_id)m, o->level);
        bool violated = violates >> m & 1;
        if (!weaker && !violated)
            continue;
        if (oracle(&small, m) == violated)
            fail_msg("level %s, seed %d, anomaly %s: %s is %s", model_get(o->level)->name,
                     (int)o->seed, o->anomaly ? o->anomaly : "none",
                     model_get((enum model_id)m)->name, violated ? "satisfied" : "violated");
    }
    hist_free(h);
    arena_free(&messages);
    return fits;
}

static void test_levels(void **state)
{
    (void)state;
    for (int level = 0; level < MODEL_COUNT; level++)
        for (int seed = 0; seed < 2000; seed++) {
            struct gen_options o = gen_defaults();
            o.level = (enum model_id)level;
            o.seed = (uint64_t)seed;
            o.transactions = 5;
            o.sessions = 2 + (uint32_t)seed % 3;
            o.keys = 1 + (uint32_t)seed % 3;
            o.operations = 1 + (uint32_t)seed % 4;
            o.reads = 0.6;
            assert_int_equal(compare(&o, 0), 1);
        }
}

static void test_anomalies(void **state)
{
    (void)state;
    for (size_t i = 0; i < gen_anomaly_count(); i++) {
        const struct gen_anomaly *a = gen_anomaly_at(i);
        int compared = 0;
        for (int level = 0; level < MODEL_COUNT && !a->lists_only; level++)
            for (int seed = 0; seed < 30 && a->violates >> level & 1; seed++) {
                struct gen_options o = gen_defaults();
                o.level = (enum model_id)level;
                o.seed = (uint64_t)seed;
                o.anomaly = a->name;
                o.sessions = 4;
                o.transactions = (uint32_t)strlen(a->sessions) + (seed & 1);
                o.keys = 3;
                o.operations = 2;
                compared += compare(&o, a->violates);
            }
        assert_true(a->lists_only || compared > 10);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_levels),
        cmocka_unit_test(test_anomalies),
    };
    return cmocka_run_group_tests_name("generate_oracle", tests, NULL, NULL);
}
