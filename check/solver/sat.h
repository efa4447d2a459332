/* A CDCL solver for propositional clauses plus one theory.
 *
 * Literals are 2 v for the variable v and 2 v + 1 for its negation.  The theory is told of
 * every literal that becomes true and may answer with a conflict: a clause that the present
 * assignment falsifies.  Everything is deterministic for a seed.
 *
 * With tracing on, the solver remembers how each learned clause was lowered, so that after UNSAT
 * the clauses and the theory's conflicts that were really used can be asked for. */
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
    /* `lit` is true now.  False: inconsistent; *conflict gets literals that are all false, the
     * negation of lit among them, and *tag a number for sat_core.  Then the literal counts as not
     * told. */
    bool (*tell)(void *self, uint32_t lit, sat_lits *conflict, uint32_t *tag);
    /* The literal told last is not true any more. */
    void (*untell)(void *self, uint32_t lit);
};

enum sat_result { SAT_YES, SAT_NO, SAT_STOPPED };

struct sat;
struct sat *sat_new(uint64_t seed, bool trace);
void sat_free(struct sat *s);
/* At the start; nothing was told to it yet. */
void sat_set_theory(struct sat *s, const struct sat_theory *t);

uint32_t sat_new_var(struct sat *s, bool phase); /* phase: which value to try first */
/* One that is never decided: as long as nothing follows, it counts as false.  Each clause that is
 * added may have one such literal that is not negated. */
uint32_t sat_new_passive(struct sat *s);
uint32_t sat_vars(const struct sat *s);
/* Repeated literals and tautologies are allowed.  Returns the clause's number, from 0, counting
 * calls. */
uint32_t sat_add_clause(struct sat *s, const uint32_t *lits, size_t n);
/* A clause that a theory outside the solver found; `tag` as in sat_core. */
void sat_add_lemma(struct sat *s, const uint32_t *lits, size_t n, uint32_t tag);
/* Where a conflict would undo more than `far` decisions that have nothing to do with it, only the
 * last one is undone (Nadel and Ryvchin, SAT 2018; Möhle and Biere, SAT 2019).  For problems of
 * many parts. */
void sat_be_patient(struct sat *s, uint32_t far);
/* sat_solve gives up after so many conflicts in all, or when so many more literals have become
 * true: a large problem may be much work without a conflict.  0: never. */
void sat_set_budget(struct sat *s, uint64_t conflicts, uint64_t literals);
/* Work done outside the solver counts against its budget like so many literals. */
void sat_charge(struct sat *s, uint64_t literals);
/* At the start: does the literal alone lead to a conflict?  Then its negation holds from now on. */
void sat_probe(struct sat *s, uint32_t lit);
bool sat_fixed(const struct sat *s, uint32_t lit); /* at the start: true for good */
/* Stops when limit_reached(). */
enum sat_result sat_solve(struct sat *s);
/* After SAT_YES: back to the start, so that clauses and variables can be added. */
void sat_restart(struct sat *s);
bool sat_value(const struct sat *s, uint32_t var); /* after SAT_YES */

/* After SAT_NO, tracing: the clauses used (numbers), the theory's conflicts used (tags). */
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
