/* RC, RA and CC where reads have a choice of writers: which choices leave an arbitration?
 *
 * The problem is NP-complete (Bouajjani, Enea, Guerraoui and Hamza, POPL 2017), so a solver makes
 * the choices.  It has the variables of visibility_vars.c, and "version a comes before version b"
 * for the orders that turn out to matter.  Session order, reads and these orders are edges of a
 * graph that the solver keeps acyclic (acyclic.h), so every solution comes with a topological
 * order.  That order is an arbitration unless some read misses a visible version that is later in
 * it than the one that it saw.  For each such read a clause is added: if these reads saw these
 * writes, that version comes before the one that was seen.  Every round adds a clause that the last
 * solution violates, over finitely many orders and choices, so the loop ends: with an arbitration,
 * or with clauses and cycles that leave no choice, each of which certify_violation.c checks again.
 */
#include <assert.h>

#include "base/limit.h"
#include "check/solver/acyclic.h"
#include "check/solver/bounded.h"
#include "check/problem/finding.h"
#include "check/visibility/visibility_internal.h"

#define CANDIDATE 32            /* steps */
#define MANY ((size_t)1 << 20)  /* candidates: too many to look at each beforehand */
#define WORK ((size_t)50 << 20) /* edges looked at for the lemmas of one round */

struct search {
    struct vis *w;
    struct prob *p;
    struct check_result *r;
    struct vis_vars v;
    struct vis_proof proof;
    struct acyclic *graph;
    bool started;                /* its first edges are all there */
    struct map before;           /* two versions, the older first: literal */
    VEC(struct hist_pair) pairs; /* per order: two versions; its edges' tag is ORDER | index */
    /* PSI: what reads without choice ask for, and what is on record; and the clauses that say so:
     * 1 + the index of the order. */
    VEC(struct vis_order) sure;
    struct map of_sure;
};

#define ORDER (1u << 31)

/* The work of one round outside the solver, in steps. */
static uint64_t round_cost(const struct search *s)
{
    const struct vis *w = s->w;
    uint64_t reads = s->p->rd_start[s->p->n];
    return w->work + (s->p->n + reads) * (2 + (w->closed ? w->width / 8 : 0));
}

/* --- the graph ------------------------------------------------------------------------------- */

static uint32_t name_order(struct search *s, uint32_t a, uint32_t b)
{
    vec_push(&s->pairs, ((struct hist_pair){a, b}));
    return ORDER | (uint32_t)(s->pairs.len - 1);
}

/* An order on record says something about transactions that happened. */
static void add_known_edge(struct search *s, uint32_t a, uint32_t b)
{
    uint32_t from = s->p->ver_txn[a], to = s->p->ver_txn[b], lit = ACYCLIC_FIXED;
    if (from == PROB_INIT || to == PROB_INIT)
        return;
    uint32_t both[] = {vis_happened_lit(&s->v, from), vis_happened_lit(&s->v, to)}, clause[3];
    size_t n = 0;
    for (int i = 0; i < 2; i++)
        if (both[i] != HIST_NONE)
            clause[n++] = sat_neg(both[i]);
    if (n) {
        lit = clause[n++] = 2 * sat_new_var(s->v.sat, false);
        sat_add_clause(s->v.sat, clause, n);
    }
    acyclic_add_edge(s->graph, from, to, lit, name_order(s, a, b));
}

static void add_read_edges(struct search *s, uint32_t read)
{
    const struct prob *p = s->p;
    uint32_t v = p->rd_ver[read], t = p->rd_txn[read];
    if (!(v & PROB_CHOICE)) {
        if (p->ver_txn[v] != PROB_INIT)
            acyclic_add_edge(s->graph, p->ver_txn[v], t, ACYCLIC_FIXED, read);
        return;
    }
    const struct match_choice *c = &p->choices.data[v & ~PROB_CHOICE];
    for (uint32_t i = c->start; i < c->start + c->len && vis_takes_part(s->w->few, c); i++)
        if (p->ver_txn[p->cand.data[i]] != PROB_INIT)
            acyclic_add_edge(s->graph, p->ver_txn[p->cand.data[i]], t, 2 * s->v.source[i], read);
}

