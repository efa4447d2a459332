/* One level, certified; see certified_search.h.
 *
 * certify.h starts from the history again and knows nothing of the search. */
#include "check/certified_search.h"

#include <assert.h>

#include "base/limit.h"
#include "certify/certify.h"
#include "check/explain/prove.h"
#include "check/problem/finding.h"
#include "check/search.h"
#include "history/lower/lower.h"
#include "history/rereads.h"

static void certify(const struct history *h, const struct check_options *o, struct check_result *r)
{
    const char *error = NULL;
    double start = o->stats ? stats_user_seconds() : 0;
    if (r->verdict == CHECK_OK) {
        struct certificate c = certificate_of_order(r->level, o->clock_drift, r);
        error = certify_order(h, &c, &r->arena);
    } else if (r->verdict == CHECK_VIOLATION) {
        struct certify_question q = {o->level, o->clock_drift, o->unique_values};
        error = prove_violation(h, &q, r, &r->arena);
    }
    if (error && r->verdict == CHECK_OK && r->loose) {
        finding_unknown(r, "an aggregate has too many partial results");
        error = NULL;
    }
    if (error && limit_reached()) { /* perhaps it was only cut short */
        finding_unknown(r, "%s", limit_text());
    } else if (error) {
        r->verdict = CHECK_BROKEN;
        r->reason = error;
    }
    if (o->stats)
        o->stats->certify_seconds += stats_user_seconds() - start;
}

static void search_and_certify(const struct history *h, const struct check_options *o,
                               struct check_result *r)
{
    search_items(h, o, r);
    limit_step("certifying the verdict");
    certify(h, o, r);
}

/* Running lists takes equal values in one list for each other.  An order in which that mattered is
 * not certified; then matching has the word, which tells such values apart or says that it cannot.
 */
static void run_or_match(const struct history *h, const struct check_options *o,
                         struct check_result *r)
{
    search_and_certify(h, o, r);
    if (r->verdict == CHECK_BROKEN && r->ran) {
        struct check_options matched = *o;
        matched.no_run = true;
        check_result_free(r);
        search_and_certify(h, &matched, r);
    }
}

void check_items(const struct history *h, const struct check_options *asked, struct check_result *r)
{
    struct check_options normal = *asked;
    const struct check_options *o = &normal;
    normal.level = level_normal(normal.level);
    assert(h->finished);
    *r = (struct check_result){.level = o->level, .reason = "", .cycle = HIST_NONE};
    struct lower_options d = {.items_only = o->level.real_time == LEVEL_ITEMS_ONLY};
    if (lower_needed(h, &d)) {
        finding_unknown(r, "predicate reads have to be put in terms of items first");
    } else if (o->level.real_time != LEVEL_NO_TIME && !d.items_only && !h->times) {
        finding_unknown(r, "%s needs time stamps, and the history has none", level_title(o->level));
    } else {
        struct history view;
        limit_phase("checking %s", level_title(o->level));
        const struct history *settled = rereads_settle(h, o->level, &view);
        run_or_match(settled, o, r);
        rereads_free(settled, &view);
    }
    r->history = h;
}
