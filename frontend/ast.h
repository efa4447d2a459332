/* The typed syntax tree of a visar program: what the frontend hands to the executor.
 *
 * The tree does not depend on libclang.  By the time a program exists as an ast_program it has been
 * checked:  every node is inside the subset, all names are resolved, all implicit conversions are
 * CAST nodes, all constants are folded.  A consumer that meets something it cannot handle has found
 * a bug (assert) or a limit of its own (refuse), never a hole in the subset check.
 *
 * Places and values.  An expression is either a *place* (an lvalue: AST_VAR, AST_INDEX, AST_FIELD,
 * AST_DEREF; see ast_is_place) or a *value* (everything else).  A place is read only by AST_LOAD.
 * Places stand only under LOAD, ADDR, INDEX (base), FIELD (base), as the target of ASSIGN,
 * COMPOUND and INCDEC, and as the argument of locks (ast_is_lock) and fresh.  A discarded place
 * (`x;`,
 * `(void)x`, the left side of a comma) is a LOAD too.
 *
 * Pointers.  A pointer value is made by ADDR of a whole variable or of elements of one (a chain of
 * INDEX over VAR or DEREF, never through a FIELD), by LOAD of a pointer variable, by COND, COMMA or
 * ASSIGN of these.  Pointers are only dereferenced, copied, and passed as arguments to helpers: no
 * arithmetic, comparison, null, casts between target types, pointers to pointers, in structs or
 * arrays, or returned.  Every pointer local has an initialiser that runs before any use, and what a
 * pointer points to outlives the pointer.  So a dereference is always defined: the place it names
 * may be out of bounds only because an INDEX below its ADDR was (checked where ADDR is evaluated;
 * an ADDR of the one-past-the-end element counts as out of bounds).
 *
 * Uninitialised locals hold any value of their type (reading one is undefined in C; any value
 * covers every compiler), and so do the fields and elements of uninitialised structs and arrays;
 * until it is written, each read gives the same value.
 *
 * Evaluation order.  Programs with unsequenced conflicting side effects are refused, so
 * any order within C's rules gives the same result; consumers use left to right. */
#ifndef FRONTEND_AST_H
#define FRONTEND_AST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/c_integer.h"
#include "base/diag.h"

/* Wide enough for every value of every integer type of the subset (at most 64 bits). */
typedef c_int ast_int;

/* Types ------------------------------------------------------------------------------------------
 *
 * Types are unique: two types are the same type iff their addresses are equal.  Qualifiers are
 * dropped (writes to const objects have been refused).  Enums are their underlying integer type,
 * under their own name: `enum color` and `unsigned int` are then two ast_types of one shape, with
 * CASTs between them. */
enum ast_type_kind { AST_VOID, AST_INT, AST_STRUCT, AST_ARRAY, AST_POINTER };

struct ast_type {
    enum ast_type_kind kind;
    const char *name; /* as C would spell it: "unsigned int", "struct acct", "int[3][2]" */
    uint64_t size;    /* sizeof, in bytes; 0 for void */
    uint32_t id;      /* dense: an index into ast_program.types */
    /* AST_INT: the values are those of `width` bits.  bool: width 1, unsigned, and a CAST to it is
     * `!= 0`, not truncation; every other narrowing CAST keeps the low bits (two's complement). */
    uint8_t width; /* 1 (bool), 8, 16, 32, 64 */
    bool is_signed, is_bool, is_enum;
    const struct ast_enumerator *enumerators; /* of an enum, as declared */
    uint32_t n_enumerators;
    /* AST_STRUCT: fields in order (an anonymous struct member is a field whose name is "") */
    struct ast_field *fields;
    uint32_t n_fields;
    /* AST_ARRAY: count >= 1 elements, or AST_ANY_ROWS (then size is 0); AST_POINTER: the target */
    const struct ast_type *elem;
    uint64_t count;
};

/* A dimension of any size, `ANY`: as ast_type.count and ast_var.dims.  All of them are N rows, one
 * N for the whole program, which those who run the program choose. */
#define AST_ANY_ROWS UINT64_MAX

struct ast_enumerator {
    const char *name;
    ast_int value;
};

