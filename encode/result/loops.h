/* The loops and recursions that may exceed their unwinding bound: they explain an UNKNOWN. */
#ifndef ENCODE_LOOPS_H
#define ENCODE_LOOPS_H

#include "base/arena.h"
#include "base/vec.h"
#include "symexec/summary.h"

typedef VEC(const struct sx_point *) loop_list;

/* Add the unwinding points that can be reached and are not in the list yet. */
void loops_add(loop_list *l, const struct sx_point *points, size_t n);
/* "it is not certain that the loop ends within 8 iterations (bank.c:9): raise --unwind" */
const char *loops_text(const loop_list *l, const struct ast_program *ast, struct arena *arena);

#endif
