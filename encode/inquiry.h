/* One question being answered: the pieces of verify_run. */
#ifndef ENCODE_INQUIRY_H
#define ENCODE_INQUIRY_H

#include "encode/run.h"
#include "encode/verdicts.h"
#include "encode/verify_program.h"

struct inquiry {
    struct verify_program *v;
    const struct verify_question *q;
    struct verify_result *r;
    const struct model **levels; /* by TRANSACTION */
    enum sx_reads kind;          /* what the levels need */
    /* The summaries that runs are made of (inquiry_set_rows); before the first run of a program
     * with ANY, those for tables of any size. */
    struct sx_program *sx;
    uint64_t max_rows; /* programs with ANY: the largest tables to run on; else 0 */
    const struct properties *props;
    struct run_program spare[VERIFY_SPARE_MAX];
    size_t n_spare;
    struct z3ctx_pool *pool; /* one per question, unless the caller has one: so answers do not
                             depend on earlier ones */
    double deadline;         /* wall clock, of this question; 0: none */
    bool *unsettled;         /* by property: still to be run */
    verdict_list verdicts;
    struct verify_gap **gaps; /* by property, from the proof rule, not yet given away */
    const char **unproved;    /* by property: why the rule did not prove it, or NULL */
    const uint32_t **needs;   /* by property: what the rule would need */
    size_t *n_needs;
};

/* ---- verdicts (inquiry.c) ------------------------------------------------------------------ */

/* Tell the asker of a verdict that may not be the last one about its property. */
void inquiry_tell(struct inquiry *q, const struct verify_verdict *verdict);
void inquiry_add(struct inquiry *q, struct verify_verdict verdict);

/* ---- runs ---------------------------------------------------------------------------------- */

/* Runs are on tables of so many rows from now on (programs without ANY: 0).  NULL, or why not. */
const char *inquiry_set_rows(struct inquiry *q, uint64_t rows);
/* A run about the unsettled properties, of any number of instances yet. */
struct run_input inquiry_run(struct inquiry *q);
/* Every state that satisfies the invariants may be the initial one. */
bool inquiry_starts_anywhere(const struct inquiry *q);
bool inquiry_runs_scenarios(const struct inquiry *q);
/* One initial state, that of the program. */
bool inquiry_has_start(const struct inquiry *q);
/* The program's initial state (initial_state.c): invariants hold there, and INITIAL itself passes
 * its checks.  A violation settles the property. */
void inquiry_run_initially(struct inquiry *q);
/* After runs from the program's initial state: the tables that it leaves no room in for new rows
 * (filled.c). */
void inquiry_find_filled(struct inquiry *q);
/* Which invariants hold initially, by their number, as far as that is found out before the deadline
 * (0: none).  Where every state that satisfies them may be the initial one, all do by definition.
 */
void inquiry_find_base(struct inquiry *q, double deadline, bool *base);
/* Any 2, 3, … instances of the transactions (growth.c). */
void inquiry_run_growing(struct inquiry *q, bool any_state);
/* One scenario, by number.  Both on tables of 1, 2, … rows if the program has ANY. */
void inquiry_run_scenario(struct inquiry *q, uint32_t number);

/* ---- proofs (inquiry_proof.c) -------------------------------------------------------------- */

/* Try the proof rule on all properties; what it proves is settled. */
void inquiry_prove(struct inquiry *q);
/* The static argument for robustness (inquiry_robust.c). */
void inquiry_prove_robust(struct inquiry *q);
/* The verdict on a property that the rule did not prove, if nothing but the rule was wanted. */
struct verify_verdict inquiry_not_proved(const struct inquiry *q, uint32_t property);

#endif
