#include "database/record.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/crash.h"
#include "base/limit.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/stats.h"
#include "database/client.h"

enum {
    RECONNECT_SECONDS = 60, /* a server that crashed reads its log first */
    RECONNECT_NANOSECONDS = 100000000,
    LOCK_MILLISECONDS = 20,
    LOCKSTEP_MILLISECONDS = 1, /* while one waits, nobody gives a lock back */
    BEGIN_TRIES = 1000,        /* a timeout may hit even that */
    PROGRESS_NANOSECONDS = 200000000
};

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
        snprintf(r->trouble, sizeof r->trouble, "%.240s%s%.240s", what, *what ? ": " : "", why);
    pthread_mutex_unlock(&r->lock);
    atomic_store(&r->stop, true);
}

/* Who answers like that is not asked again. */
static enum db_answer meet_stranger(struct client *c, enum db_answer a)
{
    if (a != DB_STRANGE)
        return a;
    atomic_store(&c->r->strange, true);
    give_up(c->r, "", c->db.message);
    return DB_STRANGE;
}

/* ---- a client ------------------------------------------------------------------------------- */

/* A statement that waits for a lock gives up soon: most likely the other waits for ours, and
 * PostgreSQL takes its time (a second) to look for deadlocks.  Rows are found by their key, so that
 * SERIALIZABLE knows which ones were read; nothing here is worth compiling.  A statement_timeout
 * counts for the workload, and for nothing before it. */
