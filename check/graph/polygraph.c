/* The known graph: node maps, chains, real-time order, topological sorting; see polygraph.h. */
#include "check/graph/polygraph.h"

#include <assert.h>
#include <stdlib.h>

#include "check/graph/ranked_versions.h"

/* --- chains ----------------------------------------------------------------------------------- */

static void place_txns(struct pg *g)
{
    const struct prob *p = g->p;
    for (uint32_t u = 0; u < g->txn_nodes; u++) {
        uint32_t t = pg_txn(g, u), s = p->session[t];
        g->chain[u] = s;
        g->pos[u] = u - pg_begin(g, p->chain[s]);
    }
}

/* Reads are sorted by transaction, so a reader's reads from one writer arrive one after another. */
static void index_readers(struct pg *g)
{
    const struct prob *p = g->p;
    uint32_t reads = p->rd_start[p->n];
    g->read_start = mem_calloc((size_t)p->n + 2, sizeof *g->read_start);
    g->read_count = mem_calloc((size_t)p->n + 1, sizeof *g->read_count);
    g->read_by = mem_alloc(mem_mul((size_t)reads + 1, sizeof *g->read_by));
    for (int fill = 0; fill < 2; fill++) {
        for (uint32_t r = 0; r < reads; r++) {
            uint32_t w = p->rd_ver[r] & PROB_CHOICE ? PROB_INIT : p->ver_txn[p->rd_ver[r]];
            if (w == PROB_INIT)
                continue;
            uint32_t start = g->read_start[w], *count = &g->read_count[w];
            if (!fill)
                g->read_start[w + 1]++;
            else if (!*count || g->read_by[start + *count - 1] != p->rd_txn[r])
                g->read_by[start + (*count)++] = p->rd_txn[r];
        }
        for (uint32_t t = 0; t < p->n && !fill; t++)
            g->read_start[t + 1] += g->read_start[t];
    }
}

/* --- real time -------------------------------------------------------------------------------- */

struct moment {
    int64_t time;
    uint32_t node;
};

static int by_time(const void *a, const void *b)
{
    const struct moment *x = a, *y = b;
    if (x->time != y->time)
        return x->time < y->time ? -1 : 1;
    return x->node < y->node ? -1 : x->node > y->node;
}

typedef VEC(struct moment) moment_vec;

/* The begins and commits as an edge that leaves them sees them: by their latest point, when they
 * were answered.  As an edge that arrives sees them: by their earliest, when they were asked for.
 */
enum moments { BEGINS = 1, COMMITS = 2 };

static void collect(const struct pg *g, moment_vec *v, bool answered, unsigned which)
{
    const struct prob *p = g->p;
    vec_clear(v);
    for (uint32_t t = 0; t < p->n; t++) {
        struct hist_times time = hist_txn_time(p->h, p->hist[t]);
        int64_t b = answered ? time.begin_answered : time.begin_asked;
        int64_t c = answered ? time.commit_answered : time.commit_asked;
        if (which & BEGINS && b != HIST_NO_TIME)
            vec_push(v, ((struct moment){b, pg_begin(g, t)}));
        if (which & COMMITS && c != HIST_NO_TIME)
            vec_push(v, ((struct moment){c, pg_commit(g, t)}));
    }
    if (v->len)
        qsort(v->data, v->len, sizeof *v->data, by_time);
}

/* `u` is the one of the nodes that belongs to a transaction.  If that may not have happened, the
 * edge is left to residual.c. */
static void add_time_edge(struct pg *g, uint32_t from, uint32_t to, uint32_t u)
{
    const struct prob *p = g->p;
    uint32_t t = pg_txn(g, u);
    if (p->maybe && p->maybe[t])
        vec_push(&g->maybe_times, ((struct pg_maybe_time){from, to, t}));
    else
        pg_add_edge(g, (struct edge){from, to, 0, 0, CHECK_RT});
}

/* A chain of helper nodes, one for each time at which something in `from` happened.  What happened
 * at time x leads to x's helper; a node of `to` at time y comes after the last helper
 * whose time is less than y - drift. */
