#include "postgres/record.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/limit.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/stats.h"
#include "postgres/client.h"

enum { RECONNECT_SECONDS = 20, RECONNECT_NANOSECONDS = 100000000, LOCK_MILLISECONDS = 20 };

const char *const record_isolation_names[] = {"READ COMMITTED", "REPEATABLE READ", "SERIALIZABLE"};

int64_t client_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void give_up(struct recorder *r, const char *what, const char *why)
{
    pthread_mutex_lock(&r->lock);
    if (!r->trouble[0])
        snprintf(r->trouble, sizeof r->trouble, "%s: %.160s", what, why);
    pthread_mutex_unlock(&r->lock);
    atomic_store(&r->stop, true);
}

/* ---- a client ------------------------------------------------------------------------------- */

/* A statement that waits for a lock gives up soon: most likely the other waits for ours, and
 * PostgreSQL takes its time (a second) to look for deadlocks.  Rows are found by their key, so that
 * SERIALIZABLE knows which ones were read; nothing here is worth compiling. */
static const char *connect_client(struct client *c, struct arena *messages)
{
    char sql[96];
    const char *error = db_open(&c->db, c->r->o->url, messages);
    if (error)
        return error;
    snprintf(sql, sizeof sql, "SET lock_timeout = %d; SET enable_seqscan = off; SET jit = off",
             LOCK_MILLISECONDS);
    if (db_run(&c->db, sql) == DB_OK)
        return NULL;
    error = arena_strdup(messages, c->db.message);
    db_close(&c->db);
    return error;
}

/* After a crash the server is back in a moment, or not at all. */
static bool reconnect(struct client *c)
{
    const struct timespec pause = {.tv_nsec = RECONNECT_NANOSECONDS};
    struct arena messages = {0};
    const char *error = "interrupted";
    double end = stats_wall_seconds() + RECONNECT_SECONDS;
    db_close(&c->db);
    c->session += c->r->o->clients;
    c->reconnects++;
    while (!limit_reached() && !atomic_load(&c->r->stop) && stats_wall_seconds() < end) {
        error = connect_client(c, &messages);
        if (!error)
            break;
        nanosleep(&pause, NULL);
    }
    if (error && !limit_reached())
        give_up(c->r, "the server does not come back", error);
    arena_free(&messages);
    return !error;
}

/* What the answer to COMMIT says.  Only a refusal because of other transactions, or for a broken
 * constraint, proves that nothing was committed: a server that is being shut down may have
 * committed and only then told us that it is going away. */
static enum hist_status commit_status(const struct client *c, enum db_answer a,
                                      const PGresult *rows)
{
    const char *s = c->db.sqlstate;
    if (a == DB_OK)
        return rows && !strcmp(PQcmdStatus((PGresult *)rows), "ROLLBACK") ? HIST_ABORTED
                                                                          : HIST_COMMITTED;
    bool refused = (!strncmp(s, "40", 2) && strcmp(s, "40003") != 0) || !strncmp(s, "23", 2);
    return a == DB_ERROR && refused ? HIST_ABORTED : HIST_UNKNOWN;
}

static enum db_answer commit(struct client *c, struct journal_txn *t)
{
    struct journal *j = &c->r->journal;
    PGresult *rows = NULL;
    t->status = HIST_UNKNOWN;
    t->begin_answered = c->ops.len ? c->first_answer : HIST_NO_TIME;
    t->commit_asked = client_now();
    int64_t place = journal_add(j, t);
    if (journal_failed(j)) {
        give_up(c->r, j->path, "cannot be written");
        return DB_STOPPED; /* nothing was sent: this transaction does not take place */
    }
    enum db_answer a = db_finish(&c->db, "COMMIT", &rows);
    int64_t end = client_now();
    enum hist_status status = commit_status(c, a, rows);
    PQclear(rows);
    if (status != HIST_UNKNOWN)
        journal_settle(j, place, status, end);
    if (status == HIST_COMMITTED && c->failed) {
        c->failed_assertions++;
        c->failed_for_good = c->failed;
    }
    return a == DB_ERROR && status == HIST_UNKNOWN ? DB_LOST : a;
}

static enum db_answer roll_back(struct client *c, struct journal_txn *t, enum db_answer a)
{
    t->status = HIST_ABORTED;
    journal_add(&c->r->journal, t);
    if (a == DB_LOST || a == DB_STOPPED)
        return a;
    bool conflict = a == DB_OK || db_conflict(&c->db);
    char message[sizeof c->db.message];
    memcpy(message, c->db.message, sizeof message);
    char what[32];
    snprintf(what, sizeof what, "SQLSTATE %s", c->db.sqlstate);
    a = db_finish(&c->db, "ROLLBACK", NULL);
    /* A server that goes away says so first, in an error of its own. */
    if (!conflict && a == DB_OK)
        give_up(c->r, what, message);
    return a;
}

static enum db_answer begin(struct client *c)
{
    char sql[64];
    snprintf(sql, sizeof sql, "BEGIN ISOLATION LEVEL %s READ WRITE",
             record_isolation_names[c->r->o->isolation]);
    return db_run(&c->db, sql);
}

enum db_answer client_begin_again(struct client *c)
{
    enum db_answer a = db_finish(&c->db, "ROLLBACK", NULL);
    return a == DB_OK ? begin(c) : a;
}

