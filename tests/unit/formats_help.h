/* What the tests of history formats share. */
#ifndef TESTS_UNIT_FORMATS_HELP_H
#define TESTS_UNIT_FORMATS_HELP_H

#include "base/strbuf.h"
#include "history/format/formats.h"

struct parsed {
    struct arena messages;
    struct fmt_input in;
    struct fmt_result r;
    const char *error;
};

/* In visar's own format: the first line, a transaction, and one of everything. */
#define HEADER "{\"visar-history\":1}\n"
#define TXN(ops) HEADER "{\"session\":0,\"ops\":[" ops "]}"
extern const char jsonl_everything[];

/* Reads bytes as a format; in a folder format "%%" lines separate files. */
void parse_bytes(struct parsed *p, const char *format, const char *bytes, size_t size);
void parse(struct parsed *p, const char *format, const char *text);
void release(struct parsed *p);

char *dump(const struct history *h);
void expect_dump(const char *format, const char *text, const char *expected);
void expect_error(const char *format, const char *text, const char *expected);
char *write_text(const struct history *h, const struct format *f, size_t *size);

/* Numbers of eight bytes; an event; a small history, in dbcop's notation. */
void put_le(struct strbuf *b, int n, ...);
void put_event(struct strbuf *b, int write, int key, int value, int ok);
void small_dbcop(struct strbuf *b);

#endif
