/* From predicate reads to items; see derive.h.  What comes out goes through the engine and its
 * certificates as any other history; the comparison with the oracle is in
 * tests/unit/test_whitebox.c. */
#include "history/derive.h"

#include <assert.h>
#include <inttypes.h>

#include "base/limit.h"
#include "history/derive_internal.h"
#include "history/predicate.h"

#define MAX_OPS ((size_t)40 << 20) /* planned operations: more would not fit anyway */

/* A row with the places of the versions that changed the matches last and change them next. */
struct derive_row {
    uint32_t row, last, next; /* last 0: none; next 0: none */
    bool matches;
};

struct deriver {
    const struct history *h;
    const struct derive_options *o;
    struct arena *messages;
    struct derived *out;
    struct pred pred;
    struct vo_chains chains; /* only with complete version orders */
    /* All versions, key by key, each initial one first: version `pos` of key k is number
     * chains.start[k] + k + pos.  match: do they match the predicate at hand? */
    struct pred_table table;
    uint32_t *table_key;
    struct hist_value *table_value;
    uint8_t *match;
    uint32_t *op_txn; /* per operation */
    struct hist_value *initial;
    uint8_t *list_key;

    struct derive_plan plan;
    struct intern classes;   /* predicates by their text */
    struct map keys;         /* class and row → new key */
    struct map version_keys; /* new key and version → new key of that version alone */
    struct map written;      /* new key and write → planned */

    /* Writes by key, for predicate reads without version set. */
    uint32_t *write_start, *writes;

    /* Of the predicate read at hand: the rows that order it, and per session the last transaction
     * before it and the first after it (index + 1, 0: none). */
    VEC(struct derive_row) rows;
    uint32_t *before, *after;

    /* Of the predicate read at hand, per key. */
    uint32_t stamp;
    uint32_t *seen_at;      /* stamp: `version` and `row` below are of this read */
    uint32_t *version;      /* its place in the chain, 0: initial */
    uint32_t *row_at, *row; /* stamp, returned read */
    uint32_t *own_at, *own; /* stamp, own write before the read */
};

static bool stopped(const struct deriver *d)
{
    return d->out->violation || d->out->unknown;
}

/* --- what contradicts itself --------------------------------------------------------------- */

static void describe_read(const struct deriver *d, const struct hist_predicate *q, struct strbuf *b)
{
    hist_txn_text(d->h, q->txn, b);
    sb_puts(b, " read ");
    pred_kind_text(d->h, q, b);
    sb_puts(b, " where ");
    pred_text(d->h, q, b);
}

static void describe_version(const struct deriver *d, uint32_t key, uint32_t op,
                             struct hist_value v, struct strbuf *b)
{
    hist_key_text(d->h, key, b);
    sb_puts(b, " = ");
    hist_value_to_text(d->h, v, b);
    if (op == HIST_NONE) {
        sb_puts(b, " (initial)");
        return;
    }
    sb_puts(b, " (by ");
    hist_txn_text(d->h, hist_op_txn(d->h, op), b);
    sb_putc(b, ')');
}

static void violation(struct deriver *d, const struct hist_predicate *q, struct strbuf *b)
{
    d->out->violation = arena_strdup(d->messages, sb_str(b));
    d->out->txn = q->txn;
    sb_free(b);
}

static void wrong_row(struct deriver *d, const struct hist_predicate *q, uint32_t key, uint32_t op,
                      struct hist_value v, const char *what)
{
    struct strbuf b = {0};
    describe_read(d, q, &b);
    sb_printf(&b, ", and %s ", what);
    describe_version(d, key, op, v, &b);
    violation(d, q, &b);
}

static void wrong_aggregate(struct deriver *d, const struct hist_predicate *q,
                            const struct pred_sum *s)
{
    struct strbuf b = {0};
    describe_read(d, q, &b);
    sb_puts(&b, ", which gave ");
    if (q->result.null)
        sb_puts(&b, "null");
    else
        sb_printf(&b, "%" PRId64, q->result.value);
    sb_puts(&b, ", but over its version set it is ");
    pred_sum_text(q, s, &b);
    violation(d, q, &b);
}

