/* Predicate reads in terms of items, and the answers that this alone gives; see lowered_question.h.
 */
#include "check/lowered_question.h"

#include "base/mem.h"
#include "certify/order/certify_missing_rows.h"
#include "certify/predicate/certify_whitebox.h"
#include "check/certified_search.h"

/* The last of the levels that is, or is not, repeatable read; or NULL. */
static const struct level *last_level(const struct level *levels, size_t count, bool items_only)
{
    while (count-- > 0)
        if ((levels[count].real_time == LEVEL_ITEMS_ONLY) == items_only)
            return &levels[count];
    return NULL;
}

bool lowering_needed(const struct history *h, const struct level *levels, size_t count)
{
    return (last_level(levels, count, false) && lower_needed(h, &(struct lower_options){0})) ||
           (last_level(levels, count, true) &&
            lower_needed(h, &(struct lower_options){.items_only = true}));
}

static bool is_open(const struct check_lowering *x)
{
    return !x->unknown && !x->mismatch && !x->fault;
}

/* The history as a view sees it.  A result that no versions give, or that is not that of its
 * version set, violates every level. */
static void derive(struct check_lowering *x, const struct lower_options *o, struct arena *messages,
                   struct lowered *d)
{
    lower_history(x->recorded, o, messages, d);
    x->unknown = d->unknown;
    if (d->unknown)
        return;
    x->fault = d->violation ? certify_mismatch(x->recorded, d, messages)
                            : certify_results(x->recorded, messages);
    if (d->violation && !x->fault)
        x->mismatch = d;
}

/* Levels that are not repeatable read.  With rounds (missing_rows.h) this is only the first one. */
static void derive_items(struct check_lowering *x, struct level level, struct arena *messages)
{
    const struct history *h = x->recorded;
    bool all = !missing_rows_many(h);
    enum lower_view view = all ? lower_view_of(level.model) : missing_rows_first_view(h, level);
    struct lower_options o = lower_view_options(view, level.session_order);
    lower_rows none = {0};
    if (!all)
        o.only = &none;
    x->search.all = all;
    if (lower_needed(h, &o))
        derive(x, &o, messages, &x->items);
    if (is_open(x) && x->items.history)
        missing_rows_lend(&x->search, view, level.session_order, &x->items);
}

static void derive_repeatable(struct check_lowering *x, struct level level, struct arena *messages)
{
    struct lower_options o = lower_view_options(LOWER_ITEMS, level.session_order);
    derive(x, &o, messages, &x->repeatable);
    if (is_open(x))
        missing_rows_lend(&x->search, LOWER_ITEMS, level.session_order, &x->repeatable);
}

void lowering_make(struct check_lowering *x, const struct history *h, const struct level *levels,
                   size_t count, struct arena *messages)
{
    const struct level *plain = last_level(levels, count, false);
    const struct level *items_only = last_level(levels, count, true);
    *x = (struct check_lowering){
        .recorded = h, .shown = h, .needed = lowering_needed(h, levels, count)};
    if (!x->needed)
        return;
    missing_rows_start(&x->search, h, check_items, messages);
    if (plain)
        derive_items(x, *plain, messages);
    if (is_open(x) && items_only)
        derive_repeatable(x, *items_only, messages);
    if (is_open(x))
        x->shown = x->items.history ? x->items.history : x->repeatable.history;
}

void lowering_free(struct check_lowering *x)
{
    struct lowered *all[] = {&x->items, &x->repeatable};
    if (x->needed)
        missing_rows_end(&x->search);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        hist_free(all[i]->history);
        mem_free(all[i]->spans);
    }
}
