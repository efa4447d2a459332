/* One run of a program on a server: statements are sent one at a time; each may be answered, or
 * wait. */
#ifndef TESTS_CONFORMANCE_RUN_H
#define TESTS_CONFORMANCE_RUN_H

#include "tests/conformance/server.h"

enum run_state { RUNS, COMMITTED, ROLLED_BACK, ABORTED };

struct run_transaction {
    enum run_state state;
    unsigned next; /* the statement that comes next; after the last one its end */
    bool pending;  /* what was sent last has not been answered */
    bool gated;    /* and is held up by its gate */
    unsigned when; /* the step in which it was sent */
    int last;      /* see cf_last_value */
};

struct run {
    const struct server_driver *driver;
    struct server *server;
    const struct cf_program *program;
    bool slow;
    unsigned steps;
    struct run_transaction transaction[CF_TRANSACTIONS];
    struct cf_outcome outcome;
};

/* Runs of a program count from 0. */
void run_start(struct run *r, size_t number);
/* The set of transactions that can do a step: they run and do not wait.  If all that run wait for
 * each other, the one that came last is cancelled first.  Empty: the run is over. */
unsigned run_enabled(struct run *r);
/* A transaction sends its next statement, or goes through its gate; then everybody moves as far as
 * the locks permit. */
void run_step(struct run *r, unsigned transaction);
/* After the last step: the outcome. */
void run_finish(struct run *r);

#endif
