/* The search for the weakest models (weakest.h says why it may skip most of them).
 *
 * A round asks, in parallel, the unsettled models whose answers settle most in the worse case; a
 * model settled by another's answer is not asked again unless it is to be shown.  The same search
 * serves mixed levels: there the models are those of one transaction, the others keeping theirs. */
#include "encode/weakest.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/limit.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "models/lattice.h"

static bool weakest_holds(enum verify_status s)
{
    return s == VERIFY_PROVED || s == VERIFY_HOLDS;
}

/* One search: the models of all transactions, or of transaction `txn`. */
struct search {
    struct batch *batch;
    const struct verify_question *base;
    const struct model **levels; /* NULL: one model for all */
    size_t n_txns, txn;
    weakest_progress progress;
    void *arg;
    const char *label; /* before the models in the progress line */
    struct weakest_entry entry[MODEL_COUNT];
    bool settled[MODEL_COUNT];
    bool later[MODEL_COUNT]; /* its share of the time was not enough */
    bool probed;             /* serializability was tried without the proof rule */
    double slice;            /* seconds of each question in the last round; 0: no limit */
    const struct verify_result *first;
    unsigned runs;
};

/* Instances that an answer without scenarios should cover. */
#define WEAKEST_TXNS 4
#define WEAKEST_TXNS_ANY 3 /* on tables of several sizes */

static bool is_unsettled(const struct search *s, int m)
{
    return s->entry[m].asked && !s->settled[m];
}

static bool is_violated(enum verify_status status)
{
    return status == VERIFY_VIOLATED;
}

/* The models that were asked about and have such an answer, as a set. */
static uint32_t models_with(const struct search *s, bool (*is_such)(enum verify_status))
{
    uint32_t set = 0;
    for (int m = 0; m < MODEL_COUNT; m++)
        if (s->entry[m].asked && is_such(s->entry[m].status))
            set |= 1u << m;
    return set;
}

/* ---- one round ------------------------------------------------------------------------------ */

/* HOLDS, but for fewer instances, or (ANY) on tables of fewer rows than usual because time ran out:
 * it says nothing about others, and is no answer to the question which model is enough.  (What
 * holds of INITIAL alone has no instances.) */
static bool is_cut_short(const struct search *s, const struct verify_verdict *d)
{
    unsigned txns = s->base->txns       ? s->base->txns
                    : s->base->max_txns ? s->base->max_txns
                    : d->rows           ? WEAKEST_TXNS_ANY
                                        : WEAKEST_TXNS;
    uint64_t rows = !d->rows ? 0 : s->base->max_rows ? s->base->max_rows : VERIFY_ROWS;
    return d->status == VERIFY_HOLDS && d->bound &&
           ((!d->scenario && d->bound < txns) || d->rows < rows);
}

static bool cut_short(const struct search *s, const struct verify_result *r)
{
    for (size_t i = 0; i < r->n_verdicts; i++)
        if (is_cut_short(s, &r->verdicts[i]))
            return true;
    return false;
}

static void tell_progress(const struct search *s, const char *what)
{
    struct strbuf known = {0};
    for (int m = 0; m < MODEL_COUNT; m++)
        if (s->settled[m])
            sb_printf(&known, "%s%s%s under %s", known.len ? ", " : "", known.len ? "" : s->label,
                      verify_status_name(s->entry[m].status), s->entry[m].model->name);
    s->progress(s->arg, what, sb_str(&known));
    sb_free(&known);
}

