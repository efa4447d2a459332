/* Lists: reads show whole version histories, so nearly the whole version order is known.
 *
 * Kingsbury and Alvaro, Elle (VLDB 2020), sections 4.2 and 5: every read of a list must be a prefix
 * of the longest one; its elements, in order, are the versions; an append that no read shows comes
 * after those that some read shows.  A list without elements is the initial version.  Where equal
 * values were appended to a key and a read shows them, which append made which element is a choice:
 * matching then only collects the possibilities (duplicate_values.h), or takes the choice that it
 * is given.
 *
 * Reads share storage (history.h), so nearly all of them lie inside the longest list and
 * the prefix test is a comparison of two offsets. */
#include "check/problem/match_internal.h"

#include "check/problem/finding.h"

/* --- within a transaction --------------------------------------------------------------------- */

/* How many own appends precede `op` since `since` (an operation of the same transaction), and do
 * they end the list that op read? */
static bool ends_with_own(const struct history *h, uint32_t op, uint32_t since, uint32_t *own)
{
    const struct hist_op *r = &h->ops.data[op];
    const int64_t *list = h->lists.data + r->list.start;
    uint32_t left = r->list.len;
    *own = 0;
    for (uint32_t i = op; i-- > since;) {
        const struct hist_op *a = &h->ops.data[i];
        if (a->key != r->key || a->kind != HIST_APPEND || a->flags & HIST_OP_FAILED)
            continue;
        if (!left || list[--left] != a->value)
            return false;
        ++*own;
    }
    return true;
}

static uint32_t previous_read(const struct history *h, uint32_t first, uint32_t op)
{
    for (uint32_t i = op; i-- > first;)
        if (h->ops.data[i].key == h->ops.data[op].key && h->ops.data[i].kind == HIST_LIST_READ &&
            !(h->ops.data[i].flags & HIST_OP_FAILED))
            return i;
    return HIST_NONE;
}

bool match_scan_list_read(struct match *m, uint32_t txn, uint32_t op, uint32_t last)
{
    const struct history *h = m->h;
    if (last == HIST_NONE) {
        m->cls[op] = MATCH_READ;
        return true;
    }
    uint32_t first = h->txns.data[txn].first_op, own;
    bool fresh = model_get(m->level.model)->snapshot != SNAPSHOT_TRANSACTION;
    uint32_t before = fresh ? HIST_NONE : previous_read(h, first, op);
    if (!ends_with_own(h, op, before == HIST_NONE ? first : before, &own))
        return match_contradicts(m, txn, ANOMALY_INTERNAL, last, op);
    if (before == HIST_NONE) {
        m->cls[op] = MATCH_READ;
        if (own) {
            vec_push(&m->own_suffix, ((struct hist_pair){op, own}));
            m->cls[op] |= MATCH_OWN;
        }
        return true;
    }
    const struct hist_op *a = &h->ops.data[before], *b = &h->ops.data[op];
    if (a->list.len + own == b->list.len &&
        !memcmp(h->lists.data + a->list.start, h->lists.data + b->list.start,
                a->list.len * sizeof *h->lists.data))
        return true;
    return match_contradicts(m, txn, own ? ANOMALY_INTERNAL : ANOMALY_NON_REPEATABLE, before, op);
}

/* The length of the part of a list read that others wrote. */
uint32_t match_external_length(const struct match *m, uint32_t op)
{
    uint32_t len = m->h->ops.data[op].list.len;
    if (!(m->cls[op] & MATCH_OWN))
        return len;
    size_t lo = 0, hi = m->own_suffix.len;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (m->own_suffix.data[mid].from < op)
            lo = mid + 1;
        else
            hi = mid;
    }
    return len - m->own_suffix.data[lo].to;
}

/* --- the appends of a key --------------------------------------------------------------------- */

/* Every append of a transaction that counts, bucketed by key, in order of transactions.  Where no
 * transaction appends twice to a key, these are the versions. */
