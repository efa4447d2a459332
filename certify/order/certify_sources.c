/* Which write every external read saw: the one that the certificate names, or else one that
 * explains the read; see certify_vis.h.  Whatever source is taken, a certificate that passes with
 * it is a proof: the history only has to have one explanation. */
#include "base/strbuf.h"
#include "certify/order/certify_vis.h"

/* Most reads see a version that was the last one a moment ago, so we first go back from there. */
#define STEPS 24

/* Versions by key and value, or by key and write id, made when first needed. */
struct index {
    uint32_t *head, *next; /* 1 + version */
    uint32_t mask;
    bool by_id;
};

struct sources {
    struct vis *v;
    uint32_t *now;   /* per key: how many versions are of places before the present one */
    uint32_t *given; /* per operation: 1 + the certificate's source that names it; NULL: none */
    struct index values, ids;
};

static uint32_t slot_of(const struct index *x, uint32_t key, uint64_t what)
{
    return (uint32_t)hash_u64(hash_u64(what) ^ key) & x->mask;
}

static void index_build(const struct vis *v, struct index *x, bool by_id)
{
    size_t slots = 16, versions = v->wr_op.len;
    while (slots < 2 * versions)
        slots *= 2;
    *x = (struct index){mem_calloc(slots, sizeof *x->head),
                        mem_calloc(versions + 1, sizeof *x->next), (uint32_t)(slots - 1), by_id};
    for (uint32_t k = 0; k < v->h->keys.len; k++)
        for (uint32_t i = v->version_start[k]; i < v->version_start[k + 1]; i++) {
            uint64_t what =
                by_id ? v->h->write_ids[v->versions[i].op] : (uint64_t)v->versions[i].value;
            uint32_t *head = &x->head[slot_of(x, k, what)];
            x->next[i] = *head;
            *head = i + 1;
        }
}

static void index_free(struct index *x)
{
    mem_free(x->head);
    mem_free(x->next);
}

/* --- registers ------------------------------------------------------------------------------- */

static bool explains(const struct vis *v, const struct vis_version *x, uint32_t read)
{
    const struct history *h = v->h;
    const struct hist_op *r = &h->ops.data[read];
    bool null = r->flags & HIST_OP_NULL;
    if (r->flags & HIST_OP_ANY)
        return true;
    if (x->value != (null ? 0 : r->value))
        return false;
    if (!x->value && !(h->ops.data[x->op].flags & HIST_OP_NULL) != !null)
        return false;
    return !h->write_ids || !h->write_ids[read] || h->write_ids[read] == h->write_ids[x->op];
}

static bool explained_initially(const struct vis *v, uint32_t read)
{
    const struct hist_op *r = &v->h->ops.data[read];
    return r->flags & HIST_OP_ANY || (!(v->h->write_ids && v->h->write_ids[read]) &&
                                      hist_value_eq(hist_op_value(r), v->initial[r->key]));
}

static uint32_t look_up(struct sources *s, uint32_t read, uint32_t first, uint32_t end)
{
    const struct vis *v = s->v;
    const struct hist_op *r = &v->h->ops.data[read];
    bool by_id = v->h->write_ids && v->h->write_ids[read];
    struct index *x = by_id ? &s->ids : &s->values;
    if (!x->head)
        index_build(v, x, by_id);
    uint64_t what = by_id                     ? v->h->write_ids[read]
                    : r->flags & HIST_OP_NULL ? 0
                                              : (uint64_t)r->value;
    for (uint32_t i = x->head[slot_of(x, r->key, what)]; i; i = x->next[i - 1])
        if (i - 1 >= first && i - 1 < end && explains(v, &v->versions[i - 1], read))
            return i - 1;
    return HIST_NONE;
}

/* A version before the present place that explains the read. */
static const char *find_source(struct sources *s, uint32_t r)
{
    struct vis *v = s->v;
    uint32_t op = v->rd_op.data[r], key = v->rd_key.data[r];
    uint32_t first = v->version_start[key], end = first + s->now[key], at = end;
    v->rd_seen[r] = 0;
    if (explained_initially(v, op))
        return NULL;
    for (int n = 0; n < STEPS && at > first; n++)
        if (explains(v, &v->versions[--at], op)) {
            v->rd_seen[r] = v->versions[at].place + 1;
            return NULL;
        }
    at = at > first ? look_up(s, op, first, at) : HIST_NONE;
    if (at == HIST_NONE)
        return vis_bad_read(v, op, "is of nothing written before");
    v->rd_seen[r] = v->versions[at].place + 1;
    return NULL;
}

static const char *take_given(struct sources *s, uint32_t place, uint32_t r, uint32_t write)
{
    struct vis *v = s->v;
    const struct history *h = v->h;
    uint32_t read = v->rd_op.data[r], key = v->rd_key.data[r];
    v->rd_seen[r] = 0;
    if (write == HIST_NONE)
        return explained_initially(v, read) ? NULL
                                            : vis_bad_read(v, read, "is not the initial version");
    uint32_t at = write < h->ops.len ? v->pos[hist_op_txn(h, write)] : 0;
    if (!at || at > place || h->ops.data[read].flags & HIST_OP_INITIAL)
        return vis_bad_read(v, read, "cannot have seen the write that the certificate names");
    uint32_t i = v->version_start[key] + vis_versions_within(v, key, at);
    if (i == v->version_start[key] || v->versions[i - 1].op != write ||
        !explains(v, &v->versions[i - 1], read))
        return vis_bad_read(v, read, "did not see the write that the certificate names");
    v->rd_seen[r] = at;
    return NULL;
}

