/* Reading the JSON report.  The file comes from visar, but nothing here relies on that: the types
 * are checked first (plan_shape.c), then whether the parts agree (plan_check.c); whatever does not
 * fit is an error with the path of the place.  Names go to SQL only through scratch.h and values
 * only as parameters of the types found here. */
#include "database/plan.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "database/plan_internal.h"
#include "database/plan_shape.h"

#define NEWEST UINT32_MAX /* the number of the statement that reads newest versions */

/* ---- transactions --------------------------------------------------------------------------- */

static uint32_t source_of(const json_t *read)
{
    return json_is_null(json_object_get(read, "from")) ? PLAN_INITIAL
                                                       : plan_number_of(read, "from");
}

static uint64_t key_of(const json_t *j, const char *name)
{
    const char *text = json_string_value(json_object_get(j, name));
    return text ? strtoull(text, NULL, 16) : 0;
}

static void inputs_of(struct reader *r, const json_t *j, plan_inputs *out)
{
    size_t i;
    json_t *x;
    json_array_foreach(json_object_get(j, "inputs"), i, x)
    {
        enum plan_type type;
        struct plan_input in = {.value = plan_value_text(r, json_object_get(x, "value"), &type),
                                .parameter = json_is_true(json_object_get(x, "parameter")),
                                .key = key_of(x, "key")};
        size_t here = plan_enter(r, ".inputs[%zu]", i);
        if (!in.parameter && !json_object_get(x, "key"))
            plan_fail(r, "what is no parameter has a \"key\"");
        vec_push(out, in);
        plan_leave(r, here);
    }
}

static void returned_of(struct reader *r, const json_t *j, struct plan_txn *t)
{
    size_t i;
    json_t *x;
    json_array_foreach(json_object_get(j, "returned"), i, x)
    {
        enum plan_type type;
        vec_push(&t->returned, plan_value_text(r, x, &type));
    }
}

static void reads_of(struct reader *r, const json_t *j, struct plan_txn *t)
{
    size_t i;
    json_t *read;
    json_array_foreach(json_object_get(j, "reads"), i, read)
    {
        size_t here = plan_enter(r, ".reads[%zu]", i);
        struct plan_read x = {.cells = plan_cells_of(r, read),
                              .source = source_of(read),
                              .point = plan_number_of(read, "point"),
                              .newest = plan_number_of(read, "statement") == NEWEST,
                              .keyed = json_object_get(read, "key") != NULL,
                              .key = key_of(read, "key"),
                              .statement_key = key_of(read, "statement_key")};
        if (x.keyed != (json_object_get(read, "statement_key") != NULL))
            plan_fail(r, "a read has both \"key\" and \"statement_key\", or neither");
        vec_push(&t->reads, x);
        plan_leave(r, here);
    }
}

/* The first read of a locked row locks it; a row that was not read (before it was written) is
 * locked on its own. */
static void locks_of(struct reader *r, const json_t *j, struct plan_txn *t)
{
    size_t i;
    json_t *lock;
    json_array_foreach(json_object_get(j, "locks"), i, lock)
    {
        size_t here = plan_enter(r, ".locks[%zu]", i);
        struct plan_cells cells = plan_cells_of(r, lock);
        plan_leave(r, here);
        bool found = false;
        for (size_t k = 0; k < t->reads.len && !found; k++)
            if (t->reads.data[k].cells.row == cells.row)
                found = t->reads.data[k].lock = true;
        if (!found)
            vec_push(&t->locks, cells.row);
    }
}

static void writes_of(struct reader *r, const json_t *j, struct plan_txn *t)
{
    size_t i;
    json_t *write;
    json_array_foreach(json_object_get(j, "writes"), i, write)
    {
        size_t here = plan_enter(r, ".writes[%zu]", i);
        struct plan_cells cells = plan_cells_of(r, write);
        if (t->end == PLAN_ROLLS_BACK)
            plan_fail(r, "the transaction did not commit, so it has no writes");
        else if (plan_find_write(t, cells.row))
            plan_fail(r, "the transaction writes this row twice");
        vec_push(&t->writes, cells);
        plan_leave(r, here);
    }
}

