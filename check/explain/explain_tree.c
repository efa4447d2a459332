/* When the solver says no: from the cycles of its refutation to a tree of cases; see explain.h.
 *
 * The core is a set of clauses over "this version is older" and "this read saw that write": each
 * cycle forbids the choices that it uses, and each read must have some source.  A plain search with
 * unit propagation over them gives the tree: a choice that one cycle forbids at once is a case of
 * one line; where nothing is forced, the search supposes something, refutes it, and goes on with
 * the opposite.  Cores are small as a rule; if the tree is too large, the cycles are given as
 * lemmas instead. */
#include "check/explain/explain_internal.h"

#include <assert.h>

#include "check/problem/finding.h"
#include "check/explain/explain_core.h"
#include "check/problem/aggregate.h"

struct tree {
    struct explain x;
    struct residual *open;
    struct explain_core core;
    int8_t *value;     /* per variable: 1, -1, 0 */
    uint32_t *because; /* per variable: the case that settled it */
    sat_lits trail;    /* variables */
    sat_lits sources;  /* variables that are sources */
    uint64_t budget;
};

#define TOO_LONG UINT32_MAX

/* --- the ground ------------------------------------------------------------------------------- */

static uint32_t write_cycle(struct tree *t, uint32_t cycle)
{
    eg_path path = {0};
    explain_core_path(&t->core, cycle, &path);
    uint32_t c = explain_write(&t->x, &path);
    vec_free(&path);
    return c;
}

/* An edge from a read to a known overwriter of one of its possible sources: the order was known. */
static void explain_overwriter(struct tree *t, uint32_t edge)
{
    const struct acyclic_edge *e = &t->open->problem.edges.data[edge];
    if (e->lit == ACYCLIC_FIXED || t->open->edges.data[e->tag].kind != CHECK_RW)
        return;
    const struct residual_var *v = &t->open->vars.data[e->lit / 2];
    if (v->kind == RESIDUAL_SOURCE)
        explain_order(&t->x, v->b, t->open->edges.data[e->tag].b, HIST_NONE);
}

/* Everything that saturation had settled and the core rests on comes first. */
static void explain_ground(struct tree *t)
{
    eg_path path = {0};
    for (uint32_t i = 0; i < t->core.answer->core_ends.len; i++) {
        explain_core_path(&t->core, i, &path);
        explain_path(&t->x, &path);
    }
    vec_free(&path);
    for (size_t i = 0; i < t->core.answer->core_edges.len; i++)
        explain_overwriter(t, t->core.answer->core_edges.data[i]);
    for (size_t i = 0; i < t->core.answer->core_clauses.len; i++) {
        const uint64_t *choice =
            map_get(&t->open->choice_clause, t->core.answer->core_clauses.data[i]);
        if (choice)
            explain_choice(&t->x, (uint32_t)*choice);
    }
    for (size_t i = 0; i < t->core.aggregates.len; i++)
        explain_aggregate(&t->x, t->core.aggregates.data[i]);
    for (size_t i = 0; i < t->core.lits.len; i++) {
        const struct residual_var *v = &t->open->vars.data[t->core.lits.data[i] / 2];
        if (v->kind == RESIDUAL_SOURCE)
            vec_push(&t->sources, t->core.lits.data[i] / 2);
    }
}

/* --- the search ------------------------------------------------------------------------------- */

static int lit_value(const struct tree *t, uint32_t lit)
{
    int v = t->value[lit / 2];
    return lit & 1 ? -v : v;
}

/* An order between transactions of which one may not count says nothing by being refuted. */
static bool both_count(const struct tree *t, const struct residual_var *v)
{
    const struct prob *p = t->open->g->p;
    uint32_t txn[] = {p->ver_txn[v->a], p->ver_txn[v->b]};
    for (int i = 0; i < 2; i++) {
        uint32_t h = t->open->happened ? t->open->happened[txn[i]] : HIST_NONE;
        if (h != HIST_NONE && lit_value(t, h) <= 0)
            return false;
    }
    return true;
}

