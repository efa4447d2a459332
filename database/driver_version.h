/* The version of libpq, for `visar --version`. */
#ifndef DATABASE_DRIVER_VERSION_H
#define DATABASE_DRIVER_VERSION_H

#include "base/arena.h"

const char *pg_library_version(struct arena *a);

#endif
