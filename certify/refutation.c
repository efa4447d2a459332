/* Replaying proofs; see refutation.h. */
#include "certify/refutation.h"

#include <stdlib.h>

void formula_free(struct formula *f)
{
    clauses_free(&f->clauses);
    vec_free(&f->facts);
}

uint32_t formula_new(struct formula *f, struct check_fact fact)
{
    vec_push(&f->facts, fact);
    return 2 * clauses_new_var(&f->clauses);
}

void formula_add(struct formula *f, const uint32_t *lits, size_t n)
{
    clauses_add(&f->clauses, lits, n);
}

void formula_at_most_one(struct formula *f, const uint32_t *lits, size_t n, size_t few,
                         struct check_fact fact)
{
    for (size_t a = 0; a < n && n <= few; a++)
        for (size_t b = 0; b < a; b++) {
            uint32_t both[] = {clause_not(lits[a]), clause_not(lits[b])};
            formula_add(f, both, 2);
        }
    uint32_t any = 0; /* one of those before is true */
    for (size_t i = 0; i < n && n > few; i++) {
        uint32_t before = any;
        *(fact.kind == CHECK_FACT_MAKERS_UP_TO ? &fact.c : &fact.b) = (uint32_t)i + 1;
        any = formula_new(f, fact);
        uint32_t now[] = {clause_not(lits[i]), any}, later[] = {clause_not(before), any},
                 not_both[] = {clause_not(before), clause_not(lits[i])};
        formula_add(f, now, 2);
        if (!i)
            continue;
        formula_add(f, later, 2);
        formula_add(f, not_both, 2);
    }
}

/* --- facts and variables ---------------------------------------------------------------------- */

/* The variables, by what they stand for. */
struct index {
    const struct check_fact *facts;
    uint32_t *vars;
    size_t len;
};

static int compare_facts(const struct check_fact *x, const struct check_fact *y)
{
    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    if (x->a != y->a)
        return x->a < y->a ? -1 : 1;
    if (x->b != y->b)
        return x->b < y->b ? -1 : 1;
    return (x->c > y->c) - (x->c < y->c);
}

static int compare_vars(const void *x, const void *y, void *facts)
{
    const struct check_fact *f = facts;
    return compare_facts(&f[*(const uint32_t *)x], &f[*(const uint32_t *)y]);
}

static void index_init(struct index *x, const struct formula *f)
{
    *x = (struct index){.facts = f->facts.data, .len = f->facts.len};
    x->vars = mem_alloc(mem_mul(x->len + 1, sizeof *x->vars));
    for (size_t i = 0; i < x->len; i++)
        x->vars[i] = (uint32_t)i;
    qsort_r(x->vars, x->len, sizeof *x->vars, compare_vars, f->facts.data);
}

/* The literal, or HIST_NONE: the clauses do not speak of it. */
static uint32_t index_find(const struct index *x, const struct check_literal *l)
{
    size_t lo = 0, hi = x->len;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (compare_facts(&x->facts[x->vars[mid]], &l->fact) < 0)
            lo = mid + 1;
        else
            hi = mid;
    }
    if (lo == x->len || compare_facts(&x->facts[x->vars[lo]], &l->fact))
        return HIST_NONE;
    return 2 * x->vars[lo] + l->negated;
}

/* --- replaying -------------------------------------------------------------------------------- */

static bool replay(const struct check_result *r, const struct check_proof *proof,
                   const clause_lits *goal, struct formula *f)
{
    struct index index;
    clause_lits lits = {0};
    bool fine = true;
    index_init(&index, f);
    for (uint32_t i = 0; i < proof->len && fine; i++) {
        const struct check_clause *c = &r->clauses.data[proof->start + i];
        vec_clear(&lits);
        for (uint32_t k = 0; k < c->len && fine; k++) {
            uint32_t lit = index_find(&index, &r->literals.data[c->start + k]);
            fine = lit != HIST_NONE;
            vec_push(&lits, lit);
        }
        for (size_t k = 0; k < goal->len && fine; k++)
            vec_push(&lits, goal->data[k]);
        fine = fine && clauses_derive(&f->clauses, lits.data, lits.len);
    }
    vec_free(&lits);
    mem_free(index.vars);
    return fine && clauses_derive(&f->clauses, goal->data, goal->len);
}

/* --- writing ---------------------------------------------------------------------------------- */

/* What the prover suggests becomes the next proof.  False: it suggests nothing. */
static bool write_proof(struct proof_reader *p, const struct formula *f, const clause_lits *goal,
                        bool wide)
{
    struct check_result *r = p->out;
    clause_lits lits = {0}, ends = {0};
    bool proved = p->prover->prove(p->prover->self, &f->clauses, goal, &lits, &ends);
    struct check_proof proof = {(uint32_t)r->clauses.len, (uint32_t)ends.len, wide};
    for (size_t i = 0, at = 0; i < ends.len && proved; i++) {
        struct check_clause c = {(uint32_t)r->literals.len, ends.data[i] - (uint32_t)at};
        vec_push(&r->clauses, c);
        for (; at < ends.data[i]; at++) {
            struct check_literal l = {f->facts.data[lits.data[at] / 2], lits.data[at] & 1};
            vec_push(&r->literals, l);
        }
    }
    if (proved)
        vec_push(&r->proofs, proof);
    vec_free(&lits);
    vec_free(&ends);
    return proved;
}

bool proof_derives(struct proof_reader *p, struct formula *f, const clause_lits *clause, bool wide)
{
    if (clauses_derive(&f->clauses, clause->data, clause->len))
        return true;
    if (p->prover && !write_proof(p, f, clause, wide))
        return false;
    if (p->next >= p->r->proofs.len || p->r->proofs.data[p->next].wide != wide)
        return false;
    return replay(p->r, &p->r->proofs.data[p->next++], clause, f);
}