/* The edge of an order that came into being later; only if both happened. */
static void add_order_edge(struct search *s, uint32_t a, uint32_t b, uint32_t lit)
{
    uint32_t from = s->p->ver_txn[a], to = s->p->ver_txn[b], clause[4];
    uint32_t both[] = {vis_happened_lit(&s->v, from), vis_happened_lit(&s->v, to)};
    size_t n = 0;
    clause[n++] = sat_neg(lit);
    for (int i = 0; i < 2; i++)
        if (both[i] != HIST_NONE)
            clause[n++] = sat_neg(both[i]);
    if (n > 1) {
        lit = clause[n++] = 2 * sat_new_passive(s->v.sat);
        sat_add_clause(s->v.sat, clause, n);
    }
    acyclic_add_late(s->graph, from, to, lit, name_order(s, a, b));
}

/* Two versions of a row, for PSI: one of them is older. */
static uint32_t order_lit(struct search *s, uint32_t a, uint32_t b)
{
    const struct prob *p = s->p;
    bool fresh;
    uint64_t *lit = map_put(&s->before, (uint64_t)a << 32 | b, 0, &fresh);
    if (!fresh)
        return (uint32_t)*lit;
    uint32_t from = p->ver_txn[a], to = p->ver_txn[b];
    uint32_t l = 2 * sat_new_var(s->v.sat, s->w->rank[from] < s->w->rank[to]);
    *lit = l;
    *map_put(&s->before, (uint64_t)b << 32 | a, 0, NULL) = sat_neg(l);
    if (s->started) {
        add_order_edge(s, a, b, l);
        add_order_edge(s, b, a, sat_neg(l));
    } else {
        acyclic_add_edge(s->graph, from, to, l, name_order(s, a, b));
    }
    return l;
}

/* Facts; why they hold is looked up when it matters. */
static void add_sure_orders(struct search *s)
{
    for (uint32_t i = 0; i < s->sure.len; i++) {
        const struct vis_order *o = &s->sure.data[i];
        if (o->basis != VIS_SEEN || s->p->ver_txn[o->a] == PROB_INIT)
            continue;
        uint32_t lit = order_lit(s, o->a, o->b);
        *map_put(&s->of_sure, sat_add_clause(s->v.sat, &lit, 1), 0, NULL) = (uint64_t)i + 1;
    }
}

static void make_graph(struct search *s)
{
    struct vis *w = s->w;
    const struct prob *p = s->p;
    s->graph = acyclic_new(p->n, w->order, true);
    for (uint32_t t = 0; t + 1 < p->n && w->sessions; t++)
        if (p->session[t] == p->session[t + 1])
            acyclic_add_edge(s->graph, t, t + 1, ACYCLIC_FIXED, HIST_NONE);
    for (uint32_t r = 0; r < p->rd_start[p->n]; r++)
        add_read_edges(s, r);
    vis_add_known(w);
    for (size_t i = 0; i < w->orders.len; i++)
        add_known_edge(s, w->orders.data[i].a, w->orders.data[i].b);
    add_sure_orders(s);
    acyclic_start(s->graph, sat_vars(s->v.sat));
    s->started = true;
    struct sat_theory theory = acyclic_theory(s->graph);
    sat_set_theory(s->v.sat, &theory);
}

/* --- lemmas ---------------------------------------------------------------------------------- */

static uint32_t before_lit(struct search *s, uint32_t a, uint32_t b)
{
    bool fresh;
    uint64_t *lit = map_put(&s->before, (uint64_t)a << 32 | b, 0, &fresh);
    if (fresh) {
        *lit = 2 * sat_new_passive(s->v.sat);
        acyclic_add_late(s->graph, s->p->ver_txn[a], s->p->ver_txn[b], (uint32_t)*lit,
                         name_order(s, a, b));
    }
    return (uint32_t)*lit;
}

