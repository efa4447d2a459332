/* The search over choices for PSI, and RC, RA and CC without any; see weak.h.
 *
 * Variables: "read r saw version v" for reads with several candidates, "transaction t happened" for
 * those of unknown outcome, "version a is older than b" for orders that appear in some cycle.  A
 * cycle says that what it uses cannot all be true.  Cycles that use no choice are written down as
 * cases (check.h), the others as lemmas, of which the solver's proof says which are needed.
 *
 * RC, RA and CC need no order of all versions, so their choices are searched another way
 * (weak_search.c). */
#include "history/weak.h"

#include "base/limit.h"
#include "history/anomaly.h"
#include "history/joint.h"
#include "history/weak_internal.h"

#define MAX_CLOCKS ((size_t)6 << 30) /* bytes */
#define FEW 16                       /* candidates */
#define FEW_ROUNDS 50

struct search {
    struct weak w;
    struct weak_vars v;
    struct weak_proof proof;
    struct prob *p;
    struct check_result *r;
    struct map orders;   /* two versions, the smaller first: variable */
    VEC(uint64_t) pairs; /* the keys of that map, by age */
    VEC(uint32_t) pair_vars;
};

bool weak_decides(enum model_id m)
{
    return m == MODEL_RC || m == MODEL_RA || m == MODEL_CC || m == MODEL_PSI;
}

/* --- clauses --------------------------------------------------------------------------------- */

static uint32_t order_lit(struct search *s, uint32_t a, uint32_t b)
{
    bool swap = a > b, fresh;
    uint64_t key = swap ? (uint64_t)b << 32 | a : (uint64_t)a << 32 | b;
    uint64_t *v = map_put(&s->orders, key, 0, &fresh);
    if (fresh) {
        *v = sat_new_var(s->v.sat, !swap);
        vec_push(&s->pairs, key);
        vec_push(&s->pair_vars, (uint32_t)*v);
    }
    return (uint32_t)(2 * *v + swap);
}

/* What the cycle uses cannot all be. */
static void add_lemma(struct search *s, const struct weak_cycle *c)
{
    const struct prob *p = s->p;
    sat_lits *clause = &s->v.clause;
    vec_clear(clause);
    for (uint32_t i = 0; i < c->len; i++) {
        const struct weak_step *e = &s->w.steps.data[c->start + i];
        weak_vars_not(&s->v, &s->w, e);
        if (e->kind == CHECK_WW && s->w.orders.data[e->order].basis != WEAK_KNOWN)
            vec_push(clause, sat_neg(order_lit(s, e->a, e->b)));
        if (e->kind == CHECK_RW && p->ver_txn[s->w.src[e->a]] != PROB_INIT)
            vec_push(clause, sat_neg(order_lit(s, s->w.src[e->a], e->b)));
    }
    weak_proof_add(&s->proof, &s->w, c);
    weak_proof_name(&s->proof, sat_add_clause(s->v.sat, clause->data, clause->len));
}

/* --- answers --------------------------------------------------------------------------------- */

void weak_accept(const struct weak *w, struct check_result *r)
{
    const struct prob *p = w->p;
    r->verdict = CHECK_OK;
    r->order_kind = CHECK_ARBITRATION;
    vec_clear(&r->order);
    for (uint32_t i = 0; i < p->n; i++)
        if (weak_present(w, w->order[i]))
            vec_push(&r->order, p->hist[w->order[i]]);
    vec_clear(&r->sources);
    for (size_t i = 0; i < p->choices.len; i++) {
        uint32_t read = p->choices.data[i].read, v = w->src[read];
        if (v != HIST_NONE)
            vec_push(&r->sources, ((struct hist_pair){p->rd_op[read], p->ver_op[v]}));
    }
}

static void reject(struct search *s)
{
    sat_lits clauses = {0}, tags = {0}, lemmas = {0};
    sat_core(s->v.sat, &clauses, &tags);
    weak_proof_used(&s->proof, &clauses, &lemmas);
    weak_reject_by_lemmas(&s->proof, s->p, &lemmas, s->r);
    if (!lemmas.len)
        weak_vars_mismatch(&s->v, &clauses, s->r);
    vec_free(&clauses);
    vec_free(&tags);
    vec_free(&lemmas);
}

/* --- the loop -------------------------------------------------------------------------------- */

void weak_add_known(struct weak *w)
{
    const struct prob *p = w->p;
    vec_clear(&w->orders);
    for (size_t i = 0; i < p->known.len; i++)
        vec_push(&w->orders, ((struct weak_order){p->known.data[i].from, p->known.data[i].to,
                                                  HIST_NONE, HIST_NONE, WEAK_KNOWN}));
}

/* What the solver says, as the choices to judge. */
static void set_choices(struct search *s)
{
    weak_vars_get(&s->v, &s->w);
    weak_add_known(&s->w);
    for (size_t i = 0; i < s->pairs.len && s->w.model == MODEL_PSI; i++) {
        uint32_t a = (uint32_t)(s->pairs.data[i] >> 32), b = (uint32_t)s->pairs.data[i];
        bool forward = sat_value(s->v.sat, s->pair_vars.data[i]);
        vec_push(&s->w.orders, ((struct weak_order){forward ? a : b, forward ? b : a, HIST_NONE,
                                                    HIST_NONE, WEAK_CHOSEN}));
    }
}

/* Does the contradiction rest on no choice at all? */
static bool unconditional(const struct search *s)
{
    bool contradiction = false;
    for (size_t i = 0; i < s->w.cycles.len; i++) {
        const struct weak_cycle *c = &s->w.cycles.data[i];
        contradiction |= c->a == HIST_NONE;
        for (uint32_t j = 0; j < c->len; j++) {
            const struct weak_step *e = &s->w.steps.data[c->start + j];
            bool reads = e->kind == CHECK_WR || e->kind == CHECK_RW;
            if (weak_happened_lit(&s->v, e->from) != HIST_NONE ||
                (reads && s->p->rd_ver[e->a] & PROB_CHOICE) ||
                (e->kind == CHECK_WW && s->w.orders.data[e->order].basis == WEAK_CHOSEN))
                return false;
        }
    }
    return contradiction;
}

