/* Encoding the residual; see residual.h.
 *
 * Orders that saturation settled need no variable.  Of the readers of a version only the last of
 * each session gets an edge, and edges that the known graph implies are left out, so an undecided
 * pair costs a handful of edges.  A pair whose order makes no difference to any read (SER and PC:
 * no readers, and no reads that may still become readers) gets no variable; the topological order
 * decides it. */
#include "check/graph/residual.h"

#include <assert.h>
#include <stdlib.h>

#include "check/problem/aggregate.h"
#include "check/graph/saturate.h"

/* --- edges ------------------------------------------------------------------------------------ */

/* Tags of fixed edges, whose labels are not stored: the kind in the two upper bits. */
enum fixed { FIXED_DERIVED, FIXED_READ, FIXED_CHAIN, FIXED_INSIDE };
#define FIXED_TAG(kind, index) ((uint32_t)(kind) << 30 | (index))

static void add_edge(struct residual *x, uint32_t lit, struct edge e)
{
    vec_push(&x->edges, e);
    backend_edge(&x->problem, e.from, e.to, lit, (uint32_t)x->edges.len - 1);
}

struct edge residual_edge(const struct residual *x, uint32_t edge, uint32_t *age)
{
    const struct acyclic_edge *e = &x->problem.edges.data[edge];
    uint32_t index = e->tag & ~(3u << 30);
    *age = e->lit != ACYCLIC_FIXED ? HIST_NONE : 0;
    if (e->lit != ACYCLIC_FIXED)
        return x->edges.data[e->tag];
    switch ((enum fixed)(e->tag >> 30)) {
    case FIXED_DERIVED:
        *age = index + 1;
        return x->g->edges.data[index].edge;
    case FIXED_READ:
        return (struct edge){e->from, e->to, index, x->g->p->rd_ver[index], CHECK_WR};
    case FIXED_CHAIN:
        return (struct edge){e->from, e->to, index, index + 1, CHECK_SO};
    case FIXED_INSIDE:
        break;
    }
    return (struct edge){e->from, e->to, 0, 0, EDGE_INSIDE};
}

static void add_fixed(struct residual *x)
{
    struct pg *g = x->g;
    const struct prob *p = g->p;
    struct backend_problem *b = &x->problem;
    for (uint32_t t = 0; t < p->n; t++) {
        uint32_t begin = pg_begin(g, t), commit = pg_commit(g, t);
        if (begin != commit)
            backend_edge(b, begin, commit, ACYCLIC_FIXED, FIXED_TAG(FIXED_INSIDE, t));
        if (t + 1 < p->n && p->session[t + 1] == p->session[t])
            backend_edge(b, commit, pg_begin(g, t + 1), ACYCLIC_FIXED, FIXED_TAG(FIXED_CHAIN, t));
    }
    for (uint32_t v = 0; v < p->versions; v++)
        for (uint32_t i = p->rdr_start[v]; i < p->rdr_start[v + 1]; i++)
            if (p->ver_txn[v] != PROB_INIT)
                backend_edge(b, pg_commit(g, p->ver_txn[v]), pg_begin(g, p->rd_txn[p->rdr[i]]),
                             ACYCLIC_FIXED, FIXED_TAG(FIXED_READ, p->rdr[i]));
    for (uint32_t e = 0; e < g->edges.len; e++)
        backend_edge(b, g->edges.data[e].edge.from, g->edges.data[e].edge.to, ACYCLIC_FIXED,
                     FIXED_TAG(FIXED_DERIVED, e));
}

/* How many readers of a would have to come before b and are not known to? */
static uint32_t noticed(const struct residual *x, uint32_t a, uint32_t b)
{
    const struct pg *g = x->g;
    const struct prob *p = g->p;
    uint32_t count = x->candidate && x->candidate[a], w = p->ver_txn[b];
    struct pg_readers i = pg_readers(g, a);
    for (uint32_t r; (r = pg_next_reader(g, &i)) != HIST_NONE;)
        count += p->rd_txn[r] != w && !pg_reaches(g, pg_begin(g, p->rd_txn[r]), pg_commit(g, w));
    return count;
}

