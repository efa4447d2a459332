/* Whether the parts of an execution agree with each other: who reads from whom, what was there to
 * be read, who sees whom.  If they did not, PostgreSQL would have to answer differently, and the
 * replay would blame the server for a damaged file. */
#include <string.h>

#include "base/mem.h"
#include "database/plan_internal.h"

static const char *const of_initial = "the initial state";

/* ---- numbers of transactions ---------------------------------------------------------------- */

static void check_order(struct reader *r, const json_t *execution, size_t n)
{
    const json_t *ar = json_object_get(execution, "arbitration");
    const json_t *txns = json_object_get(execution, "transactions");
    if (json_array_size(ar) != n)
        plan_fail(r, "\"arbitration\" has %zu transactions, and there are %zu", json_array_size(ar),
                  n);
    for (size_t i = 0; i < n && !r->error; i++) {
        const struct plan_txn *t = &r->p->txns.data[i];
        size_t here = plan_enter(r, ".transactions[%zu]", i);
        if (plan_number_of(json_array_get(txns, i), "id") != i)
            plan_fail(r, "\"id\" is not its place in the list");
        else if (t->position >= n ||
                 json_integer_value(json_array_get(ar, t->position)) != (json_int_t)i)
            plan_fail(r, "\"position\" is not its place in \"arbitration\"");
        else if (r->p->model && t->level != r->p->model)
            plan_fail(r, "\"level\" is %s, but the execution's model is %s", t->level->name,
                      r->p->model->name);
        plan_leave(r, here);
    }
}

/* Visible sets: transactions that exist, come earlier, each once; at the levels of databases the
 * first of the commits. */
static void check_sees(struct reader *r, const json_t *sees, size_t n, uint32_t position,
                       bool prefix)
{
    bool *seen = mem_calloc(n + 1, sizeof *seen);
    size_t i, k;
    json_t *set, *v;
    json_array_foreach(sees, i, set)
    {
        memset(seen, 0, (n + 1) * sizeof *seen);
        json_array_foreach(set, k, v)
        {
            size_t u = (size_t)json_integer_value(v), here = plan_enter(r, ".sees[%zu][%zu]", i, k);
            if (u >= n)
                plan_fail(r, "there is no transaction %zu", u);
            else if (seen[u])
                plan_fail(r, "transaction %zu is there twice", u);
            else if (r->p->txns.data[u].position >= position)
                plan_fail(r, "transaction %zu does not come earlier in \"arbitration\"", u);
            else if (prefix && r->p->txns.data[u].position >= json_array_size(set))
                plan_fail(r, "without a transaction that commits before transaction %zu", u);
            else
                seen[u] = true;
            plan_leave(r, here);
        }
    }
    mem_free(seen);
}

static bool sees(const json_t *sets, uint32_t point, uint32_t u)
{
    const json_t *set = json_array_get(sets, point), *v;
    size_t i;
    json_array_foreach(set, i, v) if (json_integer_value(v) == (json_int_t)u) return true;
    return false;
}

/* ---- values --------------------------------------------------------------------------------- */

/* The first column whose value is not that of the version; NULL if there is none. */
static const char *other_value(const struct plan *p, const struct plan_cells *read,
                               const struct plan_cells *version)
{
    const struct plan_table *t = &p->tables.data[p->rows.data[read->row].table];
    for (size_t c = 0; c < t->columns.len; c++)
        if (read->value[c] && version->value[c] && strcmp(read->value[c], version->value[c]) != 0)
            return version->value[c];
    return NULL;
}

static void check_read(struct reader *r, const struct plan_read *x, const json_t *sets)
{
    const struct plan *p = r->p;
    const struct plan_cells *version = &p->initial.data[x->cells.row];
    const char *by = of_initial, *other;
    if (x->point >= json_array_size(sets)) {
        plan_fail(r, "\"sees\" has no set number %u (\"point\")", x->point);
        return;
    }
    if (x->source != PLAN_INITIAL) {
        if (!sees(sets, x->point, x->source)) {
            plan_fail(r, "reads from transaction %u (\"from\"), which it does not see", x->source);
            return;
        }
        version = plan_find_write(&p->txns.data[x->source], x->cells.row);
        by = "the transaction that it reads from";
    }
    if (!version)
        plan_fail(r, "reads from transaction %u (\"from\"), which does not write this row",
                  x->source);
    else if ((other = other_value(p, &x->cells, version)))
        plan_fail(r, "has another value than %s: %s", by, other);
}

static void check_reader(struct reader *r, const struct plan_txn *t, const json_t *j, size_t n,
                         uint32_t position)
{
    const json_t *sets = json_object_get(j, "sees");
    size_t n_reads = json_array_size(json_object_get(j, "reads"));
    check_sees(r, sets, n, position, model_is_server(t->level));
    if (model_is_server(t->level) && json_array_size(sets) == 0)
        plan_fail(r, "\"sees\" has no sets");
    for (size_t i = 0; i < n_reads && !r->error; i++) {
        size_t here = plan_enter(r, ".reads[%zu]", i);
        check_read(r, &t->reads.data[i], sets);
        plan_leave(r, here);
    }
}

/* The final state is made of the last writes. */
static void check_final(struct reader *r, const json_t *execution)
{
    const json_t *final = json_object_get(execution, "final"), *j;
    size_t i;
    json_array_foreach(final, i, j)
    {
        size_t here = plan_enter(r, ".final[%zu]", i);
        struct plan_cells cells = plan_cells_of(r, j);
        uint32_t writer = r->error ? PLAN_INITIAL : plan_last_writer(r->p, cells.row);
        const char *other =
            r->error ? NULL
                     : other_value(r->p, &cells,
                                   writer == PLAN_INITIAL
                                       ? &r->p->initial.data[cells.row]
                                       : plan_find_write(&r->p->txns.data[writer], cells.row));
        if (other)
            plan_fail(r, "has another value than the last write of the row: %s", other);
        plan_leave(r, here);
    }
}

void plan_check(struct reader *r, const json_t *execution, size_t n_txns)
{
    const json_t *txns = json_object_get(execution, "transactions");
    check_order(r, execution, n_txns);
    for (size_t i = 0; i < n_txns && !r->error; i++) {
        const struct plan_txn *t = &r->p->txns.data[i];
        size_t here = plan_enter(r, ".transactions[%zu]", i);
        check_reader(r, t, json_array_get(txns, i), n_txns, t->position);
        plan_leave(r, here);
    }
    if (!r->error)
        check_final(r, execution);
}

/* After the observer was added to the plan as its last transaction. */
void plan_check_observer(struct reader *r, const json_t *execution, size_t n_txns)
{
    const json_t *j = json_object_get(execution, "observer");
    uint32_t position = plan_number_of(j, "position");
    size_t here = plan_enter(r, ".observer");
    if (position > n_txns)
        plan_fail(r, "\"position\" is %u, and there are %zu transactions", position, n_txns);
    else
        check_reader(r, &vec_last(&r->p->txns), j, n_txns, position);
    plan_leave(r, here);
}
