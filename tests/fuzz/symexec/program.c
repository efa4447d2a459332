/* One program: its functions run on random inputs, compiled, interpreted and summarised. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "generate.h"

/* ---- loading ------------------------------------------------------------------------------- */

static bool parse(struct fz_program *p, const char *file, bool complain)
{
    const char *include[] = {FZ_INCLUDE};
    struct ast_options o = {
        .include_dirs = include, .n_include_dirs = 1, .no_compile_commands = true};
    if (ast_parse(file, &o, &p->diags, &p->ast) && sx_classify(p->ast, &p->diags))
        return true;
    if (complain)
        diag_print(&p->diags, stderr, false);
    return false;
}

void fz_program_unload(struct fz_program *p)
{
    for (unsigned i = 0; i < p->n_sized; i++) {
        if (p->sized[i].native)
            fz_native_unload(p->sized[i].native);
        fz_database_free(&p->sized[i].db);
        mem_free(p->sized[i].initial);
    }
    if (p->ast) {
        sx_free(&p->sx);
        ast_free(p->ast);
    }
    diag_free(&p->diags);
}

static bool load_size(struct fz_program *p, struct fz_sized *z, uint64_t rows, const char *file,
                      const char *folder, const char *compiler)
{
    fz_database_init(&z->db, p->ast, rows);
    z->native = fz_native_load(&z->db, file, folder, compiler);
    z->initial = mem_calloc(z->db.n + 1, sizeof *z->initial);
    if (z->native)
        fz_native_initial(z->native, &z->db, z->initial);
    return z->native != NULL;
}

/* A function that cannot be summarised for every number of rows, by its last message, goes: it is
 * nobody's summary then. */
static bool leave_out(struct fz_program *p, bool complain)
{
    struct ast_func *in = NULL;
    if (!p->ast->any || p->diags.items.len == 0)
        return false;
    const struct diag *d = &vec_last(&p->diags.items);
    for (uint32_t i = 0; i < p->ast->n_funcs; i++) {
        struct ast_func *f = p->ast->funcs[i];
        if (f->role != AST_HELPER && f->loc.line <= d->loc.line &&
            (!in || f->loc.line > in->loc.line))
            in = f;
    }
    if (!in)
        return false;
    if (complain && getenv("FZ_VERBOSE"))
        fprintf(stderr, "# %s: %s\n", in->name, d->text);
    in->role = AST_HELPER;
    p->refused++;
    return true;
}

bool fz_program_load(struct fz_program *p, const char *file, const char *folder,
                     const char *compiler, struct sx_options how, bool complain)
{
    *p = (struct fz_program){.how = how};
    if (!parse(p, file, complain)) {
        p->ast = NULL;
        return false;
    }
    if (p->ast->any)
        p->how.folds = SX_FOLDS_TERMS;
    bool done = sx_run(p->ast, &p->how, &p->diags, &p->sx);
    while (!done && leave_out(p, complain)) {
        sx_free(&p->sx);
        done = sx_run(p->ast, &p->how, &p->diags, &p->sx);
    }
    if (!done) {
        if (complain)
            diag_print(&p->diags, stderr, false);
        return false;
    }
    unsigned n = p->ast->any ? FZ_SIZES : 1;
    bool ok = true;
    while (ok && p->n_sized < n) {
        p->n_sized++;
        ok = load_size(p, &p->sized[p->n_sized - 1], p->n_sized, file, folder, compiler);
    }
    return ok;
}

/* ---- inputs -------------------------------------------------------------------------------- */

static ast_int random_value(uint64_t *rng, const struct ast_type *t)
{
    ast_int lo = ast_int_min(t), hi = ast_int_max(t);
    switch (random_below(rng, 12)) {
    case 0:
        return random_below(rng, 2) ? lo : hi;
    case 1:
        return ast_int_cast(t, (ast_int)random_next(rng));
    case 2:
        return ast_int_cast(t, (ast_int)random_below(rng, 300) - 150);
    default:
        return ast_int_cast(t, (ast_int)random_below(rng, 12) - (t->is_signed ? 3 : 0));
    }
}

