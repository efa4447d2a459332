/* A binary heap of numbers, the smallest first.  A payload goes into the lower bits of its number,
 * so that it breaks ties and every run makes the same choices. */
#ifndef BASE_HEAP_H
#define BASE_HEAP_H

#include <stdint.h>

#include "base/vec.h"

typedef VEC(uint64_t) heap_u64;

static inline void heap_push(heap_u64 *h, uint64_t x)
{
    vec_push(h, x);
    size_t i = h->len - 1;
    for (; i && h->data[(i - 1) / 2] > x; i = (i - 1) / 2)
        h->data[i] = h->data[(i - 1) / 2];
    h->data[i] = x;
}

/* The smallest; the heap must not be empty. */
static inline uint64_t heap_pop(heap_u64 *h)
{
    uint64_t top = h->data[0], x = vec_pop(h);
    size_t i = 0;
    for (;;) {
        size_t child = 2 * i + 1;
        if (child >= h->len)
            break;
        if (child + 1 < h->len && h->data[child + 1] < h->data[child])
            child++;
        if (h->data[child] >= x)
            break;
        h->data[i] = h->data[child];
        i = child;
    }
    h->data[i] = x;
    return top;
}

#endif