static void bucket_appends(struct match *m, const struct prob *p)
{
    const struct history *h = m->h;
    m->app_start = mem_calloc((size_t)p->keys + 2, sizeof *m->app_start);
    for (uint32_t k = 0; k < p->keys && !m->any_intermediate; k++)
        m->app_start[k + 1] = p->ver_start[k + 1] - k - 1;
    if (!m->any_intermediate)
        return;
    uint32_t total = 0;
    for (int fill = 0; fill < 2; fill++) {
        for (uint32_t t = 0; t < p->n; t++) {
            const struct hist_txn *ht = &h->txns.data[p->hist[t]];
            for (uint32_t i = ht->first_op; i < ht->first_op + ht->op_count; i++) {
                const struct hist_op *op = &h->ops.data[i];
                if (op->kind != HIST_APPEND || op->flags & HIST_OP_FAILED)
                    continue;
                uint32_t *at = &m->app_start[op->key + 1];
                if (fill) {
                    m->app_txn[*at] = t;
                    m->app[(*at)++] = i;
                } else {
                    at[1]++, total++;
                }
            }
        }
        if (!fill) {
            for (uint32_t k = 0; k < p->keys; k++)
                m->app_start[k + 2] += m->app_start[k + 1];
            m->app = mem_alloc(mem_mul((size_t)total + 1, sizeof *m->app));
            m->app_txn = mem_alloc(mem_mul((size_t)total + 1, sizeof *m->app_txn));
        }
    }
}

static struct match_appends appends_of(const struct match *m, const struct prob *p, uint32_t key)
{
    uint32_t start = m->app_start[key], count = m->app_start[key + 1] - start;
    if (!m->app)
        return (struct match_appends){p->ver_op + p->ver_start[key] + 1,
                                      p->ver_txn + p->ver_start[key] + 1, count};
    return (struct match_appends){m->app + start, m->app_txn + start, count};
}

#define TWICE (1u << 31) /* in a slot: another append has the same value */

static uint32_t *element(struct match *m, const struct match_appends *a, int64_t value)
{
    uint32_t i = (uint32_t)hash_u64((uint64_t)value) & m->element_mask;
    while (m->element_slot[i] &&
           m->h->ops.data[a->op[(m->element_slot[i] & ~TWICE) - 1]].value != value)
        i = (i + 1) & m->element_mask;
    return &m->element_slot[i];
}

/* value → position among the key's appends, plus one. */
static bool fill_elements(struct match *m, const struct match_appends *a)
{
    uint32_t count = a->count, slots = 4;
    while (slots < count * 2)
        slots *= 2;
    if (slots > m->element_slots) {
        m->element_slots = slots;
        m->element_slot = mem_realloc(m->element_slot, mem_mul(slots, sizeof *m->element_slot));
    }
    m->element_mask = slots - 1;
    memset(m->element_slot, 0, slots * sizeof *m->element_slot);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t *slot = element(m, a, m->h->ops.data[a->op[i]].value);
        if (*slot && m->unique_values) {
            finding_report(m->r, m->h, ANOMALY_DUPLICATE_WRITE, a->op[(*slot & ~TWICE) - 1],
                           a->op[i]);
            return false;
        }
        *slot = *slot ? *slot | TWICE : i + 1;
    }
    return true;
}

/* --- the versions of a key -------------------------------------------------------------------- */

static bool find_longest(struct match *m, const struct prob *p, const uint32_t *reads,
                         uint32_t count, struct match_longest *l)
{
    const struct history *h = m->h;
    *l = (struct match_longest){NULL, 0, HIST_NONE};
    for (uint32_t i = 0; i < count; i++) {
        uint32_t op = p->rd_op[reads[i]], len = match_external_length(m, op);
        if (m->status[p->hist[p->rd_txn[reads[i]]]] == MATCH_IN && len > l->len)
            *l = (struct match_longest){h->lists.data + h->ops.data[op].list.start, len, op};
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t op = p->rd_op[reads[i]], len = match_external_length(m, op);
        const int64_t *value = h->lists.data + h->ops.data[op].list.start;
        if (len == 0 || value == l->value ||
            (l->value && len <= l->len && !memcmp(value, l->value, len * sizeof *value)))
            continue;
        if (m->status[p->hist[p->rd_txn[reads[i]]]] != MATCH_IN)
            continue; /* settled below: it cannot be matched */
        finding_report(m->r, h, ANOMALY_INCOMPATIBLE_ORDER, op, l->op);
        return false;
    }
    return true;
}

/* The append of each element of the longest list, as a position among the key's appends. */
static bool find_elements(struct match *m, const struct match_appends *a,
                          const struct match_longest *l)
{
    const struct history *h = m->h;
    uint32_t reader = l->len ? hist_op_txn(h, l->op) : HIST_NONE;
    vec_resize(&m->order, l->len);
    for (uint32_t i = 0; i < l->len; i++) {
        uint32_t found = *element(m, a, l->value[i]);
        if (!found) {
            finding_element(m->r, h, m->status, l->op, l->value[i]);
            return false;
        }
        uint32_t op = a->op[found - 1];
        if (op < l->op && op >= h->txns.data[reader].first_op) { /* own, and shown behind it, too */
            finding_repeated(m->r, h, l->op, l->value[i]);
            return false;
        }
        m->order.data[i] = found - 1;
    }
    return true;
}

