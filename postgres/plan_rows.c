/* Reading the JSON report: texts and numbers, values, tables and rows. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/strbuf.h"
#include "postgres/plan_private.h"

enum { DIMS_MAX = 16 };

void plan_fail(struct reader *r, const char *what, const char *where)
{
    if (!r->error)
        r->error = arena_printf(r->messages, "%s: %s", where, what);
}

const char *plan_text_of(struct reader *r, const json_t *j, const char *key, const char *where)
{
    const char *s = json_string_value(json_object_get(j, key));
    if (!s)
        plan_fail(r, arena_printf(r->messages, "expected a text \"%s\"", key), where);
    return s ? arena_strdup(&r->p->arena, s) : "";
}

const char *plan_optional_text(struct reader *r, const json_t *j, const char *key)
{
    const char *s = json_string_value(json_object_get(j, key));
    return s ? arena_strdup(&r->p->arena, s) : NULL;
}

uint32_t plan_number_of(struct reader *r, const json_t *j, const char *key, const char *where)
{
    const json_t *v = json_object_get(j, key);
    json_int_t n = json_integer_value(v);
    if (!json_is_integer(v) || n < 0 || n >= UINT32_MAX) {
        plan_fail(r, arena_printf(r->messages, "expected a number \"%s\"", key), where);
        return 0;
    }
    return (uint32_t)n;
}

const json_t *plan_list_of(struct reader *r, const json_t *j, const char *key, const char *where)
{
    const json_t *v = json_object_get(j, key);
    if (!json_is_array(v))
        plan_fail(r, arena_printf(r->messages, "expected a list \"%s\"", key), where);
    return v;
}

/* ---- values --------------------------------------------------------------------------------- */

static bool is_integer_text(const char *s)
{
    size_t n = strlen(s += *s == '-');
    return n > 0 && n < 40 && strspn(s, "0123456789") == n;
}

/* NULL after an error. */
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
    if (json_is_string(v) && is_integer_text(json_string_value(v))) {
        *type = PLAN_NUMERIC;
        return arena_strdup(&r->p->arena, json_string_value(v));
    }
    plan_fail(r, "expected true, false or an integer as \"value\"", "a field");
    return NULL;
}

/* Two values of a column may be of two types: 2^64 - 1 and 0. */
static void widen(struct reader *r, struct plan_column *c, enum plan_type type)
{
    if ((c->type == PLAN_BOOLEAN) != (type == PLAN_BOOLEAN))
        plan_fail(r, "has both numbers and truth values", c->path);
    if (type > c->type)
        c->type = type;
}

/* ---- tables and rows ------------------------------------------------------------------------ */

static uint32_t table_of(struct reader *r, const char *name, uint32_t n_dims)
{
    for (uint32_t i = 0; i < r->p->tables.len; i++)
        if (!strcmp(r->p->tables.data[i].name, name)) {
            if (r->p->tables.data[i].n_dims != n_dims)
                plan_fail(r, "has rows with more and with fewer indices", name);
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

/* With field granularity each field is a table of its own: "account.balance", which shows in the
 * names of its rows, "account[1].balance". */
static const char *table_name(struct reader *r, const char *table, const char *row,
                              const int64_t *index, size_t n)
{
    struct strbuf b = {0};
    sb_puts(&b, table);
    for (size_t i = 0; i < n; i++)
        sb_printf(&b, "[%" PRId64 "]", index[i]);
    bool longer = !strncmp(row, sb_str(&b), b.len) && row[b.len];
    const char *name = longer ? arena_printf(&r->p->arena, "%s%s", table, row + b.len) : table;
    sb_free(&b);
    return name;
}

/* The row that a JSON object names, new or not. */
static uint32_t row_of(struct reader *r, const json_t *j)
{
    const char *name = plan_text_of(r, j, "row", "a row"),
               *table = plan_text_of(r, j, "table", name);
    const json_t *list = plan_list_of(r, j, "index", name), *v;
    size_t i, n = json_array_size(list);
    int64_t *index = arena_array(&r->p->arena, int64_t, n + 1);
    if (n > DIMS_MAX)
        plan_fail(r, "has too many indices", name);
    json_array_foreach(list, i, v)
    {
        if (!json_is_integer(v))
            plan_fail(r, "expected integers in \"index\"", name);
        index[i] = json_integer_value(v);
    }
    if (r->error)
        return UINT32_MAX;
    uint32_t t = table_of(r, table_name(r, table, name, index, n), (uint32_t)n);
    uint32_t row = find_row(r, t, index);
    if (row != UINT32_MAX || r->error)
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
    const json_t *fields = plan_list_of(r, j, "fields", "a row");
    if (r->error)
        return;
    struct plan_table *t = &r->p->tables.data[r->p->rows.data[row].table];
    json_array_foreach(fields, i, field)
    {
        enum plan_type type = PLAN_BIGINT;
        bool fresh;
        const char *path = plan_text_of(r, field, "path", "a field");
        if (!plan_value_text(r, json_object_get(field, "value"), &type))
            return;
        uint32_t c = column_of(t, path, type, &fresh);
        if (!fresh)
            widen(r, &t->columns.data[c], type);
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
        const char *path = plan_text_of(r, field, "path", "a field");
        uint32_t c = column_of(t, path, PLAN_BIGINT, &fresh);
        if (fresh)
            plan_fail(r, "appears late", path);
        else
            cells.value[c] = plan_value_text(r, json_object_get(field, "value"), &type);
    }
    return cells;
}
