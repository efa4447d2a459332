/* The slot encoding: the event encoding plus the states that transactions pass through.
 *
 * Transaction i stands in one of n slots (literals p_iq); Y_q is the state before slot q, and
 *     p_iq → Y_{q+1} = Y_q overwritten with the writes of i.
 * The final state is Y_n.  Under SER a read of i sees Y_q; under PC and SI it sees Y_s for a slot s
 * ≤ q of the transaction's own (literals s_iq), and j is visible iff its slot is before s; under
 * the other levels reads keep their EXT rules and Y serves for the final state.
 *
 * Three additions make the solver reason by induction over the slots instead of enumerating orders:
 *   - b_q ↔ Inv(Y_q), an atom for every invariant and slot, for lemmas to speak of;
 *   - lemmas "p_iq ∧ b_q → b_q+1", found beforehand in a small part of the formula (slot_lemma.c);
 *   - under NOCONFLICT, a read of a row that the transaction writes or locks sees Y_q as well: all
 *     writers of the row that come earlier are visible.
 * The third is implied by the axioms, the lemmas are implied by the formula, and the first only
 * introduces names.  So the encoding is exact like the event encoding; it is much faster for
 * invariants that every transaction keeps, and slower for most others. */
#include "encode/slot_internal.h"

#include <assert.h>

#define SLOT_ROWS_MAX 64
#define SLOT_TXNS_MAX 16

static struct slots *slots_of(const struct enc *e)
{
    return e->extra;
}

static const struct sx_table *table_of(const struct enc *e, uint32_t table)
{
    return &e->p->sx->tables[table];
}

static uint32_t cell_of(const struct enc *e, uint32_t table, uint64_t row, uint32_t field)
{
    return slots_of(e)->first[table] + (uint32_t)row * table_of(e, table)->n_fields + field;
}

/* ---- suitability --------------------------------------------------------------------------- */

bool enc_slot_suits(const struct problem *p, const struct enc_options *options)
{
    uint64_t rows = 0;
    if (p->constraints.len || p->constraint_error)
        return false;
    if (options->observer || p->txns.len < 2 || p->txns.len > SLOT_TXNS_MAX)
        return false;
    const struct model *level = prob_level(p, &p->txns.data[0], 0);
    for (size_t i = 0; i < p->txns.len; i++)
        for (size_t k = 0; k < p->txns.data[i].n_alts; k++)
            if (prob_level(p, &p->txns.data[i], k) != level)
                return false;
    for (uint32_t t = 0; t < p->sx->n_tables; t++)
        rows += sx_table_rows(&p->sx->tables[t]);
    return level->snapshot == SNAPSHOT_TRANSACTION && !model_is_server(level) &&
           rows <= SLOT_ROWS_MAX;
}

/* ---- positions ----------------------------------------------------------------------------- */

/* What is decided about ar narrows the slots: so many are surely before, so many surely after. */
static void declare_positions(struct enc *e)
{
    struct slots *s = slots_of(e);
    uint32_t n = s->n;
    s->at = arena_array(&e->arena, Z3_ast, (size_t)n * n + 1);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t before = 0, after = 0;
        for (uint32_t j = 0; j < n; j++) {
            before += j != i && order_ar(&e->o, j, i) == e->z.yes;
            after += j != i && order_ar(&e->o, i, j) == e->z.yes;
        }
        for (uint32_t q = 0; q < n; q++)
            s->at[i * n + q] = q < before || q >= n - after ? e->z.no
                               : before + after + 1 == n    ? e->z.yes
                                                            : z3ctx_bool(&e->z, "at %u %u", i, q);
    }
}

static void one_of(struct enc *e, const z3ctx_asts *v)
{
    z3ctx_assert(&e->z, z3ctx_or(&e->z, v));
    z3ctx_at_most_one(&e->z, v);
}

