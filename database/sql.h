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

#endif
