/* Explanations; see explain.h.
 *
 * Every derived edge carries its age.  To explain one, we ask again why its version order is
 * forced, using only older edges: we suppose the reverse order and find a path that closes a cycle
 * with it.  The derived edges on that path are older, so the recursion ends.  Each order is
 * explained once, before it is used. */
#include "check/explain/explain.h"

#include <assert.h>

#include "check/problem/finding.h"
#include "check/explain/explain_internal.h"
#include "check/problem/aggregate.h"
#include "check/graph/saturate.h"

static void index_drops(struct explain *x)
{
    const struct prob *p = x->g->p;
    if (!p->aggregates.len)
        return;
    x->drop_start = mem_calloc(p->choices.len + 2, sizeof *x->drop_start);
    x->drops = mem_alloc(mem_mul(p->drops.len + 1, sizeof *x->drops));
    x->drop_explained = mem_calloc(p->drops.len + 1, 1);
    for (size_t i = 0; i < p->drops.len; i++)
        x->drop_start[p->drops.data[i].choice + 1]++;
    for (size_t c = 0; c < p->choices.len; c++)
        x->drop_start[c + 1] += x->drop_start[c];
    for (size_t i = p->drops.len; i-- > 0;)
        x->drops[--x->drop_start[p->drops.data[i].choice + 1]] = (uint32_t)i;
    memmove(x->drop_start, x->drop_start + 1, (p->choices.len + 1) * sizeof *x->drop_start);
    x->drop_start[p->choices.len] = (uint32_t)p->drops.len;
}

void explain_init(struct explain *x, struct pg *g, struct check_result *r)
{
    const struct prob *p = g->p;
    *x = (struct explain){.g = g, .r = r, .parent = HIST_NONE};
    eg_init(&x->eg, g);
    if (!p->choices.len)
        return;
    uint32_t reads = p->rd_start[p->n];
    x->choice_of = mem_alloc(mem_mul((size_t)reads + 1, sizeof *x->choice_of));
    memset(x->choice_of, 0xff, ((size_t)reads + 1) * sizeof *x->choice_of);
    for (uint32_t i = 0; i < p->choices.len; i++)
        x->choice_of[p->choices.data[i].read] = i;
    x->explained = mem_calloc(p->choices.len + 1, 1);
    index_drops(x);
}

void explain_free(struct explain *x)
{
    eg_free(&x->eg);
    map_free(&x->orders);
    map_free(&x->sources);
    map_free(&x->refuted);
    mem_free(x->choice_of);
    mem_free(x->explained);
    mem_free(x->drop_start);
    mem_free(x->drops);
    mem_free(x->drop_explained);
    vec_free(&x->trail);
}

/* --- what is settled -------------------------------------------------------------------------- */

static uint64_t pair_key(uint32_t a, uint32_t b)
{
    return (uint64_t)a << 32 | b;
}

void explain_set_order(struct explain *x, uint32_t a, uint32_t b, uint32_t case_index)
{
    *map_put(&x->orders, pair_key(a, b), 0, NULL) = (uint64_t)case_index + 1;
    vec_push(&x->trail, pair_key(a, b));
}

static void clear_order(struct explain *x, uint32_t a, uint32_t b)
{
    *map_put(&x->orders, pair_key(a, b), 0, NULL) = 0;
}

void explain_rewind(struct explain *x, size_t trail)
{
    while (x->trail.len > trail)
        *map_put(&x->orders, vec_pop(&x->trail), 0, NULL) = 0;
}

static uint32_t order_case(const struct explain *x, uint32_t a, uint32_t b)
{
    const uint64_t *found = map_get(&x->orders, pair_key(a, b));
    return found && *found ? (uint32_t)(*found - 1) : HIST_NONE;
}

void explain_set_source(struct explain *x, uint32_t read, uint32_t version)
{
    *map_put(&x->sources, read, 0, NULL) = version == HIST_NONE ? 0 : (uint64_t)version + 1;
}

static uint32_t source_of(const struct explain *x, uint32_t read)
{
    const uint64_t *found = map_get(&x->sources, read);
    if (found && *found)
        return (uint32_t)(*found - 1);
    uint32_t v = x->g->p->rd_ver[read];
    assert(!(v & PROB_CHOICE));
    return v;
}

static uint32_t source_case(const struct explain *x, uint32_t read)
{
    const uint64_t *found = map_get(&x->refuted, read);
    return found && *found ? (uint32_t)(*found - 1) : HIST_NONE;
}

