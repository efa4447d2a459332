/* From a program to its summaries: run every function of interest, collect the results. */
#include "symexec/summary.h"

#include <assert.h>

#include "base/limit.h"
#include "symexec/fold.h"

/* ---- tables -------------------------------------------------------------------------------- */

uint64_t sx_table_rows(const struct sx_table *t)
{
    uint64_t n = 1;
    for (uint32_t i = 0; i < t->n_dims; i++) {
        assert(t->dims[i] != AST_ANY_ROWS);
        n *= t->dims[i];
    }
    return n;
}

struct fields {
    struct sx_field *list;
    uint32_t n;
};

static void add_field(void *arg, const struct ast_type *t, const char *path)
{
    struct fields *f = arg;
    f->list[f->n++] = (struct sx_field){path, t};
}

/* C's initial values of fields [first, first + n) of every row. */
static term_int *initial_values(struct sx_program *p, const struct ast_var *v,
                                const struct sx_table *t, uint32_t per_row, uint32_t first,
                                uint32_t n)
{
    uint32_t k = 0;
    if (!v->init) /* always so for dimensions of any size */
        return NULL;
    uint64_t rows = sx_table_rows(t);
    term_int *all = arena_array(&p->arena, term_int, rows * per_row);
    sx_init_values(v->init, all, &k);
    assert(k == rows * per_row);
    if (n == per_row)
        return all;
    term_int *some = arena_array(&p->arena, term_int, rows * n);
    for (uint64_t r = 0; r < rows; r++)
        for (uint32_t f = 0; f < n; f++)
            some[r * n + f] = all[r * per_row + first + f];
    return some;
}

static const uint64_t *dimensions(struct sx_program *p, const struct ast_var *v)
{
    uint64_t *dims = arena_array(&p->arena, uint64_t, v->n_dims + 1);
    for (uint32_t i = 0; i < v->n_dims; i++)
        dims[i] = v->dims[i] == AST_ANY_ROWS && p->options.rows         ? p->options.rows
                  : p->options.shown && sx_is_large(p->ast, v->dims[i]) ? p->options.shown + 1
                                                                        : v->dims[i];
    return dims;
}

static void add_table(struct sx_program *p, const struct ast_var *v, const struct fields *f,
                      uint32_t first, uint32_t n)
{
    struct sx_table *t = &p->tables[p->n_tables++];
    *t = (struct sx_table){.name = v->name,
                           .var = v,
                           .first_cell = first,
                           .n_dims = v->n_dims,
                           .dims = dimensions(p, v),
                           .n_fields = n,
                           .fields = f->list + first};
    t->init = initial_values(p, v, t, f->n, first, n);
}

/* The tables, and for each variable the number of its first. */
static uint32_t *make_tables(struct sx_program *p, const uint32_t *cells)
{
    const struct ast_program *ast = p->ast;
    bool by_field = p->options.granularity == SX_FIELD;
    uint32_t *first = mem_calloc(ast->n_tables + 1, sizeof *first);
    size_t total = 0;
    for (uint32_t i = 0; i < ast->n_tables; i++)
        total += by_field ? cells[ast->tables[i]->row->id] : 1;
    p->tables = arena_array(&p->arena, struct sx_table, total + 1);
    for (uint32_t i = 0; i < ast->n_tables; i++) {
        const struct ast_var *v = ast->tables[i];
        uint32_t n = cells[v->row->id];
        struct fields f = {.list = arena_array(&p->arena, struct sx_field, n)};
        sx_each_scalar(v->row, "", &p->arena, add_field, &f);
        first[i] = p->n_tables;
        if (!by_field)
            add_table(p, v, &f, 0, n);
        for (uint32_t k = 0; by_field && k < n; k++)
            add_table(p, v, &f, k, 1);
        p->has_initial |= v->init != NULL;
    }
    return first;
}

/* ---- one execution ------------------------------------------------------------------------- */

