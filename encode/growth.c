/* Bounded runs that grow: more and more instances of the transactions, and tables of more and more
 * rows where the program leaves their size open, until the time is up or nothing is left to ask.
 *
 * With ANY a run has a number of transactions and a number of rows.  Runs come in such an order
 * that two more rows are tried before one more transaction, as one transaction costs more; the
 * first violation of a property is its verdict.  What is not violated holds for n transactions on
 * tables of up to R rows if it does on tables of 1, 2, … R rows: a smaller table is no special case
 * of a larger one.  (Fewer transactions are one of more.)  A scenario has one number of
 * transactions. */
#include <math.h>
#include <string.h>

#include "base/limit.h"
#include "encode/inquiry.h"

/* Growing without a time limit: stop when a size has taken this long. */
#define GROWTH_SECONDS 5.0

/* What is known of each property so far. */
struct growth {
    struct inquiry *q;
    bool *wanted;                      /* by property: not settled yet */
    const struct sx_summary *scenario; /* or NULL */
    uint32_t number;                   /* of the scenario, or RUN_ANY */
    bool any_state;
    uint64_t sizes;  /* with ANY: of 1 to so many rows; else 1, and rows are 0 */
    uint64_t stride; /* of `bound`: sizes at first */
    unsigned *bound; /* by property and size: holds up to so many transactions; 0: not known */
    bool *lived;     /* by property: in some run there was an execution */
    enum verify_reach *reach;
    const struct sx_point **fails;
    double *seconds;
};

static void growth_init(struct growth *g, struct inquiry *q, bool *wanted)
{
    size_t n = q->props->v.len + 1;
    *g = (struct growth){.q = q, .wanted = wanted, .number = RUN_ANY};
    g->sizes = g->stride = q->max_rows ? q->max_rows : 1;
    g->bound = mem_calloc(n * g->stride, sizeof *g->bound);
    g->lived = mem_calloc(n, sizeof *g->lived);
    g->reach = mem_calloc(n, sizeof *g->reach);
    g->fails = mem_calloc(n, sizeof *g->fails);
    g->seconds = mem_calloc(n, sizeof *g->seconds);
}

static void growth_free(struct growth *g)
{
    mem_free(g->bound);
    mem_free(g->lived);
    mem_free(g->reach);
    mem_free(g->fails);
    mem_free(g->seconds);
}

/* ---- what holds ---------------------------------------------------------------------------- */

static unsigned *bound_of(const struct growth *g, uint32_t property, uint64_t rows)
{
    return &g->bound[property * g->stride + (rows ? rows - 1 : 0)];
}

/* The most rows such that it holds on tables of 1, 2, … of them, and for how many transactions it
 * holds on all of these. */
static uint64_t rows_held(const struct growth *g, uint32_t property, unsigned *bound)
{
    uint64_t rows = 0;
    while (rows < g->sizes && *bound_of(g, property, rows + 1)) {
        unsigned here = *bound_of(g, property, ++rows);
        *bound = rows == 1 || here < *bound ? here : *bound;
    }
    return rows;
}

static bool any_held(const struct growth *g, uint32_t property)
{
    return *bound_of(g, property, 1) != 0;
}

/* What a run says about its tables: how many rows those of any size have. */
static uint64_t told_rows(const struct growth *g, uint64_t rows)
{
    return g->q->v->ast->any ? rows : 0;
}

static const char *cut_text(struct inquiry *q, unsigned bound, uint64_t rows)
{
    const char *text =
        arena_printf(&q->r->arena, "%s; holds up to %u transactions", limit_text(), bound);
    if (!q->v->ast->any)
        return text;
    return arena_printf(&q->r->arena, "%s on tables of up to %llu row%s", text,
                        (unsigned long long)rows, rows == 1 ? "" : "s");
}

