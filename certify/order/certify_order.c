/* Replaying a certificate: run the events one after the other against a plain state and compare
 * what every read saw with what is there; see certify.h.
 *
 * For arbitration orders (the levels below PC, and PSI) see certify_vis.c. */
#include <assert.h>
#include <inttypes.h>

#include "certify/certify.h"
#include "certify/certify_aggregate.h"
#include "certify/order/certify_orders.h"
#include "history/version_order.h"

/* The state of a key, all in one place because keys come in any order.  A register: the operation
 * that wrote it last.  A list: so many elements as the longest list that anybody read begins with,
 * then those of a tail that differs from it or that nobody read. */
struct key_state {
    uint32_t last_write; /* operation, or HIST_NONE */
    uint32_t commit_at;  /* when it was written last, counting events from 1 */
    uint32_t own;        /* an own write of the transaction being looked at, or HIST_NONE */
    uint32_t start, max; /* the longest list: in history.lists */
    uint32_t same, tail_len, tail;
};

struct tail {
    int64_t value;
    uint32_t before; /* the element before it, if that is of the tail as well */
};

struct replay {
    const struct history *h;
    const struct certificate *c;
    struct arena *messages;
    struct hist_value *initial;
    struct key_state *keys;
    VEC(struct tail) tails;
    uint32_t *began, *ended; /* per transaction: event, counting from 1; 0: not yet */
    uint32_t event;
    uint32_t *session_at; /* per session: how many of its transactions were passed */
    struct aggregates aggregates;
    int64_t last_begin, last_commit; /* the latest times at which one was asked for */
    bool any_begin, any_commit;
};

/* --- reads ------------------------------------------------------------------------------------ */

static const char *bad_read(const struct replay *s, uint32_t op, const char *why)
{
    return hist_of_op(s->h, op, why, s->messages);
}

static bool same_value(const struct history *h, uint32_t read, uint32_t write)
{
    if (h->ops.data[read].flags & HIST_OP_INITIAL)
        return false;
    if (h->write_ids && h->write_ids[read] && h->write_ids[read] != h->write_ids[write])
        return false;
    return hist_value_eq(hist_op_value(&h->ops.data[read]), hist_op_value(&h->ops.data[write]));
}

static bool reads_register(const struct replay *s, uint32_t op)
{
    const struct hist_op *r = &s->h->ops.data[op];
    uint32_t w = s->keys[r->key].last_write;
    if (w != HIST_NONE)
        return same_value(s->h, op, w);
    return !(s->h->write_ids && s->h->write_ids[op]) &&
           hist_value_eq(hist_op_value(r), s->initial[r->key]);
}

/* The state, then the own appends of the transaction so far (from first up to op). */
static bool reads_list(const struct replay *s, uint32_t op, uint32_t first)
{
    const struct history *h = s->h;
    const struct hist_op *r = &h->ops.data[op];
    const struct key_state *k = &s->keys[r->key];
    uint32_t at = r->list.len;
    const int64_t *list = h->lists.data + r->list.start;
    if (k->own != HIST_NONE)
        for (uint32_t i = op; i-- > first;) {
            const struct hist_op *a = &h->ops.data[i];
            if (hist_is_append(a) && a->key == r->key && (!at || list[--at] != a->value))
                return false;
        }
    if (at != k->same + k->tail_len)
        return false;
    for (uint32_t i = k->tail; at > k->same; i = s->tails.data[i].before)
        if (list[--at] != s->tails.data[i].value)
            return false;
    return r->list.start == k->start || !at ||
           !memcmp(list, h->lists.data + k->start, at * sizeof *list);
}

static struct hist_value current(void *arg, uint32_t key)
{
    const struct replay *s = arg;
    uint32_t w = s->keys[key].last_write;
    return w == HIST_NONE ? s->initial[key] : hist_op_value(&s->h->ops.data[w]);
}

/* The aggregates of a transaction against the state. */
static const char *check_aggregates(struct replay *s, uint32_t txn)
{
    const struct history *h = s->h;
    for (uint32_t q = hist_first_predicate(h, txn);
         q < h->predicates.len && h->predicates.data[q].txn == txn; q++)
        if (aggregate_counts(&h->predicates.data[q]) &&
            !aggregate_stands(&s->aggregates, &h->predicates.data[q], current, s))
            return bad_read(s, h->predicates.data[q].first_op,
                            "is part of an aggregate over the current versions that gives "
                            "something else");
    return NULL;
}