/* A read, a later version than the one that it saw, and why that is visible to it. */
static void add_lemma(struct search *s, const struct vis_cycle *c)
{
    struct vis *w = s->w;
    sat_lits *clause = &s->v.clause;
    vec_clear(clause);
    for (uint32_t i = 0; i < c->len; i++) {
        const struct vis_step *step = &w->steps.data[c->start + i];
        const struct edge *e = &step->edge;
        vis_vars_not(&s->v, w, e);
        if (e->kind == CHECK_WW && w->orders.data[step->order].basis == VIS_CHOSEN)
            vec_push(clause, order_lit(s, e->b, e->a));
        if (e->kind == CHECK_RW && s->p->ver_txn[w->src[e->a]] != PROB_INIT)
            vec_push(clause, w->model == MODEL_PSI ? order_lit(s, e->b, w->src[e->a])
                                                   : before_lit(s, e->b, w->src[e->a]));
    }
    vis_proof_add(&s->proof, w, c);
    vis_proof_name(&s->proof, sat_add_clause(s->v.sat, clause->data, clause->len));
}

/* Whatever a read saw, what its session wrote before is older. */
static void add_session_lemma(struct search *s, uint32_t read, uint32_t own)
{
    struct vis *w = s->w;
    const struct prob *p = s->p;
    const struct match_choice *c = &p->choices.data[p->rd_ver[read] & ~PROB_CHOICE];
    uint32_t t = p->rd_txn[read], writer = p->ver_txn[own];
    for (uint32_t i = c->start; i < c->start + c->len; i++) {
        if (p->cand.data[i] == own)
            continue;
        struct vis_cycle x = {0, 2, HIST_NONE, HIST_NONE};
        w->src[read] = p->cand.data[i];
        vec_clear(&w->steps);
        vec_push(&w->steps, ((struct vis_step){{t, writer, read, own, CHECK_RW}, HIST_NONE}));
        vec_push(&w->steps, ((struct vis_step){{writer, t, 0, 0, CHECK_SO}, 0}));
        add_lemma(s, &x);
    }
}

static void add_session_lemmas(struct search *s)
{
    const struct prob *p = s->p;
    bool visible = s->w->sessions && model_sees_session(model_get(s->w->model));
    for (size_t i = 0; i < p->choices.len && visible; i++) {
        uint32_t read = p->choices.data[i].read;
        uint32_t own = vis_session_wrote(p, p->rd_key[read], p->rd_txn[read]);
        if (own != HIST_NONE && vis_takes_part(s->w->few, &p->choices.data[i]) &&
            !(p->maybe && p->maybe[p->ver_txn[own]]))
            add_session_lemma(s, read, own);
    }
}

/* Sources that are impossible by themselves: otherwise each would be found out in the middle of the
 * search. */
static void probe(struct search *s, struct budget *b)
{
    const struct prob *p = s->p;
    uint64_t before = bounded_work(s->v.sat, s->graph);
    for (size_t i = 0; i < p->choices.len && !limit_reached() && !budget_is_over(b); i++) {
        const struct match_choice *c = &p->choices.data[i];
        for (uint32_t k = c->start; k < c->start + c->len && vis_takes_part(s->w->few, c); k++)
            sat_probe(s->v.sat, 2 * s->v.source[k]);
        uint64_t now = bounded_work(s->v.sat, s->graph);
        budget_spend(b, now - before);
        before = now;
    }
}

/* False: the order is an arbitration.  The paths that make something visible have no orders, or for
 * PSI those of the arbitration. */
