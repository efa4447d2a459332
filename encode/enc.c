/* What both encodings share: literals for existence, cells, the initial state, goals, checks,
 * values of a model.  See enc.h. */
#include "encode/enc_internal.h"

#include <assert.h>
#include <string.h>

/* ---- rows and cells ------------------------------------------------------------------------ */

static const struct sx_table *table_of(const struct enc *e, uint32_t table)
{
    return &e->p->sx->tables[table];
}

Z3_ast enc_same_row(struct enc *e, struct prob_row a, struct prob_row b)
{
    assert(a.table == b.table);
    const struct sx_table *t = table_of(e, a.table);
    Z3_ast same = e->z.yes;
    for (uint32_t d = 0; d < t->n_dims && same != e->z.no; d++)
        same = z3ctx_and2(&e->z, same, zterm_index_eq(&e->t, a.index[d], b.index[d], t->dims[d]));
    return same;
}

bool enc_is_bit(const struct enc *e, uint32_t table, uint32_t field)
{
    return table_of(e, table)->fields[field].type->width == 1;
}

Z3_ast enc_cell(struct enc *e, uint32_t table, uint32_t field, term_id t)
{
    return enc_is_bit(e, table, field) ? zterm_bit(&e->t, t) : zterm(&e->t, t);
}

void enc_index_row(struct enc *e, struct prob_row row)
{
    const struct sx_table *t = table_of(e, row.table);
    for (uint32_t d = 0; d < t->n_dims; d++)
        zterm_index(&e->t, row.index[d], t->dims[d]);
}

/* Index terms get their one-hot literals before anything mentions them. */
static void index_all(struct enc *e)
{
    for (size_t i = 0; i < e->p->txns.len; i++) {
        const struct prob_txn *t = &e->p->txns.data[i];
        if (t->choice != TERM_NONE)
            zterm_index(&e->t, t->choice, t->n_alts + 1);
        for (size_t k = 0; k < t->reads.len; k++)
            enc_index_row(e, t->reads.data[k].row);
        for (size_t k = 0; k < t->writes.len; k++)
            enc_index_row(e, t->writes.data[k].row);
        for (size_t k = 0; k < t->locks.len; k++)
            enc_index_row(e, t->locks.data[k].row);
        for (size_t k = 0; k < t->touches.len; k++)
            enc_index_row(e, t->touches.data[k].row);
        for (size_t k = 0; k < t->fresh.len; k++)
            enc_index_row(e, t->fresh.data[k].row);
    }
}

/* ---- the initial state --------------------------------------------------------------------- */

static term_int field_min(const struct enc *e, uint32_t table, uint32_t field)
{
    return ast_int_min(table_of(e, table)->fields[field].type);
}

static term_int field_max(const struct enc *e, uint32_t table, uint32_t field)
{
    return ast_int_max(table_of(e, table)->fields[field].type);
}

static Z3_sort row_sort(struct enc *e, uint32_t table)
{
    return zterm_sort(&e->t, 0, (term_int)sx_table_rows(table_of(e, table)));
}

Z3_sort enc_cell_sort(struct enc *e, uint32_t table, uint32_t field)
{
    if (enc_is_bit(e, table, field))
        return e->z.bool_sort;
    return zterm_sort(&e->t, field_min(e, table, field), field_max(e, table, field));
}

/* Any state: an uninterpreted function per field, from row numbers to values. */
static void declare_any_state(struct enc *e)
{
    const struct sx_program *sx = e->p->sx;
    e->init = arena_array(&e->arena, Z3_func_decl *, sx->n_tables + 1);
    for (uint32_t i = 0; i < sx->n_tables; i++) {
        e->init[i] = arena_array(&e->arena, Z3_func_decl, sx->tables[i].n_fields + 1);
        for (uint32_t f = 0; f < sx->tables[i].n_fields; f++) {
            Z3_sort domain = row_sort(e, i);
            Z3_sort range = enc_cell_sort(e, i, f);
            char name[120];
            snprintf(name, sizeof name, "initial %.60s%.40s", sx->tables[i].name,
                     sx->tables[i].fields[f].path);
            e->init[i][f] =
                Z3_mk_func_decl(e->z.c, Z3_mk_string_symbol(e->z.c, name), 1, &domain, range);
        }
    }
}

