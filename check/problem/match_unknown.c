/* Transactions of unknown outcome: which surely count and which may have happened; see match.c. */
#include "check/problem/match_internal.h"

typedef VEC(uint32_t) txn_vec;

static void find_sure(uint8_t *sure, uint32_t txn, txn_vec *work)
{
    if (txn == PROB_INIT || sure[txn])
        return;
    sure[txn] = 1;
    vec_push(work, txn);
}

/* Who wrote what a transaction that counts surely read counts, and so does, for a list, who
 * appended what came before. */
static void find_sources(const struct prob *p, uint32_t read, uint8_t *sure, uint8_t *seen,
                         txn_vec *work)
{
    uint32_t v = p->rd_ver[read];
    if (v & PROB_CHOICE)
        return;
    for (; v != HIST_NONE && !seen[v]; v = p->ver_prev ? p->ver_prev[v] : HIST_NONE) {
        seen[v] = 1;
        find_sure(sure, p->ver_txn[v], work);
    }
}

/* Every unknown transaction that somebody who counts surely read from counts; then again, because
 * it is a reader too.  Says whether there were any. */
bool match_settle_sure(struct match *m, const struct prob *p)
{
    uint8_t *sure = mem_calloc((size_t)p->n + 1, 1), *seen = mem_calloc((size_t)p->versions + 1, 1);
    txn_vec work = {0};
    bool any = false;
    for (uint32_t t = 0; t < p->n; t++)
        if (m->status[p->hist[t]] == MATCH_IN)
            find_sure(sure, t, &work);
    for (size_t i = 0; i < work.len; i++) {
        uint32_t t = work.data[i];
        any |= m->status[p->hist[t]] != MATCH_IN;
        m->status[p->hist[t]] = MATCH_IN;
        for (uint32_t r = p->rd_start[t]; r < p->rd_start[t + 1]; r++)
            find_sources(p, r, sure, seen, &work);
    }
    vec_free(&work);
    mem_free(sure);
    mem_free(seen);
    return any;
}

/* An unknown transaction with a read that nothing explains did not happen.  Says whether there were
 * any: then others may have lost their sources.  Lists are another matter: one that nobody else saw
 * counts as soon as its reader does, and explains itself then. */
bool match_drop_unread(struct match *m, const struct prob *p)
{
    bool any = false;
    for (size_t i = 0; i < p->choices.len; i++) {
        uint32_t read = p->choices.data[i].read, t = p->hist[p->rd_txn[read]];
        bool list = p->h->ops.data[p->rd_op[read]].kind == HIST_LIST_READ;
        if (list || p->choices.data[i].all || m->status[t] != MATCH_UNKNOWN)
            continue;
        m->status[t] = MATCH_OUT;
        any = true;
    }
    return any;
}

static void find_candidates_of(const struct prob *p, uint32_t read, uint8_t *found, txn_vec *work)
{
    const uint32_t *v = &p->rd_ver[read];
    uint32_t count = 1;
    if (*v & PROB_CHOICE) {
        const struct match_choice *c = &p->choices.data[*v & ~PROB_CHOICE];
        v = p->cand.data + c->start;
        count = c->len;
    }
    for (uint32_t j = 0; j < count; j++)
        find_sure(found, p->ver_txn[v[j]], work);
}

/* Of the others, those that are candidates of somebody's read may have happened; the rest is
 * dropped. */
void match_settle_maybe(struct match *m, const struct prob *p)
{
    uint8_t *found = mem_calloc((size_t)p->n + 1, 1);
    txn_vec work = {0};
    for (uint32_t t = 0; t < p->n; t++)
        if (m->status[p->hist[t]] == MATCH_IN)
            find_sure(found, t, &work);
    for (size_t i = 0; i < work.len; i++) {
        uint32_t t = work.data[i];
        if (m->status[p->hist[t]] != MATCH_IN) {
            m->status[p->hist[t]] = MATCH_MAYBE;
            m->any_maybe = true;
        }
        for (uint32_t r = p->rd_start[t]; r < p->rd_start[t + 1]; r++)
            find_candidates_of(p, r, found, &work);
    }
    for (uint32_t t = 0; t < p->n; t++)
        if (!found[t])
            m->status[p->hist[t]] = MATCH_OUT;
    vec_free(&work);
    mem_free(found);
}
