/* Executions: small questions and a plain printer. */
#include "encode/result/execution.h"

#include <string.h>

#include "base/mem.h"
#include "base/strbuf.h"

void exec_free(struct execution *x)
{
    if (!x)
        return;
    arena_free(&x->arena);
    mem_free(x);
}

uint32_t exec_position(const struct execution *x, uint32_t txn)
{
    uint32_t i = 0;
    while (i < x->n_txns && x->ar[i] != txn)
        i++;
    return i;
}

const char *exec_txn_name(const struct execution *x, uint32_t txn, struct arena *arena)
{
    const char *name = x->txns[txn].name;
    unsigned like = 0, before = 0;
    for (uint32_t i = 0, place = exec_position(x, txn); i < x->n_txns; i++)
        if (!strcmp(x->txns[x->ar[i]].name, name)) {
            like++;
            before += i < place;
        }
    return like > 1 ? arena_printf(arena, "%s [%u]", name, before + 1) : name;
}

bool exec_sees(const struct execution *x, uint32_t t, uint32_t s)
{
    const struct exec_txn *txn = &x->txns[t];
    return txn->n_points && txn->visible[(size_t)(exec_views(txn) - 1) * x->n_txns + s];
}

uint32_t exec_views(const struct exec_txn *t)
{
    return t->n_points - t->newest;
}

void exec_value_text(const struct ast_type *type, term_int v, struct strbuf *out)
{
    const char *name = type && type->kind == AST_INT ? ast_enumerator(type, v) : NULL;
    if (name)
        sb_puts(out, name);
    else if (type && type->kind == AST_INT && type->is_bool)
        sb_puts(out, v ? "true" : "false");
    else
        term_int_print(v, out);
}

/* With field granularity the table is one field of the rows: its path comes after the index. */
const char *exec_row_text(struct arena *a, const struct sx_program *p, uint32_t table, uint64_t row,
                          uint32_t field)
{
    const struct sx_table *t = &p->tables[table];
    struct strbuf b = {0};
    uint64_t rest = sx_table_rows(t);
    sb_puts(&b, t->var->name);
    for (uint32_t d = 0; d < t->n_dims; d++) {
        rest /= t->dims[d];
        sb_printf(&b, "[%llu]", (unsigned long long)(row / rest));
        row %= rest;
    }
    if (field != UINT32_MAX)
        sb_puts(&b, t->fields[field].path);
    else if (p->options.granularity == SX_FIELD)
        sb_puts(&b, t->fields[0].path);
    const char *text = arena_strdup(a, sb_str(&b));
    sb_free(&b);
    return text;
}

/* ---- printing ------------------------------------------------------------------------------ */

static void print_row(const struct execution *x, const struct exec_row *r, FILE *out)
{
    struct arena a = {0};
    struct strbuf b = {0};
    const struct sx_table *t = &x->program->tables[r->table];
    for (uint32_t f = 0; f < t->n_fields; f++) {
        if (!r->known[f])
            continue;
        if (b.len)
            sb_puts(&b, ", ");
        sb_printf(&b, "%s = ", exec_row_text(&a, x->program, r->table, r->row, f));
        exec_value_text(x->program->tables[r->table].fields[f].type, r->value[f], &b);
    }
    fputs(sb_str(&b), out);
    sb_free(&b);
    arena_free(&a);
}

static void print_set(const struct execution *x, const bool *set, FILE *out)
{
    fputs("{", out);
    const char *between = "";
    for (uint32_t j = 0; j < x->n_txns; j++)
        if (set[j]) {
            fprintf(out, "%sT%u", between, j + 1);
            between = ", ";
        }
    fputs("}", out);
}

