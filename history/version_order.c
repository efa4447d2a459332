/* Version orders from outside; see version_order.h. */
#include "history/version_order.h"

#include <assert.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>

#include "base/limit.h"
#include "base/strbuf.h"

static bool is_write(const struct hist_op *op)
{
    return (op->kind == HIST_WRITE || op->kind == HIST_APPEND) && !(op->flags & HIST_OP_FAILED);
}

uint8_t *vo_final_writes(const struct history *h)
{
    uint8_t *final = mem_calloc(h->ops.len + 1, 1);
    uint32_t *seen = mem_calloc(h->keys.len + 1, sizeof *seen); /* transaction + 1 */
    for (uint32_t t = 0; t < h->txns.len; t++) {
        const struct hist_txn *txn = &h->txns.data[t];
        for (uint32_t i = txn->op_count; i-- > 0 && txn->status == HIST_COMMITTED;) {
            const struct hist_op *op = hist_txn_ops(h, t) + i;
            if (!is_write(op) || seen[op->key] == t + 1)
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
    struct history *h;
    const char *path;
    struct arena *messages;
    size_t line;
    VEC(uint32_t) order;
};

static const char *wrong(const struct reader *r, const char *what)
{
    return arena_printf(r->messages, "%s:%zu: %s", r->path, r->line, what);
}

static const char *find_key(const struct reader *r, const json_t *v, uint32_t *key)
{
    const struct history *h = r->h;
    *key = HIST_NONE;
    if (json_is_string(v)) {
        uint32_t id = intern_find(&h->key_texts, json_string_value(v), json_string_length(v));
        *key = id == INTERN_NONE ? HIST_NONE : h->key_of_text.data[id];
    } else if (json_is_integer(v)) {
        const uint64_t *slot = map_get(&h->key_numbers, (uint64_t)json_integer_value(v));
        *key = slot ? (uint32_t)*slot : HIST_NONE;
    } else
        return wrong(r, "expected a key (an integer or a string) in \"versions\"");
    return *key == HIST_NONE ? wrong(r, "\"versions\" names a key that the history does not have")
                             : NULL;
}

/* The last write of a transaction to the key. */
static uint32_t last_write(const struct history *h, uint32_t txn, uint32_t key)
{
    const struct hist_txn *t = &h->txns.data[txn];
    for (uint32_t i = t->first_op + t->op_count; i-- > t->first_op;)
        if (h->ops.data[i].key == key && is_write(&h->ops.data[i]))
            return i;
    return HIST_NONE;
}

/* "2.17": the eighteenth transaction of the third session. */
static const char *by_name(const struct reader *r, const char *name, uint32_t key, uint32_t *op)
{
    const struct history *h = r->h;
    char *dot, *end = NULL;
    unsigned long s = strtoul(name, &dot, 10), i = 0;
    if (*name >= '0' && *name <= '9' && *dot == '.' && dot[1] >= '0' && dot[1] <= '9')
        i = strtoul(dot + 1, &end, 10);
    if (!end || *end)
        return wrong(r, "expected a transaction \"session.index\" or [transaction, operation]");
    if (s >= h->session_count || i >= h->session_start[s + 1] - h->session_start[s])
        return wrong(r, arena_printf(r->messages, "there is no transaction %s", name));
    *op = last_write(h, h->session_txns[h->session_start[s] + i], key);
    if (*op == HIST_NONE)
        return wrong(r, arena_printf(r->messages, "transaction %s does not write the key", name));
    return NULL;
}

/* [t, o] counts as the history's own file does, before reads of several rows were spread out; so it
 * is offered only where there are none. */
static const char *by_number(const struct reader *r, const json_t *v, uint32_t key, uint32_t *op)
{
    const struct history *h = r->h;
    const json_t *t = json_array_get(v, 0), *o = json_array_get(v, 1);
    if (json_array_size(v) != 2 || !json_is_integer(t) || !json_is_integer(o))
        return wrong(r, "expected a transaction \"session.index\" or [transaction, operation]");
    if (h->predicates.len)
        return wrong(r, "the history reads several rows at once: name transactions "
                        "\"session.index\"");
    json_int_t tn = json_integer_value(t), on = json_integer_value(o);
    if (tn < 0 || (uint64_t)tn >= h->txns.len || on < 0 || on >= h->txns.data[tn].op_count)
        return wrong(r, "there is no such operation");
    *op = h->txns.data[tn].first_op + (uint32_t)on;
    if (h->ops.data[*op].key != key || !is_write(&h->ops.data[*op]))
        return wrong(r, "the operation is not a write of the key");
    return NULL;
}

static const char *read_line(struct reader *r, const json_t *line)
{
    const json_t *header = json_object_get(line, "visar-version-order");
    const json_t *key_value = json_object_get(line, "versions");
    const json_t *order = json_object_get(line, "order");
    const char *error = NULL, *name;
    const json_t *v;
    uint32_t key;
    json_object_foreach(
        (json_t *)line, name,
        v) if (strcmp(name, "versions") && strcmp(name, "order") && strncmp(name, "x-", 2) &&
               !(header &&
                 (v == header ||
                  !strcmp(name, "complete")))) return wrong(r, arena_printf(r->messages,
                                                                            "unknown field \"%s\"",
                                                                            name));
    if (header) {
        const json_t *complete = json_object_get(line, "complete");
        if (!json_is_integer(header) || json_integer_value(header) != 1)
            return wrong(r, "expected version 1 of the format");
        if (complete && !json_is_boolean(complete))
            return wrong(r, "expected true or false for \"complete\"");
        r->h->version_orders_complete |= json_is_true(complete);
        return key_value || order ? wrong(r, "the header stands on a line of its own") : NULL;
    }
    if (!key_value || !json_is_array(order))
        return wrong(r, "expected {\"versions\":key,\"order\":[…]}");
    if ((error = find_key(r, key_value, &key)))
        return error;
    vec_clear(&r->order);
    for (size_t i = 0; i < json_array_size(order) && !error; i++) {
        uint32_t op = HIST_NONE;
        v = json_array_get(order, i);
        error = json_is_string(v) ? by_name(r, json_string_value(v), key, &op)
                                  : by_number(r, v, key, &op);
        vec_push(&r->order, op);
    }
    if (!error)
        hist_add_version_order(r->h, key, r->order.data, r->order.len);
    return error;
}

const char *vo_read(struct history *h, const char *path, const char *text, size_t size,
                    struct arena *messages)
{
    struct reader r = {.h = h, .path = path, .messages = messages};
    const char *error = NULL, *end = text + size;
    for (const char *p = text; p < end && !error;) {
        const char *eol = memchr(p, '\n', (size_t)(end - p));
        size_t n = (size_t)((eol ? eol : end) - p);
        json_error_t problem;
        r.line++;
        if (limit_reached())
            error = limit_text();
        else if (strspn(p, " \t\r") < n) {
            json_t *line = json_loadb(p, n, JSON_REJECT_DUPLICATES, &problem);
            error = !line                   ? wrong(&r, problem.text)
                    : !json_is_object(line) ? wrong(&r, "expected an object")
                                            : read_line(&r, line);
            json_decref(line);
        }
        p = eol ? eol + 1 : end;
    }
    vec_free(&r.order);
    return error;
}

/* --- completeness -------------------------------------------------------------------------- */

static const char *complain(const struct history *h, uint32_t op, const char *what,
                            struct arena *messages)
{
    struct strbuf b = {0};
    hist_op_text(h, op, &b);
    sb_puts(&b, " of ");
    hist_txn_text(h, hist_op_txn(h, op), &b);
    const char *text = arena_printf(messages, "%s %s", sb_str(&b), what);
    sb_free(&b);
    return text;
}

const char *vo_check_complete(const struct history *h, struct arena *messages)
{
    if (!h->version_orders_complete)
        return NULL;
    uint8_t *final = vo_final_writes(h);
    uint8_t *ordered = mem_calloc(h->keys.len + 1, 1);
    const char *error = NULL;
    for (size_t i = 0; i < h->version_orders.len && !error; i++) {
        const struct hist_version_order *o = &h->version_orders.data[i];
        for (uint32_t j = 0; j < o->len && !error; j++) {
            uint32_t op = h->version_ops.data[o->start + j];
            if (final[op] == 2)
                error = complain(h, op, "stands twice in the version order", messages);
            else if (ordered[o->key])
                error = complain(h, op,
                                 "is in a second version order of its key, so that the "
                                 "order is not complete",
                                 messages);
            final[op] += final[op] == 1;
        }
        ordered[o->key] |= o->len > 0;
    }
    for (uint32_t i = 0; i < h->ops.len && !error; i++)
        if (final[i] == 1)
            error = complain(h, i, "is missing from a version order that claims to be complete",
                             messages);
    mem_free(final);
    mem_free(ordered);
    return error;
}

/* --- chains -------------------------------------------------------------------------------- */

void vo_chains_build(struct vo_chains *c, const struct history *h)
{
    uint8_t *final = vo_final_writes(h);
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

/* --- certificates -------------------------------------------------------------------------- */

/* Per operation: when its transaction commits in the certificate's order, counted from 1, if it is
 * the transaction's last write of its key; else 0.  A transaction of unknown outcome that the
 * certificate leaves out wrote nothing. */
static uint32_t *commit_places(const struct history *h, const struct certificate *c)
{
    uint32_t *place = mem_calloc(h->ops.len + 1, sizeof *place);
    uint32_t *seen = mem_calloc(h->keys.len + 1, sizeof *seen); /* place of a transaction */
    for (size_t i = 0; i < c->len; i++) {
        if (c->kind == CHECK_EVENTS && !(c->order[i] & 1))
            continue;
        const struct hist_txn *t =
            &h->txns.data[c->kind == CHECK_EVENTS ? c->order[i] / 2 : c->order[i]];
        for (uint32_t j = t->first_op + t->op_count; j-- > t->first_op;) {
            const struct hist_op *op = &h->ops.data[j];
            if (!is_write(op) || seen[op->key] == i + 1)
                continue;
            seen[op->key] = place[j] = (uint32_t)i + 1;
        }
    }
    mem_free(seen);
    return place;
}

/* In the order of the certificate, later versions are committed later. */
const char *vo_certify(const struct history *h, const struct certificate *c, struct arena *messages)
{
    if (!h->version_orders.len)
        return NULL;
    uint32_t *place = commit_places(h, c);
    const char *error = NULL;
    for (size_t i = 0; i < h->version_orders.len && !error; i++) {
        const struct hist_version_order *o = &h->version_orders.data[i];
        uint32_t last = 0;
        for (uint32_t j = 0; j < o->len && !error; j++) {
            uint32_t op = h->version_ops.data[o->start + j];
            if (!place[op])
                continue;
            if (place[op] <= last)
                error = complain(h, op, "is committed before an older version", messages);
            last = place[op];
        }
    }
    mem_free(place);
    return error;
}
