/* Cycles as lemmas, and lemmas as an explanation that certify_violation.c can follow; see
 * visibility_internal.h. */
#include <assert.h>

#include "certify/history_facts.h"
#include "check/visibility/visibility_internal.h"

void vis_proof_free(struct vis_proof *x)
{
    vec_free(&x->steps);
    vec_free(&x->lemmas);
    map_free(&x->of_clause);
}

void vis_proof_add(struct vis_proof *x, const struct vis *w, const struct vis_cycle *c)
{
    struct vis_cycle copy = {(uint32_t)x->steps.len, c->len, c->a, c->b};
    for (uint32_t i = 0; i < c->len; i++) {
        struct vis_step e = w->steps.data[c->start + i];
        if (e.edge.kind == CHECK_RW || e.edge.kind == CHECK_WR)
            e.order = w->src[e.edge.a]; /* what it saw */
        vec_push(&x->steps, e);
    }
    vec_push(&x->lemmas, copy);
}

void vis_proof_name(struct vis_proof *x, uint32_t clause)
{
    *map_put(&x->of_clause, clause, 0, NULL) = x->lemmas.len;
}

/* --- written down ---------------------------------------------------------------------------- */

struct writer {
    const struct vis_proof *x;
    const struct prob *p;
    struct check_result *r;
    struct map cases; /* two versions, the older first: the case that settled it */
    bool by_sessions; /* an order was evident only because one session wrote both */
};

static uint32_t case_of(const struct writer *o, uint32_t a, uint32_t b)
{
    const uint64_t *c = map_get(&o->cases, (uint64_t)a << 32 | b);
    return c ? (uint32_t)*c : HIST_NONE;
}

/* step->order: what a read saw. */
static struct check_edge edge_of(const struct writer *o, const struct vis_step *step)
{
    const struct edge *e = &step->edge;
    if (e->kind == CHECK_SO)
        return edge_of_session(o->p, e->from, e->to);
    uint32_t seen = e->kind == CHECK_WW ? e->a : step->order;
    return edge_told(o->p, e, seen, e->kind == CHECK_WR ? HIST_NONE : case_of(o, seen, e->b));
}

static uint32_t write_cycle(struct writer *o, const struct vis_cycle *c)
{
    struct check_result *r = o->r;
    struct check_cycle out = {(uint32_t)r->edges.len, c->len};
    for (uint32_t i = 0; i < c->len; i++)
        vec_push(&r->edges, edge_of(o, &o->x->steps.data[c->start + i]));
    vec_push(&r->cycles, out);
    return (uint32_t)r->cycles.len - 1;
}

/* Suppose that version a is older than b: the cycle.  So b is older. */
static void write_case(struct writer *o, const struct vis_cycle *l, uint32_t a, uint32_t b)
{
    const struct prob *p = o->p;
    struct check_result *r = o->r;
    uint32_t index = (uint32_t)r->cases.len;
    struct check_case c = {CHECK_ORDER, p->ver_op[a], p->ver_op[b], HIST_NONE, HIST_NONE};
    *map_put(&o->cases, (uint64_t)a << 32 | b, 0, NULL) = index;
    vec_push(&r->cases, c);
    uint32_t cycle = write_cycle(o, l);
    r->cases.data[index].cycle = cycle;
    *map_put(&o->cases, (uint64_t)a << 32 | b, 0, NULL) = HIST_NONE; /* supposed no more */
    *map_put(&o->cases, (uint64_t)b << 32 | a, 0, NULL) = index;
}

void vis_reject_by_cases(const struct vis_proof *x, const struct prob *p, struct check_result *r)
{
    struct writer o = {.x = x, .p = p, .r = r};
    for (size_t i = 0; i < x->lemmas.len; i++) {
        const struct vis_cycle *l = &x->lemmas.data[i];
        if (l->a == HIST_NONE) {
            r->cycle = write_cycle(&o, l);
            break;
        }
        write_case(&o, l, l->b, l->a);
    }
    map_free(&o.cases);
    r->verdict = CHECK_VIOLATION;
}

