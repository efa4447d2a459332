/* Building bounded problems from summaries: instances with their own leaves, the state that they
 * start from, and which of them are interchangeable.  See problem.h. */
#include "encode/problem.h"

#include <assert.h>
#include <stdlib.h>

/* Owners of fresh leaves are numbered from here, above all summaries. */
#define FIRST_OWNER (1u << 24)

/* ---- copies of summaries ------------------------------------------------------------------- */

/* A copy in the making: which leaf becomes what. */
struct copy {
    struct problem *p;
    struct term_subst subst;
    struct map leaves; /* leaf index → term */
    uint32_t owner;
};

static term_id copy_leaf(void *arg, uint32_t leaf)
{
    uint64_t *to = map_get(&((struct copy *)arg)->leaves, leaf);
    return to ? (term_id)*to : TERM_NONE;
}

static void copy_begin(struct copy *c, struct problem *p)
{
    *c = (struct copy){.p = p, .owner = p->owner++};
    c->subst = (struct term_subst){.store = p->store, .fn = copy_leaf, .arg = c};
}

static void copy_end(struct copy *c)
{
    term_subst_free(&c->subst);
    map_free(&c->leaves);
}

static term_id copy_term(struct copy *c, term_id t)
{
    return t == TERM_NONE ? TERM_NONE : term_substitute(&c->subst, t);
}

static uint32_t leaf_index(const struct problem *p, term_id t)
{
    assert(term_get(p->store, t)->op == TERM_OP_LEAF);
    return term_get(p->store, t)->arg[0];
}

/* Replace a leaf by a new one like it, with values below n (0: as before), or by `value`. */
static term_id copy_bind(struct copy *c, term_id old, term_id value, uint64_t n)
{
    uint32_t i = leaf_index(c->p, old);
    if (value == TERM_NONE) {
        struct term_leaf fresh = c->p->store->leaves.data[i];
        fresh.owner = c->owner;
        if (n) {
            fresh.lo = fresh.lo > 0 ? fresh.lo : 0;
            fresh.hi = fresh.hi < (term_int)n ? fresh.hi : (term_int)n - 1;
        }
        value = fresh.lo == fresh.hi ? term_const(c->p->store, fresh.lo)
                                     : term_leaf(c->p->store, fresh);
    }
    map_put(&c->leaves, i, value, NULL);
    return value;
}

static struct prob_row copy_row(struct copy *c, const struct sx_row *row)
{
    uint32_t n = c->p->sx->tables[row->table].n_dims;
    term_id *index = arena_array(&c->p->arena, term_id, n + 1);
    for (uint32_t i = 0; i < n; i++)
        index[i] = copy_term(c, row->index[i]);
    return (struct prob_row){row->table, index};
}

static const term_id *copy_terms(struct copy *c, const term_id *from, size_t n)
{
    term_id *to = arena_array(&c->p->arena, term_id, n + 1);
    for (size_t i = 0; i < n; i++)
        to[i] = copy_term(c, from[i]);
    return to;
}

uint64_t prob_ranges(const struct sx_program *sx, const struct sx_summary *sum, size_t input)
{
    bool predicate = sum->func && ast_is_predicate(sum->func->role);
    if (!predicate || input >= sum->n_params || input >= sum->func->n_params)
        return 0;
    uint64_t n = sum->func->params[input]->ranges; /* parameters of predicates are scalars */
    if (sx->options.shown && sx_is_large(sx->ast, n))
        return sx->options.shown + 1;
    return n == AST_ANY_ROWS ? sx->options.rows : n;
}

/* How many values an input has that is an index by its nature; 0: those of its type. */
static uint64_t index_values(const struct problem *p, const struct sx_summary *sum, size_t input)
{
    const struct sx_input *in = &sum->inputs[input];
    if (in->kind != SX_FRESH)
        return prob_ranges(p->sx, sum, input);
    const struct sx_table *t = &p->sx->tables[in->row.table];
    bool part = p->sx->options.shown && sx_is_large(p->sx->ast, t->var->dims[t->n_dims - 1]);
    return part ? p->sx->options.shown : t->dims[t->n_dims - 1];
}

/* Inputs first, then the reads' leaves, so that index terms that mention earlier reads are copied
 * right.  args: for the parameters, or NULL for fresh ones. */
