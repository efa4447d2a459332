/* What libclang says about a translation unit, as a plain tree.
 *
 * clang.c alone knows libclang: it copies declarations, types, statements and expressions of the
 * user's files into the structures below, as libclang shows them.  clang_tree.c then settles what
 * they mean: implicit conversions, the parts of a `for`, the function that is called, the text that
 * an expression has for a reader.  Neither file decides what is allowed; whatever has no kind of
 * its own becomes a CT_OTHER node or a CT_TYPE_OTHER type, which the builder refuses.  Declarations
 * are unique: all mentions of a variable share one ct_decl. */
#ifndef FRONTEND_CLANG_TREE_H
#define FRONTEND_CLANG_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/vec.h"
#include "frontend/ast.h"

enum ct_type_kind {
    CT_TYPE_VOID,
    CT_TYPE_BOOL,
    CT_TYPE_INT,
    CT_TYPE_ENUM, /* width and sign of its underlying type */
    CT_TYPE_STRUCT,
    CT_TYPE_UNION,
    CT_TYPE_ARRAY,
    CT_TYPE_INCOMPLETE_ARRAY,
    CT_TYPE_VLA,
    CT_TYPE_POINTER,
    CT_TYPE_FUNCTION,
    CT_TYPE_FLOAT,
    CT_TYPE_COMPLEX,
    CT_TYPE_INT128,
    CT_TYPE_ATOMIC,
    CT_TYPE_OTHER
};

struct ct_type {
    enum ct_type_kind kind;
    const char *spelling; /* as the user wrote it, typedefs and all */
    const char *canonical;
    bool is_const, is_volatile;
    uint64_t size;
    uint8_t width;
    bool is_signed;
    const struct ct_type *elem; /* array, pointer; the result of a function */
    uint64_t count;
    struct ct_record *record; /* struct, union, enum */
};

struct ct_attribute {
    const char *annotation; /* the string of annotate("…"), or NULL */
    const char *text;       /* of the others: how it begins, as spelled */
    struct src_loc loc;
};

typedef VEC(struct ct_attribute) ct_attributes;

struct ct_field {
    const char *name; /* "" if it has none */
    const struct ct_type *type;
    struct src_loc loc;
    bool is_bitfield;
    ct_attributes attributes;
    ast_int value; /* of an enumerator; it has no type and place here */
};

/* A struct, a union, or an enum: then the fields are its enumerators. */
struct ct_record {
    const char *name; /* "struct acct"; its place in the file if it has no name */
    struct src_loc loc;
    bool complete, in_system;
    VEC(struct ct_field) fields;
    /* the builder's own: what became of it */
    const struct ast_type *ast;
    bool refused;
};

enum ct_decl_kind { CT_DECL_VAR, CT_DECL_PARAM, CT_DECL_FUNC, CT_DECL_ENUMERATOR, CT_DECL_OTHER };

struct ct_decl {
    enum ct_decl_kind kind;
    const char *name;
    const struct ct_type *type; /* of a function: its type */
    struct src_loc loc;
    bool in_system; /* declared in a system header */
    ct_attributes attributes;
    VEC(const char *)
    words; /* visar's annotations, "database", "transaction", … of all redeclarations */
    VEC(struct src_loc) word_locs;
    /* variables */
    bool is_global; /* at file scope */
    bool is_static; /* static storage duration (a global or a static local) */
    bool is_extern; /* only declared so far, not defined */
    bool is_thread_local;
    bool is_array;     /* a parameter: written as an array, though C makes it a pointer */
    bool is_unsized;   /* `int t[];`, of which C makes an array of one element */
    uint32_t any_dims; /* dimensions that are written ANY */
    const char
        *strange_attribute; /* an attribute that may change what the variable means, or NULL */
    struct src_loc strange_loc;
    struct ct_node *init;
    /* functions */
    bool is_variadic, no_prototype;
    VEC(struct ct_decl *) params;
    struct ct_node *body;
    /* enumerators */
    ast_int value;
    /* the builder's own: what became of it */
    struct ast_var *var;
    struct ast_func *func;
    bool refused;
};

enum ct_kind {
    /* expressions */
    CT_INTEGER, /* value: integer and character literals, sizeof, offsetof … */
    CT_FLOATING,
    CT_IMAGINARY,
    CT_STRING,
    CT_REF,       /* decl */
    CT_MEMBER,    /* name; kid 0: the struct or the pointer to it; arrow */
    CT_SUBSCRIPT, /* kids: base, index, as written */
    CT_CALL,      /* decl: the function if it is called by name, else NULL; kids: the arguments */
    CT_UNARY,     /* op: a CT_OP; kid 0 */
    CT_BINARY,    /* op; kids 0, 1 */
    CT_ASSIGN,    /* op CT_OP_NONE for =, else the operator of a compound assignment */
    CT_COND,
    CT_CAST, /* explicit */
    CT_IMPLICIT,
    CT_PAREN,
    CT_COMPOUND_LITERAL, /* kid 0: the initialiser list */
    CT_INIT_LIST,
    CT_DESIGNATED, /* kids: CT_DESIGNATOR_FIELD (name) or index expressions, then the value */
    CT_DESIGNATOR_FIELD,
    CT_GENERIC, /* value if has_value */
    CT_ELVIS,   /* a ?: b; kid 0: b */
    CT_STMT_EXPR,
    CT_ADDR_LABEL,
    /* statements */
    CT_COMPOUND,
    CT_DECL_STMT,   /* kids: CT_VAR_DECL; CT_TYPEDEF if it evaluates a size; others left out */
    CT_VAR_DECL,    /* decl */
    CT_TYPEDEF,     /* type */
    CT_IF,          /* kids: condition, then, else or NULL */
    CT_SWITCH,      /* kids: condition, body */
    CT_CASE,        /* kids: value, (end of a range,) statement */
    CT_DEFAULT,     /* kid: statement */
    CT_WHILE,       /* kids: condition, body */
    CT_DO,          /* kids: body, condition */
    CT_FOR,         /* kids: init, condition, step, body, each but the last may be NULL */
    CT_FOR_UNCLEAR, /* which part is missing cannot be told */
    CT_SESSION,     /* kid 0: the body */
    CT_ATOMIC,      /* kid 0: the body */
    CT_BREAK,
    CT_CONTINUE,
    CT_RETURN, /* kid 0 or none */
    CT_GOTO,   /* name */
    CT_INDIRECT_GOTO,
    CT_LABEL, /* name; kid 0: the statement */
    CT_NULL,
    CT_ASM,
    CT_TOO_DEEP, /* an expression or statement more than AST_MAX_DEPTH levels down: not read */
    CT_OTHER,    /* name: what libclang calls it */
    /* only until clang_tree.c has settled what they are */
    CT_UNEXPOSED,      /* an expression: implicit conversion, designated initialiser, offsetof … */
    CT_UNEXPOSED_STMT, /* a statement with an attribute */
    CT_LABEL_REF,      /* name: below CT_GOTO */
    CT_ASIDE           /* neither expression nor statement: a type, an attribute … */
};

