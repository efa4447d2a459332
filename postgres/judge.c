/* The property, evaluated by the interpreter on the rows that PostgreSQL gave back. */
#include <string.h>

#include "base/strbuf.h"
#include "postgres/program.h"
#include "postgres/replay.h"

struct court {
    const struct replay *r;
    const struct plan *p;
    struct strbuf path;
    bool missing; /* a row was asked for that nobody looked at */
};

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

/* With field granularity a row's name is that of its one field. */
static bool is_cell(const struct court *c, const struct plan_row *row, const char *path,
                    const char *name)
{
    size_t n = strlen(row->name);
    bool field = strchr(c->p->tables.data[row->table].name, '.') != NULL;
    return field ? !strcmp(row->name, name)
                 : !strncmp(row->name, name, n) && !strcmp(name + n, path);
}

static const char *find_value(const struct court *c, const char *name)
{
    const struct plan_txn *o = &vec_last(&c->p->txns);
    for (size_t i = 0; i < o->reads.len; i++) {
        const struct plan_cells *cells = &c->r->seen[i];
        const struct plan_row *row = &c->p->rows.data[cells->row];
        const struct plan_table *t = &c->p->tables.data[row->table];
        for (size_t k = 0; k < t->columns.len; k++)
            if (is_cell(c, row, t->columns.data[k].path, name))
                return cells->value[k];
    }
    return NULL;
}

static ast_int read_answer(void *arg, struct interp_row row, uint32_t cell, uint64_t statement,
                           uint64_t read)
{
    struct court *c = arg;
    (void)statement;
    (void)read;
    sb_clear(&c->path);
    program_row_name(row.table, program_row_number(row.table, row.index), &c->path);
    bool found = cell_path(row.table->row, &cell, &c->path);
    const char *value = found ? find_value(c, sb_str(&c->path)) : NULL;
    c->missing |= value == NULL;
    return value ? program_parse(value) : 0;
}

static ast_int no_nondet(void *arg, const struct ast_type *type, uint64_t key, bool uninitialised)
{
    (void)arg;
    (void)type;
    (void)key;
    (void)uninitialised;
    return 0;
}

enum replay_judgement pgreplay_judge(const struct replay *r, const struct plan *p,
                                     struct ast_program *ast)
{
    struct court c = {.r = r, .p = p};
    struct interp_host host = {.arg = &c, .read = read_answer, .nondet = no_nondet};
    struct interp_options options = {.ideal = true};
    struct interp_run run;
    const struct ast_func *f = ast_find_func(ast, p->property);
    if (!f || (f->role != AST_INVARIANT && f->role != AST_FINAL) || !r->seen)
        return REPLAY_NOT_JUDGED;
    interp_run(ast, f, NULL, &options, &host, &run);
    enum replay_judgement j = c.missing || run.end != INTERP_COMMITTED || !run.n_result
                                  ? REPLAY_NOT_JUDGED
                              : run.result[0] ? REPLAY_HOLDS
                                              : REPLAY_FAILS;
    interp_run_free(&run);
    sb_free(&c.path);
    return j;
}
