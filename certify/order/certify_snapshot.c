/* EC, RC, RA and RCS for certify_vis.c, by their definitions. */
#include "certify/order/certify_snapshot.h"

/* Per key the largest place of a visible writer; of the transaction being looked at. */
struct seen_key {
    uint32_t max, stamp;
};
struct seen {
    struct seen_key *key;
    uint32_t now;
};

static struct seen seen_new(size_t keys)
{
    return (struct seen){mem_calloc(keys + 1, sizeof(struct seen_key)), 0};
}

static uint32_t seen_get(const struct seen *s, uint32_t key)
{
    return s->key[key].stamp == s->now ? s->key[key].max : 0;
}

static void seen_put(struct seen *s, uint32_t key, uint32_t place)
{
    if (place > seen_get(s, key))
        s->key[key] = (struct seen_key){place, s->now};
}

static bool writes_key(const struct vis *v, uint32_t place, uint32_t key)
{
    uint32_t n = vis_versions_within(v, key, place);
    return n && v->versions[v->version_start[key] + n - 1].place == place - 1;
}

/* All writes of the transaction that a read of `reader` saw are visible; of a large one, those of
 * the rows that `reader` reads. */
static void see(const struct vis *v, struct seen *s, uint32_t reader, uint32_t place)
{
    uint32_t writes = v->wr_start[place] - v->wr_start[place - 1];
    uint32_t reads = v->rd_start[reader + 1] - v->rd_start[reader];
    if (v->absent || writes <= 16 + 16 * reads) {
        for (uint32_t i = v->wr_start[place - 1]; i < v->wr_start[place]; i++)
            seen_put(s, v->wr_key.data[i], place);
        return;
    }
    for (uint32_t r = v->rd_start[reader]; r < v->rd_start[reader + 1]; r++)
        if (writes_key(v, place, v->rd_key.data[r]))
            seen_put(s, v->rd_key.data[r], place);
}

static const char *check_read(const struct vis *v, const struct seen *s, uint32_t read)
{
    if (seen_get(s, v->rd_key.data[read]) == v->rd_seen[read])
        return NULL;
    return vis_bad_read(v, v->rd_op.data[read], "misses a visible write");
}

/* Has the reader seen this place before? */
static bool first_time(uint32_t *mark, uint32_t place, uint32_t reader)
{
    bool first = mark[place] != reader + 1;
    mark[place] = reader + 1;
    return first;
}

/* The end of the rows of the read that read r begins. */
static uint32_t read_end(const struct vis *v, uint32_t r, uint32_t end)
{
    const struct hist_op *ops = v->h->ops.data;
    for (r++; r < end; r++)
        for (uint32_t i = v->rd_op.data[r]; i > v->rd_op.data[r - 1]; i--)
            if (!(ops[i].flags & HIST_OP_SAME_READ))
                return r;
    return r;
}

/* Rows that the predicate read did not return, if the last visible writers of rows are those of `s`
 * and of the session (NULL: it does not count). */
static void look(struct vis *v, const struct hist_predicate *q, const struct seen *s,
                 const struct seen *session)
{
    struct missing_rows *a = v->absent;
    for (uint32_t k = 0; k < a->h->keys.len; k++) {
        uint32_t last = seen_get(s, k), own = session ? seen_get(session, k) : 0;
        a->seen[k] = vis_entry(v, k, vis_versions_within(v, k, last > own ? last : own));
    }
    missing_rows_look(a, q);
}

/* Of the transaction's predicate reads, from *q on, those that end before operation `op`. */
static void look_before(struct vis *v, const struct hist_predicate **q, uint32_t op,
                        const struct seen *s)
{
    for (; *q && v->absent->spans[missing_rows_index(v->absent, *q)].end <= op;
         *q = missing_rows_after(v->absent, *q))
        look(v, *q, s, NULL);
}

