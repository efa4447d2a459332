/* Types, from libclang's to ct_type. */
#include <string.h>

#include "frontend/clang_reader.h"

static enum CXVisitorResult collect_field(CXCursor c, CXClientData data)
{
    cursor_vec *v = data;
    vec_push(v, c);
    return CXVisit_Continue;
}

/* "struct acct"; "struct at 7:9" if it has no name (clang's own text would hold a path). */
static const char *tag_name(struct reader *r, CXCursor decl, CXType type)
{
    const char *name = cr_keep(r, clang_getTypeSpelling(type));
    if (!strchr(name, '('))
        return name;
    enum CXCursorKind k = clang_getCursorKind(decl);
    const char *what = k == CXCursor_UnionDecl  ? "union"
                       : k == CXCursor_EnumDecl ? "enum"
                                                : "struct";
    struct src_loc loc = cr_place(r, clang_getCursorLocation(decl), NULL);
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
    record->loc = cr_place(r, clang_getCursorLocation(decl), NULL);
    record->name = tag_name(r, decl, clang_getUnqualifiedType(clang_getCanonicalType(type)));
    record->in_system = record->loc.file == DIAG_NO_FILE ||
                        clang_Location_isInSystemHeader(clang_getCursorLocation(decl));
    record->complete = clang_Type_getSizeOf(type) >= 0;
    cursor_vec fields = {0};
    clang_Type_visitFields(type, collect_field, &fields);
    for (size_t i = 0; i < fields.len; i++) {
        CXCursor f = fields.data[i];
        struct ct_field field = {0};
        field.name = cr_keep(r, clang_getCursorSpelling(f));
        if (strchr(field.name, '(')) /* "(anonymous at …)": an unnamed member */
            field.name = "";
        field.loc = cr_place(r, clang_getCursorLocation(f), NULL);
        field.is_bitfield = clang_Cursor_isBitField(f);
        field.type = cr_type(r, clang_getCursorType(f));
        vec_push(&record->fields, field);
    }
    vec_free(&fields);
    return record;
}

enum ct_type_kind cr_scalar_kind(enum CXTypeKind k, bool *is_signed)
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
    t->elem = cr_type(r, clang_getArrayElementType(type));
    if (t->kind == CT_TYPE_ARRAY)
        t->count = (uint64_t)clang_getArraySize(type);
    t->is_const |= t->elem->is_const; /* qualifiers of an array are those of its elements */
    t->is_volatile |= t->elem->is_volatile;
}

const struct ct_type *cr_type(struct reader *r, CXType written)
{
    CXType type = clang_getCanonicalType(written);
    struct ct_type *t = arena_new(&r->unit->arena, struct ct_type);
    t->spelling = cr_keep(r, clang_getTypeSpelling(written));
    t->canonical = cr_keep(r, clang_getTypeSpelling(clang_getUnqualifiedType(type)));
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
        enum ct_type_kind k = cr_scalar_kind(clang_getCanonicalType(under).kind, &t->is_signed);
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
        t->elem = cr_type(r, clang_getPointeeType(type));
        break;
    case CXType_FunctionProto:
    case CXType_FunctionNoProto:
        t->kind = CT_TYPE_FUNCTION;
        t->elem = cr_type(r, clang_getResultType(type));
        break;
    default:
        t->kind = cr_scalar_kind(type.kind, &t->is_signed);
    }
    t->width = (uint8_t)(t->size <= 8 ? t->size * 8 : 0);
    return t;
}

/* libclang gives a parameter declared as an array, and whatever has its type, the array type; to C
 * it is a pointer. */
const struct ct_type *cr_adjusted(struct reader *r, const struct ct_type *t)
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
