/* libclang: besides this file only clang_any.c includes its headers (the layer test enforces that).
 *
 * It copies what libclang says of the user's files into the plain records of clang_tree.h, kind by
 * kind, and decides nothing: what libclang calls "unexposed" is copied as such, and whatever has no
 * kind of its own becomes CT_OTHER or CT_TYPE_OTHER.  clang_tree.c, which never sees a cursor,
 * makes sense of it.  A few facts can be had from libclang alone and are noted on the records:
 * whether two extents are the same raw locations (macros cannot blur that), whether text stands in
 * the file or in a macro's definition, where the semicolons of a `for` header are. */
#include <clang-c/Index.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/limit.h"
#include "base/map.h"
#include "frontend/clang_any.h"
#include "frontend/clang_tree.h"
#include "frontend/clang_version.h"

typedef VEC(CXCursor) cursor_vec;

struct entry { /* what became of a cursor; `next`: the next one of the same hash, plus one */
    CXCursor cursor;
    void *made;
    uint64_t next;
};

struct table { /* by identity of cursors */
    struct map first;
    VEC(struct entry) entries;
};

struct reader {
    struct ct_unit *unit;
    struct diag_list *d;
    CXTranslationUnit tu;
    int depth; /* of read_node */
    struct table decls, records;
    VEC(struct file_entry {
        CXFile file;
        uint32_t id;
    })
    files;
};

static struct ct_node *read_node(struct reader *r, CXCursor c);
static const struct ct_type *read_type(struct reader *r, CXType written);
static void read_attributes(struct reader *r, ct_attributes *to, CXCursor c);

/* libclang gives "Debian clang version 19.1.7 (3~deb12u1)": keep what follows "version ". */
void ast_clang_version(struct strbuf *out)
{
    CXString s = clang_getClangVersion();
    const char *text = clang_getCString(s), *at = text ? strstr(text, "version ") : NULL;
    at = at ? at + strlen("version ") : text ? text : "";
    sb_add(out, at, strcspn(at, " "));
    clang_disposeString(s);
}

/* Strings, places, tables --------------------------------------------------------------------- */

/* A copy in the unit's arena; s is disposed of. */
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

/* Where the user sees it: a macro's use, not its definition; *offset, if given, in bytes. */
static struct src_loc place(struct reader *r, CXSourceLocation location, unsigned *offset)
{
    CXFile file = NULL;
    unsigned line = 0, col = 0, at = 0;
    clang_getFileLocation(location, &file, &line, &col, &at);
    if (offset)
        *offset = at;
    return (struct src_loc){file_id(r, file), line, col};
}

static struct src_loc cursor_place(struct reader *r, CXCursor c)
{
    return place(r, clang_getCursorLocation(c), NULL);
}

/* Is this place spelled in a macro's definition, not where the user sees it? */
static bool in_macro(CXSourceLocation location, void (*seen_at)(CXSourceLocation, CXFile *,
                                                                unsigned *, unsigned *, unsigned *))
{
    CXFile spelled = NULL, seen = NULL;
    unsigned at = 0, seen_offset = 0;
    clang_getSpellingLocation(location, &spelled, NULL, NULL, &at);
    seen_at(location, &seen, NULL, NULL, &seen_offset);
    return at != seen_offset || !clang_File_isEqual(spelled, seen);
}

static void read_extent(struct reader *r, struct ct_node *n, CXCursor c)
{
    CXSourceRange range = clang_getCursorExtent(c);
    CXSourceLocation from = clang_getRangeStart(range), to = clang_getRangeEnd(range);
    n->loc = cursor_place(r, c);
    n->begin_file = place(r, from, &n->begin).file;
    n->end_file = place(r, to, &n->end).file;
    n->end_in_macro = in_macro(to, clang_getFileLocation);
}

static bool same_extent(CXCursor a, CXCursor b)
{
    CXSourceRange x = clang_getCursorExtent(a), y = clang_getCursorExtent(b);
    return clang_equalLocations(clang_getRangeStart(x), clang_getRangeStart(y)) &&
           clang_equalLocations(clang_getRangeEnd(x), clang_getRangeEnd(y));
}

/* The text where a cursor begins as spelled, inside a macro's definition if it comes from one; at
 * most n bytes. */