static struct prob_input *copy_inputs(struct copy *c, const struct sx_summary *sum,
                                      const term_id *args)
{
    struct prob_input *in = arena_array(&c->p->arena, struct prob_input, sum->n_inputs + 1);
    for (size_t i = 0; i < sum->n_inputs; i++) {
        term_id arg = args && i < sum->n_params ? args[i] : TERM_NONE;
        in[i].of = &sum->inputs[i];
        in[i].value = copy_bind(c, sum->inputs[i].leaf, arg, index_values(c->p, sum, i));
    }
    for (size_t r = 0; r < sum->n_reads; r++) {
        const struct sx_read *read = &sum->reads[r];
        for (uint32_t f = 0; f < c->p->sx->tables[read->row.table].n_fields; f++)
            if (read->field[f] != TERM_NONE)
                copy_bind(c, read->field[f], TERM_NONE, 0);
    }
    for (size_t i = 0; i < sum->n_inputs; i++)
        in[i].guard = copy_term(c, sum->inputs[i].guard);
    return in;
}

/* What the reads of one visible set have in common; it grows along the transaction. */
static uint32_t set_of(enum model_snapshot kind, const struct sx_read *r)
{
    return kind == SNAPSHOT_TRANSACTION ? 0 : kind == SNAPSHOT_STATEMENT ? r->statement : r->set;
}

/* Visible sets are numbered along the transaction: one per read or fold, per statement, or one in
 * all.  Where the sets do not grow (ec), one more at the end is all that some read saw.  Statements
 * are numbered when they begin; one that calls a function has statements of that function between
 * its own reads, and keeps its set. */
static uint32_t point_of(enum model_snapshot kind, const struct sx_summary *sum, size_t read)
{
    uint32_t point = 0, set = set_of(kind, &sum->reads[read]);
    for (size_t i = 0; i < sum->n_reads; i++) {
        bool first = !sum->reads[i].newest && set_of(kind, &sum->reads[i]) < set;
        for (size_t k = 0; first && k < i; k++)
            first = sum->reads[k].newest ||
                    set_of(kind, &sum->reads[k]) != set_of(kind, &sum->reads[i]);
        point += first;
    }
    return point;
}

static uint32_t points_of(enum model_snapshot kind, const struct sx_summary *sum)
{
    uint32_t n = 1;
    for (size_t i = 0; i < sum->n_reads; i++) {
        uint32_t point = sum->reads[i].newest ? 0 : point_of(kind, sum, i);
        n = point + 1 > n ? point + 1 : n;
    }
    return n + (kind == SNAPSHOT_ANY && sum->n_reads > 1);
}

static struct prob_read copy_read(struct copy *c, const struct sx_read *of, term_id chosen)
{
    uint32_t n = c->p->sx->tables[of->row.table].n_fields;
    term_id happens = term_and(c->p->store, of->before, of->guard);
    return (struct prob_read){
        .row = copy_row(c, &of->row),
        .guard = term_and(c->p->store, chosen, copy_term(c, happens)),
        .field = copy_terms(c, of->field, n),
        .of = of,
    };
}

/* ---- instances ----------------------------------------------------------------------------- */

enum sx_reads prob_reads_for(const struct model *const *levels, size_t n)
{
    enum sx_reads need = SX_READS_SNAPSHOT;
    for (size_t i = 0; i < n; i++) {
        if (model_is_server(levels[i]))
            return levels[i]->engine == ENGINE_POSTGRESQL ? SX_READS_POSTGRESQL
                   : levels[i]->id == MODEL_MY_RC         ? SX_READS_INNODB_RC
                                                          : SX_READS_INNODB_RR;
        if (model_per_read(levels[i]))
            return SX_READS_EACH;
        if (levels[i]->snapshot == SNAPSHOT_STATEMENT)
            need = SX_READS_STATEMENT;
    }
    return need;
}

static size_t txn_number(const struct sx_program *sx, const struct sx_summary *sum)
{
    for (size_t i = 0; i < sx->n_txns; i++)
        if (sx->txns[i] == sum)
            return i;
    assert(!"a summary that is no transaction's");
    return 0;
}

