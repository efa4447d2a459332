/* Keys for events at run time.  One evaluation of an expression, in one iteration of each loop
 * around it, in one call, has the same key in the symbolic executor and in the interpreter, so that
 * a concrete run finds its inputs and read events in a summary. */
#ifndef SYMEXEC_CONTEXT_H
#define SYMEXEC_CONTEXT_H

#include <stdint.h>

#include "base/map.h"

enum sx_context_kind {
    SX_CONTEXT_CALL,      /* id: the calling expression, or the function at the top */
    SX_CONTEXT_ITERATION, /* id: the loop; n: 0, 1, … */
    SX_CONTEXT_EXPR,      /* id: the expression */
    SX_CONTEXT_FOLD,      /* id: the loop, all its rounds; or the ATOMIC */
    SX_CONTEXT_VARIABLE,  /* id: the variable; n: the scalar.  Uninitialised locals */
    SX_CONTEXT_RESULT,    /* n: the scalar.  The result of a function without return */
    SX_CONTEXT_RESUMED    /* id: the call after which an expression goes on as a statement */
};

/* The key of the reads of newest versions, as statement and as read (sx_is_database). */
#define SX_NEWEST_KEY UINT64_MAX

/* How a row is locked, at the levels of databases. */
enum sx_touch_mode {
    SX_TOUCH_SHARE, /* for_share: conflicts with the others */
    SX_TOUCH_WRITE, /* an UPDATE: conflicts with all */
    SX_TOUCH_LOCK   /* for_update: conflicts with all */
};

static inline uint64_t sx_context_key(uint64_t context, enum sx_context_kind kind, uint64_t id,
                                      uint64_t n)
{
    return hash_pair(hash_pair(context, (uint64_t)kind << 56 | id), n);
}

#endif