static const char *spelled_text(struct reader *r, CXCursor c, size_t n)
{
    CXFile file = NULL;
    unsigned from = 0;
    size_t size = 0;
    clang_getSpellingLocation(clang_getRangeStart(clang_getCursorExtent(c)), &file, NULL, NULL,
                              &from);
    const char *text = file ? clang_getFileContents(r->tu, file, &size) : NULL;
    if (!text || from >= size)
        return "";
    return arena_strndup(&r->unit->arena, text + from, size - from < n ? size - from : n);
}

static enum CXChildVisitResult collect(CXCursor c, CXCursor parent, CXClientData data)
{
    (void)parent;
    cursor_vec *v = data;
    vec_push(v, c);
    return CXChildVisit_Continue;
}

static enum CXVisitorResult collect_field(CXCursor c, CXClientData data)
{
    cursor_vec *v = data;
    vec_push(v, c);
    return CXVisit_Continue;
}

static cursor_vec children(CXCursor c)
{
    cursor_vec v = {0};
    clang_visitChildren(c, collect, &v);
    return v;
}

/* The record of a cursor, or NULL: then `made` is entered. */
static void *find_or_enter(struct table *t, CXCursor c, void *made)
{
    uint64_t *slot = map_put(&t->first, clang_hashCursor(c), 0, NULL);
    for (uint64_t at = *slot; at; at = t->entries.data[at - 1].next)
        if (clang_equalCursors(t->entries.data[at - 1].cursor, c))
            return t->entries.data[at - 1].made;
    if (made) {
        vec_push(&t->entries, ((struct entry){c, made, *slot}));
        *slot = t->entries.len;
    }
    return NULL;
}

/* Types --------------------------------------------------------------------------------------- */

static enum ct_type_kind type_kind(CXType canonical, bool *is_signed)
{
    static const struct {
        enum CXTypeKind from;
        enum ct_type_kind to;
        bool is_signed;
    } kinds[] = {
#define TYPE(from, to, is_signed) {CXType_##from, CT_TYPE_##to, is_signed},
#include "frontend/clang_kinds.def"
#undef TYPE
    };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (kinds[i].from == canonical.kind) {
            *is_signed = kinds[i].is_signed;
            return kinds[i].to;
        }
    return CT_TYPE_OTHER;
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
    struct src_loc loc = cursor_place(r, decl);
    return arena_printf(&r->unit->arena, "%s at %u:%u", what, loc.line, loc.col);
}

static enum ct_type_kind underlying(CXCursor enum_decl, bool *is_signed)
{
    return type_kind(clang_getCanonicalType(clang_getEnumDeclIntegerType(enum_decl)), is_signed);
}

static ast_int enumerator_value(CXCursor c)
{
    bool is_signed = false;
    underlying(clang_getCursorSemanticParent(c), &is_signed);
    return is_signed ? (ast_int)clang_getEnumConstantDeclValue(c)
                     : (ast_int)clang_getEnumConstantDeclUnsignedValue(c);
}

static void read_enumerators(struct reader *r, struct ct_record *record, CXCursor decl)
{
    cursor_vec kids = children(decl);
    for (size_t i = 0; i < kids.len; i++)
        if (clang_getCursorKind(kids.data[i]) == CXCursor_EnumConstantDecl)
            vec_push(&record->fields,
                     ((struct ct_field){.name = keep(r, clang_getCursorSpelling(kids.data[i])),
                                        .value = enumerator_value(kids.data[i])}));
    vec_free(&kids);
}

static void read_fields(struct reader *r, struct ct_record *record, CXType type)
{
    cursor_vec fields = {0};
    clang_Type_visitFields(type, collect_field, &fields);
    for (size_t i = 0; i < fields.len; i++) {
        CXCursor f = fields.data[i];
        struct ct_field field = {.name = keep(r, clang_getCursorSpelling(f)),
                                 .loc = cursor_place(r, f),
                                 .is_bitfield = clang_Cursor_isBitField(f),
                                 .type = read_type(r, clang_getCursorType(f))};
        if (strchr(field.name, '(')) /* "(anonymous at …)": an unnamed member */
            field.name = "";
        read_attributes(r, &field.attributes, f);
        vec_push(&record->fields, field);
    }
    vec_free(&fields);
}