static void unknown(struct deriver *d, const struct hist_predicate *q, const char *why)
{
    struct strbuf b = {0};
    describe_read(d, q, &b);
    d->out->unknown = arena_printf(d->messages, "%s: %s", sb_str(&b), why);
    sb_free(&b);
}

/* --- new keys and operations --------------------------------------------------------------- */

static uint32_t class_of(struct deriver *d, const char *text)
{
    return intern_add(&d->classes, text, strlen(text));
}

/* With and without version sets the new keys say different things. */
static uint32_t predicate_class(struct deriver *d, const struct hist_predicate *q)
{
    struct strbuf b = {0};
    pred_text(d->h, q, &b);
    if (!q->has_set)
        sb_puts(&b, ", in any version");
    uint32_t id = class_of(d, sb_str(&b));
    sb_free(&b);
    return id;
}

static uint32_t add_key(struct deriver *d, uint32_t class, uint32_t row, uint32_t op,
                        struct hist_value initial)
{
    struct strbuf b = {0};
    hist_key_text(d->h, row, &b);
    sb_printf(&b, " ? %s", intern_name(&d->classes, class));
    if (op != HIST_NONE) {
        sb_puts(&b, " @ ");
        hist_txn_text(d->h, hist_op_txn(d->h, op), &b);
    }
    struct derive_key k = {arena_strdup(d->messages, sb_str(&b)), initial};
    vec_push(&d->plan.keys, k);
    sb_free(&b);
    return (uint32_t)d->plan.keys.len - 1;
}

/* The row as a predicate sees it. */
static uint32_t row_key(struct deriver *d, uint32_t class, uint32_t row, struct hist_value initial,
                        bool *fresh)
{
    uint64_t *slot = map_put(&d->keys, (uint64_t)class << 32 | row, d->plan.keys.len, fresh);
    uint32_t key = (uint32_t)*slot;
    if (*fresh)
        add_key(d, class, row, HIST_NONE, initial);
    return key;
}

/* One version of it. */
static uint32_t single_key(struct deriver *d, uint32_t class, uint32_t row, uint32_t op)
{
    bool fresh;
    uint32_t key = row_key(d, class, row, hist_null(), &fresh);
    uint64_t *slot = map_put(&d->version_keys, (uint64_t)key << 32 | op, d->plan.keys.len, &fresh);
    uint32_t single = (uint32_t)*slot;
    if (fresh)
        add_key(d, class, row, op, hist_null());
    return single;
}

static void plan_op(struct deriver *d, struct derive_op op)
{
    if (d->plan.ops.len >= MAX_OPS)
        d->out->unknown = "the predicate reads have too many rows and versions in all";
    else
        vec_push(&d->plan.ops, op);
}

/* Values of the new keys: 0 and 1, does not match and matches, of the initial version or where that
 * is all that matters; else the write, too, which makes them unique. */
static int64_t version_value(uint32_t op, bool matches)
{
    return op == HIST_NONE ? matches : ((int64_t)op + 1) * 2 + matches;
}

/* The version of a row that write `op` made appears in the new key too.  Values tell which. */
static void plan_write(struct deriver *d, uint32_t key, uint32_t op, bool matches)
{
    bool fresh;
    map_put(&d->written, (uint64_t)key << 32 | op, 0, &fresh);
    if (!fresh)
        return;
    vec_push(&d->plan.versions,
             ((struct derive_version){key, d->chains.pos[op], (uint32_t)d->plan.ops.len}));
    plan_op(d, (struct derive_op){.txn = d->op_txn[op],
                                  .at = op,
                                  .key = key,
                                  .write = true,
                                  .value = version_value(op, matches)});
}

static void plan_read(struct deriver *d, const struct hist_predicate *q, uint32_t key, uint32_t op,
                      bool matches)
{
    plan_op(d, (struct derive_op){.txn = q->txn,
                                  .at = q->first_op,
                                  .key = key,
                                  .predicate = (uint32_t)(q - d->h->predicates.data),
                                  .value = version_value(op, matches)});
}

