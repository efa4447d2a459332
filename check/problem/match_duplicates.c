/* Lists with duplicate values: collecting the blocks and taking a choice; see
 * duplicate_values.h. */
#include "check/problem/finding.h"
#include "check/problem/match_internal.h"

/* The key's reads and appends are sorted by transaction, and so by session. */
struct sweep {
    uint32_t read;          /* the next */
    uint32_t after, before; /* see struct duplicates_block */
    uint32_t owner;         /* session, or transaction, that they are about */
};

static uint32_t owner_of(const struct prob *p, uint32_t txn)
{
    return p->level.session_order ? p->session[txn] : txn;
}

static void start_owner(struct sweep *w, uint32_t owner)
{
    if (w->owner != owner) {
        w->after = 0;
        w->before = HIST_NONE;
    }
    w->owner = owner;
}

static void pass_reads(struct match *m, const struct prob *p, const uint32_t *reads, uint32_t count,
                       uint32_t txn, struct sweep *w)
{
    for (; w->read < count && p->rd_txn[reads[w->read]] <= txn; w->read++) {
        uint32_t t = p->rd_txn[reads[w->read]];
        if (owner_of(p, t) != owner_of(p, txn) || m->status[p->hist[t]] != MATCH_IN)
            continue;
        uint32_t len = match_external_length(m, p->rd_op[reads[w->read]]);
        w->after = len > w->after ? len : w->after;
    }
}

static uint32_t new_block(struct match *m, const struct prob *p, const struct match_appends *a,
                          uint32_t i, struct sweep *w)
{
    struct duplicates *q = &m->duplicates;
    uint32_t end = i, txn = a->txn[i], first = (uint32_t)q->ops.len;
    for (; end < a->count && a->txn[end] == txn; end++)
        vec_push(&q->ops, a->op[end]);
    vec_push(&q->blocks, ((struct duplicates_block){p->hist[txn], first, end - i, w->after,
                                                    w->before, HIST_NONE}));
    if (m->status[p->hist[txn]] == MATCH_IN)
        w->before = (uint32_t)q->blocks.len - 1;
    return end;
}

/* Later reads of the session show what it appended, but for EC and RC.  Who overwrites what it read
 * comes right behind it where nobody else may come between: one snapshot, and all conflicting
 * writes seen. Blocks and reads from the last to the first. */
static void find_until(struct match *m, const struct prob *p, const struct duplicates_key *k,
                       const uint32_t *block_txn, const uint32_t *reads, uint32_t count)
{
    enum model_id model = p->level.model;
    bool sessions = p->level.session_order && model_sees_session(model_get(model));
    bool exact = model == MODEL_SER || model == MODEL_SI || model == MODEL_PSI;
    uint32_t r = count, until = HIST_NONE, owner = HIST_NONE;
    for (uint32_t b = k->blocks; b-- > 0;) {
        struct duplicates_block *x = &m->duplicates.blocks.data[k->first_block + b];
        uint32_t txn = block_txn[b], own = HIST_NONE;
        if (owner_of(p, txn) != owner)
            until = HIST_NONE;
        owner = owner_of(p, txn);
        for (; r > 0 && p->rd_txn[reads[r - 1]] >= txn; r--) {
            uint32_t t = p->rd_txn[reads[r - 1]];
            if (owner_of(p, t) != owner || m->status[p->hist[t]] != MATCH_IN)
                continue;
            uint32_t len = match_external_length(m, p->rd_op[reads[r - 1]]);
            if (t == txn)
                own = len; /* looked at after this block */
            else if (sessions && len < until)
                until = len;
        }
        if (m->status[p->hist[txn]] == MATCH_IN)
            x->until = until;
        if (exact && own != HIST_NONE && own < k->len && own + x->count < x->until &&
            m->status[p->hist[txn]] == MATCH_IN)
            x->until = own + x->count;
        if (sessions && own < until)
            until = own;
    }
}

void match_collect_duplicates(struct match *m, struct prob *p, const struct match_appends *a,
                              uint32_t key, const uint32_t *reads, uint32_t count,
                              const struct match_longest *l)
{
    struct duplicates *q = &m->duplicates;
    struct duplicates_key k = {
        key, l->op, l->len, (uint32_t)q->blocks.len, 0, (uint32_t)q->cuts.len};
    struct sweep w = {0, 0, HIST_NONE, HIST_NONE};
    match_ids block_txn = {0};
    for (uint32_t i = 0; i < a->count;) {
        vec_push(&block_txn, a->txn[i]);
        start_owner(&w, owner_of(p, a->txn[i]));
        pass_reads(m, p, reads, count, a->txn[i], &w);
        i = new_block(m, p, a, i, &w);
    }
    k.blocks = (uint32_t)q->blocks.len - k.first_block;
    find_until(m, p, &k, block_txn.data, reads, count);
    vec_free(&block_txn);
    for (uint32_t i = 0; i <= l->len; i++)
        vec_push(&q->cuts, 0);
    for (uint32_t r = 0; r < count; r++) {
        uint32_t op = p->rd_op[reads[r]];
        p->rd_ver[reads[r]] = p->ver_start[key]; /* nobody will look */
        if (m->status[p->hist[p->rd_txn[reads[r]]]] == MATCH_IN)
            q->cuts.data[k.cut + match_external_length(m, op)] = 1;
    }
    vec_push(&q->keys, k);
}

/* The append of each element as the choice has it, into m->order. */
bool match_take_places(struct match *m, const struct match_appends *a,
                       const struct match_longest *l)
{
    vec_resize(&m->order, l->len);
    for (uint32_t i = 0; i < l->len; i++)
        m->order.data[i] = HIST_NONE;
    for (uint32_t i = 0; i < a->count; i++) {
        uint32_t place = m->places[a->op[i]];
        if (place && place <= l->len)
            m->order.data[place - 1] = i;
    }
    for (uint32_t i = 0; i < l->len; i++)
        if (m->order.data[i] == HIST_NONE) {
            finding_unknown(m->r, "the places of the appends to a list are not complete");
            return false;
        }
    return true;
}
