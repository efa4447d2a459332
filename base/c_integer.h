/* C's integer types and what its operators do to concrete values.  Everybody who computes with
 * values of a C program asks here: the constant folder, the interpreter, the evaluator of terms
 * and the reports.
 *
 * A value is a mathematical integer in 128 bits, which hold every value of every type, and every
 * sum, difference, product and shift of two signed values.  Values that are larger still (products
 * of unsigned values) are computed modulo 2^128, which is enough, since C reduces them to their
 * type. */
#ifndef BASE_C_INTEGER_H
#define BASE_C_INTEGER_H

#include <stdbool.h>
#include <stdint.h>

__extension__ typedef __int128 c_int;

/* The values of `width` bits: 8, 16, 32 or 64; bool has one bit and no sign. */
struct c_type {
    uint8_t width;
    bool is_signed;
};

c_int c_min(struct c_type t);
c_int c_max(struct c_type t);
bool c_fits(struct c_type t, c_int v); /* is v a value of the type? */
/* The value of the type that is congruent to v modulo 2^width. */
c_int c_wrap(struct c_type t, c_int v);
/* The value of the expression `(t)v`: as c_wrap, but for bool, which says whether v is not 0. */
c_int c_convert(struct c_type t, c_int v);

enum c_operator {
    C_NEG,
    C_BITNOT,
    C_LOGNOT,
    C_ADD,
    C_SUB,
    C_MUL,
    C_DIV,
    C_REM,
    C_SHL,
    C_SHR,
    C_BITAND,
    C_BITOR,
    C_BITXOR,
    C_LT,
    C_LE,
    C_GT,
    C_GE,
    C_EQ,
    C_NE
};

/* Why C does not define a result. */
enum c_fault {
    C_DEFINED,
    C_OVERFLOW, /* a signed result is not a value of its type */
    C_DIVISION, /* by zero */
    C_SHIFT     /* the count is negative, or not less than the width */
};

/* The result of an operator whose operands have been converted to type t already (the right operand
 * of a shift keeps a type of its own).  Comparisons and `!` give 0 or 1.
 *
 * A right shift of a negative value is arithmetic, as gcc and clang define it.  A left shift of a
 * negative value, or one that shifts a bit into the sign or beyond, is an overflow.
 *
 * *out is the result if it is defined.  After an overflow it is the exact result, as if the type
 * had no bounds, but for a left shift, where it is the exact result wrapped.  After the other
 * faults it is 0. */
enum c_fault c_binary(enum c_operator op, struct c_type t, c_int a, c_int b, c_int *out);
enum c_fault c_unary(enum c_operator op, struct c_type t, c_int a, c_int *out);

/* Exact results, modulo 2^128. */
c_int c_sum(c_int a, c_int b);
c_int c_product(c_int a, c_int b);
/* Division truncates toward zero, and the remainder has the sign of a; b is not 0. */
c_int c_quotient(c_int a, c_int b);
c_int c_remainder(c_int a, c_int b);

#endif
