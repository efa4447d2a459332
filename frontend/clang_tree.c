/* From libclang's cursors to the plain tree of clang_tree.h: the only file that includes libclang.
 *
 * libclang hides some things that matter here.  What is done about it:
 * - implicit conversions are "unexposed" expressions; they are told from other unexposed
 *   expressions (va_arg, offsetof, a ?: b …) by having exactly one child, of exactly their extent,
 * compared as raw locations so that macros cannot blur it;
 * - the missing parts of `for (;;)` leave no trace in the children: the two semicolons are looked
 * up among the tokens, and if a macro hides them and the children alone do not tell, the loop is
 * CT_FOR_UNCLEAR;
 * - attributes have kinds only for a few: the others are read from the text where they are spelled.
 */
#include <clang-c/Index.h>

#include <assert.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "frontend/clang_tree.h"

struct reader {
    struct ct_unit *unit;
    struct diag_list *d;
    CXTranslationUnit tu;
    int depth;          /* of read_node */
    struct map decls;   /* cursor hash -> index into decl_list, then chained by probing the hash */
    struct map records; /* likewise */
    VEC(struct decl_entry {
        CXCursor cursor;
        struct ct_decl *decl;
        uint64_t next;
    })
    decl_list;
    VEC(struct record_entry {
        CXCursor cursor;
        struct ct_record *record;
        uint64_t next;
    })
    record_list;
    VEC(struct file_entry {
        CXFile file;
        uint32_t id;
    })
    files;
};

static struct ct_node *read_node(struct reader *r, CXCursor c);
static const struct ct_type *read_type(struct reader *r, CXType type);

/* Strings, places, text --------------------------------------------------------------------------
 */

static const char *keep(struct reader *r, CXString s)
{
    const char *text = clang_getCString(s);
    char *copy = arena_strdup(&r->unit->arena, text ? text : "");
    clang_disposeString(s);
    return copy;
}

/* Remember a file and its text; the text lets reports quote expressions. */
static uint32_t file_id(struct reader *r, CXFile file)
{
    if (!file)
        return DIAG_NO_FILE;
    for (size_t i = r->files.len; i-- > 0;)
        if (r->files.data[i].file == file)
            return r->files.data[i].id;
    CXString name = clang_getFileName(file);
    uint32_t id = diag_file(r->d, clang_getCString(name));
    clang_disposeString(name);
    vec_push(&r->files, ((struct file_entry){file, id}));
    size_t size = 0;
    const char *text = r->tu ? clang_getFileContents(r->tu, file, &size) : NULL;
    if (text && size < UINT32_MAX) {
        if (r->unit->texts.len <= id) {
            vec_resize(&r->unit->texts, (size_t)id + 1);
            vec_resize(&r->unit->text_sizes, (size_t)id + 1);
        }
        r->unit->texts.data[id] = arena_strndup(&r->unit->arena, text, size);
        r->unit->text_sizes.data[id] = (uint32_t)size;
    }
    return id;
}

static struct src_loc place(struct reader *r, CXSourceLocation location, unsigned *offset)
{
    CXFile file = NULL;
    unsigned line = 0, col = 0, at = 0;
    clang_getFileLocation(location, &file, &line, &col, &at);
    if (offset)
        *offset = at;
    return (struct src_loc){file_id(r, file), line, col};
}

static void set_extent(struct reader *r, struct ct_node *n, CXCursor c)
{
    CXSourceRange range = clang_getCursorExtent(c);
    n->loc = place(r, clang_getCursorLocation(c), NULL);
    struct src_loc from = place(r, clang_getRangeStart(range), &n->begin);
    struct src_loc to = place(r, clang_getRangeEnd(range), &n->end);
    if (from.file != to.file || from.file != n->loc.file || n->end <= n->begin)
        n->begin = n->end = 0;
}

static bool same_extent(CXCursor a, CXCursor b)
{
    CXSourceRange x = clang_getCursorExtent(a), y = clang_getCursorExtent(b);
    return clang_equalLocations(clang_getRangeStart(x), clang_getRangeStart(y)) &&
           clang_equalLocations(clang_getRangeEnd(x), clang_getRangeEnd(y));
}

/* The text where a cursor begins as spelled, inside a macro's definition if it comes from one; at
 * most n - 1 bytes. */