static Z3_ast row_number(struct enc *e, struct prob_row row)
{
    const struct sx_table *t = table_of(e, row.table);
    Z3_sort sort = row_sort(e, row.table);
    uint64_t number;
    if (prob_const_row(e->p, row, &number))
        return zterm_as(&e->t, zterm_value(&e->t, (term_int)number), sort);
    term_id flat = term_const(e->p->store, 0);
    for (uint32_t d = 0; d < t->n_dims; d++) {
        flat = term_mul(e->p->store, flat, term_const(e->p->store, (term_int)t->dims[d]));
        flat = term_add(e->p->store, flat, row.index[d]);
    }
    return zterm_as(&e->t, zterm(&e->t, flat), sort);
}

Z3_ast enc_initial_cell(struct enc *e, struct prob_row row, uint32_t field)
{
    if (!e->p->any_state)
        return enc_cell(e, row.table, field, prob_initial_value(e->p, row, field));
    Z3_ast number = row_number(e, row);
    Z3_ast cell = Z3_mk_app(e->z.c, e->init[row.table][field], 1, &number);
    if (!enc_is_bit(e, row.table, field))
        zterm_bound(&e->t, cell, field_min(e, row.table, field), field_max(e, row.table, field));
    return cell;
}

/* ---- construction -------------------------------------------------------------------------- */

/* The transactions and INITIAL by themselves: a goal about one of them may leave it out. */
static void find_existence(struct enc *e)
{
    for (uint32_t i = 0; i < e->p->txns.len; i++)
        vec_push(&e->exists, z3ctx_name(&e->z, zterm(&e->t, e->p->txns.data[i].exists), "exists"));
    vec_push(&e->exists, zterm(&e->t, e->p->initial_committed));
    e->all_exist = z3ctx_name(&e->z, z3ctx_and(&e->z, &e->exists), "all exist");
    z3ctx_assert(&e->z, zterm(&e->t, e->p->initial_exists));
}

/* No point fires that has one of the kinds (a set). */
static Z3_ast none_fires(struct enc *e, uint32_t kinds, const char *name)
{
    z3ctx_asts some = {0};
    for (size_t i = 0; i < e->p->points.len; i++)
        if (kinds >> e->p->points.data[i].of->kind & 1)
            vec_push(&some, zterm(&e->t, e->p->points.data[i].fires));
    Z3_ast none = z3ctx_name(&e->z, z3ctx_not(&e->z, z3ctx_or(&e->z, &some)), name);
    vec_free(&some);
    return none;
}

/* SX_OVERFLOW is a point of the problem only where it is a check. */
#define CHECKS (1u << SX_BOUNDS | 1u << SX_DIVISION | 1u << SX_SHIFT | 1u << SX_OVERFLOW)

/* Instances are alike: those that stand idle come last. */
static void idle_last(struct enc *e)
{
    for (size_t i = 0; i + 1 < e->p->txns.len; i++)
        if (e->p->txns.data[i].choice != TERM_NONE)
            z3ctx_rule(&e->z, zterm(&e->t, e->p->txns.data[i].present), 1,
                       zterm(&e->t, e->p->txns.data[i + 1].present));
}

struct z3ctx_pool *enc_pool_new(void)
{
    return mem_calloc(1, sizeof(struct z3ctx_pool));
}

void enc_pool_free(struct z3ctx_pool *p)
{
    z3ctx_pool_free(p);
    mem_free(p);
}

void enc_pool_deadline(struct z3ctx_pool *p, double deadline)
{
    p->deadline = deadline;
}

struct z3ctx_stop *enc_stop_new(void)
{
    struct z3ctx_stop *s = mem_calloc(1, sizeof *s);
    z3ctx_stop_init(s);
    return s;
}

void enc_stop_free(struct z3ctx_stop *s)
{
    z3ctx_stop_free(s);
    mem_free(s);
}

void enc_stop_now(struct z3ctx_stop *s)
{
    z3ctx_stop_now(s);
}

bool enc_stop_asked(struct z3ctx_stop *s)
{
    return z3ctx_stop_asked(s);
}

void enc_pool_renew(struct z3ctx_pool *p)
{
    z3ctx_pool_free(p);
}

struct enc *enc_new(struct problem *p, const struct enc_options *options)
{
    struct enc *e = mem_calloc(1, sizeof *e);
    e->p = p;
    e->options = *options;
    z3ctx_init(&e->z, options->pool, options->seed,
               (struct z3ctx_budget){options->seconds, options->work}, options->stop);
    zterm_init(&e->t, &e->z, p->store, options->bits ? ZTERM_BITS : ZTERM_INT);
    index_all(e);
    if (p->any_state)
        declare_any_state(e);
    order_init(&e->o, &e->z, &e->t, p, options->observer, options->observer_sets);
    find_existence(e);
    e->never_unwinds = none_fires(e, 1u << SX_UNWIND, "no unwinding");
    e->no_check_fails = none_fires(e, CHECKS, "no check fails");
    idle_last(e);
    return e;
}

