#include <inttypes.h>
#include <string.h>

#include "base/limit.h"
#include "base/map.h"
#include "base/mem.h"
#include "database/program.h"
#include "database/row_value.h"
#include "symexec/term.h"

enum { ROWS_MAX = 100000, CELLS_MAX = 1000, INITIAL_TRIES = 1000 };

/* ---- rows and values ------------------------------------------------------------------------ */

uint64_t program_row_number(const struct ast_var *v, const uint64_t *index)
{
    uint64_t row = 0;
    for (uint32_t d = 0; d < v->n_dims; d++)
        row = row * v->dims[d] + index[d];
    return row;
}

static uint64_t index_of(const struct ast_var *v, uint64_t row, uint32_t dim)
{
    for (uint32_t d = v->n_dims - 1; d > dim; d--)
        row /= v->dims[d];
    return row % v->dims[dim];
}

void program_row_name(const struct ast_var *v, uint64_t row, struct strbuf *out)
{
    sb_puts(out, v->name);
    for (uint32_t d = 0; d < v->n_dims; d++)
        sb_printf(out, "[%" PRIu64 "]", index_of(v, row, d));
}

void program_cell(const struct ast_type *t, ast_int v, struct strbuf *out)
{
    if (t->is_bool)
        sb_puts(out, v ? "true" : "false");
    else
        term_int_print(v, out);
}

void program_value(const struct program_table *t, const ast_int *cells, struct strbuf *out)
{
    struct arena scratch = {0};
    struct row_cell *row = arena_array(&scratch, struct row_cell, t->n_cells);
    for (uint32_t c = 0; c < t->n_cells; c++) {
        const char *name = t->n_cells > 1 ? ast_enumerator(t->type[c], cells[c]) : NULL;
        bool large = cells[c] > INT64_MAX;
        struct strbuf b = {0};
        term_int_print(cells[c], &b);
        sb_puts(&b, large ? "u" : "");
        row[c] = (struct row_cell){t->path[c], name ? name : arena_strdup(&scratch, sb_str(&b)),
                                   name || large};
        sb_free(&b);
    }
    row_value(row, t->n_cells, out);
    arena_free(&scratch);
}

/* ---- the shape of a table ------------------------------------------------------------------- */

struct shape {
    struct program_table *t;
    struct arena *a;
};

/* Every scalar of a row, with its path. */
static void add_cells(struct shape *s, const struct ast_type *type, const char *path)
{
    if (s->t->n_cells > CELLS_MAX)
        return;
    if (type->kind == AST_INT) {
        s->t->type[s->t->n_cells] = type;
        s->t->path[s->t->n_cells++] = path;
        return;
    }
    uint64_t n = type->kind == AST_ARRAY ? type->count : type->n_fields;
    for (uint64_t i = 0; i < n && s->t->n_cells <= CELLS_MAX; i++) {
        const char *name = type->kind == AST_ARRAY ? NULL : type->fields[i].name;
        const char *sub = !name   ? arena_printf(s->a, "%s[%" PRIu64 "]", path, i)
                          : *name ? arena_printf(s->a, "%s.%s", path, name)
                                  : path;
        add_cells(s, name ? type->fields[i].type : type->elem, sub);
    }
}

static const char *cell_name(const struct program_table *t, uint32_t c, struct arena *a)
{
    const char *path = t->path[c];
    return scratch_name(*path == '.' ? path + 1 : *path ? path : "value", c, a);
}

static const char *sql_type(const struct ast_type *t)
{
    return t->is_bool ? "boolean" : t->width == 64 && !t->is_signed ? "numeric" : "bigint";
}

/* What a cell may be: a value of its C type. */
static struct db_column column_of(const struct ast_type *t)
{
    return t->is_bool ? DB_TRUTH : (struct db_column){DB_INTEGER, ast_int_min(t), ast_int_max(t)};
}

/* " WHERE "#1" = $2 AND …", the parameters from `first` on. */
static void put_where(const struct program_table *t, uint32_t first, struct strbuf *b)
{
    for (uint32_t d = 0; d < t->var->n_dims; d++)
        sb_printf(b, "%s\"#%u\" = $%u", d ? " AND " : " WHERE ", d + 1, first + d);
}

static const char *keep(struct strbuf *b, struct arena *a)
{
    const char *text = arena_strdup(a, sb_str(b));
    sb_free(b);
    return text;
}