const struct model *prob_level(const struct problem *p, const struct prob_txn *t, size_t k)
{
    return p->levels[txn_number(p->sx, t->alts[k].sum)];
}

static bool is_property(const struct problem *p, enum sx_point_kind kind)
{
    switch (kind) {
    case SX_ASSUME:
    case SX_ROLLBACK:
        return false;
    case SX_OVERFLOW:
        return p->sx->options.check_overflow;
    default:
        return true;
    }
}

static void add_points(struct copy *c, const struct sx_summary *sum, term_id present, uint32_t txn)
{
    struct problem *p = c->p;
    for (size_t i = 0; i < sum->n_points; i++) {
        if (!is_property(p, sum->points[i].kind))
            continue;
        term_id fires = copy_term(c, sx_point_fires(p->sx, &sum->points[i]));
        fires = term_and(p->store, present, fires);
        if (fires != TERM_FALSE)
            vec_push(&p->points, ((struct prob_point){&sum->points[i], sum->func, fires, txn}));
    }
}

/* Where the terms of add_reach go: arrays by point. */
struct reach {
    term_id **reached, **checked, **blocked, **stops;
};

/* Which assertions are reached, in runs that count or in others, and which are not because
 * assumptions fail. */
static void add_reach(struct copy *c, const struct sx_summary *sum, term_id present,
                      struct reach to)
{
    struct term_store *store = c->p->store;
    term_id exists = copy_term(c, sum->exists), goes_on = TERM_TRUE;
    term_id failed = copy_term(c, sum->check_failed), fails = term_not(store, exists);
    term_id **arrays[] = {to.reached, to.checked, to.blocked, to.stops};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        *arrays[i] = arena_array(&c->p->arena, term_id, sum->n_points + 1);
    for (size_t i = 0; i < sum->n_points; i++) {
        const struct sx_point *pt = &sum->points[i];
        bool is = pt->kind == SX_ASSERT;
        term_id path = is ? term_and(store, present, copy_term(c, pt->guard)) : TERM_FALSE;
        term_id come = term_and(store, term_and(store, path, exists), copy_term(c, pt->before));
        (*to.reached)[i] = term_and(store, come, term_not(store, failed));
        (*to.checked)[i] = term_and(store, come, failed);
        (*to.blocked)[i] = term_and(store, path, term_and(store, fails, goes_on));
        (*to.stops)[i] = copy_term(c, sx_point_fires(c->p->sx, pt));
        if (pt->kind != SX_ASSUME && sx_point_stops(pt->kind))
            goes_on =
                term_and(store, goes_on, copy_term(c, term_implies(store, pt->guard, pt->cond)));
    }
}

static void add_effects(struct copy *c, struct prob_txn *t, struct prob_alt *a)
{
    struct problem *p = c->p;
    for (size_t i = 0; i < a->sum->n_writes; i++) {
        const struct sx_write *w = &a->sum->writes[i];
        uint32_t n = p->sx->tables[w->row.table].n_fields;
        term_id guard = term_and(p->store, a->committed, copy_term(c, w->guard));
        if (guard != TERM_FALSE)
            vec_push(&t->writes, ((struct prob_write){copy_row(c, &w->row), guard,
                                                      copy_terms(c, w->value, n), w}));
    }
    for (size_t i = 0; i < a->sum->n_locks; i++) {
        const struct sx_lock *l = &a->sum->locks[i];
        term_id guard = term_and(p->store, a->committed, copy_term(c, l->guard));
        if (guard != TERM_FALSE)
            vec_push(&t->locks, ((struct prob_lock){copy_row(c, &l->row), guard, l}));
    }
}

static void add_reads(struct copy *c, struct prob_txn *t, struct prob_alt *a,
                      const struct model *level)
{
    uint32_t points = points_of(level->snapshot, a->sum);
    for (size_t i = 0; i < a->sum->n_reads; i++) {
        struct prob_read r = copy_read(c, &a->sum->reads[i], a->chosen);
        r.point = point_of(level->snapshot, a->sum, i);
        vec_push(&t->reads, r);
    }
    if (t->n_points < points)
        t->n_points = points;
}

