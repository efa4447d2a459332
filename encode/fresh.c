/* fresh: new rows.
 *
 * A call gives the last index of a row that no other call gives, and that is all zeros in the state
 * that the transaction's writes land on: after all transactions before it in ar, whether it sees
 * them or not, and without its own writes.  That state is not a snapshot of the transaction, so
 * looking at it makes no dependency. */
#include "encode/enc_internal.h"

/* ---- no row twice -------------------------------------------------------------------------- */

static void not_both(struct enc *e, const struct prob_fresh *a, const struct prob_fresh *b)
{
    const struct sx_program *sx = e->p->sx;
    if (sx->tables[a->row.table].var != sx->tables[b->row.table].var)
        return;
    Z3_ast same = enc_same_row(e, a->row, (struct prob_row){a->row.table, b->row.index});
    z3ctx_rule(&e->z, z3ctx_not(&e->z, same), 2, zterm(&e->t, a->happens),
               zterm(&e->t, b->happens));
}

void enc_fresh_distinct(struct enc *e)
{
    const struct problem *p = e->p;
    for (size_t i = 0; i < p->txns.len; i++)
        for (size_t k = 0; k < p->txns.data[i].fresh.len; k++)
            for (size_t j = i; j < p->txns.len; j++)
                for (size_t l = j == i ? k + 1 : 0; l < p->txns.data[j].fresh.len; l++)
                    not_both(e, &p->txns.data[i].fresh.data[k], &p->txns.data[j].fresh.data[l]);
}

/* ---- rows of zeros ------------------------------------------------------------------------- */

/* What was found in the row is zero, for the solver `to`. */
static void all_zeros(struct enc *e, struct z3ctx *to, const struct prob_fresh *f)
{
    Z3_ast happens = zterm(&e->t, f->happens);
    term_id zero = term_const(e->p->store, 0);
    for (size_t s = 0; s < f->n_state && happens != e->z.no; s++) {
        uint32_t table = f->state[s].row.table;
        for (uint32_t c = 0; c < e->p->sx->tables[table].n_fields; c++)
            z3ctx_rule(to,
                       zterm_eq(&e->t, enc_cell(e, table, c, f->state[s].field[c]),
                                enc_cell(e, table, c, zero)),
                       1, happens);
    }
}

struct before {
    const struct order *o;
    uint32_t txn;
};

static Z3_ast earlier(void *arg, uint32_t j)
{
    const struct before *b = arg;
    return order_ar(b->o, j, b->txn);
}

void enc_fresh(struct enc *e)
{
    enc_fresh_distinct(e);
    for (uint32_t i = 0; i < e->p->txns.len; i++) {
        const struct prob_txn *t = &e->p->txns.data[i];
        struct before before = {&e->o, i};
        for (size_t k = 0; k < t->fresh.len; k++) {
            for (size_t s = 0; s < t->fresh.data[k].n_state; s++)
                enc_read_ext(e, &t->fresh.data[k].state[s], i, earlier, &before);
            all_zeros(e, &e->z, &t->fresh.data[k]);
        }
    }
}

void enc_fresh_zeros(struct enc *e, struct z3ctx *to, uint32_t txn)
{
    const struct prob_txn *t = &e->p->txns.data[txn];
    for (size_t k = 0; k < t->fresh.len; k++)
        all_zeros(e, to, &t->fresh.data[k]);
}
