/* Facts of a history; see history_facts.h.  Nothing here is fast beyond an index by key: it is
 * asked only about the few operations that an explanation names. */
#include "certify/history_facts.h"

#include <assert.h>

void hist_facts_init(struct hist_facts *f, const struct history *h, bool per_read)
{
    *f = (struct hist_facts){.h = h, .per_read = per_read};
    size_t ops = h->ops.len, keys = h->keys.len;
    f->initial = hist_initial_values(h);
    f->consistent = mem_calloc(h->txns.len + 1, 1);
    f->counts = mem_calloc(h->txns.len + 1, 1);
    f->op_txn = hist_op_txns(h);
    f->key_start = mem_calloc(keys + 2, sizeof *f->key_start);
    f->key_ops = mem_alloc(mem_mul(ops + 1, sizeof *f->key_ops));
    for (size_t i = 0; i < ops; i++)
        f->key_start[h->ops.data[i].key + 2]++;
    for (size_t k = 0; k < keys; k++)
        f->key_start[k + 2] += f->key_start[k + 1];
    for (size_t i = 0; i < ops; i++)
        f->key_ops[f->key_start[h->ops.data[i].key + 1]++] = (uint32_t)i;
}

void hist_facts_free(struct hist_facts *f)
{
    mem_free(f->key_start);
    mem_free(f->key_ops);
    mem_free(f->op_txn);
    mem_free(f->initial);
    mem_free(f->consistent);
    mem_free(f->counts);
}

static bool is_read(const struct hist_op *op)
{
    return (op->kind == HIST_READ || op->kind == HIST_LIST_READ) && !(op->flags & HIST_OP_FAILED);
}

/* A row of an aggregate. */
static bool is_any(const struct hist_op *op)
{
    return op->flags & HIST_OP_ANY;
}

/* --- inside a transaction --------------------------------------------------------------------- */

bool hist_facts_final(const struct hist_facts *f, uint32_t op)
{
    return hist_is_final(f->h, f->op_txn[op], op);
}

/* The own operation on the key just before `op` that is a write, or a read if reads count. */
static uint32_t own_before(const struct hist_facts *f, uint32_t op, bool reads, bool writes)
{
    uint32_t first = f->h->txns.data[f->op_txn[op]].first_op;
    for (uint32_t i = op; i-- > first;) {
        const struct hist_op *o = &f->h->ops.data[i];
        bool read = reads && is_read(o) && !is_any(o);
        if (o->key == f->h->ops.data[op].key && ((writes && hist_is_write(o)) || read))
            return i;
    }
    return HIST_NONE;
}

static bool all_flagged(const struct hist_facts *f, uint32_t a, uint32_t b, uint8_t flag)
{
    bool same = f->op_txn[a] == f->op_txn[b];
    for (uint32_t i = a + 1; i <= b; i++)
        same &= (f->h->ops.data[i].flags & flag) != 0;
    return same;
}

bool hist_facts_same_statement(const struct hist_facts *f, uint32_t a, uint32_t b)
{
    return all_flagged(f, a, b, HIST_OP_SAME_STMT);
}

bool hist_facts_same_read(const struct hist_facts *f, uint32_t a, uint32_t b)
{
    return all_flagged(f, a, b, HIST_OP_SAME_READ);
}

/* A row of an aggregate is a read of its own unless another read of the row, with a value, says
 * what was seen of it, or an earlier one without. */
static bool any_external(const struct hist_facts *f, uint32_t op)
{
    const struct hist_txn *t = &f->h->txns.data[f->op_txn[op]];
    bool external = own_before(f, op, false, true) == HIST_NONE;
    for (uint32_t i = t->first_op; i < t->first_op + t->op_count && !f->per_read; i++) {
        const struct hist_op *o = &f->h->ops.data[i];
        if (o->key == f->h->ops.data[op].key && is_read(o) &&
            (is_any(o) ? i < op : own_before(f, i, false, true) == HIST_NONE))
            external = false;
    }
    return external;
}

uint32_t hist_facts_row(const struct hist_facts *f, uint32_t op)
{
    const struct hist_txn *t = &f->h->txns.data[f->op_txn[op]];
    if (hist_facts_external(f, op))
        return op;
    for (uint32_t i = t->first_op; i < t->first_op + t->op_count; i++)
        if (f->h->ops.data[i].key == f->h->ops.data[op].key && hist_facts_external(f, i))
            return i;
    return HIST_NONE;
}

bool hist_facts_external(const struct hist_facts *f, uint32_t op)
{
    const struct hist_op *o = &f->h->ops.data[op];
    if (!is_read(o))
        return false;
    if (is_any(o))
        return any_external(f, op);
    bool list = o->kind == HIST_LIST_READ;
    return own_before(f, op, !f->per_read, !list) == HIST_NONE;
}

