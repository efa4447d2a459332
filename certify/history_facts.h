/* What a history says by itself, without any search: which writes a read may have seen, who counts,
 * which version orders are on record.  The base of certify_violation, written from the definitions
 * and sharing nothing with match.c. */
#ifndef CERTIFY_HISTORY_FACTS_H
#define CERTIFY_HISTORY_FACTS_H

#include "history/history.h"

struct hist_facts {
    const struct history *h;
    uint32_t *key_start, *key_ops; /* operations by key, in order of the history */
    uint32_t *op_txn;              /* per operation */
    struct hist_value *initial;
    bool settled;        /* `consistent` was filled */
    uint8_t *consistent; /* per transaction of unknown outcome: 1 it may have happened, 2 no */
    uint8_t *counts;     /* per transaction: 0 not looked at, 1 yes, 2 no, 3 being looked at */
    bool per_read;       /* a transaction may read two versions of a key (RC, RCS) */
};

typedef VEC(uint32_t) hist_facts_ops;

void hist_facts_init(struct hist_facts *f, const struct history *h, bool per_read);
void hist_facts_free(struct hist_facts *f);

/* May the transaction have committed?  False if it aborted, or if its outcome is unknown and it
 * contradicts itself or has a read that nothing explains. */
bool hist_facts_possible(struct hist_facts *f, uint32_t txn);
/* Did the transaction certainly commit?  The history says so, or it is the only possible source of
 * a read by a transaction that certainly committed. */
bool hist_facts_counts(struct hist_facts *f, uint32_t txn);
/* The last write of its transaction to its key. */
bool hist_facts_final(const struct hist_facts *f, uint32_t op);
/* Two operations, a before b, of one statement. */
bool hist_facts_same_statement(const struct hist_facts *f, uint32_t a, uint32_t b);
/* … rows of one read. */
bool hist_facts_same_read(const struct hist_facts *f, uint32_t a, uint32_t b);
/* A read of what others wrote. */
bool hist_facts_external(const struct hist_facts *f, uint32_t op);
/* The read from outside that stands for a row of an aggregate: itself, or another one of the same
 * row and transaction. */
uint32_t hist_facts_row(const struct hist_facts *f, uint32_t op);
/* The first own operation that a read contradicts, or HIST_NONE. */
uint32_t hist_facts_contradiction(const struct hist_facts *f, uint32_t read);
/* The writes that an external read may have seen, HIST_NONE for the initial version. */
void hist_facts_sources(struct hist_facts *f, uint32_t read, hist_facts_ops *out);
/* Is the version of a known to be older than that of b?  The evidence is a read of a list, a
 * version order on record, or that b's transaction read a before it wrote b. */
bool hist_facts_older(struct hist_facts *f, uint32_t a, uint32_t b);
/* How often transactions other than `except` that may have committed appended the value to the key;
 * and how often the value occurs in the part of a list read that others wrote. */
uint32_t hist_facts_appended(struct hist_facts *f, uint32_t key, int64_t value, uint32_t except);
uint32_t hist_facts_shown(const struct hist_facts *f, uint32_t read, int64_t value);
/* The part of a list read that others wrote. */
uint32_t hist_facts_list_length(const struct hist_facts *f, uint32_t read);

#endif
