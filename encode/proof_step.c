/* One step of induction as a formula, see proof_step.h. */
#include "encode/proof_step.h"

#include <assert.h>
#include <string.h>

#include "encode/decode.h"
#include "encode/enc.h"
#include "encode/zstate.h"

/* A step that takes more work than that is better left to bounded runs. */
#define PROOF_WORK 40000000u

struct proof_step {
    struct sx_program *sx;
    const struct sx_summary *sum;
    struct problem *p;
    const struct prob_txn *txn;
    struct z3ctx z;
    struct zterm t;
    struct zstate a, b;
    struct zstate *before; /* B: &a where B = A */
    const struct verify_rely *relies;
    struct prob_predicate **on_a, **on_b, **on_after; /* by invariant */
    Z3_ast *inv_holds, *inv_broken;                   /* switch; literal: fails after the step */
    Z3_ast *rely_holds, *rely_broken;
    size_t n_inv, n_rely;
    z3ctx_asts last; /* assumptions of the last check, in the order of the facts */
    bool trivial;    /* it needed none */
    struct arena arena;
};

/* ---- states -------------------------------------------------------------------------------- */

/* T writes the row: by write w. */
static Z3_ast hits(struct proof_step *s, const struct prob_write *w, struct prob_row row)
{
    if (w->row.table != row.table)
        return s->z.no;
    return z3ctx_and2(&s->z, zterm(&s->t, w->guard), zstate_same_row(&s->t, s->p, w->row, row));
}

/* A cell of B ⊕ T(A). */
static Z3_ast cell_after(struct proof_step *s, struct prob_row row, uint32_t field)
{
    Z3_ast value = zstate_cell(s->before, row, field);
    for (size_t i = 0; i < s->txn->writes.len; i++) {
        const struct prob_write *w = &s->txn->writes.data[i];
        Z3_ast hit = hits(s, w, row);
        if (hit == s->z.no)
            continue;
        Z3_ast v = zstate_value(&s->t, s->p, row.table, field, w->value[field]);
        if (s->t.mode == ZTERM_BITS && !zstate_is_bit(s->p, row.table, field))
            v = zterm_as(&s->t, v, Z3_get_sort(s->z.c, value));
        value = z3ctx_ite(&s->z, hit, v, value);
    }
    return value;
}

static void read_after(struct proof_step *s, const struct prob_read *r)
{
    for (uint32_t f = 0; f < s->sx->tables[r->row.table].n_fields; f++)
        if (r->field[f] != TERM_NONE)
            z3ctx_assert(&s->z,
                         zterm_eq(&s->t, zstate_value(&s->t, s->p, r->row.table, f, r->field[f]),
                                  cell_after(s, r->row, f)));
}

static void index_row(struct proof_step *s, struct prob_row row)
{
    const struct sx_table *t = &s->sx->tables[row.table];
    for (uint32_t d = 0; d < t->n_dims; d++)
        zterm_index(&s->t, row.index[d], t->dims[d]);
}

/* ---- invariants ---------------------------------------------------------------------------- */

static Z3_ast is_true(struct proof_step *s, const struct prob_predicate *pred)
{
    return z3ctx_and2(&s->z, zterm(&s->t, pred->holds), zterm(&s->t, pred->defined));
}

static struct prob_predicate *copy(struct proof_step *s, const struct sx_summary *inv)
{
    struct prob_predicate *pred = prob_predicate(s->p, inv, model_get(MODEL_SER));
    for (size_t i = 0; i < pred->reads.len; i++)
        index_row(s, pred->reads.data[i].row);
    return pred;
}

static Z3_ast on_state(struct proof_step *s, struct prob_predicate *pred, struct zstate *state)
{
    for (size_t i = 0; i < pred->reads.len; i++)
        zstate_read(state, &pred->reads.data[i]);
    return is_true(s, pred);
}