/* A part of the rows of large tables says nothing about executions that write others. */
static const char *part_text(struct inquiry *q, unsigned bound, uint64_t rows)
{
    uint64_t shown = rows > q->v->ast->least_shown ? rows : q->v->ast->least_shown;
    const char *proof = q->q->bounded ? "and no proof was asked for" : "but it is not proved";
    return arena_printf(&q->r->arena,
                        "no violation up to %u transactions that write the first %llu row%s of "
                        "large tables, %s",
                        bound, (unsigned long long)shown, shown == 1 ? "" : "s", proof);
}

/* Growing ends when the time is up, that is what the time is for: HOLDS up to there.  Whoever was
 * interrupted, or ran out of memory, wanted to know more: UNKNOWN, and what is known. */
static struct verify_verdict held(const struct growth *g, uint32_t property)
{
    unsigned bound = 0;
    uint64_t rows = rows_held(g, property, &bound);
    bool cut = limit_why() == LIMIT_INTERRUPT || limit_why() == LIMIT_MEMORY;
    bool vacuous = !g->lived[property], part = g->q->v->ast->n_large && !cut;
    return (struct verify_verdict){.property = property,
                                   .status = cut || part ? VERIFY_UNKNOWN
                                             : vacuous   ? VERIFY_VACUOUS
                                                         : VERIFY_HOLDS,
                                   .reason = cut       ? cut_text(g->q, bound, rows)
                                             : part    ? part_text(g->q, bound, rows)
                                             : vacuous ? "nothing satisfies the assumptions"
                                                       : NULL,
                                   .reach = g->reach[property],
                                   .fails = g->fails[property],
                                   .scenario = g->scenario,
                                   .bound = bound,
                                   .rows = told_rows(g, rows),
                                   .from_invariants = g->any_state,
                                   .seconds = g->seconds[property]};
}

/* ---- one run ------------------------------------------------------------------------------- */

/* In a larger run an assertion is reached if it is in a smaller one; on tables of another size it
 * may be reached although it was not before. */
static void keep_reach(struct growth *g, const struct run_item *item)
{
    uint32_t p = item->property;
    bool reached = g->lived[p] && g->reach[p] == VERIFY_REACHED;
    if (reached || (g->lived[p] && item->reach != VERIFY_REACHED && item->reach < g->reach[p]))
        return;
    g->reach[p] = item->reach;
    g->fails[p] = item->fails;
}

/* It holds, or (with ANY) nothing satisfies the assumptions on tables of that size. */
static void take_held(struct growth *g, const struct run_item *item, unsigned n, uint64_t rows)
{
    uint32_t p = item->property;
    *bound_of(g, p, rows) = n;
    if (item->status == VERIFY_VACUOUS)
        return;
    keep_reach(g, item);
    g->lived[p] = true;
    if (g->q->v->ast->n_large)
        return; /* no verdict: a part of the rows was shown */
    inquiry_tell(g->q, &(struct verify_verdict){.property = p,
                                                .status = VERIFY_HOLDS,
                                                .scenario = g->scenario,
                                                .bound = n,
                                                .rows = told_rows(g, rows)});
}

static void take(struct growth *g, const struct run_item *item, unsigned n, uint64_t rows)
{
    uint32_t p = item->property;
    g->seconds[p] += item->seconds;
    if (item->status == VERIFY_HOLDS || (item->status == VERIFY_VACUOUS && rows)) {
        take_held(g, item, n, rows);
        return;
    }
    g->wanted[p] = false;
    if (item->status == VERIFY_UNKNOWN && any_held(g, p)) {
        inquiry_add(g->q, held(g, p)); /* what holds for fewer is the better answer */
        return;
    }
    inquiry_add(g->q, (struct verify_verdict){.property = p,
                                              .status = item->status,
                                              .reason = item->reason,
                                              .scenario = g->scenario,
                                              .bound = n,
                                              .rows = told_rows(g, rows),
                                              .from_invariants = g->any_state,
                                              .execution = item->execution,
                                              .reach = item->reach,
                                              .fails = item->fails,
                                              .seconds = g->seconds[p]});
}

