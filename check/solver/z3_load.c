/* Z3's functions, which load it when they are first called; see base/library.h.  They are here
 * because the history engine has a back end that uses Z3; encode/ includes them from here. */
#include <z3.h>

#include "base/library.h"

static struct library libz3 = {.soname = VISAR_LIBZ3_SONAME, .path = VISAR_LIBZ3_PATH};

/* clang-format off */
#define LIBRARY_FUNCTION(type, name, parameters, arguments) \
    LIBRARY_STUB(libz3, type, name, parameters, arguments)
#include "check/solver/z3.def"
