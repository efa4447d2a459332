/* A concrete interpreter: one run of one function on given values, with C's exact meaning.
 *
 * It uses the syntax tree and nothing of terms and summaries: counterexamples are replayed with it,
 * and the fuzzer compares the executor with it.  Rows that the run has not written come from the
 * host; its writes stay in the run and are the result. */
#ifndef SYMEXEC_INTERP_H
#define SYMEXEC_INTERP_H

#include "base/vec.h"
#include "frontend/ast.h"
#include "symexec/context.h"

enum interp_end {
    INTERP_COMMITTED,
    INTERP_ROLLED_BACK, /* rollback(), or signed overflow (see `kind`) */
    INTERP_NOT_ASSUMED, /* an assumption was false */
    INTERP_CHECK_FAILED,
    INTERP_TOO_LONG /* steps or recursion beyond the limits */
};
enum interp_check { /* why, for ROLLED_BACK and CHECK_FAILED */
                    INTERP_NOTHING,
                    INTERP_OVERFLOW,
                    INTERP_BOUNDS,
                    INTERP_DIVISION,
                    INTERP_SHIFT
};

struct interp_row {
    const struct ast_var *table;
    const uint64_t *index; /* n_dims, in range */
};

/* What the run needs from outside.  Keys are those of context.h: `statement` names the evaluation
 * of the full expression, `read` that of the LOAD, ASSIGN … that reads; `key` that of the nondet
 * call, uninitialised scalar or called transaction. */
struct interp_host {
    void *arg;
    /* The value of one scalar of a row (cell: its number in the row). */
    ast_int (*read)(void *arg, struct interp_row row, uint32_t cell, uint64_t statement,
                    uint64_t read);
    ast_int (*nondet)(void *arg, const struct ast_type *type, uint64_t key, bool uninitialised);
    /* The last index of a new row, in range.  NULL if the function calls no fresh. */
    ast_int (*fresh)(void *arg, struct interp_row leading, uint64_t key);
    /* Scenarios: a call of a transaction; arguments as scalars in order; fill in the result.
     * Sessions are numbered as they come. */
    void (*call)(void *arg, const struct ast_func *f, const ast_int *args, uint32_t session,
                 uint64_t key, ast_int *result);
};

/* Statements as a database has them (enum sx_reads). */
enum interp_database { INTERP_NO_DATABASE, INTERP_POSTGRESQL, INTERP_INNODB_RC, INTERP_INNODB_RR };

struct interp_options {
    bool by_field;       /* granularity: each scalar is a row of its own */
    bool check_overflow; /* signed overflow is a failed check, not a rollback */
    enum interp_database database;
    bool ideal;         /* predicates: no overflow, values are exact */
    uint64_t rows;      /* of the dimensions of any size; at least 1 if there are any */
    uint64_t shown;     /* of large dimensions, as in sx_options; 0: all */
    uint64_t max_steps; /* expressions and iterations; 0: ten million */
    uint32_t max_depth; /* calls in calls; 0: 400 */
};

struct interp_read {
    struct interp_row row;
    uint32_t cell;
    uint64_t statement, read;
    ast_int value;
    struct src_loc loc;
};
struct interp_write { /* a row as the run leaves it */
    struct interp_row row;
    ast_int *value; /* scalars of the row; by field: only those with touched */
    bool *touched;  /* assigned by some statement */
    struct src_loc loc;
};
/* Options.database: a row that is locked from here on. */
struct interp_touch {
    struct interp_row row;
    enum sx_touch_mode mode;
    uint64_t statement; /* which locks it */
    uint64_t selects;   /* how often rows had been asked for before it, from outside or its own */
    size_t n_reads;     /* how many of the reads from outside came before it */
    bool atomic;        /* it is (a part of) an ATOMIC statement */
    /* The scalars of the row that are assigned here, from `first` on; none: it is only locked. */
    uint32_t first, n;
    const ast_int *value;
};
struct interp_assert {
    const struct ast_expr *expr;
    bool holds;
};
struct interp_lock {
    struct interp_row row;
    enum ast_builtin mode; /* AST_FOR_UPDATE, AST_FOR_SHARE, AST_SKIP_LOCKED */
    uint32_t first, n;     /* the scalars named */
};
struct interp_fresh { /* a call of fresh and the row that the host gave it */
    struct interp_row row;
    uint64_t key;
};

struct interp_run {
    struct arena arena;
    enum interp_end end;
    enum interp_check kind;
    struct src_loc loc; /* where it ended, unless committed */
    /* CHECK_FAILED.  BOUNDS: the index, how many there are; DIVISION, SHIFT: the operands. */
    ast_int operand[2];
    ast_int *result; /* scalars of the returned value, if committed */
    uint32_t n_result;
    bool ideal_overflow; /* with options.ideal: some signed operation overflowed */
    VEC(struct interp_read) reads;
    VEC(struct interp_write) writes;   /* to be ignored unless committed */
    VEC(struct interp_assert) asserts; /* every one that was reached, in order */
    VEC(struct interp_lock) locks;
    VEC(struct interp_touch) touches;
    uint64_t selects;
    VEC(struct interp_fresh) fresh;
};

/* args: the scalars of the parameters, in order. */
void interp_run(struct ast_program *p, const struct ast_func *f, const ast_int *args,
                const struct interp_options *options, const struct interp_host *host,
                struct interp_run *out);
void interp_run_free(struct interp_run *r);

#endif
