/* A likely order of the transactions where the history does not give one: for PSI, whose search
 * begins with it; see visibility_internal.h.
 *
 * A transaction that writes a row should come after all readers of the row's previous version.  So
 * of the transactions whose predecessors are all in place, the next is one whose writes overwrite
 * the fewest versions that others still have to read, and among these one that read a version that
 * has been overwritten already, because it is late.  With sessions, at most as many transactions as
 * there are sessions wait at a time. */
#include "check/visibility/visibility_internal.h"

#define WAITING 256 /* no more are compared */

struct schedule {
    struct vis *w;
    const struct prob *p;
    uint32_t *left;    /* per version: reads of it that are still to come */
    uint32_t *current; /* per key: the version */
    sat_lits ready;
};

/* Its reads are still to come (1), or not (-1 as unsigned). */
static void count_reads(struct schedule *s, uint32_t t, uint32_t by)
{
    for (uint32_t r = s->p->rd_start[t]; r < s->p->rd_start[t + 1]; r++)
        if (s->w->src[r] != HIST_NONE)
            s->left[s->w->src[r]] += by;
}

/* How many reads of others would come too late. */
static uint32_t harm(struct schedule *s, uint32_t t)
{
    const struct prob *p = s->p;
    uint32_t n = 0;
    count_reads(s, t, -1u);
    for (uint32_t i = p->wr_start[t]; i < p->wr_start[t + 1]; i++)
        n += s->left[s->current[p->ver_key[p->wr_ver[i]]]];
    count_reads(s, t, 1);
    return n;
}

static uint32_t overtaken(const struct schedule *s, uint32_t t)
{
    uint32_t n = 0;
    for (uint32_t r = s->p->rd_start[t]; r < s->p->rd_start[t + 1]; r++)
        n += s->w->src[r] != HIST_NONE && s->w->src[r] != s->current[s->p->rd_key[r]];
    return n;
}

/* w->rank: a guess, for want of anything better. */
static size_t best(struct schedule *s, const uint32_t *guess)
{
    size_t found = 0, n = s->ready.len < WAITING ? s->ready.len : WAITING;
    uint64_t least = UINT64_MAX;
    for (size_t i = 0; i < n; i++) {
        uint32_t t = s->ready.data[i], late = overtaken(s, t);
        uint64_t cost = (uint64_t)harm(s, t) << 40 | (uint64_t)(late ? 0 : 1) << 32 | guess[t];
        if (cost >= least)
            continue;
        least = cost;
        found = i;
    }
    return found;
}

static void run(struct schedule *s, uint32_t t)
{
    struct vis *w = s->w;
    const struct prob *p = s->p;
    w->rank[t] = w->sorted;
    w->order[w->sorted++] = t;
    count_reads(s, t, -1u);
    for (uint32_t i = p->wr_start[t]; i < p->wr_start[t + 1] && vis_present(w, t); i++)
        s->current[p->ver_key[p->wr_ver[i]]] = p->wr_ver[i];
    for (uint32_t e = w->out[t]; e < w->out[t + 1]; e++)
        if (!--w->degree[w->head[e]])
            vec_push(&s->ready, w->head[e]);
}

void vis_schedule(struct vis *w)
{
    const struct prob *p = w->p;
    struct schedule s = {.w = w, .p = p};
    uint32_t *guess = mem_alloc(mem_mul((size_t)p->n + 1, sizeof *guess));
    memcpy(guess, w->rank, (size_t)p->n * sizeof *guess);
    s.left = mem_calloc((size_t)p->versions + 1, sizeof *s.left);
    s.current = mem_alloc(mem_mul((size_t)p->keys + 1, sizeof *s.current));
    memcpy(s.current, p->ver_start, (size_t)p->keys * sizeof *s.current);
    vis_build(w);
    memset(w->degree, 0, (size_t)p->n * sizeof *w->degree);
    for (uint32_t e = 0; e < w->out[p->n]; e++)
        w->degree[w->head[e]]++;
    for (uint32_t t = 0; t < p->n; t++) {
        count_reads(&s, t, 1);
        if (!w->degree[t])
            vec_push(&s.ready, t);
    }
    w->sorted = 0;
    while (s.ready.len) {
        size_t i = best(&s, guess);
        uint32_t t = s.ready.data[i];
        s.ready.data[i] = vec_last(&s.ready);
        s.ready.len--;
        run(&s, t);
    }
    mem_free(guess);
    mem_free(s.left);
    mem_free(s.current);
    vec_free(&s.ready);
}