static void add_invariant(struct proof_step *s, size_t i)
{
    const struct sx_summary *inv = s->sx->invariants[i];
    s->on_a[i] = copy(s, inv);
    Z3_ast holds = on_state(s, s->on_a[i], &s->a);
    s->on_b[i] = s->on_a[i];
    if (s->before != &s->a) {
        s->on_b[i] = copy(s, inv);
        holds = z3ctx_and2(&s->z, holds, on_state(s, s->on_b[i], s->before));
    }
    s->inv_holds[i] = z3ctx_bool(&s->z, "assume %s", inv->func->name);
    z3ctx_assert(&s->z, z3ctx_implies(&s->z, s->inv_holds[i], holds));
    s->on_after[i] = copy(s, inv);
    for (size_t k = 0; k < s->on_after[i]->reads.len; k++)
        read_after(s, &s->on_after[i]->reads.data[k]);
    s->inv_broken[i] =
        z3ctx_name(&s->z, z3ctx_not(&s->z, is_true(s, s->on_after[i])), "broken invariant");
}

/* ---- relies -------------------------------------------------------------------------------- */

/* The fact for one cell, x before and y later. */
static Z3_ast fact(struct proof_step *s, enum verify_rely_kind kind, bool bit, Z3_ast x, Z3_ast y)
{
    struct z3ctx *z = &s->z;
    Z3_ast same = zterm_eq(&s->t, x, y);
    switch (kind) {
    case VERIFY_NEVER_CHANGES:
        return same;
    case VERIFY_ONLY_GROWS:
        return bit ? z3ctx_implies(z, x, y) : zterm_le(&s->t, x, y);
    case VERIFY_ONLY_FALLS:
        return bit ? z3ctx_implies(z, y, x) : zterm_le(&s->t, y, x);
    case VERIFY_STAYS_SET:
        break;
    }
    Z3_ast set = bit ? x : z3ctx_not(z, zterm_eq(&s->t, x, zterm_value(&s->t, 0)));
    return z3ctx_implies(z, set, same);
}

static void assume_for_row(struct proof_step *s, size_t k, struct prob_row row)
{
    const struct verify_rely *r = &s->relies[k];
    if (row.table != r->table)
        return;
    Z3_ast f = fact(s, r->kind, zstate_is_bit(s->p, r->table, r->field),
                    zstate_cell(&s->a, row, r->field), zstate_cell(s->before, row, r->field));
    z3ctx_assert(&s->z, z3ctx_implies(&s->z, s->rely_holds[k], f));
}

/* For all rows of small tables; of others, for those that the formula mentions. */
static void assume_for_rows(struct proof_step *s, size_t k)
{
    const struct verify_rely *r = &s->relies[k];
    uint64_t rows = sx_table_rows(&s->sx->tables[r->table]);
    if (!s->a.function[r->table][r->field]) {
        for (uint64_t i = 0; i < rows; i++)
            assume_for_row(s, k, zstate_row(s->p, r->table, i));
        return;
    }
    for (size_t i = 0; i < s->txn->reads.len; i++)
        assume_for_row(s, k, s->txn->reads.data[i].row);
    for (size_t i = 0; i < s->txn->writes.len; i++)
        assume_for_row(s, k, s->txn->writes.data[i].row);
    for (size_t v = 0; v < s->n_inv; v++) {
        struct prob_predicate *const preds[] = {s->on_a[v], s->on_b[v], s->on_after[v]};
        for (size_t p = 0; p < 3; p++)
            for (size_t i = 0; i < preds[p]->reads.len; i++)
                assume_for_row(s, k, preds[p]->reads.data[i].row);
    }
}

/* Adding T breaks the fact between B and B ⊕ T(A): only in a row that T writes.  (That is enough
 * for facts about single cells: see proof.c.) */
static Z3_ast rely_broken(struct proof_step *s, size_t k)
{
    const struct verify_rely *r = &s->relies[k];
    z3ctx_asts some = {0};
    for (size_t i = 0; i < s->txn->writes.len; i++) {
        const struct prob_write *w = &s->txn->writes.data[i];
        if (w->row.table != r->table)
            continue;
        Z3_ast f = fact(s, r->kind, zstate_is_bit(s->p, r->table, r->field),
                        zstate_cell(s->before, w->row, r->field),
                        zstate_value(&s->t, s->p, r->table, r->field, w->value[r->field]));
        vec_push(&some, z3ctx_and2(&s->z, zterm(&s->t, w->guard), z3ctx_not(&s->z, f)));
    }
    Z3_ast broken = z3ctx_name(&s->z, z3ctx_or(&s->z, &some), "broken rely");
    vec_free(&some);
    return broken;
}

