/* Aggregates over rows of which it is not known which version was seen: choices that have to fit
 * together.
 *
 * A joint says of some reads of one transaction that the versions they saw, under the
 * transaction's own writes, give the result of an aggregate.  Each of these reads is a choice among
 * all versions of its row (match.h).  Here the constraint is turned into clauses over "read r saw
 * version v" for a solver, into the candidates that it rules out, and into a yes or no.
 *
 * Under repeatable read a row may also have been seen in an old version that does not match (for a
 * count: that matches otherwise than the current one); then it contributes something besides. */
#ifndef HISTORY_JOINT_H
#define HISTORY_JOINT_H

#include "history/match.h"

/* Fill prob.joints and what belongs to them.  False: *r says why it ends here. */
bool joint_build(struct prob *p, struct check_result *r);
void joint_free(struct prob *p);

/* The transaction of the problem that reads. */
static inline uint32_t joint_txn(const struct prob *p, const struct joint *j)
{
    return p->rd_txn[p->joint_rows.data[j->start].read];
}
static inline struct diagram_option joint_value(const struct prob *p, const struct joint_row *row,
                                                uint32_t version)
{
    return p->joint_values.data[row->values + version - p->ver_start[p->rd_key[row->read]]];
}

/* Can the row contribute what it may besides?  (`allowed`: as for joint_diagram.) */
typedef bool joint_filter(void *arg, uint32_t read, uint32_t version);
bool joint_besides(const struct prob *p, const struct joint_row *row, joint_filter *allowed,
                   void *arg);
/* May row `index` of a diagram have seen the version, if it can contribute something besides or
 * not? */
bool joint_allows(const struct prob *p, const struct joint_row *row, const struct diagram *d,
                  uint32_t index, uint32_t version, bool besides);

/* Is the result right if every read saw what `src` says (per read, a version)? */
bool joint_holds(const struct prob *p, const struct joint *j, const uint32_t *src);
/* … if every read of the transaction sees the current version of its key? */
bool joint_holds_now(const struct prob *p, const struct joint *j, const uint32_t *current);

/* The diagram over all candidates that are still possible and that `allowed` (NULL: all) lets
 * pass. */
enum diagram_answer joint_diagram(const struct prob *p, const struct joint *j,
                                  joint_filter *allowed, void *arg, struct diagram *d);

/* Where clauses go.  lit: the literal of "read saw version", for candidates of choices. */
struct joint_sink {
    void *arg;
    uint32_t (*var)(void *arg);
    void (*clause)(void *arg, const uint32_t *lits, size_t n);
    uint32_t (*lit)(void *arg, uint32_t read, uint32_t version);
};
/* happened: a literal without which the joint says nothing, or HIST_NONE.  False: the diagram is
 * too large, and there are no clauses. */
bool joint_encode(const struct prob *p, const struct joint *j, uint32_t happened,
                  const struct joint_sink *to);

#endif
