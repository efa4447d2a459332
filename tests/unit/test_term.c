/* Terms: the rules that keep summaries small, and a differential test of all of them: random
 * expressions are built with the simplifying builders and computed directly, on random values. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "symexec/term.h"

#define LEAVES 6

struct fixture {
    struct term_store s;
    term_id leaf[LEAVES];
    term_int value[LEAVES];
    uint64_t seed;
};

static uint64_t rnd(struct fixture *f, uint64_t n)
{
    f->seed += 0x9e3779b97f4a7c15u;
    return hash_u64(f->seed) % n;
}

static int bits_of(int i)
{
    static const int bits[LEAVES] = {32, 32, 8, 64, 1, 16};
    return bits[i];
}

static bool signed_of(int i)
{
    return i != 2 && i != 4;
}

static void setup_terms(struct fixture *f, uint64_t seed)
{
    static const char *const names[LEAVES] = {"x", "y", "u8", "l", "b", "h"};
    *f = (struct fixture){.seed = seed};
    term_store_init(&f->s);
    for (int i = 0; i < LEAVES; i++) {
        struct term_leaf l = {.kind = TERM_LEAF_FREE,
                              .a = (uint32_t)i,
                              .lo = term_type_min(bits_of(i), signed_of(i)),
                              .hi = term_type_max(bits_of(i), signed_of(i)),
                              .name = names[i]};
        f->leaf[i] = term_leaf(&f->s, l);
    }
}

static void pick_values(struct fixture *f)
{
    for (int i = 0; i < LEAVES; i++) {
        term_int lo = term_type_min(bits_of(i), signed_of(i));
        term_int hi = term_type_max(bits_of(i), signed_of(i));
        switch (rnd(f, 4)) {
        case 0:
            f->value[i] = (term_int)rnd(f, 2);
            break;
        case 1:
            f->value[i] = (int64_t)rnd(f, 20) - 10;
            break;
        case 2:
            f->value[i] = rnd(f, 2) ? lo + (int64_t)rnd(f, 2) : hi - (int64_t)rnd(f, 2);
            break;
        default:
            f->value[i] = (int64_t)(rnd(f, UINT64_MAX));
        }
        if (f->value[i] < lo || f->value[i] > hi)
            f->value[i] = lo + (term_int)((unsigned __int128)(f->value[i] - lo) %
                                          (unsigned __int128)(hi - lo + 1));
    }
}

static term_int leaf_value(void *arg, uint32_t leaf)
{
    struct fixture *f = arg;
    return f->value[f->s.leaves.data[leaf].a];
}

/* ---- random expressions: a term, and its value computed on the side ------------------------- */

struct pair {
    term_id t;
    term_int v;
};

static struct pair gen_int(struct fixture *f, int depth);

static struct pair gen_bool(struct fixture *f, int depth)
{
    struct pair a, b, c;
    struct term_store *s = &f->s;
    if (depth == 0)
        return rnd(f, 2) ? (struct pair){TERM_TRUE, 1} : (struct pair){TERM_FALSE, 0};
    switch (rnd(f, 9)) {
    case 0:
        a = gen_bool(f, depth - 1);
        return (struct pair){term_not(s, a.t), !a.v};
    case 1:
        a = gen_bool(f, depth - 1), b = gen_bool(f, depth - 1);
        return (struct pair){term_and(s, a.t, b.t), a.v && b.v};
    case 2:
        a = gen_bool(f, depth - 1), b = gen_bool(f, depth - 1);
        return (struct pair){term_or(s, a.t, b.t), a.v || b.v};
    case 3:
        a = gen_bool(f, depth - 1), b = gen_bool(f, depth - 1), c = gen_bool(f, depth - 1);
        return (struct pair){term_ite(s, a.t, b.t, c.t), a.v ? b.v : c.v};
    case 4:
        a = gen_int(f, depth - 1);
        return (struct pair){term_truth(s, a.t), a.v != 0};
    case 5:
        a = gen_int(f, depth - 1), b = gen_int(f, depth - 1);
        return (struct pair){term_eq(s, a.t, b.t), a.v == b.v};
    case 6:
        a = gen_int(f, depth - 1), b = gen_int(f, depth - 1);
        return (struct pair){term_lt(s, a.t, b.t), a.v < b.v};
    default:
        a = gen_int(f, depth - 1), b = gen_int(f, depth - 1);
        return (struct pair){term_le(s, a.t, b.t), a.v <= b.v};
    }
}

