/* Messages on standard error: one line each that begins with "visar: ", whatever is in it.  Those
 * with a place in a file are diagnostics (base/diag.h). */
#ifndef REPORT_PAGE_MESSAGES_H
#define REPORT_PAGE_MESSAGES_H

#define MESSAGE_FORMAT __attribute__((format(printf, 1, 2)))

/* "visar: MESSAGE" */
void message_error(const char *fmt, ...) MESSAGE_FORMAT;
/* "visar: warning: MESSAGE", "visar: note: MESSAGE" */
void message_warning(const char *fmt, ...) MESSAGE_FORMAT;
void message_note(const char *fmt, ...) MESSAGE_FORMAT;
/* "visar: internal error: MESSAGE", and that this is a bug of ours. */
void message_internal_error(const char *fmt, ...) MESSAGE_FORMAT;

#endif
