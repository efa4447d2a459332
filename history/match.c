/* Matching reads with writes; see match.h.
 *
 * The work is done in passes over flat arrays, each linear: scan every transaction (what does it
 * read from outside, which writes are final, is it consistent with itself), number the
 * transactions, bucket the versions by key, and look up the reads key by key, so that the small
 * hash table of one key stays in the cache.
 *
 * Transactions of unknown outcome count if somebody who counts read from them.  Nobody's reads
 * change if one that nobody read from is dropped, so those are dropped.  Where a read has several
 * candidates and some are of unknown outcome, the transaction stays as a `maybe`. */
#include "history/match.h"

#include <assert.h>
#include <stdlib.h>

#include "history/anomaly.h"
#include "history/joint.h"
#include "history/match_internal.h"

#define MAX_CANDIDATES ((size_t)50 << 20)

static bool reads_per_operation(const struct match *m)
{
    return model_get(m->level.model)->snapshot != SNAPSHOT_TRANSACTION;
}

/* --- scan ------------------------------------------------------------------------------------- */

/* The outcome of a transaction that contradicts itself: a violation if it surely committed; one of
 * unknown outcome cannot have committed then. */
static bool contradicts(struct match *m, uint32_t txn, enum check_anomaly a, uint32_t op1,
                        uint32_t op2)
{
    if (m->status[txn] != MATCH_IN) {
        m->status[txn] = MATCH_OUT;
        return true;
    }
    anomaly_report(m->r, m->h, a, op1, op2);
    return false;
}

static bool same_version(const struct match *m, uint32_t a, uint32_t b)
{
    const struct history *h = m->h;
    if (!hist_value_eq(hist_op_value(&h->ops.data[a]), hist_op_value(&h->ops.data[b])))
        return false;
    if ((h->ops.data[a].flags ^ h->ops.data[b].flags) & HIST_OP_INITIAL &&
        (h->ops.data[a].kind == HIST_WRITE || h->write_ids))
        return false;
    return !h->write_ids || h->write_ids[a] == h->write_ids[b];
}

static bool scan_read(struct match *m, uint32_t txn, uint32_t op, uint32_t last)
{
    if (last == HIST_NONE) {
        m->cls[op] = MATCH_READ;
        return true;
    }
    bool own = m->h->ops.data[last].kind == HIST_WRITE;
    if (!own && reads_per_operation(m)) {
        m->cls[op] = MATCH_READ;
        return true;
    }
    if (m->h->ops.data[op].flags & HIST_OP_ANY)
        return true; /* of the version that was read before */
    if (m->h->ops.data[last].flags & HIST_OP_ANY) {
        m->cls[last] = MATCH_NOTHING;
        m->cls[op] = MATCH_READ;
        return true;
    }
    if (same_version(m, last, op))
        return true;
    return contradicts(m, txn, own ? CHECK_INTERNAL : CHECK_NON_REPEATABLE, last, op);
}

/* last[key]: the transaction's latest operation on the key that settles what a read must give.
 * Entries below first_op are of other transactions. */
static bool scan_txn(struct match *m, uint32_t txn)
{
    const struct history *h = m->h;
    const struct hist_txn *t = &h->txns.data[txn];
    for (uint32_t i = t->first_op; i < t->first_op + t->op_count; i++) {
        const struct hist_op *op = &h->ops.data[i];
        if (op->flags & HIST_OP_FAILED)
            continue;
        uint32_t last = m->last[op->key];
        if (last == HIST_NONE || last < t->first_op || last >= t->first_op + t->op_count)
            last = HIST_NONE;
        switch (op->kind) {
        case HIST_READ:
            if (!scan_read(m, txn, i, last))
                return false;
            if (last != HIST_NONE &&
                (h->ops.data[last].kind == HIST_WRITE || op->flags & HIST_OP_ANY))
                continue;
            break;
        case HIST_WRITE:
        case HIST_APPEND:
            m->cls[i] = MATCH_FINAL;
            if (m->last_write[op->key] != HIST_NONE && m->last_write[op->key] >= t->first_op &&
                m->last_write[op->key] < i) {
                m->cls[m->last_write[op->key]] = MATCH_INTERMEDIATE;
                m->any_intermediate = true;
            }
            m->last_write[op->key] = i;
            break;
        case HIST_LIST_READ:
            if (!match_scan_list_read(m, txn, i, last))
                return false;
            break;
        }
        if (m->status[txn] == MATCH_OUT)
            return true;
        m->last[op->key] = i;
    }
    return true;
}

