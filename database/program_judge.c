/* The invariants of a program on the state that its transactions left in the database.
 *
 * A parameter of an invariant means every value.  One that is an index has that many values.  For
 * any other those are tried that decide comparisons with what the tables have: the values of their
 * cells and the values next to them, and the ends of its type. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "database/program.h"
#include "symexec/term.h"

enum { VALUES_SHOWN = 12, RUNS_MAX = 1000000 };

typedef VEC(ast_int) value_list;

struct judge {
    const struct program *p;
    struct arena *messages;
    uint64_t runs;
    bool too_many;
};

static ast_int read_memory(void *arg, struct interp_row row, uint32_t cell, uint64_t statement,
                           uint64_t read)
{
    const struct program_table *t = &((struct judge *)arg)->p->tables[row.table->id];
    (void)statement, (void)read;
    return t->value[program_row_number(row.table, row.index) * t->n_cells + cell];
}

static ast_int zero(void *arg, const struct ast_type *type, uint64_t key, bool uninitialised)
{
    (void)arg, (void)type, (void)key, (void)uninitialised;
    return 0;
}

/* ---- texts ---------------------------------------------------------------------------------- */

static bool is_repeated(const struct interp_run *run, size_t i)
{
    const struct interp_read *r = &run->reads.data[i];
    const struct ast_var *table = r->row.table;
    for (size_t k = 0; k < i; k++) {
        const struct interp_read *s = &run->reads.data[k];
        if (s->row.table == table && s->cell == r->cell &&
            program_row_number(table, s->row.index) == program_row_number(table, r->row.index))
            return true;
    }
    return false;
}

static const char *keep(struct strbuf *b, struct arena *a)
{
    const char *text = arena_strdup(a, sb_str(b));
    sb_free(b);
    return text;
}

/* "account[0].balance = -40, account[1].balance = -40": what a predicate looked at, each once. */
static const char *values_text(const struct judge *j, const struct interp_run *run)
{
    struct strbuf b = {0};
    size_t shown = 0;
    for (size_t i = 0; i < run->reads.len; i++) {
        const struct interp_read *r = &run->reads.data[i];
        const struct program_table *t = &j->p->tables[r->row.table->id];
        if (is_repeated(run, i))
            continue;
        sb_puts(&b, shown ? ", " : "");
        if (shown++ == VALUES_SHOWN) {
            sb_puts(&b, "…");
            break;
        }
        program_row_name(t->var, program_row_number(t->var, r->row.index), &b);
        sb_printf(&b, "%s = ", t->path[r->cell]);
        program_cell(t->type[r->cell], r->value, &b);
    }
    return keep(&b, j->messages);
}

/* "nobody_owes(2)"; without parameters its name. */
static const char *name_text(const struct judge *j, const struct ast_func *f, const ast_int *args)
{
    struct strbuf b = {0};
    sb_puts(&b, f->name);
    for (uint32_t i = 0; i < f->n_params; i++) {
        sb_puts(&b, i ? ", " : "(");
        program_cell(f->params[i]->type, args[i], &b);
    }
    sb_puts(&b, f->n_params ? ")" : "");
    return keep(&b, j->messages);
}

/* ---- values of parameters ------------------------------------------------------------------- */

static int by_value(const void *a, const void *b)
{
    ast_int x = *(const ast_int *)a, y = *(const ast_int *)b;
    return (x > y) - (x < y);
}

static void add_value(value_list *v, const struct ast_type *type, ast_int value)
{
    if (value >= ast_int_min(type) && value <= ast_int_max(type))
        vec_push(v, value);
}

static void add_cells(const struct program_table *t, const struct ast_type *type, value_list *v)
{
    for (uint64_t i = 0; i < t->n_rows * t->n_cells; i++)
        for (int next = -1; next <= 1; next++)
            add_value(v, type, t->value[i] + next);
}

static void values_of(const struct judge *j, const struct ast_var *param, value_list *v)
{
    size_t kept = 0;
    for (uint64_t i = 0; i < param->ranges; i++)
        vec_push(v, (ast_int)i);
    if (param->ranges)
        return;
    add_value(v, param->type, ast_int_min(param->type));
    add_value(v, param->type, ast_int_max(param->type));
    for (uint32_t i = 0; i < j->p->ast->n_tables; i++)
        add_cells(&j->p->tables[i], param->type, v);
    qsort(v->data, v->len, sizeof *v->data, by_value);
    for (size_t i = 0; i < v->len; i++)
        if (i == 0 || v->data[i] != v->data[kept - 1])
            v->data[kept++] = v->data[i];
    v->len = kept;
}

/* ---- runs ----------------------------------------------------------------------------------- */

static bool is_false(struct judge *j, const struct ast_func *f, const ast_int *args,
                     struct record_broken *broken)
{
    struct interp_host host = {.arg = j, .read = read_memory, .nondet = zero};
    struct interp_options options = {.ideal = true};
    struct interp_run run;
    interp_run(j->p->ast, f, args, &options, &host, &run);
    bool no = run.end == INTERP_COMMITTED && run.n_result && !run.result[0];
    if (no)
        *broken = (struct record_broken){name_text(j, f, args), values_text(j, &run)};
    interp_run_free(&run);
    return no;
}

/* For the values of the first n parameters given, and any of the others. */
static bool is_false_for_some(struct judge *j, const struct ast_func *f, ast_int *args, uint32_t n,
                              struct record_broken *broken)
{
    if (n == f->n_params) {
        j->too_many |= ++j->runs > RUNS_MAX;
        return !j->too_many && is_false(j, f, args, broken);
    }
    value_list values = {0};
    bool found = false;
    values_of(j, f->params[n], &values);
    for (size_t i = 0; i < values.len && !found && !j->too_many; i++) {
        args[n] = values.data[i];
        found = is_false_for_some(j, f, args, n + 1, broken);
    }
    vec_free(&values);
    return found;
}

bool program_judge(const struct program *p, struct arena *messages, struct record_result *out)
{
    struct judge j = {.p = p, .messages = messages};
    struct record_broken *broken = arena_array(messages, struct record_broken, p->ast->n_funcs + 1);
    for (uint32_t i = 0; i < p->ast->n_funcs; i++) {
        const struct ast_func *f = p->ast->funcs[i];
        if (f->role != AST_INVARIANT)
            continue;
        ast_int *args = mem_calloc(f->n_params + 1, sizeof *args);
        j.runs = 0;
        out->n_broken += is_false_for_some(&j, f, args, 0, &broken[out->n_broken]);
        mem_free(args);
    }
    out->broken = broken;
    out->too_many = j.too_many && !out->n_broken;
    return !out->too_many;
}
