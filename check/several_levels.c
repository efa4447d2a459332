/* See several_levels.h. */
#include "check/several_levels.h"

#include "base/limit.h"
#include "base/strbuf.h"
#include "certify/ruled_out.h"
#include "check/guard.h"

struct run {
    struct check_lowering *x;
    const struct check_request *q;
    struct check_answers *a;
    struct lattice lattice;
};

/* ---- one level ------------------------------------------------------------------------------- */

static void tell_progress(void *run, struct level level, unsigned round)
{
    const struct check_request *q = ((const struct run *)run)->q;
    struct strbuf b = {0};
    if (!q->progress)
        return;
    sb_printf(&b, "checking %s", level_short_title(level));
    if (round > 1)
        sb_printf(&b, ", round %u", round);
    q->progress(q->arg, sb_str(&b));
    sb_free(&b);
}

/* little_effort: with bounded effort; then UNKNOWN may mean that more would do. */
static void check_one(struct run *r, size_t i, bool little_effort)
{
    struct check_answer *a = &r->a->at[i];
    struct check_result *result = &r->a->results[i];
    struct check_options o = r->q->options;
    struct budget some = budget_of(check_little_effort(r->x->shown));
    o.level = a->level;
    if (little_effort)
        o.budget = &some;
    check_result_free(result);
    double before = stats_user_seconds();
    tell_progress(r, a->level, 1);
    guard_check(r->x, &o, result);
    if (r->q->progress)
        r->q->progress(r->q->arg, "");
    a->verdict = result->verdict;
    a->by = i;
    a->seconds += stats_user_seconds() - before;
}

/* ---- the walk -------------------------------------------------------------------------------- */

static uint32_t with_verdict(const struct run *r, enum check_verdict v)
{
    uint32_t set = 0;
    for (size_t i = 0; i < r->a->count; i++)
        if (r->a->at[i].verdict == v)
            set |= 1u << i;
    return set;
}

/* Answer i is known: settle what follows from it. */
static void spread(struct run *r, size_t i)
{
    const struct check_answer *a = &r->a->at[i];
    uint32_t follows;
    if (a->verdict == CHECK_OK) {
        follows = lattice_below(&r->lattice, a->level);
    } else {
        struct ruled_out out = ruled_out_by(a->result->history, a->result);
        follows = lattice_above(&r->lattice, a->level) | lattice_ruled_out(&r->lattice, &out);
    }
    follows &= with_verdict(r, CHECK_UNKNOWN);
    for (size_t j = 0; j < r->a->count; j++)
        if (follows >> j & 1) {
            r->a->at[j].verdict = a->verdict;
            r->a->at[j].by = i;
        }
}

/* Every level that is not settled, stronger ones first: often they are the easier ones, and what
 * satisfies them satisfies the weaker ones.  A violation settles others only with `strongest`; else
 * each level has a reason of its own. */
static void ask_levels(struct run *r, bool little_effort)
{
    uint32_t asked = 0;
    size_t i;
    while ((i = lattice_next(&r->lattice, with_verdict(r, CHECK_UNKNOWN) & ~asked)) !=
           LATTICE_NONE) {
        check_one(r, i, little_effort);
        asked |= 1u << i;
        enum check_verdict v = r->a->at[i].verdict;
        if (v == CHECK_OK || (v == CHECK_VIOLATION && r->q->strongest))
            spread(r, i);
        if (r->q->known)
            r->q->known(r->q->arg, r->a);
        if (limit_reached())
            return;
    }
}

/* A limit was reached before the level's turn, or before it was asked with more than little effort.
 */
static void note_limit(struct run *r, size_t i)
{
    struct check_result *result = &r->a->results[i];
    bool tried = result->history != NULL;
    if (!tried)
        *result = (struct check_result){.level = r->a->at[i].level,
                                        .history = r->x->shown,
                                        .verdict = CHECK_UNKNOWN,
                                        .cycle = HIST_NONE};
    result->reason = limit_text_of(tried ? "" : "not tried");
}

/* No level may take all the time: each is asked with little effort before one is with much. */
static void settle_levels(struct run *r)
{
    if (r->a->count > 1 && r->q->options.backend == BACKEND_BUILTIN)
        ask_levels(r, true);
    if (!limit_reached())
        ask_levels(r, false);
    for (size_t i = 0; i < r->a->count && limit_reached(); i++)
        if (r->a->at[i].verdict == CHECK_UNKNOWN)
            note_limit(r, i);
}

/* ---- reasons --------------------------------------------------------------------------------- */

/* Each level has been asked by itself; what is left open may follow from what is not. */
static void settle_by_violations(struct run *r)
{
    for (size_t i = 0; i < r->a->count; i++)
        if (r->a->at[i].by == i && r->a->at[i].verdict == CHECK_VIOLATION)
            spread(r, i);
}

/* The reason for a level that another one's violation settled.  If a limit is in the way, the other
 * one's has to do; if the level is satisfied after all, something is broken. */
static void find_own_reason(struct run *r, size_t i)
{
    struct check_answer *a = &r->a->at[i], settled = *a;
    check_one(r, i, false);
    if (a->verdict == CHECK_UNKNOWN) {
        settled.seconds = a->seconds;
        *a = settled;
    } else if (a->verdict == CHECK_OK) {
        a->verdict = r->a->results[i].verdict = CHECK_BROKEN;
        r->a->results[i].reason = "ruled out by another level's violation, and yet satisfied";
    }
}

static void find_own_reasons(struct run *r)
{
    for (size_t i = 0; i < r->a->count && !limit_reached(); i++) {
        uint32_t weakest = lattice_weakest(&r->lattice, with_verdict(r, CHECK_VIOLATION));
        if (weakest >> i & 1 && r->a->at[i].by != i)
            find_own_reason(r, i);
    }
}

void several_levels(struct check_lowering *x, const struct check_request *q,
                    struct check_answers *a)
{
    struct run r = {.x = x, .q = q, .a = a};
    r.lattice.count = a->count;
    r.lattice.several_rows = a->several_rows;
    for (size_t i = 0; i < a->count; i++)
        r.lattice.levels[i] = a->at[i].level;
    x->search.progress = tell_progress;
    x->search.arg = &r;
    settle_levels(&r);
    if (q->strongest)
        find_own_reasons(&r);
    else
        settle_by_violations(&r);
    guard_lattice(&r.lattice, a);
    x->search.progress = NULL;
}
