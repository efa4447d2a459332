/* See lying_search.h. */
#include "tests/unit/lying_search.h"

#include "check/certified_search.h"
#include "check/search.h"

static enum lie current;

void __real_search_items(const struct history *h, const struct check_options *o,
                         struct check_result *r);
void __wrap_search_items(const struct history *h, const struct check_options *o,
                         struct check_result *r);
void __real_check_items(const struct history *h, const struct check_options *o,
                        struct check_result *r);
void __wrap_check_items(const struct history *h, const struct check_options *o,
                        struct check_result *r);

void lying_search(enum lie lie)
{
    current = lie;
}

static void answer_for(const struct history *h, const struct check_options *o, enum model_id model,
                       struct check_result *r)
{
    struct check_options other = *o;
    other.level.model = model;
    __real_search_items(h, &other, r);
}

static void answer_in_order(const struct history *h, const struct check_options *o,
                            struct check_result *r)
{
    *r = (struct check_result){.level = o->level,
                               .verdict = CHECK_OK,
                               .reason = "",
                               .order_kind = CHECK_SERIAL,
                               .cycle = HIST_NONE};
    for (uint32_t t = 0; t < h->txns.len; t++)
        vec_push(&r->order, t);
}

void __wrap_search_items(const struct history *h, const struct check_options *o,
                         struct check_result *r)
{
    switch (current) {
    case LIE_NONE:
    case LIE_RELABELLED:
    case LIE_LATTICE:
        __real_search_items(h, o, r);
        break;
    case LIE_VIOLATION:
        answer_for(h, o, MODEL_SER, r);
        r->level = o->level;
        break;
    case LIE_ORDER:
        answer_in_order(h, o, r);
        break;
    case LIE_WEAKER:
        answer_for(h, o, MODEL_RC, r);
        break;
    }
}

void __wrap_check_items(const struct history *h, const struct check_options *o,
                        struct check_result *r)
{
    bool ser = o->level.model == MODEL_SER;
    struct check_options other = *o;
    if (current == LIE_RELABELLED)
        other.level.model = MODEL_SER;
    if (current == LIE_LATTICE && ser)
        other.level.model = MODEL_RC;
    __real_check_items(h, &other, r);
    if (current == LIE_RELABELLED || (current == LIE_LATTICE && ser))
        r->level = o->level;
    if (current == LIE_LATTICE && ser && o->budget)
        r->verdict = CHECK_UNKNOWN;
}
