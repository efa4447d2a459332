/* Invariants that are proposed, see candidates.h. */
#include "encode/proof/candidates.h"

#include <assert.h>

void proof_propose(struct sx_program *sx, proof_candidates *out)
{
    (void)sx;
    (void)out;
}

static term_id cell(struct fm *fm, uint32_t table, uint32_t field)
{
    return fm_cell(fm, FM_ANY_STATE, table, field, &fm->var[FM_PARAM]);
}

static term_id one_of(struct fm *fm, const struct proof_candidate *c, term_id x)
{
    term_id some = TERM_FALSE;
    for (uint32_t i = 0; i < c->n_values; i++)
        some = term_or(fm->store, some, term_eq(fm->store, x, term_const(fm->store, c->value[i])));
    return some;
}

/* The row that the field names exists, and its field is true. */
static term_id refers(struct fm *fm, const struct proof_candidate *c, term_id x)
{
    return term_and(fm->store,
                    fm_between(fm, term_const(fm->store, 0), x, fm_dim(fm, c->to_table, 0)),
                    term_truth(fm->store, fm_cell(fm, FM_ANY_STATE, c->to_table, c->to_field, &x)));
}

static term_id body_of(struct fm *fm, const struct proof_candidate *c)
{
    struct term_store *s = fm->store;
    term_id x = cell(fm, c->table, c->field);
    switch (c->kind) {
    case PROOF_AT_LEAST:
        return term_le(s, term_const(s, c->value[0]), x);
    case PROOF_AT_MOST:
        return term_le(s, x, term_const(s, c->value[0]));
    case PROOF_ONE_OF:
        return one_of(fm, c, x);
    case PROOF_IN_ORDER:
        return term_le(s, x, cell(fm, c->table, c->other));
    case PROOF_ABSENT:
        return term_or(s, term_truth(s, cell(fm, c->table, c->other)),
                       term_eq(s, x, term_const(s, 0)));
    case PROOF_REFERENCE:
        break;
    }
    return term_implies(s, term_truth(s, cell(fm, c->table, c->other)), refers(fm, c, x));
}

struct fm_template proof_candidate_template(struct fm *fm, const struct proof_candidate *c)
{
    struct fm_template t = {.name = "found", .n = fm->sx->tables[c->table].n_dims};
    t.range = TERM_TRUE;
    t.unwinds = TERM_FALSE;
    assert(t.n <= FM_PARAMS);
    for (uint32_t d = 0; d < t.n; d++)
        t.range = term_and(fm->store, t.range,
                           fm_between(fm, term_const(fm->store, 0), fm->var[FM_PARAM + d],
                                      fm_dim(fm, c->table, d)));
    t.body = body_of(fm, c);
    return t;
}

const char *proof_candidate_text(const struct sx_program *sx, const struct proof_candidate *c,
                                 struct arena *arena)
{
    const struct sx_table *t = &sx->tables[c->table];
    (void)arena;
    return t->name;
}
