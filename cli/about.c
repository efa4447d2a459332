/* Only frontend/ knows libclang, only encode/ Z3 and only database/ libpq, so they are asked for
 * their names. */
#include "cli/about.h"

#include <jansson.h>
#include <zlib.h>
#include <zstd.h>

#include "encode/z3/z3_version.h"
#include "frontend/clang_version.h"
#include "database/driver_version.h"

void cli_library_versions(struct strbuf *out)
{
    struct arena a = {0};
    sb_printf(out, "Z3 %s\n", enc_z3_version());
    sb_puts(out, "libclang ");
    ast_clang_version(out);
    sb_printf(out, "\njansson %s, zlib %s, zstd %s, libpq %s\n", jansson_version_str(),
              zlibVersion(), ZSTD_versionString(), pg_library_version(&a));
    arena_free(&a);
}
