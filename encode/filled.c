/* Tables that INITIAL fills: a call of fresh finds no row there, so that no execution calls it. */
#include "encode/inquiry.h"

/* In the initial state no row of the variable is all zeros, whatever INITIAL's inputs are. */
static bool is_filled(struct problem *p, const struct ast_var *var, uint32_t first)
{
    const struct sx_table *t = &p->sx->tables[first];
    term_id *index = arena_array(&p->arena, term_id, t->n_dims + 1);
    for (uint64_t row = 0, n = sx_table_rows(t); row < n; row++) {
        uint64_t rest = row;
        bool zero = true;
        for (uint32_t d = t->n_dims; d-- > 0; rest /= t->dims[d])
            index[d] = term_const(p->store, (term_int)(rest % t->dims[d]));
        for (uint32_t i = first; i < p->sx->n_tables && p->sx->tables[i].var == var; i++)
            for (uint32_t f = 0; f < p->sx->tables[i].n_fields; f++) {
                term_id value = prob_initial_value(p, (struct prob_row){i, index}, f);
                const struct term *v = term_get(p->store, value);
                zero &= v->lo <= 0 && v->hi >= 0;
            }
        if (zero)
            return false;
    }
    return true;
}

static bool is_known(const struct verify_result *r, const struct ast_var *var)
{
    for (size_t i = 0; i < r->n_filled; i++)
        if (r->filled[i] == var)
            return true;
    return false;
}

static void look_at(struct inquiry *q, struct problem *p, const struct sx_input *in)
{
    const struct ast_var *var = p->sx->tables[in->row.table].var;
    uint32_t first = 0;
    while (p->sx->tables[first].var != var)
        first++;
    if (!is_known(q->r, var) && is_filled(p, var, first))
        q->r->filled[q->r->n_filled++] = var;
}

void inquiry_find_filled(struct inquiry *q)
{
    struct problem *p = prob_any(q->sx, 0, q->levels, true, false);
    q->r->filled = arena_array(&q->r->arena, const struct ast_var *, q->v->ast->n_tables + 1);
    for (uint32_t t = 0; t < q->sx->n_txns; t++)
        for (size_t i = 0; i < q->sx->txns[t]->n_inputs; i++)
            if (q->sx->txns[t]->inputs[i].kind == SX_FRESH)
                look_at(q, p, &q->sx->txns[t]->inputs[i]);
    prob_free(p);
}
