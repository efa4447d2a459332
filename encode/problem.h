/* A bounded problem, solver-free: transactions made from summaries, an initial state, sessions,
 * levels, predicates to observe.  The encoders turn it into formulas; the decoder walks it again
 * with a model.
 *
 * Instances.  Every call gets its own copy of the transaction's summary: parameters replaced by the
 * call's arguments (so constants fold), inputs and external reads by fresh leaves.  Without a
 * scenario each instance is *any* of the program's transactions or idle: it has one alternative per
 * transaction, and `choice` (a leaf) says which; the parts of alternative k are guarded by
 * choice = k.  Idle instances come last, so n instances stand for up to n.
 *
 * All guards here are complete: a read's guard says that it happens, a write's that the transaction
 * is there, commits, and writes. */
#ifndef ENCODE_PROBLEM_H
#define ENCODE_PROBLEM_H

#include "base/arena.h"
#include "base/vec.h"
#include "models/models.h"
#include "symexec/summary.h"

struct prob_row {
    uint32_t table;
    const term_id *index; /* n_dims terms */
};

struct prob_read {
    struct prob_row row;
    term_id guard;
    const term_id *field; /* fresh EXT leaves; TERM_NONE: not looked at */
    uint32_t point;       /* which of the transaction's visible sets */
    const struct sx_read *of;
};

struct prob_write {
    struct prob_row row;
    term_id guard;
    const term_id *value;
    const struct sx_write *of;
};

struct prob_lock {
    struct prob_row row;
    term_id guard;
    const struct sx_lock *of;
};

/* Levels of databases: a row that the transaction locks from some statement on. */
struct prob_touch {
    struct prob_row row;
    term_id guard;
    /* Who touched the row before, in a mode that conflicts, is in this view, where `binds` holds,
     * and so in those that follow.  PROB_NO_VIEW: no view follows. */
    uint32_t view;
    term_id binds;
    const struct sx_touch *of;
};
#define PROB_NO_VIEW UINT32_MAX
#define PROB_LAST_VIEW (UINT32_MAX - 1) /* until their number is known */

/* A property's place in one instance. */
struct prob_point {
    const struct sx_point *of;
    const struct ast_func *func;
    term_id fires;
    uint32_t txn; /* or PROB_SCENARIO, PROB_INITIAL: their own */
};
#define PROB_SCENARIO UINT32_MAX
#define PROB_INITIAL (UINT32_MAX - 1)

struct prob_input {
    const struct sx_input *of;
    term_id value; /* the argument, or a fresh leaf */
    term_id guard;
};

/* A call of fresh.  No two calls that happen give one row, and the row is all zeros in the state
 * that the transaction's writes land on: after all transactions before it in ar, seen or not.  A
 * transaction that rolls back has its place in ar and has had its row, too. */
struct prob_fresh {
    struct prob_row row;
    const struct sx_input *of;
    term_id happens; /* the call is made */
    /* The row in that state, with a leaf for every field.  With granularity field these are several
     * tables of one variable; else it is one. */
    struct prob_read *state;
    size_t n_state;
};

/* One way a transaction can go: the copy of one summary. */
struct prob_alt {
    const struct sx_summary *sum;
    term_id chosen; /* the instance is this one, and it runs */
    struct prob_input *inputs;
    term_id exists, committed, rolled_back, check_failed; /* each implies `chosen`, but exists */
    term_id *returned;
    term_id *stops; /* by point of the summary: it fires */
    /* By point, assertions only.  reached: an execution reaches it and counts (no assumption or
     * check of the transaction fails).  checked: an execution reaches it, and a check fails.
     * blocked: an execution would reach it if no assumption of the transaction failed. */
    term_id *reached, *checked, *blocked;
    size_t first_read, n_reads, first_write, n_writes, first_lock, n_locks;
};

struct prob_txn {
    struct prob_alt *alts;
    size_t n_alts;
    uint32_t session, index;
    const struct sx_call *call; /* or NULL */
    term_id present;            /* it happens at all */
    term_id *results;           /* of a call: what the scenario gets, n_ret; or NULL */
    term_id exists;             /* not present, or no assumption of it fails */
    uint32_t n_points;          /* visible sets */
    bool newest;    /* levels of databases: the last of them is all that is before it in ar */
    term_id choice; /* which alternative; n_alts: idle.  TERM_NONE: there is only one */
    VEC(struct prob_read) reads;
    VEC(struct prob_write) writes;
    VEC(struct prob_lock) locks;
    VEC(struct prob_touch) touches;
    VEC(struct prob_fresh) fresh;
};

/* A predicate on one state: the copy of an INVARIANT or FINAL.  Its parameters are leaves: the
 * predicate is violated if it is for some values. */
struct prob_predicate {
    const struct sx_summary *sum;
    struct prob_input *inputs;
    VEC(struct prob_read) reads;
    term_id holds;   /* exact, as if integers were unlimited */
    term_id defined; /* no built-in check failed on the way */
    term_id *fires;  /* by point of the summary */
    uint32_t n_points;
};

