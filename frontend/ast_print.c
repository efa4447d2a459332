/* `--dump ast`: one S-expression per declaration.
 *
 * Places are written as in C (account[who].balance, *p), values in prefix form; a type follows a
 * colon where it is not int; #n is the number of a full expression.  No addresses, ids or file
 * names, so that the text is stable. */
#include <inttypes.h>
#include <string.h>

#include "frontend/ast.h"

static void print_expr(const struct ast_expr *e, FILE *out);

static void print_int(ast_int v, FILE *out)
{
    if (v < 0)
        fprintf(out, "-%" PRIu64, (uint64_t)-v);
    else
        fprintf(out, "%" PRIu64, (uint64_t)v);
}

static void print_type_suffix(const struct ast_type *t, FILE *out)
{
    if (t->kind != AST_VOID && strcmp(t->name, "int") != 0)
        fprintf(out, strchr(t->name, ' ') ? ":\"%s\"" : ":%s", t->name);
}

static void print_place(const struct ast_expr *e, FILE *out)
{
    switch (e->kind) {
    case AST_VAR:
        fputs(e->var->name, out);
        break;
    case AST_INDEX:
        print_place(e->a, out);
        fputc('[', out);
        print_expr(e->b, out);
        fputc(']', out);
        break;
    case AST_FIELD:
        print_place(e->a, out);
        fprintf(out, ".%s", e->a->type->fields[e->field].name);
        break;
    default:
        fputs("(*", out);
        print_expr(e->a, out);
        fputc(')', out);
    }
}

static void print_args(const struct ast_expr *e, FILE *out)
{
    for (uint64_t i = 0; i < e->n_args; i++) {
        uint64_t same = i;
        while (same + 1 < e->n_args && e->args[same + 1] == e->args[i])
            same++;
        fputc(' ', out);
        print_expr(e->args[i], out);
        if (same > i) /* shared zeros */
            fprintf(out, " (x%" PRIu64 ")", same - i + 1);
        i = same;
    }
}

/* (name:type a b c) */
static void print_node(const char *name, const struct ast_expr *e, FILE *out)
{
    fprintf(out, "(%s", name);
    print_type_suffix(e->type, out);
    for (int i = 0; i < 3; i++) {
        const struct ast_expr *kid = i == 0 ? e->a : i == 1 ? e->b : e->c;
        if (kid) {
            fputc(' ', out);
            print_expr(kid, out);
        }
    }
    print_args(e, out);
    fputc(')', out);
}

static void print_compound(const struct ast_expr *e, FILE *out)
{
    if (e->kind == AST_INCDEC)
        fprintf(out, "(%s%s", e->prefix ? "pre" : "post", e->op == C_ADD ? "++" : "--");
    else
        fprintf(out, "(%s=", ast_op_text(e->op));
    print_type_suffix(e->comp, out);
    fputc(' ', out);
    print_place(e->a, out);
    if (e->b) {
        fputc(' ', out);
        print_expr(e->b, out);
    }
    fputc(')', out);
}

static void print_expr(const struct ast_expr *e, FILE *out)
{
    switch (e->kind) {
    case AST_VAR:
    case AST_INDEX:
    case AST_FIELD:
    case AST_DEREF:
        print_place(e, out);
        break;
    case AST_CONST:
        print_int(e->value, out);
        print_type_suffix(e->type, out);
        break;
    case AST_ANY:
        fputs("ANY", out);
        break;
    case AST_LOAD:
        print_node("load", e, out);
        break;
    case AST_ADDR:
        fputs("(& ", out);
        print_place(e->a, out);
        fputc(')', out);
        break;
    case AST_CAST:
        print_node(e->type->kind == AST_VOID ? "discard" : "cast", e, out);
        break;
    case AST_UNARY:
    case AST_BINARY:
        print_node(ast_op_text(e->op), e, out);
        break;
    case AST_AND:
        print_node("&&", e, out);
        break;
    case AST_OR:
        print_node("||", e, out);
        break;
    case AST_COND:
        print_node("?", e, out);
        break;
    case AST_COMMA:
        print_node(",", e, out);
        break;
    case AST_ASSIGN:
        print_node("=", e, out);
        break;
    case AST_COMPOUND:
    case AST_INCDEC:
        print_compound(e, out);
        break;
    case AST_MEMBER:
        fprintf(out, "(member %s ", e->a->type->fields[e->field].name);
        print_expr(e->a, out);
        fputc(')', out);
        break;
    case AST_INIT:
        print_node("init", e, out);
        break;
    case AST_CALL:
        print_node(e->callee->name, e, out);
        break;
    case AST_BUILTIN:
        print_node(ast_builtin_name(e->builtin), e, out);
        break;
    }
}

static void print_full(const struct ast_expr *e, FILE *out)
{
    if (!e)
        return;
    fprintf(out, " #%" PRIu32 " ", e->full);
    print_expr(e, out);
}

/* Statements ---------------------------------------------------------------------------------- */

static void print_stmt(const struct ast_stmt *s, int depth, FILE *out);

static void new_line(int depth, FILE *out)
{
    fprintf(out, "\n%*s", depth * 2, "");
}

static void print_inner(const struct ast_stmt *s, int depth, FILE *out)
{
    if (!s)
        return;
    new_line(depth, out);
    print_stmt(s, depth, out);
}

