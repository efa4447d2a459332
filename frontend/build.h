/* The builder: from clang's tree to the AST, refusing what is outside the subset on the way.
 *
 * Every build function returns NULL for what was refused, and every node above a NULL silently
 * becomes NULL, too: only the function that refuses reports.  Siblings are built nevertheless, so
 * that one run names every place. */
#ifndef FRONTEND_BUILD_H
#define FRONTEND_BUILD_H

#include "frontend/ast.h"
#include "frontend/clang_tree.h"

enum refusal {
#define REFUSE(id, text, hint) REFUSE_##id,
#include "frontend/refuse.def"
#undef REFUSE
    REFUSE_COUNT
};

struct fe_scope { /* a block, for the lifetimes of what pointers point to */
    uint32_t parent;
};

struct builder {
    struct ct_unit *unit;
    struct diag_list *d;
    struct ast_program *p;
    struct arena *arena; /* the program's */
    VEC(struct ast_type *) types;
    VEC(struct ast_var *) tables;
    VEC(struct ast_var *) consts;
    VEC(struct ast_func *) funcs;
    VEC(struct ct_decl *) func_decls; /* of funcs, in step */
    /* the function being built */
    struct ast_func *func;
    VEC(struct ast_var *) vars;
    VEC(uint32_t) var_scopes; /* of vars, in step: an index into scopes */
    VEC(struct fe_scope) scopes;
    uint32_t scope;
    uint32_t n_full;
    uint32_t breakable, continuable; /* loops and switches around, up to the next SESSION */
    bool in_session;
    enum fe_atomic { FE_NOT_ATOMIC, FE_ATOMIC_HEAD, FE_ATOMIC_BODY } atomic; /* build_atomic */
    /* Type refusals already made in this full expression: one report of each is enough. */
    bool reported[REFUSE_COUNT];
};

/* refuse.c */
void refuse(struct builder *b, struct src_loc loc, enum refusal why, ...);
/* Once for each full expression. */
void refuse_once(struct builder *b, struct src_loc loc, enum refusal why, ...);
/* With a hint of its own. */
void refuse_with(struct builder *b, struct src_loc loc, enum refusal why, const char *hint, ...);
/* The words themselves: the format of the message, the hint. */
const char *refuse_message(enum refusal why);
const char *refuse_hint(enum refusal why);
/* What to write instead of a well-known library function, or NULL. */
const char *refuse_library_hint(const char *name);

/* build_type.c */
/* A type for an expression, a variable …; NULL and a report at loc if it is outside the subset. */
const struct ast_type *fe_type(struct builder *b, const struct ct_type *t, struct src_loc loc);
const struct ast_type *fe_int_type(struct builder *b, const char *name, uint8_t width,
                                   bool is_signed);
const struct ast_type *fe_pointer_type(struct builder *b, const struct ast_type *target);
/* The promoted type, and the common type of the usual arithmetic conversions
 * (C11 6.3.1.1, 6.3.1.8). */
const struct ast_type *fe_promote(struct builder *b, const struct ast_type *t);
const struct ast_type *fe_common(struct builder *b, const struct ast_type *x,
                                 const struct ast_type *y);

/* build_expr.c */
struct ast_expr *fe_expr(struct builder *b, const struct ct_node *n);  /* place or value */
struct ast_expr *fe_value(struct builder *b, const struct ct_node *n); /* a place becomes a LOAD */
struct ast_expr *fe_condition(struct builder *b, const struct ct_node *n); /* an integer value */
/* A value of the given type: integer conversions become CASTs.  NULL (and a report) if there is
 * none. */
struct ast_expr *fe_convert(struct builder *b, struct ast_expr *e, const struct ast_type *to);
struct ast_expr *fe_node(struct builder *b, enum ast_expr_kind kind, const struct ast_type *type,
                         const struct ct_node *at);
struct ast_expr *fe_const(struct builder *b, const struct ast_type *type, ast_int value,
                          const struct ct_node *at);
const struct ast_type *fe_int(struct builder *b); /* the type int */
/* A node that takes its place and text from another one of ours, its operand. */
struct ast_expr *fe_wrap(struct builder *b, enum ast_expr_kind kind, const struct ast_type *type,
                         struct ast_expr *a);
