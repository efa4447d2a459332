#include "database/driver.h"

#include <malloc.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>

#include "base/limit.h"
#include "base/stats.h"
#include "base/text.h"
#include "database/driver_postgresql.h"
#include "database/driver_version.h"

enum {
    CONNECT_SECONDS = 15,
    POLL_MILLISECONDS = 20,
    CLEANING_SECONDS = 60, /* for what is left to do on the server once a limit was hit, in all */
    CANCELLED_MILLISECONDS = 500, /* how long a cancelled statement may take to say so */
    FINISH_MILLISECONDS = 5000,   /* how long a COMMIT may take once a limit was hit */
    SET_UP_TRIES = 1000,          /* of a statement that a timeout hits */
    ANSWER_BYTES = 4 << 20,       /* of one answer, with the server's notices, … */
    CELL_BYTES = 64,              /* … and for each cell that it may have */
    HOARD_BYTES = 64 << 20,       /* more than all of them together */
    SQL_SHOWN = 60
};

static void hear_nothing(void *arg, const char *message)
{
    (void)arg;
    (void)message;
}

/* libpq's messages end in line feeds, and may be several lines: "ERROR: …", "DETAIL: …".  The first
 * one is kept, as text that a terminal can be shown. */
static void keep_message(struct db *d, const char *text)
{
    struct strbuf safe = {0};
    const char *colon = strstr(text, ":  "); /* "ERROR:  could not …" */
    if (colon && colon - text < 12)
        text = colon + 3;
    text_safe(text, strcspn(text, "\n"), &safe);
    size_t n = safe.len;
    if (n >= sizeof d->message)
        n = text_cut(safe.data, sizeof d->message - 1);
    memcpy(d->message, sb_str(&safe), n);
    d->message[n] = '\0';
    sb_free(&safe);
}

/* ---- connecting ----------------------------------------------------------------------------- */

/* Bytes that wait to be read; an answer is bounded by their sum. */
static uint64_t waiting(const struct db *d)
{
    int n = 0;
    return ioctl(PQsocket(d->conn), FIONREAD, &n) == 0 && n > 0 ? (uint64_t)n : 0;
}

/* libpq makes room for a whole message as soon as it knows the length, and then reads as long as
 * there is something to read.  What a server says of the length of its messages shows here. */
static uint64_t hoarded(void)
{
    return mallinfo2().hblkhd;
}

/* NULL, or what is wrong. */
static const char *connect_in_time(struct db *d, bool patient)
{
    PostgresPollingStatusType s = PGRES_POLLING_WRITING;
    double end = stats_wall_seconds() + CONNECT_SECONDS;
    uint64_t received = 0;
    while (s == PGRES_POLLING_WRITING || s == PGRES_POLLING_READING) {
        struct pollfd p = {.fd = PQsocket(d->conn),
                           .events = s == PGRES_POLLING_READING ? POLLIN : POLLOUT};
        if (limit_reached() && !patient)
            return "interrupted";
        if (limit_reached() && end > stats_wall_seconds() + FINISH_MILLISECONDS / 1e3)
            end = stats_wall_seconds() + FINISH_MILLISECONDS / 1e3;
        if (stats_wall_seconds() > end)
            return "the server does not answer";
        if (poll(&p, 1, POLL_MILLISECONDS) <= 0)
            continue;
        received += waiting(d);
        if (received > ANSWER_BYTES)
            return "the server sends too much before the first question";
        s = PQconnectPoll(d->conn);
    }
    return s == PGRES_POLLING_OK ? NULL : PQerrorMessage(d->conn);
}

