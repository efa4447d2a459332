/* Orders of the transactions that follow sessions, reads and version orders and stay near to an
 * existing order; see visibility_internal.h.
 *
 * The best guess at the arbitration is the order in which the history has its transactions,
 * provided that it is the order in which they happened.  Some formats have one session after the
 * other; then the sessions are merged, each spread evenly over the whole.  To mend an order, its
 * transactions are taken one by one, each after those that must precede it and are not in place
 * yet.  Transactions stay near their neighbours, so that few reads miss versions that they did not
 * miss before, and memory that is needed together stays together. */
#include "check/visibility/visibility_internal.h"

bool vis_follows(const struct vis *w)
{
    const struct prob *p = w->p;
    const uint32_t *rank = w->rank;
    for (uint32_t t = 0; t + 1 < p->n && w->sessions; t++)
        if (p->session[t] == p->session[t + 1] && rank[t] > rank[t + 1])
            return false;
    for (uint32_t t = 0; t < p->n; t++)
        for (uint32_t r = p->rd_start[t]; r < p->rd_start[t + 1]; r++) {
            uint32_t from = w->src[r] == HIST_NONE ? PROB_INIT : p->ver_txn[w->src[r]];
            if (from != PROB_INIT && rank[from] > rank[t])
                return false;
        }
    for (size_t i = 0; i < w->orders.len; i++) {
        const struct vis_order *o = &w->orders.data[i];
        if (vis_is_edge(w, o) && rank[p->ver_txn[o->a]] > rank[p->ver_txn[o->b]])
            return false;
    }
    return true;
}

static void put(struct vis *w, uint32_t t)
{
    w->rank[t] = w->sorted;
    w->order[w->sorted++] = t;
}

void vis_given_order(struct vis *w)
{
    const struct prob *p = w->p;
    size_t txns = p->h->txns.len;
    uint32_t *at = mem_alloc(mem_mul(txns + 1, sizeof *at));
    memset(at, 0xff, (txns + 1) * sizeof *at);
    for (uint32_t t = 0; t < p->n; t++)
        at[p->hist[t]] = t;
    w->sorted = 0;
    for (size_t i = 0; i < txns; i++)
        if (at[i] != HIST_NONE)
            put(w, at[i]);
    mem_free(at);
}

/* Does the order take the sessions one after the other, or nearly so? */
static bool by_session(const struct vis *w)
{
    const struct prob *p = w->p;
    uint32_t changes = 0;
    for (uint32_t i = 0; i + 1 < p->n; i++)
        changes += p->session[w->order[i]] != p->session[w->order[i + 1]];
    return changes / 2 < p->sessions;
}

/* Counting sort by how far into its session a transaction is. */
static void merge_sessions(struct vis *w)
{
    const struct prob *p = w->p;
    uint32_t longest = 1;
    for (uint32_t s = 0; s < p->sessions; s++)
        if (p->chain[s + 1] - p->chain[s] > longest)
            longest = p->chain[s + 1] - p->chain[s];
    uint32_t *start = mem_calloc((size_t)longest + 2, sizeof *start);
    for (int fill = 0; fill < 2; fill++) {
        for (uint32_t t = 0; t < p->n; t++) {
            uint32_t s = p->session[t], len = p->chain[s + 1] - p->chain[s];
            uint32_t place = (uint32_t)((uint64_t)match_pos(p, t) * longest / len);
            if (fill) {
                w->rank[t] = start[place]++;
                w->order[w->rank[t]] = t;
            } else {
                start[place + 1]++;
            }
        }
        for (uint32_t i = 0; i < longest && !fill; i++)
            start[i + 1] += start[i];
    }
    mem_free(start);
}

bool vis_by_session(struct vis *w)
{
    vis_given_order(w);
    return by_session(w);
}

void vis_merged_order(struct vis *w)
{
    if (vis_by_session(w))
        merge_sessions(w);
}

void vis_first_order(struct vis *w)
{
    vis_given_order(w);
    if (by_session(w) && !vis_follows(w))
        merge_sessions(w);
}

/* --- mending --------------------------------------------------------------------------------- */

struct mend {
    struct vis *w;
    const struct prob *p;
    const uint32_t *from;
    uint8_t *state; /* per transaction: not met, waiting, in place */
    uint32_t *next; /* per waiting transaction: the next of its predecessors to look at */
    uint32_t *head; /* per transaction: 1 + the first order that ends at it */
    uint32_t *more; /* per order: 1 + the next one with the same end */
    sat_lits waiting;
};
enum { NOT_MET, WAITING, PLACED };

/* Who precedes t: by an order of versions, by a read, by the session. */
static uint32_t next_before(struct mend *m, uint32_t t)
{
    const struct vis *w = m->w;
    const struct prob *p = m->p;
    while (m->head[t]) {
        const struct vis_order *o = &w->orders.data[m->head[t] - 1];
        m->head[t] = m->more[m->head[t] - 1];
        if (vis_is_edge(w, o))
            return p->ver_txn[o->a];
    }
    while (m->next[t] < p->rd_start[t + 1]) {
        uint32_t writer = m->from[m->next[t]++];
        if (writer != HIST_NONE)
            return writer;
    }
    if (m->next[t]++ == p->rd_start[t + 1] && w->sessions && t > p->chain[p->session[t]])
        return t - 1;
    return HIST_NONE;
}

static void wait_for(struct mend *m, uint32_t t)
{
    m->state[t] = WAITING;
    m->next[t] = m->p->rd_start[t];
    vec_push(&m->waiting, t);
}

/* False: a cycle. */
static bool place(struct mend *m, uint32_t t)
{
    wait_for(m, t);
    while (m->waiting.len) {
        uint32_t u = vec_last(&m->waiting), before = next_before(m, u);
        if (before == HIST_NONE) {
            m->state[u] = PLACED;
            put(m->w, u);
            m->waiting.len--;
        } else if (m->state[before] == WAITING) {
            return false;
        } else if (m->state[before] == NOT_MET) {
            wait_for(m, before);
        }
    }
    return true;
}

bool vis_mend(struct vis *w, const uint32_t *from)
{
    const struct prob *p = w->p;
    struct mend m = {.w = w, .p = p, .from = from};
    m.state = mem_calloc((size_t)p->n + 1, 1);
    m.next = mem_alloc(mem_mul((size_t)p->n + 1, sizeof *m.next));
    m.head = mem_calloc((size_t)p->n + 1, sizeof *m.head);
    m.more = mem_alloc(mem_mul(w->orders.len + 1, sizeof *m.more));
    for (uint32_t i = 0; i < w->orders.len; i++) {
        uint32_t t = p->ver_txn[w->orders.data[i].b];
        if (t == PROB_INIT)
            continue;
        m.more[i] = m.head[t];
        m.head[t] = i + 1;
    }
    uint32_t *old = w->order;
    bool acyclic = true;
    w->order = mem_alloc(mem_mul((size_t)p->n + 2, sizeof *w->order));
    w->sorted = 0;
    for (uint32_t i = 0; i < p->n && acyclic; i++)
        if (m.state[old[i]] == NOT_MET)
            acyclic = place(&m, old[i]);
    mem_free(old);
    mem_free(m.state);
    mem_free(m.next);
    mem_free(m.head);
    mem_free(m.more);
    vec_free(&m.waiting);
    return acyclic;
}