void enc_free(struct enc *e)
{
    if (!e)
        return;
    if (e->close)
        e->close(e);
    order_free(&e->o);
    zterm_free(&e->t);
    vec_free(&e->exists);
    vec_free(&e->goals);
    vec_free(&e->meaning);
    vec_free(&e->seen);
    vec_free(&e->sources);
    z3ctx_free(&e->z);
    arena_free(&e->arena);
    mem_free(e);
}

/* ---- goals --------------------------------------------------------------------------------- */

uint32_t enc_add_goal(struct enc *e, Z3_ast a)
{
    Z3_ast lit = z3ctx_bool(&e->z, "goal");
    z3ctx_assert(&e->z, z3ctx_implies(&e->z, lit, a));
    vec_push(&e->goals, lit);
    vec_push(&e->meaning, a);
    return (uint32_t)e->goals.len - 1;
}

static Z3_ast scenario_exists(struct enc *e)
{
    return zterm(&e->t, e->p->scenario_exists);
}

/* A real execution: every assumption holds, and nothing was cut short by a loop bound.  If a
 * built-in check fails, only that check's own property counts (`checked`: it is not about one). */
static uint32_t add_execution_goal(struct enc *e, Z3_ast a, bool checked)
{
    z3ctx_asts all = {0};
    vec_push(&all, a);
    vec_push(&all, e->all_exist);
    vec_push(&all, scenario_exists(e));
    vec_push(&all, e->never_unwinds);
    if (checked)
        vec_push(&all, e->no_check_fails);
    uint32_t goal = enc_add_goal(e, z3ctx_and(&e->z, &all));
    vec_free(&all);
    return goal;
}

uint32_t enc_goal_execution(struct enc *e, Z3_ast a)
{
    return add_execution_goal(e, a, true);
}

/* With instances of the solver's choice, one that is not idle. */
uint32_t enc_goal_exists(struct enc *e)
{
    Z3_ast a = z3ctx_and2(&e->z, e->all_exist, scenario_exists(e));
    if (!e->p->scenario && e->p->txns.len)
        a = z3ctx_and2(&e->z, a, zterm(&e->t, e->p->txns.data[0].present));
    return enc_add_goal(e, a);
}

/* Ties a predicate's reads, once per place. */
static Z3_ast see(struct enc *e, struct prob_predicate *pred, enum enc_place place)
{
    for (size_t i = 0; i < e->seen.len; i++)
        if (e->seen.data[i].pred == pred && e->seen.data[i].place == place)
            return e->seen.data[i].active;
    Z3_ast active = z3ctx_bool(&e->z, "asked");
    for (size_t r = 0; r < pred->reads.len; r++)
        enc_index_row(e, pred->reads.data[r].row);
    if (place == ENC_INITIAL)
        for (size_t r = 0; r < pred->reads.len; r++)
            enc_read_initial(e, &pred->reads.data[r]);
    else
        e->tie_predicate(e, pred, place, active);
    vec_push(&e->seen, ((struct enc_seen){pred, place, active}));
    return active;
}

uint32_t enc_goal_violated(struct enc *e, struct prob_predicate *pred, enum enc_place place)
{
    Z3_ast active = see(e, pred, place);
    Z3_ast bad = z3ctx_not(&e->z, zterm(&e->t, pred->holds));
    bad = z3ctx_and2(&e->z, bad, zterm(&e->t, pred->defined));
    bad = z3ctx_and2(&e->z, bad, active);
    if (place == ENC_INITIAL) /* whatever comes afterwards */
        return enc_add_goal(e, z3ctx_and2(&e->z, bad, zterm(&e->t, e->p->initial_committed)));
    return add_execution_goal(e, bad, true);
}

/* `fires` in terms of the predicate's copy. */
uint32_t enc_goal_predicate_point(struct enc *e, struct prob_predicate *pred, size_t point,
                                  enum enc_place place)
{
    Z3_ast active = see(e, pred, place);
    Z3_ast bad = z3ctx_and2(&e->z, zterm(&e->t, pred->fires[point]), active);
    if (place == ENC_INITIAL)
        return enc_add_goal(e, z3ctx_and2(&e->z, bad, zterm(&e->t, e->p->initial_committed)));
    return add_execution_goal(e, bad, true);
}

