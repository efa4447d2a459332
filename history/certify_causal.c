/* CC and PSI for certify_vis.c: visibility as vector clocks over chains of transactions, each
 * visible to the next. */
#include "history/certify_snapshot.h"

struct causal {
    struct vis *v;
    uint32_t n, chains;    /* transactions of the order */
    uint32_t *chain, *at;  /* per place in the order: its chain, place in the chain from 1 */
    uint32_t *clock;       /* per place: of each chain how many are visible or itself */
    uint32_t *tail;        /* per chain: its last place so far */
    uint32_t *last_writer; /* per key: place + 1 */
    /* Per key its writers (places) by chain, in chain order; and where each chain's start. */
    uint32_t *writer, *group_start;
    VEC(uint32_t) group;
};

static uint32_t *array(size_t n)
{
    return mem_calloc(n + 2, sizeof(uint32_t));
}

/* By session; without session order a transaction continues the chain of one that it read from. */
static uint32_t find_chain(struct causal *c, uint32_t place)
{
    const struct vis *v = c->v;
    const struct hist_txn *t = &v->h->txns.data[v->c->order[place]];
    if (v->c->level.session_order)
        return t->session;
    for (uint32_t i = t->first_op; i < t->first_op + t->op_count; i++) {
        uint32_t from = v->cls[i] & VIS_EXTERNAL ? vis_source_pos(v, i) : 0;
        if (from && c->tail[c->chain[from - 1]] == from - 1)
            return c->chain[from - 1];
    }
    return c->chains++;
}

static void make_chains(struct causal *c)
{
    uint32_t *length = array(c->n + c->v->h->session_count);
    c->chains = c->v->c->level.session_order ? c->v->h->session_count : 0;
    for (uint32_t i = 0; i < c->n; i++) {
        uint32_t s = c->chain[i] = find_chain(c, i);
        c->at[i] = ++length[s];
        c->tail[s] = i;
    }
    mem_free(length);
}

static void join(struct causal *c, uint32_t *own, uint32_t from)
{
    const uint32_t *other = c->clock + (size_t)from * c->chains;
    for (uint32_t i = 0; i < c->chains; i++)
        own[i] = own[i] > other[i] ? own[i] : other[i];
}

/* What the transaction saw; for PSI whoever wrote before it what it writes; its chain. */
static void run_clock(struct causal *c, uint32_t place)
{
    const struct vis *v = c->v;
    const struct hist_txn *t = &v->h->txns.data[v->c->order[place]];
    uint32_t *own = c->clock + (size_t)place * c->chains, s = c->chain[place];
    if (c->tail[s] != HIST_NONE)
        join(c, own, c->tail[s]);
    for (uint32_t i = t->first_op; i < t->first_op + t->op_count; i++) {
        uint32_t from = v->cls[i] & VIS_EXTERNAL ? vis_source_pos(v, i) : 0;
        if (from)
            join(c, own, from - 1);
        if (!(v->cls[i] & VIS_FINAL) || v->c->level.model != MODEL_PSI)
            continue;
        uint32_t *last = &c->last_writer[v->h->ops.data[i].key];
        if (*last && *last != place + 1)
            join(c, own, *last - 1);
        *last = place + 1;
    }
    own[s] = c->at[place];
    c->tail[s] = place;
}

/* Counting sort of the places by chain, then of their writes by key. */
static void index_writers(struct causal *c)
{
    const struct vis *v = c->v;
    const struct history *h = v->h;
    uint32_t *start = array(c->chains + 1), *sorted = array(c->n), *next = array(h->keys.len);
    for (uint32_t i = 0; i < c->n; i++)
        start[c->chain[i] + 1]++;
    for (uint32_t s = 0; s < c->chains; s++)
        start[s + 1] += start[s];
    for (uint32_t i = 0; i < c->n; i++)
        sorted[start[c->chain[i]]++] = i;
    c->writer = array(v->write_start[h->keys.len]);
    for (uint32_t j = 0; j < c->n; j++) {
        const struct hist_txn *t = &h->txns.data[v->c->order[sorted[j]]];
        for (uint32_t i = t->first_op; i < t->first_op + t->op_count; i++)
            if (v->cls[i] & VIS_FINAL) {
                uint32_t k = h->ops.data[i].key;
                c->writer[v->write_start[k] + next[k]++] = sorted[j];
            }
    }
    c->group_start = array(h->keys.len);
    for (uint32_t k = 0; k < h->keys.len; k++) {
        c->group_start[k] = (uint32_t)c->group.len;
        for (uint32_t i = v->write_start[k]; i < v->write_start[k + 1]; i++)
            if (i == v->write_start[k] || c->chain[c->writer[i]] != c->chain[c->writer[i - 1]])
                vec_push(&c->group, i);
    }
    c->group_start[h->keys.len] = (uint32_t)c->group.len;
    vec_push(&c->group, v->write_start[h->keys.len]);
    mem_free(start);
    mem_free(sorted);
    mem_free(next);
}

/* The last place (from 1) in the order of a visible writer of the key, or 0. */
static uint32_t last_visible(const struct causal *c, uint32_t key, uint32_t place)
{
    const uint32_t *clock = c->clock + (size_t)place * c->chains;
    uint32_t best = 0;
    for (uint32_t g = c->group_start[key]; g < c->group_start[key + 1]; g++) {
        uint32_t first = c->group.data[g], lo = first, hi = c->group.data[g + 1];
        uint32_t seen = clock[c->chain[c->writer[first]]];
        while (lo < hi) {
            uint32_t mid = lo + (hi - lo) / 2;
            if (c->at[c->writer[mid]] <= seen)
                lo = mid + 1;
            else
                hi = mid;
        }
        if (lo > first && c->writer[lo - 1] == place)
            lo--;
        if (lo > first && c->writer[lo - 1] + 1 > best)
            best = c->writer[lo - 1] + 1;
    }
    return best;
}

static const char *check_reads(const struct causal *c)
{
    const struct vis *v = c->v;
    for (uint32_t place = 0; place < c->n; place++) {
        const struct hist_txn *t = &v->h->txns.data[v->c->order[place]];
        for (uint32_t i = t->first_op; i < t->first_op + t->op_count; i++)
            if (v->cls[i] & VIS_EXTERNAL &&
                last_visible(c, v->h->ops.data[i].key, place) != vis_source_pos(v, i))
                return vis_bad_read(v, i, "misses a visible write");
    }
    return NULL;
}

const char *vis_check_causal(struct vis *v)
{
    struct causal c = {.v = v, .n = (uint32_t)v->c->len};
    size_t most = (size_t)c.n + v->h->session_count;
    c.chain = array(c.n);
    c.at = array(c.n);
    c.tail = array(most);
    memset(c.tail, 0xff, most * sizeof *c.tail);
    make_chains(&c);
    memset(c.tail, 0xff, most * sizeof *c.tail);
    c.clock = mem_calloc(mem_mul(c.n + 1, c.chains + 1), sizeof *c.clock);
    c.last_writer = array(v->h->keys.len);
    for (uint32_t i = 0; i < c.n; i++)
        run_clock(&c, i);
    index_writers(&c);
    const char *error = check_reads(&c);
    mem_free(c.chain);
    mem_free(c.at);
    mem_free(c.tail);
    mem_free(c.clock);
    mem_free(c.last_writer);
    mem_free(c.writer);
    mem_free(c.group_start);
    vec_free(&c.group);
    return error;
}