struct ast_field {
    const char *name;
    const struct ast_type *type;
    struct src_loc loc;
    bool presence; /* PRESENCE, of type bool: see ast_var.presence.  At most one in a struct, and
                      such a struct is in no other one */
};

/* Variables ----------------------------------------------------------------------------------- */
enum ast_var_kind {
    AST_VAR_DATABASE, /* rows: the whole variable if it is a scalar or struct, else each element of
                         the (innermost) array; fields of array type belong to their row */
    AST_VAR_CONST,    /* a const global or a static const local: `init` is its value */
    AST_VAR_LOCAL, /* lives from its declaration to the end of its block; one per execution of it */
    AST_VAR_PARAM
};

struct ast_var {
    enum ast_var_kind kind;
    const char *name;
    const struct ast_type *type;
    struct src_loc loc;
    uint32_t id;   /* DATABASE: the table id, dense in ast_program.tables; LOCAL, PARAM: dense in
                      ast_func.vars; CONST: dense in ast_program.consts */
    bool is_const; /* declared const (a const local may still have a non-constant initialiser) */
    /* DATABASE: the initial state that a C initialiser gives, before INITIAL runs (NULL: all zero).
     * CONST: its value.  Both consist of CONST and INIT nodes only.  LOCAL: see AST_STMT_DECL. */
    struct ast_expr *init;
    /* DATABASE only: the dimensions, outermost first, and the type of one row. */
    uint32_t n_dims;
    uint64_t *dims; /* AST_ANY_ROWS: any number of rows */
    const struct ast_type *row;
    /* DATABASE: the number of the field of the row that says whether the row exists, plus one; 0:
     * all rows exist. */
    uint32_t presence;
    /* DATABASE: it is declared GHOST and not in the database.  Transactions name it only in
     * expression statements that assign it, `g = e`, `g op= e`, `g++`, outside of ATOMIC; e reads
     * no other ghost, and reads g itself in no operation that can fail, call, condition or index.
     * INITIAL, INVARIANT and FINAL use it as any other variable; no CONSTRAINT mentions it, and
     * there are no pointers to it, locks of it, or calls of fresh on it. */
    bool is_ghost;
    /* PARAM of a predicate (ast_is_predicate), which holds for every value: used as an index
     * itself, it ranges over a dimension of that size (or AST_ANY_ROWS); 0: over its type. */
    uint64_t ranges;
};

/* Expressions --------------------------------------------------------------------------------- */
enum ast_expr_kind {
    /* places */
    AST_VAR,   /* var */
    AST_INDEX, /* a: place of array type; b: index value of any integer type, unchecked */
    AST_FIELD, /* a: place of struct type; field */
    AST_DEREF, /* a: pointer value */
    /* values */
    AST_CONST, /* value, within the range of an AST_INT type */
    AST_ANY,   /* the number of rows of a dimension of any size, of type int */
    AST_LOAD,  /* a: place of any type but array-at-top-level (structs may be loaded whole) */
    AST_ADDR,  /* a: place; the type is a pointer to its type */
    AST_CAST,  /* a: value; integer to integer, or anything to void */
    AST_UNARY, /* op: NEG, BITNOT (a has the node's type), LOGNOT (a integer, the result int 0/1) */
    AST_BINARY, /* op; arithmetic and bitwise: a, b, node have one type (width >= 32); shifts: a has
                   the node's type, b its own; comparisons: a, b have one type, the result is int
                   0/1 */
    AST_AND,    /* a && b, a || b: operands of any integer type, short circuit, int 0/1 */
    AST_OR,
    AST_COND, /* a ? b : c; a integer; b, c have the node's type (integer, struct, pointer, void) */
    AST_COMMA,    /* a, b */
    AST_ASSIGN,   /* a = b: place, value of its type (integer, struct, pointer); gives the new value
                   */
    AST_COMPOUND, /* a op= b: a = (type of a)((comp)a op b); b has type comp, but for shifts its
                     own; the place a is evaluated once; gives the new value */
    AST_INCDEC,   /* a = (type of a)((comp)a op 1), op ADD or SUB; gives the new value if prefix,
                     else the old one */
    AST_MEMBER,   /* field of a struct value a (`f().x`); the field's type is not an array */
    AST_INIT,     /* a struct or array value, every element present: args, in order (an array's
                     trailing zeros may be shared nodes); arrays only as initialisers or inside another
                     INIT */
    AST_CALL,     /* callee, args (values, of the parameters' types) */
    AST_BUILTIN   /* builtin, args */
};