/* --- with a version set -------------------------------------------------------------------- */

static uint32_t chain_op(const struct deriver *d, uint32_t key, uint32_t pos)
{
    return pos ? d->chains.ops[d->chains.start[key] + pos - 1] : HIST_NONE;
}

static struct hist_value chain_value(const struct deriver *d, uint32_t key, uint32_t pos)
{
    return pos ? hist_op_value(&d->h->ops.data[chain_op(d, key, pos)]) : d->initial[key];
}

static uint32_t chain_len(const struct deriver *d, uint32_t key)
{
    return d->chains.start[key + 1] - d->chains.start[key];
}

static bool matches_at(const struct deriver *d, uint32_t key, uint32_t pos)
{
    return d->match[d->chains.start[key] + key + pos];
}

/* All versions that change the matches, for the levels that need them. */
static void plan_all(struct deriver *d, uint32_t key, uint32_t row)
{
    bool before = matches_at(d, row, 0);
    for (uint32_t i = 1; i <= chain_len(d, row); i++) {
        bool now = matches_at(d, row, i);
        if (now != before)
            plan_write(d, key, chain_op(d, row, i), now);
        before = now;
    }
}

/* The last version that changed the matches and is not newer than the one in the version set, and
 * the next that does.  All others are ordered by these two and the row's own versions. */
static void note_row(struct deriver *d, const struct hist_predicate *q, uint32_t row, uint32_t pos,
                     bool matches)
{
    uint32_t last = pos, next = pos + 1, len = chain_len(d, row);
    while (last && matches_at(d, row, last - 1) == matches)
        last--;
    while (next <= len && matches_at(d, row, next) == matches)
        next++;
    /* Its own version, written later: the row's version order says all that there is to say. */
    if (last && d->op_txn[chain_op(d, row, last)] == q->txn)
        return;
    next = next <= len ? next : 0;
    if (last || next)
        vec_push(&d->rows, ((struct derive_row){row, last, next, matches}));
}

/* The transaction of a version, and its place in its session from 1; 0 without version. */
static uint32_t session_place(const struct deriver *d, uint32_t row, uint32_t pos,
                              uint32_t *session)
{
    if (!pos)
        return 0;
    const struct hist_txn *t = &d->h->txns.data[d->op_txn[chain_op(d, row, pos)]];
    *session = t->session;
    return t->index + 1;
}

/* Do the versions of a row say more than those of other rows and session order do? */
static void find_nearest(struct deriver *d)
{
    memset(d->before, 0, d->h->session_count * sizeof *d->before);
    memset(d->after, 0, d->h->session_count * sizeof *d->after);
    for (size_t i = 0; i < d->rows.len; i++) {
        const struct derive_row *r = &d->rows.data[i];
        uint32_t s = 0, place = session_place(d, r->row, r->last, &s);
        if (place > d->before[s])
            d->before[s] = place;
        place = session_place(d, r->row, r->next, &s);
        if (place && (!d->after[s] || place < d->after[s]))
            d->after[s] = place;
    }
}

static void plan_single(struct deriver *d, const struct hist_predicate *q, uint32_t class,
                        const struct derive_row *r)
{
    uint32_t op = chain_op(d, r->row, r->last);
    uint32_t single = single_key(d, class, r->row, op);
    plan_write(d, single, op, r->matches);
    plan_read(d, q, single, op, r->matches);
}

/* Where only one of the two versions matters, the read still has to name the last one; that the
 * next one is left out only means that the read precedes those after it. */
