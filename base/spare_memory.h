/* How much memory can this program use without hurting other programs?  The smallest of what Linux
 * says is available (MemAvailable) and what the program's memory cgroups (version 1 and 2) leave,
 * that is, the maximum less what is used, not counting cached files; less a sixteenth for what
 * other programs and the kernel need meanwhile. */
#ifndef BASE_SPARE_MEMORY_H
#define BASE_SPARE_MEMORY_H

#include <stddef.h>

/* In megabytes; 0 if not known.  `root` is put before /proc and /sys: "" except in tests. */
size_t spare_megabytes(const char *root);

#endif
