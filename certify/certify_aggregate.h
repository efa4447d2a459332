/* Aggregates without version sets for the files certify*.c, by their definition: the result over
 * what the transaction sees of every row.  Nothing here comes from the search (aggregate.h). */
#ifndef CERTIFY_CERTIFY_AGGREGATE_H
#define CERTIFY_CERTIFY_AGGREGATE_H

#include "certify/history_facts.h"
#include "history/lower/aggregate_ways.h"

struct aggregates {
    const struct history *h;
    bool any; /* the history has such aggregates; otherwise nothing else is set */
    struct pred pred;
    struct hist_value *initial;
    uint8_t *row;           /* per key: it is a row, neither a list nor made up (lower.h) */
    uint32_t *own, *own_at; /* per key: the own write before the aggregate at hand */
    uint32_t stamp;
};

void aggregates_init(struct aggregates *a, const struct history *h);
void aggregates_free(struct aggregates *a);

/* Is it such an aggregate, of an operation that took effect? */
bool aggregate_counts(const struct hist_predicate *q);

/* Is the result that of all rows, if the transaction sees `seen` of those that it had not written
 * itself before? */
typedef struct hist_value aggregate_seen(void *arg, uint32_t key);
bool aggregate_stands(struct aggregates *a, const struct hist_predicate *q, aggregate_seen *seen,
                      void *arg);
/* Had the transaction written the row before?  For the aggregate that was last asked about. */
bool aggregate_is_own(const struct aggregates *a, uint32_t key);

/* Repeatable read (q->old): old versions will do, if the row has turned from how it was at first.
 * For a count the operations of the rows say just that, and how a row was at first always counts,
 * too; otherwise the operation behind that of a row may say so, and then the row may not match. */
uint32_t aggregate_turned(const struct aggregates *a, const struct hist_predicate *q, uint32_t op);
/* May the row of the operation contribute something else than what it is seen as, though it may
 * not have turned? */
bool aggregate_is_free(const struct aggregates *a, const struct hist_predicate *q, uint32_t op);

/* --- all ways to get a result ---------------------------------------------------------------- */

void aggregate_ways_start(struct aggregates *a, const struct hist_predicate *q,
                          struct aggregate_ways *w);
void aggregate_ways_row(struct aggregates *a, struct aggregate_ways *w, uint32_t key,
                        const hist_facts_ops *sources);
/* The last row may be something besides. */
void aggregate_ways_besides(struct aggregates *a, struct aggregate_ways *w, uint32_t key);

#endif
