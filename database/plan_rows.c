/* Reading the JSON report: texts and numbers, values, tables and rows. */
#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/strbuf.h"
#include "database/plan_internal.h"

/* ---- places and members --------------------------------------------------------------------- */

void plan_fail(struct reader *r, const char *fmt, ...)
{
    struct strbuf b = {0};
    va_list ap;
    if (r->error)
        return;
    va_start(ap, fmt);
    sb_printf(&b, "%s: ", sb_str(&r->path));
    sb_vprintf(&b, fmt, ap);
    va_end(ap);
    r->error = arena_strdup(r->messages, sb_str(&b));
    sb_free(&b);
}

size_t plan_enter(struct reader *r, const char *fmt, ...)
{
    size_t from = r->path.len;
    va_list ap;
    va_start(ap, fmt);
    sb_vprintf(&r->path, fmt, ap);
    va_end(ap);
    return from;
}

void plan_leave(struct reader *r, size_t from)
{
    r->path.len = from;
    r->path.data[from] = 0;
}

const char *plan_text_of(struct reader *r, const json_t *j, const char *key)
{
    return arena_strdup(&r->p->arena, json_string_value(json_object_get(j, key)));
}

const char *plan_optional_text(struct reader *r, const json_t *j, const char *key)
{
    const char *s = json_string_value(json_object_get(j, key));
    return s ? arena_strdup(&r->p->arena, s) : NULL;
}

uint32_t plan_number_of(const json_t *j, const char *key)
{
    return (uint32_t)json_integer_value(json_object_get(j, key));
}

/* ---- values --------------------------------------------------------------------------------- */

/* As SQL takes it. */
const char *plan_value_text(struct reader *r, const json_t *v, enum plan_type *type)
{
    if (json_is_boolean(v)) {
        *type = PLAN_BOOLEAN;
        return json_is_true(v) ? "true" : "false";
    }
    if (json_is_integer(v)) {
        *type = PLAN_BIGINT;
        return arena_printf(&r->p->arena, "%" JSON_INTEGER_FORMAT, json_integer_value(v));
    }
    *type = PLAN_NUMERIC;
    return arena_strdup(&r->p->arena, json_string_value(v));
}

/* Two values of a column may be of two types: 2^64 - 1 and 0. */
static void widen(struct reader *r, struct plan_column *c, enum plan_type type)
{
    if ((c->type == PLAN_BOOLEAN) != (type == PLAN_BOOLEAN))
        plan_fail(r,
                  "this column has numbers elsewhere in the execution, and truth values here, or "
                  "the reverse");
    if (type > c->type)
        c->type = type;
}

/* ---- tables and rows ------------------------------------------------------------------------ */

static uint32_t table_of(struct reader *r, const char *name, uint32_t n_dims)
{
    for (uint32_t i = 0; i < r->p->tables.len; i++)
        if (!strcmp(r->p->tables.data[i].name, name)) {
            if (r->p->tables.data[i].n_dims != n_dims)
                plan_fail(r, "other rows of the same table have %u indices, and this one %u",
                          r->p->tables.data[i].n_dims, n_dims);
            return i;
        }
    struct plan_table *t = vec_add(&r->p->tables);
    t->name = name;
    t->n_dims = n_dims;
    return (uint32_t)r->p->tables.len - 1;
}

static uint32_t column_of(struct plan_table *t, const char *path, enum plan_type type, bool *fresh)
{
    for (uint32_t i = 0; i < t->columns.len; i++)
        if (!strcmp(t->columns.data[i].path, path)) {
            *fresh = false;
            return i;
        }
    *fresh = true;
    vec_push(&t->columns, ((struct plan_column){path, type}));
    return (uint32_t)t->columns.len - 1;
}

static uint32_t find_row(struct reader *r, uint32_t table, const int64_t *index)
{
    uint32_t n_dims = r->p->tables.data[table].n_dims;
    for (uint32_t i = 0; i < r->p->rows.len; i++) {
        const struct plan_row *row = &r->p->rows.data[i];
        if (row->table == table && !memcmp(row->index, index, n_dims * sizeof *index))
            return i;
    }
    return UINT32_MAX;
}

/* The name of a row is its table's with its indices, "account[1]".  With field granularity each
 * field is a table of its own: "account.balance", which shows in the names of its rows,
 * "account[1].balance". */
static const char *table_name(struct reader *r, const char *table, const char *row,
                              const int64_t *index, size_t n)
{
    struct strbuf b = {0};
    sb_puts(&b, table);
    for (size_t i = 0; i < n; i++)
        sb_printf(&b, "[%" PRId64 "]", index[i]);
    bool prefix = !strncmp(row, sb_str(&b), b.len), longer = prefix && row[b.len];
    if (!prefix || (longer && !r->p->by_field))
        plan_fail(r, "\"row\" is not what \"table\" and \"index\" say");
    const char *name = longer ? arena_printf(&r->p->arena, "%s%s", table, row + b.len) : table;
    sb_free(&b);
    return name;
}

/* The row that a JSON object names, new or not. */
static uint32_t row_of(struct reader *r, const json_t *j)
{
    const char *name = plan_text_of(r, j, "row"), *table = plan_text_of(r, j, "table");
    const json_t *list = json_object_get(j, "index"), *v;
    size_t i, n = json_array_size(list);
    int64_t *index = arena_array(&r->p->arena, int64_t, n + 1);
    json_array_foreach(list, i, v) index[i] = json_integer_value(v);
    table = table_name(r, table, name, index, n);
    uint32_t t = table_of(r, table, (uint32_t)n);
    if (r->error)
        return UINT32_MAX;
    uint32_t row = find_row(r, t, index);
    if (row != UINT32_MAX)
        return row;
    vec_push(&r->p->rows, ((struct plan_row){name, t, index}));
    return (uint32_t)r->p->rows.len - 1;
}

/* First pass: all rows and columns there are, so that cells have their final size. */
void plan_collect_row(struct reader *r, const json_t *j)
{
    size_t i;
    json_t *field;
    uint32_t row = row_of(r, j);
    if (r->error)
        return;
    struct plan_table *t = &r->p->tables.data[r->p->rows.data[row].table];
    json_array_foreach(json_object_get(j, "fields"), i, field)
    {
        size_t here = plan_enter(r, ".fields[%zu].value", i);
        enum plan_type type;
        bool fresh;
        plan_value_text(r, json_object_get(field, "value"), &type);
        uint32_t c = column_of(t, plan_text_of(r, field, "path"), type, &fresh);
        if (!fresh)
            widen(r, &t->columns.data[c], type);
        plan_leave(r, here);
    }
}

struct plan_cells plan_cells_of(struct reader *r, const json_t *j)
{
    size_t i;
    json_t *field;
    struct plan_cells cells = {.row = row_of(r, j)};
    if (r->error)
        return cells;
    struct plan_table *t = &r->p->tables.data[r->p->rows.data[cells.row].table];
    cells.value = arena_array(&r->p->arena, const char *, t->columns.len + 1);
    json_array_foreach(json_object_get(j, "fields"), i, field)
    {
        enum plan_type type;
        bool fresh;
        const char *path = plan_text_of(r, field, "path");
        uint32_t c = column_of(t, path, PLAN_BIGINT, &fresh);
        assert(!fresh); /* plan_collect_row has seen it */
        if (cells.value[c])
            plan_fail(r, "two of the fields have the same \"path\"");
        cells.value[c] = plan_value_text(r, json_object_get(field, "value"), &type);
    }
    return cells;
}
