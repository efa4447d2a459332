/* PostgreSQL, through libpq.
 *
 * Who waits is asked of pg_locks, which shows all locks at one moment.  A lock is granted by the
 * transaction that releases it, before its client hears that it has ended.  So if every statement
 * that has not been answered is found waiting at one moment, none of them moves before somebody
 * does something.  Deadlocks stay as they are: the explorer ends them. */
#include "tests/conformance/server.h"
#include "tests/conformance/sql.h"
#include "tests/conformance/statements.h"

#include <libpq-fe.h>
#include <stdlib.h>
#include <string.h>

struct connection {
    PGconn *pg;
    int pid;
    bool begins;
    enum cf_level level;
    struct server_answer answer; /* so far */
    char gate[40];
};

struct server {
    PGconn *monitor;
    struct connection connection[CF_TRANSACTIONS];
    char version[120];
};

static void fail(const char *what, PGconn *pg)
{
    fprintf(stderr, "visar-conformance: %s: %s", what, PQerrorMessage(pg));
    exit(2);
}

static PGresult *ask(PGconn *pg, const char *sql)
{
    PGresult *r = PQexec(pg, sql);
    ExecStatusType status = PQresultStatus(r);
    if (status != PGRES_TUPLES_OK && status != PGRES_COMMAND_OK)
        fail(sql, pg);
    return r;
}

static void tell(PGconn *pg, const char *sql)
{
    PQclear(ask(pg, sql));
}

static PGconn *connect_to(const char *url)
{
    PGconn *pg = PQconnectdb(url);
    if (PQstatus(pg) != CONNECTION_OK)
        fail("cannot connect", pg);
    tell(pg, "SET client_min_messages = error");
    tell(pg, "SET synchronous_commit = off");
    /* Only superusers may; for others the server ends deadlocks itself after a second. */
    PQclear(PQexec(pg, "SET deadlock_timeout = '1h'"));
    return pg;
}

static struct server *pg_open(const char *url)
{
    struct server *s = calloc(1, sizeof(*s));
    if (!s)
        abort();
    s->monitor = connect_to(url);
    snprintf(s->version, sizeof(s->version), "PostgreSQL %s",
             PQparameterStatus(s->monitor, "server_version"));
    tell(s->monitor, "DROP TABLE IF EXISTS t");
    tell(s->monitor, "CREATE UNLOGGED TABLE " CF_SQL_TABLE " WITH (autovacuum_enabled = false)");
    tell(s->monitor,
         "CREATE OR REPLACE FUNCTION gate(i int) RETURNS bool LANGUAGE plpgsql VOLATILE AS "
         "$$BEGIN PERFORM pg_advisory_lock_shared(i); "
         "PERFORM pg_advisory_unlock_shared(i); RETURN true; END$$");
    for (unsigned i = 0; i < CF_TRANSACTIONS; i++) {
        struct connection *c = &s->connection[i];
        c->pg = connect_to(url);
        c->pid = PQbackendPID(c->pg);
        snprintf(c->gate, sizeof(c->gate), "(SELECT gate(%u))", i);
    }
    return s;
}

static void pg_close(struct server *s)
{
    for (unsigned i = 0; i < CF_TRANSACTIONS; i++)
        PQfinish(s->connection[i].pg);
    tell(s->monitor, "DROP TABLE t");
    PQfinish(s->monitor);
    free(s);
}

static const char *pg_version(const struct server *s)
{
    return s->version;
}

/* TRUNCATE gives a new file, but costs more than everything else in a run.  In sixteen runs no page
 * fills up, so that a scan meets the rows in the order in which they are inserted. */
static void pg_reset(struct server *s, const struct cf_program *p, size_t run)
{
    char rows[CF_SQL], sql[CF_SQL + 20];
    cf_sql_rows(p, rows);
    snprintf(sql, sizeof(sql), "%s t; %s", run % 16 ? "DELETE FROM" : "TRUNCATE", rows);
    tell(s->monitor, sql);
}

static void read_rows(PGresult *r, struct cf_result *out)
{
    *out = (struct cf_result){0};
    for (int i = 0; i < PQntuples(r); i++)
        cf_result_add(out, (struct cf_row){(int)strtol(PQgetvalue(r, i, 0), NULL, 10),
                                           (int)strtol(PQgetvalue(r, i, 1), NULL, 10)});
}

