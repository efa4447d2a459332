/* The missing rows that matter, found round by round; see missing_rows.h. */
#include "check/predicate/missing_rows.h"

#include <stdlib.h>

#include "base/limit.h"
#include "check/agenda/agenda.h"
#include "check/problem/finding.h"
#include "certify/order/certify_missing_rows.h"
#include "check/visibility/visibility.h"
#include "models/model_sets.h"

/* A predicate read that is wrong for the second time gets all of its rows, so that no read can be
 * wrong over and over again; in one round as many reads as have so many rows. */
#define WHOLE 20000

void missing_rows_start(struct missing_rows_search *s, const struct history *h,
                        missing_rows_judge *judge, struct arena *messages)
{
    *s = (struct missing_rows_search){.h = h, .judge = judge, .messages = messages};
}

void missing_rows_lend(struct missing_rows_search *s, enum lower_view view, bool by_session,
                       const struct lowered *items)
{
    s->views[by_session][view].last = *items;
    s->views[by_session][view].lent = true;
}

static void drop_last(struct missing_rows_search *s, struct missing_rows_view *v)
{
    if (!v->lent) {
        if (v->used)
            vec_push(&s->kept, v->last.history);
        else
            hist_free(v->last.history);
        mem_free(v->last.spans);
    }
    v->last = (struct lowered){0};
    v->used = v->lent = false;
}

void missing_rows_end(struct missing_rows_search *s)
{
    for (int i = 0; i < 2 * LOWER_VIEWS; i++) {
        struct missing_rows_view *v = &s->views[i / LOWER_VIEWS][i % LOWER_VIEWS];
        drop_last(s, v);
        vec_free(&v->rows);
        vec_free(&v->trail.events);
    }
    for (size_t i = 0; i < s->kept.len; i++)
        hist_free(s->kept.data[i]);
    vec_free(&s->kept);
    if (s->rows)
        missing_rows_free(s->rows);
    mem_free(s->rows);
}

/* --- more rows ------------------------------------------------------------------------------- */

static int by_read(const void *a, const void *b)
{
    const struct hist_pair *x = a, *y = b;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    return x->to < y->to ? -1 : x->to > y->to;
}

static int by_read_only(const void *a, const void *b)
{
    const struct hist_pair *x = a, *y = b;
    return x->from < y->from ? -1 : x->from > y->from;
}

static bool has(const lower_rows *rows, struct hist_pair row,
                int (*compare)(const void *, const void *))
{
    return rows->len && bsearch(&row, rows->data, rows->len, sizeof row, compare);
}

static void sort_rows(lower_rows *rows)
{
    size_t n = 0;
    if (rows->len)
        qsort(rows->data, rows->len, sizeof *rows->data, by_read);
    for (size_t i = 0; i < rows->len; i++)
        if (!n || by_read(&rows->data[n - 1], &rows->data[i]))
            rows->data[n++] = rows->data[i];
    rows->len = n;
}

/* To `more`: of the read of wrong[i …], all rows that are wrong, or all there are.  Gives where the
 * next one's begin. */
static size_t add_read(struct missing_rows_search *s, const struct missing_rows_view *v, size_t i,
                       lower_rows *more)
{
    const lower_rows *wrong = &s->rows->wrong;
    struct hist_pair first = wrong->data[i];
    for (; i < wrong->len && wrong->data[i].from == first.from; i++)
        vec_push(more, wrong->data[i]);
    if (has(&v->rows, first, by_read_only) && more->len + s->h->keys.len < WHOLE)
        missing_rows_all(s->rows, &s->h->predicates.data[first.from], more);
    return i;
}

/* The session's transaction before it or after it, or HIST_NONE. */
static uint32_t neighbour(const struct history *h, uint32_t txn, int step)
{
    const struct hist_txn *t = &h->txns.data[txn];
    uint32_t start = h->index.session_start[t->session], i = t->index + (uint32_t)step;
    return i < h->index.session_start[t->session + 1] - start ? h->index.session_txns[start + i]
                                                              : HIST_NONE;
}

/* The predicate reads that showed a wrong row, if their transaction took place now. */
static void look_elsewhere(struct missing_rows *a, const lower_rows *wrong, uint32_t txn)
{
    const struct hist_predicate *q = txn == HIST_NONE ? NULL : missing_rows_first(a, txn);
    for (; q; q = missing_rows_after(a, q))
        if (has(wrong, (struct hist_pair){missing_rows_index(a, q), 0}, by_read_only))
            missing_rows_look(a, q);
}

/* Rows that these reads would wrongly show if they came as early or as late as their sessions
 * allow. */
