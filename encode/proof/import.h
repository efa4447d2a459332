/* Summaries (symexec/summary.h) as formulas. */
#ifndef ENCODE_PROOF_IMPORT_H
#define ENCODE_PROOF_IMPORT_H

#include "encode/proof/formula.h"

/* Reads become cells of a state, inputs the terms given, folds and the SIZE leaf those of
 * formula.h.  The index of a fold that is d deep becomes the variable FM_INDEX + d, in reads,
 * writes and locks that have bound leaves.  All arithmetic is exact: FIT is removed. */
struct fm_import {
    struct fm *fm;
    const struct sx_summary *sum;
    const uint32_t *state; /* by read */
    const term_id *input;  /* by input */
    struct map inputs;
    struct term_subst subst;
};
void fm_import_begin(struct fm_import *im, struct fm *fm, const struct sx_summary *sum,
                     const uint32_t *state, const term_id *input);
term_id fm_import(struct fm_import *im, term_id t); /* TERM_NONE stays */
const term_id *fm_import_all(struct fm_import *im, const term_id *t, size_t n);
/* All bound leaves are in their ranges. */
term_id fm_import_range(struct fm_import *im, const struct sx_bound *bound, uint32_t n);
void fm_import_end(struct fm_import *im);

/* A predicate about one state (FM_ANY_STATE), for all values of its variables: those in their
 * ranges make `body` true.  Variables are FM_PARAM, FM_PARAM + 1, … */
struct fm_template {
    const struct sx_summary *of; /* or NULL: one that was found */
    const char *name;            /* … in the user's terms */
    uint32_t n;
    term_id range, body; /* range: the variables are in theirs.  body: true, and no check fails */
    term_id unwinds;     /* a loop in it may go on */
    bool refused;        /* too many parameters: neither assumed nor proved */
};
struct fm_template fm_import_predicate(struct fm *fm, const struct sx_summary *sum);

#endif