static struct ct_record *read_record(struct reader *r, CXType type)
{
    CXCursor decl = clang_getTypeDeclaration(type);
    struct ct_record *record = arena_new(&r->unit->arena, struct ct_record);
    struct ct_record *known = find_or_enter(&r->records, decl, record);
    if (known)
        return known;
    vec_push(&r->unit->all_records, record);
    record->loc = cursor_place(r, decl);
    record->name = tag_name(r, decl, clang_getUnqualifiedType(type));
    record->in_system = record->loc.file == DIAG_NO_FILE ||
                        clang_Location_isInSystemHeader(clang_getCursorLocation(decl));
    record->complete = clang_Type_getSizeOf(type) >= 0;
    if (type.kind == CXType_Enum)
        read_enumerators(r, record, decl);
    else
        read_fields(r, record, type);
    return record;
}

static const struct ct_type *read_type(struct reader *r, CXType written)
{
    CXType type = clang_getCanonicalType(written);
    struct ct_type *t = arena_new(&r->unit->arena, struct ct_type);
    t->kind = type_kind(type, &t->is_signed);
    t->spelling = keep(r, clang_getTypeSpelling(written));
    t->canonical = keep(r, clang_getTypeSpelling(clang_getUnqualifiedType(type)));
    t->is_const = clang_isConstQualifiedType(type);
    t->is_volatile = clang_isVolatileQualifiedType(type);
    /* clang's own placeholder types, such as that of a builtin's name, have none to ask for */
    long long size = t->kind == CT_TYPE_OTHER ? 0 : clang_Type_getSizeOf(type);
    t->size = size > 0 ? (uint64_t)size : 0;
    t->width = (uint8_t)(t->size <= 8 ? t->size * 8 : 0);
    switch (t->kind) {
    case CT_TYPE_STRUCT:
        t->record = read_record(r, type);
        if (clang_getCursorKind(clang_getTypeDeclaration(type)) == CXCursor_UnionDecl)
            t->kind = CT_TYPE_UNION;
        break;
    case CT_TYPE_ENUM:
        t->record = read_record(r, type);
        t->canonical = t->record->name;
        if (underlying(clang_getTypeDeclaration(type), &t->is_signed) != CT_TYPE_INT)
            t->kind = CT_TYPE_OTHER;
        break;
    case CT_TYPE_ARRAY:
        t->count = (uint64_t)clang_getArraySize(type);
        /* fall through */
    case CT_TYPE_INCOMPLETE_ARRAY:
    case CT_TYPE_VLA:
        t->elem = read_type(r, clang_getArrayElementType(type));
        t->is_const |= t->elem->is_const; /* qualifiers of an array are those of its elements */
        t->is_volatile |= t->elem->is_volatile;
        break;
    case CT_TYPE_POINTER:
        t->elem = read_type(r, clang_getPointeeType(type));
        break;
    case CT_TYPE_FUNCTION:
        t->elem = read_type(r, clang_getResultType(type));
        break;
    default:
        break;
    }
    return t;
}

/* Declarations -------------------------------------------------------------------------------- */

static void read_attributes(struct reader *r, ct_attributes *to, CXCursor c)
{
    cursor_vec kids = children(c);
    for (size_t i = 0; i < kids.len; i++) {
        enum CXCursorKind kind = clang_getCursorKind(kids.data[i]);
        struct ct_attribute a = {.loc = cursor_place(r, kids.data[i])};
        if (kind == CXCursor_AnnotateAttr)
            a.annotation = keep(r, clang_getCursorSpelling(kids.data[i]));
        else if (kind == CXCursor_UnexposedAttr)
            a.text = spelled_text(r, kids.data[i], 40);
        else
            continue;
        vec_push(to, a);
    }
    vec_free(&kids);
}

static enum ct_decl_kind decl_kind(enum CXCursorKind k)
{
    return k == CXCursor_VarDecl            ? CT_DECL_VAR
           : k == CXCursor_ParmDecl         ? CT_DECL_PARAM
           : k == CXCursor_FunctionDecl     ? CT_DECL_FUNC
           : k == CXCursor_EnumConstantDecl ? CT_DECL_ENUMERATOR
                                            : CT_DECL_OTHER;
}

