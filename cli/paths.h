/* Where visar's own files are. */
#ifndef CLI_PATHS_H
#define CLI_PATHS_H

#include "base/arena.h"

/* The folder that holds visar.h: beside an installed binary (../include), or in the source tree
 * that the binary was built in.  NULL if it is nowhere. */
const char *path_include(struct arena *a);

#endif