static void add_time_chain(struct pg *g, moment_vec *from, moment_vec *to, int64_t drift)
{
    if (!from->len || !to->len)
        return;
    uint32_t chain = g->chains++, base = g->nodes, count = 0;
    for (size_t i = 0; i < from->len; i++)
        count += !i || from->data[i].time != from->data[i - 1].time;
    g->nodes += count;
    g->chain = mem_realloc(g->chain, mem_mul(g->nodes, sizeof *g->chain));
    g->pos = mem_realloc(g->pos, mem_mul(g->nodes, sizeof *g->pos));
    g->out = mem_realloc(g->out, mem_mul(g->nodes, sizeof *g->out));
    for (uint32_t i = 0; i < count; i++) {
        g->chain[base + i] = chain;
        g->pos[base + i] = i;
        g->out[base + i] = HIST_NONE;
    }
    for (uint32_t i = 0; i + 1 < count; i++)
        pg_add_edge(g, (struct edge){base + i, base + i + 1, 0, 0, CHECK_RT});
    int64_t *time = mem_alloc(mem_mul(count, sizeof *time));
    uint32_t last = 0;
    for (size_t i = 0; i < from->len; i++) {
        if (i && from->data[i].time != from->data[i - 1].time)
            last++;
        time[last] = from->data[i].time;
        add_time_edge(g, from->data[i].node, base + last, from->data[i].node);
    }
    uint32_t before = 0; /* helpers whose time is less than the moment's - drift */
    for (size_t i = 0; i < to->len; i++) {
        int64_t limit;
        if (__builtin_sub_overflow(to->data[i].time, drift, &limit))
            continue;
        while (before < count && time[before] < limit)
            before++;
        if (before)
            add_time_edge(g, base + before - 1, to->data[i].node, to->data[i].node);
    }
    mem_free(time);
}

/* Strict SER, strong SI: commits before later begins.  GSI, strong SI: begins and commits before
 * later commits.  Begins and begins are not ordered, hence two chains. */
static void add_real_time(struct pg *g, int64_t drift)
{
    enum level_time kind = g->p->level.real_time;
    moment_vec from = {0}, to = {0};
    if (kind == LEVEL_TIME_STRICT) {
        collect(g, &from, true, COMMITS);
        collect(g, &to, false, BEGINS);
        add_time_chain(g, &from, &to, drift);
    }
    if (kind != LEVEL_NO_TIME && g->map != PG_SER) {
        collect(g, &from, true, BEGINS | COMMITS);
        collect(g, &to, false, COMMITS);
        add_time_chain(g, &from, &to, drift);
    }
    vec_free(&from);
    vec_free(&to);
}

/* --- life ------------------------------------------------------------------------------------- */

void pg_init(struct pg *g, struct prob *p, int64_t drift)
{
    *g = (struct pg){.p = p};
    g->map = p->level.model == MODEL_SER ? PG_SER : p->level.model == MODEL_SI ? PG_SI : PG_PC;
    g->nodes = g->txn_nodes = g->map == PG_SER ? p->n : 2 * p->n;
    g->chains = p->sessions;
    g->chain = mem_alloc(mem_mul(g->nodes + 1, sizeof *g->chain));
    g->pos = mem_alloc(mem_mul(g->nodes + 1, sizeof *g->pos));
    g->out = mem_alloc(mem_mul(g->nodes + 1, sizeof *g->out));
    memset(g->out, 0xff, (g->nodes + 1) * sizeof *g->out);
    place_txns(g);
    groups_make(&g->groups, p);
    index_readers(g);
    add_real_time(g, drift);
    if (p->choices.len) {
        uint32_t reads = p->rd_start[p->n];
        g->late_head = mem_alloc(mem_mul(p->versions + 1, sizeof *g->late_head));
        g->late_next = mem_alloc(mem_mul(reads + 1, sizeof *g->late_next));
        memset(g->late_head, 0xff, (p->versions + 1) * sizeof *g->late_head);
        memset(g->late_next, 0xff, (reads + 1) * sizeof *g->late_next);
    }
    g->order = mem_alloc(mem_mul(g->nodes + 1, sizeof *g->order));
    g->rank = mem_alloc(mem_mul(g->nodes + 1, sizeof *g->rank));
    g->degree = mem_alloc(mem_mul(g->nodes + 1, sizeof *g->degree));
}

