/* How much memory can this program take without hurting others?  What Linux says is available
 * (MemAvailable), or what the memory cgroups that the program is in leave (version 1 and 2: the
 * maximum, less what is used, but files that are only cached do not count as used), whichever is
 * least, less a sixteenth for what others and the kernel need meanwhile. */
#ifndef BASE_SPARE_H
#define BASE_SPARE_H

#include <stddef.h>

/* In megabytes; 0 if nothing says.  `root` comes before /proc and /sys: "" but for the tests. */
size_t spare_megabytes(const char *root);

#endif
