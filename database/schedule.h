/* An order of begins, reads, writes and commits in which PostgreSQL, at given levels, would show an
 * execution: the statements of a replay, one after the other, none of which has to wait.
 *
 * Commits are in some total order, and every statement sees what was committed before it (READ
 * COMMITTED), or what was committed before the first statement of its transaction (the other two
 * levels).  Writes are issued right before the commit, so a place for each commit and one for each
 * read say everything.
 *
 * The order is that of the history engine's certificate (engine.h) at the weakest of the levels.
 * The engine does not know locks: rows held by for_update and, where levels are mixed, rows that
 * another transaction has written since the snapshot (PostgreSQL refuses these: first updater
 * wins).  Only if locks rule out the certificate's order are other orders searched, those that
 * differ late from it first.  The search is complete, so "there is none" is a fact.  If the engine
 * finds an anomaly that the level rules out, there is no order either. */
#ifndef DATABASE_SCHEDULE_H
#define DATABASE_SCHEDULE_H

#include "database/plan.h"
#include "database/record.h"

enum schedule_kind {
    SCHEDULE_BEGIN,
    SCHEDULE_SNAPSHOT, /* n: a row to look at, so that the snapshot is taken now */
    SCHEDULE_LOCK,     /* n: of the transaction's locks */
    SCHEDULE_READ,     /* n: of its reads */
    SCHEDULE_WRITE,    /* n: of its writes */
    SCHEDULE_END,      /* COMMIT, or ROLLBACK */
    /* Levels of databases (schedule_waits.c); n: of the transaction's statements.  Two of them take
     * their snapshot now and their locks later: */
    SCHEDULE_STATEMENT, /* at once */
    SCHEDULE_WAIT,      /* waits for a row that another transaction has locked */
    SCHEDULE_HOLD,      /* is held by a gate in its WHERE */
    SCHEDULE_RESUME,    /* the row is free: it goes on */
    SCHEDULE_OPEN       /* the gate is opened: it goes on */
};

struct schedule_step {
    enum schedule_kind kind;
    uint32_t txn, n;
    uint32_t whom; /* WAIT: for which transaction */
};

enum schedule_order {
    SCHEDULE_CERTIFICATE, /* the engine's */
    SCHEDULE_SEARCHED,    /* another one, because of locks */
    SCHEDULE_EXECUTION    /* levels of databases: the execution's own order of commits */
};

struct schedule {
    VEC(struct schedule_step) steps;
    enum schedule_order order;
    /* If there is none: */
    bool gave_up;       /* a limit was hit before the search was complete */
    bool broken;        /* the engine's answer is not certified: a bug of ours; `why` */
    const char *why;    /* the anomaly that the level rules out; NULL: locks are the reason */
    struct arena arena; /* of the text */
};

/* `level` says for each transaction of the plan how it is going to run.  False: there is none. */
bool schedule_find(const struct plan *p, const enum record_isolation *level, struct schedule *out);
/* Levels of databases: the execution's order of commits, and each statement where its snapshot and
 * its locks are (schedule_waits.c).  False: it is no execution of these levels, `why`. */
bool schedule_statements(const struct plan *p, struct schedule *out);
void schedule_free(struct schedule *s);

#endif
