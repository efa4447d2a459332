/* Summaries as JSON; docs/json.md describes every field, and a test compares the two.  Conditions
 * and values are C expressions in the user's names. */
#include "report/command/summary_report.h"
#include "report/page/json_text.h"
#include "symexec/summary_names.h"

#define BUDGET 2000 /* nodes per term */

struct json_out {
    const struct sx_program *p;
    const struct sx_summary *s;
    const struct diag_list *d;
};

static void set(json_t *o, const char *key, json_t *value)
{
    json_object_set_new(o, key, value);
}

static json_t *value(const struct json_out *j, term_id t, const struct ast_type *type)
{
    struct strbuf b = {0};
    sx_value_text(j->p, j->s, t, type, BUDGET, &b);
    json_t *v = json_string(sb_str(&b));
    sb_free(&b);
    return v;
}

static json_t *term(const struct json_out *j, term_id t)
{
    return value(j, t, NULL);
}

static json_t *row(const struct json_out *j, struct sx_row r)
{
    struct strbuf b = {0};
    sx_row_text(j->p, j->s, r, UINT32_MAX, BUDGET, &b);
    json_t *v = json_string(sb_str(&b));
    sb_free(&b);
    return v;
}

static json_t *location(const struct json_out *j, struct src_loc loc)
{
    json_t *o = json_object();
    set(o, "file", json_string(diag_file_name(j->d, loc.file)));
    set(o, "line", json_integer(loc.line));
    set(o, "column", json_integer(loc.col));
    return o;
}

static json_t *inputs(const struct json_out *j)
{
    static const char *const kinds[] = {[SX_PARAM] = "parameter",
                                        [SX_NONDET] = "nondet",
                                        [SX_FRESH] = "fresh",
                                        [SX_UNINIT] = "uninitialised"};
    json_t *a = json_array();
    for (size_t i = 0; i < j->s->n_inputs; i++) {
        const struct sx_input *in = &j->s->inputs[i];
        if (in->kind != SX_PARAM && !in->used)
            continue;
        json_t *o = json_object();
        set(o, "kind", json_string(kinds[in->kind]));
        set(o, "name", json_string(in->name));
        set(o, "type", json_string(in->type->name));
        set(o, "location", location(j, in->loc));
        json_array_append_new(a, o);
    }
    return a;
}

static const char *effect(const struct sx_point *q)
{
    if (q->kind == SX_ASSUME)
        return "does not exist";
    if (q->kind == SX_ASSERT)
        return "violated";
    if (q->exact)
        return "none";
    return q->rolls_back ? "rolls back" : "violated, ends";
}

static json_t *points(const struct json_out *j)
{
    json_t *a = json_array();
    for (size_t i = 0; i < j->s->n_points; i++) {
        const struct sx_point *q = &j->s->points[i];
        json_t *o = json_object();
        set(o, "kind", json_string(sx_point_name(q->kind)));
        set(o, "text", json_string(q->text));
        set(o, "condition", term(j, q->cond));
        set(o, "guard", term(j, q->guard));
        set(o, "effect", json_string(effect(q)));
        set(o, "location", location(j, q->loc));
        json_array_append_new(a, o);
    }
    return a;
}

/* The indices of folds for each of which it stands. */
static json_t *bounds(const struct json_out *j, const struct sx_bound *bound, uint32_t n)
{
    json_t *a = json_array();
    for (uint32_t i = 0; i < n; i++) {
        struct strbuf b = {0};
        sx_bound_text(j->p, j->s, &bound[i], &b);
        json_array_append_new(a, json_string(sb_str(&b)));
        sb_free(&b);
    }
    return a;
}

static json_t *reads(const struct json_out *j)
{
    json_t *a = json_array();
    for (size_t i = 0; i < j->s->n_reads; i++) {
        const struct sx_read *r = &j->s->reads[i];
        const struct sx_table *t = &j->p->tables[r->row.table];
        json_t *o = json_object(), *fields = json_array();
        for (uint32_t f = 0; f < t->n_fields; f++)
            if (r->field[f] != TERM_NONE)
                json_array_append_new(fields, json_string(t->fields[f].path));
        set(o, "row", row(j, r->row));
        set(o, "fields", fields);
        set(o, "for_all", bounds(j, r->bound, r->n_bound));
        set(o, "guard", term(j, r->guard));
        set(o, "statement", json_integer(r->statement));
        set(o, "carried", json_boolean(r->carry));
        set(o, "location", location(j, r->loc));
        json_array_append_new(a, o);
    }
    return a;
}

static json_t *writes(const struct json_out *j)
{
    json_t *a = json_array();
    for (size_t i = 0; i < j->s->n_writes; i++) {
        const struct sx_write *w = &j->s->writes[i];
        const struct sx_table *t = &j->p->tables[w->row.table];
        json_t *o = json_object(), *values = json_object(), *carried = json_array();
        for (uint32_t f = 0; f < t->n_fields; f++) {
            set(values, t->fields[f].path, value(j, w->value[f], t->fields[f].type));
            if (!w->touched[f])
                json_array_append_new(carried, json_string(t->fields[f].path));
        }
        set(o, "row", row(j, w->row));
        set(o, "for_all", bounds(j, w->bound, w->n_bound));
        set(o, "guard", term(j, w->guard));
        set(o, "values", values);
        set(o, "carried", carried);
        set(o, "location", location(j, w->loc));
        json_array_append_new(a, o);
    }
    return a;
}

