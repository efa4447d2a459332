/* The answer to a question, certified; see check.h.
 *
 * The techniques trust each other, the answer does not: whatever comes out goes through certify.h,
 * which starts from the history again. */
#include "check/check.h"

#include <assert.h>

#include "base/limit.h"
#include "certify/certify.h"
#include "check/explain/explain.h"
#include "check/problem/finding.h"
#include "check/techniques.h"
#include "history/lower/lower.h"
#include "history/rereads.h"

static double now(const struct check_options *o)
{
    return o->stats ? stats_user_seconds() : 0;
}

static void certify(const struct history *h, const struct check_options *o, struct check_result *r)
{
    const char *error = NULL;
    double start = now(o);
    if (r->verdict == CHECK_OK) {
        struct certificate c = certificate_of_order(r->level, o->clock_drift, r);
        error = certify_order(h, &c, &r->arena);
    } else if (r->verdict == CHECK_VIOLATION) {
        struct certify_question q = {o->level, o->clock_drift, o->unique_values};
        error = certify_violation(h, &q, r, &r->arena);
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
        o->stats->certify_seconds += now(o) - start;
}

static bool uses_sessions(const struct check_result *r)
{
    if (r->by_sessions)
        return true;
    for (size_t i = 0; i < r->edges.len; i++)
        if (r->edges.data[i].kind == CHECK_SO)
            return true;
    return false;
}

/* Sessions are good chains even where their order does not count: what holds with it holds without,
 * and so does a violation that does not mention it. */
static bool try_with_sessions(const struct history *h, const struct check_options *o,
                              struct check_result *r)
{
    struct check_options with = *o;
    with.level.session_order = true;
    techniques_judge(h, &with, r);
    r->level.session_order = o->level.session_order;
    if (r->verdict == CHECK_OK || (r->verdict == CHECK_VIOLATION && !uses_sessions(r)))
        return true;
    if (r->verdict == CHECK_UNKNOWN && limit_reached())
        return true;
    check_result_free(r);
    return false;
}

static void judge(const struct history *h, const struct check_options *o, struct check_result *r)
{
    if (o->level.session_order || !try_with_sessions(h, o, r))
        techniques_judge(h, o, r);
    if (r->verdict == CHECK_VIOLATION) {
        limit_step("explaining the violation");
        explain_finish(h, r);
    }
    limit_step("certifying the verdict");
    certify(h, o, r);
}

/* Running lists takes equal values in one list for each other.  An order in which that mattered is
 * not certified; then matching has the word, which tells such values apart or says that it cannot.
 */
static void judge_or_match(const struct history *h, const struct check_options *o,
                           struct check_result *r)
{
    judge(h, o, r);
    if (r->verdict == CHECK_BROKEN && r->ran) {
        struct check_options matched = *o;
        matched.no_run = true;
        check_result_free(r);
        judge(h, &matched, r);
    }
}

void check_history(const struct history *h, const struct check_options *o, struct check_result *r)
{
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
        judge_or_match(settled, o, r);
        rereads_free(settled, &view);
    }
    r->history = h;
}