struct common {
    struct sx_program *program;
    struct ast_program *ast;
    struct diag_list *diags;
    uint32_t *cells, *first_table;
    const char **texts;
    bool *unrolled; /* by statement */
    uint32_t next_id;
};

static void exec_init(struct sx_exec *x, const struct common *c, enum ast_role role,
                      struct sx_summary *sum)
{
    struct sx_program *p = c->program;
    *x = (struct sx_exec){.program = p,
                          .ast = c->ast,
                          .store = &p->store,
                          .diags = c->diags,
                          .arena = &p->arena,
                          .role = role,
                          .ideal = ast_is_predicate(role),
                          .unwind = p->options.unwind,
                          .cells = c->cells,
                          .texts = c->texts,
                          .first_table = c->first_table,
                          .unrolled = c->unrolled,
                          .sum = sum,
                          .total = {.store = &p->store, .total = true},
                          .ok = TERM_TRUE};
    env_pool_init(&x->pool);
    facts_init(&x->facts, x->store);
    x->st = (struct sx_state){env_new(&x->pool), env_new(&x->pool), env_new(&x->pool), TERM_TRUE,
                              false};
    vec_push(&x->levels, ((struct sx_level){TERM_TRUE, TERM_TRUE}));
    vec_push(&x->records, TERM_NONE); /* record 0 is none */
    x->stacks = mem_calloc(p->n_tables + 1, sizeof(sx_ids));
    for (uint32_t t = 0; t < p->n_tables; t++)
        sx_layer_push(x, t, false);
    x->constants = mem_calloc(c->ast->n_consts + 1, sizeof *x->constants);
}

static void exec_free(struct sx_exec *x)
{
    sx_layers_free(x);
    vec_free(&x->bounds);
    vec_free(&x->bound_leaves);
    vec_free(&x->all_folds);
    map_free(&x->fold_index);
    vec_free(&x->masks);
    vec_free(&x->moved);
    vec_free(&x->input_loops);
    vec_free(&x->seen);
    mem_free(x->constants);
    env_pool_free(&x->pool);
    facts_free(&x->facts);
    arena_free(&x->scratch);
    map_free(&x->labels);
    map_free(&x->object_index);
    term_subst_free(&x->total);
    vec_free(&x->index);
    vec_free(&x->levels);
    vec_free(&x->joins);
    vec_free(&x->pointers);
    vec_free(&x->objects);
    vec_free(&x->object_next);
    vec_free(&x->records);
    vec_free(&x->inputs);
    vec_free(&x->reads);
    vec_free(&x->locks);
    vec_free(&x->touches);
    vec_free(&x->points);
    vec_free(&x->calls);
    vec_free(&x->rest);
}

/* ---- totals -------------------------------------------------------------------------------- */

bool sx_point_stops(enum sx_point_kind kind)
{
    return kind != SX_ASSERT;
}

const char *sx_point_name(enum sx_point_kind kind)
{
    static const char *const names[] = {[SX_ASSUME] = "assume",
                                        [SX_ROLLBACK] = "rollback",
                                        [SX_OVERFLOW] = "signed overflow",
                                        [SX_ASSERT] = "assert",
                                        [SX_BOUNDS] = "index out of bounds",
                                        [SX_DIVISION] = "division by zero",
                                        [SX_SHIFT] = "shift out of range",
                                        [SX_UNWIND] = "unwinding bound"};
    return names[kind];
}

term_id sx_point_fires(struct sx_program *p, const struct sx_point *point)
{
    term_id here = term_and(&p->store, point->before, point->guard);
    return term_and(&p->store, here, term_not(&p->store, point->cond));
}

