#include "base/stats.h"

#include <inttypes.h>
#include <sys/resource.h>
#include <time.h>

double stats_user_seconds(void)
{
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    return (double)u.ru_utime.tv_sec + (double)u.ru_utime.tv_usec * 1e-6;
}

double stats_wall_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static uint64_t peak_kilobytes(void)
{
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    return (uint64_t)u.ru_maxrss;
}

#define IS_COUNT 0
#define IS_SECONDS 1

void stats_each(const struct stats *s,
                void (*fn)(void *arg, const char *name, double value, int is_seconds), void *arg)
{
#define STAT(name, kind, text) fn(arg, #name, (double)s->name, IS_##kind);
#include "base/stats.def"
#undef STAT
}

static void print_line(FILE *out, const char *text, double value, int is_seconds)
{
    if (value == 0)
        return;
    if (is_seconds)
        fprintf(out, "  %-28s %12.3f s\n", text, value);
    else
        fprintf(out, "  %-28s %12.0f\n", text, value);
}

void stats_print(const struct stats *s, FILE *out)
{
#define STAT(name, kind, text) print_line(out, text, (double)s->name, IS_##kind);
#include "base/stats.def"
#undef STAT
    print_line(out, "user time", stats_user_seconds(), IS_SECONDS);
    fprintf(out, "  %-28s %12" PRIu64 " MB\n", "peak memory", peak_kilobytes() / 1024);
}

void stats_add(struct stats *to, const struct stats *from)
{
#define STAT(name, kind, text) to->name += from->name;
#include "base/stats.def"
#undef STAT
}
