/* The statements of a replay, as texts with $1, $2, … for the values.  Names are quoted; a column
 * or index gets a name that no field of a C struct can have. */
#ifndef DATABASE_SQL_H
#define DATABASE_SQL_H

#include "base/strbuf.h"
#include "database/plan.h"

/* Where a value goes: a parameter of the statement, or into the text of a script.  Literals are
 * integers and truth values only, checked when they were read. */
enum sql_values { SQL_PARAMETERS, SQL_LITERALS };

struct sql {
    const struct plan *p;
    const char *schema; /* quoted */
    enum sql_values values;
    struct strbuf text;
    VEC(const char *) params; /* SQL_PARAMETERS; owned by the arena */
    struct arena arena;
};

void sql_init(struct sql *s, const struct plan *p, const char *schema, enum sql_values values);
void sql_free(struct sql *s);

/* Each starts a new text. */
void sql_create(struct sql *s, uint32_t table);
void sql_insert(struct sql *s, uint32_t row);
/* Columns of the result: those of the table in order, then the version. */
void sql_select(struct sql *s, uint32_t row, bool lock);
/* With parameters it returns the same columns: the row as it is then. */
void sql_update(struct sql *s, const struct plan_cells *cells, uint64_t write_id);

/* Levels of databases: a whole statement; one row of results.  For each of its reads the columns of
 * the table in order, then the version.  For each of its locks the same, the row as it is then; for
 * an UPDATE the version that it found there as well.  With a gate the statement waits between its
 * snapshot and its locks until that advisory lock can be had. */
struct sql_gate {
    bool closed;
    int32_t key[2];
};
/* The second half of its key, for a statement of a transaction: each has a gate of its own, since
 * the lock stays until the transaction ends. */
int32_t sql_gate_key(uint32_t txn, uint32_t statement);
void sql_statement(struct sql *s, const struct plan_txn *t, const struct plan_statement *st,
                   struct sql_gate gate);

#endif
