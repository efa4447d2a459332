#include "database/scratch.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>
#include <time.h>

#include "base/text.h"

enum { NAME_BYTES = 63 }; /* NAMEDATALEN - 1 */

const char *scratch_name(const char *name, uint32_t number, struct arena *a)
{
    struct strbuf b = {0};
    size_t n = strlen(name);
    char tail[16] = "";
    if (n > NAME_BYTES || n == 0) {
        snprintf(tail, sizeof tail, "~%" PRIu32, number);
        if (n)
            n = text_cut(name, NAME_BYTES - strlen(tail));
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

const char *scratch_open(struct db *d, const char *url, bool patient, struct arena *messages)
{
    static const char *const settings[] = {"SET statement_timeout = 0", "SET lock_timeout = 0"};
    const char *error = db_open(d, url, patient, messages);
    if (!error && (error = db_set_up(d, settings, sizeof settings / sizeof *settings, messages)))
        db_close(d);
    return error;
}

const char *scratch_create(struct scratch *s, struct db *d, const char *url, struct arena *messages)
{
    char create[80], comment[120];
    *s = (struct scratch){.db = d, .url = url};
    snprintf(s->name, sizeof s->name, "visar_%016" PRIx64, random_bits());
    snprintf(create, sizeof create, "CREATE SCHEMA \"%s\"", s->name);
    snprintf(comment, sizeof comment,
             "COMMENT ON SCHEMA \"%s\" IS 'scratch tables of visar: may be dropped'", s->name);
    enum db_answer a = db_run(d, create);
    s->exists = a != DB_ERROR; /* if the answer was lost, it may be there */
    if (a == DB_OK)
        a = db_run(d, comment);
    if (a == DB_OK)
        return NULL;
    const char *error = arena_printf(messages, "cannot create a schema: %s", d->message);
    const char *left = scratch_drop(s, messages);
    return left ? arena_printf(messages, "%s; %s", error, left) : error;
}

const char *scratch_drop(struct scratch *s, struct arena *messages)
{
    char sql[80];
    struct db again = {0};
    if (!s->exists)
        return NULL;
    snprintf(sql, sizeof sql, "DROP SCHEMA IF EXISTS \"%s\" CASCADE", s->name);
    db_finish(s->db, "ROLLBACK"); /* only a warning if there is nothing to roll back */
    if (db_finish(s->db, sql) == DB_OK) {
        s->exists = false;
        return NULL;
    }
    const char *error = scratch_open(&again, s->url, true, messages);
    if (!error && db_finish(&again, sql) != DB_OK)
        error = arena_strdup(messages, again.message);
    db_close(&again);
    s->exists = error != NULL;
    return error
               ? arena_printf(messages, "the schema \"%s\" may still be there: %s", s->name, error)
               : NULL;
}