static void one_each(struct enc *e)
{
    struct slots *s = slots_of(e);
    uint32_t n = s->n;
    for (uint32_t i = 0; i < n; i++) {
        z3ctx_asts row = {0}, column = {0};
        for (uint32_t q = 0; q < n; q++) {
            vec_push(&row, s->at[i * n + q]);
            vec_push(&column, s->at[q * n + i]);
        }
        one_of(e, &row);
        one_of(e, &column);
        vec_free(&row);
        vec_free(&column);
    }
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n; j++)
            for (uint32_t q = 0; q < n && i != j; q++)
                for (uint32_t r = q + 1; r < n; r++)
                    z3ctx_rule(&e->z, order_ar(&e->o, i, j), 2, s->at[i * n + q], s->at[j * n + r]);
}

/* Snapshots that are prefixes: the state before slot q, where q is not after one's own. */
static void declare_snapshots(struct enc *e)
{
    struct slots *s = slots_of(e);
    uint32_t n = s->n;
    s->snapshot = arena_array(&e->arena, Z3_ast, (size_t)n * (n + 1) + 1);
    for (uint32_t i = 0; i < n; i++) {
        z3ctx_asts some = {0};
        for (uint32_t q = 0; q <= n; q++) {
            Z3_ast own = q < n ? s->at[i * n + q] : e->z.no;
            s->snapshot[i * (n + 1) + q] =
                e->o.all_ser ? own : z3ctx_bool(&e->z, "sees %u %u", i, q);
            vec_push(&some, s->snapshot[i * (n + 1) + q]);
        }
        if (!e->o.all_ser)
            one_of(e, &some);
        vec_free(&some);
    }
}

static void tie_snapshots(struct enc *e)
{
    struct slots *s = slots_of(e);
    uint32_t n = s->n;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t q = 0; q <= n && !e->o.all_ser; q++) {
            Z3_ast sees = s->snapshot[i * (n + 1) + q];
            for (uint32_t own = 0; own < n && own < q; own++)
                z3ctx_rule(&e->z, z3ctx_not(&e->z, sees), 1, s->at[i * n + own]);
            for (uint32_t j = 0; j < n; j++)
                for (uint32_t r = 0; r < n && j != i; r++) {
                    Z3_ast vis = order_sees(&e->o, i, j);
                    z3ctx_rule(&e->z, r < q ? vis : z3ctx_not(&e->z, vis), 2, sees,
                               s->at[j * n + r]);
                }
        }
}

/* ---- states -------------------------------------------------------------------------------- */

static void number_cells(struct enc *e)
{
    struct slots *s = slots_of(e);
    const struct sx_program *sx = e->p->sx;
    s->first = arena_array(&e->arena, uint32_t, sx->n_tables + 1);
    for (uint32_t t = 0; t < sx->n_tables; t++) {
        s->first[t] = s->n_cells;
        s->n_cells += (uint32_t)sx_table_rows(&sx->tables[t]) * sx->tables[t].n_fields;
    }
}

static Z3_ast *initial_state(struct enc *e)
{
    const struct sx_program *sx = e->p->sx;
    Z3_ast *cells = arena_array(&e->arena, Z3_ast, slots_of(e)->n_cells + 1);
    for (uint32_t t = 0; t < sx->n_tables; t++)
        for (uint64_t r = 0; r < sx_table_rows(&sx->tables[t]); r++)
            for (uint32_t f = 0; f < sx->tables[t].n_fields; f++)
                cells[cell_of(e, t, r, f)] = enc_initial_cell(e, enc_const_row(e, t, r), f);
    return cells;
}

Z3_ast *slot_new_state(struct enc *e, const char *name)
{
    const struct sx_program *sx = e->p->sx;
    Z3_ast *cells = arena_array(&e->arena, Z3_ast, slots_of(e)->n_cells + 1);
    for (uint32_t t = 0; t < sx->n_tables; t++)
        for (uint64_t r = 0; r < sx_table_rows(&sx->tables[t]); r++)
            for (uint32_t f = 0; f < sx->tables[t].n_fields; f++)
                cells[cell_of(e, t, r, f)] =
                    z3ctx_const(&e->z, enc_cell_sort(e, t, f), "%s %.60s[%u]%.40s", name,
                                sx->tables[t].name, (unsigned)r, sx->tables[t].fields[f].path);
    return cells;
}