static const char *select_text(const struct program_table *t, const char *tail, struct arena *a)
{
    struct strbuf b = {0};
    sb_puts(&b, "SELECT ");
    for (uint32_t c = 0; c < t->n_cells; c++)
        sb_printf(&b, "%s, ", cell_name(t, c, a));
    sb_printf(&b, "\"#version\" FROM %s", t->name);
    put_where(t, 1, &b);
    sb_puts(&b, tail);
    return keep(&b, a);
}

static const char *update_text(const struct program_table *t, struct arena *a)
{
    struct strbuf b = {0};
    sb_printf(&b, "UPDATE %s SET ", t->name);
    for (uint32_t c = 0; c < t->n_cells; c++)
        sb_printf(&b, "%s = $%u, ", cell_name(t, c, a), c + 1);
    sb_printf(&b, "\"#version\" = $%u", t->n_cells + 1);
    put_where(t, t->n_cells + 2, &b);
    sb_puts(&b, " RETURNING 1");
    return keep(&b, a);
}

static const char *shape_table(struct recorder *r, struct program *p, uint32_t id, struct arena *a)
{
    struct program_table *t = &p->tables[id];
    struct shape s = {t, a};
    t->var = p->ast->tables[id];
    t->type = arena_array(a, const struct ast_type *, CELLS_MAX + 2);
    t->path = arena_array(a, const char *, CELLS_MAX + 2);
    add_cells(&s, t->var->row, "");
    t->n_rows = 1;
    for (uint32_t d = 0; d < t->var->n_dims; d++) {
        if (t->var->dims[d] == AST_ANY_ROWS)
            return arena_printf(a,
                                "table %s has any number of rows: say how many, with -- -DANY=100",
                                t->var->name);
        t->n_rows *= t->var->dims[d];
        if (t->var->dims[d] > ROWS_MAX || t->n_rows > ROWS_MAX)
            return arena_printf(a, "table %s has more than %d rows", t->var->name, ROWS_MAX);
        if ((int64_t)t->var->dims[d] > p->bound)
            p->bound = (int64_t)t->var->dims[d];
    }
    if (t->n_cells > CELLS_MAX)
        return arena_printf(a, "table %s has more than %d fields", t->var->name, CELLS_MAX);
    t->name = scratch_table(&r->scratch, t->var->name, id, a);
    t->select = select_text(t, "", a);
    t->lock = select_text(t, " FOR UPDATE", a);
    t->update = update_text(t, a);
    t->value = arena_array(a, ast_int, mem_mul(t->n_rows, t->n_cells));
    struct db_column *columns = arena_array(a, struct db_column, t->n_cells + 1);
    for (uint32_t c = 0; c < t->n_cells; c++)
        columns[c] = column_of(t->type[c]);
    columns[t->n_cells] = DB_NATURAL;
    t->shape = (struct db_shape){columns, t->n_cells + 1, 1, 1};
    return NULL;
}

/* ---- the initial state ---------------------------------------------------------------------- */

struct opening {
    const struct program *p;
    struct client *c; /* for its random numbers */
};

static ast_int read_memory(void *arg, struct interp_row row, uint32_t cell, uint64_t statement,
                           uint64_t read)
{
    const struct program *p = ((struct opening *)arg)->p;
    const struct program_table *t = &p->tables[row.table->id];
    (void)statement;
    (void)read;
    return t->value[program_row_number(row.table, row.index) * t->n_cells + cell];
}

static ast_int any_value(void *arg, const struct ast_type *type, uint64_t key, bool uninitialised)
{
    struct opening *o = arg;
    (void)key;
    return uninitialised ? 0 : program_random(o->c, o->p, type);
}

static void c_initialiser(const struct ast_expr *e, ast_int **out)
{
    if (e->kind == AST_CONST) {
        *(*out)++ = e->value;
    } else if (e->kind == AST_CAST) {
        ast_int *at = *out;
        c_initialiser(e->a, out);
        *at = ast_int_cast(e->type, *at);
    } else {
        for (uint64_t i = 0; i < e->n_args; i++)
            c_initialiser(e->args[i], out);
    }
}

static enum interp_end run_initial(struct opening *o, const struct ast_func *f)
{
    struct interp_host host = {.arg = o, .read = read_memory, .nondet = any_value};
    struct interp_options options = {0};
    struct interp_run run;
    interp_run(o->p->ast, f, NULL, &options, &host, &run);
    for (size_t i = 0; i < run.writes.len && run.end == INTERP_COMMITTED; i++) {
        const struct interp_write *w = &run.writes.data[i];
        const struct program_table *t = &o->p->tables[w->row.table->id];
        memcpy(t->value + program_row_number(t->var, w->row.index) * t->n_cells, w->value,
               t->n_cells * sizeof *w->value);
    }
    enum interp_end end = run.end;
    interp_run_free(&run);
    return end;
}