/* The declaration that all mentions share.  Bodies and initialisers are not read here. */
static struct ct_decl *read_decl(struct reader *r, CXCursor c)
{
    CXCursor canonical = clang_getCanonicalCursor(c);
    struct ct_decl *decl = find_or_enter(&r->decls, canonical, NULL);
    if (decl)
        return decl;
    decl = arena_new(&r->unit->arena, struct ct_decl);
    find_or_enter(&r->decls, canonical, decl);
    vec_push(&r->unit->all_decls, decl);
    decl->kind = decl_kind(clang_getCursorKind(c));
    decl->name = keep(r, clang_getCursorSpelling(c));
    decl->loc = cursor_place(r, c);
    decl->in_system = clang_Location_isInSystemHeader(clang_getCursorLocation(c));
    decl->type = read_type(r, clang_getCursorType(c));
    decl->is_array =
        decl->kind == CT_DECL_PARAM && clang_getArrayElementType(clang_getCursorType(c)).kind;
    decl->is_extern = decl->kind == CT_DECL_VAR; /* until a definition shows up */
    if (decl->kind == CT_DECL_ENUMERATOR) {
        decl->value = enumerator_value(c);
        read_attributes(r, &decl->attributes, c); /* visar.h's ANY */
    }
    if (decl->kind == CT_DECL_FUNC) {
        CXType type = clang_getCanonicalType(clang_getCursorType(c));
        decl->is_variadic = type.kind == CXType_FunctionProto && clang_isFunctionTypeVariadic(type);
        decl->no_prototype = type.kind == CXType_FunctionNoProto;
        if (decl->in_system) /* visar.h's builtins; the user's own are read where they stand */
            read_attributes(r, &decl->attributes, c);
    }
    return decl;
}

static void read_definition(struct reader *r, struct ct_decl *decl, CXCursor c)
{
    decl->loc = cursor_place(r, c);
    decl->type = read_type(r, clang_getCursorType(c));
}

/* Is the name followed by `[]`?  (The type does not say: when the file ends, C makes it one of one
 * element.) */
static bool is_unsized(struct reader *r, const struct ct_decl *decl, CXCursor c)
{
    CXToken *tokens = NULL;
    unsigned count = 0, matched = 0;
    if (decl->type->kind != CT_TYPE_INCOMPLETE_ARRAY &&
        !(decl->type->kind == CT_TYPE_ARRAY && decl->type->count == 1))
        return false;
    clang_tokenize(
        r->tu,
        clang_getRange(clang_getCursorLocation(c), clang_getRangeEnd(clang_getCursorExtent(c))),
        &tokens, &count);
    for (unsigned i = 0; i < count && matched < 3; i++) {
        CXString s = clang_getTokenSpelling(r->tu, tokens[i]);
        const char *const expected[] = {decl->name, "[", "]"};
        bool same = !strcmp(clang_getCString(s), expected[matched]);
        matched = same ? matched + 1 : 0;
        clang_disposeString(s);
    }
    if (tokens)
        clang_disposeTokens(r->tu, tokens, count);
    return matched == 3;
}

static void read_var(struct reader *r, struct ct_decl *decl, CXCursor c)
{
    enum CXCursorKind parent = clang_getCursorKind(clang_getCursorSemanticParent(c));
    CXCursor init = clang_Cursor_getVarDeclInitializer(c);
    bool has_init = !clang_Cursor_isNull(init);
    decl->is_global = parent == CXCursor_TranslationUnit;
    decl->is_static = clang_Cursor_hasVarDeclGlobalStorage(c) > 0;
    decl->is_thread_local = clang_getCursorTLSKind(c) != CXTLS_None;
    if (clang_Cursor_getStorageClass(c) != CX_SC_Extern || has_init) {
        decl->is_extern = false;
        read_definition(r, decl, c); /* `extern int t[];` may have come first */
        decl->is_unsized = !has_init && is_unsized(r, decl, c);
    }
    if (has_init)
        decl->init = read_node(r, init);
    read_attributes(r, &decl->attributes, c);
}

static void read_func(struct reader *r, struct ct_decl *decl, CXCursor c)
{
    read_attributes(r, &decl->attributes, c);
    if (!clang_isCursorDefinition(c))
        return;
    read_definition(r, decl, c);
    cursor_vec kids = children(c);
    for (size_t i = 0; i < kids.len; i++) {
        enum CXCursorKind kind = clang_getCursorKind(kids.data[i]);
        if (kind == CXCursor_ParmDecl)
            vec_push(&decl->params, read_decl(r, kids.data[i]));
        else if (kind == CXCursor_CompoundStmt)
            decl->body = read_node(r, kids.data[i]);
    }
    vec_free(&kids);
}

/* Expressions and statements ------------------------------------------------------------------ */

