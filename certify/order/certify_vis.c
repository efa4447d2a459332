/* Certificates of the levels that are not about one order of begins and commits: an arbitration
 * order of the transactions (and, where several writes explain a read, which one it saw).  We take
 * the least visibility that the level's axioms ask for, and check that every external read sees the
 * last visible writer of its row; more visibility never helps.  For RCS the least prefixes.
 *
 * This file indexes the order and checks what concerns single transactions; certify_snapshot.c has
 * the levels. */
#include "certify/order/certify_vis.h"

#include "certify/order/certify_snapshot.h"

const char *vis_bad_read(const struct vis *v, uint32_t op, const char *why)
{
    return hist_of_op(v->h, op, why, v->messages);
}

static const char *bad_txn(const struct vis *v, uint32_t txn, const char *why)
{
    return hist_of_txn(v->h, txn, why, v->messages);
}

/* --- the order ------------------------------------------------------------------------------- */

static const char *place(struct vis *v)
{
    const struct history *h = v->h;
    for (size_t i = 0; i < v->c->len; i++) {
        uint32_t t = v->c->order[i];
        if (t >= h->txns.len)
            return "the order names a transaction that does not exist";
        if (h->txns.data[t].status == HIST_ABORTED)
            return bad_txn(v, t, "was aborted");
        if (v->pos[t])
            return bad_txn(v, t, "is there twice");
        v->pos[t] = (uint32_t)i + 1;
    }
    for (uint32_t t = 0; t < h->txns.len; t++)
        if (h->txns.data[t].status == HIST_COMMITTED && !v->pos[t])
            return bad_txn(v, t, "is missing");
    for (uint32_t s = 0; s < h->session_count && v->c->level.session_order; s++) {
        uint32_t last = 0;
        for (uint32_t i = h->index.session_start[s]; i < h->index.session_start[s + 1]; i++) {
            uint32_t at = v->pos[h->index.session_txns[i]];
            if (at && at < last)
                return bad_txn(v, h->index.session_txns[i],
                               "is before an earlier one of its session");
            last = at ? at : last;
        }
    }
    return NULL;
}

/* --- single transactions --------------------------------------------------------------------- */

static bool agrees(const struct vis *v, uint32_t read, uint32_t before)
{
    const struct history *h = v->h;
    const struct hist_op *r = &h->ops.data[read], *b = &h->ops.data[before];
    if (!hist_value_eq(hist_op_value(r), hist_op_value(b)))
        return false;
    if (h->write_ids && h->write_ids[read] != h->write_ids[before])
        return false;
    return !((r->flags ^ b->flags) & HIST_OP_INITIAL);
}

/* A list read after another: the same list, then what was appended in between. */
static bool list_agrees(const struct vis *v, uint32_t read, uint32_t before)
{
    const struct history *h = v->h;
    const struct hist_op *r = &h->ops.data[read], *b = &h->ops.data[before];
    uint32_t m, n;
    return vis_list_ends_with_own(v, read, &m) && vis_list_ends_with_own(v, before, &n) && m == n &&
           !memcmp(h->lists.data + r->list.start, h->lists.data + b->list.start,
                   m * sizeof *h->lists.data);
}

/* The transaction's last read and last write of a key; those of others do not count. */
struct own {
    uint32_t read;
    uint32_t write; /* index in wr_op */
};

static const char *scan_read(struct vis *v, struct own *own, uint32_t i, bool has_read, bool wrote)
{
    const struct hist_op *op = &v->h->ops.data[i];
    bool list = op->kind == HIST_LIST_READ;
    uint32_t before = own->read;
    if (op->flags & HIST_OP_ANY) {
        vec_push(&v->rd_op, i);
        vec_push(&v->rd_key, op->key);
        return wrote ? vis_bad_read(v, i, "is of a row that it had written itself") : NULL;
    }
    own->read = i;
    if (wrote && !list)
        return agrees(v, i, v->wr_op.data[own->write]) ? NULL
                                                       : vis_bad_read(v, i, "is not its own write");
    if (has_read && !v->per_read) {
        bool same = list ? list_agrees(v, i, before) : agrees(v, i, before);
        return same ? NULL : vis_bad_read(v, i, "differs from an earlier read");
    }
    vec_push(&v->rd_op, i);
    vec_push(&v->rd_key, op->key);
    return NULL;
}

