/* The summary of the answers for several levels. */
#include "report/report.h"

const char *report_level(struct level l)
{
    static const char *const with[MODEL_COUNT] = {
#define MODEL(id, name, title, snapshot, axioms, below, gives) #id,
#include "models/models.def"
#undef MODEL
    };
    static const char *const without[MODEL_COUNT] = {
#define MODEL(id, name, title, snapshot, axioms, below, gives) #id " without session order",
#include "models/models.def"
#undef MODEL
    };
    if (l.real_time == LEVEL_ITEMS_ONLY)
        return l.session_order ? "PL-2.99" : "PL-2.99 without session order";
    if (l.real_time == LEVEL_NO_TIME)
        return l.session_order ? with[l.model] : without[l.model];
    if (l.model == MODEL_SER && l.real_time == LEVEL_TIME_STRICT)
        return "strict SER";
    if (l.model == MODEL_SI)
        return l.real_time == LEVEL_TIME_STRICT ? "strong SI" : "GSI";
    return level_title(l);
}

/* Real time makes a level stronger, but only as far as it goes: strict SER has neither GSI's edges
 * nor strong SI's (docs/levels.md).  PL-2.99 is below SER and above nothing. */
bool report_level_weaker_or_equal(struct level a, struct level b)
{
    if (a.session_order > b.session_order || !model_weaker_or_equal(a.model, b.model))
        return false;
    if (b.real_time == LEVEL_ITEMS_ONLY)
        return a.real_time == LEVEL_ITEMS_ONLY;
    if (a.real_time == LEVEL_ITEMS_ONLY || a.real_time == LEVEL_NO_TIME)
        return true;
    return a.model == b.model && a.real_time <= b.real_time;
}

/* Without reads of several rows PL-2.99 is SER, which then speaks for both. */
static bool has_own_place(const struct check_report *c, size_t answer)
{
    return c->several_rows || c->answers[answer].level.real_time != LEVEL_ITEMS_ONLY;
}

bool report_is_strongest(const struct check_report *c, size_t answer)
{
    if (c->answers[answer].verdict != CHECK_OK || !has_own_place(c, answer))
        return false;
    for (size_t i = 0; i < c->count; i++)
        if (i != answer && c->answers[i].verdict == CHECK_OK &&
            report_level_weaker_or_equal(c->answers[answer].level, c->answers[i].level))
            return false;
    return true;
}

/* Are the levels the same but for session order, which b has? */
static bool adds_sessions(struct level a, struct level b)
{
    return a.model == b.model && a.real_time == b.real_time && !a.session_order && b.session_order;
}

/* Where a level is violated with and without session order, the usual one speaks for both. */
static bool has_violated_twin(const struct check_report *c, size_t answer)
{
    for (size_t i = 0; i < c->count; i++)
        if (c->answers[i].verdict == CHECK_VIOLATION &&
            adds_sessions(c->answers[answer].level, c->answers[i].level))
            return true;
    return false;
}

bool report_is_weakest_violated(const struct check_report *c, size_t answer)
{
    if (c->answers[answer].verdict != CHECK_VIOLATION || !has_own_place(c, answer) ||
        has_violated_twin(c, answer))
        return false;
    for (size_t i = 0; i < c->count; i++)
        if (i != answer && c->answers[i].verdict == CHECK_VIOLATION && has_own_place(c, i) &&
            !adds_sessions(c->answers[i].level, c->answers[answer].level) &&
            report_level_weaker_or_equal(c->answers[i].level, c->answers[answer].level))
            return false;
    return true;
}

enum check_verdict report_verdict(const struct check_report *c)
{
    bool seen[CHECK_BROKEN + 1] = {0};
    for (size_t i = 0; i < c->count; i++)
        seen[c->answers[i].verdict] = true;
    if (seen[CHECK_BROKEN])
        return CHECK_BROKEN;
    if (c->strongest && seen[CHECK_UNKNOWN])
        return CHECK_UNKNOWN;
    if (seen[CHECK_VIOLATION] && !(c->strongest && seen[CHECK_OK]))
        return CHECK_VIOLATION;
    return seen[CHECK_UNKNOWN] ? CHECK_UNKNOWN : CHECK_OK;
}
