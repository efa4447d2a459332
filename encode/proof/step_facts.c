/* What a step assumes about its states, and what it asks: see step.h. */
#include <string.h>

#include "encode/proof/step_internal.h"

static uint64_t state_bits(const struct proof_step *s)
{
    uint64_t bits = fm_state_bit(s->before) | fm_state_bit(s->full);
    for (uint32_t i = 0; i < s->n_seen; i++)
        bits |= fm_state_bit(s->seen[i]);
    return bits;
}

/* All states before the step, each once. */
static uint32_t states_of(const struct proof_step *s, uint32_t *states)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < s->n_seen; i++)
        if (s->seen[i] != s->before)
            states[n++] = s->seen[i];
    states[n++] = s->before;
    if (s->full != s->before)
        states[n++] = s->full;
    return n;
}

/* ---- invariants ---------------------------------------------------------------------------- */

/* The template in the state, for the rows that occur in one of `rows`. */
static void assume_template(struct proof_step *s, const struct fm_template *t, Z3_ast guard,
                            uint32_t state, uint64_t rows)
{
    term_id body = fm_on(&s->fm, t->body, FM_ANY_STATE, state);
    ground_for_all(&s->g,
                   &(struct ground_for_all){.n = t->n,
                                            .body = term_implies(s->fm.store, t->range, body),
                                            .guard = guard,
                                            .states = rows});
}

static void assume_invariants(struct proof_step *s)
{
    uint32_t *states = arena_array(&s->arena, uint32_t, s->n_seen + 3);
    uint32_t n = states_of(s, states);
    for (size_t i = 0; i < s->n_inv; i++) {
        s->inv_holds[i] = z3ctx_bool(&s->z, "assume %s", s->templates[i].name);
        for (uint32_t k = 0; k < n && !s->templates[i].refused; k++)
            if (s->fm.states.data[states[k]].kind == FM_UNKNOWN)
                assume_template(s, &s->templates[i], s->inv_holds[i], states[k],
                                fm_state_bit(states[k]));
    }
}

/* ---- constraints --------------------------------------------------------------------------- */

/* May the template be stated of the state after the step for all rows?  Sums, and what a loop
 * writes, are known there for rows that are at hand only. */
static bool is_simple_after(const struct proof_step *s, const struct fm_template *t)
{
    bool simple = t->of->n_folds == 0;
    for (size_t i = 0; i < s->n_writes; i++)
        simple &= s->writes[i].n_bound == 0;
    return simple || t->n == 0;
}

/* Constraints that a loop bound cuts short say nothing. */
static bool is_stated(const struct fm_template *t)
{
    return !t->refused && t->unwinds == TERM_FALSE;
}

static bool constrains(const struct proof_step *s)
{
    return s->sum != s->sx->initial && step_has_prefixes(s);
}

/* Where all states are of full prefixes of ar, each of them satisfies the constraints, and so does
 * the state after the step: else the database would roll T back.  Where arbitrary sets are visible,
 * a snapshot need not satisfy them, and neither need B. */
static void assume_constraints(struct proof_step *s)
{
    uint32_t *states = arena_array(&s->arena, uint32_t, s->n_seen + 3);
    uint32_t n = states_of(s, states);
    for (uint32_t i = 0; i < s->sx->n_constraints && constrains(s); i++) {
        const struct fm_template *t = &s->constraints[i];
        if (!is_stated(t))
            continue;
        for (uint32_t k = 0; k < n; k++)
            if (s->fm.states.data[states[k]].kind == FM_UNKNOWN)
                assume_template(s, t, s->z.yes, states[k], fm_state_bit(states[k]));
        if (s->after != s->before && is_simple_after(s, t))
            assume_template(s, t, s->z.yes, s->after,
                            fm_state_bit(s->before) | fm_state_bit(s->after));
    }
}

/* ---- relies -------------------------------------------------------------------------------- */

/* The fact for one cell, x before and y later. */
static term_id rely_fact(struct term_store *s, enum verify_rely_kind kind, term_id x, term_id y)
{
    switch (kind) {
    case VERIFY_NEVER_CHANGES:
        return term_eq(s, x, y);
    case VERIFY_ONLY_GROWS:
        return term_le(s, x, y);
    case VERIFY_ONLY_FALLS:
        return term_le(s, y, x);
    default:
        break;
    }
    return term_implies(s, term_truth(s, x), term_eq(s, x, y)); /* STAYS_SET */
}

