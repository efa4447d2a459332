/* Lemmas for the slot encoding.
 *
 * That a transaction keeps an invariant is a small fact, but inside the whole formula the solver
 * proves it anew for every slot and every order of the others, and often not at all: eight
 * SmallBank transactions under SER took minutes.  So it is asked once, in a solver of its own that
 * knows the transactions and one step, nothing of slots or orders: any state G with the invariants,
 * any snapshot S with the invariants (levels whose snapshots are prefixes), G' after transaction i.
 * If the invariant cannot fail in G', the assumptions that the solver needed make a lemma, and it
 * is stated for every slot: p_iq ∧ b_q [∧ i sees Y_s ∧ b_s] → b_q+1. The small formula is the
 * formula of one slot with the names of that slot's states replaced, and less: so the lemmas are
 * implied, and the encoding stays exact whatever is learned here. */
#include "encode/slot_internal.h"

#include "base/limit.h"

/* A lemma that takes more work than that is left to the solver of the whole. */
#define LEMMA_WORK 400000u

struct about {
    Z3_ast *chain;                  /* in the formula, by state */
    Z3_ast before, after, snapshot; /* in the small one */
};

struct slot_lemmas {
    struct z3ctx z;
    Z3_ast *before, *after, *snapshot; /* states; snapshot NULL: not by slots, or the same */
    Z3_ast *runs;                      /* by transaction */
    VEC(struct about) about;
    size_t learned; /* invariants of `about` that are done */
};

static struct slots *slots_of(const struct enc *e)
{
    return e->extra;
}

/* Every value of every write is in the range of its field, so every state is. */
static bool writes_fit(const struct enc *e)
{
    for (size_t i = 0; i < e->p->txns.len; i++)
        for (size_t w = 0; w < e->p->txns.data[i].writes.len; w++) {
            const struct prob_write *write = &e->p->txns.data[i].writes.data[w];
            const struct sx_table *t = &e->p->sx->tables[write->row.table];
            for (uint32_t f = 0; f < t->n_fields; f++) {
                const struct term *v = term_get(e->p->store, write->value[f]);
                if (v->lo < ast_int_min(t->fields[f].type) ||
                    v->hi > ast_int_max(t->fields[f].type))
                    return false;
            }
        }
    return true;
}

static void bound_state(struct enc *e, const Z3_ast *state)
{
    const struct sx_program *sx = e->p->sx;
    size_t c = 0;
    for (uint32_t t = 0; t < sx->n_tables; t++)
        for (uint64_t r = 0; r < sx_table_rows(&sx->tables[t]); r++)
            for (uint32_t f = 0; f < sx->tables[t].n_fields; f++, c++)
                if (!enc_is_bit(e, t, f))
                    z3ctx_assert(&slots_of(e)->lemmas->z,
                                 zterm_between(&e->t, state[c],
                                               ast_int_min(sx->tables[t].fields[f].type),
                                               ast_int_max(sx->tables[t].fields[f].type)));
}

/* What a read of transaction i may see: as in slot.c, with G and S for the states. */
static void read(struct enc *e, uint32_t i, const struct prob_read *r)
{
    struct slots *s = slots_of(e);
    struct slot_lemmas *l = s->lemmas;
    if (e->o.all_ser)
        slot_read(e, &l->z, r, l->before, l->runs[i]);
    else if (l->snapshot)
        slot_read(e, &l->z, r, l->snapshot, l->runs[i]);
    if (s->no_conflict)
        slot_read(e, &l->z, r, l->before, z3ctx_and2(&e->z, l->runs[i], slot_writes_back(e, i, r)));
}

static void translate_effects(struct enc *e)
{
    for (size_t i = 0; i < e->p->txns.len; i++) {
        const struct prob_txn *t = &e->p->txns.data[i];
        for (size_t w = 0; w < t->writes.len; w++)
            for (uint32_t f = 0; f < e->p->sx->tables[t->writes.data[w].row.table].n_fields; f++)
                (void)enc_cell(e, t->writes.data[w].row.table, f, t->writes.data[w].value[f]);
    }
}