/* The transaction's append before this one; it has one, and does not stand right before it. */
static enum anomaly name_gap(const struct match *m, uint32_t at, uint32_t place)
{
    for (uint32_t i = 0; i < place; i++)
        if (m->order.data[i] == at - 1)
            return ANOMALY_G0; /* others come between */
    return ANOMALY_TORN_LIST;
}

/* Are the appends of each transaction whole and together? */
static bool check_blocks(struct match *m, const struct match_appends *a,
                         const struct match_longest *l)
{
    const struct history *h = m->h;
    for (uint32_t i = 0; i < l->len; i++) {
        uint32_t at = m->order.data[i], before = i ? m->order.data[i - 1] : HIST_NONE;
        bool follows = i && before + 1 == at;
        if (at && !follows && a->txn[at - 1] == a->txn[at]) {
            finding_report(m->r, h, name_gap(m, at, i), a->op[at], l->op);
            return false;
        }
    }
    for (uint32_t i = 1; i < l->len; i++) {
        uint32_t before = m->order.data[i - 1];
        if (m->cls[a->op[before]] == MATCH_INTERMEDIATE && before + 1 != m->order.data[i]) {
            finding_report(m->r, h, ANOMALY_G1B, a->op[before], l->op);
            return false;
        }
    }
    return true;
}

/* Does it show a value that was appended more than once? */
static bool is_ambiguous(struct match *m, const struct match_appends *a,
                         const struct match_longest *l)
{
    for (uint32_t i = 0; i < l->len; i++)
        if (*element(m, a, l->value[i]) & TWICE)
            return true;
    return false;
}

static bool find_repeated(struct match *m, const struct match_appends *a,
                          const struct match_longest *l)
{
    vec_clear(&m->seen);
    vec_resize(&m->seen, a->count);
    for (uint32_t i = 0; i < l->len; i++)
        if (m->seen.data[m->order.data[i]]++) {
            finding_repeated(m->r, m->h, l->op, l->value[i]);
            return false;
        }
    return true;
}

/* Position among the appends → version, for final appends: both are sorted by transaction. */
static void number_versions(struct match *m, const struct prob *p, const struct match_appends *a,
                            uint32_t key)
{
    uint32_t v = p->ver_start[key] + 1;
    vec_resize(&m->app_ver, a->count);
    for (uint32_t i = 0; i < a->count; i++)
        m->app_ver.data[i] = m->cls[a->op[i]] == MATCH_FINAL ? v++ : HIST_NONE;
}

/* Known order: initial version, the versions shown in order, then each that was not shown. */
static void order_versions(struct match *m, struct prob *p, uint32_t key,
                           const struct match_longest *l)
{
    uint32_t last = p->ver_start[key], hidden = 0;
    for (uint32_t i = 0; i < l->len; i++) {
        uint32_t v = m->app_ver.data[m->order.data[i]];
        if (v == HIST_NONE)
            continue;
        p->ver_prev[v] = last;
        last = v;
    }
    for (uint32_t i = 0; i < m->seen.len; i++)
        if (!m->seen.data[i] && m->app_ver.data[i] != HIST_NONE) {
            p->ver_prev[m->app_ver.data[i]] = last;
            hidden++;
        }
    if (hidden > 1)
        p->hidden_pairs = true;
}

