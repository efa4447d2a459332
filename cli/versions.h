/* The versions of the libraries that visar runs with, one line each. */
#ifndef CLI_VERSIONS_H
#define CLI_VERSIONS_H

#include "base/strbuf.h"

void cli_library_versions(struct strbuf *out);

#endif