uint32_t explain_case(struct explain *x, enum check_hypothesis kind, uint32_t first,
                      uint32_t second)
{
    struct check_case c = {kind, first, second, x->parent, HIST_NONE};
    vec_push(&x->r->cases, c);
    return (uint32_t)x->r->cases.len - 1;
}

/* --- writing cycles down ---------------------------------------------------------------------- */

/* The read by which `to` saw something of `from`: chains are made of such pairs when sessions do
 * not count. */
static uint32_t read_from(const struct explain *x, uint32_t to, uint32_t from)
{
    const struct prob *p = x->g->p;
    for (uint32_t r = p->rd_start[to]; r < p->rd_start[to + 1]; r++) {
        bool choice = x->choice_of && x->choice_of[r] != HIST_NONE;
        if (!choice && p->ver_txn[p->rd_ver[r]] == from)
            return r;
    }
    assert(!"a chain without a read");
    return HIST_NONE;
}

/* A WR, WW or RW edge, as the cases so far settle it. */
static struct check_edge item_edge(const struct explain *x, const struct edge *e)
{
    uint32_t seen = e->kind == CHECK_WW ? e->a : source_of(x, e->a);
    uint32_t because = e->kind == CHECK_WR ? source_case(x, e->a) : order_case(x, seen, e->b);
    return edge_told(x->g->p, e, seen, because);
}

/* From the real node `from` through helper nodes to the real node `to`. */
static struct check_edge time_edge(const struct explain *x, uint32_t from, uint32_t to)
{
    const struct pg *g = x->g;
    uint32_t a = pg_txn(g, from), b = pg_txn(g, to);
    uint32_t how = CHECK_COMMIT_BEGIN;
    if (g->map != PG_SER && to == pg_commit(g, b))
        how = from == pg_begin(g, a) ? CHECK_BEGIN_COMMIT : CHECK_COMMIT_COMMIT;
    return (struct check_edge){CHECK_RT,  g->p->hist[a], g->p->hist[b], HIST_NONE,
                               HIST_NONE, HIST_NONE,     how,           HIST_NONE};
}

/* A chain or time edge may be one of several that are written as one. */
static bool starts(const struct explain *x, const eg_path *path, size_t i)
{
    const struct edge *e = &path->data[i].edge,
                      *before = &path->data[(i + path->len - 1) % path->len].edge;
    if (e->kind == CHECK_RT)
        return e->from < x->g->txn_nodes;
    return e->kind != CHECK_SO || before->kind != CHECK_SO || !x->g->p->level.session_order;
}

/* The edge that starts at i; *next is where the one after it starts. */
static struct check_edge merged(const struct explain *x, const eg_path *path, size_t i,
                                size_t *next)
{
    const struct prob *p = x->g->p;
    const struct edge *e = &path->data[i].edge;
    size_t j = i;
    if (e->kind == CHECK_RT) {
        while (path->data[j % path->len].edge.to >= x->g->txn_nodes)
            j++;
        *next = j + 1;
        return time_edge(x, e->from, path->data[j % path->len].edge.to);
    }
    *next = i + 1;
    if (e->kind != CHECK_SO)
        return item_edge(x, e);
    if (!p->level.session_order) {
        struct edge read = {.a = read_from(x, e->b, e->a), .kind = CHECK_WR};
        return item_edge(x, &read);
    }
    while (path->data[(j + 1) % path->len].edge.kind == CHECK_SO && j - i + 1 < path->len)
        j++;
    *next = j + 1;
    return edge_of_session(p, e->a, path->data[j % path->len].edge.b);
}

/* Of one transaction, see visibility.h: by their order, or because a later part overwrites what an
 * earlier one read. */
static bool between_parts(const struct explain *x, const struct edge *e)
{
    const struct prob *p = x->g->p;
    if (e->kind == CHECK_RW)
        return p->hist[p->rd_txn[e->a]] == p->hist[p->ver_txn[e->b]];
    return e->kind == CHECK_SO && p->hist[e->a] == p->hist[e->b];
}

uint32_t explain_write(struct explain *x, const eg_path *whole)
{
    eg_path path = {0};
    for (size_t i = 0; i < whole->len; i++)
        if (whole->data[i].edge.kind != EDGE_INSIDE && !between_parts(x, &whole->data[i].edge))
            vec_push(&path, whole->data[i]);
    size_t first = 0;
    while (first < path.len && !starts(x, &path, first))
        first++;
    assert(first < path.len);
    struct check_cycle c = {(uint32_t)x->r->edges.len, 0};
    for (size_t i = first; i < first + path.len;) {
        size_t next;
        struct check_edge e = merged(x, &path, i % path.len, &next);
        vec_push(&x->r->edges, e);
        i += next - i % path.len;
    }
    c.len = (uint32_t)x->r->edges.len - c.start;
    vec_push(&x->r->cycles, c);
    vec_free(&path);
    return (uint32_t)x->r->cycles.len - 1;
}

