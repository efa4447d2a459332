#include "database/replay_cells.h"

#include <inttypes.h>
#include <string.h>

/* The path of a cell in a row of the type: ".line[2].qty".  False if the cell is further on; `cell`
 * is then counted down. */
static bool cell_path(const struct ast_type *t, uint32_t *cell, struct strbuf *out)
{
    size_t before = out->len;
    if (t->kind == AST_INT)
        return (*cell)-- == 0;
    uint64_t n = t->kind == AST_ARRAY ? t->count : t->n_fields;
    for (uint64_t i = 0; i < n; i++) {
        bool array = t->kind == AST_ARRAY;
        if (array)
            sb_printf(out, "[%llu]", (unsigned long long)i);
        else if (*t->fields[i].name)
            sb_printf(out, ".%s", t->fields[i].name);
        if (cell_path(array ? t->elem : t->fields[i].type, cell, out))
            return true;
        out->len = before;
    }
    return false;
}

const char *cells_name(struct interp_row row, uint32_t cell, struct strbuf *out)
{
    sb_clear(out);
    sb_puts(out, row.table->name);
    for (uint32_t d = 0; d < row.table->n_dims; d++)
        sb_printf(out, "[%" PRIu64 "]", row.index[d]);
    return cell_path(row.table->row, &cell, out) ? sb_str(out) : NULL;
}

/* The column of the cell of that name in a row; UINT32_MAX: it is of another row.  With field
 * granularity a row's name is that of its one field. */
static uint32_t column_in(const struct plan *p, uint32_t row, const char *name)
{
    const struct plan_row *r = &p->rows.data[row];
    const struct plan_table *t = &p->tables.data[r->table];
    size_t n = strlen(r->name);
    if (strncmp(r->name, name, n) != 0)
        return UINT32_MAX;
    for (uint32_t k = 0; k < t->columns.len; k++)
        if (p->by_field ? !name[n] : !strcmp(name + n, t->columns.data[k].path))
            return k;
    return UINT32_MAX;
}

const char *cells_find(const struct plan *p, const struct plan_cells *cells, const char *name)
{
    uint32_t column = column_in(p, cells->row, name);
    return column == UINT32_MAX ? NULL : cells->value[column];
}

bool cells_place(const struct plan *p, const char *name, uint32_t *row, uint32_t *column)
{
    for (*row = 0; *row < p->rows.len; ++*row)
        if ((*column = column_in(p, *row, name)) != UINT32_MAX)
            return true;
    return false;
}
