/* A string that grows.  Always NUL-terminated once anything was added; a zeroed struct is empty. */
#ifndef BASE_STRBUF_H
#define BASE_STRBUF_H

#include <stdarg.h>
#include <stddef.h>

struct strbuf {
    char *data;
    size_t len, cap;
};

void sb_add(struct strbuf *b, const char *bytes, size_t n);
void sb_puts(struct strbuf *b, const char *s);
void sb_putc(struct strbuf *b, char c);
void sb_printf(struct strbuf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void sb_vprintf(struct strbuf *b, const char *fmt, va_list ap);
void sb_clear(struct strbuf *b);
void sb_free(struct strbuf *b);
const char *sb_str(const struct strbuf *b); /* "" when empty */

#endif
