/* From a model to an execution, see decode.h. */
#include "encode/decode.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"

struct decoder {
    struct enc *e;
    struct problem *p;
    struct execution *x;
    struct term_evaluator eval;
    uint32_t *exec_of; /* problem's transaction → execution's, or UINT32_MAX */
    uint32_t *prob_of;
    struct map rows; /* (table, row) → index + 1 in `initial` */
    VEC(struct exec_row) initial;
    const char *error;
};

static term_int leaf_value(void *arg, uint32_t leaf)
{
    struct decoder *d = arg;
    return enc_value(d->e, d->p->store->leaves.data[leaf].term);
}

static term_int value_of(struct decoder *d, term_id t)
{
    return term_eval(&d->eval, t);
}

static bool is_true(struct decoder *d, term_id t)
{
    return value_of(d, t) != 0;
}

static void fail(struct decoder *d, const char *what)
{
    if (!d->error)
        d->error = what;
}

static uint32_t n_fields(const struct decoder *d, uint32_t table)
{
    return d->p->sx->tables[table].n_fields;
}

/* ---- rows ---------------------------------------------------------------------------------- */

/* The row's number; false if an index is out of bounds. */
static bool row_number(struct decoder *d, struct prob_row row, uint64_t *number)
{
    const struct sx_table *t = &d->p->sx->tables[row.table];
    *number = 0;
    for (uint32_t i = 0; i < t->n_dims; i++) {
        term_int at = value_of(d, row.index[i]);
        if (at < 0 || at >= (term_int)t->dims[i])
            return false;
        *number = *number * t->dims[i] + (uint64_t)at;
    }
    return true;
}

static struct exec_row new_row(struct decoder *d, uint32_t table, uint64_t number)
{
    uint32_t n = n_fields(d, table);
    return (struct exec_row){table, number, arena_array(&d->x->arena, term_int, n + 1),
                             arena_array(&d->x->arena, bool, n + 1)};
}

static void set_field(struct exec_row *row, uint32_t field, term_int value)
{
    ((term_int *)row->value)[field] = value;
    ((bool *)row->known)[field] = true;
}

static term_int initial_value(struct decoder *d, uint32_t table, uint64_t number, uint32_t field)
{
    if (d->p->any_state)
        return enc_initial_value(d->e, table, number, field);
    const struct sx_table *t = &d->p->sx->tables[table];
    term_id *index = arena_array(&d->x->arena, term_id, t->n_dims + 1);
    for (uint32_t i = t->n_dims; i-- > 0; number /= t->dims[i])
        index[i] = term_const(d->p->store, (term_int)(number % t->dims[i]));
    return value_of(d, prob_initial_value(d->p, (struct prob_row){table, index}, field));
}

static uint64_t row_key(uint32_t table, uint64_t number)
{
    assert(table < 1u << 16 && number < (uint64_t)1 << 48);
    return (uint64_t)table << 48 | number;
}

/* The row is mentioned: it belongs to the initial state shown. */
static void mention(struct decoder *d, uint32_t table, uint64_t number)
{
    bool fresh;
    map_put(&d->rows, row_key(table, number), d->initial.len + 1, &fresh);
    if (!fresh)
        return;
    struct exec_row row = new_row(d, table, number);
    for (uint32_t f = 0; f < n_fields(d, table); f++)
        set_field(&row, f, initial_value(d, table, number, f));
    vec_push(&d->initial, row);
}

static const struct exec_row *initial_row(struct decoder *d, uint32_t table, uint64_t number)
{
    mention(d, table, number);
    return &d->initial.data[*map_get(&d->rows, row_key(table, number)) - 1];
}

/* ---- inputs and names ---------------------------------------------------------------------- */

static struct exec_input *decode_inputs(struct decoder *d, const struct prob_input *in, size_t n)
{
    struct exec_input *out = arena_array(&d->x->arena, struct exec_input, n + 1);
    for (size_t i = 0; i < n; i++)
        out[i] = (struct exec_input){
            .name = in[i].of->name,
            .type = in[i].of->type,
            .value = value_of(d, in[i].value),
            .key = in[i].of->key,
            .param = in[i].of->kind == SX_PARAM,
            .local = in[i].of->kind == SX_UNINIT,
            .fresh = in[i].of->kind == SX_FRESH,
            .used = in[i].of->kind == SX_PARAM || is_true(d, in[i].guard),
        };
    return out;
}

/* ---- transactions -------------------------------------------------------------------------- */

