/* Running a function with the interpreter, and "running" its summary. */
#include <assert.h>
#include <string.h>

#include "fuzz.h"
#include "symexec/context.h"

/* ---- the database -------------------------------------------------------------------------- */

uint64_t fz_extent(const struct fz_database *db, uint64_t count)
{
    return count == AST_ANY_ROWS ? db->rows : count;
}

static uint32_t count(const struct fz_database *db, const struct ast_type *t)
{
    uint32_t n = 0;
    if (t->kind == AST_ARRAY)
        return (uint32_t)fz_extent(db, t->count) * count(db, t->elem);
    if (t->kind != AST_STRUCT)
        return 1;
    for (uint32_t i = 0; i < t->n_fields; i++)
        n += count(db, t->fields[i].type);
    return n;
}

static void list_types(const struct fz_database *db, const struct ast_type *t,
                       const struct ast_type ***next)
{
    if (t->kind == AST_ARRAY) {
        for (uint64_t i = 0; i < fz_extent(db, t->count); i++)
            list_types(db, t->elem, next);
    } else if (t->kind == AST_STRUCT) {
        for (uint32_t i = 0; i < t->n_fields; i++)
            list_types(db, t->fields[i].type, next);
    } else {
        *(*next)++ = t;
    }
}

void fz_database_init(struct fz_database *db, const struct ast_program *p, uint64_t rows)
{
    *db = (struct fz_database){.ast = p, .rows = rows};
    db->first = mem_calloc(p->n_tables + 1, sizeof *db->first);
    db->cells = mem_calloc(p->n_tables + 1, sizeof *db->cells);
    for (uint32_t i = 0; i < p->n_tables; i++) {
        db->first[i] = db->n;
        db->cells[i] = count(db, p->tables[i]->row);
        db->n += count(db, p->tables[i]->type);
    }
    db->types = mem_calloc(db->n + 1, sizeof *db->types);
    const struct ast_type **next = db->types;
    for (uint32_t i = 0; i < p->n_tables; i++)
        list_types(db, p->tables[i]->type, &next);
}

void fz_database_free(struct fz_database *db)
{
    mem_free(db->first);
    mem_free(db->cells);
    mem_free(db->types);
}

uint32_t fz_row(const struct fz_database *db, const struct ast_var *v, const uint64_t *index)
{
    uint64_t row = 0;
    for (uint32_t d = 0; d < v->n_dims; d++)
        row = row * fz_extent(db, v->dims[d]) + index[d];
    return db->first[v->id] + (uint32_t)row * db->cells[v->id];
}

void fz_outcome_init(struct fz_outcome *o, const struct fz_database *db, const struct fz_input *in)
{
    *o = (struct fz_outcome){0};
    o->state = mem_alloc((db->n + 1) * sizeof *o->state);
    memcpy(o->state, in->state, db->n * sizeof *o->state);
    o->read = mem_calloc(db->n + 1, 1);
    o->written = mem_calloc(db->n + 1, 1);
    o->locked = mem_calloc(db->n + 1, 1);
}

void fz_outcome_free(struct fz_outcome *o)
{
    mem_free(o->state);
    mem_free(o->read);
    mem_free(o->written);
    mem_free(o->locked);
    vec_free(&o->asserts);
    vec_free(&o->calls);
}

/* ---- the interpreter ----------------------------------------------------------------------- */

struct host {
    const struct fz_database *db;
    const struct fz_input *in;
    unsigned nondet;
    struct fz_outcome *out;
};

/* The value of a scalar, as the statement or read with this key sees it. */
static ast_int seen_value(const struct fz_database *db, const struct fz_input *in, uint32_t scalar,
                          uint64_t statement, uint64_t read)
{
    ast_int v = in->state[scalar];
    if (in->drift == SX_READS_SNAPSHOT)
        return v;
    uint64_t key = in->drift == SX_READS_STATEMENT ? statement : read;
    return ast_int_cast(db->types[scalar], v + (ast_int)(hash_pair(key, scalar) % 3));
}

static ast_int host_read(void *arg, struct interp_row row, uint32_t cell, uint64_t statement,
                         uint64_t read)
{
    struct host *h = arg;
    return seen_value(h->db, h->in, fz_row(h->db, row.table, row.index) + cell, statement, read);
}

static ast_int host_nondet(void *arg, const struct ast_type *type, uint64_t key, bool uninitialised)
{
    struct host *h = arg;
    (void)key;
    if (uninitialised) /* programs do not look at it */
        return 0;
    return ast_int_cast(type, h->in->nondet[h->nondet++ % FZ_NONDET]);
}

