/* Ground formulas for the solver, see ground.h: cells and sums as functions, and which rows and
 * values matter. */
#include "encode/proof/ground.h"

#include <assert.h>
#include <string.h>

/* ---- rows and values ----------------------------------------------------------------------- */

static uint64_t field_bit(uint32_t field)
{
    return UINT64_C(1) << (field < 63 ? field : 63);
}

static void note_age(struct ground *g, term_id t)
{
    if (t != TERM_NONE)
        map_put(&g->ages, t, g->age, NULL);
}

static void add_row(struct ground *g, uint32_t table, const term_id *index, uint64_t states,
                    uint64_t fields)
{
    ground_rows *rows = &g->rows[table];
    size_t bytes = g->fm->sx->tables[table].n_dims * sizeof *index;
    for (size_t i = 0; i < rows->len; i++)
        if (!memcmp(rows->data[i].index, index, bytes)) {
            rows->data[i].states |= states;
            rows->data[i].fields |= fields;
            return;
        }
    for (uint32_t d = 0; d < g->fm->sx->tables[table].n_dims; d++)
        note_age(g, index[d]);
    index = arena_copy(&g->arena, index, bytes);
    vec_push(rows, ((struct ground_row){index, states, fields}));
}

void ground_mention(struct ground *g, uint32_t state, uint32_t table, const term_id *index)
{
    add_row(g, table, index, fm_state_bit(state), 0);
}

void ground_value(struct ground *g, uint32_t table, uint32_t field, term_id value)
{
    ground_terms *values = &g->values[table][field];
    for (size_t i = 0; i < values->len; i++)
        if (values->data[i] == value)
            return;
    note_age(g, value);
    vec_push(values, value);
}

/* A cell in the body of a fold: some of its indices may be ground. */
static void note_open_cell(struct ground *g, const struct fm_cell *c)
{
    uint32_t n = g->fm->sx->tables[c->table].n_dims;
    term_id *index = arena_array(&g->arena, term_id, n + 1);
    bool some = false;
    for (uint32_t d = 0; d < n; d++)
        if (fm_ground(g->fm, c->index[d])) {
            index[d] = c->index[d];
            some = true;
        }
    if (some)
        add_row(g, c->table, index, fm_state_bit(c->state), field_bit(c->field));
}

static void note_comparison(struct ground *g, term_id a, term_id b)
{
    const struct fm_leaf *l = fm_leaf_of(g->fm, a);
    if (l && l->kind == FM_CELL && fm_ground(g->fm, b))
        ground_value(g, l->cell.table, l->cell.field, b);
}

typedef VEC(term_id) term_stack;

static void scan_leaf(struct ground *g, const struct fm_leaf *l, term_stack *stack)
{
    if (l->kind == FM_CELL) {
        if (l->free & FM_VAR_BITS)
            note_open_cell(g, &l->cell);
        for (uint32_t d = 0; d < g->fm->sx->tables[l->cell.table].n_dims; d++)
            vec_push(stack, l->cell.index[d]);
    }
    if (l->kind == FM_FOLD) {
        for (uint32_t k = 0; k < l->fold.n; k++) {
            vec_push(stack, l->fold.lo[k]);
            vec_push(stack, l->fold.hi[k]);
        }
        vec_push(stack, l->fold.cond);
        vec_push(stack, l->fold.value);
        vec_push(stack, l->fold.start);
    }
}

/* Which rows and values a formula mentions. */
static void scan(struct ground *g, term_id root)
{
    term_stack stack = {0};
    vec_push(&stack, root);
    while (stack.len) {
        term_id t = vec_pop(&stack);
        bool is_new = false;
        if (t == TERM_NONE)
            continue;
        map_put(&g->scanned, t, 1, &is_new);
        if (!is_new)
            continue;
        const struct term x = *term_get(g->fm->store, t);
        const struct fm_leaf *l = fm_leaf_of(g->fm, t);
        if (l)
            scan_leaf(g, l, &stack);
        if (x.op == TERM_OP_EQ || x.op == TERM_OP_LE) {
            note_comparison(g, x.arg[0], x.arg[1]);
            note_comparison(g, x.arg[1], x.arg[0]);
        }
        for (int i = 0; i < term_arity(&x); i++)
            vec_push(&stack, x.arg[i]);
    }
    vec_free(&stack);
}

