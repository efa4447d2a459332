/* Compile flags: the program's own, from compile_commands.json, and what visar adds. */
#ifndef FRONTEND_FLAGS_H
#define FRONTEND_FLAGS_H

#include "frontend/ast.h"

struct flags {
    struct arena arena;
    VEC(const char *) args;
};

/* False and a diagnostic if compile_commands.json was asked for and is of no use. */
bool flags_collect(struct flags *f, const char *file, const struct ast_options *options,
                   struct diag_list *d);
void flags_free(struct flags *f);

#endif