/* --- why a version is older ------------------------------------------------------------------- */

static bool settled_before(const struct explain *x, uint32_t read, uint32_t limit)
{
    if (!x->choice_of || x->choice_of[read] == HIST_NONE)
        return true;
    uint32_t settled = x->g->p->choices.data[x->choice_of[read]].settled;
    return settled != HIST_NONE && settled + 1 < limit;
}

/* The cheapest cycle that "b before a" closes: with the edge b→a, or with one from a reader of b.
 */
static void find_refutation(struct explain *x, uint32_t a, uint32_t b, uint32_t limit, eg_path *out)
{
    struct pg *g = x->g;
    const struct prob *p = g->p;
    uint32_t v = p->ver_txn[a], w = p->ver_txn[b], best = UINT32_MAX, cost;
    eg_path path = {0};
    uint32_t head = pg_ww_head(g, v), tail = pg_commit(g, w);
    if (eg_path_find(&x->eg, head, tail, limit, &path, &best))
        vec_push(&path, ((struct eg_edge){{tail, head, b, a, CHECK_WW}, HIST_NONE, 0}));
    eg_search(&x->eg, pg_commit(g, v), true, limit, best);
    struct pg_readers i = pg_readers(g, b);
    for (uint32_t r; (r = pg_next_reader(g, &i)) != HIST_NONE;) {
        uint32_t from = pg_begin(g, p->rd_txn[r]);
        cost = eg_distance(&x->eg, from);
        if (p->rd_txn[r] == v || cost >= best || !settled_before(x, r, limit))
            continue;
        best = cost;
        vec_clear(&path);
        eg_path_get(&x->eg, from, true, &path);
        vec_push(&path, ((struct eg_edge){{from, pg_commit(g, v), r, a, CHECK_RW}, HIST_NONE, 0}));
    }
    assert(path.len);
    *out = path;
}

/* What the refutation of "b before a" rests on; empty if there is none to be given. */
static void explain_reason(struct explain *x, uint32_t a, uint32_t b, uint32_t limit, eg_path *path)
{
    if (x->g->p->ver_txn[a] == PROB_INIT || order_case(x, a, b) != HIST_NONE)
        return;
    find_refutation(x, a, b, limit, path);
    explain_path(x, path);
}

/* The case "b before a", refuted by the reason. */
static void refute_order(struct explain *x, uint32_t a, uint32_t b, const eg_path *reason)
{
    const struct prob *p = x->g->p;
    if (!reason->len || order_case(x, a, b) != HIST_NONE)
        return;
    uint32_t c = explain_case(x, CHECK_ORDER, p->ver_op[b], p->ver_op[a]);
    uint32_t reverse = order_case(x, b, a); /* known, if both are refuted */
    explain_set_order(x, b, a, c);
    uint32_t cycle = explain_write(x, reason);
    x->r->cases.data[c].cycle = cycle;
    clear_order(x, b, a);
    if (reverse != HIST_NONE)
        explain_set_order(x, b, a, reverse);
    explain_set_order(x, a, b, c);
}

void explain_order(struct explain *x, uint32_t a, uint32_t b, uint32_t limit)
{
    eg_path reason = {0};
    explain_reason(x, a, b, limit, &reason);
    refute_order(x, a, b, &reason);
    vec_free(&reason);
}

/* --- why a read saw a version ----------------------------------------------------------------- */

