/* Summaries: what symbolic execution says about each function of a program.
 *
 * One execution of a transaction is given by values for its inputs (parameters, nondet calls) and
 * for its external reads.  Everything else is a term over these.  A summary describes all
 * executions at once:
 *
 *   reads     external reads: row, guard, fields.  EXT leaf (read a, field b) is the value seen.
 *   points    in the order of execution, everything that can stop the execution or be violated:
 *             assume, rollback, signed overflow, built-in checks; and assertions, which never stop
 *             it
 *   writes    final writes: row, guard, the value of every field of the row
 *   locks     for_update: rows that are read and locked
 *   returned  the value returned
 *
 * How an execution ends: the *first* point (in list order) that fires and stops decides:
 *   an assumption       the execution does not exist
 *   a rollback          it rolls back: no writes, no locks (signed overflow too, by default)
 *   a built-in check    the property is violated there; nothing after it counts
 * If none does, it commits, and writes, locks and `returned` are its effect.  An assertion that
 * fires is violated, whether the transaction commits or rolls back later (it ran on a snapshot and
 * was wrong there), as long as the execution came that far.  point.before says "no stopping point
 * earlier in the list has fired"; so point k decides (or is violated) iff
 *         before ∧ guard ∧ ¬cond                                              (sx_point_fires)
 * and these conditions exclude each other for stopping points.  The totals are in the summary:
 * `exists` (no assumption decided), `committed`, `rolled_back`, `check_failed`; exactly one of
 * ¬exists, committed, rolled_back, check_failed is true.
 *
 * Guards of reads, writes, locks and calls are path conditions *within* executions that have not
 * stopped: they do not repeat `committed` or `before`.  Code that uses a write has to add
 * `committed`.  In executions that do not commit, values are meaningless and row indices may be out
 * of bounds. A read whose read.before ∧ guard is false did not happen; its index may be out of
 * bounds.
 *
 * Writes need no order: if two writes of one summary are in force (guards true) for rows that are
 * equal (same table, equal index values), then their values are equal too.  So: row x is written
 * iff some write of its table has guard ∧ index = x; its value is that write's.  Two writes with
 * the same index *terms* do not occur, and constant indices never need comparing with other
 * constants.
 *
 * Untouched fields.  The row is the unit of writing, so a write has a value for every field; fields
 * that the transaction did not assign are carried over from what it read: value[f] is then (on the
 * path) the EXT leaf of the last read of that row, and touched[f] is false if no statement ever
 * assigns it.
 *
 * Folds.  With SX_FOLDS_TERMS a loop over a whole dimension is executed once, for a symbolic index
 * (a BOUND leaf), and what it computes are FOLD leaves.  Reads, writes and locks in it have
 * `bound`: they stand for one of them for each index.  The rule about writes above covers them,
 * too.  Points never depend on BOUND leaves: a condition in a fold is an ALL fold.  Inside a fold
 * the order of the rounds is C's: of the stopping points of one loop the one that fires in the
 * earliest round decides, and where their order can be seen their conditions compare FIRST folds;
 * assertions of the loop come before its stopping points in the list, and their conditions say up
 * to which round they are reached.  The overflow of a sum is a point behind the loop, about the
 * total.
 *
 * The database as rows: see struct sx_table.  With granularity "field" each scalar field of each
 * row is a row of its own table: tables have one field then, and nothing is carried over. */
#ifndef SYMEXEC_SUMMARY_H
#define SYMEXEC_SUMMARY_H

#include "base/diag.h"
#include "base/stats.h"
#include "frontend/ast.h"
#include "symexec/context.h"
#include "symexec/term.h"

enum sx_reads {
    SX_READS_SNAPSHOT,  /* one snapshot: one read event per row (SER, SI, PSI, PC, CC, RA) */
    SX_READS_STATEMENT, /* a snapshot per statement: one event per row and statement (RCS) */
    SX_READS_EACH,      /* every read occurrence is an event of its own (RC) */
    /* Statements as a database has them (the levels of docs/databases.md): as SX_READS_STATEMENT,
     * but what a write carries over is a read of the newest version, an expression goes on as a new
     * statement after a call, and there are touches.  InnoDB: an UPDATE that changes nothing makes
     * no new version, so that the transaction goes on seeing that of its snapshot. */
    SX_READS_POSTGRESQL,
    SX_READS_INNODB_RC,
    SX_READS_INNODB_RR /* what a change reads of other rows is the newest, too */
};
static inline bool sx_is_database(enum sx_reads r)
{
    return r >= SX_READS_POSTGRESQL;
}
enum sx_granularity { SX_ROW, SX_FIELD };
/* What becomes of a loop that is a fold (struct ast_fold, not refuted). */
enum sx_folds {
    SX_FOLDS_UNROLLED, /* its rounds, as of any loop; but all of them are one statement, and all its
                          reads have one visible set */
    SX_FOLDS_TERMS /* a term (struct sx_fold); constant loops of at most SX_FOLD_SMALL rounds are
                      unrolled all the same */
};
#define SX_FOLD_SMALL 4

