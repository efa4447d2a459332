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
    bool same_statement; /* as the one before it */
};

/* A version of a row as the UPDATE that made it returned it. */
struct seen_version {
    uint64_t id;
    struct plan_cells cells;
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
    /* Levels of databases (replay_statements.c): */
    struct db *monitor;     /* says who waits, and keeps the gates */
    int64_t *backend;       /* by transaction: its number on the server */
    const char *backends;   /* of all, and of the monitor: "{17,18}" */
    const char **under_way; /* by transaction: the statement that waits */
    VEC(struct seen_version) versions;
};

/* What the two ways of running share (replay.c).  All that return bool: false, if the server did
 * not go along. */
void stage_line(struct stage *g, uint32_t txn, const char *text);
bool stage_refused(struct stage *g, uint32_t txn, const char *sqlstate, const char *why);
bool stage_check(struct stage *g, uint32_t txn, enum db_answer a);
const char *stage_cells_text(struct stage *g, const struct plan_cells *cells);
/* Columns of an answer: those of the row's table and the version; how many there are. */
size_t stage_columns(const struct stage *g, uint32_t row, struct db_column *out);
struct plan_cells stage_cells(struct stage *g, uint32_t row, const struct db_rows *rows,
                              size_t first);
/* Does the answer have what is known of the expected one? */
bool stage_as_planned(struct stage *g, uint32_t txn, const struct plan_cells *want,
                      const struct plan_cells *got);

/* One of the steps that only levels of databases have. */
bool stage_statement(struct stage *g, const struct schedule_step *s);
/* NULL, or what is wrong. */
const char *stage_monitor(struct stage *g, struct db *d);
void stage_monitor_end(struct stage *g);

/* NULL if it is not one (a bug of ours, or rows that somebody else changed). */
struct history *pgreplay_history(const struct stage *g);

#endif
