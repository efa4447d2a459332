/* Statistics: the counters and timers of stats.def in one struct, passed to the code that
 * counts. */
#ifndef BASE_STATS_H
#define BASE_STATS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define STAT_TYPE_COUNT uint64_t
#define STAT_TYPE_SECONDS double
/* What a technique of the history engine did, over all questions. */
struct stats_technique {
    const char *name; /* a string that is never freed; NULL: the row is free */
    uint64_t runs, answers, steps;
    double seconds;
};
#define STATS_TECHNIQUES 32

struct stats {
#define STAT(name, kind, text) STAT_TYPE_##kind name;
#include "base/stats.def"
#undef STAT
    struct stats_technique techniques[STATS_TECHNIQUES];
};

double stats_user_seconds(void);                    /* user time of this process so far */
double stats_wall_seconds(void);                    /* monotonic clock */
void stats_print(const struct stats *s, FILE *out); /* a line for each that is not zero */
void stats_add(struct stats *to, const struct stats *from);
/* A technique ran once more. */
void stats_technique(struct stats *s, const char *name, bool answered, uint64_t steps,
                     double seconds);
/* Calls fn for every entry, for JSON and the like. */
void stats_each(const struct stats *s,
                void (*fn)(void *arg, const char *name, double value, int is_seconds), void *arg);

#endif