struct sx_options {
    enum sx_reads reads;
    enum sx_granularity granularity;
    bool check_overflow; /* signed overflow is a violated property instead of a rollback */
    unsigned unwind;     /* symbolic loop iterations, recursion depth; 0: SX_UNWIND_DEFAULT */
    enum sx_folds folds;
    uint64_t rows; /* of the dimensions of any size; 0: SX_FOLDS_TERMS only, the SIZE leaf */
    /* SX_FOLDS_UNROLLED: of large dimensions (ast_program.large) only rows 0 … shown are there, and
     * row `shown` stands for all that follow, see alike.c; 0: all rows are. */
    uint64_t shown;
};
#define SX_UNWIND_DEFAULT 16

/* ---- the database -------------------------------------------------------------------------- */

/* A field of a row: a scalar, by its path: ".balance", ".line[2].qty", "" for a scalar row. */
struct sx_field {
    const char *path;
    const struct ast_type *type; /* AST_INT */
};

struct sx_table {
    const char *name; /* "account"; with granularity field "account.balance" shows path too */
    const struct ast_var *var; /* the DATABASE variable */
    uint32_t first_cell;       /* granularity field: which scalar of var's row this is; else 0 */
    uint32_t n_dims;           /* 0: a single row */
    const uint64_t *dims;      /* AST_ANY_ROWS: the SIZE leaf says (options.rows = 0) */
    uint32_t n_fields;         /* scalars per row; granularity field: 1 */
    struct sx_field *fields;
    term_int *init; /* initial values by C initialisers, [row number][field], rows counted
                       row-major; NULL: all zero (before INITIAL functions) */
};
uint64_t sx_table_rows(const struct sx_table *t); /* the product of dims, none of any size */

/* ---- the parts of a summary ---------------------------------------------------------------- */

struct sx_row {
    uint32_t table;
    const term_id *index; /* table.n_dims Int terms */
};

/* The index of a fold: lo <= leaf < hi.  A part of a summary that has n_bound of them (outermost
 * first) stands for one such part for each value of the leaves, which are BOUND leaves of depth 0,
 * 1, …; lo and hi of an inner one may mention those around it.  There may be no value: lo >= hi. */
struct sx_bound {
    term_id leaf, lo, hi;
};

enum sx_input_kind {
    SX_PARAM,  /* a scalar part of a parameter */
    SX_NONDET, /* a nondet call */
    SX_FRESH,  /* the index that a call of fresh gives */
    SX_UNINIT  /* an uninitialised local, or the value of a function that runs off its end */
};
struct sx_input {
    enum sx_input_kind kind;
    const char *name; /* "amount", "order.line[1]", "nondet_int() at 12:9" */
    const struct ast_type *type;
    term_id leaf;   /* the LEAF term; its interval is the type's range */
    term_id guard;  /* where the call is made */
    term_id before; /* no stopping point before the call has fired */
    uint64_t key;   /* NONDET, UNINIT: what the interpreter calls it (context.h) */
    struct src_loc loc;
    bool used; /* occurs in some term of the summary */
    /* Parameters of predicates that range over a dimension (ast_var.ranges), and FRESH: the size of
     * that dimension, a constant or the SIZE leaf.  The input has no other values than
     * 0 <= leaf < below, and terms count on that, although the leaf's interval is its type's.
     * TERM_NONE: any value of its type. */
    term_id below;
    /* FRESH: the row, whose last index is the leaf itself.  Where the call is made the
     * row is all zeros in the state that the transaction's writes land on, and no other call of
     * fresh gets it. */
    struct sx_row row;
};

