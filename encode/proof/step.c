/* One step of induction, see step.h: its construction, and the questions that it answers. */
#include "encode/proof/step.h"

#include <assert.h>

#include "encode/proof/step_internal.h"

/* A step that takes more work than that is better left to bounded runs. */
#define PROOF_WORK 20000000u
#define EFFORT_WORK 2000000u /* … if much is said, so that most of it is idle */
#define ROUNDS 4

/* ---- construction -------------------------------------------------------------------------- */

typedef VEC(term_id) term_list;

static void push(term_list *l, term_id t)
{
    if (t != TERM_NONE)
        vec_push(l, t);
}

static void roots_of(const struct sx_program *sx, const struct sx_summary *sum, term_list *l)
{
    for (size_t i = 0; i < sum->n_points; i++) {
        push(l, sum->points[i].guard);
        push(l, sum->points[i].cond);
    }
    for (size_t i = 0; i < sum->n_writes; i++) {
        const struct sx_write *w = &sum->writes[i];
        push(l, w->guard);
        for (uint32_t f = 0; f < sx->tables[w->row.table].n_fields; f++)
            push(l, w->value[f]);
        for (uint32_t d = 0; d < sx->tables[w->row.table].n_dims; d++)
            push(l, w->row.index[d]);
    }
    for (size_t i = 0; i < sum->n_reads; i++)
        for (uint32_t d = 0; d < sx->tables[sum->reads[i].row.table].n_dims; d++)
            push(l, sum->reads[i].row.index[d]);
    for (size_t i = 0; i < sum->n_folds; i++) {
        push(l, sum->folds[i].cond);
        push(l, sum->folds[i].value);
        push(l, sum->folds[i].start);
    }
    push(l, sum->holds);
}

/* Does T or a predicate take numbers apart into bits? */
static bool needs_bits(const struct proof_step *s)
{
    term_list l = {0};
    roots_of(s->sx, s->sum, &l);
    for (uint32_t i = 0; i < s->sx->n_invariants; i++)
        roots_of(s->sx, s->sx->invariants[i], &l);
    for (uint32_t i = 0; i < s->sx->n_constraints; i++)
        roots_of(s->sx, s->sx->constraints[i], &l);
    bool bits = zterm_needs_bits(&s->sx->store, l.data, l.len);
    vec_free(&l);
    return bits;
}

static struct proof_step *begin(const struct proof_setting *setting, const struct sx_summary *sum)
{
    struct proof_step *s = mem_calloc(1, sizeof *s);
    struct arena *a = &s->arena;
    s->setting = setting;
    s->sx = setting->sx;
    s->sum = sum;
    fm_init(&s->fm, s->sx);
    unsigned work = setting->effort ? EFFORT_WORK : PROOF_WORK;
    z3ctx_init(&s->z, setting->pool, 0, (struct z3ctx_budget){.work = work}, NULL);
    ground_init(&s->g, &s->fm, &s->z, needs_bits(s));
    s->g.effort = setting->effort;
    s->n_inv = s->sx->n_invariants + setting->n_candidates;
    s->n_rely = setting->n_relies;
    s->templates = arena_array(a, struct fm_template, s->n_inv + 1);
    s->witness = arena_array(a, term_id *, s->n_inv + 1);
    s->goal = arena_array(a, term_id, s->n_inv + 1);
    s->unwinds = arena_array(a, term_id, s->n_inv + 1);
    s->inv_holds = arena_array(a, Z3_ast, s->n_inv + 1);
    s->inv_broken = arena_array(a, Z3_ast, s->n_inv + 1);
    s->rely_holds = arena_array(a, Z3_ast, s->n_rely + 1);
    s->rely_broken = arena_array(a, Z3_ast, s->n_rely + 1);
    for (size_t i = 0; i < s->sx->n_invariants; i++)
        s->templates[i] = fm_import_predicate(&s->fm, s->sx->invariants[i]);
    s->constraints = arena_array(a, struct fm_template, s->sx->n_constraints + 1);
    for (size_t i = 0; i < s->sx->n_constraints; i++)
        s->constraints[i] = fm_import_predicate(&s->fm, s->sx->constraints[i]);
    for (size_t i = 0; i < setting->n_candidates; i++)
        s->templates[s->sx->n_invariants + i] =
            proof_candidate_template(&s->fm, &setting->candidates[i]);
    return s;
}

