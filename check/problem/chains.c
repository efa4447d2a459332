/* Chains without sessions.  The engine's clocks need the transactions in few chains.  When session
 * order does not count, paths along reads take its place: each transaction of a chain has read from
 * the one before it.  The chains are a greedy cover in topological order: not the smallest one, but
 * found in linear time. */
#include "check/problem/match_internal.h"

/* Kahn's algorithm over the settled reads; transactions on cycles come last, in any order, and are
 * never joined to a chain. */
static uint32_t sort_by_reads(const struct prob *p, uint32_t *order)
{
    uint32_t *degree = mem_calloc(p->n + 1, sizeof *degree);
    uint32_t *start = mem_calloc((size_t)p->n + 2, sizeof *start);
    uint32_t reads = p->rd_start[p->n], len = 0;
    uint32_t *readers = mem_alloc(mem_mul((size_t)reads + 1, sizeof *readers));
    for (uint32_t r = 0; r < reads; r++) {
        uint32_t w = p->rd_ver[r] & PROB_CHOICE ? PROB_INIT : p->ver_txn[p->rd_ver[r]];
        if (w != PROB_INIT) {
            start[w + 2]++;
            degree[p->rd_txn[r]]++;
        }
    }
    for (uint32_t t = 0; t < p->n; t++)
        start[t + 2] += start[t + 1];
    for (uint32_t r = 0; r < reads; r++) {
        uint32_t w = p->rd_ver[r] & PROB_CHOICE ? PROB_INIT : p->ver_txn[p->rd_ver[r]];
        if (w != PROB_INIT)
            readers[start[w + 1]++] = p->rd_txn[r];
    }
    for (uint32_t t = 0; t < p->n; t++)
        if (!degree[t])
            order[len++] = t;
    for (uint32_t i = 0; i < len; i++)
        for (uint32_t j = start[order[i]]; j < start[order[i] + 1]; j++)
            if (!--degree[readers[j]])
                order[len++] = readers[j];
    uint32_t sorted = len;
    for (uint32_t t = 0; t < p->n; t++)
        if (degree[t])
            order[len++] = t;
    mem_free(degree);
    mem_free(start);
    mem_free(readers);
    return sorted;
}

/* next[t]: who follows t in its chain. */
static void link_chains(const struct prob *p, uint32_t *next, uint8_t *first)
{
    uint32_t *order = mem_alloc(mem_mul((size_t)p->n + 1, sizeof *order));
    uint32_t sorted = sort_by_reads(p, order);
    for (uint32_t t = 0; t < p->n; t++) {
        next[t] = HIST_NONE;
        first[t] = 1;
    }
    for (uint32_t i = 0; i < sorted; i++) {
        uint32_t t = order[i];
        for (uint32_t r = p->rd_start[t]; r < p->rd_start[t + 1] && first[t]; r++) {
            uint32_t w = p->rd_ver[r] & PROB_CHOICE ? PROB_INIT : p->ver_txn[p->rd_ver[r]];
            if (w == PROB_INIT || next[w] != HIST_NONE)
                continue;
            next[w] = t;
            first[t] = 0;
        }
    }
    mem_free(order);
}

void match_find_chains(const struct prob *p, match_ids *start, match_ids *txns)
{
    uint32_t *next = mem_alloc(mem_mul((size_t)p->n + 1, sizeof *next));
    uint8_t *first = mem_alloc((size_t)p->n + 1);
    link_chains(p, next, first);
    for (uint32_t t = 0; t < p->n; t++) {
        if (!first[t])
            continue;
        vec_push(start, (uint32_t)txns->len);
        for (uint32_t u = t; u != HIST_NONE; u = next[u])
            vec_push(txns, p->hist[u]);
    }
    vec_push(start, (uint32_t)txns->len);
    mem_free(next);
    mem_free(first);
}
