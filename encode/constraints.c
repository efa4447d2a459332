/* CONSTRAINT: predicates that the database enforces.
 *
 * Let St(i) be the state after the first i transactions of ar.  Every St(i) satisfies every
 * constraint, at every level: the database would have rolled back the transaction that made one
 * false, and a transaction that the database rolls back does not count.  So the formula has copies
 * of every constraint for the initial state, and for every transaction copies for the state after
 * it, whatever the transaction saw.  A constraint that cannot be computed (a check in it fails) is
 * not satisfied.
 *
 * An execution in which a loop bound was hit is none: a transaction that was cut short lacks
 * writes, and the states after it say nothing. */
#include "encode/enc_internal.h"

/* ---- the problem's part -------------------------------------------------------------------- */

static bool reads_table(const struct sx_summary *sum, uint32_t table)
{
    for (size_t i = 0; i < sum->n_reads; i++)
        if (sum->reads[i].row.table == table)
            return true;
    return false;
}

/* The transaction commits and writes a table that the constraint reads. */
static term_id may_break(struct problem *p, const struct prob_txn *t, const struct sx_summary *sum)
{
    term_id some = TERM_FALSE;
    for (size_t w = 0; w < t->writes.len; w++)
        if (reads_table(sum, t->writes.data[w].row.table))
            some = term_or(p->store, some, t->writes.data[w].guard);
    return some;
}

/* Copies of the constraint for the state after the transaction, or PROB_INITIAL. */
static void add_copies(struct problem *p, const struct sx_summary *sum, uint32_t txn, term_id when)
{
    prob_for_alls all = {0};
    if (!p->constraint_error)
        p->constraint_error = prob_for_all(p, sum, &all);
    for (size_t i = 0; i < all.len; i++)
        vec_push(&p->constraints,
                 ((struct prob_constraint){all.data[i].pred, txn, when, all.data[i].holds}));
    vec_free(&all);
}

static bool may_unwind(const struct sx_summary *sum)
{
    for (size_t i = 0; i < sum->n_points; i++)
        if (sum->points[i].kind == SX_UNWIND)
            return true;
    return false;
}

void prob_add_constraints(struct problem *p)
{
    for (uint32_t i = 0; i < p->sx->n_constraints && !p->constraint_error; i++) {
        const struct sx_summary *sum = p->sx->constraints[i];
        if (may_unwind(sum)) {
            p->constraint_error = arena_printf(
                &p->arena, "a loop of CONSTRAINT %s may go on: raise --unwind", sum->func->name);
            return;
        }
        add_copies(p, sum, PROB_INITIAL, p->initial_committed);
        for (uint32_t t = 0; t < p->txns.len; t++) {
            term_id when = may_break(p, &p->txns.data[t], sum);
            if (when != TERM_FALSE)
                add_copies(p, sum, t, when);
        }
    }
}

/* ---- the formula's part -------------------------------------------------------------------- */

struct after {
    const struct enc *e;
    uint32_t txn;
};

/* The transaction itself, and all that are before it in ar. */
static Z3_ast up_to(void *arg, uint32_t j)
{
    const struct after *a = arg;
    return j == a->txn ? a->e->z.yes : order_ar(&a->e->o, j, a->txn);
}

void enc_constraints(struct enc *e)
{
    for (size_t i = 0; i < e->p->constraints.len; i++) {
        const struct prob_constraint *c = &e->p->constraints.data[i];
        struct after after = {e, c->txn};
        for (size_t r = 0; r < c->pred->reads.len; r++)
            enc_index_row(e, c->pred->reads.data[r].row);
        for (size_t r = 0; r < c->pred->reads.len; r++)
            if (c->txn == PROB_INITIAL)
                enc_read_initial(e, &c->pred->reads.data[r]);
            else
                enc_read_ext(e, &c->pred->reads.data[r], UINT32_MAX, up_to, &after);
        z3ctx_rule(&e->z, zterm(&e->t, c->holds), 2, zterm(&e->t, c->when), e->never_unwinds);
    }
}
