/* `visar record`: run a workload against a real PostgreSQL from several connections at once, and
 * write down what the clients saw.
 *
 * Every client is a thread with a connection and a session of its own.  Every write is tagged, by a
 * value or a write id that no other write has, so that every read of the history has one possible
 * writer.  A client that loses its connection goes on in a new session: a COMMIT whose answer was
 * lost may still take effect, so it has no place in the order of the old one. */
#ifndef DATABASE_RECORD_H
#define DATABASE_RECORD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "database/aborts.h"

struct ast_program;

enum record_isolation { RECORD_READ_COMMITTED, RECORD_REPEATABLE_READ, RECORD_SERIALIZABLE };
extern const char *const record_isolation_names[]; /* "READ COMMITTED", … */

struct record_options {
    const char *url;
    const char *workload;        /* "rw", "append", "bank"; ignored if there is a program */
    struct ast_program *program; /* or NULL */
    unsigned clients;
    uint64_t txns; /* in all, aborted ones counted */
    unsigned keys;
    enum record_isolation isolation;
    uint64_t seed;
    const char *out; /* a regular file */
    bool force;      /* it may be there already */
    bool lockstep;   /* one statement at a time, the clients in an order that the seed gives */
    /* Called now and then, if not NULL, with the number of transactions done. */
    void (*progress)(void *arg, uint64_t done, double seconds);
    void *arg;
};

/* An invariant of the program that is false in the final state of the database. */
struct record_broken {
    const char *name;
    const char *values; /* "account[0].balance = -40, …": what it looked at */
};

struct record_result {
    const char *version; /* of the server */
    uint64_t committed, aborted, unknown, reconnects;
    struct aborts aborts; /* why, the most frequent reason first */
    uint64_t torn_audits; /* bank: audits that did not find all the money */
    uint64_t rolled_back; /* programs: by the transaction itself, or its assumptions never fit */
    const struct record_broken *broken; /* programs */
    size_t n_broken;
    bool judged;                  /* programs: the final state could be read, and judged */
    bool too_many;                /* … not judged: invariants have too many values of parameters */
    uint64_t failed_assertions;   /* programs: committed transactions in which one failed, */
    const char *failed_assertion; /* and one of them: "x == y (line 12)" */
    double seconds;
    bool complete;       /* all transactions were run */
    bool strange;        /* the trouble is an answer that is not PostgreSQL's */
    const char *trouble; /* why not, or what was left behind; NULL: nothing */
};

/* NULL, or why nothing could be recorded.  The messages belong to the arena. */
const char *record_run(const struct record_options *o, struct arena *messages,
                       struct record_result *out);

#endif
