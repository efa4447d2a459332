#include "base/spare_memory.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PATH_BYTES 4096

static FILE *open_under(const char *root, const char *folder, const char *name)
{
    char path[3 * PATH_BYTES];
    int n = snprintf(path, sizeof path, "%s%s/%s", root, folder, name);
    return n > 0 && (size_t)n < sizeof path ? fopen(path, "r") : NULL;
}

/* A file with one number.  "max", no file, no number: UINT64_MAX. */
static uint64_t one_number(const char *root, const char *folder, const char *name)
{
    FILE *f = open_under(root, folder, name);
    unsigned long long v;
    uint64_t result = f && fscanf(f, "%llu", &v) == 1 ? (uint64_t)v : UINT64_MAX;
    if (f)
        fclose(f);
    return result;
}

/* The number behind a word at the beginning of a line, or 0. */
static uint64_t number_after(FILE *f, const char *word)
{
    char line[256];
    size_t n = strlen(word);
    while (fgets(line, sizeof line, f))
        if (!strncmp(line, word, n) && (line[n] == ' ' || line[n] == '\t'))
            return strtoull(line + n, NULL, 10);
    return 0;
}

static uint64_t machine(const char *root)
{
    FILE *f = open_under(root, "/proc", "meminfo");
    uint64_t kilobytes = f ? number_after(f, "MemAvailable:") : 0;
    if (f)
        fclose(f);
    return kilobytes ? kilobytes * 1024 : UINT64_MAX;
}

/* The names of the same things in the two versions of cgroups. */
struct version {
    const char *mounted, *maximum, *used, *cached;
};
static const struct version versions[] = {
    {"/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes",
     "total_inactive_file"},
    {"/sys/fs/cgroup", "memory.max", "memory.current", "inactive_file"},
};

static uint64_t group(const char *root, const struct version *v, const char *folder)
{
    uint64_t maximum = one_number(root, folder, v->maximum);
    uint64_t used = one_number(root, folder, v->used);
    if (maximum == UINT64_MAX || used == UINT64_MAX)
        return UINT64_MAX;
    FILE *f = open_under(root, folder, "memory.stat");
    uint64_t cached = f ? number_after(f, v->cached) : 0;
    if (f)
        fclose(f);
    used -= cached < used ? cached : used;
    return used < maximum ? maximum - used : 0;
}

/* The group at `path` and all groups that it is in.  In a container the path may be one of the host
 * that is not to be seen; what remains is the root, which is then the container's own group. */
static uint64_t groups(const char *root, const struct version *v, const char *path)
{
    char folder[2 * PATH_BYTES];
    size_t top = strlen(v->mounted);
    uint64_t least = UINT64_MAX;
    snprintf(folder, sizeof folder, "%s%s", v->mounted, path);
    for (;;) {
        uint64_t here = group(root, v, folder);
        least = here < least ? here : least;
        char *slash = strrchr(folder, '/');
        if (strlen(folder) <= top || !slash)
            return least;
        *slash = 0;
    }
}

/* Lines are "number:controllers:path"; version 2 has the number 0 and no controllers. */
static uint64_t all_groups(const char *root)
{
    FILE *f = open_under(root, "/proc/self", "cgroup");
    char line[PATH_BYTES];
    uint64_t least = UINT64_MAX;
    while (f && fgets(line, sizeof line, f)) {
        char *controllers = strchr(line, ':'),
             *path = controllers ? strchr(controllers + 1, ':') : NULL;
        if (!path)
            continue;
        *controllers++ = 0;
        *path++ = 0;
        path[strcspn(path, "\n")] = 0;
        bool second = !strcmp(line, "0") && !*controllers, first = !strcmp(controllers, "memory");
        uint64_t here = first || second ? groups(root, &versions[second], path) : UINT64_MAX;
        least = here < least ? here : least;
    }
    if (f)
        fclose(f);
    return least;
}

size_t spare_megabytes(const char *root)
{
    uint64_t here = machine(root), grouped = all_groups(root);
    uint64_t bytes = grouped < here ? grouped : here;
    if (bytes == UINT64_MAX)
        return 0;
    size_t megabytes = (size_t)((bytes - bytes / 16) >> 20);
    return megabytes ? megabytes : 1;
}
