/* Layout: every type as a row of scalars ("cells"), in order of declaration. */
#include <assert.h>

#include "symexec/exec.h"

uint32_t sx_cells(const struct sx_exec *x, const struct ast_type *t)
{
    return x->cells[t->id];
}

/* Larger things than this cannot be executed cell by cell anyway. */
#define CELLS_MAX (UINT64_C(1) << 22)

/* Types are listed in any order, so sizes are computed on demand; 0 means not yet (void: 0 anyway).
 */
static uint64_t count_cells(const struct ast_type *t, uint32_t *cells)
{
    uint64_t n = 0;
    if (cells[t->id])
        return cells[t->id];
    switch (t->kind) {
    case AST_VOID:
        return 0;
    case AST_INT:
    case AST_POINTER:
        n = 1;
        break;
    case AST_STRUCT:
        for (uint32_t i = 0; i < t->n_fields && n <= CELLS_MAX; i++)
            n += count_cells(t->fields[i].type, cells);
        break;
    case AST_ARRAY:
        n = count_cells(t->elem, cells);
        n = n && t->count > CELLS_MAX / n ? CELLS_MAX + 1 : n * t->count;
        break;
    }
    if (n > CELLS_MAX)
        n = CELLS_MAX + 1; /* refused if a variable has it; tables may have any number of rows */
    cells[t->id] = (uint32_t)n;
    return n;
}

static bool fits(const struct ast_type *t, const struct ast_var *v, const uint32_t *cells,
                 struct diag_list *d)
{
    if (cells[t->id] <= CELLS_MAX)
        return true;
    diag_add(d, DIAG_ERROR, v->loc, "'%s' has more than %u scalars", v->name, (unsigned)CELLS_MAX);
    diag_hint(d, "a smaller array shows the same behaviour");
    return false;
}

uint32_t *sx_layout(const struct ast_program *p, struct diag_list *d)
{
    uint32_t *cells = mem_calloc(p->n_types ? p->n_types : 1, sizeof *cells);
    bool ok = true;
    for (uint32_t i = 0; i < p->n_types; i++)
        count_cells(p->types[i], cells);
    for (uint32_t i = 0; i < p->n_tables; i++)
        ok &= fits(p->tables[i]->row, p->tables[i], cells, d);
    for (uint32_t i = 0; i < p->n_consts; i++)
        ok &= fits(p->consts[i]->type, p->consts[i], cells, d);
    for (uint32_t i = 0; i < p->n_funcs; i++)
        for (uint32_t j = 0; j < p->funcs[i]->n_vars; j++)
            ok &= fits(p->funcs[i]->vars[j]->type, p->funcs[i]->vars[j], cells, d);
    if (ok)
        return cells;
    mem_free(cells);
    return NULL;
}

uint32_t sx_field_offset(const struct sx_exec *x, const struct ast_type *t, uint32_t field)
{
    uint32_t n = 0;
    assert(t->kind == AST_STRUCT && field < t->n_fields);
    for (uint32_t i = 0; i < field; i++)
        n += x->cells[t->fields[i].type->id];
    return n;
}

void sx_each_scalar(const struct ast_type *t, const char *path, struct arena *a,
                    void (*fn)(void *arg, const struct ast_type *t, const char *path), void *arg)
{
    switch (t->kind) {
    case AST_VOID:
        return;
    case AST_INT:
    case AST_POINTER:
        fn(arg, t, path);
        return;
    case AST_STRUCT:
        for (uint32_t i = 0; i < t->n_fields; i++) {
            const struct ast_field *f = &t->fields[i];
            const char *sub = f->name[0] ? arena_printf(a, "%s.%s", path, f->name) : path;
            sx_each_scalar(f->type, sub, a, fn, arg);
        }
        return;
    case AST_ARRAY:
        for (uint64_t i = 0; i < t->count; i++)
            sx_each_scalar(t->elem, arena_printf(a, "%s[%llu]", path, (unsigned long long)i), a, fn,
                           arg);
    }
}

void sx_init_values(const struct ast_expr *e, term_int *out, uint32_t *n)
{
    if (e->kind == AST_CONST) {
        out[(*n)++] = e->value;
        return;
    }
    if (e->kind == AST_CAST) {
        sx_init_values(e->a, out, n);
        out[*n - 1] = ast_int_cast(e->type, out[*n - 1]);
        return;
    }
    assert(e->kind == AST_INIT);
    for (uint64_t i = 0; i < e->n_args; i++)
        sx_init_values(e->args[i], out, n);
}