/* Make a literal true; what it says becomes usable for cycles. */
static void set(struct tree *t, uint32_t lit, uint32_t because)
{
    const struct residual_var *v = &t->open->vars.data[lit / 2];
    t->value[lit / 2] = lit & 1 ? -1 : 1;
    t->because[lit / 2] = because;
    vec_push(&t->trail, lit / 2);
    if (v->kind == RESIDUAL_ORDER && !(lit & 1))
        explain_set_order(&t->x, v->a, v->b, because);
    if (v->kind == RESIDUAL_ORDER && lit & 1 && !v->one_way)
        explain_set_order(&t->x, v->b, v->a, because);
    if (v->kind == RESIDUAL_ORDER && lit & 1 && v->one_way && both_count(t, v)) {
        /* Refuted, or against what is on record: so the reverse holds. */
        const uint64_t *reverse = map_get(&t->open->pairs, (uint64_t)v->b << 32 | v->a);
        assert(reverse);
        if (!t->value[*reverse / 2])
            set(t, (uint32_t)*reverse, because);
    }
    if (v->kind != RESIDUAL_SOURCE || lit & 1)
        return;
    explain_set_source(&t->x, v->a, v->b);
    if (because != HIST_NONE)
        *map_put(&t->x.refuted, v->a, 0, NULL) = (uint64_t)because + 1;
    for (size_t i = 0; i < t->sources.len; i++) /* a read has one source */
        if (t->sources.data[i] != lit / 2 && !t->value[t->sources.data[i]] &&
            t->open->vars.data[t->sources.data[i]].a == v->a)
            set(t, 2 * t->sources.data[i] + 1, because);
}

static void undo(struct tree *t, size_t trail, size_t orders)
{
    while (t->trail.len > trail) {
        uint32_t var = vec_pop(&t->trail);
        const struct residual_var *v = &t->open->vars.data[var];
        if (v->kind == RESIDUAL_SOURCE && t->value[var] > 0)
            explain_set_source(&t->x, v->a, HIST_NONE);
        t->value[var] = 0;
    }
    explain_rewind(&t->x, orders);
}

/* Begin the case that supposes `lit`. */
static uint32_t suppose(struct tree *t, uint32_t lit)
{
    const struct prob *p = t->open->g->p;
    const struct residual_var *v = &t->open->vars.data[lit / 2];
    bool forward = !(lit & 1);
    uint32_t c;
    if (v->kind == RESIDUAL_SOURCE)
        c = explain_case(&t->x, CHECK_SOURCE, p->rd_op[v->a], p->ver_op[v->b]);
    else
        c = explain_case(&t->x, CHECK_ORDER, p->ver_op[forward ? v->a : v->b],
                         p->ver_op[forward ? v->b : v->a]);
    set(t, lit, c);
    return c;
}

/* Can the opposite of a literal be supposed, so that refuting it gives the literal? */
static bool has_case(const struct tree *t, uint32_t lit)
{
    const struct residual_var *v = &t->open->vars.data[lit / 2];
    if (v->kind == RESIDUAL_SOURCE)
        return lit & 1;
    return v->kind == RESIDUAL_ORDER && (!v->one_way || (lit & 1 && both_count(t, v)));
}

/* The only open literal of a clause.  False: leave it alone for now. */
static bool unit(struct tree *t, const struct core_clause *c, uint32_t lit)
{
    bool source_without =
        c->cycle == HIST_NONE && lit & 1 && t->open->vars.data[lit / 2].kind == RESIDUAL_SOURCE;
    if (c->cycle == HIST_NONE && !source_without) {
        set(t, lit, HIST_NONE);
        return true;
    }
    if (!has_case(t, lit))
        return false;
    size_t trail = t->trail.len, orders = t->x.trail.len;
    uint32_t index = suppose(t, sat_neg(lit));
    uint32_t cycle = c->cycle == HIST_NONE ? HIST_NONE : write_cycle(t, c->cycle);
    t->x.r->cases.data[index].cycle = cycle;
    undo(t, trail, orders);
    set(t, lit, index);
    return true;
}

static uint32_t source_var(const struct tree *t, uint32_t read, uint32_t version)
{
    const uint64_t *lit = map_get(&t->open->sources, (uint64_t)read << 32 | version);
    return lit ? (uint32_t)*lit / 2 : HIST_NONE;
}

static bool not_refuted(void *arg, uint32_t read, uint32_t version)
{
    const struct tree *t = arg;
    uint32_t var = source_var(t, read, version);
    return var == HIST_NONE || t->value[var] >= 0;
}

/* Sources that do not go with any others that are left are refuted.  Says whether there were any;
 * *none: the result cannot be had. */
