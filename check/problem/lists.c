/* Running histories of lists; see lists.h.
 *
 * The state of a key is the length of its list and the number of reads of that version that are
 * still to come.  It takes 32 bytes, so the state of many keys stays in the cache, whereas matching
 * reads a dozen arrays.  An event that cannot happen yet waits for one key that stops it and is
 * tried again when that key changes.  Sessions wait at their first transaction that cannot run, so
 * few wait at any time.
 *
 * Which events there are and when they may happen is as in polygraph.h:
 *   a begin (SER: the transaction)   its session's previous one is over; the lists are as it read
 *                                    them; SI: the next element of those that it appends to is its
 *   a commit (SER: the transaction)  the next element of the lists that it appends to is its own,
 *                                    and all who read these lists as they are have begun
 * There are no other edges, and these are known from the start, so running whatever can run finds
 * an order if there is one.  The exception is appends that no read shows.  They come last, in any
 * order, but under SI two such transactions must not overlap.  Each is put off for a while until it
 * can commit right after its begin; after that it holds the list from its begin to its commit.
 * That is a heuristic, so getting stuck proves nothing.
 *
 * Transactions are tried in the order of the file, which mostly is the order in which they ended,
 * so that most run at the first try and memory is read from front to back. */
#include "check/problem/lists.h"

#include "base/limit.h"

/* readers: reads of the present version that did not begin yet.  base: where the key's versions
 * are in `readers` below, one for each length. */
struct list_key {
    uint32_t start, len; /* the longest list: in history.lists */
    uint32_t now, readers, base;
    uint32_t holder;  /* SI: who began and will append what no read shows, or HIST_NONE */
    uint32_t waiting; /* first transaction that waits for the key */
    uint32_t seen_by; /* which look at a transaction met the key last */
};

/* SI: a begin that is put off until the frontier has moved on. */
struct delay {
    uint32_t txn, until;
};

struct lists {
    const struct history *h;
    bool two;          /* begin and commit are two events */
    bool exclusive;    /* SI */
    bool stuck;        /* something can never happen */
    uint32_t frontier; /* transactions up to here were tried */
    struct list_key *keys;
    uint32_t *readers;   /* per version */
    uint32_t *wait_next; /* per transaction */
    uint32_t *next;      /* per session: index in it of the transaction that is not over */
    uint8_t *begun;      /* per transaction */
    VEC(struct delay) put_off;
    size_t next_put_off;
    VEC(uint32_t) ready;  /* transactions to try */
    uint64_t tries, most; /* most: then it is not worth it */
    uint32_t look;        /* number of the look at a transaction that is under way */
    uint32_t *order;
    size_t len;
};

/* --- one transaction -------------------------------------------------------------------------- */

/* How many elements the transaction itself appended to the key of operation `op` before it. */
static uint32_t own_before(const struct history *h, uint32_t first, uint32_t op)
{
    uint32_t n = 0;
    for (uint32_t i = first; i < op; i++)
        n += h->ops.data[i].key == h->ops.data[op].key && h->ops.data[i].kind == HIST_APPEND;
    return n;
}

static uint32_t own_reads(const struct history *h, const struct hist_txn *t, uint32_t key)
{
    uint32_t n = 0;
    for (uint32_t i = t->first_op; i < t->first_op + t->op_count; i++)
        n += h->ops.data[i].key == key && h->ops.data[i].kind == HIST_LIST_READ;
    return n;
}

/* How many elements the transaction appended to the key before operation i.  Mostly the look meets
 * the key for the first time, and nothing has to be counted. */
static uint32_t own(struct lists *l, const struct hist_txn *t, uint32_t i)
{
    struct list_key *k = &l->keys[l->h->ops.data[i].key];
    if (k->seen_by == l->look)
        return own_before(l->h, t->first_op, i);
    k->seen_by = l->look;
    return 0;
}

enum turn { NOW, LATER, NEVER };

static enum turn turn_to_read(const struct list_key *k, uint32_t len, uint32_t mine)
{
    uint32_t seen = len - mine; /* wraps if it did not see its own: never */
    return k->now == seen ? NOW : k->now < seen && seen <= k->len ? LATER : NEVER;
}

static enum turn turn_to_append(const struct lists *l, uint32_t txn, const struct hist_op *op,
                                uint32_t mine)
{
    const struct list_key *k = &l->keys[op->key];
    uint32_t at = k->now + mine;
    if (at >= k->len)
        return k->holder == HIST_NONE || k->holder == txn ? NOW : LATER;
    if (l->h->lists.data[k->start + at] == op->value)
        return NOW;
    return mine ? NEVER : LATER;
}

/* May the list grow: is nobody still to read it as it is, or as the transaction leaves it behind
 * between two appends? */
