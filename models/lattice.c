/* Which model or level is weaker than which; see lattice.h. */
#include "models/lattice.h"

#include <assert.h>

/* ---- levels --------------------------------------------------------------------------------- */

/* Real time makes a level stronger, but only as far as it goes: strict SER has neither GSI's edges
 * nor strong SI's (docs/levels.md).  PL-2.99 is below SER and above nothing. */
bool level_weaker_or_equal(struct level a, struct level b)
{
    a = level_normal(a);
    if (a.session_order > b.session_order || !model_weaker_or_equal(a.model, b.model))
        return false;
    if (b.real_time == LEVEL_ITEMS_ONLY)
        return a.real_time == LEVEL_ITEMS_ONLY;
    if (a.real_time == LEVEL_ITEMS_ONLY || a.real_time == LEVEL_NO_TIME)
        return true;
    return a.model == b.model && a.real_time <= b.real_time;
}

static void place(const char *name, bool session_order, struct named_level *out, size_t *count)
{
    struct level level;
    bool known = level_find(name, &level);
    assert(known);
    level.session_order &= known && session_order;
    level = level_normal(level);
    out[(*count)++] = (struct named_level){name, level};
}

size_t lattice_all(bool session_order, bool timed, struct named_level out[LATTICE_MAX])
{
    static const char *const with_time[] = {"gsi", "strong-si", "strict-ser"};
    size_t count = 0;
    for (int m = 0; m < MODEL_COUNT; m++) {
        if (m == MODEL_SI && session_order)
            place("adya-si", session_order, out, &count);
        if (m == MODEL_SER)
            place("pl-2.99", session_order, out, &count);
        place(model_get((enum model_id)m)->name, session_order, out, &count);
    }
    for (size_t i = 0; timed && i < sizeof with_time / sizeof *with_time; i++)
        place(with_time[i], session_order, out, &count);
    return count;
}

uint32_t lattice_below(const struct lattice *l, struct level level)
{
    uint32_t set = 0;
    for (size_t i = 0; i < l->count; i++)
        if (level_weaker_or_equal(l->levels[i], level))
            set |= 1u << i;
    return set;
}

uint32_t lattice_above(const struct lattice *l, struct level level)
{
    uint32_t set = 0;
    for (size_t i = 0; i < l->count; i++)
        if (level_weaker_or_equal(level, l->levels[i]))
            set |= 1u << i;
    return set;
}

size_t lattice_next(const struct lattice *l, uint32_t set)
{
    for (size_t i = l->count; i-- > 0;) {
        uint32_t above = lattice_above(l, l->levels[i]) & set;
        uint32_t equal = lattice_below(l, l->levels[i]) & above;
        uint32_t up_to_i = (2u << i) - 1;
        if (set >> i & 1 && !(above & ~equal) && !(equal & ~up_to_i))
            return i;
    }
    return LATTICE_NONE;
}

/* Without reads of several rows PL-2.99 is SER, which then stands for both. */
static uint32_t with_own_place(const struct lattice *l)
{
    uint32_t set = 0;
    for (size_t i = 0; i < l->count; i++)
        if (l->several_rows || l->levels[i].real_time != LEVEL_ITEMS_ONLY)
            set |= 1u << i;
    return set;
}

uint32_t lattice_strongest(const struct lattice *l, uint32_t satisfied)
{
    uint32_t own = with_own_place(l), strongest = 0;
    for (size_t i = 0; i < l->count; i++)
        if ((satisfied & own) >> i & 1 && (lattice_above(l, l->levels[i]) & satisfied) == 1u << i)
            strongest |= 1u << i;
    return strongest;
}

/* The levels that differ from this one only in whether session order counts. */
static uint32_t twins(const struct lattice *l, struct level level)
{
    uint32_t set = 0;
    for (size_t i = 0; i < l->count; i++)
        if (l->levels[i].model == level.model && l->levels[i].real_time == level.real_time &&
            l->levels[i].session_order != level.session_order)
            set |= 1u << i;
    return set;
}

uint32_t lattice_weakest(const struct lattice *l, uint32_t violated)
{
    uint32_t own = with_own_place(l) & violated, weakest = 0;
    for (size_t i = 0; i < l->count; i++) {
        struct level level = l->levels[i];
        uint32_t twin = twins(l, level), below = lattice_below(l, level) & own;
        bool spoken_for = !level.session_order && twin & violated;
        if (own >> i & 1 && !spoken_for && (below & ~twin) == 1u << i)
            weakest |= 1u << i;
    }
    return weakest;
}

/* ---- what a violation rules out -------------------------------------------------------------- */

bool ruled_out_level(const struct ruled_out *o, struct level l)
{
    bool timed = l.real_time == LEVEL_TIME_COMMITS || l.real_time == LEVEL_TIME_STRICT;
    if (o->needs_sessions && !l.session_order)
        return false;
    if (o->needs_begins && l.real_time != LEVEL_TIME_STRICT)
        return false;
    if (o->needs_commits && (!timed || l.model != MODEL_SI))
        return false;
    if (l.real_time == LEVEL_ITEMS_ONLY && !o->items)
        return false;
    return o->shapes >> l.model & 1;
}

uint32_t lattice_ruled_out(const struct lattice *l, const struct ruled_out *o)
{
    uint32_t set = 0;
    for (size_t i = 0; i < l->count; i++)
        if (ruled_out_level(o, l->levels[i]))
            set |= 1u << i;
    return set;
}

const char *ruled_out_extra(const struct ruled_out *o, size_t i)
{
    static const char *const names[] = {"pl-2.99", "adya-si",   "plain-ser",
                                        "gsi",     "strong-si", "strict-ser"};
    for (size_t j = 0; j < sizeof names / sizeof *names; j++) {
        struct level level;
        bool known = level_find(names[j], &level);
        if (known && ruled_out_level(o, level) && !i--)
            return names[j];
    }
    return NULL;
}
