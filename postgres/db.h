/* A connection to PostgreSQL.  The only door to libpq besides scratch.h; nothing outside this
 * folder includes it.
 *
 * No call here waits for ever: while the server is silent the limits of base/limit.h are polled,
 * and a statement that is still running when one is hit gets cancelled.  Values are parameters,
 * always; names come quoted from scratch.h. */
#ifndef POSTGRES_DB_H
#define POSTGRES_DB_H

#include <libpq-fe.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"

enum db_answer {
    DB_OK,
    DB_ERROR,  /* the server refused: sqlstate, message */
    DB_LOST,   /* the connection is gone: what was under way may or may not have happened */
    DB_STOPPED /* a limit was hit, and the statement was cancelled */
};

struct db {
    PGconn *conn; /* NULL: closed */
    char sqlstate[6];
    char message[256]; /* one line */
};

/* NULL, or what is wrong (owned by the arena). */
const char *db_open(struct db *d, const char *url, struct arena *messages);
void db_close(struct db *d); /* closing twice is fine */

/* One statement with n text parameters.  *rows (if asked for) is the answer of DB_OK, to be freed
 * with PQclear. */
enum db_answer db_query(struct db *d, const char *sql, int n, const char *const *params,
                        PGresult **rows);
/* Without parameters; may be several statements. */
enum db_answer db_run(struct db *d, const char *sql);
/* The same, never cancelled when a limit is hit, only waited for a little: for COMMIT, whose answer
 * is worth more than haste, and for cleaning up. */
enum db_answer db_finish(struct db *d, const char *sql, PGresult **rows);

/* "15.20": the server's own words, without the packager's. */
const char *db_version(const struct db *d, struct arena *a);

/* Did the server abort the transaction because of other transactions (serialization failure,
 * deadlock, a lock that was not to be had)? */
bool db_conflict(const struct db *d);

#endif
