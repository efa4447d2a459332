/* The fuzzer of the symbolic executor: a random program runs on a random state in three ways
 * (compiled by gcc, interpreted, by evaluating its summary) and all three must agree. */
#ifndef FUZZ_SYMEXEC_FUZZ_H
#define FUZZ_SYMEXEC_FUZZ_H

#include "symexec/evaluate.h"
#include "symexec/interp.h"
#include "symexec/summary.h"

/* How a run ended; the first ones are hooks.h's numbers. */
enum fz_end {
    FZ_COMMITTED,
    FZ_ROLLBACK,
    FZ_OVERFLOW,
    FZ_BOUNDS,
    FZ_DIVISION,
    FZ_SHIFT,
    FZ_NOT_ASSUMED,
    FZ_TOO_LONG
};
const char *fz_end_name(enum fz_end end);

/* The database as scalars: tables in order, rows in order, cells in order. */
struct fz_database {
    const struct ast_program *ast;
    uint64_t rows;   /* of the dimensions of any size */
    uint32_t *first; /* by table id: its first scalar */
    uint32_t *cells; /* by table id: scalars per row */
    uint32_t n;
    const struct ast_type **types; /* by scalar */
};
void fz_database_init(struct fz_database *db, const struct ast_program *p, uint64_t rows);
uint64_t fz_extent(const struct fz_database *db, uint64_t count); /* as it is, or of any size */
void fz_database_free(struct fz_database *db);
/* The first scalar of a row. */
uint32_t fz_row(const struct fz_database *db, const struct ast_var *v, const uint64_t *index);

#define FZ_NONDET 64
#define FZ_ARGS 4
struct fz_input {
    ast_int args[FZ_ARGS];
    ast_int nondet[FZ_NONDET];   /* in turn; taken modulo the type asked for */
    ast_int returned[FZ_NONDET]; /* by the transactions that a scenario calls, likewise */
    ast_int *state;              /* by scalar */
    /* Every statement (or read) sees other values, by its key: not for native runs. */
    enum sx_reads drift;
};

struct fz_assert {
    uint32_t line;
    bool holds;
};
struct fz_call { /* of a transaction, by a scenario */
    const struct ast_func *func;
    uint32_t session; /* as counted by who runs it: only which calls share one matters */
    ast_int args[FZ_ARGS];
};
struct fz_outcome {
    enum fz_end end;
    /* A predicate, not for native runs: some operation overflowed, so that a machine could not say
     * what the value is; it is exact all the same. */
    bool inexact;
    struct src_loc loc; /* not for native runs */
    ast_int result;
    ast_int *state; /* by scalar, after the run */
    /* Not for native runs; by scalar, of committed ones: rows read from outside, written, locked.
     */
    uint8_t *read, *written, *locked;
    VEC(struct fz_assert) asserts;
    VEC(struct fz_call) calls;
    const char *problem; /* an inconsistency within one way of running, or NULL */
};
void fz_outcome_init(struct fz_outcome *o, const struct fz_database *db, const struct fz_input *in);
void fz_outcome_free(struct fz_outcome *o);

/* native.c */
struct fz_native;
/* Compile program text (of which p is the tree); NULL on failure, with a message on stderr. */
struct fz_native *fz_native_load(const struct fz_database *db, const char *file, const char *folder,
                                 const char *compiler);
void fz_native_unload(struct fz_native *n);
/* The state that C's initialisers give. */
void fz_native_initial(struct fz_native *n, const struct fz_database *db, ast_int *state);
void fz_native_run(struct fz_native *n, const struct fz_database *db, const struct ast_func *f,
                   const struct fz_input *in, struct fz_outcome *out);

/* run.c */
void fz_interp_run(struct ast_program *p, const struct fz_database *db, const struct ast_func *f,
                   const struct sx_options *options, const struct fz_input *in,
                   struct fz_outcome *out);
/* e: any, zeroed at first; its memory serves many runs. */
void fz_summary_run(struct sx_program *p, const struct fz_database *db, const struct sx_summary *s,
                    const struct fz_input *in, struct sx_evaluator *e, struct fz_outcome *out);

/* compare.c: NULL if they agree, else what differs (in a static buffer). */
bool fz_is_undefined(enum fz_end e); /* overflow, bounds, division, shift */
const char *fz_compare_native(const struct fz_outcome *native, const struct fz_outcome *interp,
                              const struct fz_database *db);
const char *fz_compare_summary(const struct fz_outcome *summary, const struct fz_outcome *interp,
                               const struct fz_database *db, const struct ast_func *f);
/* With folds as terms.  What happens in a loop is compared as a whole: which assertions failed, and
 * how it ended; where, only if that shows. */
const char *fz_compare_folds(const struct fz_outcome *summary, const struct fz_outcome *interp,
                             const struct fz_database *db, const struct ast_func *f);

#define FZ_SIZES 5
/* program.c: one program, in all three ways. */
struct fz_program {
    struct ast_program *ast;
    struct diag_list diags;
    struct sx_program sx;
    struct sx_options how;
    struct fz_sized { /* with so many rows where there may be any number */
        struct fz_database db;
        struct fz_native *native;
        ast_int *initial; /* the state that C's initialisers give */
    } sized[FZ_SIZES];
    unsigned n_sized; /* 1 if no table is of any size */
    unsigned refused; /* functions that have no summary for every number of rows */
};
struct fz_totals {
    unsigned long functions[AST_CONSTRAINT + 1], runs, ends[FZ_TOO_LONG + 1];
    unsigned long skipped, missed, undefined, calls, inexact, partial, refused;
};
struct fz_setting {
    unsigned states; /* runs of each function */
    const char *compiler;
    struct fz_totals totals;
};
bool fz_program_load(struct fz_program *p, const char *file, const char *folder,
                     const char *compiler, struct sx_options how, bool complain);
void fz_program_unload(struct fz_program *p);
/* All runs of all functions; NULL if all agree, else what differs and in which function. */
const char *fz_program_run(struct fz_setting *s, struct fz_program *p, uint64_t seed, char who[32]);

/* shrink.c: the least part of a program text that is still wrong. */
typedef bool (*fz_still_wrong)(void *arg, const char *text);
char *fz_shrink(const char *text, const char *who, fz_still_wrong wrong, void *arg);

#endif
