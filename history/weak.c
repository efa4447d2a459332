/* The search over choices for RC, RA, CC and PSI; see weak.h.
 *
 * Variables: "read r saw version v" for reads with several candidates, "transaction t happened" for
 * those of unknown outcome, "version a is older than b" for orders that appear in some cycle.  A
 * cycle says that what it uses cannot all be true.  Cycles that use no choice are written down as
 * cases (check.h), the others as lemmas, of which the solver's proof says which are needed. */
#include "history/weak.h"

#include <assert.h>

#include "base/limit.h"
#include "history/anomaly.h"
#include "history/explain.h"
#include "history/joint.h"
#include "history/sat.h"
#include "history/weak_internal.h"

#define MAX_CLOCKS ((size_t)6 << 30) /* bytes */

struct search {
    struct weak w;
    struct prob *p;
    struct check_result *r;
    struct sat *sat;
    uint32_t *source;    /* per candidate in p->cand: variable */
    uint32_t *happened;  /* per transaction: variable, or HIST_NONE; NULL */
    struct map orders;   /* two versions, the smaller first: variable */
    VEC(uint64_t) pairs; /* the keys of that map, by age */
    VEC(uint32_t) pair_vars;
    struct map lemma; /* clause of the solver to 1 + lemma */
    struct map joint; /* clause of the solver to 1 + aggregate */
    uint32_t joint_now;
    bool loose; /* some aggregate was too large and has no clauses */
    VEC(struct weak_step) steps;
    VEC(struct weak_cycle) lemmas;
    sat_lits clause;
};

bool weak_decides(enum model_id m)
{
    return m == MODEL_RC || m == MODEL_RA || m == MODEL_CC || m == MODEL_PSI;
}

/* --- variables ------------------------------------------------------------------------------- */

static uint32_t order_lit(struct search *s, uint32_t a, uint32_t b)
{
    bool swap = a > b, fresh;
    uint64_t key = swap ? (uint64_t)b << 32 | a : (uint64_t)a << 32 | b;
    uint64_t *v = map_put(&s->orders, key, 0, &fresh);
    if (fresh) {
        *v = sat_new_var(s->sat, !swap);
        vec_push(&s->pairs, key);
        vec_push(&s->pair_vars, (uint32_t)*v);
    }
    return (uint32_t)(2 * *v + swap);
}

static uint32_t happened_lit(const struct search *s, uint32_t txn)
{
    return s->happened && txn != PROB_INIT && s->happened[txn] != HIST_NONE ? 2 * s->happened[txn]
                                                                            : HIST_NONE;
}

static uint32_t source_lit(const struct search *s, uint32_t read, uint32_t version)
{
    const struct prob *p = s->p;
    if (!(p->rd_ver[read] & PROB_CHOICE))
        return HIST_NONE;
    const struct match_choice *c = &p->choices.data[p->rd_ver[read] & ~PROB_CHOICE];
    for (uint32_t i = c->start; i < c->start + c->len; i++)
        if (p->cand.data[i] == version)
            return 2 * s->source[i];
    assert(!"not a candidate");
    return HIST_NONE;
}

static void push_not(sat_lits *out, uint32_t lit)
{
    if (lit != HIST_NONE)
        vec_push(out, sat_neg(lit));
}

/* A read of a transaction that happened has one source, whose transaction happened. */
static void add_choice(struct search *s, const struct match_choice *c)
{
    const struct prob *p = s->p;
    uint32_t reader = happened_lit(s, p->rd_txn[c->read]);
    vec_clear(&s->clause);
    push_not(&s->clause, reader);
    for (uint32_t i = c->start; i < c->start + c->len; i++)
        vec_push(&s->clause, 2 * s->source[i]);
    sat_add_clause(s->sat, s->clause.data, s->clause.len);
    for (uint32_t i = c->start; i < c->start + c->len; i++) {
        for (uint32_t j = c->start; j < i; j++) {
            uint32_t both[] = {2 * s->source[i] + 1, 2 * s->source[j] + 1};
            sat_add_clause(s->sat, both, 2);
        }
        uint32_t writer = happened_lit(s, p->ver_txn[p->cand.data[i]]);
        if (writer == HIST_NONE)
            continue;
        vec_clear(&s->clause);
        push_not(&s->clause, reader);
        vec_push(&s->clause, 2 * s->source[i] + 1);
        vec_push(&s->clause, writer);
        sat_add_clause(s->sat, s->clause.data, s->clause.len);
    }
}