/* The read saw u, but some o of its past had overwritten u: a cycle o ⇝ reader → o. */
static bool find_overwriter(struct explain *x, uint32_t read, uint32_t u, uint32_t limit,
                            uint32_t *over, eg_path *out)
{
    struct pg *g = x->g;
    const struct prob *p = g->p;
    uint32_t key = p->rd_key[read], begin = pg_begin(g, p->rd_txn[read]), w = p->ver_txn[u];
    uint32_t first = p->ver_start[key] + 1, last = p->ver_start[key + 1], best = UINT32_MAX;
    uint32_t *after = mem_alloc(mem_mul((size_t)(last - first) + 1, sizeof *after));
    if (w != PROB_INIT)
        eg_search(&x->eg, g->map == PG_SI ? pg_begin(g, w) : pg_commit(g, w), true, limit,
                  UINT32_MAX);
    for (uint32_t o = first; o < last; o++)
        after[o - first] = w == PROB_INIT ? 0 : eg_distance(&x->eg, pg_commit(g, p->ver_txn[o]));
    eg_search(&x->eg, begin, false, limit, UINT32_MAX);
    for (uint32_t o = first; o < last; o++) {
        uint32_t d = eg_distance(&x->eg, pg_commit(g, p->ver_txn[o]));
        bool counts = !p->maybe || !p->maybe[p->ver_txn[o]];
        if (o == u || p->ver_txn[o] == p->rd_txn[read] || !counts || d == UINT32_MAX ||
            after[o - first] == UINT32_MAX || d + after[o - first] >= best)
            continue;
        best = d + after[o - first];
        *over = o;
    }
    mem_free(after);
    if (best == UINT32_MAX)
        return false;
    uint32_t commit = pg_commit(g, p->ver_txn[*over]);
    eg_path_get(&x->eg, commit, false, out);
    vec_push(out, ((struct eg_edge){{begin, commit, read, *over, CHECK_RW}, HIST_NONE, 0}));
    return true;
}

static void refute_source(struct explain *x, uint32_t read, uint32_t u, uint32_t limit)
{
    struct pg *g = x->g;
    const struct prob *p = g->p;
    uint32_t w = p->ver_txn[u], begin = pg_begin(g, p->rd_txn[read]), cost, over = HIST_NONE;
    eg_path path = {0};
    if (w != PROB_INIT && eg_path_find(&x->eg, begin, pg_commit(g, w), limit, &path, &cost)) {
        vec_push(&path,
                 ((struct eg_edge){{pg_commit(g, w), begin, read, u, CHECK_WR}, HIST_NONE, 0}));
    } else {
        bool found = find_overwriter(x, read, u, limit, &over, &path);
        assert(found);
        (void)found;
    }
    struct eg_edge last = vec_pop(&path);
    explain_path(x, &path);
    vec_push(&path, last);
    const uint64_t *old = map_get(&x->sources, read);
    uint32_t before = old && *old ? (uint32_t)(*old - 1) : HIST_NONE, parent = x->parent;
    bool maybe = w != PROB_INIT && p->maybe && p->maybe[w];
    eg_path reason = {0};
    if (over != HIST_NONE)
        explain_reason(x, u, over, limit, &reason);
    if (!maybe)
        refute_order(x, u, over, &reason);
    size_t trail = x->trail.len;
    uint32_t c = explain_case(x, CHECK_SOURCE, p->rd_op[read], p->ver_op[u]);
    explain_set_source(x, read, u);
    if (maybe) { /* the order makes sense only if the writer counts: inside the case */
        x->parent = c;
        refute_order(x, u, over, &reason);
    }
    *map_put(&x->refuted, read, 0, NULL) = (uint64_t)c + 1;
    uint32_t cycle = explain_write(x, &path);
    x->r->cases.data[c].cycle = cycle;
    if (maybe)
        explain_rewind(x, trail);
    x->parent = parent;
    explain_set_source(x, read, before);
    vec_free(&reason);
    vec_free(&path);
}

static void explain_drop(struct explain *x, uint32_t index);

/* The drops of a choice before drop `limit`. */
static void explain_drops(struct explain *x, uint32_t choice, uint32_t limit)
{
    for (uint32_t i = x->drop_start[choice]; i < x->drop_start[choice + 1]; i++)
        if (x->drops[i] < limit)
            explain_drop(x, x->drops[i]);
}

/* Of the reads of an aggregate, what was dropped before. */
static void explain_rows(struct explain *x, uint32_t aggregate, uint32_t limit)
{
    const struct prob *p = x->g->p;
    const struct aggregate *j = &p->aggregates.data[aggregate];
    for (uint32_t i = j->start; i < j->start + j->rows; i++) {
        const struct aggregate_row *row = &p->aggregate_rows.data[i];
        uint32_t choice = x->choice_of[row->read];
        if (choice != HIST_NONE)
            explain_drops(x, choice, limit);
        choice = row->turned == HIST_NONE ? HIST_NONE : x->choice_of[row->turned];
        if (choice != HIST_NONE)
            explain_drops(x, choice, limit);
    }
}

