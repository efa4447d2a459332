/* A schema of its own.  Everything that visar creates in a database is inside this schema, whose
 * name nobody else uses, and is removed with it: existing tables are never touched.
 *
 * All names that reach SQL are made here, quoted.  PostgreSQL would cut names after 63 bytes and
 * could take two of them for one, so the end of a long name is replaced by a number. */
#ifndef DATABASE_SCRATCH_H
#define DATABASE_SCRATCH_H

#include "base/strbuf.h"
#include "database/driver.h"

struct scratch {
    struct db *db;
    const char *url;
    char name[32]; /* "visar_1f3a…": needs no quotes, gets them all the same */
    bool exists;
};

/* A connection for setting up and cleaning up, without the time limits that a role or a server sets
 * for statements.  `patient` as in driver.h.  NULL, or what is wrong (owned by the arena). */
const char *scratch_open(struct db *d, const char *url, bool patient, struct arena *messages);
/* Create the schema on such a connection.  NULL, or what went wrong (owned by the arena). */
const char *scratch_create(struct scratch *s, struct db *d, const char *url,
                           struct arena *messages);
/* Remove it, on a new connection if the old one is gone.  NULL, or why it is still there. */
const char *scratch_drop(struct scratch *s, struct arena *messages);

/* "visar_1f3a"."account" */
const char *scratch_table(const struct scratch *s, const char *table, uint32_t number,
                          struct arena *a);
/* A quoted name.  `number` is what tells it apart from others with the same 63 bytes. */
const char *scratch_name(const char *name, uint32_t number, struct arena *a);

#endif