const char *db_open(struct db *d, const char *url, bool patient, struct arena *messages)
{
    static const char *const names[] = {"dbname", "fallback_application_name", "client_encoding",
                                        NULL};
    const char *values[] = {url, "visar", "UTF8", NULL};
    limit_phase("talking to the server");
    limit_allow(CLEANING_SECONDS);
    *d = (struct db){.conn = PQconnectStartParams(names, values, 1)};
    const char *error = !d->conn                              ? "out of memory"
                        : PQstatus(d->conn) == CONNECTION_BAD ? PQerrorMessage(d->conn)
                                                              : connect_in_time(d, patient);
    if (!error) {
        PQsetNoticeProcessor(d->conn, hear_nothing, NULL);
        return NULL;
    }
    keep_message(d, error);
    db_close(d);
    return arena_strdup(messages, d->message);
}

void db_close(struct db *d)
{
    PQfinish(d->conn);
    d->conn = NULL;
}

/* ---- waiting -------------------------------------------------------------------------------- */

/* A question that was sent, and what came back so far. */
struct asked {
    const char *sql;
    bool patient;
    const struct db_shape *shape;
    struct db_rows rows;
    uint64_t received, most, hoarded; /* bytes */
    bool stopped;                     /* a limit was hit */
    unsigned answers;
};

static void cancel(struct db *d)
{
    char why[64];
    PGcancel *c = PQgetCancel(d->conn);
    if (c)
        PQcancel(c, why, sizeof why);
    PQfreeCancel(c);
}

/* Until the next result can be had without blocking.  DB_OK, or DB_LOST (also if the server had its
 * time after a limit was hit), or DB_STRANGE if there is no end of what it sends. */
static enum db_answer await(struct db *d, struct asked *q)
{
    double give_up = 0;
    while (PQisBusy(d->conn)) {
        struct pollfd p = {.fd = PQsocket(d->conn), .events = POLLIN};
        if (p.fd < 0)
            return DB_LOST;
        if (PQflush(d->conn) == 1)
            p.events |= POLLOUT;
        poll(&p, 1, POLL_MILLISECONDS);
        if (p.revents) {
            q->received += waiting(d);
            if (q->received > q->most || hoarded() > q->hoarded + q->most + HOARD_BYTES)
                return DB_STRANGE;
            if (!PQconsumeInput(d->conn))
                return DB_LOST;
        }
        if (limit_reached() && give_up == 0) {
            q->stopped = true;
            if (!q->patient)
                cancel(d);
            give_up = stats_wall_seconds() +
                      (q->patient ? FINISH_MILLISECONDS : CANCELLED_MILLISECONDS) / 1e3;
        }
        if (give_up > 0 && stats_wall_seconds() > give_up)
            return DB_LOST;
    }
    return DB_OK;
}

/* ---- answers -------------------------------------------------------------------------------- */

enum db_answer db_strange(struct db *d, const char *sql, const char *why)
{
    char text[sizeof d->message];
    size_t n = strlen(sql);
    bool whole = n <= SQL_SHOWN;
    snprintf(text, sizeof text, "the server's answer to '%.*s%s' is not one of PostgreSQL: %s",
             (int)(whole ? n : text_cut(sql, SQL_SHOWN)), sql, whole ? "" : "…", why);
    keep_message(d, text);
    d->sqlstate[0] = '\0';
    db_close(d);
    return DB_STRANGE;
}

