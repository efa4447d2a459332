/* Statements, from libclang's cursors to ct_node.
 *
 * The missing parts of `for (;;)` leave no trace in the children: the two semicolons are looked up
 * among the tokens, and if a macro hides them and the children alone do not tell, the loop is
 * CT_FOR_UNCLEAR. */
#include <assert.h>
#include <string.h>

#include "frontend/clang_reader.h"

/* A typedef of a variable-length array evaluates the length: it is a statement in disguise. */
static bool variable_size(CXCursor typedef_decl)
{
    CXType t = clang_getCanonicalType(clang_getTypedefDeclUnderlyingType(typedef_decl));
    while (t.kind == CXType_Pointer || t.kind == CXType_ConstantArray ||
           t.kind == CXType_IncompleteArray)
        t = t.kind == CXType_Pointer ? clang_getPointeeType(t) : clang_getArrayElementType(t);
    return t.kind == CXType_VariableArray;
}

static void read_decl_stmt(struct reader *r, struct ct_node *n, CXCursor c)
{
    cursor_vec kids = cr_children(c);
    n->kids = arena_array(&r->unit->arena, struct ct_node *, kids.len);
    for (size_t i = 0; i < kids.len; i++) {
        enum CXCursorKind kind = clang_getCursorKind(kids.data[i]);
        bool typedef_name = kind == CXCursor_TypedefDecl && variable_size(kids.data[i]);
        if (kind != CXCursor_VarDecl && !typedef_name)
            continue;
        struct ct_node *v = arena_new(&r->unit->arena, struct ct_node);
        v->kind = typedef_name ? CT_OTHER : CT_VAR_DECL;
        cr_extent(r, v, kids.data[i]);
        if (typedef_name) {
            n->kids[n->n_kids++] = v;
            continue;
        }
        v->decl = cr_decl(r, kids.data[i]);
        cr_read_var(r, v->decl, kids.data[i]);
        n->kids[n->n_kids++] = v;
    }
    vec_free(&kids);
}

/* Does the text begin in the file itself, not in a macro's definition? */
static bool written_out(CXCursor c)
{
    CXSourceLocation start = clang_getRangeStart(clang_getCursorExtent(c));
    CXFile spelled = NULL, seen = NULL;
    unsigned at = 0, seen_at = 1;
    clang_getSpellingLocation(start, &spelled, NULL, NULL, &at);
    clang_getExpansionLocation(start, &seen, NULL, NULL, &seen_at);
    return at == seen_at && clang_File_isEqual(spelled, seen);
}

/* The offsets of the two semicolons of a for header; false if they are not plain to see. */
static bool for_semicolons(struct reader *r, CXCursor c, unsigned out[2])
{
    if (!written_out(c))
        return false;
    CXToken *tokens = NULL;
    unsigned count = 0, found = 0;
    int depth = 0;
    bool plain = false, closed = false;
    clang_tokenize(r->tu, clang_getCursorExtent(c), &tokens, &count);
    for (unsigned i = 0; i < count && !closed; i++) {
        CXString s = clang_getTokenSpelling(r->tu, tokens[i]);
        const char *text = clang_getCString(s);
        if (i == 0)
            plain = strcmp(text, "for") == 0;
        else if (clang_getTokenKind(tokens[i]) == CXToken_Punctuation) {
            if (strchr("([{", text[0]) && !text[1])
                depth++;
            else if (strchr(")]}", text[0]) && !text[1])
                closed = --depth == 0;
            else if (strcmp(text, ";") == 0 && depth == 1 && found++ < 2)
                cr_place(r, clang_getTokenLocation(r->tu, tokens[i]), &out[found - 1]);
        }
        clang_disposeString(s);
    }
    if (tokens)
        clang_disposeTokens(r->tu, tokens, count);
    return plain && closed && found == 2;
}

