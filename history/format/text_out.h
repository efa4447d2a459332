/* Buffered text output for the writers: a million transactions have tens of millions of numbers,
 * and printf would take most of the time.  Errors are recorded in the FILE, whose owner checks
 * it. */
#ifndef HISTORY_FORMAT_TEXT_OUT_H
#define HISTORY_FORMAT_TEXT_OUT_H

#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct out {
    FILE *file;
    size_t len;
    char data[1 << 16];
};

static inline void out_flush(struct out *o)
{
    fwrite(o->data, 1, o->len, o->file);
    o->len = 0;
}

static inline void out_bytes(struct out *o, const char *s, size_t n)
{
    if (n > sizeof o->data - o->len)
        out_flush(o);
    if (n > sizeof o->data) {
        fwrite(s, 1, n, o->file);
        return;
    }
    memcpy(o->data + o->len, s, n);
    o->len += n;
}

static inline void out_text(struct out *o, const char *s)
{
    out_bytes(o, s, strlen(s));
}

static inline void out_char(struct out *o, char c)
{
    if (o->len == sizeof o->data)
        out_flush(o);
    o->data[o->len++] = c;
}

static inline void out_uint(struct out *o, uint64_t v)
{
    char digits[20], *p = digits + sizeof digits;
    do
        *--p = (char)('0' + v % 10);
    while (v /= 10);
    out_bytes(o, p, (size_t)(digits + sizeof digits - p));
}

static inline void out_int(struct out *o, int64_t v)
{
    if (v < 0)
        out_char(o, '-');
    out_uint(o, v < 0 ? 0 - (uint64_t)v : (uint64_t)v);
}

#endif
