/* From the problem to an answer; see visibility.h.
 *
 * The choices are: which of several writes a read saw, whether a transaction of unknown outcome
 * happened, and for PSI which of two versions is older.  Without choices, EC, RC, RA and CC are
 * judged once (visibility_judge.c).  With choices, the part that depends on none is judged first,
 * and then the choices are searched (visibility_search.c). */
#include "check/visibility/visibility.h"

#include "base/limit.h"
#include "check/problem/finding.h"
#include "check/problem/aggregate.h"
#include "check/visibility/visibility_internal.h"

#define MAX_CLOCKS ((size_t)6 << 30) /* bytes */

bool vis_decides(enum model_id m)
{
    return m == MODEL_EC || m == MODEL_RC || m == MODEL_RA || m == MODEL_CC || m == MODEL_PSI;
}

/* --- answers --------------------------------------------------------------------------------- */

void vis_accept(const struct vis *w, struct check_result *r)
{
    const struct prob *p = w->p;
    r->verdict = CHECK_OK;
    r->order_kind = CHECK_ARBITRATION;
    vec_clear(&r->order);
    for (uint32_t i = 0; i < p->n; i++)
        if (vis_present(w, w->order[i]))
            vec_push(&r->order, p->hist[w->order[i]]);
    vec_clear(&r->sources);
    for (size_t i = 0; i < p->choices.len; i++) {
        uint32_t read = p->choices.data[i].read, v = w->src[read];
        if (v != HIST_NONE)
            vec_push(&r->sources, ((struct hist_pair){p->rd_op[read], p->ver_op[v]}));
    }
}

void vis_add_known(struct vis *w)
{
    const struct prob *p = w->p;
    vec_clear(&w->orders);
    for (size_t i = 0; i < p->known.len; i++)
        vec_push(&w->orders, ((struct vis_order){p->known.data[i].from, p->known.data[i].to,
                                                 HIST_NONE, HIST_NONE, VIS_KNOWN}));
}

void vis_set_sure(struct vis *w)
{
    const struct prob *p = w->p;
    for (uint32_t t = 0; t < p->n && w->present; t++)
        w->present[t] = !p->maybe[t];
    for (uint32_t i = 0; i < p->rd_start[p->n]; i++)
        w->src[i] = p->rd_ver[i] & PROB_CHOICE ? HIST_NONE : p->rd_ver[i];
    vis_add_known(w);
}

bool vis_judge_sure(struct vis *w, struct check_result *r)
{
    const struct prob *p = w->p;
    struct vis_proof proof = {0};
    vis_set_sure(w);
    enum vis_outcome o = vis_judge(w);
    if (o == VIS_CONFLICT) {
        for (size_t i = 0; i < w->cycles.len; i++)
            vis_proof_add(&proof, w, &w->cycles.data[i]);
        vis_reject_by_cases(&proof, p, r);
    } else if (o == VIS_STOPPED) {
        finding_unknown(r, "%s", limit_text());
    }
    vis_proof_free(&proof);
    return o == VIS_FINE;
}

typedef bool find_sources(struct vis *w, struct budget *b);

static bool try(struct prob *p, const struct check_options *o, find_sources *find,
                struct check_result *r)
{
    if (p->maybe || o->always_solve || vis_memory(p) > MAX_CLOCKS)
        return false;
    struct vis w;
    vis_init(&w, p);
    vis_add_known(&w);
    bool fine = find(&w, o->budget);
    for (size_t i = 0; i < p->aggregates.len && fine; i++)
        fine = aggregate_holds(p, &p->aggregates.data[i], w.src);
    if (fine)
        vis_accept(&w, r);
    vis_free(&w);
    return fine;
}

static bool in_given_order(struct vis *w, struct budget *b)
{
    return !vis_by_session(w) && vis_choose(w, b);
}

static bool in_any_order(struct vis *w, struct budget *b)
{
    return vis_replay(w, w->model, b);
}

bool vis_quick(struct prob *p, const struct check_options *o, struct check_result *r)
{
    return try(p, o, in_given_order, r);
}

bool vis_rerun(struct prob *p, const struct check_options *o, struct check_result *r)
{
    return try(p, o, in_any_order, r);
}

/* PSI without choices of sources: mostly the order of the history does. */
static bool fits_given_order(struct vis *w)
{
    vis_set_sure(w);
    return !w->no_guess && vis_guess(w) == VIS_FINE;
}

static void check(struct prob *p, const struct check_options *o, bool few, struct check_result *r)
{
    if (vis_memory(p) > MAX_CLOCKS) {
        finding_unknown(r, "%u chains of transactions are too many for the clocks", p->sessions);
        return;
    }
    struct vis w;
    bool psi = p->level.model == MODEL_PSI;
    vis_init(&w, p);
    w.no_guess = o->always_solve;
    w.first_reason = o->first_reason;
    w.few = few;
    if (p->maybe)
        w.present = mem_calloc((size_t)p->n + 1, 1);
    if (p->choices.len || p->maybe || (psi && !fits_given_order(&w)))
        vis_search(&w, o, r);
    else if (psi || vis_judge_sure(&w, r))
        vis_accept(&w, r);
    vis_free(&w);
}

void vis_check(struct prob *p, const struct check_options *o, struct check_result *r)
{
    check(p, o, false, r);
}

bool vis_refute(struct prob *p, const struct check_options *o, struct check_result *r)
{
    check(p, o, true, r);
    if (r->verdict == CHECK_UNKNOWN)
        r->reason = "";
    return r->verdict != CHECK_UNKNOWN;
}
