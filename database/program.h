/* A visar program as a workload: its tables in SQL, its rows, and its state in memory (before the
 * first transaction, and after the last). */
#ifndef DATABASE_PROGRAM_H
#define DATABASE_PROGRAM_H

#include <pthread.h>

#include "base/map.h"
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
    struct program_fresh *fresh;
};

/* The rows that calls of fresh got, of all clients together. */
struct program_fresh {
    pthread_mutex_t lock;
    struct map next; /* table and leading indices, hashed → the first index not given yet */
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
/* An integer or a truth value for people. */
void program_cell(const struct ast_type *t, ast_int v, struct strbuf *out);
/* Which invariants are false on the tables' values in memory.  False: there are too many values of
 * parameters to try them all, and none of those tried breaks an invariant (program_judge.c). */
bool program_judge(const struct program *p, struct arena *messages, struct record_result *out);
/* A value of the type, most often a small one. */
ast_int program_random(struct client *c, const struct program *p, const struct ast_type *t);

#endif
