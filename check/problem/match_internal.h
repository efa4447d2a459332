/* What the match*.c files share. */
#ifndef CHECK_PROBLEM_MATCH_INTERNAL_H
#define CHECK_PROBLEM_MATCH_INTERNAL_H

#include "check/problem/duplicate_values.h"
#include "check/problem/match.h"

enum match_status { MATCH_IN, MATCH_OUT, MATCH_UNKNOWN, MATCH_MAYBE };
enum match_class {
    MATCH_NOTHING,
    MATCH_READ,         /* a read of another transaction's write, or of the initial version */
    MATCH_FINAL,        /* the last write of its transaction to the key */
    MATCH_INTERMEDIATE, /* a write that its transaction overwrote itself */
    MATCH_OWN = 16      /* with MATCH_READ: the list ends with the reader's own appends */
};

typedef VEC(uint32_t) match_ids;

struct match {
    const struct history *h;
    struct check_result *r;
    struct level level;
    bool unique_values;
    uint8_t *status; /* per transaction of the history: enum match_status */
    uint8_t *cls;    /* per operation: enum match_class */
    bool any_maybe, any_intermediate;

    uint32_t *last, *last_write; /* per key, see scan_txn */
    uint8_t *list_key;           /* per key: it is a list */
    struct hist_value *initial;  /* per key */
    VEC(uint32_t) found;

    match_ids chain_start, chain_txns; /* where session order does not count: see chains.c */

    /* Lists: the appends by key, and the tables of one key. */
    uint32_t *app_start, *app, *app_txn; /* app_txn: as numbered in prob */
    uint32_t *element_slot, element_mask;
    size_t element_slots;
    /* List read → how many of its last elements are the reader's own; ascending. */
    VEC(struct hist_pair) own_suffix;
    VEC(uint32_t) order;          /* elements of the longest list, as positions in app */
    VEC(uint8_t) seen;            /* per append: in the longest list */
    VEC(uint32_t) app_ver;        /* per append: its version */
    const uint32_t *places;       /* see check_options */
    struct duplicates duplicates; /* filled if places is NULL and there is a choice */
};

/* The appends of one key: operations, transactions (as in prob). */
struct match_appends {
    const uint32_t *op, *txn;
    uint32_t count;
};
/* The longest list that a read of a key shows, without the reader's own elements. */
struct match_longest {
    const int64_t *value;
    uint32_t len, op;
};

/* match.c: a transaction contradicts itself.  False: it surely committed, and *r has the violation.
 * True: its outcome is unknown, so it counts as not committed. */
bool match_contradicts(struct match *m, uint32_t txn, enum anomaly a, uint32_t op1, uint32_t op2);

/* match_lookup.c: match_reads finds the version that every read saw, or its candidates.  False: *r
 * has the answer.  match_index_readers then lists the reads of every version. */
bool match_reads(struct match *m, struct prob *p);
void match_index_readers(struct prob *p);

/* match_list.c */
bool match_scan_list_read(struct match *m, uint32_t txn, uint32_t op, uint32_t last);
bool match_list_key(struct match *m, struct prob *p, uint32_t key, const uint32_t *reads,
                    uint32_t count);
uint32_t match_external_length(const struct match *m, uint32_t op);
void match_version_orders(struct prob *p);
/* Called before the matching is run, which happens again with fewer transactions. */
void match_lists_reset(struct match *m);
void match_lists_free(struct match *m);

/* match_duplicates.c */
void match_collect_duplicates(struct match *m, struct prob *p, const struct match_appends *a,
                              uint32_t key, const uint32_t *reads, uint32_t count,
                              const struct match_longest *l);
bool match_take_places(struct match *m, const struct match_appends *a,
                       const struct match_longest *l);

/* match_unknown.c: transactions of unknown outcome, after a first matching. */
bool match_drop_unread(struct match *m, const struct prob *p);
bool match_settle_sure(struct match *m, const struct prob *p);
void match_settle_maybe(struct match *m, const struct prob *p);

/* chains.c: sorts the transactions that count into chains in which each reads from the one
 * before. */
void match_find_chains(const struct prob *p, match_ids *start, match_ids *txns);

#endif