static void spelled_text(struct reader *r, CXCursor c, char *out, size_t n)
{
    CXFile file = NULL;
    unsigned from = 0;
    size_t size = 0, len = 0;
    clang_getSpellingLocation(clang_getRangeStart(clang_getCursorExtent(c)), &file, NULL, NULL,
                              &from);
    const char *text = file ? clang_getFileContents(r->tu, file, &size) : NULL;
    while (text && len + 1 < n && from + len < size) {
        out[len] = text[from + len];
        len++;
    }
    out[len] = '\0';
}

/* Children ---------------------------------------------------------------------------------------
 */

typedef VEC(CXCursor) cursor_vec;

static enum CXChildVisitResult collect(CXCursor c, CXCursor parent, CXClientData data)
{
    (void)parent;
    cursor_vec *v = data;
    vec_push(v, c);
    return CXChildVisit_Continue;
}

static cursor_vec children(CXCursor c)
{
    cursor_vec v = {0};
    clang_visitChildren(c, collect, &v);
    return v;
}

static bool is_expr_or_stmt(CXCursor c)
{
    enum CXCursorKind k = clang_getCursorKind(c);
    return clang_isExpression(k) || clang_isStatement(k);
}

/* Children that are expressions or statements: not types, attributes, nested declarations. */
static cursor_vec body_children(CXCursor c)
{
    cursor_vec v = children(c);
    size_t kept = 0;
    for (size_t i = 0; i < v.len; i++)
        if (is_expr_or_stmt(v.data[i]))
            v.data[kept++] = v.data[i];
    v.len = kept;
    return v;
}

/* Types ------------------------------------------------------------------------------------------
 */

static enum CXVisitorResult collect_field(CXCursor c, CXClientData data)
{
    cursor_vec *v = data;
    vec_push(v, c);
    return CXVisit_Continue;
}

/* "struct acct"; "struct at 7:9" if it has no name (clang's own text would hold a path). */
static const char *tag_name(struct reader *r, CXCursor decl, CXType type)
{
    const char *name = keep(r, clang_getTypeSpelling(type));
    if (!strchr(name, '('))
        return name;
    enum CXCursorKind k = clang_getCursorKind(decl);
    const char *what = k == CXCursor_UnionDecl  ? "union"
                       : k == CXCursor_EnumDecl ? "enum"
                                                : "struct";
    struct src_loc loc = place(r, clang_getCursorLocation(decl), NULL);
    return arena_printf(&r->unit->arena, "%s at %u:%u", what, loc.line, loc.col);
}

static struct ct_record *read_record(struct reader *r, CXType type)
{
    CXCursor decl = clang_getTypeDeclaration(type);
    bool fresh;
    uint64_t *slot = map_put(&r->records, clang_hashCursor(decl), 0, &fresh);
    for (uint64_t at = *slot; at; at = r->record_list.data[at - 1].next)
        if (clang_equalCursors(r->record_list.data[at - 1].cursor, decl))
            return r->record_list.data[at - 1].record;
    struct ct_record *record = arena_new(&r->unit->arena, struct ct_record);
    vec_push(&r->unit->all_records, record);
    vec_push(&r->record_list, ((struct record_entry){decl, record, *slot}));
    *slot = r->record_list.len;
    record->loc = place(r, clang_getCursorLocation(decl), NULL);
    record->name = tag_name(r, decl, clang_getUnqualifiedType(clang_getCanonicalType(type)));
    record->in_system = record->loc.file == DIAG_NO_FILE ||
                        clang_Location_isInSystemHeader(clang_getCursorLocation(decl));
    record->complete = clang_Type_getSizeOf(type) >= 0;
    cursor_vec fields = {0};
    clang_Type_visitFields(type, collect_field, &fields);
    for (size_t i = 0; i < fields.len; i++) {
        CXCursor f = fields.data[i];
        struct ct_field field = {0};
        bool unnamed = clang_Cursor_isAnonymous(f);
        field.name = unnamed ? "" : keep(r, clang_getCursorSpelling(f));
        if (strchr(field.name,
                   '(')) /* "struct (anonymous at …)": the spelling of an unnamed member */
            field.name = "";
        field.loc = place(r, clang_getCursorLocation(f), NULL);
        field.is_bitfield = clang_Cursor_isBitField(f);
        field.type = read_type(r, clang_getCursorType(f));
        vec_push(&record->fields, field);
    }
    vec_free(&fields);
    return record;
}

