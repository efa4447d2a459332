/* Messages with places for the readers; see scan.h. */
#include "base/scan.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/strbuf.h"

/* What stands at a place, short enough for a message: a token, or the byte's code. */
static void describe(const struct scan *s, const char *at, struct strbuf *out)
{
    if (at >= s->end) {
        sb_puts(out, "the end of the file");
        return;
    }
    struct scan own = *s;
    if (s->shown) {
        own.end = s->shown + (s->end - s->start);
        at = s->shown + (at - s->start);
        own.start = s->shown;
    }
    s = &own;
    unsigned char c = (unsigned char)*at;
    if (c == '\n' || c == '\r') {
        sb_puts(out, "the end of the line");
    } else if (c < 0x20 || c >= 0x7f) {
        sb_printf(out, "byte 0x%02x", c);
    } else {
        size_t n = 1;
        while (!strchr(",()[]{}", *at) && at + n < s->end && n < 16 && at[n] > 0x20 &&
               at[n] < 0x7f && !strchr(",()[]{}", at[n]))
            n++;
        struct scan number = *s;
        int64_t fits;
        number.p = at;
        bool cut = n == 16 && at + n < s->end && scan_is_digit(at[n]);
        sb_printf(out, "`%.*s%s`", (int)n, at, cut ? "…" : "");
        if (scan_is_digit(at[c == '-']) && !scan_int(&number, &fits))
            sb_puts(out, ", an integer beyond 64 bits");
    }
}

uint64_t scan_line(struct scan *s, const char *at)
{
    if (at < s->counted) {
        s->counted = s->start;
        s->line = 1;
    }
    for (const char *nl; (nl = memchr(s->counted, '\n', (size_t)(at - s->counted)));) {
        s->counted = nl + 1;
        s->line++;
    }
    s->counted = at;
    return s->line;
}

static void place(const struct scan *s, const char *at, struct strbuf *out)
{
    size_t line = 1;
    const char *from = s->start;
    for (const char *nl; (nl = memchr(from, '\n', (size_t)(at - from))); from = nl + 1)
        line++;
    sb_printf(out, "%s:%zu:%zu: ", s->path, line, (size_t)(at - from) + 1);
}

static const char *keep(const struct scan *s, struct strbuf *b)
{
    const char *text = arena_strdup(s->messages, sb_str(b));
    sb_free(b);
    return text;
}

const char *scan_expected(const struct scan *s, const char *at, const char *what)
{
    struct strbuf b = {0};
    place(s, at, &b);
    sb_printf(&b, "expected %s, found ", what);
    describe(s, at, &b);
    return keep(s, &b);
}

const char *scan_error(const struct scan *s, const char *at, const char *fmt, ...)
{
    struct strbuf b = {0};
    place(s, at, &b);
    va_list ap;
    va_start(ap, fmt);
    sb_vprintf(&b, fmt, ap);
    va_end(ap);
    return keep(s, &b);
}

const char *scan_binary_error(const struct scan *s, const char *at, const char *fmt, ...)
{
    struct strbuf b = {0};
    sb_printf(&b, "%s: byte %zu: ", s->path, (size_t)(at - s->start));
    va_list ap;
    va_start(ap, fmt);
    sb_vprintf(&b, fmt, ap);
    va_end(ap);
    return keep(s, &b);
}
