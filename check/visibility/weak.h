/* RC, RCS, RA, CC and PSI are decided here: the levels whose snapshots are not prefixes of one
 * order of commits (RC, RA, CC, PSI), or of which a transaction has several (RCS).
 *
 * What a level makes visible to a read, given which write every read saw:
 *
 *   RC   what this read and earlier reads of the transaction saw
 *   RA   what the transaction read from, and its session's earlier transactions
 *   CC   everything on a path of session order and reads that leads to the transaction
 *   PSI  the same, on paths of session order, reads and overwrites
 *
 * If a visible transaction wrote the row of a read, its version is not later than the one that the
 * read saw.  Session order, reads and these orders are part of the arbitration; if they are
 * acyclic, any topological order of them will do for RC, RA and CC (Biswas and Enea, OOPSLA 2019,
 * section 4; AWDIT, PLDI 2025).  For PSI every two versions of a row need an order (Cerone and
 * Gotsman, JACM 2018, section 6: no cycle with at most one anti-dependency), which then makes more
 * visible.
 *
 * Which write a read saw may be a choice, and so may the order of versions for PSI.  A solver
 * picks, the choice is judged as above, and every cycle found is a clause that rules it out. */
#ifndef CHECK_VISIBILITY_WEAK_H
#define CHECK_VISIBILITY_WEAK_H

#include "check/problem/match.h"

bool weak_decides(enum model_id m);
/* Reads with a choice of writers, within the budget of the options: does the history's own order of
 * transactions do, with sources that a small search finds?  True: the answer is OK.  False means
 * nothing.  Candidates may be reordered. */
bool weak_quick(struct prob *p, const struct check_options *o, struct check_result *r);
/* The same with an order that is found by running the transactions. */
bool weak_rerun(struct prob *p, const struct check_options *o, struct check_result *r);
/* Is there a contradiction among reads with at most `most` candidates?  False means nothing. */
bool weak_refute(struct prob *p, const struct check_options *o, uint32_t most,
                 struct check_result *r);
/* Are there reads with more than `above` candidates, but at most `most`? */
bool weak_any_within(const struct prob *p, uint32_t above, uint32_t most);
/* A complete search; UNKNOWN if the budget is over.  p may be changed. */
void weak_check(struct prob *p, const struct check_options *o, struct check_result *r);

/* Lists with equal elements: the level to try first. */
enum model_id weak_stronger(enum model_id m);
/* An order of transactions, or of begins and commits, as an arbitration. */
void weak_from_events(const struct history *h, const struct check_result *events,
                      struct check_result *r);
/* `from` says that the history satisfies a level whose model is at least as strong as r's.  Its
 * certificate becomes one of r's level; or, RCS for RC, r takes it over with its level: which write
 * a read saw is not known then. */
void weak_take_over(const struct history *h, struct check_result *from, struct check_result *r);

/* RCS is PC with every statement a transaction of its own: the parts of a transaction follow each
 * other in its chain, the last one has the writes.  Makes the problem that of the parts; their
 * indices in the history (prob.hist) are those of the whole transactions. */
void weak_split_statements(struct prob *p);

#endif