static uint32_t own_appends(const struct hist_facts *f, uint32_t op, uint32_t since)
{
    uint32_t n = 0;
    for (uint32_t i = since; i < op; i++)
        n += f->h->ops.data[i].key == f->h->ops.data[op].key && hist_is_write(&f->h->ops.data[i]);
    return n;
}

uint32_t hist_facts_list_length(const struct hist_facts *f, uint32_t read)
{
    uint32_t own = own_appends(f, read, f->h->txns.data[f->op_txn[read]].first_op);
    uint32_t len = f->h->ops.data[read].list.len;
    return len >= own ? len - own : 0;
}

/* Does the list end with what the transaction appended since `since`? */
static bool ends_with_own(const struct hist_facts *f, uint32_t read, uint32_t since)
{
    const struct hist_op *r = &f->h->ops.data[read];
    uint32_t at = r->list.len;
    for (uint32_t i = read; i-- > since;) {
        const struct hist_op *a = &f->h->ops.data[i];
        if (a->key != r->key || !hist_is_write(a))
            continue;
        if (!at || f->h->lists.data[r->list.start + --at] != a->value)
            return false;
    }
    return true;
}

static uint32_t list_contradiction(const struct hist_facts *f, uint32_t read)
{
    const struct history *h = f->h;
    const struct hist_op *r = &h->ops.data[read];
    uint32_t last = own_before(f, read, true, true);
    uint32_t before = f->per_read ? HIST_NONE : own_before(f, read, true, false);
    uint32_t since = before == HIST_NONE ? h->txns.data[f->op_txn[read]].first_op : before;
    if (!ends_with_own(f, read, since))
        return last;
    if (before == HIST_NONE)
        return HIST_NONE;
    const struct hist_op *b = &h->ops.data[before];
    uint32_t own = own_appends(f, read, before);
    bool same = b->list.len + own == r->list.len &&
                !memcmp(h->lists.data + b->list.start, h->lists.data + r->list.start,
                        b->list.len * sizeof *h->lists.data);
    return same ? HIST_NONE : before;
}

uint32_t hist_facts_contradiction(const struct hist_facts *f, uint32_t read)
{
    const struct history *h = f->h;
    const struct hist_op *r = &h->ops.data[read];
    if (!is_read(r) || is_any(r))
        return HIST_NONE;
    if (r->kind == HIST_LIST_READ)
        return list_contradiction(f, read);
    uint32_t before = own_before(f, read, !f->per_read, true);
    if (before == HIST_NONE)
        return HIST_NONE;
    uint32_t write = own_before(f, read, false, true);
    if (write != HIST_NONE)
        before = write; /* reads after an own write show the write */
    bool same = hist_value_eq(hist_op_value(r), hist_op_value(&h->ops.data[before]));
    if (h->write_ids && h->write_ids[read] != h->write_ids[before])
        same = false;
    bool initial = r->flags & HIST_OP_INITIAL;
    bool initial_before = h->ops.data[before].flags & HIST_OP_INITIAL;
    if (initial != initial_before)
        same = false;
    return same ? HIST_NONE : before;
}

static bool contradicts_itself(const struct hist_facts *f, const struct hist_txn *t)
{
    for (uint32_t i = t->first_op; i < t->first_op + t->op_count; i++)
        if (hist_facts_contradiction(f, i) != HIST_NONE)
            return true;
    return false;
}

static bool lacks_source(struct hist_facts *f, const struct hist_txn *t)
{
    hist_facts_ops sources = {0};
    bool lacks = false;
    for (uint32_t i = t->first_op; i < t->first_op + t->op_count && !lacks; i++) {
        if (f->h->ops.data[i].kind != HIST_READ || !hist_facts_external(f, i))
            continue;
        hist_facts_sources(f, i, &sources);
        lacks = !sources.len;
    }
    vec_free(&sources);
    return lacks;
}

/* All transactions of unknown outcome: one without a source for a read did not happen, and then
 * nobody can have read from it. */
static void find_possible(struct hist_facts *f)
{
    const struct history *h = f->h;
    for (uint32_t t = 0; t < h->txns.len; t++)
        if (h->txns.data[t].status == HIST_UNKNOWN)
            f->consistent[t] = contradicts_itself(f, &h->txns.data[t]) ? 2 : 1;
    f->settled = true;
    for (bool again = true; again;) {
        again = false;
        for (uint32_t t = 0; t < h->txns.len; t++)
            if (h->txns.data[t].status == HIST_UNKNOWN && f->consistent[t] == 1 &&
                lacks_source(f, &h->txns.data[t])) {
                f->consistent[t] = 2;
                again = true;
            }
    }
}

