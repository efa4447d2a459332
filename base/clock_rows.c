/* Rows of clocks; see clock_rows.h. */
#include "base/clock_rows.h"

void rows_init(struct clock_rows *r, uint32_t items)
{
    *r = (struct clock_rows){.items = items};
    r->needs = mem_calloc((size_t)items + 1, sizeof *r->needs);
    r->left = mem_alloc(mem_mul((size_t)items + 1, sizeof *r->left));
    r->row = mem_alloc(mem_mul((size_t)items + 1, sizeof *r->row));
}

void rows_free(struct clock_rows *r)
{
    for (size_t i = 0; i < r->chunks.len; i++)
        mem_free(r->chunks.data[i]);
    vec_free(&r->chunks);
    vec_free(&r->free);
    mem_free(r->needs);
    mem_free(r->left);
    mem_free(r->row);
}

static void set_width(struct clock_rows *r, uint32_t width, size_t bytes)
{
    enum { LEAST = 16 }; /* this is never too much */
    r->width = width;
    r->most = width <= LEAST ? UINT32_MAX : (uint32_t)(bytes / sizeof **r->chunks.data / width);
    for (size_t i = 0; i < r->chunks.len; i++)
        mem_free(r->chunks.data[i]);
    vec_clear(&r->chunks);
}

void rows_set_width(struct clock_rows *r, uint32_t chains, size_t bytes)
{
    set_width(r, chains, bytes);
}

void rows_halve(struct clock_rows *r, size_t bytes)
{
    set_width(r, (r->width + 1) / 2, bytes);
}

void rows_start(struct clock_rows *r)
{
    memcpy(r->left, r->needs, ((size_t)r->items + 1) * sizeof *r->left);
    r->rows = 0;
    r->full = false;
    vec_clear(&r->free);
}

static uint32_t *take(struct clock_rows *r, uint32_t item)
{
    r->row[item] = r->free.len ? vec_pop(&r->free) : r->rows++;
    if (r->row[item] / ROWS_CHUNK == r->chunks.len) {
        size_t size = mem_mul((size_t)r->width * ROWS_CHUNK, sizeof **r->chunks.data);
        vec_push(&r->chunks, mem_alloc(size + 1));
        r->full = r->rows > r->most;
    }
    return rows_get(r, item);
}

uint32_t *rows_new(struct clock_rows *r, uint32_t item)
{
    uint32_t *own = take(r, item);
    memset(own, 0, r->width * sizeof *own);
    return own;
}

uint32_t *rows_after(struct clock_rows *r, uint32_t item, uint32_t before)
{
    if (r->left[before] == 1) { /* nobody else will: the row goes on */
        r->left[before] = 0;
        r->row[item] = r->row[before];
        return rows_get(r, item);
    }
    uint32_t *own = take(r, item);
    memcpy(own, rows_get(r, before), r->width * sizeof *own);
    r->left[before]--;
    return own;
}

void rows_asked(struct clock_rows *r, uint32_t item)
{
    if (!--r->left[item])
        vec_push(&r->free, r->row[item]);
}

void rows_done(struct clock_rows *r, uint32_t item)
{
    if (!r->left[item])
        vec_push(&r->free, r->row[item]);
}
