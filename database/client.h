/* A recording client, as the workloads see it. */
#ifndef DATABASE_CLIENT_H
#define DATABASE_CLIENT_H

#include <stdatomic.h>

#include "base/strbuf.h"
#include "database/aborts.h"
#include "database/driver.h"
#include "database/journal.h"
#include "database/record.h"
#include "database/scratch.h"
#include "database/turns.h"

struct recorder;
struct ast_expr;

struct client {
    struct recorder *r;
    unsigned number;
    uint64_t session;
    uint64_t rng; /* state of the generator */
    struct db db;
    struct strbuf ops;    /* of the running transaction, as JSON */
    struct strbuf name;   /* its name as JSON; empty: none */
    int64_t first_answer; /* ns; if there are operations: the snapshot was taken by then */
    uint64_t torn_audits, rolled_back, reconnects, failed_assertions;
    struct aborts aborts;          /* why its transactions were aborted */
    const struct ast_expr *failed; /* an assertion that fails in the running transaction, or NULL */
    const struct ast_expr *failed_for_good; /* one of those in a committed transaction */
    void *state;                            /* the workload's own */
};

/* A workload: tables, then transactions.  `run` does everything between BEGIN and COMMIT. */
struct workload {
    const char *name;
    const char *header; /* fields of the history's header, with their commas */
    const char *(*setup)(struct recorder *r, struct arena *messages);
    void (*initial)(struct recorder *r); /* lines of the history before the first; may be NULL */
    /* DB_OK: go on and commit, unless *rollback was set. */
    enum db_answer (*run)(struct client *c, bool *rollback);
    /* After the last one: what is wrong with the final state; may be NULL. */
    void (*finish)(struct recorder *r, struct arena *messages, struct record_result *out);
    void (*client_free)(struct client *c); /* or NULL */
};

struct recorder {
    const struct record_options *o;
    const struct workload *workload;
    struct db db; /* for setting up and cleaning up */
    struct scratch scratch;
    struct journal journal;
    struct turns turns;            /* --lockstep */
    const char *table;             /* quoted, for the workloads with one table */
    void *state;                   /* the workload's own, shared */
    const struct ast_expr *failed; /* an assertion that failed, or NULL */
    _Atomic uint64_t tags;         /* write tags given out */
    _Atomic uint64_t begun;        /* transactions */
    _Atomic bool stop;             /* something went wrong for all */
    _Atomic bool strange;          /* it was an answer that is not PostgreSQL's */
    pthread_mutex_t lock;          /* for trouble */
    char trouble[512];             /* the first */
};

extern const struct workload workload_rw, workload_append, workload_bank, workload_program;

uint64_t client_random(struct client *c, uint64_t below);
uint64_t client_tag(struct client *c);
/* The client's statements go through here: with --lockstep it waits for its turn first. */
enum db_answer client_query(struct client *c, const char *sql, int n, const char *const *params,
                            const struct db_shape *shape, struct db_rows *rows);
/* Forget what the running transaction did, and begin it once more. */
enum db_answer client_begin_again(struct client *c);
int64_t client_now(void); /* ns, on a clock that all clients share */
/* Start one more operation in the list: a comma if it is not the first.  Its statement has been
 * answered. */
void client_op(struct client *c);

#endif