/* All reads of a transaction against the state and its own writes. */
static const char *check_reads(struct replay *s, uint32_t txn)
{
    const struct history *h = s->h;
    const struct hist_txn *t = &h->txns.data[txn];
    const char *error = NULL;
    for (uint32_t i = t->first_op; i < t->first_op + t->op_count && !error; i++) {
        const struct hist_op *op = &h->ops.data[i];
        if (op->flags & (HIST_OP_FAILED | HIST_OP_ANY))
            continue;
        if (op->kind == HIST_WRITE || op->kind == HIST_APPEND)
            s->keys[op->key].own = i;
        else if (op->kind == HIST_LIST_READ)
            error = reads_list(s, i, t->first_op) ? NULL : bad_read(s, i, "is not the list");
        else if (s->keys[op->key].own != HIST_NONE)
            error =
                same_value(h, i, s->keys[op->key].own) ? NULL : bad_read(s, i, "is not its own");
        else if (!reads_register(s, i))
            error = bad_read(s, i, "is not the current version");
    }
    for (uint32_t i = t->first_op; i < t->first_op + t->op_count; i++)
        s->keys[h->ops.data[i].key].own = HIST_NONE;
    if (!error && s->aggregates.any)
        error = check_aggregates(s, txn);
    return error;
}

/* --- events ----------------------------------------------------------------------------------- */

static const char *bad_txn(const struct replay *s, uint32_t txn, const char *why)
{
    return hist_of_txn(s->h, txn, why, s->messages);
}

/* In session order: whatever stands before it in its session and counts has committed, and nothing
 * that stands behind it has begun. */
static const char *check_session(struct replay *s, uint32_t txn)
{
    const struct history *h = s->h;
    uint32_t session = h->txns.data[txn].session, *at = &s->session_at[session];
    if (h->txns.data[txn].index < *at)
        return bad_txn(s, txn, "begins after a later one of its session");
    for (; *at < h->txns.data[txn].index; ++*at) {
        uint32_t before = h->index.session_txns[h->index.session_start[session] + *at];
        if ((h->txns.data[before].status == HIST_COMMITTED || s->began[before]) &&
            !s->ended[before])
            return bad_txn(s, txn, "begins before its session's previous one ended");
    }
    return NULL;
}

/* Was something that the order puts earlier asked for only after this was answered, beyond the
 * drift?  Then it happened later, wherever the two lie in their intervals. */
static bool late(const struct replay *s, int64_t answered, bool any, int64_t last_asked)
{
    int64_t limit;
    return any && answered != HIST_NO_TIME &&
           !__builtin_add_overflow(answered, s->c->clock_drift, &limit) && limit < last_asked;
}

static bool real_time(const struct replay *s)
{
    enum level_time kind = s->c->level.real_time;
    return kind == LEVEL_TIME_COMMITS || kind == LEVEL_TIME_STRICT;
}

static void note(int64_t *last, bool *any, int64_t time)
{
    if (time != HIST_NO_TIME && (!*any || time > *last)) {
        *last = time;
        *any = true;
    }
}

static const char *check_begin_time(struct replay *s, uint32_t txn)
{
    if (!real_time(s))
        return NULL;
    struct hist_times t = hist_txn_time(s->h, txn);
    if (s->c->kind == CHECK_EVENTS && late(s, t.begin_answered, s->any_commit, s->last_commit))
        return bad_txn(s, txn, "begins after a commit that came later in real time");
    note(&s->last_begin, &s->any_begin, t.begin_asked);
    return NULL;
}

static const char *check_commit_time(struct replay *s, uint32_t txn)
{
    if (!real_time(s))
        return NULL;
    struct hist_times t = hist_txn_time(s->h, txn);
    if (s->c->level.real_time == LEVEL_TIME_STRICT &&
        late(s, t.commit_answered, s->any_begin, s->last_begin))
        return bad_txn(s, txn, "commits after the begin of one that came later in real time");
    if (s->c->kind == CHECK_EVENTS && late(s, t.commit_answered, s->any_commit, s->last_commit))
        return bad_txn(s, txn, "commits after one that came later in real time");
    note(&s->last_commit, &s->any_commit, t.commit_asked);
    return NULL;
}

static const char *begin(struct replay *s, uint32_t txn)
{
    if (s->h->txns.data[txn].status == HIST_ABORTED)
        return bad_txn(s, txn, "was aborted");
    if (s->began[txn])
        return bad_txn(s, txn, "begins twice");
    s->began[txn] = ++s->event;
    const char *error = s->c->level.session_order ? check_session(s, txn) : NULL;
    if (!error)
        error = check_reads(s, txn);
    return error;
}

static void install(struct replay *s, uint32_t op)
{
    const struct hist_op *w = &s->h->ops.data[op];
    struct key_state *k = &s->keys[w->key];
    k->last_write = op;
    k->commit_at = s->event;
    if (w->kind != HIST_APPEND)
        return;
    if (!k->tail_len && k->same < k->max && s->h->lists.data[k->start + k->same] == w->value) {
        k->same++;
        return;
    }
    vec_push(&s->tails, ((struct tail){w->value, k->tail}));
    k->tail = (uint32_t)s->tails.len - 1;
    k->tail_len++;
}