/* Aggregates: clauses over the sources of their rows. */
static uint32_t joint_var(void *arg)
{
    struct search *s = arg;
    return sat_new_var(s->sat, false);
}

static void joint_clause(void *arg, const uint32_t *lits, size_t n)
{
    struct search *s = arg;
    uint32_t number = sat_add_clause(s->sat, lits, n);
    *map_put(&s->joint, number, 0, NULL) = (uint64_t)s->joint_now + 1;
}

static uint32_t joint_lit(void *arg, uint32_t read, uint32_t version)
{
    return source_lit(arg, read, version);
}

static void add_joints(struct search *s)
{
    const struct prob *p = s->p;
    struct joint_sink to = {s, joint_var, joint_clause, joint_lit};
    for (uint32_t i = 0; i < p->joints.len; i++) {
        const struct joint *j = &p->joints.data[i];
        s->joint_now = i;
        if (!joint_encode(p, j, happened_lit(s, joint_txn(p, j)), &to))
            s->loose = true;
    }
}

static void make_solver(struct search *s, const struct check_options *o)
{
    const struct prob *p = s->p;
    s->sat = sat_new(o->seed, true);
    s->source = mem_calloc(p->cand.len + 1, sizeof *s->source);
    for (size_t i = 0; i < p->cand.len; i++)
        s->source[i] = sat_new_var(s->sat, false);
    if (p->maybe) {
        s->happened = mem_calloc((size_t)p->n + 1, sizeof *s->happened);
        for (uint32_t t = 0; t < p->n; t++)
            s->happened[t] = p->maybe[t] ? sat_new_var(s->sat, false) : HIST_NONE;
    }
    for (size_t i = 0; i < p->choices.len; i++)
        add_choice(s, &p->choices.data[i]);
    add_joints(s);
}

/* --- clauses --------------------------------------------------------------------------------- */

/* What a cycle uses, negated. */
static void cycle_clause(struct search *s, const struct weak_cycle *c)
{
    const struct prob *p = s->p;
    vec_clear(&s->clause);
    for (uint32_t i = 0; i < c->len; i++) {
        const struct weak_step *e = &s->w.steps.data[c->start + i];
        push_not(&s->clause, happened_lit(s, e->from));
        if (e->kind == CHECK_WR || e->kind == CHECK_RW)
            push_not(&s->clause, source_lit(s, e->a, s->w.src[e->a]));
        if (e->kind == CHECK_WW && s->w.orders.data[e->order].basis != WEAK_KNOWN)
            vec_push(&s->clause, sat_neg(order_lit(s, e->a, e->b)));
        if (e->kind == CHECK_RW && p->ver_txn[s->w.src[e->a]] != PROB_INIT)
            vec_push(&s->clause, sat_neg(order_lit(s, s->w.src[e->a], e->b)));
    }
}

static void add_lemma(struct search *s, const struct weak_cycle *c)
{
    cycle_clause(s, c);
    struct weak_cycle copy = {(uint32_t)s->steps.len, c->len, c->a, c->b};
    for (uint32_t i = 0; i < c->len; i++) {
        struct weak_step e = s->w.steps.data[c->start + i];
        if (e.kind == CHECK_RW || e.kind == CHECK_WR)
            e.order = s->w.src[e.a]; /* what it saw */
        vec_push(&s->steps, e);
    }
    vec_push(&s->lemmas, copy);
    uint32_t number = sat_add_clause(s->sat, s->clause.data, s->clause.len);
    *map_put(&s->lemma, number, 0, NULL) = s->lemmas.len;
}

/* --- answers --------------------------------------------------------------------------------- */

static void accept(struct search *s)
{
    const struct prob *p = s->p;
    struct check_result *r = s->r;
    r->verdict = CHECK_OK;
    r->order_kind = CHECK_ARBITRATION;
    vec_clear(&r->order);
    for (uint32_t i = 0; i < p->n; i++)
        if (weak_present(&s->w, s->w.order[i]))
            vec_push(&r->order, p->hist[s->w.order[i]]);
    vec_clear(&r->sources);
    for (size_t i = 0; i < p->choices.len; i++) {
        uint32_t read = p->choices.data[i].read, v = s->w.src[read];
        if (v != HIST_NONE)
            vec_push(&r->sources, ((struct hist_pair){p->rd_op[read], p->ver_op[v]}));
    }
}

static uint32_t case_of(const struct map *cases, uint32_t a, uint32_t b)
{
    const uint64_t *c = map_get(cases, (uint64_t)a << 32 | b);
    return c ? (uint32_t)*c : HIST_NONE;
}

