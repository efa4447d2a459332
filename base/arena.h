/* Arena: many small allocations that live and die together.  Memory is zeroed and aligned for
 * any type.  A zeroed struct is an empty arena. */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stddef.h>

#include "base/mem.h"

struct arena_chunk;
struct arena {
    struct arena_chunk *chunks;
    char *next, *end;
};

void *arena_alloc(struct arena *a, size_t bytes);
void *arena_copy(struct arena *a, const void *p, size_t bytes);
char *arena_strdup(struct arena *a, const char *s);
char *arena_strndup(struct arena *a, const char *s, size_t n);
char *arena_printf(struct arena *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void arena_free(struct arena *a);

#define arena_new(a, T) ((T *)arena_alloc((a), sizeof(T)))
#define arena_array(a, T, n) ((T *)arena_alloc((a), mem_mul((n), sizeof(T))))

#endif