static void explain_drop(struct explain *x, uint32_t index)
{
    const struct prob *p = x->g->p;
    const struct match_drop d = p->drops.data[index];
    uint32_t read = p->choices.data[d.choice].read;
    if (x->drop_explained[index])
        return;
    x->drop_explained[index] = 1;
    if (d.aggregate == HIST_NONE) {
        refute_source(x, read, d.version, d.edges + 1);
        return;
    }
    explain_rows(x, d.aggregate, index);
    uint32_t c = explain_case(x, CHECK_SOURCE, p->rd_op[read], p->ver_op[d.version]);
    *map_put(&x->refuted, read, 0, NULL) = (uint64_t)c + 1;
}

void explain_aggregate(struct explain *x, uint32_t aggregate)
{
    if (x->choice_of)
        explain_rows(x, aggregate, HIST_NONE);
}

void explain_choice(struct explain *x, uint32_t choice)
{
    const struct prob *p = x->g->p;
    const struct match_choice c = p->choices.data[choice];
    if (x->drops) {
        explain_drops(x, choice, HIST_NONE);
        return;
    }
    if (x->explained[choice])
        return;
    x->explained[choice] = 1;
    bool settled = !(p->rd_ver[c.read] & PROB_CHOICE);
    uint32_t limit = c.settled == HIST_NONE ? HIST_NONE : c.settled + 1;
    for (uint32_t i = settled ? 0 : c.len; i < c.all; i++) {
        uint32_t u = p->cand.data[c.start + i];
        if (!settled || u != p->rd_ver[c.read])
            refute_source(x, c.read, u, limit);
    }
}

/* --- derived edges ---------------------------------------------------------------------------- */

static void explain_read(struct explain *x, uint32_t read)
{
    if (x->choice_of && x->choice_of[read] != HIST_NONE && !(x->g->p->rd_ver[read] & PROB_CHOICE))
        explain_choice(x, x->choice_of[read]);
}

static void explain_edge(struct explain *x, const struct eg_edge *step)
{
    const struct edge *e = &step->edge;
    if (e->kind == CHECK_WR || e->kind == CHECK_RW)
        explain_read(x, e->a);
    if (step->stamp == HIST_NONE || step->stamp <= x->g->known_edges)
        return; /* a hypothesis, or shown by the history */
    if (e->kind == CHECK_WW)
        explain_order(x, e->a, e->b, step->stamp);
    if (e->kind == CHECK_RW)
        explain_order(x, source_of(x, e->a), e->b, step->stamp);
}

void explain_path(struct explain *x, const eg_path *path)
{
    for (size_t i = 0; i < path->len; i++)
        explain_edge(x, &path->data[i]);
}

/* --- the two contradictions of saturation ----------------------------------------------------- */

static void violation(struct check_result *r, uint32_t cycle)
{
    r->verdict = CHECK_VIOLATION;
    r->cycle = cycle;
}

void explain_cycle(struct pg *g, struct check_result *r)
{
    struct explain x;
    eg_path path = {0};
    explain_init(&x, g, r);
    eg_cycle(&x.eg, &path);
    explain_path(&x, &path);
    violation(r, explain_write(&x, &path));
    vec_free(&path);
    explain_free(&x);
}

void explain_no_source(struct pg *g, uint32_t choice, struct check_result *r)
{
    struct explain x;
    explain_init(&x, g, r);
    explain_choice(&x, choice);
    r->no_source = true;
    vec_push(&r->ops, g->p->rd_op[g->p->choices.data[choice].read]);
    violation(r, vec_last(&r->cases).cycle);
    explain_free(&x);
}

void explain_mismatch(const struct prob *p, const uint32_t *aggregates, size_t n,
                      struct check_result *r)
{
    assert(n);
    for (size_t i = 0; i < n; i++) {
        const struct hist_predicate *q =
            &p->h->predicates.data[p->aggregates.data[aggregates[i]].predicate];
        if (i)
            vec_push(&r->ops, q->first_op);
        else
            finding_report(r, p->h, ANOMALY_RESULT_MISMATCH, q->first_op, HIST_NONE);
    }
}

void explain_no_result(struct pg *g, uint32_t aggregate, struct check_result *r)
{
    const struct prob *p = g->p;
    struct explain x;
    explain_init(&x, g, r);
    explain_aggregate(&x, aggregate);
    explain_free(&x);
    if (!r->cases.len) {
        explain_mismatch(p, &aggregate, 1, r);
        return;
    }
    r->no_source = true;
    vec_push(&r->ops, p->h->predicates.data[p->aggregates.data[aggregate].predicate].first_op);
    violation(r, HIST_NONE);
    for (size_t i = r->cases.len; i-- && r->cycle == HIST_NONE;)
        r->cycle = r->cases.data[i].cycle;
}