static void add_relies(struct proof_step *s)
{
    for (size_t k = 0; k < s->n_rely; k++) {
        s->rely_holds[k] = z3ctx_bool(&s->z, "assume rely %u", (unsigned)k);
        assume_for_rows(s, k);
        s->rely_broken[k] = rely_broken(s, k);
    }
}

/* ---- the model's condition ----------------------------------------------------------------- */

/* NOCONFLICT: whoever wrote a row of W before T is visible to T, so A and B agree there. */
static void agree_on(struct proof_step *s, struct prob_row row, term_id guard)
{
    for (uint32_t f = 0; f < s->sx->tables[row.table].n_fields; f++)
        z3ctx_assert(&s->z, z3ctx_implies(&s->z, zterm(&s->t, guard),
                                          zterm_eq(&s->t, zstate_cell(&s->a, row, f),
                                                   zstate_cell(s->before, row, f))));
}

static void agree(struct proof_step *s)
{
    for (size_t i = 0; i < s->txn->writes.len; i++)
        agree_on(s, s->txn->writes.data[i].row, s->txn->writes.data[i].guard);
    for (size_t i = 0; i < s->txn->locks.len; i++)
        agree_on(s, s->txn->locks.data[i].row, s->txn->locks.data[i].guard);
}

/* ---- construction -------------------------------------------------------------------------- */

static bool needs_bits(struct proof_step *s)
{
    struct prob_predicate **preds = mem_calloc(s->sx->n_invariants + 1, sizeof *preds);
    for (uint32_t i = 0; i < s->sx->n_invariants; i++)
        preds[i] = prob_predicate(s->p, s->sx->invariants[i], model_get(MODEL_SER));
    bool bits = enc_needs_bits(s->p, preds, s->sx->n_invariants);
    mem_free(preds);
    return bits;
}

static void index_txn(struct proof_step *s)
{
    for (size_t i = 0; i < s->txn->reads.len; i++)
        index_row(s, s->txn->reads.data[i].row);
    for (size_t i = 0; i < s->txn->writes.len; i++)
        index_row(s, s->txn->writes.data[i].row);
    for (size_t i = 0; i < s->txn->locks.len; i++)
        index_row(s, s->txn->locks.data[i].row);
}

static void allocate(struct proof_step *s)
{
    struct arena *a = &s->arena;
    s->n_inv = s->sx->n_invariants;
    s->inv_holds = arena_array(a, Z3_ast, s->n_inv + 1);
    s->inv_broken = arena_array(a, Z3_ast, s->n_inv + 1);
    s->on_a = arena_array(a, struct prob_predicate *, s->n_inv + 1);
    s->on_b = arena_array(a, struct prob_predicate *, s->n_inv + 1);
    s->on_after = arena_array(a, struct prob_predicate *, s->n_inv + 1);
    s->rely_holds = arena_array(a, Z3_ast, s->n_rely + 1);
    s->rely_broken = arena_array(a, Z3_ast, s->n_rely + 1);
}

struct proof_step *proof_step_new(struct sx_program *sx, const struct sx_summary *txn,
                                  const struct model *const *levels, enum proof_condition condition,
                                  const struct verify_rely *relies, size_t n_relies,
                                  struct z3ctx_pool *pool)
{
    struct proof_step *s = mem_calloc(1, sizeof *s);
    s->sx = sx;
    s->sum = txn;
    s->p = prob_single(sx, txn, levels);
    s->txn = &s->p->txns.data[0];
    s->relies = relies;
    s->n_rely = n_relies;
    allocate(s);
    z3ctx_init(&s->z, pool, 0, (struct z3ctx_budget){.work = PROOF_WORK}, NULL);
    zterm_init(&s->t, &s->z, s->p->store, needs_bits(s) ? ZTERM_BITS : ZTERM_INT);
    index_txn(s);
    zstate_init(&s->a, &s->t, s->p, &s->arena, "A");
    s->before = &s->a;
    if (condition != PROOF_SAME) {
        zstate_init(&s->b, &s->t, s->p, &s->arena, "B");
        s->before = &s->b;
    }
    for (size_t i = 0; i < s->txn->reads.len; i++)
        zstate_read(&s->a, &s->txn->reads.data[i]);
    for (size_t i = 0; i < s->n_inv; i++)
        add_invariant(s, i);
    add_relies(s);
    if (condition == PROOF_AGREE)
        agree(s);
    return s;
}

