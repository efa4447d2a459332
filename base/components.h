/* Strongly connected components of a graph: only edges inside a component can be on a cycle. */
#ifndef BASE_COMPONENTS_H
#define BASE_COMPONENTS_H

#include <stdint.h>

struct components {
    uint32_t *component; /* per node: its number, from 0 */
    uint32_t *size;      /* per component */
    uint32_t count;
};

/* The out-edges of node u go to heads[start[u]] … heads[start[u + 1] - 1]. */
void components_find(struct components *c, uint32_t nodes, const uint32_t *start,
                     const uint32_t *heads);
void components_free(struct components *c);

#endif