static void plan_rows(struct deriver *d, const struct hist_predicate *q, uint32_t class)
{
    if (d->o->by_session)
        find_nearest(d);
    for (size_t i = 0; i < d->rows.len && !stopped(d); i++) {
        const struct derive_row *r = &d->rows.data[i];
        uint32_t s = 0, place = session_place(d, r->row, r->last, &s);
        bool fresh, last = place && (!d->o->by_session || place == d->before[s]);
        place = session_place(d, r->row, r->next, &s);
        bool next = place && (!d->o->by_session || place == d->after[s]);
        if (d->o->items_only && last)
            plan_single(d, q, class, r);
        if (d->o->items_only || !(last || next))
            continue;
        uint32_t key = row_key(d, class, r->row, hist_int(matches_at(d, r->row, 0)), &fresh);
        if (r->last)
            plan_write(d, key, chain_op(d, r->row, r->last), r->matches);
        if (next)
            plan_write(d, key, chain_op(d, r->row, r->next), !r->matches);
        if (fresh && d->o->all_versions)
            plan_all(d, key, r->row);
        plan_read(d, q, key, chain_op(d, r->row, r->last), r->matches);
    }
}

/* An aggregate reads the items that it is computed from. */
static void plan_item(struct deriver *d, const struct hist_predicate *q, uint32_t row, uint32_t pos)
{
    bool fresh;
    uint32_t len = chain_len(d, row);
    if (!len)
        return;
    uint32_t key = row_key(d, class_of(d, "item"), row, hist_int(1), &fresh);
    for (uint32_t i = pos ? pos : 1; i <= len && (i <= pos + 1 || d->o->all_versions); i++)
        plan_write(d, key, chain_op(d, row, i), true);
    plan_read(d, q, key, chain_op(d, row, pos), true);
}

static bool is_own(const struct deriver *d, uint32_t key)
{
    return d->own_at[key] == d->stamp;
}

static void judge_row(struct deriver *d, const struct hist_predicate *q, uint32_t key,
                      struct pred_sum *sum)
{
    uint32_t pos = d->seen_at[key] == d->stamp ? d->version[key] : 0;
    uint32_t op = is_own(d, key) ? d->own[key] : chain_op(d, key, pos);
    struct hist_value v = op == HIST_NONE ? d->initial[key] : hist_op_value(&d->h->ops.data[op]);
    bool matches = is_own(d, key) ? pred_matches(&d->pred, q, key, v) : matches_at(d, key, pos);
    bool returned = d->row_at[key] == d->stamp;
    if (matches)
        pred_add(&d->pred, q, key, v, sum);
    if (q->kind == HIST_ROWS && matches != returned) {
        wrong_row(d, q, key, op, v,
                  matches ? "did not return a row of its version set that matches:"
                          : "returned a row that does not match in its version set:");
        return;
    }
    if (returned && !hist_value_eq(v, hist_op_value(&d->h->ops.data[d->row[key]]))) {
        wrong_row(d, q, key, op, v,
                  "returned another version of a row than that of its version "
                  "set:");
        return;
    }
    if (is_own(d, key))
        return;
    note_row(d, q, key, pos, matches);
    if (matches && q->kind >= HIST_SUM)
        plan_item(d, q, key, pos);
}

/* Note the versions of the set.  A version that no committed transaction left behind cannot be in
 * one. */
static void note_set(struct deriver *d, const struct hist_predicate *q)
{
    const struct history *h = d->h;
    for (uint32_t i = q->set; i < q->set + q->set_count && !stopped(d); i++) {
        uint32_t op = h->set_ops.data[i], key = h->ops.data[op].key, txn = d->op_txn[op];
        if (txn == q->txn) {
            if (op >= q->first_op || !is_own(d, key) || d->own[key] != op)
                wrong_row(d, q, key, op, hist_op_value(&h->ops.data[op]),
                          "its version set has a version of its own that it did not see then:");
            continue;
        }
        if (is_own(d, key))
            wrong_row(d, q, key, op, hist_op_value(&h->ops.data[op]),
                      "its version set has a row that it had overwritten itself:");
        else if (!d->chains.pos[op])
            wrong_row(d, q, key, op, hist_op_value(&h->ops.data[op]),
                      "its version set has a version that was not committed or not final:");
        else if (d->seen_at[key] == d->stamp)
            wrong_row(d, q, key, op, hist_op_value(&h->ops.data[op]),
                      "its version set has two versions of one row:");
        d->seen_at[key] = d->stamp;
        d->version[key] = d->chains.pos[op];
    }
}