/* What C would do on a machine with 64-bit two's complement; bits is 32 or 64. */
static term_int reduce(int bits, bool is_signed, term_int v)
{
    uint64_t low = (uint64_t)(unsigned __int128)v;
    if (bits == 32)
        return is_signed ? (term_int)(int32_t)(uint32_t)low : (term_int)(uint32_t)low;
    if (bits == 8)
        return is_signed ? (term_int)(int8_t)(uint8_t)low : (term_int)(uint8_t)low;
    return is_signed ? (term_int)(int64_t)low : (term_int)low;
}

/* A value of the type of (bits, is_signed). */
static struct pair gen_typed(struct fixture *f, int depth, int bits, bool is_signed)
{
    struct pair a = gen_int(f, depth);
    return (struct pair){term_wrap(&f->s, bits, is_signed, a.t), reduce(bits, is_signed, a.v)};
}

static struct pair gen_bitop(struct fixture *f, int depth)
{
    int bits = rnd(f, 2) ? 32 : 64, kind = (int)rnd(f, 6);
    bool sg = rnd(f, 2);
    struct term_store *s = &f->s;
    struct pair a = gen_typed(f, depth, bits, sg), b = gen_typed(f, depth, bits, sg);
    if (rnd(f, 2)) { /* constant masks and counts have rules of their own */
        b.v = reduce(bits, sg,
                     rnd(f, 2) ? ((term_int)1 << rnd(f, 64)) - (term_int)rnd(f, 2)
                               : -((term_int)1 << rnd(f, 64)));
        b.t = term_const(s, b.v);
    }
    switch (kind) {
    case 0:
        return (struct pair){term_band(s, bits, sg, a.t, b.t), reduce(bits, sg, a.v & b.v)};
    case 1:
        return (struct pair){term_bor(s, bits, sg, a.t, b.t), reduce(bits, sg, a.v | b.v)};
    case 2:
        return (struct pair){term_bxor(s, bits, sg, a.t, b.t), reduce(bits, sg, a.v ^ b.v)};
    case 3:
        return (struct pair){term_bnot(s, bits, sg, a.t), reduce(bits, sg, ~a.v)};
    case 4:
        b.v = (term_int)rnd(f, (uint64_t)bits);
        b.t =
            rnd(f, 2) ? term_const(s, b.v) : term_add(s, term_sub(s, b.t, b.t), term_const(s, b.v));
        return (struct pair){term_shl(s, bits, sg, a.t, b.t),
                             reduce(bits, sg, (term_int)((unsigned __int128)a.v << (int)b.v))};
    default:
        b.v = (term_int)rnd(f, (uint64_t)bits);
        b.t = term_const(s, b.v);
        return (struct pair){term_shr(s, bits, sg, a.t, b.t), a.v >> (int)b.v};
    }
}

static struct pair gen_division(struct fixture *f, int depth)
{
    struct pair a = gen_typed(f, depth, 64, true), b = gen_typed(f, depth, 32, true);
    if (rnd(f, 2)) {
        b.v = (int64_t)rnd(f, 7) - 3;
        b.t = term_const(&f->s, b.v);
    }
    if (rnd(f, 2))
        return (struct pair){term_tdiv(&f->s, a.t, b.t), b.v ? a.v / b.v : 0};
    return (struct pair){term_trem(&f->s, a.t, b.t), b.v ? a.v % b.v : 0};
}

