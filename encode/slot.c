/* The slot encoding: the event encoding plus the states that transactions pass through.
 *
 * Transaction i stands in one of n slots (literals p_iq); Y_q is the state before slot q, and
 *     p_iq → Y_{q+1} = Y_q overwritten with the writes of i.
 * The final state is Y_n.  Under SER a read of i sees Y_q; under PC and SI it sees Y_s for a slot s
 * ≤ q of the transaction's own (literals s_iq), and j is visible iff its slot is before s; under
 * the other levels reads keep their EXT rules and Y serves for the final state.
 *
 * Two additions make the solver reason by induction over the slots instead of enumerating orders:
 *   - b_q ↔ Inv(Y_q), an atom for every invariant and slot: lemmas "b_q → b_q+1" can be learned;
 *   - under NOCONFLICT, a read of a row that the transaction goes on to write sees Y_q as well:
 *     all writers of the row that come earlier are visible.
 * The second is implied by the axioms; the first only names things.  Exact, therefore, like the
 * event encoding; much faster for invariants about sums, slower for most others. */
#include "encode/enc_private.h"

#include <assert.h>

#define SLOT_ROWS_MAX 64
#define SLOT_TXNS_MAX 16

struct slots {
    uint32_t n;       /* slots = transactions */
    Z3_ast *at;       /* at[i * n + q]: p_iq */
    Z3_ast *snapshot; /* snapshot[i * (n + 1) + q]: i sees Y_q; NULL: not by slots */
    uint32_t *first;  /* by table: its first cell, UINT32_MAX if it is not touched */
    uint32_t n_cells;
    Z3_ast **state;   /* state[q][cell] */
    bool no_conflict; /* every level has NOCONFLICT */
};

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
    if (options->observer || p->txns.len < 2 || p->txns.len > SLOT_TXNS_MAX)
        return false;
    const struct model *level = prob_level(p, &p->txns.data[0], 0);
    for (size_t i = 0; i < p->txns.len; i++)
        for (size_t k = 0; k < p->txns.data[i].n_alts; k++)
            if (prob_level(p, &p->txns.data[i], k) != level)
                return false;
    for (uint32_t t = 0; t < p->sx->n_tables; t++)
        rows += sx_table_rows(&p->sx->tables[t]);
    return level->snapshot == SNAPSHOT_TRANSACTION && rows <= SLOT_ROWS_MAX;
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
                                                            : zx_bool(&e->z, "at %u %u", i, q);
    }
}

static void one_of(struct enc *e, const zx_asts *v)
{
    zx_assert(&e->z, zx_or(&e->z, v));
    zx_at_most_one(&e->z, v);
}