bool weak_judge_sure(struct weak *w, struct check_result *r)
{
    const struct prob *p = w->p;
    struct weak_proof proof = {0};
    for (uint32_t t = 0; t < p->n && w->present; t++)
        w->present[t] = !p->maybe[t];
    for (uint32_t i = 0; i < p->rd_start[p->n]; i++)
        w->src[i] = p->rd_ver[i] & PROB_CHOICE ? HIST_NONE : p->rd_ver[i];
    weak_add_known(w);
    w->sure = true;
    enum weak_outcome o = weak_judge(w);
    w->sure = false;
    if (o == WEAK_CONFLICT) {
        for (size_t i = 0; i < w->cycles.len; i++)
            weak_proof_add(&proof, w, &w->cycles.data[i]);
        weak_reject_by_cases(&proof, p, r);
    } else if (o == WEAK_STOPPED) {
        anomaly_unknown(r, "%s", limit_text());
    }
    weak_proof_free(&proof);
    return o == WEAK_FINE;
}

static void run(struct search *s)
{
    enum weak_outcome judged = WEAK_CONFLICT;
    enum sat_result solved = SAT_STOPPED;
    size_t rounds = s->w.few ? FEW_ROUNDS : SIZE_MAX;
    while (rounds-- && (solved = sat_solve(s->v.sat)) == SAT_YES) {
        set_choices(s);
        sat_restart(s->v.sat);
        judged = weak_judge(&s->w);
        if (judged != WEAK_CONFLICT)
            break;
        bool plain = unconditional(s);
        if (plain)
            weak_proof_clear(&s->proof);
        for (size_t i = 0; i < s->w.cycles.len; i++)
            add_lemma(s, &s->w.cycles.data[i]);
        if (plain) {
            weak_reject_by_cases(&s->proof, s->p, s->r);
            return;
        }
    }
    s->r->loose = s->v.loose;
    if (s->w.few && solved != SAT_NO)
        return;
    if (solved == SAT_YES && judged == WEAK_FINE)
        weak_accept(&s->w, s->r);
    else if (solved == SAT_NO)
        reject(s);
    else
        anomaly_unknown(s->r, "%s", limit_reached() ? limit_text() : "the solver gave up");
}

typedef bool find_sources(struct weak *w);

static bool try(struct prob *p, const struct check_options *o, find_sources *find,
                struct check_result *r)
{
    if (p->maybe || o->always_solve || weak_memory(p) > MAX_CLOCKS)
        return false;
    struct weak w;
    weak_init(&w, p);
    weak_add_known(&w);
    bool fine = find(&w);
    for (size_t i = 0; i < p->joints.len && fine; i++)
        fine = joint_holds(p, &p->joints.data[i], w.src);
    if (fine)
        weak_accept(&w, r);
    weak_free(&w);
    return fine;
}

static bool in_given_order(struct weak *w)
{
    return !weak_by_session(w) && weak_choose(w);
}

static bool in_any_order(struct weak *w)
{
    return weak_replay(w, w->model);
}

bool weak_quick(struct prob *p, const struct check_options *o, struct check_result *r)
{
    return try(p, o, in_given_order, r);
}

bool weak_rerun(struct prob *p, const struct check_options *o, struct check_result *r)
{
    return try(p, o, in_any_order, r);
}

static void check(struct prob *p, const struct check_options *o, uint32_t few,
                  struct check_result *r)
{
    if (weak_memory(p) > MAX_CLOCKS) {
        anomaly_unknown(r, "%u chains of transactions are too many for the clocks", p->sessions);
        return;
    }
    struct search s = {.p = p, .r = r};
    weak_init(&s.w, p);
    s.w.no_guess = o->always_solve;
    s.w.first_reason = o->first_reason;
    s.w.few = few;
    if (p->maybe)
        s.w.present = mem_calloc((size_t)p->n + 1, 1);
    if (p->choices.len && p->level.model != MODEL_PSI) {
        weak_search(&s.w, o, r);
        weak_free(&s.w);
        return;
    }
    if (!p->choices.len || weak_judge_sure(&s.w, r)) {
        weak_given_order(&s.w);
        weak_sort_candidates(&s.w);
        weak_vars_init(&s.v, &s.w, o->seed);
        run(&s);
        weak_vars_free(&s.v);
    }
    weak_proof_free(&s.proof);
    weak_free(&s.w);
    map_free(&s.orders);
    vec_free(&s.pairs);
    vec_free(&s.pair_vars);
}

void weak_check(struct prob *p, const struct check_options *o, struct check_result *r)
{
    check(p, o, 0, r);
}

static bool any_within(const struct prob *p, uint32_t above, uint32_t most)
{
    for (size_t i = 0; i < p->choices.len; i++)
        if (p->choices.data[i].len > above && p->choices.data[i].len <= most)
            return true;
    return false;
}

bool weak_refute(struct prob *p, const struct check_options *o, bool hasty, struct check_result *r)
{
    uint32_t few = hasty ? 2 : 4, most = hasty ? 2 : FEW;
    for (; few <= most && r->verdict == CHECK_UNKNOWN && !limit_reached(); few *= 2)
        if (few == 2 || any_within(p, few / 2, few))
            check(p, o, few, r);
    if (r->verdict == CHECK_UNKNOWN)
        r->reason = "";
    return r->verdict != CHECK_UNKNOWN;
}
