/* The reader of libclang's tree: what the clang_*.c files share.  Nobody else includes this. */
#ifndef FRONTEND_CLANG_READER_H
#define FRONTEND_CLANG_READER_H

#include <clang-c/Index.h>

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

/* clang_reader.c */
typedef VEC(CXCursor) cursor_vec;
const char *cr_keep(struct reader *r,
                    CXString s); /* a copy in the unit's arena; s is disposed of */
/* Where the user sees it: a macro's use, not its definition; *offset, if given, in bytes. */
struct src_loc cr_place(struct reader *r, CXSourceLocation location, unsigned *offset);
void cr_extent(struct reader *r, struct ct_node *n, CXCursor c);
bool cr_same_extent(CXCursor a, CXCursor b);
/* The text where a cursor begins as spelled, inside a macro's definition if it comes from one; at
 * most n - 1 bytes. */
void cr_spelled(struct reader *r, CXCursor c, char *out, size_t n);
cursor_vec cr_children(CXCursor c);
/* Those that are expressions or statements: not types, attributes, nested declarations. */
cursor_vec cr_body_children(CXCursor c);
bool cr_is_code(CXCursor c);

/* clang_type.c */
const struct ct_type *cr_type(struct reader *r, CXType written);
const struct ct_type *cr_adjusted(struct reader *r, const struct ct_type *t);
enum ct_type_kind cr_scalar_kind(enum CXTypeKind k, bool *is_signed);

/* clang_tree.c */
struct ct_decl *cr_decl(struct reader *r, CXCursor c); /* the one that all mentions share */
void cr_read_var(struct reader *r, struct ct_decl *decl, CXCursor c);

/* clang_expr.c */
void cr_expr(struct reader *r, struct ct_node *n, CXCursor c);
void cr_adjust(struct reader *r, struct ct_node *n);
void cr_set_kids(struct reader *r, struct ct_node *n, const CXCursor *kids, size_t count);
void cr_read_kids(struct reader *r, struct ct_node *n, CXCursor c, bool only_last);
void cr_other(struct reader *r, struct ct_node *n, CXCursor c);

/* clang_stmt.c */
struct ct_node *cr_node(struct reader *r, CXCursor c); /* statement or expression */

#endif