static bool scan(struct match *m)
{
    const struct history *h = m->h;
    memset(m->last, 0xff, h->keys.len * sizeof *m->last);
    memset(m->last_write, 0xff, h->keys.len * sizeof *m->last_write);
    for (uint32_t t = 0; t < h->txns.len; t++)
        if (m->status[t] != MATCH_OUT && !scan_txn(m, t))
            return false;
    return true;
}

/* --- numbering -------------------------------------------------------------------------------- */

static void number_session(struct match *m, struct prob *p, const uint32_t *txns, uint32_t count)
{
    uint32_t before = p->n;
    for (uint32_t i = 0; i < count; i++) {
        if (m->status[txns[i]] == MATCH_OUT)
            continue;
        p->hist[p->n] = txns[i];
        p->session[p->n++] = p->sessions;
    }
    if (p->n > before)
        p->chain[p->sessions++] = before;
}

/* By session, or by the chains of chains.c if sessions do not count. */
static void number_txns(struct match *m, struct prob *p)
{
    const struct history *h = m->h;
    const uint32_t *start = m->chain_start.len ? m->chain_start.data : h->session_start;
    const uint32_t *txns = m->chain_start.len ? m->chain_txns.data : h->session_txns;
    uint32_t count = m->chain_start.len ? (uint32_t)m->chain_start.len - 1 : h->session_count;
    p->hist = mem_alloc(mem_mul(h->txns.len + 1, sizeof *p->hist));
    p->session = mem_alloc(mem_mul(h->txns.len + 1, sizeof *p->session));
    p->chain = mem_alloc(mem_mul((size_t)count + 1, sizeof *p->chain));
    for (uint32_t s = 0; s < count; s++)
        number_session(m, p, txns + start[s], start[s + 1] - start[s]);
    p->chain[p->sessions] = p->n;
}

/* Count, then fill: writes bucketed by key (in order of transactions), reads by transaction. */
static void count_ops(struct match *m, struct prob *p)
{
    const struct history *h = m->h;
    uint32_t writes = 0, reads = 0;
    p->keys = (uint32_t)h->keys.len;
    p->ver_start = mem_calloc(p->keys + 2, sizeof *p->ver_start);
    for (uint32_t t = 0; t < p->n; t++) {
        const struct hist_txn *ht = &h->txns.data[p->hist[t]];
        for (uint32_t i = ht->first_op; i < ht->first_op + ht->op_count; i++) {
            reads += (m->cls[i] & ~MATCH_OWN) == MATCH_READ;
            if (m->cls[i] == MATCH_FINAL) {
                p->ver_start[h->ops.data[i].key + 1]++;
                writes++;
            }
        }
    }
    for (uint32_t k = 0; k < p->keys; k++)
        p->ver_start[k + 1] += p->ver_start[k] + 1;
    p->versions = writes + p->keys;
    p->ver_txn = mem_alloc(mem_mul(p->versions + 1, 4));
    p->ver_op = mem_alloc(mem_mul(p->versions + 1, 4));
    p->ver_key = mem_alloc(mem_mul(p->versions + 1, 4));
    p->wr_start = mem_alloc(mem_mul(p->n + 1, 4));
    p->wr_ver = mem_alloc(mem_mul(writes + 1, 4));
    p->rd_start = mem_alloc(mem_mul(p->n + 1, 4));
    p->rd_key = mem_alloc(mem_mul(reads + 1, 4));
    p->rd_ver = mem_alloc(mem_mul(reads + 1, 4));
    p->rd_op = mem_alloc(mem_mul(reads + 1, 4));
    p->rd_txn = mem_alloc(mem_mul(reads + 1, 4));
}

