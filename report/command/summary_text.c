/* Summaries as text: for every function what it reads and writes and under which condition. */
#include <assert.h>
#include <string.h>

#include "report/command/summary_report.h"
#include "symexec/summary_names.h"

/* Longer terms are cut short: nobody reads them. */
#define BUDGET 60
/* Columns that the section's name takes. */
#define SECTION_COLUMNS 13

struct out {
    const struct sx_program *p;
    const struct sx_summary *s;
    const struct diag_list *d;
    const struct page *page;
    struct strbuf line;
    const char *section; /* of the last line */
    unsigned loops;
};

static void put_term(struct out *o, term_id t)
{
    sx_term_text(o->p, o->s, t, BUDGET, &o->line);
}

static void put_value(struct out *o, term_id t, const struct ast_type *type)
{
    sx_value_text(o->p, o->s, t, type, BUDGET, &o->line);
}

static void put_guard(struct out *o, term_id guard)
{
    if (guard == TERM_TRUE)
        return;
    sb_puts(&o->line, "  if ");
    put_term(o, guard);
}

/* What stands for one of its kind for each index of a fold. */
static void put_bounds(struct out *o, const struct sx_bound *bound, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        sb_puts(&o->line, i ? ", " : "  for all ");
        sx_bound_text(o->p, o->s, &bound[i], &o->line);
    }
}

/* A line of a section; the section's name only on its first line. */
static void flush(struct out *o, const char *section, struct src_loc loc)
{
    bool again = o->section && strcmp(o->section, section) == 0;
    if (loc.line)
        sb_printf(&o->line, "  [%u:%u]", loc.line, loc.col);
    fprintf(o->page->out, "  %-10s ", again ? "" : section);
    page_continue(o->page, SECTION_COLUMNS, sb_str(&o->line));
    o->section = section;
    sb_clear(&o->line);
}

/* A line that belongs to no section. */
static void flush_plain(struct out *o)
{
    page_text(o->page, 0, 2, sb_str(&o->line));
    sb_clear(&o->line);
}

static void print_inputs(struct out *o)
{
    for (size_t i = o->s->n_params; i < o->s->n_inputs; i++) {
        const struct sx_input *in = &o->s->inputs[i];
        if (!in->used)
            continue;
        sb_printf(&o->line, "%s %s", in->type->name, in->name);
        flush(o, "inputs", SRC_LOC_NONE);
    }
}

static void print_reads(struct out *o)
{
    for (size_t i = 0; i < o->s->n_reads; i++) {
        const struct sx_read *r = &o->s->reads[i];
        const struct sx_table *t = &o->p->tables[r->row.table];
        const char *separator = "";
        for (uint32_t f = 0; f < t->n_fields; f++) {
            if (r->field[f] == TERM_NONE)
                continue;
            sb_puts(&o->line, separator);
            sx_row_text(o->p, o->s, r->row, f, BUDGET, &o->line);
            separator = ", ";
        }
        if (!*separator)
            sx_row_text(o->p, o->s, r->row, UINT32_MAX, BUDGET, &o->line);
        if (o->p->options.reads != SX_READS_SNAPSHOT)
            sb_printf(&o->line, " @%zu in statement %u", i + 1, r->statement);
        if (r->carry)
            sb_puts(&o->line, " (carried over)");
        put_bounds(o, r->bound, r->n_bound);
        put_guard(o, r->guard);
        flush(o, "reads", r->loc);
    }
}

static void print_write(struct out *o, const struct sx_write *w)
{
    const struct sx_table *t = &o->p->tables[w->row.table];
    for (uint32_t f = 0; f < t->n_fields; f++) {
        if (!w->touched[f])
            continue;
        sx_row_text(o->p, o->s, w->row, f, BUDGET, &o->line);
        sb_puts(&o->line, " = ");
        put_value(o, w->value[f], t->fields[f].type);
        put_bounds(o, w->bound, w->n_bound);
        put_guard(o, w->guard);
        flush(o, o->s->func && o->s->func->role != AST_INITIAL ? "writes" : "sets", w->loc);
    }
}

static void print_locks(struct out *o)
{
    for (size_t i = 0; i < o->s->n_locks; i++) {
        sx_row_text(o->p, o->s, o->s->locks[i].row, UINT32_MAX, BUDGET, &o->line);
        put_bounds(o, o->s->locks[i].bound, o->s->locks[i].n_bound);
        put_guard(o, o->s->locks[i].guard);
        flush(o, "locks", o->s->locks[i].loc);
    }
}

static const char *point_section(const struct sx_point *q)
{
    switch (q->kind) {
    case SX_ASSUME:
        return "assumes";
    case SX_ASSERT:
        return "asserts";
    default:
        return q->rolls_back ? "rolls back" : q->exact ? "exact" : "checks";
    }
}

/* Points of one place in the program (a loop's iterations) share a line. */
static bool seen_before(const struct sx_summary *s, size_t i)
{
    for (size_t k = i; k-- > 0 && i - k < 1000;)
        if (s->points[k].kind == s->points[i].kind &&
            memcmp(&s->points[k].loc, &s->points[i].loc, sizeof s->points[i].loc) == 0)
            return true;
    return false;
}

static size_t count_alike(const struct sx_summary *s, size_t i)
{
    size_t n = 0;
    for (size_t k = i + 1; k < s->n_points; k++)
        n += s->points[k].kind == s->points[i].kind &&
             memcmp(&s->points[k].loc, &s->points[i].loc, sizeof s->points[i].loc) == 0;
    return n;
}

