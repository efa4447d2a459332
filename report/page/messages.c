#include "report/page/messages.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/strbuf.h"

static void say(const char *kind, const char *fmt, va_list ap)
{
    struct strbuf b = {0};
    sb_vprintf(&b, fmt, ap);
    fprintf(stderr, "visar: %s%s\n", kind, sb_str(&b));
    sb_free(&b);
}

#define SAY(kind)                                                                                  \
    va_list ap;                                                                                    \
    va_start(ap, fmt);                                                                             \
    say(kind, fmt, ap);                                                                            \
    va_end(ap)

void message_error(const char *fmt, ...)
{
    SAY("");
}

void message_warning(const char *fmt, ...)
{
    SAY("warning: ");
}

void message_note(const char *fmt, ...)
{
    SAY("note: ");
}

void message_internal_error(const char *fmt, ...)
{
    SAY("internal error: ");
    fputs("This is a bug in visar; no verdict is given.\n", stderr);
}