static struct pair gen_int(struct fixture *f, int depth)
{
    struct term_store *s = &f->s;
    struct pair a, b, c;
    if (depth == 0 || rnd(f, 8) == 0) {
        if (rnd(f, 3) == 0) {
            term_int k =
                rnd(f, 3) ? (term_int)rnd(f, 5) - 2 : (term_int)(int64_t)rnd(f, UINT64_MAX);
            return (struct pair){term_const(s, k), k};
        }
        int i = (int)rnd(f, LEAVES);
        return (struct pair){f->leaf[i], f->value[i]};
    }
    switch (rnd(f, 10)) {
    case 0:
    case 1:
        a = gen_typed(f, depth - 1, 64, true), b = gen_typed(f, depth - 1, 64, true);
        return (struct pair){term_add(s, a.t, b.t), a.v + b.v};
    case 2:
        a = gen_typed(f, depth - 1, 64, true), b = gen_typed(f, depth - 1, 64, true);
        return (struct pair){term_sub(s, a.t, b.t), a.v - b.v};
    case 3:
        a = gen_typed(f, depth - 1, 32, true), b = gen_typed(f, depth - 1, 32, true);
        return (struct pair){term_mul(s, a.t, b.t), a.v * b.v};
    case 4:
        a = gen_typed(f, depth - 1, 64, false), b = gen_typed(f, depth - 1, 64, false);
        return (struct pair){
            term_wrap(s, 64, false, term_mul(s, a.t, b.t)),
            reduce(64, false, (term_int)((unsigned __int128)a.v * (unsigned __int128)b.v))};
    case 5:
        a = gen_bool(f, depth - 1), b = gen_int(f, depth - 1), c = gen_int(f, depth - 1);
        return (struct pair){term_ite(s, a.t, b.t, c.t), a.v ? b.v : c.v};
    case 6:
        return gen_bitop(f, depth - 1);
    case 7:
        return gen_division(f, depth - 1);
    case 8:
        return gen_typed(f, depth - 1, rnd(f, 2) ? 8 : 32, rnd(f, 2));
    default:
        a = gen_bool(f, depth - 1);
        return (struct pair){term_from_bool(s, a.t), a.v};
    }
}

static void check_pair(struct fixture *f, struct pair p)
{
    struct term_evaluator e = {.store = &f->s, .leaf = leaf_value, .arg = f};
    const struct term *t = term_get(&f->s, p.t);
    term_int got = term_eval(&e, p.t);
    if (got != p.v || p.v < t->lo || p.v > t->hi) {
        struct term_printer printer = {.store = &f->s, .budget = 400};
        struct strbuf text = {0};
        term_print(&printer, p.t, &text);
        sb_puts(&text, " should be ");
        term_int_print(p.v, &text);
        sb_puts(&text, ", is ");
        term_int_print(got, &text);
        fail_msg("%s", sb_str(&text));
    }
    term_evaluator_free(&e);
}

static void test_random(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 3000; seed++) {
        struct fixture f;
        setup_terms(&f, seed * 7919);
        for (int i = 0; i < 12; i++) {
            pick_values(&f);
            check_pair(&f, i % 2 ? gen_bool(&f, 5) : gen_int(&f, 5));
        }
        term_store_free(&f.s);
    }
}

/* ---- single rules -------------------------------------------------------------------------- */

static void expect_text(struct fixture *f, term_id t, const char *text)
{
    struct term_printer p = {.store = &f->s, .budget = 100};
    struct strbuf b = {0};
    term_print(&p, t, &b);
    assert_string_equal(sb_str(&b), text);
    sb_free(&b);
}

