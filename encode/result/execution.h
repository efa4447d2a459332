/* An execution: concrete transactions, what each saw and wrote, in which order.  This is what a
 * violated property comes with.  No solver types here; reports, the history exporter and the replay
 * read it.
 *
 * Values are C values of the fields' types.  Transactions are in the order of the scenario's calls
 * (or of arbitration, where there is no scenario); `ar` lists them in arbitration order.  Rolled
 * back transactions have a place in ar and a visible set like all others (their snapshot obeys the
 * model's rules), but no writes; no read comes from them. */
#ifndef ENCODE_EXECUTION_H
#define ENCODE_EXECUTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/strbuf.h"
#include "models/models.h"
#include "symexec/summary.h"

#define EXEC_NEWEST UINT32_MAX  /* a read's statement: of the newest version, behind all others */
#define EXEC_INITIAL UINT32_MAX /* a read's source: no transaction, the initial state */

struct exec_row {
    uint32_t table;        /* of sx_program.tables */
    uint64_t row;          /* row number, row-major */
    const term_int *value; /* one per field of the table */
    const bool *known;     /* one per field: the execution says something about it */
};

struct exec_read {
    struct exec_row row;         /* the fields that were looked at are known */
    uint32_t source;             /* whose write it saw: a transaction, or EXEC_INITIAL */
    uint32_t statement;          /* dynamic number of the full expression */
    uint32_t point;              /* which of the transaction's visible sets it was taken from */
    uint64_t statement_key, key; /* the interpreter's names of statement and read */
    bool carry;                  /* only read because a write carries the row's other fields over */
    struct src_loc loc;
};

struct exec_write {
    struct exec_row row;
    const bool *touched; /* one per field: assigned, not just carried over */
    struct src_loc loc;
};

enum exec_end {
    EXEC_COMMITTED,
    EXEC_ROLLED_BACK, /* rollback(), or a signed overflow */
    EXEC_CHECK_FAILED /* stopped by a built-in check that failed: no effect */
};

struct exec_input {
    const char *name; /* "amount", "nondet_int() at 12:9" */
    const struct ast_type *type;
    term_int value;
    uint64_t key; /* the interpreter's name of it */
    bool param;   /* else a nondet call, a call of fresh or an uninitialised local */
    bool local;   /* an uninitialised local */
    bool fresh;   /* the index that a call of fresh gave */
    /* The run uses it (its guard is true); parameters always.  Locals: as far as was tried, another
     * value would change the run. */
    bool used;
};

/* A call of fresh: the row that it gave. */
struct exec_fresh {
    uint32_t table; /* with granularity field one of the variable's */
    uint64_t row;
    uint64_t key; /* the interpreter's name of the call */
};

/* Levels of databases: a row that is locked from a statement on. */
struct exec_touch {
    uint32_t table;
    uint64_t row;
    enum sx_touch_mode mode;
    /* The first of the visible sets that contains all who touched the row before, in a mode that
     * conflicts; EXEC_NO_VIEW: none, since no later one is looked at, or the snapshot was there. */
    uint32_t view;
    uint32_t statement;
    struct src_loc loc;
};
#define EXEC_NO_VIEW UINT32_MAX

struct exec_txn {
    const struct ast_func *func;
    const char *name; /* "withdraw(0, 100)" */
    const struct model *level;
    uint32_t session, index; /* position in its session */
    struct src_loc call_loc; /* the call in the scenario, or none */
    uint64_t call_key;       /* the interpreter's name of it */
    enum exec_end end;
    struct src_loc end_loc; /* where it rolled back or failed, or none */
    struct exec_input *inputs;
    size_t n_inputs;
    struct exec_read *reads; /* external reads that happened, in order */
    size_t n_reads;
    struct exec_write *writes; /* final writes; empty unless committed */
    size_t n_writes;
    struct exec_row *locks; /* for_update */
    size_t n_locks;
    struct exec_fresh *fresh; /* calls that were made, whatever the end */
    size_t n_fresh;
    /* Visible sets, by transaction: one for models with a snapshot per transaction, else one per
     * statement or read, growing (ec: not growing, and one more for all that some read saw).
     * visible[p * n_txns + s]: set p contains transaction s. */
    uint32_t n_points;
    const bool *visible;
    /* Levels of databases: the last of the sets is all that comes before it in ar, the newest
     * versions. */
    bool newest;
    struct exec_touch *touches; /* whatever the end, in order */
    size_t n_touches;
    term_int *returned; /* func's scalars, if it returns something and committed; in a scenario also
                           what the caller got from a call that did not commit (anything) */
    uint32_t n_returned;
};

