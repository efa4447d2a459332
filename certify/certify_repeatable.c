/* Orders for repeatable read (PL-2.99), from the history as it is, with its predicate reads: every
 * item is read in its current version, versions are made in their order, and who changed the
 * matches of a predicate, up to the version set of a read, comes before the reader.  Who changes
 * them later may come anywhere.  Without a version set, any will do: a row can be seen in its
 * initial version, or in one that somebody earlier left behind, since up to the first version that
 * matches (does not match), nobody later has changed that. */
#include <stdlib.h>

#include "base/strbuf.h"
#include "certify/certify_internal.h"
#include "certify/certify_whitebox.h"
#include "history/predicate.h"
#include "history/version_order.h"

struct repeatable {
    const struct history *h;
    struct pred pred;
    struct vo_chains chains;
    struct hist_value *initial;
    uint8_t *list_key;
    uint8_t *absent; /* per operation: a row of a range that was not there, no item */
    uint32_t *final_start, *finals; /* per key: the last writes of all transactions in the order */
    uint32_t *current;              /* per key: the last write, or HIST_NONE */
    uint32_t *set;                  /* per key: the version set at hand, as a place in the chain */
    uint32_t *place;                /* per transaction: in the order, from 1 */
    uint32_t *op_txn;
};

static bool is_write(const struct hist_op *op)
{
    return op->kind == HIST_WRITE && !(op->flags & HIST_OP_FAILED);
}

static struct hist_value version(const struct repeatable *s, uint32_t key, uint32_t pos)
{
    return pos ? hist_op_value(&s->h->ops.data[s->chains.ops[s->chains.start[key] + pos - 1]])
               : s->initial[key];
}

static uint32_t own_write(const struct repeatable *s, uint32_t txn, uint32_t before, uint32_t key)
{
    uint32_t own = HIST_NONE;
    for (uint32_t i = s->h->txns.data[txn].first_op; i < before; i++)
        if (is_write(&s->h->ops.data[i]) && s->h->ops.data[i].key == key)
            own = i;
    return own;
}

/* Does a read give the write, or the initial version? */
static bool gives(const struct repeatable *s, uint32_t read, uint32_t write)
{
    const struct history *h = s->h;
    const struct hist_op *r = &h->ops.data[read];
    uint64_t id = h->write_ids ? h->write_ids[read] : 0;
    if (write == HIST_NONE)
        return !id && hist_value_eq(hist_op_value(r), s->initial[r->key]);
    return !(r->flags & HIST_OP_INITIAL) && (!id || id == h->write_ids[write]) &&
           hist_value_eq(hist_op_value(r), hist_op_value(&h->ops.data[write]));
}

/* The last version up to the one of the set that changes the matches is by somebody earlier; a row
 * that a sum, minimum or maximum is made of is read as an item. */
static bool row_stands(const struct repeatable *s, const struct hist_predicate *q, uint32_t key)
{
    uint32_t pos = s->set[key], first = s->chains.start[key];
    bool matches = pred_matches(&s->pred, q, key, version(s, key, pos));
    if (matches && q->kind >= HIST_SUM &&
        s->current[key] != (pos ? s->chains.ops[first + pos - 1] : HIST_NONE))
        return false;
    while (pos && pred_matches(&s->pred, q, key, version(s, key, pos - 1)) == matches)
        pos--;
    if (!pos)
        return true;
    uint32_t writer = s->op_txn[s->chains.ops[first + pos - 1]];
    return s->place[writer] && s->place[writer] < s->place[q->txn];
}

/* Without a version set: can the row be seen in a version that matches, or that does not?  The
 * first such version is by somebody earlier if any such version is. */
static bool can_be_seen(const struct repeatable *s, const struct hist_predicate *q, uint32_t key,
                        bool matching)
{
    bool found = pred_matches(&s->pred, q, key, s->initial[key]) == matching;
    for (uint32_t i = s->final_start[key]; i < s->final_start[key + 1] && !found; i++) {
        uint32_t op = s->finals[i];
        found = s->place[s->op_txn[op]] < s->place[q->txn] &&
                pred_matches(&s->pred, q, key, hist_op_value(&s->h->ops.data[op])) == matching;
    }
    return found;
}