static uint64_t field_bit(uint32_t field)
{
    return UINT64_C(1) << (field < 63 ? field : 63);
}

/* What `fact` says of two cells of one row, for all rows; it gets the row's indices. */
static void for_all_rows(struct proof_step *s, uint32_t table, uint32_t field, Z3_ast guard,
                         term_id body)
{
    uint32_t n = s->sx->tables[table].n_dims;
    if (n <= FM_PARAMS)
        ground_for_all(&s->g, &(struct ground_for_all){.n = n,
                                                       .body = body,
                                                       .guard = guard,
                                                       .states = state_bits(s),
                                                       .fields = field_bit(field)});
}

/* ---- kept by all who do not write another row ---------------------------------------------- */

/* A fact F about single cells, reflexive and transitive ("never changes", "only grows", …), that is
 * kept by all who do not write the row that a row refers to.
 *
 * Why this relates A and B where NOCONFLICT holds: let r be a row that T writes or locks.  Whoever
 * is in B's set but not in A's has not written r.  Claim: F relates the fields in A and in B of a
 * row that refers to r in A (for the fact about the column's value before changes) or in B (after
 * changes), if "never changes" is kept for the column in the same way.  By induction on the
 * ar-largest transaction U of the larger set, as in proof.c: if U is in both sets, what it writes
 * is equal in both, and the rest is as without U.  Let U be only in the larger one, from B' to B =
 * B' ⊕ U; it has not written r. Before: a row that refers to r in A does so in B', by the claim for
 * the column.  So U, which would have to write r, does not break F for its field. After: if the row
 * refers to r in B, U has neither broken F for its field nor changed its column, or it would have
 * written r.  So the row refers to r in B', too. In both cases the claim about A and B' says the
 * rest.  Where a row refers by its indices, all this is the same without a column. */

/* The row that a row refers to; x: the column's value. */
static const term_id *referred(const struct verify_rely *r, const term_id *index, const term_id *x)
{
    return r->column == VERIFY_BY_INDEX ? index : x;
}

/* T writes the row that this row refers to; with locks: or locks it. */
static term_id writes_referred(struct proof_step *s, const struct verify_rely *r,
                               const term_id *index, term_id column, bool locks)
{
    term_id some = TERM_FALSE;
    for (size_t i = 0; i < s->n_writes + (locks ? s->n_locks : 0); i++) {
        const struct fm_write *w = i < s->n_writes ? &s->writes[i] : &s->locks[i - s->n_writes];
        if (w->table == r->with)
            some = term_or(s->fm.store, some, fm_hits(&s->fm, w, referred(r, index, &column)));
    }
    return some;
}

static term_id column_of(struct proof_step *s, const struct verify_rely *r, uint32_t state,
                         const term_id *index)
{
    return r->column == VERIFY_BY_INDEX ? TERM_NONE
                                        : fm_cell(&s->fm, state, r->table, r->column, index);
}

/* The same fact about the column that it refers by. */
static Z3_ast column_holds(struct proof_step *s, const struct verify_rely *r)
{
    for (size_t k = 0; k < s->n_rely; k++) {
        const struct verify_rely *q = &s->setting->relies[k];
        if (q->kind == VERIFY_CHANGES_WITH && q->table == r->table && q->field == r->column &&
            q->with == r->with && q->column == r->column && q->after == r->after &&
            q->kept == VERIFY_NEVER_CHANGES)
            return s->rely_holds[k];
    }
    return s->z.no;
}

static void assume_kept(struct proof_step *s, size_t k, uint32_t from, uint32_t to)
{
    const struct verify_rely *r = &s->setting->relies[k];
    const term_id *index = &s->fm.var[FM_PARAM];
    struct term_store *store = s->fm.store;
    Z3_ast guard = s->rely_holds[k];
    if (r->column != VERIFY_BY_INDEX)
        guard = z3ctx_and2(&s->z, guard, column_holds(s, r));
    term_id column = column_of(s, r, r->after ? to : from, index);
    term_id written = writes_referred(s, r, index, column, true);
    term_id fact = rely_fact(store, r->kept, fm_cell(&s->fm, from, r->table, r->field, index),
                             fm_cell(&s->fm, to, r->table, r->field, index));
    for_all_rows(s, r->table, r->field, guard, term_implies(store, written, fact));
}

