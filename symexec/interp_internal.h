/* What the files of the interpreter share. */
#ifndef SYMEXEC_INTERP_INTERNAL_H
#define SYMEXEC_INTERP_INTERNAL_H

#include <setjmp.h>

#include "symexec/context.h"
#include "symexec/interp.h"

/* Where something lies: cells of the stack, of a constant, or of a row. */
enum in_kind { IN_STACK, IN_CONSTANT, IN_ROW };
struct in_place {
    enum in_kind kind;
    const struct ast_var *var;
    uint32_t offset;
    uint32_t n_index;
    const uint64_t *index;
};
/* A scalar or a pointer. */
struct in_cell {
    ast_int i;
    const struct in_place *p;
};

struct in_frame {
    const struct ast_func *func;
    uint32_t *base; /* by variable */
    struct in_cell *result;
};

/* The last read of a row from outside. */
struct in_seen {
    struct interp_row row;
    uint64_t statement, read;
    uint32_t next; /* in the chain */
};

/* The row at hand of an ATOMIC statement. */
struct in_atomic {
    struct interp_row row;
    bool many;
};

enum in_flow { IN_NEXT, IN_BREAK, IN_CONTINUE, IN_RETURN, IN_GOTO };

struct interp {
    struct ast_program *program;
    const struct interp_options *options;
    const struct interp_host *host;
    struct interp_run *run;
    struct arena *arena; /* the run's */
    VEC(struct in_cell) stack;
    struct in_frame *frame;
    const struct ast_stmt *target; /* of the goto under way */
    struct map rows;               /* row → index into run->writes, by hash; chained */
    VEC(uint32_t) row_next;
    struct map seen; /* rows that were read → index into `last`, in the same way */
    VEC(struct in_seen) last;
    uint64_t context, statement;
    /* Folds and ATOMIC statements around the statement at hand: all one statement and one read. */
    unsigned folds;
    ast_int choice; /* the row that the loop at hand finds with skip_locked, if it fits */
    /* Databases: the ATOMIC statement at hand until the part that changes rows is reached; and the
     * row that is changed. */
    const struct ast_atomic *updates;
    const struct in_atomic *atomic;
    uint64_t steps, max_steps;
    uint32_t depth, max_depth;
    uint32_t session, sessions;
    bool in_scenario, in_initial;
    VEC(const struct ast_var *) rest; /* indices of folds in the round of all rows not shown */
    jmp_buf stop;
};

uint32_t in_cells(const struct ast_type *t);
_Noreturn void in_stop(struct interp *in, enum interp_end end, enum interp_check kind,
                       struct src_loc loc);
void in_step(struct interp *in, struct src_loc loc);

/* interp_expr.c */
ast_int in_eval(struct interp *in, const struct ast_expr *e);
void in_eval_into(struct interp *in, const struct ast_expr *e, struct in_cell *out);
/* interp_ops.c */
ast_int in_cast(const struct ast_type *to, const struct ast_type *from, ast_int v);
ast_int in_binary(struct interp *in, enum c_operator op, const struct ast_type *t, ast_int a,
                  ast_int b, struct src_loc loc);
ast_int in_unary(struct interp *in, enum c_operator op, const struct ast_type *t, ast_int a,
                 struct src_loc loc);
/* interp_rows.c */
void in_row_read(struct interp *in, const struct in_place *p, uint32_t n, struct in_cell *out,
                 uint64_t read, struct src_loc loc);
void in_row_write(struct interp *in, const struct in_place *p, uint32_t n, const struct in_cell *v,
                  uint64_t read, struct src_loc loc);
/* Options.database: the row is locked from here on. */
void in_touch(struct interp *in, struct interp_row row, enum sx_touch_mode mode);
/* interp_atomic.c */
bool in_atomic_own(const struct interp *in, const struct in_place *p);
/* If the statement is the part of an ATOMIC one that changes rows, runs it. */
bool in_atomic_part(struct interp *in, const struct ast_stmt *s);
struct in_place in_place_of(struct interp *in, const struct ast_expr *e); /* interp_expr.c */
/* interp_shown.c */
bool in_is_shown(const struct interp *in, uint64_t size);
void in_shown_row(struct interp *in, uint64_t size, ast_int i, struct src_loc loc);
void in_shown_write(struct interp *in, const struct in_place *p, struct src_loc loc);
void in_shown_compare(struct interp *in, const struct ast_expr *e, ast_int a, ast_int b);
enum in_flow in_shown_rounds(struct interp *in, const struct ast_stmt *s);
/* interp_ops.c */
ast_int in_sum(struct interp *in, const struct ast_type *t, ast_int v, struct src_loc loc);
/* interp.c */
enum in_flow in_exec(struct interp *in, const struct ast_stmt *s);
void in_call(struct interp *in, const struct ast_expr *e, struct in_cell *out);

#endif
