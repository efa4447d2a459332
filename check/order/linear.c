/* Topological sorting without a graph; see linear.h.
 *
 * The edges are those of polygraph.h with every version order known.  Each transaction has a
 * counter of the transactions that it waits for.  The transactions that wait for it are found
 * through the problem's own arrays: the next of its session, the readers of its versions, the
 * writers of the versions after those that it wrote and read.
 *
 * Appends that no read shows come last, in unknown order, which does not matter for SER and PC.
 * Under SI their transactions must not overlap: each takes a lock at its begin, and while something
 * else can run it is put off until it can commit at once.  That is a heuristic: a replay that gets
 * stuck then proves nothing. */
#include "check/order/linear.h"

#include <assert.h>

struct linear {
    const struct prob *p;
    bool sessions;        /* their order counts */
    const uint32_t *prev; /* per version: the one before it; HIST_NONE for initial ones */
    bool two;             /* begin and commit are two events */
    bool exclusive;       /* SI: a writer begins after the version before its own was committed */
    uint32_t *next;       /* per version: the first that follows it, or HIST_NONE */
    uint32_t *sibling;    /* per version: the next one that follows the same, or HIST_NONE */
    uint32_t *waits[2];   /* per transaction: for how many its begin, its commit waits */
    uint32_t *order, len;
    VEC(uint32_t) begins, commits; /* that may run now */
    size_t next_begin;
    /* SI, versions that no read shows: who began and will follow this version; who waits for that.
     */
    uint32_t *lock, *waiting, *wait_next;
    uint8_t *late; /* per transaction: 1 put off, 2 to be put off no more */
    VEC(uint32_t) put_off;
    size_t next_put_off;
};

/* Lists, with the session order that the reader of hidden appends leans on; or registers with every
 * version order given. */
bool linear_applies(const struct prob *p)
{
    enum model_id m = p->level.model;
    bool lists = p->only_lists && p->ver_prev && p->level.session_order;
    bool given = p->h->version_orders_complete && !p->ver_prev;
    return (lists || given) && !p->choices.len && !p->maybe &&
           (p->level.real_time == LEVEL_NO_TIME || p->level.real_time == LEVEL_ITEMS_ONLY) &&
           (m == MODEL_SER || m == MODEL_PC || m == MODEL_SI || (m == MODEL_RCS && given));
}

/* The version before each, from the given orders; NULL if they do not order every version once. */
static uint32_t *given_prev(const struct prob *p)
{
    size_t bytes = ((size_t)p->versions + 1) * sizeof(uint32_t);
    uint32_t *prev = mem_alloc(bytes), left = 0;
    memset(prev, 0xff, bytes);
    for (uint32_t v = 0; v < p->versions; v++)
        left += p->ver_txn[v] != PROB_INIT;
    for (size_t i = 0; i < p->known.len; i++) {
        uint32_t *before = &prev[p->known.data[i].to];
        left -= *before == HIST_NONE;
        if (*before != HIST_NONE && *before != p->known.data[i].from)
            left = HIST_NONE;
        if (left == HIST_NONE)
            break;
        *before = p->known.data[i].from;
    }
    if (!left)
        return prev;
    mem_free(prev);
    return NULL;
}

/* --- what is waited for ----------------------------------------------------------------------- */

static void release(struct linear *l, uint32_t txn, int event)
{
    event &= l->two;
    uint32_t left = --l->waits[event][txn];
    if (left == 1 && event && l->late && l->late[txn] == 1) {
        l->late[txn] = 2; /* waits for nothing but its own begin */
        vec_push(&l->begins, txn);
    }
    if (left)
        return;
    if (event)
        vec_push(&l->commits, txn);
    else
        vec_push(&l->begins, txn);
}

/* Everybody who follows version v, except `self`. */
static void release_writers(struct linear *l, uint32_t v, uint32_t self, int event)
{
    for (uint32_t n = l->next[v]; n != HIST_NONE; n = l->sibling[n])
        if (l->p->ver_txn[n] != self)
            release(l, l->p->ver_txn[n], event);
}

static uint32_t readers_but(const struct prob *p, uint32_t v, uint32_t self)
{
    uint32_t n = 0;
    for (uint32_t i = p->rdr_start[v]; i < p->rdr_start[v + 1]; i++)
        n += p->rd_txn[p->rdr[i]] != self;
    return n;
}

static void count(struct linear *l, uint32_t t)
{
    const struct prob *p = l->p;
    uint32_t *begin = &l->waits[0][t], *commit = &l->waits[l->two][t];
    *begin += l->sessions && t && p->session[t - 1] == p->session[t];
    *commit += l->two;
    for (uint32_t r = p->rd_start[t]; r < p->rd_start[t + 1]; r++)
        *begin += p->ver_txn[p->rd_ver[r]] != PROB_INIT;
    for (uint32_t i = p->wr_start[t]; i < p->wr_start[t + 1]; i++) {
        uint32_t before = l->prev[p->wr_ver[i]];
        if (p->ver_txn[before] != PROB_INIT)
            ++*(l->two && !l->exclusive ? commit : begin);
        *commit += readers_but(p, before, t);
    }
}

/* --- events ----------------------------------------------------------------------------------- */

static void run_begin(struct linear *l, uint32_t t)
{
    const struct prob *p = l->p;
    for (uint32_t r = p->rd_start[t]; r < p->rd_start[t + 1]; r++)
        release_writers(l, p->rd_ver[r], t, 1);
    if (l->two)
        release(l, t, 1);
}

