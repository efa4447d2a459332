/* Minimising executions.
 *
 * Each wish (wish.h) is a goal added to those already granted; a wish that the solver refuses is
 * dropped.  In this order, so that nobody has to read more than is needed:
 *   fewest transactions, where the solver chooses them;
 *   nothing stops for a reason of its own: overflow, a failed check (a number at the limit of its
 *     type would save writes, and the reader would wonder what it has to do with the anomaly);
 *   visible sets that grow along each transaction, where the level does not demand it (ec): a
 *     database that replays the execution shows nothing else;
 *   fewest writes;
 *   numbers near zero, arguments first, then the initial state, not negative if they need not be;
 *   arbitration as the scenario calls, and every transaction sees all that came before it: what is
 *     left of surprises is what the property needs.
 * A wish that the last execution grants already needs no check: most do not.
 *
 * The budget is counted in the solver's units of work, so that the result is the same on every
 * machine: as much again as was spent on finding the execution, and never less than a fraction of a
 * second.  Minimality is a courtesy, not part of the verdict: the caller has the first execution in
 * hand if the budget ends before its time. */
#include "encode/minimise.h"

#include <string.h>

#include "base/limit.h"
#include "base/mem.h"
#include "encode/wish.h"

/* A million units are between thirty and a hundred milliseconds. */
#define WORK_AT_LEAST 3000000u
#define WORK_PER_CHECK 400000u
#define NUMBERS_MAX 64
#define CHECKS_PER_NUMBER 10

typedef VEC(uint32_t) goal_list;

struct wishes {
    struct enc *e;
    struct problem *p;
    const struct prob_predicate *pred; /* that is violated, or NULL */
    goal_list granted;
    uint64_t end;   /* of the budget */
    bool exhausted; /* the last wish was refused for want of work, not because it cannot be had */
    VEC(struct wish_number) numbers;
    VEC(term_int) values; /* of the numbers, in the last execution */
    /* Towards the end: its relations, ar by pair, vis by set (of transaction i from first_set[i]
     * on) and transaction. */
    VEC(bool) ar;
    VEC(bool) vis;
    VEC(uint32_t) first_set;
};

static bool in_time(const struct wishes *w)
{
    return !limit_reached() && wish_work(w->e) < w->end;
}

static void note_values(struct wishes *w)
{
    vec_clear(&w->values);
    for (size_t i = 0; i < w->numbers.len; i++)
        vec_push(&w->values, wish_value(w->e, &w->numbers.data[i]));
}

/* Grant the wish if it can be had. */
static bool wish(struct wishes *w, uint32_t goal)
{
    vec_push(&w->granted, goal);
    if (enc_check(w->e, w->granted.data, w->granted.len) == ENC_YES) {
        note_values(w);
        return true;
    }
    w->exhausted = enc_exhausted(w->e);
    (void)vec_pop(&w->granted);
    return false;
}

/* One that the last execution grants. */
static void keep(struct wishes *w, uint32_t goal)
{
    vec_push(&w->granted, goal);
}

/* The last execution again: a refused wish leaves no model. */
static bool look(struct wishes *w)
{
    return enc_check(w->e, w->granted.data, w->granted.len) == ENC_YES;
}

/* ---- transactions -------------------------------------------------------------------------- */

static const struct prob_alt *chosen(struct wishes *w, uint32_t txn)
{
    const struct prob_txn *t = &w->p->txns.data[txn];
    for (size_t k = 0; k < t->n_alts; k++)
        if (enc_condition(w->e, t->alts[k].chosen))
            return &t->alts[k];
    return NULL;
}

/* What an instance does: which transaction, with which arguments. */
struct part {
    size_t alt; /* SIZE_MAX: idle */
    VEC(term_int) inputs;
};
typedef VEC(struct part) part_list;

static bool is_input(const struct wishes *w, const struct prob_input *in)
{
    return in->of->used && term_get(w->p->store, in->value)->op == TERM_OP_LEAF;
}

static void note_parts(struct wishes *w, part_list *v)
{
    for (uint32_t i = 0; i < w->p->txns.len; i++) {
        const struct prob_alt *a = chosen(w, i);
        struct part part = {.alt = a ? (size_t)(a - w->p->txns.data[i].alts) : SIZE_MAX};
        for (size_t k = 0; a && k < a->sum->n_inputs; k++)
            vec_push(&part.inputs,
                     is_input(w, &a->inputs[k]) ? enc_value(w->e, a->inputs[k].value) : 0);
        if (a)
            vec_push(v, part);
    }
}

static void free_parts(part_list *v)
{
    for (size_t i = 0; i < v->len; i++)
        vec_free(&v->data[i].inputs);
    vec_free(v);
}