/* Which view of a statement snapshot is the first after the statement. */
static uint32_t view_after(const struct sx_summary *sum, uint32_t statement)
{
    uint32_t view = PROB_NO_VIEW;
    for (size_t i = 0; i < sum->n_reads; i++) {
        uint32_t point = point_of(SNAPSHOT_STATEMENT, sum, i);
        if (!sum->reads[i].newest && sum->reads[i].statement > statement && point < view)
            view = point;
    }
    return view;
}

/* No row was asked for before: a snapshot that is taken at the first read is still to come. */
static term_id nothing_asked(struct copy *c, const struct sx_summary *sum, uint32_t statement)
{
    term_id nothing = TERM_TRUE;
    for (size_t i = 0; i < sum->n_reads; i++) {
        const struct sx_read *r = &sum->reads[i];
        if (r->newest || r->statement > statement)
            continue;
        term_id asked = copy_term(c, term_and(c->p->store, r->before, r->asked));
        nothing = term_and(c->p->store, nothing, term_not(c->p->store, asked));
    }
    return nothing;
}

/* Rows stay locked whatever the end is: the transaction has its place in ar, and whoever touches
 * them after it comes after it. */
static void add_touches(struct copy *c, struct prob_txn *t, const struct prob_alt *a,
                        const struct model *level)
{
    struct problem *p = c->p;
    bool statements = level->snapshot == SNAPSHOT_STATEMENT;
    for (size_t i = 0; model_is_server(level) && i < a->sum->n_touches; i++) {
        const struct sx_touch *of = &a->sum->touches[i];
        struct prob_touch touch = {.row = copy_row(c, &of->row), .binds = TERM_TRUE, .of = of};
        touch.guard = copy_term(c, term_and(p->store, of->before, of->guard));
        touch.guard = term_and(p->store, a->chosen, touch.guard);
        touch.view = statements ? view_after(a->sum, of->statement - of->first) : PROB_LAST_VIEW;
        if (!statements)
            touch.binds = nothing_asked(c, a->sum, of->statement);
        if (touch.guard != TERM_FALSE)
            vec_push(&t->touches, touch);
    }
}

/* The row that a call of fresh gives, in the state that the transaction's writes land on: leaves of
 * their own, for the encoders to tie. */
static struct prob_read fresh_state(struct copy *c, struct prob_row row, term_id guard)
{
    const struct sx_table *t = &c->p->sx->tables[row.table];
    term_id *field = arena_array(&c->p->arena, term_id, t->n_fields + 1);
    for (uint32_t f = 0; f < t->n_fields; f++) {
        const struct ast_type *type = t->fields[f].type;
        struct term_leaf leaf = {.kind = TERM_LEAF_FREE,
                                 .owner = c->owner,
                                 .bits = type->width,
                                 .is_signed = type->is_signed,
                                 .lo = ast_int_min(type),
                                 .hi = ast_int_max(type),
                                 .name = "a field of a fresh row"};
        field[f] = term_leaf(c->p->store, leaf);
    }
    return (struct prob_read){.row = row, .guard = guard, .field = field};
}

static void add_fresh(struct copy *c, struct prob_txn *t, const struct prob_alt *a, size_t input)
{
    struct problem *p = c->p;
    const struct sx_input *in = &a->sum->inputs[input];
    const struct ast_var *var = p->sx->tables[in->row.table].var;
    term_id made = copy_term(c, term_and(p->store, in->before, in->guard));
    struct prob_fresh f = {.row = copy_row(c, &in->row), .of = in};
    f.happens = term_and(p->store, a->chosen, made);
    if (f.happens == TERM_FALSE)
        return;
    f.state = arena_array(&p->arena, struct prob_read, p->sx->n_tables);
    for (uint32_t i = 0; i < p->sx->n_tables; i++)
        if (p->sx->tables[i].var == var)
            f.state[f.n_state++] = fresh_state(c, (struct prob_row){i, f.row.index}, f.happens);
    vec_push(&t->fresh, f);
}