static void fill_ops(struct match *m, struct prob *p)
{
    const struct history *h = m->h;
    uint32_t writes = 0, reads = 0;
    uint32_t *next = mem_alloc(mem_mul(p->keys + 1, sizeof *next));
    for (uint32_t k = 0; k < p->keys; k++) {
        uint32_t v = p->ver_start[k];
        p->ver_txn[v] = PROB_INIT;
        p->ver_op[v] = HIST_NONE;
        p->ver_key[v] = k;
        next[k] = v + 1;
    }
    for (uint32_t t = 0; t < p->n; t++) {
        const struct hist_txn *ht = &h->txns.data[p->hist[t]];
        p->wr_start[t] = writes;
        p->rd_start[t] = reads;
        for (uint32_t i = ht->first_op; i < ht->first_op + ht->op_count; i++) {
            uint32_t k = h->ops.data[i].key;
            if ((m->cls[i] & ~MATCH_OWN) == MATCH_READ) {
                p->grouped |= (h->ops.data[i].flags & HIST_OP_SAME_READ) != 0;
                p->rd_key[reads] = k;
                p->rd_op[reads] = i;
                p->rd_txn[reads++] = t;
            } else if (m->cls[i] == MATCH_FINAL) {
                uint32_t v = next[k]++;
                p->ver_txn[v] = t;
                p->ver_op[v] = i;
                p->ver_key[v] = k;
                p->wr_ver[writes++] = v;
            }
        }
    }
    p->wr_start[p->n] = writes;
    p->rd_start[p->n] = reads;
    mem_free(next);
}

/* --- lookup ----------------------------------------------------------------------------------- */

/* The versions of one key by value and by write id.  same_value and same_id chain equal ones. */
struct table {
    uint32_t *by_value, *by_id;
    uint32_t *same_value, *same_id; /* per version of the key, from 1; 0 ends */
    int64_t *value;
    uint64_t *id;
    uint8_t *null;
    uint32_t mask;
    size_t cap, slots;
};

static void table_reserve(struct table *t, uint32_t count)
{
    uint32_t slots = 4;
    while (slots < count * 2)
        slots *= 2;
    t->mask = slots - 1;
    if (count > t->cap) {
        t->cap = (size_t)count * 2;
        t->same_value = mem_realloc(t->same_value, mem_mul(t->cap, 4));
        t->same_id = mem_realloc(t->same_id, mem_mul(t->cap, 4));
        t->value = mem_realloc(t->value, mem_mul(t->cap, 8));
        t->id = mem_realloc(t->id, mem_mul(t->cap, 8));
        t->null = mem_realloc(t->null, t->cap);
    }
    if (slots > t->slots) {
        t->slots = slots;
        t->by_value = mem_realloc(t->by_value, mem_mul(slots, 4));
        t->by_id = mem_realloc(t->by_id, mem_mul(slots, 4));
    }
}

static void table_free(struct table *t)
{
    mem_free(t->by_value);
    mem_free(t->by_id);
    mem_free(t->same_value);
    mem_free(t->same_id);
    mem_free(t->value);
    mem_free(t->id);
    mem_free(t->null);
}

static uint32_t *slot_by_value(struct table *t, int64_t value, bool null)
{
    uint32_t i = (uint32_t)hash_u64((uint64_t)value + null) & t->mask;
    while (t->by_value[i] && (t->value[t->by_value[i]] != value || t->null[t->by_value[i]] != null))
        i = (i + 1) & t->mask;
    return &t->by_value[i];
}

static uint32_t *slot_by_id(struct table *t, uint64_t id)
{
    uint32_t i = (uint32_t)hash_u64(id) & t->mask;
    while (t->by_id[i] && t->id[t->by_id[i]] != id)
        i = (i + 1) & t->mask;
    return &t->by_id[i];
}