/* The reads [r, end) of place n are of one snapshot: whoever they saw is visible to all of them.
 * What the session wrote is, too (NULL: it does not count); mark (or NULL): who was seen before. */
static const char *check_snapshot(const struct vis *v, struct seen *s, const struct seen *session,
                                  uint32_t *mark, uint32_t n, uint32_t r, uint32_t end)
{
    const char *error = NULL;
    for (uint32_t i = r; i < end; i++)
        if (v->rd_seen[i] && (!mark || first_time(mark, v->rd_seen[i], n)))
            see(v, s, n, v->rd_seen[i]);
    for (; r < end && !error; r++) {
        uint32_t key = v->rd_key.data[r];
        if (session)
            seen_put(s, key, seen_get(session, key));
        error = check_read(v, s, r);
    }
    return error;
}

/* EC: what a predicate read did not return, if it saw no others than those that its rows show. */
static void look_alone(struct vis *v, uint32_t n, struct seen *s)
{
    const struct hist_predicate *q = missing_rows_first(v->absent, vis_place_txn(v, n));
    for (uint32_t r = v->rd_start[n]; q; q = missing_rows_after(v->absent, q)) {
        const struct lower_span *span = &v->absent->spans[missing_rows_index(v->absent, q)];
        s->now++;
        while (r < v->rd_start[n + 1] && v->rd_op.data[r] < span->first)
            r++;
        for (uint32_t i = r; i < v->rd_start[n + 1] && v->rd_op.data[i] < span->end; i++)
            if (v->rd_seen[i])
                see(v, s, n, v->rd_seen[i]);
        look(v, q, s, NULL);
    }
}

/* EC: each read by itself. */
const char *vis_check_ec(struct vis *v)
{
    struct seen s = seen_new(v->h->keys.len);
    const char *error = NULL;
    for (uint32_t n = 0; n < v->c->len && !error; n++) {
        for (uint32_t r = v->rd_start[n], end; r < v->rd_start[n + 1] && !error; r = end) {
            end = read_end(v, r, v->rd_start[n + 1]);
            s.now++;
            error = check_snapshot(v, &s, NULL, NULL, n, r, end);
        }
        look_alone(v, n, &s);
    }
    mem_free(s.key);
    return error;
}

/* RC: a read and those before it. */
const char *vis_check_rc(struct vis *v)
{
    struct seen s = seen_new(v->h->keys.len);
    uint32_t *mark = mem_calloc(v->c->len + 2, sizeof *mark);
    const char *error = NULL;
    for (uint32_t n = 0; n < v->c->len && !error; n++) {
        const struct hist_predicate *q = missing_rows_first(v->absent, vis_place_txn(v, n));
        s.now++;
        for (uint32_t r = v->rd_start[n], end; r < v->rd_start[n + 1] && !error; r = end) {
            end = read_end(v, r, v->rd_start[n + 1]);
            look_before(v, &q, v->rd_op.data[r], &s);
            error = check_snapshot(v, &s, NULL, mark, n, r, end);
        }
        look_before(v, &q, HIST_NONE, &s);
    }
    mem_free(s.key);
    mem_free(mark);
    return error;
}

/* RA: all reads.  Sessions one after the other, so that what the session wrote is at hand. */
static const char *ra_txn(struct vis *v, struct seen *s, const struct seen *session, uint32_t *mark,
                          uint32_t n)
{
    if (!v->c->level.session_order)
        session = NULL;
    s->now++;
    const char *error = check_snapshot(v, s, session, mark, n, v->rd_start[n], v->rd_start[n + 1]);
    const struct hist_predicate *q = missing_rows_first(v->absent, vis_place_txn(v, n));
    for (; q && !error; q = missing_rows_after(v->absent, q))
        look(v, q, s, session);
    return error;
}

