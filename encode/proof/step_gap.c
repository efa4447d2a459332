/* Where induction fails, in the user's terms: the rows that matter, with the values of a model. */
#include <stdlib.h>

#include "encode/proof/step_internal.h"

struct gap_rows {
    struct proof_step *s;
    struct verify_gap *g;
    VEC(struct exec_row) snapshot, before, after;
};

static term_int value_of(struct proof_step *s, term_id t)
{
    return zterm_model(&s->g.t, ground_z3(&s->g, t));
}

/* The row's number, and its indices as constants; false if there is no such row. */
static bool row_in_model(struct proof_step *s, uint32_t table, const term_id *index,
                         uint64_t *number, term_id *constant)
{
    const struct sx_table *t = &s->sx->tables[table];
    *number = 0;
    for (uint32_t d = 0; d < t->n_dims; d++) {
        term_int at = value_of(s, index[d]), n = value_of(s, fm_dim(&s->fm, table, d));
        if (at < 0 || at >= n)
            return false;
        constant[d] = index[d];
        *number = *number * (uint64_t)n + (uint64_t)at;
    }
    return true;
}

static struct exec_row new_row(struct gap_rows *r, uint32_t table, uint64_t number,
                               const term_id *index, uint32_t state)
{
    struct proof_step *s = r->s;
    uint32_t n = s->sx->tables[table].n_fields;
    term_int *v = arena_array(&r->g->arena, term_int, n + 1);
    bool *known = arena_array(&r->g->arena, bool, n + 1);
    for (uint32_t f = 0; f < n; f++) {
        const struct ast_type *type = s->sx->tables[table].fields[f].type;
        term_int now = value_of(s, fm_cell(&s->fm, state, table, f, index));
        v[f] = now < ast_int_min(type) || now > ast_int_max(type) ? 0 : now;
        known[f] = true;
    }
    return (struct exec_row){table, number, v, known};
}

static void mention(struct gap_rows *r, uint32_t table, const term_id *index)
{
    struct proof_step *s = r->s;
    uint64_t number;
    term_id *at = arena_array(&s->arena, term_id, s->sx->tables[table].n_dims + 1);
    if (!row_in_model(s, table, index, &number, at))
        return;
    for (size_t i = 0; i < r->before.len; i++)
        if (r->before.data[i].table == table && r->before.data[i].row == number)
            return;
    uint32_t sees = s->n_seen ? s->seen[s->n_seen - 1] : s->before;
    vec_push(&r->snapshot, new_row(r, table, number, at, sees));
    vec_push(&r->before, new_row(r, table, number, at, s->before));
    vec_push(&r->after, new_row(r, table, number, at, s->after));
}

static void mention_cell(void *arg, const struct fm_leaf *l)
{
    if (l->kind == FM_CELL && !(l->free & FM_VAR_BITS))
        mention(arg, l->cell.table, l->cell.index);
}

static bool is_true(struct proof_step *s, term_id t)
{
    return z3ctx_model_bool(&s->z, ground_z3(&s->g, t));
}

static void gap_inputs(struct proof_step *s, struct verify_gap *g)
{
    struct fm_import im;
    fm_import_begin(&im, &s->fm, s->sum, s->read_state, s->input);
    g->n_inputs = s->sum->n_inputs;
    g->inputs = arena_array(&g->arena, struct exec_input, g->n_inputs + 1);
    for (size_t i = 0; i < g->n_inputs; i++) {
        const struct sx_input *of = &s->sum->inputs[i];
        g->inputs[i] = (struct exec_input){
            .name = of->name,
            .type = of->type,
            .value = value_of(s, s->input[i]),
            .param = of->kind == SX_PARAM,
            .local = of->kind == SX_UNINIT,
            .fresh = of->kind == SX_FRESH,
            .used = of->kind == SX_PARAM || is_true(s, fm_import(&im, of->guard)),
        };
    }
    fm_import_end(&im);
    g->call = exec_call_text(&g->arena, s->sum->func, g->inputs, s->sum->n_params);
}

/* ---- loops --------------------------------------------------------------------------------- */

struct left_search {
    const struct proof_step *s;
    const struct fm_left_sum *found;
};

static void find_left(void *arg, const struct fm_leaf *l)
{
    struct left_search *search = arg;
    const struct fm *fm = &search->s->fm;
    for (size_t i = 0; i < fm->left_sums.len && !search->found; i++)
        if (fm->left_sums.data[i].sum == l->term)
            search->found = &fm->left_sums.data[i];
}

const char *proof_step_loop(struct proof_step *s, size_t invariant, struct arena *arena)
{
    struct left_search search = {.s = s};
    fm_each_leaf(&s->fm, s->goal[invariant], find_left, &search);
    if (!search.found)
        return NULL;
    const char *loop = fm_place(&s->fm, search.found->loop);
    const char *write = fm_place(&s->fm, search.found->by->of->loc);
    if (!loop || !write)
        return NULL;
    return arena_printf(arena, "what the loop at %s adds up is not known after %s at %s", loop,
                        search.found->by->n_bound ? "the loop that writes" : "the write", write);
}

/* ---- a small model ------------------------------------------------------------------------- */

#define SMALL_ROWS 4
#define SMALL_VALUE 20