/* The row was not returned. */
static bool is_missing(const struct repeatable *s, const struct hist_predicate *q, uint32_t key)
{
    uint32_t own = own_write(s, q->txn, q->first_op, key);
    if (own != HIST_NONE)
        return !pred_matches(&s->pred, q, key, hist_op_value(&s->h->ops.data[own]));
    return s->list_key[key] || can_be_seen(s, q, key, false);
}

static bool bare_rows_stand(const struct repeatable *s, const struct hist_predicate *q)
{
    const struct history *h = s->h;
    bool stands = true;
    for (uint32_t k = 0; k < h->keys.len && stands; k++) {
        bool returned = false;
        for (uint32_t i = q->first_op; i < q->first_op + q->rows; i++)
            returned |= h->ops.data[i].key == k;
        stands = returned || is_missing(s, q, k);
    }
    for (uint32_t i = q->first_op; i < q->first_op + q->rows && stands; i++)
        stands = pred_matches(&s->pred, q, h->ops.data[i].key, hist_op_value(&h->ops.data[i]));
    return stands;
}

/* --- aggregates without version sets --------------------------------------------------------- */

/* What a row can contribute: a number, nothing, or one of them. */
struct part {
    bool something, nothing;
    int64_t number;
};

/* The row as the transaction may have seen it: its own write, else, for a count, a version that
 * matches or one that does not; else the current version, if that matches, or one that does not. */
static struct part part_of(const struct repeatable *s, const struct hist_predicate *q, uint32_t key)
{
    uint32_t op = own_write(s, q->txn, q->first_op, key);
    struct pred_sum one = {0};
    struct part p = {.number = 1};
    p.nothing = op == HIST_NONE && can_be_seen(s, q, key, false);
    if (op == HIST_NONE && q->kind == HIST_COUNT) {
        p.something = can_be_seen(s, q, key, true);
        return p;
    }
    op = op == HIST_NONE ? s->current[key] : op;
    struct hist_value v = op == HIST_NONE ? s->initial[key] : hist_op_value(&s->h->ops.data[op]);
    if (pred_matches(&s->pred, q, key, v))
        pred_add(&s->pred, q, key, v, &one);
    p.something = q->kind == HIST_COUNT ? one.count : one.numbers;
    p.nothing |= !p.something;
    p.number = q->kind == HIST_COUNT ? 1 : one.least;
    return p;
}

static int64_t part_least(struct part p)
{
    return p.something && (!p.nothing || p.number < 0) ? p.number : 0;
}

static int64_t part_most(struct part p)
{
    return p.something && (!p.nothing || p.number > 0) ? p.number : 0;
}

typedef VEC(__int128) numbers;
#define NO_NUMBER ((__int128)1 << 100)

