#include "base/strbuf.h"

#include <stdio.h>
#include <string.h>

#include "base/vec.h"

void sb_add(struct strbuf *b, const char *bytes, size_t n)
{
    vec_reserve(b, b->len + n + 1);
    if (n)
        memcpy(b->data + b->len, bytes, n);
    b->len += n;
    b->data[b->len] = 0;
}

void sb_puts(struct strbuf *b, const char *s)
{
    sb_add(b, s, strlen(s));
}

void sb_putc(struct strbuf *b, char c)
{
    sb_add(b, &c, 1);
}

void sb_vprintf(struct strbuf *b, const char *fmt, va_list ap)
{
    va_list again;
    va_copy(again, ap);
    size_t n = (size_t)vsnprintf(NULL, 0, fmt, ap);
    vec_reserve(b, b->len + n + 1);
    vsnprintf(b->data + b->len, n + 1, fmt, again);
    va_end(again);
    b->len += n;
}

void sb_printf(struct strbuf *b, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    sb_vprintf(b, fmt, ap);
    va_end(ap);
}

void sb_clear(struct strbuf *b)
{
    b->len = 0;
    if (b->data)
        b->data[0] = 0;
}

void sb_free(struct strbuf *b)
{
    vec_free(b);
}

const char *sb_str(const struct strbuf *b)
{
    return b->data ? b->data : "";
}