/* With tables of any size: values that meet each other, and sums that do not overflow, mostly. */
static ast_int random_small(uint64_t *rng, const struct ast_type *t)
{
    if (random_below(rng, 40) == 0)
        return random_value(rng, t);
    return ast_int_cast(t, (ast_int)random_below(rng, 6) - (t->is_signed ? 1 : 0));
}

static void random_input(uint64_t *rng, const struct fz_program *p, const struct fz_sized *z,
                         const struct ast_func *f, struct fz_input *in)
{
    ast_int (*any)(uint64_t *, const struct ast_type *) = p->ast->any ? random_small : random_value;
    for (uint32_t i = 0; i < f->n_params && i < FZ_ARGS; i++) {
        const struct ast_var *v = f->params[i];
        in->args[i] = v->ranges ? (ast_int)random_below(rng, fz_extent(&z->db, v->ranges))
                                : any(rng, v->type);
        if (p->ast->any && in->args[i] < -1000) /* where a loop may begin */
            in->args[i] = -1000;
    }
    for (unsigned i = 0; i < FZ_NONDET; i++) {
        in->nondet[i] = random_below(rng, 8) ? (ast_int)random_below(rng, 8) - 2
                                             : (ast_int)(int32_t)random_next(rng);
        in->returned[i] = random_below(rng, 4) ? (ast_int)random_below(rng, 20) - 4
                                               : (ast_int)(int64_t)random_next(rng);
    }
    for (uint32_t i = 0; i < z->db.n; i++)
        in->state[i] = f->role == AST_INITIAL ? z->initial[i] : any(rng, z->db.types[i]);
}

/* ---- one run ------------------------------------------------------------------------------- */

/* Undefined is undefined: gcc computes `-k != 0` as `k != 0`, leaves out operands that cannot
 * change a result, and so may not notice.  clang checks every operation as written. */
static bool compiler_missed(struct fz_setting *s, bool exact, const struct fz_outcome *native,
                            const struct fz_outcome *interp)
{
    /* An exact predicate is computed without overflow there, whatever the program's types say. */
    bool undefined = fz_is_undefined(interp->end) || (interp->inexact && !exact);
    bool same = fz_is_undefined(native->end) && native->asserts.len == interp->asserts.len;
    bool missed = undefined && !same && !strstr(s->compiler, "clang");
    s->totals.undefined += undefined;
    s->totals.missed += missed;
    return missed;
}

static bool is_exact(const struct ast_func *f)
{
    return f->name[0] == 'e'; /* gen_exact.c */
}

static const char *compare_native(struct fz_setting *s, const struct fz_database *db,
                                  const struct ast_func *f, const struct fz_outcome *native,
                                  const struct fz_outcome *interp)
{
    if (compiler_missed(s, is_exact(f), native, interp)) {
        s->totals.skipped++;
        return NULL;
    }
    if (!is_exact(f) && interp->inexact)
        return fz_is_undefined(native->end) ? NULL
                                            : "compiled: defined, interpreted: overflow in a "
                                              "predicate";
    return fz_compare_native(native, interp, db);
}

/* The overflow of a sum is judged on the total, where folds are terms; the interpreter adds one by
 * one.  Such an overflow is that of a local in a loop. */
struct place {
    struct src_loc loc;
    bool found;
};

static bool is_local(const struct ast_expr *e)
{
    while (e->kind == AST_CAST || e->kind == AST_LOAD)
        e = e->a;
    return e->kind == AST_VAR && e->var->kind == AST_VAR_LOCAL;
}

