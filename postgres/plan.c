/* Reading the JSON report.  The file comes from visar, but nothing here relies on that: whatever
 * does not fit is an error with the path of the place, and names go to SQL only through scratch.h
 * and values only as parameters of the types found here. */
#include "postgres/plan.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "postgres/plan_private.h"

enum { TXNS_MAX = 1000 };

/* ---- transactions --------------------------------------------------------------------------- */

static uint32_t source_of(struct reader *r, const json_t *read, size_t n_txns)
{
    const json_t *from = json_object_get(read, "from");
    if (json_is_null(from))
        return PLAN_INITIAL;
    uint32_t source = plan_number_of(r, read, "from", "a read");
    if (source >= n_txns)
        plan_fail(r, "there is no such transaction", "\"from\" of a read");
    return source;
}

static uint64_t key_of(struct reader *r, const json_t *j, const char *name)
{
    const char *text = json_string_value(json_object_get(j, name));
    char *end = NULL;
    uint64_t key = text ? strtoull(text, &end, 16) : 0;
    if (!text || !*text || *end)
        plan_fail(r, "expected 64 bits in hexadecimal", name);
    return key;
}

static void inputs_of(struct reader *r, const json_t *j, plan_inputs *out)
{
    size_t i;
    json_t *x;
    json_array_foreach(json_object_get(j, "inputs"), i, x)
    {
        enum plan_type type;
        struct plan_input in = {.parameter = json_is_true(json_object_get(x, "parameter"))};
        in.value = plan_value_text(r, json_object_get(x, "value"), &type);
        if (!in.parameter)
            in.key = key_of(r, x, "key");
        if (r->error)
            return;
        vec_push(out, in);
    }
}

static void returned_of(struct reader *r, const json_t *j, struct plan_txn *t)
{
    size_t i;
    json_t *x;
    json_array_foreach(json_object_get(j, "returned"), i, x)
    {
        enum plan_type type;
        const char *value = plan_value_text(r, x, &type);
        if (r->error)
            return;
        vec_push(&t->returned, value);
    }
}

