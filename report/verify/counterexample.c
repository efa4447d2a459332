/* Names, places, values and missed writes of a counterexample. */
#include "report/verify/counterexample.h"

#include <string.h>

#include "base/mem.h"
#include "base/vec.h"

static void name_transactions(struct cex *c)
{
    c->names = arena_array(&c->arena, const char *, c->x->n_txns + 1);
    for (uint32_t i = 0; i < c->x->n_txns; i++)
        c->names[i] = exec_txn_name(c->x, i, &c->arena);
}

void cex_init(struct cex *c, struct ast_program *ast, const struct diag_list *files,
              const struct sx_program *program, const struct execution *x)
{
    memset(c, 0, sizeof *c);
    c->ast = ast;
    c->files = files;
    c->program = x ? x->program : program;
    c->x = x;
    if (x)
        name_transactions(c);
}

void cex_free(struct cex *c)
{
    arena_free(&c->arena);
}

/* ---- places and values ---------------------------------------------------------------------- */

const char *cex_full_place(struct cex *c, struct src_loc loc)
{
    if (loc.file == DIAG_NO_FILE || loc.line == 0)
        return "";
    return arena_printf(&c->arena, "%s:%u", diag_file_name(c->files, loc.file), loc.line);
}

const char *cex_place(struct cex *c, struct src_loc loc)
{
    const char *full = cex_full_place(c, loc), *slash = strrchr(full, '/');
    return slash ? slash + 1 : full;
}

void cex_value(const struct ast_type *type, term_int v, struct strbuf *out)
{
    exec_value_text(type, v, out);
}

void cex_row(struct cex *c, const struct exec_row *row, const bool *mask, struct strbuf *out)
{
    const struct sx_table *t = &c->program->tables[row->table];
    bool first = true;
    for (uint32_t f = 0; f < t->n_fields; f++) {
        if (!row->known[f] || (mask && !mask[f]))
            continue;
        sb_puts(out, first ? "" : ", ");
        sb_puts(out, exec_row_text(&c->arena, c->program, row->table, row->row, f));
        sb_puts(out, "\u00a0=\u00a0");
        cex_value(t->fields[f].type, row->value[f], out);
        first = false;
    }
}

const char *cex_unbroken(struct cex *c, const char *text)
{
    struct strbuf b = {0};
    for (; *text; text++)
        if (*text == ' ')
            sb_puts(&b, "\u00a0");
        else
            sb_putc(&b, *text);
    const char *unbroken = arena_strdup(&c->arena, sb_str(&b));
    sb_free(&b);
    return unbroken;
}

const struct exec_row *cex_find_row(const struct exec_row *rows, size_t n, uint32_t table,
                                    uint64_t row)
{
    for (size_t i = 0; i < n; i++)
        if (rows[i].table == table && rows[i].row == row)
            return &rows[i];
    return NULL;
}

struct exec_row *cex_observed(struct cex *c, size_t *n)
{
    const struct exec_observer *o = &c->x->observer;
    struct exec_row *rows = arena_array(&c->arena, struct exec_row, o->n_reads + 1);
    *n = 0;
    for (size_t i = 0; i < o->n_reads; i++)
        rows[(*n)++] = o->reads[i].row;
    return rows;
}

const char *cex_property(struct cex *c, const struct verify_property *p)
{
    const struct exec_observer *o = c->x ? &c->x->observer : NULL;
    if (!o || !o->present || !o->n_inputs || p->func != o->func || p->kind > VERIFY_FINAL)
        return p->name;
    struct strbuf b = {0};
    sb_printf(&b, "%s(", p->name);
    for (size_t i = 0; i < o->n_inputs; i++) {
        sb_printf(&b, "%s%s\u00a0=\u00a0", i ? ", " : "", o->inputs[i].name);
        cex_value(o->inputs[i].type, o->inputs[i].value, &b);
    }
    sb_putc(&b, ')');
    const char *text = arena_strdup(&c->arena, sb_str(&b));
    sb_free(&b);
    return text;
}

/* ---- what reads missed ---------------------------------------------------------------------- */

static const struct exec_write *write_of(const struct exec_txn *t, const struct exec_row *row)
{
    for (size_t i = 0; i < t->n_writes; i++)
        if (t->writes[i].row.table == row->table && t->writes[i].row.row == row->row)
            return &t->writes[i];
    return NULL;
}

bool cex_changes(const struct exec_write *w, const struct exec_row *seen, uint32_t field)
{
    return seen->known[field] && w->touched[field] && seen->value[field] != w->row.value[field];
}

static bool differs(const struct cex *c, const struct exec_write *w, const struct exec_row *seen)
{
    for (uint32_t f = 0; f < c->program->tables[seen->table].n_fields; f++)
        if (cex_changes(w, seen, f))
            return true;
    return false;
}

uint32_t cex_missed(const struct cex *c, uint32_t t, const struct exec_read *r,
                    const struct exec_write **write)
{
    const struct execution *x = c->x;
    for (uint32_t i = exec_position(x, t); i-- > 0;) {
        uint32_t u = x->ar[i];
        const struct exec_write *w = write_of(&x->txns[u], &r->row);
        if (u == r->source)
            return EXEC_INITIAL; /* older ones were overwritten by what it did see */
        if (!w || x->txns[t].visible[r->point * x->n_txns + u] || !differs(c, w, &r->row))
            continue;
        if (write)
            *write = w;
        return u;
    }
    return EXEC_INITIAL;
}

uint32_t cex_undone(const struct cex *c, uint32_t t, const struct exec_write *w, uint32_t field,
                    const struct exec_write **undone)
{
    const struct execution *x = c->x;
    const struct exec_write *before = NULL; /* the version that w takes the place of */
    if (w->touched[field] || !w->row.known[field])
        return EXEC_INITIAL;
    for (uint32_t i = exec_position(x, t); i-- > 0;) {
        const struct exec_write *other = write_of(&x->txns[x->ar[i]], &w->row);
        if (!other || !other->row.known[field])
            continue;
        before = before ? before : other;
        if (before->row.value[field] == w->row.value[field])
            return EXEC_INITIAL;
        if (other->touched[field] && other->row.value[field] == before->row.value[field]) {
            *undone = other; /* those in between carried it over */
            return x->ar[i];
        }
    }
    return EXEC_INITIAL;
}