/* The executor could not make the summaries: larger tables are out of reach. */
static void stop_at(struct growth *g, uint64_t rows, const char *why)
{
    for (uint32_t p = 0; p < g->q->props->v.len && rows <= 1; p++)
        if (g->wanted[p]) {
            g->wanted[p] = false;
            inquiry_add(g->q, (struct verify_verdict){.property = p,
                                                      .status = VERIFY_UNKNOWN,
                                                      .reason = why,
                                                      .scenario = g->scenario});
        }
    if (rows)
        g->sizes = rows - 1;
}

static void run_once(struct growth *g, unsigned n, uint64_t rows, double seconds)
{
    const char *why = inquiry_set_rows(g->q, rows);
    if (why) {
        stop_at(g, rows, why);
        return;
    }
    struct run_input in = inquiry_run(g->q);
    run_items items = {0};
    in.wanted = g->wanted;
    in.scenario = g->number;
    in.n = n;
    in.any_state = g->any_state;
    in.seconds = seconds;
    run_bounded(&in, &items);
    for (size_t i = 0; i < items.len; i++)
        take(g, &items.data[i], n, rows);
    vec_free(&items);
}

/* ---- all runs ------------------------------------------------------------------------------ */

static bool is_open(const struct growth *g)
{
    for (uint32_t p = 0; p < g->q->props->v.len; p++)
        if (g->wanted[p] && any_held(g, p))
            return true;
    return false;
}

static void all_held(struct growth *g)
{
    for (uint32_t p = 0; p < g->q->props->v.len; p++)
        if (g->wanted[p] && any_held(g, p))
            inquiry_add(g->q, held(g, p));
}

/* n transactions on tables of all sizes, as long as there is something to ask. */
static void run_sizes(struct growth *g, unsigned n)
{
    run_once(g, n, g->q->max_rows ? 1 : 0, 0);
    for (uint64_t rows = 2; rows <= g->sizes && is_open(g) && !limit_reached(); rows++)
        run_once(g, n, rows, 0);
}

void inquiry_run_scenario(struct inquiry *q, uint32_t number)
{
    struct growth g;
    size_t n = q->props->v.len;
    bool *wanted = mem_calloc(n + 1, sizeof *wanted);
    memcpy(wanted, q->unsettled, n * sizeof *wanted);
    growth_init(&g, q, wanted);
    g.number = number;
    g.scenario = q->sx->scenarios[number];
    run_sizes(&g, (unsigned)g.scenario->n_calls);
    all_held(&g);
    growth_free(&g);
    mem_free(wanted);
}

struct growing {
    struct growth *g;
    unsigned most; /* transactions */
    bool timed;    /* there is a limit already */
    double start;
};

/* All runs whose transactions beyond two, counted double, and rows beyond one make `step`. */
static void run_step(const struct growing *w, unsigned step)
{
    struct growth *g = w->g;
    uint64_t first = g->q->max_rows ? 1 : 0;
    for (uint64_t beyond = step % 2; beyond <= step && beyond < g->sizes; beyond += 2) {
        unsigned n = 2 + (step - (unsigned)beyond) / 2;
        double left = GROWTH_SECONDS - (stats_wall_seconds() - w->start);
        bool late = !w->timed && step && left < 0.1;
        if (n <= w->most && !late && !limit_reached())
            run_once(g, n, first + beyond, w->timed || !step ? 0 : left);
    }
}

void inquiry_run_growing(struct inquiry *q, bool any_state)
{
    struct growth g;
    growth_init(&g, q, q->unsettled);
    g.any_state = any_state;
    struct growing w = {.g = &g,
                        .most = q->q->max_txns ? q->q->max_txns : VERIFY_TXNS_CAP,
                        .timed = isfinite(limit_remaining()) || q->q->max_txns,
                        .start = stats_wall_seconds()};
    if (q->q->txns) {
        run_sizes(&g, q->q->txns);
    } else {
        unsigned last = 2 * (w.most > 2 ? w.most - 2 : 0) + (unsigned)(g.sizes - 1);
        run_step(&w, 0);
        for (unsigned step = 1; step <= last && is_open(&g) && !limit_reached(); step++)
            run_step(&w, step);
    }
    all_held(&g);
    growth_free(&g);
}