/* Instance i shall play the part. */
static void pin(struct wishes *w, goal_list *pins, uint32_t i, const struct part *part)
{
    const struct prob_alt *a = &w->p->txns.data[i].alts[part->alt];
    vec_push(pins, wish_true(w->e, a->chosen));
    for (size_t k = 0; k < a->sum->n_inputs; k++)
        if (is_input(w, &a->inputs[k])) {
            struct wish_number n = {.leaf = a->inputs[k].value};
            vec_push(pins, wish_between(w->e, &n, part->inputs.data[k], part->inputs.data[k]));
        }
}

/* Without part `out`, the others as they are: quickly said, where a search would take too long. */
static bool drop_part(struct wishes *w, const part_list *parts, size_t out)
{
    goal_list all = {0};
    for (size_t i = 0; i < w->granted.len; i++)
        vec_push(&all, w->granted.data[i]);
    uint32_t fewer = wish_idle(w->e, (uint32_t)parts->len - 1);
    vec_push(&all, fewer);
    for (size_t i = 0, to = 0; i < parts->len; i++)
        if (i != out)
            pin(w, &all, (uint32_t)to++, &parts->data[i]);
    bool granted = enc_check(w->e, all.data, all.len) == ENC_YES;
    if (granted)
        keep(w, fewer);
    vec_free(&all);
    return granted;
}

/* Instances are interchangeable and stand in the order of ar, so parts may move up. */
static void drop_parts(struct wishes *w)
{
    bool again = look(w);
    while (again && in_time(w)) {
        part_list parts = {0};
        note_parts(w, &parts);
        again = false;
        for (size_t i = 0; i < parts.len && !again && in_time(w); i++)
            again = drop_part(w, &parts, i);
        free_parts(&parts);
    }
}

static uint32_t count_present(struct wishes *w)
{
    uint32_t n = 0;
    for (size_t i = 0; i < w->p->txns.len; i++)
        n += enc_condition(w->e, w->p->txns.data[i].present);
    return n;
}

static void fewer_transactions(struct wishes *w)
{
    if (w->p->scenario)
        return; /* those are given */
    uint32_t n = count_present(w);
    keep(w, wish_idle(w->e, n));
    while (n > 0 && in_time(w) && wish(w, wish_idle(w->e, n - 1)))
        n = count_present(w);
    if (n > 0 && w->exhausted)
        drop_parts(w);
}

/* ---- troubles ------------------------------------------------------------------------------ */

static bool is_trouble(enum sx_point_kind k)
{
    return k == SX_OVERFLOW || k == SX_BOUNDS || k == SX_DIVISION || k == SX_SHIFT;
}

typedef VEC(term_id) term_list;

static void add_troubles(const struct prob_txn *t, term_list *v)
{
    for (size_t k = 0; k < t->n_alts; k++)
        for (size_t i = 0; i < t->alts[k].sum->n_points; i++)
            if (is_trouble(t->alts[k].sum->points[i].kind))
                vec_push(v, t->alts[k].stops[i]);
}

/* None at all, else for each transaction on its own (one of them may be what is violated). */
static void no_troubles(struct wishes *w)
{
    term_list all = {0};
    for (size_t i = 0; i < w->p->txns.len; i++)
        add_troubles(&w->p->txns.data[i], &all);
    bool none = all.len == 0 || wish(w, wish_none(w->e, all.data, all.len));
    for (size_t i = 0; i < w->p->txns.len && !none && in_time(w); i++) {
        vec_clear(&all);
        add_troubles(&w->p->txns.data[i], &all);
        if (all.len)
            wish(w, wish_none(w->e, all.data, all.len));
    }
    vec_free(&all);
}

/* ---- writes -------------------------------------------------------------------------------- */

/* In the last execution, from the values of the leaves: a formula that the solver has not seen yet
 * has no value in its model. */
static term_int leaf_value(void *arg, uint32_t leaf)
{
    struct wishes *w = arg;
    return enc_value(w->e, w->p->store->leaves.data[leaf].term);
}

static bool same_row(struct term_evaluator *eval, const struct wishes *w, struct prob_row a,
                     struct prob_row b)
{
    bool same = a.table == b.table;
    for (uint32_t d = 0; same && d < w->p->sx->tables[a.table].n_dims; d++)
        same = term_eval(eval, a.index[d]) == term_eval(eval, b.index[d]);
    return same;
}

