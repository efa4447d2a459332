/* The unknowns as variables of a solver: which of its candidates a read saw, and whether a
 * transaction of unknown outcome happened; see visibility_internal.h.
 *
 * The initial clauses: a read of a transaction that happened saw one candidate, a read of one that
 * did not happen saw none, a transaction that was read from happened, and aggregates have the
 * results that were recorded (aggregate.h).  Everything else the solver learns from cycles. */
#include <assert.h>
#include <stdlib.h>

#include "check/explain/explain.h"
#include "check/problem/aggregate.h"
#include "check/visibility/visibility_internal.h"

uint32_t vis_happened_lit(const struct vis_vars *v, uint32_t txn)
{
    return v->happened && txn != PROB_INIT && v->happened[txn] != HIST_NONE ? 2 * v->happened[txn]
                                                                            : HIST_NONE;
}

static uint32_t source_lit(const struct vis_vars *v, uint32_t read, uint32_t version)
{
    const struct prob *p = v->p;
    if (!(p->rd_ver[read] & PROB_CHOICE))
        return HIST_NONE;
    uint32_t choice = p->rd_ver[read] & ~PROB_CHOICE, picked = v->picked[choice];
    const struct match_choice *c = &p->choices.data[choice];
    if (picked != HIST_NONE && p->cand.data[picked] == version)
        return 2 * v->source[picked];
    for (uint32_t i = c->start; i < c->start + c->len; i++)
        if (p->cand.data[i] == version)
            return 2 * v->source[i];
    assert(!"not a candidate");
    return HIST_NONE;
}

static void push_not(sat_lits *out, uint32_t lit)
{
    if (lit != HIST_NONE)
        vec_push(out, sat_neg(lit));
}

static void implies(struct sat *s, uint32_t a, uint32_t b)
{
    uint32_t clause[] = {sat_neg(a), b};
    if (b != HIST_NONE)
        sat_add_clause(s, clause, 2);
}

/* `below`: literal "one of the candidates before i", for i > 0. */
static void add_candidate(struct vis_vars *v, const struct match_choice *c, uint32_t i,
                          uint32_t reader, uint32_t below, uint32_t upto)
{
    uint32_t lit = 2 * v->source[c->start + i];
    vec_clear(&v->clause);
    vec_push(&v->clause, lit);
    push_not(&v->clause, reader);
    if (i) {
        implies(v->sat, lit, sat_neg(below));
        vec_push(&v->clause, below);
    }
    if (i + 1 < c->len) {
        implies(v->sat, lit, upto);
        push_not(&v->clause, upto);
    }
    sat_add_clause(v->sat, v->clause.data, v->clause.len);
    implies(v->sat, lit, reader);
    implies(v->sat, lit, vis_happened_lit(v, v->p->ver_txn[v->p->cand.data[c->start + i]]));
}

/* "One of the first i + 1", for all i but the last.  The solver decides in the order of the
 * numbers: so around the candidate to try first, then further off. */
static void number_chain(struct vis_vars *v, const struct match_choice *c, uint32_t first)
{
    uint32_t up = first, down = first;
    vec_resize(&v->chain, c->len);
    while (up + 1 < c->len || down) {
        if (up + 1 < c->len)
            v->chain.data[up] = sat_new_var(v->sat, true);
        up++;
        if (down)
            v->chain.data[--down] = sat_new_var(v->sat, false);
    }
}

/* Candidates stand in the order of their writers.  Which one it is is decided by "one of the first
 * i", so that if one is ruled out its neighbours come next (the order encoding: Tamura and others,
 * CP 2006). */
static void add_choice(struct vis_vars *v, const struct match_choice *c, uint32_t first)
{
    uint32_t reader = vis_happened_lit(v, v->p->rd_txn[c->read]), below = HIST_NONE;
    number_chain(v, c, first - c->start);
    for (uint32_t i = 0; i < c->len; i++)
        v->source[c->start + i] = sat_new_var(v->sat, c->start + i == first);
    for (uint32_t i = 0; i < c->len; i++) {
        uint32_t upto = i + 1 < c->len ? 2 * v->chain.data[i] : HIST_NONE;
        add_candidate(v, c, i, reader, below, upto);
        if (i && i + 1 < c->len)
            implies(v->sat, below, upto);
        below = upto;
    }
    uint32_t absent = reader == HIST_NONE ? reader : sat_neg(reader);
    if (!c->len)
        sat_add_clause(v->sat, &absent, reader != HIST_NONE);
}

/* --- aggregates: clauses over the sources of their rows -------------------------------------- */

static uint32_t aggregate_var(void *arg)
{
    struct vis_vars *v = arg;
    return sat_new_var(v->sat, false);
}

static void aggregate_clause(void *arg, const uint32_t *lits, size_t n)
{
    struct vis_vars *v = arg;
    *map_put(&v->aggregate, sat_add_clause(v->sat, lits, n), 0, NULL) =
        (uint64_t)v->aggregate_now + 1;
}

static uint32_t aggregate_lit(void *arg, uint32_t read, uint32_t version)
{
    return source_lit(arg, read, version);
}

static void add_joints(struct vis_vars *v)
{
    const struct prob *p = v->p;
    struct aggregate_sink to = {v, aggregate_var, aggregate_clause, aggregate_lit};
    for (uint32_t i = 0; i < p->aggregates.len; i++) {
        const struct aggregate *j = &p->aggregates.data[i];
        v->aggregate_now = i;
        if (!aggregate_encode(p, j, vis_happened_lit(v, aggregate_txn(p, j)), &to))
            v->loose = true;
    }
}

