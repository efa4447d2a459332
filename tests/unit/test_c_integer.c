/* C's operators on concrete values: base/c_integer.c against what the compiler makes of the same
 * operators, for all types and all pairs of values at and near the edges of all types. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/c_integer.h"

/* Every integer type of the subset but bool, which C computes with as int. */
#define TYPES(X)                                                                                   \
    X(int8_t, 8, true)                                                                             \
    X(uint8_t, 8, false)                                                                           \
    X(int16_t, 16, true)                                                                           \
    X(uint16_t, 16, false)                                                                         \
    X(int32_t, 32, true)                                                                           \
    X(uint32_t, 32, false)                                                                         \
    X(int64_t, 64, true)                                                                           \
    X(uint64_t, 64, false)

#define VALUES 200

/* Powers of two and their neighbours, of both signs. */
static size_t edges(c_int *out)
{
    static const int widths[] = {0, 1, 2, 4, 7, 8, 15, 16, 31, 32, 62, 63, 64};
    size_t n = 0;
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++)
        for (int delta = -2; delta <= 2; delta++) {
            out[n++] = ((c_int)1 << widths[i]) + delta;
            out[n++] = -((c_int)1 << widths[i]) + delta;
        }
    static const c_int others[] = {3, 5, 7, 10, 12, 100, -3, -7, -10, 1000003, 46341, 3037000500};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        out[n++] = others[i];
    assert_true(n <= VALUES);
    return n;
}

static void same(enum c_operator op, struct c_type t, c_int a, c_int b, enum c_fault fault,
                 c_int value)
{
    c_int v;
    enum c_fault got = c_binary(op, t, a, b, &v);
    if (got != fault || (fault == C_DEFINED && v != value))
        fail_msg("operator %d on %d bits, %s: %lld and %lld give %lld (%d), not %lld (%d)", op,
                 t.width, t.is_signed ? "signed" : "unsigned", (long long)a, (long long)b,
                 (long long)v, got, (long long)value, fault);
}

static void same_unary(enum c_operator op, struct c_type t, c_int a, enum c_fault fault,
                       c_int value)
{
    c_int v;
    enum c_fault got = c_unary(op, t, a, &v);
    if (got != fault || (fault == C_DEFINED && v != value))
        fail_msg("operator %d on %d bits, %s: %lld gives %lld (%d), not %lld (%d)", op, t.width,
                 t.is_signed ? "signed" : "unsigned", (long long)a, (long long)v, got,
                 (long long)value, fault);
}

/* What C gives, computed in the type T itself.  The compiler's overflow builtins say whether the
 * exact result is a value of T; an unsigned one wraps, which is no fault. */
#define SUM(T, op, builtin, is_signed)                                                             \
    do {                                                                                           \
        T r;                                                                                       \
        bool over = builtin(x, y, &r);                                                             \
        same(op, t, x, y, is_signed &&over ? C_OVERFLOW : C_DEFINED, r);                           \
    } while (0)

#define BINARY_OF(T, bits, is_signed_)                                                             \
    static void binary_##T(c_int a, c_int b)                                                       \
    {                                                                                              \
        struct c_type t = {bits, is_signed_};                                                      \
        T x = (T)a, y = (T)b;                                                                      \
        bool least = is_signed_ && x == (T)((uint64_t)1 << (bits - 1)) && y == (T) - 1;            \
        SUM(T, C_ADD, __builtin_add_overflow, is_signed_);                                         \
        SUM(T, C_SUB, __builtin_sub_overflow, is_signed_);                                         \
        SUM(T, C_MUL, __builtin_mul_overflow, is_signed_);                                         \
        same(C_DIV, t, x, y,                                                                       \
             !y      ? C_DIVISION                                                                  \
             : least ? C_OVERFLOW                                                                  \
                     : C_DEFINED,                                                                  \
             !y || least ? 0 : (T)(x / y));                                                        \
        same(C_REM, t, x, y,                                                                       \
             !y      ? C_DIVISION                                                                  \
             : least ? C_OVERFLOW                                                                  \
                     : C_DEFINED,                                                                  \
             !y || least ? 0 : (T)(x % y));                                                        \
        same(C_BITAND, t, x, y, C_DEFINED, (T)(x & y));                                            \
        same(C_BITOR, t, x, y, C_DEFINED, (T)(x | y));                                             \
        same(C_BITXOR, t, x, y, C_DEFINED, (T)(x ^ y));                                            \
        same(C_LT, t, x, y, C_DEFINED, x < y);                                                     \
        same(C_LE, t, x, y, C_DEFINED, x <= y);                                                    \
        same(C_GT, t, x, y, C_DEFINED, x > y);                                                     \
        same(C_GE, t, x, y, C_DEFINED, x >= y);                                                    \
        same(C_EQ, t, x, y, C_DEFINED, x == y);                                                    \
        same(C_NE, t, x, y, C_DEFINED, x != y);                                                    \
    }
TYPES(BINARY_OF)

/* Shifts by every count, one below and two above those that C defines.  The left shift of a signed
 * value is defined if shifting back gives the value again and the sign is still clear. */