/* Local index: version - ver_start[key], so the initial version is 0 and stays out. */
static void table_fill(const struct match *m, const struct prob *p, struct table *t, uint32_t key)
{
    uint32_t first = p->ver_start[key], count = p->ver_start[key + 1] - first;
    table_reserve(t, count);
    memset(t->by_value, 0, (t->mask + 1) * sizeof *t->by_value);
    if (m->h->write_ids)
        memset(t->by_id, 0, (t->mask + 1) * sizeof *t->by_id);
    for (uint32_t i = count - 1; i > 0; i--) {
        const struct hist_op *op = &m->h->ops.data[p->ver_op[first + i]];
        t->value[i] = op->value;
        t->null[i] = op->flags & HIST_OP_NULL;
        uint32_t *slot = slot_by_value(t, t->value[i], t->null[i]);
        t->same_value[i] = *slot;
        *slot = i;
        if (!m->h->write_ids)
            continue;
        t->id[i] = m->h->write_ids[p->ver_op[first + i]];
        t->same_id[i] = 0;
        if (!t->id[i])
            continue;
        slot = slot_by_id(t, t->id[i]);
        t->same_id[i] = *slot;
        *slot = i;
    }
}

/* The candidates of a read into m->found, ascending. */
static void find_candidates(struct match *m, const struct prob *p, struct table *t, uint32_t read)
{
    const struct history *h = m->h;
    uint32_t key = p->rd_key[read], first = p->ver_start[key], op = p->rd_op[read];
    struct hist_value v = hist_op_value(&h->ops.data[op]);
    bool initial = h->ops.data[op].flags & HIST_OP_INITIAL;
    uint64_t id = h->write_ids ? h->write_ids[op] : 0;
    vec_clear(&m->found);
    if (h->ops.data[op].flags & HIST_OP_ANY) {
        for (uint32_t i = first; i < p->ver_start[key + 1]; i++)
            if (p->ver_txn[i] != p->rd_txn[read])
                vec_push(&m->found, i);
        return;
    }
    if (initial) {
        vec_push(&m->found, first);
        return;
    }
    if (id) {
        for (uint32_t i = *slot_by_id(t, id); i; i = t->same_id[i])
            if (p->ver_txn[first + i] != p->rd_txn[read] &&
                hist_value_eq(v, (struct hist_value){t->value[i], t->null[i]}))
                vec_push(&m->found, first + i);
        return;
    }
    if (hist_value_eq(v, m->initial[key]))
        vec_push(&m->found, first);
    for (uint32_t i = *slot_by_value(t, v.value, v.null); i; i = t->same_value[i])
        if (p->ver_txn[first + i] != p->rd_txn[read])
            vec_push(&m->found, first + i);
}

/* Keep what find_candidates found.  A read without candidates is an anomaly, unless the reader may
 * not have happened. */
static bool settle_read(struct match *m, struct prob *p, uint32_t read)
{
    uint32_t txn = p->hist[p->rd_txn[read]];
    if (!m->found.len && m->status[txn] == MATCH_IN) {
        anomaly_unmatched(m->r, m->h, m->status, m->cls, p->rd_op[read]);
        return false;
    }
    if (m->found.len == 1 && m->status[txn] != MATCH_MAYBE) {
        p->rd_ver[read] = m->found.data[0];
        return true;
    }
    if (p->cand.len + m->found.len > MAX_CANDIDATES) {
        anomaly_unknown(m->r, "reads could have seen more than %zu versions in all",
                        MAX_CANDIDATES);
        return false;
    }
    p->rd_ver[read] = PROB_CHOICE | (uint32_t)p->choices.len;
    struct match_choice c = {read, (uint32_t)p->cand.len, (uint32_t)m->found.len,
                             (uint32_t)m->found.len, HIST_NONE};
    vec_push(&p->choices, c);
    for (size_t i = 0; i < m->found.len; i++)
        vec_push(&p->cand, m->found.data[i]);
    return true;
}

static bool duplicate_write(struct match *m, const struct prob *p, struct table *t, uint32_t key)
{
    uint32_t first = p->ver_start[key], count = p->ver_start[key + 1] - first;
    for (uint32_t i = 1; i < count; i++)
        if (t->same_value[i] && !t->null[i]) {
            anomaly_report(m->r, m->h, CHECK_DUPLICATE_WRITE, p->ver_op[first + i],
                           p->ver_op[first + t->same_value[i]]);
            return true;
        }
    return false;
}