static void set_totals(struct sx_program *p, struct sx_summary *s, term_id ok)
{
    term_id assumed = TERM_FALSE, rolled = TERM_FALSE, failed = TERM_FALSE;
    for (size_t i = 0; i < s->n_points; i++) {
        const struct sx_point *q = &s->points[i];
        term_id *into = q->kind == SX_ASSUME ? &assumed : q->rolls_back ? &rolled : &failed;
        if (sx_point_stops(q->kind) && !q->exact)
            *into = term_or(&p->store, *into, sx_point_fires(p, q));
    }
    s->exists = term_not(&p->store, assumed);
    s->rolled_back = rolled;
    s->check_failed = failed;
    s->committed = ok;
}

/* ---- which inputs matter ------------------------------------------------------------------- */

typedef VEC(term_id) term_list;

static void add_terms(term_list *l, const term_id *t, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (t[i] != TERM_NONE)
            vec_push(l, t[i]);
}

static void collect_rows(const struct sx_program *p, const struct sx_summary *s, term_list *l)
{
    for (size_t i = 0; i < s->n_reads; i++) {
        add_terms(l, s->reads[i].row.index, p->tables[s->reads[i].row.table].n_dims);
        vec_push(l, s->reads[i].guard);
        vec_push(l, s->reads[i].asked);
    }
    for (size_t i = 0; i < s->n_writes; i++) {
        const struct sx_table *t = &p->tables[s->writes[i].row.table];
        add_terms(l, s->writes[i].row.index, t->n_dims);
        add_terms(l, s->writes[i].value, t->n_fields);
        vec_push(l, s->writes[i].guard);
    }
    for (size_t i = 0; i < s->n_locks; i++) {
        add_terms(l, s->locks[i].row.index, p->tables[s->locks[i].row.table].n_dims);
        vec_push(l, s->locks[i].guard);
    }
    for (size_t i = 0; i < s->n_touches; i++) {
        add_terms(l, s->touches[i].row.index, p->tables[s->touches[i].row.table].n_dims);
        vec_push(l, s->touches[i].guard);
        vec_push(l, s->touches[i].before);
    }
}

struct marking {
    const struct term_store *store;
    struct sx_summary *s;
};

static void mark_input(void *arg, term_id t)
{
    struct marking *m = arg;
    const struct term *n = term_get(m->store, t);
    if (n->op != TERM_OP_LEAF)
        return;
    const struct term_leaf *leaf = &m->store->leaves.data[n->arg[0]];
    if (leaf->owner == m->s->id &&
        (leaf->kind == TERM_LEAF_PARAM || leaf->kind == TERM_LEAF_NONDET))
        m->s->inputs[leaf->a].used = true;
}

static void collect_all(struct sx_program *p, struct sx_summary *s, term_list *l)
{
    term_id totals[] = {s->exists, s->committed, s->rolled_back, s->check_failed, s->holds};
    collect_rows(p, s, l);
    for (size_t i = 0; i < s->n_points; i++) {
        term_id t[3] = {s->points[i].guard, s->points[i].cond, s->points[i].before};
        add_terms(l, t, 3);
    }
    for (size_t i = 0; i < s->n_calls; i++) {
        add_terms(l, s->calls[i].args, s->calls[i].n_args);
        vec_push(l, s->calls[i].guard);
    }
    add_terms(l, s->returned, s->n_returned);
    add_terms(l, totals, sizeof totals / sizeof *totals);
}

/* ---- folds ---------------------------------------------------------------------------------- */

static void collect_bounds(const struct sx_bound *b, uint32_t n, term_list *l)
{
    for (uint32_t i = 0; i < n; i++) {
        term_id t[2] = {b[i].lo, b[i].hi};
        add_terms(l, t, 2);
    }
}

struct folding {
    struct sx_program *p;
    struct sx_summary *s;
    uint8_t *used; /* by fold */
    term_list *todo;
};

