/* The version of libpq, for `visar --version`. */
#ifndef POSTGRES_VERSIONS_H
#define POSTGRES_VERSIONS_H

#include "base/arena.h"

const char *pg_library_version(struct arena *a);

#endif