static void find_sum(struct place *p, const struct ast_expr *e)
{
    if (!e || p->found)
        return;
    bool sum = e->kind == AST_COMPOUND || e->kind == AST_INCDEC || e->kind == AST_BINARY;
    if (sum && (e->op == C_ADD || e->op == C_SUB) && memcmp(&e->loc, &p->loc, sizeof e->loc) == 0)
        p->found = is_local(e->a) || (e->b && is_local(e->b));
    find_sum(p, e->a);
    find_sum(p, e->b);
    find_sum(p, e->c);
    for (uint64_t i = 0; i < e->n_args; i++)
        find_sum(p, e->args[i]);
}

static void find_in(struct place *p, const struct ast_stmt *s, bool in_fold)
{
    if (!s)
        return;
    in_fold |= s->fold && !s->fold->refuted;
    if (in_fold)
        find_sum(p, s->expr);
    find_in(p, s->init, in_fold);
    find_in(p, s->body, in_fold);
    find_in(p, s->other, in_fold);
    for (uint32_t i = 0; i < s->n_items; i++)
        find_in(p, s->items[i], in_fold);
}

static bool is_partial(const struct ast_program *ast, const struct fz_outcome *interp,
                       const struct fz_outcome *summary)
{
    struct place p = {.loc = interp->loc};
    if (interp->end != FZ_OVERFLOW || summary->problem)
        return false;
    for (uint32_t i = 0; i < ast->n_funcs; i++)
        find_in(&p, ast->funcs[i]->body, false);
    return p.found;
}

struct running {
    struct fz_setting *s;
    struct fz_program *p;
    struct fz_sized *z;
    struct fz_input in;
    struct sx_evaluator evaluator;
    uint64_t seed;
    char *who;
};

static const char *compare_summary(struct running *r, const struct sx_summary *sum,
                                   const struct fz_outcome *summary,
                                   const struct fz_outcome *interp)
{
    bool any = r->p->ast->any;
    if (summary->end == FZ_TOO_LONG && !summary->problem) {
        r->s->totals.skipped++; /* the unwinding bound: says nothing, and says so */
        return NULL;
    }
    if (any && is_partial(r->p->ast, interp, summary)) {
        r->s->totals.partial++;
        return NULL;
    }
    return (any ? fz_compare_folds : fz_compare_summary)(summary, interp, &r->z->db, sum->func);
}

static const char *run_once(struct running *r, struct sx_program *sx, const struct sx_summary *sum)
{
    struct fz_setting *s = r->s;
    struct fz_program *p = r->p;
    const struct fz_database *db = &r->z->db;
    const struct fz_input *in = &r->in;
    struct fz_outcome native, interp, summary;
    fz_outcome_init(&native, db, in);
    fz_outcome_init(&interp, db, in);
    fz_outcome_init(&summary, db, in);
    r->in.drift = SX_READS_SNAPSHOT;
    fz_native_run(r->z->native, db, sum->func, in, &native);
    fz_interp_run(p->ast, db, sum->func, &p->how, in, &interp);
    fz_summary_run(sx, db, sum, in, &r->evaluator, &summary);
    const char *difference = NULL;
    if (interp.end == FZ_TOO_LONG)
        s->totals.skipped++;
    else
        difference = compare_native(s, db, sum->func, &native, &interp);
    if (!difference)
        difference = compare_summary(r, sum, &summary, &interp);
    s->totals.runs++;
    s->totals.ends[interp.end]++;
    s->totals.calls += interp.calls.len;
    s->totals.inexact += interp.inexact;
    fz_outcome_free(&native);
    fz_outcome_free(&interp);
    fz_outcome_free(&summary);
    return difference;
}

