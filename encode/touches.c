/* The rules of databases about rows that are locked or changed (docs/databases.md).
 *
 * A touch locks a row from its statement on.  Of two transactions that touch a row in modes that
 * conflict, the later one in ar waited for the earlier one: what it sees from then on contains it
 * (LOCKORDER).  At a level with one snapshot that was taken before, the later one ends with an
 * error if the earlier one wrote the row (FIRSTUPDATER). */
#include "encode/enc_internal.h"

static Z3_ast same_touched(struct enc *e, struct prob_row a, term_id guard, struct prob_row b,
                           term_id other)
{
    if (a.table != b.table)
        return e->z.no;
    Z3_ast same = enc_same_row(e, a, b);
    if (same == e->z.no)
        return same;
    return z3ctx_and2(&e->z, same, z3ctx_and2(&e->z, zterm(&e->t, guard), zterm(&e->t, other)));
}

/* s writes a row that t touches. */
static void first_updater(struct enc *e, uint32_t s, uint32_t t)
{
    const struct prob_txn *writer = &e->p->txns.data[s], *later = &e->p->txns.data[t];
    z3ctx_asts pairs = {0};
    for (size_t i = 0; i < writer->writes.len; i++)
        for (size_t k = 0; k < later->touches.len; k++)
            vec_push(&pairs,
                     same_touched(e, writer->writes.data[i].row, writer->writes.data[i].guard,
                                  later->touches.data[k].row, later->touches.data[k].guard));
    order_first_updater(&e->o, s, t, z3ctx_name(&e->z, z3ctx_or(&e->z, &pairs), "wrote touched"));
    vec_free(&pairs);
}

/* What t sees after one of its touches contains s, if that touched the row before. */
static void lock_order(struct enc *e, uint32_t s, uint32_t t, const struct prob_touch *touch)
{
    const struct prob_txn *earlier = &e->p->txns.data[s];
    z3ctx_asts pairs = {0};
    for (size_t i = 0; i < earlier->touches.len; i++) {
        const struct prob_touch *other = &earlier->touches.data[i];
        if (sx_touch_conflicts(other->of->mode, touch->of->mode))
            vec_push(&pairs, same_touched(e, other->row, other->guard, touch->row, touch->guard));
    }
    Z3_ast conflict = z3ctx_and2(&e->z, z3ctx_or(&e->z, &pairs), zterm(&e->t, touch->binds));
    order_locks(&e->o, s, t, touch->view, z3ctx_name(&e->z, conflict, "touched before"));
    vec_free(&pairs);
}

void enc_touches(struct enc *e)
{
    bool updater = order_any_has(&e->o, AXIOM_FIRSTUPDATER);
    bool locks = order_any_has(&e->o, AXIOM_LOCKORDER);
    if (e->o.all_ser || (!updater && !locks))
        return;
    for (uint32_t s = 0; s < e->p->txns.len; s++)
        for (uint32_t t = 0; t < e->p->txns.len; t++) {
            const struct prob_txn *later = &e->p->txns.data[t];
            if (s != t && updater)
                first_updater(e, s, t);
            for (size_t i = 0; s != t && locks && i < later->touches.len; i++)
                if (later->touches.data[i].view != PROB_NO_VIEW)
                    lock_order(e, s, t, &later->touches.data[i]);
        }
}