static void add_near(struct missing_rows *a, const struct certificate *c, lower_rows *more)
{
    lower_rows wrong = a->wrong;
    a->wrong = *more;
    for (uint32_t k = 0; k < a->h->keys.len; k++)
        a->seen[k] = a->first[k];
    for (size_t i = 0; i < c->len && c->kind != CHECK_ARBITRATION; i++) {
        bool serial = c->kind == CHECK_SERIAL;
        uint32_t txn = c->order[i] / (serial ? 1 : 2);
        if (serial || c->order[i] % 2 == 0)
            look_elsewhere(a, &wrong, neighbour(a->h, txn, -1));
        if (serial || c->order[i] % 2) {
            missing_rows_commit(a, txn);
            look_elsewhere(a, &wrong, neighbour(a->h, txn, 1));
        }
    }
    *more = a->wrong;
    a->wrong = wrong;
}

/* The rows that the explanation shows, and others of the same reads; false: one that it shows is
 * there already. */
static bool add_rows(struct missing_rows_search *s, struct missing_rows_view *v,
                     const struct certificate *c)
{
    lower_rows *wrong = &s->rows->wrong, more = {0};
    sort_rows(wrong);
    for (size_t i = 0; i < wrong->len; i++)
        if (has(&v->rows, wrong->data[i], by_read))
            return false;
    for (size_t i = 0; i < wrong->len;)
        i = add_read(s, v, i, &more);
    add_near(s->rows, c, &more);
    for (size_t i = 0; i < more.len; i++)
        vec_push(&v->rows, more.data[i]);
    sort_rows(&v->rows);
    vec_free(&more);
    return true;
}

/* --- rounds ---------------------------------------------------------------------------------- */

/* The answer is OK for the rows so far.  True: for all rows, or it is none after all. */
static bool stands(struct missing_rows_search *s, struct missing_rows_view *v,
                   const struct check_options *o, struct check_result *r)
{
    struct certificate c = certificate_of_order(r->level, o->clock_drift, r);
    if (!s->rows) {
        s->rows = mem_calloc(1, sizeof *s->rows);
        missing_rows_init(s->rows, s->h);
    }
    const char *error = certify_missing_rows(&v->last, &c, s->rows, &r->arena);
    if (limit_reached()) {
        finding_unknown(r, "%s", limit_text());
    } else if (error) {
        r->verdict = CHECK_BROKEN;
        r->reason = error;
    } else if (s->rows->too_large) {
        finding_unknown(r, "there are too many predicate reads of too many rows");
    } else if (s->rows->wrong.len && !add_rows(s, v, &c)) {
        r->verdict = CHECK_BROKEN;
        r->reason = "the explanation shows a row that was not returned";
    } else {
        return !s->rows->wrong.len;
    }
    return true;
}

/* The next explanation will be much like this one. */
static void keep_trail(struct missing_rows_view *v, struct check_result *r)
{
    if (!r->trail.events.len)
        return;
    vec_free(&v->trail.events);
    v->trail = r->trail;
    r->trail = (struct check_trail){0};
}

/* Judges one round.  Every round finds rows that matter, so the budget is that of a round, beside
 * what it takes to look at the history at all; if one round does not get by with it, the whole
 * budget is over. */
static void judge_round(struct missing_rows_search *s, const struct history *h,
                        const struct check_options *o, struct check_result *r)
{
    enum { LOOK = 4000 }; /* steps for an operation */
    struct check_options round = *o;
    bool endless = budget_left(o->budget) == BUDGET_ENDLESS;
    struct budget b =
        budget_of(endless ? BUDGET_ENDLESS : budget_left(o->budget) + LOOK * h->ops.len);
    round.budget = &b;
    s->judge(h, &round, r);
    if (budget_is_over(&b))
        budget_spend(o->budget, budget_left(o->budget));
}

static void search(struct missing_rows_search *s, enum lower_view view,
                   const struct check_options *o, struct check_result *r)
{
    struct missing_rows_view *v = &s->views[o->level.session_order][view];
    struct lower_options lower = lower_view_options(view, o->level.session_order);
    bool all = s->all || view == LOWER_ITEMS;
    const char *favourite = NULL;
    lower.only = all ? NULL : &v->rows;
    if (!lower_needed(s->h, &lower)) { /* ranges: only repeatable read needs them to be lowered */
        s->judge(s->h, o, r);
        return;
    }
    for (unsigned round = 1;; round++) {
        if (s->progress)
            s->progress(s->arg, o->level, round);
        if (!v->last.history)
            lower_history(s->h, &lower, s->messages, &v->last);
        if (!v->last.history) {
            *r = (struct check_result){.history = s->h, .level = o->level, .cycle = HIST_NONE};
            finding_unknown(r, "%s", v->last.unknown ? v->last.unknown : v->last.violation);
            return;
        }
        struct check_options from = *o;
        from.trail = &v->trail;
        from.favourite = favourite;
        judge_round(s, v->last.history, &from, r);
        if (r->verdict != CHECK_OK || all || stands(s, v, o, r)) {
            v->used = true;
            return;
        }
        favourite = r->technique;
        keep_trail(v, r);
        check_result_free(r);
        drop_last(s, v);
    }
}

/* Weak levels let a transaction see little, so that every row that it must have seen has to be
 * there; at a stronger level most follow from others, and serializability leaves least of all to
 * choose.  With version sets it is known what RC and RA need, but for CC there is a choice between
 * versions that match alike. */
