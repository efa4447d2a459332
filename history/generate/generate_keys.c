/* Which key next: uniform, zipf with exponent 0.99 (as in YCSB), or a hot fifth of the keys that
 * gets four fifths of the operations. */
#include "history/generate/generate_internal.h"

#include <math.h>

static const double zipf_exponent = 0.99;

struct gen_keys gen_keys_new(enum gen_distribution d, uint32_t count)
{
    struct gen_keys k = {.distribution = d, .count = count, .hot = count < 5 ? 1 : count / 5};
    if (d != GEN_ZIPF)
        return k;
    double total = 0, sum = 0;
    for (uint32_t i = 0; i < count; i++)
        total += pow(i + 1, -zipf_exponent);
    k.cumulative = mem_alloc(mem_mul(count, sizeof *k.cumulative));
    for (uint32_t i = 0; i < count; i++) {
        sum += pow(i + 1, -zipf_exponent);
        k.cumulative[i] = (uint64_t)(sum / total * 0x1p53);
    }
    k.cumulative[count - 1] = UINT64_MAX;
    return k;
}

static uint32_t zipf(const struct gen_keys *k, struct gen_random *r)
{
    uint64_t x = gen_next(r) >> 11;
    uint32_t lo = 0, hi = k->count - 1; /* the first with cumulative > x */
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (k->cumulative[mid] > x)
            hi = mid;
        else
            lo = mid + 1;
    }
    return lo;
}

uint32_t gen_key(const struct gen_keys *k, struct gen_random *r)
{
    if (k->distribution == GEN_ZIPF)
        return zipf(k, r);
    if (k->distribution == GEN_HOTSPOT && gen_chance(r, 0.8))
        return gen_below(r, k->hot);
    return gen_below(r, k->count);
}

void gen_keys_free(struct gen_keys *k)
{
    mem_free(k->cumulative);
}