uint32_t enc_goal_initially(struct enc *e, struct prob_predicate *pred, term_id condition)
{
    Z3_ast met = z3ctx_and2(&e->z, see(e, pred, ENC_INITIAL), zterm(&e->t, condition));
    return enc_add_goal(e, z3ctx_and2(&e->z, met, zterm(&e->t, e->p->initial_committed)));
}

uint32_t enc_goal_fires(struct enc *e, size_t point)
{
    const struct prob_point *pt = &e->p->points.data[point];
    Z3_ast fires = zterm(&e->t, pt->fires);
    if (pt->txn == PROB_INITIAL)
        return enc_add_goal(e, fires);
    return add_execution_goal(e, fires, pt->of->kind == SX_ASSERT);
}

uint32_t enc_goal_if(struct enc *e, term_id condition, uint32_t txn)
{
    z3ctx_asts all = {0};
    vec_push(&all, zterm(&e->t, condition));
    for (size_t i = 0; i < e->exists.len; i++)
        if (i != txn)
            vec_push(&all, e->exists.data[i]);
    if (txn != PROB_SCENARIO)
        vec_push(&all, scenario_exists(e));
    uint32_t goal = enc_add_goal(e, z3ctx_and(&e->z, &all));
    vec_free(&all);
    return goal;
}

uint32_t enc_goal_unwinds(struct enc *e)
{
    /* An INITIAL that is cut short does not come to its end, so existence cannot be asked for. */
    return enc_add_goal(e, z3ctx_not(&e->z, e->never_unwinds));
}

struct prob_row enc_const_row(struct enc *e, uint32_t table, uint64_t row)
{
    const struct sx_table *t = table_of(e, table);
    term_id *index = arena_array(&e->arena, term_id, t->n_dims + 1);
    for (uint32_t d = t->n_dims; d-- > 0; row /= t->dims[d])
        index[d] = term_const(e->p->store, (term_int)(row % t->dims[d]));
    return (struct prob_row){table, index};
}

uint32_t enc_goal_any(struct enc *e, const uint32_t *goals, size_t n)
{
    z3ctx_asts some = {0};
    for (size_t i = 0; i < n; i++)
        vec_push(&some, e->goals.data[goals[i]]);
    uint32_t goal = enc_add_goal(e, z3ctx_or(&e->z, &some));
    vec_free(&some);
    return goal;
}

void enc_assume_initially(struct enc *e, struct prob_predicate *pred, term_id condition)
{
    (void)see(e, pred, ENC_INITIAL);
    z3ctx_assert(&e->z, zterm(&e->t, condition));
}

/* ---- checks -------------------------------------------------------------------------------- */

enum enc_answer enc_check(struct enc *e, const uint32_t *goals, size_t n)
{
    z3ctx_asts lits = {0};
    if (e->prepare)
        e->prepare(e);
    for (size_t i = 0; i < n; i++)
        vec_push(&lits, e->goals.data[goals[i]]);
    enum z3ctx_answer answer = z3ctx_check(&e->z, lits.len, lits.data);
    vec_free(&lits);
    return answer == Z3CTX_SAT ? ENC_YES : answer == Z3CTX_UNSAT ? ENC_NO : ENC_UNKNOWN;
}

uint64_t enc_checks(const struct enc *e)
{
    return e->z.checks;
}

double enc_seconds(const struct enc *e)
{
    return e->z.seconds;
}

const char *enc_why(const struct enc *e)
{
    return e->z.reason;
}

bool enc_exhausted(const struct enc *e)
{
    return e->z.exhausted;
}

void enc_limit_work(struct enc *e, unsigned work)
{
    z3ctx_limit_work(&e->z, work);
}

void enc_dump(struct enc *e, const char *comment, const uint32_t *goals, size_t n, FILE *out)
{
    z3ctx_asts lits = {0};
    for (size_t i = 0; i < n; i++)
        vec_push(&lits, e->goals.data[goals[i]]);
    z3ctx_dump(&e->z, comment, z3ctx_and(&e->z, &lits), out);
    vec_free(&lits);
}

/* ---- values -------------------------------------------------------------------------------- */

bool enc_goal_true(struct enc *e, uint32_t goal)
{
    return z3ctx_model_bool(&e->z, e->goals.data[goal]);
}

bool enc_goal_met(struct enc *e, uint32_t goal)
{
    return z3ctx_model_bool(&e->z, e->meaning.data[goal]);
}