enum ast_builtin {
    AST_ASSUME,   /* one argument of type bool */
    AST_ASSERT,   /* one argument of type bool; ast_text(args[0]) is the condition as written */
    AST_ROLLBACK, /* no arguments, does not return */
    AST_NONDET,   /* no arguments: any value of the node's type */
    /* One argument: a *place*, a row of the database or inside one.  If a pointer leads to a local
     * instead, there is no effect. */
    AST_FOR_UPDATE,
    AST_FOR_SHARE, /* likewise, in the weaker mode */
    /* One argument: a *place*, a row of the database or inside one.  The value, a bool, says that
     * the row was locked for update; otherwise another transaction has it.  It stands only as
     * ast_fold.skip. */
    AST_SKIP_LOCKED,
    /* One argument: a *place*, a table of which every dimension but the last is given (`account`,
     * `orders[w][d]`).  The value, of type int, is the last index of a new row: no other call of
     * fresh on the table with the same leading indices gets it, and the row is all zeros in the
     * state that the transaction's writes land on.  In transactions only. */
    AST_FRESH
};

struct ast_expr {
    enum ast_expr_kind kind;
    const struct ast_type *type;
    struct src_loc loc;  /* where a caret goes: the operator, the name, the parenthesis */
    uint32_t begin, end; /* bytes [begin, end) of file loc.file: the text as written; end 0: none */
    /* 1, 2, 3 … in source order within its function if this is a full expression (an expression
     * statement, an initialiser, a condition, a return value …), else 0.  Each evaluation of a full
     * expression is one *statement* of the RCS model; a call's body brings statements of its own.
     */
    uint32_t full;
    uint32_t id; /* unique and dense in the program: 0 … ast_program.n_exprs - 1 */

    struct ast_expr *a, *b, *c;
    enum c_operator op;
    bool prefix;                 /* INCDEC */
    const struct ast_type *comp; /* COMPOUND, INCDEC: the computation type */
    ast_int value;               /* CONST */
    struct ast_var *var;         /* VAR; SKIP_LOCKED: the index of its loop */
    uint32_t field;              /* FIELD, MEMBER: an index into the struct type's fields */
    struct ast_func *callee;     /* CALL */
    enum ast_builtin builtin;    /* BUILTIN */
    struct ast_expr **args;      /* CALL, BUILTIN, INIT */
    uint64_t n_args;
};

/* Statements ---------------------------------------------------------------------------------- */
enum ast_stmt_kind {
    AST_STMT_EXPR,   /* expr */
    AST_STMT_DECL,   /* var (LOCAL), expr: its initialiser or NULL; the variable is born here (a
                        jump may skip this: the variable then holds any value) */
    AST_STMT_BLOCK,  /* items */
    AST_STMT_IF,     /* expr, body, other (or NULL) */
    AST_STMT_SWITCH, /* expr (integer, promoted); items of its body, among them CASE and DEFAULT */
    AST_STMT_CASE, /* value, of the switch expression's type: a marker, only directly in a SWITCH */
    AST_STMT_DEFAULT, /* a marker likewise */
    AST_STMT_WHILE,   /* expr, body */
    AST_STMT_DO,      /* body, expr */
    AST_STMT_FOR,     /* init (or NULL: EXPR, DECL or BLOCK of DECLs), expr (or NULL: true),
                         step (an expression or NULL), body.  Variables of init live as long as the
                         loop. */
    AST_STMT_BREAK,   /* of the innermost loop or switch; never crosses a SESSION's border */
    AST_STMT_CONTINUE,
    AST_STMT_RETURN, /* expr (of the function's type) or NULL */
    AST_STMT_GOTO,   /* target: a LABEL further on, in this block or switch body or one around it */
    AST_STMT_LABEL,  /* name: a marker directly in a BLOCK or SWITCH */
    AST_STMT_SESSION, /* body: in SCENARIO functions only, never nested; calls run in one session */
    AST_STMT_ATOMIC,  /* body: one UPDATE; see struct ast_atomic */
    AST_STMT_EMPTY
};