struct sx_read {
    struct sx_row row;
    term_id guard;
    term_id before;              /* no stopping point before the read has fired */
    term_id *field;              /* the EXT leaf for each field; TERM_NONE if it is not used */
    uint64_t statement_key, key; /* what the interpreter calls statement and read (context.h) */
    uint32_t statement; /* dynamic number of the full expression; grows along the transaction */
    uint32_t set;       /* with SX_READS_EACH: which visible set; reads of one fold share theirs */
    struct src_loc loc; /* of the first place that reads it */
    bool carry;         /* exists only because a write carries over other fields */
    /* Databases.  newest: of the version that the transaction's own writes land on.
     * asked: where a statement asks for the row, also if the transaction has written it itself. */
    bool newest;
    term_id asked;
    bool again; /* no read of its own, but of a row that another read of the same visible set reads
                   if it is read at all; a term needs its value.  Its guard may hold where the row
                   is not read, or is out of bounds */
    /* In a fold: guard, before and row depend on these leaves, and so does the value that the EXT
     * leaves stand for: in a term, they are about the indices that the BOUND leaves have there.
     * The row need not mention all of them (a[j] in for i { for j … }). */
    const struct sx_bound *bound;
    uint32_t n_bound;
};

struct sx_write {
    struct sx_row row;
    term_id guard;
    const term_id *value; /* n_fields */
    const bool *touched;  /* n_fields: some statement assigns it */
    struct src_loc loc;   /* the last place that assigns the row */
    /* A bulk write: guard, values and row depend on these leaves.  Each of them is itself one index
     * of the row, so that a row has at most one value of the leaves. */
    const struct sx_bound *bound;
    uint32_t n_bound;
};

struct sx_lock {
    struct sx_row row;
    term_id guard;
    struct src_loc loc;
    const struct sx_bound *bound; /* as for writes */
    uint32_t n_bound;
};

/* Databases: a row is locked from here on, by for_update or because it is changed. */
struct sx_touch {
    struct sx_row row;
    term_id guard, before; /* as for reads */
    enum sx_touch_mode mode;
    uint32_t statement; /* reads of this statement come before it … */
    bool first;         /* … or after it: InnoDB takes the snapshot of an UPDATE when it reads */
    struct src_loc loc;
};
/* Does one touch of a row wait for the other? */
bool sx_touch_conflicts(enum sx_touch_mode a, enum sx_touch_mode b);

/* A fold: what a loop over a whole dimension computes (SX_FOLDS_TERMS).  Its body are terms over
 * the BOUND leaf of its depth; a fold inside the body of another one has its leaf in the terms of
 * that body, and its own terms may mention the outer index: it is then one fold for each value of
 * it.  Its depth is greater than that of every BOUND leaf which it mentions but does not bind; hi
 * may be such a leaf (the rounds before this one).  lo and start do not mention its own leaf, and
 * neither does hi.  Equal folds of one summary are one.  Values of rounds that do not happen, since
 * an earlier one left the loop or stopped, are meaningless, as those of executions that stopped. */
enum sx_fold_kind {
    SX_FOLD_ALL,  /* 1 if cond holds for every index, else 0.  (Any: not all not.) */
    SX_FOLD_SUM,  /* the sum of value over the indices with cond, exact.  Counts have value 1 */
    SX_FOLD_MIN,  /* the least of value over the indices with cond, and start */
    SX_FOLD_MAX,  /* the greatest likewise */
    SX_FOLD_FIRST /* the first index with cond; hi if there is none */
};
struct sx_fold {
    enum sx_fold_kind kind;
    struct sx_bound index; /* leaf, lo, hi */
    uint32_t depth;        /* of the leaf */
    term_id cond, value;   /* value: SUM, MIN, MAX; else TERM_NONE */
    term_id start;         /* MIN, MAX: the value before the loop; else TERM_NONE */
    term_id leaf;          /* its result */
    struct src_loc loc;    /* of the loop */
};

enum sx_point_kind {
    SX_ASSUME,
    SX_ROLLBACK, /* cond is FALSE: fires when reached */
    SX_OVERFLOW, /* signed overflow; rolls back unless options.check_overflow */
    SX_ASSERT,
    SX_BOUNDS,
    SX_DIVISION, /* by zero */
    SX_SHIFT,    /* negative or too wide a shift count */
    SX_UNWIND    /* a loop or recursion may go on after the bound */
};
struct sx_point {
    enum sx_point_kind kind;
    term_id guard;   /* reached on the path */
    term_id cond;    /* what must hold there; fires when false */
    term_id before;  /* no stopping point before it has fired */
    bool rolls_back; /* ROLLBACK, and OVERFLOW in a transaction unless options.check_overflow */
    bool exact;      /* OVERFLOW in a predicate: the value is exact, the execution goes on */
    struct src_loc loc;
    const char *text;   /* "x > 0", "index i of account is within 0..1" … in the user's words */
    const char *advice; /* UNWIND: replaces the advice "raise --unwind" where that does not help */
};