/* e->order: what a read saw. */
static struct check_edge edge_of(const struct prob *p, const struct weak_step *e,
                                 const struct map *cases)
{
    struct check_edge x = {e->kind,   p->hist[e->from], p->hist[e->to], HIST_NONE,
                           HIST_NONE, HIST_NONE,        HIST_NONE,      HIST_NONE};
    if (e->kind == CHECK_WW) {
        x.key = p->ver_key[e->a];
        x.from_op = p->ver_op[e->a];
        x.to_op = p->ver_op[e->b];
        x.because = case_of(cases, e->a, e->b);
    } else if (e->kind == CHECK_WR) {
        x.key = p->rd_key[e->a];
        x.from_op = p->ver_op[e->order];
        x.to_op = p->rd_op[e->a];
    } else if (e->kind == CHECK_RW) {
        x.key = p->rd_key[e->a];
        x.from_op = p->rd_op[e->a];
        x.to_op = p->ver_op[e->b];
        x.via = p->ver_op[e->order];
        x.because = case_of(cases, e->order, e->b);
    }
    return x;
}

static uint32_t write_cycle(struct search *s, const struct weak_cycle *c, const struct map *cases)
{
    struct check_cycle out = {(uint32_t)s->r->edges.len, c->len};
    for (uint32_t i = 0; i < c->len; i++)
        vec_push(&s->r->edges, edge_of(s->p, &s->steps.data[c->start + i], cases));
    vec_push(&s->r->cycles, out);
    return (uint32_t)s->r->cycles.len - 1;
}

/* All lemmas are facts, one order each, but for the last, which is the contradiction. */
static void reject_by_cases(struct search *s)
{
    const struct prob *p = s->p;
    struct check_result *r = s->r;
    struct map cases = {0};
    for (size_t i = 0; i < s->lemmas.len; i++) {
        const struct weak_cycle *l = &s->lemmas.data[i];
        if (l->a == HIST_NONE) {
            r->cycle = write_cycle(s, l, &cases);
            break;
        }
        uint32_t index = (uint32_t)r->cases.len;
        *map_put(&cases, (uint64_t)l->b << 32 | l->a, 0, NULL) = index;
        struct check_case c = {CHECK_ORDER, p->ver_op[l->b], p->ver_op[l->a], HIST_NONE, HIST_NONE};
        vec_push(&r->cases, c);
        uint32_t cycle = write_cycle(s, l, &cases);
        r->cases.data[index].cycle = cycle;
        *map_put(&cases, (uint64_t)l->a << 32 | l->b, 0, NULL) = index;
    }
    map_free(&cases);
    r->verdict = CHECK_VIOLATION;
}

/* The aggregates contradict each other, or the other reads of their transactions. */
static void reject_by_joints(struct search *s, const sat_lits *clauses)
{
    VEC(uint32_t) joints = {0};
    uint8_t *noted = mem_calloc(s->p->joints.len + 1, 1);
    for (size_t i = 0; i < clauses->len; i++) {
        const uint64_t *j = map_get(&s->joint, clauses->data[i]);
        if (!j || !*j || noted[*j - 1])
            continue;
        noted[*j - 1] = 1;
        vec_push(&joints, (uint32_t)(*j - 1));
    }
    explain_mismatch(s->p, joints.data, joints.len, s->r);
    vec_free(&joints);
    mem_free(noted);
}

static void reject_by_lemmas(struct search *s)
{
    struct check_result *r = s->r;
    struct map none = {0};
    sat_lits clauses = {0}, tags = {0};
    sat_core(s->sat, &clauses, &tags);
    uint32_t best = HIST_NONE;
    for (size_t i = 0; i < clauses.len; i++) {
        const uint64_t *l = map_get(&s->lemma, clauses.data[i]);
        if (!l || !*l)
            continue;
        uint32_t c = write_cycle(s, &s->lemmas.data[*l - 1], &none);
        r->lemmas++;
        if (best == HIST_NONE || r->cycles.data[c].len < r->cycles.data[best].len)
            best = c;
    }
    r->verdict = CHECK_VIOLATION;
    r->cycle = best;
    if (!r->lemmas)
        reject_by_joints(s, &clauses);
    vec_free(&clauses);
    vec_free(&tags);
    map_free(&none);
}

/* --- the loop -------------------------------------------------------------------------------- */

