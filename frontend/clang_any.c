/* Mentions of ANY, for the builder to judge.
 *
 * To clang ANY is an enumerator with an odd value (visar.h).  Most of the places where clang would
 * compute with that value are not in the tree that clang.c copies: dimensions, enumerators, sizeof,
 * static assertions.  So the declarations are searched here once more, with all that libclang shows
 * of them, and each mention is told apart by what stands around it. */
#include "frontend/clang_any.h"

#include <string.h>

struct search {
    clang_any_fn fn;
    void *arg;
    enum ct_any where;
    CXCursor owner; /* the variable, field, … that is around */
    bool exact;     /* nothing but parentheses since the dimension began */
    int depth;
};

static enum CXChildVisitResult find_annotation(CXCursor c, CXCursor parent, CXClientData data)
{
    bool *found = data;
    (void)parent;
    if (clang_getCursorKind(c) != CXCursor_AnnotateAttr)
        return CXChildVisit_Continue;
    CXString s = clang_getCursorSpelling(c);
    *found |= strcmp(clang_getCString(s), "visar.any") == 0;
    clang_disposeString(s);
    return CXChildVisit_Continue;
}

static bool names_any(CXCursor c)
{
    CXCursor to = clang_getCursorReferenced(c);
    bool found = false;
    if (clang_getCursorKind(to) == CXCursor_EnumConstantDecl)
        clang_visitChildren(to, find_annotation, &found);
    return found;
}

static enum CXVisitorResult find_any_rows(CXCursor field, CXClientData data);

/* Does the size of this type depend on ANY?  (Structs hold each other by value only: this ends.) */
static bool has_any_rows(CXType t)
{
    bool found = false;
    for (t = clang_getCanonicalType(t); t.kind == CXType_ConstantArray;
         t = clang_getCanonicalType(clang_getArrayElementType(t)))
        if (clang_getArraySize(t) == CT_ANY_ROWS)
            return true;
    if (t.kind == CXType_Record)
        clang_Type_visitFields(t, find_any_rows, &found);
    return found;
}

static enum CXVisitorResult find_any_rows(CXCursor field, CXClientData data)
{
    bool *found = data;
    *found |= has_any_rows(clang_getCursorType(field));
    return *found ? CXVisit_Break : CXVisit_Continue;
}

/* An operand of sizeof, or the type in it or in offsetof. */
static bool is_measured(CXCursor c, CXCursor parent)
{
    enum CXCursorKind kind = clang_getCursorKind(c), above = clang_getCursorKind(parent);
    return (above == CXCursor_UnaryExpr &&
            (clang_isExpression(kind) || kind == CXCursor_TypeRef)) ||
           (above == CXCursor_UnexposedExpr && kind == CXCursor_TypeRef);
}

/* Is this expression a dimension of the variable around it: below a declaration, an expression that
 * is not the initialiser? */
static bool is_dimension(CXCursor c, CXCursor parent)
{
    if (!clang_isExpression(clang_getCursorKind(c)))
        return false;
    switch (clang_getCursorKind(parent)) {
    case CXCursor_VarDecl:
        return !clang_equalCursors(c, clang_Cursor_getVarDeclInitializer(parent));
    case CXCursor_FieldDecl:
    case CXCursor_ParmDecl:
    case CXCursor_TypedefDecl:
    case CXCursor_FunctionDecl:
        return true;
    default:
        return false;
    }
}

/* What a mention below c, whose parent is given, would be. */
static void enter(struct search *s, CXCursor c, CXCursor parent)
{
    enum CXCursorKind kind = clang_getCursorKind(c), above = clang_getCursorKind(parent);
    if (s->where == CT_ANY_SIZEOF || s->where == CT_ANY_ENUMERATOR ||
        s->where == CT_ANY_STATIC_ASSERT)
        return;
    if (is_dimension(c, parent)) {
        s->where = CT_ANY_DIMENSION;
        s->owner = parent;
        s->exact = true;
    } else if (kind == CXCursor_StaticAssert) {
        s->where = CT_ANY_STATIC_ASSERT;
    } else if (above == CXCursor_EnumConstantDecl) {
        s->where = CT_ANY_ENUMERATOR;
    } else if (kind == CXCursor_UnaryExpr) {
        s->where = CT_ANY_SIZEOF;
    } else if (kind == CXCursor_VarDecl || kind == CXCursor_FunctionDecl) {
        s->where = CT_ANY_VALUE;
    }
    if (s->where == CT_ANY_DIMENSION && kind != CXCursor_DeclRefExpr &&
        kind != CXCursor_ParenExpr && kind != CXCursor_UnexposedExpr) {
        bool extension = kind == CXCursor_UnaryOperator &&
                         clang_getCursorUnaryOperatorKind(c) == CXUnaryOperator_Extension;
        s->exact &= extension;
    }
}

static enum CXChildVisitResult visit(CXCursor c, CXCursor parent, CXClientData data)
{
    struct search s = *(struct search *)data;
    enter(&s, c, parent);
    CXSourceLocation at = clang_getCursorLocation(c);
    if (++s.depth > 2 * AST_MAX_DEPTH) {
        s.fn(s.arg, CT_ANY_TOO_DEEP, at, s.owner);
        return CXChildVisit_Continue;
    }
    if (clang_getCursorKind(c) == CXCursor_DeclRefExpr && names_any(c)) {
        bool arithmetic = s.where == CT_ANY_DIMENSION && !s.exact;
        s.fn(s.arg, arithmetic ? CT_ANY_ARITHMETIC : s.where, at, s.owner);
    } else if (is_measured(c, parent) && has_any_rows(clang_getCursorType(c))) {
        s.fn(s.arg, CT_ANY_SIZEOF_TABLE, at, s.owner);
    }
    clang_visitChildren(c, visit, &s);
    return CXChildVisit_Continue;
}

void clang_find_any(CXCursor declaration, clang_any_fn fn, void *arg)
{
    struct search s = {.fn = fn, .arg = arg, .where = CT_ANY_VALUE};
    visit(declaration, clang_getCursorSemanticParent(declaration), &s);
}