static const struct prob_alt *chosen_alt(struct decoder *d, const struct prob_txn *t)
{
    for (size_t k = 0; k < t->n_alts; k++)
        if (is_true(d, t->alts[k].chosen))
            return &t->alts[k];
    return NULL;
}

static enum exec_end how_it_ended(struct decoder *d, const struct prob_alt *a)
{
    if (is_true(d, a->committed))
        return EXEC_COMMITTED;
    if (is_true(d, a->rolled_back))
        return EXEC_ROLLED_BACK;
    if (!is_true(d, a->check_failed))
        fail(d, "an assumption does not hold");
    return EXEC_CHECK_FAILED;
}

static void decode_writes(struct decoder *d, const struct prob_txn *t, struct exec_txn *out)
{
    VEC(struct exec_write) v = {0};
    VEC(struct exec_row) locks = {0};
    uint64_t number;
    for (size_t i = 0; i < t->writes.len; i++) {
        const struct prob_write *w = &t->writes.data[i];
        if (!is_true(d, w->guard))
            continue;
        if (!row_number(d, w->row, &number)) {
            fail(d, "a committed write is out of bounds");
            continue;
        }
        bool again = false; /* two expressions for one row: their values agree */
        for (size_t k = 0; k < v.len; k++)
            again |= v.data[k].row.table == w->row.table && v.data[k].row.row == number;
        struct exec_row row = new_row(d, w->row.table, number);
        for (uint32_t f = 0; f < n_fields(d, w->row.table); f++)
            set_field(&row, f, value_of(d, w->value[f]));
        mention(d, w->row.table, number);
        if (!again)
            vec_push(&v, ((struct exec_write){row, w->of->touched, w->of->loc}));
    }
    for (size_t i = 0; i < t->locks.len; i++)
        if (is_true(d, t->locks.data[i].guard) && row_number(d, t->locks.data[i].row, &number))
            vec_push(&locks, new_row(d, t->locks.data[i].row.table, number));
    out->n_writes = v.len;
    out->writes = arena_copy(&d->x->arena, v.data, v.len * sizeof *v.data);
    out->n_locks = locks.len;
    out->locks = arena_copy(&d->x->arena, locks.data, locks.len * sizeof *locks.data);
    vec_free(&v);
    vec_free(&locks);
}

static void decode_touches(struct decoder *d, const struct prob_txn *t, struct exec_txn *out)
{
    VEC(struct exec_touch) v = {0};
    uint64_t number;
    for (size_t i = 0; i < t->touches.len; i++) {
        const struct prob_touch *touch = &t->touches.data[i];
        if (!is_true(d, touch->guard))
            continue;
        if (!row_number(d, touch->row, &number)) {
            if (out->end == EXEC_COMMITTED)
                fail(d, "a row that is locked is out of bounds");
            continue;
        }
        mention(d, touch->row.table, number);
        bool binds = touch->view != PROB_NO_VIEW && is_true(d, touch->binds);
        vec_push(&v, ((struct exec_touch){touch->row.table, number, touch->of->mode,
                                          binds ? touch->view : EXEC_NO_VIEW, touch->of->statement,
                                          touch->of->loc}));
    }
    out->newest = t->newest;
    out->n_touches = v.len;
    out->touches = arena_copy(&d->x->arena, v.data, v.len * sizeof *v.data);
    vec_free(&v);
}

/* Calls that were made.  Their rows are part of the story, though nothing may read or write them.
 */
static void decode_fresh(struct decoder *d, const struct prob_txn *t, struct exec_txn *out)
{
    out->fresh = arena_array(&d->x->arena, struct exec_fresh, t->fresh.len + 1);
    for (size_t i = 0; i < t->fresh.len; i++) {
        const struct prob_fresh *f = &t->fresh.data[i];
        struct exec_fresh given = {.table = f->row.table, .key = f->of->key};
        if (!is_true(d, f->happens))
            continue;
        if (!row_number(d, f->row, &given.row)) {
            fail(d, "a call of fresh gives a row out of bounds");
            continue;
        }
        for (size_t s = 0; s < f->n_state; s++)
            mention(d, f->state[s].row.table, given.row);
        out->fresh[out->n_fresh++] = given;
    }
}

/* What stopped it: the first point that fires does. */
static struct src_loc end_place(struct decoder *d, const struct prob_alt *a)
{
    for (size_t i = 0; i < a->sum->n_points; i++)
        if (sx_point_stops(a->sum->points[i].kind) && is_true(d, a->stops[i]))
            return a->sum->points[i].loc;
    return SRC_LOC_NONE;
}

