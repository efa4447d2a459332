/* Variables as indices: which dimensions a variable itself selects rows of. */
#ifndef FRONTEND_INDEX_USES_H
#define FRONTEND_INDEX_USES_H

#include "frontend/ast.h"

/* An AST_INDEX whose index is the variable. */
typedef void (*index_fn)(void *arg, const struct ast_expr *use);

/* Call fn for every place in a statement where an integer variable itself is the index, and for
 * those in functions that get the variable as an argument and leave the parameter alone. */
void index_uses(struct ast_stmt *s, const struct ast_var *v, index_fn fn, void *arg);

/* The first expression in a statement that changes a variable, or a part of one, or takes its
 * address; NULL if there is none. */
const struct ast_expr *index_changed(struct ast_stmt *s, const struct ast_var *v);

/* The expression without conversions that keep the value of every index. */
const struct ast_expr *index_stripped(const struct ast_expr *e);

/* The variable below a place, or NULL if a pointer leads there. */
const struct ast_var *index_root(const struct ast_expr *place);

#endif
