#include "report/page/messages.h"

#include <stdarg.h>
#include <stdio.h>

/* Without memory of our own: there may be none left. */
static void say(const char *kind, const char *fmt, va_list ap)
{
    fprintf(stderr, "visar: %s", kind);
    vfprintf(stderr, fmt, ap);
    fputc('\n', stderr);
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
