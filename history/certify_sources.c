/* Which write every external read saw: the only one that explains it, or the one that the
 * certificate names; see certify_vis.h. */
#include "base/strbuf.h"
#include "history/certify_vis.h"

/* Final writes by key and value, or by key, value and write id.  One entry for equal ones: two of
 * them are kept, because one may be the reader's own, and whether there are more. */
struct index {
    uint32_t *slot, *second; /* 1 + operation */
    uint8_t *more;
    uint32_t mask;
    bool by_id;
};

static bool same_entry(const struct vis *v, const struct index *x, uint32_t a, uint32_t b)
{
    const struct hist_op *p = &v->h->ops.data[a], *q = &v->h->ops.data[b];
    return p->key == q->key && hist_value_eq(hist_op_value(p), hist_op_value(q)) &&
           (!x->by_id || v->h->write_ids[a] == v->h->write_ids[b]);
}

static uint32_t find(const struct vis *v, const struct index *x, uint32_t op)
{
    const struct hist_op *o = &v->h->ops.data[op];
    uint64_t id = x->by_id ? v->h->write_ids[op] : 0, null = o->flags & HIST_OP_NULL;
    uint64_t value = null ? 0 : (uint64_t)o->value;
    uint32_t i = (uint32_t)hash_u64(hash_u64(value + 2 * null) ^ hash_u64(id) ^ o->key);
    for (i &= x->mask; x->slot[i] && !same_entry(v, x, x->slot[i] - 1, op); i = (i + 1) & x->mask)
        ;
    return i;
}

static void index_build(const struct vis *v, struct index *x, bool by_id)
{
    size_t slots = 16, writes = v->write_start[v->h->keys.len];
    while (slots < 2 * writes)
        slots *= 2;
    *x = (struct index){mem_calloc(slots, sizeof *x->slot), mem_calloc(slots, sizeof *x->second),
                        mem_calloc(slots, 1), (uint32_t)(slots - 1), by_id};
    for (size_t i = 0; i < writes; i++) {
        uint32_t op = v->writes[i], at;
        if (by_id && !v->h->write_ids[op])
            continue;
        at = find(v, x, op);
        if (!x->slot[at])
            x->slot[at] = op + 1;
        else if (!x->second[at])
            x->second[at] = op + 1;
        else
            x->more[at] = 1;
    }
}

static void index_free(struct index *x)
{
    mem_free(x->slot);
    mem_free(x->second);
    mem_free(x->more);
}

/* --- registers ------------------------------------------------------------------------------- */

static const char *find_source(struct vis *v, const struct index *values, const struct index *ids,
                               uint32_t op)
{
    const struct history *h = v->h;
    const struct hist_op *r = &h->ops.data[op];
    v->source[op] = HIST_NONE;
    if (r->flags & HIST_OP_INITIAL)
        return NULL;
    bool by_id = h->write_ids && h->write_ids[op];
    const struct index *x = by_id ? ids : values;
    uint32_t at = find(v, x, op);
    bool initial = !by_id && hist_value_eq(hist_op_value(r), v->initial[r->key]);
    uint32_t found[] = {x->slot[at], x->second[at]}, others = 0;
    for (int i = 0; i < 2; i++)
        if (found[i] && v->op_txn[found[i] - 1] != v->op_txn[op]) {
            v->source[op] = found[i] - 1;
            others++;
        }
    if (others + initial + x->more[at] > 1)
        return vis_bad_read(v, op, "may have seen several writes");
    if (!others && !initial)
        return vis_bad_read(v, op, "is of nothing written");
    return NULL;
}

