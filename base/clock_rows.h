/* Vector clocks with a limited lifetime: a row of numbers for each item, kept only while it is
 * still needed.  A million rows with one number per chain would not fit into memory, but the rows
 * that are needed at the same time mostly fit into the cache.
 *
 * The caller announces how often each item will be used (rows_need).  If more rows are needed at
 * the same time than the budget allows, `full` is set.  The caller then starts again with narrower
 * rows, and goes through the items once for each block of `width` chains. */
#ifndef BASE_CLOCK_ROWS_H
#define BASE_CLOCK_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"

struct clock_rows {
    uint32_t width;
    uint32_t *needs; /* per item: how many uses were announced */
    uint32_t *left;  /* per item: how many of these uses are left, in this block */
    uint32_t *row;   /* per item: its row */
    uint32_t items;
    VEC(uint32_t *) chunks;
    VEC(uint32_t) free;
    uint32_t rows, most;
    bool full;
};

void rows_init(struct clock_rows *r, uint32_t items);
void rows_free(struct clock_rows *r);
static inline void rows_need(struct clock_rows *r, uint32_t item)
{
    r->needs[item]++;
}
/* Set the width to the number of chains; halve it if `full` was set.  `bytes`: the budget. */
void rows_set_width(struct clock_rows *r, uint32_t chains, size_t bytes);
void rows_halve(struct clock_rows *r, size_t bytes);
/* Called before each block. */
void rows_start(struct clock_rows *r);

#define ROWS_CHUNK 64
static inline uint32_t *rows_get(const struct clock_rows *r, uint32_t item)
{
    uint32_t i = r->row[item];
    return r->chunks.data[i / ROWS_CHUNK] + (size_t)(i % ROWS_CHUNK) * r->width;
}
/* Make the row of an item: zeros, or a copy of the row of `before`, which counts as one use of
 * it. */
uint32_t *rows_new(struct clock_rows *r, uint32_t item);
uint32_t *rows_after(struct clock_rows *r, uint32_t item, uint32_t before);
/* The row was used once; after the last announced use it is released. */
void rows_asked(struct clock_rows *r, uint32_t item);
/* Release the row of an item of which no use was announced; called when the item itself is done. */
void rows_done(struct clock_rows *r, uint32_t item);

/* own[i] becomes the larger of own[i] and other[i]; all numbers are below 2^31. */
static inline void rows_join(uint32_t *restrict own, const uint32_t *restrict other, uint32_t width)
{
    for (uint32_t i = 0; i < width; i++)
        own[i] = (int32_t)own[i] > (int32_t)other[i] ? own[i] : other[i];
}

#endif