static term_id small_value(struct proof_step *s, term_id t, term_int most)
{
    const struct term x = *term_get(s->fm.store, t);
    return x.lo > most ? TERM_TRUE
                       : term_in_range(s->fm.store, t, x.lo > -most ? x.lo : -most, most);
}

/* Few rows and small arguments read better. */
static term_id is_small(struct proof_step *s)
{
    term_id small = TERM_TRUE;
    if (s->fm.size != TERM_NONE)
        small = small_value(s, s->fm.size, SMALL_ROWS);
    for (size_t i = 0; i < s->sum->n_inputs; i++)
        small = term_and(s->fm.store, small, small_value(s, s->input[i], SMALL_VALUE));
    return small;
}

/* The step is found again, with the invariant broken; small if that is possible. */
static void find_again(struct proof_step *s, uint32_t invariant)
{
    size_t n = s->last.len;
    Z3_ast small = z3ctx_name(&s->z, ground_z3(&s->g, is_small(s)), "small");
    if (invariant < s->n_inv)
        vec_push(&s->last, s->inv_broken[invariant]);
    vec_push(&s->last, small);
    if (z3ctx_check(&s->z, s->last.len, s->last.data) != Z3CTX_SAT) {
        (void)vec_pop(&s->last);
        (void)z3ctx_check(&s->z, s->last.len, s->last.data);
    }
    s->last.len = n;
}

/* The tables, with the number of rows that they have in the model. */
static const struct sx_program *sized_program(struct proof_step *s, struct verify_gap *g)
{
    struct sx_program *p = arena_copy(&g->arena, s->sx, sizeof *p);
    p->tables = arena_copy(&g->arena, s->sx->tables, p->n_tables * sizeof *p->tables);
    for (uint32_t t = 0; t < p->n_tables; t++) {
        uint64_t *dims = arena_array(&g->arena, uint64_t, p->tables[t].n_dims + 1);
        for (uint32_t d = 0; d < p->tables[t].n_dims; d++)
            dims[d] = (uint64_t)value_of(s, fm_dim(&s->fm, t, d));
        p->tables[t].dims = dims;
    }
    return p;
}

/* "nobody_owes(2)" */
static const char *predicate_text(struct proof_step *s, struct verify_gap *g, uint32_t invariant)
{
    const struct sx_summary *of = s->templates[invariant].of;
    if (!of)
        return NULL;
    struct exec_input *in = arena_array(&g->arena, struct exec_input, of->n_inputs + 1);
    for (size_t i = 0; i < of->n_inputs; i++)
        in[i] = (struct exec_input){.name = of->inputs[i].name,
                                    .type = of->inputs[i].type,
                                    .value = value_of(s, s->witness[invariant][i])};
    return of->n_params ? exec_call_text(&g->arena, of->func, in, of->n_params) : of->func->name;
}

/* ---- the whole ----------------------------------------------------------------------------- */

/* Rows of the property, and those of the transaction. */
static void gap_rows_of(struct gap_rows *r, uint32_t invariant)
{
    struct proof_step *s = r->s;
    struct fm_import im;
    if (invariant < s->n_inv)
        fm_each_leaf(&s->fm, s->goal[invariant], mention_cell, r);
    fm_import_begin(&im, &s->fm, s->sum, s->read_state, s->input);
    for (size_t i = 0; i < s->sum->n_reads; i++) {
        const struct sx_read *read = &s->sum->reads[i];
        uint32_t n = s->sx->tables[read->row.table].n_dims;
        if (!read->n_bound && is_true(s, fm_import(&im, read->guard)))
            mention(r, read->row.table, fm_import_all(&im, read->row.index, n));
    }
    fm_import_end(&im);
    for (size_t i = 0; i < s->n_writes; i++)
        if (!s->writes[i].n_bound && is_true(s, s->writes[i].guard))
            mention(r, s->writes[i].table, s->writes[i].index);
}

static int by_place(const void *a, const void *b)
{
    const struct exec_row *x = a, *y = b;
    if (x->table != y->table)
        return x->table < y->table ? -1 : 1;
    return (x->row > y->row) - (x->row < y->row);
}

static struct exec_row *sorted(struct verify_gap *g, struct exec_row *rows, size_t n)
{
    if (n)
        qsort(rows, n, sizeof *rows, by_place);
    return arena_copy(&g->arena, rows, n * sizeof *rows);
}

struct verify_gap *proof_step_gap(struct proof_step *s, uint32_t invariant)
{
    find_again(s, invariant);
    if (!s->z.model)
        return NULL;
    struct verify_gap *g = mem_calloc(1, sizeof *g);
    struct gap_rows r = {.s = s, .g = g};
    g->txn = s->sum->func;
    g->program = sized_program(s, g);
    if (invariant < s->n_inv)
        g->predicate = predicate_text(s, g, invariant);
    if (invariant < s->n_inv)
        g->loop = proof_step_loop(s, invariant, &g->arena);
    gap_inputs(s, g);
    gap_rows_of(&r, invariant);
    g->snapshot = sorted(g, r.snapshot.data, r.snapshot.len);
    g->n_snapshot = r.snapshot.len;
    if (invariant < s->n_inv) { /* an assertion fails in the snapshot itself */
        g->before = sorted(g, r.before.data, r.before.len);
        g->after = sorted(g, r.after.data, r.after.len);
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
