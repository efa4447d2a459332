/* A visar program as a workload: each transaction is a random TRANSACTION of the program with
 * random arguments, run by the interpreter.  What it reads comes from SELECTs, one for each row and
 * C statement at READ COMMITTED, one for each row at the levels with a snapshot; what it wrote goes
 * out as UPDATEs at its end.  So the database sees what a program would do that holds its rows in
 * structs, and the history shows what the isolation level makes of it.
 *
 * for_update: the row is locked at the end, and must be the version that was read; otherwise the
 * transaction gives up, as one does that finds its row changed. */
#include "database/program.h"

#include <inttypes.h>
#include <string.h>

#include "base/mem.h"
#include "symexec/term.h"

enum { TRIES = 200, STEPS = 1000000 };

/* A row as it was read. */
struct seen_row {
    const struct program_table *t;
    uint64_t row, statement, version;
    const ast_int *cells;
};

struct program_client {
    struct client *c;
    const struct program *p;
    struct arena arena; /* of the attempt */
    VEC(struct seen_row) seen;
    enum db_answer answer; /* the first that was not DB_OK */
    bool asked;            /* the database was asked something */
    bool no_row;           /* a call of fresh found none */
};

/* ---- random values -------------------------------------------------------------------------- */

ast_int program_random(struct client *c, const struct program *p, const struct ast_type *t)
{
    uint64_t kind = client_random(c, 100);
    ast_int v;
    if (kind < 60)
        v = (ast_int)client_random(c, (uint64_t)p->bound);
    else if (kind < 90)
        v = (ast_int)client_random(c, 100);
    else
        v = (ast_int)client_random(c, 2000) - 1000;
    return ast_int_cast(t, v);
}

static void random_scalars(struct client *c, const struct program *p, const struct ast_type *t,
                           ast_int **out)
{
    if (t->kind == AST_INT) {
        *(*out)++ = program_random(c, p, t);
        return;
    }
    uint64_t n = t->kind == AST_ARRAY ? t->count : t->n_fields;
    for (uint64_t i = 0; i < n; i++)
        random_scalars(c, p, t->kind == AST_ARRAY ? t->elem : t->fields[i].type, out);
}

size_t program_scalars(const struct ast_type *t)
{
    size_t n = 0;
    if (t->kind == AST_INT)
        return 1;
    if (t->kind == AST_ARRAY)
        return t->count * program_scalars(t->elem);
    for (uint32_t i = 0; i < t->n_fields; i++)
        n += program_scalars(t->fields[i].type);
    return n;
}

static const ast_int *random_arguments(struct program_client *s, const struct ast_func *f)
{
    size_t n = 0;
    for (uint32_t i = 0; i < f->n_params; i++)
        n += program_scalars(f->params[i]->type);
    ast_int *args = arena_array(&s->arena, ast_int, n + 1), *out = args;
    sb_clear(&s->c->name);
    sb_printf(&s->c->name, "\"%s(", f->name);
    for (uint32_t i = 0; i < f->n_params; i++)
        random_scalars(s->c, s->p, f->params[i]->type, &out);
    for (size_t i = 0; i < n; i++) {
        sb_puts(&s->c->name, i ? ", " : "");
        term_int_print(args[i], &s->c->name);
    }
    sb_puts(&s->c->name, ")\"");
    return args;
}

/* ---- reads ---------------------------------------------------------------------------------- */

static const char *number_text(struct arena *a, ast_int v)
{
    struct strbuf b = {0};
    term_int_print(v, &b);
    const char *text = arena_strdup(a, sb_str(&b));
    sb_free(&b);
    return text;
}

static void index_params(struct arena *a, const struct ast_var *v, const uint64_t *index,
                         const char **params)
{
    for (uint32_t d = 0; d < v->n_dims; d++)
        params[d] = number_text(a, (ast_int)index[d]);
}

static bool fetch(struct program_client *s, const char *sql, int n, const char *const *params,
                  const struct db_shape *shape, struct db_rows *rows)
{
    s->asked = true;
    s->answer = client_query(s->c, sql, n, params, shape, rows);
    return s->answer == DB_OK;
}