static bool propagate_joint(struct tree *t, const struct aggregate *j, bool *none)
{
    const struct prob *p = t->open->g->p;
    uint32_t happened = t->open->happened ? t->open->happened[aggregate_txn(p, j)] : HIST_NONE;
    struct diagram d;
    bool any = false;
    if (happened != HIST_NONE && lit_value(t, happened) <= 0)
        return false;
    enum diagram_answer a = aggregate_diagram(p, j, not_refuted, t, &d);
    *none = a == DIAGRAM_NONE;
    for (uint32_t i = 0; i < j->rows && a == DIAGRAM_FINE; i++) {
        const struct aggregate_row *row = &p->aggregate_rows.data[j->start + i];
        uint32_t v = p->rd_ver[row->read];
        if (!(v & PROB_CHOICE))
            continue;
        const struct match_choice *c = &p->choices.data[v & ~PROB_CHOICE];
        bool besides = aggregate_besides(p, row, not_refuted, t);
        for (uint32_t k = c->start; k < c->start + c->len; k++) {
            uint32_t var = source_var(t, row->read, p->cand.data[k]);
            if (t->value[var] || aggregate_allows(p, row, &d, i, p->cand.data[k], besides))
                continue;
            size_t trail = t->trail.len, orders = t->x.trail.len;
            uint32_t index = suppose(t, 2 * var);
            undo(t, trail, orders);
            set(t, 2 * var + 1, index);
            any = true;
        }
    }
    diagram_free(&d);
    return any;
}

/* The aggregates.  Says whether something was refuted; *none: some result cannot be had. */
static bool propagate_joints(struct tree *t, bool *none)
{
    bool again = false;
    for (size_t i = 0; i < t->core.aggregates.len && t->budget && !*none; i++) {
        const struct aggregate *j = &t->open->g->p->aggregates.data[t->core.aggregates.data[i]];
        again |= propagate_joint(t, j, none);
        t->budget -= t->budget > 1000 ? 1000 : t->budget;
    }
    return again;
}

enum clause_state { CLAUSE_IDLE, CLAUSE_FALSE, CLAUSE_UNIT };

static enum clause_state propagate_clause(struct tree *t, uint32_t i)
{
    const struct core_clause c = t->core.clauses.data[i];
    uint32_t open = 0, last = 0;
    for (uint32_t j = c.start; j < c.start + c.len; j++) {
        int v = lit_value(t, t->core.lits.data[j]);
        if (v > 0)
            return CLAUSE_IDLE;
        if (!v)
            open++, last = t->core.lits.data[j];
    }
    if (!open)
        return CLAUSE_FALSE;
    return open == 1 && unit(t, &c, last) ? CLAUSE_UNIT : CLAUSE_IDLE;
}

/* Clauses first … end - 1.  The number of one that is false, or HIST_NONE.  *again: something is
 * settled; with unknown outcomes the cycles stop there. */
static uint32_t propagate_range(struct tree *t, uint32_t first, uint32_t end, bool *again)
{
    for (uint32_t i = first; i < end && t->budget; i++, t->budget--) {
        enum clause_state state = propagate_clause(t, i);
        if (state == CLAUSE_FALSE)
            return i;
        *again |= state == CLAUSE_UNIT;
        if (state == CLAUSE_UNIT && t->core.clauses.data[i].cycle != HIST_NONE && t->open->happened)
            break;
    }
    return HIST_NONE;
}

/* Unit propagation.  The number of a clause that is false, or HIST_NONE.  With unknown outcomes
 * the problem's own clauses come first: an order that is on record holds as soon as both count, and
 * closes the cycle that would refute it. */
static uint32_t propagate(struct tree *t)
{
    uint32_t cycles = t->open->happened ? (uint32_t)t->core.answer->core_ends.len : 0;
    for (;;) {
        bool none = false, again = propagate_joints(t, &none);
        uint32_t wrong = none ? t->core.plain : propagate_range(t, cycles, t->core.plain, &again);
        if (wrong == HIST_NONE && !again)
            wrong = propagate_range(t, 0, cycles, &again);
        if (wrong != HIST_NONE || !again || !t->budget)
            return wrong;
    }
}

/* A literal to suppose: from the shortest clause that is open, the opposite of what it asks for. */
static uint32_t choose(const struct tree *t)
{
    uint32_t best = HIST_NONE, best_open = UINT32_MAX;
    for (uint32_t i = 0; i < t->core.plain; i++) {
        const struct core_clause *c = &t->core.clauses.data[i];
        uint32_t open = 0, candidate = HIST_NONE;
        bool satisfied = false;
        for (uint32_t j = c->start; j < c->start + c->len && !satisfied; j++) {
            uint32_t lit = t->core.lits.data[j];
            int v = lit_value(t, lit);
            satisfied = v > 0;
            if (v)
                continue;
            open++;
            const struct residual_var *var = &t->open->vars.data[lit / 2];
            if (var->kind == RESIDUAL_SOURCE)
                candidate = 2 * (lit / 2) + 1; /* suppose the read saw it */
            else if (candidate == HIST_NONE && has_case(t, lit))
                candidate = lit;
        }
        if (!satisfied && candidate != HIST_NONE && open < best_open) {
            best_open = open;
            best = sat_neg(candidate);
        }
    }
    return best;
}