static void ask(struct search *s, const int *models, size_t n)
{
    struct verify_question q[MODEL_COUNT];
    struct verify_result *answers[MODEL_COUNT];
    const struct model **levels = mem_calloc(n * s->n_txns + 1, sizeof *levels);
    struct strbuf text = {0};
    sb_puts(&text, s->label);
    for (size_t i = 0; i < n; i++) {
        const struct model *m = model_get((enum model_id)models[i]);
        q[i] = *s->base;
        q[i].model = m;
        q[i].levels = NULL;
        q[i].seconds = s->slice;
        if (s->levels) {
            const struct model **mine = levels + i * s->n_txns;
            memcpy(mine, s->levels, s->n_txns * sizeof *mine);
            mine[s->txn] = m;
            q[i].levels = mine;
        }
        sb_printf(&text, "%s%s", i ? ", " : "", m->name);
    }
    if (s->progress)
        tell_progress(s, sb_str(&text));
    batch_run(s->batch, q, n, answers);
    for (size_t i = 0; i < n; i++) {
        struct weakest_entry *e = &s->entry[models[i]];
        e->result = answers[i];
        e->by = e->model;
        e->status = answers[i]->overall;
        if (e->status == VERIFY_HOLDS && cut_short(s, answers[i]))
            e->status = VERIFY_UNKNOWN;
        if (!s->first || answers[i]->error)
            s->first = answers[i];
        s->settled[models[i]] = true;
        s->later[models[i]] = e->status == VERIFY_UNKNOWN && answers[i]->out_of_time;
    }
    s->runs += (unsigned)n;
    sb_free(&text);
    mem_free(levels);
}

static void infer(struct search *s, int to, int from)
{
    /* A violation weighs more than a bounded search that found none. */
    bool refuted = s->settled[to] && s->entry[from].status == VERIFY_VIOLATED &&
                   (s->entry[to].status == VERIFY_HOLDS || s->entry[to].status == VERIFY_UNKNOWN);
    if (!is_unsettled(s, to) && !refuted)
        return;
    s->entry[to].status = s->entry[from].status;
    s->entry[to].by = s->entry[from].model;
    s->entry[to].result = NULL; /* its own run knew less */
    s->settled[to] = true;
}

/* What the answer for m says about others.  Strongest witnesses first would be no better: any
 * answer that settles a model settles it for good. */
static void propagate(struct search *s, int m)
{
    enum verify_status status = s->entry[m].status;
    uint32_t follows = weakest_holds(status)       ? model_and_above((enum model_id)m)
                       : status == VERIFY_VIOLATED ? model_and_below((enum model_id)m)
                                                   : 0;
    for (int other = 0; other < MODEL_COUNT; other++)
        if (follows >> other & 1)
            infer(s, other, m);
}

/* How many unsettled models an answer for m settles in the worse case, then in the better. */
static int gain(const struct search *s, int m)
{
    uint32_t above = model_and_above((enum model_id)m), below = model_and_below((enum model_id)m);
    int up = 0, down = 0;
    for (int other = 0; other < MODEL_COUNT; other++)
        if (is_unsettled(s, other)) {
            up += above >> other & 1;
            down += below >> other & 1;
        }
    return up < down ? up * 16 + down : down * 16 + up;
}

static size_t choose(const struct search *s, int *models)
{
    size_t n = 0;
    bool taken[MODEL_COUNT] = {0};
    while (n < batch_jobs(s->batch)) {
        int best = -1;
        for (int m = 0; m < MODEL_COUNT; m++)
            if (is_unsettled(s, m) && !taken[m] && (best < 0 || gain(s, m) >= gain(s, best)))
                best = m;
        if (best < 0)
            break;
        taken[best] = true;
        models[n++] = best;
        if (n == MODEL_COUNT)
            break;
    }
    return n;
}

/* ---- the frontier --------------------------------------------------------------------------- */

/* The weakest models that hold; the strongest that are violated, and those just below the former.
 */
static void mark_frontier(struct search *s)
{
    uint32_t violated = models_with(s, is_violated);
    uint32_t minimal = models_weakest(models_with(s, weakest_holds));
    uint32_t ruled_out = models_strongest(violated);
    for (int m = 0; m < MODEL_COUNT; m++)
        if (minimal >> m & 1)
            ruled_out |= s->entry[m].model->below & violated;
    for (int m = 0; m < MODEL_COUNT; m++) {
        s->entry[m].minimal = minimal >> m & 1;
        s->entry[m].ruled_out = ruled_out >> m & 1;
    }
}