/* The observer of the invariant: it sees everything or (observe snapshots) any set that the model
 * allows; or nothing, for an invariant that the initial state violates. */
struct exec_observer {
    bool present;
    const struct ast_func *func; /* the INVARIANT or FINAL */
    const char *name;            /* "nobody_owes(2)"; without parameters its name */
    struct exec_input *inputs;   /* its parameters: values for which it is violated */
    size_t n_inputs;
    const struct model *level; /* with observe snapshots: it has a place in ar; else NULL */
    uint32_t position;         /* in ar: after that many transactions */
    uint32_t n_points;
    const bool *visible; /* as above */
    struct exec_read *reads;
    size_t n_reads;
};

/* Two transactions: the second uses the first one's result, directly or by way of others. */
struct exec_after {
    uint32_t first, then;
};

struct execution {
    struct arena arena;               /* owns everything below */
    const struct sx_program *program; /* options.rows: of the dimensions of any size, if any */
    const struct model *model;        /* NULL: mixed levels, see each transaction */
    bool session_order;
    bool total; /* vis = ar: all transactions that could occur are at SER */
    struct exec_after *after;
    size_t n_after;
    const struct sx_summary *scenario; /* or NULL */
    struct exec_input *inputs;         /* of INITIAL, then of the scenario */
    size_t n_inputs, n_initial_inputs; /* in all; of INITIAL */
    bool any_state;                    /* INITIAL was not run: any state with the invariants */
    struct exec_txn *txns;
    uint32_t n_txns, n_sessions;
    uint32_t *ar;             /* transactions in arbitration order */
    struct exec_row *initial; /* every row that the execution, or its observer, mentions */
    size_t n_initial;
    struct exec_row *final; /* the same rows, after all transactions */
    size_t n_final;
    struct exec_observer observer;
    const char *values; /* of the built-in check that fails: "index -1, allowed 0..3"; or NULL */
};

void exec_free(struct execution *x); /* the struct too; NULL is fine */
/* Position of a transaction in ar. */
uint32_t exec_position(const struct execution *x, uint32_t txn);
/* "withdraw(0, 100)"; calls with the same text are numbered in arbitration order: "withdraw(0, 100)
 * [2]". */
const char *exec_txn_name(const struct execution *x, uint32_t txn, struct arena *arena);
/* After the names of transactions that did not commit, in histories. */
#define EXEC_WITHOUT_EFFECT " (without effect)"
/* The visible sets that reads of its own choice are taken from: all but the newest. */
uint32_t exec_views(const struct exec_txn *t);
/* Does t see s?  In its last view, where it has several. */
bool exec_sees(const struct execution *x, uint32_t t, uint32_t s);
/* "60", "true", an enumerator by its name; type may be NULL. */
void exec_value_text(const struct ast_type *type, term_int v, struct strbuf *out);
/* "account[1].balance", "account[1]" without a field (field == UINT32_MAX). */
const char *exec_row_text(struct arena *a, const struct sx_program *p, uint32_t table, uint64_t row,
                          uint32_t field);
/* Plain text, for `--dump execution`, tests and messages about internal errors. */
void exec_print(const struct execution *x, FILE *out);
/* "withdraw(0, 100)" */
const char *exec_call_text(struct arena *a, const struct ast_func *f,
                           const struct exec_input *inputs, size_t n);

#endif
