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

/* The row of a table with given index terms; and the same row in another layer (row_layers.c). */
struct sx_object {
    uint32_t row;   /* the object of the row in its table's first layer: itself, mostly */
    uint32_t layer; /* what was written and read since the bulk write below */
    uint32_t table;
    const term_id *index;
    bool constant; /* all index terms are constants */
    bool written;  /* is in its layer's list of written rows */
    bool seen;     /* is in its layer's list of rows that were read */
    bool finished; /* its final write has been made */
    bool *touched; /* by field */
    struct src_loc write_loc;
    /* Of the row in the first layer: */
    uint32_t read;           /* the last read event + 1, or 0 */
    uint32_t read_statement; /* and its statement */
    uint32_t lock;           /* in the list of locks + 1, or 0 */
    uint32_t newest;         /* the last read of its newest version + 1, or 0 */
};

/* What was last read of a row (seen.c): an event, or a choice between two nodes, or what a fold
 * read there; 0: nothing. */
struct sx_seen {
    uint32_t event;               /* a read + 1; 0: a choice */
    const struct sx_piece *piece; /* a fold read it, … */
    const term_id *index;         /* … the row with these index terms, … */
    term_id cond;                 /* … where this holds; or the condition of the choice */
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

/* A part of a bulk write, or of what a fold read: a row for each value of its bound leaves, where
 * the guard holds. */
struct sx_piece {
    struct sx_row row;
    const struct sx_bound *bound; /* the first has depth first */
    const uint32_t *dim;          /* for each bound leaf: the dimension whose index it is */
    uint32_t n_bound, first;
    term_id guard;        /* on the path to the loop, too */
    const term_id *value; /* of a write: all fields */
    bool *touched;
    uint32_t node; /* of a read (seen.c) */
    bool lost;     /* of a read: which round has a given row is not known */
    struct src_loc loc;
};
/* The rows of a table that were written or read (by name) since the layer below; or a fold's. */
struct sx_layer {
    uint32_t table;
    bool bulk;
    sx_ids written_constant, written_symbolic, seen_constant, seen_symbolic;
    VEC(struct sx_piece) writes, reads; /* bulk */
};

/* A read at other indices than those of a fold (fold_rewrite.c). */
struct sx_moved {
    uint32_t of, to;       /* reads */
    uint32_t mapped;       /* which indices are others … */
    const term_id *at;     /* … and which; by depth */
    struct sx_bound *seen; /* the bounds there */
    uint32_t n_seen;
    bool in_guard; /* only the guard of another read mentions it */
    bool made;     /* there was no such read before */
};

/* A row that an ATOMIC statement changes, where the condition holds. */
struct sx_atomic_row {
    term_id cond;
    uint32_t object;
};
/* The row at hand of an ATOMIC statement (exec_atomic.c), and those before it. */
struct sx_atomic_frame {
    VEC(struct sx_atomic_row) rows; /* one, by all that a pointer may lead to */
    VEC(struct sx_atomic_row) done;
    bool many;
};

struct sx_fold_frame;
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
    VEC(struct sx_layer) layers; /* the first one of each table first */
    sx_ids *stacks;              /* by table: its layers, the oldest first */
    struct map layered;          /* row and layer → object + 1 */
    VEC(term_id) records;        /* [written, value of each field], by index */
    VEC(struct sx_seen) seen;
    uint32_t *first_table; /* by variable id */