term_int enc_value(struct enc *e, term_id leaf)
{
    const struct term *x = term_get(e->p->store, leaf);
    if (leaf < e->t.bits.len && e->t.bits.data[leaf])
        return z3ctx_model_bool(&e->z, e->t.bits.data[leaf]);
    if (leaf < e->t.done.len && e->t.done.data[leaf])
        return zterm_model(&e->t, e->t.done.data[leaf]);
    return x->lo > 0 ? x->lo : x->hi < 0 ? x->hi : 0; /* nobody cares */
}

bool enc_condition(struct enc *e, term_id condition)
{
    return z3ctx_model_bool(&e->z, zterm(&e->t, condition));
}

term_int enc_initial_value(struct enc *e, uint32_t table, uint64_t row, uint32_t field)
{
    assert(e->p->any_state);
    Z3_ast number = row_number(e, enc_const_row(e, table, row));
    Z3_ast cell = Z3_mk_app(e->z.c, e->init[table][field], 1, &number);
    term_int v = zterm_model(&e->t, cell), lo = field_min(e, table, field);
    term_int hi = field_max(e, table, field);
    return v < lo || v > hi ? 0 : v; /* completion of a cell that nothing mentions */
}

bool enc_ar(struct enc *e, uint32_t i, uint32_t j)
{
    return z3ctx_model_bool(&e->z, order_ar(&e->o, i, j));
}

bool enc_vis(struct enc *e, uint32_t i, uint32_t set, uint32_t j)
{
    return z3ctx_model_bool(&e->z, order_vis(&e->o, i, set, j));
}

const struct model *enc_observer(const struct enc *e)
{
    return e->options.observer;
}

bool enc_total(const struct enc *e)
{
    return e->o.all_ser;
}

/* ---- which representation ------------------------------------------------------------------ */

typedef VEC(term_id) term_list;

static void add_rows(const struct problem *p, term_list *v, struct prob_row row, term_id guard)
{
    vec_push(v, guard);
    for (uint32_t d = 0; d < p->sx->tables[row.table].n_dims; d++)
        vec_push(v, row.index[d]);
}

static void add_write(const struct problem *p, term_list *v, const struct prob_write *w)
{
    add_rows(p, v, w->row, w->guard);
    for (uint32_t f = 0; f < p->sx->tables[w->row.table].n_fields; f++)
        vec_push(v, w->value[f]);
}

static void add_predicate(const struct problem *p, term_list *v, const struct prob_predicate *pred)
{
    vec_push(v, pred->holds);
    vec_push(v, pred->defined);
    for (size_t k = 0; k < pred->reads.len; k++)
        add_rows(p, v, pred->reads.data[k].row, pred->reads.data[k].guard);
}

bool enc_needs_bits(const struct problem *p, struct prob_predicate *const *preds, size_t n)
{
    term_list v = {0};
    vec_push(&v, p->initial_exists);
    vec_push(&v, p->scenario_exists);
    for (size_t i = 0; i < p->initial_writes.len; i++)
        add_write(p, &v, &p->initial_writes.data[i]);
    for (size_t i = 0; i < p->txns.len; i++) {
        const struct prob_txn *t = &p->txns.data[i];
        vec_push(&v, t->exists);
        for (size_t k = 0; k < t->reads.len; k++)
            add_rows(p, &v, t->reads.data[k].row, t->reads.data[k].guard);
        for (size_t k = 0; k < t->locks.len; k++)
            add_rows(p, &v, t->locks.data[k].row, t->locks.data[k].guard);
        for (size_t k = 0; k < t->touches.len; k++) {
            add_rows(p, &v, t->touches.data[k].row, t->touches.data[k].guard);
            vec_push(&v, t->touches.data[k].binds);
        }
        for (size_t k = 0; k < t->writes.len; k++)
            add_write(p, &v, &t->writes.data[k]);
        for (size_t k = 0; k < t->fresh.len; k++)
            add_rows(p, &v, t->fresh.data[k].row, t->fresh.data[k].happens);
    }
    for (size_t i = 0; i < p->points.len; i++)
        vec_push(&v, p->points.data[i].fires);
    for (size_t i = 0; i < n; i++)
        add_predicate(p, &v, preds[i]);
    for (size_t i = 0; i < p->constraints.len; i++) {
        add_predicate(p, &v, p->constraints.data[i].pred);
        vec_push(&v, p->constraints.data[i].holds);
    }
    bool bits = zterm_needs_bits(p->store, v.data, v.len);
    vec_free(&v);
    return bits;
}
