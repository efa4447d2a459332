/* A cursor over the bytes of one file, for the hand-written readers.
 *
 * Every buffer ends with a NUL that does not count (base/io.h), so looking at *p is always allowed
 * while p <= end, and no letter or digit matches the NUL: loops over tokens need no bounds check.
 * Nothing here fails silently: a function that can fail says so, and the reader turns that into a
 * message with scan_error, which only then finds the line by counting from the start. */
#ifndef BASE_SCAN_H
#define BASE_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/arena.h"
#include "base/limit_poll.h"

struct scan {
    const char *p, *end, *start;
    const char *path;
    struct arena *messages;
    const char
        *shown; /* The user's own bytes; the bytes from `start` on may be a translation of them. */
    /* The line that `counted` is in, from 1, see scan_line. */
    const char *counted;
    uint64_t line;
};

static inline bool scan_at_end(const struct scan *s)
{
    return s->p >= s->end;
}

/* "file:line:column: expected WHAT, found X" for the place `at`. */
const char *scan_expected(const struct scan *s, const char *at, const char *what)
    __attribute__((returns_nonnull));
/* "file:line:column: TEXT". */
const char *scan_error(const struct scan *s, const char *at, const char *fmt, ...)
    __attribute__((returns_nonnull, format(printf, 3, 4)));
/* "file: byte N: TEXT", for binary formats. */
const char *scan_binary_error(const struct scan *s, const char *at, const char *fmt, ...)
    __attribute__((returns_nonnull, format(printf, 3, 4)));

/* The line of a place, from 1.  Cheap if places are asked for in the order of the file. */
uint64_t scan_line(struct scan *s, const char *at);

/* NULL, or why reading must stop (a limit); for the loops over lines and transactions. */
static inline const char *scan_interrupted(void)
{
    return limit_reached() ? limit_text() : NULL;
}

static inline bool scan_is_digit(char c)
{
    return (unsigned char)(c - '0') < 10;
}

/* Decimal, with an optional minus; stops after the last digit.  False (and nothing consumed) if
 * there is no number or it does not fit in 64 bits. */
static inline bool scan_int(struct scan *s, int64_t *out)
{
    const char *p = s->p;
    bool negative = *p == '-';
    p += negative;
    const char *digits = p;
    uint64_t v = 0;
    while (scan_is_digit(*p)) {
        /* Eighteen digits always fit; only longer numbers pay for the check. */
        if (p - digits >= 18 && v > (UINT64_MAX - (uint64_t)(*p - '0')) / 10)
            return false;
        v = v * 10 + (uint64_t)(*p++ - '0');
    }
    if (p == digits || v > (uint64_t)INT64_MAX + negative)
        return false;
    *out = negative ? (int64_t)(0 - v) : (int64_t)v;
    s->p = p;
    return true;
}

static inline bool scan_uint(struct scan *s, uint64_t *out)
{
    const char *p = s->p, *digits = p;
    uint64_t v = 0;
    while (scan_is_digit(*p)) {
        if (p - digits >= 18 && v > (UINT64_MAX - (uint64_t)(*p - '0')) / 10)
            return false;
        v = v * 10 + (uint64_t)(*p++ - '0');
    }
    if (p == digits)
        return false;
    *out = v;
    s->p = p;
    return true;
}

static inline bool scan_char(struct scan *s, char c)
{
    if (*s->p != c)
        return false;
    s->p++;
    return true;
}

/* Consumes the end of a line (with or without a carriage return) or the end of the file. */
static inline bool scan_eol(struct scan *s)
{
    if (s->p[0] == '\r' && s->p[1] == '\n')
        s->p++;
    if (*s->p == '\n') {
        s->p++;
        return true;
    }
    return scan_at_end(s);
}

static inline void scan_blanks(struct scan *s)
{
    while (*s->p == ' ' || *s->p == '\t')
        s->p++;
}

#endif
