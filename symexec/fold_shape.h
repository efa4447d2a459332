/* What the body of a fold hands from round to round (classify.c has the shapes in C). */
#ifndef SYMEXEC_FOLD_SHAPE_H
#define SYMEXEC_FOLD_SHAPE_H

#include "base/arena.h"
#include "frontend/ast.h"

enum sx_shape {
    SX_SHAPE_NOTHING,
    SX_SHAPE_SUM,
    SX_SHAPE_FLAG, /* set to one constant */
    SX_SHAPE_ALL,  /* v = v && e */
    SX_SHAPE_SOME, /* v = v || e */
    SX_SHAPE_LEAST,
    SX_SHAPE_GREATEST,
    SX_SHAPE_FOUND /* set on the way out of the loop */
};

struct sx_shaped {
    const struct ast_var *var; /* an integer */
    enum sx_shape shape;
};
struct sx_fold_shape {
    struct sx_shaped *carried;
    const struct ast_var **written; /* tables */
    uint32_t n_carried, n_written;
};

/* The shape of a loop that is a fold (ast_fold not refuted); the arrays are in the arena. */
struct sx_fold_shape sx_fold_shape(const struct ast_stmt *loop, struct arena *a);

#endif