static int by_number(const void *a, const void *b)
{
    const __int128 *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

/* All sums that can be had with one more row and from which the rest can still add what is missing:
 * at least `least`, at most `most`.  False: too many. */
static bool add_part(numbers *sums, struct part p, __int128 wanted, __int128 least, __int128 most)
{
    enum { MOST = 1 << 22 };
    size_t n = sums->len, len = 0;
    for (size_t i = 0; i < n && p.something; i++) {
        __int128 before = sums->data[i] == NO_NUMBER ? 0 : sums->data[i];
        if (p.nothing)
            vec_push(sums, before + p.number);
        else
            sums->data[i] = before + p.number;
    }
    if (sums->len > 1)
        qsort(sums->data, sums->len, sizeof *sums->data, by_number);
    for (size_t i = 0; i < sums->len; i++) {
        __int128 sum = sums->data[i] == NO_NUMBER ? 0 : sums->data[i];
        if ((len && sums->data[i] == sums->data[len - 1]) || wanted - sum < least ||
            wanted - sum > most)
            continue;
        sums->data[len++] = sums->data[i];
    }
    sums->len = len;
    return len <= MOST;
}

static bool sum_stands(const struct repeatable *s, const struct hist_predicate *q)
{
    uint32_t keys = (uint32_t)s->h->keys.len;
    struct part *part = mem_calloc((size_t)keys + 1, sizeof *part);
    __int128 least = 0, most = 0, wanted = q->result.null ? 0 : q->result.value;
    numbers sums = {0};
    bool fits = true, found = false;
    for (uint32_t k = 0; k < keys; k++) {
        part[k] = s->list_key[k] ? (struct part){.nothing = true} : part_of(s, q, k);
        least += part_least(part[k]);
        most += part_most(part[k]);
    }
    vec_push(&sums, q->kind == HIST_SUM ? NO_NUMBER : 0);
    for (uint32_t k = 0; k < keys && fits; k++) {
        least -= part_least(part[k]);
        most -= part_most(part[k]);
        fits = add_part(&sums, part[k], wanted, least, most);
    }
    for (size_t i = 0; i < sums.len && fits; i++)
        found |= sums.data[i] == (q->result.null ? NO_NUMBER : wanted);
    vec_free(&sums);
    mem_free(part);
    return found;
}

/* Every row can be left out or does not go beyond the least (greatest) one, which is there. */
static bool extreme_stands(const struct repeatable *s, const struct hist_predicate *q)
{
    bool stands = true, there = q->result.null;
    for (uint32_t k = 0; k < s->h->keys.len && stands; k++) {
        if (s->list_key[k])
            continue;
        struct part p = part_of(s, q, k);
        bool within =
            p.something && !q->result.null &&
            (q->kind == HIST_MIN ? p.number >= q->result.value : p.number <= q->result.value);
        stands = within || p.nothing;
        there |= within && p.number == q->result.value;
    }
    return stands && there;
}

/* --- rows and ranges without version sets ---------------------------------------------------- */

static bool range_stands(const struct repeatable *s, const struct hist_predicate *q)
{
    bool stands = true;
    for (uint32_t i = q->first_op; i < q->first_op + q->rows && stands; i++)
        stands = !s->absent[i] || is_missing(s, q, s->h->ops.data[i].key);
    return stands;
}

static bool predicate_stands(struct repeatable *s, const struct hist_predicate *q)
{
    const struct history *h = s->h;
    bool stands = true;
    if (q->failed)
        return true;
    if (q->kind == HIST_RANGE)
        return range_stands(s, q);
    if (!q->has_set && q->kind == HIST_ROWS)
        return bare_rows_stand(s, q);
    if (!q->has_set)
        return q->kind == HIST_COUNT || q->kind == HIST_SUM ? sum_stands(s, q)
                                                            : extreme_stands(s, q);
    memset(s->set, 0, h->keys.len * sizeof *s->set);
    for (uint32_t i = q->set; i < q->set + q->set_count; i++)
        s->set[h->ops.data[h->set_ops.data[i]].key] = s->chains.pos[h->set_ops.data[i]];
    for (uint32_t k = 0; k < h->keys.len && stands; k++)
        stands = s->list_key[k] || own_write(s, q->txn, q->first_op, k) != HIST_NONE ||
                 row_stands(s, q, k);
    return stands;
}

static bool item_stands(const struct repeatable *s, uint32_t txn, uint32_t read)
{
    const struct hist_op *r = &s->h->ops.data[read];
    if (r->kind != HIST_READ || r->flags & HIST_OP_FAILED)
        return true;
    uint32_t own = own_write(s, txn, read, r->key);
    if (own != HIST_NONE)
        return gives(s, read, own);
    return s->absent[read] || gives(s, read, s->current[r->key]);
}

static bool txn_stands(struct repeatable *s, uint32_t txn)
{
    const struct history *h = s->h;
    const struct hist_txn *t = &h->txns.data[txn];
    bool stands = true;
    for (uint32_t q = hist_first_predicate(h, txn);
         q < h->predicates.len && h->predicates.data[q].txn == txn && stands; q++)
        stands = predicate_stands(s, &h->predicates.data[q]);
    for (uint32_t i = t->first_op; i < t->first_op + t->op_count && stands; i++)
        stands = item_stands(s, txn, i);
    for (uint32_t i = t->first_op; i < t->first_op + t->op_count; i++)
        if (is_write(&h->ops.data[i]))
            s->current[h->ops.data[i].key] = i;
    return stands;
}

static bool is_final(const struct repeatable *s, uint32_t op)
{
    const struct hist_txn *t = &s->h->txns.data[s->op_txn[op]];
    bool last = is_write(&s->h->ops.data[op]);
    for (uint32_t i = op + 1; i < t->first_op + t->op_count && last; i++)
        last = !is_write(&s->h->ops.data[i]) || s->h->ops.data[i].key != s->h->ops.data[op].key;
    return last;
}

static void index_finals(struct repeatable *s)
{
    const struct history *h = s->h;
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < h->ops.len; i++) {
            if (!s->place[s->op_txn[i]] || !is_final(s, i))
                continue;
            if (pass)
                s->finals[s->final_start[h->ops.data[i].key + 1]++] = i;
            else
                s->final_start[h->ops.data[i].key + 2]++;
        }
        for (size_t k = 0; !pass && k < h->keys.len; k++)
            s->final_start[k + 2] += s->final_start[k + 1];
    }
}

