/* visar check: which levels, and the answers for them.
 *
 * --strongest walks the lattice of levels from the top and shares what it learns: a satisfied level
 * settles all weaker ones, and a violation settles every level under which the same cycles are
 * impossible (report/rules_out.c), so that most levels are never checked.  The weakest levels that
 * are violated are then asked for a reason of their own, in their own terms. */
#include <assert.h>
#include <string.h>

#include "base/limit.h"
#include "cli/cmd_check.h"
#include "cli/table.h"
#include "certify/certify_whitebox.h"

/* ---- which ----------------------------------------------------------------------------------- */

static void add_level(struct check_run *r, const char *name, struct level level)
{
    r->answers[r->count] = (struct report_answer){.name = name,
                                                  .level = level,
                                                  .verdict = CHECK_UNKNOWN,
                                                  .result = &r->results[r->count],
                                                  .by = r->count};
    r->count++;
}

static int add_named_level(struct check_run *r, const char *name)
{
    struct level level;
    if (!level_find(name, &level))
        return cli_unknown_name(r->c, KIND_LEVELS, name);
    if (r->count == CHECK_LEVELS_MAX)
        return cli_usage(r->c, "too many levels");
    if (r->c->opt.no_session_order) {
        if (!strncmp(name, "strong-session", 14))
            return cli_usage(r->c, "'%s' contradicts --no-session-order", name);
        level.session_order = false;
    }
    add_level(r, name, level);
    return EXIT_HOLDS;
}

/* Weakest first, as in the table. */
static void add_all_models(struct check_run *r)
{
    for (int m = 0; m < MODEL_COUNT; m++)
        add_level(r, model_get((enum model_id)m)->name,
                  (struct level){(enum model_id)m, !r->c->opt.no_session_order, LEVEL_NO_TIME});
}

int check_parse_levels(struct check_run *r)
{
    int rc = EXIT_HOLDS;
    char *rest = arena_strdup(&r->c->arena, r->c->opt.level), *name;
    if (!*rest)
        return cli_usage(r->c, "--level wants a level");
    while (rc == EXIT_HOLDS && (name = strsep(&rest, ",")))
        if (!strcmp(name, "all") && r->count + MODEL_COUNT <= CHECK_LEVELS_MAX)
            add_all_models(r);
        else
            rc = add_named_level(r, name);
    return rc;
}

static void add_placed(struct check_run *r, const char *name)
{
    struct level level;
    bool known = level_find(name, &level);
    assert(known);
    level.session_order &= known && !r->c->opt.no_session_order;
    add_level(r, name, level);
}

/* Weakest first, and behind the models those that are none: the walk begins at the end, so that
 * what settles most comes first.  Real time only where the history has the times for it. */
void check_add_lattice(struct check_run *r)
{
    static const char *const timed[] = {"gsi", "strong-si", "strict-ser"};
    for (int m = 0; m < MODEL_COUNT; m++) {
        if (m == MODEL_SI && !r->c->opt.no_session_order)
            add_placed(r, "adya-si");
        if (m == MODEL_SER)
            add_placed(r, "pl-2.99");
        add_placed(r, model_get((enum model_id)m)->name);
    }
    for (size_t i = 0; r->h->times && i < sizeof timed / sizeof *timed; i++)
        add_placed(r, timed[i]);
}

/* ---- one check ------------------------------------------------------------------------------- */

int64_t check_clock_drift(const struct cli *c)
{
    return (int64_t)(c->opt.clock_drift * 1e9);
}

static struct check_options engine_options(const struct check_run *r, struct level level)
{
    const struct options *opt = &r->c->opt;
    struct check_options o = check_defaults();
    o.level = level;
    o.clock_drift = check_clock_drift(r->c);
    o.backend = !strcmp(opt->solver, "z3")        ? BACKEND_Z3
                : !strcmp(opt->solver, "monosat") ? BACKEND_MONOSAT
                                                  : BACKEND_BUILTIN;
    o.monosat_path = opt->monosat;
    o.seed = (uint64_t)opt->seed;
    o.unique_values = opt->unique_values;
    o.stats = &r->c->stats;
    return o;
}

/* PL-2.99: the order must explain the predicate reads as they are, too. */
static void certify_original(struct check_run *r, struct check_result *result)
{
    struct certificate c = certificate_of_order(result->level, 0, result);
    const char *error = certify_repeatable(r->beforehand.original, &c, &result->arena);
    if (!error)
        return;
    result->verdict = CHECK_BROKEN;
    result->reason = error;
}

/* little_effort: with bounded effort; then UNKNOWN may mean that more would do. */
static void check_one(struct check_run *r, size_t i, bool little_effort)
{
    struct report_answer *a = &r->answers[i];
    struct check_result *result = &r->results[i];
    struct check_options o = engine_options(r, a->level);
    struct budget some = budget_of(check_little_effort(r->h));
    if (little_effort)
        o.budget = &some;
    if (r->checked[i])
        check_result_free(result);
    double before = stats_user_seconds();
    cli_progress(r->c, "checking %s", report_level(a->level));
    whitebox_check(&r->beforehand, r->h, &o, result);
    cli_progress(r->c, "%s", "");
    r->checked[i] = true;
    if (result->verdict == CHECK_VIOLATION && !report_refutes(result->history, result)) {
        result->verdict = CHECK_BROKEN;
        result->reason = "the cycles that were found do not contradict the level";
    }
    if (result->verdict == CHECK_OK && a->level.real_time == LEVEL_ITEMS_ONLY &&
        r->beforehand.original)
        certify_original(r, result);
    a->verdict = r->results[i].verdict;
    a->by = i;
    a->seconds += stats_user_seconds() - before;
}

