/* Matching reads with writes; see match.h.
 *
 * The work is done in linear passes over flat arrays: scan every transaction (which reads see other
 * transactions, which writes are final, is the transaction consistent with itself), number the
 * transactions, bucket the versions by key, and look up the reads key by key, so that the small
 * hash table of one key stays in the cache.
 *
 * A transaction of unknown outcome counts if a transaction that counts read from it.  One that
 * nobody read from can be dropped without changing any read, so it is dropped.  Where a read has
 * several candidates and some are of unknown outcome, these transactions stay as `maybe`. */
#include "check/problem/match.h"

#include "base/limit.h"
#include "check/problem/finding.h"
#include "check/problem/aggregate.h"
#include "check/problem/match_internal.h"

static bool reads_per_operation(const struct match *m)
{
    return model_get(m->level.model)->snapshot != SNAPSHOT_TRANSACTION;
}

/* --- scan ------------------------------------------------------------------------------------- */

bool match_contradicts(struct match *m, uint32_t txn, enum anomaly a, uint32_t op1, uint32_t op2)
{
    if (m->status[txn] != MATCH_IN) {
        m->status[txn] = MATCH_OUT;
        return true;
    }
    finding_report(m->r, m->h, a, op1, op2);
    return false;
}

/* Both say the same of it, see rereads.h. */
static bool same_version(const struct match *m, uint32_t a, uint32_t b)
{
    const struct history *h = m->h;
    if (!hist_value_eq(hist_op_value(&h->ops.data[a]), hist_op_value(&h->ops.data[b])))
        return false;
    if ((h->ops.data[a].flags ^ h->ops.data[b].flags) & HIST_OP_INITIAL)
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
    return match_contradicts(m, txn, own ? ANOMALY_INTERNAL : ANOMALY_NON_REPEATABLE, last, op);
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
    const uint32_t *start = m->chain_start.len ? m->chain_start.data : h->index.session_start;
    const uint32_t *txns = m->chain_start.len ? m->chain_txns.data : h->index.session_txns;
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
    return match_reads(m, p) && !m->duplicates.keys.len;
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
        finding_unknown(m->r, "lists beside registers whose writer may be of unknown outcome");
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
    limit_step("matching reads to writes");
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
        match_index_readers(p);
        match_version_orders(p);
        p->only_lists = !h->version_orders.len && only_lists_written(&m, p);
        ok = aggregate_build(p, r);
    }
    if (!ok)
        match_free(p);
    if (!ok && r->verdict != CHECK_VIOLATION)
        p->duplicates = m.duplicates;
    else
        duplicates_free(&m.duplicates);
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
    aggregate_free(p);
    duplicates_free(&p->duplicates);
    *p = (struct prob){0};
}
