/* Places: where an lvalue may be, and reading and writing there.
 *
 * A place is a list of guarded alternatives; most have one.  Several come from pointers that were
 * assigned in branches and from symbolic indices into local arrays and into arrays inside a row,
 * which are spread over their elements.  The dimensions of a table stay symbolic: rows.c compares.
 */
#include <assert.h>

#include "symexec/exec.h"

static struct sx_place single(struct sx_exec *x, struct sx_target to)
{
    struct sx_place p = {.alts = arena_new(&x->scratch, struct sx_alt), .n = 1};
    p.alts[0] = (struct sx_alt){TERM_TRUE, to};
    return p;
}

static struct sx_place place_of_var(struct sx_exec *x, const struct ast_var *v)
{
    switch (v->kind) {
    case AST_VAR_DATABASE:
        return single(x, (struct sx_target){.kind = SX_DATABASE, .var = v});
    case AST_VAR_CONST:
        return single(x, (struct sx_target){.kind = SX_CONSTANT, .var = v});
    case AST_VAR_LOCAL:
    case AST_VAR_PARAM:
        break;
    }
    return single(x, (struct sx_target){.kind = SX_LOCAL, .offset = x->frame->base[v->id]});
}

sx_value sx_pointer(struct sx_exec *x, struct sx_place p)
{
    vec_push(&x->pointers, p);
    assert(x->pointers.len < SX_POINTER_TAG);
    return (sx_value)(x->pointers.len - 1) | SX_POINTER_TAG;
}

/* ---- indexing ------------------------------------------------------------------------------ */

static bool is_table_index(const struct sx_target *t)
{
    return t->kind == SX_DATABASE && t->n_index < t->var->n_dims;
}

static struct sx_target add_index(struct sx_exec *x, struct sx_target t, term_id i)
{
    term_id *index = arena_array(&x->scratch, term_id, t.n_index + 1);
    for (uint32_t k = 0; k < t.n_index; k++)
        index[k] = t.index[k];
    index[t.n_index++] = i;
    t.index = index;
    return t;
}

struct span {
    uint64_t lo, hi; /* elements that the index may name */
};

static struct span feasible(struct sx_exec *x, term_id i, uint64_t count)
{
    struct fact_range r = facts_range(&x->facts, i);
    struct span s = {r.lo < 0 ? 0 : (uint64_t)r.lo,
                     r.hi >= (term_int)count ? count - 1 : (uint64_t)r.hi};
    if (r.lo >= (term_int)count || r.hi < 0)
        return (struct span){0, 0};
    return s;
}

static struct sx_place index_place(struct sx_exec *x, struct sx_place p, term_id i,
                                   const struct ast_type *array)
{
    /* Only tables have dimensions of any size, and they are not spread. */
    struct span s = {0, 0};
    if (array->count != AST_ANY_ROWS)
        s = feasible(x, i, array->count);
    uint32_t stride = sx_cells(x, array->elem);
    size_t room = 0;
    for (size_t k = 0; k < p.n; k++)
        room += is_table_index(&p.alts[k].to) ? 1 : (size_t)(s.hi - s.lo + 1);
    struct sx_place r = {.alts = arena_array(&x->scratch, struct sx_alt, room)};
    for (size_t k = 0; k < p.n; k++) {
        struct sx_alt a = p.alts[k];
        if (is_table_index(&a.to)) {
            a.to = add_index(x, a.to, i);
            r.alts[r.n++] = a;
            continue;
        }
        for (uint64_t e = s.lo; e <= s.hi; e++) {
            term_id here =
                s.lo == s.hi ? TERM_TRUE : term_eq(x->store, i, term_const(x->store, (term_int)e));
            struct sx_alt b = a;
            b.cond = term_and(x->store, a.cond, here);
            b.to.offset += (uint32_t)e * stride;
            if (b.cond != TERM_FALSE)
                r.alts[r.n++] = b;
        }
    }
    return r;
}

static struct sx_place eval_index(struct sx_exec *x, const struct ast_expr *e)
{
    struct sx_place p = sx_eval_place(x, e->a);
    term_id i = sx_eval(x, e->b);
    if (sx_stopped(x))
        return (struct sx_place){0};
    const struct ast_type *array = e->a->type;
    term_id inside = sx_is_index(x, i, sx_extent(x, array->count));
    sx_require(x, SX_BOUNDS, inside, e->loc, sx_text(x, e));
    if (!sx_stopped(x) && p.n && is_table_index(&p.alts[0].to))
        sx_shown_row(x, array->count, i, e->loc);
    return sx_stopped(x) ? (struct sx_place){0} : index_place(x, p, i, array);
}

