/* See guard.h. */
#include "check/guard.h"

#include "certify/predicate/certify_whitebox.h"
#include "certify/ruled_out.h"
#include "check/certified_search.h"

static void stop(struct check_result *r, const char *reason)
{
    r->verdict = CHECK_BROKEN;
    r->reason = reason;
}

/* PL-2.99: the order must explain the predicate reads as they were recorded, too. */
static void certify_recorded(const struct check_lowering *x, struct check_result *r)
{
    struct certificate c = certificate_of_order(r->level, 0, r);
    const char *error = certify_repeatable(x->recorded, &c, &r->arena);
    if (error)
        stop(r, error);
}

void guard_check(struct check_lowering *x, const struct check_options *o, struct check_result *r)
{
    if (x->needed)
        missing_rows_check(&x->search, o, r);
    else
        check_items(x->recorded, o, r);
    bool repeatable = o->level.real_time == LEVEL_ITEMS_ONLY;
    if (r->verdict == CHECK_VIOLATION && !ruled_out_own_level(r->history, r))
        stop(r, "the cycles that were found do not contradict the level");
    if (r->verdict == CHECK_OK && !level_weaker_or_equal(o->level, r->level))
        stop(r, "the order that was found is one of a weaker level");
    if (r->verdict == CHECK_VIOLATION && !level_weaker_or_equal(r->level, o->level))
        stop(r, "the violation that was found is one of a stronger level");
    if (r->verdict == CHECK_OK && repeatable && x->needed)
        certify_recorded(x, r);
}

/* The satisfied levels above an answer that was found to be violated. */
static uint32_t contradictions(const struct lattice *l, const struct check_answers *a, size_t i)
{
    uint32_t satisfied = 0;
    if (a->at[i].verdict != CHECK_VIOLATION)
        return 0;
    for (size_t j = 0; j < a->count; j++)
        if (a->at[j].verdict == CHECK_OK)
            satisfied |= 1u << j;
    return lattice_above(l, a->at[i].level) & satisfied;
}

void guard_lattice(const struct lattice *l, struct check_answers *a)
{
    uint32_t broken = 0;
    for (size_t i = 0; i < a->count; i++) {
        uint32_t against = contradictions(l, a, i);
        if (against)
            broken |= against | 1u << i;
    }
    for (size_t i = 0; i < a->count; i++) { /* and what was settled by one of them */
        if (!((broken >> i | broken >> a->at[i].by) & 1))
            continue;
        a->at[i].verdict = CHECK_BROKEN;
        stop(&a->results[i], "of two levels, the weaker is violated and the stronger satisfied");
    }
}