static bool learn(struct search *s)
{
    struct vis *w = s->w;
    vec_clear(&w->orders);
    vec_clear(&w->steps);
    vec_clear(&w->cycles);
    vec_clear(&w->emitted);
    w->work = 0;
    if (w->model == MODEL_PSI)
        vis_add_versions(w);
    size_t first = w->orders.len, complaints = vis_complain(w);
    if (!complaints)
        return false;
    w->orders.len = first;
    vis_build(w);
    w->orders.len = first + complaints;
    for (size_t i = first; i < first + complaints && w->work < WORK; i++)
        vis_emit_order(w, (uint32_t)i);
    for (size_t i = 0; i < w->cycles.len; i++)
        add_lemma(s, &w->cycles.data[i]);
    return true;
}

/* --- answers --------------------------------------------------------------------------------- */

static struct vis_step step_of(const struct search *s, const struct acyclic_edge *e)
{
    if (e->tag == HIST_NONE)
        return (struct vis_step){{e->from, e->to, 0, 0, CHECK_SO}, HIST_NONE};
    if (e->tag & ORDER) {
        struct hist_pair o = s->pairs.data[e->tag & ~ORDER];
        return (struct vis_step){{e->from, e->to, o.from, o.to, CHECK_WW}, HIST_NONE};
    }
    return (struct vis_step){{e->from, e->to, e->tag, 0, CHECK_WR},
                             vis_version_of(s->p, s->p->rd_key[e->tag], e->from)};
}

/* A cycle of the graph as a lemma.  Steps of session order that follow each other become one:
 * whether those between them happened does not matter. */
static void add_cycle(struct search *s, uint32_t tag)
{
    const uint32_t *edges;
    size_t n = acyclic_cycle(s->graph, tag, &edges), first = 0;
    struct vis_cycle c = {(uint32_t)s->proof.steps.len, 0, HIST_NONE, HIST_NONE};
    while (acyclic_edge(s->graph, edges[first])->tag == HIST_NONE)
        first++;
    for (size_t i = 1; i <= n; i++) {
        struct vis_step e = step_of(s, acyclic_edge(s->graph, edges[(first + i) % n]));
        if (c.len && e.edge.kind == CHECK_SO && vec_last(&s->proof.steps).edge.kind == CHECK_SO) {
            vec_last(&s->proof.steps).edge.to = e.edge.to;
            continue;
        }
        vec_push(&s->proof.steps, e);
        c.len++;
    }
    vec_push(&s->proof.lemmas, c);
}

/* The orders among the clauses that hold without any choice, and why. */
static void justify_sure(struct search *s, const sat_lits *clauses, sat_lits *lemmas)
{
    struct vis *w = s->w;
    vis_set_sure(w);
    vec_clear(&w->orders);
    for (size_t i = 0; i < s->sure.len; i++)
        vec_push(&w->orders, s->sure.data[i]);
    vec_clear(&w->steps);
    vec_clear(&w->cycles);
    vec_clear(&w->emitted);
    w->ranked = false;
    vis_build(w);
    for (size_t i = 0; i < clauses->len; i++) {
        const uint64_t *order = map_get(&s->of_sure, clauses->data[i]);
        if (order && *order)
            vis_emit_order(w, (uint32_t)*order - 1);
    }
    for (size_t i = 0; i < w->cycles.len; i++) {
        vec_push(lemmas, (uint32_t)s->proof.lemmas.len);
        vis_proof_add(&s->proof, w, &w->cycles.data[i]);
    }
}

static void reject(struct search *s)
{
    sat_lits clauses = {0}, tags = {0}, lemmas = {0};
    sat_core(s->v.sat, &clauses, &tags);
    vis_proof_used(&s->proof, &clauses, &lemmas);
    if (s->sure.len)
        justify_sure(s, &clauses, &lemmas);
    for (size_t i = 0; i < tags.len; i++) {
        vec_push(&lemmas, (uint32_t)s->proof.lemmas.len);
        add_cycle(s, tags.data[i]);
    }
    vis_reject_by_lemmas(&s->proof, s->p, &lemmas, s->r);
    if (!lemmas.len)
        vis_vars_mismatch(&s->v, &clauses, s->r);
    vec_free(&clauses);
    vec_free(&tags);
    vec_free(&lemmas);
}

