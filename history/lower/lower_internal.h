/* What the lower*.c files share.  lower.c and lower_sets.c decide which new keys and operations are
 * needed, lower_plan.c collects them, and lower_copy.c makes the new history. */
#ifndef HISTORY_LOWER_LOWER_INTERNAL_H
#define HISTORY_LOWER_LOWER_INTERNAL_H

#include "base/strbuf.h"
#include "history/lower/lower.h"
#include "history/predicate.h"
#include "history/version_order.h"

/* An operation on a new key: a read stands before operation `at` of the transaction, a write just
 * after the write `at`. */
struct lower_op {
    uint32_t txn, at;
    uint32_t key; /* number of the new key, from 0 */
    bool write;
    uint32_t predicate; /* of a read: the predicate read that it belongs to */
    int64_t value;
};

/* The versions of a new key, in the order of the chain that they come from. */
struct lower_version {
    uint32_t key, pos; /* new key; place in the chain of the row */
    uint32_t op;       /* index in ops */
};

struct lower_key {
    const char *name, *text; /* text: the predicate; NULL: none, it is an item */
    struct hist_value initial;
    uint32_t row;
    bool complete; /* all versions of the row are planned */
};

/* An aggregate without version set: the rows that may contribute to it. */
struct lower_aggregate_rows {
    uint32_t predicate;
    uint32_t start, rows; /* a range of aggregate_rows: keys, or LOWER_NEW | number of a new key */
};
#define LOWER_NEW (1u << 31)

struct lower_plan {
    VEC(struct lower_op) ops;
    VEC(struct lower_aggregate_rows) aggregates; /* in the order of the predicate reads */
    VEC(uint32_t) aggregate_rows;
    bool old; /* aggregates may be made of old versions (lower_repeatable.c) */
    VEC(struct lower_key) keys;
    VEC(struct lower_version) versions;
    uint8_t *drop;   /* per operation of the history: leave it out; or NULL */
    uint8_t *absent; /* per transaction of unknown outcome: it cannot have happened */
    uint8_t levels;  /* enum hist_predicates_for */
};

/* What a predicate read saw of a row: one of the versions first … end, a run of which only the
 * first version changes the matches; the version set's version is in it.  For an item of an
 * aggregate, every version is a run of its own. */
struct lower_row {
    uint32_t class, row, first, end; /* first 0: the initial version is in the run */
    uint32_t set;                    /* the version of the version set */
    uint32_t next;                   /* end + 1; 0: there is none */
    bool matches, item;
    /* Any of several versions of the run, by other transactions, may have been seen; all_versions
     * only. */
    bool open;
    uint32_t settled; /* a version of an open run that may be assumed; 0: none */
    bool planned;     /* a read of `key` will be made for it */
    uint32_t key;
    bool kept; /* the read must be made */
};

/* A predicate read of the transaction at hand, with its rows. */
struct lower_read {
    const struct hist_predicate *q;
    uint32_t start, end; /* of rows */
};

/* Per session: the transaction nearest to the read (index + 1, 0: none), and the row and the
 * version by which it is ordered. */
struct lower_nearest {
    uint32_t place, row, pos;
};

struct lowering {
    const struct history *h;
    const struct lower_options *o;
    struct arena *messages;
    struct lowered *out;
    struct pred pred;
    struct vo_chains chains; /* only with complete version orders */
    /* All versions, key by key, each initial one first: version `pos` of key k is number
     * chains.start[k] + k + pos.  match: do they match the predicate at hand? */
    struct pred_table table;
    uint32_t *table_key;
    struct hist_value *table_value;
    uint8_t *match;
    const struct hist_predicate *match_of;
    /* The same for all writes, for aggregates without version set. */
    struct pred_table all;
    uint32_t *all_key;
    struct hist_value *all_value;
    uint8_t *all_match;
    uint32_t *op_txn; /* per operation */
    struct hist_value *initial;
    uint8_t *list_key;

    struct lower_plan plan;
    struct arena names;            /* of new keys */
    struct intern classes;         /* predicates, by pred_identity */
    VEC(const char *) class_texts; /* per class: its text */
    struct map keys;               /* class and row → new key */
    struct map version_keys;       /* class and write → new key of that version alone */
    struct map written;            /* new key and write → planned */

    /* Writes by key, for predicate reads without version set. */
    uint32_t *write_start, *writes;
    size_t only; /* the next of o->only */

