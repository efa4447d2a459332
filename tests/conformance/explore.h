/* A program on a server, in all interleavings of its statements. */
#ifndef TESTS_CONFORMANCE_EXPLORE_H
#define TESTS_CONFORMANCE_EXPLORE_H

#include "tests/conformance/server.h"

/* The transactions in the order in which they do something: send a statement, or commit. */
enum { CF_SCHEDULE = 2 * CF_TRANSACTIONS * (CF_STATEMENTS + 1) };
struct schedule {
    unsigned steps;
    uint8_t step[CF_SCHEDULE];
};

struct explored {
    struct cf_outcomes seen;
    struct schedule *schedule; /* for each outcome the first one that gave it */
    size_t capacity;
    size_t runs;
    bool complete; /* were all interleavings run? */
};

struct explore_options {
    size_t most_runs;   /* of a program, one interleaving after the other */
    size_t random_runs; /* so many random ones of a program that has more interleavings */
    bool slow;          /* statements may be slow between their snapshot and their locks */
};

/* Two interleavings that differ in the order of two neighbouring statements that cannot matter to
 * each other count as one. */
void explore(const struct server_driver *driver, struct server *server, const struct cf_program *p,
             const struct explore_options *options, struct explored *out);
void explored_clear(struct explored *e);
void explored_free(struct explored *e);
void schedule_print(FILE *to, const struct schedule *s);

#endif