/* ---- cells --------------------------------------------------------------------------------- */

static Z3_sort index_sort(struct ground *g)
{
    return zterm_sort(&g->t, term_type_min(64, true), term_type_max(64, false));
}

static bool is_bit(const struct sx_table *t, uint32_t field)
{
    return t->fields[field].type->width == 1;
}

static Z3_func_decl cell_function(struct ground *g, const struct fm_cell *c)
{
    const struct sx_table *t = &g->fm->sx->tables[c->table];
    bool is_new;
    uint64_t key = (uint64_t)c->state << 48 | (uint64_t)c->table << 24 | c->field;
    uint64_t *at = map_put(&g->cells, key, 0, &is_new);
    if (!is_new)
        return (Z3_func_decl)(uintptr_t)*at;
    const struct ast_type *type = t->fields[c->field].type;
    Z3_sort range = is_bit(t, c->field) ? g->z->bool_sort
                                        : zterm_sort(&g->t, ast_int_min(type), ast_int_max(type));
    Z3_sort *domain = arena_array(&g->arena, Z3_sort, t->n_dims + 1);
    for (uint32_t d = 0; d < t->n_dims; d++)
        domain[d] = index_sort(g);
    const char *name = arena_printf(&g->arena, "%s%u %s%s", g->fm->states.data[c->state].name,
                                    (unsigned)c->state, t->name, t->fields[c->field].path);
    Z3_func_decl f =
        Z3_mk_func_decl(g->z->c, Z3_mk_string_symbol(g->z->c, name), t->n_dims, domain, range);
    *at = (uintptr_t)f;
    return f;
}

static Z3_ast cell_for_solver(struct ground *g, const struct fm_leaf *l)
{
    const struct fm_cell *c = &l->cell;
    const struct sx_table *t = &g->fm->sx->tables[c->table];
    Z3_ast *at = arena_array(&g->arena, Z3_ast, t->n_dims + 1);
    assert(g->fm->states.data[c->state].kind == FM_UNKNOWN && c->state != FM_ANY_STATE);
    for (uint32_t d = 0; d < t->n_dims; d++)
        at[d] = zterm_as(&g->t, zterm(&g->t, c->index[d]), index_sort(g));
    Z3_ast cell = Z3_mk_app(g->z->c, cell_function(g, c), t->n_dims, at);
    const struct ast_type *type = t->fields[c->field].type;
    if (!is_bit(t, c->field))
        zterm_bound(&g->t, cell, ast_int_min(type), ast_int_max(type));
    add_row(g, c->table, c->index, fm_state_bit(c->state), field_bit(c->field));
    ground_value(g, c->table, c->field, l->term);
    return cell;
}

/* ---- sums ---------------------------------------------------------------------------------- */

/* A sum is a function of its parameters: the ground terms in its body.  Two sums that differ in
 * these alone are one function, applied to different arguments. */
struct abstraction {
    struct ground *g;
    struct map done;
    VEC(term_id) args;
};
#define ARGS_MAX (sizeof((struct fm *)0)->hole / sizeof(term_id))

static term_id abstract(struct abstraction *a, term_id t);

static term_id hole_for(struct abstraction *a, term_id arg)
{
    size_t i = 0;
    while (i < a->args.len && a->args.data[i] != arg)
        i++;
    if (i == a->args.len)
        vec_push(&a->args, arg);
    return i < ARGS_MAX ? a->g->fm->hole[i] : arg;
}