/* The place that a pointer expression points to. */
struct ast_expr *fe_target(struct builder *b, const struct ct_node *pointer,
                           const struct ct_node *at);
/* Report what is wrong further down, below something that is refused as a whole; returns NULL. */
struct ast_expr *fe_refuse_kids(struct builder *b, const struct ct_node *n);
/* Begin a full expression; number one that was built. */
void fe_begin_full(struct builder *b);
struct ast_expr *fe_full(struct builder *b, struct ast_expr *e);

/* build_op.c */
struct ast_expr *fe_unary(struct builder *b, const struct ct_node *n);
struct ast_expr *fe_binary(struct builder *b, const struct ct_node *n);
struct ast_expr *fe_assign(struct builder *b, const struct ct_node *n);
struct ast_expr *fe_cond(struct builder *b, const struct ct_node *n);

/* build_call.c */
struct ast_expr *fe_call(struct builder *b, const struct ct_node *n);

/* build_pointer.c */
/* &place and array decay, with the checks on what may be pointed to. */
struct ast_expr *fe_address(struct builder *b, struct ast_expr *place, const struct ct_node *at);
/* Conversions between pointer types: NULL if refused. */
struct ast_expr *fe_convert_pointer(struct builder *b, struct ast_expr *e,
                                    const struct ct_type *from, const struct ct_type *to,
                                    const struct ct_node *at);
/* May this pointer variable hold that value: does everything it may point to live long enough? */
bool fe_check_lifetime(struct builder *b, const struct ast_var *pointer,
                       const struct ast_expr *value, struct src_loc loc);

/* build_init.c */
/* The value of an initialiser for an object of this type. */
struct ast_expr *fe_initializer(struct builder *b, const struct ast_type *type,
                                const struct ct_node *init);
struct ast_expr *fe_zero(struct builder *b, const struct ast_type *type, const struct ct_node *at);

/* build_stmt.c */
struct ast_stmt *fe_body(struct builder *b, const struct ct_node *n);
/* Resolve gotos; check that no jump skips a pointer's initialiser (build_jump.c). */
void fe_resolve_jumps(struct builder *b, struct ast_stmt *body);

/* build_decl.c */
void fe_program(struct builder *b);
struct ast_var *fe_local(struct builder *b, struct ct_decl *decl);

/* build_constant.c */
/* Reduce an initialiser to CONST and INIT nodes, in place; false if it is not constant. */
bool fe_constant(struct ast_expr *e);
/* The value of a constant expression; false if it is none. */
bool fe_constant_value(const struct ast_expr *e, ast_int *out);

/* build_any.c */
/* Refuse ANY where C would compute with it, in the whole unit. */
void fe_check_any(struct builder *b);
/* Once the program is built: ANY as a number needs a table of that size. */
void fe_check_any_table(struct builder *b);
bool fe_has_any(const struct ast_expr *e);         /* is ANY mentioned in it? */
bool fe_is_any(const struct ct_decl *decl);        /* is it visar.h's ANY? */
bool fe_has_any_rows(const struct ast_type *type); /* an array with ANY as a dimension */
/* Refuse an object that is no table but has ANY rows; false if it has. */
bool fe_check_no_any_rows(struct builder *b, const struct ast_type *type, struct src_loc loc,
                          const char *name);
/* Are the dimensions of ANY rows of this table written as ANY, all of them? */
bool fe_check_dimensions(struct builder *b, const struct ct_decl *decl);

/* role_rules.c, evaluation_order.c, atomic_rules.c, ghost_rules.c, quantified.c, fold_headers.c,
 * atomic_loops.c, skip_locked.c: the whole program, once it is built; the last four only if there
 * was no error. */
void fe_check_roles(struct builder *b);
void fe_check_order(struct builder *b);
void fe_check_atomic(struct builder *b);
void fe_check_ghosts(struct builder *b);
void fe_find_ranges(struct builder *b);
void fe_find_folds(struct builder *b);
void fe_check_atomic_loops(struct builder *b);
void fe_find_skips(struct builder *b);

#endif