static enum db_answer run_txn(struct client *c)
{
    bool rollback = false;
    sb_clear(&c->ops);
    sb_clear(&c->name);
    struct journal_txn t = {.session = c->session,
                            .begin = client_now(),
                            .begin_answered = HIST_NO_TIME,
                            .commit_asked = HIST_NO_TIME,
                            .ops = &c->ops};
    enum db_answer a = begin(c);
    if (a != DB_OK) /* nothing happened, so there is nothing to write down */
        return a == DB_ERROR ? DB_LOST : a;
    a = c->r->workload->run(c, &rollback);
    t.name = c->name.len ? sb_str(&c->name) : NULL;
    return a == DB_OK && !rollback ? commit(c, &t) : roll_back(c, &t, a);
}

static bool more(struct recorder *r)
{
    return !limit_reached() && !atomic_load(&r->stop) &&
           atomic_fetch_add(&r->begun, 1) < r->o->txns;
}

static void *client_main(void *arg)
{
    struct client *c = arg;
    while (more(c->r)) {
        enum db_answer a = run_txn(c);
        if (a == DB_STOPPED || (a == DB_LOST && !reconnect(c)))
            break;
    }
    db_close(&c->db);
    return NULL;
}

/* ---- all of them ---------------------------------------------------------------------------- */

static const struct workload *find_workload(const struct record_options *o)
{
    static const struct workload *const all[] = {&workload_rw, &workload_append, &workload_bank};
    if (o->program)
        return &workload_program;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (!strcmp(all[i]->name, o->workload))
            return all[i];
    return NULL;
}

static void run_clients(struct recorder *r, struct client *clients, unsigned n,
                        struct record_result *out)
{
    pthread_t *threads = mem_calloc(n, sizeof *threads);
    unsigned started = 0;
    while (started < n &&
           pthread_create(&threads[started], NULL, client_main, &clients[started]) == 0)
        started++;
    if (started < n)
        give_up(r, "cannot start a thread for every client", "too many of them");
    for (unsigned i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
    mem_free(threads);
    for (unsigned i = 0; i < n; i++) {
        out->torn_audits += clients[i].torn_audits;
        out->rolled_back += clients[i].rolled_back;
        out->reconnects += clients[i].reconnects;
        out->failed_assertions += clients[i].failed_assertions;
        if (clients[i].failed_for_good && !r->failed)
            r->failed = clients[i].failed_for_good;
    }
}

static const char *connect_all(struct recorder *r, struct client *clients, struct arena *messages)
{
    for (unsigned i = 0; i < r->o->clients; i++) {
        clients[i].r = r;
        clients[i].number = i;
        clients[i].session = i;
        clients[i].rng = hash_pair(r->o->seed, i);
        const char *error = connect_client(&clients[i], messages);
        if (error)
            return arena_printf(messages, "connection %u of %u: %s", i + 1, r->o->clients, error);
    }
    return NULL;
}

static void count(struct recorder *r, struct record_result *out)
{
    out->committed = r->journal.count[HIST_COMMITTED];
    out->aborted = r->journal.count[HIST_ABORTED];
    out->unknown = r->journal.count[HIST_UNKNOWN];
    out->complete = !r->trouble[0] && !limit_reached();
}

static const char *record(struct recorder *r, struct client *clients, struct arena *messages,
                          struct record_result *out)
{
    const char *error = journal_create(&r->journal, r->o->out, r->workload->header, messages);
    if (error)
        return error;
    if (!(error = r->workload->setup(r, messages)) &&
        !(error = connect_all(r, clients, messages))) {
        double start = stats_wall_seconds();
        run_clients(r, clients, r->o->clients, out);
        out->seconds = stats_wall_seconds() - start;
        count(r, out);
        if (r->workload->finish)
            r->workload->finish(r, messages, out);
        if (r->trouble[0])
            out->trouble = arena_strdup(messages, r->trouble);
    }
    const char *late = journal_close(&r->journal, messages);
    return error ? error : late;
}

static void free_clients(struct recorder *r, struct client *clients)
{
    for (unsigned i = 0; i < r->o->clients; i++) {
        db_close(&clients[i].db);
        if (r->workload->client_free)
            r->workload->client_free(&clients[i]);
        sb_free(&clients[i].ops);
        sb_free(&clients[i].name);
    }
    mem_free(clients);
}

const char *record_run(const struct record_options *o, struct arena *messages,
                       struct record_result *out)
{
    struct recorder r = {.o = o, .lock = PTHREAD_MUTEX_INITIALIZER};
    *out = (struct record_result){0};
    r.workload = find_workload(o);
    if (!r.workload)
        return arena_printf(messages, "there is no workload '%s'", o->workload);
    const char *error = db_open(&r.db, o->url, messages);
    if (error)
        return error;
    out->version = db_version(&r.db, messages);
    error = scratch_create(&r.scratch, &r.db, o->url, messages);
    if (!error) {
        struct client *clients = mem_calloc(o->clients, sizeof *clients);
        error = record(&r, clients, messages, out);
        free_clients(&r, clients);
        const char *left = scratch_drop(&r.scratch, messages);
        if (left && error)
            error = arena_printf(messages, "%s; %s", error, left);
        else if (left)
            out->trouble =
                out->trouble ? arena_printf(messages, "%s; %s", out->trouble, left) : left;
    }
    db_close(&r.db);
    return error;
}