    /* The transaction at hand: its predicate reads with version sets, and the rows that order them.
     * before, after: for one read, per session the last transaction before it and the first after
     * it. */
    VEC(struct lower_read) reads;
    VEC(struct lower_row) rows;
    struct lower_nearest *before, *after;

    /* lower_direct.c: stamps per transaction; barred_here: for one read. */
    uint32_t *seen_by, *barred_by, *wanted_by, *noted_by, direct_stamp;
    uint32_t *barred_here, here_stamp;

    /* The predicate read at hand, per key. */
    uint32_t stamp;
    uint32_t *seen_at;      /* stamp: `version` and `row` below are of this read */
    uint32_t *version;      /* its place in the chain, 0: initial */
    uint32_t *row_at, *row; /* stamp, returned read */
    uint32_t *own_at, *own; /* stamp, own write before the read */
};

static inline bool lower_stopped(const struct lowering *d)
{
    return d->out->violation || d->out->unknown;
}
/* Has the transaction at hand written the row itself, before its predicate read? */
static inline bool lower_is_own(const struct lowering *d, uint32_t key)
{
    return d->own_at[key] == d->stamp;
}

/* lower_fault.c: report a contradiction, which ends the lowering.  `what` ends with a colon, and a
 * version of the row follows it. */
void lower_wrong_row(struct lowering *d, const struct hist_predicate *q, uint32_t key, uint32_t op,
                     struct hist_value v, const char *what);
void lower_wrong_set(struct lowering *d, const struct hist_predicate *q, uint32_t op,
                     const char *what);
void lower_wrong_aggregate(struct lowering *d, const struct hist_predicate *q,
                           const struct pred_sum *s);
/* Without version set: no versions of the rows give the result. */
void lower_impossible_aggregate(struct lowering *d, const struct hist_predicate *q);
void lower_unknown(struct lowering *d, const struct hist_predicate *q, const char *why);

/* lower_plan.c: new keys and operations. */
uint32_t lower_item_class(struct lowering *d);
uint32_t lower_predicate_class(struct lowering *d, const struct hist_predicate *q);
/* The new key of a row as a predicate sees it, and that of one version of the row alone. */
uint32_t lower_row_key(struct lowering *d, uint32_t class, uint32_t row, struct hist_value initial,
                       bool *fresh);
uint32_t lower_single_key(struct lowering *d, uint32_t class, uint32_t row, uint32_t op);
void lower_plan_op(struct lowering *d, struct lower_op op);
/* `run`: the write of the first version of its run; all versions of a run have the same value. */
void lower_plan_write(struct lowering *d, uint32_t key, uint32_t op, uint32_t run, bool matches);
void lower_plan_read(struct lowering *d, const struct hist_predicate *q, uint32_t key, uint32_t run,
                     bool matches);

/* lower_sets.c: lower a predicate read with a version set; finish its transaction; make the table
 * of all versions. */
void lower_with_set(struct lowering *d, const struct hist_predicate *q);
void lower_end_txn(struct lowering *d);
void lower_make_table(struct lowering *d);

/* lower_repeatable.c: repeatable read without version sets: missing rows, a range, and the rows
 * that may contribute to an aggregate. */
void lower_repeatable_rows(struct lowering *d, const struct hist_predicate *q);
void lower_repeatable_range(struct lowering *d, const struct hist_predicate *q);
void lower_repeatable_item(struct lowering *d, const struct hist_predicate *q, uint32_t class,
                           uint32_t row);

/* lower_direct.c: mark the rows of the transaction at hand that RC and RA need, and settle
 * others. */
void lower_direct(struct lowering *d);

static inline uint32_t lower_chain_op(const struct lowering *d, uint32_t key, uint32_t pos)
{
    return pos ? d->chains.ops[d->chains.start[key] + pos - 1] : HIST_NONE;
}
static inline uint32_t lower_chain_len(const struct lowering *d, uint32_t key)
{
    return d->chains.start[key + 1] - d->chains.start[key];
}
static inline uint32_t lower_writer(const struct lowering *d, const struct lower_row *r,
                                    uint32_t pos)
{
    return d->op_txn[lower_chain_op(d, r->row, pos)];
}

/* Make the history with the plan's keys and operations; *spans as in struct lowered. */
struct history *lower_copy(const struct history *h, const struct lower_plan *p,
                           struct lower_span **spans);

#endif