static const char *check_given(const struct vis *v, uint32_t op, uint32_t write)
{
    const struct history *h = v->h;
    const struct hist_op *r = &h->ops.data[op];
    bool by_id = h->write_ids && h->write_ids[op];
    if (write == HIST_NONE) {
        bool fine = r->flags & HIST_OP_INITIAL ||
                    (!by_id && hist_value_eq(hist_op_value(r), v->initial[r->key]));
        return fine ? NULL : vis_bad_read(v, op, "is not the initial version");
    }
    if (write >= h->ops.len || !(v->cls[write] & VIS_FINAL) || h->ops.data[write].key != r->key ||
        !v->pos[v->op_txn[write]] || v->op_txn[write] == v->op_txn[op] ||
        r->flags & HIST_OP_INITIAL ||
        !hist_value_eq(hist_op_value(r), hist_op_value(&h->ops.data[write])) ||
        (by_id && h->write_ids[op] != h->write_ids[write]))
        return vis_bad_read(v, op, "did not see the write that the certificate names");
    return NULL;
}

/* --- lists ----------------------------------------------------------------------------------- */

/* *outside: how many elements others appended. */
bool vis_list_ends_with_own(const struct vis *v, uint32_t read, uint32_t *outside)
{
    const struct history *h = v->h;
    const struct hist_op *r = &h->ops.data[read];
    uint32_t first = h->txns.data[v->op_txn[read]].first_op, at = r->list.len;
    for (uint32_t i = read; i-- > first;) {
        const struct hist_op *a = &h->ops.data[i];
        if (a->kind == HIST_APPEND && a->key == r->key && !(a->flags & HIST_OP_FAILED) &&
            (!at || h->lists.data[r->list.start + --at] != a->value))
            return false;
    }
    *outside = at;
    return true;
}

/* A list is a version: all appends of the key up to its last one. */
static const char *find_list_source(struct vis *v, uint32_t op)
{
    const struct history *h = v->h;
    const struct hist_op *r = &h->ops.data[op];
    const int64_t *all = v->appends + v->append_start[r->key];
    uint32_t len, count = v->append_start[r->key + 1] - v->append_start[r->key];
    v->source[op] = HIST_NONE;
    if (!vis_list_ends_with_own(v, op, &len))
        return vis_bad_read(v, op, "does not end with its own appends");
    if (!len)
        return NULL;
    if (len > count || memcmp(all, h->lists.data + r->list.start, len * sizeof *all))
        return vis_bad_read(v, op, "is not the list");
    uint32_t lo = v->write_start[r->key], hi = v->write_start[r->key + 1];
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (v->append_count[v->writes[mid]] < len)
            lo = mid + 1;
        else
            hi = mid;
    }
    if (lo == v->write_start[r->key + 1] || v->append_count[v->writes[lo]] != len)
        return vis_bad_read(v, op, "shows a transaction in part");
    v->source[op] = v->writes[lo];
    return NULL;
}

/* --- all ------------------------------------------------------------------------------------- */

static const char *find_all(struct vis *v, const struct index *values, const struct index *ids,
                            const struct map *given)
{
    const struct history *h = v->h;
    const char *error = NULL;
    for (uint32_t i = 0; i < h->ops.len && !error; i++) {
        if (!(v->cls[i] & VIS_EXTERNAL) || !v->pos[v->op_txn[i]])
            continue;
        const uint64_t *named = given->len ? map_get(given, i) : NULL;
        if (h->ops.data[i].kind == HIST_LIST_READ)
            error = find_list_source(v, i);
        else if (named)
            error = check_given(v, i, v->source[i] = (uint32_t)*named);
        else
            error = find_source(v, values, ids, i);
        if (!error && vis_source_pos(v, i) >= v->pos[v->op_txn[i]])
            error = vis_bad_read(v, i, "saw a later transaction");
    }
    return error;
}

const char *vis_find_sources(struct vis *v)
{
    struct index values, ids = {0};
    struct map given = {0};
    index_build(v, &values, false);
    if (v->h->write_ids)
        index_build(v, &ids, true);
    for (size_t i = 0; i < v->c->source_count; i++)
        *map_put(&given, v->c->sources[i].from, 0, NULL) = v->c->sources[i].to;
    const char *error = find_all(v, &values, &ids, &given);
    map_free(&given);
    index_free(&values);
    index_free(&ids);
    return error;
}
