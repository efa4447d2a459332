/* What a replay keeps while it runs. */
#ifndef DATABASE_REPLAY_INTERNAL_H
#define DATABASE_REPLAY_INTERNAL_H

#include "database/driver.h"
#include "database/replay.h"
#include "database/sql.h"

/* An operation as the server answered it. */
struct seen_op {
    struct plan_cells cells;
    uint64_t id; /* of the version; 0: the initial one */
    bool write;
};

struct seen_txn {
    VEC(struct seen_op) ops;
    bool begun;
    enum hist_status status; /* COMMITTED also for a ROLLBACK that was planned */
    struct hist_times times;
};

struct stage {
    struct replay *r;
    const struct plan *p;
    struct db *db;         /* by transaction */
    struct seen_txn *seen; /* by transaction */
    struct sql sql;
    const char *error; /* an answer that is not PostgreSQL's, or NULL */
};

/* NULL if it is not one (a bug of ours, or rows that somebody else changed). */
struct history *pgreplay_history(const struct stage *g);

#endif