void vis_proof_used(const struct vis_proof *x, const sat_lits *clauses, sat_lits *lemmas)
{
    for (size_t i = 0; i < clauses->len; i++) {
        const uint64_t *l = map_get(&x->of_clause, clauses->data[i]);
        if (l && *l)
            vec_push(lemmas, (uint32_t)(*l - 1));
    }
}

/* --- lemmas that can be read one after the other --------------------------------------------- */

/* The order that a step takes for granted and that no case has established; false: there is none.
 */
static bool is_open(struct writer *o, struct hist_facts *f, const struct vis_step *step,
                    uint32_t *a, uint32_t *b)
{
    const struct prob *p = o->p;
    const struct edge *e = &step->edge;
    if (e->kind != CHECK_WW && e->kind != CHECK_RW)
        return false;
    *a = e->kind == CHECK_WW ? e->a : step->order;
    *b = e->b;
    uint32_t s = p->ver_txn[*a], t = p->ver_txn[*b];
    if (s == PROB_INIT || case_of(o, *a, *b) != HIST_NONE)
        return false;
    if (hist_facts_older(f, p->ver_op[*a], p->ver_op[*b]))
        return false;
    bool session = p->level.session_order && p->session[s] == p->session[t] && s < t;
    o->by_sessions |= session;
    return !session;
}

/* How many orders the lemma takes for granted; *a and *b: one of them. */
static uint32_t count_open(struct writer *o, struct hist_facts *f, const struct vis_cycle *l,
                           uint32_t *a, uint32_t *b)
{
    uint32_t n = 0, x, y;
    for (uint32_t i = 0; i < l->len; i++) {
        if (!is_open(o, f, &o->x->steps.data[l->start + i], &x, &y) || (n && x == *a && y == *b))
            continue;
        *a = x;
        *b = y;
        n++;
    }
    return n;
}

/* Each lemma refutes one order, given those before it, and one refutes itself: cases.  False: there
 * are lemmas with several open orders only. */
static bool in_turn(struct writer *o, struct hist_facts *f, const sat_lits *lemmas)
{
    uint8_t *used = mem_calloc(lemmas->len + 1, 1);
    bool found = true, done = false;
    while (found && !done) {
        found = false;
        for (size_t i = 0; i < lemmas->len && !done; i++) {
            const struct vis_cycle *l = &o->x->lemmas.data[lemmas->data[i]];
            uint32_t a = 0, b = 0, open = used[i] ? 2 : count_open(o, f, l, &a, &b);
            if (open > 1)
                continue;
            used[i] = 1;
            found = true;
            done = !open;
            if (open)
                write_case(o, l, a, b);
            else
                o->r->cycle = write_cycle(o, l);
        }
    }
    mem_free(used);
    return done;
}

/* Only if nothing but orders is open. */
static bool reject_in_turn(const struct vis_proof *x, const struct prob *p, const sat_lits *lemmas,
                           struct check_result *r)
{
    struct writer o = {.x = x, .p = p, .r = r};
    struct hist_facts f;
    if (!lemmas->len || p->maybe || p->choices.len || p->aggregates.len)
        return false;
    hist_facts_init(&f, p->h, model_get(p->level.model)->snapshot != SNAPSHOT_TRANSACTION);
    bool done = in_turn(&o, &f, lemmas);
    hist_facts_free(&f);
    map_free(&o.cases);
    if (!done) {
        vec_clear(&r->cases);
        vec_clear(&r->cycles);
        vec_clear(&r->edges);
        r->cycle = HIST_NONE;
        return false;
    }
    r->by_sessions = o.by_sessions;
    r->verdict = CHECK_VIOLATION;
    return true;
}

void vis_reject_by_lemmas(const struct vis_proof *x, const struct prob *p, const sat_lits *lemmas,
                          struct check_result *r)
{
    if (reject_in_turn(x, p, lemmas, r))
        return;
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
