/* Expressions, from libclang's cursors to ct_node.
 *
 * Implicit conversions are "unexposed" expressions to libclang.  They are told from other unexposed
 * expressions (va_arg, offsetof, a ?: b …) by having exactly one child, of exactly their extent,
 * compared as raw locations so that macros cannot blur it. */
#include <string.h>

#include "frontend/clang_reader.h"

static enum ct_op binary_op(enum CXBinaryOperatorKind k)
{
    switch (k) {
    case CXBinaryOperator_Mul:
    case CXBinaryOperator_MulAssign:
        return CT_OP_MUL;
    case CXBinaryOperator_Div:
    case CXBinaryOperator_DivAssign:
        return CT_OP_DIV;
    case CXBinaryOperator_Rem:
    case CXBinaryOperator_RemAssign:
        return CT_OP_REM;
    case CXBinaryOperator_Add:
    case CXBinaryOperator_AddAssign:
        return CT_OP_ADD;
    case CXBinaryOperator_Sub:
    case CXBinaryOperator_SubAssign:
        return CT_OP_SUB;
    case CXBinaryOperator_Shl:
    case CXBinaryOperator_ShlAssign:
        return CT_OP_SHL;
    case CXBinaryOperator_Shr:
    case CXBinaryOperator_ShrAssign:
        return CT_OP_SHR;
    case CXBinaryOperator_And:
    case CXBinaryOperator_AndAssign:
        return CT_OP_AND;
    case CXBinaryOperator_Xor:
    case CXBinaryOperator_XorAssign:
        return CT_OP_XOR;
    case CXBinaryOperator_Or:
    case CXBinaryOperator_OrAssign:
        return CT_OP_OR;
    case CXBinaryOperator_LT:
        return CT_OP_LT;
    case CXBinaryOperator_GT:
        return CT_OP_GT;
    case CXBinaryOperator_LE:
        return CT_OP_LE;
    case CXBinaryOperator_GE:
        return CT_OP_GE;
    case CXBinaryOperator_EQ:
        return CT_OP_EQ;
    case CXBinaryOperator_NE:
        return CT_OP_NE;
    case CXBinaryOperator_LAnd:
        return CT_OP_LAND;
    case CXBinaryOperator_LOr:
        return CT_OP_LOR;
    case CXBinaryOperator_Comma:
        return CT_OP_COMMA;
    case CXBinaryOperator_Assign:
        return CT_OP_NONE;
    default:
        return CT_OP_OTHER;
    }
}

static enum ct_op unary_op(enum CXUnaryOperatorKind k)
{
    switch (k) {
    case CXUnaryOperator_PostInc:
        return CT_OP_POSTINC;
    case CXUnaryOperator_PostDec:
        return CT_OP_POSTDEC;
    case CXUnaryOperator_PreInc:
        return CT_OP_PREINC;
    case CXUnaryOperator_PreDec:
        return CT_OP_PREDEC;
    case CXUnaryOperator_AddrOf:
        return CT_OP_ADDR;
    case CXUnaryOperator_Deref:
        return CT_OP_DEREF;
    case CXUnaryOperator_Plus:
        return CT_OP_PLUS;
    case CXUnaryOperator_Minus:
        return CT_OP_MINUS;
    case CXUnaryOperator_Not:
        return CT_OP_NOT;
    case CXUnaryOperator_LNot:
        return CT_OP_LNOT;
    case CXUnaryOperator_Extension:
        return CT_OP_EXTENSION;
    default:
        return CT_OP_OTHER;
    }
}

static void evaluate(struct ct_node *n, CXCursor c)
{
    CXEvalResult result = clang_Cursor_Evaluate(c);
    if (!result)
        return;
    if (clang_EvalResult_getKind(result) == CXEval_Int) {
        n->has_value = true;
        n->value = clang_EvalResult_isUnsignedInt(result)
                       ? (ast_int)clang_EvalResult_getAsUnsigned(result)
                       : (ast_int)clang_EvalResult_getAsLongLong(result);
    }
    clang_EvalResult_dispose(result);
}

void cr_set_kids(struct reader *r, struct ct_node *n, const CXCursor *kids, size_t count)
{
    n->n_kids = (uint32_t)count;
    n->kids = arena_array(&r->unit->arena, struct ct_node *, count);
    for (size_t i = 0; i < count; i++)
        n->kids[i] = cr_node(r, kids[i]);
}

