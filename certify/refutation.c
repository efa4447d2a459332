/* Facts as variables, and the replaying of proofs; see refutation.h. */
#include "certify/refutation.h"

void formula_free(struct formula *f)
{
    clauses_free(&f->clauses);
    vec_free(&f->facts);
    for (int k = 0; k < CHECK_FACT_KINDS; k++)
        map_free(&f->vars[k]);
}

static uint64_t parts(uint32_t a, uint32_t b)
{
    return (uint64_t)a << 32 | b;
}

uint32_t formula_lit(struct formula *f, enum check_fact_kind kind, uint32_t a, uint32_t b,
                     bool *fresh)
{
    bool is_new;
    uint64_t *v = map_put(&f->vars[kind], parts(a, b), 0, &is_new);
    if (is_new) {
        *v = clauses_new_var(&f->clauses);
        vec_push(&f->facts, ((struct check_fact){kind, a, b}));
    }
    if (fresh)
        *fresh = is_new;
    return (uint32_t)(2 * *v);
}

uint32_t formula_find(const struct formula *f, enum check_fact_kind kind, uint32_t a, uint32_t b)
{
    const uint64_t *v = map_get(&f->vars[kind], parts(a, b));
    return v ? (uint32_t)(2 * *v) : HIST_NONE;
}

void formula_add(struct formula *f, const uint32_t *lits, size_t n)
{
    clauses_add(&f->clauses, lits, n);
}

void formula_at_most_one(struct formula *f, const uint32_t *lits, size_t n, size_t few,
                         enum check_fact_kind kind, uint32_t a, uint32_t b)
{
    for (size_t x = 0; x < n && n <= few; x++)
        for (size_t y = 0; y < x; y++) {
            uint32_t both[] = {clause_not(lits[x]), clause_not(lits[y])};
            formula_add(f, both, 2);
        }
    uint32_t any = 0; /* one of those before is true */
    for (size_t i = 0; i < n && n > few; i++) {
        uint32_t before = any;
        any = formula_lit(f, kind, a, b + (uint32_t)i + 1, NULL);
        uint32_t now[] = {clause_not(lits[i]), any}, later[] = {clause_not(before), any},
                 not_both[] = {clause_not(before), clause_not(lits[i])};
        formula_add(f, now, 2);
        if (!i)
            continue;
        formula_add(f, later, 2);
        formula_add(f, not_both, 2);
    }
}

/* --- replaying -------------------------------------------------------------------------------- */

const struct check_proof *proof_next(struct proof_reader *p, struct judge *j, struct formula *f,
                                     const clause_lits *goal)
{
    if (p->prover)
        p->prover->prove(p->prover->self, j, f, goal);
    return p->next < p->r->proofs.len ? &p->r->proofs.data[p->next++] : NULL;
}

/* The literals of a clause of a proof, and those of the goal.  False: the formula does not speak of
 * a fact. */
static bool read_clause(const struct check_result *r, const struct check_clause *c,
                        const struct formula *f, const clause_lits *goal, clause_lits *lits)
{
    vec_clear(lits);
    for (uint32_t k = 0; k < c->len; k++) {
        const struct check_literal *l = &r->literals.data[c->start + k];
        uint32_t lit = formula_find(f, l->fact.kind, l->fact.a, l->fact.b);
        if (lit == HIST_NONE)
            return false;
        vec_push(lits, lit + l->negated);
    }
    for (size_t k = 0; k < goal->len; k++)
        vec_push(lits, goal->data[k]);
    return true;
}

bool proof_replay(const struct check_result *r, const struct check_proof *p, struct formula *f,
                  const clause_lits *goal, proof_exhausted *exhausted, void *arg)
{
    clause_lits lits = {0};
    bool fine = true, proved = false;
    for (uint32_t i = 0; i < p->len && fine; i++) {
        const struct check_clause *c = &r->clauses.data[p->start + i];
        fine = read_clause(r, c, f, goal, &lits);
        enum clauses_outcome x = !fine ? CLAUSES_WRONG
                                       : clauses_follow(&f->clauses, lits.data, lits.len,
                                                        r->hints.data + c->hints, c->hint_count);
        fine = x == CLAUSES_FALSE || (x == CLAUSES_OPEN && c->aggregate != HIST_NONE && exhausted &&
                                      exhausted(arg, c->aggregate));
        clauses_retract(&f->clauses);
        if (fine)
            formula_add(f, lits.data, lits.len);
        proved = fine && !c->len;
    }
    vec_free(&lits);
    return proved;
}
