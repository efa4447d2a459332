/* Version orders from outside; see version_order.h. */
#include "history/version_order.h"

#include <assert.h>
#include <inttypes.h>

#include "base/strbuf.h"
#include "base/json.h"

/* Per operation: 1 if it is the last write of a committed transaction to its key.  Free it. */
static uint8_t *final_writes(const struct history *h)
{
    uint8_t *final = mem_calloc(h->ops.len + 1, 1);
    uint32_t *seen = mem_calloc(h->keys.len + 1, sizeof *seen); /* transaction + 1 */
    for (uint32_t t = 0; t < h->txns.len; t++) {
        const struct hist_txn *txn = &h->txns.data[t];
        for (uint32_t i = txn->op_count; i-- > 0 && txn->status == HIST_COMMITTED;) {
            const struct hist_op *op = hist_txn_ops(h, t) + i;
            if (!hist_is_write(op) || seen[op->key] == t + 1)
                continue;
            seen[op->key] = t + 1;
            final[txn->first_op + i] = 1;
        }
    }
    mem_free(seen);
    return final;
}

/* --- reading ------------------------------------------------------------------------------- */

struct reader {
    struct scan s;
    struct history *h;
    const char *path; /* owned by the history */
    struct strbuf scratch;
    bool begun;          /* there was a line, perhaps the header */
    VEC(uint32_t) order; /* of the line at hand */
};

/* Where the values of a line's fields begin; NULL: there is no such field. */
struct fields {
    const char *header, *complete, *versions, *order;
};

static struct hist_place place_of(struct reader *r, const char *at)
{
    return (struct hist_place){r->path, scan_line(&r->s, at)};
}

static const char *read_key(struct reader *r, const char *at, uint32_t *key)
{
    const struct history *h = r->h;
    const char *error;
    r->s.p = at;
    *key = HIST_NONE;
    struct js_scalar k;
    if ((error = js_key(&r->s, &r->scratch, &k)))
        return error;
    if (k.kind == JS_INT) {
        const uint64_t *slot = map_get(&h->key_numbers, (uint64_t)k.number);
        *key = slot ? (uint32_t)*slot : HIST_NONE;
    } else { /* what is no string has a NUL behind it that counts, see history.h */
        uint32_t id = intern_find(&h->key_texts, k.text.s, k.text.n + (k.kind != JS_TEXT));
        *key = id == INTERN_NONE ? HIST_NONE : h->key_of_text.data[id];
    }
    return *key == HIST_NONE
               ? scan_error(&r->s, at, "\"versions\" names a key that the history does not have")
               : NULL;
}

/* The last write of a transaction to the key. */
static uint32_t last_write(const struct history *h, uint32_t txn, uint32_t key)
{
    const struct hist_txn *t = &h->txns.data[txn];
    for (uint32_t i = t->first_op + t->op_count; i-- > t->first_op;)
        if (h->ops.data[i].key == key && hist_is_write(&h->ops.data[i]))
            return i;
    return HIST_NONE;
}

/* "2.17": the eighteenth transaction of the third session. */
static const char *by_name(struct reader *r, uint32_t *txn)
{
    const struct history *h = r->h;
    const char *at = r->s.p++;
    uint64_t s, i;
    if (!scan_uint(&r->s, &s) || !scan_char(&r->s, '.') || !scan_uint(&r->s, &i) ||
        !scan_char(&r->s, '"'))
        return scan_error(&r->s, at,
                          "expected a transaction \"session.index\" or [transaction, operation]");
    if (s >= h->session_count || i >= h->index.session_start[s + 1] - h->index.session_start[s])
        return scan_error(&r->s, at, "there is no transaction %.*s", (int)(r->s.p - at), at);
    *txn = h->index.session_txns[h->index.session_start[s] + i];
    return NULL;
}

/* [t, o] counts as the history's own file does, before reads of several rows were spread out; so it
 * is offered only where there are none. */
static const char *by_number(struct reader *r, uint32_t key, uint32_t *op)
{
    const struct history *h = r->h;
    const char *at = r->s.p, *error;
    uint64_t t, o;
    if ((error = js_char(&r->s, '[')) || (error = js_uint(&r->s, "a transaction", &t)) ||
        (error = js_char(&r->s, ',')) || (error = js_uint(&r->s, "an operation", &o)) ||
        (error = js_char(&r->s, ']')))
        return error;
    if (h->predicates.len)
        return scan_error(&r->s, at,
                          "the history reads several rows at once: name transactions "
                          "\"session.index\"");
    if (t >= h->txns.len || o >= h->txns.data[t].op_count)
        return scan_error(&r->s, at, "there is no such operation");
    *op = h->txns.data[t].first_op + (uint32_t)o;
    if (h->ops.data[*op].key != key || !hist_is_write(&h->ops.data[*op]))
        return scan_error(&r->s, at, "the operation is not a write of the key");
    return NULL;
}

