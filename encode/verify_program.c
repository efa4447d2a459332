/* Opening and closing programs, and executing them.  Questions make terms, so each thread has a
 * store of terms of its own; the summaries, which refer to terms by number, are the same for all.
 *
 * A program is executed when a question first needs it in some way: with that kind of reads, with
 * so many rows in its dimensions of any size, with folds unrolled or as terms. */
#include "encode/verify_program.h"

#include <assert.h>

#include "base/limit.h"
#include "base/mem.h"
#include "encode/enc.h"

/* ---- executing ----------------------------------------------------------------------------- */

static void summaries_free(struct summaries *s)
{
    sx_free(&s->sx); /* one that failed, too */
    vec_free(&s->initial_items);
    mem_free(s);
}

static void executed_free(struct executed *x)
{
    for (size_t i = 0; i < x->known.len; i++)
        summaries_free(x->known.data[i]);
    vec_free(&x->known);
    properties_free(&x->props);
    pthread_mutex_destroy(&x->lock);
    arena_free(&x->arena);
    mem_free(x);
}

static struct sx_options options_for(const struct executed *x, const struct ast_program *ast,
                                     enum sx_reads kind, enum sx_folds folds, uint64_t rows)
{
    bool any = ast->any, part = ast->n_large && folds == SX_FOLDS_UNROLLED;
    return (struct sx_options){.reads = kind,
                               .granularity = x->options.granularity,
                               .check_overflow = x->options.check_overflow,
                               .unwind = x->options.unwind,
                               .folds = folds,
                               .rows = any ? rows : 0,
                               .shown = !part                     ? 0
                                        : rows > ast->least_shown ? rows
                                                                  : ast->least_shown};
}

static bool same_way(const struct sx_options *a, const struct sx_options *b)
{
    return a->reads == b->reads && a->folds == b->folds && a->rows == b->rows &&
           a->shown == b->shown;
}

/* With the lock, or before anybody else knows the program. */
static struct summaries *execute(struct executed *x, struct ast_program *ast,
                                 const struct sx_options *o, struct diag_list *d)
{
    for (size_t i = 0; i < x->known.len; i++)
        if (same_way(&x->known.data[i]->sx.options, o))
            return x->known.data[i];
    struct summaries *s = mem_calloc(1, sizeof *s);
    if (!sx_run(ast, o, d, &s->sx))
        s->why_not = limit_reached() ? limit_text() : "the executor gave up";
    vec_push(&x->known, s);
    return s;
}

/* The same, later on: what is wrong is the reason why a question has no answer. */
static struct summaries *execute_now(struct executed *x, struct ast_program *ast,
                                     const struct sx_options *o)
{
    struct diag_list d = {0};
    pthread_mutex_lock(&x->lock);
    size_t before = x->known.len;
    struct summaries *s = execute(x, ast, o, &d);
    if (s->why_not && d.items.len)
        s->why_not = arena_strdup(&x->arena, d.items.data[0].text);
    if (x->known.len > before && !s->why_not && o->folds == SX_FOLDS_UNROLLED &&
        !properties_cover(&x->props, &s->sx))
        s->why_not = "this kind of reads has a check that the list of properties lacks";
    pthread_mutex_unlock(&x->lock);
    diag_free(&d);
    return s;
}

/* ---- opening ------------------------------------------------------------------------------- */

static struct summaries *collect_with(struct executed *x, struct ast_program *ast,
                                      enum sx_reads kind, uint64_t rows, struct diag_list *d)
{
    struct sx_options o = options_for(x, ast, kind, SX_FOLDS_UNROLLED, rows);
    struct summaries *s = execute(x, ast, &o, d);
    if (!s->why_not)
        properties_collect(&x->props, &s->sx);
    return s;
}

/* What is wrong is the reason why questions about the servers have no answer. */
static void collect_servers(struct executed *x, struct ast_program *ast, uint64_t rows)
{
    for (int kind = SX_READS_POSTGRESQL; kind <= SX_READS_INNODB_RR; kind++) {
        struct diag_list d = {0};
        struct summaries *s = collect_with(x, ast, (enum sx_reads)kind, rows, &d);
        if (s->why_not && d.items.len)
            s->why_not = arena_strdup(&x->arena, d.items.data[0].text);
        diag_free(&d);
    }
}

/* The list of properties is the same for all models.  A check may be decided by one kind of reads
 * and left to the solver by another; where every read is an event of its own, least is decided: the
 * other models' kinds are the executions in which some of these reads agree.  So that kind is
 * executed whatever the questions will be, and theirs when they are needed (properties_cover).  The
 * kinds of servers are executed, too, if they will be asked about: when they write a row, they read
 * its other fields once more.  Of tables of any size, one row and two rows decide different
 * checks. */
static bool collect_properties(struct executed *x, struct ast_program *ast, struct diag_list *d)
{
    bool sized = verify_is_sized(ast);
    for (uint64_t rows = sized; rows <= (sized ? 2 : 0); rows++)
        if (collect_with(x, ast, SX_READS_EACH, rows, d)->why_not)
            return false;
    for (uint64_t rows = sized; rows <= (sized ? 2 : 0) && !x->options.models_only; rows++)
        collect_servers(x, ast, rows);
    properties_collect_asserts(&x->props, ast);
    x->first = x->known.data[0];
    return true;
}