void proof_step_free(struct proof_step *s)
{
    if (!s)
        return;
    zterm_free(&s->t);
    z3ctx_free(&s->z);
    vec_free(&s->last);
    prob_free(s->p);
    arena_free(&s->arena);
    mem_free(s);
}

/* ---- questions ----------------------------------------------------------------------------- */

/* Is `goal` possible with these facts?  Facts not assumed are left out. */
static enum proof_answer check(struct proof_step *s, const struct proof_facts *assume, Z3_ast goal)
{
    if (goal == s->z.no) {
        vec_clear(&s->last);
        s->trivial = true;
        return PROOF_NO;
    }
    s->trivial = false;
    vec_clear(&s->last);
    for (size_t i = 0; i < s->n_inv; i++)
        if (assume->inv[i])
            vec_push(&s->last, s->inv_holds[i]);
    for (size_t k = 0; k < s->n_rely; k++)
        if (assume->rely[k])
            vec_push(&s->last, s->rely_holds[k]);
    Z3_ast ask = z3ctx_bool(&s->z, "ask");
    z3ctx_assert(&s->z, z3ctx_implies(&s->z, ask, goal));
    vec_push(&s->last, ask);
    enum z3ctx_answer a = z3ctx_check(&s->z, s->last.len, s->last.data);
    return a == Z3CTX_SAT ? PROOF_YES : a == Z3CTX_UNSAT ? PROOF_NO : PROOF_UNKNOWN;
}

enum proof_answer proof_step_breaks(struct proof_step *s, const struct proof_facts *assume,
                                    const struct proof_facts *ask, struct proof_facts *broken)
{
    z3ctx_asts some = {0};
    for (size_t i = 0; i < s->n_inv; i++)
        if (ask->inv[i])
            vec_push(&some, s->inv_broken[i]);
    for (size_t k = 0; k < s->n_rely; k++)
        if (ask->rely[k])
            vec_push(&some, s->rely_broken[k]);
    enum proof_answer a = check(s, assume, z3ctx_or(&s->z, &some));
    vec_free(&some);
    if (a != PROOF_YES)
        return a;
    for (size_t i = 0; i < s->n_inv; i++)
        broken->inv[i] = ask->inv[i] && z3ctx_model_bool(&s->z, s->inv_broken[i]);
    for (size_t k = 0; k < s->n_rely; k++)
        broken->rely[k] = ask->rely[k] && z3ctx_model_bool(&s->z, s->rely_broken[k]);
    return a;
}

static void add_bounds_of(struct proof_step *s, const struct prob_predicate *pred, z3ctx_asts *some)
{
    for (size_t i = 0; i < pred->sum->n_points; i++)
        if (pred->sum->points[i].kind == SX_UNWIND)
            vec_push(some, zterm(&s->t, pred->fires[i]));
}

/* Does the run count?  Not if an assumption fails, before the point or after it; and for an
 * assertion not if a built-in check fails. */
static Z3_ast counts(struct proof_step *s, enum sx_point_kind kind)
{
    const struct prob_alt *alt = &s->txn->alts[0];
    Z3_ast yes = zterm(&s->t, s->txn->exists);
    if (kind == SX_ASSERT)
        yes = z3ctx_and2(&s->z, yes, z3ctx_not(&s->z, zterm(&s->t, alt->check_failed)));
    return kind == SX_UNWIND ? s->z.yes : yes;
}

enum proof_answer proof_step_fires(struct proof_step *s, const struct proof_facts *assume,
                                   const struct properties *props, uint32_t property)
{
    z3ctx_asts some = {0};
    for (size_t i = 0; i < s->p->points.len; i++) {
        const struct prob_point *pt = &s->p->points.data[i];
        if (property == PROPERTY_NONE ? pt->of->kind == SX_UNWIND
                                      : properties_of_point(props, s->sx, pt->of) == property)
            vec_push(&some, z3ctx_and2(&s->z, zterm(&s->t, pt->fires), counts(s, pt->of->kind)));
    }
    if (property == PROPERTY_NONE)
        for (size_t i = 0; i < s->n_inv; i++)
            if (assume->inv[i])
                add_bounds_of(s, s->on_after[i], &some);
    enum proof_answer a = check(s, assume, z3ctx_or(&s->z, &some));
    vec_free(&some);
    return a;
}

