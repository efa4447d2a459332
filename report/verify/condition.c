/* The condition of a predicate with the values put in:
 *
 *     return account[0].balance + account[1].balance >= 0;      becomes      -40 + -40 >= 0
 *
 * The text is the user's own; every place in it that reads the database is replaced by what was
 * read there.  Which row a place names may depend on constants and on other rows (`a[b.i]`), so a
 * small evaluator computes indices; whatever it does not know (locals, calls) makes the condition
 * one that cannot be shown this way, and the caller lists the values instead. */
#include "report/verify/counterexample.h"

#include <ctype.h>
#include <string.h>

#include "base/vec.h"

struct put {
    uint32_t begin, end; /* bytes of the source */
    const struct ast_type *type;
    term_int value;
};

struct inserter {
    struct cex *c;
    const struct ast_func *f;
    const struct exec_row *rows;
    size_t n_rows;
    VEC(struct put) puts;
    bool failed;
};

static term_int eval(struct inserter *in, const struct ast_expr *e);

/* ---- places --------------------------------------------------------------------------------- */

/* The path below the row, and the row's number; NULL if the place is not of the database. */
static const struct ast_var *walk_place(struct inserter *in, const struct ast_expr *e,
                                        struct strbuf *path, uint64_t *row, uint32_t *depth)
{
    if (e->kind == AST_VAR) {
        *row = 0;
        *depth = 0;
        return e->var->kind == AST_VAR_DATABASE ? e->var : NULL;
    }
    if (e->kind != AST_INDEX && e->kind != AST_FIELD)
        return NULL;
    const struct ast_var *var = walk_place(in, e->a, path, row, depth);
    if (!var)
        return NULL;
    if (e->kind == AST_FIELD) {
        const char *name = e->a->type->fields[e->field].name;
        if (*name)
            sb_printf(path, ".%s", name);
        return var;
    }
    term_int index = eval(in, e->b);
    uint64_t count = e->a->type->count;
    if (count == AST_ANY_ROWS)
        count = in->c->program->options.rows;
    else if (*depth < var->n_dims && in->c->program->options.shown &&
             sx_is_large(in->c->program->ast, count))
        count = in->c->program->options.shown + 1;
    if (index < 0 || index >= (term_int)count)
        return NULL;
    if (*depth < var->n_dims)
        *row = *row * count + (uint64_t)index;
    else
        sb_printf(path, "[%llu]", (unsigned long long)index);
    ++*depth;
    return var;
}

static bool find_value(struct inserter *in, const struct ast_var *var, const char *path,
                       uint64_t row, term_int *value)
{
    const struct sx_program *p = in->c->program;
    for (uint32_t t = 0; t < p->n_tables; t++)
        for (uint32_t f = 0; p->tables[t].var == var && f < p->tables[t].n_fields; f++) {
            if (strcmp(p->tables[t].fields[f].path, path) != 0)
                continue;
            const struct exec_row *r = cex_find_row(in->rows, in->n_rows, t, row);
            if (r && r->known[f]) {
                *value = r->value[f];
                return true;
            }
        }
    return false;
}

static term_int fail(struct inserter *in)
{
    in->failed = true;
    return 0;
}

static term_int load(struct inserter *in, const struct ast_expr *e)
{
    if (e->type->kind != AST_INT)
        return fail(in);
    struct strbuf path = {0};
    uint64_t row = 0;
    uint32_t depth = 0;
    term_int value = 0;
    size_t inner = in->puts.len;
    const struct ast_var *var = walk_place(in, e->a, &path, &row, &depth);
    bool found = var && !in->failed && find_value(in, var, sb_str(&path), row, &value);
    sb_free(&path);
    if (!found)
        return fail(in);
    in->puts.len = inner; /* the index is part of the text that is replaced */
    const struct ast_expr *place = e->a;
    if (place->end <= place->begin)
        return fail(in);
    vec_push(&in->puts, ((struct put){place->begin, place->end, e->type, value}));
    return value;
}

/* A parameter of the predicate has the value that the execution is about. */
static term_int parameter(struct inserter *in, const struct ast_expr *place)
{
    const struct exec_observer *o = in->c->x ? &in->c->x->observer : NULL;
    if (!o || !o->present || o->func != in->f || place->end <= place->begin)
        return fail(in);
    for (uint32_t i = 0; i < in->f->n_params && i < o->n_inputs; i++)
        if (in->f->params[i] == place->var) {
            vec_push(&in->puts, ((struct put){place->begin, place->end, place->var->type,
                                              o->inputs[i].value}));
            return o->inputs[i].value;
        }
    return fail(in);
}

/* ---- expressions ---------------------------------------------------------------------------- */

/* A signed overflow wraps: the value is only needed where it is part of an index. */
static term_int binary(struct inserter *in, const struct ast_expr *e, term_int a, term_int b)
{
    struct c_type t = ast_int_type(e->a->type);
    term_int v;
    switch (c_binary(e->op, t, a, b, &v)) {
    case C_DEFINED:
        return v;
    case C_OVERFLOW:
        return c_wrap(t, v);
    default:
        return fail(in);
    }
}