/* Expressions and statements below c, all of them or only the last (where types may come first). */
void cr_read_kids(struct reader *r, struct ct_node *n, CXCursor c, bool only_last)
{
    cursor_vec kids = cr_body_children(c);
    size_t skip = only_last && kids.len > 1 ? kids.len - 1 : 0;
    cr_set_kids(r, n, kids.data + skip, kids.len - skip);
    vec_free(&kids);
}

/* The function that an expression in the place of a callee names, or a null cursor.  Of _Generic's
 * choices it is the one whose type is that of the whole, if no other has that type. */
static CXCursor called_function(CXCursor c)
{
    CXCursor found = clang_getNullCursor();
    cursor_vec kids = cr_body_children(c);
    enum CXCursorKind kind = clang_getCursorKind(c);
    enum CXUnaryOperatorKind op = clang_getCursorUnaryOperatorKind(c);
    if (kind == CXCursor_DeclRefExpr) {
        found = clang_getCursorReferenced(c);
    } else if (kind == CXCursor_ParenExpr ||
               (kind == CXCursor_UnexposedExpr && kids.len == 1 &&
                cr_same_extent(c, kids.data[0])) ||
               (kind == CXCursor_UnaryOperator &&
                (op == CXUnaryOperator_Deref || op == CXUnaryOperator_AddrOf))) {
        found = called_function(kids.data[0]);
    } else if (kind == CXCursor_GenericSelectionExpr) {
        CXType type = clang_getCanonicalType(clang_getCursorType(c));
        size_t matches = 0;
        for (size_t i = 1; i < kids.len; i++)
            if (clang_equalTypes(type, clang_getCanonicalType(clang_getCursorType(kids.data[i])))) {
                found = called_function(kids.data[i]);
                matches++;
            }
        if (matches != 1)
            found = clang_getNullCursor();
    }
    vec_free(&kids);
    return clang_getCursorKind(found) == CXCursor_FunctionDecl ? found : clang_getNullCursor();
}

static void read_call(struct reader *r, struct ct_node *n, CXCursor c)
{
    int count = clang_Cursor_getNumArguments(c);
    cursor_vec kids = cr_body_children(c);
    CXCursor callee = kids.len ? called_function(kids.data[0]) : clang_getNullCursor();
    if (!clang_Cursor_isNull(callee))
        n->decl = cr_decl(r, callee);
    vec_free(&kids);
    n->n_kids = count > 0 ? (uint32_t)count : 0;
    n->kids = arena_array(&r->unit->arena, struct ct_node *, n->n_kids);
    for (uint32_t i = 0; i < n->n_kids; i++)
        n->kids[i] = cr_node(r, clang_Cursor_getArgument(c, i));
}

static void read_designated(struct reader *r, struct ct_node *n, const cursor_vec *kids)
{
    n->kind = CT_DESIGNATED;
    n->kids = arena_array(&r->unit->arena, struct ct_node *, kids->len);
    for (size_t i = 0; i < kids->len; i++) {
        CXCursor k = kids->data[i];
        if (clang_getCursorKind(k) == CXCursor_MemberRef) {
            struct ct_node *f = arena_new(&r->unit->arena, struct ct_node);
            f->kind = CT_DESIGNATOR_FIELD;
            f->name = cr_keep(r, clang_getCursorSpelling(k));
            cr_extent(r, f, k);
            n->kids[n->n_kids++] = f;
        } else if (cr_is_code(k)) {
            n->kids[n->n_kids++] = cr_node(r, k);
        }
    }
}

/* Implicit conversions, designated initialisers, constants such as offsetof; anything else is
 * CT_OTHER. */
static void read_unexposed_expr(struct reader *r, struct ct_node *n, CXCursor c)
{
    cursor_vec kids = cr_children(c);
    size_t exprs = 0;
    for (size_t i = 0; i < kids.len; i++)
        exprs += cr_is_code(kids.data[i]);
    if (kids.len == 1 && exprs == 1 && cr_same_extent(c, kids.data[0])) {
        n->kind = CT_IMPLICIT;
        cr_set_kids(r, n, kids.data, 1);
    } else if (n->type->kind == CT_TYPE_VOID && exprs >= 1 && kids.len >= 2) {
        read_designated(r, n, &kids);
    } else if (exprs == 4 && kids.len == 4 && cr_same_extent(kids.data[0], kids.data[2])) {
        n->kind = CT_ELVIS; /* a ?: b, with a three times over */
        cr_set_kids(r, n, &kids.data[3], 1);
    } else if (exprs == 0) {
        evaluate(n, c);
        n->kind = n->has_value ? CT_INTEGER : CT_OTHER;
        n->name = "this expression";
    } else {
        n->kind = CT_OTHER;
        n->name = "this expression";
    }
    vec_free(&kids);
}