/* T breaks the fact by write w, and does not write the row that the row refers to. */
static term_id changes_alone(struct proof_step *s, const struct verify_rely *r,
                             const struct fm_write *w)
{
    struct term_store *store = s->fm.store;
    term_id old = fm_cell(&s->fm, s->before, w->table, r->field, w->index);
    term_id column = column_of(s, r, s->before, w->index);
    if (column != TERM_NONE && r->after)
        column = w->value[r->column];
    return term_and(store, term_not(store, rely_fact(store, r->kept, old, w->value[r->field])),
                    term_not(store, writes_referred(s, r, w->index, column, false)));
}

/* ---- all relies ---------------------------------------------------------------------------- */

static void assume_rely(struct proof_step *s, size_t k, uint32_t from, uint32_t to)
{
    const struct verify_rely *r = &s->setting->relies[k];
    const term_id *index = &s->fm.var[FM_PARAM];
    if (from == to || s->sx->tables[r->table].n_dims > FM_PARAMS)
        return;
    if (r->kind == VERIFY_CHANGES_WITH) {
        assume_kept(s, k, from, to);
        return;
    }
    term_id fact = rely_fact(s->fm.store, r->kind, fm_cell(&s->fm, from, r->table, r->field, index),
                             fm_cell(&s->fm, to, r->table, r->field, index));
    for_all_rows(s, r->table, r->field, s->rely_holds[k], fact);
}

/* Adding T breaks the fact between B and the state after: only in a row that T writes.  (That is
 * enough for facts about single cells: see proof.c.) */
static term_id rely_goal(struct proof_step *s, size_t k)
{
    const struct verify_rely *r = &s->setting->relies[k];
    struct term_store *store = s->fm.store;
    term_id some = TERM_FALSE;
    for (size_t i = 0; i < s->n_writes; i++) {
        const struct fm_write *w = &s->writes[i];
        bool with = r->kind == VERIFY_CHANGES_WITH;
        if (w->table != r->table || w->same[r->field])
            continue;
        term_id old = fm_cell(&s->fm, s->before, r->table, r->field, w->index);
        term_id broken = with ? changes_alone(s, r, w)
                              : term_not(store, rely_fact(store, r->kind, old, w->value[r->field]));
        broken = term_and(store, w->guard, broken);
        for (uint32_t b = 0; b < w->n_bound; b++)
            broken = fm_at(&s->fm, broken, s->fm.var[FM_INDEX + b],
                           fm_unknown(&s->fm, "row", 0, term_type_max(32, true)));
        some = term_or(store, some, broken);
    }
    return some;
}

static void add_relies(struct proof_step *s)
{
    for (size_t k = 0; k < s->n_rely; k++)
        s->rely_holds[k] = z3ctx_bool(&s->z, "assume rely %u", (unsigned)k);
    for (size_t k = 0; k < s->n_rely; k++) {
        for (uint32_t i = 0; i < s->n_seen; i++)
            assume_rely(s, k, s->seen[i], i + 1 < s->n_seen ? s->seen[i + 1] : s->before);
        assume_rely(s, k, s->before, s->full);
    }
}

/* ---- the model's condition ----------------------------------------------------------------- */

/* NOCONFLICT: whoever wrote a row that T writes or locks before T is visible to T, so what T sees
 * there is what B has, and the state that fresh looks at. */
static void agree_on(struct proof_step *s, const struct fm_write *row, uint32_t a, uint32_t b)
{
    struct fm *fm = &s->fm;
    uint32_t n = s->sx->tables[row->table].n_dims;
    if (a == b || n > FM_PARAMS)
        return;
    for (uint32_t f = 0; f < s->sx->tables[row->table].n_fields; f++) {
        const term_id *index = row->n_bound ? &fm->var[FM_PARAM] : row->index;
        term_id same = term_eq(fm->store, fm_cell(fm, a, row->table, f, index),
                               fm_cell(fm, b, row->table, f, index));
        term_id hit = row->n_bound ? fm_hits(fm, row, index) : row->guard;
        term_id body = term_implies(fm->store, hit, same);
        if (row->n_bound)
            for_all_rows(s, row->table, f, s->z.yes, body);
        else
            ground_assert(&s->g, s->z.yes, body);
    }
}

/* LOCKORDER: whoever touched a row that T locks before T is in the later views of T, and nobody
 * touches it until T commits: what T sees there from then on is what B has. */
static void agree_on_locked(struct proof_step *s)
{
    for (size_t i = 0; i < s->n_touches; i++)
        for (uint32_t k = s->touch_from[i]; k < s->n_seen; k++)
            agree_on(s, &s->touches[i], s->seen[k], s->before);
}

