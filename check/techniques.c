/* The techniques of the history engine, and when each applies; see techniques.h. */
#include "check/techniques.h"

#include "base/limit.h"
#include "check/agenda/agenda.h"
#include "check/graph_levels.h"
#include "check/order/candidate_order.h"
#include "check/problem/duplicate_values.h"
#include "check/problem/lists.h"
#include "check/visibility/visibility.h"
#include "models/model_sets.h"

struct question {
    const struct history *h;
    const struct check_options *o;
    struct check_result *r;
    struct prob p;
    bool matched;
    bool by_visibility; /* EC, RC, RA, CC, PSI */
    struct graph_question graph;
};

/* --- techniques that need the history alone ----------------------------------------------------
 */

static bool always(const void *question)
{
    (void)question;
    return true;
}

static bool run_candidate_order(void *question, struct budget *b)
{
    struct question *q = question;
    budget_spend(b, q->h->ops.len);
    return candidate_order(q->h, q->o, q->r);
}

static bool may_run_lists(const void *question)
{
    return !((const struct question *)question)->o->no_run;
}

static bool run_lists(void *question, struct budget *b)
{
    struct question *q = question;
    budget_spend(b, q->h->ops.len);
    q->r->ran = lists_replay(q->h, q->o, q->r);
    if (q->r->ran && q->o->stats) {
        q->o->stats->transactions += q->h->txns.len;
        q->o->stats->operations += q->h->ops.len;
    }
    return q->r->ran;
}

/* Lists with equal elements.  Below PC an order of PC's will do, and running finds one quickly. */
static void check_equal_elements(struct question *q)
{
    struct check_options stronger = *q->o;
    struct check_result events = {.reason = ""};
    bool by_visibility = vis_decides(q->o->level.model);
    stronger.level.model = vis_stronger(q->o->level.model);
    q->r->ran = by_visibility && !q->o->no_run && lists_replay(q->h, &stronger, &events);
    if (q->r->ran)
        vis_from_events(q->h, &events, q->r);
    else
        duplicates_check(q->h, q->o, &q->p.duplicates, techniques_judge, q->r);
    check_result_free(&events);
}

/* Matching answers if a single operation is an anomaly, or if it cannot go on. */
static bool run_matching(void *question, struct budget *b)
{
    struct question *q = question;
    budget_spend(b, 4 * q->h->ops.len);
    q->matched = match_build(q->h, q->o, &q->p, q->r);
    if (!q->matched && q->p.duplicates.keys.len)
        check_equal_elements(q);
    if (!q->matched) {
        match_free(&q->p);
    } else if (q->o->stats) {
        q->o->stats->transactions += q->p.n;
        q->o->stats->operations += q->h->ops.len;
    }
    return !q->matched;
}

static const struct technique before_matching[] = {
    {"candidate orders", TECHNIQUE_ONCE, 0, always, run_candidate_order},
    {"running lists", TECHNIQUE_ONCE, 0, may_run_lists, run_lists},
    {"matching", TECHNIQUE_ONCE, 0, always, run_matching},
};

/* --- stronger levels ---------------------------------------------------------------------------
 */

/* Where reads have a choice, more follows at a stronger level: the fewer snapshots a transaction
 * has, the less is left to choose. */
static bool is_above(const struct question *q, enum model_id model)
{
    enum model_id m = q->o->level.model;
    return q->p.choices.len && !q->o->always_solve && !q->o->ok_only &&
           q->o->level.real_time == LEVEL_NO_TIME && m != model && model_weaker_or_equal(m, model);
}

/* A graph that is hopeless is violated, and so is every stronger level. */
static bool may_ask_above(const void *question, enum model_id model)
{
    const struct question *q = question;
    return is_above(q, model) && !q->graph.hopeless;
}

static bool ask_above(struct question *q, enum model_id model, struct budget *b)
{
    struct check_options stronger = *q->o;
    struct check_result answer;
    stronger.level.model = model;
    stronger.budget = b;
    stronger.ok_only = true;
    stronger.favourite = NULL;
    stronger.stats = NULL;
    techniques_judge(q->h, &stronger, &answer);
    bool holds = answer.verdict == CHECK_OK;
    if (holds)
        vis_take_over(q->h, &answer, q->r);
    check_result_free(&answer);
    return holds;
}

