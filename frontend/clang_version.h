/* Which libclang this program runs with. */
#ifndef FRONTEND_CLANG_VERSION_H
#define FRONTEND_CLANG_VERSION_H

#include "base/strbuf.h"

void ast_clang_version(struct strbuf *out); /* "19.1.7" */

#endif