/* The same with values that change from statement to statement, or from read to read. */
static const char *run_drifting(struct running *r, struct sx_program *sx,
                                const struct sx_summary *sum)
{
    struct fz_outcome interp, summary;
    fz_outcome_init(&interp, &r->z->db, &r->in);
    fz_outcome_init(&summary, &r->z->db, &r->in);
    r->in.drift = r->p->how.reads;
    fz_interp_run(r->p->ast, &r->z->db, sum->func, &r->p->how, &r->in, &interp);
    fz_summary_run(sx, &r->z->db, sum, &r->in, &r->evaluator, &summary);
    const char *difference = NULL;
    if (interp.end != FZ_TOO_LONG)
        difference = compare_summary(r, sum, &summary, &interp);
    fz_outcome_free(&interp);
    fz_outcome_free(&summary);
    return difference;
}

/* ---- all functions ------------------------------------------------------------------------- */

static const char *run_function(struct running *r, struct sx_program *sx,
                                const struct sx_summary *sum)
{
    /* The same inputs for a function whatever else is in the file: shrinking relies on it. */
    uint64_t rng = r->seed * 1000003 + hash_bytes(sum->func->name, strlen(sum->func->name));
    const char *difference = NULL;
    for (unsigned i = 0; i < r->s->states && !difference; i++) {
        r->z = &r->p->sized[i % r->p->n_sized];
        random_input(&rng, r->p, r->z, sum->func, &r->in);
        difference = run_once(r, sx, sum);
        if (!difference && r->p->how.reads != SX_READS_SNAPSHOT &&
            sum->func->role == AST_TRANSACTION)
            difference = run_drifting(r, sx, sum);
    }
    if (difference)
        snprintf(r->who, 32, "%s", sum->func->name);
    r->s->totals.functions[sum->func->role]++;
    return difference;
}

static const char *run_list(struct running *r, struct sx_summary **list, uint32_t n)
{
    const char *difference = NULL;
    for (uint32_t i = 0; i < n && !difference; i++)
        difference = run_function(r, &r->p->sx, list[i]);
    return difference;
}

/* A program has one INITIAL at most: let each candidate be it in turn, with the rest helpers. */
static const char *run_initial(struct running *r, struct ast_func *f)
{
    struct ast_program *ast = r->p->ast;
    enum ast_role *roles = mem_calloc(ast->n_funcs + 1, sizeof *roles);
    struct sx_program sx;
    const char *difference = ast->any ? NULL : "the summary of INITIAL failed";
    for (uint32_t i = 0; i < ast->n_funcs; i++) {
        roles[i] = ast->funcs[i]->role;
        ast->funcs[i]->role = AST_HELPER;
    }
    f->role = AST_INITIAL;
    if (sx_run(ast, &r->p->how, &r->p->diags, &sx))
        difference = run_function(r, &sx, sx.initial);
    else
        r->s->totals.refused++;
    sx_free(&sx);
    for (uint32_t i = 0; i < ast->n_funcs; i++)
        ast->funcs[i]->role = roles[i];
    mem_free(roles);
    return difference;
}

static const char *run_initials(struct running *r)
{
    const char *difference = NULL;
    for (uint32_t i = 0; i < r->p->ast->n_funcs && !difference; i++)
        if (strncmp(r->p->ast->funcs[i]->name, "init", 4) == 0)
            difference = run_initial(r, r->p->ast->funcs[i]);
    return difference;
}

const char *fz_program_run(struct fz_setting *s, struct fz_program *p, uint64_t seed, char who[32])
{
    struct running r = {.s = s, .p = p, .seed = seed, .who = who};
    r.in.state = mem_calloc(p->sized[p->n_sized - 1].db.n + 1, sizeof *r.in.state);
    const char *difference = run_list(&r, p->sx.txns, p->sx.n_txns);
    if (!difference)
        difference = run_list(&r, p->sx.invariants, p->sx.n_invariants);
    if (!difference)
        difference = run_list(&r, p->sx.finals, p->sx.n_finals);
    if (!difference)
        difference = run_list(&r, p->sx.scenarios, p->sx.n_scenarios);
    if (!difference)
        difference = run_initials(&r);
    mem_free(r.in.state);
    sx_evaluator_free(&r.evaluator);
    return difference;
}
