/* Maps from pairs of numbers, and the names of values that are written; see format_internal.h. */
#include <string.h>

#include "base/decimal.h"
#include "history/format/format_internal.h"

/* --- names of values ------------------------------------------------------------------------ */

struct fmt_named fmt_value_name(const struct history *h, int64_t value)
{
    if (!h->value_names.names.len)
        return (struct fmt_named){FMT_INTEGER, NULL, 0};
    const char *name = intern_name(&h->value_names, (uint32_t)value);
    size_t n = h->value_names.lengths.data[value];
    if (n >= 2 && name[0] == '"' && name[n - 1] == '"')
        return (struct fmt_named){FMT_STRING, name + 1, n - 2};
    if (n && name[0] == '{')
        return (struct fmt_named){FMT_ROW, name, n};
    if (fmt_is_keyword(name, n))
        return (struct fmt_named){FMT_KEYWORD, name, n};
    bool literal =
        (n && decimal_length(name, n) == n) || !strcmp(name, "true") || !strcmp(name, "false");
    return (struct fmt_named){literal ? FMT_LITERAL : FMT_STRING, name, n};
}

/* --- pairs --------------------------------------------------------------------------------- */

uint64_t *fmt_pairs_get(const struct fmt_pairs *p, uint64_t a, uint64_t b)
{
    for (uint64_t hash = hash_pair(a, b);; hash = hash_u64(hash + 1)) {
        const uint64_t *slot = map_get(&p->slots, hash);
        if (!slot)
            return NULL;
        struct fmt_pair_item *item = &p->items.data[*slot];
        if (item->a == a && item->b == b)
            return &item->value;
    }
}

uint64_t *fmt_pairs_put(struct fmt_pairs *p, uint64_t a, uint64_t b, uint64_t initial, bool *fresh)
{
    for (uint64_t hash = hash_pair(a, b);; hash = hash_u64(hash + 1)) {
        bool new_slot;
        uint64_t index = *map_put(&p->slots, hash, p->items.len, &new_slot);
        if (new_slot)
            vec_push(&p->items, ((struct fmt_pair_item){a, b, initial}));
        struct fmt_pair_item *item = &p->items.data[index];
        if (item->a == a && item->b == b) {
            if (fresh)
                *fresh = new_slot;
            return &item->value;
        }
    }
}

void fmt_pairs_free(struct fmt_pairs *p)
{
    map_free(&p->slots);
    vec_free(&p->items);
}