#define SHIFT_OF(T, bits, is_signed_)                                                              \
    static void shift_##T(c_int a, int count)                                                      \
    {                                                                                              \
        struct c_type t = {bits, is_signed_};                                                      \
        T x = (T)a;                                                                                \
        bool far = count < 0 || count >= bits;                                                     \
        T left = far ? 0 : (T)((uint64_t)x << count);                                              \
        bool lost = is_signed_ && (x < 0 || left < 0 || left >> (far ? 0 : count) != x);           \
        same(C_SHL, t, x, count, far ? C_SHIFT : lost ? C_OVERFLOW : C_DEFINED, left);             \
        same(C_SHR, t, x, count, far ? C_SHIFT : C_DEFINED, far ? 0 : (T)(x >> count));            \
    }
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wtype-limits"
TYPES(SHIFT_OF)
#pragma GCC diagnostic pop

#define UNARY_OF(T, bits, is_signed_)                                                              \
    static void unary_##T(c_int a)                                                                 \
    {                                                                                              \
        struct c_type t = {bits, is_signed_};                                                      \
        T x = (T)a, r;                                                                             \
        bool over = __builtin_sub_overflow((T)0, x, &r);                                           \
        same_unary(C_NEG, t, x, is_signed_ &&over ? C_OVERFLOW : C_DEFINED, r);                    \
        same_unary(C_BITNOT, t, x, C_DEFINED, (T)~x);                                              \
        same_unary(C_LOGNOT, t, x, C_DEFINED, !x);                                                 \
        assert_true(c_convert(t, a) == x);                                                         \
        assert_true(c_wrap(t, a) == x);                                                            \
        assert_int_equal(c_fits(t, a), x == a);                                                    \
    }
TYPES(UNARY_OF)

static void test_binary(void **state)
{
    (void)state;
    c_int v[VALUES];
    size_t n = edges(v);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n; k++) {
#define CALL(T, bits, is_signed) binary_##T(v[i], v[k]);
            TYPES(CALL)
#undef CALL
        }
}

static void test_shifts(void **state)
{
    (void)state;
    c_int v[VALUES];
    size_t n = edges(v);
    for (size_t i = 0; i < n; i++)
        for (int count = -2; count <= 66; count++) {
#define CALL(T, bits, is_signed) shift_##T(v[i], count);
            TYPES(CALL)
#undef CALL
        }
}

static void test_unary_and_conversions(void **state)
{
    (void)state;
    c_int v[VALUES];
    struct c_type boolean = {1, false};
    size_t n = edges(v);
    for (size_t i = 0; i < n; i++) {
#define CALL(T, bits, is_signed) unary_##T(v[i]);
        TYPES(CALL)
#undef CALL
        assert_true(c_convert(boolean, v[i]) == (bool)v[i]);
        assert_int_equal(c_fits(boolean, v[i]), v[i] == (bool)v[i]);
    }
}

static void test_ranges(void **state)
{
    (void)state;
#define CHECK(T, bits, is_signed_)                                                                 \
    assert_true(c_min((struct c_type){bits, is_signed_}) ==                                        \
                (is_signed_ ? -((c_int)1 << (bits - 1)) : 0));                                     \
    assert_true(c_max((struct c_type){bits, is_signed_}) ==                                        \
                (T)(is_signed_ ? ~((uint64_t)1 << (bits - 1)) & (~(uint64_t)0 >> (64 - bits))      \
                               : ~(uint64_t)0));
    TYPES(CHECK)
#undef CHECK
    assert_true(c_min((struct c_type){1, false}) == 0);
    assert_true(c_max((struct c_type){1, false}) == 1);
}

/* After an overflow the result is exact, also of operands that are outside the type already: the
 * values of predicates have no bounds. */
static void test_exact_results(void **state)
{
    (void)state;
    struct c_type t = {32, true}, u = {64, false};
    c_int v, big = (c_int)1 << 40;
    assert_int_equal(c_binary(C_ADD, t, INT32_MAX, 1, &v), C_OVERFLOW);
    assert_true(v == (c_int)INT32_MAX + 1);
    assert_int_equal(c_binary(C_MUL, t, big, big, &v), C_OVERFLOW);
    assert_true(v == (c_int)1 << 80);
    assert_int_equal(c_binary(C_DIV, t, INT32_MIN, -1, &v), C_OVERFLOW);
    assert_true(v == -(c_int)INT32_MIN);
    assert_int_equal(c_binary(C_REM, t, INT32_MIN, -1, &v), C_OVERFLOW);
    assert_true(v == 0);
    assert_int_equal(c_unary(C_NEG, t, INT32_MIN, &v), C_OVERFLOW);
    assert_true(v == -(c_int)INT32_MIN);
    assert_int_equal(c_binary(C_SHR, t, big, 3, &v), C_DEFINED);
    assert_true(v == big >> 3);
    assert_int_equal(c_binary(C_SHL, t, 3, 31, &v), C_OVERFLOW);
    assert_true(v == INT32_MIN);
    assert_int_equal(c_binary(C_MUL, t, (c_int)1 << 100, (c_int)1 << 100, &v), C_OVERFLOW);
    /* Unsigned products need more than 127 bits before they are reduced. */
    assert_int_equal(c_binary(C_MUL, u, UINT64_MAX, UINT64_MAX, &v), C_DEFINED);
    assert_true(v == 1);
    c_int least = -((c_int)1 << 126) * 2;
    assert_true(c_quotient(least, -1) == least && c_remainder(least, -1) == 0);
    assert_true(c_quotient(-7, 2) == -3 && c_remainder(-7, 2) == -1 && c_remainder(7, -2) == 1);
    assert_true(c_sum(~least, 1) == least && c_product(least, 2) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_binary),        cmocka_unit_test(test_shifts),
        cmocka_unit_test(test_ranges),        cmocka_unit_test(test_unary_and_conversions),
        cmocka_unit_test(test_exact_results),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
