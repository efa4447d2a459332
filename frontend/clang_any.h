/* Where a program says ANY: every mention, with what clang makes of it there. */
#ifndef FRONTEND_CLANG_ANY_H
#define FRONTEND_CLANG_ANY_H

#include <clang-c/Index.h>

#include "frontend/clang_tree.h"

/* `owner`: for CT_ANY_DIMENSION the variable that has the dimension. */
typedef void (*clang_any_fn)(void *arg, enum ct_any where, CXSourceLocation at, CXCursor owner);

/* Call fn for every mention of ANY in a declaration and what is in it. */
void clang_find_any(CXCursor declaration, clang_any_fn fn, void *arg);

#endif