static const char *read_order(struct reader *r, const char *at, uint32_t key)
{
    const char *error;
    bool first = true;
    struct hist_place place = place_of(r, at);
    r->s.p = at;
    vec_clear(&r->order);
    if ((error = js_char(&r->s, '[')))
        return error;
    while (js_more(&r->s, ']', &first, &error)) {
        uint32_t what = HIST_NONE;
        bool named = *r->s.p == '"';
        at = r->s.p;
        error = named ? by_name(r, &what) : by_number(r, key, &what);
        if (error)
            return error;
        vec_push(&r->order, named ? last_write(r->h, what, key) : what);
        if (vec_last(&r->order) == HIST_NONE)
            return scan_error(&r->s, at, "transaction %.*s does not write the key",
                              (int)(r->s.p - at), at);
    }
    if (!error) {
        hist_add_version_order(r->h, key, r->order.data, r->order.len);
        hist_version_order_place(r->h, place);
    }
    return error;
}

static const char *read_header(struct reader *r, const struct fields *f)
{
    uint64_t version;
    r->s.p = f->header;
    const char *error = js_uint(&r->s, "version 1 of the format", &version);
    if (!error && version != 1)
        error = scan_error(&r->s, f->header, "expected version 1 of the format");
    if (error || !f->complete)
        return error;
    r->s.p = f->complete;
    r->h->complete_place = place_of(r, f->complete);
    if (js_word(&r->s, "true"))
        r->h->version_orders_complete = true;
    else if (!js_word(&r->s, "false"))
        return scan_expected(&r->s, f->complete, "true or false for \"complete\"");
    return NULL;
}

static const char *read_fields(struct reader *r, struct fields *f)
{
    static const char *const names[] = {"visar-version-order", "complete", "versions", "order"};
    const char **places[] = {&f->header, &f->complete, &f->versions, &f->order};
    const char *error = js_char(&r->s, '{');
    bool first = true;
    while (!error && js_more(&r->s, '}', &first, &error)) {
        const char *at = r->s.p;
        struct js_text name;
        size_t i = 0;
        if ((error = js_string(&r->s, "a field", &r->scratch, &name)))
            break;
        while (i < 4 && !js_is(&name, names[i]))
            i++;
        if (i == 4 && (name.n < 2 || memcmp(name.s, "x-", 2) != 0))
            return scan_error(&r->s, at, "unknown field \"%.*s\"", (int)name.n, name.s);
        if (i < 4 && *places[i])
            return scan_error(&r->s, at, "expected the field \"%s\" once", names[i]);
        if ((error = js_char(&r->s, ':')))
            break;
        js_space(&r->s);
        if (i < 4)
            *places[i] = r->s.p;
        error = i < 2 || i == 4 ? js_skip(&r->s) : js_pass(&r->s);
    }
    return error;
}

static const char *read_line(struct reader *r)
{
    const char *at = r->s.p;
    struct fields f = {0};
    uint32_t key;
    const char *error = read_fields(r, &f), *end = r->s.p;
    if (error)
        return error;
    if (r->begun && f.header)
        return scan_error(&r->s, at, "expected one header, on the first line");
    r->begun = true;
    if (f.header && (f.versions || f.order))
        return scan_error(&r->s, at, "the header stands on a line of its own");
    if (!f.header && f.complete)
        return scan_error(&r->s, at, "\"complete\" belongs to the header");
    if (!f.header && (!f.versions || !f.order))
        return scan_error(&r->s, at, "expected {\"versions\":key,\"order\":[…]}");
    if (f.header)
        error = read_header(r, &f);
    else if (!(error = read_key(r, f.versions, &key)))
        error = read_order(r, f.order, key);
    r->s.p = end;
    return error;
}

const char *vo_read(struct history *h, const char *path, const char *text, size_t size,
                    struct arena *messages)
{
    struct reader r = {.h = h,
                       .path = arena_strdup(&h->arena, path),
                       .s = {.p = text,
                             .end = text + size,
                             .start = text,
                             .path = path,
                             .messages = messages,
                             .counted = text,
                             .line = 1}};
    const char *error = NULL;
    while (!error && !scan_at_end(&r.s) && !(error = scan_interrupted())) {
        js_space(&r.s);
        if (scan_eol(&r.s))
            continue;
        error = read_line(&r);
        js_space(&r.s);
        if (!error && !scan_eol(&r.s))
            error = scan_expected(&r.s, r.s.p, "the end of the line");
    }
    if (!error && !r.begun)
        error = scan_expected(&r.s, r.s.end, "the header, {\"visar-version-order\":1,…}");
    vec_free(&r.order);
    sb_free(&r.scratch);
    return error;
}