static void agree(struct proof_step *s)
{
    agree_on_locked(s);
    if (step_is_ser(s) || !model_has(s->setting->model, AXIOM_NOCONFLICT))
        return;
    for (size_t i = 0; i < s->n_writes + s->n_locks; i++) {
        const struct fm_write *row = i < s->n_writes ? &s->writes[i] : &s->locks[i - s->n_writes];
        if (s->n_seen)
            agree_on(s, row, s->seen[0], s->before);
        agree_on(s, row, s->before, s->full);
    }
}

/* ---- fresh --------------------------------------------------------------------------------- */

static term_id happens(struct proof_step *s, struct fm_import *im, size_t input)
{
    const struct sx_input *in = &s->sum->inputs[input];
    return fm_import(im, term_and(s->fm.store, in->before, in->guard));
}

/* The row is all zeros in the state after all transactions before T.  That is B where visible sets
 * are prefixes of ar; elsewhere B may lack some of these transactions, such as one that emptied the
 * row. */
static void fresh_is_zero(struct proof_step *s, struct fm_import *im, size_t input)
{
    const struct sx_row *row = &s->sum->inputs[input].row;
    const struct ast_var *var = s->sx->tables[row->table].var;
    struct term_store *store = s->fm.store;
    const term_id *index = fm_import_all(im, row->index, s->sx->tables[row->table].n_dims);
    term_id made = happens(s, im, input);
    for (uint32_t t = 0; t < s->sx->n_tables; t++)
        for (uint32_t f = 0; f < s->sx->tables[t].n_fields && s->sx->tables[t].var == var; f++)
            ground_assert(&s->g, s->z.yes,
                          term_implies(store, made,
                                       term_eq(store, fm_cell(&s->fm, s->full, t, f, index),
                                               term_const(store, 0))));
}

static void fresh_differ(struct proof_step *s, struct fm_import *im, size_t i, size_t k)
{
    const struct sx_row *a = &s->sum->inputs[i].row, *b = &s->sum->inputs[k].row;
    struct term_store *store = s->fm.store;
    if (s->sx->tables[a->table].var != s->sx->tables[b->table].var)
        return;
    term_id same = term_and(store, happens(s, im, i), happens(s, im, k));
    for (uint32_t d = 0; d < s->sx->tables[a->table].n_dims; d++)
        same = term_and(store, same,
                        term_eq(store, fm_import(im, a->index[d]), fm_import(im, b->index[d])));
    ground_assert(&s->g, s->z.yes, term_not(store, same));
}

/* What terms count on: inputs that are indices are indices. */
static void inputs_are_indices(struct proof_step *s, struct fm_import *im)
{
    for (size_t i = 0; i < s->sum->n_inputs; i++)
        if (s->sum->inputs[i].below != TERM_NONE)
            ground_assert(&s->g, s->z.yes,
                          fm_between(&s->fm, term_const(s->fm.store, 0), s->input[i],
                                     fm_import(im, s->sum->inputs[i].below)));
}

static void add_inputs(struct proof_step *s)
{
    const struct sx_summary *sum = s->sum;
    struct fm_import im;
    fm_import_begin(&im, &s->fm, sum, s->read_state, s->input);
    inputs_are_indices(s, &im);
    for (size_t i = 0; i < sum->n_inputs; i++) {
        if (sum->inputs[i].kind != SX_FRESH)
            continue;
        fresh_is_zero(s, &im, i);
        for (size_t k = i + 1; k < sum->n_inputs; k++)
            if (sum->inputs[k].kind == SX_FRESH)
                fresh_differ(s, &im, i, k);
    }
    fm_import_end(&im);
}

/* ---- rows ---------------------------------------------------------------------------------- */

static void mention(struct proof_step *s, const struct fm_write *w)
{
    bool ground = w->n_bound == 0;
    for (uint32_t d = 0; d < s->sx->tables[w->table].n_dims; d++)
        ground &= fm_ground(&s->fm, w->index[d]);
    if (ground)
        ground_mention(&s->g, s->before, w->table, w->index);
    for (uint32_t f = 0; w->value && f < s->sx->tables[w->table].n_fields; f++)
        if (fm_ground(&s->fm, w->value[f]) && !w->same[f])
            ground_value(&s->g, w->table, f, w->value[f]);
}