static bool is_easier_above(const struct history *h, enum model_id m)
{
    if (m == MODEL_SER)
        return false;
    for (size_t i = 0; i < h->predicates.len; i++)
        if (missing_rows_matters(&h->predicates.data[i]))
            return true;
    return m == MODEL_CC;
}

enum lower_view missing_rows_first_view(const struct history *h, struct level level)
{
    return is_easier_above(h, level.model) ? LOWER_STRONG : lower_view_of(level.model);
}

/* --- the agenda ------------------------------------------------------------------------------ */

struct question {
    struct missing_rows_search *s;
    const struct check_options *o;
    struct check_result *r;
    bool checked; /* r is a result that has to be freed before the next one */
    bool asked;   /* … and that of the level itself */
};

/* The rows that matter stay from turn to turn, so that little is done twice. */
static bool holds(struct question *q, enum model_id model, enum lower_view view, struct budget *b)
{
    struct check_options stronger = *q->o;
    stronger.level.model = model;
    stronger.budget = b;
    stronger.ok_only = true;
    if (q->checked)
        check_result_free(q->r);
    search(q->s, view, &stronger, q->r);
    q->checked = true;
    q->asked = false;
    return q->r->verdict == CHECK_OK || q->r->verdict == CHECK_BROKEN;
}

/* Strict SER does not give strong SI, nor GSI: with real time each level speaks for itself. */
static bool is_above(const struct question *q, enum model_id model)
{
    struct level l = q->o->level;
    return !q->s->all && !q->o->always_solve && l.real_time == LEVEL_NO_TIME &&
           is_easier_above(q->s->h, l.model) && l.model != model &&
           model_weaker_or_equal(l.model, model);
}

/* above_SER is whether the level is worth asking, ask_SER asks it. */
#define ABOVE(name)                                                                                \
    static bool above_##name(const void *question)                                                 \
    {                                                                                              \
        return is_above(question, MODEL_##name);                                                   \
    }                                                                                              \
    static bool ask_##name(void *question, struct budget *b)                                       \
    {                                                                                              \
        return holds(question, MODEL_##name, lower_view_of(MODEL_##name), b);                      \
    }
ABOVE(SER)
ABOVE(SI)
ABOVE(PC)
ABOVE(RCS)
ABOVE(PSI)
#undef ABOVE

/* CC: often a version set says what was seen, and then nothing is left to choose. */
static bool has_sets(const void *question)
{
    const struct question *q = question;
    const struct history *h = q->s->h;
    bool sets = false;
    for (size_t i = 0; i < h->predicates.len && !sets; i++)
        sets = h->predicates.data[i].has_set;
    return sets && !q->s->all && !q->o->always_solve && q->o->level.model == MODEL_CC &&
           q->o->level.session_order;
}

static bool ask_exactly(void *question, struct budget *b)
{
    return holds(question, MODEL_CC, LOWER_EXACT, b);
}

static bool always(const void *question)
{
    (void)question;
    return true;
}

static bool ask_level(void *question, struct budget *b)
{
    struct question *q = question;
    struct check_options o = *q->o;
    bool items_only = o.level.real_time == LEVEL_ITEMS_ONLY;
    o.budget = b;
    if (q->checked)
        check_result_free(q->r);
    search(q->s, items_only ? LOWER_ITEMS : lower_view_of(o.level.model), &o, q->r);
    q->checked = q->asked = true;
    return q->r->verdict != CHECK_UNKNOWN;
}

static const struct technique table[] = {
    {"SER, with missing rows", TECHNIQUE_PARTIAL, 1, above_SER, ask_SER},
    {"SI, with missing rows", TECHNIQUE_PARTIAL, 1, above_SI, ask_SI},
    {"PC, with missing rows", TECHNIQUE_PARTIAL, 1, above_PC, ask_PC},
    {"RCS, with missing rows", TECHNIQUE_PARTIAL, 1, above_RCS, ask_RCS},
    {"PSI, with missing rows", TECHNIQUE_PARTIAL, 1, above_PSI, ask_PSI},
    {"version sets", TECHNIQUE_PARTIAL, 1, has_sets, ask_exactly},
    {"the level, with missing rows", TECHNIQUE_COMPLETE, 1, always, ask_level},
};

void missing_rows_check(struct missing_rows_search *s, const struct check_options *o,
                        struct check_result *r)
{
    struct question q = {.s = s, .o = o, .r = r};
    struct agenda a = {.rows = table,
                       .count = sizeof table / sizeof *table,
                       .question = &q,
                       .unit = check_little_effort(s->h),
                       .total = o->budget,
                       .stats = o->stats};
    if (agenda_run(&a) || q.asked)
        return;
    if (q.checked) /* this is what a stronger level says */
        check_result_free(r);
    *r = (struct check_result){.history = s->h, .level = o->level, .cycle = HIST_NONE};
    finding_unknown(r, "%s", limit_reached() ? limit_text() : "the solver gave up");
}