static void print_rows(uint64_t rows, FILE *out)
{
    if (rows == AST_ANY_ROWS)
        fputs("ANY", out);
    else
        fprintf(out, "%" PRIu64, rows);
}

/* The header of a fold: its index, where it begins, the size of the dimension. */
static void print_fold(const struct ast_fold *f, FILE *out)
{
    fprintf(out, " (over %s ", f->index->name);
    print_expr(f->lo, out);
    fputc(' ', out);
    print_rows(f->size, out);
    fputc(')', out);
}

/* What the UPDATE changes, and whether it has a WHERE. */
static void print_atomic(const struct ast_atomic *a, FILE *out)
{
    fprintf(out, " (update %s%s%s)", a->table ? a->table->name : "*", a->many ? " many" : "",
            a->where ? " where" : "");
}

static const char *const stmt_names[] = {
    [AST_STMT_EXPR] = "do",         [AST_STMT_DECL] = "local",    [AST_STMT_BLOCK] = "block",
    [AST_STMT_IF] = "if",           [AST_STMT_SWITCH] = "switch", [AST_STMT_CASE] = "case",
    [AST_STMT_DEFAULT] = "default", [AST_STMT_WHILE] = "while",   [AST_STMT_DO] = "do-while",
    [AST_STMT_FOR] = "for",         [AST_STMT_BREAK] = "break",   [AST_STMT_CONTINUE] = "continue",
    [AST_STMT_RETURN] = "return",   [AST_STMT_GOTO] = "goto",     [AST_STMT_LABEL] = "label",
    [AST_STMT_SESSION] = "session", [AST_STMT_ATOMIC] = "atomic", [AST_STMT_EMPTY] = "empty",
};

static void print_stmt(const struct ast_stmt *s, int depth, FILE *out)
{
    fprintf(out, "(%s", stmt_names[s->kind]);
    switch (s->kind) {
    case AST_STMT_DECL:
        fprintf(out, " %s", s->var->name);
        print_type_suffix(s->var->type, out);
        break;
    case AST_STMT_CASE:
        fputc(' ', out);
        print_int(s->value, out);
        break;
    case AST_STMT_LABEL:
        fprintf(out, " %s", s->name);
        break;
    case AST_STMT_GOTO:
        fprintf(out, " %s", s->target->name);
        break;
    case AST_STMT_ATOMIC:
        print_atomic(s->atomic, out);
        break;
    case AST_STMT_FOR:
        if (s->fold)
            print_fold(s->fold, out);
        if (s->init)
            print_inner(s->init, depth + 2, out);
        else
            new_line(depth + 2, out), fputs("(empty)", out);
        new_line(depth + 2, out);
        fputs("(test", out);
        print_full(s->expr, out);
        fputc(')', out);
        new_line(depth + 2, out);
        fputs("(step", out);
        print_full(s->step, out);
        fputc(')', out);
        break;
    default:
        break;
    }
    if (s->kind != AST_STMT_FOR)
        print_full(s->expr, out);
    print_inner(s->body, depth + 1, out);
    print_inner(s->other, depth + 1, out);
    for (uint32_t i = 0; i < s->n_items; i++)
        print_inner(s->items[i], depth + 1, out);
    fputc(')', out);
}

/* Declarations -------------------------------------------------------------------------------- */

static void print_struct(const struct ast_type *t, FILE *out)
{
    fprintf(out, "(struct \"%s\"", t->name);
    for (uint32_t i = 0; i < t->n_fields; i++) {
        fprintf(out, "\n  (%s", t->fields[i].name);
        fprintf(out, " \"%s\"%s)", t->fields[i].type->name,
                t->fields[i].presence ? " presence" : "");
    }
    fputs(")\n", out);
}

static void print_var(const char *word, const struct ast_var *v, FILE *out)
{
    fprintf(out, "(%s %s \"%s\"", word, v->name, v->type->name);
    if (v->init) {
        fputc(' ', out);
        print_expr(v->init, out);
    }
    fputs(")\n", out);
}

static void print_func(const struct ast_func *f, FILE *out)
{
    fprintf(out, "(%s %s \"%s\"", ast_role_name(f->role), f->name, f->result->name);
    for (uint32_t i = 0; i < f->n_params; i++) {
        fprintf(out, " (%s \"%s\"", f->params[i]->name, f->params[i]->type->name);
        if (f->params[i]->ranges) {
            fputs(" over ", out);
            print_rows(f->params[i]->ranges, out);
        }
        fputc(')', out);
    }
    fprintf(out, "%s%s%s", f->reads ? " reads" : "", f->writes ? " writes" : "",
            f->recursive ? " recursive" : "");
    print_inner(f->body, 1, out);
    fputs(")\n", out);
}

void ast_print(const struct ast_program *p, FILE *out)
{
    for (uint32_t i = 0; i < p->n_types; i++)
        if (p->types[i]->kind == AST_STRUCT)
            print_struct(p->types[i], out);
    for (uint32_t i = 0; i < p->n_tables; i++)
        print_var(p->tables[i]->is_ghost ? "GHOST" : "DATABASE", p->tables[i], out);
    for (uint32_t i = 0; i < p->n_consts; i++)
        print_var("const", p->consts[i], out);
    for (uint32_t i = 0; i < p->n_funcs; i++)
        print_func(p->funcs[i], out);
}
