/* RC, RA and RCS for certify_vis.c, by their definitions. */
#include "history/certify_snapshot.h"

/* Per key the largest place of a visible writer; of the transaction being looked at. */
struct seen {
    uint32_t *max, *stamp;
    uint32_t now;
};

static struct seen seen_new(size_t keys)
{
    return (struct seen){mem_calloc(keys + 1, sizeof(uint32_t)),
                         mem_calloc(keys + 1, sizeof(uint32_t)), 0};
}

static void seen_free(struct seen *s)
{
    mem_free(s->max);
    mem_free(s->stamp);
}

static uint32_t seen_get(const struct seen *s, uint32_t key)
{
    return s->stamp[key] == s->now ? s->max[key] : 0;
}

static void seen_put(struct seen *s, uint32_t key, uint32_t pos)
{
    if (pos > seen_get(s, key)) {
        s->max[key] = pos;
        s->stamp[key] = s->now;
    }
}

/* All writes of the transaction that a read saw are visible. */
static void see(const struct vis *v, struct seen *s, uint32_t read)
{
    if (v->source[read] == HIST_NONE)
        return;
    uint32_t txn = v->op_txn[v->source[read]];
    const struct hist_txn *t = &v->h->txns.data[txn];
    for (uint32_t i = t->first_op; i < t->first_op + t->op_count; i++)
        if (v->cls[i] & VIS_FINAL)
            seen_put(s, v->h->ops.data[i].key, v->pos[txn]);
}

static const char *check_read(const struct vis *v, const struct seen *s, uint32_t read)
{
    if (seen_get(s, v->h->ops.data[read].key) == vis_source_pos(v, read))
        return NULL;
    return vis_bad_read(v, read, "misses a visible write");
}

const char *vis_check_rc(struct vis *v)
{
    const struct history *h = v->h;
    struct seen s = seen_new(h->keys.len);
    const char *error = NULL;
    for (size_t n = 0; n < v->c->len && !error; n++) {
        const struct hist_txn *t = &h->txns.data[v->c->order[n]];
        s.now++;
        for (uint32_t i = t->first_op; i < t->first_op + t->op_count && !error; i++)
            if (v->cls[i] & VIS_EXTERNAL) {
                see(v, &s, i);
                error = check_read(v, &s, i);
            }
    }
    seen_free(&s);
    return error;
}

/* Sessions one after the other, so that what the session wrote is at hand. */
static const char *ra_txn(struct vis *v, struct seen *s, const struct seen *session, uint32_t txn)
{
    const struct hist_txn *t = &v->h->txns.data[txn];
    const char *error = NULL;
    s->now++;
    for (uint32_t i = t->first_op; i < t->first_op + t->op_count; i++)
        if (v->cls[i] & VIS_EXTERNAL)
            see(v, s, i);
    for (uint32_t i = t->first_op; i < t->first_op + t->op_count && !error; i++)
        if (v->cls[i] & VIS_EXTERNAL) {
            uint32_t key = v->h->ops.data[i].key;
            if (v->c->level.session_order)
                seen_put(s, key, seen_get(session, key));
            error = check_read(v, s, i);
        }
    return error;
}

const char *vis_check_ra(struct vis *v)
{
    const struct history *h = v->h;
    struct seen s = seen_new(h->keys.len), session = seen_new(h->keys.len);
    const char *error = NULL;
    for (uint32_t n = 0; n < h->session_count && !error; n++) {
        session.now++;
        for (uint32_t j = h->session_start[n]; j < h->session_start[n + 1] && !error; j++) {
            uint32_t txn = h->session_txns[j];
            const struct hist_txn *t = &h->txns.data[txn];
            if (!v->pos[txn])
                continue;
            error = ra_txn(v, &s, &session, txn);
            for (uint32_t i = t->first_op; i < t->first_op + t->op_count; i++)
                if (v->cls[i] & VIS_FINAL)
                    seen_put(&session, h->ops.data[i].key, v->pos[txn]);
        }
    }
    seen_free(&s);
    seen_free(&session);
    return error;
}

