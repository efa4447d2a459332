/* Small helpers on the tree: names, the text of an expression. */
#include <ctype.h>
#include <string.h>

#include "base/strbuf.h"
#include "frontend/ast.h"

bool ast_is_place(const struct ast_expr *e)
{
    return e->kind == AST_VAR || e->kind == AST_INDEX || e->kind == AST_FIELD ||
           e->kind == AST_DEREF;
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

const char *ast_op_text(enum c_operator op)
{
    static const char *const texts[] = {
        [C_NEG] = "-",    [C_BITNOT] = "~", [C_LOGNOT] = "!", [C_ADD] = "+",  [C_SUB] = "-",
        [C_MUL] = "*",    [C_DIV] = "/",    [C_REM] = "%",    [C_SHL] = "<<", [C_SHR] = ">>",
        [C_BITAND] = "&", [C_BITOR] = "|",  [C_BITXOR] = "^", [C_LT] = "<",   [C_LE] = "<=",
        [C_GT] = ">",     [C_GE] = ">=",    [C_EQ] = "==",    [C_NE] = "!=",
    };
    return texts[op];
}

const char *ast_role_name(enum ast_role r)
{
    static const char *const names[] = {
        [AST_HELPER] = "helper",         [AST_TRANSACTION] = "TRANSACTION",
        [AST_INITIAL] = "INITIAL",       [AST_INVARIANT] = "INVARIANT",
        [AST_FINAL] = "FINAL",           [AST_SCENARIO] = "SCENARIO",
        [AST_CONSTRAINT] = "CONSTRAINT",
    };
    return names[r];
}

const char *ast_builtin_name(enum ast_builtin b)
{
    static const char *const names[] = {
        [AST_ASSUME] = "assume",           [AST_ASSERT] = "assert",
        [AST_ROLLBACK] = "rollback",       [AST_NONDET] = "nondet",
        [AST_FOR_UPDATE] = "for_update",   [AST_FOR_SHARE] = "for_share",
        [AST_SKIP_LOCKED] = "skip_locked", [AST_FRESH] = "fresh",
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
