/* Vector clocks in one array; see clocks.h.  The loops are plain so that the compiler can turn them
 * into vector instructions, one for each size of entry. */
#include "check/graph/clocks.h"

#include "base/mem.h"

enum { VECTOR = 32 };

static uint8_t entry_bytes(uint32_t most)
{
    return most <= UINT8_MAX ? 1 : most <= UINT16_MAX ? 2 : 4;
}

static size_t row_bytes(uint32_t chains, uint32_t most)
{
    return ((size_t)chains * entry_bytes(most) + VECTOR - 1) / VECTOR * VECTOR;
}

size_t clocks_memory(uint32_t nodes, uint32_t chains, uint32_t most)
{
    return mem_mul(nodes, row_bytes(chains, most));
}

void clocks_set(struct clocks *k, uint32_t node, uint32_t chain, uint32_t value)
{
    uint8_t *row = k->data + node * k->row;
    if (k->bytes == 4)
        ((uint32_t *)row)[chain] = value;
    else if (k->bytes == 2)
        ((uint16_t *)row)[chain] = (uint16_t)value;
    else
        row[chain] = (uint8_t)value;
}

/* `attribute` lets the compiler use a better vector unit than every processor has. */
#define MERGE(name, type, attribute)                                                               \
    attribute static bool name(void *restrict to_row, const void *restrict from_row, size_t bytes) \
    {                                                                                              \
        type *restrict to = __builtin_assume_aligned(to_row, VECTOR);                              \
        const type *restrict from = __builtin_assume_aligned(from_row, VECTOR);                    \
        type changed = 0;                                                                          \
        for (size_t i = 0; i < bytes / sizeof(type); i++) {                                        \
            type a = to[i], b = from[i], max = a > b ? a : b;                                      \
            changed |= max ^ a;                                                                    \
            to[i] = max;                                                                           \
        }                                                                                          \
        return changed;                                                                            \
    }
MERGE(merge_8, uint8_t, )
MERGE(merge_16, uint16_t, )
MERGE(merge_32, uint32_t, )

#ifdef __x86_64__
#define AVX2 __attribute__((target("avx2")))
MERGE(merge_8_avx2, uint8_t, AVX2)
MERGE(merge_16_avx2, uint16_t, AVX2)
MERGE(merge_32_avx2, uint32_t, AVX2)
#endif

static clocks_merge_fn *choose(uint8_t bytes)
{
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx2"))
        return bytes == 1 ? merge_8_avx2 : bytes == 2 ? merge_16_avx2 : merge_32_avx2;
#endif
    return bytes == 1 ? merge_8 : bytes == 2 ? merge_16 : merge_32;
}

void clocks_init(struct clocks *k, uint32_t nodes, uint32_t chains, uint32_t most)
{
    k->bytes = entry_bytes(most);
    k->row = row_bytes(chains, most);
    k->merge = choose(k->bytes);
    k->memory = mem_calloc(mem_mul(nodes, k->row) + VECTOR, 1);
    k->data = k->memory + (-(uintptr_t)k->memory & (VECTOR - 1));
}

void clocks_free(struct clocks *k)
{
    mem_free(k->memory);
    *k = (struct clocks){0};
}