static void declare_states(struct enc *e)
{
    struct slots *s = slots_of(e);
    s->state = arena_array(&e->arena, Z3_ast *, s->n + 2);
    s->state[0] = initial_state(e);
    for (uint32_t q = 1; q <= s->n; q++) {
        char name[16];
        snprintf(name, sizeof name, "Y%u", q);
        s->state[q] = slot_new_state(e, name);
    }
}

/* ---- effects ------------------------------------------------------------------------------- */

/* The row is this one and the write takes place. */
static Z3_ast write_hits(struct enc *e, const struct prob_write *w, uint64_t row)
{
    Z3_ast same = enc_same_row(e, w->row, enc_const_row(e, w->row.table, row));
    return z3ctx_and2(&e->z, zterm(&e->t, w->guard), same);
}

/* What transaction i does to one row: by which write, or that it is kept. */
static struct slot_effect effect_on(struct enc *e, uint32_t i, uint32_t table, uint64_t row)
{
    const struct prob_txn *t = &e->p->txns.data[i];
    struct slot_effect effect = {.table = table, .row = row};
    effect.hits = arena_array(&e->arena, Z3_ast, t->writes.len + 1);
    z3ctx_asts some = {0};
    for (size_t k = 0; k < t->writes.len; k++) {
        const struct prob_write *w = &t->writes.data[k];
        effect.hits[k] = w->row.table == table ? write_hits(e, w, row) : e->z.no;
        vec_push(&some, effect.hits[k]);
    }
    effect.kept = z3ctx_name(&e->z, z3ctx_not(&e->z, z3ctx_or(&e->z, &some)), "kept");
    vec_free(&some);
    return effect;
}

static void find_effects(struct enc *e)
{
    struct slots *s = slots_of(e);
    const struct sx_program *sx = e->p->sx;
    for (uint32_t t = 0; t < sx->n_tables; t++)
        s->n_rows += (uint32_t)sx_table_rows(&sx->tables[t]);
    s->effects = arena_array(&e->arena, struct slot_effect, (size_t)s->n * s->n_rows + 1);
    struct slot_effect *next = s->effects;
    for (uint32_t i = 0; i < s->n; i++)
        for (uint32_t t = 0; t < sx->n_tables; t++)
            for (uint64_t r = 0; r < sx_table_rows(table_of(e, t)); r++)
                *next++ = effect_on(e, i, t, r);
}

static void step_row(struct enc *e, struct z3ctx *to, uint32_t i, const struct slot_effect *effect,
                     Z3_ast when, Z3_ast *before, Z3_ast *after)
{
    const struct prob_txn *t = &e->p->txns.data[i];
    for (uint32_t f = 0; f < table_of(e, effect->table)->n_fields; f++) {
        uint32_t c = cell_of(e, effect->table, effect->row, f);
        for (size_t k = 0; k < t->writes.len; k++)
            if (effect->hits[k] != e->z.no)
                z3ctx_rule(to,
                           zterm_eq(&e->t, after[c],
                                    enc_cell(e, effect->table, f, t->writes.data[k].value[f])),
                           2, when, effect->hits[k]);
        z3ctx_rule(to, zterm_eq(&e->t, after[c], before[c]), 2, when, effect->kept);
    }
}

void slot_step(struct enc *e, struct z3ctx *to, uint32_t i, Z3_ast when, Z3_ast *before,
               Z3_ast *after)
{
    struct slots *s = slots_of(e);
    for (uint32_t k = 0; k < s->n_rows && when != e->z.no; k++)
        step_row(e, to, i, &s->effects[(size_t)i * s->n_rows + k], when, before, after);
}