/* The edges of "a before b", under a literal. */
static void add_order(struct residual *x, uint32_t a, uint32_t b, uint32_t lit)
{
    struct pg *g = x->g;
    const struct prob *p = g->p;
    uint32_t w = p->ver_txn[b];
    add_edge(x, lit, (struct edge){pg_commit(g, p->ver_txn[a]), pg_ww_head(g, w), a, b, CHECK_WW});
    struct pg_readers i = pg_readers(g, a);
    for (uint32_t r; (r = pg_next_reader(g, &i)) != HIST_NONE;) {
        uint32_t t = p->rd_txn[r];
        if (t == w || pg_reaches(g, pg_begin(g, t), pg_commit(g, w)))
            continue;
        if (i.at < i.end && p->session[p->rd_txn[*i.at]] == p->session[t] && p->rd_txn[*i.at] != w)
            continue;
        add_edge(x, lit, (struct edge){pg_begin(g, t), pg_commit(g, w), r, b, CHECK_RW});
    }
}

/* --- variables -------------------------------------------------------------------------------- */

static uint32_t new_var(struct residual *x, struct residual_var v, bool phase)
{
    vec_push(&x->vars, v);
    if (x->vars.len > x->limit)
        x->too_many = true;
    return backend_var(&x->problem, phase);
}

static bool is_maybe(const struct residual *x, uint32_t txn)
{
    return x->happened && txn != PROB_INIT && x->happened[txn] != HIST_NONE;
}

static bool guess_older(const struct residual *x, uint32_t a, uint32_t b)
{
    const struct prob *p = x->g->p;
    return x->place[pg_commit(x->g, p->ver_txn[a])] < x->place[pg_commit(x->g, p->ver_txn[b])];
}

static uint64_t pair_key(uint32_t a, uint32_t b)
{
    return (uint64_t)a << 32 | b;
}

static void add_pair(struct residual *x, uint32_t a, uint32_t b)
{
    if (x->g->map != PG_SI && !noticed(x, a, b) && !noticed(x, b, a))
        return;
    uint32_t v =
        new_var(x, (struct residual_var){RESIDUAL_ORDER, a, b, false}, guess_older(x, a, b));
    *map_put(&x->pairs, pair_key(a, b), 0, NULL) = 2 * v;
    *map_put(&x->pairs, pair_key(b, a), 0, NULL) = 2 * v + 1;
    add_order(x, a, b, 2 * v);
    add_order(x, b, a, 2 * v + 1);
}

/* One of them may not count: then neither order holds, not even one that is on record. */
static void add_maybe_pair(struct residual *x, uint32_t a, uint32_t b)
{
    const struct prob *p = x->g->p;
    uint32_t v[2];
    for (int i = 0; i < 2; i++) {
        uint32_t from = i ? b : a, to = i ? a : b;
        v[i] = new_var(x, (struct residual_var){RESIDUAL_ORDER, from, to, true}, false);
        *map_put(&x->pairs, pair_key(from, to), 0, NULL) = 2 * v[i];
        add_order(x, from, to, 2 * v[i]);
    }
    vec_clear(&x->scratch);
    if (!map_get(&x->known, pair_key(b, a)))
        vec_push(&x->scratch, 2 * v[0]);
    if (!map_get(&x->known, pair_key(a, b)))
        vec_push(&x->scratch, 2 * v[1]);
    if (is_maybe(x, p->ver_txn[a]))
        vec_push(&x->scratch, sat_neg(x->happened[p->ver_txn[a]]));
    if (is_maybe(x, p->ver_txn[b]))
        vec_push(&x->scratch, sat_neg(x->happened[p->ver_txn[b]]));
    backend_clause(&x->problem, x->scratch.data, x->scratch.len);
}

static void add_maybe_pairs(struct residual *x, uint32_t a)
{
    const struct pg *g = x->g;
    const struct prob *p = g->p;
    uint32_t key = p->ver_key[a], w = p->ver_txn[a];
    struct pg_readers i = pg_readers(g, p->ver_start[key]);
    for (uint32_t r; (r = pg_next_reader(g, &i)) != HIST_NONE;)
        if (p->rd_txn[r] != w)
            add_edge(x, x->happened[w],
                     (struct edge){pg_begin(g, p->rd_txn[r]), pg_commit(g, w), r, a, CHECK_RW});
    for (uint32_t b = p->ver_start[key] + 1; b < p->ver_start[key + 1]; b++)
        if (b != a && (b > a || !is_maybe(x, p->ver_txn[b])))
            add_maybe_pair(x, a, b);
}