static void put_op(struct program_client *s, const char *kind, const struct program_table *t,
                   uint64_t row, const ast_int *cells, uint64_t version)
{
    struct strbuf *b = &s->c->ops;
    client_op(s->c);
    sb_printf(b, "[\"%s\",\"", kind);
    program_row_name(t->var, row, b);
    sb_puts(b, "\",");
    program_value(t, cells, b);
    if (version)
        sb_printf(b, ",{\"id\":%" PRIu64 "}]", version);
    else
        sb_puts(b, ",{\"initial\":true}]");
}

static const struct seen_row *select_row(struct program_client *s, struct interp_row r,
                                         uint64_t statement)
{
    const struct program_table *t = &s->p->tables[r.table->id];
    const char **params = arena_array(&s->arena, const char *, t->var->n_dims + 1);
    ast_int *cells = arena_array(&s->arena, ast_int, t->n_cells + 1);
    struct db_rows rows;
    index_params(&s->arena, t->var, r.index, params);
    if (!fetch(s, t->select, (int)t->var->n_dims, params, &t->shape, &rows))
        return NULL;
    for (uint32_t c = 0; c < t->n_cells; c++)
        cells[c] = db_cell(&rows, 0, c);
    struct seen_row seen = {t, program_row_number(t->var, r.index), statement,
                            (uint64_t)db_cell(&rows, 0, t->n_cells), cells};
    db_rows_free(&rows);
    put_op(s, "r", t, seen.row, cells, seen.version);
    vec_push(&s->seen, seen);
    return &vec_last(&s->seen);
}

/* After a failure the run goes on with zeros, to its end or its limit: nothing of it counts. */
static ast_int host_read(void *arg, struct interp_row r, uint32_t cell, uint64_t statement,
                         uint64_t read)
{
    struct program_client *s = arg;
    bool statements = s->c->r->o->isolation == RECORD_READ_COMMITTED;
    uint64_t row = program_row_number(r.table, r.index);
    (void)read;
    if (s->answer != DB_OK)
        return 0;
    for (size_t i = s->seen.len; i-- > 0;) {
        const struct seen_row *x = &s->seen.data[i];
        if (x->t->var == r.table && x->row == row && (!statements || x->statement == statement))
            return x->cells[cell];
    }
    const struct seen_row *x = select_row(s, r, statement);
    return x ? x->cells[cell] : 0;
}

static ast_int host_nondet(void *arg, const struct ast_type *type, uint64_t key, bool uninitialised)
{
    struct program_client *s = arg;
    (void)key;
    return uninitialised ? 0 : program_random(s->c, s->p, type);
}

static bool is_zero(const struct program_table *t, uint64_t row)
{
    for (uint32_t c = 0; c < t->n_cells; c++)
        if (t->value[row * t->n_cells + c])
            return false;
    return true;
}

/* An index that no other call gets, of a row that was all zeros at the beginning.  If there is
 * none left, the run does not exist. */
static ast_int host_fresh(void *arg, struct interp_row leading, uint64_t key)
{
    struct program_client *s = arg;
    const struct program_table *t = &s->p->tables[leading.table->id];
    uint32_t last = t->var->n_dims - 1;
    uint64_t first = 0, size = t->var->dims[last];
    (void)key;
    for (uint32_t d = 0; d < last; d++)
        first = first * t->var->dims[d] + leading.index[d];
    pthread_mutex_lock(&s->p->fresh->lock);
    uint64_t *next = map_put(&s->p->fresh->next, hash_pair(t->var->id, first), 0, NULL);
    while (*next < size && !is_zero(t, first * size + *next))
        ++*next;
    s->no_row |= *next == size;
    uint64_t index = *next < size ? (*next)++ : 0;
    pthread_mutex_unlock(&s->p->fresh->lock);
    return (ast_int)index;
}

/* ---- writes --------------------------------------------------------------------------------- */

static void write_row(struct program_client *s, const struct interp_write *w)
{
    const struct program_table *t = &s->p->tables[w->row.table->id];
    const char **params = arena_array(&s->arena, const char *, t->n_cells + t->var->n_dims + 2);
    static const struct db_column one = {DB_INTEGER, 1, 1};
    static const struct db_shape one_row = {&one, 1, 1, 1}; /* RETURNING 1 */
    uint64_t tag = client_tag(s->c);
    struct db_rows rows;
    for (uint32_t c = 0; c < t->n_cells; c++)
        params[c] = t->type[c]->is_bool ? w->value[c] ? "true" : "false"
                                        : number_text(&s->arena, w->value[c]);
    params[t->n_cells] = number_text(&s->arena, (ast_int)tag);
    index_params(&s->arena, t->var, w->row.index, params + t->n_cells + 1);
    if (!fetch(s, t->update, (int)(t->n_cells + 1 + t->var->n_dims), params, &one_row, &rows))
        return;
    db_rows_free(&rows);
    put_op(s, "w", t, program_row_number(t->var, w->row.index), w->value, tag);
}