static enum ct_type_kind scalar_kind(enum CXTypeKind k, bool *is_signed)
{
    *is_signed = false;
    switch (k) {
    case CXType_Void:
        return CT_TYPE_VOID;
    case CXType_Bool:
        return CT_TYPE_BOOL;
    case CXType_Char_S:
    case CXType_SChar:
    case CXType_Short:
    case CXType_Int:
    case CXType_Long:
    case CXType_LongLong:
        *is_signed = true;
        return CT_TYPE_INT;
    case CXType_Char_U:
    case CXType_UChar:
    case CXType_UShort:
    case CXType_UInt:
    case CXType_ULong:
    case CXType_ULongLong:
        return CT_TYPE_INT;
    case CXType_Int128:
    case CXType_UInt128:
        return CT_TYPE_INT128;
    case CXType_Float:
    case CXType_Double:
    case CXType_LongDouble:
    case CXType_Float128:
    case CXType_Half:
    case CXType_Float16:
    case CXType_BFloat16:
    case CXType_Ibm128:
        return CT_TYPE_FLOAT;
    case CXType_Complex:
        return CT_TYPE_COMPLEX;
    case CXType_Atomic:
        return CT_TYPE_ATOMIC;
    default:
        return CT_TYPE_OTHER;
    }
}

static void read_array(struct reader *r, struct ct_type *t, CXType type)
{
    t->kind = type.kind == CXType_ConstantArray     ? CT_TYPE_ARRAY
              : type.kind == CXType_IncompleteArray ? CT_TYPE_INCOMPLETE_ARRAY
                                                    : CT_TYPE_VLA;
    t->elem = read_type(r, clang_getArrayElementType(type));
    if (t->kind == CT_TYPE_ARRAY)
        t->count = (uint64_t)clang_getArraySize(type);
    t->is_const |= t->elem->is_const; /* qualifiers of an array are those of its elements */
    t->is_volatile |= t->elem->is_volatile;
}

static const struct ct_type *read_type(struct reader *r, CXType written)
{
    CXType type = clang_getCanonicalType(written);
    struct ct_type *t = arena_new(&r->unit->arena, struct ct_type);
    t->spelling = keep(r, clang_getTypeSpelling(written));
    t->canonical = keep(r, clang_getTypeSpelling(clang_getUnqualifiedType(type)));
    t->is_const = clang_isConstQualifiedType(type);
    t->is_volatile = clang_isVolatileQualifiedType(type);
    long long size = clang_Type_getSizeOf(type);
    t->size = size > 0 ? (uint64_t)size : 0;
    switch (type.kind) {
    case CXType_Record:
        t->record = read_record(r, type);
        t->kind = clang_getCursorKind(clang_getTypeDeclaration(type)) == CXCursor_UnionDecl
                      ? CT_TYPE_UNION
                      : CT_TYPE_STRUCT;
        break;
    case CXType_Enum: {
        CXCursor decl = clang_getTypeDeclaration(type);
        CXType under = clang_getEnumDeclIntegerType(decl);
        t->canonical = tag_name(r, decl, clang_getUnqualifiedType(type));
        enum ct_type_kind k = scalar_kind(clang_getCanonicalType(under).kind, &t->is_signed);
        t->kind = k == CT_TYPE_INT ? CT_TYPE_ENUM : CT_TYPE_OTHER;
        break;
    }
    case CXType_ConstantArray:
    case CXType_IncompleteArray:
    case CXType_VariableArray:
        read_array(r, t, type);
        break;
    case CXType_Pointer:
        t->kind = CT_TYPE_POINTER;
        t->elem = read_type(r, clang_getPointeeType(type));
        break;
    case CXType_FunctionProto:
    case CXType_FunctionNoProto:
        t->kind = CT_TYPE_FUNCTION;
        t->elem = read_type(r, clang_getResultType(type));
        break;
    default:
        t->kind = scalar_kind(type.kind, &t->is_signed);
    }
    t->width = (uint8_t)(t->size <= 8 ? t->size * 8 : 0);
    return t;
}

/* libclang gives a parameter declared as an array, and whatever has its type, the array type; to C
 * it is a pointer. */
