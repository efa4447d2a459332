/* See summary_names.h. */
#include "symexec/summary_names.h"

struct naming {
    const struct sx_program *p;
    const struct sx_summary *s;
    size_t budget;
};

/* ---- folds ----------------------------------------------------------------------------------- */

static bool is_taken(const struct sx_summary *s, char name)
{
    for (uint32_t i = 0; i < s->n_params; i++)
        if (s->inputs[i].name[0] == name && s->inputs[i].name[1] == '\0')
            return true;
    return false;
}

/* The index of a fold: i, j, … by depth, but not like a parameter. */
static void index_text(const struct sx_summary *s, uint32_t depth, struct strbuf *out)
{
    static const char letters[] = "ijklmnpqrstuvwxyz";
    for (const char *c = letters; *c; c++)
        if (!is_taken(s, *c) && depth-- == 0) {
            sb_putc(out, *c);
            return;
        }
    sb_puts(out, "i'");
}

static void term_text(const struct naming *n, term_id t, struct strbuf *out)
{
    sx_term_text(n->p, n->s, t, n->budget / 2 + 1, out);
}

static bool is_index(const struct naming *n, term_id t)
{
    const struct term *a = term_get(&n->p->store, t);
    return a->op == TERM_OP_LEAF && n->p->store.leaves.data[a->arg[0]].kind == TERM_LEAF_BOUND;
}

/* Which indices: i, or i >= lo; where it ends goes without saying, but for another index. */
void sx_bound_text(const struct sx_program *p, const struct sx_summary *s, const struct sx_bound *b,
                   struct strbuf *out)
{
    struct naming n = {p, s, 20};
    const struct term *lo = term_get(&p->store, b->lo);
    term_text(&n, b->leaf, out);
    if (lo->op != TERM_OP_CONST || lo->lo != 0) {
        sb_puts(out, " >= ");
        term_text(&n, b->lo, out);
    }
    if (is_index(&n, b->hi)) {
        sb_puts(out, " < ");
        term_text(&n, b->hi, out);
    }
}

static void put_with(const struct naming *n, const struct sx_fold *f, struct strbuf *out)
{
    sx_bound_text(n->p, n->s, &f->index, out);
    if (f->cond == TERM_TRUE)
        return;
    sb_puts(out, " with ");
    term_text(n, f->cond, out);
}

static bool all_text(void *arg, uint32_t leaf, bool negated, struct strbuf *out)
{
    const struct naming *n = arg;
    const struct term_leaf *l = &n->p->store.leaves.data[leaf];
    if (l->kind != TERM_LEAF_FOLD || l->owner != n->s->id || n->s->folds[l->a].kind != SX_FOLD_ALL)
        return false;
    const struct sx_fold *f = &n->s->folds[l->a];
    sb_puts(out, negated ? "(not all " : "(all ");
    sx_bound_text(n->p, n->s, &f->index, out);
    sb_puts(out, ": ");
    term_text(n, f->cond, out);
    sb_putc(out, ')');
    return true;
}

static void fold_text(const struct naming *n, const struct sx_fold *f, struct strbuf *out)
{
    const struct term *v = term_get(&n->p->store, f->value);
    bool count = f->kind == SX_FOLD_SUM && v->op == TERM_OP_CONST && v->lo == 1;
    sb_putc(out, '(');
    switch (f->kind) {
    case SX_FOLD_ALL:
        sb_puts(out, "all ");
        sx_bound_text(n->p, n->s, &f->index, out);
        sb_puts(out, ": ");
        term_text(n, f->cond, out);
        break;
    case SX_FOLD_FIRST:
        sb_puts(out, "first ");
        put_with(n, f, out);
        break;
    case SX_FOLD_SUM:
    case SX_FOLD_MIN:
    case SX_FOLD_MAX:
        sb_puts(out, count                    ? "count of "
                     : f->kind == SX_FOLD_SUM ? "sum of "
                     : f->kind == SX_FOLD_MIN ? "least of "
                                              : "greatest of ");
        if (!count) {
            if (f->start) {
                term_text(n, f->start, out);
                sb_puts(out, " and ");
            }
            term_text(n, f->value, out);
            sb_puts(out, " over all ");
        }
        put_with(n, f, out);
    }
    sb_putc(out, ')');
}

