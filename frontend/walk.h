/* Visit every expression of a statement, parents before their parts, in source order. */
#ifndef FRONTEND_WALK_H
#define FRONTEND_WALK_H

#include "frontend/ast.h"

typedef void (*walk_fn)(void *arg, struct ast_expr *e);

/* All expressions in a statement and the statements in it.  Missing parts (refused) are left out.
 */
void walk_exprs(struct ast_stmt *s, walk_fn fn, void *arg);
/* The full expressions only. */
void walk_fulls(struct ast_stmt *s, walk_fn fn, void *arg);

#endif