static const char *commit(struct replay *s, uint32_t txn)
{
    const struct history *h = s->h;
    const struct hist_txn *t = &h->txns.data[txn];
    if (!s->began[txn] || s->ended[txn])
        return bad_txn(s, txn, s->ended[txn] ? "commits twice" : "commits before it begins");
    s->ended[txn] = ++s->event;
    bool exclusive = model_has(model_get(s->c->level.model), AXIOM_NOCONFLICT);
    for (uint32_t i = t->first_op; i < t->first_op + t->op_count; i++) {
        const struct hist_op *w = &h->ops.data[i];
        if (!hist_is_write(w))
            continue;
        uint32_t at = s->keys[w->key].commit_at;
        if (exclusive && at > s->began[txn] && at != s->event)
            return bad_txn(s, txn, "overwrites what it did not see");
        install(s, i);
    }
    return NULL;
}

static const char *serial(struct replay *s, uint32_t txn)
{
    const char *error = begin(s, txn);
    if (!error)
        error = check_commit_time(s, txn);
    if (!error)
        error = check_begin_time(s, txn);
    return error ? error : commit(s, txn);
}

static const char *event(struct replay *s, uint32_t e)
{
    const char *error = e & 1 ? check_commit_time(s, e / 2) : check_begin_time(s, e / 2);
    if (error)
        return error;
    return e & 1 ? commit(s, e / 2) : begin(s, e / 2);
}

/* --- all together ----------------------------------------------------------------------------- */

static const char *check_complete(const struct replay *s)
{
    for (uint32_t t = 0; t < s->h->txns.len; t++) {
        if (s->h->txns.data[t].status == HIST_COMMITTED && !s->ended[t])
            return bad_txn(s, t, "is missing");
        if (s->began[t] && !s->ended[t])
            return bad_txn(s, t, "begins but does not commit");
    }
    return NULL;
}

/* The order names transactions that lie anywhere, and so do their keys: have them fetched. */
static void look_ahead(const struct replay *s, size_t i)
{
    enum { NEAR = 8, FAR = 16, FARTHER = 24 };
    const struct certificate *c = s->c;
    const struct history *h = s->h;
    if (i + FARTHER >= c->len)
        return;
    uint32_t txn[3];
    for (int j = 0; j < 3; j++) {
        txn[j] = c->order[i + NEAR + (size_t)j * 8] >> (c->kind == CHECK_EVENTS);
        if (txn[j] >= h->txns.len)
            return;
    }
    __builtin_prefetch(&h->txns.data[txn[2]]);
    __builtin_prefetch(&h->ops.data[h->txns.data[txn[1]].first_op]);
    const struct hist_txn *t = &h->txns.data[txn[0]];
    for (uint32_t o = t->first_op; o < t->first_op + t->op_count; o++)
        __builtin_prefetch(&s->keys[h->ops.data[o].key]);
}

static const char *replay(struct replay *s)
{
    const struct certificate *c = s->c;
    for (size_t i = 0; i < c->len; i++) {
        look_ahead(s, i);
        uint32_t txn = c->kind == CHECK_EVENTS ? c->order[i] / 2 : c->order[i];
        if (txn >= s->h->txns.len)
            return "the order names a transaction that does not exist";
        const char *error = c->kind == CHECK_EVENTS ? event(s, c->order[i]) : serial(s, txn);
        if (error)
            return error;
    }
    return check_complete(s);
}

static void start_keys(struct replay *s)
{
    const struct history *h = s->h;
    s->keys = mem_alloc(mem_mul(h->keys.len + 1, sizeof *s->keys));
    for (size_t k = 0; k < h->keys.len; k++) {
        struct hist_list l = h->key_lists.len ? h->key_lists.data[k] : (struct hist_list){0};
        s->keys[k] = (struct key_state){
            .last_write = HIST_NONE, .own = HIST_NONE, .start = l.start, .max = l.len};
    }
}

const char *certify_events(const struct history *h, const struct certificate *c,
                           struct arena *messages)
{
    struct replay s = {.h = h, .c = c, .messages = messages};
    s.initial = hist_initial_values(h);
    start_keys(&s);
    s.began = mem_calloc(h->txns.len + 1, sizeof *s.began);
    s.ended = mem_calloc(h->txns.len + 1, sizeof *s.ended);
    s.session_at = mem_calloc((size_t)h->session_count + 1, sizeof *s.session_at);
    aggregates_init(&s.aggregates, h);
    const char *error = replay(&s);
    aggregates_free(&s.aggregates);
    mem_free(s.keys);
    vec_free(&s.tails);
    mem_free(s.initial);
    mem_free(s.began);
    mem_free(s.ended);
    mem_free(s.session_at);
    return error;
}

const char *certify_order(const struct history *h, const struct certificate *c,
                          struct arena *messages)
{
    enum model_id m = c->level.model;
    enum check_order_kind kind = m == MODEL_SER                   ? CHECK_SERIAL
                                 : m == MODEL_SI || m == MODEL_PC ? CHECK_EVENTS
                                                                  : CHECK_ARBITRATION;
    if (c->kind != kind)
        return "the certificate is not of the kind that the level needs";
    const char *error = kind == CHECK_ARBITRATION ? certify_arbitration(h, c, NULL, messages)
                                                  : certify_events(h, c, messages);
    return error ? error : certify_version_orders(h, c, messages);
}