static bool may_grow(const struct lists *l, const struct hist_txn *t, uint32_t key, uint32_t mine)
{
    const struct list_key *k = &l->keys[key];
    if (mine)
        return !(k->now + mine <= k->len && l->readers[k->base + k->now + mine]);
    if (!k->readers)
        return true;
    return !(l->two && l->begun[t - l->h->txns.data]) && k->readers == own_reads(l->h, t, key);
}

static void wait(struct lists *l, uint32_t txn, uint32_t key)
{
    l->wait_next[txn] = l->keys[key].waiting;
    l->keys[key].waiting = txn;
}

static void wake(struct lists *l, struct list_key *k)
{
    for (uint32_t t = k->waiting; t != HIST_NONE; t = l->wait_next[t])
        vec_push(&l->ready, t);
    k->waiting = HIST_NONE;
}

/* --- may it happen? --------------------------------------------------------------------------- */

enum part { READS = 1, APPENDS = 2, GROWS = 4 };

/* HIST_NONE: yes.  Otherwise the key to wait for. */
static uint32_t stopped_by(struct lists *l, uint32_t txn, unsigned parts)
{
    const struct history *h = l->h;
    const struct hist_txn *t = &h->txns.data[txn];
    l->look++;
    for (uint32_t i = t->first_op; i < t->first_op + t->op_count; i++) {
        const struct hist_op *op = &h->ops.data[i];
        const struct list_key *k = &l->keys[op->key];
        uint32_t mine = own(l, t, i);
        enum turn turn = NOW;
        if (op->kind == HIST_LIST_READ)
            turn = parts & READS ? turn_to_read(k, op->list.len, mine) : NOW;
        else if (parts & APPENDS)
            turn = turn_to_append(l, txn, op, mine);
        if (turn == NOW && op->kind == HIST_APPEND && parts & GROWS &&
            !may_grow(l, t, op->key, mine))
            turn = mine ? NEVER : LATER;
        l->stuck |= turn == NEVER;
        if (turn != NOW)
            return op->key;
    }
    return HIST_NONE;
}

/* SI: does it append what no read shows?  Then it may not overlap with others that do; `hold` keeps
 * them away. */
static bool hidden(struct lists *l, uint32_t txn, bool hold)
{
    const struct history *h = l->h;
    const struct hist_txn *t = &h->txns.data[txn];
    bool any = false;
    for (uint32_t i = t->first_op; i < t->first_op + t->op_count; i++) {
        struct list_key *k = &l->keys[h->ops.data[i].key];
        if (h->ops.data[i].kind != HIST_APPEND || k->now < k->len)
            continue;
        any = true;
        if (hold)
            k->holder = txn;
    }
    return any;
}

/* One of unknown outcome that nobody read from need not have happened. */
static bool happened(struct lists *l, uint32_t txn)
{
    const struct history *h = l->h;
    const struct hist_txn *t = &h->txns.data[txn];
    for (uint32_t i = t->first_op; i < t->first_op + t->op_count; i++) {
        const struct list_key *k = &l->keys[h->ops.data[i].key];
        if (t->status == HIST_COMMITTED || k->now < k->len)
            return true;
    }
    return t->status == HIST_COMMITTED;
}

/* --- events ----------------------------------------------------------------------------------- */

static void run_reads(struct lists *l, uint32_t txn)
{
    const struct hist_txn *t = &l->h->txns.data[txn];
    for (uint32_t i = t->first_op; i < t->first_op + t->op_count; i++) {
        const struct hist_op *op = &l->h->ops.data[i];
        struct list_key *k = &l->keys[op->key];
        if (op->kind != HIST_LIST_READ)
            continue;
        k->readers--;
        if (k->waiting != HIST_NONE)
            wake(l, k); /* those left may be a waiting transaction's own */
    }
}

static void run_appends(struct lists *l, uint32_t txn)
{
    const struct hist_txn *t = &l->h->txns.data[txn];
    for (uint32_t i = t->first_op; i < t->first_op + t->op_count; i++) {
        const struct hist_op *op = &l->h->ops.data[i];
        struct list_key *k = &l->keys[op->key];
        if (op->kind != HIST_APPEND)
            continue;
        k->now++;
        k->holder = HIST_NONE;
        k->readers = k->now <= k->len ? l->readers[k->base + k->now] : 0;
        if (k->waiting != HIST_NONE)
            wake(l, k);
    }
}

static void emit(struct lists *l, uint32_t event)
{
    l->order[l->len++] = event;
}

/* Transactions of the session that can be tried once this one is over. */
static void advance(struct lists *l, uint32_t txn)
{
    const struct history *h = l->h;
    uint32_t s = h->txns.data[txn].session,
             count = h->index.session_start[s + 1] - h->index.session_start[s];
    while (++l->next[s] < count) {
        uint32_t next = h->index.session_txns[h->index.session_start[s] + l->next[s]];
        if (h->txns.data[next].status == HIST_ABORTED)
            continue;
        if (next <= l->frontier)
            vec_push(&l->ready, next);
        break;
    }
}

