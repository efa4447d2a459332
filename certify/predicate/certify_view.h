/* What a predicate read saw of the rows, for certify_whitebox.c and certify_replay.c. */
#ifndef CERTIFY_PREDICATE_CERTIFY_VIEW_H
#define CERTIFY_PREDICATE_CERTIFY_VIEW_H

#include "history/predicate.h"

/* What a predicate read saw of the rows, and what it returned. */
struct view {
    const struct history *h;
    struct pred pred;
    struct hist_value *initial;
    uint8_t *list_key;
    uint32_t *op;       /* per key: the write that it saw, or HIST_NONE */
    uint32_t *returned; /* per key: the read that stands for the row, or HIST_NONE */
    uint32_t *op_txn;   /* per operation */
    /* For orders: per write, that of the version before it, or HIST_NONE; per key, that of the
     * version set at hand. */
    uint32_t *before, *set;
};

void view_init(struct view *v, const struct history *h);
void view_free(struct view *v);
/* The value of the row. */
struct hist_value view_value(const struct view *v, uint32_t key);
/* Is the result of an aggregate that of the rows? */
bool view_sum_stands(const struct view *v, const struct hist_predicate *q);
/* The transaction's last write of the key before the predicate read, or HIST_NONE. */
uint32_t view_own_write(const struct history *h, const struct hist_predicate *q, uint32_t key);
/* The message that something is wrong with a transaction. */
const char *view_wrong(const struct history *h, uint32_t txn, const char *what,
                       struct arena *messages);

#endif