static bool match_key(struct match *m, struct prob *p, struct table *t, uint32_t key,
                      const uint32_t *reads, uint32_t count)
{
    table_fill(m, p, t, key);
    if (m->unique_values && duplicate_write(m, p, t, key))
        return false;
    for (uint32_t i = 0; i < count; i++) {
        find_candidates(m, p, t, reads[i]);
        if (!settle_read(m, p, reads[i]))
            return false;
    }
    return true;
}

/* Reads sorted by key; start has keys + 1 entries. */
static uint32_t *reads_by_key(const struct prob *p, uint32_t *start)
{
    uint32_t reads = p->rd_start[p->n];
    uint32_t *sorted = mem_alloc(mem_mul(reads + 1, sizeof *sorted));
    memset(start, 0, (p->keys + 2) * sizeof *start);
    for (uint32_t i = 0; i < reads; i++)
        start[p->rd_key[i] + 2]++;
    for (uint32_t k = 0; k < p->keys; k++)
        start[k + 2] += start[k + 1];
    for (uint32_t i = 0; i < reads; i++)
        sorted[start[p->rd_key[i] + 1]++] = i;
    return sorted;
}

static bool match_reads(struct match *m, struct prob *p)
{
    uint32_t *start = mem_alloc(mem_mul(p->keys + 2, sizeof *start));
    uint32_t *sorted = reads_by_key(p, start);
    struct table t = {0};
    bool ok = true;
    for (uint32_t k = 0; k < p->keys && ok; k++) {
        if (m->list_key[k])
            ok = match_list_key(m, p, k, sorted + start[k], start[k + 1] - start[k]);
        else
            ok = match_key(m, p, &t, k, sorted + start[k], start[k + 1] - start[k]);
    }
    table_free(&t);
    mem_free(sorted);
    mem_free(start);
    return ok;
}

static void index_readers(struct prob *p)
{
    uint32_t reads = p->rd_start[p->n];
    p->rdr_start = mem_calloc(p->versions + 2, sizeof *p->rdr_start);
    p->rdr = mem_alloc(mem_mul(reads + 1, sizeof *p->rdr));
    for (uint32_t i = 0; i < reads; i++)
        if (!(p->rd_ver[i] & PROB_CHOICE))
            p->rdr_start[p->rd_ver[i] + 2]++;
    for (uint32_t v = 0; v < p->versions; v++)
        p->rdr_start[v + 2] += p->rdr_start[v + 1];
    for (uint32_t i = 0; i < reads; i++)
        if (!(p->rd_ver[i] & PROB_CHOICE))
            p->rdr[p->rdr_start[p->rd_ver[i] + 1]++] = i;
}

/* --- transactions of unknown outcome ---------------------------------------------------------- */

static bool any_unknown(const struct match *m)
{
    for (uint32_t t = 0; t < m->h->txns.len; t++)
        if (m->status[t] == MATCH_UNKNOWN)
            return true;
    return false;
}

static bool any_lists(const struct match *m)
{
    for (size_t k = 0; k < m->h->keys.len; k++)
        if (m->list_key[k])
            return true;
    return false;
}

static void mark_maybe(const struct match *m, struct prob *p)
{
    if (!m->any_maybe)
        return;
    p->maybe = mem_calloc(p->n + 1, 1);
    for (uint32_t t = 0; t < p->n; t++)
        p->maybe[t] = m->status[p->hist[t]] == MATCH_MAYBE;
}

/* --- all together ----------------------------------------------------------------------------- */

static bool run(struct match *m, struct prob *p)
{
    match_lists_reset(m);
    number_txns(m, p);
    count_ops(m, p);
    fill_ops(m, p);
    return match_reads(m, p) && !m->equal.keys.len;
}