static uint32_t pair_place(const struct residual *x, uint32_t a, uint32_t b)
{
    const struct prob *p = x->g->p;
    uint32_t v = x->place[pg_commit(x->g, p->ver_txn[a])];
    uint32_t w = x->place[pg_commit(x->g, p->ver_txn[b])];
    return v > w ? v : w;
}

/* The versions of group i that are neither known to be older than a nor known to be newer. */
static void add_group_pairs(struct residual *x, uint32_t a, uint32_t i)
{
    struct pg *g = x->g;
    const struct prob *p = g->p;
    uint32_t key = p->ver_key[a], t = p->ver_txn[a], c = g->groups.chain[i];
    if (c == p->session[t])
        return;
    uint32_t entry = clocks_entry(&g->clocks, pg_commit(g, t), c);
    uint32_t count = g->map == PG_SER ? entry : g->map == PG_SI ? (entry + 1) / 2 : entry / 2;
    uint32_t end = groups_end(&g->groups, p, key, i);
    uint32_t b = count ? saturate_latest(g, key, i, count, t) : HIST_NONE;
    b = b == HIST_NONE ? g->groups.first[i] : b + 1;
    for (; b < end; b++) {
        if (is_maybe(x, p->ver_txn[b]))
            continue;
        if (saturate_older(g, a, b))
            break;
        if (b > a)
            vec_push(&x->open_pairs, ((struct residual_pair){pair_place(x, a, b), a, b}));
    }
}

/* The same along a line: those before a that are not known to be older. */
static void add_line_pairs(struct residual *x, uint32_t a)
{
    struct pg *g = x->g;
    const struct prob *p = g->p;
    for (uint32_t i = g->place[a]; i > p->ver_start[p->ver_key[a]] + 1 && !g->settled[a]; i--) {
        uint32_t b = g->line[i - 1];
        if (is_maybe(x, p->ver_txn[b]) || saturate_older(g, a, b))
            continue;
        if (!saturate_older(g, b, a)) {
            uint32_t low = a < b ? a : b, high = a < b ? b : a;
            vec_push(&x->open_pairs, ((struct residual_pair){pair_place(x, a, b), low, high}));
        } else if (g->settled[b]) {
            break;
        }
    }
}

static int by_place(const void *a, const void *b)
{
    const struct residual_pair *x = a, *y = b;
    if (x->place != y->place)
        return x->place < y->place ? -1 : 1;
    if (x->a != y->a)
        return x->a < y->a ? -1 : 1;
    return x->b < y->b ? -1 : x->b > y->b;
}

/* Variables that have to do with each other are near each other in the guess; numbered in that
 * order they are decided one after the other, and a conflict undoes few others. */
static void add_pairs_in_order(struct residual *x)
{
    if (x->open_pairs.len)
        qsort(x->open_pairs.data, x->open_pairs.len, sizeof *x->open_pairs.data, by_place);
    for (size_t i = 0; i < x->open_pairs.len && !x->too_many; i++)
        add_pair(x, x->open_pairs.data[i].a, x->open_pairs.data[i].b);
    vec_free(&x->open_pairs);
}

static void add_pairs(struct residual *x)
{
    struct pg *g = x->g;
    const struct prob *p = g->p;
    for (uint32_t a = 0; a < p->versions && !x->too_many; a++) {
        uint32_t t = p->ver_txn[a], key = p->ver_key[a];
        if (t == PROB_INIT)
            continue;
        if (is_maybe(x, t)) {
            add_maybe_pairs(x, a);
            continue;
        }
        for (uint32_t i = g->groups.start[key]; i < g->groups.start[key + 1] && !g->line; i++)
            add_group_pairs(x, a, i);
        if (g->line)
            add_line_pairs(x, a);
        x->too_many = x->open_pairs.len > x->limit;
    }
    add_pairs_in_order(x);
}

/* --- choices ---------------------------------------------------------------------------------- */