static bool may_go(struct lists *l, uint32_t txn, unsigned parts)
{
    uint32_t key = stopped_by(l, txn, parts);
    if (key != HIST_NONE)
        wait(l, txn, key);
    return key == HIST_NONE;
}

static void try_serial(struct lists *l, uint32_t txn)
{
    if (!may_go(l, txn, READS | APPENDS | GROWS))
        return;
    emit(l, txn);
    run_reads(l, txn);
    run_appends(l, txn);
    advance(l, txn);
}

/* SI: begin and commit of one that appends what no read shows.  False: it is put off. */
static bool may_begin_hidden(struct lists *l, uint32_t txn, bool put_off)
{
    if (stopped_by(l, txn, GROWS) == HIST_NONE)
        return true; /* it commits at once */
    if (!put_off) {
        hidden(l, txn, true);
        return true;
    }
    uint64_t until = (uint64_t)l->frontier + 2 * (uint64_t)l->h->session_count;
    vec_push(&l->put_off,
             ((struct delay){txn, until < HIST_NONE ? (uint32_t)until : HIST_NONE - 1}));
    return false;
}

static void try_events(struct lists *l, uint32_t txn, bool put_off)
{
    if (!l->begun[txn]) {
        if (!may_go(l, txn, READS | (l->exclusive ? APPENDS : 0)))
            return;
        if (l->exclusive && hidden(l, txn, false) && !may_begin_hidden(l, txn, put_off))
            return;
        emit(l, 2 * txn);
        run_reads(l, txn);
        l->begun[txn] = 1;
    }
    if (!may_go(l, txn, APPENDS | GROWS))
        return;
    emit(l, 2 * txn + 1);
    run_appends(l, txn);
    advance(l, txn);
}

static void try_txn(struct lists *l, uint32_t txn, bool put_off)
{
    if (++l->tries > l->most) {
        l->stuck = true;
    } else if (!l->begun[txn] && !happened(l, txn)) {
        advance(l, txn); /* it would be the last of its key */
    } else if (l->two) {
        try_events(l, txn, put_off);
    } else {
        try_serial(l, txn);
    }
}

/* --- all together ----------------------------------------------------------------------------- */

static bool level_applies(const struct check_options *o)
{
    enum model_id m = o->level.model;
    if (o->always_solve || o->unique_values || !o->level.session_order)
        return false;
    return o->level.real_time == LEVEL_NO_TIME &&
           (m == MODEL_SER || m == MODEL_SI || m == MODEL_PC);
}

/* Only lists, all of one key in agreement, and nobody but the committed read them. */
static bool history_applies(const struct history *h)
{
    if (h->version_orders.len || h->write_ids || h->predicates.len)
        return false;
    for (size_t k = 0; k < h->key_lists.len; k++)
        if (h->key_lists.data[k].forked)
            return false;
    for (size_t t = 0; t < h->txns.len; t++) {
        const struct hist_txn *x = &h->txns.data[t];
        for (uint32_t i = x->first_op; i < x->first_op + x->op_count; i++) {
            const struct hist_op *op = &h->ops.data[i];
            if (op->kind < HIST_APPEND || op->flags & HIST_OP_FAILED ||
                (op->kind == HIST_LIST_READ && x->status != HIST_COMMITTED))
                return false;
        }
    }
    return true;
}

static void start_keys(struct lists *l)
{
    const struct history *h = l->h;
    uint32_t base = 0;
    l->keys = mem_alloc(mem_mul(h->keys.len + 1, sizeof *l->keys));
    for (size_t k = 0; k < h->keys.len; k++) {
        struct hist_list list = h->key_lists.len ? h->key_lists.data[k] : (struct hist_list){0};
        l->keys[k] = (struct list_key){.start = list.start,
                                       .len = list.len,
                                       .base = base,
                                       .holder = HIST_NONE,
                                       .waiting = HIST_NONE,
                                       .seen_by = HIST_NONE};
        base += list.len + 1;
    }
    l->readers = mem_calloc((size_t)base + 1, sizeof *l->readers);
}

/* Does the list end with what the transaction appended to it before? */
static bool ends_with_own(const struct history *h, uint32_t first, uint32_t op)
{
    const struct hist_op *r = &h->ops.data[op];
    uint32_t at = r->list.len;
    for (uint32_t i = op; i-- > first;) {
        const struct hist_op *a = &h->ops.data[i];
        if (a->kind == HIST_APPEND && a->key == r->key &&
            (!at || h->lists.data[r->list.start + --at] != a->value))
            return false;
    }
    return true;
}