bool hist_facts_possible(struct hist_facts *f, uint32_t txn)
{
    if (f->h->txns.data[txn].status != HIST_UNKNOWN)
        return f->h->txns.data[txn].status == HIST_COMMITTED;
    if (!f->settled)
        find_possible(f);
    return f->consistent[txn] == 1;
}

/* --- sources ---------------------------------------------------------------------------------- */

static bool explains(const struct hist_facts *f, uint32_t write, uint32_t read)
{
    const struct history *h = f->h;
    if (is_any(&h->ops.data[read]))
        return true;
    if (h->write_ids && h->write_ids[read] && h->write_ids[write] != h->write_ids[read])
        return false;
    return hist_value_eq(hist_op_value(&h->ops.data[write]), hist_op_value(&h->ops.data[read]));
}

static void register_sources(struct hist_facts *f, uint32_t read, hist_facts_ops *out)
{
    const struct history *h = f->h;
    const struct hist_op *r = &h->ops.data[read];
    if (r->flags & HIST_OP_INITIAL) {
        if (hist_value_eq(hist_op_value(r), f->initial[r->key]))
            vec_push(out, HIST_NONE);
        return;
    }
    if (is_any(r) || (!(h->write_ids && h->write_ids[read]) &&
                      hist_value_eq(hist_op_value(r), f->initial[r->key])))
        vec_push(out, HIST_NONE);
    for (uint32_t i = f->key_start[r->key]; i < f->key_start[r->key + 1]; i++) {
        uint32_t w = f->key_ops[i], t = f->op_txn[w];
        if (hist_is_write(&h->ops.data[w]) && t != f->op_txn[read] && explains(f, w, read) &&
            hist_facts_final(f, w) && hist_facts_possible(f, t))
            vec_push(out, w);
    }
}

/* Do the transaction's appends to the key, of which `last` is the final one, end the first `len`
 * elements of a list? */
static bool ends_list(const struct hist_facts *f, uint32_t last, const int64_t *list, uint32_t len)
{
    uint32_t first = f->h->txns.data[f->op_txn[last]].first_op, at = len;
    for (uint32_t i = last + 1; i-- > first;) {
        const struct hist_op *a = &f->h->ops.data[i];
        if (a->key == f->h->ops.data[last].key && hist_is_write(a) &&
            (!at || list[--at] != a->value))
            return false;
    }
    return true;
}

static void list_sources(struct hist_facts *f, uint32_t read, hist_facts_ops *out)
{
    const struct history *h = f->h;
    const struct hist_op *r = &h->ops.data[read];
    uint32_t len = hist_facts_list_length(f, read);
    if (!len) {
        vec_push(out, HIST_NONE);
        return;
    }
    for (uint32_t i = f->key_start[r->key]; i < f->key_start[r->key + 1]; i++) {
        uint32_t w = f->key_ops[i], t = f->op_txn[w];
        const struct hist_op *a = &h->ops.data[w];
        if (hist_is_write(a) && a->value == h->lists.data[r->list.start + len - 1] &&
            t != f->op_txn[read] && hist_facts_final(f, w) && hist_facts_possible(f, t) &&
            ends_list(f, w, h->lists.data + r->list.start, len))
            vec_push(out, w);
    }
}

void hist_facts_sources(struct hist_facts *f, uint32_t read, hist_facts_ops *out)
{
    vec_clear(out);
    if (f->h->ops.data[read].kind == HIST_LIST_READ)
        list_sources(f, read, out);
    else
        register_sources(f, read, out);
}

uint32_t hist_facts_appended(struct hist_facts *f, uint32_t key, int64_t value, uint32_t except)
{
    uint32_t n = 0;
    for (uint32_t i = f->key_start[key]; i < f->key_start[key + 1]; i++) {
        uint32_t w = f->key_ops[i], t = f->op_txn[w];
        n += hist_is_write(&f->h->ops.data[w]) && f->h->ops.data[w].value == value && t != except &&
             hist_facts_possible(f, t);
    }
    return n;
}

uint32_t hist_facts_shown(const struct hist_facts *f, uint32_t read, int64_t value)
{
    const struct hist_op *r = &f->h->ops.data[read];
    uint32_t n = 0, len = r->kind == HIST_LIST_READ ? hist_facts_list_length(f, read) : 0;
    for (uint32_t i = 0; i < len; i++)
        n += f->h->lists.data[r->list.start + i] == value;
    return n;
}

/* --- who counts ------------------------------------------------------------------------------- */

static bool must_have_read(struct hist_facts *f, uint32_t read, uint32_t write)
{
    hist_facts_ops sources = {0};
    hist_facts_sources(f, read, &sources);
    bool only = sources.len == 1 && sources.data[0] == write;
    vec_free(&sources);
    return only;
}