/* Find a clause that is false under what is supposed. */
static uint32_t refute(struct tree *t)
{
    for (;;) {
        uint32_t c = propagate(t);
        if (c != HIST_NONE)
            return c;
        uint32_t lit = t->budget ? choose(t) : HIST_NONE;
        if (lit == HIST_NONE)
            return TOO_LONG;
        size_t trail = t->trail.len, orders = t->x.trail.len;
        uint32_t parent = t->x.parent, index = suppose(t, lit);
        t->x.parent = index;
        c = refute(t);
        if (c == TOO_LONG)
            return TOO_LONG;
        uint32_t core = t->core.clauses.data[c].cycle;
        uint32_t cycle = core == HIST_NONE ? HIST_NONE : write_cycle(t, core);
        t->x.r->cases.data[index].cycle = cycle;
        undo(t, trail, orders);
        t->x.parent = parent;
        set(t, sat_neg(lit), index);
    }
}

/* --- all together ----------------------------------------------------------------------------- */

/* A cycle under the choices that it uses.  One that gives a read two sources says nothing new. */
static bool write_lemma(struct tree *t, const struct core_clause *c)
{
    bool fine = true;
    uint32_t end = c->start + c->len, i = c->start;
    for (; i < end && fine; i++) {
        const struct residual_var *v = &t->open->vars.data[t->core.lits.data[i] / 2];
        if (v->kind != RESIDUAL_SOURCE)
            continue;
        const uint64_t *old = map_get(&t->x.sources, v->a);
        fine = !old || !*old;
        if (fine)
            explain_set_source(&t->x, v->a, v->b);
    }
    if (fine)
        write_cycle(t, c->cycle);
    while (i-- > c->start) {
        const struct residual_var *v = &t->open->vars.data[t->core.lits.data[i] / 2];
        if (v->kind == RESIDUAL_SOURCE)
            explain_set_source(&t->x, v->a, HIST_NONE);
    }
    return fine;
}

/* What was explained before the search. */
struct ground {
    size_t cases, cycles, edges, orders;
};

/* Give the cycles as they are.  The edges that are choices have no case to point to: those of the
 * search are gone. */
static void write_lemmas(struct tree *t, struct ground ground)
{
    struct check_result *r = t->x.r;
    undo(t, 0, ground.orders);
    r->cases.len = ground.cases;
    r->cycles.len = ground.cycles;
    r->edges.len = ground.edges;
    for (uint32_t i = 0; i < t->core.answer->core_ends.len; i++)
        r->lemmas += write_lemma(t, &t->core.clauses.data[i]);
    for (size_t i = ground.edges; i < r->edges.len; i++)
        if (r->edges.data[i].because >= ground.cases)
            r->edges.data[i].because = HIST_NONE;
}

static void finish(struct tree *t, uint32_t clause)
{
    struct check_result *r = t->x.r;
    r->verdict = CHECK_VIOLATION;
    if (t->core.clauses.data[clause].cycle != HIST_NONE) {
        r->cycle = write_cycle(t, t->core.clauses.data[clause].cycle);
    } else {
        r->no_source = true;
        for (size_t i = r->cases.len; i-- && r->cycle == HIST_NONE;)
            r->cycle = r->cases.data[i].cycle;
    }
}

bool explain_unsat(struct residual *open, const struct backend_answer *answer, bool cases,
                   struct check_result *r)
{
    struct tree t = {.open = open, .budget = cases ? 200000000 : 0};
    explain_init(&t.x, open->g, r);
    explain_core_load(&t.core, open, answer);
    explain_ground(&t);
    t.value = mem_calloc(open->vars.len + 1, 1);
    t.because = mem_calloc(open->vars.len + 1, sizeof *t.because);
    struct ground ground = {r->cases.len, r->cycles.len, r->edges.len, t.x.trail.len};
    uint32_t c = refute(&t);
    bool whole = c != TOO_LONG;
    if (whole) {
        finish(&t, c);
    } else {
        write_lemmas(&t, ground);
        r->verdict = CHECK_VIOLATION;
        r->cycle = r->lemmas ? (uint32_t)ground.cycles : HIST_NONE;
        if (!r->lemmas && !r->cases.len && !t.core.aggregates.len)
            finding_unknown(r, "the reasons against it are too many to write down and check");
        else if (!r->lemmas && !r->cases.len)
            explain_mismatch(open->g->p, t.core.aggregates.data, t.core.aggregates.len, r);
    }
    explain_free(&t.x);
    explain_core_free(&t.core);
    vec_free(&t.trail);
    vec_free(&t.sources);
    mem_free(t.value);
    mem_free(t.because);
    return whole;
}