/* above_SER is whether to ask the level, ask_SER asks it. */
#define ABOVE(name)                                                                                \
    static bool above_##name(const void *question)                                                 \
    {                                                                                              \
        return may_ask_above(question, MODEL_##name);                                              \
    }                                                                                              \
    static bool ask_##name(void *question, struct budget *b)                                       \
    {                                                                                              \
        return ask_above(question, MODEL_##name, b);                                               \
    }
ABOVE(SER)
ABOVE(SI)
ABOVE(PC)
ABOVE(RCS)
#undef ABOVE

/* --- RC, RA, CC, PSI ----------------------------------------------------------------------------
 */

static struct check_options within(const struct question *q, struct budget *b)
{
    struct check_options o = *q->o;
    o.budget = b;
    return o;
}

static bool is_by_visibility(const void *question)
{
    return ((const struct question *)question)->by_visibility;
}

static bool has_choices(const void *question)
{
    const struct question *q = question;
    return q->by_visibility && q->p.choices.len && !q->o->always_solve;
}

/* Reads of ranges have so many candidates that a stronger level is the easier question. */
static bool has_few_candidates(const void *question)
{
    return has_choices(question) && !((const struct question *)question)->h->predicates.len;
}

static bool has_many_candidates(const void *question)
{
    return has_choices(question) && ((const struct question *)question)->h->predicates.len;
}

static bool run_quick(void *question, struct budget *b)
{
    struct question *q = question;
    struct check_options o = within(q, b);
    return vis_quick(&q->p, &o, q->r);
}

static bool run_rerun(void *question, struct budget *b)
{
    struct question *q = question;
    struct check_options o = within(q, b);
    return vis_rerun(&q->p, &o, q->r);
}

static bool may_refute(const void *question)
{
    return has_choices(question) && !((const struct question *)question)->o->ok_only;
}

static bool run_refutation(void *question, struct budget *b)
{
    struct question *q = question;
    struct check_options o = within(q, b);
    return vis_refute(&q->p, &o, q->r);
}

static bool run_visibility(void *question, struct budget *b)
{
    struct question *q = question;
    struct check_options o = within(q, b);
    vis_check(&q->p, &o, q->r);
    return q->r->verdict != CHECK_UNKNOWN;
}

/* --- SER, SI, PC, RCS ---------------------------------------------------------------------------
 */

static bool on_graph(const void *question)
{
    const struct question *q = question;
    return !q->by_visibility && !q->graph.hopeless;
}

static bool is_built(const void *question)
{
    return on_graph(question) && ((const struct question *)question)->graph.built;
}

static bool is_saturated(const void *question)
{
    return on_graph(question) && ((const struct question *)question)->graph.saturated;
}

static bool is_linear(const void *question)
{
    return on_graph(question) && graph_is_linear(&((const struct question *)question)->graph);
}

/* Lists and white-box histories leave so little undecided that the replay mostly gets through at
 * once. */
static bool is_mostly_known(const void *question)
{
    return is_built(question) && ((const struct question *)question)->p.known.len;
}

static bool run_linear(void *question, struct budget *b)
{
    (void)b;
    return graph_linear(&((struct question *)question)->graph);
}

static bool run_recorded(void *question, struct budget *b)
{
    (void)b;
    return graph_recorded(&((struct question *)question)->graph);
}

static bool run_cycle(void *question, struct budget *b)
{
    (void)b;
    return graph_cycle(&((struct question *)question)->graph);
}

static bool run_replay(void *question, struct budget *b)
{
    (void)b;
    return graph_replay(&((struct question *)question)->graph);
}

static bool run_saturation(void *question, struct budget *b)
{
    return graph_saturate(&((struct question *)question)->graph, b);
}

static bool run_solver(void *question, struct budget *b)
{
    return graph_solve(&((struct question *)question)->graph, b);
}

/* --- techniques that need the matched problem ---------------------------------------------------
 */

static const struct technique after_matching[] = {
    {"linear order", TECHNIQUE_ONCE, 0, is_linear, run_linear},
    {"recorded order", TECHNIQUE_ONCE, 0, on_graph, run_recorded},
    {"cycle of dependencies", TECHNIQUE_ONCE, 0, on_graph, run_cycle},
    {"greedy replay", TECHNIQUE_ONCE, 0, is_mostly_known, run_replay},
    {"saturation", TECHNIQUE_ONCE, 0, is_built, run_saturation},
    {"greedy replay, saturated", TECHNIQUE_ONCE, 0, is_saturated, run_replay},

    {"sources for its own order", TECHNIQUE_PARTIAL, 16, has_choices, run_quick},
    {"re-run", TECHNIQUE_PARTIAL, 24, has_few_candidates, run_rerun},
    {"SER, which is stronger", TECHNIQUE_PARTIAL, 16, above_SER, ask_SER},
    {"SI, which is stronger", TECHNIQUE_PARTIAL, 8, above_SI, ask_SI},
    {"PC, which is stronger", TECHNIQUE_PARTIAL, 8, above_PC, ask_PC},
    {"RCS, which is stronger", TECHNIQUE_PARTIAL, 8, above_RCS, ask_RCS},
    {"contradiction, 4 candidates", TECHNIQUE_PARTIAL, 6, may_refute, run_refutation},
    {"re-run", TECHNIQUE_PARTIAL, 8, has_many_candidates, run_rerun},
    {"search for visibility", TECHNIQUE_COMPLETE, 8, is_by_visibility, run_visibility},
    {"solver", TECHNIQUE_COMPLETE, 16, is_saturated, run_solver},
};

/* In steps: a quarter of what matching took, about. */
static uint64_t unit_of(const struct prob *p)
{
    return 1000 + 4 * ((uint64_t)p->n + p->rd_start[p->n] + p->versions) + p->cand.len / 4;
}

static void judge_matched(struct question *q)
{
    struct agenda a = {.rows = after_matching,
                       .count = sizeof after_matching / sizeof *after_matching,
                       .question = q,
                       .unit = unit_of(&q->p),
                       .total = q->o->budget,
                       .favourite = q->o->favourite,
                       .stats = q->o->stats};
    q->by_visibility = vis_decides(q->o->level.model);
    if (q->by_visibility)
        match_list_order(&q->p);
    else
        graph_start(&q->graph, &q->p, q->o, q->r);
    q->r->technique = agenda_run(&a);
    if (!q->r->technique && (!*q->r->reason || limit_reached()))
        graph_give_up(q->r);
    graph_end(&q->graph);
    match_free(&q->p);
}

void techniques_judge(const struct history *h, const struct check_options *o,
                      struct check_result *r)
{
    struct question q = {.h = h, .o = o, .r = r};
    struct agenda a = {.rows = before_matching,
                       .count = sizeof before_matching / sizeof *before_matching,
                       .question = &q,
                       .unit = 1,
                       .total = o->budget,
                       .stats = o->stats};
    *r = (struct check_result){
        .level = o->level, .verdict = CHECK_UNKNOWN, .reason = "", .cycle = HIST_NONE};
    const char *winner = agenda_run(&a);
    if (q.matched)
        judge_matched(&q);
    else if (winner)
        r->technique = winner;
    else
        graph_give_up(r);
}