static void host_call(void *arg, const struct ast_func *f, const ast_int *args, uint32_t session,
                      uint64_t key, ast_int *result)
{
    struct host *h = arg;
    (void)key;
    struct fz_call c = {.func = f, .session = session};
    memcpy(c.args, args, f->n_params * sizeof *args);
    *result = ast_int_cast(f->result, h->in->returned[h->out->calls.len % FZ_NONDET]);
    vec_push(&h->out->calls, c);
}

static enum fz_end end_of(const struct interp_run *r)
{
    switch (r->end) {
    case INTERP_COMMITTED:
        return FZ_COMMITTED;
    case INTERP_NOT_ASSUMED:
        return FZ_NOT_ASSUMED;
    case INTERP_TOO_LONG:
        return FZ_TOO_LONG;
    default:
        break;
    }
    switch (r->kind) {
    case INTERP_NOTHING:
        return FZ_ROLLBACK;
    case INTERP_OVERFLOW:
        return FZ_OVERFLOW;
    case INTERP_BOUNDS:
        return FZ_BOUNDS;
    case INTERP_DIVISION:
        return FZ_DIVISION;
    case INTERP_SHIFT:
        return FZ_SHIFT;
    }
    return FZ_TOO_LONG;
}

/* Mark a row, or with granularity field one scalar of it. */
static void mark(uint8_t *marks, const struct fz_database *db, struct interp_row row, uint32_t cell,
                 bool by_field)
{
    uint32_t first = fz_row(db, row.table, row.index);
    if (by_field)
        marks[first + cell] = 1;
    else
        memset(marks + first, 1, db->cells[row.table->id]);
}

static void take_effects(const struct fz_database *db, const struct interp_run *r, bool by_field,
                         struct fz_outcome *out)
{
    for (size_t i = 0; i < r->reads.len; i++)
        mark(out->read, db, r->reads.data[i].row, r->reads.data[i].cell, by_field);
    for (size_t i = 0; i < r->locks.len; i++)
        for (uint32_t k = 0; k < r->locks.data[i].n; k++)
            mark(out->locked, db, r->locks.data[i].row, r->locks.data[i].first + k, by_field);
    for (size_t i = 0; i < r->writes.len; i++) {
        const struct interp_write *w = &r->writes.data[i];
        uint32_t first = fz_row(db, w->row.table, w->row.index);
        for (uint32_t k = 0; k < db->cells[w->row.table->id]; k++) {
            if (by_field && !w->touched[k])
                continue;
            out->state[first + k] = w->value[k];
            mark(out->written, db, w->row, k, by_field);
        }
    }
}

static bool is_predicate(const struct ast_func *f)
{
    return f->role == AST_INVARIANT || f->role == AST_FINAL;
}

void fz_interp_run(struct ast_program *p, const struct fz_database *db, const struct ast_func *f,
                   const struct sx_options *options, const struct fz_input *in,
                   struct fz_outcome *out)
{
    struct host h = {db, in, 0, out};
    struct interp_host host = {
        .arg = &h, .read = host_read, .nondet = host_nondet, .call = host_call};
    struct interp_options o = {.by_field = options->granularity == SX_FIELD,
                               .ideal = is_predicate(f),
                               .rows = db->rows,
                               .max_steps = 200000};
    struct interp_run r;
    interp_run(p, f, in->args, &o, &host, &r);
    out->end = end_of(&r);
    out->inexact = r.ideal_overflow;
    out->loc = r.loc;
    for (size_t i = 0; i < r.asserts.len; i++)
        vec_push(&out->asserts,
                 ((struct fz_assert){r.asserts.data[i].expr->loc.line, r.asserts.data[i].holds}));
    if (out->end == FZ_COMMITTED) {
        out->result = r.n_result ? r.result[0] : 0;
        take_effects(db, &r, o.by_field, out);
    }
    interp_run_free(&r);
}

/* ---- the summary --------------------------------------------------------------------------- */

struct evaluation {
    struct sx_program *p;
    const struct sx_summary *s;
    const struct fz_database *db;
    const struct fz_input *in;
    struct sx_evaluator *e;
    struct fz_outcome *out;
};