/* Operators, in clang's terms but our numbering. */
enum ct_op {
    CT_OP_NONE,
    CT_OP_POSTINC,
    CT_OP_POSTDEC,
    CT_OP_PREINC,
    CT_OP_PREDEC,
    CT_OP_ADDR,
    CT_OP_DEREF,
    CT_OP_PLUS,
    CT_OP_MINUS,
    CT_OP_NOT,
    CT_OP_LNOT,
    CT_OP_EXTENSION,
    CT_OP_MUL,
    CT_OP_DIV,
    CT_OP_REM,
    CT_OP_ADD,
    CT_OP_SUB,
    CT_OP_SHL,
    CT_OP_SHR,
    CT_OP_LT,
    CT_OP_GT,
    CT_OP_LE,
    CT_OP_GE,
    CT_OP_EQ,
    CT_OP_NE,
    CT_OP_AND,
    CT_OP_XOR,
    CT_OP_OR,
    CT_OP_LAND,
    CT_OP_LOR,
    CT_OP_COMMA,
    CT_OP_OTHER
};

struct ct_node {
    enum ct_kind kind;
    enum ct_op op;
    bool arrow, has_value;
    struct src_loc loc;
    uint32_t begin, end;
    const struct ct_type *type; /* expressions */
    const char *name;
    struct ct_decl *decl;
    ast_int value;
    struct ct_node **kids;
    uint32_t n_kids;
    /* Facts for clang_tree.c; the builder does not need them. */
    uint32_t begin_file, end_file; /* the files of `begin` and `end` */
    bool end_in_macro;             /* the end is spelled in a macro's definition */
    bool same_as_parent;           /* the extent is exactly that of the node above … */
    bool same_as_first;            /* … or of the first node below the same one */
    bool postfix;                  /* ++ and --; the operator itself is in `name` until settled */
    bool semicolons_known;         /* of a for header: their offsets */
    unsigned semicolons[2];
};

/* Where the program says ANY.  To clang it is the number CT_ANY_ROWS, as visar.h has it; what has
 * that many elements has ANY rows if ANY is mentioned at all. */
#define CT_ANY_ROWS 7919

enum ct_any {
    CT_ANY_VALUE,        /* in an expression: a CT_REF to the enumerator with the word "any" */
    CT_ANY_DIMENSION,    /* the whole of a dimension */
    CT_ANY_ARITHMETIC,   /* inside one */
    CT_ANY_ENUMERATOR,   /* in the value of an enumerator */
    CT_ANY_SIZEOF,       /* in the operand of sizeof and the like */
    CT_ANY_SIZEOF_TABLE, /* not ANY itself, but sizeof of an array of CT_ANY_ROWS elements */
    CT_ANY_STATIC_ASSERT,
    CT_ANY_TOO_DEEP /* perhaps: this is nested too deep to look into */
};

struct ct_any_use {
    enum ct_any where;
    struct src_loc loc;
};

struct ct_unit {
    struct arena arena;
    VEC(struct ct_decl *)
    decls; /* variables and functions at file scope of the user's files, in order */
    VEC(struct src_loc) file_asm;    /* declarations at file scope that are none of C's: asm */
    VEC(struct ct_decl *) all_decls; /* whatever was mentioned */
    VEC(struct ct_record *) all_records;
    VEC(struct ct_any_use) any_uses;
    bool uses_any;           /* some of them is ANY itself */
    VEC(const char *) texts; /* by file id; from the arena */
    VEC(uint32_t) text_sizes;
    size_t warnings;
};

/* False if clang found errors (they are in d then).  With show_warnings its warnings go to d too.
 * The unit must be freed in either case. */
bool ct_parse(const char *file, const char *const *args, size_t n_args, bool show_warnings,
              struct diag_list *d, struct ct_unit *unit);
void ct_free(struct ct_unit *unit);

/* An expression or a statement. */
bool ct_is_code(const struct ct_node *n);

/* clang.c: the first half of ct_parse, as libclang shows it. */
bool ct_read(const char *file, const char *const *args, size_t n_args, bool show_warnings,
             struct diag_list *d, struct ct_unit *unit);
/* clang_text.c: the text that a node has for a reader, where macros are involved. */
void ct_settle_extent(const struct ct_unit *unit, struct ct_node *n);

#endif