/* INITIAL may ask for any values and assume something of them: try until they fit. */
static const char *initial_state(struct recorder *r, struct program *p, struct arena *messages)
{
    struct client dice = {.r = r, .rng = hash_pair(r->o->seed, UINT64_MAX)};
    struct opening o = {p, &dice};
    for (uint32_t i = 0; i < p->ast->n_tables; i++) {
        ast_int *out = p->tables[i].value;
        if (p->tables[i].var->init)
            c_initialiser(p->tables[i].var->init, &out);
    }
    for (uint32_t i = 0; i < p->ast->n_funcs; i++) {
        const struct ast_func *f = p->ast->funcs[i];
        enum interp_end end = INTERP_NOT_ASSUMED;
        if (f->role != AST_INITIAL)
            continue;
        for (int k = 0; k < INITIAL_TRIES && end == INTERP_NOT_ASSUMED && !limit_reached(); k++)
            end = run_initial(&o, f);
        if (end != INTERP_COMMITTED)
            return arena_printf(messages,
                                "%s gives no initial state (its assumptions fail for random "
                                "values, or it stops)",
                                f->name);
    }
    return NULL;
}

/* ---- SQL ------------------------------------------------------------------------------------ */

/* A column of all rows as the text of an array. */
static const char *array_text(const struct program_table *t, uint32_t column, struct arena *a)
{
    struct strbuf b = {0};
    sb_putc(&b, '{');
    for (uint64_t row = 0; row < t->n_rows; row++) {
        sb_puts(&b, row ? "," : "");
        if (column < t->var->n_dims)
            sb_printf(&b, "%" PRIu64, index_of(t->var, row, column));
        else
            program_cell(t->type[column - t->var->n_dims],
                         t->value[row * t->n_cells + column - t->var->n_dims], &b);
    }
    sb_putc(&b, '}');
    return keep(&b, a);
}

static const char *create_table(struct recorder *r, const struct program_table *t, struct arena *a)
{
    uint32_t n_dims = t->var->n_dims, n = n_dims + t->n_cells;
    struct strbuf create = {0}, insert = {0};
    const char **params = arena_array(a, const char *, n + 1);
    sb_printf(&create, "CREATE TABLE %s (", t->name);
    sb_printf(&insert, "INSERT INTO %s SELECT *, 0 FROM unnest(", t->name);
    for (uint32_t i = 0; i < n; i++) {
        const char *type = i < n_dims ? "bigint" : sql_type(t->type[i - n_dims]);
        if (i < n_dims)
            sb_printf(&create, "\"#%u\" bigint NOT NULL, ", i + 1);
        else
            sb_printf(&create, "%s %s NOT NULL, ", cell_name(t, i - n_dims, a), type);
        sb_printf(&insert, "%s$%u::%s[]", i ? ", " : "", i + 1, type);
        params[i] = array_text(t, i, a);
    }
    sb_puts(&create, "\"#version\" bigint NOT NULL");
    for (uint32_t d = 0; d < n_dims; d++)
        sb_printf(&create, "%s\"#%u\"", d ? ", " : ", PRIMARY KEY (", d + 1);
    sb_puts(&create, n_dims ? "))" : ")");
    sb_putc(&insert, ')');
    bool ok = db_run(&r->db, sb_str(&create)) == DB_OK &&
              db_query(&r->db, sb_str(&insert), (int)n, params, NULL, NULL) == DB_OK;
    sb_free(&create);
    sb_free(&insert);
    return ok ? NULL
              : arena_printf(a, "cannot create a table for %s: %s", t->var->name, r->db.message);
}

void program_initial(struct recorder *r)
{
    const struct program *p = r->state;
    struct strbuf b = {0};
    for (uint32_t i = 0; i < p->ast->n_tables; i++)
        for (uint64_t row = 0; row < p->tables[i].n_rows; row++) {
            sb_clear(&b);
            sb_puts(&b, "{\"initial\":[[\"");
            program_row_name(p->tables[i].var, row, &b);
            sb_puts(&b, "\",");
            program_value(&p->tables[i], p->tables[i].value + row * p->tables[i].n_cells, &b);
            sb_puts(&b, "]]}");
            journal_line(&r->journal, b.data, b.len);
        }
    sb_free(&b);
}