static void read_for(struct reader *r, struct ct_node *n, CXCursor c)
{
    cursor_vec kids =
        cr_children(c); /* a declaration statement is a statement, so nothing else is there */
    unsigned semicolons[2];
    assert(kids.len >= 1 && kids.len <= 4);
    n->n_kids = 4;
    n->kids = arena_array(&r->unit->arena, struct ct_node *, 4);
    n->kids[3] = cr_node(r, kids.data[kids.len - 1]);
    if (kids.len == 4 || kids.len == 1) {
        for (size_t i = 0; i + 1 < kids.len; i++)
            n->kids[i] = cr_node(r, kids.data[i]);
    } else if (for_semicolons(r, c, semicolons)) {
        for (size_t i = 0; i + 1 < kids.len; i++) {
            unsigned at;
            cr_place(r, clang_getRangeStart(clang_getCursorExtent(kids.data[i])), &at);
            int slot = at < semicolons[0] ? 0 : at < semicolons[1] ? 1 : 2;
            if (n->kids[slot])
                n->kind = CT_FOR_UNCLEAR;
            n->kids[slot] = cr_node(r, kids.data[i]);
        }
    } else {
        n->kind = CT_FOR_UNCLEAR;
    }
    struct ct_node *init = n->kids[0];
    if (init && init->kind == CT_DECL_STMT && init->n_kids == 1)
        for (size_t i = 0; i < init->kids[0]->decl->words.len; i++)
            if (strcmp(init->kids[0]->decl->words.data[i], "session") == 0) {
                n->kind = CT_SESSION;
                n->kids[0] = n->kids[3];
                n->n_kids = 1;
                break;
            }
    vec_free(&kids);
}

static void read_goto(struct reader *r, struct ct_node *n, CXCursor c)
{
    n->kind = CT_GOTO;
    n->name = "";
    cursor_vec kids = cr_children(c);
    for (size_t i = 0; i < kids.len; i++)
        if (clang_getCursorKind(kids.data[i]) == CXCursor_LabelRef)
            n->name = cr_keep(r, clang_getCursorSpelling(kids.data[i]));
    vec_free(&kids);
}

static void read_stmt(struct reader *r, struct ct_node *n, CXCursor c)
{
    static const struct {
        enum CXCursorKind from;
        enum ct_kind to;
    } plain[] = {
        {CXCursor_CompoundStmt, CT_COMPOUND},
        {CXCursor_IfStmt, CT_IF},
        {CXCursor_SwitchStmt, CT_SWITCH},
        {CXCursor_CaseStmt, CT_CASE},
        {CXCursor_DefaultStmt, CT_DEFAULT},
        {CXCursor_WhileStmt, CT_WHILE},
        {CXCursor_DoStmt, CT_DO},
        {CXCursor_BreakStmt, CT_BREAK},
        {CXCursor_ContinueStmt, CT_CONTINUE},
        {CXCursor_ReturnStmt, CT_RETURN},
        {CXCursor_NullStmt, CT_NULL},
        {CXCursor_IndirectGotoStmt, CT_INDIRECT_GOTO},
        {CXCursor_LabelStmt, CT_LABEL},
    };
    enum CXCursorKind kind = clang_getCursorKind(c);
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        if (plain[i].from == kind) {
            n->kind = plain[i].to;
            n->name = cr_keep(r, clang_getCursorSpelling(c));
            if (kind != CXCursor_IndirectGotoStmt)
                cr_read_kids(r, n, c, false);
            return;
        }
    if (kind == CXCursor_DeclStmt) {
        n->kind = CT_DECL_STMT;
        read_decl_stmt(r, n, c);
    } else if (kind == CXCursor_ForStmt) {
        n->kind = CT_FOR;
        read_for(r, n, c);
    } else if (kind == CXCursor_GotoStmt) {
        read_goto(r, n, c);
    } else if (kind == CXCursor_GCCAsmStmt || kind == CXCursor_MSAsmStmt) {
        n->kind = CT_ASM;
    } else {
        cr_other(r, n, c);
    }
}

struct ct_node *cr_node(struct reader *r, CXCursor c)
{
    if (clang_getCursorKind(c) == CXCursor_UnexposedStmt) {
        /* An attribute in front of a statement ([[fallthrough]], likely …) means nothing to us. */
        cursor_vec kids = cr_body_children(c);
        CXCursor inner = kids.len == 1 ? kids.data[0] : c;
        size_t count = kids.len;
        vec_free(&kids);
        if (count == 1)
            return cr_node(r, inner);
    }
    struct ct_node *n = arena_new(&r->unit->arena, struct ct_node);
    cr_extent(r, n, c);
    r->depth++;
    if (r->depth > AST_MAX_DEPTH) {
        n->kind = CT_TOO_DEEP;
        if (clang_isExpression(clang_getCursorKind(c)))
            n->type = cr_type(r, clang_getCursorType(c));
    } else if (clang_isExpression(clang_getCursorKind(c))) {
        cr_expr(r, n, c);
        cr_adjust(r, n);
    } else {
        read_stmt(r, n, c);
    }
    r->depth--;
    return n;
}