static bool match_list_read(struct match *m, struct prob *p, const struct match_appends *a,
                            uint32_t read, const struct match_longest *l)
{
    const struct history *h = m->h;
    uint32_t op = p->rd_op[read], len = match_external_length(m, op), key = p->rd_key[read];
    bool in = m->status[p->hist[p->rd_txn[read]]] == MATCH_IN;
    const int64_t *value = h->lists.data + h->ops.data[op].list.start;
    uint32_t v = HIST_NONE;
    if (!len)
        v = p->ver_start[key];
    else if (l->value && len <= l->len &&
             (value == l->value || !memcmp(value, l->value, len * sizeof *value)))
        v = m->app_ver.data[m->order.data[len - 1]];
    if (v != HIST_NONE && p->ver_txn[v] == p->rd_txn[read]) {
        if (in && p->ver_op[v] > op)
            finding_report(m->r, h, ANOMALY_FUTURE_READ, op, p->ver_op[v]);
        else if (in) /* the own appends come behind it, so it is shown twice */
            finding_repeated(m->r, h, op, value[len - 1]);
        v = HIST_NONE;
    } else if (v == HIST_NONE && in) {
        finding_report(m->r, h, ANOMALY_G1B, a->op[m->order.data[len - 1]], op);
    }
    if (v == HIST_NONE && in)
        return false;
    if (v == HIST_NONE) {
        /* Of unknown outcome, and it read what nobody else saw: leave it without candidates. */
        vec_push(&p->choices,
                 ((struct match_choice){read, (uint32_t)p->cand.len, 0, 0, HIST_NONE}));
        v = PROB_CHOICE | (uint32_t)(p->choices.len - 1);
    }
    p->rd_ver[read] = v;
    return true;
}

bool match_list_key(struct match *m, struct prob *p, uint32_t key, const uint32_t *reads,
                    uint32_t count)
{
    struct match_longest l;
    if (!m->app_start)
        bucket_appends(m, p);
    if (!p->ver_prev) {
        p->ver_prev = mem_alloc(mem_mul((size_t)p->versions + 1, sizeof *p->ver_prev));
        memset(p->ver_prev, 0xff, ((size_t)p->versions + 1) * sizeof *p->ver_prev);
    }
    struct match_appends a = appends_of(m, p, key);
    if (!fill_elements(m, &a) || !find_longest(m, p, reads, count, &l))
        return false;
    bool equal = is_ambiguous(m, &a, &l);
    if (equal && !m->places) {
        match_collect_duplicates(m, p, &a, key, reads, count, &l);
        return true;
    }
    if (!(equal ? match_take_places(m, &a, &l) : find_elements(m, &a, &l)) ||
        !find_repeated(m, &a, &l) || !check_blocks(m, &a, &l))
        return false;
    number_versions(m, p, &a, key);
    order_versions(m, p, key, &l);
    for (uint32_t i = 0; i < count; i++)
        if (!match_list_read(m, p, &a, reads[i], &l))
            return false;
    return true;
}

void match_list_order(struct prob *p)
{
    for (uint32_t v = 0; v < p->versions && p->ver_prev; v++)
        if (p->ver_prev[v] != HIST_NONE)
            vec_push(&p->known, ((struct hist_pair){p->ver_prev[v], v}));
}

void match_lists_reset(struct match *m)
{
    mem_free(m->app);
    mem_free(m->app_start);
    mem_free(m->app_txn);
    m->app = m->app_start = m->app_txn = NULL;
}

void match_lists_free(struct match *m)
{
    match_lists_reset(m);
    mem_free(m->element_slot);
    vec_free(&m->own_suffix);
    vec_free(&m->order);
    vec_free(&m->seen);
    vec_free(&m->app_ver);
}

/* --- version orders given from outside -------------------------------------------------------- */

/* What comes right before a version: the last one on the list so far, and further ones as long as
 * those between may not have happened. */
static void push_known(struct prob *p, const match_ids *list, uint32_t to)
{
    for (size_t i = list->len; i--;) {
        uint32_t from = list->data[i], t = p->ver_txn[from];
        vec_push(&p->known, ((struct hist_pair){from, to}));
        if (t == PROB_INIT || !p->maybe || !p->maybe[t])
            return;
    }
}

void match_version_orders(struct prob *p)
{
    const struct history *h = p->h;
    uint32_t *version = NULL;
    match_ids list = {0};
    if (h->version_orders.len) {
        version = mem_alloc(mem_mul(h->ops.len + 1, sizeof *version));
        memset(version, 0xff, h->ops.len * sizeof *version);
        for (uint32_t v = 0; v < p->versions; v++)
            if (p->ver_op[v] != HIST_NONE)
                version[p->ver_op[v]] = v;
    }
    for (size_t i = 0; i < h->version_orders.len; i++) {
        const struct hist_version_order *o = &h->version_orders.data[i];
        vec_clear(&list);
        vec_push(&list, p->ver_start[o->key]);
        for (uint32_t j = 0; j < o->len; j++) {
            uint32_t v = version[h->version_ops.data[o->start + j]];
            if (v == HIST_NONE)
                continue; /* overwritten by its own transaction, or not committed */
            push_known(p, &list, v);
            vec_push(&list, v);
        }
    }
    mem_free(version);
    vec_free(&list);
}
