#include "frontend/versions.h"

#include <clang-c/Index.h>
#include <string.h>

/* libclang gives "Debian clang version 19.1.7 (3~deb12u1)": keep what follows "version ". */
void ast_clang_version(struct strbuf *out)
{
    CXString s = clang_getClangVersion();
    const char *text = clang_getCString(s), *at = text ? strstr(text, "version ") : NULL;
    at = at ? at + strlen("version ") : text ? text : "";
    sb_add(out, at, strcspn(at, " "));
    clang_disposeString(s);
}