const char *vis_check_ra(struct vis *v)
{
    const struct history *h = v->h;
    struct seen s = seen_new(h->keys.len), session = seen_new(h->keys.len);
    uint32_t *mark = mem_calloc(v->c->len + 2, sizeof *mark);
    const char *error = NULL;
    for (uint32_t i = 0; i < h->session_count && !error; i++) {
        session.now++;
        for (uint32_t j = h->index.session_start[i]; j < h->index.session_start[i + 1] && !error;
             j++) {
            uint32_t place = v->pos[h->index.session_txns[j]];
            if (!place)
                continue;
            error = ra_txn(v, &s, &session, mark, place - 1);
            for (uint32_t w = v->wr_start[place - 1]; w < v->wr_start[place]; w++)
                seen_put(&session, v->wr_key.data[w], place);
        }
    }
    mem_free(s.key);
    mem_free(session.key);
    mem_free(mark);
    return error;
}

/* --- RCS ------------------------------------------------------------------------------------- */

/* Is version `at` of the key, from 1 (0: the initial one), what the read gave? */
static bool explains(const struct vis *v, uint32_t read, uint32_t at)
{
    const struct history *h = v->h;
    const struct hist_op *r = &h->ops.data[read];
    uint32_t index = v->version_start[r->key] + at - 1;
    if (r->flags & HIST_OP_ANY)
        return true;
    if (r->kind == HIST_LIST_READ) {
        uint32_t len, count = at ? v->append_count[index] : 0;
        return vis_list_ends_with_own(v, read, &len) && len == count &&
               !memcmp(v->appends + v->append_start[r->key], h->lists.data + r->list.start,
                       len * sizeof *v->appends);
    }
    bool id = h->write_ids && h->write_ids[read];
    if (!at)
        return !id && hist_value_eq(hist_op_value(r), v->initial[r->key]);
    uint32_t write = v->versions[index].op;
    return !(r->flags & HIST_OP_INITIAL) && (!id || h->write_ids[read] == h->write_ids[write]) &&
           hist_value_eq(hist_op_value(r), hist_op_value(&h->ops.data[write]));
}

/* The least prefix, at least q, whose state gives what the read gave; UINT32_MAX: none. */
static uint32_t least_prefix(const struct vis *v, uint32_t read, uint32_t q)
{
    uint32_t key = v->h->ops.data[read].key, first = v->version_start[key];
    uint32_t count = v->version_start[key + 1] - first, at = vis_versions_within(v, key, q);
    if (explains(v, read, at))
        return q;
    for (; at < count; at++)
        if (explains(v, read, at + 1))
            return v->versions[first + at].place + 1;
    return UINT32_MAX;
}

/* The state after a prefix. */
struct prefix {
    const struct vis *v;
    uint32_t places;
};

static struct hist_value seen_after(void *arg, uint32_t key)
{
    const struct prefix *p = arg;
    const struct vis *v = p->v;
    uint32_t n = vis_versions_within(v, key, p->places);
    return n ? hist_op_value(&v->h->ops.data[v->versions[v->version_start[key] + n - 1].op])
             : v->initial[key];
}

/* The aggregates whose first row is among the reads [first, end): are they those of the prefix? */
static bool aggregates_stand(struct vis *v, uint32_t first, uint32_t end, uint32_t q)
{
    const struct history *h = v->h;
    struct prefix p = {v, q};
    uint32_t from = v->rd_op.data[first], to = v->rd_op.data[end - 1];
    uint32_t i = v->aggregates.any ? hist_first_predicate(h, hist_op_txn(h, from))
                                   : (uint32_t)h->predicates.len;
    for (; i < h->predicates.len && h->predicates.data[i].first_op <= to; i++)
        if (h->predicates.data[i].first_op >= from && aggregate_counts(&h->predicates.data[i]) &&
            !aggregate_stands(&v->aggregates, &h->predicates.data[i], seen_after, &p))
            return false;
    return true;
}