static void take_order(struct search *s)
{
    struct vis *w = s->w;
    for (uint32_t t = 0; t < s->p->n; t++) {
        w->rank[t] = acyclic_rank(s->graph, t);
        w->order[w->rank[t]] = t;
    }
    w->sorted = s->p->n;
}

static void run(struct search *s, struct budget *b)
{
    enum sat_result solved = SAT_STOPPED;
    bool open = true;
    s->w->ranked = true;
    limit_step("the search for visibility");
    while (open && !budget_is_over(b) &&
           (solved = bounded_solve(s->v.sat, s->graph, b)) == SAT_YES && !limit_reached()) {
        vis_vars_get(&s->v, s->w);
        take_order(s);
        sat_restart(s->v.sat);
        open = learn(s);
        budget_spend(b, round_cost(s));
    }
    s->r->loose = s->v.loose;
    if (limit_reached())
        return;
    if (solved == SAT_NO)
        reject(s);
    else if (!open && !s->w->few)
        vis_accept(s->w, s->r);
}

/* An order in which every read comes after something that it could have seen: the best that is
 * quickly found, at least for RC. */
static void start_order(struct vis *w, struct budget *b)
{
    const struct prob *p = w->p;
    uint32_t *order = mem_alloc(mem_mul((size_t)p->n + 1, sizeof *order));
    memcpy(order, w->order, (size_t)p->n * sizeof *order);
    struct budget some = budget_of(budget_left(b) / (budget_left(b) == BUDGET_ENDLESS ? 1 : 4));
    vis_add_known(w);
    bool found = vis_replay(w, w->model == MODEL_EC ? MODEL_EC : MODEL_RC, &some);
    budget_spend(b, some.spent);
    if (!found)
        for (uint32_t i = 0; i < p->n; i++) {
            w->order[i] = order[i];
            w->rank[order[i]] = i;
        }
    w->sorted = p->n;
    mem_free(order);
}

/* PSI: an order that follows all that is sure. */
static void start_sure(struct search *s)
{
    struct vis *w = s->w;
    for (size_t i = 0; i < w->orders.len; i++)
        vec_push(&s->sure, w->orders.data[i]);
    vis_merged_order(w);
    vis_schedule(w);
    assert(w->sorted == s->p->n);
}

/* What it takes to make variables, clauses and edges of the candidates, in steps. */
static uint64_t start_cost(const struct search *s)
{
    uint64_t candidates = 0;
    for (size_t i = 0; i < s->p->choices.len; i++)
        if (vis_takes_part(s->w->few, &s->p->choices.data[i]))
            candidates += s->p->choices.data[i].len;
    return CANDIDATE * candidates + round_cost(s);
}

/* False: the budget does not even pay for the start. */
static bool can_start(const struct search *s, struct budget *b)
{
    uint64_t cost = start_cost(s), left = budget_left(b);
    return budget_spend(b, cost < left ? cost : left);
}

static void start(struct search *s, const struct check_options *o)
{
    struct vis *w = s->w;
    if (w->model == MODEL_PSI)
        start_sure(s);
    else
        start_order(w, o->budget);
    vis_sort_candidates(w);
    vis_vars_init(&s->v, w, o->seed);
    make_graph(s);
    if (s->p->cand.len < MANY) {
        add_session_lemmas(s);
        probe(s, o->budget);
    }
}

void vis_search(struct vis *w, const struct check_options *o, struct check_result *r)
{
    struct search s = {.w = w, .p = w->p, .r = r};
    if (can_start(&s, o->budget) && vis_judge_sure(w, r)) {
        start(&s, o);
        run(&s, o->budget);
        vis_vars_free(&s.v);
    }
    if (r->verdict == CHECK_UNKNOWN)
        finding_unknown(r, "%s", limit_reached() ? limit_text() : "the solver gave up");
    acyclic_free(s.graph);
    vis_proof_free(&s.proof);
    map_free(&s.before);
    vec_free(&s.pairs);
    vec_free(&s.sure);
    map_free(&s.of_sure);
}
