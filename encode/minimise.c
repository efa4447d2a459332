/* Minimising executions.
 *
 * Each wish is a goal added to those already granted; a wish that the solver refuses is dropped.
 * The wishes are few (transactions, writes, one magnitude per free number), each check starts from
 * what the solver has learned, and a budget bounds the whole: minimality is a courtesy, not part of
 * the verdict. */
#include "encode/minimise.h"

#include "base/limit.h"

/* In the solver's units of work, so that the result is the same on every machine; a hundred
 * thousand are about ten milliseconds. */
#define WORK_PER_CHECK 400000u
#define REFUSALS_MAX 120 /* wishes in all that may be refused */
#define NUMBERS_MAX 48
#define CHECKS_PER_NUMBER 10

typedef VEC(uint32_t) goal_list;

struct wishes {
    struct enc *e;
    struct problem *p;
    goal_list granted;
    unsigned refused, spent; /* wishes refused; of them, for want of work */
};

static bool in_time(const struct wishes *w)
{
    return !limit_reached() && w->refused < REFUSALS_MAX && w->spent < 5;
}

/* Grant the wish if it can be had. */
static bool wish(struct wishes *w, uint32_t goal)
{
    vec_push(&w->granted, goal);
    if (enc_check(w->e, w->granted.data, w->granted.len) == ENC_YES)
        return true;
    w->refused++;
    w->spent += enc_exhausted(w->e);
    (void)vec_pop(&w->granted);
    return false;
}

static void fewer_transactions(struct wishes *w)
{
    if (w->p->scenario)
        return; /* those are given */
    for (uint32_t k = 0; k < w->p->txns.len && in_time(w); k++)
        if (wish(w, enc_goal_idle(w->e, k)))
            return;
}

static unsigned count_writes(struct wishes *w)
{
    unsigned n = 0;
    for (size_t i = 0; i < w->p->txns.len; i++)
        for (size_t k = 0; k < w->p->txns.data[i].writes.len; k++)
            n += enc_condition(w->e, w->p->txns.data[i].writes.data[k].guard);
    return n;
}

static void fewer_writes(struct wishes *w, unsigned now)
{
    while (now > 0 && in_time(w) && wish(w, enc_goal_fewer_writes(w->e, now - 1)))
        now = count_writes(w);
}

/* ---- numbers ------------------------------------------------------------------------------- */

/* A number that the solver was free to choose: a leaf, or a cell of the initial state. */
struct number {
    term_id leaf; /* TERM_NONE: the cell */
    uint32_t table, field;
    uint64_t row;
};
typedef VEC(struct number) number_list;

static term_int value_of(struct wishes *w, const struct number *n)
{
    if (n->leaf != TERM_NONE)
        return enc_value(w->e, n->leaf);
    return enc_initial_value(w->e, n->table, n->row, n->field);
}

static uint32_t within(struct wishes *w, const struct number *n, term_int bound)
{
    if (n->leaf != TERM_NONE)
        return enc_goal_between(w->e, n->leaf, -bound, bound);
    return enc_goal_init_between(w->e, n->table, n->row, n->field, -bound, bound);
}

static void add_inputs(struct wishes *w, number_list *v, const struct prob_input *in, size_t n)
{
    for (size_t i = 0; i < n && v->len < NUMBERS_MAX; i++)
        if (in[i].of->used && term_get(w->p->store, in[i].value)->op == TERM_OP_LEAF)
            vec_push(v, ((struct number){.leaf = in[i].value}));
}

static void add_cells(struct wishes *w, number_list *v)
{
    const struct sx_program *sx = w->p->sx;
    for (uint32_t t = 0; w->p->any_state && t < sx->n_tables; t++)
        for (uint64_t r = 0; r < sx_table_rows(&sx->tables[t]); r++)
            for (uint32_t f = 0; f < sx->tables[t].n_fields; f++) {
                if (v->len >= NUMBERS_MAX)
                    return;
                vec_push(v, ((struct number){TERM_NONE, t, f, r}));
            }
}

static void collect_numbers(struct wishes *w, number_list *v)
{
    struct problem *p = w->p;
    if (p->initial_inputs)
        add_inputs(w, v, p->initial_inputs, p->sx->initial->n_inputs);
    if (p->scenario)
        add_inputs(w, v, p->scenario_inputs, p->scenario->n_inputs);
    for (size_t i = 0; i < p->txns.len; i++)
        for (size_t k = 0; k < p->txns.data[i].n_alts; k++) {
            const struct prob_alt *a = &p->txns.data[i].alts[k];
            if (enc_condition(w->e, a->chosen))
                add_inputs(w, v, a->inputs, a->sum->n_inputs);
        }
    add_cells(w, v);
}

/* The least magnitude that can be had: `good` can, `bad` cannot (-1: not known). */
static void nearer_zero(struct wishes *w, const struct number *n, term_int now)
{
    term_int good = now < 0 ? -now : now, bad = -1;
    if (good == 0) { /* and so it shall stay */
        wish(w, within(w, n, 0));
        return;
    }
    for (int i = 0; i < CHECKS_PER_NUMBER && good - bad > 1 && in_time(w); i++) {
        term_int middle = bad + (good - bad) / 2;
        term_int try_ = bad < 1 ? bad + 1 : bad > good / 4 ? middle : bad * 4;
        if (wish(w, within(w, n, try_))) {
            now = value_of(w, n);
            good = now < 0 ? -now : now;
        } else {
            bad = try_;
        }
    }
}

/* Values are taken from the last model that was granted; a refused wish leaves none, so they are
 * noted beforehand and fixed as upper bounds. */
static void smaller_numbers(struct wishes *w)
{
    number_list v = {0};
    VEC(term_int) now = {0};
    if (enc_check(w->e, w->granted.data, w->granted.len) == ENC_YES) {
        collect_numbers(w, &v);
        for (size_t i = 0; i < v.len; i++)
            vec_push(&now, value_of(w, &v.data[i]));
    }
    for (size_t i = 0; i < v.len && in_time(w); i++)
        nearer_zero(w, &v.data[i], now.data[i]);
    vec_free(&v);
    vec_free(&now);
}

bool minimise(struct enc *e, struct problem *p, uint32_t goal)
{
    struct wishes w = {.e = e, .p = p};
    enc_limit_work(e, WORK_PER_CHECK);
    vec_push(&w.granted, goal);
    fewer_transactions(&w);
    if (enc_check(e, w.granted.data, w.granted.len) == ENC_YES)
        fewer_writes(&w, count_writes(&w));
    smaller_numbers(&w);
    enc_limit_work(e, 10 * WORK_PER_CHECK);
    bool found = enc_check(e, w.granted.data, w.granted.len) == ENC_YES;
    enc_limit_work(e, 0);
    vec_free(&w.granted);
    return found;
}