bool verify_is_sized(const struct ast_program *ast)
{
    return ast->any || ast->n_large;
}

/* ---- constraints --------------------------------------------------------------------------- */

/* Is there an initial state that the constraint is not true of? */
static bool violated_initially(struct problem *p, const struct sx_summary *sum)
{
    struct z3ctx_pool *pool = enc_pool_new();
    struct prob_predicate *pred = prob_predicate(p, sum, model_get(MODEL_SER));
    bool bits = enc_needs_bits(p, &pred, 1);
    struct enc *e = enc_event(p, &(struct enc_options){.pool = pool, .bits = bits});
    term_id fails = term_not(p->store, term_and(p->store, pred->holds, pred->defined));
    uint32_t goal = enc_goal_initially(e, pred, fails);
    bool violated = enc_check(e, &goal, 1) == ENC_YES;
    enc_free(e);
    enc_pool_free(pool);
    return violated;
}

/* A program that starts somewhere starts in a state that its constraints allow.  (Where the solver
 * does not know, the runs assume it.) */
static bool check_start(struct sx_program *sx, struct diag_list *d)
{
    size_t errors = d->errors;
    if (!sx->n_constraints || (!sx->has_initial && !sx->n_scenarios))
        return true;
    const struct model **levels = mem_calloc(sx->n_txns + 1, sizeof *levels);
    for (uint32_t i = 0; i < sx->n_txns; i++)
        levels[i] = model_get(MODEL_SER);
    struct problem *p = prob_any(sx, 0, levels, true, false);
    vec_clear(&p->constraints); /* they are asked about, not assumed */
    for (uint32_t i = 0; i < sx->n_constraints && !p->constraint_error; i++)
        if (violated_initially(p, sx->constraints[i])) {
            const struct ast_func *f = sx->constraints[i]->func;
            diag_add(d, DIAG_ERROR, f->loc, "the initial state violates CONSTRAINT '%s'", f->name);
            diag_hint(d, "%s",
                      "the database would not have accepted it: what INITIAL and "
                      "initialisers leave out is zero");
        }
    prob_free(p);
    mem_free(levels);
    return d->errors == errors;
}

static bool check_starts(struct executed *x, struct diag_list *d)
{
    bool fine = true;
    for (size_t i = 0; i < x->known.len && fine; i++)
        fine = check_start(&x->known.data[i]->sx, d);
    return fine;
}

static struct verify_program *open_shared(struct ast_program *ast, struct executed *shared)
{
    struct verify_program *v = mem_calloc(1, sizeof *v);
    v->ast = ast;
    v->shared = shared;
    shared->users++;
    return v;
}

struct verify_program *verify_open(struct ast_program *ast, const struct verify_options *options,
                                   struct diag_list *d)
{
    struct executed *x = mem_calloc(1, sizeof *x);
    x->options = *options;
    pthread_mutex_init(&x->lock, NULL);
    if (!sx_classify(ast, d) || !collect_properties(x, ast, d) || !check_starts(x, d)) {
        executed_free(x);
        return NULL;
    }
    return open_shared(ast, x);
}

struct verify_program *verify_open_again(struct verify_program *v)
{
    return open_shared(v->ast, v->shared);
}

void verify_close(struct verify_program *v)
{
    if (!v)
        return;
    for (size_t i = 0; i < v->copies.len; i++) {
        sx_free(&v->copies.data[i]->sx);
        mem_free(v->copies.data[i]);
    }
    vec_free(&v->copies);
    assert(v->shared->users > 0);
    if (--v->shared->users == 0)
        executed_free(v->shared);
    mem_free(v);
}

/* ---- summaries ----------------------------------------------------------------------------- */

static struct sx_program *copy_of(struct verify_program *v, const struct sx_options *o,
                                  const char **why)
{
    for (size_t i = 0; i < v->copies.len; i++)
        if (same_way(&v->copies.data[i]->of->sx.options, o))
            return &v->copies.data[i]->sx;
    struct summaries *s = execute_now(v->shared, v->ast, o);
    *why = s->why_not;
    if (s->why_not)
        return NULL;
    struct summaries_copy *c = mem_calloc(1, sizeof *c);
    c->of = s;
    sx_copy(&s->sx, &c->sx);
    vec_push(&v->copies, c);
    return &c->sx;
}

struct sx_program *verify_summaries(struct verify_program *v, enum sx_reads kind, uint64_t rows,
                                    const char **why)
{
    struct sx_options o = options_for(v->shared, v->ast, kind, SX_FOLDS_UNROLLED, rows);
    return copy_of(v, &o, why);
}

struct sx_program *verify_fold_summaries(struct verify_program *v, enum sx_reads kind,
                                         const char **why)
{
    struct sx_options o = options_for(v->shared, v->ast, kind, SX_FOLDS_TERMS, 0);
    return copy_of(v, &o, why);
}

struct summaries *verify_shared(struct verify_program *v, const struct sx_program *copy)
{
    for (size_t i = 0; i < v->copies.len; i++)
        if (&v->copies.data[i]->sx == copy)
            return v->copies.data[i]->of;
    assert(!"summaries of another program");
    return NULL;
}