static void use_fold(void *arg, term_id t)
{
    struct folding *f = arg;
    const struct term *n = term_get(&f->p->store, t);
    if (n->op != TERM_OP_LEAF)
        return;
    const struct term_leaf *l = &f->p->store.leaves.data[n->arg[0]];
    if (l->kind != TERM_LEAF_FOLD || l->owner != f->s->id || f->used[l->a])
        return;
    const struct sx_fold *g = &f->s->folds[l->a];
    term_id in[5] = {g->index.lo, g->index.hi, g->cond, g->value, g->start};
    f->used[l->a] = 1;
    add_terms(f->todo, in, 5);
}

/* Keep the folds that something mentions; their terms are added to the list. */
static void keep_folds(struct sx_program *p, struct sx_summary *s, term_list *l)
{
    struct folding f = {p, s, mem_calloc(s->n_folds + 1, 1), l};
    size_t n = 0;
    for (size_t done = 0; done < l->len;) { /* what is added brings more */
        size_t from = done;
        done = l->len;
        term_list part = {0};
        add_terms(&part, l->data + from, done - from);
        term_each(&p->store, part.data, part.len, use_fold, &f);
        vec_free(&part);
    }
    for (size_t i = 0; i < s->n_folds; i++) {
        if (!f.used[i])
            continue;
        s->folds[n] = s->folds[i];
        p->store.leaves.data[term_get(&p->store, s->folds[n].leaf)->arg[0]].a = (uint32_t)n;
        n++;
    }
    s->n_folds = n;
    mem_free(f.used);
}

static void settle_terms(struct sx_exec *x)
{
    struct sx_summary *s = x->sum;
    struct marking m = {x->store, s};
    term_list l = {0};
    collect_all(x->program, s, &l);
    for (size_t i = 0; i < s->n_reads; i++) {
        vec_push(&l, s->reads[i].before);
        collect_bounds(s->reads[i].bound, s->reads[i].n_bound, &l);
    }
    for (size_t i = 0; i < s->n_writes; i++)
        collect_bounds(s->writes[i].bound, s->writes[i].n_bound, &l);
    for (size_t i = 0; i < s->n_locks; i++)
        collect_bounds(s->locks[i].bound, s->locks[i].n_bound, &l);
    uint32_t mask = 0;
    for (size_t i = 0; i < l.len && x->bound_leaves.len; i++)
        mask |= sx_mask(x, l.data[i]);
    if (mask & SX_MASK_HOLE)
        sx_fold_cannot(x, NULL, s->func->loc, "a round looks at what the rounds before it left");
    keep_folds(x->program, s, &l);
    term_each(x->store, l.data, l.len, mark_input, &m);
    vec_free(&l);
}

/* ---- one summary --------------------------------------------------------------------------- */

/* A value that is any in every round is no term. */
static void check_inputs(struct sx_exec *x)
{
    for (size_t i = 0; i < x->sum->n_inputs && !x->failed; i++) {
        const struct sx_input *in = &x->sum->inputs[i];
        struct sx_fold_frame f = {.loop = x->input_loops.data[i]};
        if (!f.loop || !in->used)
            continue;
        f.index.hi = sx_extent(x, f.loop->fold->size);
        sx_fold_cannot(x, &f, in->loc, "every round gets a value of its own here");
    }
}