static bool is_sqlstate(const char *s)
{
    return s && strlen(s) == 5 && strspn(s, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ") == 5;
}

static enum db_answer keep_error(struct db *d, const struct asked *q, const PGresult *r)
{
    const char *state = PQresultErrorField(r, PG_DIAG_SQLSTATE);
    const char *text = PQresultErrorField(r, PG_DIAG_MESSAGE_PRIMARY);
    if (is_sqlstate(state)) {
        memcpy(d->sqlstate, state, sizeof d->sqlstate);
        keep_message(d, text ? text : PQresultErrorMessage(r));
        return DB_ERROR;
    }
    /* libpq's own words for what it cannot make sense of; or the connection ended. */
    char why[DB_WHY];
    keep_message(d, PQresultErrorMessage(r));
    if (PQstatus(d->conn) != CONNECTION_OK)
        return DB_LOST;
    snprintf(why, sizeof why, "%.*s", (int)text_cut(d->message, strnlen(d->message, DB_WHY - 1)),
             d->message);
    return db_strange(d, q->sql, why);
}

/* A command calls itself by the first word of its statement, and one that begins with WITH is a
 * SELECT here; COMMIT may turn out to be a ROLLBACK, and who returns rows says how many. */
static const char *wrong_tag(const struct asked *q, PGresult *r)
{
    const char *tag = PQcmdStatus(r);
    const char *sql = strncmp(q->sql, "WITH ", 5) ? q->sql : "SELECT";
    size_t n = strcspn(sql, " ");
    bool same = !strncmp(tag, sql, n) && (!tag[n] || tag[n] == ' ');
    if (!same && !(!strncmp(q->sql, "COMMIT", n) && !strcmp(tag, "ROLLBACK")))
        return "another command's name";
    if (q->shape) {
        char count[24];
        snprintf(count, sizeof count, "%llu", (unsigned long long)q->rows.count);
        if (strcmp(PQcmdTuples(r), count) != 0)
            return "another number of rows than it says";
    }
    return NULL;
}

/* Transactions begin and end where they should. */
static const char *wrong_state(const struct db *d, const char *sql)
{
    PGTransactionStatusType s = PQtransactionStatus(d->conn);
    if (!strncmp(sql, "BEGIN", 5))
        return s == PQTRANS_INTRANS ? NULL : "no transaction is open after it";
    if (!strncmp(sql, "COMMIT", 6) || !strncmp(sql, "ROLLBACK", 8))
        return s == PQTRANS_IDLE ? NULL : "a transaction is open after it";
    return NULL;
}

static enum db_answer take_result(struct db *d, struct asked *q, PGresult *r)
{
    char why[DB_WHY];
    const char *wrong;
    switch (PQresultStatus(r)) {
    case PGRES_SINGLE_TUPLE:
        return db_rows_take(&q->rows, q->shape, r, why) ? DB_OK : db_strange(d, q->sql, why);
    case PGRES_COMMAND_OK:
    case PGRES_TUPLES_OK:
        if (q->answers++)
            return db_strange(d, q->sql, "more than one answer");
        if (!db_rows_take(&q->rows, q->shape, r, why) || !db_rows_done(&q->rows, q->shape, why))
            return db_strange(d, q->sql, why);
        if ((wrong = wrong_tag(q, r)))
            return db_strange(d, q->sql, wrong);
        snprintf(d->tag, sizeof d->tag, "%.31s", PQcmdStatus(r));
        return DB_OK;
    case PGRES_FATAL_ERROR:
    case PGRES_NONFATAL_ERROR:
        return keep_error(d, q, r);
    default: /* COPY, an empty query, …: libpq would give some of them for ever */
        return db_strange(d, q->sql, "something else than rows");
    }
}

static void forget_notifications(struct db *d)
{
    for (PGnotify *n; (n = PQnotifies(d->conn));)
        PQfreemem(n);
}

/* All results of what was sent. */
static enum db_answer collect(struct db *d, struct asked *q)
{
    enum db_answer answer = DB_OK;
    for (;;) {
        enum db_answer a = await(d, q);
        forget_notifications(d);
        if (a == DB_STRANGE)
            return db_strange(d, q->sql, "there is no end of it");
        if (a != DB_OK) {
            keep_message(d, PQerrorMessage(d->conn));
            return q->stopped ? DB_STOPPED : DB_LOST;
        }
        PGresult *r = PQgetResult(d->conn);
        if (!r)
            break;
        a = take_result(d, q, r);
        PQclear(r);
        if (a == DB_STRANGE)
            return a;
        answer = a == DB_OK ? answer : a;
    }
    if (PQstatus(d->conn) != CONNECTION_OK)
        return DB_LOST;
    if (q->stopped && !q->patient && answer == DB_ERROR)
        return DB_STOPPED;
    const char *wrong = answer == DB_OK && !q->answers ? "nothing" : NULL;
    if (answer == DB_OK && !wrong)
        wrong = wrong_state(d, q->sql);
    return wrong ? db_strange(d, q->sql, wrong) : answer;
}

/* False: the connection is gone. */
static bool started(struct db *d, int sent)
{
    d->sqlstate[0] = d->tag[0] = d->message[0] = '\0';
    if (sent && PQsetSingleRowMode(d->conn))
        return true;
    keep_message(d, PQerrorMessage(d->conn));
    return false;
}

static enum db_answer take(struct db *d, struct asked *q, struct db_rows *rows)
{
    q->most = ANSWER_BYTES + (q->shape ? q->shape->most * (q->shape->n + 1) * CELL_BYTES : 0);
    q->hoarded = hoarded();
    enum db_answer answer = collect(d, q);
    if (answer == DB_OK && rows)
        *rows = q->rows;
    else
        db_rows_free(&q->rows);
    return answer;
}

static enum db_answer ask(struct db *d, int sent, struct asked *q, struct db_rows *rows)
{
    return started(d, sent) ? take(d, q, rows) : DB_LOST;
}

void db_start(struct db *d, const char *sql, int n, const char *const *params)
{
    d->started =
        d->conn && started(d, PQsendQueryParams(d->conn, sql, n, NULL, params, NULL, NULL, 0));
}

bool db_answers(const struct db *d, int milliseconds)
{
    struct pollfd p = {.fd = d->started ? PQsocket(d->conn) : -1, .events = POLLIN};
    return p.fd < 0 || poll(&p, 1, milliseconds) > 0;
}

enum db_answer db_take(struct db *d, const char *sql, const struct db_shape *shape,
                       struct db_rows *rows)
{
    struct asked q = {.sql = sql, .shape = shape};
    *rows = (struct db_rows){0};
    if (!d->started)
        return DB_LOST;
    d->started = false;
    return take(d, &q, rows);
}

enum db_answer db_query(struct db *d, const char *sql, int n, const char *const *params,
                        const struct db_shape *shape, struct db_rows *rows)
{
    struct asked q = {.sql = sql, .shape = shape};
    if (rows)
        *rows = (struct db_rows){0};
    if (!d->conn)
        return DB_LOST;
    return ask(d, PQsendQueryParams(d->conn, sql, n, NULL, params, NULL, NULL, 0), &q, rows);
}

enum db_answer db_run(struct db *d, const char *sql)
{
    struct asked q = {.sql = sql};
    return d->conn ? ask(d, PQsendQuery(d->conn, sql), &q, NULL) : DB_LOST;
}

enum db_answer db_finish(struct db *d, const char *sql)
{
    return db_finish_query(d, sql, NULL, NULL);
}

enum db_answer db_finish_query(struct db *d, const char *sql, const struct db_shape *shape,
                               struct db_rows *rows)
{
    struct asked q = {.sql = sql, .patient = true, .shape = shape};
    if (rows)
        *rows = (struct db_rows){0};
    return d->conn ? ask(d, PQsendQuery(d->conn, sql), &q, rows) : DB_LOST;
}

const char *db_set_up(struct db *d, const char *const *statements, size_t n, struct arena *messages)
{
    for (size_t i = 0; i < n; i++) {
        enum db_answer a = DB_ERROR;
        for (int k = 0; k < SET_UP_TRIES; k++) {
            a = db_finish(d, statements[i]);
            if (a != DB_ERROR || strcmp(d->sqlstate, "57014") != 0)
                break;
        }
        if (a != DB_OK)
            return arena_strdup(messages, d->message);
    }
    return NULL;
}

/* ---- what the server said ------------------------------------------------------------------- */

const char *db_version(const struct db *d, struct arena *a)
{
    const char *v = d->conn ? PQparameterStatus(d->conn, "server_version") : NULL;
    size_t n = v ? strspn(v, "0123456789.abcdefghijklmnopqrstuvwxyz") : 0;
    return n && n < 32 ? arena_strndup(a, v, n) : "of unknown version";
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