const char *program_setup(struct recorder *r, struct arena *messages)
{
    struct program *p = arena_new(messages, struct program);
    const char *error = NULL;
    p->ast = r->o->program;
    p->tables = arena_array(messages, struct program_table, p->ast->n_tables + 1);
    p->txns = arena_array(messages, const struct ast_func *, p->ast->n_funcs + 1);
    p->bound = 2;
    p->fresh = arena_new(messages, struct program_fresh);
    pthread_mutex_init(&p->fresh->lock, NULL);
    r->state = p;
    for (uint32_t i = 0; i < p->ast->n_funcs; i++)
        if (p->ast->funcs[i]->role == AST_TRANSACTION)
            p->txns[p->n_txns++] = p->ast->funcs[i];
    if (!p->n_txns)
        return "the program has no transaction";
    for (uint32_t i = 0; i < p->ast->n_tables && !error; i++)
        error = shape_table(r, p, i, messages);
    if (!error)
        error = initial_state(r, p, messages);
    for (uint32_t i = 0; i < p->ast->n_tables && !error; i++)
        error = create_table(r, &p->tables[i], messages);
    return error;
}

/* ---- in the end ----------------------------------------------------------------------------- */

ast_int program_parse(const char *s)
{
    bool minus = *s == '-';
    ast_int v = 0;
    if (*s == 't' || *s == 'f')
        return *s == 't';
    for (s += minus; *s >= '0' && *s <= '9'; s++)
        v = v * 10 + (*s - '0');
    return minus ? -v : v;
}

/* Every row of the table, each once: the indices, the cells, the version. */
static bool load_table(struct recorder *r, const struct program_table *t, struct arena *a)
{
    struct strbuf b = {0};
    struct db_rows rows;
    uint32_t n_dims = t->var->n_dims;
    struct db_column *columns = arena_array(a, struct db_column, n_dims + t->shape.n);
    struct db_shape all = {columns, n_dims + t->shape.n, t->n_rows, t->n_rows};
    for (uint32_t d = 0; d < n_dims; d++)
        columns[d] = (struct db_column){DB_INTEGER, 0, (db_int)t->var->dims[d] - 1};
    memcpy(columns + n_dims, t->shape.columns, t->shape.n * sizeof *columns);
    sb_printf(&b, "SELECT * FROM %s", t->name);
    for (uint32_t d = 0; d < n_dims; d++)
        sb_printf(&b, "%s\"#%u\"", d ? ", " : " ORDER BY ", d + 1);
    bool ok = db_finish_query(&r->db, sb_str(&b), &all, &rows) == DB_OK;
    for (uint64_t i = 0; ok && i < rows.count; i++) {
        uint64_t row = 0;
        for (uint32_t d = 0; d < n_dims; d++)
            row = row * t->var->dims[d] + (uint64_t)db_cell(&rows, i, d);
        if (row != i)
            ok = db_strange(&r->db, sb_str(&b), "a row twice, or in another order") == DB_OK;
        for (uint32_t c = 0; c < t->n_cells && ok; c++)
            t->value[row * t->n_cells + c] = db_cell(&rows, i, n_dims + c);
    }
    db_rows_free(&rows);
    sb_free(&b);
    return ok;
}

/* All tables as of one moment: a COMMIT whose answer was lost may still be under way. */
static bool load_tables(struct recorder *r, const struct program *p, struct arena *a)
{
    bool ok = db_finish(&r->db, "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY") == DB_OK;
    for (uint32_t i = 0; i < p->ast->n_tables && ok; i++)
        ok = load_table(r, &p->tables[i], a);
    db_finish(&r->db, "ROLLBACK");
    return ok;
}

void program_finish(struct recorder *r, struct arena *messages, struct record_result *out)
{
    struct program *p = r->state;
    map_free(&p->fresh->next);
    pthread_mutex_destroy(&p->fresh->lock);
    if (r->failed)
        out->failed_assertion =
            arena_printf(messages, "%s (line %" PRIu32 ")", ast_text(p->ast, r->failed->args[0]),
                         r->failed->loc.line);
    out->judged = load_tables(r, p, messages);
    if (!out->judged) { /* the server may have been away for a while */
        db_close(&r->db);
        out->judged =
            !scratch_open(&r->db, r->o->url, true, messages) && load_tables(r, p, messages);
    }
    if (out->judged)
        out->judged = program_judge(p, messages, out);
}
