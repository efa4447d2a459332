/* The merging executor: what its files share.
 *
 * There is one state at a time.  A state maps storage cells to terms (locals), written rows to
 * records (rows) and rows that were read to what was last read of them (seen).  Its condition
 * `live` describes the executions that are at this point of the program.  At a branch the state is
 * forked, at the join the two are merged cell by cell with ITE; a program with twenty ifs in a row
 * has twenty merges, not a million paths.
 *
 * Conditions are kept small by being *relative*.  Entering a branch opens a level: its condition is
 * kept aside, and `live` starts again at true.  Inside a level `live` shrinks only when some
 * executions jump away (return, break, continue, goto).  A jump adds the state to a *join*, which
 * belongs to the level it was opened in; the conditions of the levels in between are added then.
 * When a join is reached and nothing has jumped past it, all executions that came in are there
 * again, and `live` is what it was, without any disjunction to simplify.
 *
 * Executions that have stopped (rollback, failed check, false assumption, unwinding bound) no
 * longer matter: they may stay in `live`, their state is arbitrary, and facts may exclude them.  A
 * state all of whose executions have stopped is `gone`. */
#ifndef SYMEXEC_EXEC_H
#define SYMEXEC_EXEC_H

#include "symexec/context.h"
#include "symexec/env.h"
#include "symexec/facts.h"
#include "symexec/summary.h"

/* A value is a term, or a pointer (an index into sx_exec.pointers, tagged).  A struct is an array
 * of values, one per scalar ("cell"), fields and elements in order. */
typedef uint32_t sx_value;
#define SX_POINTER_TAG UINT32_C(0x80000000)

struct sx_state {
    struct env locals, rows, seen;
    term_id live;
    bool gone;
};

/* The alternatives of a place.  In executions that have not stopped, exactly one of their
 * conditions holds. */
enum sx_target_kind { SX_LOCAL, SX_DATABASE, SX_CONSTANT };
struct sx_target {
    enum sx_target_kind kind;
    const struct ast_var *var; /* DATABASE, CONSTANT */
    uint32_t offset;  /* LOCAL: the cell; else the offset in cells in the row, in the constant */
    uint32_t n_index; /* DATABASE: how many dimensions are given */
    const term_id *index;
};
struct sx_alt {
    term_id cond;
    struct sx_target to;
};
struct sx_place {
    struct sx_alt *alts;
    size_t n;
};

/* The condition of a level, relative to the enclosing level, and in full. */
struct sx_level {
    term_id relative, full;
};

struct sx_join {
    struct sx_state state; /* of the executions that jumped here; valid if any */
    size_t level;          /* the number of open levels, including the join's own */
    size_t mark;           /* facts known where it was opened */
    uint32_t cells;        /* storage in use there */
    size_t saved;          /* of a label: what its name meant before (recursion) */
    bool any;
    bool alone;  /* only one jump, from the level of the join, by all executions */
    bool passed; /* an execution jumped past it, to a join opened earlier */
};

/* The row of a table with given index terms. */
struct sx_object {
    uint32_t table;
    const term_id *index;
    bool constant; /* all index terms are constants */
    bool written;  /* is in its table's list of written rows */
    bool seen;     /* is in its table's list of rows that were read */
    bool *touched; /* by field */
    struct src_loc write_loc;
    uint32_t read;           /* the last read event + 1, or 0 */
    uint32_t read_statement; /* and its statement */
    uint32_t lock;           /* in the list of locks + 1, or 0 */
};

/* What was last read of a row (seen.c): an event, or a choice between two nodes; 0: nothing. */
struct sx_seen {
    uint32_t event; /* a read + 1; 0: a choice */
    term_id cond;
    uint32_t yes, no;
    term_id is_seen; /* TERM_NONE: not computed yet */
    term_id *value;  /* by field, likewise */
};

struct sx_frame {
    const struct ast_func *func;
    uint32_t *base;  /* first cell of each variable, by ast_var.id */
    uint32_t result; /* first cell of the returned value */
    size_t join;     /* where returns go */
    term_id path;    /* the condition at the call */
    unsigned depth;  /* recursion depth: activations of the same function below */
    struct sx_frame *caller;
};

typedef VEC(uint32_t) sx_ids;

struct sx_exec {
    struct sx_program *program;
    struct ast_program *ast;
    struct term_store *store;
    struct diag_list *diags;
    struct arena *arena; /* of the program: results */
    struct arena scratch;
    enum ast_role role;
    bool ideal; /* predicates: overflow does not stop, values are exact */
    unsigned unwind;
    uint32_t *cells;    /* by type id: how many scalars */
    const char **texts; /* by expression id, when first asked for */

