/* A connection to PostgreSQL.  The only door to libpq (driver_postgresql.c and
 * driver_postgresql_rows.c); nothing outside this folder includes it.
 *
 * No call waits forever: while the server is silent the limits of base/limit.h are polled, and a
 * statement that is still running when one is hit gets cancelled.  Values are parameters, always;
 * names come quoted from scratch.h.
 *
 * Every answer of a server is checked: the number of rows and columns, that no value is missing,
 * that each is an integer or a truth value in its range, the command tag, and whether a transaction
 * is open.  So callers only see numbers.  Messages are one line of printable text. */
#ifndef DATABASE_DRIVER_H
#define DATABASE_DRIVER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/vec.h"

enum db_answer {
    DB_OK,
    DB_ERROR,   /* the server refused: sqlstate, message */
    DB_LOST,    /* the connection is gone: what was under way may or may not have happened */
    DB_STOPPED, /* a limit was hit, and the statement was cancelled */
    DB_STRANGE  /* this is not how PostgreSQL answers; the connection was closed */
};

struct pg_conn; /* libpq's PGconn */

struct db {
    struct pg_conn *conn; /* NULL: closed */
    bool started;         /* a statement is under way: db_start */
    char sqlstate[6];     /* five letters and digits, or "" */
    char tag[32];         /* what the last command called itself: "COMMIT", "UPDATE 1" */
    char message[256];    /* one line */
};

/* ---- what answers look like ---- */

__extension__ typedef __int128 db_int; /* wide enough for all 64-bit integers of either sign */

enum db_kind { DB_INTEGER, DB_BOOLEAN };

struct db_column {
    enum db_kind kind;
    db_int least, most;
};
#define DB_BIGINT ((struct db_column){DB_INTEGER, INT64_MIN, INT64_MAX})
#define DB_NATURAL ((struct db_column){DB_INTEGER, 0, INT64_MAX}) /* keys, tags, versions */
#define DB_TRUTH ((struct db_column){DB_BOOLEAN, 0, 1})

/* The expected answer: these columns, and from `least` to `most` rows. */
struct db_shape {
    const struct db_column *columns;
    size_t n;
    uint64_t least, most;
};

struct db_rows {
    uint64_t count;
    size_t columns;
    VEC(db_int) cells;
};
void db_rows_free(struct db_rows *r);
static inline db_int db_cell(const struct db_rows *r, uint64_t row, size_t column)
{
    return r->cells.data[row * r->columns + column];
}
/* The decimal digits, owned by the arena. */
const char *db_int_text(db_int v, struct arena *a);

/* ---- statements ---- */

/* NULL, or what is wrong (owned by the arena).  A limit that was hit ends the attempt; a patient
 * one still gets a moment, for cleaning up. */
const char *db_open(struct db *d, const char *url, bool patient, struct arena *messages);
void db_close(struct db *d); /* closing twice is fine */

/* One statement with n text parameters.  With a shape, *rows is what DB_OK answered, to be freed;
 * it is empty after everything else.  Without one the statement must return no rows. */
enum db_answer db_query(struct db *d, const char *sql, int n, const char *const *params,
                        const struct db_shape *shape, struct db_rows *rows);
/* One statement without parameters and rows. */
enum db_answer db_run(struct db *d, const char *sql);
/* The same, but when a limit is hit the statement is not cancelled, only waited for a little: for
 * COMMIT, whose answer matters more than time, and for cleaning up. */
enum db_answer db_finish(struct db *d, const char *sql);
enum db_answer db_finish_query(struct db *d, const char *sql, const struct db_shape *shape,
                               struct db_rows *rows);

/* A statement that may wait for others: db_start sends it, db_answers says whether an answer has
 * come (waiting so long for it at most), db_take takes it as db_query does. */
void db_start(struct db *d, const char *sql, int n, const char *const *params);
bool db_answers(const struct db *d, int milliseconds);
enum db_answer db_take(struct db *d, const char *sql, const struct db_shape *shape,
                       struct db_rows *rows);

/* A well-formed answer makes no sense to the caller: treated as DB_STRANGE. */
enum db_answer db_strange(struct db *d, const char *sql, const char *why);

/* Run statements that set up the session.  A statement_timeout of the role or the server must not
 * affect them: they lift it first, and because it can hit the very statement that lifts it (or, a
 * little late, the one after that), a cancelled statement is tried again.  NULL, or the error
 * message (owned by the arena). */
const char *db_set_up(struct db *d, const char *const *statements, size_t n,
                      struct arena *messages);

/* "15.20": the server's own words, without the packager's. */
const char *db_version(const struct db *d, struct arena *a);

/* Did the server abort the transaction because of other transactions (serialization failure,
 * deadlock, a lock that was not to be had), or because a statement took too long? */
bool db_conflict(const struct db *d);

#endif