static void test_rules(void **state)
{
    (void)state;
    struct fixture f;
    setup_terms(&f, 1);
    struct term_store *s = &f.s;
    term_id x = f.leaf[0], y = f.leaf[1], u8 = f.leaf[2], b = f.leaf[4];
    term_id one = term_const(s, 1), five = term_const(s, 5);
    term_id c = term_lt(s, x, y), d = term_eq(s, x, five);

    assert_int_equal(term_sub(s, term_add(s, x, y), y), x);
    assert_int_equal(term_add(s, term_add(s, x, one), five), term_add(s, x, term_const(s, 6)));
    assert_int_equal(term_wrap(s, 32, false, u8), u8);
    assert_int_equal(term_in_range(s, u8, 0, 255), TERM_TRUE);
    assert_int_equal(term_truth(s, term_from_bool(s, c)), c);
    assert_int_equal(term_le(s, term_add(s, x, one), term_add(s, y, one)), term_le(s, x, y));
    assert_int_equal(term_or(s, c, term_not(s, c)), TERM_TRUE);
    assert_int_equal(term_or(s, term_and(s, c, d), term_not(s, term_and(s, c, d))), TERM_TRUE);
    assert_int_equal(term_or(s, term_and(s, c, d), term_and(s, c, term_not(s, d))), c);
    assert_int_equal(term_or(s, c, term_and(s, term_not(s, c), d)), term_or(s, c, d));
    assert_int_equal(term_ite(s, c, term_ite(s, c, x, y), five), term_ite(s, c, x, five));
    assert_int_equal(term_ite(s, term_not(s, c), x, y), term_ite(s, c, y, x));
    assert_int_equal(term_and(s, d, term_eq(s, x, one)), TERM_FALSE);
    assert_int_equal(term_eq(s, b, one), term_truth(s, b));
    assert_int_equal(term_fit(s, 32, true, u8), u8);
    term_store_free(s);
}

static void test_text(void **state)
{
    (void)state;
    struct fixture f;
    setup_terms(&f, 1);
    struct term_store *s = &f.s;
    term_id x = f.leaf[0], y = f.leaf[1], ten = term_const(s, 10);
    term_id sum = term_sub(s, term_mul(s, y, term_const(s, 3)), x);
    expect_text(&f, sum, "3 * y - x");
    expect_text(&f, term_lt(s, x, y), "y > x");
    expect_text(&f, term_le(s, ten, x), "x > 9");
    expect_text(&f, term_or(s, term_eq(s, x, ten), term_lt(s, ten, y)), "y > 10 || x == 10");
    expect_text(&f, term_ite(s, term_eq(s, x, ten), y, term_add(s, y, term_const(s, -1))),
                "x == 10 ? y : y - 1");
    expect_text(&f, term_band(s, 32, true, x, term_const(s, 7)), "x & 7");
    expect_text(&f, term_wrap(s, 8, false, x), "(unsigned char)x");
    expect_text(&f, term_const(s, TERM_MIN), "-170141183460469231731687303715884105727");
    term_store_free(s);
}

static term_id swap_xy(void *arg, uint32_t leaf)
{
    struct fixture *f = arg;
    uint32_t a = f->s.leaves.data[leaf].a;
    return a == 0 ? f->leaf[1] : a == 1 ? f->leaf[0] : TERM_NONE;
}

static void test_substitute(void **state)
{
    (void)state;
    struct fixture f;
    setup_terms(&f, 1);
    struct term_store *s = &f.s;
    term_id t = term_ite(s, term_le(s, f.leaf[0], f.leaf[1]), f.leaf[0], f.leaf[2]);
    term_id want = term_ite(s, term_le(s, f.leaf[1], f.leaf[0]), f.leaf[1], f.leaf[2]);
    struct term_subst sub = {.store = s, .fn = swap_xy, .arg = &f};
    assert_int_equal(term_substitute(&sub, t), want);
    assert_int_equal(term_dag_size(s, &t, 1), 5);
    term_subst_free(&sub);
    term_store_free(s);
}

/* A term nested a million deep must not exhaust the stack. */
static void test_deep(void **state)
{
    (void)state;
    struct fixture f;
    setup_terms(&f, 1);
    struct term_store *s = &f.s;
    term_id t = f.leaf[0];
    for (int i = 0; i < 1000000; i++)
        t = term_wrap(s, 64, false, term_mul(s, t, f.leaf[3]));
    struct term_evaluator e = {.store = s, .leaf = leaf_value, .arg = &f};
    f.value[0] = 5;
    f.value[3] = 1;
    assert_int_equal((int)term_eval(&e, t), 5);
    term_evaluator_free(&e);
    assert_true(term_dag_size(s, &t, 1) > 1000000);
    term_store_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rules), cmocka_unit_test(test_text),
                                       cmocka_unit_test(test_substitute),
                                       cmocka_unit_test(test_deep), cmocka_unit_test(test_random)};
    return cmocka_run_group_tests_name("term", tests, NULL, NULL);
}