static term_id abstract_leaf(struct abstraction *a, const struct fm_leaf *l)
{
    struct fm *fm = a->g->fm;
    if (l->kind == FM_CELL) {
        uint32_t n = fm->sx->tables[l->cell.table].n_dims;
        term_id *index = arena_array(&fm->arena, term_id, n + 1);
        for (uint32_t d = 0; d < n; d++)
            index[d] = fm_ground(fm, l->cell.index[d]) ? hole_for(a, l->cell.index[d])
                                                       : abstract(a, l->cell.index[d]);
        return fm_cell(fm, l->cell.state, l->cell.table, l->cell.field, index);
    }
    if (l->kind != FM_FOLD)
        return l->term;
    struct fm_fold f = l->fold;
    for (uint32_t k = 0; k < f.n; k++) {
        f.lo[k] = abstract(a, f.lo[k]);
        f.hi[k] = abstract(a, f.hi[k]);
    }
    f.cond = abstract(a, f.cond);
    f.value = abstract(a, f.value);
    f.start = abstract(a, f.start);
    return fm_fold(fm, &f);
}

static term_id abstract_anew(struct abstraction *a, term_id t)
{
    struct fm *fm = a->g->fm;
    struct term_store *s = fm->store;
    const struct term x = *term_get(s, t);
    bool comparison = x.op == TERM_OP_EQ || x.op == TERM_OP_LE;
    term_id arg[3] = {0};
    if (fm_ground(fm, t)) {
        if (x.op == TERM_OP_CONST || x.sort == TERM_BOOL)
            return x.op == TERM_OP_CONST || t == TERM_TRUE || t == TERM_FALSE
                       ? t
                       : term_truth(s, hole_for(a, term_from_bool(s, t)));
        return hole_for(a, t);
    }
    if (x.op == TERM_OP_LEAF)
        return abstract_leaf(a, fm_leaf_of(fm, t));
    for (int i = 0; i < term_arity(&x); i++)
        arg[i] =
            comparison && fm_ground(fm, x.arg[i]) ? hole_for(a, x.arg[i]) : abstract(a, x.arg[i]);
    return term_rebuild(s, t, arg);
}

static term_id abstract(struct abstraction *a, term_id t)
{
    if (t == TERM_NONE)
        return t;
    uint64_t *known = map_get(&a->done, t);
    if (known)
        return (term_id)*known;
    term_id r = abstract_anew(a, t);
    map_put(&a->done, t, r, NULL);
    return r;
}

/* The fold with holes for its parameters, which are left in a->args. */
static term_id shape_of(struct abstraction *a, const struct fm_leaf *l)
{
    struct fm_fold f = l->fold;
    for (uint32_t k = 0; k < f.n; k++) {
        f.lo[k] = fm_ground(a->g->fm, f.lo[k]) ? hole_for(a, f.lo[k]) : abstract(a, f.lo[k]);
        f.hi[k] = fm_ground(a->g->fm, f.hi[k]) ? hole_for(a, f.hi[k]) : abstract(a, f.hi[k]);
    }
    f.cond = abstract(a, f.cond);
    f.value = abstract(a, f.value);
    if (a->args.len > ARGS_MAX) {
        vec_clear(&a->args);
        return l->term;
    }
    return fm_fold_leaf(a->g->fm, &f, TERM_MIN / 4, TERM_MAX / 4);
}

static Z3_func_decl sum_function(struct ground *g, term_id shape, size_t n)
{
    bool is_new;
    uint64_t *at = map_put(&g->sums, shape, 0, &is_new);
    if (!is_new)
        return (Z3_func_decl)(uintptr_t)*at;
    Z3_sort *domain = arena_array(&g->arena, Z3_sort, n + 1);
    for (size_t i = 0; i < n; i++)
        domain[i] = g->z->int_sort;
    const char *name = arena_printf(&g->arena, "sum %u", (unsigned)g->sums.len);
    Z3_func_decl f = Z3_mk_func_decl(g->z->c, Z3_mk_string_symbol(g->z->c, name), (unsigned)n,
                                     domain, g->z->int_sort);
    *at = (uintptr_t)f;
    return f;
}