void cr_other(struct reader *r, struct ct_node *n, CXCursor c)
{
    n->kind = CT_OTHER;
    n->name = cr_keep(r, clang_getCursorKindSpelling(clang_getCursorKind(c)));
}

void cr_expr(struct reader *r, struct ct_node *n, CXCursor c)
{
    n->type = cr_type(r, clang_getCursorType(c));
    switch (clang_getCursorKind(c)) {
    case CXCursor_IntegerLiteral:
    case CXCursor_CharacterLiteral:
    case CXCursor_CXXBoolLiteralExpr:
    case CXCursor_UnaryExpr:
        evaluate(n, c);
        n->kind = n->has_value ? CT_INTEGER : CT_OTHER;
        n->name = "this expression";
        break;
    case CXCursor_FloatingLiteral:
        n->kind = CT_FLOATING;
        break;
    case CXCursor_ImaginaryLiteral:
        n->kind = CT_IMAGINARY;
        break;
    case CXCursor_StringLiteral:
        n->kind = CT_STRING;
        break;
    case CXCursor_DeclRefExpr:
        n->kind = CT_REF;
        n->name = cr_keep(r, clang_getCursorSpelling(c));
        n->decl = cr_decl(r, clang_getCursorReferenced(c));
        break;
    case CXCursor_MemberRefExpr: {
        n->kind = CT_MEMBER;
        n->name = cr_keep(r, clang_getCursorSpelling(c));
        cr_read_kids(r, n, c, false);
        n->arrow = n->n_kids == 1 && n->kids[0]->type->kind == CT_TYPE_POINTER;
        break;
    }
    case CXCursor_ArraySubscriptExpr:
        n->kind = CT_SUBSCRIPT;
        cr_read_kids(r, n, c, false);
        break;
    case CXCursor_CallExpr:
        n->kind = CT_CALL;
        read_call(r, n, c);
        break;
    case CXCursor_UnaryOperator:
        n->kind = CT_UNARY;
        n->op = unary_op(clang_getCursorUnaryOperatorKind(c));
        cr_read_kids(r, n, c, false);
        break;
    case CXCursor_BinaryOperator:
    case CXCursor_CompoundAssignOperator: {
        enum CXBinaryOperatorKind op = clang_getCursorBinaryOperatorKind(c);
        bool assigns = op >= CXBinaryOperator_Assign && op <= CXBinaryOperator_OrAssign;
        n->kind = assigns ? CT_ASSIGN : CT_BINARY;
        n->op = binary_op(op);
        cr_read_kids(r, n, c, false);
        break;
    }
    case CXCursor_ConditionalOperator:
        n->kind = CT_COND;
        cr_read_kids(r, n, c, false);
        break;
    case CXCursor_CStyleCastExpr:
        n->kind = CT_CAST;
        cr_read_kids(r, n, c, true);
        break;
    case CXCursor_ParenExpr:
        n->kind = CT_PAREN;
        cr_read_kids(r, n, c, false);
        break;
    case CXCursor_CompoundLiteralExpr:
        n->kind = CT_COMPOUND_LITERAL;
        cr_read_kids(r, n, c, true);
        break;
    case CXCursor_InitListExpr:
        n->kind = CT_INIT_LIST;
        cr_read_kids(r, n, c, false);
        break;
    case CXCursor_GenericSelectionExpr:
        n->kind = CT_GENERIC;
        evaluate(n, c);
        cr_read_kids(r, n, c, false);
        break;
    case CXCursor_StmtExpr:
        n->kind = CT_STMT_EXPR;
        break;
    case CXCursor_AddrLabelExpr:
        n->kind = CT_ADDR_LABEL;
        break;
    case CXCursor_UnexposedExpr:
        read_unexposed_expr(r, n, c);
        break;
    default:
        cr_other(r, n, c);
    }
}

/* The type of an expression that libclang calls an array although only a pointer can stand there.
 */
void cr_adjust(struct reader *r, struct ct_node *n)
{
    switch (n->kind) {
    case CT_REF:
        if (n->decl->kind == CT_DECL_PARAM)
            n->type = cr_adjusted(r, n->type);
        break;
    case CT_PAREN:
    case CT_UNARY:
        if (n->n_kids == 1 && (n->kind == CT_PAREN || n->op == CT_OP_EXTENSION))
            n->type = n->kids[0]->type;
        break;
    case CT_IMPLICIT:
    case CT_BINARY:
    case CT_ASSIGN:
    case CT_COND:
    case CT_CAST:
        n->type = cr_adjusted(r, n->type);
        break;
    default:
        break;
    }
}