static void pg_rows(struct server *s, struct cf_result *out)
{
    PGresult *r = ask(s->monitor, "SELECT k, v FROM t");
    read_rows(r, out);
    PQclear(r);
}

static void pg_begin(struct server *s, unsigned connection, enum cf_level level)
{
    s->connection[connection].begins = true;
    s->connection[connection].level = level;
}

static void pg_send(struct server *s, unsigned connection, const char *sql)
{
    static const char *const begin[] = {"BEGIN ISOLATION LEVEL READ COMMITTED; ",
                                        "BEGIN ISOLATION LEVEL REPEATABLE READ; ",
                                        "BEGIN ISOLATION LEVEL SERIALIZABLE; "};
    struct connection *c = &s->connection[connection];
    char text[CF_SQL + 60];
    snprintf(text, sizeof(text), "%s%s", c->begins ? begin[c->level] : "", sql);
    c->begins = false;
    c->answer = (struct server_answer){0};
    if (!PQsendQuery(c->pg, text))
        fail(text, c->pg);
}

static int pg_descriptor(const struct server *s, unsigned connection)
{
    return PQsocket(s->connection[connection].pg);
}

static void read_answer(struct connection *c, PGresult *r)
{
    switch (PQresultStatus(r)) {
    case PGRES_TUPLES_OK:
        read_rows(r, &c->answer.result);
        break;
    case PGRES_COMMAND_OK:
        break;
    default:
        if (PQstatus(c->pg) != CONNECTION_OK)
            fail("the connection is lost", c->pg);
        c->answer.failed = true;
        snprintf(c->answer.error, sizeof(c->answer.error), "%s",
                 PQresultErrorField(r, PG_DIAG_SQLSTATE));
    }
}

static bool pg_receive(struct server *s, unsigned connection, struct server_answer *answer)
{
    struct connection *c = &s->connection[connection];
    if (!PQconsumeInput(c->pg))
        fail("the connection is lost", c->pg);
    while (!PQisBusy(c->pg)) {
        PGresult *r = PQgetResult(c->pg);
        if (!r) {
            *answer = c->answer;
            return true;
        }
        read_answer(c, r);
        PQclear(r);
    }
    return false;
}

static unsigned pg_waiting(struct server *s)
{
    PGresult *r = ask(s->monitor, "SELECT pid FROM pg_locks WHERE NOT granted");
    unsigned set = 0;
    for (int i = 0; i < PQntuples(r); i++)
        for (unsigned c = 0; c < CF_TRANSACTIONS; c++)
            if (strtol(PQgetvalue(r, i, 0), NULL, 10) == s->connection[c].pid)
                set |= 1u << c;
    PQclear(r);
    return set;
}

static void pg_cancel(struct server *s, unsigned connection)
{
    char sql[60];
    snprintf(sql, sizeof(sql), "SELECT pg_cancel_backend(%d)", s->connection[connection].pid);
    tell(s->monitor, sql);
}

static void pg_rollback(struct server *s, unsigned connection)
{
    tell(s->connection[connection].pg, "ROLLBACK");
    s->connection[connection].begins = false;
}

static void tell_gate(struct server *s, const char *function, unsigned connection)
{
    char sql[60];
    snprintf(sql, sizeof(sql), "SELECT %s(%u)", function, connection);
    tell(s->monitor, sql);
}

static void pg_shut_gate(struct server *s, unsigned connection)
{
    tell_gate(s, "pg_advisory_lock", connection);
}

static void pg_open_gate(struct server *s, unsigned connection)
{
    tell_gate(s, "pg_advisory_unlock", connection);
}

static const char *pg_gate(const struct server *s, unsigned connection)
{
    return s->connection[connection].gate;
}

const struct server_driver server_pg = {
    .scheme = "postgresql",
    .open = pg_open,
    .close = pg_close,
    .version = pg_version,
    .reset = pg_reset,
    .rows = pg_rows,
    .begin = pg_begin,
    .send = pg_send,
    .descriptor = pg_descriptor,
    .receive = pg_receive,
    .waiting = pg_waiting,
    .cancel = pg_cancel,
    .rollback = pg_rollback,
    .shut_gate = pg_shut_gate,
    .open_gate = pg_open_gate,
    .gate = pg_gate,
};