static void with_set(struct deriver *d, const struct hist_predicate *q)
{
    struct pred_sum sum = {0};
    uint32_t class = predicate_class(d, q);
    if (!d->h->version_orders_complete) {
        unknown(d, q, "a version set needs complete version orders");
        return;
    }
    note_set(d, q);
    pred_table_match(&d->table, q, d->match);
    vec_clear(&d->rows);
    for (uint32_t k = 0; k < d->h->keys.len && !stopped(d); k++)
        if (!d->list_key[k])
            judge_row(d, q, k, &sum);
    if (!stopped(d) && q->kind >= HIST_COUNT && !pred_agrees(q, &sum))
        wrong_aggregate(d, q, &sum);
    plan_rows(d, q, class);
}

/* --- without version set ------------------------------------------------------------------- */

/* The new key says of every version whether it matches. */
static uint32_t status_key(struct deriver *d, const struct hist_predicate *q, uint32_t class,
                           uint32_t row)
{
    const struct history *h = d->h;
    bool fresh;
    uint32_t key =
        row_key(d, class, row, hist_int(pred_matches(&d->pred, q, row, d->initial[row])), &fresh);
    for (uint32_t i = d->write_start[row]; fresh && i < d->write_start[row + 1]; i++) {
        uint32_t op = d->writes[i];
        if (d->chains.pos && d->chains.pos[op])
            vec_push(&d->plan.versions,
                     ((struct derive_version){key, d->chains.pos[op], (uint32_t)d->plan.ops.len}));
        bool yes = pred_matches(&d->pred, q, row, hist_op_value(&h->ops.data[op]));
        plan_op(d, (struct derive_op){
                       .txn = d->op_txn[op], .at = op, .key = key, .write = true, .value = yes});
    }
    return key;
}

static bool ever_matches(const struct deriver *d, const struct hist_predicate *q, uint32_t row)
{
    bool any = pred_matches(&d->pred, q, row, d->initial[row]);
    for (uint32_t i = d->write_start[row]; i < d->write_start[row + 1] && !any; i++)
        any = pred_matches(&d->pred, q, row, hist_op_value(&d->h->ops.data[d->writes[i]]));
    return any;
}

/* Under repeatable read an unreturned row costs nothing if its initial version does not match: the
 * version set may have that one. */
static void unreturned_item(struct deriver *d, const struct hist_predicate *q, uint32_t row)
{
    const struct hist_op *own = is_own(d, row) ? &d->h->ops.data[d->own[row]] : NULL;
    struct hist_value v = own ? hist_op_value(own) : d->initial[row];
    if (!pred_matches(&d->pred, q, row, v))
        return;
    if (own)
        wrong_row(d, q, row, d->own[row], v, "did not return a row of its own that matches:");
    else
        unknown(d, q, "repeatable read without version sets needs initial rows that do not match");
}

static void without_set(struct deriver *d, const struct hist_predicate *q)
{
    const struct history *h = d->h;
    uint32_t class = predicate_class(d, q);
    if (q->kind >= HIST_COUNT) {
        unknown(d, q, "an aggregate needs a version set");
        return;
    }
    for (uint32_t i = q->first_op; i < q->first_op + q->rows && !stopped(d); i++) {
        struct hist_value v = hist_op_value(&h->ops.data[i]);
        if (!pred_matches(&d->pred, q, h->ops.data[i].key, v))
            wrong_row(d, q, h->ops.data[i].key, HIST_NONE, v,
                      "returned a row that does not match:");
    }
    for (uint32_t k = 0; k < h->keys.len && !stopped(d); k++) {
        if (d->list_key[k] || d->row_at[k] == d->stamp || !ever_matches(d, q, k))
            continue;
        if (d->o->items_only) {
            unreturned_item(d, q, k);
            continue;
        }
        plan_op(d, (struct derive_op){.txn = q->txn,
                                      .at = q->first_op,
                                      .key = status_key(d, q, class, k),
                                      .predicate = (uint32_t)(q - h->predicates.data),
                                      .value = 0});
    }
}

