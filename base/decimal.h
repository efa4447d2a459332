/* Numbers as they are written, compared exactly.
 *
 * 1, 1.0 and 10e-1 are one number; 0.1 is exactly a tenth, not the nearest binary fraction. A
 * number that is a 64-bit integer is represented by that integer.  Any other number has one
 * canonical text, so that equal numbers have equal texts: `0.1`, `-12.75`, `1.5e-9`, `1e30`. */
#ifndef BASE_DECIMAL_H
#define BASE_DECIMAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { DECIMAL_DIGITS = 64, DECIMAL_TEXT = DECIMAL_DIGITS + 24 };

struct decimal {
    bool is_integer;
    int64_t integer;
    char text[DECIMAL_TEXT]; /* if not is_integer; NUL-terminated */
    size_t len;
};

/* How many of the n bytes form a number in the notation of JSON; 0: there is none. */
size_t decimal_length(const char *s, size_t n);
/* A number of exactly n bytes.  False: it has more than DECIMAL_DIGITS digits, not counting leading
 * and trailing zeros, or an exponent beyond 99999. */
bool decimal_read(const char *s, size_t n, struct decimal *out);
/* Negative, 0 or positive if a is less than, equal to or greater than b.  Both are numbers as
 * above. */
int decimal_compare(const char *a, size_t n, const char *b, size_t m);

#endif