void step_add_facts(struct proof_step *s)
{
    for (uint32_t i = 0; i < s->n_seen; i++)
        if (s->seen[i] != s->before)
            s->g.seen |= fm_state_bit(s->seen[i]);
    for (size_t i = 0; i < s->n_writes; i++)
        mention(s, &s->writes[i]);
    for (size_t i = 0; i < s->n_locks; i++)
        mention(s, &s->locks[i]);
    add_inputs(s);
    agree(s);
    assume_invariants(s);
    assume_constraints(s);
    add_relies(s);
}

/* ---- goals --------------------------------------------------------------------------------- */

/* Unknowns for the template's variables.  All templates share them: what is asked is whether some
 * fact is broken, so one row may stand for all, and the rows that matter are few. */
static term_id witness_for(struct proof_step *s, uint32_t k, term_int lo, term_int hi)
{
    for (size_t i = 0; i < s->witnesses.len; i++) {
        const struct step_witness *w = &s->witnesses.data[i];
        if (w->number == k && w->lo == lo && w->hi == hi)
            return w->term;
    }
    term_id t = fm_unknown(&s->fm, "for", lo, hi);
    vec_push(&s->witnesses, ((struct step_witness){k, lo, hi, t}));
    return t;
}

static term_id *make_witness(struct proof_step *s, const struct fm_template *t)
{
    term_id *witness = arena_array(&s->arena, term_id, t->n + 1);
    for (uint32_t k = 0; k < t->n; k++) {
        term_int lo = 0, hi = term_type_max(32, true);
        if (t->of && t->of->inputs[k].below == TERM_NONE) {
            lo = term_get(s->fm.store, t->of->inputs[k].leaf)->lo;
            hi = term_get(s->fm.store, t->of->inputs[k].leaf)->hi;
        }
        witness[k] = witness_for(s, k, lo, hi);
    }
    return witness;
}

/* A part of a template with n variables for the values of the witness, on the state after. */
static term_id at_witness(struct proof_step *s, uint32_t n, const term_id *witness, term_id t)
{
    struct fm_subst subst;
    fm_subst_begin(&subst, &s->fm);
    fm_subst_state(&subst, FM_ANY_STATE, s->after);
    for (uint32_t k = 0; k < n; k++)
        fm_subst_var(&subst, s->fm.var[FM_PARAM + k], witness[k]);
    t = fm_subst(&subst, t);
    fm_subst_end(&subst);
    return t;
}

static void add_goal(struct proof_step *s, size_t i)
{
    const struct fm_template *t = &s->templates[i];
    struct term_store *store = s->fm.store;
    const term_id *witness = s->witness[i] = make_witness(s, t);
    term_id range = at_witness(s, t->n, witness, t->range);
    term_id body = at_witness(s, t->n, witness, t->body);
    s->goal[i] = t->refused ? TERM_TRUE : term_and(store, range, term_not(store, body));
    s->unwinds[i] = term_and(store, range, at_witness(s, t->n, witness, t->unwinds));
    s->inv_broken[i] = z3ctx_name(&s->z, ground_z3(&s->g, s->goal[i]), "broken invariant");
    (void)ground_z3(&s->g, s->unwinds[i]);
}

/* The constraint holds in the state after for the values that a broken invariant is about. */
static void constrain_witness(struct proof_step *s, const struct fm_template *t)
{
    const term_id *witness = make_witness(s, t);
    term_id range = at_witness(s, t->n, witness, t->range);
    term_id body = at_witness(s, t->n, witness, t->body);
    ground_assert(&s->g, s->z.yes, term_implies(s->fm.store, range, body));
}

void step_add_goals(struct proof_step *s)
{
    for (size_t i = 0; i < s->n_inv; i++)
        add_goal(s, i);
    for (uint32_t i = 0; i < s->sx->n_constraints && constrains(s); i++)
        if (is_stated(&s->constraints[i]))
            constrain_witness(s, &s->constraints[i]);
    for (size_t k = 0; k < s->n_rely; k++)
        s->rely_broken[k] = z3ctx_name(&s->z, ground_z3(&s->g, rely_goal(s, k)), "broken rely");
    (void)ground_z3(&s->g, s->exists);
    for (size_t i = 0; i < s->sum->n_points && s->fires; i++) {
        const term_id terms[] = {s->fires[i], s->reached[i], s->checked[i], s->blocked[i]};
        for (size_t k = 0; k < sizeof terms / sizeof *terms; k++)
            (void)ground_z3(&s->g, terms[k]);
    }
}
