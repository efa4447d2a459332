/* Vector clocks: for each node and each chain, how many nodes of the chain the node knows of.
 *
 * The clocks take most of the engine's memory, and merging two of them most of its time, so an
 * entry has only as many bytes as the longest chain needs: one for many short sessions, two for
 * chains of up to 65,535 nodes, else four. */
#ifndef CHECK_GRAPH_CLOCKS_H
#define CHECK_GRAPH_CLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef bool clocks_merge_fn(void *to, const void *from, size_t bytes);

struct clocks {
    uint8_t *data, *memory; /* memory: the allocation; data: aligned for vector instructions */
    size_t row;             /* bytes of one clock */
    uint8_t bytes;          /* of an entry: 1, 2 or 4 */
    clocks_merge_fn *merge;
};

/* The bytes that the clocks need; no entry will be larger than `most`. */
size_t clocks_memory(uint32_t nodes, uint32_t chains, uint32_t most);
void clocks_init(struct clocks *k, uint32_t nodes, uint32_t chains, uint32_t most); /* all zero */
void clocks_free(struct clocks *k);

static inline const uint8_t *clocks_row(const struct clocks *k, uint32_t node)
{
    return k->data + node * k->row;
}
static inline uint32_t clocks_entry(const struct clocks *k, uint32_t node, uint32_t chain)
{
    const uint8_t *row = clocks_row(k, node);
    return k->bytes == 4   ? ((const uint32_t *)row)[chain]
           : k->bytes == 2 ? ((const uint16_t *)row)[chain]
                           : row[chain];
}
void clocks_set(struct clocks *k, uint32_t node, uint32_t chain, uint32_t value);
/* Every entry of `to` becomes the larger of the two.  True: one changed. */
static inline bool clocks_merge(struct clocks *k, uint32_t to, uint32_t from)
{
    return k->merge(k->data + to * k->row, k->data + from * k->row, k->row);
}

#endif