/* The copy of one summary as alternative k of transaction number `txn`. */
static void add_alt(struct problem *p, uint32_t txn, size_t k, const struct sx_summary *sum,
                    term_id chosen, const term_id *args)
{
    struct prob_txn *t = &p->txns.data[txn];
    struct prob_alt *a = &t->alts[k];
    const struct model *level = p->levels[txn_number(p->sx, sum)];
    struct copy c;
    copy_begin(&c, p);
    a->sum = sum;
    a->chosen = chosen;
    a->first_read = t->reads.len;
    a->first_write = t->writes.len;
    a->first_lock = t->locks.len;
    a->inputs = copy_inputs(&c, sum, args);
    a->exists = copy_term(&c, sum->exists);
    a->committed = term_and(p->store, chosen, copy_term(&c, sum->committed));
    a->rolled_back = term_and(p->store, chosen, copy_term(&c, sum->rolled_back));
    a->check_failed = term_and(p->store, chosen, copy_term(&c, sum->check_failed));
    a->returned = arena_array(&p->arena, term_id, sum->n_returned + 1);
    for (uint32_t i = 0; i < sum->n_returned; i++)
        a->returned[i] = copy_term(&c, sum->returned[i]);
    add_reach(&c, sum, chosen, (struct reach){&a->reached, &a->checked, &a->blocked, &a->stops});
    add_reads(&c, t, a, level);
    add_effects(&c, t, a);
    add_touches(&c, t, a, level);
    for (size_t i = 0; i < sum->n_inputs; i++)
        if (sum->inputs[i].kind == SX_FRESH)
            add_fresh(&c, t, a, i);
    add_points(&c, sum, chosen, txn);
    a->n_reads = t->reads.len - a->first_read;
    a->n_writes = t->writes.len - a->first_write;
    a->n_locks = t->locks.len - a->first_lock;
    t->exists = term_and(p->store, t->exists, term_implies(p->store, chosen, a->exists));
    copy_end(&c);
}

/* With several visible sets, a reader at a level with one snapshot uses the last.  At the levels of
 * databases one more is all that is before the transaction in ar. */
static void finish_points(struct problem *p)
{
    for (size_t i = 0; i < p->txns.len; i++) {
        struct prob_txn *t = &p->txns.data[i];
        if (t->n_points == 0)
            t->n_points = 1;
        for (size_t k = 0; k < t->n_alts; k++)
            if (prob_level(p, t, k)->snapshot == SNAPSHOT_TRANSACTION)
                for (size_t r = 0; r < t->alts[k].n_reads; r++)
                    t->reads.data[t->alts[k].first_read + r].point = t->n_points - 1;
        t->newest = sx_is_database(p->sx->options.reads);
        if (!t->newest)
            continue;
        for (size_t k = 0; k < t->touches.len; k++)
            if (t->touches.data[k].view == PROB_LAST_VIEW)
                t->touches.data[k].view = t->n_points - 1;
        for (size_t r = 0; r < t->reads.len; r++)
            if (t->reads.data[r].of->newest)
                t->reads.data[r].point = t->n_points;
        t->n_points++;
    }
}

static struct problem *new_problem(struct sx_program *sx, const struct model *const *levels,
                                   bool session_order)
{
    struct problem *p = mem_calloc(1, sizeof *p);
    p->sx = sx;
    p->store = &sx->store;
    p->levels = arena_copy(&p->arena, levels, sx->n_txns * sizeof *levels);
    p->session_order = session_order;
    p->scenario_exists = p->initial_exists = p->initial_committed = TERM_TRUE;
    p->owner = FIRST_OWNER;
    return p;
}

/* ---- the initial state --------------------------------------------------------------------- */

/* INITIAL is used once per problem, so its own leaves serve. */
static void add_initial(struct problem *p)
{
    const struct sx_summary *sum = p->sx->initial;
    p->initial_inputs = arena_array(&p->arena, struct prob_input, sum->n_inputs + 1);
    for (size_t i = 0; i < sum->n_inputs; i++)
        p->initial_inputs[i] =
            (struct prob_input){&sum->inputs[i], sum->inputs[i].leaf, sum->inputs[i].guard};
    p->initial_exists = sum->exists;
    p->initial_committed = sum->committed;
    struct copy c; /* of nothing: there is one INITIAL, it keeps its leaves */
    copy_begin(&c, p);
    add_points(&c, sum, TERM_TRUE, PROB_INITIAL);
    copy_end(&c);
    for (size_t i = 0; i < sum->n_writes; i++) {
        const struct sx_write *w = &sum->writes[i];
        vec_push(&p->initial_writes,
                 ((struct prob_write){{w->row.table, w->row.index}, w->guard, w->value, w}));
    }
}