static void finish(struct sx_exec *x, const term_id *returned, uint32_t n)
{
    struct sx_summary *s = x->sum;
    sx_rows_finish(x); /* may move reads, and make folds */
#define TAKE(what)                                                                                 \
    (s->what = arena_copy(x->arena, x->what.data, x->what.len * sizeof *x->what.data),             \
     s->n_##what = x->what.len)
    TAKE(inputs);
    TAKE(reads);
    TAKE(locks);
    TAKE(touches);
    TAKE(points);
    TAKE(calls);
#undef TAKE
    s->folds = arena_copy(x->arena, x->all_folds.data, x->all_folds.len * sizeof *s->folds);
    s->n_folds = x->all_folds.len;
    s->returned = arena_copy(x->arena, returned, n * sizeof *returned);
    s->n_returned = n;
    s->n_sessions = x->sessions;
    s->n_statements = x->statements;
    s->holds = x->ideal && n == 1 ? term_truth(x->store, returned[0]) : TERM_TRUE;
    set_totals(x->program, s, x->ok);
    settle_terms(x);
    check_inputs(x);
}

struct params {
    struct sx_exec *x;
    const struct ast_var *var;
    sx_value *next;
};

static void add_param(void *arg, const struct ast_type *t, const char *path)
{
    struct params *q = arg;
    uint64_t n = q->var->ranges;
    *q->next++ = n ? sx_index_input(q->x, SX_PARAM, t, n, q->var->loc, path, 0)
                   : sx_input(q->x, SX_PARAM, t, q->var->loc, path, 0);
}

static sx_value *make_params(struct sx_exec *x, const struct ast_func *f)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < f->n_params; i++)
        n += sx_cells(x, f->params[i]->type);
    sx_value *args = arena_array(&x->scratch, sx_value, n + 1);
    struct params q = {.x = x, .next = args};
    for (uint32_t i = 0; i < f->n_params; i++) {
        q.var = f->params[i];
        sx_each_scalar(q.var->type, q.var->name, &x->scratch, add_param, &q);
    }
    x->sum->n_params = n;
    return args;
}

static bool summarise(struct common *c, const struct ast_func *f, struct sx_summary **out)
{
    struct sx_summary *s = arena_new(&c->program->arena, struct sx_summary);
    bool ok, again;
    do { /* once more, where a loop turns out to be no term */
        struct sx_exec x;
        *s = (struct sx_summary){.id = c->next_id++, .func = f};
        limit_phase("executing %s", f->name);
        exec_init(&x, c, f->role, s);
        sx_value *args = make_params(&x, f);
        uint32_t n = sx_cells(&x, f->result);
        term_id *result = arena_array(&x.scratch, term_id, n + 1);
        sx_inline(&x, f, args, result, f->loc, f->id);
        if (!x.failed)
            finish(&x, result, n);
        ok = !x.failed;
        again = x.again;
        exec_free(&x);
    } while (!ok && again);
    *out = s;
    return ok;
}

static bool summarise_initial(struct common *c)
{
    struct sx_program *p = c->program;
    struct sx_summary *s = p->initial = arena_new(&p->arena, struct sx_summary);
    bool ok, again;
    do {
        struct sx_exec x;
        *s = (struct sx_summary){.id = c->next_id++};
        exec_init(&x, c, AST_INITIAL, s);
        for (uint32_t i = 0; i < c->ast->n_funcs && !x.failed; i++) {
            const struct ast_func *f = c->ast->funcs[i];
            if (f->role != AST_INITIAL)
                continue;
            if (!s->func)
                s->func = f;
            p->has_initial = true;
            limit_phase("executing %s", f->name);
            sx_inline(&x, f, NULL, NULL, f->loc, f->id);
        }
        if (!x.failed)
            finish(&x, NULL, 0);
        ok = !x.failed;
        again = x.again;
        exec_free(&x);
    } while (!ok && again);
    return ok;
}

/* ---- all ----------------------------------------------------------------------------------- */

static bool summarise_role(struct common *c, enum ast_role role, struct sx_summary ***list,
                           uint32_t *n)
{
    bool ok = true;
    *list = arena_array(&c->program->arena, struct sx_summary *, c->ast->n_funcs + 1);
    for (uint32_t i = 0; i < c->ast->n_funcs && ok; i++)
        if (c->ast->funcs[i]->role == role)
            ok = summarise(c, c->ast->funcs[i], &(*list)[(*n)++]);
    return ok;
}

static bool run_all(struct common *c)
{
    struct sx_program *p = c->program;
    return summarise_initial(c) && summarise_role(c, AST_TRANSACTION, &p->txns, &p->n_txns) &&
           summarise_role(c, AST_INVARIANT, &p->invariants, &p->n_invariants) &&
           summarise_role(c, AST_FINAL, &p->finals, &p->n_finals) &&
           summarise_role(c, AST_CONSTRAINT, &p->constraints, &p->n_constraints) &&
           summarise_role(c, AST_SCENARIO, &p->scenarios, &p->n_scenarios);
}

