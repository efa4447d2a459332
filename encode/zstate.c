/* States as unknowns, see zstate.h. */
#include "encode/zstate.h"

#include <stdio.h>

#define SMALL_TABLE 64

static const struct sx_table *table_of(const struct problem *p, uint32_t table)
{
    return &p->sx->tables[table];
}

bool zstate_is_bit(const struct problem *p, uint32_t table, uint32_t field)
{
    return table_of(p, table)->fields[field].type->width == 1;
}

Z3_ast zstate_value(struct zterm *t, const struct problem *p, uint32_t table, uint32_t field,
                    term_id v)
{
    return zstate_is_bit(p, table, field) ? zterm_bit(t, v) : zterm(t, v);
}

static term_int least(const struct problem *p, uint32_t table, uint32_t field)
{
    return ast_int_min(table_of(p, table)->fields[field].type);
}

static term_int greatest(const struct problem *p, uint32_t table, uint32_t field)
{
    return ast_int_max(table_of(p, table)->fields[field].type);
}

static Z3_sort row_sort(const struct zstate *s, uint32_t table)
{
    return zterm_sort(s->t, 0, (term_int)sx_table_rows(table_of(s->p, table)));
}

static Z3_sort cell_sort(const struct zstate *s, uint32_t table, uint32_t field)
{
    if (zstate_is_bit(s->p, table, field))
        return s->t->z->bool_sort;
    return zterm_sort(s->t, least(s->p, table, field), greatest(s->p, table, field));
}

static void declare(struct zstate *s, struct arena *a, uint32_t table, uint32_t field)
{
    const struct sx_table *t = table_of(s->p, table);
    uint64_t rows = sx_table_rows(t);
    char name[120];
    snprintf(name, sizeof name, "%.8s %.60s%.40s", s->name, t->name, t->fields[field].path);
    if (rows <= SMALL_TABLE) {
        s->cell[table][field] = arena_array(a, Z3_ast, rows + 1);
        return; /* made when first mentioned */
    }
    Z3_sort domain = row_sort(s, table);
    s->function[table][field] = Z3_mk_func_decl(s->t->z->c, Z3_mk_string_symbol(s->t->z->c, name),
                                                1, &domain, cell_sort(s, table, field));
}

void zstate_init(struct zstate *s, struct zterm *t, struct problem *p, struct arena *a,
                 const char *name)
{
    *s = (struct zstate){.t = t, .p = p, .name = name};
    s->function = arena_array(a, Z3_func_decl *, p->sx->n_tables + 1);
    s->cell = arena_array(a, Z3_ast **, p->sx->n_tables + 1);
    for (uint32_t i = 0; i < p->sx->n_tables; i++) {
        s->function[i] = arena_array(a, Z3_func_decl, p->sx->tables[i].n_fields + 1);
        s->cell[i] = arena_array(a, Z3_ast *, p->sx->tables[i].n_fields + 1);
        for (uint32_t f = 0; f < p->sx->tables[i].n_fields; f++)
            declare(s, a, i, f);
    }
}

static void bound(struct zstate *s, Z3_ast cell, uint32_t table, uint32_t field)
{
    if (!zstate_is_bit(s->p, table, field))
        zterm_bound(s->t, cell, least(s->p, table, field), greatest(s->p, table, field));
}

static Z3_ast const_cell(struct zstate *s, uint32_t table, uint32_t field, uint64_t row)
{
    Z3_ast *at = &s->cell[table][field][row];
    if (!*at) {
        const struct sx_table *t = table_of(s->p, table);
        *at = z3ctx_const(s->t->z, cell_sort(s, table, field), "%.8s %.60s[%u]%.40s", s->name,
                          t->name, (unsigned)row, t->fields[field].path);
        bound(s, *at, table, field);
    }
    return *at;
}

struct prob_row zstate_row(struct problem *p, uint32_t table, uint64_t number)
{
    const struct sx_table *t = table_of(p, table);
    term_id *index = arena_array(&p->arena, term_id, t->n_dims + 1);
    for (uint32_t d = t->n_dims; d-- > 0; number /= t->dims[d])
        index[d] = term_const(p->store, (term_int)(number % t->dims[d]));
    return (struct prob_row){table, index};
}

Z3_ast zstate_same_row(struct zterm *t, struct problem *p, struct prob_row a, struct prob_row b)
{
    const struct sx_table *table = table_of(p, a.table);
    Z3_ast same = t->z->yes;
    for (uint32_t d = 0; d < table->n_dims && same != t->z->no; d++)
        same = z3ctx_and2(t->z, same, zterm_index_eq(t, a.index[d], b.index[d], table->dims[d]));
    return same;
}

/* A row that is not constant, in a small table: a choice among its cells. */
static Z3_ast chosen_cell(struct zstate *s, struct prob_row row, uint32_t field)
{
    const struct sx_table *t = table_of(s->p, row.table);
    uint64_t rows = sx_table_rows(t);
    for (uint32_t d = 0; d < t->n_dims; d++)
        zterm_index(s->t, row.index[d], t->dims[d]);
    Z3_ast value = const_cell(s, row.table, field, 0);
    for (uint64_t r = 1; r < rows; r++) {
        Z3_ast is = zstate_same_row(s->t, s->p, row, zstate_row(s->p, row.table, r));
        value = z3ctx_ite(s->t->z, is, const_cell(s, row.table, field, r), value);
    }
    return value;
}

static Z3_ast row_number(struct zstate *s, struct prob_row row)
{
    const struct sx_table *t = table_of(s->p, row.table);
    term_id flat = term_const(s->p->store, 0);
    for (uint32_t d = 0; d < t->n_dims; d++) {
        flat = term_mul(s->p->store, flat, term_const(s->p->store, (term_int)t->dims[d]));
        flat = term_add(s->p->store, flat, row.index[d]);
    }
    return zterm_as(s->t, zterm(s->t, flat), row_sort(s, row.table));
}

Z3_ast zstate_cell(struct zstate *s, struct prob_row row, uint32_t field)
{
    uint64_t number;
    if (!s->function[row.table][field]) {
        if (prob_const_row(s->p, row, &number))
            return const_cell(s, row.table, field, number);
        return chosen_cell(s, row, field);
    }
    Z3_ast at = row_number(s, row);
    Z3_ast cell = Z3_mk_app(s->t->z->c, s->function[row.table][field], 1, &at);
    bound(s, cell, row.table, field);
    return cell;
}

void zstate_read(struct zstate *s, const struct prob_read *r)
{
    for (uint32_t f = 0; f < table_of(s->p, r->row.table)->n_fields; f++)
        if (r->field[f] != TERM_NONE)
            z3ctx_assert(s->t->z,
                         zterm_eq(s->t, zstate_value(s->t, s->p, r->row.table, f, r->field[f]),
                                  zstate_cell(s, r->row, f)));
}

term_int zstate_model(struct zstate *s, uint32_t table, uint64_t row, uint32_t field)
{
    term_int lo = least(s->p, table, field), hi = greatest(s->p, table, field);
    term_int v = zterm_model(s->t, zstate_cell(s, zstate_row(s->p, table, row), field));
    return v < lo || v > hi ? 0 : v; /* a cell that nothing mentioned before */
}
