/* The versions of each key, grouped by chain: those of one session stand together, in session order
 * (match.h), so that one binary search tells which of them are visible.  Initial versions are in no
 * group. */
#ifndef CHECK_PROBLEM_GROUPS_H
#define CHECK_PROBLEM_GROUPS_H

#include "check/problem/match.h"

struct groups {
    uint32_t *start; /* keys + 1: the groups of a key */
    uint32_t *chain; /* per group */
    uint32_t *first; /* per group: its first version */
};

void groups_make(struct groups *g, const struct prob *p);
void groups_free(struct groups *g);

/* Where the versions of a group of the key end. */
static inline uint32_t groups_end(const struct groups *g, const struct prob *p, uint32_t key,
                                  uint32_t group)
{
    return group + 1 < g->start[key + 1] ? g->first[group + 1] : p->ver_start[key + 1];
}

#endif
