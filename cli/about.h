/* The versions of the libraries that visar runs with, one line each. */
#ifndef CLI_ABOUT_H
#define CLI_ABOUT_H

#include "base/strbuf.h"

void cli_library_versions(struct strbuf *out);

#endif
