/* libpq's functions, which load it when they are first called; see base/library.h. */
#include <libpq-fe.h>

#include "base/library.h"

static struct library libpq = {.soname = VISAR_LIBPQ_SONAME, .path = VISAR_LIBPQ_PATH};

/* clang-format off */
#define LIBRARY_FUNCTION(type, name, parameters, arguments) \
    LIBRARY_STUB(libpq, type, name, parameters, arguments)
#include "database/libpq.def"