/* The first scalar of a row; false if an index is out of bounds. */
static bool find_row(struct evaluation *v, struct sx_row row, uint32_t *first)
{
    const struct sx_table *t = &v->p->tables[row.table];
    uint64_t index[8] = {0};
    assert(t->n_dims <= 8);
    for (uint32_t d = 0; d < t->n_dims; d++) {
        term_int i = sx_evaluate(v->e, row.index[d]);
        if (i < 0 || i >= (term_int)fz_extent(v->db, t->dims[d]))
            return false;
        index[d] = (uint64_t)i;
    }
    *first = fz_row(v->db, t->var, index) + t->first_cell;
    return true;
}

/* The nondet calls that are made, in order, get the values in turn. */
static ast_int nondet_value(struct evaluation *v, uint32_t input)
{
    unsigned n = 0;
    for (uint32_t i = 0; i < input; i++)
        n += v->s->inputs[i].kind == SX_NONDET && sx_evaluate(v->e, v->s->inputs[i].guard);
    return ast_int_cast(v->s->inputs[input].type, v->in->nondet[n % FZ_NONDET]);
}

static bool is_made(struct evaluation *v, const struct sx_call *c)
{
    return sx_evaluate(v->e, c->before) && sx_evaluate(v->e, c->guard);
}

/* Likewise the calls of a scenario. */
static ast_int returned_value(struct evaluation *v, uint32_t call)
{
    unsigned n = 0;
    for (uint32_t i = 0; i < call; i++)
        n += is_made(v, &v->s->calls[i]);
    return ast_int_cast(v->s->calls[call].func->result, v->in->returned[n % FZ_NONDET]);
}

static term_int leaf_value(void *arg, struct sx_evaluator *e, uint32_t leaf)
{
    struct evaluation *v = arg;
    (void)e;
    const struct term_leaf *l = &v->p->store.leaves.data[leaf];
    const struct sx_read *read;
    uint32_t first;
    assert(l->owner == v->s->id);
    switch (l->kind) {
    case TERM_LEAF_PARAM:
        return v->in->args[l->a];
    case TERM_LEAF_NONDET:
        return v->s->inputs[l->a].kind == SX_NONDET ? nondet_value(v, l->a) : 0;
    case TERM_LEAF_EXT:
        read = &v->s->reads[l->a];
        return find_row(v, read->row, &first)
                   ? seen_value(v->db, v->in, first + l->b, read->statement_key, read->key)
                   : 0;
    case TERM_LEAF_RET:
        return returned_value(v, l->a);
    default:
        assert(!"a summary has no such leaf");
        return 0;
    }
}

static enum fz_end end_of_point(const struct sx_point *q)
{
    switch (q->kind) {
    case SX_ASSUME:
        return FZ_NOT_ASSUMED;
    case SX_ROLLBACK:
        return FZ_ROLLBACK;
    case SX_OVERFLOW:
        return FZ_OVERFLOW;
    case SX_BOUNDS:
        return FZ_BOUNDS;
    case SX_DIVISION:
        return FZ_DIVISION;
    case SX_SHIFT:
        return FZ_SHIFT;
    default:
        return FZ_TOO_LONG;
    }
}

/* Walk the points: the first that fires and stops decides. */
static void find_end(struct evaluation *v, struct fz_outcome *out)
{
    unsigned fired = 0;
    for (size_t i = 0; i < v->s->n_points; i++) {
        const struct sx_point *q = &v->s->points[i];
        bool before = sx_evaluate(v->e, q->before), guard = sx_evaluate(v->e, q->guard);
        bool cond = sx_evaluate(v->e, q->cond);
        if (before != (fired == 0))
            out->problem = "point.before does not say whether an earlier point fired";
        if (!before || !guard)
            continue;
        if (q->kind == SX_OVERFLOW && is_predicate(v->s->func)) {
            out->inexact |= !cond; /* and goes on */
        } else if (q->kind == SX_ASSERT) {
            vec_push(&out->asserts, ((struct fz_assert){q->loc.line, cond}));
        } else if (!cond) {
            fired++;
            out->end = end_of_point(q);
            out->loc = q->loc;
        }
    }
    if (fired == 0)
        out->end = FZ_COMMITTED;
}

static void check_totals(struct evaluation *v, struct fz_outcome *out)
{
    bool exists = sx_evaluate(v->e, v->s->exists), committed = sx_evaluate(v->e, v->s->committed);
    bool rolled = sx_evaluate(v->e, v->s->rolled_back),
         failed = sx_evaluate(v->e, v->s->check_failed);
    bool transaction = v->s->func && v->s->func->role == AST_TRANSACTION;
    bool is_rolled = out->end == FZ_ROLLBACK || (transaction && out->end == FZ_OVERFLOW);
    if (exists != (out->end != FZ_NOT_ASSUMED) || committed != (out->end == FZ_COMMITTED) ||
        rolled != is_rolled || committed + rolled + failed + !exists != 1)
        out->problem = "exists, committed, rolled_back, check_failed do not fit the points";
}