/* What is shown was run itself.  A run that ran into a limit leaves the inference standing. */
static void run_frontier(struct search *s)
{
    int models[MODEL_COUNT];
    size_t n = 0;
    for (int m = 0; m < MODEL_COUNT; m++)
        if (s->entry[m].ruled_out && !s->entry[m].result)
            models[n++] = m;
    if (!n || limit_reached())
        return;
    struct weakest_entry before[MODEL_COUNT];
    memcpy(before, s->entry, sizeof before);
    ask(s, models, n);
    for (size_t i = 0; i < n; i++) {
        struct weakest_entry *e = &s->entry[models[i]];
        if (e->status == VERIFY_UNKNOWN || e->status == VERIFY_VACUOUS)
            *e = before[models[i]];
        else if (weakest_holds(e->status)) /* an execution of a stronger model says otherwise */
            e->status = VERIFY_INTERNAL_ERROR;
    }
}

/* ---- time ----------------------------------------------------------------------------------- */

static bool any_later(const struct search *s)
{
    for (int m = 0; m < MODEL_COUNT; m++)
        if (s->later[m] && s->entry[m].status == VERIFY_UNKNOWN)
            return true;
    return false;
}

/* With a time limit no model may use up what the others need: a share for each round that may
 * still come, and one to spare.  The last ones have all that is left. */
static void share_time(struct search *s)
{
    size_t unsettled = 0, jobs = batch_jobs(s->batch);
    for (int m = 0; m < MODEL_COUNT; m++)
        unsettled += is_unsettled(s, m);
    double left = limit_remaining();
    size_t turns = (unsettled + jobs - 1) / jobs + 1;
    bool last = unsettled <= jobs && !any_later(s);
    if (!isfinite(left) || last)
        s->slice = 0;
    else
        s->slice = fmax(left / (double)turns, 0.2);
}

/* The models that a longer time may settle, with at least twice as much. */
static bool try_again(struct search *s)
{
    bool any = false;
    double before = s->slice;
    for (int m = 0; m < MODEL_COUNT; m++)
        if (s->later[m] && s->entry[m].status == VERIFY_UNKNOWN) {
            s->settled[m] = s->later[m] = false;
            any = true;
        }
    share_time(s);
    if (s->slice > 0)
        s->slice = fmax(s->slice, 2 * before);
    return any;
}

/* Hard questions: an execution of the strongest model is one of all, and is often found at once
 * where a proof, or the absence of one, is a long way.  Anything but a violation says nothing. */
static void probe(struct search *s)
{
    struct weakest_entry *e = &s->entry[MODEL_SER];
    if (s->probed || s->levels || s->base->prove_only || !is_unsettled(s, MODEL_SER))
        return;
    s->probed = true;
    struct verify_question q = *s->base;
    struct verify_result *answer;
    q.model = e->model;
    q.levels = NULL;
    q.bounded = true;
    q.seconds = s->slice;
    batch_run(s->batch, &q, 1, &answer);
    s->runs++;
    if (answer->overall != VERIFY_VIOLATED)
        return;
    e->result = answer;
    e->by = e->model;
    e->status = answer->overall;
    s->settled[MODEL_SER] = true;
    propagate(s, MODEL_SER);
}

static void run_search(struct search *s)
{
    int models[MODEL_COUNT];
    size_t n;
    s->slice = 0;
    memset(s->later, 0, sizeof s->later);
    share_time(s);
    while (!limit_reached() && ((n = choose(s, models)) > 0 || try_again(s))) {
        if (!n)
            continue;
        ask(s, models, n);
        if (s->first->error)
            return;
        for (size_t i = 0; i < n; i++)
            propagate(s, models[i]);
        if (any_later(s))
            probe(s);
        double slice = s->slice;
        share_time(s);
        if (s->slice > 0)
            s->slice = fmax(s->slice, slice);
    }
    s->slice = 0;
    mark_frontier(s);
    run_frontier(s);
}

static void init_entries(struct search *s)
{
    for (int m = 0; m < MODEL_COUNT; m++) {
        s->entry[m].model = model_get((enum model_id)m);
        s->entry[m].status = VERIFY_UNKNOWN;
    }
}