/* False: a read does not show what its transaction appended before. */
static bool count_readers(struct lists *l)
{
    const struct history *h = l->h;
    for (uint32_t t = 0; t < h->txns.len; t++) {
        const struct hist_txn *x = &h->txns.data[t];
        l->look++;
        for (uint32_t i = x->first_op; i < x->first_op + x->op_count; i++) {
            const struct hist_op *op = &h->ops.data[i];
            uint32_t mine = own(l, x, i);
            if (op->kind != HIST_LIST_READ)
                continue;
            if (mine && !ends_with_own(h, x->first_op, i))
                return false;
            l->readers[l->keys[op->key].base + op->list.len - mine]++;
        }
    }
    for (size_t k = 0; k < h->keys.len; k++)
        l->keys[k].readers = l->readers[l->keys[k].base];
    return true;
}

static void start_sessions(struct lists *l)
{
    const struct history *h = l->h;
    l->next = mem_calloc((size_t)h->session_count + 1, sizeof *l->next);
    for (uint32_t s = 0; s < h->session_count; s++)
        while (h->index.session_start[s] + l->next[s] < h->index.session_start[s + 1] &&
               h->txns.data[h->index.session_txns[h->index.session_start[s] + l->next[s]]].status ==
                   HIST_ABORTED)
            l->next[s]++;
}

/* The transactions just ahead: their keys are all over memory, and what the keys point to is. */
static void look_ahead(const struct lists *l, uint32_t txn)
{
    enum { FAR = 16, NEAR = 8 };
    const struct history *h = l->h;
    if (txn + FAR >= h->txns.len)
        return;
    const struct hist_txn *t = &h->txns.data[txn + FAR];
    for (uint32_t i = t->first_op; i < t->first_op + t->op_count; i++)
        __builtin_prefetch(&l->keys[h->ops.data[i].key]);
    t = &h->txns.data[txn + NEAR];
    for (uint32_t i = t->first_op; i < t->first_op + t->op_count; i++)
        if (h->ops.data[i].kind == HIST_APPEND) {
            const struct list_key *k = &l->keys[h->ops.data[i].key];
            __builtin_prefetch(h->lists.data + k->start + k->now);
            __builtin_prefetch(l->readers + k->base + k->now + 1);
        }
}

static void run_ready(struct lists *l)
{
    while (l->ready.len && !l->stuck)
        try_txn(l, vec_pop(&l->ready), true);
}

/* Those that were put off long enough. */
static void run_delayed(struct lists *l, uint32_t now)
{
    while (l->next_put_off < l->put_off.len && l->put_off.data[l->next_put_off].until <= now &&
           !l->stuck) {
        try_txn(l, l->put_off.data[l->next_put_off++].txn, false);
        run_ready(l);
    }
}

static bool run(struct lists *l)
{
    const struct history *h = l->h;
    for (uint32_t t = 0; t < h->txns.len && !l->stuck; t++) {
        if (!(t & 1023) && limit_reached())
            return false;
        l->frontier = t;
        look_ahead(l, t);
        if (h->txns.data[t].status != HIST_ABORTED &&
            l->next[h->txns.data[t].session] == h->txns.data[t].index)
            vec_push(&l->ready, t);
        run_ready(l);
        run_delayed(l, t);
    }
    run_delayed(l, HIST_NONE);
    for (uint32_t s = 0; s < h->session_count && !l->stuck; s++)
        l->stuck = l->next[s] < h->index.session_start[s + 1] - h->index.session_start[s];
    return !l->stuck;
}

static bool replay(struct lists *l, struct check_result *r)
{
    size_t n = l->h->txns.len;
    start_keys(l);
    bool ok = count_readers(l);
    if (ok) {
        start_sessions(l);
        l->wait_next = mem_alloc(mem_mul(n + 1, sizeof *l->wait_next));
        l->begun = mem_calloc(n + 1, 1);
        vec_resize(&r->order, l->two ? 2 * n : n);
        l->order = r->order.data;
        l->most = 64 * (uint64_t)n + 1024;
        ok = run(l);
        r->order.len = ok ? l->len : 0;
    }
    mem_free(l->keys);
    mem_free(l->readers);
    mem_free(l->next);
    mem_free(l->wait_next);
    mem_free(l->begun);
    vec_free(&l->ready);
    vec_free(&l->put_off);
    return ok;
}

bool lists_replay(const struct history *h, const struct check_options *o, struct check_result *r)
{
    if (!level_applies(o) || !history_applies(h))
        return false;
    struct lists l = {
        .h = h, .two = o->level.model != MODEL_SER, .exclusive = o->level.model == MODEL_SI};
    if (!replay(&l, r))
        return false;
    r->order_kind = l.two ? CHECK_EVENTS : CHECK_SERIAL;
    r->verdict = CHECK_OK;
    return true;
}