static void match_init(struct match *m, const struct history *h, const struct check_options *o,
                       struct check_result *r)
{
    *m = (struct match){
        .h = h, .r = r, .level = o->level, .unique_values = o->unique_values, .places = o->places};
    m->status = mem_alloc(h->txns.len + 1);
    m->cls = mem_calloc(h->ops.len + 1, 1);
    m->last = mem_alloc(mem_mul(h->keys.len + 1, sizeof *m->last));
    m->last_write = mem_alloc(mem_mul(h->keys.len + 1, sizeof *m->last_write));
    m->list_key = mem_calloc(h->keys.len + 1, 1);
    m->initial = hist_initial_values(h);
    for (size_t t = 0; t < h->txns.len; t++) {
        uint8_t s = h->txns.data[t].status;
        m->status[t] = s == HIST_COMMITTED ? MATCH_IN
                       : s == HIST_ABORTED ? MATCH_OUT
                                           : MATCH_UNKNOWN;
    }
    for (size_t i = 0; i < h->ops.len; i++)
        if (h->ops.data[i].kind >= HIST_APPEND)
            m->list_key[h->ops.data[i].key] = 1;
}

static void match_done(struct match *m)
{
    mem_free(m->status);
    mem_free(m->cls);
    mem_free(m->last);
    mem_free(m->last_write);
    mem_free(m->list_key);
    mem_free(m->initial);
    vec_free(&m->found);
    vec_free(&m->chain_start);
    vec_free(&m->chain_txns);
    match_lists_free(m);
}

/* The lists of a transaction that has just been found to count may show more: so once more. */
static bool settle_unknown(struct match *m, struct prob *p)
{
    bool ok = true, again = any_unknown(m);
    while (ok && again) {
        ok = run(m, p);
        bool dropped = ok && match_drop_unread(m, p);
        again = dropped || (ok && match_settle_sure(m, p) && p->ver_prev);
        if (ok && !again)
            match_settle_maybe(m, p);
        match_free(p);
        *p = (struct prob){.h = m->h, .level = m->level};
    }
    if (ok && m->any_maybe && any_lists(m)) {
        anomaly_unknown(m->r, "lists beside registers whose writer may be of unknown outcome");
        return false;
    }
    return ok;
}

static bool only_lists_written(const struct match *m, const struct prob *p)
{
    for (uint32_t k = 0; k < p->keys; k++)
        if (!m->list_key[k] && p->ver_start[k + 1] - p->ver_start[k] > 1)
            return false;
    return true;
}

bool match_build(const struct history *h, const struct check_options *o, struct prob *p,
                 struct check_result *r)
{
    struct match m;
    match_init(&m, h, o, r);
    *p = (struct prob){.h = h, .level = o->level};
    bool ok = scan(&m);
    ok = ok && settle_unknown(&m, p);
    ok = ok && run(&m, p);
    if (ok && !o->level.session_order) {
        match_find_chains(p, &m.chain_start, &m.chain_txns);
        match_free(p);
        *p = (struct prob){.h = h, .level = o->level};
        ok = run(&m, p);
    }
    if (ok) {
        mark_maybe(&m, p);
        index_readers(p);
        match_version_orders(p);
        p->only_lists = !h->version_orders.len && only_lists_written(&m, p);
        ok = joint_build(p, r);
    }
    if (!ok)
        match_free(p);
    if (!ok && r->verdict != CHECK_VIOLATION)
        p->equal = m.equal;
    else
        equal_free(&m.equal);
    match_done(&m);
    return ok;
}

void match_free(struct prob *p)
{
    mem_free(p->chain);
    mem_free(p->session);
    mem_free(p->hist);
    mem_free(p->maybe);
    mem_free(p->ver_start);
    mem_free(p->ver_txn);
    mem_free(p->ver_op);
    mem_free(p->ver_key);
    mem_free(p->wr_start);
    mem_free(p->wr_ver);
    mem_free(p->rd_start);
    mem_free(p->rd_key);
    mem_free(p->rd_ver);
    mem_free(p->rd_op);
    mem_free(p->rdr_start);
    mem_free(p->rdr);
    mem_free(p->rd_txn);
    mem_free(p->ver_prev);
    vec_free(&p->known);
    vec_free(&p->choices);
    vec_free(&p->cand);
    vec_free(&p->drops);
    joint_free(p);
    equal_free(&p->equal);
    *p = (struct prob){0};
}
