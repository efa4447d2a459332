#include "postgres/scratch.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>
#include <time.h>

enum { NAME_BYTES = 63 }; /* NAMEDATALEN - 1 */

/* What a role or a server asks of statements is not for setting up and cleaning up. */
#define NO_TIMEOUTS "SET statement_timeout = 0; SET lock_timeout = 0; "

/* Where to cut so that no UTF-8 character is cut in two. */
static size_t cut(const char *s, size_t n)
{
    while (n > 0 && ((unsigned char)s[n] & 0xc0) == 0x80)
        n--;
    return n;
}

const char *scratch_name(const char *name, uint32_t number, struct arena *a)
{
    struct strbuf b = {0};
    size_t n = strlen(name);
    char tail[16] = "";
    if (n > NAME_BYTES || n == 0) {
        snprintf(tail, sizeof tail, "~%" PRIu32, number);
        if (n)
            n = cut(name, NAME_BYTES - strlen(tail));
    }
    sb_putc(&b, '"');
    for (size_t i = 0; i < n; i++) {
        if (name[i] == '"')
            sb_putc(&b, '"');
        sb_putc(&b, name[i]);
    }
    sb_puts(&b, tail);
    sb_putc(&b, '"');
    const char *quoted = arena_strdup(a, sb_str(&b));
    sb_free(&b);
    return quoted;
}

const char *scratch_table(const struct scratch *s, const char *table, uint32_t number,
                          struct arena *a)
{
    return arena_printf(a, "\"%s\".%s", s->name, scratch_name(table, number, a));
}

static uint64_t random_bits(void)
{
    uint64_t x = 0;
    if (getrandom(&x, sizeof x, 0) != sizeof x)
        x = (uint64_t)time(NULL) << 22 ^ (uint64_t)getpid(); /* a taken name is refused */
    return x;
}

const char *scratch_create(struct scratch *s, struct db *d, const char *url, struct arena *messages)
{
    char sql[200];
    *s = (struct scratch){.db = d, .url = url};
    snprintf(s->name, sizeof s->name, "visar_%016" PRIx64, random_bits());
    snprintf(sql, sizeof sql,
             NO_TIMEOUTS "CREATE SCHEMA \"%s\"; COMMENT ON SCHEMA \"%s\" IS "
                         "'scratch tables of visar: may be dropped'",
             s->name, s->name);
    enum db_answer a = db_run(d, sql);
    s->exists = a == DB_OK;
    if (s->exists)
        return NULL;
    const char *error = arena_printf(messages, "cannot create a schema: %s", d->message);
    s->exists = a != DB_ERROR; /* the answer was lost: it may be there */
    const char *left = scratch_drop(s, messages);
    return left ? arena_printf(messages, "%s; %s", error, left) : error;
}

const char *scratch_drop(struct scratch *s, struct arena *messages)
{
    char sql[120];
    struct db again = {0};
    if (!s->exists)
        return NULL;
    snprintf(sql, sizeof sql, NO_TIMEOUTS "DROP SCHEMA IF EXISTS \"%s\" CASCADE", s->name);
    db_finish(s->db, "ROLLBACK", NULL); /* only a warning if there is nothing to roll back */
    if (db_finish(s->db, sql, NULL) == DB_OK) {
        s->exists = false;
        return NULL;
    }
    const char *error = db_open(&again, s->url, messages);
    if (!error && db_finish(&again, sql, NULL) != DB_OK)
        error = arena_strdup(messages, again.message);
    db_close(&again);
    s->exists = error != NULL;
    return error
               ? arena_printf(messages, "the schema \"%s\" may still be there: %s", s->name, error)
               : NULL;
}
