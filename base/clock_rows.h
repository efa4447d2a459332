/* Vector clocks that come and go: rows of numbers for items that are looked at in some order, each
 * kept only while somebody will still ask for it.  With k chains a million rows of k numbers are
 * more than fits anywhere, but those that are needed at one time mostly fit into the cache.
 *
 * How many will ask for an item is said beforehand (rows_need).  Should more rows be needed at one
 * time than a budget allows, `full` says so; then whoever goes through the items starts again with
 * narrower rows and does so once for each block of `width` chains. */
#ifndef BASE_CLOCK_ROWS_H
#define BASE_CLOCK_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"

struct clock_rows {
    uint32_t width;
    uint32_t *needs; /* per item: how many will ask for it */
    uint32_t *left;  /* … still, in this block */
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
/* For so many chains, or half as many as before where that was too much. */
void rows_set_width(struct clock_rows *r, uint32_t chains, size_t bytes);
void rows_halve(struct clock_rows *r, size_t bytes);
/* Before each block. */
void rows_start(struct clock_rows *r);

#define ROWS_CHUNK 64
static inline uint32_t *rows_get(const struct clock_rows *r, uint32_t item)
{
    uint32_t i = r->row[item];
    return r->chunks.data[i / ROWS_CHUNK] + (size_t)(i % ROWS_CHUNK) * r->width;
}
/* A row of zeros; or of what `before` has, which is asked for by that. */
uint32_t *rows_new(struct clock_rows *r, uint32_t item);
uint32_t *rows_after(struct clock_rows *r, uint32_t item, uint32_t before);
/* Somebody asked for it; the last one ends it. */
void rows_asked(struct clock_rows *r, uint32_t item);
/* Nobody asks for it any more, and nobody ever did: after its own turn. */
void rows_done(struct clock_rows *r, uint32_t item);

/* The larger of each two numbers; they are below 2^31. */
static inline void rows_join(uint32_t *restrict own, const uint32_t *restrict other, uint32_t width)
{
    for (uint32_t i = 0; i < width; i++)
        own[i] = (int32_t)own[i] > (int32_t)other[i] ? own[i] : other[i];
}

#endif
