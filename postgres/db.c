#include "postgres/db.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>

#include "base/limit.h"
#include "base/stats.h"
#include "postgres/versions.h"

enum {
    POLL_MILLISECONDS = 20,
    CANCELLED_MILLISECONDS = 500, /* how long a cancelled statement may take to say so */
    FINISH_MILLISECONDS = 5000    /* how long a COMMIT may take once a limit was hit */
};

static void hear_nothing(void *arg, const char *message)
{
    (void)arg;
    (void)message;
}

/* libpq's messages end in line feeds, and may be several lines: "ERROR: …", "DETAIL: …". */
static void keep_message(struct db *d, const char *text)
{
    const char *colon = strstr(text, ":  "); /* "ERROR:  could not …" */
    if (colon && colon - text < 12)
        text = colon + 3;
    size_t n = strcspn(text, "\n");
    if (n >= sizeof d->message)
        n = sizeof d->message - 1;
    memcpy(d->message, text, n);
    d->message[n] = '\0';
}

const char *db_open(struct db *d, const char *url, struct arena *messages)
{
    static const char *const names[] = {"dbname", "fallback_application_name", "client_encoding",
                                        "connect_timeout", NULL};
    const char *values[] = {url, "visar", "UTF8", "10", NULL};
    *d = (struct db){.conn = PQconnectdbParams(names, values, 1)};
    if (PQstatus(d->conn) == CONNECTION_OK) {
        PQsetNoticeProcessor(d->conn, hear_nothing, NULL);
        return NULL;
    }
    keep_message(d, d->conn ? PQerrorMessage(d->conn) : "out of memory");
    db_close(d);
    return arena_strdup(messages, d->message);
}

void db_close(struct db *d)
{
    PQfinish(d->conn);
    d->conn = NULL;
}

/* ---- waiting -------------------------------------------------------------------------------- */

static void cancel(struct db *d)
{
    char why[64];
    PGcancel *c = PQgetCancel(d->conn);
    if (c)
        PQcancel(c, why, sizeof why);
    PQfreeCancel(c);
}

/* Until the next result can be had without blocking.  False: the connection is gone, or the server
 * had its time after a limit was hit. */
static bool await(struct db *d, bool patient, bool *stopped)
{
    double give_up = 0;
    while (PQisBusy(d->conn)) {
        struct pollfd p = {.fd = PQsocket(d->conn), .events = POLLIN};
        if (p.fd < 0)
            return false;
        if (PQflush(d->conn) == 1)
            p.events |= POLLOUT;
        poll(&p, 1, POLL_MILLISECONDS);
        if (p.revents && !PQconsumeInput(d->conn))
            return false;
        if (limit_reached() && give_up == 0) {
            *stopped = true;
            if (!patient)
                cancel(d);
            give_up = stats_wall_seconds() +
                      (patient ? FINISH_MILLISECONDS : CANCELLED_MILLISECONDS) / 1e3;
        }
        if (give_up > 0 && stats_wall_seconds() > give_up)
            return false;
    }
    return true;
}

static void keep_error(struct db *d, const PGresult *r)
{
    const char *state = PQresultErrorField(r, PG_DIAG_SQLSTATE);
    const char *text = PQresultErrorField(r, PG_DIAG_MESSAGE_PRIMARY);
    snprintf(d->sqlstate, sizeof d->sqlstate, "%s", state ? state : "");
    keep_message(d, text ? text : PQresultErrorMessage(r));
}

/* All results of what was sent; the last good one is the answer. */
static enum db_answer collect(struct db *d, bool patient, PGresult **rows)
{
    enum db_answer answer = DB_OK;
    bool stopped = false;
    for (;;) {
        if (!await(d, patient, &stopped)) {
            keep_message(d, PQerrorMessage(d->conn));
            return stopped ? DB_STOPPED : DB_LOST;
        }
        PGresult *r = PQgetResult(d->conn);
        if (!r)
            break;
        ExecStatusType s = PQresultStatus(r);
        if (s != PGRES_COMMAND_OK && s != PGRES_TUPLES_OK) {
            keep_error(d, r);
            answer = DB_ERROR;
        } else if (rows) {
            PQclear(*rows);
            *rows = r;
            continue;
        }
        PQclear(r);
    }
    if (PQstatus(d->conn) != CONNECTION_OK)
        return DB_LOST;
    return stopped && !patient && answer == DB_ERROR ? DB_STOPPED : answer;
}

static enum db_answer ask(struct db *d, int sent, bool patient, PGresult **rows)
{
    PGresult *mine = NULL;
    d->sqlstate[0] = d->message[0] = '\0';
    if (!sent) {
        keep_message(d, PQerrorMessage(d->conn));
        return DB_LOST;
    }
    enum db_answer answer = collect(d, patient, &mine);
    if (answer == DB_OK && rows)
        *rows = mine;
    else
        PQclear(mine);
    return answer;
}

enum db_answer db_query(struct db *d, const char *sql, int n, const char *const *params,
                        PGresult **rows)
{
    if (!d->conn)
        return DB_LOST;
    return ask(d, PQsendQueryParams(d->conn, sql, n, NULL, params, NULL, NULL, 0), false, rows);
}

enum db_answer db_run(struct db *d, const char *sql)
{
    return d->conn ? ask(d, PQsendQuery(d->conn, sql), false, NULL) : DB_LOST;
}

enum db_answer db_finish(struct db *d, const char *sql, PGresult **rows)
{
    return d->conn ? ask(d, PQsendQuery(d->conn, sql), true, rows) : DB_LOST;
}

/* ---- what the server said ------------------------------------------------------------------- */

const char *db_version(const struct db *d, struct arena *a)
{
    const char *v = d->conn ? PQparameterStatus(d->conn, "server_version") : NULL;
    return v ? arena_strndup(a, v, strcspn(v, " ")) : "of unknown version";
}

/* libpq counts 150004 for 15.4. */
const char *pg_library_version(struct arena *a)
{
    int v = PQlibVersion();
    return arena_printf(a, "%d.%d", v / 10000, v % 10000);
}

bool db_conflict(const struct db *d)
{
    return !strncmp(d->sqlstate, "40", 2) || !strcmp(d->sqlstate, "55P03") ||
           !strcmp(d->sqlstate, "57014");
}