/* The least prefix, at least q, that explains the reads [first, end), of one statement. */
static uint32_t statement_prefix(struct vis *v, uint32_t first, uint32_t end, uint32_t q)
{
    for (bool again = true; again && q != UINT32_MAX;) {
        again = false;
        for (; q <= v->c->len && !aggregates_stand(v, first, end, q); q++)
            again = true;
        if (q > v->c->len)
            return UINT32_MAX;
        for (uint32_t r = first; r < end && q != UINT32_MAX; r++) {
            uint32_t least = least_prefix(v, v->rd_op.data[r], q);
            again |= least != q;
            q = least;
        }
    }
    return q;
}

static bool same_statement(const struct history *h, uint32_t a, uint32_t b)
{
    for (uint32_t i = a + 1; i <= b; i++)
        if (!(h->ops.data[i].flags & HIST_OP_SAME_STMT))
            return false;
    return true;
}

/* The first operation of the statement that the operation is of. */
static uint32_t statement_of(const struct history *h, uint32_t op)
{
    while (h->ops.data[op].flags & HIST_OP_SAME_STMT)
        op--;
    return op;
}

/* Rows that the predicate read did not return, if its statement sees a prefix. */
static void look_at_prefix(struct vis *v, const struct hist_predicate *q, uint32_t prefix)
{
    struct missing_rows *a = v->absent;
    struct lower_span span = a->spans[missing_rows_index(a, q)];
    for (uint32_t k = 0; k < a->h->keys.len; k++)
        a->seen[k] = vis_entry(v, k, vis_versions_within(v, k, prefix));
    size_t found = a->wrong.len;
    missing_rows_look(a, q);
    /* Without any operation it is not clear of which statement it is: one of its rows says so. */
    if (span.first == span.end && a->wrong.len == found) {
        missing_rows_all(a, q, &a->wrong);
        if (a->wrong.len > found)
            a->wrong.len = found + 1;
    }
}

/* Of the transaction's predicate reads, from *q on, those of statements up to that of `op`. */
static void look_at_statements(struct vis *v, const struct hist_predicate **q, uint32_t op,
                               uint32_t prefix, bool before)
{
    for (; *q; *q = missing_rows_after(v->absent, *q)) {
        struct lower_span span = v->absent->spans[missing_rows_index(v->absent, *q)];
        if (op != HIST_NONE && span.first < span.end) {
            uint32_t own = statement_of(v->h, span.end - 1), other = statement_of(v->h, op);
            if (before ? own >= other : own > other)
                return;
        } else if (op != HIST_NONE && span.end > op) {
            return;
        }
        look_at_prefix(v, *q, prefix);
    }
}

static const char *check_statements(struct vis *v, uint32_t n, uint32_t q)
{
    const struct hist_predicate *look = missing_rows_first(v->absent, vis_place_txn(v, n));
    for (uint32_t r = v->rd_start[n], next; r < v->rd_start[n + 1]; r = next) {
        next = r + 1;
        while (next < v->rd_start[n + 1] &&
               same_statement(v->h, v->rd_op.data[next - 1], v->rd_op.data[next]))
            next++;
        look_at_statements(v, &look, v->rd_op.data[r], q, true);
        q = statement_prefix(v, r, next, q);
        if (q > n)
            return vis_bad_read(v, v->rd_op.data[r], "is in a statement that no prefix explains");
        look_at_statements(v, &look, v->rd_op.data[r], q, false);
    }
    look_at_statements(v, &look, HIST_NONE, q, false);
    return NULL;
}

const char *vis_check_statements(struct vis *v)
{
    const struct history *h = v->h;
    const char *error = NULL;
    for (uint32_t i = 0; i < h->session_count && !error; i++) {
        uint32_t before = 0;
        for (uint32_t j = h->index.session_start[i]; j < h->index.session_start[i + 1] && !error;
             j++) {
            uint32_t place = v->pos[h->index.session_txns[j]];
            if (!place)
                continue;
            error = check_statements(v, place - 1, v->c->level.session_order ? before : 0);
            before = place;
        }
    }
    return error;
}