/* The conditions of prob_alt for the assertion, together; without any, contradictions above it. */
static Z3_ast reaching(struct proof_step *s, const struct properties *props, uint32_t property,
                       const term_id *conditions)
{
    const struct prob_alt *alt = &s->txn->alts[0];
    bool blocked = conditions == alt->blocked;
    z3ctx_asts some = {0}, above = {0};
    bool occurs = false;
    for (size_t i = 0; i < s->sum->n_points; i++) {
        const struct sx_point *pt = &s->sum->points[i];
        if (properties_of_point(props, s->sx, pt) == property) {
            occurs = true;
            vec_push(&some, zterm(&s->t, conditions[i]));
        }
        if (blocked && properties_contradiction(pt, props->v.data[property].loc))
            vec_push(&above, zterm(&s->t, alt->stops[i]));
    }
    Z3_ast any = z3ctx_or(&s->z, occurs ? &some : &above);
    vec_free(&some);
    vec_free(&above);
    return any;
}

enum verify_reach proof_step_reach(struct proof_step *s, const struct proof_facts *assume,
                                   const struct properties *props, uint32_t property,
                                   const struct sx_point **fails)
{
    const struct prob_alt *alt = &s->txn->alts[0];
    if (check(s, assume, reaching(s, props, property, alt->reached)) != PROOF_NO)
        return VERIFY_REACHED;
    if (check(s, assume, reaching(s, props, property, alt->checked)) == PROOF_YES) {
        for (size_t i = 0; i < s->sum->n_points && !*fails; i++)
            if (properties_is_check(&s->sum->points[i]) &&
                z3ctx_model_bool(&s->z, zterm(&s->t, alt->stops[i])))
                *fails = &s->sum->points[i];
        return VERIFY_CHECKED;
    }
    return check(s, assume, reaching(s, props, property, alt->blocked)) == PROOF_NO
               ? VERIFY_UNREACHED
               : VERIFY_BLOCKED;
}

enum proof_answer proof_step_exists(struct proof_step *s, const struct proof_facts *assume)
{
    return check(s, assume, zterm(&s->t, s->txn->exists));
}

void proof_step_used(struct proof_step *s, const struct proof_facts *assume,
                     struct proof_facts *used)
{
    if (s->trivial)
        return;
    bool *core = mem_calloc(s->last.len + 1, sizeof *core);
    z3ctx_core(&s->z, s->last.len, s->last.data, core);
    size_t at = 0;
    for (size_t i = 0; i < s->n_inv; i++)
        if (assume->inv[i])
            used->inv[i] |= core[at++];
    for (size_t k = 0; k < s->n_rely; k++)
        if (assume->rely[k])
            used->rely[k] |= core[at++];
    mem_free(core);
}

/* ---- gaps ---------------------------------------------------------------------------------- */

struct gap_rows {
    struct proof_step *s;
    struct verify_gap *g;
    VEC(struct exec_row) snapshot, before, after;
};

static bool row_in_model(struct proof_step *s, struct prob_row row, uint64_t *number)
{
    const struct sx_table *t = &s->sx->tables[row.table];
    *number = 0;
    for (uint32_t d = 0; d < t->n_dims; d++) {
        term_int at = zterm_model(&s->t, zterm(&s->t, row.index[d]));
        if (at < 0 || at >= (term_int)t->dims[d])
            return false;
        *number = *number * t->dims[d] + (uint64_t)at;
    }
    return true;
}

static struct exec_row new_row(struct gap_rows *r, uint32_t table, uint64_t number,
                               term_int (*value)(struct proof_step *, uint32_t, uint64_t, uint32_t))
{
    uint32_t n = r->s->sx->tables[table].n_fields;
    term_int *v = arena_array(&r->g->arena, term_int, n + 1);
    bool *known = arena_array(&r->g->arena, bool, n + 1);
    for (uint32_t f = 0; f < n; f++) {
        v[f] = value(r->s, table, number, f);
        known[f] = true;
    }
    return (struct exec_row){table, number, v, known};
}

