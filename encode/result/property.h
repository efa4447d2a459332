/* What questions are about, and what proofs say besides yes and no. */
#ifndef ENCODE_PROPERTY_H
#define ENCODE_PROPERTY_H

#include "base/diag.h"
#include "encode/result/execution.h"
#include "frontend/ast.h"

enum verify_status {
    VERIFY_PROVED,        /* any number of transactions, any arguments, any state observed */
    VERIFY_HOLDS,         /* exact, but only for this scenario or up to `bound` transactions */
    VERIFY_VIOLATED,      /* with an execution */
    VERIFY_UNKNOWN,       /* `reason` says why */
    VERIFY_VACUOUS,       /* nothing satisfies the assumptions: no execution at all */
    VERIFY_INTERNAL_ERROR /* the interpreter does not confirm the execution */
};
const char *verify_status_name(enum verify_status s); /* "PROVED" … */

enum verify_property_kind {
    VERIFY_INVARIANT,
    VERIFY_FINAL,
    VERIFY_SERIALIZABLE, /* of a question with a judge: the execution equals a serial one */
    VERIFY_ASSERT,       /* in a transaction or a scenario */
    VERIFY_OVERFLOW,     /* --check overflow */
    VERIFY_BOUNDS,
    VERIFY_DIVISION,
    VERIFY_SHIFT
};
const char *verify_property_kind_name(enum verify_property_kind k); /* "invariant", "assertion" … */

/* A property is a predicate, or a place in the source (for all its executions together). */
struct verify_property {
    enum verify_property_kind kind;
    const char *name;            /* the predicate's name, or the condition in the user's words */
    const struct ast_func *func; /* the predicate, or the function that the place belongs to */
    struct src_loc loc;
};

/* Two-state facts that a proof relies on. */
enum verify_rely_kind {
    VERIFY_NEVER_CHANGES,
    VERIFY_ONLY_GROWS,
    VERIFY_ONLY_FALLS,
    VERIFY_STAYS_SET,
    /* Relative to a row of another table, that of the row's first indices, or the one whose index
     * is a column, before a change or after it: one of the facts above, kept by all who do not
     * write that other row. */
    VERIFY_CHANGES_WITH
};
#define VERIFY_BY_INDEX UINT32_MAX
struct verify_rely {
    enum verify_rely_kind kind;
    uint32_t table, field;      /* for every row of the table */
    uint32_t with, column;      /* CHANGES_WITH: the other table; the column, or VERIFY_BY_INDEX */
    uint32_t after;             /* … 1: the column's value after the change, 0: before it */
    enum verify_rely_kind kept; /* … the fact; NEVER_CHANGES: whoever changes the field writes it */
};

/* Where induction fails: the transaction sees `snapshot`, its writes are applied to `before`, and
 * the property fails in `after`.  (An assertion fails in the snapshot; before and after are then
 * empty.) */
struct verify_gap {
    struct arena arena;
    /* The program's tables as they are there: with a number of rows where they are of any size. */
    const struct sx_program *program;
    const char *predicate; /* "nobody_owes(2)"; NULL: the property is no predicate */
    const char *loop;      /* in words, the loop that the proof rule cannot deal with, or NULL */
    const struct ast_func *txn; /* NULL: the initial state */
    const char *call;           /* "withdraw(0, 100)" */
    struct exec_input *inputs;
    size_t n_inputs;
    struct exec_row *snapshot, *before, *after;
    size_t n_snapshot, n_before, n_after;
};

/* Does an execution reach the assertion?  If none does, PROVED and HOLDS mean little. */
enum verify_reach {
    VERIFY_REACHED, /* some execution reaches it, or that is not known; all other properties */
    VERIFY_UNREACHED,
    VERIFY_BLOCKED, /* not reached, but it would be if no assumption failed */
    VERIFY_CHECKED  /* reached, but only by executions that do not count, as a check fails */
};
void verify_gap_free(struct verify_gap *g);

#endif
