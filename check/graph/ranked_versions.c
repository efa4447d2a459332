/* Versions sorted by rank; see ranked_versions.h. */
#include "check/graph/ranked_versions.h"

#include <stdlib.h>

bool ranked_wanted(const struct pg *g)
{
    enum { MANY = 400 };
    return g->always_ranked || (g->chains >= MANY && g->groups.start[g->p->keys] / 40 > g->p->keys);
}

static int by_rank(const void *a, const void *b, void *graph)
{
    const struct pg *g = graph;
    uint32_t x = g->rank[ranked_node(g, *(const uint32_t *)a)];
    uint32_t y = g->rank[ranked_node(g, *(const uint32_t *)b)];
    return x < y ? -1 : x > y;
}

static void start(struct pg *g)
{
    const struct prob *p = g->p;
    g->line = mem_alloc(mem_mul((size_t)p->versions + 1, sizeof *g->line));
    g->place = mem_alloc(mem_mul((size_t)p->versions + 1, sizeof *g->place));
    g->settled = mem_calloc((size_t)p->versions + 1, 1);
    for (uint32_t v = 0; v < p->versions; v++)
        g->line[v] = g->place[v] = v;
}

static void sort_line(struct pg *g, uint32_t first, uint32_t count)
{
    uint32_t *line = g->line + first, same = 0;
    vec_clear(&g->scratch);
    for (uint32_t i = 0; i < count; i++)
        vec_push(&g->scratch, line[i]);
    qsort_r(line, count, sizeof *line, by_rank, g);
    while (same < count && g->scratch.data[same] == line[same])
        same++;
    for (uint32_t i = same; i < count; i++) {
        g->place[line[i]] = first + i;
        g->settled[line[i]] = 0;
    }
}

/* The initial versions stay where they are, before their lines. */
void ranked_sort(struct pg *g)
{
    const struct prob *p = g->p;
    if (!g->line)
        start(g);
    for (uint32_t k = 0; k < p->keys; k++)
        sort_line(g, p->ver_start[k] + 1, p->ver_start[k + 1] - p->ver_start[k] - 1);
}

void ranked_free(struct pg *g)
{
    mem_free(g->line);
    mem_free(g->place);
    mem_free(g->settled);
}