/* Under `lit` the read saw v: then it precedes whoever overwrites v. */
static void add_overwriters(struct residual *x, uint32_t read, uint32_t v, uint32_t lit)
{
    struct pg *g = x->g;
    const struct prob *p = g->p;
    uint32_t key = p->rd_key[read], reader = p->rd_txn[read], begin = pg_begin(g, reader);
    uint32_t covered = HIST_NONE; /* session in which the first overwriter was found */
    bool maybe = is_maybe(x, p->ver_txn[v]);
    for (uint32_t u = p->ver_start[key] + 1; u < p->ver_start[key + 1]; u++) {
        uint32_t w = p->ver_txn[u];
        if (u == v || w == reader || p->session[w] == covered)
            continue;
        bool sure = !maybe && !is_maybe(x, w);
        if (sure && saturate_older(g, v, u)) {
            covered = p->session[w];
            if (!pg_reaches(g, begin, pg_commit(g, w)))
                add_edge(x, lit, (struct edge){begin, pg_commit(g, w), read, u, CHECK_RW});
            continue;
        }
        if (v == p->ver_start[key]) { /* the initial version, and w may not count */
            uint32_t both =
                new_var(x, (struct residual_var){RESIDUAL_BOTH, lit, x->happened[w], 0}, false);
            uint32_t c[] = {sat_neg(lit), sat_neg(x->happened[w]), 2 * both};
            backend_clause(&x->problem, c, 3);
            add_edge(x, 2 * both, (struct edge){begin, pg_commit(g, w), read, u, CHECK_RW});
            continue;
        }
        if (sure && saturate_older(g, u, v))
            continue;
        const uint64_t *order = map_get(&x->pairs, pair_key(v, u));
        assert(order);
        if (pg_reaches(g, begin, pg_commit(g, w)))
            continue;
        uint32_t both =
            new_var(x, (struct residual_var){RESIDUAL_BOTH, lit, (uint32_t)*order, 0}, false);
        uint32_t c[] = {sat_neg(lit), sat_neg((uint32_t)*order), 2 * both};
        backend_clause(&x->problem, c, 3);
        add_edge(x, 2 * both, (struct edge){begin, pg_commit(g, w), read, u, CHECK_RW});
    }
}

static void add_source(struct residual *x, uint32_t read, uint32_t v, uint32_t lit)
{
    struct pg *g = x->g;
    const struct prob *p = g->p;
    uint32_t w = p->ver_txn[v], begin = pg_begin(g, p->rd_txn[read]);
    if (w != PROB_INIT)
        add_edge(x, lit, (struct edge){pg_commit(g, w), begin, read, v, CHECK_WR});
    if (is_maybe(x, w)) {
        uint32_t c[] = {sat_neg(lit), x->happened[w]};
        backend_clause(&x->problem, c, 2);
    }
    add_overwriters(x, read, v, lit);
}

/* Of the versions that a read may have seen, the one that is current in the guess where the read
 * stands; HIST_NONE if there is none. */
static uint32_t guess_source(const struct residual *x, const struct match_choice *c)
{
    const struct prob *p = x->g->p;
    uint32_t begin = x->place[pg_begin(x->g, p->rd_txn[c->read])], best = HIST_NONE, latest = 0;
    for (uint32_t j = 0; j < c->len; j++) {
        uint32_t v = p->cand.data[c->start + j], w = p->ver_txn[v];
        uint32_t place = w == PROB_INIT ? 0 : x->place[pg_commit(x->g, w)] + 1;
        if (place <= begin && (best == HIST_NONE || place >= latest)) {
            best = v;
            latest = place;
        }
    }
    return best;
}

static void add_choices(struct residual *x)
{
    const struct prob *p = x->g->p;
    sat_lits some = {0};
    for (uint32_t i = 0; i < p->choices.len && !x->too_many; i++) {
        const struct match_choice *c = &p->choices.data[i];
        if (!(p->rd_ver[c->read] & PROB_CHOICE))
            continue;
        uint32_t guess = guess_source(x, c);
        vec_clear(&some);
        if (is_maybe(x, p->rd_txn[c->read]))
            vec_push(&some, sat_neg(x->happened[p->rd_txn[c->read]]));
        for (uint32_t j = 0; j < c->len; j++) {
            uint32_t v = p->cand.data[c->start + j];
            uint32_t var =
                new_var(x, (struct residual_var){RESIDUAL_SOURCE, c->read, v, false}, v == guess);
            vec_push(&some, 2 * var);
            if (p->aggregates.len)
                *map_put(&x->sources, pair_key(c->read, v), 0, NULL) = 2 * var;
            add_source(x, c->read, v, 2 * var);
        }
        *map_put(&x->choice_clause, x->problem.ends.len, 0, NULL) = i;
        backend_clause(&x->problem, some.data, some.len);
    }
    vec_free(&some);
}