static const char *connect_client(struct client *c, struct arena *messages)
{
    char lock_timeout[48];
    const char *const settings[] = {"SET statement_timeout = 0", lock_timeout,
                                    "SET enable_seqscan = off", "SET jit = off",
                                    "RESET statement_timeout"};
    snprintf(lock_timeout, sizeof lock_timeout, "SET lock_timeout = %d",
             c->r->o->lockstep ? LOCKSTEP_MILLISECONDS : LOCK_MILLISECONDS);
    const char *error = db_open(&c->db, c->r->o->url, false, messages);
    if (!error &&
        (error = db_set_up(&c->db, settings, sizeof settings / sizeof *settings, messages)))
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

enum db_answer client_query(struct client *c, const char *sql, int n, const char *const *params,
                            const struct db_shape *shape, struct db_rows *rows)
{
    turns_next(&c->r->turns, c->number);
    return meet_stranger(c, db_query(&c->db, sql, n, params, shape, rows));
}

/* COMMIT and ROLLBACK. */
static enum db_answer finish(struct client *c, const char *sql)
{
    turns_next(&c->r->turns, c->number);
    return meet_stranger(c, db_finish(&c->db, sql));
}

/* What the answer to COMMIT says.  Only a refusal because of other transactions, or for a broken
 * constraint, proves that nothing was committed: a server that is being shut down may have
 * committed and only then told us that it is going away. */
static enum hist_status commit_status(const struct client *c, enum db_answer a)
{
    const char *s = c->db.sqlstate;
    if (a == DB_OK)
        return strcmp(c->db.tag, "COMMIT") != 0 ? HIST_ABORTED : HIST_COMMITTED;
    bool refused = (!strncmp(s, "40", 2) && strcmp(s, "40003") != 0) || !strncmp(s, "23", 2);
    return a == DB_ERROR && refused ? HIST_ABORTED : HIST_UNKNOWN;
}

static enum db_answer commit(struct client *c, struct journal_txn *t)
{
    struct journal *j = &c->r->journal;
    t->status = HIST_UNKNOWN;
    t->begin_answered = c->ops.len ? c->first_answer : HIST_NO_TIME;
    t->commit_asked = client_now();
    int64_t place = journal_add(j, t);
    if (journal_failed(j)) {
        give_up(c->r, j->path, "cannot be written");
        return DB_STOPPED; /* nothing was sent: this transaction does not take place */
    }
    enum db_answer a = finish(c, "COMMIT");
    int64_t end = client_now();
    enum hist_status status = commit_status(c, a);
    if (status != HIST_UNKNOWN)
        journal_settle(j, place, status, end);
    if (status == HIST_ABORTED)
        aborts_count(&c->aborts, c->db.sqlstate, a == DB_OK ? ABORTED_AT_COMMIT : NULL, 1);
    if (status == HIST_COMMITTED && c->failed) {
        c->failed_assertions++;
        c->failed_for_good = c->failed;
    }
    return a == DB_ERROR && status == HIST_UNKNOWN ? DB_LOST : a;
}

static void count_abort(struct client *c, enum db_answer a)
{
    aborts_count(&c->aborts, a == DB_ERROR ? c->db.sqlstate : "",
                 a == DB_OK        ? ABORTED_BY_PROGRAM
                 : a == DB_LOST    ? ABORTED_LOST
                 : a == DB_STOPPED ? ABORTED_STOPPED
                 : a == DB_STRANGE ? ABORTED_STRANGE
                                   : NULL,
                 1);
}

static enum db_answer roll_back(struct client *c, struct journal_txn *t, enum db_answer a)
{
    t->status = HIST_ABORTED;
    journal_add(&c->r->journal, t);
    count_abort(c, a);
    if (a != DB_OK && a != DB_ERROR)
        return a;
    bool conflict = a == DB_OK || db_conflict(&c->db);
    char message[sizeof c->db.message];
    memcpy(message, c->db.message, sizeof message);
    char what[32];
    snprintf(what, sizeof what, "SQLSTATE %s", c->db.sqlstate);
    a = finish(c, "ROLLBACK");
    /* A server that goes away says so first, in an error of its own. */
    if (!conflict && a == DB_OK)
        give_up(c->r, what, message);
    return a == DB_ERROR ? DB_LOST : a; /* who cannot roll back must not go on there */
}

static enum db_answer begin(struct client *c)
{
    char sql[64];
    snprintf(sql, sizeof sql, "BEGIN ISOLATION LEVEL %s READ WRITE",
             record_isolation_names[c->r->o->isolation]);
    turns_next(&c->r->turns, c->number);
    enum db_answer a = DB_ERROR;
    for (int i = 0; i < BEGIN_TRIES; i++) {
        a = meet_stranger(c, db_run(&c->db, sql));
        if (a != DB_ERROR || !db_conflict(&c->db))
            break;
    }
    return a == DB_ERROR ? DB_LOST : a;
}

enum db_answer client_begin_again(struct client *c)
{
    enum db_answer a = finish(c, "ROLLBACK");
    return a == DB_OK ? begin(c) : a == DB_ERROR ? DB_LOST : a;
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
        return a;
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
    crash_thread();
    turns_join(&c->r->turns, c->number);
    while (more(c->r)) {
        enum db_answer a = run_txn(c);
        if (a == DB_STOPPED || a == DB_STRANGE || (a == DB_LOST && !reconnect(c)))
            break;
    }
    db_close(&c->db);
    turns_leave(&c->r->turns, c->number);
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

static uint64_t done(struct recorder *r)
{
    uint64_t n = atomic_load(&r->begun);
    return n < r->o->txns ? n : r->o->txns;
}

/* Until all have ended. */
static void await_clients(struct recorder *r, const pthread_t *threads, unsigned n, double start)
{
    for (unsigned i = 0; i < n; i++) {
        struct timespec t;
        for (;;) {
            clock_gettime(CLOCK_REALTIME, &t);
            t.tv_nsec += PROGRESS_NANOSECONDS;
            t.tv_sec += t.tv_nsec / 1000000000;
            t.tv_nsec %= 1000000000;
            if (!r->o->progress) {
                pthread_join(threads[i], NULL);
                break;
            }
            if (pthread_timedjoin_np(threads[i], NULL, &t) == 0)
                break;
            r->o->progress(r->o->arg, done(r), stats_wall_seconds() - start);
        }
    }
}

static void sum_up(struct recorder *r, const struct client *clients, struct record_result *out)
{
    for (unsigned i = 0; i < r->o->clients; i++) {
        out->torn_audits += clients[i].torn_audits;
        out->rolled_back += clients[i].rolled_back;
        out->reconnects += clients[i].reconnects;
        out->failed_assertions += clients[i].failed_assertions;
        aborts_add(&out->aborts, &clients[i].aborts);
        if (clients[i].failed_for_good && !r->failed)
            r->failed = clients[i].failed_for_good;
    }
    aborts_sort(&out->aborts);
    out->committed = r->journal.count[HIST_COMMITTED];
    out->aborted = r->journal.count[HIST_ABORTED];
    out->unknown = r->journal.count[HIST_UNKNOWN];
    out->strange = atomic_load(&r->strange);
    out->complete = !r->trouble[0] && !limit_reached();
}

static void run_clients(struct recorder *r, struct client *clients, struct record_result *out)
{
    unsigned n = r->o->clients, started = 0;
    pthread_t *threads = mem_calloc(n, sizeof *threads);
    double start = stats_wall_seconds();
    turns_init(&r->turns, r->o->lockstep, n, hash_pair(r->o->seed, UINT64_MAX - 1));
    while (started < n &&
           pthread_create(&threads[started], NULL, client_main, &clients[started]) == 0)
        started++;
    if (started < n)
        give_up(r, "cannot start a thread for every client", "too many of them");
    for (unsigned i = started; i < n; i++)
        turns_leave(&r->turns, i);
    await_clients(r, threads, started, start);
    turns_free(&r->turns);
    mem_free(threads);
    out->seconds = stats_wall_seconds() - start;
    sum_up(r, clients, out);
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

/* Nothing is written before all is ready, so that what was in the file before is not lost to a
 * server that does not let us in. */
static const char *record(struct recorder *r, struct client *clients, struct arena *messages,
                          struct record_result *out)
{
    const char *error = r->workload->setup(r, messages);
    if (!error)
        error = connect_all(r, clients, messages);
    if (!error)
        error = journal_begin(&r->journal, r->workload->header, messages);
    if (error)
        return error;
    if (r->workload->initial)
        r->workload->initial(r);
    run_clients(r, clients, out);
    if (r->workload->finish && !out->strange)
        r->workload->finish(r, messages, out);
    if (r->trouble[0])
        out->trouble = arena_strdup(messages, r->trouble);
    return NULL;
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

static const char *on_server(struct recorder *r, struct arena *messages, struct record_result *out)
{
    const char *error = scratch_open(&r->db, r->o->url, false, messages);
    if (error)
        return error;
    out->version = db_version(&r->db, messages);
    error = scratch_create(&r->scratch, &r->db, r->o->url, messages);
    if (!error) {
        struct client *clients = mem_calloc(r->o->clients, sizeof *clients);
        error = record(r, clients, messages, out);
        free_clients(r, clients);
        const char *left = scratch_drop(&r->scratch, messages);
        if (left && error)
            error = arena_printf(messages, "%s; %s", error, left);
        else if (left)
            out->trouble =
                out->trouble ? arena_printf(messages, "%s; %s", out->trouble, left) : left;
    }
    db_close(&r->db);
    return error;
}

const char *record_run(const struct record_options *o, struct arena *messages,
                       struct record_result *out)
{
    struct recorder r = {.o = o, .lock = PTHREAD_MUTEX_INITIALIZER};
    *out = (struct record_result){0};
    r.workload = find_workload(o);
    if (!r.workload)
        return arena_printf(messages, "there is no workload '%s'", o->workload);
    const char *error = journal_open(&r.journal, o->out, o->force, messages);
    if (error)
        return error;
    error = on_server(&r, messages, out);
    if (!error)
        return journal_close(&r.journal, messages);
    journal_abandon(&r.journal);
    return error;
}