/* Of several writes of a key the last one stays, in the place of the first. */
static const char *scan_txn(struct vis *v, const struct hist_txn *t, struct own *own)
{
    const struct history *h = v->h;
    uint32_t first = t->first_op, first_write = (uint32_t)v->wr_op.len;
    const char *error = NULL;
    for (uint32_t i = first; i < first + t->op_count && !error; i++) {
        const struct hist_op *op = &h->ops.data[i];
        struct own *o = &own[op->key];
        bool wrote = o->write != HIST_NONE && o->write >= first_write;
        if (op->flags & HIST_OP_FAILED)
            continue;
        if (op->kind == HIST_READ || op->kind == HIST_LIST_READ) {
            bool has_read = o->read != HIST_NONE && o->read >= first && o->read < i;
            error = scan_read(v, o, i, has_read, wrote);
        } else if (wrote) {
            v->wr_op.data[o->write] = i;
        } else {
            o->write = (uint32_t)v->wr_op.len;
            vec_push(&v->wr_op, i);
            vec_push(&v->wr_key, op->key);
        }
    }
    return error;
}

static uint32_t *filled(size_t n, int byte)
{
    uint32_t *p = mem_alloc(mem_mul(n + 2, sizeof *p));
    memset(p, byte, (n + 2) * sizeof *p);
    return p;
}

static const char *scan(struct vis *v)
{
    const struct history *h = v->h;
    struct own *own = mem_alloc(mem_mul(h->keys.len + 1, sizeof *own));
    const char *error = NULL;
    memset(own, 0xff, (h->keys.len + 1) * sizeof *own);
    v->rd_start = filled(v->c->len, 0);
    v->wr_start = filled(v->c->len, 0);
    for (size_t n = 0; n < v->c->len && !error; n++) {
        v->rd_start[n] = (uint32_t)v->rd_op.len;
        v->wr_start[n] = (uint32_t)v->wr_op.len;
        error = scan_txn(v, &h->txns.data[v->c->order[n]], own);
    }
    v->rd_start[v->c->len] = (uint32_t)v->rd_op.len;
    v->wr_start[v->c->len] = (uint32_t)v->wr_op.len;
    mem_free(own);
    return error;
}

/* --- versions by key ------------------------------------------------------------------------- */

static void start_from_counts(uint32_t *start, size_t keys)
{
    uint32_t total = 0;
    for (size_t k = 0; k <= keys; k++) {
        uint32_t count = start[k];
        start[k] = total;
        total += count;
    }
}

static void index_versions(struct vis *v)
{
    const struct history *h = v->h;
    size_t keys = h->keys.len, writes = v->wr_op.len;
    v->version_start = filled(keys, 0);
    v->versions = mem_alloc(mem_mul(writes + 1, sizeof *v->versions));
    for (size_t i = 0; i < writes; i++)
        v->version_start[v->wr_key.data[i]]++;
    start_from_counts(v->version_start, keys);
    uint32_t *next = filled(keys, 0);
    memcpy(next, v->version_start, keys * sizeof *next);
    for (uint32_t n = 0; n < v->c->len; n++)
        for (uint32_t i = v->wr_start[n]; i < v->wr_start[n + 1]; i++) {
            const struct hist_op *op = &h->ops.data[v->wr_op.data[i]];
            v->versions[next[op->key]++] =
                (struct vis_version){op->flags & HIST_OP_NULL ? 0 : op->value, n, v->wr_op.data[i]};
        }
    mem_free(next);
}

uint32_t vis_versions_within(const struct vis *v, uint32_t key, uint32_t places)
{
    uint32_t lo = v->version_start[key], hi = v->version_start[key + 1];
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (v->versions[mid].place < places)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo - v->version_start[key];
}

uint32_t vis_entry(const struct vis *v, uint32_t key, uint32_t n)
{
    return n ? v->entry[v->version_start[key] + n - 1] : v->absent->first[key];
}