/* --- ranges under repeatable read ---------------------------------------------------------- */

/* The rows of a range that were absent are predicate reads, not items.  Absent from the beginning
 * is a version set without any dependency. */
static void range_items(struct deriver *d, const struct hist_predicate *q)
{
    const struct history *h = d->h;
    for (uint32_t i = q->first_op; i < q->first_op + q->rows && !stopped(d); i++) {
        const struct hist_op *op = &h->ops.data[i];
        if (!(op->flags & HIST_OP_NULL) || is_own(d, op->key))
            continue;
        if (!d->initial[op->key].null)
            unknown(d, q, "repeatable read of ranges needs rows that are absent at first");
        d->plan.drop[i] = 1;
    }
}

/* --- all of them --------------------------------------------------------------------------- */

static void note_own(struct deriver *d, const struct hist_predicate *q)
{
    const struct history *h = d->h;
    d->stamp++;
    for (uint32_t i = h->txns.data[q->txn].first_op; i < q->first_op; i++) {
        const struct hist_op *op = &h->ops.data[i];
        if (op->kind != HIST_WRITE || op->flags & HIST_OP_FAILED)
            continue;
        d->own_at[op->key] = d->stamp;
        d->own[op->key] = i;
    }
    for (uint32_t i = q->first_op; i < q->first_op + q->rows; i++) {
        d->row_at[h->ops.data[i].key] = d->stamp;
        d->row[h->ops.data[i].key] = i;
    }
}

static bool writes_something(const struct history *h, uint32_t txn)
{
    for (uint32_t i = 0; i < h->txns.data[txn].op_count; i++)
        if (hist_txn_ops(h, txn)[i].kind == HIST_WRITE)
            return true;
    return false;
}

/* Which versions exist is open if a writer may not have committed; then only reads without version
 * sets, whose status keys follow their writers, make sense. */
static void check_outcomes(struct deriver *d)
{
    const struct history *h = d->h;
    bool sets = false;
    for (size_t i = 0; i < h->predicates.len; i++) {
        const struct hist_predicate *q = &h->predicates.data[i];
        sets |= q->has_set && h->txns.data[q->txn].status == HIST_COMMITTED;
    }
    for (uint32_t t = 0; t < h->txns.len && sets; t++)
        if (h->txns.data[t].status == HIST_UNKNOWN && writes_something(h, t))
            d->out->unknown = "version sets are decided only if every writer's outcome is known";
}

static void derive_one(struct deriver *d, const struct hist_predicate *q)
{
    uint8_t status = d->h->txns.data[q->txn].status;
    if (q->failed || status == HIST_ABORTED)
        return;
    if (q->kind == HIST_RANGE && !d->o->items_only)
        return; /* the operations say it all */
    if (status == HIST_UNKNOWN && q->has_set) {
        unknown(d, q, "its transaction's outcome is unknown");
        return;
    }
    note_own(d, q);
    if (q->kind == HIST_RANGE)
        range_items(d, q);
    else if (status == HIST_UNKNOWN && d->o->items_only)
        unknown(d, q, "its transaction's outcome is unknown");
    else if (q->has_set)
        with_set(d, q);
    else
        without_set(d, q);
}

static void index_writes(struct deriver *d)
{
    const struct history *h = d->h;
    d->write_start = mem_calloc(h->keys.len + 2, sizeof *d->write_start);
    d->writes = mem_alloc(mem_mul(h->ops.len + 1, sizeof *d->writes));
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < h->ops.len; i++) {
            const struct hist_op *op = &h->ops.data[i];
            if (op->kind >= HIST_APPEND)
                d->list_key[op->key] = 1;
            if (op->kind != HIST_WRITE || op->flags & HIST_OP_FAILED)
                continue;
            if (pass)
                d->writes[d->write_start[op->key + 1]++] = i;
            else
                d->write_start[op->key + 2]++;
        }
        for (size_t k = 0; !pass && k < h->keys.len; k++)
            d->write_start[k + 2] += d->write_start[k + 1];
    }
}