static void print_reads(const struct execution *x, const struct exec_read *reads, size_t n,
                        FILE *out)
{
    for (size_t i = 0; i < n; i++) {
        fputs("    reads ", out);
        print_row(x, &reads[i].row, out);
        if (reads[i].source == EXEC_INITIAL)
            fputs(" from the initial state", out);
        else
            fprintf(out, " from T%u", reads[i].source + 1);
        fputs(reads[i].carry ? " (carried over)\n" : "\n", out);
    }
}

static void print_txn(const struct execution *x, uint32_t i, FILE *out)
{
    static const char *const ends[] = {"", ", rolled back", ", check failed"};
    const struct exec_txn *t = &x->txns[i];
    fprintf(out, "T%u %s, session %u, %s%s\n", i + 1, t->name, t->session + 1, t->level->name,
            ends[t->end]);
    for (size_t k = 0; k < t->n_inputs; k++)
        if (!t->inputs[k].param && t->inputs[k].used)
            fprintf(out, "    %s = %lld\n", t->inputs[k].name, (long long)t->inputs[k].value);
    for (uint32_t p = 0; p < t->n_points; p++) {
        fputs("    sees ", out);
        print_set(x, t->visible + (size_t)p * x->n_txns, out);
        fputs("\n", out);
    }
    print_reads(x, t->reads, t->n_reads, out);
    for (size_t k = 0; k < t->n_touches; k++) {
        static const char *const modes[] = {"locks for share", "changes", "locks"};
        struct exec_row row = {t->touches[k].table, t->touches[k].row, NULL, NULL};
        fprintf(out, "    %s ", modes[t->touches[k].mode]);
        fputs(exec_row_text(&((struct execution *)x)->arena, x->program, row.table, row.row,
                            UINT32_MAX),
              out);
        fputs("\n", out);
    }
    for (size_t k = 0; k < t->n_writes; k++) {
        fputs("    writes ", out);
        print_row(x, &t->writes[k].row, out);
        fputs("\n", out);
    }
}

void exec_print(const struct execution *x, FILE *out)
{
    fputs("initial state\n", out);
    for (size_t i = 0; i < x->n_initial; i++) {
        fputs("    ", out);
        print_row(x, &x->initial[i], out);
        fputs("\n", out);
    }
    for (uint32_t i = 0; i < x->n_txns; i++)
        print_txn(x, x->ar[i], out);
    fputs("final state\n", out);
    for (size_t i = 0; i < x->n_final; i++) {
        fputs("    ", out);
        print_row(x, &x->final[i], out);
        fputs("\n", out);
    }
    if (x->observer.present) {
        fprintf(out, "%s sees ", x->observer.name);
        print_set(x, x->observer.visible, out);
        fputs("\n", out);
        print_reads(x, x->observer.reads, x->observer.n_reads, out);
    }
}

static uint32_t scalars(const struct ast_type *t)
{
    uint32_t n = 0;
    switch (t->kind) {
    case AST_INT:
        return 1;
    case AST_STRUCT:
        for (uint32_t i = 0; i < t->n_fields; i++)
            n += scalars(t->fields[i].type);
        return n;
    case AST_ARRAY:
        return (uint32_t)t->count * scalars(t->elem);
    default:
        return 0;
    }
}

const char *exec_call_text(struct arena *a, const struct ast_func *f,
                           const struct exec_input *inputs, size_t n)
{
    struct strbuf b = {0};
    size_t at = 0;
    sb_printf(&b, "%s(", f->name);
    for (uint32_t i = 0; i < f->n_params; i++) {
        uint32_t count = scalars(f->params[i]->type);
        sb_puts(&b, i ? ", " : "");
        sb_puts(&b, count == 1 ? "" : "{");
        for (uint32_t k = 0; k < count && at < n; k++, at++) {
            sb_puts(&b, k ? ", " : "");
            exec_value_text(inputs[at].type, inputs[at].value, &b);
        }
        sb_puts(&b, count == 1 ? "" : "}");
    }
    sb_puts(&b, ")");
    const char *text = arena_strdup(a, sb_str(&b));
    sb_free(&b);
    return text;
}
