/* The core of a refutation as clauses and cycles; see explain_tree.c.
 *
 * Every cycle of the core is a clause: not all of the choices that the cycle uses hold.  The
 * problem's own clauses are taken as they are, with two exceptions.  Clauses that only define the
 * conjunction of two literals are dropped, and the conjunction is replaced by the two literals.
 * Clauses of an aggregate are dropped, because the aggregate is tested as a whole; only the clause
 * that each of its reads has some source remains. */
#include "check/explain/explain_core.h"

#include <assert.h>

#include "check/problem/aggregate.h"

/* --- the clauses ------------------------------------------------------------------------------ */

static void add_lit(struct explain_core *core, uint32_t lit)
{
    const struct residual_var *v = &core->open->vars.data[lit / 2];
    if (v->kind == RESIDUAL_BOTH) {
        assert(lit & 1);
        add_lit(core, sat_neg(v->a));
        add_lit(core, sat_neg(v->b));
        return;
    }
    for (uint32_t i = vec_last(&core->clauses).start; i < core->lits.len; i++)
        if (core->lits.data[i] == lit)
            return;
    vec_push(&core->lits, lit);
}

static void begin_clause(struct explain_core *core, uint32_t cycle)
{
    vec_push(&core->clauses, ((struct core_clause){(uint32_t)core->lits.len, 0, cycle}));
}

static void end_clause(struct explain_core *core)
{
    struct core_clause *c = &vec_last(&core->clauses);
    c->len = (uint32_t)core->lits.len - c->start;
}

static bool defines_both(const struct explain_core *core, const uint32_t *lits, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (core->open->vars.data[lits[i] / 2].kind == RESIDUAL_BOTH)
            return true;
    return false;
}

static uint32_t cycle_start(const struct explain_core *core, uint32_t i)
{
    return i ? core->answer->core_ends.data[i - 1] : 0;
}

/* The aggregate that a clause is part of, or HIST_NONE. */
static uint32_t aggregate_of(const struct explain_core *core, uint32_t clause)
{
    const uint32_t *first = core->open->aggregate_clauses;
    uint32_t lo = 0, hi = (uint32_t)core->open->g->p->aggregates.len;
    if (!first || clause < first[0])
        return HIST_NONE;
    while (hi - lo > 1) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (first[mid] <= clause)
            lo = mid;
        else
            hi = mid;
    }
    return lo;
}

static void note_aggregate(struct explain_core *core, uint32_t aggregate)
{
    for (size_t i = 0; i < core->aggregates.len; i++)
        if (core->aggregates.data[i] == aggregate)
            return;
    vec_push(&core->aggregates, aggregate);
}

static void load_read(struct explain_core *core, uint32_t read)
{
    const struct prob *p = core->open->g->p;
    if (read == HIST_NONE || !(p->rd_ver[read] & PROB_CHOICE))
        return;
    const struct match_choice *c = &p->choices.data[p->rd_ver[read] & ~PROB_CHOICE];
    uint32_t happened = core->open->happened ? core->open->happened[p->rd_txn[read]] : HIST_NONE;
    begin_clause(core, HIST_NONE);
    if (happened != HIST_NONE)
        add_lit(core, sat_neg(happened));
    for (uint32_t k = c->start; k < c->start + c->len; k++)
        add_lit(core,
                (uint32_t)*map_get(&core->open->sources, (uint64_t)read << 32 | p->cand.data[k]));
    end_clause(core);
}

/* Every read of an aggregate has some source. */
static void load_joint(struct explain_core *core, const struct aggregate *j)
{
    const struct prob *p = core->open->g->p;
    for (uint32_t i = j->start; i < j->start + j->rows; i++) {
        load_read(core, p->aggregate_rows.data[i].read);
        load_read(core, p->aggregate_rows.data[i].turned);
    }
}

static void load_cycle(struct explain_core *core, uint32_t cycle)
{
    begin_clause(core, cycle);
    for (uint32_t j = cycle_start(core, cycle); j < core->answer->core_ends.data[cycle]; j++) {
        uint32_t edge = core->answer->core_edges.data[j];
        uint32_t lit = core->open->problem.edges.data[edge].lit;
        if (lit != ACYCLIC_FIXED)
            add_lit(core, sat_neg(lit));
    }
    end_clause(core);
}

/* A clause of the problem itself. */
static void load_clause(struct explain_core *core, uint32_t clause)
{
    const struct backend_problem *p = &core->open->problem;
    uint32_t start = clause ? p->ends.data[clause - 1] : 0, n = p->ends.data[clause] - start;
    uint32_t aggregate = aggregate_of(core, clause);
    if (aggregate != HIST_NONE)
        note_aggregate(core, aggregate);
    if (aggregate != HIST_NONE || defines_both(core, p->lits.data + start, n))
        return;
    begin_clause(core, HIST_NONE);
    for (uint32_t j = 0; j < n; j++)
        add_lit(core, p->lits.data[start + j]);
    end_clause(core);
}

void explain_core_load(struct explain_core *core, const struct residual *open,
                       const struct backend_answer *answer)
{
    *core = (struct explain_core){.open = open, .answer = answer};
    for (uint32_t i = 0; i < answer->core_ends.len; i++)
        load_cycle(core, i);
    for (size_t i = 0; i < answer->core_clauses.len; i++)
        load_clause(core, answer->core_clauses.data[i]);
    for (size_t i = 0; i < core->aggregates.len; i++)
        load_joint(core, &open->g->p->aggregates.data[core->aggregates.data[i]]);
    core->plain = (uint32_t)core->clauses.len;
    begin_clause(core, HIST_NONE);
    end_clause(core);
}

/* --- the cycles ------------------------------------------------------------------------------- */

void explain_core_path(const struct explain_core *core, uint32_t cycle, eg_path *out)
{
    vec_clear(out);
    for (uint32_t j = cycle_start(core, cycle); j < core->answer->core_ends.data[cycle]; j++) {
        struct eg_edge e = {.cost = 0};
        e.edge = residual_edge(core->open, core->answer->core_edges.data[j], &e.stamp);
        vec_push(out, e);
    }
}

void explain_core_free(struct explain_core *core)
{
    vec_free(&core->clauses);
    vec_free(&core->lits);
    vec_free(&core->aggregates);
}