static term_int value_a(struct proof_step *s, uint32_t table, uint64_t row, uint32_t field)
{
    return zstate_model(&s->a, table, row, field);
}

static term_int value_b(struct proof_step *s, uint32_t table, uint64_t row, uint32_t field)
{
    return zstate_model(s->before, table, row, field);
}

static term_int value_after(struct proof_step *s, uint32_t table, uint64_t row, uint32_t field)
{
    uint64_t number;
    for (size_t i = 0; i < s->txn->writes.len; i++) {
        const struct prob_write *w = &s->txn->writes.data[i];
        if (w->row.table == table && z3ctx_model_bool(&s->z, zterm(&s->t, w->guard)) &&
            row_in_model(s, w->row, &number) && number == row)
            return zterm_model(&s->t, zstate_value(&s->t, s->p, table, field, w->value[field]));
    }
    return value_b(s, table, row, field);
}

static void mention(struct gap_rows *r, struct prob_row row)
{
    uint64_t number;
    if (!row_in_model(r->s, row, &number))
        return;
    for (size_t i = 0; i < r->snapshot.len; i++)
        if (r->snapshot.data[i].table == row.table && r->snapshot.data[i].row == number)
            return;
    vec_push(&r->snapshot, new_row(r, row.table, number, value_a));
    vec_push(&r->before, new_row(r, row.table, number, value_b));
    vec_push(&r->after, new_row(r, row.table, number, value_after));
}

static void gap_inputs(struct proof_step *s, struct verify_gap *g)
{
    const struct prob_alt *a = &s->txn->alts[0];
    g->n_inputs = s->sum->n_inputs;
    g->inputs = arena_array(&g->arena, struct exec_input, g->n_inputs + 1);
    for (size_t i = 0; i < g->n_inputs; i++) {
        const struct sx_input *of = &s->sum->inputs[i];
        g->inputs[i] = (struct exec_input){
            .name = of->name,
            .type = of->type,
            .value = zterm_model(&s->t, zterm(&s->t, a->inputs[i].value)),
            .param = of->kind == SX_PARAM,
            .local = of->kind == SX_UNINIT,
            .used =
                of->kind == SX_PARAM || z3ctx_model_bool(&s->z, zterm(&s->t, a->inputs[i].guard)),
        };
    }
    g->call = decode_call_text(&g->arena, s->sum->func, g->inputs, s->sum->n_params);
}

struct verify_gap *proof_step_gap(struct proof_step *s, uint32_t invariant)
{
    struct verify_gap *g = mem_calloc(1, sizeof *g);
    struct gap_rows r = {.s = s, .g = g};
    g->txn = s->sum->func;
    gap_inputs(s, g);
    if (invariant < s->n_inv)
        for (size_t i = 0; i < s->on_after[invariant]->reads.len; i++)
            mention(&r, s->on_after[invariant]->reads.data[i].row);
    for (size_t i = 0; i < s->txn->reads.len; i++)
        if (z3ctx_model_bool(&s->z, zterm(&s->t, s->txn->reads.data[i].guard)))
            mention(&r, s->txn->reads.data[i].row);
    for (size_t i = 0; i < s->txn->writes.len; i++)
        if (z3ctx_model_bool(&s->z, zterm(&s->t, s->txn->writes.data[i].guard)))
            mention(&r, s->txn->writes.data[i].row);
    size_t bytes = r.snapshot.len * sizeof *g->snapshot;
    g->snapshot = arena_copy(&g->arena, r.snapshot.data, bytes);
    g->n_snapshot = r.snapshot.len;
    if (invariant < s->n_inv) { /* an assertion fails in the snapshot itself */
        g->before = arena_copy(&g->arena, r.before.data, bytes);
        g->after = arena_copy(&g->arena, r.after.data, bytes);
        g->n_before = g->n_after = r.snapshot.len;
    }
    vec_free(&r.snapshot);
    vec_free(&r.before);
    vec_free(&r.after);
    return g;
}

void verify_gap_free(struct verify_gap *g)
{
    if (!g)
        return;
    arena_free(&g->arena);
    mem_free(g);
}