/* *leaf: nothing below is of interest; the value is known, or the whole is refused. */
static enum ct_kind node_kind(CXCursor c, bool *leaf)
{
    static const struct {
        enum CXCursorKind from;
        enum ct_kind to;
        bool leaf;
    } kinds[] = {
#define NODE(from, to, leaf) {CXCursor_##from, CT_##to, leaf},
#include "frontend/clang_kinds.def"
#undef NODE
    };
    enum CXCursorKind k = clang_getCursorKind(c);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (kinds[i].from == k) {
            *leaf = kinds[i].leaf;
            return kinds[i].to;
        }
    *leaf = true;
    return clang_isExpression(k) || clang_isStatement(k) ? CT_OTHER : CT_ASIDE;
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

/* The offsets of the two semicolons of a for header, unless a macro hides them. */
static void read_semicolons(struct reader *r, struct ct_node *n, CXCursor c)
{
    if (in_macro(clang_getRangeStart(clang_getCursorExtent(c)), clang_getExpansionLocation))
        return;
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
                place(r, clang_getTokenLocation(r->tu, tokens[i]), &n->semicolons[found - 1]);
        }
        clang_disposeString(s);
    }
    if (tokens)
        clang_disposeTokens(r->tu, tokens, count);
    n->semicolons_known = plain && closed && found == 2;
}

static void read_kids(struct reader *r, struct ct_node *n, CXCursor c)
{
    cursor_vec kids = children(c);
    n->n_kids = (uint32_t)kids.len;
    n->kids = arena_array(&r->unit->arena, struct ct_node *, kids.len);
    for (size_t i = 0; i < kids.len; i++) {
        n->kids[i] = read_node(r, kids.data[i]);
        n->kids[i]->same_as_parent = same_extent(c, kids.data[i]);
        n->kids[i]->same_as_first = same_extent(kids.data[0], kids.data[i]);
    }
    vec_free(&kids);
}

/* What only nodes of this kind have. */
static void read_details(struct reader *r, struct ct_node *n, CXCursor c)
{
    switch (n->kind) {
    case CT_INTEGER:
    case CT_GENERIC:
        evaluate(n, c);
        break;
    case CT_REF:
        n->decl = read_decl(r, clang_getCursorReferenced(c));
        break;
    case CT_VAR_DECL:
        n->decl = read_decl(r, c);
        read_var(r, n->decl, c);
        break;
    case CT_TYPEDEF:
        n->type = read_type(r, clang_getTypedefDeclUnderlyingType(c));
        break;
    case CT_UNARY: {
        enum CXUnaryOperatorKind op = clang_getCursorUnaryOperatorKind(c);
        n->name = keep(r, clang_getUnaryOperatorKindSpelling(op));
        n->postfix = op == CXUnaryOperator_PostInc || op == CXUnaryOperator_PostDec;
        break;
    }
    case CT_BINARY:
        n->name =
            keep(r, clang_getBinaryOperatorKindSpelling(clang_getCursorBinaryOperatorKind(c)));
        break;
    case CT_FOR:
        read_semicolons(r, n, c);
        break;
    case CT_OTHER:
        n->name = keep(r, clang_getCursorKindSpelling(clang_getCursorKind(c)));
        break;
    default:
        break;
    }
}

static bool has_code(const struct ct_node *n)
{
    for (uint32_t i = 0; i < n->n_kids; i++)
        if (ct_is_code(n->kids[i]))
            return true;
    return false;
}

static struct ct_node *read_node(struct reader *r, CXCursor c)
{
    struct ct_node *n = arena_new(&r->unit->arena, struct ct_node);
    bool leaf, level = clang_getCursorKind(c) != CXCursor_UnexposedStmt; /* an attribute's */
    n->kind = node_kind(c, &leaf);
    n->name = keep(r, clang_getCursorSpelling(c));
    read_extent(r, n, c);
    if (clang_isExpression(clang_getCursorKind(c)))
        n->type = read_type(r, clang_getCursorType(c));
    r->depth += level;
    if (r->depth > AST_MAX_DEPTH) {
        n->kind = CT_TOO_DEEP;
    } else {
        read_details(r, n, c);
        if (!leaf)
            read_kids(r, n, c);
        if (n->kind == CT_UNEXPOSED && !has_code(n)) /* offsetof and the like */
            evaluate(n, c);
    }
    r->depth -= level;
    return n;
}

/* The unit ------------------------------------------------------------------------------------ */

static bool same_place(struct src_loc x, struct src_loc y)
{
    return x.file == y.file && x.line == y.line && x.col == y.col;
}

