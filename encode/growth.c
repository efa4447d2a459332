/* Any instances: growing numbers of them, until the time is up or nothing is left to ask. */
#include <math.h>

#include "base/limit.h"
#include "encode/inquiry.h"

/* Growing without a time limit: stop when a size has taken this long. */
#define GROWTH_SECONDS 5.0

/* Growing numbers of instances: what is known of each property so far. */
struct growth {
    unsigned *bound; /* by property: holds up to so many; 0: not known */
    enum verify_reach *reach;
    const struct sx_point **fails;
    double *seconds;
    bool any_state;
    unsigned n_open;
};

/* Growing ends when the time is up, that is what the time is for: HOLDS up to there.  Whoever was
 * interrupted, or ran out of memory, wanted to know more: UNKNOWN, and what is known. */
static struct verify_verdict held(struct inquiry *q, const struct growth *g, uint32_t property)
{
    unsigned bound = g->bound[property];
    bool cut = limit_why() == LIMIT_INTERRUPT || limit_why() == LIMIT_MEMORY;
    return (struct verify_verdict){
        .property = property,
        .status = cut ? VERIFY_UNKNOWN : VERIFY_HOLDS,
        .reason =
            cut ? arena_printf(&q->r->arena, "%s; holds up to %u transactions", limit_text(), bound)
                : NULL,
        .reach = g->reach[property],
        .fails = g->fails[property],
        .bound = bound,
        .from_invariants = g->any_state,
        .seconds = g->seconds[property]};
}

static void take_grown(struct inquiry *q, struct growth *g, const struct run_item *item, unsigned n)
{
    uint32_t p = item->property;
    g->seconds[p] += item->seconds;
    if (item->status == VERIFY_HOLDS) {
        g->bound[p] = n;
        g->reach[p] = item->reach;
        g->fails[p] = item->fails;
        g->n_open++;
        inquiry_tell(q,
                     &(struct verify_verdict){.property = p, .status = VERIFY_HOLDS, .bound = n});
        return;
    }
    q->unsettled[p] = false;
    if (item->status == VERIFY_UNKNOWN && g->bound[p]) {
        inquiry_add(q, held(q, g, p)); /* what holds for fewer is the better answer */
        return;
    }
    inquiry_add(q, (struct verify_verdict){.property = p,
                                           .status = item->status,
                                           .reason = item->reason,
                                           .bound = n,
                                           .from_invariants = g->any_state,
                                           .execution = item->execution,
                                           .seconds = g->seconds[p]});
}

static void run_instances(struct inquiry *q, struct growth *g, unsigned n, double seconds)
{
    struct run_input in = inquiry_run(q);
    run_items items = {0};
    in.n = n;
    in.any_state = g->any_state;
    in.seconds = seconds;
    run_bounded(&in, &items);
    g->n_open = 0;
    for (size_t i = 0; i < items.len; i++)
        take_grown(q, g, &items.data[i], n);
    vec_free(&items);
}

void inquiry_run_growing(struct inquiry *q, bool any_state)
{
    size_t n_props = q->props->v.len;
    struct growth g = {.bound = mem_calloc(n_props + 1, sizeof *g.bound),
                       .reach = mem_calloc(n_props + 1, sizeof *g.reach),
                       .fails = mem_calloc(n_props + 1, sizeof *g.fails),
                       .seconds = mem_calloc(n_props + 1, sizeof *g.seconds),
                       .any_state = any_state};
    unsigned most = q->q->max_txns ? q->q->max_txns : VERIFY_TXNS_CAP;
    bool timed = isfinite(limit_remaining()) || q->q->max_txns;
    double start = stats_wall_seconds();
    if (q->q->txns) {
        run_instances(q, &g, q->q->txns, 0);
    } else {
        for (unsigned n = 2; n <= most && !limit_reached(); n++) {
            double left = GROWTH_SECONDS - (stats_wall_seconds() - start);
            if (!timed && n > 2 && left < 0.1)
                break;
            run_instances(q, &g, n, timed || n == 2 ? 0 : left);
            if (g.n_open == 0)
                break;
        }
    }
    for (uint32_t p = 0; p < n_props; p++)
        if (q->unsettled[p] && g.bound[p])
            inquiry_add(q, held(q, &g, p));
    mem_free(g.bound);
    mem_free(g.reach);
    mem_free(g.fails);
    mem_free(g.seconds);
}