static void finish(struct proof_step *s)
{
    step_add_goals(s);
    step_add_facts(s);
    for (int i = 0; i < ROUNDS && !s->fm.limit; i++)
        if (!ground_round(&s->g))
            break;
}

struct proof_step *proof_step_new(const struct proof_setting *setting, const struct sx_summary *txn)
{
    struct proof_step *s = begin(setting, txn);
    step_import_txn(s);
    finish(s);
    return s;
}

struct proof_step *proof_step_initial(const struct proof_setting *setting)
{
    struct proof_step *s = begin(setting, setting->sx->initial);
    s->n_rely = 0;
    step_import_initial(s);
    ground_assert(&s->g, s->z.yes, s->exists);
    ground_assert(&s->g, s->z.yes, s->committed);
    finish(s);
    return s;
}

void proof_step_free(struct proof_step *s)
{
    if (!s)
        return;
    ground_free(&s->g);
    fm_free(&s->fm);
    z3ctx_free(&s->z);
    vec_free(&s->last);
    vec_free(&s->witnesses);
    arena_free(&s->arena);
    mem_free(s);
}

const char *proof_step_limit(const struct proof_step *s)
{
    return s->fm.limit;
}

/* ---- questions ----------------------------------------------------------------------------- */

/* Is `goal` possible with these facts?  Facts not assumed are left out. */
static enum proof_answer check(struct proof_step *s, const struct proof_facts *assume, Z3_ast goal)
{
    vec_clear(&s->last);
    s->trivial = goal == s->z.no && !s->fm.limit;
    if (s->trivial)
        return PROOF_NO;
    if (s->fm.limit)
        return PROOF_UNKNOWN;
    for (size_t i = 0; i < s->n_inv; i++)
        if (assume->inv[i])
            vec_push(&s->last, s->inv_holds[i]);
    for (size_t k = 0; k < s->n_rely; k++)
        if (assume->rely[k])
            vec_push(&s->last, s->rely_holds[k]);
    Z3_ast ask = z3ctx_bool(&s->z, "ask");
    z3ctx_assert(&s->z, z3ctx_implies(&s->z, ask, goal));
    vec_push(&s->last, ask);
    enum z3ctx_answer a = z3ctx_check(&s->z, s->last.len, s->last.data);
    return a == Z3CTX_SAT ? PROOF_YES : a == Z3CTX_UNSAT ? PROOF_NO : PROOF_UNKNOWN;
}

enum proof_answer proof_step_breaks(struct proof_step *s, const struct proof_facts *assume,
                                    const struct proof_facts *ask, struct proof_facts *broken)
{
    z3ctx_asts some = {0};
    for (size_t i = 0; i < s->n_inv; i++)
        if (ask->inv[i])
            vec_push(&some, s->inv_broken[i]);
    for (size_t k = 0; k < s->n_rely; k++)
        if (ask->rely[k])
            vec_push(&some, s->rely_broken[k]);
    enum proof_answer a = check(s, assume, z3ctx_or(&s->z, &some));
    vec_free(&some);
    if (a != PROOF_YES)
        return a;
    for (size_t i = 0; i < s->n_inv; i++)
        broken->inv[i] = ask->inv[i] && z3ctx_model_bool(&s->z, s->inv_broken[i]);
    for (size_t k = 0; k < s->n_rely; k++)
        broken->rely[k] = ask->rely[k] && z3ctx_model_bool(&s->z, s->rely_broken[k]);
    return a;
}

/* Does the run count?  Not if an assumption fails, before the point or after it; and for an
 * assertion not if a built-in check fails. */
static term_id counts(struct proof_step *s, enum sx_point_kind kind)
{
    struct term_store *store = s->fm.store;
    if (kind == SX_UNWIND)
        return TERM_TRUE;
    return kind == SX_ASSERT ? term_and(store, s->exists, term_not(store, s->check_failed))
                             : s->exists;
}

