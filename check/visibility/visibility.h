/* EC, RC, RCS, RA, CC and PSI are decided here: the levels whose snapshots are not prefixes of one
 * order of commits (EC, RC, RA, CC, PSI), or under which a transaction has several snapshots (RCS).
 *
 * Once it is known which write every read saw, a level makes visible to a read:
 *
 *   EC   the transactions that this read, as a whole, read from; session order does not count
 *   RC   the transactions that this read and earlier reads of its transaction read from
 *   RA   the transactions that its transaction read from, and its session's earlier ones
 *   CC   every transaction on a path of session order and reads that leads to its transaction
 *   PSI  the same, on paths of session order, reads and overwrites
 *
 * If a visible transaction wrote the row of a read, its version is not later than the one that the
 * read saw.  Session order, reads and these orders are part of the arbitration; if they are
 * acyclic, every topological order of them is an arbitration for EC, RC, RA and CC (Biswas and
 * Enea, OOPSLA 2019, section 4; AWDIT, PLDI 2025).  For PSI every two versions of a row need an
 * order (Cerone and Gotsman, JACM 2018, section 6: no cycle with at most one anti-dependency), and
 * that order makes more transactions visible.
 *
 * Which write a read saw may be a choice, and so may the order of versions for PSI.  A solver makes
 * the choices, each set of choices is judged as above, and every cycle found is a clause that rules
 * choices out. */
#ifndef CHECK_VISIBILITY_VISIBILITY_H
#define CHECK_VISIBILITY_VISIBILITY_H

#include "check/problem/match.h"

bool vis_decides(enum model_id m);
/* Reads with a choice of writers, within the budget of the options: does the history's own order of
 * transactions do, with sources that a small search finds?  True: the answer is OK.  False means
 * nothing.  Candidates may be reordered. */
bool vis_quick(struct prob *p, const struct check_options *o, struct check_result *r);
/* The same with an order that is found by running the transactions (visibility_replay.c). */
bool vis_rerun(struct prob *p, const struct check_options *o, struct check_result *r);
/* Is there a contradiction among reads with at most four candidates?  False means nothing. */
bool vis_refute(struct prob *p, const struct check_options *o, struct check_result *r);
/* A complete search; UNKNOWN if the budget is over.  p may be changed. */
void vis_check(struct prob *p, const struct check_options *o, struct check_result *r);

/* Lists with duplicate values: the stronger level to try first. */
enum model_id vis_stronger(enum model_id m);
/* Turn an order of transactions, or of begins and commits, into an arbitration. */
void vis_from_events(const struct history *h, const struct check_result *events,
                     struct check_result *r);
/* `from` says that the history satisfies a level at least as strong as r's.  *r becomes an OK with
 * that certificate, turned into one for r's own level if possible.  It is not possible from RCS to
 * RC, because the sources of the reads are not known; then *r takes over `from` with its level. */
void vis_take_over(const struct history *h, struct check_result *from, struct check_result *r);

/* RCS is PC with every statement a transaction of its own: the parts of a transaction follow each
 * other in its chain, and the last part has the writes.  Turns the problem into that of the parts;
 * prob.hist still has the index of the whole transaction for each part. */
void vis_split_statements(struct prob *p);

#endif