/* --- aggregates ------------------------------------------------------------------------------- */

struct aggregate_target {
    struct residual *x;
    uint32_t index;
};

static uint32_t aggregate_var(void *arg)
{
    struct aggregate_target *t = arg;
    return new_var(t->x, (struct residual_var){RESIDUAL_AGGREGATE, t->index, 0, false}, false);
}

static void aggregate_clause(void *arg, const uint32_t *lits, size_t n)
{
    struct aggregate_target *t = arg;
    backend_clause(&t->x->problem, lits, n);
}

static uint32_t aggregate_lit(void *arg, uint32_t read, uint32_t version)
{
    struct aggregate_target *t = arg;
    const uint64_t *lit = map_get(&t->x->sources, pair_key(read, version));
    assert(lit);
    return (uint32_t)*lit;
}

static void add_joints(struct residual *x)
{
    const struct prob *p = x->g->p;
    if (!p->aggregates.len)
        return;
    x->aggregate_clauses = mem_alloc(mem_mul(p->aggregates.len + 1, sizeof *x->aggregate_clauses));
    for (uint32_t i = 0; i < p->aggregates.len; i++) {
        const struct aggregate *j = &p->aggregates.data[i];
        struct aggregate_target t = {x, i};
        struct aggregate_sink to = {&t, aggregate_var, aggregate_clause, aggregate_lit};
        uint32_t txn = aggregate_txn(p, j);
        x->aggregate_clauses[i] = (uint32_t)x->problem.ends.len;
        if (!x->too_many &&
            !aggregate_encode(p, j, x->happened ? x->happened[txn] : HIST_NONE, &to))
            x->loose = true;
    }
    x->aggregate_clauses[p->aggregates.len] = (uint32_t)x->problem.ends.len;
}

/* --- all together ----------------------------------------------------------------------------- */

static void prepare(struct residual *x, const uint32_t *guess)
{
    const struct prob *p = x->g->p;
    x->place = mem_alloc(mem_mul(x->g->nodes + 1, sizeof *x->place));
    for (uint32_t i = 0; i < x->g->nodes; i++)
        x->place[guess[i]] = i;
    if (p->choices.len)
        x->candidate = mem_calloc(p->versions + 1, 1);
    for (uint32_t i = 0; i < p->choices.len; i++) {
        const struct match_choice *c = &p->choices.data[i];
        if (p->rd_ver[c->read] & PROB_CHOICE)
            for (uint32_t j = 0; j < c->len; j++)
                x->candidate[p->cand.data[c->start + j]] = 1;
    }
    if (!p->maybe)
        return;
    for (size_t i = 0; i < p->known.len; i++)
        map_put(&x->known, pair_key(p->known.data[i].from, p->known.data[i].to), 0, NULL);
    x->happened = mem_alloc(mem_mul(p->n + 1, sizeof *x->happened));
    for (uint32_t t = 0; t < p->n; t++) {
        x->happened[t] = HIST_NONE;
        if (p->maybe[t] && t && p->hist[t] == p->hist[t - 1])
            x->happened[t] = x->happened[t - 1]; /* parts of one transaction, see visibility.h */
        else if (p->maybe[t])
            x->happened[t] =
                2 * new_var(x, (struct residual_var){RESIDUAL_HAPPENED, t, 0, false}, false);
    }
}

void residual_build(struct residual *x, struct pg *g, const uint32_t *guess, uint64_t limit)
{
    *x = (struct residual){.g = g, .limit = limit};
    x->problem.nodes = g->nodes;
    x->problem.order = guess;
    prepare(x, guess);
    add_fixed(x);
    for (size_t i = 0; i < g->maybe_times.len; i++) {
        const struct pg_maybe_time *m = &g->maybe_times.data[i];
        add_edge(x, x->happened[m->txn], (struct edge){m->from, m->to, 0, 0, CHECK_RT});
    }
    add_pairs(x);
    add_choices(x);
    add_joints(x);
}

void residual_free(struct residual *x)
{
    backend_problem_free(&x->problem);
    vec_free(&x->vars);
    vec_free(&x->edges);
    map_free(&x->pairs);
    map_free(&x->known);
    map_free(&x->choice_clause);
    map_free(&x->sources);
    mem_free(x->aggregate_clauses);
    mem_free(x->candidate);
    mem_free(x->place);
    mem_free(x->happened);
    vec_free(&x->scratch);
}
