/* Aggregates over rows of which it is not known which version was seen: choices that have to fit
 * together.
 *
 * A aggregate says of some reads of one transaction that the versions they saw, under the
 * transaction's own writes, give the result of an aggregate.  Each of these reads is a choice among
 * all versions of its row (match.h).  Here the constraint is turned into clauses over "read r saw
 * version v" for a solver, into the candidates that it rules out, and into a yes or no.
 *
 * Under repeatable read a row may also have been seen in an old version that does not match (for a
 * count: that matches otherwise than the current one); then it contributes something besides. */
#ifndef CHECK_PROBLEM_AGGREGATE_H
#define CHECK_PROBLEM_AGGREGATE_H

#include "check/problem/match.h"

/* Fill prob.aggregates and what belongs to them.  False: *r says why it ends here. */
bool aggregate_build(struct prob *p, struct check_result *r);
void aggregate_free(struct prob *p);

/* The transaction of the problem that reads. */
static inline uint32_t aggregate_txn(const struct prob *p, const struct aggregate *j)
{
    return p->rd_txn[p->aggregate_rows.data[j->start].read];
}
static inline struct diagram_option
aggregate_value(const struct prob *p, const struct aggregate_row *row, uint32_t version)
{
    return p->aggregate_values.data[row->values + version - p->ver_start[p->rd_key[row->read]]];
}

/* Can the row contribute what it may besides?  (`allowed`: as for aggregate_diagram.) */
typedef bool aggregate_filter(void *arg, uint32_t read, uint32_t version);
bool aggregate_besides(const struct prob *p, const struct aggregate_row *row,
                       aggregate_filter *allowed, void *arg);
/* May row `index` of a diagram have seen the version, if it can contribute something besides or
 * not? */
bool aggregate_allows(const struct prob *p, const struct aggregate_row *row,
                      const struct diagram *d, uint32_t index, uint32_t version, bool besides);

/* Is the result right if every read saw what `src` says (per read, a version)? */
bool aggregate_holds(const struct prob *p, const struct aggregate *j, const uint32_t *src);
/* … if every read of the transaction sees the current version of its key? */
bool aggregate_holds_now(const struct prob *p, const struct aggregate *j, const uint32_t *current);

/* The diagram over all candidates that are still possible and that `allowed` (NULL: all) lets
 * pass. */
enum diagram_answer aggregate_diagram(const struct prob *p, const struct aggregate *j,
                                      aggregate_filter *allowed, void *arg, struct diagram *d);

/* Where clauses go.  lit: the literal of "read saw version", for candidates of choices. */
struct aggregate_sink {
    void *arg;
    uint32_t (*var)(void *arg);
    void (*clause)(void *arg, const uint32_t *lits, size_t n);
    uint32_t (*lit)(void *arg, uint32_t read, uint32_t version);
};
/* happened: a literal without which the aggregate says nothing, or HIST_NONE.  False: the diagram
 * is too large, and there are no clauses. */
bool aggregate_encode(const struct prob *p, const struct aggregate *j, uint32_t happened,
                      const struct aggregate_sink *to);

#endif