static const struct ct_type *adjusted(struct reader *r, const struct ct_type *t)
{
    if (t->kind != CT_TYPE_ARRAY && t->kind != CT_TYPE_INCOMPLETE_ARRAY && t->kind != CT_TYPE_VLA)
        return t;
    struct ct_type *p = arena_new(&r->unit->arena, struct ct_type);
    p->kind = CT_TYPE_POINTER;
    p->elem = t->elem;
    p->spelling = p->canonical = arena_printf(&r->unit->arena, "%s *", t->elem->spelling);
    p->size = sizeof(void *);
    return p;
}

/* Declarations -----------------------------------------------------------------------------------
 */

/* Attributes of variables that change nothing we model.  Anything else (cleanup, above all) is
 * handed on for the builder to refuse. */
static bool harmless_attribute(const char *text)
{
    static const char *const names[] = {
        "unused",     "maybe_unused", "used",   "aligned",  "packed", "section", "visibility",
        "deprecated", "annotate",     "common", "nocommon", "retain", NULL};
    while (*text == '_')
        text++;
    for (int i = 0; names[i]; i++) {
        size_t n = strlen(names[i]);
        if (strncmp(text, names[i], n) == 0 && !isalnum((unsigned char)text[n]) &&
            (text[n] != '_' || text[n + 1] == '_'))
            return true;
    }
    return false;
}

static void read_attributes(struct reader *r, struct ct_decl *decl, CXCursor c)
{
    cursor_vec kids = children(c);
    for (size_t i = 0; i < kids.len; i++) {
        CXCursor k = kids.data[i];
        enum CXCursorKind kind = clang_getCursorKind(k);
        if (kind == CXCursor_AnnotateAttr) {
            const char *word = keep(r, clang_getCursorSpelling(k));
            if (strncmp(word, "visar.", 6) != 0)
                continue;
            vec_push(&decl->words, word + 6);
            vec_push(&decl->word_locs, place(r, clang_getCursorLocation(k), NULL));
        } else if (kind == CXCursor_UnexposedAttr && decl->kind == CT_DECL_VAR) {
            char text[40];
            spelled_text(r, k, text, sizeof text);
            if (harmless_attribute(text))
                continue;
            text[strcspn(text, "() ,;\n")] = '\0';
            decl->strange_attribute = arena_strdup(&r->unit->arena, text);
            decl->strange_loc = place(r, clang_getCursorLocation(k), NULL);
        }
    }
    vec_free(&kids);
}

static struct ct_decl *find_decl(struct reader *r, CXCursor canonical, bool *fresh)
{
    bool new_hash;
    uint64_t *slot = map_put(&r->decls, clang_hashCursor(canonical), 0, &new_hash);
    for (uint64_t at = *slot; at; at = r->decl_list.data[at - 1].next)
        if (clang_equalCursors(r->decl_list.data[at - 1].cursor, canonical)) {
            *fresh = false;
            return r->decl_list.data[at - 1].decl;
        }
    struct ct_decl *decl = arena_new(&r->unit->arena, struct ct_decl);
    vec_push(&r->unit->all_decls, decl);
    vec_push(&r->decl_list, ((struct decl_entry){canonical, decl, *slot}));
    *slot = r->decl_list.len;
    *fresh = true;
    return decl;
}

static enum ct_decl_kind decl_kind(CXCursor c)
{
    switch (clang_getCursorKind(c)) {
    case CXCursor_VarDecl:
        return CT_DECL_VAR;
    case CXCursor_ParmDecl:
        return CT_DECL_PARAM;
    case CXCursor_FunctionDecl:
        return CT_DECL_FUNC;
    case CXCursor_EnumConstantDecl:
        return CT_DECL_ENUMERATOR;
    default:
        return CT_DECL_OTHER;
    }
}