    struct env_pool pool;
    struct facts facts;
    struct sx_state st;
    uint32_t sp; /* first free cell */
    struct sx_frame *frame;
    VEC(struct sx_level) levels;
    VEC(struct sx_join) joins;
    VEC(struct sx_place) pointers;
    struct map labels;                /* LABEL statement id → its join */
    size_t break_join, continue_join; /* of the innermost loop or switch */
    term_int **constants;             /* by constant's id, when first needed */
    unsigned frames;
    term_id path_full, path_live, path_memo; /* the last result of sx_path */

    /* rows */
    VEC(struct sx_object) objects;
    struct map object_index; /* hash of the key → chain of objects */
    struct term_subst total; /* makes indices total, see rows.c */
    VEC(term_id) index;      /* of the row at hand */
    VEC(uint32_t) object_next;
    sx_ids *written_constant, *written_symbolic; /* by table */
    VEC(term_id) records;                        /* [written, value of each field], by index */
    sx_ids *seen_constant, *seen_symbolic;       /* by table */
    VEC(struct sx_seen) seen;
    uint32_t *first_table; /* by variable id */

    /* the summary in the making */
    struct sx_summary *sum;
    VEC(struct sx_input) inputs;
    VEC(struct sx_read) reads;
    VEC(struct sx_lock) locks;
    VEC(struct sx_point) points;
    VEC(struct sx_call) calls;
    term_id ok; /* nothing that stops has fired so far */
    uint32_t statement, statements;
    unsigned folds;    /* folds around the statement at hand (struct ast_fold): all one statement */
    uint32_t fold_set; /* … whose reads have this visible set */
    uint64_t context, statement_key, access_key; /* keys shared with the interpreter: context.h */
    uint32_t session;                            /* in a SESSION block: its number + 1 */
    uint32_t sessions;
    uint64_t iterations;
    bool failed; /* a limit was hit */
};

/* ---- state, levels, joins (state.c) -------------------------------------------------------- */
static inline bool sx_stopped(const struct sx_exec *x)
{
    return x->st.gone || x->st.live == TERM_FALSE || x->failed;
}
term_id sx_path(struct sx_exec *x); /* the whole path condition */
sx_value sx_choose(struct sx_exec *x, term_id c, sx_value a, sx_value b);

struct sx_branch {
    term_id cond;
    struct sx_state other; /* first the state to start the other side with, then the first result */
    term_id live;
    size_t mark;
};
/* if (cond) … else … : then, other and join in this order; cond is not a constant. */
void sx_branch_then(struct sx_exec *x, struct sx_branch *b, term_id cond);
void sx_branch_else(struct sx_exec *x, struct sx_branch *b);
void sx_branch_join(struct sx_exec *x, struct sx_branch *b);

size_t sx_join_open(struct sx_exec *x);
/* The current executions that satisfy cond jump to the join. */
void sx_jump(struct sx_exec *x, size_t join, term_id cond);
/* The executions that jumped here and the current ones continue together. */
void sx_join_close(struct sx_exec *x);
/* A copy of a state that continues separately. */
struct sx_state sx_fork(struct sx_exec *x, struct sx_state *of);
/* Merge another state of the same level, whose executions are those of other.live, into the current
 * one. */
void sx_merge(struct sx_exec *x, struct sx_state other);

/* ---- points, inputs (point.c) -------------------------------------------------------------- */
void sx_require(struct sx_exec *x, enum sx_point_kind kind, term_id cond, struct src_loc loc,
                const char *text);
void sx_assertion(struct sx_exec *x, term_id cond, struct src_loc loc, const char *text);
term_id sx_input(struct sx_exec *x, enum sx_input_kind kind, const struct ast_type *type,
                 struct src_loc loc, const char *name, uint64_t key);
/* An input that is an index of a dimension of that size: encoders give it no other value. */
term_id sx_index_input(struct sx_exec *x, enum sx_input_kind kind, const struct ast_type *type,
                       uint64_t count, struct src_loc loc, const char *name, uint64_t key);
/* How many elements an array has, or rows a dimension: as declared, or the rows of any size, which
 * are a constant or the SIZE leaf. */
term_id sx_extent(struct sx_exec *x, uint64_t count);
/* 0 <= i < extent */
term_id sx_is_index(struct sx_exec *x, term_id i, term_id extent);
const char *sx_text(struct sx_exec *x, const struct ast_expr *e);

