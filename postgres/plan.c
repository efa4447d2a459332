/* Reading the JSON report.  The file comes from visar, but nothing here relies on that: whatever
 * does not fit is an error with the path of the place, and names go to SQL only through scratch.h
 * and values only as parameters of the types found here. */
#include "postgres/plan.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "base/strbuf.h"

enum { DIMS_MAX = 16, TXNS_MAX = 1000 };

struct reader {
    struct plan *p;
    struct arena *messages;
    const char *error;
};

static void fail(struct reader *r, const char *what, const char *where)
{
    if (!r->error)
        r->error = arena_printf(r->messages, "%s: %s", where, what);
}

static const char *text_of(struct reader *r, const json_t *j, const char *key, const char *where)
{
    const char *s = json_string_value(json_object_get(j, key));
    if (!s)
        fail(r, arena_printf(r->messages, "expected a text \"%s\"", key), where);
    return s ? arena_strdup(&r->p->arena, s) : "";
}

static const char *optional_text(struct reader *r, const json_t *j, const char *key)
{
    const char *s = json_string_value(json_object_get(j, key));
    return s ? arena_strdup(&r->p->arena, s) : NULL;
}

static uint32_t number_of(struct reader *r, const json_t *j, const char *key, const char *where)
{
    const json_t *v = json_object_get(j, key);
    json_int_t n = json_integer_value(v);
    if (!json_is_integer(v) || n < 0 || n >= UINT32_MAX) {
        fail(r, arena_printf(r->messages, "expected a number \"%s\"", key), where);
        return 0;
    }
    return (uint32_t)n;
}

static const json_t *list_of(struct reader *r, const json_t *j, const char *key, const char *where)
{
    const json_t *v = json_object_get(j, key);
    if (!json_is_array(v))
        fail(r, arena_printf(r->messages, "expected a list \"%s\"", key), where);
    return v;
}

/* ---- values --------------------------------------------------------------------------------- */

static bool is_integer_text(const char *s)
{
    size_t n = strlen(s += *s == '-');
    return n > 0 && n < 40 && strspn(s, "0123456789") == n;
}

/* NULL after an error. */
static const char *value_text(struct reader *r, const json_t *v, enum plan_type *type)
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
    fail(r, "expected true, false or an integer as \"value\"", "a field");
    return NULL;
}

/* Two values of a column may be of two types: 2^64 - 1 and 0. */
static void widen(struct reader *r, struct plan_column *c, enum plan_type type)
{
    if ((c->type == PLAN_BOOLEAN) != (type == PLAN_BOOLEAN))
        fail(r, "has both numbers and truth values", c->path);
    if (type > c->type)
        c->type = type;
}

/* ---- tables and rows ------------------------------------------------------------------------ */