void pg_free(struct pg *g)
{
    mem_free(g->chain);
    mem_free(g->pos);
    clocks_free(&g->clocks);
    mem_free(g->read_start);
    mem_free(g->read_count);
    mem_free(g->read_by);
    vec_free(&g->edges);
    vec_free(&g->maybe_times);
    mem_free(g->out);
    groups_free(&g->groups);
    ranked_free(g);
    mem_free(g->late_head);
    mem_free(g->late_next);
    mem_free(g->order);
    mem_free(g->rank);
    mem_free(g->degree);
    vec_free(&g->rounds);
    vec_free(&g->scratch);
    *g = (struct pg){0};
}

/* --- edges ------------------------------------------------------------------------------------ */

void pg_add_edge(struct pg *g, struct edge e)
{
    struct pg_link link = {e, g->out[e.from]};
    g->out[e.from] = (uint32_t)g->edges.len;
    vec_push(&g->edges, link);
}

/* Choices that were settled have an edge of their own. */
static void push_readers(struct pg *g, uint32_t txn)
{
    const uint32_t *by = g->read_by + g->read_start[txn];
    for (uint32_t i = 0; i < g->read_count[txn]; i++)
        vec_push(&g->scratch, pg_begin(g, by[i]));
}

void pg_successors(struct pg *g, uint32_t u)
{
    const struct prob *p = g->p;
    vec_clear(&g->scratch);
    if (u < g->txn_nodes) {
        uint32_t t = pg_txn(g, u);
        if (u != pg_commit(g, t)) {
            vec_push(&g->scratch, u + 1);
        } else {
            if (t + 1 < p->n && p->session[t + 1] == p->session[t])
                vec_push(&g->scratch, pg_begin(g, t + 1));
            push_readers(g, t);
        }
    }
    for (uint32_t e = g->out[u]; e != HIST_NONE; e = g->edges.data[e].next)
        vec_push(&g->scratch, g->edges.data[e].edge.to);
}

/* Everything in the order in which it lies in memory. */
void pg_count_degrees(struct pg *g)
{
    const struct prob *p = g->p;
    memset(g->degree, 0, g->nodes * sizeof *g->degree);
    for (uint32_t t = 0; t < p->n; t++) {
        g->degree[pg_begin(g, t)] += t && p->session[t - 1] == p->session[t];
        g->degree[pg_commit(g, t)] += g->map != PG_SER;
        for (uint32_t i = 0; i < g->read_count[t]; i++)
            g->degree[pg_begin(g, g->read_by[g->read_start[t] + i])]++;
    }
    for (size_t i = 0; i < g->edges.len; i++)
        g->degree[g->edges.data[i].edge.to]++;
}

bool pg_sort(struct pg *g)
{
    pg_count_degrees(g);
    uint32_t len = 0;
    for (uint32_t u = 0; u < g->nodes; u++)
        if (!g->degree[u])
            g->order[len++] = u;
    for (uint32_t i = 0; i < len; i++) {
        uint32_t u = g->order[i];
        g->rank[u] = i;
        pg_successors(g, u);
        for (size_t j = 0; j < g->scratch.len; j++)
            if (!--g->degree[g->scratch.data[j]])
                g->order[len++] = g->scratch.data[j];
    }
    return len == g->nodes;
}

/* Edges that the version order itself shows: the next version comes later, and so does it than the
 * readers of this one. */
static void add_known_pair(struct pg *g, uint32_t a, uint32_t b)
{
    const struct prob *p = g->p;
    uint32_t w = p->ver_txn[b];
    if (p->ver_txn[a] != PROB_INIT)
        pg_add_edge(g,
                    (struct edge){pg_commit(g, p->ver_txn[a]), pg_ww_head(g, w), a, b, CHECK_WW});
    struct pg_readers i = pg_readers(g, a);
    for (uint32_t r; (r = pg_next_reader(g, &i)) != HIST_NONE;)
        if (p->rd_txn[r] != w)
            pg_add_edge(g,
                        (struct edge){pg_begin(g, p->rd_txn[r]), pg_commit(g, w), r, b, CHECK_RW});
}

void pg_add_known(struct pg *g)
{
    const struct prob *p = g->p;
    for (size_t i = 0; i < p->known.len; i++) {
        uint32_t a = p->known.data[i].from, b = p->known.data[i].to, t = p->ver_txn[a];
        bool open = p->maybe && (p->maybe[p->ver_txn[b]] || (t != PROB_INIT && p->maybe[t]));
        if (!open) /* residual.c sees to the others */
            add_known_pair(g, a, b);
    }
    g->known_edges = (uint32_t)g->edges.len;
}