/* ---- leaves ---------------------------------------------------------------------------------- */

static void leaf_text(void *arg, uint32_t leaf, struct strbuf *out)
{
    const struct naming *n = arg;
    const struct term_leaf *l = &n->p->store.leaves.data[leaf];
    if (l->kind == TERM_LEAF_BOUND && l->owner == n->s->id) {
        index_text(n->s, l->a, out);
        return;
    }
    if (l->kind == TERM_LEAF_FOLD && l->owner == n->s->id) {
        fold_text(n, &n->s->folds[l->a], out);
        return;
    }
    if (l->kind != TERM_LEAF_EXT || l->owner != n->s->id) {
        sb_puts(out, l->name ? l->name : "?");
        return;
    }
    const struct sx_read *r = &n->s->reads[l->a];
    sx_row_text(n->p, n->s, r->row, l->b, n->budget / 2 + 1, out);
    if (n->p->options.reads != SX_READS_SNAPSHOT) /* which of several reads of the row */
        sb_printf(out, "@%u", l->a + 1);
}

static const struct ast_type *leaf_type(const struct naming *n, const struct term_leaf *l)
{
    const struct sx_summary *s = n->s;
    switch (l->kind) {
    case TERM_LEAF_PARAM:
    case TERM_LEAF_NONDET:
        return s->inputs[l->a].type;
    case TERM_LEAF_EXT:
        return n->p->tables[s->reads[l->a].row.table].fields[l->b].type;
    case TERM_LEAF_RET:
        return s->calls[l->a].func->result;
    default:
        return NULL;
    }
}

static const void *enum_of(void *arg, uint32_t leaf)
{
    const struct naming *n = arg;
    const struct term_leaf *l = &n->p->store.leaves.data[leaf];
    const struct ast_type *t = l->owner == n->s->id ? leaf_type(n, l) : NULL;
    return t && t->is_enum ? t : NULL;
}

static const char *enumerator(void *arg, const void *names, term_int value)
{
    (void)arg;
    return ast_enumerator(names, value);
}

void sx_value_text(const struct sx_program *p, const struct sx_summary *s, term_id t,
                   const struct ast_type *type, size_t budget, struct strbuf *out)
{
    struct naming n = {p, s, budget};
    struct term_printer printer = {.store = &p->store,
                                   .leaf = leaf_text,
                                   .arg = &n,
                                   .budget = budget,
                                   .names_of = enum_of,
                                   .name = enumerator,
                                   .truth = all_text,
                                   .names = type && type->is_enum ? type : NULL};
    term_print(&printer, t, out);
}

void sx_term_text(const struct sx_program *p, const struct sx_summary *s, term_id t, size_t budget,
                  struct strbuf *out)
{
    sx_value_text(p, s, t, NULL, budget, out);
}

const struct ast_type *sx_returned_type(const struct sx_summary *s)
{
    return s->func && s->n_returned == 1 ? s->func->result : NULL;
}

const struct ast_type *sx_argument_type(const struct sx_call *c, uint32_t k)
{
    return c->n_args == c->func->n_params ? c->func->params[k]->type : NULL;
}

void sx_row_text(const struct sx_program *p, const struct sx_summary *s, struct sx_row row,
                 uint32_t field, size_t budget, struct strbuf *out)
{
    const struct sx_table *t = &p->tables[row.table];
    sb_puts(out, t->name);
    for (uint32_t i = 0; i < t->n_dims; i++) {
        sb_putc(out, '[');
        sx_term_text(p, s, row.index[i], budget, out);
        sb_putc(out, ']');
    }
    if (field != UINT32_MAX)
        sb_puts(out, t->fields[field].path);
    else if (p->options.granularity == SX_FIELD)
        sb_puts(out, t->fields[0].path);
}
