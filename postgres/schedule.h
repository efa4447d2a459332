/* An order of begins, reads, writes and commits in which PostgreSQL, at given levels, would show an
 * execution: the statements of a replay, one after the other, none of which has to wait.
 *
 * Commits are in some total order, and every statement sees what was committed before it (READ
 * COMMITTED), or what was committed before the first statement of its transaction (the other two
 * levels).  Writes are issued right before the commit, so a place for each commit and one for each
 * read say everything.  The search goes through the orders of commits, the execution's own first,
 * and is complete: if it finds none, there is none. */
#ifndef POSTGRES_SCHEDULE_H
#define POSTGRES_SCHEDULE_H

#include "postgres/plan.h"
#include "postgres/record.h"

enum schedule_kind {
    SCHEDULE_BEGIN,
    SCHEDULE_LOCK,  /* n: of the transaction's locks */
    SCHEDULE_READ,  /* n: of its reads */
    SCHEDULE_WRITE, /* n: of its writes */
    SCHEDULE_END    /* COMMIT, or ROLLBACK */
};

struct schedule_step {
    enum schedule_kind kind;
    uint32_t txn, n;
};

struct schedule {
    VEC(struct schedule_step) steps;
    bool gave_up; /* a limit was hit, so "there is none" was not found out */
};

/* `level` says for each transaction of the plan how it is going to run.  False: there is none. */
bool schedule_find(const struct plan *p, const enum record_isolation *level, struct schedule *out);
void schedule_free(struct schedule *s);

#endif
