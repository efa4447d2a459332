/* RCS: transactions in parts, one per statement; see visibility.h. */
#include "check/visibility/visibility.h"

struct split {
    const struct prob *p;
    VEC(uint32_t) whole;    /* per part: its transaction */
    VEC(uint32_t) rd_start; /* per part */
    uint32_t *last;         /* per transaction: its last part */
};

static bool same_statement(const struct history *h, uint32_t a, uint32_t b)
{
    for (uint32_t i = a + 1; i <= b; i++)
        if (!(h->ops.data[i].flags & HIST_OP_SAME_STMT))
            return false;
    return true;
}

static void split_txn(struct split *s, uint32_t t)
{
    const struct prob *p = s->p;
    vec_push(&s->whole, t);
    vec_push(&s->rd_start, p->rd_start[t]);
    for (uint32_t r = p->rd_start[t] + 1; r < p->rd_start[t + 1]; r++)
        if (!same_statement(p->h, p->rd_op[r - 1], p->rd_op[r])) {
            vec_push(&s->whole, t);
            vec_push(&s->rd_start, r);
        }
    s->last[t] = (uint32_t)s->whole.len - 1;
}

/* Does the first part of t+1 follow t?  By session order, or because it read from t. */
static bool linked(const struct split *s, uint32_t part)
{
    const struct prob *p = s->p;
    uint32_t t = s->whole.data[part], before = s->whole.data[part - 1];
    if (t == before)
        return true;
    if (p->session[t] != p->session[before])
        return false;
    if (p->level.session_order)
        return true;
    uint32_t end = part + 1 < s->rd_start.len ? s->rd_start.data[part + 1] : p->rd_start[p->n];
    for (uint32_t r = s->rd_start.data[part]; r < end; r++)
        if (!(p->rd_ver[r] & PROB_CHOICE) && p->ver_txn[p->rd_ver[r]] == before)
            return true;
    return false;
}

static void number_chains(struct prob *p, const struct split *s, uint32_t parts)
{
    uint32_t *chain = mem_alloc(mem_mul((size_t)parts + 1, sizeof *chain));
    uint32_t *session = mem_alloc(mem_mul((size_t)parts + 1, sizeof *session)), chains = 0;
    for (uint32_t i = 0; i < parts; i++) {
        if (!i || !linked(s, i))
            chain[chains++] = i;
        session[i] = chains - 1;
    }
    chain[chains] = parts;
    mem_free(p->chain);
    mem_free(p->session);
    p->chain = chain;
    p->session = session;
    p->sessions = chains;
}

void vis_split_statements(struct prob *p)
{
    struct split s = {.p = p};
    s.last = mem_alloc(mem_mul((size_t)p->n + 1, sizeof *s.last));
    for (uint32_t t = 0; t < p->n; t++)
        split_txn(&s, t);
    uint32_t parts = (uint32_t)s.whole.len, reads = p->rd_start[p->n];
    number_chains(p, &s, parts);
    uint32_t *hist = mem_alloc(mem_mul((size_t)parts + 1, sizeof *hist));
    uint32_t *wr_start = mem_alloc(mem_mul((size_t)parts + 1, sizeof *wr_start));
    uint8_t *maybe = p->maybe ? mem_alloc((size_t)parts + 1) : NULL;
    for (uint32_t i = 0; i < parts; i++) {
        uint32_t t = s.whole.data[i];
        hist[i] = p->hist[t];
        wr_start[i] = p->wr_start[t];
        if (maybe)
            maybe[i] = p->maybe[t];
        uint32_t end = i + 1 < parts ? s.rd_start.data[i + 1] : reads;
        for (uint32_t r = s.rd_start.data[i]; r < end; r++)
            p->rd_txn[r] = i;
    }
    wr_start[parts] = p->wr_start[p->n];
    for (uint32_t v = 0; v < p->versions; v++)
        if (p->ver_txn[v] != PROB_INIT)
            p->ver_txn[v] = s.last[p->ver_txn[v]];
    vec_push(&s.rd_start, reads);
    mem_free(p->hist);
    mem_free(p->wr_start);
    mem_free(p->rd_start);
    mem_free(p->maybe);
    p->hist = hist;
    p->wr_start = wr_start;
    p->rd_start = s.rd_start.data;
    p->maybe = maybe;
    p->n = parts;
    mem_free(s.last);
    vec_free(&s.whole);
}