/* Keys that were made up come behind those of the history as it was recorded. */
static void index_entries(struct vis *v)
{
    size_t end = v->version_start[v->absent->h->keys.len];
    v->entry = filled(end, 0);
    for (uint32_t k = 0; k < v->absent->h->keys.len; k++)
        for (uint32_t i = v->version_start[k]; i < v->version_start[k + 1]; i++)
            v->entry[i] = missing_rows_entry(v->absent, vis_place_txn(v, v->versions[i].place), k);
}

/* All appends of a key in the order; and after each version, how many there were. */
static void index_appends(struct vis *v)
{
    const struct history *h = v->h;
    size_t keys = h->keys.len, any = 0;
    for (size_t i = 0; i < h->ops.len; i++)
        any += h->ops.data[i].kind >= HIST_APPEND;
    if (!any)
        return;
    v->append_start = filled(keys, 0);
    v->append_count = filled(v->wr_op.len, 0);
    for (size_t n = 0; n < v->c->len; n++) {
        const struct hist_txn *t = &h->txns.data[v->c->order[n]];
        for (uint32_t i = t->first_op; i < t->first_op + t->op_count; i++)
            v->append_start[h->ops.data[i].key] += hist_is_append(&h->ops.data[i]);
    }
    start_from_counts(v->append_start, keys);
    v->appends = mem_calloc((size_t)v->append_start[keys] + 1, sizeof *v->appends);
    uint32_t *append = filled(keys, 0), *version = filled(keys, 0);
    for (uint32_t n = 0; n < v->c->len; n++) {
        const struct hist_txn *t = &h->txns.data[v->c->order[n]];
        for (uint32_t i = t->first_op; i < t->first_op + t->op_count; i++) {
            const struct hist_op *op = &h->ops.data[i];
            if (hist_is_append(op))
                v->appends[v->append_start[op->key] + append[op->key]++] = op->value;
        }
        for (uint32_t i = v->wr_start[n]; i < v->wr_start[n + 1]; i++) {
            uint32_t k = v->wr_key.data[i];
            v->append_count[v->version_start[k] + version[k]++] = append[k];
        }
    }
    mem_free(append);
    mem_free(version);
}

/* --- all together ---------------------------------------------------------------------------- */

static const char *check(struct vis *v)
{
    const char *error = place(v);
    if (!error)
        error = scan(v);
    if (error)
        return error;
    index_versions(v);
    index_appends(v);
    if (v->absent)
        index_entries(v);
    if (v->c->level.model == MODEL_RCS)
        return vis_check_statements(v);
    error = vis_find_sources(v);
    if (!error && v->aggregates.any)
        error = vis_check_aggregates(v);
    if (error)
        return error;
    switch (v->c->level.model) {
    case MODEL_EC:
        return vis_check_ec(v);
    case MODEL_RC:
        return vis_check_rc(v);
    case MODEL_RA:
        return vis_check_ra(v);
    default:
        return vis_check_causal(v);
    }
}

const char *certify_arbitration(const struct history *h, const struct certificate *c,
                                struct missing_rows *absent, struct arena *messages)
{
    if (c->level.real_time != LEVEL_NO_TIME)
        return "real-time order is not defined for the level";
    struct certificate normal = *c;
    normal.level = level_normal(c->level);
    struct vis v = {.h = h, .c = &normal, .messages = messages, .absent = absent};
    v.per_read = model_get(c->level.model)->snapshot != SNAPSHOT_TRANSACTION;
    v.pos = filled(h->txns.len, 0);
    v.initial = hist_initial_values(h);
    aggregates_init(&v.aggregates, h);
    const char *error = check(&v);
    aggregates_free(&v.aggregates);
    void *all[] = {v.pos,     v.initial,       v.rd_start, v.wr_start,
                   v.rd_seen, v.version_start, v.versions, v.append_start,
                   v.appends, v.append_count,  v.entry};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        mem_free(all[i]);
    vec_free(&v.rd_op);
    vec_free(&v.rd_key);
    vec_free(&v.wr_key);
    vec_free(&v.wr_op);
    return error;
}