static uint32_t table_of(struct reader *r, const char *name, uint32_t n_dims)
{
    for (uint32_t i = 0; i < r->p->tables.len; i++)
        if (!strcmp(r->p->tables.data[i].name, name)) {
            if (r->p->tables.data[i].n_dims != n_dims)
                fail(r, "has rows with more and with fewer indices", name);
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
    const char *name = text_of(r, j, "row", "a row"), *table = text_of(r, j, "table", name);
    const json_t *list = list_of(r, j, "index", name), *v;
    size_t i, n = json_array_size(list);
    int64_t *index = arena_array(&r->p->arena, int64_t, n + 1);
    if (n > DIMS_MAX)
        fail(r, "has too many indices", name);
    json_array_foreach(list, i, v)
    {
        if (!json_is_integer(v))
            fail(r, "expected integers in \"index\"", name);
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
static void collect_row(struct reader *r, const json_t *j)
{
    size_t i;
    json_t *field;
    uint32_t row = row_of(r, j);
    const json_t *fields = list_of(r, j, "fields", "a row");
    if (r->error)
        return;
    struct plan_table *t = &r->p->tables.data[r->p->rows.data[row].table];
    json_array_foreach(fields, i, field)
    {
        enum plan_type type = PLAN_BIGINT;
        bool fresh;
        const char *path = text_of(r, field, "path", "a field");
        if (!value_text(r, json_object_get(field, "value"), &type))
            return;
        uint32_t c = column_of(t, path, type, &fresh);
        if (!fresh)
            widen(r, &t->columns.data[c], type);
    }
}

static struct plan_cells cells_of(struct reader *r, const json_t *j)
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
        const char *path = text_of(r, field, "path", "a field");
        uint32_t c = column_of(t, path, PLAN_BIGINT, &fresh);
        if (fresh)
            fail(r, "appears late", path);
        else
            cells.value[c] = value_text(r, json_object_get(field, "value"), &type);
    }
    return cells;
}

/* ---- transactions --------------------------------------------------------------------------- */

static uint32_t source_of(struct reader *r, const json_t *read, size_t n_txns)
{
    const json_t *from = json_object_get(read, "from");
    if (json_is_null(from))
        return PLAN_INITIAL;
    uint32_t source = number_of(r, read, "from", "a read");
    if (source >= n_txns)
        fail(r, "there is no such transaction", "\"from\" of a read");
    return source;
}

static void reads_of(struct reader *r, const json_t *j, struct plan_txn *t, size_t n_txns)
{
    size_t i;
    json_t *read;
    json_array_foreach(list_of(r, j, "reads", t->name), i, read)
    {
        struct plan_read x = {.cells = cells_of(r, read), .source = source_of(r, read, n_txns)};
        if (r->error)
            return;
        vec_push(&t->reads, x);
    }
}

/* The first read of a locked row locks it; a row that was not read (before it was written) is
 * locked on its own. */
static void locks_of(struct reader *r, const json_t *j, struct plan_txn *t)
{
    size_t i;
    json_t *lock;
    json_array_foreach(list_of(r, j, "locks", t->name), i, lock)
    {
        struct plan_cells cells = cells_of(r, lock);
        if (r->error)
            return;
        bool found = false;
        for (size_t k = 0; k < t->reads.len && !found; k++)
            if (t->reads.data[k].cells.row == cells.row)
                found = t->reads.data[k].lock = true;
        if (!found)
            vec_push(&t->locks, cells.row);
    }
}

static void txn_of(struct reader *r, const json_t *j, size_t n_txns, uint64_t *write_id)
{
    struct plan_txn *t = vec_add(&r->p->txns);
    size_t i;
    json_t *write;
    t->name = text_of(r, j, "name", "a transaction");
    t->session = number_of(r, j, "session", t->name);
    t->position = number_of(r, j, "position", t->name);
    t->level = model_find(text_of(r, j, "level", t->name));
    t->end = strcmp(text_of(r, j, "end", t->name), "committed") ? PLAN_ROLLS_BACK : PLAN_COMMITS;
    t->first_write_id = *write_id;
    if (!t->level)
        fail(r, "expected a model as \"level\"", t->name);
    reads_of(r, j, t, n_txns);
    locks_of(r, j, t);
    json_array_foreach(list_of(r, j, "writes", t->name), i, write)
    {
        struct plan_cells cells = cells_of(r, write);
        if (r->error)
            return;
        if (plan_find_write(t, cells.row))
            fail(r, "is written twice by one transaction", r->p->rows.data[cells.row].name);
        vec_push(&t->writes, cells);
    }
    if (t->end == PLAN_ROLLS_BACK && t->writes.len)
        fail(r, "has writes, but did not commit", t->name);
    *write_id += t->writes.len;
}

static bool reads_row(const struct plan_txn *t, uint32_t row)
{
    for (size_t i = 0; i < t->reads.len; i++)
        if (t->reads.data[i].cells.row == row)
            return true;
    return false;
}

/* The observer of a final state also reads every row that was written: what is there is to be what
 * the execution ends with, all of it. */
static void add_final_reads(struct reader *r, struct plan_txn *o)
{
    for (uint32_t row = 0; row < r->p->rows.len; row++) {
        uint32_t writer = plan_last_writer(r->p, row);
        if (writer == PLAN_INITIAL || reads_row(o, row))
            continue;
        struct plan_read x = {.cells = *plan_find_write(&r->p->txns.data[writer], row),
                              .source = writer};
        vec_push(&o->reads, x);
    }
}

static void observer_of(struct reader *r, const json_t *execution, size_t n_txns)
{
    const json_t *j = json_object_get(execution, "observer");
    struct plan_txn o = {.position = (uint32_t)n_txns, .level = r->p->model};
    bool present = json_is_object(j);
    uint32_t last_session = 0;
    for (size_t i = 0; i < n_txns; i++)
        if (r->p->txns.data[i].session >= last_session)
            last_session = r->p->txns.data[i].session + 1;
    o.session = last_session;
    o.name = present ? text_of(r, j, "function", "the observer") : "the final state";
    r->p->has_observer = true;
    r->p->final_observer = true;
    if (present) {
        size_t set_size = json_array_size(json_array_get(json_object_get(j, "sees"), 0));
        r->p->final_observer = number_of(r, j, "position", o.name) == n_txns && set_size == n_txns;
        r->p->condition = optional_text(r, j, "values");
        reads_of(r, j, &o, n_txns);
    }
    if (!o.level)
        o.level = model_get(MODEL_SER);
    if (r->p->final_observer && !r->error)
        add_final_reads(r, &o);
    vec_push(&r->p->txns, o);
}

/* ---- the execution -------------------------------------------------------------------------- */

static void collect(struct reader *r, const json_t *rows)
{
    size_t i;
    json_t *row;
    json_array_foreach(rows, i, row) collect_row(r, row);
}

static void initial_of(struct reader *r, const json_t *execution)
{
    size_t i;
    json_t *j;
    for (uint32_t row = 0; row < r->p->rows.len; row++) {
        const struct plan_table *t = &r->p->tables.data[r->p->rows.data[row].table];
        struct plan_cells cells = {row,
                                   arena_array(&r->p->arena, const char *, t->columns.len + 1)};
        for (size_t c = 0; c < t->columns.len; c++)
            cells.value[c] = t->columns.data[c].type == PLAN_BOOLEAN ? "false" : "0";
        vec_push(&r->p->initial, cells);
    }
    json_array_foreach(list_of(r, execution, "initial", "the execution"), i, j)
    {
        struct plan_cells cells = cells_of(r, j);
        if (r->error)
            return;
        const struct plan_table *t = &r->p->tables.data[r->p->rows.data[cells.row].table];
        for (size_t c = 0; c < t->columns.len; c++)
            if (cells.value[c])
                r->p->initial.data[cells.row].value[c] = cells.value[c];
    }
}

static void collect_all(struct reader *r, const json_t *execution, const json_t *txns)
{
    size_t i;
    json_t *t;
    collect(r, list_of(r, execution, "initial", "the execution"));
    collect(r, list_of(r, execution, "final", "the execution"));
    json_array_foreach(txns, i, t)
    {
        collect(r, json_object_get(t, "reads"));
        collect(r, json_object_get(t, "writes"));
        collect(r, json_object_get(t, "locks"));
    }
    collect(r, json_object_get(json_object_get(execution, "observer"), "reads"));
}

static void check_positions(struct reader *r, size_t n)
{
    for (uint32_t i = 0; i < n && !r->error; i++)
        if (plan_at(r->p, i) == UINT32_MAX)
            fail(r, "no transaction has one of the positions", "arbitration");
    for (uint32_t i = 0; i < n && !r->error; i++)
        for (size_t k = 0; k < r->p->txns.data[i].reads.len; k++) {
            const struct plan_read *x = &r->p->txns.data[i].reads.data[k];
            if (x->source != PLAN_INITIAL &&
                !plan_find_write(&r->p->txns.data[x->source], x->cells.row))
                fail(r, "reads from a transaction that does not write the row",
                     r->p->txns.data[i].name);
        }
}

static void execution_of(struct reader *r, const json_t *execution)
{
    const json_t *txns = list_of(r, execution, "transactions", "the execution");
    size_t i, n = json_array_size(txns);
    json_t *t;
    uint64_t write_id = 1;
    const char *model = optional_text(r, execution, "model");
    r->p->model = model ? model_find(model) : NULL;
    r->p->anomaly = optional_text(r, json_object_get(execution, "anomaly"), "name");
    r->p->ruled_out_by = optional_text(r, json_object_get(execution, "anomaly"), "ruled_out_by");
    if (n > TXNS_MAX)
        fail(r, "has too many transactions", "the execution");
    if (!r->error)
        collect_all(r, execution, txns);
    if (!r->error)
        initial_of(r, execution);
    json_array_foreach(txns, i, t)
    {
        if (r->error)
            return;
        if (number_of(r, t, "id", "a transaction") != i)
            fail(r, "expected the transactions in order", "the execution");
        txn_of(r, t, n, &write_id);
    }
    if (!r->error)
        check_positions(r, n);
    if (!r->error)
        observer_of(r, execution, n);
}

/* ---- the report ----------------------------------------------------------------------------- */

/* The first violated verdict of a result. */
static const json_t *violation(const json_t *result)
{
    size_t i;
    json_t *d;
    json_array_foreach(json_object_get(result, "verdicts"), i, d)
    {
        const char *status = json_string_value(json_object_get(d, "status"));
        if (status && !strcmp(status, "violated") &&
            json_is_object(json_object_get(d, "execution")))
            return d;
    }
    return NULL;
}

/* Results are weakest first. */
static const json_t *choose(const json_t *report, const char *model)
{
    const json_t *chosen = NULL;
    size_t i;
    json_t *result;
    json_array_foreach(json_object_get(report, "results"), i, result)
    {
        const char *name = json_string_value(json_object_get(result, "model"));
        const json_t *d = violation(result);
        if (d && (!model || (name && !strcasecmp(name, model))))
            chosen = d;
    }
    return chosen;
}

const char *plan_read_json(const char *text, size_t size, const char *model, struct arena *messages,
                           struct plan **out)
{
    json_error_t where;
    json_t *report = json_loadb(text, size, JSON_REJECT_DUPLICATES, &where);
    if (!report)
        return arena_printf(messages, "%d:%d: %s", where.line, where.column, where.text);
    struct reader r = {.p = mem_calloc(1, sizeof *r.p), .messages = messages};
    const char *command = json_string_value(json_object_get(report, "command"));
    const json_t *d = choose(report, model);
    if (!command || strcmp(command, "verify") != 0)
        r.error = "this is not what `visar verify --json` prints";
    else if (!d)
        r.error = model ? "it has no counterexample for that model" : "it has no counterexample";
    if (!r.error) {
        const json_t *property = json_object_get(d, "property");
        r.p->file = text_of(&r, report, "file", "the report");
        r.p->property = text_of(&r, property, "name", "the property");
        r.p->property_kind = text_of(&r, property, "kind", "the property");
        execution_of(&r, json_object_get(d, "execution"));
    }
    json_decref(report);
    if (r.error) {
        plan_free(r.p);
        return r.error;
    }
    *out = r.p;
    return NULL;
}

void plan_free(struct plan *p)
{
    if (!p)
        return;
    for (size_t i = 0; i < p->tables.len; i++)
        vec_free(&p->tables.data[i].columns);
    for (size_t i = 0; i < p->txns.len; i++) {
        vec_free(&p->txns.data[i].reads);
        vec_free(&p->txns.data[i].locks);
        vec_free(&p->txns.data[i].writes);
    }
    vec_free(&p->tables);
    vec_free(&p->rows);
    vec_free(&p->initial);
    vec_free(&p->txns);
    arena_free(&p->arena);
    mem_free(p);
}

/* ---- questions ------------------------------------------------------------------------------ */

uint32_t plan_at(const struct plan *p, uint32_t position)
{
    for (uint32_t i = 0; i < p->txns.len; i++)
        if (p->txns.data[i].position == position)
            return i;
    return UINT32_MAX;
}

const struct plan_cells *plan_find_write(const struct plan_txn *t, uint32_t row)
{
    for (size_t i = 0; i < t->writes.len; i++)
        if (t->writes.data[i].row == row)
            return &t->writes.data[i];
    return NULL;
}

uint32_t plan_last_writer(const struct plan *p, uint32_t row)
{
    uint32_t last = PLAN_INITIAL;
    for (uint32_t i = 0; i < p->txns.len; i++)
        if (plan_find_write(&p->txns.data[i], row) &&
            (last == PLAN_INITIAL || p->txns.data[i].position > p->txns.data[last].position))
            last = i;
    return last;
}
