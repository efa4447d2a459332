/* Wishes as formulas; wish.h says what for. */
#include "encode/wish.h"

#include <string.h>

#include "encode/enc_internal.h"

uint32_t wish_none(struct enc *e, const term_id *conditions, size_t n)
{
    z3ctx_asts all = {0};
    for (size_t i = 0; i < n; i++)
        vec_push(&all, z3ctx_not(&e->z, zterm(&e->t, conditions[i])));
    uint32_t goal = enc_add_goal(e, z3ctx_and(&e->z, &all));
    vec_free(&all);
    return goal;
}

uint32_t wish_true(struct enc *e, term_id condition)
{
    return enc_add_goal(e, zterm(&e->t, condition));
}

uint32_t wish_idle(struct enc *e, uint32_t txn)
{
    z3ctx_asts all = {0};
    for (size_t i = txn; i < e->p->txns.len; i++)
        vec_push(&all, z3ctx_not(&e->z, zterm(&e->t, e->p->txns.data[i].present)));
    uint32_t goal = enc_add_goal(e, z3ctx_and(&e->z, &all));
    vec_free(&all);
    return goal;
}

/* ---- writes -------------------------------------------------------------------------------- */

/* The write happens, and none before it in the transaction's list is of the same row: two
 * expressions may name one row. */
static Z3_ast counts(struct enc *e, const struct prob_txn *t, size_t w)
{
    const struct prob_write *me = &t->writes.data[w];
    Z3_ast a = zterm(&e->t, me->guard);
    for (size_t i = 0; i < w && a != e->z.no; i++) {
        const struct prob_write *other = &t->writes.data[i];
        if (other->row.table != me->row.table)
            continue;
        Z3_ast same =
            z3ctx_and2(&e->z, zterm(&e->t, other->guard), enc_same_row(e, other->row, me->row));
        a = z3ctx_and2(&e->z, a, z3ctx_not(&e->z, same));
    }
    return a;
}

uint32_t wish_writes(struct enc *e, unsigned at_most)
{
    z3ctx_asts v = {0};
    for (size_t i = 0; i < e->p->txns.len; i++)
        for (size_t w = 0; w < e->p->txns.data[i].writes.len; w++)
            vec_push(&v, counts(e, &e->p->txns.data[i], w));
    Z3_ast few = e->z.yes;
    if (v.len > at_most)
        few = Z3_mk_atmost(e->z.c, (unsigned)v.len, v.data, at_most);
    vec_free(&v);
    return enc_add_goal(e, few);
}

/* ---- numbers ------------------------------------------------------------------------------- */

static Z3_ast between(struct enc *e, const struct wish_number *n, term_int lo, term_int hi)
{
    if (n->leaf != TERM_NONE)
        return zterm_between(&e->t, zterm(&e->t, n->leaf), lo, hi);
    Z3_ast cell = enc_initial_cell(e, enc_const_row(e, n->table, n->row), n->field);
    if (enc_is_bit(e, n->table, n->field))
        return lo > 0 ? cell : hi < 1 ? z3ctx_not(&e->z, cell) : e->z.yes;
    return zterm_between(&e->t, cell, lo, hi);
}

uint32_t wish_between(struct enc *e, const struct wish_number *n, term_int lo, term_int hi)
{
    return enc_add_goal(e, between(e, n, lo, hi));
}

uint32_t wish_within(struct enc *e, const struct wish_number *v, size_t n, term_int bound)
{
    z3ctx_asts all = {0};
    for (size_t i = 0; i < n; i++)
        vec_push(&all, between(e, &v[i], -bound, bound));
    uint32_t goal = enc_add_goal(e, z3ctx_and(&e->z, &all));
    vec_free(&all);
    return goal;
}

term_int wish_value(struct enc *e, const struct wish_number *n)
{
    if (n->leaf != TERM_NONE)
        return enc_value(e, n->leaf);
    return enc_initial_value(e, n->table, n->row, n->field);
}

/* ---- order --------------------------------------------------------------------------------- */

uint32_t wish_ar(struct enc *e, const bool *pairs)
{
    uint32_t n = (uint32_t)e->p->txns.len;
    z3ctx_asts all = {0};
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n; j++)
            if (pairs[i * n + j])
                vec_push(&all, order_ar(&e->o, i, j));
    uint32_t goal = enc_add_goal(e, z3ctx_and(&e->z, &all));
    vec_free(&all);
    return goal;
}

uint32_t wish_vis(struct enc *e, const bool *pairs)
{
    uint32_t n = (uint32_t)e->p->txns.len;
    z3ctx_asts all = {0};
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < e->p->txns.data[i].n_points; k++)
            for (uint32_t j = 0; j < n; j++)
                if (*pairs++)
                    vec_push(&all, order_vis(&e->o, i, k, j));
    uint32_t goal = enc_add_goal(e, z3ctx_and(&e->z, &all));
    vec_free(&all);
    return goal;
}

uint32_t wish_growing(struct enc *e)
{
    uint32_t n = (uint32_t)e->p->txns.len;
    z3ctx_asts all = {0};
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 1; k < e->p->txns.data[i].n_points; k++)
            for (uint32_t j = 0; j < n; j++)
                if (j != i)
                    vec_push(&all, z3ctx_implies(&e->z, order_vis(&e->o, i, k - 1, j),
                                                 order_vis(&e->o, i, k, j)));
    uint32_t goal = enc_add_goal(e, z3ctx_and(&e->z, &all));
    vec_free(&all);
    return goal;
}

/* ---- work ---------------------------------------------------------------------------------- */

uint64_t wish_work(struct enc *e)
{
    uint64_t work = 0;
    Z3_stats s = Z3_solver_get_statistics(e->z.c, e->z.solver);
    Z3_stats_inc_ref(e->z.c, s);
    for (unsigned i = 0; i < Z3_stats_size(e->z.c, s); i++)
        if (!strcmp(Z3_stats_get_key(e->z.c, s, i), "rlimit count"))
            work = Z3_stats_is_uint(e->z.c, s, i)
                       ? Z3_stats_get_uint_value(e->z.c, s, i)
                       : (uint64_t)Z3_stats_get_double_value(e->z.c, s, i);
    Z3_stats_dec_ref(e->z.c, s);
    return work;
}
