/* Aggregates over rows whose versions are not known: constraints on several choices at once.
 *
 * An aggregate ties some reads of one transaction together: the versions that they saw, under the
 * transaction's own writes, must give the recorded result.  Each of these reads is a choice among
 * all versions of its row (match.h).  This file turns the constraint into clauses over "read r saw
 * version v" for a solver, into the candidates that the constraint rules out, and into a yes or no
 * for given versions.
 *
 * Under repeatable read a row may also have been seen in an old version that does not match (for a
 * count: one that matches when the current one does not, or the other way round).  The row may then
 * contribute an alternative value, called "besides" below. */
#ifndef CHECK_PROBLEM_AGGREGATE_H
#define CHECK_PROBLEM_AGGREGATE_H

#include "check/problem/match.h"

/* Fill prob.aggregates, aggregate_rows and aggregate_values.  False: *r has the answer. */
bool aggregate_build(struct prob *p, struct check_result *r);
void aggregate_free(struct prob *p);

/* The transaction that contains the aggregate, as numbered by the problem. */
static inline uint32_t aggregate_txn(const struct prob *p, const struct aggregate *j)
{
    return p->rd_txn[p->aggregate_rows.data[j->start].read];
}
static inline struct diagram_option
aggregate_value(const struct prob *p, const struct aggregate_row *row, uint32_t version)
{
    return p->aggregate_values.data[row->values + version - p->ver_start[p->rd_key[row->read]]];
}

/* Can the row contribute its alternative value?  (`allowed`: as for aggregate_diagram.) */
typedef bool aggregate_filter(void *arg, uint32_t read, uint32_t version);
bool aggregate_besides(const struct prob *p, const struct aggregate_row *row,
                       aggregate_filter *allowed, void *arg);
/* May row `index` of the diagram have seen the version?  `besides`: the row can contribute its
 * alternative value instead of the version's. */
bool aggregate_allows(const struct prob *p, const struct aggregate_row *row,
                      const struct diagram *d, uint32_t index, uint32_t version, bool besides);

/* Does the aggregate have its recorded result if every read saw the version that `src` has for
 * it? */
bool aggregate_holds(const struct prob *p, const struct aggregate *j, const uint32_t *src);
/* The same if every read of the transaction sees the current version of its key. */
bool aggregate_holds_now(const struct prob *p, const struct aggregate *j, const uint32_t *current);

/* The diagram over all candidates that are still possible and that `allowed` (NULL: all) lets
 * pass. */
enum diagram_answer aggregate_diagram(const struct prob *p, const struct aggregate *j,
                                      aggregate_filter *allowed, void *arg, struct diagram *d);

/* Receives the clauses.  lit: the literal of "read saw version", for candidates of choices. */
struct aggregate_sink {
    void *arg;
    uint32_t (*var)(void *arg);
    void (*clause)(void *arg, const uint32_t *lits, size_t n);
    uint32_t (*lit)(void *arg, uint32_t read, uint32_t version);
};
/* Give the clauses of an aggregate to a sink.  happened: the literal that the transaction happened,
 * without which the aggregate constrains nothing, or HIST_NONE if it surely did.  False: the
 * diagram is too large, and no clause was given. */
bool aggregate_encode(const struct prob *p, const struct aggregate *j, uint32_t happened,
                      const struct aggregate_sink *to);

#endif