/* Transactions of a session that did not happen may stand between others. */
static bool follows_sessions(const struct repeatable *s)
{
    const struct history *h = s->h;
    uint32_t last = 0;
    for (uint32_t i = 0; i < h->txns.len; i++) {
        uint32_t t = h->index.session_txns[i];
        if (i && h->txns.data[t].session != h->txns.data[h->index.session_txns[i - 1]].session)
            last = 0;
        if (s->place[t] && s->place[t] < last)
            return false;
        last = s->place[t] ? s->place[t] : last;
    }
    return true;
}

static const char *check(struct repeatable *s, const struct certificate *c, struct arena *messages)
{
    const struct history *h = s->h;
    for (size_t i = 0; i < c->len; i++) {
        if (c->order[i] >= h->txns.len || s->place[c->order[i]] ||
            h->txns.data[c->order[i]].status == HIST_ABORTED)
            return "the order is not one of the transactions that count";
        s->place[c->order[i]] = (uint32_t)i + 1;
    }
    for (uint32_t t = 0; t < h->txns.len; t++)
        if (h->txns.data[t].status == HIST_COMMITTED && !s->place[t])
            return "the order leaves a transaction out";
    if (c->level.session_order && !follows_sessions(s))
        return "the order does not follow the sessions";
    index_finals(s);
    for (size_t i = 0; i < c->len; i++)
        if (!txn_stands(s, c->order[i])) {
            struct strbuf b = {0};
            hist_txn_text(h, c->order[i], &b);
            const char *text = arena_printf(
                messages, "transaction %s did not read what the order gives", sb_str(&b));
            sb_free(&b);
            return text;
        }
    return certify_version_orders(h, c, messages);
}

static void note_absent(struct repeatable *s)
{
    const struct history *h = s->h;
    for (size_t i = 0; i < h->ops.len; i++)
        if (h->ops.data[i].kind >= HIST_APPEND)
            s->list_key[h->ops.data[i].key] = 1;
    for (size_t i = 0; i < h->predicates.len; i++) {
        const struct hist_predicate *q = &h->predicates.data[i];
        for (uint32_t k = q->first_op; k < q->first_op + q->rows && q->kind == HIST_RANGE; k++)
            s->absent[k] = (h->ops.data[k].flags & HIST_OP_NULL) != 0;
    }
}

const char *certify_repeatable(const struct history *h, const struct certificate *c,
                               struct arena *messages)
{
    struct repeatable s = {.h = h};
    size_t keys = h->keys.len + 1;
    pred_init(&s.pred, h);
    if (h->version_orders_complete)
        vo_chains_build(&s.chains, h);
    s.initial = hist_initial_values(h);
    s.list_key = mem_calloc(keys, 1);
    s.absent = mem_calloc(h->ops.len + 1, 1);
    s.current = mem_alloc(mem_mul(keys, sizeof *s.current));
    memset(s.current, 0xff, keys * sizeof *s.current);
    s.set = mem_calloc(keys, sizeof *s.set);
    s.place = mem_calloc(h->txns.len + 1, sizeof *s.place);
    s.op_txn = mem_alloc(mem_mul(h->ops.len + 1, sizeof *s.op_txn));
    for (uint32_t t = 0; t < h->txns.len; t++)
        for (uint32_t i = 0; i < h->txns.data[t].op_count; i++)
            s.op_txn[h->txns.data[t].first_op + i] = t;
    s.final_start = mem_calloc(keys + 2, sizeof *s.final_start);
    s.finals = mem_alloc(mem_mul(h->ops.len + 1, sizeof *s.finals));
    note_absent(&s);
    const char *error = check(&s, c, messages);
    pred_free(&s.pred);
    vo_chains_free(&s.chains);
    void *all[] = {s.initial, s.list_key, s.absent,      s.current, s.set,
                   s.place,   s.op_txn,   s.final_start, s.finals};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        mem_free(all[i]);
    return error;
}