/* --- orders that cannot be ------------------------------------------------------------------ */

static const char *complain(const struct history *h, struct hist_place at, uint32_t op,
                            const char *what, struct arena *messages)
{
    const char *path = at.path ? at.path : h->source, *text = hist_of_op(h, op, what, messages);
    return at.line ? arena_printf(messages, "%s:%" PRIu64 ": %s", path, at.line, text)
                   : arena_printf(messages, "%s: %s", path, text);
}

/* A write stands in an order once, and not behind a later one of its own transaction.  Two partial
 * orders of a key may share writes. */
static const char *check_order(const struct history *h, const struct hist_version_order *o,
                               uint32_t *last, uint32_t stamp, struct arena *messages)
{
    for (uint32_t j = 0; j < o->len; j++) {
        uint32_t op = h->version_ops.data[o->start + j], txn = hist_op_txn(h, op);
        /* Per transaction: the order at hand, and the write of it that came last. */
        uint32_t *seen = last + 2 * (size_t)txn;
        if (h->ops.data[op].flags & HIST_OP_FAILED)
            return complain(h, o->place, op, "failed, so it is in no version order", messages);
        if (seen[0] == stamp && seen[1] >= op)
            return complain(h, o->place, op,
                            seen[1] == op
                                ? "stands twice in the version order"
                                : "stands in the version order behind a later write of its own "
                                  "transaction",
                            messages);
        seen[0] = stamp;
        seen[1] = op;
    }
    return NULL;
}

static const char *check_orders(const struct history *h, struct arena *messages)
{
    uint32_t *last = mem_calloc(h->txns.len + 1, 2 * sizeof *last);
    const char *error = NULL;
    for (size_t i = 0; i < h->version_orders.len && !error; i++)
        error = check_order(h, &h->version_orders.data[i], last, (uint32_t)i + 1, messages);
    mem_free(last);
    return error;
}

static const char *check_complete(const struct history *h, struct arena *messages)
{
    uint8_t *final = final_writes(h);
    const struct hist_version_order **ordered = mem_calloc(h->keys.len + 1, sizeof *ordered);
    const char *error = NULL;
    for (size_t i = 0; i < h->version_orders.len && !error; i++) {
        const struct hist_version_order *o = &h->version_orders.data[i];
        for (uint32_t j = 0; j < o->len && !error; j++) {
            uint32_t op = h->version_ops.data[o->start + j];
            if (ordered[o->key])
                error = complain(h, o->place, op,
                                 "is in a second version order of its key, so that the "
                                 "order is not complete",
                                 messages);
            final[op] += final[op] == 1;
        }
        if (o->len)
            ordered[o->key] = o;
    }
    for (uint32_t i = 0; i < h->ops.len && !error; i++) {
        const struct hist_version_order *o = ordered[h->ops.data[i].key];
        if (final[i] == 1)
            error =
                complain(h, o ? o->place : h->complete_place, i,
                         "is missing from a version order that claims to be complete", messages);
    }
    mem_free(final);
    mem_free(ordered);
    return error;
}

const char *vo_check(const struct history *h, struct arena *messages)
{
    const char *error = check_orders(h, messages);
    return error || !h->version_orders_complete ? error : check_complete(h, messages);
}

/* --- chains -------------------------------------------------------------------------------- */

void vo_chains_build(struct vo_chains *c, const struct history *h)
{
    uint8_t *final = final_writes(h);
    uint32_t n = 0;
    c->start = mem_calloc(h->keys.len + 2, sizeof *c->start);
    c->ops = mem_alloc(mem_mul(h->ops.len + 1, sizeof *c->ops));
    c->pos = mem_calloc(h->ops.len + 1, sizeof *c->pos);
    uint32_t *order_of = mem_calloc(h->keys.len + 1, sizeof *order_of); /* order + 1 */
    for (size_t i = 0; i < h->version_orders.len; i++)
        if (h->version_orders.data[i].len)
            order_of[h->version_orders.data[i].key] = (uint32_t)i + 1;
    for (uint32_t k = 0; k < h->keys.len; k++) {
        c->start[k] = n;
        if (!order_of[k])
            continue;
        const struct hist_version_order *o = &h->version_orders.data[order_of[k] - 1];
        for (uint32_t j = 0; j < o->len; j++) {
            uint32_t op = h->version_ops.data[o->start + j];
            if (!final[op])
                continue;
            c->ops[n++] = op;
            c->pos[op] = n - c->start[k];
        }
    }
    c->start[h->keys.len] = n;
    mem_free(order_of);
    mem_free(final);
}

void vo_chains_free(struct vo_chains *c)
{
    mem_free(c->start);
    mem_free(c->ops);
    mem_free(c->pos);
    *c = (struct vo_chains){0};
}