static term_int unary(const struct ast_expr *e, term_int a)
{
    struct c_type t = ast_int_type(e->type);
    term_int v;
    return c_unary(e->op, t, a, &v) == C_OVERFLOW ? c_wrap(t, v) : v;
}

/* Both sides of && and ||, and all of ?:, so that every place in the text gets its value where the
 * row was looked at.  A side that short circuit leaves out may name rows that nobody read: its
 * places stay as they are written. */
static term_int optional(struct inserter *in, const struct ast_expr *e)
{
    size_t before = in->puts.len;
    bool failed = in->failed;
    term_int v = eval(in, e);
    if (in->failed && !failed) {
        in->failed = false;
        in->puts.len = before;
    }
    return v;
}

static term_int eval(struct inserter *in, const struct ast_expr *e)
{
    term_int a, b;
    if (in->failed)
        return 0;
    switch (e->kind) {
    case AST_CONST:
        return e->value;
    case AST_ANY:
        return in->c->program->options.rows ? (term_int)in->c->program->options.rows : fail(in);
    case AST_LOAD:
        if (e->a->kind == AST_VAR && e->a->var->kind == AST_VAR_CONST && e->a->var->init &&
            e->a->var->init->kind == AST_CONST)
            return e->a->var->init->value;
        if (e->a->kind == AST_VAR && e->a->var->kind == AST_VAR_PARAM)
            return parameter(in, e->a);
        return load(in, e);
    case AST_CAST:
        a = eval(in, e->a);
        return e->type->kind == AST_INT ? ast_int_cast(e->type, a) : fail(in);
    case AST_UNARY:
        return unary(e, eval(in, e->a));
    case AST_BINARY:
        a = eval(in, e->a);
        b = eval(in, e->b);
        return in->failed ? 0 : binary(in, e, a, b);
    case AST_AND:
        a = eval(in, e->a);
        return a ? eval(in, e->b) != 0 : (optional(in, e->b), 0);
    case AST_OR:
        a = eval(in, e->a);
        return a ? (optional(in, e->b), 1) : eval(in, e->b) != 0;
    case AST_COND:
        a = eval(in, e->a);
        b = a ? eval(in, e->b) : (optional(in, e->b), 0);
        return a ? (optional(in, e->c), b) : eval(in, e->c);
    default:
        return fail(in);
    }
}

/* ---- the text ------------------------------------------------------------------------------- */

/* White space and comments become one blank. */
static void put_source(struct strbuf *out, const char *s, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const char *end = NULL;
        if (i + 1 < n && s[i] == '/' && s[i + 1] == '*')
            end = memmem(s + i + 2, n - i - 2, "*/", 2);
        if (end)
            i = (size_t)(end - s) + 1;
        else if (i + 1 < n && s[i] == '/' && s[i + 1] == '/')
            i += strcspn(s + i, "\n");
        else if (!isspace((unsigned char)s[i])) {
            sb_putc(out, s[i]);
            continue;
        }
        if (out->len && out->data[out->len - 1] != ' ')
            sb_putc(out, ' ');
    }
}

static bool put_values(struct inserter *in, const struct ast_expr *e, struct strbuf *out)
{
    const char *text = in->c->ast->texts[e->loc.file];
    uint32_t at = e->begin;
    for (size_t done = 0; done < in->puts.len; done++) {
        const struct put *next = NULL;
        for (size_t i = 0; i < in->puts.len; i++)
            if (in->puts.data[i].begin >= at && (!next || in->puts.data[i].begin < next->begin))
                next = &in->puts.data[i];
        if (!next || next->end > e->end)
            return false;
        put_source(out, text + at, next->begin - at);
        bool minus = next->value < 0 && out->len && out->data[out->len - 1] == '-';
        sb_puts(out, minus ? "(" : "");
        cex_value(next->type, next->value, out);
        sb_puts(out, minus ? ")" : "");
        at = next->end;
    }
    put_source(out, text + at, e->end - at);
    return true;
}

static const struct ast_expr *only_return(const struct ast_func *f)
{
    const struct ast_stmt *s = f->body;
    while (s && s->kind == AST_STMT_BLOCK && s->n_items == 1)
        s = s->items[0];
    return s && s->kind == AST_STMT_RETURN ? s->expr : NULL;
}

bool cex_condition(struct cex *c, const struct ast_func *f, const struct exec_row *rows, size_t n,
                   struct cex_condition *out)
{
    struct inserter in = {.c = c, .f = f, .rows = rows, .n_rows = n};
    const struct ast_expr *e = only_return(f);
    while (e && e->kind == AST_CAST && e->end <= e->begin)
        e = e->a;
    if (!e || e->end <= e->begin || e->loc.file >= c->ast->n_texts || !c->ast->texts[e->loc.file] ||
        e->end > c->ast->text_sizes[e->loc.file])
        return false;
    eval(&in, e);
    struct strbuf b = {0};
    bool shown = !in.failed && in.puts.len > 0 && put_values(&in, e, &b);
    if (shown) {
        out->text = ast_text(c->ast, e);
        out->values = arena_strdup(&c->arena, sb_str(&b));
    }
    sb_free(&b);
    vec_free(&in.puts);
    return shown;
}