/* The header `for (T i = lo; i < D; i++)` over a whole dimension, D a dimension of a table that the
 * body indexes by i, or ANY; nothing in the body assigns i, takes its address, or changes what lo
 * and D depend on.  Such a loop is a *fold* (one statement) if its body has one of the shapes that
 * the executor knows; the executor decides that. */
struct ast_fold {
    struct ast_var *index; /* i */
    struct ast_expr *lo;   /* a value */
    uint64_t size;         /* D; AST_ANY_ROWS: any */
    bool refuted;          /* set by the executor: the body has another shape (sx_classify) */
    /* The skip_locked of `if (… && skip_locked(t[i])) { …; break; }` (or return), the last
     * condition of an if that is all of the body and has no else; or NULL.  The row is named by the
     * index. */
    struct ast_expr *skip;
};

/* `ATOMIC body` is one UPDATE … WHERE … of rows of one table: one statement, whose reads have one
 * visible set.  The body assigns some row; it consists of expressions, ifs, switches and blocks,
 * possibly below one or more headers of folds (`ATOMIC for (…)`: an UPDATE of many rows).  It has
 * no other loops, declarations, labels, jumps, builtins, or calls of functions that write the
 * database or have builtins; it is not nested, and stands in no fold. */
struct ast_atomic {
    /* The IF directly behind ATOMIC, or behind the header of the innermost such fold: its condition
     * is the WHERE, which assigns nothing, and its `other` assigns locals only.  NULL: no WHERE. */
    struct ast_stmt *where;
    /* The table whose rows are changed.  NULL: they are named by a pointer, and several tables have
     * rows of its type; all rows are then named by that pointer. */
    struct ast_var *table;
    /* It may change more than one row; then it assigns no locals, and reads no row of the table
     * that it may have changed before, but for the columns of the row at hand. */
    bool many;
    /* The part below the headers of folds, `where` or else a statement; and the rows that it
     * assigns, as places, each name once.  Their indices are not set by the statement itself. */
    struct ast_stmt *core;
    const struct ast_expr **rows;
    size_t n_rows;
};

struct ast_stmt {
    enum ast_stmt_kind kind;
    struct src_loc loc;
    struct ast_expr *expr, *step;
    struct ast_stmt *init, *body, *other;
    struct ast_stmt **items; /* BLOCK, SWITCH */
    uint32_t n_items;
    struct ast_var *var;
    ast_int value;             /* CASE */
    const char *name;          /* LABEL */
    struct ast_stmt *target;   /* GOTO */
    struct ast_fold *fold;     /* FOR: the header of a fold, or NULL */
    struct ast_atomic *atomic; /* ATOMIC */
    uint32_t id;               /* unique and dense in the program: 0 … ast_program.n_stmts - 1 */
};

/* Functions and the program ------------------------------------------------------------------- */
enum ast_role {
    AST_HELPER,      /* called from the others; inlined */
    AST_TRANSACTION, /* called only from a SCENARIO; no pointer parameters */
    AST_INITIAL,     /* void (void); no rollback, locks, assert; nondet and assume are allowed */
    AST_INVARIANT,   /* bool or int; integer parameters: for every value (ast_var.ranges); reads the
                        database, has no other effect; no builtins */
    AST_FINAL,       /* as INVARIANT */
    AST_SCENARIO,  /* void (void); never called; calls transactions; does not touch the database */
    AST_CONSTRAINT /* as INVARIANT, but the database enforces it: who would make it false is rolled
                      back */
};

struct ast_func {
    enum ast_role role;
    const char *name;
    const struct ast_type *result; /* void, integer or struct */
    struct src_loc loc;            /* its name */
    struct ast_var **params;
    uint32_t n_params;
    struct ast_stmt *body; /* a BLOCK.  If a function with a result runs off its end, its value is
                              any value. */
    struct ast_var **vars; /* parameters first, then every local */
    uint32_t n_vars;
    uint32_t n_full; /* full expressions are numbered 1 … n_full */
    uint32_t id;     /* an index into ast_program.funcs */
    /* Including what it calls, directly or not: */
    bool reads, writes; /* the database (a lock counts as both) */
    bool recursive;     /* may call itself */
};