static unsigned count_rows(struct term_evaluator *eval, const struct wishes *w,
                           const struct prob_txn *t)
{
    unsigned n = 0;
    for (size_t i = 0; i < t->writes.len; i++) {
        bool counts = term_eval(eval, t->writes.data[i].guard) != 0;
        for (size_t k = 0; k < i && counts; k++)
            counts = !term_eval(eval, t->writes.data[k].guard) ||
                     !same_row(eval, w, t->writes.data[i].row, t->writes.data[k].row);
        n += counts;
    }
    return n;
}

static unsigned count_writes(struct wishes *w)
{
    struct term_evaluator eval = {.store = w->p->store, .leaf = leaf_value, .arg = w};
    unsigned n = 0;
    for (size_t i = 0; i < w->p->txns.len; i++)
        n += count_rows(&eval, w, &w->p->txns.data[i]);
    term_evaluator_free(&eval);
    return n;
}

static void fewer_writes(struct wishes *w)
{
    if (!look(w))
        return;
    unsigned now = count_writes(w);
    keep(w, wish_writes(w->e, now));
    while (now > 0 && in_time(w) && wish(w, wish_writes(w->e, now - 1)))
        now = count_writes(w);
}

/* ---- numbers ------------------------------------------------------------------------------- */

static void add_inputs(struct wishes *w, const struct prob_input *in, size_t n)
{
    for (size_t i = 0; i < n && w->numbers.len < NUMBERS_MAX; i++)
        if (is_input(w, &in[i]))
            vec_push(&w->numbers, ((struct wish_number){.leaf = in[i].value}));
}

static void add_cells(struct wishes *w)
{
    const struct sx_program *sx = w->p->sx;
    for (uint32_t t = 0; w->p->any_state && t < sx->n_tables; t++)
        for (uint64_t r = 0; r < sx_table_rows(&sx->tables[t]); r++)
            for (uint32_t f = 0; f < sx->tables[t].n_fields; f++) {
                if (w->numbers.len >= NUMBERS_MAX)
                    return;
                vec_push(&w->numbers, ((struct wish_number){TERM_NONE, t, f, r}));
            }
}

/* Who runs is settled by now, so that the numbers are always the same ones. */
static void collect_numbers(struct wishes *w)
{
    struct problem *p = w->p;
    if (w->pred)
        add_inputs(w, w->pred->inputs, w->pred->sum->n_inputs);
    if (p->scenario)
        add_inputs(w, p->scenario_inputs, p->scenario->n_inputs);
    for (uint32_t i = 0; i < p->txns.len; i++) {
        const struct prob_alt *a = chosen(w, i);
        if (a && p->txns.data[i].n_alts > 1)
            keep(w, wish_true(w->e, a->chosen));
        if (a)
            add_inputs(w, a->inputs, a->sum->n_inputs);
    }
    if (p->initial_inputs)
        add_inputs(w, p->initial_inputs, p->sx->initial->n_inputs);
    add_cells(w);
    note_values(w);
}

static term_int magnitude(term_int v)
{
    return v < 0 ? -v : v;
}

/* Something that they are all within, found in large steps. */
static void all_nearer_zero(struct wishes *w)
{
    term_int most = 0;
    for (size_t i = 0; i < w->values.len; i++)
        most = magnitude(w->values.data[i]) > most ? magnitude(w->values.data[i]) : most;
    term_int bad = -1;
    for (term_int bound = 0; bound < most && in_time(w); bound = bound ? 4 * bound : 1) {
        if (wish(w, wish_within(w->e, w->numbers.data, w->numbers.len, bound)))
            most = bound;
        else
            bad = bound;
    }
    for (int i = 0; i < 4 && most - bad > 1 && in_time(w); i++) {
        term_int bound = bad + (most - bad) / 2;
        if (wish(w, wish_within(w->e, w->numbers.data, w->numbers.len, bound)))
            most = bound;
        else
            bad = bound;
    }
}

/* The least magnitude that can be had: `bad` cannot (-1: not known). */
static void nearer_zero(struct wishes *w, size_t i)
{
    const struct wish_number *n = &w->numbers.data[i];
    term_int bad = -1, good;
    int checks = 0;
    while ((good = magnitude(w->values.data[i])) - bad > 1 && checks++ < CHECKS_PER_NUMBER &&
           in_time(w)) {
        term_int bound = bad < 1 ? bad + 1 : bad > good / 4 ? bad + (good - bad) / 2 : bad * 4;
        if (good == 0 || !wish(w, wish_between(w->e, n, -bound, bound)))
            bad = bound;
    }
    if (w->values.data[i] < 0 && in_time(w))
        wish(w, wish_between(w->e, n, 0, good));
    keep(w, wish_between(w->e, n, w->values.data[i], w->values.data[i]));
}