/* Lists: every element of what a transaction that counts read was appended by one that counts.  If
 * it shows all appends of the value that there are, it shows this one.  all: how many there are. */
static bool shows(struct hist_facts *f, uint32_t read, uint32_t append, uint32_t all)
{
    const struct hist_op *a = &f->h->ops.data[append];
    uint32_t reader = f->op_txn[read], shown = hist_facts_shown(f, read, a->value);
    if (shown >= all || !shown || reader == f->op_txn[append])
        return shown >= all;
    return shown >= hist_facts_appended(f, a->key, a->value, reader);
}

static bool was_read(struct hist_facts *f, uint32_t write)
{
    uint32_t key = f->h->ops.data[write].key;
    uint32_t all = hist_facts_appended(f, key, f->h->ops.data[write].value, HIST_NONE);
    for (uint32_t i = f->key_start[key]; i < f->key_start[key + 1]; i++) {
        uint32_t r = f->key_ops[i], t = f->op_txn[r];
        if (t == f->op_txn[write] || !hist_facts_external(f, r) || !hist_facts_possible(f, t))
            continue;
        bool from = f->h->ops.data[r].kind == HIST_LIST_READ ? shows(f, r, write, all)
                                                             : must_have_read(f, r, write);
        if (from && hist_facts_counts(f, t))
            return true;
    }
    return false;
}

bool hist_facts_counts(struct hist_facts *f, uint32_t txn)
{
    const struct hist_txn *t = &f->h->txns.data[txn];
    if (t->status == HIST_COMMITTED)
        return true;
    if (f->counts[txn] || !hist_facts_possible(f, txn))
        return f->counts[txn] == 1;
    f->counts[txn] = 3; /* a circle of unknown outcomes supports nobody */
    bool yes = false;
    for (uint32_t i = t->first_op; i < t->first_op + t->op_count && !yes; i++)
        yes = hist_is_write(&f->h->ops.data[i]) && was_read(f, i);
    f->counts[txn] = yes ? 1 : 0;
    return yes;
}

/* --- version orders on record ----------------------------------------------------------------- */

static uint32_t position(const struct history *h, const struct hist_op *r, uint32_t len, int64_t v,
                         bool last)
{
    uint32_t at = HIST_NONE;
    for (uint32_t i = 0; i < len && (last || at == HIST_NONE); i++)
        if (h->lists.data[r->list.start + i] == v)
            at = i;
    return at;
}

/* Some list that counts has a, and b only behind it or not at all. */
static bool list_older(struct hist_facts *f, uint32_t a, uint32_t b)
{
    const struct history *h = f->h;
    uint32_t key = h->ops.data[a].key;
    uint32_t all = hist_facts_appended(f, key, h->ops.data[a].value, HIST_NONE);
    for (uint32_t i = f->key_start[key]; i < f->key_start[key + 1]; i++) {
        uint32_t r = f->key_ops[i];
        const struct hist_op *op = &h->ops.data[r];
        if (op->kind != HIST_LIST_READ || !hist_facts_external(f, r) ||
            !hist_facts_counts(f, f->op_txn[r]) || !shows(f, r, a, all))
            continue;
        uint32_t len = hist_facts_list_length(f, r);
        uint32_t pa = position(h, op, len, h->ops.data[a].value, true);
        if (f->op_txn[b] == f->op_txn[r] || position(h, op, len, h->ops.data[b].value, false) > pa)
            return true;
    }
    return false;
}

/* Who overwrote a had read it, and nothing else can have been what it read. */
static bool read_before_writing(struct hist_facts *f, uint32_t a, uint32_t b)
{
    const struct hist_txn *t = &f->h->txns.data[f->op_txn[b]];
    for (uint32_t r = t->first_op; r < b; r++)
        if (f->h->ops.data[r].key == f->h->ops.data[b].key && hist_facts_external(f, r) &&
            must_have_read(f, r, a))
            return true;
    return false;
}

bool hist_facts_older(struct hist_facts *f, uint32_t a, uint32_t b)
{
    const struct history *h = f->h;
    if (read_before_writing(f, a, b))
        return true;
    if (h->ops.data[a].kind == HIST_APPEND && list_older(f, a, b))
        return true;
    for (size_t i = 0; i < h->version_orders.len; i++) {
        const struct hist_version_order *o = &h->version_orders.data[i];
        bool found = false;
        if (o->key != h->ops.data[a].key)
            continue;
        for (uint32_t j = 0; j < o->len; j++) {
            uint32_t op = h->version_ops.data[o->start + j];
            if (op == b && found)
                return true;
            found |= op == a;
        }
    }
    return false;
}
