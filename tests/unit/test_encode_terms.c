/* Terms as formulas: Z3's value of a random term must be the evaluator's, as a mathematical integer
 * and as a bit-vector. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/strbuf.h"
#include "encode/z3/zterm.h"

enum { LEAVES = 4, TERMS = 40, ROUNDS = 300 };

struct random {
    uint64_t state;
};

static uint64_t next(struct random *r)
{
    r->state += 0x9e3779b97f4a7c15u;
    return hash_u64(r->state);
}

static uint32_t below(struct random *r, uint32_t n)
{
    return (uint32_t)(next(r) % n);
}

/* Values that like to overflow: small ones, powers of two and their neighbours. */
static term_int value_in(struct random *r, term_int lo, term_int hi)
{
    term_int v = below(r, 3) ? (term_int)below(r, 9) - 4
                             : ((term_int)1 << below(r, 32)) - 1 + (term_int)below(r, 3);
    v = below(r, 2) ? v : -v;
    return v < lo ? lo : v > hi ? hi : v;
}

struct world {
    struct term_store store;
    term_id leaf[LEAVES];
    term_int value[LEAVES];
    VEC(term_id) numbers; /* of type int, by construction in range where they are used */
    VEC(term_id) conditions;
};

static term_int leaf_value(void *arg, uint32_t leaf)
{
    return ((struct world *)arg)->value[leaf];
}

static term_id any_number(struct world *w, struct random *r)
{
    return w->numbers.data[below(r, (uint32_t)w->numbers.len)];
}

static term_id any_condition(struct world *w, struct random *r)
{
    return w->conditions.data[below(r, (uint32_t)w->conditions.len)];
}

/* An operation whose result is brought back into 32 bits. */
static term_id grow_number(struct world *w, struct random *r, bool bits)
{
    struct term_store *s = &w->store;
    term_id a = any_number(w, r), b = any_number(w, r);
    bool is_signed = below(r, 2);
    term_id wide;
    switch (below(r, bits ? 13 : 8)) {
    case 0:
        wide = term_add(s, a, b);
        break;
    case 1:
        wide = term_sub(s, a, b);
        break;
    case 2:
        wide = term_mul(s, a, term_const(s, (term_int)below(r, 7) - 3));
        break;
    case 3:
        wide = term_tdiv(s, a, term_const(s, (term_int)below(r, 9) - 4));
        break;
    case 4:
        wide = term_trem(s, a, term_const(s, (term_int)below(r, 9) - 4));
        break;
    case 5:
        wide = term_fdiv(s, a, 1 + (term_int)below(r, 9));
        break;
    case 6:
        wide = term_fmod(s, a, 1 + (term_int)below(r, 9));
        break;
    case 7:
        wide = term_ite(s, any_condition(w, r), a, b);
        break;
    case 8:
        wide = term_mul(s, a, b);
        break;
    default: {
        a = term_wrap(s, 32, is_signed, a);
        b = term_wrap(s, 32, is_signed, b);
        term_id shift = term_fmod(s, b, 40);
        uint32_t op = below(r, 5);
        wide = op == 0   ? term_band(s, 32, is_signed, a, b)
               : op == 1 ? term_bor(s, 32, is_signed, a, b)
               : op == 2 ? term_bxor(s, 32, is_signed, a, b)
               : op == 3 ? term_shl(s, 32, is_signed, a, shift)
                         : term_shr(s, 32, is_signed, a, shift);
    }
    }
    return term_wrap(s, below(r, 3) ? 32 : 8, is_signed, wide);
}

static term_id grow_condition(struct world *w, struct random *r)
{
    struct term_store *s = &w->store;
    switch (below(r, 5)) {
    case 0:
        return term_le(s, any_number(w, r), any_number(w, r));
    case 1:
        return term_eq(s, any_number(w, r), any_number(w, r));
    case 2:
        return term_and(s, any_condition(w, r), term_not(s, any_condition(w, r)));
    case 3:
        return term_or(s, any_condition(w, r), any_condition(w, r));
    default:
        return term_truth(s, any_number(w, r));
    }
}

static void make_world(struct world *w, struct random *r, bool bits)
{
    *w = (struct world){0};
    term_store_init(&w->store);
    for (int i = 0; i < LEAVES; i++) {
        bool flag = i == LEAVES - 1;
        struct term_leaf leaf = {.kind = TERM_LEAF_FREE,
                                 .bits = flag ? 1 : 32,
                                 .is_signed = !flag,
                                 .lo = term_type_min(flag ? 1 : 32, !flag),
                                 .hi = term_type_max(flag ? 1 : 32, !flag),
                                 .name = "v"};
        w->leaf[i] = term_leaf(&w->store, leaf);
        w->value[i] = value_in(r, leaf.lo, leaf.hi);
        vec_push(&w->numbers, w->leaf[i]);
    }
    vec_push(&w->numbers, term_const(&w->store, value_in(r, -100, 100)));
    vec_push(&w->conditions, TERM_TRUE);
    for (int i = 0; i < TERMS; i++) {
        bool number = below(r, 3) != 0;
        term_id t = number ? grow_number(w, r, bits) : grow_condition(w, r);
        if (number)
            vec_push(&w->numbers, t);
        else
            vec_push(&w->conditions, t);
    }
}