static void set_read(struct search *s, uint32_t read)
{
    const struct prob *p = s->p;
    uint32_t v = p->rd_ver[read];
    if (!weak_present(&s->w, p->rd_txn[read])) {
        v = HIST_NONE;
    } else if (v & PROB_CHOICE) {
        const struct match_choice *c = &p->choices.data[v & ~PROB_CHOICE];
        v = HIST_NONE;
        for (uint32_t i = c->start; i < c->start + c->len; i++)
            if (sat_value(s->sat, s->source[i]))
                v = p->cand.data[i];
        assert(v != HIST_NONE);
    }
    s->w.src[read] = v;
}

static void add_known(struct search *s)
{
    const struct prob *p = s->p;
    vec_clear(&s->w.orders);
    for (size_t i = 0; i < p->known.len; i++)
        vec_push(&s->w.orders, ((struct weak_order){p->known.data[i].from, p->known.data[i].to,
                                                    HIST_NONE, HIST_NONE, WEAK_KNOWN}));
}

/* What the solver says, as the choices to judge. */
static void set_choices(struct search *s)
{
    struct prob *p = s->p;
    for (uint32_t t = 0; t < p->n && s->happened; t++)
        s->w.present[t] = !p->maybe[t] || sat_value(s->sat, s->happened[t]);
    for (uint32_t r = 0; r < p->rd_start[p->n]; r++)
        set_read(s, r);
    add_known(s);
    for (size_t i = 0; i < s->pairs.len && s->w.model == MODEL_PSI; i++) {
        uint32_t a = (uint32_t)(s->pairs.data[i] >> 32), b = (uint32_t)s->pairs.data[i];
        bool forward = sat_value(s->sat, s->pair_vars.data[i]);
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
            if (happened_lit(s, e->from) != HIST_NONE ||
                (reads && s->p->rd_ver[e->a] & PROB_CHOICE) ||
                (e->kind == CHECK_WW && s->w.orders.data[e->order].basis == WEAK_CHOSEN))
                return false;
        }
    }
    return contradiction;
}

static void run(struct search *s)
{
    enum weak_outcome judged = WEAK_CONFLICT;
    enum sat_result solved;
    while ((solved = sat_solve(s->sat)) == SAT_YES) {
        set_choices(s);
        sat_restart(s->sat);
        judged = weak_judge(&s->w);
        if (judged != WEAK_CONFLICT)
            break;
        bool plain = unconditional(s);
        if (plain) {
            vec_clear(&s->steps);
            vec_clear(&s->lemmas);
        }
        for (size_t i = 0; i < s->w.cycles.len; i++)
            add_lemma(s, &s->w.cycles.data[i]);
        if (plain) {
            reject_by_cases(s);
            return;
        }
    }
    s->r->loose = s->loose;
    if (solved == SAT_YES && judged == WEAK_FINE)
        accept(s);
    else if (solved == SAT_NO)
        reject_by_lemmas(s);
    else
        anomaly_unknown(s->r, "%s", limit_reached() ? limit_text() : "the solver gave up");
}

bool weak_quick(struct prob *p, const struct check_options *o, struct check_result *r)
{
    if (p->maybe || o->always_solve || weak_memory(p) > MAX_CLOCKS)
        return false;
    struct search s = {.p = p, .r = r};
    weak_init(&s.w, p);
    add_known(&s);
    bool fine = weak_choose(&s.w);
    for (size_t i = 0; i < p->joints.len && fine; i++)
        fine = joint_holds(p, &p->joints.data[i], s.w.src);
    if (fine)
        accept(&s);
    weak_free(&s.w);
    return fine;
}

void weak_check(struct prob *p, const struct check_options *o, struct check_result *r)
{
    if (weak_memory(p) > MAX_CLOCKS) {
        anomaly_unknown(r, "%u chains of transactions are too many for the clocks", p->sessions);
        return;
    }
    struct search s = {.p = p, .r = r};
    weak_init(&s.w, p);
    s.w.no_guess = o->always_solve;
    if (p->maybe)
        s.w.present = mem_calloc((size_t)p->n + 1, 1);
    make_solver(&s, o);
    run(&s);
    sat_free(s.sat);
    weak_free(&s.w);
    mem_free(s.source);
    mem_free(s.happened);
    map_free(&s.orders);
    map_free(&s.lemma);
    map_free(&s.joint);
    vec_free(&s.pairs);
    vec_free(&s.pair_vars);
    vec_free(&s.steps);
    vec_free(&s.lemmas);
    vec_free(&s.clause);
}
