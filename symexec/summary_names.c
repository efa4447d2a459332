/* See summary_names.h. */
#include "symexec/summary_names.h"

struct naming {
    const struct sx_program *p;
    const struct sx_summary *s;
    size_t budget;
};

static void leaf_text(void *arg, uint32_t leaf, struct strbuf *out)
{
    const struct naming *n = arg;
    const struct term_leaf *l = &n->p->store.leaves.data[leaf];
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