static void note_any(void *arg, enum ct_any where, CXSourceLocation at, CXCursor owner)
{
    struct reader *r = arg;
    struct ct_any_use use = {where, place(r, at, NULL)};
    r->unit->uses_any |= where != CT_ANY_SIZEOF_TABLE && where != CT_ANY_TOO_DEEP;
    if (where == CT_ANY_DIMENSION && clang_getCursorKind(owner) == CXCursor_VarDecl)
        read_decl(r, owner)->any_dims++;
    /* A struct's are met twice: in it, and in the variable that it is declared with. */
    for (size_t i = 0; i < r->unit->any_uses.len; i++)
        if (r->unit->any_uses.data[i].where == where &&
            same_place(r->unit->any_uses.data[i].loc, use.loc))
            return;
    vec_push(&r->unit->any_uses, use);
}

/* Of several declarations of a variable the one with the most dimensions counts: the others may
 * leave one out. */
static void find_any(struct reader *r, CXCursor c)
{
    struct ct_decl *decl = clang_getCursorKind(c) == CXCursor_VarDecl ? read_decl(r, c) : NULL;
    uint32_t before = decl ? decl->any_dims : 0;
    if (decl)
        decl->any_dims = 0;
    clang_find_any(c, note_any, r);
    if (decl && decl->any_dims < before)
        decl->any_dims = before;
}

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
    find_any(r, c);
    if (kind == CXCursor_UnexposedDecl && strcmp(spelled_text(r, c, 1), ";") != 0)
        vec_push(&r->unit->file_asm, place(r, location, NULL));
    if (kind != CXCursor_VarDecl && kind != CXCursor_FunctionDecl)
        return CXChildVisit_Continue;
    struct ct_decl *decl = read_decl(r, c);
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

/* A file that is too large for the memory limit is one that clang cannot open.  The words are the C
 * library's, and nobody's file has such a name. */
static void mind_memory(const char *text)
{
    const char *why = strerror(ENOMEM);
    size_t n = strlen(text), m = strlen(why);
    if (n > m && !strcmp(text + n - m, why))
        mem_exhausted();
}

static void add_diagnostic(struct reader *r, CXDiagnostic x, enum diag_level level)
{
    struct src_loc loc = place(r, clang_getDiagnosticLocation(x), NULL);
    CXString text = clang_getDiagnosticSpelling(x);
    mind_memory(clang_getCString(text));
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

/* What libclang and Z3 take for the smallest of programs. */
#define C_PROGRAM_MEGABYTES 120

/* Clang on the stack of the main thread, which is larger than one that it would make for itself,
 * and with our way to end a crash (base/crash.h). */
static CXIndex safe_index(void)
{
    setenv("LIBCLANG_NOTHREADS", "1", 1);
    CXIndex index = clang_createIndex(0, 0);
    clang_toggleCrashRecovery(0);
    return index;
}

bool ct_read(const char *file, const char *const *args, size_t n_args, bool show_warnings,
             struct diag_list *d, struct ct_unit *unit)
{
    struct reader r = {.unit = unit, .d = d};
    limit_phase("clang read %s", file);
    limit_needs(C_PROGRAM_MEGABYTES, "a C program");
    CXIndex index = safe_index();
    limit_allow(0.05); /* clang does not poll: there is nothing to wait for */
    enum CXErrorCode code =
        clang_parseTranslationUnit2(index, file, args, (int)n_args, NULL, 0, 0, &r.tu);
    limit_allow(LIMIT_GRACE_SECONDS);
    bool ok = false;
    if (limit_reached()) {
        diag_add(d, DIAG_ERROR, (struct src_loc){diag_file(d, file), 0, 0}, "%s", limit_text());
    } else if (code != CXError_Success || !r.tu) {
        diag_add(d, DIAG_ERROR, (struct src_loc){diag_file(d, file), 0, 0}, "%s",
                 code == CXError_Crashed ? "clang crashed while reading this file"
                                         : "clang cannot read this file with these flags");
    } else if (!pass_on_diagnostics(&r, show_warnings)) {
        ok = true;
        limit_phase("reading the tree of %s", file);
        clang_visitChildren(clang_getTranslationUnitCursor(r.tu), read_top, &r);
    }
    if (r.tu)
        clang_disposeTranslationUnit(r.tu);
    clang_disposeIndex(index);
    map_free(&r.decls.first);
    map_free(&r.records.first);
    vec_free(&r.decls.entries);
    vec_free(&r.records.entries);
    vec_free(&r.files);
    return ok;
}