static void bases_of(const json_t *j, struct plan_txn *t)
{
    size_t i;
    json_t *set;
    json_array_foreach(json_object_get(j, "sees"), i, set)
    {
        vec_push(&t->bases, (uint32_t)json_array_size(set));
    }
}

static void txn_of(struct reader *r, const json_t *j, uint64_t *write_id)
{
    struct plan_txn *t = vec_add(&r->p->txns);
    t->name = plan_text_of(r, j, "name");
    t->session = plan_number_of(j, "session");
    t->position = plan_number_of(j, "position");
    t->level = model_find_any(plan_text_of(r, j, "level"));
    t->function = plan_text_of(r, j, "function");
    t->end_text = plan_text_of(r, j, "end");
    t->end = strcmp(t->end_text, "committed") ? PLAN_ROLLS_BACK : PLAN_COMMITS;
    inputs_of(r, j, &t->inputs);
    returned_of(r, j, t);
    t->first_write_id = *write_id;
    bases_of(j, t);
    reads_of(r, j, t);
    if (r->error)
        return;
    locks_of(r, j, t);
    writes_of(r, j, t);
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
    o.name = present ? plan_text_of(r, j, "function") : "the final state";
    r->p->has_observer = true;
    r->p->final_observer = true;
    if (present) {
        size_t set_size = json_array_size(json_array_get(json_object_get(j, "sees"), 0));
        size_t here = plan_enter(r, ".observer");
        r->p->final_observer = plan_number_of(j, "position") == n_txns && set_size == n_txns;
        r->p->condition = plan_optional_text(r, j, "values");
        inputs_of(r, j, &o.inputs);
        bases_of(j, &o);
        reads_of(r, j, &o);
        plan_leave(r, here);
    }
    r->p->by_statements = r->p->model ? model_is_server(r->p->model) : n_txns > 0;
    for (size_t i = 0; i < n_txns; i++)
        r->p->by_statements &= model_is_server(r->p->txns.data[i].level);
    if (!o.level)
        o.level = model_get(r->p->by_statements ? MODEL_PG_SER : MODEL_SER);
    if (r->p->final_observer && !r->error)
        add_final_reads(r, &o);
    vec_push(&r->p->txns, o);
}

/* ---- the execution -------------------------------------------------------------------------- */

