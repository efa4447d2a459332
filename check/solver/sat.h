/* A CDCL solver for propositional clauses plus one theory.
 *
 * Literals are 2 v for the variable v and 2 v + 1 for its negation.  The theory is told of every
 * literal that becomes true and may answer with a conflict: a clause that the present assignment
 * falsifies.  Runs with the same seed are identical.
 *
 * With tracing on, the solver remembers how each learned clause was derived, so that after SAT_NO
 * sat_core can tell which clauses and theory conflicts were used. */
#ifndef CHECK_SOLVER_SAT_H
#define CHECK_SOLVER_SAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/stats.h"
#include "base/vec.h"

typedef VEC(uint32_t) sat_lits;

struct sat_theory {
    void *self;
    /* `lit` is true now.  False: that is inconsistent; *conflict gets literals that are all false,
     * the negation of lit among them, and *tag a number for sat_core.  The literal then counts as
     * not told. */
    bool (*tell)(void *self, uint32_t lit, sat_lits *conflict, uint32_t *tag);
    /* The literal told last is not true any more. */
    void (*untell)(void *self, uint32_t lit);
};

enum sat_result { SAT_YES, SAT_NO, SAT_STOPPED };

struct sat;
struct sat *sat_new(uint64_t seed, bool trace);
void sat_free(struct sat *s);
/* To be called before solving, with a theory that has not been told anything. */
void sat_set_theory(struct sat *s, const struct sat_theory *t);

uint32_t sat_new_var(struct sat *s, bool phase); /* phase: which value to try first */
/* A variable that is never decided: it counts as false until propagation makes it true.  Each added
 * clause may contain one positive literal of such a variable. */
uint32_t sat_new_passive(struct sat *s);
uint32_t sat_vars(const struct sat *s);
/* Repeated literals and tautologies are allowed.  Returns the clause's number: the calls are
 * counted from 0. */
uint32_t sat_add_clause(struct sat *s, const uint32_t *lits, size_t n);
/* A clause that a theory outside the solver found; `tag` as in sat_core. */
void sat_add_lemma(struct sat *s, const uint32_t *lits, size_t n, uint32_t tag);
/* Chronological backtracking: where a conflict would undo more than `far` decisions that have
 * nothing to do with it, only the last decision is undone (Nadel and Ryvchin, SAT 2018; Möhle and
 * Biere, SAT 2019).  For problems of many independent parts. */
void sat_be_patient(struct sat *s, uint32_t far);
/* sat_solve gives up after this many conflicts in all, or after this many more literals have become
 * true, since a large problem can take long without a conflict.  0: no limit. */
void sat_set_budget(struct sat *s, uint64_t conflicts, uint64_t literals);
/* At the start: does the literal alone lead to a conflict?  Then its negation holds from now on. */
void sat_probe(struct sat *s, uint32_t lit);
/* Before solving: the literal is true at level 0. */
/* Gives SAT_STOPPED when limit_reached(). */
enum sat_result sat_solve(struct sat *s);
/* After SAT_YES: undo all decisions, so that clauses and variables can be added. */
void sat_restart(struct sat *s);
bool sat_value(const struct sat *s, uint32_t var); /* after SAT_YES */

/* After SAT_NO with tracing: the numbers of the clauses and the tags of the theory conflicts
 * used. */
void sat_core(struct sat *s, sat_lits *clauses, sat_lits *tags);
/* After SAT_NO, tracing, without theory: the learned clauses that were used, in order, each of
 * which follows from the given ones and those before it by unit propagation, as does a
 * contradiction from all of them.  Clause i has lits[ends[i - 1] … ends[i]). */
void sat_proof(struct sat *s, sat_lits *lits, sat_lits *ends);
void sat_stats(const struct sat *s, struct stats *out);

static inline uint32_t sat_neg(uint32_t lit)
{
    return lit ^ 1;
}

#endif