static void make_table(struct deriver *d)
{
    const struct history *h = d->h;
    vo_chains_build(&d->chains, h);
    size_t n = h->keys.len + d->chains.start[h->keys.len];
    d->table_key = mem_alloc(mem_mul(n + 1, sizeof *d->table_key));
    d->table_value = mem_alloc(mem_mul(n + 1, sizeof *d->table_value));
    d->match = mem_alloc(n + 1);
    for (uint32_t k = 0, i = 0; k < h->keys.len; k++)
        for (uint32_t pos = 0; pos <= chain_len(d, k); pos++, i++) {
            d->table_key[i] = k;
            d->table_value[i] = chain_value(d, k, pos);
        }
    d->table =
        (struct pred_table){.p = &d->pred, .len = n, .key = d->table_key, .value = d->table_value};
}

static void deriver_init(struct deriver *d)
{
    size_t keys = d->h->keys.len + 1;
    uint32_t **per_key[] = {&d->seen_at, &d->version, &d->row_at, &d->row, &d->own_at, &d->own};
    pred_init(&d->pred, d->h);
    d->initial = hist_initial_values(d->h);
    d->list_key = mem_calloc(keys, 1);
    for (size_t i = 0; i < sizeof per_key / sizeof *per_key; i++)
        *per_key[i] = mem_calloc(keys, sizeof **per_key[i]);
    d->before = mem_calloc(d->h->session_count + 1, sizeof *d->before);
    d->after = mem_calloc(d->h->session_count + 1, sizeof *d->after);
    d->plan.drop = mem_calloc(d->h->ops.len + 1, 1);
    index_writes(d);
    d->op_txn = mem_alloc(mem_mul(d->h->ops.len + 1, sizeof *d->op_txn));
    for (uint32_t t = 0; t < d->h->txns.len; t++)
        for (uint32_t i = 0; i < d->h->txns.data[t].op_count; i++)
            d->op_txn[d->h->txns.data[t].first_op + i] = t;
    if (d->h->version_orders_complete)
        make_table(d);
}

static void deriver_free(struct deriver *d)
{
    uint32_t *per_key[] = {d->seen_at, d->version,     d->row_at, d->row,
                           d->own_at,  d->write_start, d->own,    d->writes};
    pred_free(&d->pred);
    mem_free(d->initial);
    mem_free(d->list_key);
    for (size_t i = 0; i < sizeof per_key / sizeof *per_key; i++)
        mem_free(per_key[i]);
    vo_chains_free(&d->chains);
    pred_table_free(&d->table);
    mem_free(d->table_key);
    mem_free(d->table_value);
    mem_free(d->match);
    mem_free(d->op_txn);
    mem_free(d->before);
    mem_free(d->after);
    vec_free(&d->rows);
    vec_free(&d->plan.ops);
    vec_free(&d->plan.keys);
    vec_free(&d->plan.versions);
    mem_free(d->plan.drop);
    intern_free(&d->classes);
    map_free(&d->keys);
    map_free(&d->version_keys);
    map_free(&d->written);
}

bool derive_needed(const struct history *h, const struct derive_options *o)
{
    for (size_t i = 0; i < h->predicates.len; i++)
        if (h->predicates.data[i].kind != HIST_RANGE || o->items_only)
            return true;
    return false;
}

void derive_history(const struct history *h, const struct derive_options *o, struct arena *messages,
                    struct derived *out)
{
    struct deriver d = {.h = h, .o = o, .messages = messages, .out = out};
    *out = (struct derived){0};
    if (!derive_needed(h, o))
        return;
    assert(h->finished);
    deriver_init(&d);
    check_outcomes(&d);
    for (size_t i = 0; i < h->predicates.len && !stopped(&d); i++) {
        derive_one(&d, &h->predicates.data[i]);
        if (limit_reached())
            out->unknown = limit_text();
    }
    if (!stopped(&d)) {
        out->history = derive_copy(h, &d.plan);
        const char *error = hist_finish(out->history);
        assert(!error);
        (void)error;
    }
    deriver_free(&d);
}
