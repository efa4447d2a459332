/* From libclang to the plain tree of clang_tree.h: declarations, diagnostics and the unit as a
 * whole.  (Types, expressions and statements: clang_type.c, clang_expr.c, clang_stmt.c; no other
 * file knows libclang.)
 *
 * libclang has kinds for a few attributes only: the others are read from the text where they are
 * spelled. */
#include <ctype.h>
#include <string.h>

#include "frontend/clang_reader.h"

/* Declarations -------------------------------------------------------------------------------- */

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
    cursor_vec kids = cr_children(c);
    for (size_t i = 0; i < kids.len; i++) {
        CXCursor k = kids.data[i];
        enum CXCursorKind kind = clang_getCursorKind(k);
        if (kind == CXCursor_AnnotateAttr) {
            const char *word = cr_keep(r, clang_getCursorSpelling(k));
            if (strncmp(word, "visar.", 6) != 0)
                continue;
            vec_push(&decl->words, word + 6);
            vec_push(&decl->word_locs, cr_place(r, clang_getCursorLocation(k), NULL));
        } else if (kind == CXCursor_UnexposedAttr && decl->kind == CT_DECL_VAR) {
            char text[40];
            cr_spelled(r, k, text, sizeof text);
            if (harmless_attribute(text))
                continue;
            text[strcspn(text, "() ,;\n")] = '\0';
            decl->strange_attribute = arena_strdup(&r->unit->arena, text);
            decl->strange_loc = cr_place(r, clang_getCursorLocation(k), NULL);
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
struct ct_decl *cr_decl(struct reader *r, CXCursor c)
{
    bool fresh;
    struct ct_decl *decl = find_decl(r, clang_getCanonicalCursor(c), &fresh);
    if (!fresh)
        return decl;
    decl->kind = decl_kind(c);
    decl->name = cr_keep(r, clang_getCursorSpelling(c));
    decl->loc = cr_place(r, clang_getCursorLocation(c), NULL);
    decl->in_system = clang_Location_isInSystemHeader(clang_getCursorLocation(c));
    decl->type = cr_type(r, clang_getCursorType(c));
    if (decl->kind == CT_DECL_ENUMERATOR) {
        CXType under = clang_getEnumDeclIntegerType(clang_getCursorSemanticParent(c));
        bool is_signed;
        cr_scalar_kind(clang_getCanonicalType(under).kind, &is_signed);
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
        decl->type = cr_adjusted(r, decl->type);
    /* visar.h's builtins; what the user declares is read where it is declared */
    if (decl->kind == CT_DECL_FUNC && decl->in_system)
        read_attributes(r, decl, c);
    return decl;
}

void cr_read_var(struct reader *r, struct ct_decl *decl, CXCursor c)
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
        decl->loc = cr_place(r, clang_getCursorLocation(c), NULL);
        decl->type = cr_type(r, clang_getCursorType(c));
    }
    if (has_init)
        decl->init = cr_node(r, init);
    read_attributes(r, decl, c);
}

static void read_func(struct reader *r, struct ct_decl *decl, CXCursor c)
{
    read_attributes(r, decl, c);
    if (!clang_isCursorDefinition(c))
        return;
    decl->loc = cr_place(r, clang_getCursorLocation(c), NULL);
    decl->type = cr_type(r, clang_getCursorType(c));
    cursor_vec kids = cr_children(c);
    for (size_t i = 0; i < kids.len; i++) {
        CXCursor k = kids.data[i];
        if (clang_getCursorKind(k) == CXCursor_ParmDecl) {
            struct ct_decl *param = cr_decl(r, k);
            vec_push(&decl->params, param);
        } else if (clang_getCursorKind(k) == CXCursor_CompoundStmt) {
            decl->body = cr_node(r, k);
        }
    }
    vec_free(&kids);
}

/* The unit ------------------------------------------------------------------------------------ */

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
        cr_spelled(r, c, text, sizeof text);
        if (text[0] != ';') /* not just a stray semicolon */
            vec_push(&r->unit->file_asm, cr_place(r, location, NULL));
    }
    if (kind != CXCursor_VarDecl && kind != CXCursor_FunctionDecl)
        return CXChildVisit_Continue;
    struct ct_decl *decl = cr_decl(r, c);
    bool known = false;
    for (size_t i = r->unit->decls.len; i-- > 0 && !known;)
        known = r->unit->decls.data[i] == decl;
    if (!known)
        vec_push(&r->unit->decls, decl);
    decl->in_system = false;
    if (kind == CXCursor_VarDecl)
        cr_read_var(r, decl, c);
    else
        read_func(r, decl, c);
    return CXChildVisit_Continue;
}

static void add_diagnostic(struct reader *r, CXDiagnostic x, enum diag_level level)
{
    struct src_loc loc = cr_place(r, clang_getDiagnosticLocation(x), NULL);
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