static void collect(struct reader *r, const json_t *of, const char *key)
{
    size_t i;
    json_t *row;
    json_array_foreach(json_object_get(of, key), i, row)
    {
        size_t here = plan_enter(r, ".%s[%zu]", key, i);
        plan_collect_row(r, row);
        plan_leave(r, here);
    }
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
    json_array_foreach(json_object_get(execution, "initial"), i, j)
    {
        size_t here = plan_enter(r, ".initial[%zu]", i);
        struct plan_cells cells = plan_cells_of(r, j);
        plan_leave(r, here);
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
    collect(r, execution, "initial");
    collect(r, execution, "final");
    json_array_foreach(txns, i, t)
    {
        size_t here = plan_enter(r, ".transactions[%zu]", i);
        collect(r, t, "reads");
        collect(r, t, "writes");
        collect(r, t, "locks");
        plan_leave(r, here);
    }
    size_t here = plan_enter(r, ".observer");
    collect(r, json_object_get(execution, "observer"), "reads");
    plan_leave(r, here);
}

static void execution_of(struct reader *r, const json_t *execution)
{
    const json_t *txns = json_object_get(execution, "transactions");
    size_t i, n = json_array_size(txns);
    json_t *t;
    uint64_t write_id = 1;
    const char *model = plan_optional_text(r, execution, "model");
    r->p->model = model ? model_find_any(model) : NULL;
    r->p->anomaly = plan_optional_text(r, json_object_get(execution, "anomaly"), "name");
    r->p->ruled_out_by =
        plan_optional_text(r, json_object_get(execution, "anomaly"), "ruled_out_by");
    r->p->scenario = plan_optional_text(r, execution, "scenario");
    r->p->any_rows = (uint64_t)json_integer_value(json_object_get(execution, "rows"));
    r->p->shown = (uint64_t)json_integer_value(json_object_get(execution, "shown"));
    inputs_of(r, execution, &r->p->inputs);
    collect_all(r, execution, txns);
    if (!r->error)
        initial_of(r, execution);
    for (i = 0; i < n && !r->error; i++) {
        size_t here = plan_enter(r, ".transactions[%zu]", i);
        t = json_array_get(txns, i);
        txn_of(r, t, &write_id);
        if (json_is_false(json_object_get(execution, "session_order"))) /* each on its own */
            vec_last(&r->p->txns).session = (uint32_t)i;
        plan_leave(r, here);
    }
    if (!r->error)
        plan_check(r, execution, n);
    if (!r->error)
        observer_of(r, execution, n);
    if (!r->error && json_is_object(json_object_get(execution, "observer")))
        plan_check_observer(r, execution, n);
}

/* ---- the report ----------------------------------------------------------------------------- */

/* The first violated verdict of a result that has an execution; its number. */
static size_t violation(const json_t *result)
{
    const json_t *list = json_object_get(result, "verdicts"), *d;
    size_t i;
    json_array_foreach(list, i, d)
    {
        const char *status = json_string_value(json_object_get(d, "status"));
        if (!strcmp(status, "violated") && json_is_object(json_object_get(d, "execution")))
            return i;
    }
    return SIZE_MAX;
}

/* The last of the models' counterexamples (results are weakest first), or that of one model; the
 * reader goes there. */
static const json_t *choose(struct reader *r, const json_t *report, const char *model)
{
    const json_t *chosen = NULL, *results = json_object_get(report, "results"), *result;
    size_t i;
    json_array_foreach(results, i, result)
    {
        const char *name = json_string_value(json_object_get(result, "model"));
        size_t d = violation(result);
        if (d == SIZE_MAX || (model && strcasecmp(name, model) != 0))
            continue;
        chosen = json_array_get(json_object_get(result, "verdicts"), d);
        const char *of =
            json_string_value(json_object_get(json_object_get(chosen, "execution"), "model"));
        sb_clear(&r->path);
        plan_enter(r, "results[%zu].verdicts[%zu].execution", i, d);
        if (of && model_find_any(of) != model_find_any(name))
            plan_fail(r, "its model is %s, but the result is about %s", of, name);
    }
    return chosen;
}

static void property_of(struct reader *r, const json_t *report, const json_t *d)
{
    const json_t *property = json_object_get(d, "property");
    const json_t *place = json_object_get(property, "location");
    r->p->file = plan_text_of(r, report, "file");
    r->p->property = plan_text_of(r, property, "name");
    r->p->property_kind = plan_text_of(r, property, "kind");
    r->p->line = plan_number_of(place, "line");
    r->p->column = plan_number_of(place, "column");
    r->p->by_field = !strcmp(plan_text_of(r, report, "granularity"), "field");
}

static void report_of(struct reader *r, const json_t *report, const char *model)
{
    const char *command = json_string_value(json_object_get(report, "command"));
    if (!command || strcmp(command, "verify") != 0) {
        bool weakest = command && !strcmp(command, "weakest");
        r->error = weakest ? "this is what `visar weakest --json` prints: expected what "
                             "`visar verify --model MODEL --json` prints"
                           : "this is not what `visar verify --json` prints";
        return;
    }
    if ((r->error = plan_check_shape(report, r->messages)))
        return;
    const json_t *d = choose(r, report, model);
    if (!d)
        r->error = model ? "it has no counterexample for that model" : "it has no counterexample";
    if (r->error)
        return;
    property_of(r, report, d);
    execution_of(r, json_object_get(d, "execution"));
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
    report_of(&r, report, model);
    json_decref(report);
    sb_free(&r.path);
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
        vec_free(&p->txns.data[i].bases);
        for (size_t k = 0; k < p->txns.data[i].statements.len; k++) {
            vec_free(&p->txns.data[i].statements.data[k].reads);
            vec_free(&p->txns.data[i].statements.data[k].locks);
        }
        vec_free(&p->txns.data[i].statements);
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