void vis_vars_mismatch(const struct vis_vars *v, const sat_lits *clauses, struct check_result *r)
{
    sat_lits aggregates = {0};
    uint8_t *noted = mem_calloc(v->p->aggregates.len + 1, 1);
    for (size_t i = 0; i < clauses->len; i++) {
        const uint64_t *j = map_get(&v->aggregate, clauses->data[i]);
        if (!j || !*j || noted[*j - 1])
            continue;
        noted[*j - 1] = 1;
        vec_push(&aggregates, (uint32_t)(*j - 1));
    }
    explain_mismatch(v->p, aggregates.data, aggregates.len, r);
    vec_free(&aggregates);
    mem_free(noted);
}

/* --- all together ---------------------------------------------------------------------------- */

/* The candidate to try first: the last one that the order has before the reader. */
static uint32_t likely(const struct prob *p, const struct match_choice *c, const uint32_t *rank)
{
    uint32_t best = c->start, limit = rank[p->rd_txn[c->read]], at = 0;
    for (uint32_t i = c->start; i < c->start + c->len; i++) {
        uint32_t t = p->ver_txn[p->cand.data[i]], place = t == PROB_INIT ? 1 : rank[t] + 2;
        if (place > at && place < limit + 2) {
            best = i;
            at = place;
        }
    }
    return best;
}

static int by_rank(const void *a, const void *b, void *rank)
{
    const uint64_t *r = rank;
    uint64_t x = r[*(const uint32_t *)a], y = r[*(const uint32_t *)b];
    return x < y ? -1 : x > y;
}

/* The choices in the order of their readers: what happened at about the same time is decided
 * together, and a conflict undoes little. */
static uint32_t *by_reader(const struct prob *p, const uint32_t *rank)
{
    uint32_t *order = mem_alloc(mem_mul(p->choices.len + 1, sizeof *order));
    uint64_t *at = mem_alloc(mem_mul(p->choices.len + 1, sizeof *at));
    for (uint32_t i = 0; i < p->choices.len; i++) {
        uint32_t read = p->choices.data[i].read;
        order[i] = i;
        at[i] = (uint64_t)rank[p->rd_txn[read]] << 32 | read;
    }
    qsort_r(order, p->choices.len, sizeof *order, by_rank, at);
    mem_free(at);
    return order;
}

#define FAR 50 /* decisions; in tests, 1 */

void vis_vars_init(struct vis_vars *v, const struct vis *w, uint64_t seed)
{
    const struct prob *p = w->p;
    *v = (struct vis_vars){.p = p, .few = w->few, .sat = sat_new(seed, true)};
    sat_be_patient(v->sat, w->no_guess ? 1 : FAR);
    v->source = mem_calloc(p->cand.len + 1, sizeof *v->source);
    v->picked = mem_alloc(mem_mul(p->choices.len + 1, sizeof *v->picked));
    if (p->maybe) {
        v->happened = mem_calloc((size_t)p->n + 1, sizeof *v->happened);
        for (uint32_t t = 0; t < p->n; t++)
            v->happened[t] = p->maybe[t] ? sat_new_var(v->sat, false) : HIST_NONE;
    }
    uint32_t *order = by_reader(p, w->rank);
    for (size_t i = 0; i < p->choices.len; i++) {
        const struct match_choice *c = &p->choices.data[order[i]];
        if (vis_takes_part(w->few, c))
            add_choice(v, c, likely(p, c, w->rank));
        v->picked[i] = HIST_NONE;
    }
    mem_free(order);
    if (!w->few)
        add_joints(v);
}

void vis_vars_free(struct vis_vars *v)
{
    sat_free(v->sat);
    mem_free(v->source);
    mem_free(v->happened);
    map_free(&v->aggregate);
    mem_free(v->picked);
    vec_free(&v->clause);
    vec_free(&v->chain);
}

static void set_read(struct vis_vars *v, struct vis *w, uint32_t read)
{
    const struct prob *p = v->p;
    uint32_t seen = p->rd_ver[read];
    if (!vis_present(w, p->rd_txn[read])) {
        seen = HIST_NONE;
    } else if (seen & PROB_CHOICE) {
        const struct match_choice *c = &p->choices.data[seen & ~PROB_CHOICE];
        uint32_t i = c->start, end = c->start + c->len;
        w->src[read] = HIST_NONE;
        if (!vis_takes_part(v->few, c))
            return;
        while (i < end && !sat_value(v->sat, v->source[i]))
            i++;
        assert(i < end);
        v->picked[seen & ~PROB_CHOICE] = i;
        seen = p->cand.data[i];
    }
    w->src[read] = seen;
}

void vis_vars_get(struct vis_vars *v, struct vis *w)
{
    const struct prob *p = v->p;
    for (uint32_t t = 0; t < p->n && v->happened; t++)
        w->present[t] = !p->maybe[t] || sat_value(v->sat, v->happened[t]);
    for (uint32_t r = 0; r < p->rd_start[p->n]; r++)
        set_read(v, w, r);
}

void vis_vars_not(struct vis_vars *v, const struct vis *w, const struct edge *e)
{
    push_not(&v->clause, vis_happened_lit(v, e->from));
    if (e->kind == CHECK_WR || e->kind == CHECK_RW)
        push_not(&v->clause, source_lit(v, e->a, w->src[e->a]));
}