/* A call of a transaction from a scenario. */
struct sx_call {
    const struct ast_func *func;
    uint32_t session;    /* 0, 1, … ; calls of one session are in list order */
    term_id guard;       /* TERM_TRUE unless the scenario decides at run time */
    term_id before;      /* as for reads */
    size_t n_points;     /* how many points come before it */
    uint64_t key;        /* the interpreter's name of it */
    const term_id *args; /* a term for each SX_PARAM input of func's summary, in that order */
    uint32_t n_args;
    term_id *ret; /* RET leaves (a = call number, b = number of the scalar), n_ret of them */
    uint32_t n_ret;
    struct src_loc loc;
};

struct sx_summary {
    uint32_t id;                 /* owner of its leaves */
    const struct ast_func *func; /* INITIAL: the first one, or NULL if there is none */
    struct sx_input *inputs;
    struct sx_read *reads;
    struct sx_write *writes;
    struct sx_lock *locks;
    struct sx_touch *touches; /* outside folds that are terms */
    struct sx_point *points;
    struct sx_call *calls; /* scenarios only */
    struct sx_fold *folds; /* inner ones before those around them */
    size_t n_inputs, n_reads, n_writes, n_locks, n_touches, n_points, n_calls, n_folds;
    uint32_t n_params; /* the first n_params inputs are the SX_PARAM ones */
    uint32_t n_sessions;
    uint32_t n_statements;
    term_id *returned; /* the scalars of the returned value, n_returned (0: void) */
    uint32_t n_returned;
    term_id exists, committed, rolled_back, check_failed;
    /* INVARIANT, FINAL, CONSTRAINT: the returned value is true.  `committed` says that it could be
     * computed (no failed check).  The value is exact, as if computed with unlimited integers, so
     * overflow does not stop the execution, although its points are listed. */
    term_id holds;
};

struct sx_program {
    struct arena arena;
    const struct ast_program *ast;
    struct sx_options options;
    struct term_store store;
    term_id size; /* the SIZE leaf, one for the whole program, if options.rows is 0; or TERM_NONE */
    struct sx_table *tables;
    uint32_t n_tables;
    /* in order of definition */
    struct sx_summary **txns, **invariants, **finals, **constraints, **scenarios;
    uint32_t n_txns, n_invariants, n_finals, n_constraints, n_scenarios;
    /* The initial state: all INITIAL functions in order, run on the C initialisers.  No reads.
     * `writes` are the rows that differ from sx_table.init (or may); inputs and assumptions may
     * occur. */
    struct sx_summary *initial;
    bool has_initial; /* the program has an INITIAL function or an initialised table */
};

/* Execute everything.  False (with diagnostics) if a limit was reached, or if something cannot be
 * summarised.  The program must outlive the summaries. */
bool sx_run(struct ast_program *p, const struct sx_options *options, struct diag_list *d,
            struct sx_program *out);
/* Decide once, before anything is run, which loops are folds: sets ast_fold.refuted where the body
 * of a constant loop has another shape (it is unrolled then).  False, with a diagnostic that names
 * the variable and the shapes, if a loop over ANY has another shape, or a limit was reached. */
bool sx_classify(struct ast_program *p, struct diag_list *d);
/* The part of it that finds the large dimensions (alike.c). */
void sx_find_large(struct ast_program *p);
/* Is this the size of one of them? */
bool sx_is_large(const struct ast_program *p, uint64_t size);
/* The same summaries with a store of terms of its own, for a thread that makes terms.  The original
 * must outlive it, and must not grow meanwhile. */
void sx_copy(const struct sx_program *p, struct sx_program *out);
void sx_free(struct sx_program *p);

/* before ∧ guard ∧ ¬cond */
term_id sx_point_fires(struct sx_program *p, const struct sx_point *point);
/* Does a point of this kind end the execution when it fires?  (All but assertions.) */
bool sx_point_stops(enum sx_point_kind kind);
const char *sx_point_name(enum sx_point_kind kind); /* "assert", "index out of bounds" … */
struct sx_summary *sx_find_txn(const struct sx_program *p, const struct ast_func *f);

#endif