/* The declaration that all mentions share.  Bodies and initialisers are not read here. */
static struct ct_decl *the_decl(struct reader *r, CXCursor c)
{
    bool fresh;
    struct ct_decl *decl = find_decl(r, clang_getCanonicalCursor(c), &fresh);
    if (!fresh)
        return decl;
    decl->kind = decl_kind(c);
    decl->name = keep(r, clang_getCursorSpelling(c));
    decl->loc = place(r, clang_getCursorLocation(c), NULL);
    decl->in_system = clang_Location_isInSystemHeader(clang_getCursorLocation(c));
    decl->type = read_type(r, clang_getCursorType(c));
    if (decl->kind == CT_DECL_ENUMERATOR) {
        CXType under = clang_getEnumDeclIntegerType(clang_getCursorSemanticParent(c));
        bool is_signed;
        scalar_kind(clang_getCanonicalType(under).kind, &is_signed);
        decl->value = is_signed ? (ast_int)clang_getEnumConstantDeclValue(c)
                                : (ast_int)clang_getEnumConstantDeclUnsignedValue(c);
    }
    if (decl->kind == CT_DECL_FUNC) {
        CXType type = clang_getCanonicalType(clang_getCursorType(c));
        decl->is_variadic = type.kind == CXType_FunctionProto && clang_isFunctionTypeVariadic(type);
        decl->no_prototype = type.kind == CXType_FunctionNoProto;
    }
    if (decl->kind == CT_DECL_VAR)
        decl->is_extern = true; /* until a definition shows up */
    if (decl->kind == CT_DECL_PARAM && decl->type->kind != CT_TYPE_VLA)
        decl->type = adjusted(r, decl->type);
    if (decl->kind == CT_DECL_FUNC && decl->in_system)
        read_attributes(r, decl,
                        c); /* visar.h's builtins; the others are read where they are declared */
    return decl;
}

static void read_var(struct reader *r, struct ct_decl *decl, CXCursor c)
{
    enum CX_StorageClass storage = clang_Cursor_getStorageClass(c);
    enum CXCursorKind parent = clang_getCursorKind(clang_getCursorSemanticParent(c));
    decl->is_global = parent == CXCursor_TranslationUnit;
    decl->is_static = clang_Cursor_hasVarDeclGlobalStorage(c) > 0;
    decl->is_thread_local = clang_getCursorTLSKind(c) != CXTLS_None;
    CXCursor init = clang_Cursor_getVarDeclInitializer(c);
    bool has_init = !clang_Cursor_isNull(init);
    if (storage != CX_SC_Extern || has_init) {
        decl->is_extern = false;
        /* the definition's place and type: `extern int t[];` may come first */
        decl->loc = place(r, clang_getCursorLocation(c), NULL);
        decl->type = read_type(r, clang_getCursorType(c));
    }
    if (has_init)
        decl->init = read_node(r, init);
    read_attributes(r, decl, c);
}

static void read_func(struct reader *r, struct ct_decl *decl, CXCursor c)
{
    read_attributes(r, decl, c);
    if (!clang_isCursorDefinition(c))
        return;
    decl->loc = place(r, clang_getCursorLocation(c), NULL);
    decl->type = read_type(r, clang_getCursorType(c));
    cursor_vec kids = children(c);
    for (size_t i = 0; i < kids.len; i++) {
        CXCursor k = kids.data[i];
        if (clang_getCursorKind(k) == CXCursor_ParmDecl) {
            struct ct_decl *param = the_decl(r, k);
            vec_push(&decl->params, param);
        } else if (clang_getCursorKind(k) == CXCursor_CompoundStmt) {
            decl->body = read_node(r, k);
        }
    }
    vec_free(&kids);
}

/* Expressions and statements ---------------------------------------------------------------------
 */

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

static void set_kids(struct reader *r, struct ct_node *n, const CXCursor *kids, size_t count)
{
    n->n_kids = (uint32_t)count;
    n->kids = arena_array(&r->unit->arena, struct ct_node *, count);
    for (size_t i = 0; i < count; i++)
        n->kids[i] = read_node(r, kids[i]);
}