/* --- lists ----------------------------------------------------------------------------------- */

/* *outside: how many elements others appended. */
bool vis_list_ends_with_own(const struct vis *v, uint32_t read, uint32_t *outside)
{
    const struct history *h = v->h;
    const struct hist_op *r = &h->ops.data[read];
    uint32_t first = h->txns.data[hist_op_txn(h, read)].first_op, at = r->list.len;
    for (uint32_t i = read; i-- > first;) {
        const struct hist_op *a = &h->ops.data[i];
        if (hist_is_append(a) && a->key == r->key &&
            (!at || h->lists.data[r->list.start + --at] != a->value))
            return false;
    }
    *outside = at;
    return true;
}

/* A list is a version: all appends of the key up to its last one. */
static const char *find_list_source(struct vis *v, uint32_t place, uint32_t index)
{
    const struct history *h = v->h;
    uint32_t op = v->rd_op.data[index], key = v->rd_key.data[index], len;
    const struct hist_op *r = &h->ops.data[op];
    const int64_t *all = v->appends + v->append_start[key];
    uint32_t count = v->append_start[key + 1] - v->append_start[key];
    v->rd_seen[index] = 0;
    if (!vis_list_ends_with_own(v, op, &len))
        return vis_bad_read(v, op, "does not end with its own appends");
    if (!len)
        return NULL;
    if (len > count || memcmp(all, h->lists.data + r->list.start, len * sizeof *all))
        return vis_bad_read(v, op, "is not the list");
    uint32_t lo = v->version_start[key], hi = v->version_start[key + 1];
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (v->append_count[mid] < len)
            lo = mid + 1;
        else
            hi = mid;
    }
    if (lo == v->version_start[key + 1] || v->append_count[lo] != len)
        return vis_bad_read(v, op, "shows a transaction in part");
    if (v->versions[lo].place >= place)
        return vis_bad_read(v, op, "saw a later transaction");
    v->rd_seen[index] = v->versions[lo].place + 1;
    return NULL;
}

/* --- all ------------------------------------------------------------------------------------- */

/* One snapshot: what another read of the row saw, one with a value or one that the certificate
 * names, a row of an aggregate saw as well. */
static void share_sources(struct sources *s, uint32_t place)
{
    struct vis *v = s->v;
    for (uint32_t r = v->rd_start[place]; r < v->rd_start[place + 1] && !v->per_read; r++) {
        if (!(v->h->ops.data[v->rd_op.data[r]].flags & HIST_OP_ANY))
            continue;
        bool found = false;
        for (uint32_t o = v->rd_start[place]; o < v->rd_start[place + 1] && !found; o++) {
            bool any = v->h->ops.data[v->rd_op.data[o]].flags & HIST_OP_ANY;
            if (v->rd_key.data[o] != v->rd_key.data[r] ||
                (any && !(s->given && s->given[v->rd_op.data[o]])))
                continue;
            v->rd_seen[r] = v->rd_seen[o];
            found = true;
        }
    }
}

static const char *find_all(struct sources *s, uint32_t place)
{
    struct vis *v = s->v;
    const char *error = NULL;
    for (uint32_t r = v->rd_start[place]; r < v->rd_start[place + 1] && !error; r++) {
        uint32_t named = s->given ? s->given[v->rd_op.data[r]] : 0;
        if (v->h->ops.data[v->rd_op.data[r]].kind == HIST_LIST_READ)
            error = find_list_source(v, place, r);
        else if (named)
            error = take_given(s, place, r, v->c->sources[named - 1].to);
        else
            error = find_source(s, r);
    }
    if (!error && v->aggregates.any)
        share_sources(s, place);
    for (uint32_t i = v->wr_start[place]; i < v->wr_start[place + 1]; i++)
        s->now[v->wr_key.data[i]]++;
    return error;
}

const char *vis_find_sources(struct vis *v)
{
    struct sources s = {.v = v};
    const char *error = NULL;
    s.now = mem_calloc(v->h->keys.len + 1, sizeof *s.now);
    v->rd_seen = mem_alloc(mem_mul(v->rd_op.len + 1, sizeof *v->rd_seen));
    if (v->c->source_count)
        s.given = mem_calloc(v->h->ops.len + 1, sizeof *s.given);
    for (size_t i = 0; i < v->c->source_count; i++)
        if (v->c->sources[i].from < v->h->ops.len)
            s.given[v->c->sources[i].from] = (uint32_t)i + 1;
    for (uint32_t n = 0; n < v->c->len && !error; n++)
        error = find_all(&s, n);
    mem_free(s.given);
    index_free(&s.values);
    index_free(&s.ids);
    mem_free(s.now);
    return error;
}