/* From here on what the translation of terms asserts goes to both solvers. */
void slot_lemmas_open(struct enc *e)
{
    struct slots *s = slots_of(e);
    struct slot_lemmas *l = s->lemmas = arena_new(&e->arena, struct slot_lemmas);
    translate_effects(e);
    z3ctx_fork(&l->z, &e->z, LEMMA_WORK);
    e->z.also = l->z.solver;
    l->before = slot_new_state(e, "G");
    l->after = slot_new_state(e, "G'");
    if (s->snapshot && !e->o.all_ser)
        l->snapshot = slot_new_state(e, "S");
    if (writes_fit(e)) {
        bound_state(e, l->before);
        if (l->snapshot)
            bound_state(e, l->snapshot);
    }
    l->runs = arena_array(&e->arena, Z3_ast, s->n + 1);
    for (uint32_t i = 0; i < s->n; i++) {
        l->runs[i] = z3ctx_bool(&e->z, "runs %u", i);
        for (size_t k = 0; k < e->p->txns.data[i].reads.len; k++)
            read(e, i, &e->p->txns.data[i].reads.data[k]);
        slot_fresh(e, &l->z, i, l->before, l->runs[i]);
        enc_fresh_zeros(e, &l->z, i);
        slot_step(e, &l->z, i, l->runs[i], l->before, l->after);
    }
    e->z.also = NULL;
}

void slot_lemmas_about(struct enc *e, const struct prob_predicate *pred, Z3_ast *chain)
{
    struct slot_lemmas *l = slots_of(e)->lemmas;
    struct about a = {.chain = chain};
    e->z.also = l->z.solver;
    if (pred->sum->n_params) /* a lemma is about any values: ones that the small solver knows */
        pred = prob_predicate(e->p, pred->sum, model_get(MODEL_SER));
    a.before = slot_holds(e, &l->z, pred, l->before, "before");
    a.after = slot_holds(e, &l->z, pred, l->after, "after");
    if (l->snapshot)
        a.snapshot = slot_holds(e, &l->z, pred, l->snapshot, "snapshot");
    e->z.also = NULL;
    vec_push(&l->about, a);
}

/* The lemma for one slot q, and for one snapshot s ≤ q if it needs one (else s = UINT32_MAX).
 * used: of the assumptions, those about G, then those about S. */
static void state_for(struct enc *e, uint32_t i, const struct about *a, const bool *used,
                      uint32_t q, uint32_t s)
{
    struct slots *slots = slots_of(e);
    struct slot_lemmas *l = slots->lemmas;
    z3ctx_asts clause = {0};
    vec_push(&clause, z3ctx_not(&e->z, slots->at[i * slots->n + q]));
    vec_push(&clause, a->chain[q + 1]);
    if (s != UINT32_MAX)
        vec_push(&clause, z3ctx_not(&e->z, slots->snapshot[i * (slots->n + 1) + s]));
    for (size_t k = 0; k < l->about.len; k++) {
        if (used[k])
            vec_push(&clause, z3ctx_not(&e->z, l->about.data[k].chain[q]));
        if (used[l->about.len + k])
            vec_push(&clause, z3ctx_not(&e->z, l->about.data[k].chain[s]));
    }
    z3ctx_assert(&e->z, z3ctx_or(&e->z, &clause));
    vec_free(&clause);
}

static void state_lemma(struct enc *e, uint32_t i, const struct about *a, const bool *used)
{
    struct slots *s = slots_of(e);
    bool snapshot = false;
    for (size_t k = 0; k < s->lemmas->about.len; k++)
        snapshot |= used[s->lemmas->about.len + k];
    for (uint32_t q = 0; q < s->n; q++) {
        if (!snapshot)
            state_for(e, i, a, used, q, UINT32_MAX);
        for (uint32_t r = 0; snapshot && r <= q; r++)
            state_for(e, i, a, used, q, r);
    }
}

/* Does transaction i keep the invariant? */
static void learn(struct enc *e, uint32_t i, const struct about *a)
{
    struct slot_lemmas *l = slots_of(e)->lemmas;
    z3ctx_asts assumed = {0};
    for (size_t k = 0; k < l->about.len; k++)
        vec_push(&assumed, l->about.data[k].before);
    for (size_t k = 0; l->snapshot && k < l->about.len; k++)
        vec_push(&assumed, l->about.data[k].snapshot);
    vec_push(&assumed, l->runs[i]);
    vec_push(&assumed, z3ctx_not(&e->z, a->after));
    if (z3ctx_check(&l->z, assumed.len, assumed.data) == Z3CTX_UNSAT) {
        bool *used = mem_calloc(2 * l->about.len, sizeof *used);
        z3ctx_core(&l->z, assumed.len - 2, assumed.data, used);
        state_lemma(e, i, a, used);
        mem_free(used);
    }
    vec_free(&assumed);
}

void slot_lemmas_learn(struct enc *e)
{
    struct slots *s = slots_of(e);
    struct slot_lemmas *l = s->lemmas;
    for (; l->learned < l->about.len; l->learned++)
        for (uint32_t i = 0; i < s->n && !limit_reached(); i++)
            learn(e, i, &l->about.data[l->learned]);
}

void slot_lemmas_close(struct enc *e)
{
    struct slot_lemmas *l = slots_of(e)->lemmas;
    vec_free(&l->about);
    z3ctx_free(&l->z);
}