static json_t *locks(const struct json_out *j)
{
    json_t *a = json_array();
    for (size_t i = 0; i < j->s->n_locks; i++) {
        json_t *o = json_object();
        set(o, "row", row(j, j->s->locks[i].row));
        set(o, "for_all", bounds(j, j->s->locks[i].bound, j->s->locks[i].n_bound));
        set(o, "guard", term(j, j->s->locks[i].guard));
        set(o, "location", location(j, j->s->locks[i].loc));
        json_array_append_new(a, o);
    }
    return a;
}

static json_t *arguments(const struct json_out *j, const struct sx_call *c)
{
    json_t *a = json_array();
    for (uint32_t i = 0; i < c->n_args; i++)
        json_array_append_new(a, value(j, c->args[i], sx_argument_type(c, i)));
    return a;
}

static json_t *returns(const struct json_out *j)
{
    json_t *a = json_array();
    for (uint32_t i = 0; i < j->s->n_returned; i++)
        json_array_append_new(a, value(j, j->s->returned[i], sx_returned_type(j->s)));
    return a;
}

static json_t *calls(const struct json_out *j)
{
    json_t *a = json_array();
    for (size_t i = 0; i < j->s->n_calls; i++) {
        const struct sx_call *c = &j->s->calls[i];
        json_t *o = json_object();
        set(o, "transaction", json_string(c->func->name));
        set(o, "arguments", arguments(j, c));
        set(o, "session", json_integer(c->session + 1));
        set(o, "guard", term(j, c->guard));
        set(o, "location", location(j, c->loc));
        json_array_append_new(a, o);
    }
    return a;
}

static json_t *summary(const struct sx_program *p, const struct sx_summary *s,
                       const struct diag_list *d)
{
    struct json_out j = {p, s, d};
    json_t *o = json_object();
    set(o, "name", json_string(s->func->name));
    set(o, "role", json_string(ast_role_name(s->func->role)));
    set(o, "location", location(&j, s->func->loc));
    set(o, "inputs", inputs(&j));
    set(o, "points", points(&j));
    set(o, "reads", reads(&j));
    set(o, "writes", writes(&j));
    set(o, "locks", locks(&j));
    set(o, "calls", calls(&j));
    set(o, "returns", returns(&j));
    return o;
}

static json_t *list(const struct sx_program *p, struct sx_summary *const *summaries, uint32_t n,
                    const struct diag_list *d)
{
    json_t *a = json_array();
    for (uint32_t i = 0; i < n; i++)
        json_array_append_new(a, summary(p, summaries[i], d));
    return a;
}

static json_t *tables(const struct sx_program *p)
{
    json_t *a = json_array();
    for (uint32_t i = 0; i < p->n_tables; i++) {
        const struct sx_table *t = &p->tables[i];
        json_t *o = json_object(), *dims = json_array(), *fields = json_array();
        for (uint32_t k = 0; k < t->n_dims; k++)
            json_array_append_new(dims, t->dims[k] == AST_ANY_ROWS
                                            ? json_null()
                                            : json_integer((json_int_t)t->dims[k]));
        for (uint32_t f = 0; f < t->n_fields; f++) {
            json_t *field = json_object();
            set(field, "path", json_string(t->fields[f].path));
            set(field, "type", json_string(t->fields[f].type->name));
            json_array_append_new(fields, field);
        }
        set(o, "name", json_string(t->name));
        set(o, "dimensions", dims);
        set(o, "fields", fields);
        json_array_append_new(a, o);
    }
    return a;
}

static void add_loops(const struct json_out *j, const struct ast_func *f, const struct ast_stmt *s,
                      json_t *a)
{
    if (!s)
        return;
    if (s->fold) {
        json_t *o = json_object();
        set(o, "function", json_string(f->name));
        set(o, "index", json_string(s->fold->index->name));
        set(o, "fold", json_boolean(!s->fold->refuted));
        set(o, "location", location(j, s->loc));
        json_array_append_new(a, o);
    }
    add_loops(j, f, s->body, a);
    add_loops(j, f, s->other, a);
    for (uint32_t i = 0; i < s->n_items; i++)
        add_loops(j, f, s->items[i], a);
}

static json_t *loops(const struct sx_program *p, const struct diag_list *d)
{
    struct json_out j = {p, NULL, d};
    json_t *a = json_array();
    for (uint32_t i = 0; i < p->ast->n_funcs; i++)
        add_loops(&j, p->ast->funcs[i], p->ast->funcs[i]->body, a);
    return a;
}

void report_summary_json(const struct sx_program *p, const struct diag_list *d, FILE *out)
{
    json_t *o = json_object();
    set(o, "schema", json_string(REPORT_SCHEMA));
    set(o, "command", json_string("summary"));
    set(o, "file", json_string(p->ast->file));
    set(o, "tables", tables(p));
    set(o, "loops", loops(p, d));
    set(o, "initial", p->initial->func ? summary(p, p->initial, d) : json_null());
    set(o, "transactions", list(p, p->txns, p->n_txns, d));
    set(o, "invariants", list(p, p->invariants, p->n_invariants, d));
    set(o, "finals", list(p, p->finals, p->n_finals, d));
    if (p->n_constraints)
        set(o, "constraints", list(p, p->constraints, p->n_constraints, d));
    set(o, "scenarios", list(p, p->scenarios, p->n_scenarios, d));
    report_dump_json(o, out);
}
