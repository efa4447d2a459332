/* No path is compiled in: an installed or copied tree is found from the place of the binary. */
#include "cli/paths.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *candidate(struct arena *a, const char *folder, const char *tail)
{
    const char *dir = arena_printf(a, "%s/%s", folder, tail);
    return access(arena_printf(a, "%s/visar.h", dir), R_OK) == 0 ? dir : NULL;
}

const char *path_include(struct arena *a)
{
    char self[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    if (n <= 0)
        return NULL;
    self[n] = 0;
    const char *found = NULL;
    for (char *slash; !found && (slash = strrchr(self, '/'));) {
        *slash = 0;
        found = candidate(a, self, "include");
        if (!found)
            found = candidate(a, self, "frontend/include");
    }
    return found;
}