static void decode_txn(struct decoder *d, uint32_t txn, struct exec_txn *out)
{
    const struct prob_txn *t = &d->p->txns.data[txn];
    const struct prob_alt *a = chosen_alt(d, t);
    struct arena *arena = &d->x->arena;
    assert(a);
    out->func = a->sum->func;
    out->level = prob_level(d->p, t, (size_t)(a - t->alts));
    out->session = t->session;
    for (uint32_t i = 0; i < d->exec_of[txn]; i++) /* calls that were not made leave no gap */
        out->index += d->p->txns.data[d->prob_of[i]].session == t->session;
    out->call_loc = t->call ? t->call->loc : SRC_LOC_NONE;
    out->call_key = t->call ? t->call->key : 0;
    out->end = how_it_ended(d, a);
    out->end_loc = end_place(d, a);
    out->n_inputs = a->sum->n_inputs;
    out->inputs = decode_inputs(d, a->inputs, a->sum->n_inputs);
    out->name = exec_call_text(arena, out->func, out->inputs, a->sum->n_params);
    const term_id *results = t->results ? t->results : a->returned;
    if (out->end == EXEC_COMMITTED || t->results) {
        out->n_returned = t->results ? t->call->n_ret : a->sum->n_returned;
        out->returned = arena_array(arena, term_int, out->n_returned + 1);
        for (uint32_t i = 0; i < out->n_returned; i++)
            out->returned[i] = value_of(d, results[i]);
    }
    decode_writes(d, t, out);
    decode_touches(d, t, out);
    decode_fresh(d, t, out);
}

/* Visible sets over the execution's transactions; node: number in the problem. */
static const bool *decode_sets(struct decoder *d, uint32_t node, uint32_t sets)
{
    uint32_t n = d->x->n_txns;
    bool *v = arena_array(&d->x->arena, bool, (size_t)sets *n + 1);
    for (uint32_t k = 0; k < sets; k++)
        for (uint32_t j = 0; j < n; j++)
            v[k * n + j] = enc_vis(d->e, node, k, d->prob_of[j]);
    return v;
}

/* ---- reads --------------------------------------------------------------------------------- */

static const struct exec_write *find_write(const struct exec_txn *t, uint32_t table, uint64_t row)
{
    for (size_t i = 0; i < t->n_writes; i++)
        if (t->writes[i].row.table == table && t->writes[i].row.row == row)
            return &t->writes[i];
    return NULL;
}

/* EXT: the last writer in ar among the visible ones (visible NULL: all), or EXEC_INITIAL. */
static uint32_t last_writer(const struct decoder *d, const bool *visible, uint32_t self,
                            uint32_t table, uint64_t row)
{
    for (uint32_t i = d->x->n_txns; i-- > 0;) {
        uint32_t t = d->x->ar[i];
        if (t != self && (!visible || visible[t]) && find_write(&d->x->txns[t], table, row))
            return t;
    }
    return EXEC_INITIAL;
}

static const struct exec_row *row_from(struct decoder *d, uint32_t source, uint32_t table,
                                       uint64_t row)
{
    if (source == EXEC_INITIAL)
        return initial_row(d, table, row);
    return &find_write(&d->x->txns[source], table, row)->row;
}

static bool decode_read(struct decoder *d, const struct prob_read *r, const bool *visible,
                        uint32_t self, struct exec_read *out)
{
    uint64_t number;
    if (!is_true(d, r->guard) || !row_number(d, r->row, &number))
        return false;
    mention(d, r->row.table, number);
    uint32_t source = last_writer(d, visible, self, r->row.table, number);
    *out = (struct exec_read){.row = new_row(d, r->row.table, number),
                              .source = source,
                              .statement = r->of->newest ? EXEC_NEWEST : r->of->statement,
                              .point = r->point,
                              .statement_key = r->of->statement_key,
                              .key = r->of->key,
                              .carry = r->of->carry,
                              .loc = r->of->loc};
    for (uint32_t f = 0; f < n_fields(d, r->row.table); f++) {
        if (r->field[f] == TERM_NONE)
            continue;
        set_field(&out->row, f, value_of(d, r->field[f]));
        if (out->row.value[f] != row_from(d, source, r->row.table, number)->value[f])
            fail(d, "a read does not have the value that its visible set gives");
    }
    return true;
}

struct read_list {
    const struct prob_read *data;
    size_t len;
};

