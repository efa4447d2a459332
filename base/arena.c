#include "base/arena.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"

#define CHUNK_BYTES ((size_t)64 * 1024)
#define ALIGN (_Alignof(max_align_t))

struct arena_chunk {
    struct arena_chunk *older;
    max_align_t bytes[];
};

static void add_chunk(struct arena *a, size_t bytes)
{
    size_t size = bytes > CHUNK_BYTES ? bytes : CHUNK_BYTES;
    struct arena_chunk *c = mem_calloc(1, sizeof *c + size);
    c->older = a->chunks;
    a->chunks = c;
    a->next = (char *)c->bytes;
    a->end = a->next + size;
}

void *arena_alloc(struct arena *a, size_t bytes)
{
    size_t rounded = (bytes + ALIGN - 1) / ALIGN * ALIGN;
    if (rounded < bytes)
        mem_exhausted();
    if (!a->chunks || (size_t)(a->end - a->next) < rounded)
        add_chunk(a, rounded);
    void *p = a->next;
    a->next += rounded;
    return p;
}

void *arena_copy(struct arena *a, const void *p, size_t bytes)
{
    void *copy = arena_alloc(a, bytes);
    if (bytes)
        memcpy(copy, p, bytes);
    return copy;
}

char *arena_strndup(struct arena *a, const char *s, size_t n)
{
    char *copy = arena_alloc(a, n + 1);
    memcpy(copy, s, n);
    return copy;
}

char *arena_strdup(struct arena *a, const char *s)
{
    return arena_strndup(a, s, strlen(s));
}

char *arena_printf(struct arena *a, const char *fmt, ...)
{
    va_list ap, again;
    va_start(ap, fmt);
    va_copy(again, ap);
    int n = vsnprintf(NULL, 0, fmt, ap);
    va_end(ap);
    char *s = arena_alloc(a, (size_t)n + 1);
    vsnprintf(s, (size_t)n + 1, fmt, again);
    va_end(again);
    return s;
}

void arena_free(struct arena *a)
{
    for (struct arena_chunk *c = a->chunks, *older; c; c = older) {
        older = c->older;
        mem_free(c);
    }
    memset(a, 0, sizeof *a);
}
