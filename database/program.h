/* A visar program as a workload: its tables in SQL, its rows, and its state in memory (before the
 * first transaction, and after the last). */
#ifndef DATABASE_PROGRAM_H
#define DATABASE_PROGRAM_H

#include "database/client.h"
#include "symexec/interp.h"

struct program_table {
    const struct ast_var *var;
    uint64_t n_rows;
    uint32_t n_cells;
    const struct ast_type **type; /* of each cell */
    const char **path;            /* ".balance", "" */
    const char *name;             /* quoted */
    const char *select, *update, *lock;
    struct db_shape shape; /* of what select and lock return: the cells, then the version */
    ast_int *value;        /* [row][cell] */
};

struct program {
    struct ast_program *ast;
    struct program_table *tables; /* by the variable's id */
    const struct ast_func **txns;
    uint32_t n_txns;
    int64_t bound; /* indices are below that, mostly */
};

/* Tables and the initial state.  NULL, or what is wrong. */
const char *program_setup(struct recorder *r, struct arena *messages);
/* The initial state, in the history. */
void program_initial(struct recorder *r);
/* The invariants that are false on what is in the database now. */
void program_finish(struct recorder *r, struct arena *messages, struct record_result *out);

uint64_t program_row_number(const struct ast_var *v, const uint64_t *index);
void program_row_name(const struct ast_var *v, uint64_t row, struct strbuf *out);
/* How many scalars a value of the type has. */
size_t program_scalars(const struct ast_type *t);
/* As JSON: 60, {"balance":60,"open":1}. */
void program_value(const struct program_table *t, const ast_int *cells, struct strbuf *out);
/* An integer or a truth value as a counterexample or PostgreSQL prints it. */
ast_int program_parse(const char *s);
/* A value of the type, most often a small one. */
ast_int program_random(struct client *c, const struct program *p, const struct ast_type *t);

#endif