static Z3_ast sum_for_solver(struct ground *g, const struct fm_leaf *l)
{
    struct abstraction a = {.g = g};
    const struct term x = *term_get(g->fm->store, l->term);
    term_id shape = shape_of(&a, l);
    Z3_ast *args = arena_array(&g->arena, Z3_ast, a.args.len + 1);
    for (size_t i = 0; i < a.args.len; i++)
        args[i] = zterm(&g->t, a.args.data[i]);
    Z3_ast value =
        Z3_mk_app(g->z->c, sum_function(g, shape, a.args.len), (unsigned)a.args.len, args);
    zterm_bound(&g->t, value, x.lo, x.hi);
    vec_free(&a.args);
    map_free(&a.done);
    return value;
}

/* ---- leaves for the solver ----------------------------------------------------------------- */

static Z3_ast leaf_for_solver(void *arg, uint32_t leaf)
{
    struct ground *g = arg;
    const struct fm_leaf *l = fm_leaf(g->fm, leaf);
    if (!l)
        return NULL;
    if (l->free & FM_VAR_BITS) { /* nothing is known then, and nothing proved */
        g->fm->limit = "an internal error: a loop's index is used outside of the loop";
        return NULL;
    }
    if (l->kind == FM_CELL)
        return cell_for_solver(g, l);
    vec_push(&g->folds, l);
    vec_push(&g->fold_age, g->age);
    if (l->fold.kind != SX_FOLD_SUM)
        return NULL;
    if (g->bits) {
        fm_too_much(g->fm, "sums of numbers that are taken apart into bits", l->fold.loc);
        return NULL;
    }
    return sum_for_solver(g, l);
}

Z3_ast ground_z3(struct ground *g, term_id t)
{
    Z3_ast a = zterm(&g->t, t);
    scan(g, t);
    return a;
}

void ground_assert(struct ground *g, Z3_ast guard, term_id t)
{
    if (t != TERM_TRUE)
        z3ctx_assert(g->z, z3ctx_implies(g->z, guard, ground_z3(g, t)));
}

bool ground_round(struct ground *g)
{
    bool some = g->n_told < g->folds.len;
    size_t n = g->folds.len;
    for (; g->n_told < n; g->n_told++) {
        unsigned age = g->fold_age.data[g->n_told];
        g->age = age + 1;
        ground_fold_facts(g, g->folds.data[g->n_told], age);
    }
    some |= ground_instances(g);
    g->age = 0;
    return some;
}

void ground_init(struct ground *g, struct fm *fm, struct z3ctx *z, bool bits)
{
    const struct sx_program *sx = fm->sx;
    *g = (struct ground){.fm = fm, .z = z, .bits = bits};
    zterm_init(&g->t, z, fm->store, bits ? ZTERM_BITS : ZTERM_INT);
    g->t.leaf = leaf_for_solver;
    g->t.leaf_arg = g;
    g->rows = arena_array(&g->arena, ground_rows, sx->n_tables + 1);
    g->values = arena_array(&g->arena, ground_terms *, sx->n_tables + 1);
    g->bounds = arena_array(&g->arena, ground_terms *, sx->n_tables + 1);
    for (uint32_t t = 0; t < sx->n_tables; t++) {
        g->values[t] = arena_array(&g->arena, ground_terms, sx->tables[t].n_fields + 1);
        g->bounds[t] = arena_array(&g->arena, ground_terms, sx->tables[t].n_fields + 1);
    }
}

void ground_free(struct ground *g)
{
    ground_claims_free(g);
    for (uint32_t t = 0; t < g->fm->sx->n_tables; t++) {
        vec_free(&g->rows[t]);
        for (uint32_t f = 0; f < g->fm->sx->tables[t].n_fields; f++) {
            vec_free(&g->values[t][f]);
            vec_free(&g->bounds[t][f]);
        }
    }
    vec_free(&g->folds);
    vec_free(&g->fold_age);
    map_free(&g->ages);
    map_free(&g->cells);
    map_free(&g->sums);
    map_free(&g->scanned);
    zterm_free(&g->t);
    arena_free(&g->arena);
}