static void mark_row(struct evaluation *v, struct sx_row row, uint8_t *marks)
{
    uint32_t first;
    if (find_row(v, row, &first))
        memset(marks + first, 1, v->p->tables[row.table].n_fields);
    else
        v->out->problem = "a row out of bounds in a committed execution";
}

/* A part of the summary, for the indices that are bound at the moment. */
struct part {
    struct evaluation *v;
    const struct sx_read *read;
    const struct sx_lock *lock;
    const struct sx_write *write;
};

static void apply_read(void *arg, struct sx_evaluator *e)
{
    struct part *p = arg;
    if (p->read->again) /* no read of its own; its row may be out of bounds */
        return;
    if (sx_evaluate(e, p->read->guard))
        mark_row(p->v, p->read->row, p->v->out->read);
    if (sx_evaluate(e, p->read->guard) && !sx_evaluate(e, p->read->before))
        p->v->out->problem = "a read after a stop in a committed execution";
}

static void apply_lock(void *arg, struct sx_evaluator *e)
{
    struct part *p = arg;
    if (sx_evaluate(e, p->lock->guard))
        mark_row(p->v, p->lock->row, p->v->out->locked);
}

static void apply_write(void *arg, struct sx_evaluator *e)
{
    struct part *p = arg;
    struct fz_outcome *out = p->v->out;
    uint32_t first, n = p->v->p->tables[p->write->row.table].n_fields;
    if (!sx_evaluate(e, p->write->guard))
        return;
    if (!find_row(p->v, p->write->row, &first)) {
        out->problem = "a write out of bounds in a committed execution";
        return;
    }
    for (uint32_t f = 0; f < n; f++) {
        ast_int value = sx_evaluate(e, p->write->value[f]);
        if (out->written[first + f] && out->state[first + f] != value)
            out->problem = "two writes of one row differ";
        out->state[first + f] = value;
    }
    memset(out->written + first, 1, n);
}

static void apply_effects(struct evaluation *v, struct fz_outcome *out)
{
    const struct sx_summary *s = v->s;
    struct part p = {.v = v};
    for (size_t i = 0; i < s->n_reads; i++) {
        p.read = &s->reads[i];
        if (p.read->again)
            continue;
        sx_evaluate_each(v->e, p.read->bound, p.read->n_bound, apply_read, &p);
    }
    for (size_t i = 0; i < s->n_locks; i++) {
        p.lock = &s->locks[i];
        sx_evaluate_each(v->e, p.lock->bound, p.lock->n_bound, apply_lock, &p);
    }
    for (size_t i = 0; i < s->n_writes; i++) {
        p.write = &s->writes[i];
        sx_evaluate_each(v->e, p.write->bound, p.write->n_bound, apply_write, &p);
    }
    out->result = s->n_returned ? sx_evaluate(v->e, s->returned[0]) : 0;
    if (is_predicate(s->func) && (out->result != 0) != sx_evaluate(v->e, s->holds))
        out->problem = "a predicate's value and `holds` differ";
    if (s->func->role == AST_INITIAL && s->n_reads)
        out->problem = "INITIAL reads something";
}

static void take_calls(struct evaluation *v, struct fz_outcome *out)
{
    for (size_t i = 0; i < v->s->n_calls; i++) {
        const struct sx_call *c = &v->s->calls[i];
        struct fz_call call = {.func = c->func, .session = c->session};
        assert(c->n_args <= FZ_ARGS);
        if (!is_made(v, c))
            continue;
        for (uint32_t k = 0; k < c->n_args; k++)
            call.args[k] = sx_evaluate(v->e, c->args[k]);
        vec_push(&out->calls, call);
    }
}

void fz_summary_run(struct sx_program *p, const struct fz_database *db, const struct sx_summary *s,
                    const struct fz_input *in, struct sx_evaluator *e, struct fz_outcome *out)
{
    struct evaluation v = {.p = p, .s = s, .db = db, .in = in, .e = e, .out = out};
    e->program = p;
    e->summary = s;
    e->size = (term_int)db->rows;
    e->leaf = leaf_value;
    e->arg = &v;
    sx_evaluator_reset(e);
    find_end(&v, out);
    check_totals(&v, out);
    take_calls(&v, out);
    if (out->end == FZ_COMMITTED)
        apply_effects(&v, out);
}