/* The number of rows is the value of ANY, an int. */
static term_id size_leaf(struct term_store *s)
{
    struct term_leaf leaf = {.kind = TERM_LEAF_SIZE,
                             .owner = UINT32_MAX,
                             .bits = 32,
                             .is_signed = true,
                             .lo = 1,
                             .hi = term_type_max(32, true),
                             .name = "ANY"};
    return term_leaf(s, leaf);
}

/* The loop with a skip_locked in or below the statement, or NULL. */
static const struct ast_stmt *find_skip(const struct ast_stmt *s)
{
    if (!s || (s->fold && s->fold->skip))
        return s;
    const struct ast_stmt *found = find_skip(s->body);
    found = found ? found : find_skip(s->other);
    for (uint32_t i = 0; i < s->n_items && !found; i++)
        found = find_skip(s->items[i]);
    return found;
}

/* Words whose meaning at the levels of databases is another one than at the models, and which the
 * summaries for these levels do not know. */
static bool knows_words(const struct ast_program *ast, const struct sx_options *o,
                        struct diag_list *d)
{
    size_t errors = d->errors;
    for (uint32_t i = 0; sx_is_database(o->reads) && i < ast->n_tables; i++)
        if (ast->tables[i]->presence)
            diag_add(d, DIAG_ERROR, ast->tables[i]->loc,
                     "PRESENCE is not supported at the levels of databases yet");
    for (uint32_t i = 0; sx_is_database(o->reads) && i < ast->n_funcs; i++) {
        const struct ast_stmt *loop = find_skip(ast->funcs[i]->body);
        if (loop)
            diag_add(d, DIAG_ERROR, loop->loc,
                     "skip_locked is not supported at the levels of databases yet");
    }
    return d->errors == errors;
}

bool sx_run(struct ast_program *ast, const struct sx_options *options, struct diag_list *d,
            struct sx_program *out)
{
    *out = (struct sx_program){.ast = ast, .options = *options};
    assert(options->rows || !ast->any || options->folds == SX_FOLDS_TERMS);
    if (out->options.unwind == 0)
        out->options.unwind = SX_UNWIND_DEFAULT;
    term_store_init(&out->store);
    if (ast->any && options->rows == 0)
        out->size = size_leaf(&out->store);
    struct common c = {.program = out, .ast = ast, .diags = d, .cells = sx_layout(ast, d)};
    if (!c.cells || !knows_words(ast, options, d)) {
        mem_free(c.cells);
        return false;
    }
    c.first_table = make_tables(out, c.cells);
    c.texts = mem_calloc(ast->n_exprs + 1, sizeof *c.texts);
    c.unrolled = mem_calloc(ast->n_stmts + 1, sizeof *c.unrolled);
    bool ok = run_all(&c);
    if (!ok && limit_reached())
        diag_add(d, DIAG_ERROR, SRC_LOC_NONE, "%s", limit_text());
    mem_free(c.cells);
    mem_free(c.first_table);
    mem_free(c.texts);
    mem_free(c.unrolled);
    return ok;
}

void sx_copy(const struct sx_program *p, struct sx_program *out)
{
    *out = *p;
    out->arena = (struct arena){0}; /* what is in the original's is shared */
    term_store_copy(&p->store, &out->store);
}

void sx_free(struct sx_program *p)
{
    term_store_free(&p->store);
    arena_free(&p->arena);
    *p = (struct sx_program){0};
}

struct sx_summary *sx_find_txn(const struct sx_program *p, const struct ast_func *f)
{
    for (uint32_t i = 0; i < p->n_txns; i++)
        if (p->txns[i]->func == f)
            return p->txns[i];
    return NULL;
}
