/* The search for an answer; see search.h.
 *
 * The techniques trust each other, the answer does not: whatever comes out goes through certify.h,
 * which starts from the history again (certified_search.c). */
#include "check/search.h"

#include "base/limit.h"
#include "check/explain/explain.h"
#include "check/techniques.h"

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

void search_items(const struct history *h, const struct check_options *o, struct check_result *r)
{
    if (o->level.session_order || !try_with_sessions(h, o, r))
        techniques_judge(h, o, r);
    if (r->verdict == CHECK_VIOLATION) {
        limit_step("explaining the violation");
        explain_finish(h, r);
    }
}
