/* Which writes a read may have seen, key by key; see match.h. */
#include "check/problem/finding.h"
#include "check/problem/match_internal.h"

#define MAX_CANDIDATES ((size_t)50 << 20)

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
        if (hist_value_eq(v, m->initial[key]))
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
        finding_unmatched(m->r, m->h, m->status, m->cls, p->rd_op[read]);
        return false;
    }
    if (m->found.len == 1 && m->status[txn] != MATCH_MAYBE) {
        p->rd_ver[read] = m->found.data[0];
        return true;
    }
    if (p->cand.len + m->found.len > MAX_CANDIDATES) {
        finding_unknown(m->r, "reads could have seen more than %zu versions in all",
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
            finding_report(m->r, m->h, ANOMALY_DUPLICATE_WRITE, p->ver_op[first + i],
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

bool match_reads(struct match *m, struct prob *p)
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

void match_index_readers(struct prob *p)
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