static void one_each(struct enc *e)
{
    struct slots *s = slots_of(e);
    uint32_t n = s->n;
    for (uint32_t i = 0; i < n; i++) {
        zx_asts row = {0}, column = {0};
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
                    zx_rule(&e->z, order_ar(&e->o, i, j), 2, s->at[i * n + q], s->at[j * n + r]);
}

/* Snapshots that are prefixes: the state before slot q, where q is not after one's own. */
static void declare_snapshots(struct enc *e)
{
    struct slots *s = slots_of(e);
    uint32_t n = s->n;
    s->snapshot = arena_array(&e->arena, Z3_ast, (size_t)n * (n + 1) + 1);
    for (uint32_t i = 0; i < n; i++) {
        zx_asts some = {0};
        for (uint32_t q = 0; q <= n; q++) {
            Z3_ast own = q < n ? s->at[i * n + q] : e->z.no;
            s->snapshot[i * (n + 1) + q] = e->o.all_ser ? own : zx_bool(&e->z, "sees %u %u", i, q);
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
                zx_rule(&e->z, zx_not(&e->z, sees), 1, s->at[i * n + own]);
            for (uint32_t j = 0; j < n; j++)
                for (uint32_t r = 0; r < n && j != i; r++) {
                    Z3_ast vis = order_sees(&e->o, i, j);
                    zx_rule(&e->z, r < q ? vis : zx_not(&e->z, vis), 2, sees, s->at[j * n + r]);
                }
        }
}

/* ---- states -------------------------------------------------------------------------------- */

static void declare_states(struct enc *e)
{
    struct slots *s = slots_of(e);
    const struct sx_program *sx = e->p->sx;
    s->first = arena_array(&e->arena, uint32_t, sx->n_tables + 1);
    for (uint32_t t = 0; t < sx->n_tables; t++) {
        s->first[t] = s->n_cells;
        s->n_cells += (uint32_t)sx_table_rows(&sx->tables[t]) * sx->tables[t].n_fields;
    }
    s->state = arena_array(&e->arena, Z3_ast *, s->n + 2);
    for (uint32_t q = 0; q <= s->n; q++) {
        s->state[q] = arena_array(&e->arena, Z3_ast, s->n_cells + 1);
        for (uint32_t t = 0; t < sx->n_tables; t++)
            for (uint64_t r = 0; r < sx_table_rows(&sx->tables[t]); r++)
                for (uint32_t f = 0; f < sx->tables[t].n_fields; f++)
                    s->state[q][cell_of(e, t, r, f)] =
                        q == 0 ? enc_initial_cell(e, enc_const_row(e, t, r), f)
                               : zx_const(&e->z, enc_cell_sort(e, t, f), "Y%u %.60s[%u]%.40s", q,
                                          sx->tables[t].name, (unsigned)r,
                                          sx->tables[t].fields[f].path);
    }
}

/* The row is this one and the write takes place. */
static Z3_ast write_hits(struct enc *e, const struct prob_write *w, uint64_t row)
{
    Z3_ast same = enc_same_row(e, w->row, enc_const_row(e, w->row.table, row));
    return zx_and2(&e->z, zterm(&e->t, w->guard), same);
}

static void step_row(struct enc *e, uint32_t i, uint32_t table, uint64_t row)
{
    struct slots *s = slots_of(e);
    const struct prob_txn *t = &e->p->txns.data[i];
    uint32_t n_fields = table_of(e, table)->n_fields;
    zx_asts hits = {0};
    for (size_t k = 0; k < t->writes.len; k++) {
        const struct prob_write *w = &t->writes.data[k];
        if (w->row.table != table)
            continue;
        Z3_ast hit = write_hits(e, w, row);
        vec_push(&hits, hit);
        for (uint32_t q = 0; q < s->n && hit != e->z.no; q++)
            for (uint32_t f = 0; f < n_fields; f++)
                zx_rule(&e->z,
                        zterm_eq(&e->t, s->state[q + 1][cell_of(e, table, row, f)],
                                 enc_cell(e, table, f, w->value[f])),
                        2, s->at[i * s->n + q], hit);
    }
    Z3_ast kept = zx_name(&e->z, zx_not(&e->z, zx_or(&e->z, &hits)), "kept");
    for (uint32_t q = 0; q < s->n; q++)
        for (uint32_t f = 0; f < n_fields; f++) {
            uint32_t c = cell_of(e, table, row, f);
            zx_rule(&e->z, zterm_eq(&e->t, s->state[q + 1][c], s->state[q][c]), 2,
                    s->at[i * s->n + q], kept);
        }
    vec_free(&hits);
}

static void steps(struct enc *e)
{
    for (uint32_t i = 0; i < slots_of(e)->n; i++)
        for (uint32_t t = 0; t < e->p->sx->n_tables; t++)
            for (uint64_t r = 0; r < sx_table_rows(table_of(e, t)); r++)
                step_row(e, i, t, r);
}

/* ---- reads --------------------------------------------------------------------------------- */

/* If `when`, the read sees state q. */
static void read_state(struct enc *e, const struct prob_read *r, uint32_t q, Z3_ast when)
{
    struct slots *s = slots_of(e);
    const struct sx_table *t = table_of(e, r->row.table);
    if (when == e->z.no)
        return;
    for (uint64_t row = 0; row < sx_table_rows(t); row++) {
        Z3_ast same = enc_same_row(e, r->row, enc_const_row(e, r->row.table, row));
        for (uint32_t f = 0; f < t->n_fields && same != e->z.no; f++)
            if (r->field[f] != TERM_NONE)
                zx_rule(&e->z,
                        zterm_eq(&e->t, enc_cell(e, r->row.table, f, r->field[f]),
                                 s->state[q][cell_of(e, r->row.table, row, f)]),
                        2, when, same);
    }
}

static void read_snapshot(struct enc *e, uint32_t i, const struct prob_read *r)
{
    struct slots *s = slots_of(e);
    for (uint32_t q = 0; q <= s->n; q++)
        read_state(e, r, q, s->snapshot[i * (s->n + 1) + q]);
}

/* NOCONFLICT: rows that the transaction writes are the same in its snapshot and before its slot. */
static void read_written(struct enc *e, uint32_t i, const struct prob_read *r)
{
    struct slots *s = slots_of(e);
    const struct prob_txn *t = &e->p->txns.data[i];
    zx_asts hits = {0};
    for (size_t k = 0; k < t->writes.len; k++)
        if (t->writes.data[k].row.table == r->row.table)
            vec_push(&hits, zx_and2(&e->z, zterm(&e->t, t->writes.data[k].guard),
                                    enc_same_row(e, t->writes.data[k].row, r->row)));
    Z3_ast writes = zx_name(&e->z, zx_or(&e->z, &hits), "writes what it reads");
    for (uint32_t q = 0; q < s->n && writes != e->z.no; q++)
        read_state(e, r, q, zx_and2(&e->z, s->at[i * s->n + q], writes));
    vec_free(&hits);
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

static void tie_to(struct enc *e, struct prob_predicate *pred, uint32_t q)
{
    for (size_t r = 0; r < pred->reads.len; r++)
        read_state(e, &pred->reads.data[r], q, e->z.yes);
}

/* The predicate after all slots; and atoms for those before. */
static void tie_predicate(struct enc *e, struct prob_predicate *pred, enum enc_place place,
                          Z3_ast active)
{
    struct slots *s = slots_of(e);
    assert(place == ENC_FINAL);
    (void)active, (void)place;
    tie_to(e, pred, s->n);
    for (uint32_t q = 1; q < s->n && pred->sum->func->role == AST_INVARIANT; q++) {
        struct prob_predicate *copy = prob_predicate(e->p, pred->sum, model_get(MODEL_SER));
        for (size_t r = 0; r < copy->reads.len; r++)
            enc_index_row(e, copy->reads.data[r].row);
        tie_to(e, copy, q);
        Z3_ast atom = zx_bool(&e->z, "b%u %s", q, pred->sum->func->name);
        zx_assert(&e->z, zx_iff(&e->z, atom, zterm(&e->t, copy->holds)));
    }
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
    s->n = (uint32_t)p->txns.len;
    s->no_conflict = model_has(level, AXIOM_NOCONFLICT);
    order_axioms(&e->o);
    declare_positions(e);
    one_each(e);
    if (e->o.all_ser || model_has(level, AXIOM_PREFIX)) {
        declare_snapshots(e);
        tie_snapshots(e);
    }
    declare_states(e);
    steps(e);
    reads(e);
    enc_conflicts(e);
    return e;
}
