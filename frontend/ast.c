/* Small helpers on the tree: names, ranges of integer types, the text of an expression. */
#include <ctype.h>
#include <string.h>

#include "base/strbuf.h"
#include "frontend/ast.h"

bool ast_is_place(const struct ast_expr *e)
{
    return e->kind == AST_VAR || e->kind == AST_INDEX || e->kind == AST_FIELD ||
           e->kind == AST_DEREF;
}

ast_int ast_int_min(const struct ast_type *t)
{
    return t->is_signed ? -((ast_int)1 << (t->width - 1)) : 0;
}

ast_int ast_int_max(const struct ast_type *t)
{
    return ((ast_int)1 << (t->is_signed ? t->width - 1 : t->width)) - 1;
}

ast_int ast_int_cast(const struct ast_type *t, ast_int v)
{
    if (t->is_bool)
        return v != 0;
    unsigned __int128 span = (unsigned __int128)1 << t->width;
    ast_int low = (ast_int)((unsigned __int128)v & (span - 1));
    return low > ast_int_max(t) ? low - (ast_int)span : low;
}

const struct ast_func *ast_find_func(const struct ast_program *p, const char *name)
{
    for (uint32_t i = 0; i < p->n_funcs; i++)
        if (strcmp(p->funcs[i]->name, name) == 0)
            return p->funcs[i];
    return NULL;
}

const char *ast_enumerator(const struct ast_type *t, ast_int value)
{
    for (uint32_t i = 0; i < t->n_enumerators; i++)
        if (t->enumerators[i].value == value)
            return t->enumerators[i].name;
    return NULL;
}

const char *ast_op_text(enum ast_op op)
{
    static const char *const texts[] = {
        [AST_NEG] = "-",    [AST_BITNOT] = "~", [AST_LOGNOT] = "!", [AST_ADD] = "+",
        [AST_SUB] = "-",    [AST_MUL] = "*",    [AST_DIV] = "/",    [AST_REM] = "%",
        [AST_SHL] = "<<",   [AST_SHR] = ">>",   [AST_BITAND] = "&", [AST_BITOR] = "|",
        [AST_BITXOR] = "^", [AST_LT] = "<",     [AST_LE] = "<=",    [AST_GT] = ">",
        [AST_GE] = ">=",    [AST_EQ] = "==",    [AST_NE] = "!=",
    };
    return texts[op];
}

const char *ast_role_name(enum ast_role r)
{
    static const char *const names[] = {
        [AST_HELPER] = "helper",   [AST_TRANSACTION] = "TRANSACTION",
        [AST_INITIAL] = "INITIAL", [AST_INVARIANT] = "INVARIANT",
        [AST_FINAL] = "FINAL",     [AST_SCENARIO] = "SCENARIO",
    };
    return names[r];
}

const char *ast_builtin_name(enum ast_builtin b)
{
    static const char *const names[] = {
        [AST_ASSUME] = "assume", [AST_ASSERT] = "assert",         [AST_ROLLBACK] = "rollback",
        [AST_NONDET] = "nondet", [AST_FOR_UPDATE] = "for_update",
    };
    return names[b];
}

/* The end of a comment that starts at i, or i itself. */
static uint32_t skip_comment(const char *text, uint32_t i, uint32_t end)
{
    if (i + 1 >= end || text[i] != '/')
        return i;
    if (text[i + 1] == '/') {
        while (i < end && text[i] != '\n')
            i++;
    } else if (text[i + 1] == '*') {
        for (i += 2; i + 1 < end && !(text[i] == '*' && text[i + 1] == '/'); i++)
            ;
        i = i + 2 < end ? i + 2 : end;
    }
    return i;
}

const char *ast_text(struct ast_program *p, const struct ast_expr *e)
{
    uint32_t file = e->loc.file;
    if (!e->end || file >= p->n_texts || !p->texts[file] || e->end > p->text_sizes[file])
        return "";
    const char *text = p->texts[file];
    struct strbuf out = {0};
    bool blank = false;
    for (uint32_t i = e->begin; i < e->end;) {
        uint32_t after = skip_comment(text, i, e->end);
        if (after != i || isspace((unsigned char)text[i]) ||
            (text[i] == '\\' && i + 1 < e->end && text[i + 1] == '\n')) {
            blank = true;
            i = after != i ? after : i + 1;
            continue;
        }
        if (blank && out.len)
            sb_putc(&out, ' ');
        blank = false;
        sb_putc(&out, text[i++]);
    }
    const char *copy = arena_strdup(&p->arena, sb_str(&out));
    sb_free(&out);
    return copy;
}