static void steps(struct enc *e)
{
    struct slots *s = slots_of(e);
    for (uint32_t i = 0; i < s->n; i++)
        for (uint32_t q = 0; q < s->n; q++)
            slot_step(e, &e->z, i, s->at[i * s->n + q], s->state[q], s->state[q + 1]);
}

/* ---- reads --------------------------------------------------------------------------------- */

void slot_read(struct enc *e, struct z3ctx *to, const struct prob_read *r, Z3_ast *state,
               Z3_ast when)
{
    const struct sx_table *t = table_of(e, r->row.table);
    if (when == e->z.no)
        return;
    for (uint64_t row = 0; row < sx_table_rows(t); row++) {
        Z3_ast same = enc_same_row(e, r->row, enc_const_row(e, r->row.table, row));
        for (uint32_t f = 0; f < t->n_fields && same != e->z.no; f++)
            if (r->field[f] != TERM_NONE)
                z3ctx_rule(to,
                           zterm_eq(&e->t, enc_cell(e, r->row.table, f, r->field[f]),
                                    state[cell_of(e, r->row.table, row, f)]),
                           2, when, same);
    }
}

static void read_snapshot(struct enc *e, uint32_t i, const struct prob_read *r)
{
    struct slots *s = slots_of(e);
    for (uint32_t q = 0; q <= s->n; q++)
        slot_read(e, &e->z, r, s->state[q], s->snapshot[i * (s->n + 1) + q]);
}

/* NOCONFLICT: rows that the transaction writes or locks are the same in its snapshot and before its
 * slot. */
Z3_ast slot_writes_back(struct enc *e, uint32_t i, const struct prob_read *r)
{
    const struct prob_txn *t = &e->p->txns.data[i];
    z3ctx_asts hits = {0};
    for (size_t k = 0; k < t->writes.len; k++)
        if (t->writes.data[k].row.table == r->row.table)
            vec_push(&hits, z3ctx_and2(&e->z, zterm(&e->t, t->writes.data[k].guard),
                                       enc_same_row(e, t->writes.data[k].row, r->row)));
    for (size_t k = 0; k < t->locks.len; k++)
        if (t->locks.data[k].row.table == r->row.table)
            vec_push(&hits, z3ctx_and2(&e->z, zterm(&e->t, t->locks.data[k].guard),
                                       enc_same_row(e, t->locks.data[k].row, r->row)));
    Z3_ast writes = z3ctx_name(&e->z, z3ctx_or(&e->z, &hits), "writes or locks what it reads");
    vec_free(&hits);
    return writes;
}

static void read_written(struct enc *e, uint32_t i, const struct prob_read *r)
{
    struct slots *s = slots_of(e);
    Z3_ast writes = slot_writes_back(e, i, r);
    for (uint32_t q = 0; q < s->n && writes != e->z.no; q++)
        slot_read(e, &e->z, r, s->state[q], z3ctx_and2(&e->z, s->at[i * s->n + q], writes));
}

/* The states that the rows of fresh are looked at in: the one before one's own slot. */
void slot_fresh(struct enc *e, struct z3ctx *to, uint32_t i, Z3_ast *state, Z3_ast when)
{
    const struct prob_txn *t = &e->p->txns.data[i];
    for (size_t k = 0; k < t->fresh.len; k++)
        for (size_t r = 0; r < t->fresh.data[k].n_state; r++)
            slot_read(e, to, &t->fresh.data[k].state[r], state, when);
}

static void fresh_rows(struct enc *e)
{
    struct slots *s = slots_of(e);
    for (uint32_t i = 0; i < s->n; i++)
        for (uint32_t q = 0; q < s->n; q++)
            slot_fresh(e, &e->z, i, s->state[q], s->at[i * s->n + q]);
}

struct seen_by {
    const struct order *o;
    uint32_t node;
};