void weakest_models(struct batch *b, const struct verify_question *q, weakest_progress progress,
                    void *arg, struct weakest_models *out)
{
    struct search s = {.batch = b, .base = q, .progress = progress, .arg = arg, .label = ""};
    init_entries(&s);
    for (int m = 0; m < MODEL_COUNT; m++)
        s.entry[m].asked = true;
    run_search(&s);
    memset(out, 0, sizeof *out);
    memcpy(out->entry, s.entry, sizeof s.entry);
    out->first = s.first;
    out->runs = s.runs;
    out->settled = true;
    for (int m = 0; m < MODEL_COUNT; m++)
        if (!weakest_holds(s.entry[m].status) && s.entry[m].status != VERIFY_VIOLATED)
            out->settled = false;
}

/* ---- a level for each transaction ----------------------------------------------------------- */

static void collect_txns(const struct ast_program *ast, struct weakest_levels *out)
{
    out->txns = arena_array(&out->arena, const struct ast_func *, ast->n_funcs);
    for (uint32_t i = 0; i < ast->n_funcs; i++)
        if (ast->funcs[i]->role == AST_TRANSACTION)
            out->txns[out->n_txns++] = ast->funcs[i];
}

/* Why transaction s->txn is not at any of the models just below its level. */
static void add_obstacles(const struct search *s, struct weakest_levels *out)
{
    for (int m = 0; m < MODEL_COUNT; m++) {
        const struct weakest_entry *e = &s->entry[m];
        if (!(s->levels[s->txn]->below >> m & 1))
            continue;
        assert(!weakest_holds(e->status));
        out->obstacles[out->n_obstacles++] =
            (struct weakest_obstacle){(uint32_t)s->txn, e->model, e->status, e->result, e->by};
    }
}

/* The lowest models for transaction s->txn; takes the first of them. */
static void lower_one(struct search *s, struct weakest_levels *out)
{
    const struct model *now = s->levels[s->txn];
    memset(s->entry, 0, sizeof s->entry);
    memset(s->settled, 0, sizeof s->settled);
    init_entries(s);
    for (int m = 0; m < MODEL_COUNT; m++)
        s->entry[m].asked = model_and_below(now->id) >> m & 1;
    struct weakest_entry *here = &s->entry[now->id];
    here->status = out->result->overall;
    here->result = out->result;
    here->by = now;
    s->settled[now->id] = true;
    run_search(s);
    const struct weakest_entry *to = here;
    for (int m = 0; m < MODEL_COUNT; m++)
        if (s->entry[m].minimal && s->entry[m].result) {
            to = &s->entry[m];
            break;
        }
    s->levels[s->txn] = to->model;
    out->result = to->result;
    add_obstacles(s, out);
}

void weakest_levels(struct batch *b, const struct ast_program *ast, const struct verify_question *q,
                    const struct weakest_models *uniform, weakest_progress progress, void *arg,
                    struct weakest_levels *out)
{
    memset(out, 0, sizeof *out);
    collect_txns(ast, out);
    const struct weakest_entry *start = NULL;
    for (int m = 0; m < MODEL_COUNT && !start; m++)
        if (uniform->entry[m].minimal && uniform->entry[m].result)
            start = &uniform->entry[m];
    if (!start)
        return;
    out->start = start->model;
    out->result = start->result;
    out->levels = arena_array(&out->arena, const struct model *, out->n_txns + 1);
    out->obstacles =
        arena_array(&out->arena, struct weakest_obstacle, out->n_txns * MODEL_COUNT + 1);
    for (size_t i = 0; i < out->n_txns; i++)
        out->levels[i] = start->model;
    struct search s = {.batch = b,
                       .base = q,
                       .levels = out->levels,
                       .n_txns = out->n_txns,
                       .progress = progress,
                       .arg = arg};
    for (s.txn = 0; s.txn < out->n_txns; s.txn++) {
        s.label = arena_printf(&out->arena, "%s at ", out->txns[s.txn]->name);
        lower_one(&s, out); /* when a limit was reached it stays, and that is the reason */
    }
    out->runs = s.runs;
}

void weakest_levels_free(struct weakest_levels *w)
{
    arena_free(&w->arena);
}