static struct exec_read *decode_reads(struct decoder *d, struct read_list reads,
                                      const bool *visible, uint32_t self, size_t *n)
{
    struct exec_read *v = arena_array(&d->x->arena, struct exec_read, reads.len + 1);
    *n = 0;
    for (int newest = 0; newest <= 1; newest++)
        for (size_t i = 0; i < reads.len; i++) {
            const bool *set = visible ? visible + (size_t)reads.data[i].point * d->x->n_txns : NULL;
            if (reads.data[i].of->newest == newest &&
                decode_read(d, &reads.data[i], set, self, &v[*n]))
                ++*n;
        }
    return v;
}

/* ---- order, states, observer --------------------------------------------------------------- */

static void decode_order(struct decoder *d)
{
    uint32_t n = d->x->n_txns;
    d->x->ar = arena_array(&d->x->arena, uint32_t, n + 1);
    bool *taken = arena_array(&d->x->arena, bool, n + 1);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t before = 0;
        for (uint32_t j = 0; j < n; j++)
            before += j != i && enc_ar(d->e, d->prob_of[j], d->prob_of[i]);
        if (taken[before])
            fail(d, "ar is not a total order");
        taken[before] = true;
        d->x->ar[before] = i;
    }
}

/* An observer among the transactions has its place in ar and its visible sets, whatever was asked.
 */
static void place_observer(struct decoder *d, uint32_t sets)
{
    struct exec_observer *o = &d->x->observer;
    uint32_t node = (uint32_t)d->p->txns.len;
    o->level = enc_observer(d->e);
    o->n_points = sets;
    o->visible = decode_sets(d, node, sets);
    for (uint32_t j = 0; j < d->x->n_txns; j++)
        o->position += enc_ar(d->e, d->prob_of[j], node);
}

/* One that stands outside sees everything or nothing. */
static void detach_observer(struct decoder *d, bool all)
{
    struct exec_observer *o = &d->x->observer;
    uint32_t n = d->x->n_txns;
    bool *v = arena_array(&d->x->arena, bool, n + 1);
    memset(v, all, n);
    o->n_points = 1;
    o->visible = v;
    o->position = all ? n : 0;
}

static void decode_observer(struct decoder *d, const struct prob_predicate *pred,
                            enum enc_place place)
{
    struct exec_observer *o = &d->x->observer;
    o->present = true;
    o->func = pred->sum->func;
    o->inputs = decode_inputs(d, pred->inputs, pred->sum->n_inputs);
    o->n_inputs = pred->sum->n_inputs;
    o->name =
        o->n_inputs ? exec_call_text(&d->x->arena, o->func, o->inputs, o->n_inputs) : o->func->name;
    if (place != ENC_SEEN)
        detach_observer(d, place == ENC_FINAL);
    struct exec_read *reads = arena_array(&d->x->arena, struct exec_read, pred->reads.len + 1);
    for (size_t i = 0; i < pred->reads.len; i++) {
        uint32_t set = place == ENC_SEEN ? pred->reads.data[i].point : 0;
        if (decode_read(d, &pred->reads.data[i], o->visible + (size_t)set * d->x->n_txns,
                        UINT32_MAX, &reads[o->n_reads])) {
            reads[o->n_reads].point = set;
            o->n_reads++;
        }
    }
    o->reads = reads;
}

/* What the initial state was assumed to satisfy mentions rows, too, and so do constraints; for all
 * values of a predicate's parameters, whatever is the value of one that is left in the conditions
 * of its reads. */
static void mention_predicate(struct decoder *d, const struct prob_predicate *pred)
{
    uint64_t number;
    for (size_t r = 0; r < pred->reads.len; r++)
        if ((pred->sum->n_params || is_true(d, pred->reads.data[r].guard)) &&
            row_number(d, pred->reads.data[r].row, &number))
            mention(d, pred->reads.data[r].row.table, number);
}

static void mention_assumed(struct decoder *d)
{
    for (size_t i = 0; i < d->p->assumed.len; i++)
        mention_predicate(d, d->p->assumed.data[i]);
    for (size_t i = 0; i < d->p->constraints.len; i++)
        mention_predicate(d, d->p->constraints.data[i].pred);
}

static int by_place(const void *a, const void *b)
{
    const struct exec_row *x = a, *y = b;
    if (x->table != y->table)
        return x->table < y->table ? -1 : 1;
    return x->row < y->row ? -1 : x->row > y->row;
}

