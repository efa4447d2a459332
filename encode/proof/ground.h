/* Ground instances: what a solver without quantifiers is told of formulas about whole states.
 *
 * Ground formulas are asserted as they are.  The solver sees a cell as a function of the row's
 * indices, one per state, table and field; a sum as a function of its parameters (see `sum`
 * below); other folds as unknowns.  What is true *for all* rows or values is asserted for those
 * that matter: rows whose cells the solver has met, in a few rounds, since an instance may mention
 * new rows.
 *
 * All that is said here is true of every interpretation in which cells, folds and quantifiers mean
 * what they say.  So what the solver refutes is false; what it does not refute may be false, too.
 */
#ifndef ENCODE_PROOF_GROUND_H
#define ENCODE_PROOF_GROUND_H

#include "encode/proof/formula.h"
#include "encode/z3/zterm.h"

/* A row that matters.  An index that is TERM_NONE is not known: the row occurs in the body of a
 * fold. */
struct ground_row {
    const term_id *index;
    uint64_t states; /* in which states its cells occur, as fm_state_bit */
    uint64_t fields; /* which of its cells, 63: it and those after it */
};
typedef VEC(struct ground_row) ground_rows;
typedef VEC(term_id) ground_terms;

struct ground_claim; /* claims.c */

struct ground {
    struct fm *fm;
    struct z3ctx *z;
    struct zterm t;
    struct arena arena;
    ground_rows *rows;     /* by table */
    ground_terms **values; /* by table and field: ground terms that its cells are compared with */
    ground_terms **bounds; /* by table and field: constants that claims compare its cells with */
    VEC(struct ground_claim *) claims;
    VEC(const struct fm_leaf *) folds; /* ground ones that the solver has met */
    VEC(unsigned) fold_age;
    size_t n_told;               /* of them: their facts have been asserted */
    struct map cells;            /* state, table, field → function */
    struct map sums;             /* a sum without its parameters → function */
    struct map scanned;          /* terms whose comparisons have been looked at */
    size_t n_instances, n_pairs; /* claims; sums that were compared (fold_facts.c) */
    /* How many instances it took to get there: 0 for what the step itself mentions.  A term's age
     * is that of the first row or value that it was. */
    unsigned age;
    struct map ages; /* index terms and values */
    bool bits;
    int effort;    /* 0: only what most proofs need */
    uint64_t seen; /* the states that the transaction sees, as fm_state_bit */
};

void ground_init(struct ground *g, struct fm *fm, struct z3ctx *z, bool bits);
void ground_free(struct ground *g);

Z3_ast ground_z3(struct ground *g, term_id t); /* a ground formula, for the solver */
void ground_assert(struct ground *g, Z3_ast guard, term_id t); /* guard → t */
/* A row that matters although its cells may not occur anywhere. */
void ground_mention(struct ground *g, uint32_t state, uint32_t table, const term_id *index);
/* A value that matters for the comparisons of a field. */
void ground_value(struct ground *g, uint32_t table, uint32_t field, term_id value);

/* For all values of the n variables (FM_PARAM, …): guard → body. */
struct ground_for_all {
    uint32_t n;
    term_id body;
    Z3_ast guard;
    uint64_t states; /* only for rows that occur in one of these, as fm_state_bit; 0: all rows */
    uint64_t fields; /* … and in which one of these cells occurs, as in ground_row; 0: any */
    unsigned age;    /* of the claim itself */
    unsigned reach;  /* the rows and values that it is asserted for are younger; 0: the default */
};
void ground_for_all(struct ground *g, const struct ground_for_all *f);
/* One round: asserts the facts about the folds that are new, and the instances for all rows and
 * values so far.  False if there was nothing new. */
bool ground_round(struct ground *g);

/* ---- inside -------------------------------------------------------------------------------- */

/* All instances for the rows and values so far that are new; says whether there were any. */
bool ground_instances(struct ground *g);
void ground_claims_free(struct ground *g);
/* What is true of a fold (fold_facts.c). */
void ground_fold_facts(struct ground *g, const struct fm_leaf *fold, unsigned age);
#define GROUND_REACH 3u /* the default of ground_for_all.reach */

#endif