static void print_point(struct out *o, size_t i)
{
    const struct sx_point *q = &o->s->points[i];
    bool named = q->kind == SX_ASSUME || q->kind == SX_ASSERT;
    size_t more = count_alike(o->s, i);
    if (named)
        put_term(o, q->cond);
    else if (q->kind == SX_ROLLBACK || q->kind == SX_UNWIND)
        sb_puts(&o->line, q->text);
    else if (q->exact)
        sb_printf(&o->line, "%s, even where it overflows", q->text);
    else
        sb_printf(&o->line, "%s: %s", sx_point_name(q->kind), q->text);
    if (!named && q->kind != SX_OVERFLOW && q->cond != TERM_FALSE) { /* overflow: it is plain */
        sb_puts(&o->line, " unless ");
        put_term(o, q->cond);
    }
    put_guard(o, q->guard);
    if (more)
        sb_printf(&o->line, " (and %zu more)", more);
    flush(o, point_section(q), q->loc);
}

static void print_calls(struct out *o)
{
    for (size_t i = 0; i < o->s->n_calls; i++) {
        const struct sx_call *c = &o->s->calls[i];
        sb_printf(&o->line, "%s(", c->func->name);
        for (uint32_t k = 0; k < c->n_args; k++) {
            sb_puts(&o->line, k ? ", " : "");
            put_value(o, c->args[k], sx_argument_type(c, k));
        }
        sb_printf(&o->line, ") in session %u", c->session + 1);
        put_guard(o, c->guard);
        flush(o, "calls", c->loc);
    }
}

static void print_result(struct out *o)
{
    if (o->s->n_returned == 0)
        return;
    if (o->s->n_returned > 1)
        sb_puts(&o->line, "{ ");
    for (uint32_t i = 0; i < o->s->n_returned; i++) {
        sb_puts(&o->line, i ? ", " : "");
        put_value(o, o->s->returned[i], sx_returned_type(o->s));
    }
    if (o->s->n_returned > 1)
        sb_puts(&o->line, " }");
    flush(o, "returns", SRC_LOC_NONE);
}

static void print_head(struct out *o, const struct ast_func *f)
{
    sb_printf(&o->line, "%s %s %s(", ast_role_name(f->role), f->result->name, f->name);
    for (uint32_t i = 0; i < f->n_params; i++)
        sb_printf(&o->line, "%s%s %s", i ? ", " : "", f->params[i]->type->name, f->params[i]->name);
    sb_printf(&o->line, ")  [%s:%u]", diag_file_name(o->d, f->loc.file), f->loc.line);
    flush_plain(o);
}

static void print_summary(struct out *o, const struct sx_summary *s)
{
    o->s = s;
    o->section = NULL;
    if (s->func)
        print_head(o, s->func);
    print_inputs(o);
    print_calls(o);
    for (size_t i = 0; i < s->n_points; i++)
        if (!seen_before(s, i))
            print_point(o, i);
    print_reads(o);
    for (size_t i = 0; i < s->n_writes; i++)
        print_write(o, &s->writes[i]);
    print_locks(o);
    print_result(o);
    fputc('\n', o->page->out);
}

static void print_tables(struct out *o)
{
    for (uint32_t i = 0; i < o->p->n_tables; i++) {
        const struct sx_table *t = &o->p->tables[i];
        sb_printf(&o->line, "%s %s", t->var->is_ghost ? "GHOST" : "DATABASE", t->name);
        for (uint32_t k = 0; k < t->n_dims; k++)
            if (t->dims[k] == AST_ANY_ROWS)
                sb_puts(&o->line, "[ANY]");
            else
                sb_printf(&o->line, "[%llu]", (unsigned long long)t->dims[k]);
        for (uint32_t f = 0; f < t->n_fields; f++)
            sb_printf(&o->line, "%s%s%s%s", f ? ", " : ": ", t->fields[f].type->name,
                      t->fields[f].path[0] ? " " : "", t->fields[f].path);
        flush_plain(o);
    }
    fputc('\n', o->page->out);
}

/* Loops over a whole dimension: one statement, or the statements of each round. */
static void print_loops(struct out *o, const struct ast_func *f, const struct ast_stmt *s)
{
    if (!s)
        return;
    if (s->fold) {
        sb_printf(&o->line, "%s for all %s in %s  [%s:%u]", s->fold->refuted ? "ROUNDS" : "FOLD",
                  s->fold->index->name, f->name, diag_file_name(o->d, s->loc.file), s->loc.line);
        flush_plain(o);
        o->loops++;
    }
    print_loops(o, f, s->body);
    print_loops(o, f, s->other);
    for (uint32_t i = 0; i < s->n_items; i++)
        print_loops(o, f, s->items[i]);
}

static void print_list(struct out *o, struct sx_summary *const *list, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        print_summary(o, list[i]);
}

void report_summary_text(const struct sx_program *p, const struct diag_list *d,
                         const struct page *page)
{
    struct out o = {.p = p, .d = d, .page = page};
    print_tables(&o);
    for (uint32_t i = 0; i < p->ast->n_funcs; i++)
        print_loops(&o, p->ast->funcs[i], p->ast->funcs[i]->body);
    if (o.loops)
        fputc('\n', page->out);
    if (p->initial->func)
        print_summary(&o, p->initial);
    print_list(&o, p->txns, p->n_txns);
    print_list(&o, p->invariants, p->n_invariants);
    print_list(&o, p->finals, p->n_finals);
    print_list(&o, p->constraints, p->n_constraints);
    print_list(&o, p->scenarios, p->n_scenarios);
    sb_free(&o.line);
}