/* States are shown in the order of declaration, not of mention. */
static void decode_states(struct decoder *d)
{
    struct execution *x = d->x;
    if (d->initial.len)
        qsort(d->initial.data, d->initial.len, sizeof *d->initial.data, by_place);
    map_clear(&d->rows); /* they have moved */
    for (size_t i = 0; i < d->initial.len; i++)
        map_put(&d->rows, row_key(d->initial.data[i].table, d->initial.data[i].row), i + 1, NULL);
    x->n_initial = x->n_final = d->initial.len;
    x->initial = arena_copy(&x->arena, d->initial.data, d->initial.len * sizeof *x->initial);
    x->final = arena_copy(&x->arena, d->initial.data, d->initial.len * sizeof *x->final);
    for (size_t i = 0; i < x->n_final; i++) {
        uint32_t table = x->final[i].table;
        uint64_t row = x->final[i].row;
        uint32_t source = last_writer(d, NULL, UINT32_MAX, table, row);
        if (source != EXEC_INITIAL)
            x->final[i] = *row_from(d, source, table, row);
    }
}

static void decode_scenario_inputs(struct decoder *d)
{
    size_t a = d->p->initial_inputs ? d->p->sx->initial->n_inputs : 0;
    size_t b = d->p->scenario ? d->p->scenario->n_inputs : 0;
    struct exec_input *x = decode_inputs(d, d->p->initial_inputs, a);
    struct exec_input *y = decode_inputs(d, d->p->scenario_inputs, b);
    struct exec_input *all = arena_array(&d->x->arena, struct exec_input, a + b + 1);
    if (a)
        memcpy(all, x, a * sizeof *x);
    if (b)
        memcpy(all + a, y, b * sizeof *y);
    d->x->inputs = all;
    d->x->n_inputs = a + b;
    d->x->n_initial_inputs = a;
}

static void find_present(struct decoder *d)
{
    size_t n = d->p->txns.len;
    d->exec_of = arena_array(&d->x->arena, uint32_t, n + 1);
    d->prob_of = arena_array(&d->x->arena, uint32_t, n + 1);
    for (uint32_t i = 0; i < n; i++) {
        d->exec_of[i] = UINT32_MAX;
        if (!is_true(d, d->p->txns.data[i].present))
            continue;
        d->exec_of[i] = d->x->n_txns;
        d->prob_of[d->x->n_txns++] = i;
    }
}

static void decode_results(struct decoder *d)
{
    const struct problem *p = d->p;
    d->x->after = arena_array(&d->x->arena, struct exec_after, p->before.len / 2 + 1);
    for (size_t i = 0; i < p->before.len; i += 2) {
        struct exec_after a = {d->exec_of[p->before.data[i]], d->exec_of[p->before.data[i + 1]]};
        if (a.first != UINT32_MAX && a.then != UINT32_MAX)
            d->x->after[d->x->n_after++] = a;
    }
}

struct execution *decode(struct enc *e, struct problem *p, const struct prob_predicate *pred,
                         enum enc_place place, uint32_t observer_sets, const char **error)
{
    struct execution *x = mem_calloc(1, sizeof *x);
    struct decoder d = {.e = e, .p = p, .x = x};
    d.eval = (struct term_evaluator){.store = p->store, .leaf = leaf_value, .arg = &d};
    x->program = p->sx;
    x->session_order = p->session_order;
    x->scenario = p->scenario;
    x->any_state = p->any_state;
    x->n_sessions = p->n_sessions;
    x->total = enc_total(e);
    find_present(&d);
    decode_results(&d);
    x->txns = arena_array(&x->arena, struct exec_txn, x->n_txns + 1);
    decode_order(&d);
    for (uint32_t i = 0; i < x->n_txns; i++)
        decode_txn(&d, d.prob_of[i], &x->txns[i]);
    for (uint32_t i = 0; i < x->n_txns; i++) {
        const struct prob_txn *t = &p->txns.data[d.prob_of[i]];
        x->txns[i].n_points = t->n_points;
        x->txns[i].visible = decode_sets(&d, d.prob_of[i], t->n_points);
        x->txns[i].reads = decode_reads(&d, (struct read_list){t->reads.data, t->reads.len},
                                        x->txns[i].visible, i, &x->txns[i].n_reads);
    }
    if (enc_observer(e))
        place_observer(&d, observer_sets);
    if (pred)
        decode_observer(&d, pred, place);
    mention_assumed(&d);
    decode_states(&d);
    decode_scenario_inputs(&d);
    *error = d.error;
    term_evaluator_free(&d.eval);
    map_free(&d.rows);
    vec_free(&d.initial);
    return x;
}