static Z3_ast visible(void *arg, uint32_t j)
{
    const struct seen_by *s = arg;
    return order_sees(s->o, s->node, j);
}

static void reads(struct enc *e)
{
    struct slots *s = slots_of(e);
    for (uint32_t i = 0; i < s->n; i++)
        for (size_t k = 0; k < e->p->txns.data[i].reads.len; k++) {
            const struct prob_read *r = &e->p->txns.data[i].reads.data[k];
            struct seen_by seen = {&e->o, i};
            if (s->snapshot)
                read_snapshot(e, i, r);
            else
                enc_read_ext(e, r, i, visible, &seen);
            if (s->no_conflict)
                read_written(e, i, r);
        }
}

/* ---- predicates ---------------------------------------------------------------------------- */

static void tie_to(struct enc *e, struct z3ctx *to, struct prob_predicate *pred, Z3_ast *state)
{
    for (size_t r = 0; r < pred->reads.len; r++)
        slot_read(e, to, &pred->reads.data[r], state, e->z.yes);
}

Z3_ast slot_holds(struct enc *e, struct z3ctx *to, const struct prob_predicate *pred, Z3_ast *state,
                  const char *name)
{
    const struct sx_summary *invariant = pred->sum;
    term_id *args = arena_array(&e->arena, term_id, invariant->n_params + 1);
    for (size_t i = 0; i < invariant->n_params; i++)
        args[i] = pred->inputs[i].value;
    struct prob_predicate *copy = prob_predicate_of(e->p, invariant, model_get(MODEL_SER), args);
    for (size_t r = 0; r < copy->reads.len; r++)
        enc_index_row(e, copy->reads.data[r].row);
    tie_to(e, to, copy, state);
    Z3_ast atom = z3ctx_bool(&e->z, "%s %s", name, invariant->func->name);
    z3ctx_assert(to, z3ctx_iff(to, atom, zterm(&e->t, copy->holds)));
    return atom;
}

/* The predicate after all slots; of an invariant, atoms for the states before. */
static void tie_predicate(struct enc *e, struct prob_predicate *pred, enum enc_place place,
                          Z3_ast active)
{
    struct slots *s = slots_of(e);
    assert(place == ENC_FINAL);
    (void)active, (void)place;
    tie_to(e, &e->z, pred, s->state[s->n]);
    if (pred->sum->func->role != AST_INVARIANT)
        return;
    Z3_ast *chain = arena_array(&e->arena, Z3_ast, s->n + 1);
    for (uint32_t q = 0; q < s->n; q++) {
        char name[16];
        snprintf(name, sizeof name, "b%u", q);
        chain[q] = slot_holds(e, &e->z, pred, s->state[q], name);
    }
    chain[s->n] = z3ctx_name(&e->z, zterm(&e->t, pred->holds), "b");
    slot_lemmas_about(e, pred, chain);
}

/* ---- the whole ----------------------------------------------------------------------------- */

struct enc *enc_slot(struct problem *p, const struct enc_options *options)
{
    assert(enc_slot_suits(p, options));
    struct enc *e = enc_new(p, options);
    struct slots *s = arena_new(&e->arena, struct slots);
    const struct model *level = prob_level(p, &p->txns.data[0], 0);
    e->extra = s;
    e->tie_predicate = tie_predicate;
    e->prepare = slot_lemmas_learn;
    e->close = slot_lemmas_close;
    s->n = (uint32_t)p->txns.len;
    s->no_conflict = model_has(level, AXIOM_NOCONFLICT);
    order_axioms(&e->o);
    declare_positions(e);
    one_each(e);
    if (e->o.all_ser || model_has(level, AXIOM_PREFIX)) {
        declare_snapshots(e);
        tie_snapshots(e);
    }
    number_cells(e);
    find_effects(e);
    slot_lemmas_open(e);
    declare_states(e);
    steps(e);
    reads(e);
    fresh_rows(e);
    enc_conflicts(e);
    enc_fresh(e);
    return e;
}
