/* Ways through the engine must agree on histories too large for the oracle: with saturation and
 * replay, with the solver doing all the work, and with Z3 in its place.  The histories are
 * generated at a level and then spoilt a little, so that some hold and some do not.  And the
 * levels must be monotonic: what holds at a level holds at the weaker ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/map.h"
#include "check/certified_search.h"
#include "history/generate/generate.h"

static uint32_t draw(uint64_t *state, uint32_t n)
{
    *state += 0x9e3779b97f4a7c15u;
    return (uint32_t)(hash_u64(*state) % n);
}

/* Let some reads return what another write of their key wrote, and some writes repeat a value. */
static void spoil(struct history *h, uint64_t *rng, uint32_t reads, uint32_t writes)
{
    for (uint32_t tries = 0; reads + writes && tries < 10000; tries++) {
        uint32_t i = draw(rng, (uint32_t)h->ops.len), j = draw(rng, (uint32_t)h->ops.len);
        struct hist_op *a = &h->ops.data[i], *b = &h->ops.data[j];
        uint32_t *left = a->kind == HIST_READ ? &reads : &writes;
        if (i == j || a->key != b->key || b->kind != HIST_WRITE || !*left)
            continue;
        a->value = b->value;
        a->flags = (uint8_t)((a->flags & ~HIST_OP_NULL) | (b->flags & HIST_OP_NULL));
        --*left;
    }
}

static struct history *make(uint64_t *rng)
{
    static const enum model_id models[] = {MODEL_SER, MODEL_SI, MODEL_PC};
    struct gen_options g = gen_defaults();
    struct arena messages = {0};
    struct history *h;
    g.level = models[draw(rng, 3)];
    g.sessions = 2 + draw(rng, 6);
    g.transactions = 10 + draw(rng, 50);
    g.operations = 2 + draw(rng, 4);
    g.keys = 2 + draw(rng, 8);
    g.reads = 0.3 + 0.1 * draw(rng, 5);
    g.seed = draw(rng, 1u << 30);
    assert_null(gen_history(&g, &messages, &h));
    arena_free(&messages);
    if (draw(rng, 3))
        spoil(h, rng, draw(rng, 3), draw(rng, 2) ? draw(rng, 12) : 0);
    return h;
}

static enum check_verdict verdict(const struct history *h, const struct check_options *o)
{
    struct check_result r;
    check_items(h, o, &r);
    if (r.verdict != CHECK_OK && r.verdict != CHECK_VIOLATION) {
        hist_dump(h, stderr);
        check_result_dump(h, &r, stderr);
    }
    assert_true(r.verdict == CHECK_OK || r.verdict == CHECK_VIOLATION);
    enum check_verdict v = r.verdict;
    check_result_free(&r);
    return v;
}

static void agree(const struct history *h, struct level level, enum check_verdict expected,
                  uint64_t seed)
{
    struct check_options o = check_defaults();
    o.level = level;
    o.seed = seed;
    o.always_solve = true;
    enum check_verdict alone = verdict(h, &o);
    if (alone != expected)
        hist_dump(h, stderr);
    assert_int_equal(alone, expected);
    o.backend = BACKEND_Z3;
    if (seed % 8 == 0)
        assert_int_equal(verdict(h, &o), expected);
}

static void test_agreement(void **state)
{
    (void)state;
    static const enum model_id models[] = {MODEL_SER, MODEL_SI, MODEL_PC};
    const char *count = getenv("VISAR_FUZZ"), *first = getenv("VISAR_SEED");
    long rounds = count ? atol(count) : 400, verdicts[2] = {0, 0};
    uint64_t rng = first ? (uint64_t)atol(first) : 7;
    for (long i = 0; i < rounds; i++) {
        struct history *h = make(&rng);
        enum check_verdict stronger[2] = {CHECK_VIOLATION, CHECK_VIOLATION};
        for (size_t m = 0; m < 3; m++)
            for (int session = 1; session >= 0; session--) {
                struct check_options o = check_defaults();
                o.level = (struct level){.model = models[m], .session_order = session};
                enum check_verdict v = verdict(h, &o);
                agree(h, o.level, v, (uint64_t)i);
                if (stronger[session] == CHECK_OK || (!session && stronger[1] == CHECK_OK))
                    assert_int_equal(v, CHECK_OK);
                stronger[session] = v;
                verdicts[v == CHECK_OK]++;
            }
        hist_free(h);
    }
    assert_true(verdicts[0] > rounds / 4 && verdicts[1] > rounds / 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_agreement)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