static void smaller_numbers(struct wishes *w)
{
    if (!look(w))
        return;
    collect_numbers(w);
    all_nearer_zero(w);
    for (size_t i = 0; i < w->numbers.len; i++)
        nearer_zero(w, i);
}

/* ---- visible sets -------------------------------------------------------------------------- */

static void growing_sets(struct wishes *w)
{
    bool any = false;
    for (uint32_t i = 0; i < w->p->sx->n_txns; i++)
        any |= w->p->levels[i]->snapshot == SNAPSHOT_ANY;
    if (any && in_time(w))
        wish(w, wish_growing(w->e));
}

/* ---- order --------------------------------------------------------------------------------- */

static void note_order(struct wishes *w)
{
    uint32_t n = (uint32_t)w->p->txns.len;
    vec_clear(&w->ar);
    vec_clear(&w->vis);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n; j++)
            vec_push(&w->ar, i != j && enc_ar(w->e, i, j));
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < w->p->txns.data[i].n_points; k++)
            for (uint32_t j = 0; j < n; j++)
                vec_push(&w->vis, i != j && enc_vis(w->e, i, k, j));
}

typedef uint32_t pairs_wish(struct enc *e, const bool *pairs);

/* All of them at once, else one after the other. */
static void wish_pairs(struct wishes *w, pairs_wish *goal, const bool *want, size_t n)
{
    bool *pairs = mem_calloc(n + 1, sizeof *pairs);
    const bool *have = goal == wish_ar ? w->ar.data : w->vis.data;
    bool all = true;
    for (size_t i = 0; i < n; i++)
        all &= !want[i] || have[i];
    if (!all && in_time(w) && wish(w, goal(w->e, want))) {
        note_order(w);
        all = true;
    }
    for (size_t i = 0; i < n && !all; i++) {
        have = goal == wish_ar ? w->ar.data : w->vis.data;
        if (!want[i])
            continue;
        pairs[i] = true;
        if (have[i])
            keep(w, goal(w->e, pairs));
        else if (in_time(w) && wish(w, goal(w->e, pairs)))
            note_order(w);
        pairs[i] = false;
    }
    mem_free(pairs);
}

/* The calls as they stand, so far as that can be had. */
static void scenario_order(struct wishes *w, uint32_t present)
{
    size_t n = w->p->txns.len;
    bool *want = mem_calloc(n * n + 1, sizeof *want);
    for (uint32_t i = 0; i < present; i++)
        for (uint32_t j = i + 1; j < present; j++)
            want[i * n + j] = true;
    wish_pairs(w, wish_ar, want, n * n);
    keep(w, wish_ar(w->e, w->ar.data));
    mem_free(want);
}

/* Transaction after transaction: all that came before it, in each of its visible sets. */
static void see_all(struct wishes *w, uint32_t present)
{
    size_t n = w->p->txns.len, at = 0;
    bool *want = mem_calloc(w->vis.len + 1, sizeof *want);
    keep(w, wish_vis(w->e, w->vis.data));
    for (uint32_t i = 0; i < present; i++) {
        size_t first = at;
        for (uint32_t k = 0; k < w->p->txns.data[i].n_points; k++)
            for (size_t j = 0; j < n; j++, at++)
                want[at] = j < present && w->ar.data[j * n + i];
        wish_pairs(w, wish_vis, want, w->vis.len);
        memset(want + first, false, (at - first) * sizeof *want);
    }
    mem_free(want);
}

static void fewer_surprises(struct wishes *w)
{
    if (!in_time(w) || !look(w))
        return;
    uint32_t present = count_present(w); /* idle ones come last */
    note_order(w);
    scenario_order(w, present);
    see_all(w, present);
}

/* ---- all of it ----------------------------------------------------------------------------- */

bool minimise(struct enc *e, struct problem *p, const struct prob_predicate *pred, uint32_t goal)
{
    struct wishes w = {.e = e, .p = p, .pred = pred};
    uint64_t start = wish_work(e);
    w.end = start + (start > WORK_AT_LEAST ? start : WORK_AT_LEAST);
    enc_limit_work(e, WORK_PER_CHECK);
    keep(&w, goal);
    fewer_transactions(&w);
    no_troubles(&w);
    growing_sets(&w);
    fewer_writes(&w);
    smaller_numbers(&w);
    fewer_surprises(&w);
    enc_limit_work(e, 10 * WORK_PER_CHECK);
    bool found = look(&w);
    enc_limit_work(e, 0);
    vec_free(&w.granted);
    vec_free(&w.numbers);
    vec_free(&w.values);
    vec_free(&w.ar);
    vec_free(&w.vis);
    return found;
}