/* --- RCS ------------------------------------------------------------------------------------- */

/* How many writes of the key are in the prefix of length q. */
static uint32_t writes_within(const struct vis *v, uint32_t key, uint32_t q)
{
    uint32_t lo = v->write_start[key], hi = v->write_start[key + 1];
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (v->pos[v->op_txn[v->writes[mid]]] <= q)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo - v->write_start[key];
}

/* Is the version `write` (HIST_NONE: the initial one) what the read gave? */
static bool explains(const struct vis *v, uint32_t read, uint32_t write)
{
    const struct history *h = v->h;
    const struct hist_op *r = &h->ops.data[read];
    if (r->kind == HIST_LIST_READ) {
        uint32_t len, count = write == HIST_NONE ? 0 : v->append_count[write];
        return vis_list_ends_with_own(v, read, &len) && len == count &&
               !memcmp(v->appends + v->append_start[r->key], h->lists.data + r->list.start,
                       len * sizeof *v->appends);
    }
    bool id = h->write_ids && h->write_ids[read];
    if (write == HIST_NONE)
        return r->flags & HIST_OP_INITIAL ||
               (!id && hist_value_eq(hist_op_value(r), v->initial[r->key]));
    return !(r->flags & HIST_OP_INITIAL) && (!id || h->write_ids[read] == h->write_ids[write]) &&
           hist_value_eq(hist_op_value(r), hist_op_value(&h->ops.data[write]));
}

/* The least prefix, at least q, whose state gives what the read gave; UINT32_MAX: none. */
static uint32_t least_prefix(const struct vis *v, uint32_t read, uint32_t q)
{
    uint32_t key = v->h->ops.data[read].key, first = v->write_start[key];
    uint32_t count = v->write_start[key + 1] - first, at = writes_within(v, key, q);
    if (explains(v, read, at ? v->writes[first + at - 1] : HIST_NONE))
        return q;
    for (; at < count; at++)
        if (explains(v, read, v->writes[first + at]))
            return v->pos[v->op_txn[v->writes[first + at]]];
    return UINT32_MAX;
}

/* The least prefix, at least q, that explains all reads of a statement. */
static uint32_t statement_prefix(const struct vis *v, uint32_t first, uint32_t end, uint32_t q)
{
    for (bool again = true; again && q != UINT32_MAX;) {
        again = false;
        for (uint32_t i = first; i < end && q != UINT32_MAX; i++) {
            if (!(v->cls[i] & VIS_EXTERNAL))
                continue;
            uint32_t least = least_prefix(v, i, q);
            again |= least != q;
            q = least;
        }
    }
    return q;
}

static const char *check_statements(const struct vis *v, uint32_t txn, uint32_t q)
{
    const struct history *h = v->h;
    uint32_t end = h->txns.data[txn].first_op + h->txns.data[txn].op_count;
    for (uint32_t i = h->txns.data[txn].first_op, next; i < end; i = next) {
        for (next = i + 1; next < end && h->ops.data[next].flags & HIST_OP_SAME_STMT;)
            next++;
        q = statement_prefix(v, i, next, q);
        if (q >= v->pos[txn])
            return vis_bad_read(v, i, "starts a statement that no prefix explains");
    }
    return NULL;
}

const char *vis_check_statements(struct vis *v)
{
    const struct history *h = v->h;
    const char *error = NULL;
    for (uint32_t n = 0; n < h->session_count && !error; n++) {
        uint32_t before = 0;
        for (uint32_t j = h->session_start[n]; j < h->session_start[n + 1] && !error; j++) {
            uint32_t txn = h->session_txns[j];
            if (!v->pos[txn])
                continue;
            error = check_statements(v, txn, v->c->level.session_order ? before : 0);
            before = v->pos[txn];
        }
    }
    return error;
}