static struct sx_place eval_field(struct sx_exec *x, const struct ast_expr *e)
{
    struct sx_place p = sx_eval_place(x, e->a);
    uint32_t offset = sx_field_offset(x, e->a->type, e->field);
    struct sx_place r = {.alts = arena_array(&x->scratch, struct sx_alt, p.n + 1), .n = p.n};
    for (size_t i = 0; i < p.n; i++) {
        r.alts[i] = p.alts[i];
        r.alts[i].to.offset += offset;
    }
    return r;
}

struct sx_place sx_eval_place(struct sx_exec *x, const struct ast_expr *e)
{
    if (sx_stopped(x))
        return (struct sx_place){0};
    switch (e->kind) {
    case AST_VAR:
        return place_of_var(x, e->var);
    case AST_INDEX:
        return eval_index(x, e);
    case AST_FIELD:
        return eval_field(x, e);
    case AST_DEREF: {
        sx_value p = sx_eval(x, e->a);
        if (sx_stopped(x))
            return (struct sx_place){0};
        assert(p & SX_POINTER_TAG);
        return x->pointers.data[p & ~SX_POINTER_TAG];
    }
    default:
        assert(!"a place");
        return (struct sx_place){0};
    }
}

/* ---- loading ------------------------------------------------------------------------------- */

static const term_int *constant_values(struct sx_exec *x, const struct ast_var *var)
{
    term_int **slot = &x->constants[var->id];
    if (!*slot) {
        uint32_t k = 0;
        *slot = arena_array(&x->scratch, term_int, sx_cells(x, var->type));
        sx_init_values(var->init, *slot, &k);
        assert(k == sx_cells(x, var->type));
    }
    return *slot;
}

static void load_constant(struct sx_exec *x, const struct sx_target *t, uint32_t n, sx_value *out)
{
    const term_int *v = constant_values(x, t->var);
    for (uint32_t i = 0; i < n; i++)
        out[i] = term_const(x->store, v[t->offset + i]);
}

static void load_target(struct sx_exec *x, const struct sx_target *t, term_id cond, uint32_t n,
                        sx_value *out, struct src_loc loc)
{
    switch (t->kind) {
    case SX_LOCAL:
        for (uint32_t i = 0; i < n; i++) {
            sx_value v = env_get(&x->pool, x->st.locals, t->offset + i);
            assert(v != 0);
            out[i] = v & SX_POINTER_TAG ? v : facts_value(&x->facts, v);
        }
        return;
    case SX_CONSTANT:
        load_constant(x, t, n, out);
        return;
    case SX_DATABASE:
        sx_row_read(x, t, cond, n, out, loc);
    }
}

void sx_load(struct sx_exec *x, struct sx_place p, uint32_t n, sx_value *out, struct src_loc loc)
{
    if (sx_stopped(x) || p.n == 0) {
        for (uint32_t i = 0; i < n; i++)
            out[i] = term_const(x->store, 0);
        return;
    }
    /* The last alternative needs no condition: one of them holds. */
    load_target(x, &p.alts[p.n - 1].to, p.alts[p.n - 1].cond, n, out, loc);
    sx_value *v = p.n > 1 ? arena_array(&x->scratch, sx_value, n) : NULL;
    for (size_t k = p.n - 1; k-- > 0;) {
        load_target(x, &p.alts[k].to, p.alts[k].cond, n, v, loc);
        for (uint32_t i = 0; i < n; i++)
            out[i] = sx_choose(x, p.alts[k].cond, v[i], out[i]);
    }
}

/* ---- storing ------------------------------------------------------------------------------- */

static void store_target(struct sx_exec *x, const struct sx_target *t, term_id cond, uint32_t n,
                         const sx_value *v, struct src_loc loc)
{
    assert(t->kind != SX_CONSTANT);
    if (t->kind == SX_DATABASE) {
        sx_row_write(x, t, cond, n, v, loc);
        return;
    }
    for (uint32_t i = 0; i < n; i++) {
        sx_value old = env_get(&x->pool, x->st.locals, t->offset + i);
        env_set(&x->pool, &x->st.locals, t->offset + i,
                cond == TERM_TRUE ? v[i] : sx_choose(x, cond, v[i], old));
    }
}

void sx_store(struct sx_exec *x, struct sx_place p, uint32_t n, const sx_value *v,
              struct src_loc loc)
{
    if (sx_stopped(x))
        return;
    for (size_t k = 0; k < p.n; k++) {
        term_id cond = p.n == 1 ? TERM_TRUE : facts_fold(&x->facts, p.alts[k].cond);
        if (cond != TERM_FALSE)
            store_target(x, &p.alts[k].to, cond, n, v, loc);
    }
}