/* What a limit may still print: every verdict so far, in a text that is never changed. */
static void tell_known(struct check_run *r)
{
    static const char *const names[] = {"satisfied", "violated"};
    const char *known = NULL;
    int code = EXIT_HOLDS;
    for (size_t i = 0; i < r->count; i++)
        if (r->answers[i].verdict == CHECK_OK || r->answers[i].verdict == CHECK_VIOLATION) {
            known = arena_printf(&r->c->arena, "%s%s%s %s", known ? known : "", known ? ", " : "",
                                 report_level(r->answers[i].level), names[r->answers[i].verdict]);
            if (r->answers[i].verdict == CHECK_VIOLATION)
                code = EXIT_VIOLATED;
        }
    cli_known(known, code);
}

/* ---- the strongest levels -------------------------------------------------------------------- */

bool check_several_rows(const struct check_run *r)
{
    return r->beforehand.original || r->h->predicates.len;
}

/* Answer i is known: settle what follows from it. */
static void spread(struct check_run *r, size_t i)
{
    const struct report_answer *a = &r->answers[i];
    struct report_ruled_out out = {0};
    if (a->verdict == CHECK_VIOLATION)
        out = report_rules_out(a->result->history, a->result);
    for (size_t j = 0; j < r->count; j++) {
        struct report_answer *b = &r->answers[j];
        bool above = report_level_weaker_or_equal(a->level, b->level);
        bool below = report_level_weaker_or_equal(b->level, a->level);
        bool same_proof = report_rules_out_level(&out, b->level);
        if (b->verdict != CHECK_UNKNOWN || !(a->verdict == CHECK_OK ? below : above || same_proof))
            continue;
        b->verdict = a->verdict;
        b->by = i;
    }
}

static bool is_settled(const struct check_run *r, size_t i)
{
    return r->answers[i].verdict != CHECK_UNKNOWN;
}

/* Is there no stronger level among those that were not asked?  Of two names for one level the later
 * one is the stronger. */
static bool is_next(const struct check_run *r, const bool *asked, size_t i)
{
    if (asked[i] || is_settled(r, i))
        return false;
    for (size_t j = 0; j < r->count; j++) {
        struct level a = r->answers[i].level, b = r->answers[j].level;
        bool above = report_level_weaker_or_equal(a, b);
        if (j != i && above && !asked[j] && !is_settled(r, j) &&
            (j > i || !report_level_weaker_or_equal(b, a)))
            return false;
    }
    return true;
}

/* Every level that is not settled, stronger ones first: often they are the easier ones, and what
 * satisfies them satisfies the weaker ones.  A violation settles others only if `share`; else each
 * level has a reason of its own. */
static void ask_levels(struct check_run *r, bool little_effort, bool share)
{
    bool asked[CHECK_LEVELS_MAX] = {0};
    for (size_t i = r->count; i-- > 0;) {
        if (!is_next(r, asked, i))
            continue;
        check_one(r, i, little_effort);
        asked[i] = true;
        enum check_verdict v = r->answers[i].verdict;
        if (v == CHECK_OK || (v == CHECK_VIOLATION && share))
            spread(r, i);
        tell_known(r);
        i = r->count; /* from the start again */
        if (limit_reached())
            return;
    }
}

/* A limit was reached before the level's turn, or before it was asked with more than little effort.
 */
static void note_limit(struct check_run *r, size_t i)
{
    bool tried = r->checked[i];
    if (!tried)
        r->results[i] = (struct check_result){.level = r->answers[i].level,
                                              .history = r->h,
                                              .verdict = CHECK_UNKNOWN,
                                              .cycle = HIST_NONE};
    r->results[i].reason = limit_text_of(tried ? "" : "not tried");
    r->checked[i] = true;
}

/* No level may take all the time: each is asked with little effort before one is with much. */
static void settle_levels(struct check_run *r, bool share)
{
    if (r->count > 1 && !strcmp(r->c->opt.solver, "builtin"))
        ask_levels(r, true, share);
    if (!limit_reached())
        ask_levels(r, false, share);
    for (size_t i = 0; i < r->count && limit_reached(); i++)
        if (!is_settled(r, i))
            note_limit(r, i);
}

void check_each(struct check_run *r)
{
    settle_levels(r, false);
    for (size_t i = 0; i < r->count; i++) /* what is left open may follow from what is not */
        if (r->answers[i].by == i && r->answers[i].verdict == CHECK_VIOLATION)
            spread(r, i);
}

/* The reason for a level that another one's violation settled.  If a limit is in the way, the other
 * one's has to do; if the level is satisfied after all, something is broken. */
static void find_own_reason(struct check_run *r, size_t i)
{
    struct report_answer settled = r->answers[i];
    check_one(r, i, false);
    if (r->answers[i].verdict == CHECK_UNKNOWN) {
        double seconds = r->answers[i].seconds;
        r->answers[i] = settled;
        r->answers[i].seconds = seconds;
    } else if (r->answers[i].verdict == CHECK_OK) {
        r->answers[i].verdict = r->results[i].verdict = CHECK_BROKEN;
        r->results[i].reason = "ruled out by another level's violation, and yet satisfied";
    }
}

void check_strongest(struct check_run *r)
{
    settle_levels(r, true);
    struct check_report all = {
        .h = r->h, .answers = r->answers, .count = r->count, .several_rows = check_several_rows(r)};
    for (size_t i = 0; i < r->count && !limit_reached(); i++)
        if (report_is_weakest_violated(&all, i) && r->answers[i].by != i)
            find_own_reason(r, i);
}