/* One of the copies of a CONSTRAINT, for the state after a transaction (constraints.c). */
struct prob_constraint {
    struct prob_predicate *pred;
    uint32_t txn; /* or PROB_INITIAL: the initial state */
    term_id when; /* the transaction commits, and may make the constraint false */
    term_id holds;
};

/* One field of a table in the initial state of the program. */
struct prob_init {
    uint32_t table, field;
    term_id *rows;  /* by row number */
    term_id common; /* a value that many rows have */
    bool symbolic;  /* INITIAL also writes rows that are not constants: put them on top */
};

struct problem {
    struct arena arena;
    struct sx_program *sx;
    struct term_store *store;
    const struct sx_summary *scenario; /* or NULL */
    VEC(struct prob_txn) txns;
    uint32_t n_sessions;
    VEC(struct prob_point) points; /* assertions and built-in checks, unwinding too */
    /* The scenario itself */
    struct prob_input *scenario_inputs;
    term_id scenario_exists; /* TERM_TRUE without one */
    /* By point of the scenario, as in prob_alt. */
    term_id *scenario_reached, *scenario_checked, *scenario_blocked, *scenario_stops;
    /* The initial state */
    bool any_state; /* every state that satisfies the invariants; else that of the program */
    struct prob_input *initial_inputs;
    term_id initial_exists;    /* its assumptions hold */
    term_id initial_committed; /* and it comes to its end */
    VEC(struct prob_write) initial_writes;
    VEC(struct prob_init) inits; /* computed when needed */
    /* Rules */
    bool session_order;
    const struct model *const *levels; /* by TRANSACTION */
    /* i must precede j in ar although no session says so (j needs i's result: calls.c). */
    VEC(uint32_t) before; /* pairs */
    /* Interchangeable transactions, as pairs that are adjacent in their class; their order in ar
     * may be fixed. */
    VEC(uint32_t) symmetric;                 /* pairs i < j */
    uint32_t owner;                          /* of the next fresh leaf */
    VEC(struct prob_predicate *) predicates; /* to be freed */
    VEC(struct prob_predicate *) assumed;    /* of the initial state (any_state) */
    VEC(struct prob_constraint) constraints;
    const char *constraint_error; /* why the constraints cannot be stated, or NULL */
};

/* Which summaries a set of levels needs. */
enum sx_reads prob_reads_for(const struct model *const *levels, size_t n);

/* levels: by TRANSACTION, in the order of sx->txns.  sx->options.reads must suit them. */
struct problem *prob_scenario(struct sx_program *sx, const struct sx_summary *scenario,
                              const struct model *const *levels, bool session_order);
struct problem *prob_any(struct sx_program *sx, unsigned n, const struct model *const *levels,
                         bool session_order, bool any_state);
/* One instance of one transaction, on any state. */
struct problem *prob_single(struct sx_program *sx, const struct sx_summary *txn,
                            const struct model *const *levels);
void prob_free(struct problem *p);

/* A copy of a predicate, observed by a transaction at the level. */
struct prob_predicate *prob_predicate(struct problem *p, const struct sx_summary *sum,
                                      const struct model *level);
/* The same for the values given: one term for each parameter, or TERM_NONE for any value. */
struct prob_predicate *prob_predicate_of(struct problem *p, const struct sx_summary *sum,
                                         const struct model *level, const term_id *args);
/* Appends what says together that the predicate holds for all values of its parameters: copies of
 * it, and for each a condition on what it reads.  NULL, or why that cannot be said (for_all.c). */
struct prob_for_all {
    struct prob_predicate *pred;
    term_id holds; /* and no check fails */
};
typedef VEC(struct prob_for_all) prob_for_alls;
const char *prob_for_all(struct problem *p, const struct sx_summary *sum, prob_for_alls *out);
/* Fills `constraints` (constraints.c). */
void prob_add_constraints(struct problem *p);
/* The number of values of a parameter of a predicate that is an index; 0: it is none. */
uint64_t prob_ranges(const struct sx_program *sx, const struct sx_summary *sum, size_t input);
/* The level of alternative k of a transaction. */
const struct model *prob_level(const struct problem *p, const struct prob_txn *t, size_t k);
/* Value of a field of a row of the initial state (not any_state), for any index terms. */
term_id prob_initial_value(struct problem *p, struct prob_row row, uint32_t field);
/* The row number, if all index terms are constant and within bounds. */
bool prob_const_row(const struct problem *p, struct prob_row row, uint64_t *number);

/* For a scenario: fills `before`, and returns when each call is made, as conditions over the
 * scenario's leaves (calls.c). */
const term_id *prob_calls(struct problem *p);
/* Fills `symmetric` for a scenario (symmetry.c). */
void prob_find_symmetry(struct problem *p);

#endif