/* ---- predicates ---------------------------------------------------------------------------- */

struct prob_predicate *prob_predicate(struct problem *p, const struct sx_summary *sum,
                                      const struct model *level)
{
    return prob_predicate_of(p, sum, level, NULL);
}

struct prob_predicate *prob_predicate_of(struct problem *p, const struct sx_summary *sum,
                                         const struct model *level, const term_id *args)
{
    struct prob_predicate *pred = arena_new(&p->arena, struct prob_predicate);
    /* An observer of a database sees one state, the state after some of the commits. */
    enum model_snapshot kind = model_is_server(level) ? SNAPSHOT_TRANSACTION : level->snapshot;
    struct copy c;
    copy_begin(&c, p);
    pred->inputs = copy_inputs(&c, sum, args);
    pred->sum = sum;
    for (size_t i = 0; i < sum->n_reads; i++) {
        struct prob_read r = copy_read(&c, &sum->reads[i], TERM_TRUE);
        r.point = point_of(kind, sum, i);
        vec_push(&pred->reads, r);
    }
    pred->n_points = points_of(kind, sum);
    pred->holds = copy_term(&c, sum->holds);
    pred->defined = TERM_TRUE;
    pred->fires = arena_array(&p->arena, term_id, sum->n_points + 1);
    for (size_t i = 0; i < sum->n_points; i++) {
        const struct sx_point *pt = &sum->points[i];
        pred->fires[i] = copy_term(&c, sx_point_fires(p->sx, pt));
        if (pt->kind == SX_OVERFLOW) /* the value is exact all the same */
            continue;
        term_id fails = term_and(p->store, pt->guard, term_not(p->store, pt->cond));
        pred->defined = term_and(p->store, pred->defined, term_not(p->store, copy_term(&c, fails)));
    }
    copy_end(&c);
    vec_push(&p->predicates, pred);
    return pred;
}

/* ---- scenarios ----------------------------------------------------------------------------- */

/* The scenario's RET leaves become what the call returned; if it did not commit, anything. */
static void bind_results(struct copy *c, struct prob_txn *t)
{
    const struct sx_call *call = t->call;
    const struct prob_alt *a = &t->alts[0];
    t->results = arena_array(&c->p->arena, term_id, call->n_ret + 1);
    for (uint32_t i = 0; i < call->n_ret; i++) {
        t->results[i] = a->returned[i];
        if (call->ret[i] == TERM_NONE)
            continue;
        uint32_t leaf = leaf_index(c->p, call->ret[i]);
        struct term_leaf fresh = c->p->store->leaves.data[leaf];
        fresh.owner = c->owner;
        term_id any = term_leaf(c->p->store, fresh);
        t->results[i] = term_ite(c->p->store, a->committed, a->returned[i], any);
        map_put(&c->leaves, leaf, t->results[i], NULL);
    }
}

static void add_call(struct problem *p, struct copy *c, uint32_t number, term_id happens)
{
    const struct sx_call *call = &p->scenario->calls[number];
    struct prob_txn *t = vec_add(&p->txns);
    t->call = call;
    t->session = call->session;
    for (size_t i = 0; i < number; i++)
        t->index += p->txns.data[i].session == t->session;
    t->alts = arena_new(&p->arena, struct prob_alt);
    t->n_alts = 1;
    t->exists = TERM_TRUE;
    t->present = copy_term(c, happens);
    const term_id *args = copy_terms(c, call->args, call->n_args);
    add_alt(p, number, 0, sx_find_txn(p->sx, call->func), t->present, args);
    bind_results(c, t);
}