    /* the summary in the making */
    struct sx_summary *sum;
    VEC(struct sx_input) inputs;
    VEC(struct sx_read) reads;
    VEC(struct sx_lock) locks;
    VEC(struct sx_touch) touches;
    VEC(struct sx_point) points;
    VEC(struct sx_call) calls;
    term_id ok; /* nothing that stops has fired so far */
    uint32_t statement, statements;
    /* Folds and ATOMIC statements around the statement at hand: all one statement … */
    unsigned folds;
    uint32_t fold_set; /* … whose reads have this visible set */
    term_id choice;    /* the row that the loop at hand finds with skip_locked, if it fits */
    /* Databases: the ATOMIC statement at hand until the part that changes rows is reached; and the
     * row that is changed. */
    const struct ast_atomic *updates;
    struct sx_atomic_frame *atomic;
    bool in_update; /* in that part */
    /* folds as terms (fold.h) */
    struct sx_fold_frame *fold;    /* the innermost one around the statement at hand */
    VEC(struct sx_bound) bounds;   /* the indices that terms may mention here, outermost first */
    VEC(term_id) bound_leaves;     /* by depth */
    VEC(struct sx_fold) all_folds; /* of the summary */
    struct map fold_index;         /* hash → fold + 1 */
    VEC(uint32_t) masks;           /* by term: what it depends on (sx_mask) */
    VEC(struct sx_moved) moved;    /* reads whose guards are to be made */
    unsigned rewriting;
    bool making_guards;
    VEC(const struct ast_stmt *) input_loops;    /* by input: the fold it is made in, or NULL */
    bool *unrolled;                              /* by statement: a fold that cannot be a term */
    uint64_t context, statement_key, access_key; /* keys shared with the interpreter: context.h */
    uint32_t session;                            /* in a SESSION block: its number + 1 */
    uint32_t sessions;
    uint64_t iterations;
    bool failed; /* a limit was hit */
    bool again;  /* … but not if a loop is unrolled that now is in `unrolled` */
    VEC(const struct ast_var *) rest; /* indices of folds in the round of all rows not shown */
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
/* Close a join whose executions go on elsewhere: true if there are any, and their state. */
bool sx_join_take(struct sx_exec *x, struct sx_state *out);
/* The rows of two states of one level, for disjoint sets of executions; locals are those of a. */
struct sx_state sx_unite_rows(struct sx_exec *x, struct sx_state a, struct sx_state b);
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

/* ---- large dimensions of which a part is shown (exec_shown.c, alike.c) ----------------------- */
/* Is this the size of one of them? */
bool sx_is_shown(const struct sx_exec *x, uint64_t size);
/* From here on the index of such a dimension is a row that is there; that it is one that
 * transactions may write; that a value is no row behind those shown, if the index of a fold that
 * stands for these is compared with it. */
void sx_shown_row(struct sx_exec *x, uint64_t size, term_id i, struct src_loc loc);
void sx_shown_write(struct sx_exec *x, const struct sx_target *t, term_id cond, struct src_loc loc);
void sx_shown_compare(struct sx_exec *x, const struct ast_expr *e, term_id a, term_id b);
/* The rounds of a fold over such a dimension; its index is initialised. */
void sx_shown_rounds(struct sx_exec *x, const struct ast_stmt *s);

/* ---- ATOMIC at the levels of databases (exec_atomic.c) --------------------------------------- */
/* If the statement is the part of an ATOMIC one that changes rows, runs it. */
bool sx_atomic_part(struct sx_exec *x, const struct ast_stmt *s);
/* Where the row is the one that an ATOMIC statement changes now. */
term_id sx_atomic_own(struct sx_exec *x, uint32_t object);

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
/* Databases: the row is locked from here on where cond holds on this path. */
void sx_row_touch(struct sx_exec *x, uint32_t object, term_id cond, enum sx_touch_mode mode,
                  struct src_loc loc);
/* share: by for_share */
void sx_row_lock(struct sx_exec *x, const struct sx_target *t, term_id cond, uint32_t n, bool share,
                 struct src_loc loc);
/* Merge the records of a row from two states; c chooses the first. */
uint32_t sx_row_choose(struct sx_exec *x, term_id c, uint32_t object, struct env ea, uint32_t a,
                       struct env eb, uint32_t b);
void sx_rows_finish(struct sx_exec *x); /* fill in sum->writes */
/* The condition that two objects of one table are the same row. */
term_id sx_row_same(struct sx_exec *x, uint32_t a, uint32_t b, bool use_facts);
/* The EXT leaf of a read's field. */
term_id sx_row_external(struct sx_exec *x, uint32_t read, uint32_t field);
/* The object of a row in the first layer of its table. */
uint32_t sx_row_object(struct sx_exec *x, uint32_t table, const term_id *index);
/* The event of the same statement as another read's, for another row; TERM-free: its guard is not
 * changed.  *made: there was none. */
uint32_t sx_row_event_like(struct sx_exec *x, uint32_t read, uint32_t object, bool *made);
/* The guard of a read as it is known where we are, and a further case of it. */
term_id sx_row_read_guard(struct sx_exec *x, uint32_t read);
void sx_row_read_where(struct sx_exec *x, uint32_t read, term_id guard);

/* ---- records and layers (rows.c, row_layers.c) ----------------------------------------------- */
#define SX_WRITTEN 0 /* in a record */
#define SX_FIELD_0 1 /* the first field */
/* A copy of the record of an object in its layer, its own or derived from others. */
uint32_t sx_record_of(struct sx_exec *x, struct env rows, uint32_t object, bool use_facts);
uint32_t sx_record_new(struct sx_exec *x, uint32_t n_fields);
/* What a row holds by all layers from the stack's number `from` on. */
uint32_t sx_record_whole(struct sx_exec *x, struct env rows, uint32_t row, size_t from,
                         bool use_facts);
/* The object of a row in a layer, and in the topmost one. */
uint32_t sx_layer_object(struct sx_exec *x, uint32_t row, uint32_t layer);
uint32_t sx_layer_top(struct sx_exec *x, uint32_t row);
void sx_layer_push(struct sx_exec *x, uint32_t table, bool bulk);
/* The condition that the piece has the row, and the substitution that moves it there (to be freed
 * in any case). */
struct sx_rewrite;
term_id sx_piece_has(struct sx_exec *x, const struct sx_piece *p, const term_id *index,
                     bool use_facts, struct sx_rewrite *move);
/* The condition that some round of the piece has the row. */
term_id sx_piece_some(struct sx_exec *x, const struct sx_piece *p, const term_id *index);
/* A fold's rows: before its body, behind it (with the rows of all executions of the round), and
 * once it is left. */
void sx_layers_open(struct sx_exec *x, struct sx_fold_frame *f);
void sx_layers_close(struct sx_exec *x, struct sx_fold_frame *f, const struct sx_state *round);
void sx_layers_hand_over(struct sx_exec *x, struct sx_fold_frame *f);
void sx_layers_finish(struct sx_exec *x);
void sx_layers_free(struct sx_exec *x);

/* ---- what was last read (seen.c) ------------------------------------------------------------ */
bool sx_seen_matters(const struct sx_exec *x, uint32_t table);
/* Note that, where cond holds on this path, this read is the last one of the row. */
void sx_seen_read(struct sx_exec *x, uint32_t object, term_id cond, uint32_t read);
/* The node of a row; the condition that it was read at all; and, for a node that is not 0, the
 * value of a field where it was. */
uint32_t sx_seen_node(struct sx_exec *x, uint32_t object);
/* By the layers from the stack's number `from` on, in another state. */
uint32_t sx_seen_whole(struct sx_exec *x, struct env seen, uint32_t row, size_t from,
                       bool use_facts);
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
/* A sum that a fold adds up to, in the variable's type. */
term_id sx_sum(struct sx_exec *x, const struct ast_expr *e, const struct ast_type *type,
               term_id raw);
term_id sx_unary(struct sx_exec *x, const struct ast_expr *e, term_id a);
term_id sx_cast(struct sx_exec *x, const struct ast_type *to, const struct ast_type *from,
                term_id a);
void sx_exec_stmt(struct sx_exec *x, const struct ast_stmt *s);
void sx_loop_body(struct sx_exec *x, const struct ast_stmt *s); /* one round */
void sx_call(struct sx_exec *x, const struct ast_expr *e, sx_value *out);
/* Run a function on arguments (cells in order); results to out.  call: see context.h. */
void sx_inline(struct sx_exec *x, const struct ast_func *f, const sx_value *args, sx_value *out,
               struct src_loc loc, uint64_t call);

#endif