/* Is it a place that properties are about?  (Overflow is one with --check overflow.) */
static bool is_place(const struct proof_step *s, const struct sx_point *pt)
{
    return pt->kind == SX_ASSERT || pt->kind == SX_BOUNDS || pt->kind == SX_DIVISION ||
           pt->kind == SX_SHIFT || (pt->kind == SX_OVERFLOW && s->sx->options.check_overflow);
}

/* A place that no property is about, which should not be, stands for all of them. */
static bool concerns(const struct proof_step *s, const struct sx_point *pt,
                     const struct properties *props, uint32_t property)
{
    if (property == PROPERTY_NONE)
        return pt->kind == SX_UNWIND;
    uint32_t of = properties_of_point(props, s->sx, pt);
    return of == property || (of == PROPERTY_NONE && is_place(s, pt));
}

enum proof_answer proof_step_fires(struct proof_step *s, const struct proof_facts *assume,
                                   const struct properties *props, uint32_t property)
{
    struct term_store *store = s->fm.store;
    term_id some = TERM_FALSE;
    for (size_t i = 0; i < s->sum->n_points; i++) {
        const struct sx_point *pt = &s->sum->points[i];
        if (concerns(s, pt, props, property))
            some = term_or(store, some, term_and(store, s->fires[i], counts(s, pt->kind)));
    }
    for (size_t i = 0; i < s->n_inv && property == PROPERTY_NONE; i++)
        if (assume->inv[i])
            some = term_or(store, some, s->unwinds[i]);
    return check(s, assume, ground_z3(&s->g, some));
}

/* The conditions of the assertion, together; without any, contradictions above it. */
static Z3_ast reaching(struct proof_step *s, const struct properties *props, uint32_t property,
                       const term_id *conditions)
{
    struct term_store *store = s->fm.store;
    term_id some = TERM_FALSE, above = TERM_FALSE;
    bool occurs = false;
    for (size_t i = 0; i < s->sum->n_points; i++) {
        const struct sx_point *pt = &s->sum->points[i];
        if (properties_of_point(props, s->sx, pt) == property) {
            occurs = true;
            some = term_or(store, some, conditions[i]);
        }
        if (conditions == s->blocked && properties_contradiction(pt, props->v.data[property].loc))
            above = term_or(store, above, s->fires[i]);
    }
    return ground_z3(&s->g, occurs ? some : above);
}

enum verify_reach proof_step_reach(struct proof_step *s, const struct proof_facts *assume,
                                   const struct properties *props, uint32_t property,
                                   const struct sx_point **fails)
{
    if (check(s, assume, reaching(s, props, property, s->reached)) != PROOF_NO)
        return VERIFY_REACHED;
    if (check(s, assume, reaching(s, props, property, s->checked)) == PROOF_YES) {
        for (size_t i = 0; i < s->sum->n_points && !*fails; i++)
            if (properties_is_check(&s->sum->points[i]) &&
                z3ctx_model_bool(&s->z, ground_z3(&s->g, s->fires[i])))
                *fails = &s->sum->points[i];
        return VERIFY_CHECKED;
    }
    return check(s, assume, reaching(s, props, property, s->blocked)) == PROOF_NO ? VERIFY_UNREACHED
                                                                                  : VERIFY_BLOCKED;
}

enum proof_answer proof_step_exists(struct proof_step *s, const struct proof_facts *assume)
{
    return check(s, assume, ground_z3(&s->g, s->exists));
}

void proof_step_used(struct proof_step *s, const struct proof_facts *assume,
                     struct proof_facts *used)
{
    if (s->trivial)
        return;
    bool *core = mem_calloc(s->last.len + 1, sizeof *core);
    z3ctx_core(&s->z, s->last.len, s->last.data, core);
    size_t at = 0;
    for (size_t i = 0; i < s->n_inv; i++)
        if (assume->inv[i])
            used->inv[i] |= core[at++];
    for (size_t k = 0; k < s->n_rely; k++)
        if (assume->rely[k])
            used->rely[k] |= core[at++];
    mem_free(core);
}