struct ast_program {
    struct arena arena; /* owns everything below */
    const char *file;   /* the main file, as given */
    uint32_t main_file; /* its id in the diag_list used for parsing */
    const struct ast_type **types;
    struct ast_var **tables; /* the database, in order of declaration */
    struct ast_var **consts;
    struct ast_func **funcs; /* all defined functions of the user's files, in order of definition */
    uint32_t n_types, n_tables, n_consts, n_funcs;
    uint32_t n_exprs, n_stmts;
    bool any; /* some dimension is ANY */
    /* Set by the executor (sx_classify): the sizes of dimensions of which bounded runs can show a
     * part (symexec/alike.c), and how many of their rows must be shown at least. */
    uint64_t *large;
    uint32_t n_large;
    uint64_t least_shown;
    uint32_t n_clang_warnings; /* clang's warnings that were not shown */
    /* The text of the source files that expressions come from, by file id (NULL if never needed).
     */
    const char **texts;
    uint32_t *text_sizes;
    const char **file_names; /* by file id, as in diagnostics */
    uint32_t n_texts;
};

/* The parser (parse.c) ------------------------------------------------------------------------ */
struct ast_options {
    /* Where to look for visar.h (and visar/assert.h): the first that has it counts.  Given by the
     * caller: beside the binary, the source tree … */
    const char *const *include_dirs;
    size_t n_include_dirs;
    const char *const *args; /* the compile flags given after `--`: -I, -D, -std=… */
    size_t n_args;
    /* A folder that has compile_commands.json with an entry for the file.  NULL: the nearest one in
     * the file's own folder or above is used if it has an entry.  Its flags come before `args`. */
    const char *compile_commands;
    bool no_compile_commands; /* do not search */
    bool warnings;            /* pass on clang's warnings too */
};

/* Parse and check.  False if there was an error: then *out is NULL, and d says what is wrong (all
 * of it, in source order).  `file` must be readable; "-" is not supported. */
bool ast_parse(const char *file, const struct ast_options *options, struct diag_list *d,
               struct ast_program **out);
void ast_free(struct ast_program *p);

/* A program is at most this many levels of expressions and statements deep, so that consumers may
 * recurse. */
#define AST_MAX_DEPTH 2000

/* Helpers (ast.c) ----------------------------------------------------------------------------- */
bool ast_is_place(const struct ast_expr *e);
/* The source text of an expression, with runs of white space (and comments) made one blank; from
 * the arena. */
const char *ast_text(struct ast_program *p, const struct ast_expr *e);
const struct ast_func *ast_find_func(const struct ast_program *p, const char *name);
/* The enumerator of an enum type that has the value (the first declared), or NULL. */
const char *ast_enumerator(const struct ast_type *t, ast_int value);
const char *ast_op_text(enum c_operator op); /* "+", "<<", "~" … */
const char *ast_role_name(enum ast_role r);  /* "TRANSACTION" …, "helper" */
const char *ast_builtin_name(enum ast_builtin b);
static inline bool ast_is_lock(enum ast_builtin b) /* its argument is a row, which it locks */
{
    return b == AST_FOR_UPDATE || b == AST_FOR_SHARE || b == AST_SKIP_LOCKED;
}
static inline bool ast_is_predicate(enum ast_role r)
{
    return r == AST_INVARIANT || r == AST_FINAL || r == AST_CONSTRAINT;
}

/* An AST_INT type as base/c_integer.h has it. */
static inline struct c_type ast_int_type(const struct ast_type *t)
{
    return (struct c_type){t->width, t->is_signed};
}
/* Its least and its greatest value; v reduced to the type as a CAST does. */
static inline ast_int ast_int_min(const struct ast_type *t)
{
    return c_min(ast_int_type(t));
}
static inline ast_int ast_int_max(const struct ast_type *t)
{
    return c_max(ast_int_type(t));
}
static inline ast_int ast_int_cast(const struct ast_type *t, ast_int v)
{
    return c_convert(ast_int_type(t), v);
}

/* `--dump ast`: readable, stable (ast_print.c). */
void ast_print(const struct ast_program *p, FILE *out);

#endif