static void reads_of(struct reader *r, const json_t *j, struct plan_txn *t, size_t n_txns)
{
    size_t i;
    json_t *read;
    json_array_foreach(plan_list_of(r, j, "reads", t->name), i, read)
    {
        struct plan_read x = {.cells = plan_cells_of(r, read),
                              .source = source_of(r, read, n_txns)};
        x.keyed = json_object_get(read, "key") != NULL;
        if (x.keyed) {
            x.key = key_of(r, read, "key");
            x.statement_key = key_of(r, read, "statement_key");
        }
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
    json_array_foreach(plan_list_of(r, j, "locks", t->name), i, lock)
    {
        struct plan_cells cells = plan_cells_of(r, lock);
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
    t->name = plan_text_of(r, j, "name", "a transaction");
    t->session = plan_number_of(r, j, "session", t->name);
    t->position = plan_number_of(r, j, "position", t->name);
    t->level = model_find(plan_text_of(r, j, "level", t->name));
    t->function = plan_optional_text(r, j, "function");
    t->end_text = plan_text_of(r, j, "end", t->name);
    t->end = strcmp(t->end_text, "committed") ? PLAN_ROLLS_BACK : PLAN_COMMITS;
    inputs_of(r, j, &t->inputs);
    returned_of(r, j, t);
    t->first_write_id = *write_id;
    if (!t->level)
        plan_fail(r, "expected a model as \"level\"", t->name);
    reads_of(r, j, t, n_txns);
    locks_of(r, j, t);
    json_array_foreach(plan_list_of(r, j, "writes", t->name), i, write)
    {
        struct plan_cells cells = plan_cells_of(r, write);
        if (r->error)
            return;
        if (plan_find_write(t, cells.row))
            plan_fail(r, "is written twice by one transaction", r->p->rows.data[cells.row].name);
        vec_push(&t->writes, cells);
    }
    if (t->end == PLAN_ROLLS_BACK && t->writes.len)
        plan_fail(r, "has writes, but did not commit", t->name);
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
    o.name = present ? plan_text_of(r, j, "function", "the observer") : "the final state";
    r->p->has_observer = true;
    r->p->final_observer = true;
    if (present) {
        size_t set_size = json_array_size(json_array_get(json_object_get(j, "sees"), 0));
        r->p->final_observer =
            plan_number_of(r, j, "position", o.name) == n_txns && set_size == n_txns;
        r->p->condition = plan_optional_text(r, j, "values");
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
    json_array_foreach(rows, i, row) plan_collect_row(r, row);
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
    json_array_foreach(plan_list_of(r, execution, "initial", "the execution"), i, j)
    {
        struct plan_cells cells = plan_cells_of(r, j);
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
    collect(r, plan_list_of(r, execution, "initial", "the execution"));
    collect(r, plan_list_of(r, execution, "final", "the execution"));
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
            plan_fail(r, "no transaction has one of the positions", "arbitration");
    for (uint32_t i = 0; i < n && !r->error; i++)
        for (size_t k = 0; k < r->p->txns.data[i].reads.len; k++) {
            const struct plan_read *x = &r->p->txns.data[i].reads.data[k];
            if (x->source != PLAN_INITIAL &&
                !plan_find_write(&r->p->txns.data[x->source], x->cells.row))
                plan_fail(r, "reads from a transaction that does not write the row",
                          r->p->txns.data[i].name);
        }
}

static void execution_of(struct reader *r, const json_t *execution)
{
    const json_t *txns = plan_list_of(r, execution, "transactions", "the execution");
    size_t i, n = json_array_size(txns);
    json_t *t;
    uint64_t write_id = 1;
    const char *model = plan_optional_text(r, execution, "model");
    r->p->model = model ? model_find(model) : NULL;
    r->p->anomaly = plan_optional_text(r, json_object_get(execution, "anomaly"), "name");
    r->p->ruled_out_by =
        plan_optional_text(r, json_object_get(execution, "anomaly"), "ruled_out_by");
    r->p->scenario = plan_optional_text(r, execution, "scenario");
    inputs_of(r, execution, &r->p->inputs);
    if (n > TXNS_MAX)
        plan_fail(r, "has too many transactions", "the execution");
    if (!r->error)
        collect_all(r, execution, txns);
    if (!r->error)
        initial_of(r, execution);
    json_array_foreach(txns, i, t)
    {
        if (r->error)
            return;
        if (plan_number_of(r, t, "id", "a transaction") != i)
            plan_fail(r, "expected the transactions in order", "the execution");
        txn_of(r, t, n, &write_id);
        if (json_is_false(json_object_get(execution, "session_order"))) /* each on its own */
            vec_last(&r->p->txns).session = (uint32_t)i;
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
        return arena_printf(messages,
                            "%d:%d: expected what `visar verify --json` printed, and this is not "
                            "JSON",
                            where.line, where.column);
    struct reader r = {.p = mem_calloc(1, sizeof *r.p), .messages = messages};
    const char *command = json_string_value(json_object_get(report, "command"));
    const json_t *d = choose(report, model);
    if (!command || strcmp(command, "verify") != 0)
        r.error = "this is not what `visar verify --json` prints";
    else if (!d)
        r.error = model ? "it has no counterexample for that model" : "it has no counterexample";
    if (!r.error) {
        const json_t *property = json_object_get(d, "property");
        r.p->file = plan_text_of(&r, report, "file", "the report");
        r.p->property = plan_text_of(&r, property, "name", "the property");
        r.p->property_kind = plan_text_of(&r, property, "kind", "the property");
        const json_t *place = json_object_get(property, "location");
        r.p->line = (uint32_t)json_integer_value(json_object_get(place, "line"));
        r.p->column = (uint32_t)json_integer_value(json_object_get(place, "column"));
        const char *granularity = json_string_value(json_object_get(report, "granularity"));
        r.p->by_field = granularity && !strcmp(granularity, "field");
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
        vec_free(&p->txns.data[i].inputs);
        vec_free(&p->txns.data[i].returned);
        vec_free(&p->txns.data[i].reads);
        vec_free(&p->txns.data[i].locks);
        vec_free(&p->txns.data[i].writes);
    }
    vec_free(&p->tables);
    vec_free(&p->rows);
    vec_free(&p->initial);
    vec_free(&p->txns);
    vec_free(&p->inputs);
    arena_free(&p->arena);
    mem_free(p);
}

/* ---- questions ------------------------------------------------------------------------------ */

uint32_t plan_sessions(const struct plan *p)
{
    uint32_t sessions = 0;
    for (uint32_t i = 0; i < p->txns.len; i++)
        if (p->txns.data[i].session >= sessions)
            sessions = p->txns.data[i].session + 1;
    return sessions;
}

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
