/* Hash tables.
 *
 * `struct map`: 64-bit keys to 64-bit values, open addressing with linear probing, no removal of
 * single keys.  Any key may be used.  A zeroed struct is an empty map.
 *
 * `struct intern`: strings to dense ids 0, 1, 2, … in order of first appearance. */
#ifndef BASE_MAP_H
#define BASE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/vec.h"

struct map_slot {
    uint64_t key, value;
};
struct map {
    struct map_slot *slots;
    uint8_t *used;
    size_t len, cap; /* cap: a power of two, or 0 */
};

/* The value's address, or NULL.  Valid until the next insertion. */
uint64_t *map_get(const struct map *m, uint64_t key);
/* As map_get, but inserts `initial` if the key is new (and says so in *fresh, if given). */
uint64_t *map_put(struct map *m, uint64_t key, uint64_t initial, bool *fresh);
void map_clear(struct map *m);
void map_free(struct map *m);

#define INTERN_NONE UINT32_MAX
struct intern {
    struct arena arena;
    VEC(const char *) names;
    VEC(uint32_t) lengths;
    uint32_t *slots; /* id + 1, or 0 */
    size_t cap;
};

uint32_t intern_add(struct intern *t, const char *s, size_t n);
uint32_t intern_find(const struct intern *t, const char *s, size_t n); /* or INTERN_NONE */
const char *intern_name(const struct intern *t, uint32_t id);
void intern_free(struct intern *t);

uint64_t hash_bytes(const void *p, size_t n);
/* A mix in which every input bit reaches every output bit (the finalizer of SplitMix64). */
static inline uint64_t hash_u64(uint64_t x)
{
    x ^= x >> 30;
    x *= 0xbf58476d1ce4e5b9u;
    x ^= x >> 27;
    x *= 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}
static inline uint64_t hash_pair(uint64_t a, uint64_t b)
{
    return hash_u64(hash_u64(a + 0x9e3779b97f4a7c15u) ^ b);
}

#endif
