/* Cycles as lemmas, and lemmas as an explanation that certify_violation.c can follow; see
 * weak_internal.h. */
#include <assert.h>

#include "history/weak_internal.h"

void weak_proof_free(struct weak_proof *x)
{
    vec_free(&x->steps);
    vec_free(&x->lemmas);
    map_free(&x->of_clause);
}

void weak_proof_clear(struct weak_proof *x)
{
    vec_clear(&x->steps);
    vec_clear(&x->lemmas);
}

void weak_proof_add(struct weak_proof *x, const struct weak *w, const struct weak_cycle *c)
{
    struct weak_cycle copy = {(uint32_t)x->steps.len, c->len, c->a, c->b};
    for (uint32_t i = 0; i < c->len; i++) {
        struct weak_step e = w->steps.data[c->start + i];
        if (e.kind == CHECK_RW || e.kind == CHECK_WR)
            e.order = w->src[e.a]; /* what it saw */
        vec_push(&x->steps, e);
    }
    vec_push(&x->lemmas, copy);
}

void weak_proof_name(struct weak_proof *x, uint32_t clause)
{
    *map_put(&x->of_clause, clause, 0, NULL) = x->lemmas.len;
}

/* --- written down ---------------------------------------------------------------------------- */

struct writer {
    const struct weak_proof *x;
    const struct prob *p;
    struct check_result *r;
    struct map cases; /* two versions, the older first: the case that settled it */
};

static uint32_t case_of(const struct writer *o, uint32_t a, uint32_t b)
{
    const uint64_t *c = map_get(&o->cases, (uint64_t)a << 32 | b);
    return c ? (uint32_t)*c : HIST_NONE;
}

/* e->order: what a read saw. */
static struct check_edge edge_of(const struct writer *o, const struct weak_step *e)
{
    const struct prob *p = o->p;
    struct check_edge x = {e->kind,   p->hist[e->from], p->hist[e->to], HIST_NONE,
                           HIST_NONE, HIST_NONE,        HIST_NONE,      HIST_NONE};
    if (e->kind == CHECK_WW) {
        x.key = p->ver_key[e->a];
        x.from_op = p->ver_op[e->a];
        x.to_op = p->ver_op[e->b];
        x.because = case_of(o, e->a, e->b);
    } else if (e->kind == CHECK_WR) {
        x.key = p->rd_key[e->a];
        x.from_op = p->ver_op[e->order];
        x.to_op = p->rd_op[e->a];
    } else if (e->kind == CHECK_RW) {
        x.key = p->rd_key[e->a];
        x.from_op = p->rd_op[e->a];
        x.to_op = p->ver_op[e->b];
        x.via = p->ver_op[e->order];
        x.because = case_of(o, e->order, e->b);
    }
    return x;
}

static uint32_t write_cycle(struct writer *o, const struct weak_cycle *c)
{
    struct check_result *r = o->r;
    struct check_cycle out = {(uint32_t)r->edges.len, c->len};
    for (uint32_t i = 0; i < c->len; i++)
        vec_push(&r->edges, edge_of(o, &o->x->steps.data[c->start + i]));
    vec_push(&r->cycles, out);
    return (uint32_t)r->cycles.len - 1;
}

void weak_reject_by_cases(const struct weak_proof *x, const struct prob *p, struct check_result *r)
{
    struct writer o = {.x = x, .p = p, .r = r};
    for (size_t i = 0; i < x->lemmas.len; i++) {
        const struct weak_cycle *l = &x->lemmas.data[i];
        if (l->a == HIST_NONE) {
            r->cycle = write_cycle(&o, l);
            break;
        }
        uint32_t index = (uint32_t)r->cases.len;
        *map_put(&o.cases, (uint64_t)l->b << 32 | l->a, 0, NULL) = index;
        struct check_case c = {CHECK_ORDER, p->ver_op[l->b], p->ver_op[l->a], HIST_NONE, HIST_NONE};
        vec_push(&r->cases, c);
        uint32_t cycle = write_cycle(&o, l);
        r->cases.data[index].cycle = cycle;
        *map_put(&o.cases, (uint64_t)l->b << 32 | l->a, 0, NULL) = HIST_NONE; /* supposed no more */
        *map_put(&o.cases, (uint64_t)l->a << 32 | l->b, 0, NULL) = index;
    }
    map_free(&o.cases);
    r->verdict = CHECK_VIOLATION;
}

void weak_proof_used(const struct weak_proof *x, const sat_lits *clauses, sat_lits *lemmas)
{
    for (size_t i = 0; i < clauses->len; i++) {
        const uint64_t *l = map_get(&x->of_clause, clauses->data[i]);
        if (l && *l)
            vec_push(lemmas, (uint32_t)(*l - 1));
    }
}

void weak_reject_by_lemmas(const struct weak_proof *x, const struct prob *p, const sat_lits *lemmas,
                           struct check_result *r)
{
    struct writer o = {.x = x, .p = p, .r = r};
    uint32_t best = HIST_NONE;
    for (size_t i = 0; i < lemmas->len; i++) {
        uint32_t c = write_cycle(&o, &x->lemmas.data[lemmas->data[i]]);
        if (best == HIST_NONE || r->cycles.data[c].len < r->cycles.data[best].len)
            best = c;
    }
    r->lemmas = (uint32_t)lemmas->len;
    r->verdict = CHECK_VIOLATION;
    r->cycle = best;
}
