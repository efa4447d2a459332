/* Statistics: the counters and timers of stats.def in one struct, passed to the code that
 * counts. */
#ifndef BASE_STATS_H
#define BASE_STATS_H

#include <stdint.h>
#include <stdio.h>

#define STAT_TYPE_COUNT uint64_t
#define STAT_TYPE_SECONDS double
struct stats {
#define STAT(name, kind, text) STAT_TYPE_##kind name;
#include "base/stats.def"
#undef STAT
};

double stats_user_seconds(void);                    /* user time of this process so far */
double stats_wall_seconds(void);                    /* monotonic clock */
void stats_print(const struct stats *s, FILE *out); /* a line for each that is not zero */
void stats_add(struct stats *to, const struct stats *from);
/* Calls fn for every entry, for JSON and the like. */
void stats_each(const struct stats *s,
                void (*fn)(void *arg, const char *name, double value, int is_seconds), void *arg);

#endif