struct problem *prob_scenario(struct sx_program *sx, const struct sx_summary *scenario,
                              const struct model *const *levels, bool session_order)
{
    struct problem *p = new_problem(sx, levels, session_order);
    struct copy c;
    p->scenario = scenario;
    p->n_sessions = scenario->n_sessions;
    copy_begin(&c, p);
    p->scenario_inputs = arena_array(&p->arena, struct prob_input, scenario->n_inputs + 1);
    vec_reserve(&p->txns, scenario->n_calls + 1); /* add_alt keeps pointers into it */
    const term_id *happens = prob_calls(p);
    for (uint32_t i = 0; i < scenario->n_calls; i++)
        add_call(p, &c, i, happens[i]);
    for (size_t i = 0; i < scenario->n_inputs; i++)
        p->scenario_inputs[i] = (struct prob_input){&scenario->inputs[i], scenario->inputs[i].leaf,
                                                    copy_term(&c, scenario->inputs[i].guard)};
    p->scenario_exists = copy_term(&c, scenario->exists);
    add_points(&c, scenario, TERM_TRUE, PROB_SCENARIO);
    add_reach(&c, scenario, TERM_TRUE,
              (struct reach){&p->scenario_reached, &p->scenario_checked, &p->scenario_blocked,
                             &p->scenario_stops});
    copy_end(&c);
    finish_points(p);
    add_initial(p);
    prob_add_constraints(p);
    prob_find_symmetry(p);
    return p;
}

/* ---- any instances ------------------------------------------------------------------------- */

static void add_instance(struct problem *p, uint32_t number)
{
    struct prob_txn *t = vec_add(&p->txns);
    size_t n = p->sx->n_txns;
    struct term_leaf leaf = {.kind = TERM_LEAF_FREE,
                             .owner = p->owner++,
                             .a = number,
                             .bits = 32,
                             .is_signed = 1,
                             .lo = 0,
                             .hi = (term_int)n,
                             .name = arena_printf(&p->store->arena, "choice %u", number + 1)};
    t->choice = term_leaf(p->store, leaf);
    t->session = number;
    t->alts = arena_array(&p->arena, struct prob_alt, n);
    t->n_alts = n;
    t->exists = TERM_TRUE;
    t->present = term_lt(p->store, t->choice, term_const(p->store, (term_int)n));
    for (size_t k = 0; k < n; k++) {
        term_id chosen = term_eq(p->store, t->choice, term_const(p->store, (term_int)k));
        add_alt(p, number, k, p->sx->txns[k], chosen, NULL);
    }
}

struct problem *prob_any(struct sx_program *sx, unsigned n, const struct model *const *levels,
                         bool session_order, bool any_state)
{
    struct problem *p = new_problem(sx, levels, session_order);
    p->n_sessions = n;
    p->any_state = any_state;
    vec_reserve(&p->txns, n + 1);
    for (uint32_t i = 0; i < n; i++) {
        add_instance(p, i);
        if (i > 0) { /* all instances are alike: number them in the order of ar, idle ones last */
            vec_push(&p->symmetric, i - 1);
            vec_push(&p->symmetric, i);
        }
    }
    finish_points(p);
    if (!any_state)
        add_initial(p);
    prob_add_constraints(p);
    return p;
}

struct problem *prob_single(struct sx_program *sx, const struct sx_summary *txn,
                            const struct model *const *levels)
{
    struct problem *p = new_problem(sx, levels, true);
    struct prob_txn *t = vec_add(&p->txns);
    p->n_sessions = 1;
    p->any_state = true;
    t->alts = arena_new(&p->arena, struct prob_alt);
    t->n_alts = 1;
    t->exists = t->present = TERM_TRUE;
    add_alt(p, 0, 0, txn, TERM_TRUE, NULL);
    finish_points(p);
    return p;
}

void prob_free(struct problem *p)
{
    if (!p)
        return;
    for (size_t i = 0; i < p->txns.len; i++) {
        vec_free(&p->txns.data[i].reads);
        vec_free(&p->txns.data[i].writes);
        vec_free(&p->txns.data[i].locks);
        vec_free(&p->txns.data[i].touches);
        vec_free(&p->txns.data[i].fresh);
    }
    for (size_t i = 0; i < p->predicates.len; i++)
        vec_free(&p->predicates.data[i]->reads);
    vec_free(&p->predicates);
    vec_free(&p->assumed);
    vec_free(&p->constraints);
    vec_free(&p->txns);
    vec_free(&p->points);
    vec_free(&p->initial_writes);
    vec_free(&p->before);
    vec_free(&p->inits);
    vec_free(&p->symmetric);
    arena_free(&p->arena);
    mem_free(p);
}