static void free_world(struct world *w)
{
    vec_free(&w->numbers);
    vec_free(&w->conditions);
    term_store_free(&w->store);
}

/* With the leaves fixed, every term has the evaluator's value. */
static void compare(struct world *w, enum zterm_mode mode, struct z3ctx_pool *pool)
{
    struct z3ctx z;
    struct zterm t;
    struct term_evaluator e = {.store = &w->store, .leaf = leaf_value, .arg = w};
    z3ctx_init(&z, pool, 0, (struct z3ctx_budget){0}, NULL);
    zterm_init(&t, &z, &w->store, mode);
    for (int i = 0; i < LEAVES; i++)
        z3ctx_assert(&z, zterm_eq(&t, zterm(&t, w->leaf[i]), zterm_value(&t, w->value[i])));
    for (size_t i = 0; i < w->numbers.len; i++)
        (void)zterm(&t, w->numbers.data[i]);
    assert_int_equal(z3ctx_check(&z, 0, NULL), Z3CTX_SAT);
    for (size_t i = 0; i < w->numbers.len; i++) {
        term_id n = w->numbers.data[i];
        assert_true(zterm_model(&t, zterm(&t, n)) == term_eval(&e, n));
    }
    for (size_t i = 0; i < w->conditions.len; i++) {
        term_id c = w->conditions.data[i];
        assert_int_equal(z3ctx_model_bool(&z, zterm(&t, c)), term_eval(&e, c) != 0);
    }
    term_evaluator_free(&e);
    zterm_free(&t);
    z3ctx_free(&z);
}

static void run(bool bits, enum zterm_mode mode)
{
    struct random r = {mode * 1000u + bits};
    struct z3ctx_pool pool = {0};
    for (int i = 0; i < ROUNDS; i++) {
        struct world w;
        make_world(&w, &r, bits);
        compare(&w, mode, &pool);
        free_world(&w);
    }
    z3ctx_pool_free(&pool);
}

static void test_integers(void **state)
{
    (void)state;
    run(false, ZTERM_INT);
}

static void test_bits(void **state)
{
    (void)state;
    run(true, ZTERM_BITS);
}

/* Index terms: one-hot literals say what the comparison says. */
static void test_one_hot(void **state)
{
    (void)state;
    for (int v = -1; v <= 4; v++) {
        struct world w;
        struct random r = {7};
        struct z3ctx z;
        struct zterm t;
        make_world(&w, &r, false);
        z3ctx_init(&z, NULL, 0, (struct z3ctx_budget){0}, NULL);
        zterm_init(&t, &z, &w.store, ZTERM_INT);
        zterm_index(&t, w.leaf[0], 4);
        zterm_index(&t, w.leaf[1], 4);
        Z3_ast same = zterm_index_eq(&t, w.leaf[0], w.leaf[1], 4);
        z3ctx_assert(&z, zterm_eq(&t, zterm(&t, w.leaf[0]), zterm_value(&t, v)));
        z3ctx_assert(&z, zterm_eq(&t, zterm(&t, w.leaf[1]), zterm_value(&t, 2)));
        assert_int_equal(z3ctx_check(&z, 0, NULL), Z3CTX_SAT);
        assert_int_equal(z3ctx_model_bool(&z, same), v == 2);
        assert_int_equal(
            z3ctx_model_bool(&z, zterm_index_eq(&t, w.leaf[0], term_const(&w.store, 3), 4)),
            v == 3);
        zterm_free(&t);
        z3ctx_free(&z);
        free_world(&w);
    }
}

static void test_needs_bits(void **state)
{
    (void)state;
    struct world w;
    struct random r = {3};
    make_world(&w, &r, false);
    struct term_store *s = &w.store;
    term_id sum = term_add(s, w.leaf[0], w.leaf[1]);
    assert_false(zterm_needs_bits(s, &sum, 1));
    term_id x = term_bxor(s, 32, true, w.leaf[0], w.leaf[1]);
    assert_true(zterm_needs_bits(s, &x, 1));
    free_world(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_integers),
        cmocka_unit_test(test_bits),
        cmocka_unit_test(test_one_hot),
        cmocka_unit_test(test_needs_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
