/* libclang's functions, which load it when they are first called; see base/library.h. */
#include <clang-c/Index.h>

#include "base/library.h"

static struct library libclang = {.soname = VISAR_LIBCLANG_SONAME, .path = VISAR_LIBCLANG_PATH};

/* clang-format off */
#define LIBRARY_FUNCTION(type, name, parameters, arguments) \
    LIBRARY_STUB(libclang, type, name, parameters, arguments)
#include "frontend/clang.def"