/* Expressions and statements below c, all of them or only the last (where types may come first). */
static void read_kids(struct reader *r, struct ct_node *n, CXCursor c, bool only_last)
{
    cursor_vec kids = body_children(c);
    size_t skip = only_last && kids.len > 1 ? kids.len - 1 : 0;
    set_kids(r, n, kids.data + skip, kids.len - skip);
    vec_free(&kids);
}

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
    cursor_vec kids = children(c);
    n->kids = arena_array(&r->unit->arena, struct ct_node *, kids.len);
    for (size_t i = 0; i < kids.len; i++) {
        enum CXCursorKind kind = clang_getCursorKind(kids.data[i]);
        bool typedef_name = kind == CXCursor_TypedefDecl && variable_size(kids.data[i]);
        if (kind != CXCursor_VarDecl && !typedef_name)
            continue;
        struct ct_node *v = arena_new(&r->unit->arena, struct ct_node);
        v->kind = typedef_name ? CT_OTHER : CT_VAR_DECL;
        set_extent(r, v, kids.data[i]);
        if (typedef_name) {
            n->kids[n->n_kids++] = v;
            continue;
        }
        v->decl = the_decl(r, kids.data[i]);
        read_var(r, v->decl, kids.data[i]);
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
                place(r, clang_getTokenLocation(r->tu, tokens[i]), &out[found - 1]);
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
        children(c); /* a declaration statement is a statement, so nothing else is there */
    unsigned semicolons[2];
    assert(kids.len >= 1 && kids.len <= 4);
    n->n_kids = 4;
    n->kids = arena_array(&r->unit->arena, struct ct_node *, 4);
    n->kids[3] = read_node(r, kids.data[kids.len - 1]);
    if (kids.len == 4 || kids.len == 1) {
        for (size_t i = 0; i + 1 < kids.len; i++)
            n->kids[i] = read_node(r, kids.data[i]);
    } else if (for_semicolons(r, c, semicolons)) {
        for (size_t i = 0; i + 1 < kids.len; i++) {
            unsigned at;
            place(r, clang_getRangeStart(clang_getCursorExtent(kids.data[i])), &at);
            int slot = at < semicolons[0] ? 0 : at < semicolons[1] ? 1 : 2;
            if (n->kids[slot])
                n->kind = CT_FOR_UNCLEAR;
            n->kids[slot] = read_node(r, kids.data[i]);
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

/* The function that an expression in the place of a callee names, or a null cursor.  Of _Generic's
 * choices it is the one whose type is that of the whole, if no other has that type. */
static CXCursor called_function(CXCursor c)
{
    CXCursor found = clang_getNullCursor();
    cursor_vec kids = body_children(c);
    enum CXCursorKind kind = clang_getCursorKind(c);
    enum CXUnaryOperatorKind op = clang_getCursorUnaryOperatorKind(c);
    if (kind == CXCursor_DeclRefExpr) {
        found = clang_getCursorReferenced(c);
    } else if (kind == CXCursor_ParenExpr ||
               (kind == CXCursor_UnexposedExpr && kids.len == 1 && same_extent(c, kids.data[0])) ||
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
    cursor_vec kids = body_children(c);
    CXCursor callee = kids.len ? called_function(kids.data[0]) : clang_getNullCursor();
    if (!clang_Cursor_isNull(callee))
        n->decl = the_decl(r, callee);
    vec_free(&kids);
    n->n_kids = count > 0 ? (uint32_t)count : 0;
    n->kids = arena_array(&r->unit->arena, struct ct_node *, n->n_kids);
    for (uint32_t i = 0; i < n->n_kids; i++)
        n->kids[i] = read_node(r, clang_Cursor_getArgument(c, i));
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
            f->name = keep(r, clang_getCursorSpelling(k));
            set_extent(r, f, k);
            n->kids[n->n_kids++] = f;
        } else if (is_expr_or_stmt(k)) {
            n->kids[n->n_kids++] = read_node(r, k);
        }
    }
}

/* Implicit conversions, designated initialisers, constants such as offsetof; anything else is
 * CT_OTHER. */
static void read_unexposed_expr(struct reader *r, struct ct_node *n, CXCursor c)
{
    cursor_vec kids = children(c);
    size_t exprs = 0;
    for (size_t i = 0; i < kids.len; i++)
        exprs += is_expr_or_stmt(kids.data[i]);
    if (kids.len == 1 && exprs == 1 && same_extent(c, kids.data[0])) {
        n->kind = CT_IMPLICIT;
        set_kids(r, n, kids.data, 1);
    } else if (n->type->kind == CT_TYPE_VOID && exprs >= 1 && kids.len >= 2) {
        read_designated(r, n, &kids);
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

static void read_other(struct reader *r, struct ct_node *n, CXCursor c)
{
    n->kind = CT_OTHER;
    n->name = keep(r, clang_getCursorKindSpelling(clang_getCursorKind(c)));
}

static void read_expr(struct reader *r, struct ct_node *n, CXCursor c)
{
    n->type = read_type(r, clang_getCursorType(c));
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
        n->name = keep(r, clang_getCursorSpelling(c));
        n->decl = the_decl(r, clang_getCursorReferenced(c));
        break;
    case CXCursor_MemberRefExpr: {
        n->kind = CT_MEMBER;
        n->name = keep(r, clang_getCursorSpelling(c));
        read_kids(r, n, c, false);
        n->arrow = n->n_kids == 1 && n->kids[0]->type->kind == CT_TYPE_POINTER;
        break;
    }
    case CXCursor_ArraySubscriptExpr:
        n->kind = CT_SUBSCRIPT;
        read_kids(r, n, c, false);
        break;
    case CXCursor_CallExpr:
        n->kind = CT_CALL;
        read_call(r, n, c);
        break;
    case CXCursor_UnaryOperator:
        n->kind = CT_UNARY;
        n->op = unary_op(clang_getCursorUnaryOperatorKind(c));
        read_kids(r, n, c, false);
        break;
    case CXCursor_BinaryOperator:
    case CXCursor_CompoundAssignOperator: {
        enum CXBinaryOperatorKind op = clang_getCursorBinaryOperatorKind(c);
        bool assigns = op >= CXBinaryOperator_Assign && op <= CXBinaryOperator_OrAssign;
        n->kind = assigns ? CT_ASSIGN : CT_BINARY;
        n->op = binary_op(op);
        read_kids(r, n, c, false);
        break;
    }
    case CXCursor_ConditionalOperator:
        n->kind = CT_COND;
        read_kids(r, n, c, false);
        break;
    case CXCursor_CStyleCastExpr:
        n->kind = CT_CAST;
        read_kids(r, n, c, true);
        break;
    case CXCursor_ParenExpr:
        n->kind = CT_PAREN;
        read_kids(r, n, c, false);
        break;
    case CXCursor_CompoundLiteralExpr:
        n->kind = CT_COMPOUND_LITERAL;
        read_kids(r, n, c, true);
        break;
    case CXCursor_InitListExpr:
        n->kind = CT_INIT_LIST;
        read_kids(r, n, c, false);
        break;
    case CXCursor_GenericSelectionExpr:
        n->kind = CT_GENERIC;
        evaluate(n, c);
        read_kids(r, n, c, false);
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
        read_other(r, n, c);
    }
}

static void read_goto(struct reader *r, struct ct_node *n, CXCursor c)
{
    n->kind = CT_GOTO;
    n->name = "";
    cursor_vec kids = children(c);
    for (size_t i = 0; i < kids.len; i++)
        if (clang_getCursorKind(kids.data[i]) == CXCursor_LabelRef)
            n->name = keep(r, clang_getCursorSpelling(kids.data[i]));
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
            n->name = keep(r, clang_getCursorSpelling(c));
            if (kind != CXCursor_IndirectGotoStmt)
                read_kids(r, n, c, false);
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
        read_other(r, n, c);
    }
}

/* The type of an expression that libclang calls an array although only a pointer can stand there.
 */
static void adjust_type(struct reader *r, struct ct_node *n)
{
    switch (n->kind) {
    case CT_REF:
        if (n->decl->kind == CT_DECL_PARAM)
            n->type = adjusted(r, n->type);
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
        n->type = adjusted(r, n->type);
        break;
    default:
        break;
    }
}

static struct ct_node *read_node(struct reader *r, CXCursor c)
{
    if (clang_getCursorKind(c) == CXCursor_UnexposedStmt) {
        /* An attribute in front of a statement ([[fallthrough]], likely …) means nothing to us. */
        cursor_vec kids = body_children(c);
        CXCursor inner = kids.len == 1 ? kids.data[0] : c;
        size_t count = kids.len;
        vec_free(&kids);
        if (count == 1)
            return read_node(r, inner);
    }
    struct ct_node *n = arena_new(&r->unit->arena, struct ct_node);
    set_extent(r, n, c);
    r->depth++;
    if (r->depth > AST_MAX_DEPTH) {
        n->kind = CT_TOO_DEEP;
        if (clang_isExpression(clang_getCursorKind(c)))
            n->type = read_type(r, clang_getCursorType(c));
    } else if (clang_isExpression(clang_getCursorKind(c))) {
        read_expr(r, n, c);
        adjust_type(r, n);
    } else {
        read_stmt(r, n, c);
    }
    r->depth--;
    return n;
}

/* The unit ---------------------------------------------------------------------------------------
 */

static enum CXChildVisitResult read_top(CXCursor c, CXCursor parent, CXClientData data)
{
    (void)parent;
    struct reader *r = data;
    CXSourceLocation location = clang_getCursorLocation(c);
    enum CXCursorKind kind = clang_getCursorKind(c);
    CXFile file = NULL;
    clang_getFileLocation(location, &file, NULL, NULL, NULL);
    if (!file || clang_Location_isInSystemHeader(location))
        return CXChildVisit_Continue;
    if (kind == CXCursor_UnexposedDecl) {
        char text[2];
        spelled_text(r, c, text, sizeof text);
        if (text[0] != ';') /* not just a stray semicolon */
            vec_push(&r->unit->file_asm, place(r, location, NULL));
    }
    if (kind != CXCursor_VarDecl && kind != CXCursor_FunctionDecl)
        return CXChildVisit_Continue;
    struct ct_decl *decl = the_decl(r, c);
    bool known = false;
    for (size_t i = r->unit->decls.len; i-- > 0 && !known;)
        known = r->unit->decls.data[i] == decl;
    if (!known)
        vec_push(&r->unit->decls, decl);
    decl->in_system = false;
    if (kind == CXCursor_VarDecl)
        read_var(r, decl, c);
    else
        read_func(r, decl, c);
    return CXChildVisit_Continue;
}

static void add_diagnostic(struct reader *r, CXDiagnostic x, enum diag_level level)
{
    struct src_loc loc = place(r, clang_getDiagnosticLocation(x), NULL);
    CXString text = clang_getDiagnosticSpelling(x);
    diag_add(r->d, level, loc, "%s", clang_getCString(text));
    clang_disposeString(text);
    if (level == DIAG_NOTE)
        return;
    CXDiagnosticSet notes = clang_getChildDiagnostics(x);
    for (unsigned i = 0; i < clang_getNumDiagnosticsInSet(notes); i++) {
        CXDiagnostic note = clang_getDiagnosticInSet(notes, i);
        if (clang_getDiagnosticSeverity(note) == CXDiagnostic_Note)
            add_diagnostic(r, note, DIAG_NOTE);
        clang_disposeDiagnostic(note);
    }
}

static bool pass_on_diagnostics(struct reader *r, bool show_warnings)
{
    bool failed = false;
    for (unsigned i = 0; i < clang_getNumDiagnostics(r->tu); i++) {
        CXDiagnostic x = clang_getDiagnostic(r->tu, i);
        enum CXDiagnosticSeverity severity = clang_getDiagnosticSeverity(x);
        if (severity >= CXDiagnostic_Error) {
            failed = true;
            add_diagnostic(r, x, DIAG_ERROR);
        } else if (severity == CXDiagnostic_Warning) {
            r->unit->warnings++;
            if (show_warnings)
                add_diagnostic(r, x, DIAG_WARNING);
        }
        clang_disposeDiagnostic(x);
    }
    return failed;
}

bool ct_parse(const char *file, const char *const *args, size_t n_args, bool show_warnings,
              struct diag_list *d, struct ct_unit *unit)
{
    struct reader r = {.unit = unit, .d = d};
    CXIndex index = clang_createIndex(0, 0);
    enum CXErrorCode code =
        clang_parseTranslationUnit2(index, file, args, (int)n_args, NULL, 0, 0, &r.tu);
    bool ok = false;
    if (code != CXError_Success || !r.tu) {
        diag_add(d, DIAG_ERROR, (struct src_loc){diag_file(d, file), 0, 0}, "%s",
                 code == CXError_Crashed ? "clang crashed while reading this file"
                                         : "clang cannot read this file with these flags");
    } else if (!pass_on_diagnostics(&r, show_warnings)) {
        ok = true;
        clang_visitChildren(clang_getTranslationUnitCursor(r.tu), read_top, &r);
    }
    if (r.tu)
        clang_disposeTranslationUnit(r.tu);
    clang_disposeIndex(index);
    map_free(&r.decls);
    map_free(&r.records);
    vec_free(&r.decl_list);
    vec_free(&r.record_list);
    vec_free(&r.files);
    return ok;
}

void ct_free(struct ct_unit *unit)
{
    for (size_t i = 0; i < unit->all_decls.len; i++) {
        vec_free(&unit->all_decls.data[i]->words);
        vec_free(&unit->all_decls.data[i]->word_locs);
        vec_free(&unit->all_decls.data[i]->params);
    }
    for (size_t i = 0; i < unit->all_records.len; i++)
        vec_free(&unit->all_records.data[i]->fields);
    vec_free(&unit->all_decls);
    vec_free(&unit->all_records);
    vec_free(&unit->decls);
    vec_free(&unit->file_asm);
    vec_free(&unit->texts);
    vec_free(&unit->text_sizes);
    arena_free(&unit->arena);
}
