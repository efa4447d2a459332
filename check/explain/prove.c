/* Proofs for the certifier: the solver is given the certifier's own clauses, and the clauses that
 * it learned on the way to a contradiction, as far as that rests on them, are the proof.
 *
 * The clauses are those that the cycles of the explanation leave, which is little compared with
 * what the search had to deal with. */
#include "check/explain/prove.h"

#include "check/solver/sat.h"

static bool refute(void *self, const struct clauses *given, const clause_lits *goal,
                   clause_lits *lits, clause_lits *ends)
{
    (void)self;
    struct sat *s = sat_new(1, true);
    sat_lits learned = {0}, learned_ends = {0};
    for (uint32_t v = 0; v < clauses_vars(given); v++)
        sat_new_var(s, false);
    for (size_t i = 0; i < given->ends.len; i++) {
        uint32_t start = i ? given->ends.data[i - 1] : 0;
        sat_add_clause(s, given->lits.data + start, given->ends.data[i] - start);
    }
    for (size_t i = 0; i < goal->len; i++)
        sat_add_clause(s, (uint32_t[]){sat_neg(goal->data[i])}, 1);
    bool no = sat_solve(s) == SAT_NO;
    if (no)
        sat_proof(s, &learned, &learned_ends);
    for (size_t i = 0; i < learned.len; i++)
        vec_push(lits, learned.data[i]);
    for (size_t i = 0; i < learned_ends.len; i++)
        vec_push(ends, learned_ends.data[i]);
    vec_free(&learned);
    vec_free(&learned_ends);
    sat_free(s);
    return no;
}

const char *prove_violation(const struct history *h, const struct certify_question *o,
                            struct check_result *r, struct arena *messages)
{
    const struct certify_prover prover = {NULL, refute};
    const char *error = certify_prove(h, o, r, &prover, messages);
    /* What is written down must be enough without the solver. */
    return error || !r->proofs.len ? error : certify_violation(h, o, r, messages);
}
