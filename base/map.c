#include "base/map.h"

#include <string.h>

static size_t map_probe(const struct map *m, uint64_t key)
{
    size_t i = hash_u64(key + 0x9e3779b97f4a7c15u) & (m->cap - 1);
    while (m->used[i] && m->slots[i].key != key)
        i = (i + 1) & (m->cap - 1);
    return i;
}

static void map_rehash(struct map *m, size_t cap)
{
    struct map old = *m;
    m->cap = cap;
    m->slots = mem_alloc(mem_mul(cap, sizeof *m->slots));
    m->used = mem_calloc(cap, 1);
    for (size_t i = 0; i < old.cap; i++)
        if (old.used[i]) {
            size_t at = map_probe(m, old.slots[i].key);
            m->used[at] = 1;
            m->slots[at] = old.slots[i];
        }
    mem_free(old.slots);
    mem_free(old.used);
}

static void reserve(struct map *m, size_t n)
{
    size_t cap = m->cap ? m->cap : 16;
    while (n > cap / 4 * 3)
        cap = mem_mul(cap, 2);
    if (cap != m->cap)
        map_rehash(m, cap);
}

uint64_t *map_get(const struct map *m, uint64_t key)
{
    if (!m->cap)
        return NULL;
    size_t i = map_probe(m, key);
    return m->used[i] ? &m->slots[i].value : NULL;
}

uint64_t *map_put(struct map *m, uint64_t key, uint64_t initial, bool *fresh)
{
    reserve(m, m->len + 1);
    size_t i = map_probe(m, key);
    if (fresh)
        *fresh = !m->used[i];
    if (!m->used[i]) {
        m->used[i] = 1;
        m->slots[i] = (struct map_slot){key, initial};
        m->len++;
    }
    return &m->slots[i].value;
}

void map_clear(struct map *m)
{
    if (m->cap)
        memset(m->used, 0, m->cap);
    m->len = 0;
}

void map_free(struct map *m)
{
    mem_free(m->slots);
    mem_free(m->used);
    memset(m, 0, sizeof *m);
}

uint64_t hash_bytes(const void *p, size_t n)
{
    const unsigned char *s = p;
    uint64_t h = hash_u64(n + 0x9e3779b97f4a7c15u);
    for (; n >= 8; s += 8, n -= 8) {
        uint64_t word;
        memcpy(&word, s, 8);
        h = hash_u64(h ^ word);
    }
    uint64_t tail = 0;
    if (n)
        memcpy(&tail, s, n);
    return hash_u64(h ^ tail);
}

static size_t intern_probe(const struct intern *t, const char *s, size_t n)
{
    size_t i = hash_bytes(s, n) & (t->cap - 1);
    for (; t->slots[i]; i = (i + 1) & (t->cap - 1)) {
        uint32_t id = t->slots[i] - 1;
        if (t->lengths.data[id] == n && !memcmp(t->names.data[id], s, n))
            break;
    }
    return i;
}

static void intern_grow(struct intern *t)
{
    size_t cap = t->cap ? t->cap * 2 : 64;
    mem_free(t->slots);
    t->slots = mem_calloc(cap, sizeof *t->slots);
    t->cap = cap;
    for (uint32_t id = 0; id < t->names.len; id++)
        t->slots[intern_probe(t, t->names.data[id], t->lengths.data[id])] = id + 1;
}

uint32_t intern_find(const struct intern *t, const char *s, size_t n)
{
    if (!t->cap)
        return INTERN_NONE;
    size_t i = intern_probe(t, s, n);
    return t->slots[i] ? t->slots[i] - 1 : INTERN_NONE;
}

uint32_t intern_add(struct intern *t, const char *s, size_t n)
{
    if ((t->names.len + 1) * 4 > t->cap * 3)
        intern_grow(t);
    size_t i = intern_probe(t, s, n);
    if (!t->slots[i]) {
        vec_push(&t->names, arena_strndup(&t->arena, s, n));
        vec_push(&t->lengths, (uint32_t)n);
        t->slots[i] = (uint32_t)t->names.len;
    }
    return t->slots[i] - 1;
}

const char *intern_name(const struct intern *t, uint32_t id)
{
    return t->names.data[id];
}

void intern_free(struct intern *t)
{
    arena_free(&t->arena);
    vec_free(&t->names);
    vec_free(&t->lengths);
    mem_free(t->slots);
    memset(t, 0, sizeof *t);
}
