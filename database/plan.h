/* A counterexample to be replayed: what `visar verify --json` says of one execution, in the terms
 * of a database.  Rows, columns and transactions are numbered; values are texts as SQL takes them.
 *
 * The observer of the invariant is a transaction like the others; it is the last one and writes
 * nothing. */
#ifndef DATABASE_PLAN_H
#define DATABASE_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/vec.h"
#include "models/models.h"

#define PLAN_INITIAL UINT32_MAX /* the source of a read: the initial state */

enum plan_type { PLAN_BOOLEAN, PLAN_BIGINT, PLAN_NUMERIC };

struct plan_column {
    const char *path; /* ".balance", "" */
    enum plan_type type;
};

struct plan_table {
    const char *name;
    uint32_t n_dims;
    VEC(struct plan_column) columns;
};

struct plan_row {
    const char *name; /* "account[1]" */
    uint32_t table;
    const int64_t *index;
};

/* Values of a row: one per column of its table, NULL where the execution says nothing. */
struct plan_cells {
    uint32_t row;
    const char **value;
};

struct plan_read {
    struct plan_cells cells;
    uint32_t source; /* a transaction, or PLAN_INITIAL */
    uint32_t point;  /* which of the reader's visible sets */
    bool lock;       /* for_update: SELECT … FOR UPDATE */
    bool newest;     /* levels of databases: of the row that a change lands on */
    bool keyed;      /* a transaction with several visible sets: which read it is */
    uint64_t statement_key, key;
};

/* What the program got from elsewhere: arguments, nondet calls, calls of fresh, uninitialised
 * locals.  The observer's are the parameters of the predicate. */
struct plan_input {
    const char *value;
    bool parameter;
    uint64_t key; /* unless it is a parameter */
};
typedef VEC(struct plan_input) plan_inputs;

/* Levels of databases: the program's statements as SQL has them (statements.h). */
enum plan_lock_mode { PLAN_FOR_SHARE, PLAN_FOR_UPDATE, PLAN_UPDATE };
struct plan_lock {
    enum plan_lock_mode mode;
    struct plan_cells set; /* UPDATE: the columns that it assigns; none: its WHERE is false, or it
                              changes nothing, and only the lock remains */
    bool changes;          /* it assigns one */
};
struct plan_statement {
    VEC(uint32_t) reads;         /* of the transaction's reads: in the statement's snapshot */
    VEC(struct plan_lock) locks; /* several: ATOMIC */
};

enum plan_end { PLAN_COMMITS, PLAN_ROLLS_BACK };

struct plan_txn {
    const char *name;
    const char *function; /* or NULL */
    const char *end_text; /* "committed", "rolled back", "check failed" */
    plan_inputs inputs;
    VEC(const char *) returned;
    const struct model *level;
    uint32_t session;
    uint32_t position; /* in arbitration order */
    enum plan_end end;
    VEC(struct plan_read) reads;   /* in order */
    VEC(uint32_t) locks;           /* rows that are only locked, before anything is read */
    VEC(struct plan_cells) writes; /* final ones */
    uint64_t first_write_id;       /* write w of the transaction has this id, plus w */
    /* Levels of databases: the sizes of the visible sets, which are prefixes of the commits. */
    VEC(uint32_t) bases;
    VEC(struct plan_statement) statements;
};

struct plan {
    struct arena arena; /* owns everything */
    const char *file;   /* the program, as it was given to visar verify */
    const char *property, *property_kind;
    uint32_t line, column;     /* of the property; 0: it has no place */
    const char *scenario;      /* or NULL */
    uint64_t any_rows;         /* of the dimensions of any size; 0: the program has none */
    uint64_t shown;            /* rows of large dimensions (sx_options.shown); 0: all */
    plan_inputs inputs;        /* of INITIAL, then of the scenario */
    bool by_field;             /* --granularity field */
    const char *anomaly;       /* its name, or NULL, */
    const char *ruled_out_by;  /* and the model that rules it out */
    const char *condition;     /* "-40 + -40 >= 0", or NULL */
    const struct model *model; /* NULL: mixed levels */
    VEC(struct plan_table) tables;
    VEC(struct plan_row) rows;
    VEC(struct plan_cells) initial;    /* one per row, in the order of rows, every column known */
    VEC(struct plan_txn) txns;         /* the observer last, if there is one */
    bool has_observer, final_observer; /* final: it looks when all others are done */
    bool by_statements;                /* all levels are levels of databases */
};

/* The counterexample of a JSON report: of the model named, or (NULL) of the strongest violated one.
 * NULL and *out, or what is wrong with the file (owned by the arena given). */
const char *plan_read_json(const char *text, size_t size, const char *model, struct arena *messages,
                           struct plan **out);
void plan_free(struct plan *p);

/* How many sessions there are: one more than the greatest number. */
uint32_t plan_sessions(const struct plan *p);
/* The transaction of that position in arbitration order, the observer not counted. */
uint32_t plan_at(const struct plan *p, uint32_t position);
/* Who wrote the row last, in arbitration order; PLAN_INITIAL if nobody did. */
uint32_t plan_last_writer(const struct plan *p, uint32_t row);
const struct plan_cells *plan_find_write(const struct plan_txn *t, uint32_t row);

#endif
