/* The inside of a step, see step.h. */
#ifndef ENCODE_PROOF_STEP_INTERNAL_H
#define ENCODE_PROOF_STEP_INTERNAL_H

#include "encode/proof/ground.h"
#include "encode/proof/import.h"
#include "encode/proof/step.h"

/* An unknown value of variable `number` of a template, if its values are from lo to hi. */
struct step_witness {
    uint32_t number;
    term_int lo, hi;
    term_id term;
};

struct proof_step {
    const struct proof_setting *setting;
    struct sx_program *sx;
    const struct sx_summary *sum;
    struct fm fm;
    struct ground g;
    struct z3ctx z;
    struct arena arena;
    /* States: what T sees (none if it reads nothing), what its writes are applied to, what that
     * gives.  `full`: the state after all transactions before T, which fresh looks at; may be
     * `before`. */
    uint32_t *seen, n_seen, before, full, after;
    uint32_t *read_state; /* by read */
    uint32_t *seen_set;   /* by state seen: the number of its visible set, see set_of */
    /* T */
    term_id *input;
    term_id exists, committed, check_failed;
    term_id *fires, *reached, *checked, *blocked; /* by point, as in struct prob_alt */
    struct fm_write *writes, *locks;
    size_t n_writes, n_locks;
    /* Levels of databases: rows that T locks, and from which of the states it sees on they are as
     * in B; n_seen: from none on. */
    struct fm_write *touches;
    uint32_t *touch_from;
    size_t n_touches;
    struct fm_template *constraints; /* by CONSTRAINT */
    /* Facts */
    struct fm_template *templates; /* by invariant */
    VEC(struct step_witness) witnesses;
    term_id **witness;       /* by invariant: values of its variables for which it fails */
    term_id *goal, *unwinds; /* by invariant: it fails after the step; a loop of it goes on */
    Z3_ast *inv_holds, *inv_broken, *rely_holds, *rely_broken; /* switches; literals */
    size_t n_inv, n_rely;
    z3ctx_asts last; /* assumptions of the last check, in the order of the facts */
    bool trivial;    /* it needed none */
};

/* T, and INITIAL, as formulas (step_effects.c). */
void step_import_txn(struct proof_step *s);
void step_import_initial(struct proof_step *s);
/* What is known about the states (step_facts.c). */
void step_add_facts(struct proof_step *s);
/* The goals: what is to be refuted. */
void step_add_goals(struct proof_step *s);

static inline bool step_is_ser(const struct proof_step *s)
{
    return model_has(s->setting->model, AXIOM_TOTALVIS);
}
/* Visible sets are prefixes of ar: what a transaction joins is everything before it. */
static inline bool step_has_prefixes(const struct proof_step *s)
{
    return step_is_ser(s) || model_has(s->setting->model, AXIOM_PREFIX) ||
           s->setting->model->snapshot == SNAPSHOT_STATEMENT;
}

#endif