/* ---- layout (layout.c) --------------------------------------------------------------------- */
uint32_t sx_cells(const struct sx_exec *x, const struct ast_type *t);
uint32_t sx_field_offset(const struct sx_exec *x, const struct ast_type *t, uint32_t field);
uint32_t *sx_layout(const struct ast_program *p, struct diag_list *d);
/* Calls fn for every scalar of a type, in order, with its path. */
void sx_each_scalar(const struct ast_type *t, const char *path, struct arena *a,
                    void (*fn)(void *arg, const struct ast_type *t, const char *path), void *arg);
/* The values of an initialiser (CONST and INIT nodes only). */
void sx_init_values(const struct ast_expr *e, term_int *out, uint32_t *n);

/* ---- places (place.c) ---------------------------------------------------------------------- */
struct sx_place sx_eval_place(struct sx_exec *x, const struct ast_expr *e);
void sx_load(struct sx_exec *x, struct sx_place p, uint32_t n, sx_value *out, struct src_loc loc);
void sx_store(struct sx_exec *x, struct sx_place p, uint32_t n, const sx_value *v,
              struct src_loc loc);
sx_value sx_pointer(struct sx_exec *x, struct sx_place p);

/* ---- rows (rows.c) ------------------------------------------------------------------------- */
void sx_row_read(struct sx_exec *x, const struct sx_target *t, term_id cond, uint32_t n,
                 sx_value *out, struct src_loc loc);
void sx_row_write(struct sx_exec *x, const struct sx_target *t, term_id cond, uint32_t n,
                  const sx_value *v, struct src_loc loc);
void sx_row_lock(struct sx_exec *x, const struct sx_target *t, term_id cond, uint32_t n,
                 struct src_loc loc);
/* Merge the records of a row from two states; c chooses the first. */
uint32_t sx_row_choose(struct sx_exec *x, term_id c, uint32_t object, struct env ea, uint32_t a,
                       struct env eb, uint32_t b);
void sx_rows_finish(struct sx_exec *x); /* fill in sum->writes */
/* The condition that two objects of one table are the same row. */
term_id sx_row_same(struct sx_exec *x, uint32_t a, uint32_t b, bool use_facts);
/* The EXT leaf of a read's field. */
term_id sx_row_external(struct sx_exec *x, uint32_t read, uint32_t field);

/* ---- what was last read (seen.c) ------------------------------------------------------------ */
bool sx_seen_matters(const struct sx_exec *x, uint32_t table);
/* Note that, where cond holds on this path, this read is the last one of the row. */
void sx_seen_read(struct sx_exec *x, uint32_t object, term_id cond, uint32_t read);
/* The node of a row; the condition that it was read at all; and, for a node that is not 0, the
 * value of a field where it was. */
uint32_t sx_seen_node(struct sx_exec *x, uint32_t object);
term_id sx_seen_cond(struct sx_exec *x, uint32_t node);
term_id sx_seen_value(struct sx_exec *x, uint32_t node, uint32_t field);
uint32_t sx_seen_choose(struct sx_exec *x, term_id c, uint32_t object, struct env ea, uint32_t a,
                        struct env eb, uint32_t b);

/* ---- execution (exec_expr.c, exec_ops.c, exec_stmt.c, exec_call.c) --------------------------- */
sx_value sx_eval(struct sx_exec *x, const struct ast_expr *e);                 /* one cell */
void sx_eval_into(struct sx_exec *x, const struct ast_expr *e, sx_value *out); /* any number */
term_id sx_eval_cond(struct sx_exec *x, const struct ast_expr *e);             /* truth, folded */
term_id sx_binary(struct sx_exec *x, const struct ast_expr *e, enum c_operator op,
                  const struct ast_type *type, term_id a, term_id b);
term_id sx_unary(struct sx_exec *x, const struct ast_expr *e, term_id a);
term_id sx_cast(struct sx_exec *x, const struct ast_type *to, const struct ast_type *from,
                term_id a);
void sx_exec_stmt(struct sx_exec *x, const struct ast_stmt *s);
void sx_call(struct sx_exec *x, const struct ast_expr *e, sx_value *out);
/* Run a function on arguments (cells in order); results to out.  call: see context.h. */
void sx_inline(struct sx_exec *x, const struct ast_func *f, const sx_value *args, sx_value *out,
               struct src_loc loc, uint64_t call);

#endif