static void run_commit(struct linear *l, uint32_t t)
{
    const struct prob *p = l->p;
    if (l->sessions && t + 1 < p->n && p->session[t + 1] == p->session[t])
        release(l, t + 1, 0);
    for (uint32_t i = p->wr_start[t]; i < p->wr_start[t + 1]; i++) {
        uint32_t v = p->wr_ver[i];
        for (uint32_t j = p->rdr_start[v]; j < p->rdr_start[v + 1]; j++)
            release(l, p->rd_txn[p->rdr[j]], 0);
        release_writers(l, v, HIST_NONE, l->two && !l->exclusive);
    }
}

static void follow(struct linear *l)
{
    const struct prob *p = l->p;
    size_t bytes = ((size_t)p->versions + 1) * sizeof *l->next;
    l->next = mem_alloc(bytes);
    l->sibling = mem_alloc(bytes);
    memset(l->next, 0xff, bytes);
    for (uint32_t v = 0; v < p->versions; v++) {
        uint32_t before = l->prev[v];
        if (before == HIST_NONE)
            continue;
        l->sibling[v] = l->next[before];
        l->next[before] = v;
    }
}

/* --- locks ------------------------------------------------------------------------------------ */

static void start_locks(struct linear *l)
{
    const struct prob *p = l->p;
    size_t bytes = ((size_t)p->versions + 1) * sizeof *l->lock;
    l->lock = mem_alloc(bytes);
    l->waiting = mem_alloc(bytes);
    memset(l->lock, 0xff, bytes);
    memset(l->waiting, 0xff, bytes);
    l->wait_next = mem_alloc(mem_mul((size_t)p->n + 1, sizeof *l->wait_next));
    l->late = mem_calloc((size_t)p->n + 1, 1);
}

static bool put_off(struct linear *l, uint32_t t)
{
    if (!l->late || l->late[t] || l->waits[1][t] == 1)
        return false;
    l->late[t] = 1;
    vec_push(&l->put_off, t);
    return true;
}

/* Nothing else can run. */
static bool put_off_no_more(struct linear *l)
{
    while (l->next_put_off < l->put_off.len) {
        uint32_t t = l->put_off.data[l->next_put_off++];
        if (l->late[t] == 1) {
            l->late[t] = 2;
            vec_push(&l->begins, t);
            return true;
        }
    }
    return false;
}

static bool take_locks(struct linear *l, uint32_t t)
{
    const struct prob *p = l->p;
    for (uint32_t i = p->wr_start[t]; i < p->wr_start[t + 1]; i++) {
        uint32_t before = l->prev[p->wr_ver[i]];
        if (l->lock[before] == HIST_NONE)
            continue;
        l->wait_next[t] = l->waiting[before];
        l->waiting[before] = t;
        return false;
    }
    for (uint32_t i = p->wr_start[t]; i < p->wr_start[t + 1]; i++)
        l->lock[l->prev[p->wr_ver[i]]] = t;
    return true;
}

static void drop_locks(struct linear *l, uint32_t t)
{
    const struct prob *p = l->p;
    for (uint32_t i = p->wr_start[t]; i < p->wr_start[t + 1]; i++) {
        uint32_t before = l->prev[p->wr_ver[i]], u = l->waiting[before];
        l->lock[before] = l->waiting[before] = HIST_NONE;
        for (; u != HIST_NONE; u = l->wait_next[u])
            vec_push(&l->begins, u);
    }
}

/* --- all together ----------------------------------------------------------------------------- */

static void run_one_begin(struct linear *l)
{
    uint32_t t = l->begins.data[l->next_begin++];
    if (put_off(l, t) || (l->lock && !take_locks(l, t)))
        return;
    l->order[l->len++] = l->two ? 2 * t : t;
    run_begin(l, t);
    if (!l->two)
        run_commit(l, t);
}

static void run_one_commit(struct linear *l)
{
    uint32_t t = vec_pop(&l->commits);
    l->order[l->len++] = 2 * t + 1;
    run_commit(l, t);
    if (l->lock)
        drop_locks(l, t);
}

static bool sort(struct linear *l)
{
    const struct prob *p = l->p;
    for (uint32_t t = 0; t < p->n; t++)
        count(l, t);
    for (uint32_t t = 0; t < p->n; t++)
        if (!l->waits[0][t])
            vec_push(&l->begins, t);
    while (l->commits.len || l->next_begin < l->begins.len || put_off_no_more(l)) {
        if (l->commits.len)
            run_one_commit(l);
        else
            run_one_begin(l);
    }
    return l->len == (l->two ? 2 * p->n : p->n);
}

bool linear_sort(const struct prob *p, uint32_t *order)
{
    uint32_t *given = p->ver_prev ? NULL : given_prev(p);
    if (!p->ver_prev && !given)
        return false;
    struct linear l = {.p = p, .prev = given ? given : p->ver_prev, .order = order};
    l.sessions = p->level.session_order || p->level.model == MODEL_RCS; /* parts, visibility.h */
    l.two = p->level.model != MODEL_SER;
    l.exclusive = p->level.model == MODEL_SI;
    follow(&l);
    l.waits[0] = mem_calloc((size_t)p->n + 1, sizeof *l.waits[0]);
    l.waits[1] = l.two ? mem_calloc((size_t)p->n + 1, sizeof *l.waits[1]) : l.waits[0];
    if (l.exclusive && p->hidden_pairs)
        start_locks(&l);
    bool sorted = sort(&l);
    mem_free(given);
    mem_free(l.next);
    mem_free(l.sibling);
    mem_free(l.waits[0]);
    if (l.two)
        mem_free(l.waits[1]);
    mem_free(l.lock);
    mem_free(l.waiting);
    mem_free(l.wait_next);
    mem_free(l.late);
    vec_free(&l.put_off);
    vec_free(&l.begins);
    vec_free(&l.commits);
    return sorted;
}