/* Is the row still the version that was read?  True also after an error. */
static bool lock_row(struct program_client *s, const struct interp_lock *l)
{
    const struct program_table *t = &s->p->tables[l->row.table->id];
    const char **params = arena_array(&s->arena, const char *, t->var->n_dims + 1);
    uint64_t row = program_row_number(t->var, l->row.index);
    struct db_rows rows;
    index_params(&s->arena, t->var, l->row.index, params);
    if (!fetch(s, t->lock, (int)t->var->n_dims, params, &t->shape, &rows))
        return true;
    uint64_t version = (uint64_t)db_cell(&rows, 0, t->n_cells);
    db_rows_free(&rows);
    for (size_t i = 0; i < s->seen.len; i++)
        if (s->seen.data[i].t == t && s->seen.data[i].row == row)
            return s->seen.data[i].version == version;
    return true;
}

static bool write_all(struct program_client *s, const struct interp_run *run)
{
    for (size_t i = 0; i < run->locks.len && s->answer == DB_OK; i++)
        if (!lock_row(s, &run->locks.data[i]))
            return false;
    for (size_t i = 0; i < run->writes.len && s->answer == DB_OK; i++)
        write_row(s, &run->writes.data[i]);
    return true;
}

/* ---- transactions --------------------------------------------------------------------------- */

static struct program_client *state_of(struct client *c)
{
    if (!c->state) {
        struct program_client *s = mem_calloc(1, sizeof *s);
        s->c = c;
        s->p = c->r->state;
        c->state = s;
    }
    return c->state;
}

/* A run whose assumptions fail does not exist: forget it. */
static bool start_again(struct program_client *s)
{
    sb_clear(&s->c->ops);
    if (s->asked)
        s->answer = client_begin_again(s->c);
    return s->answer == DB_OK;
}

static enum interp_end attempt(struct program_client *s, bool *rollback)
{
    struct interp_host host = {
        .arg = s, .read = host_read, .nondet = host_nondet, .fresh = host_fresh};
    struct interp_options options = {.max_steps = STEPS};
    struct interp_run run;
    const struct ast_func *f = s->p->txns[client_random(s->c, s->p->n_txns)];
    arena_free(&s->arena);
    vec_clear(&s->seen);
    s->asked = false;
    s->no_row = false;
    s->answer = DB_OK;
    interp_run(s->p->ast, f, random_arguments(s, f), &options, &host, &run);
    enum interp_end end = s->no_row ? INTERP_NOT_ASSUMED : run.end;
    *rollback = end != INTERP_COMMITTED;
    s->c->failed = NULL;
    for (size_t i = 0; i < run.asserts.len && !s->c->failed; i++)
        if (!run.asserts.data[i].holds)
            s->c->failed = run.asserts.data[i].expr;
    if (s->answer == DB_OK && end == INTERP_COMMITTED)
        *rollback = !write_all(s, &run);
    interp_run_free(&run);
    return end;
}

static enum db_answer program_run(struct client *c, bool *rollback)
{
    struct program_client *s = state_of(c);
    enum interp_end end = INTERP_NOT_ASSUMED;
    for (int i = 0; i < TRIES; i++) {
        end = attempt(s, rollback);
        if (s->answer != DB_OK)
            return s->answer;
        if (end != INTERP_NOT_ASSUMED || !start_again(s))
            break;
    }
    if (*rollback && s->answer == DB_OK)
        c->rolled_back++;
    return s->answer;
}

static void program_client_free(struct client *c)
{
    struct program_client *s = c->state;
    if (!s)
        return;
    arena_free(&s->arena);
    vec_free(&s->seen);
    mem_free(s);
}

const struct workload workload_program = {.name = "program",
                                          .header = "",
                                          .setup = program_setup,
                                          .initial = program_initial,
                                          .run = program_run,
                                          .finish = program_finish,
                                          .client_free = program_client_free};
