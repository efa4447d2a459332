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
    if (ast_parse(file, &o, &p->diags, &p->ast))
        return true;
    if (complain)
        diag_print(&p->diags, stderr, false);
    return false;
}

void fz_program_unload(struct fz_program *p)
{
    if (p->native)
        fz_native_unload(p->native);
    if (p->ast) {
        fz_database_free(&p->db);
        sx_free(&p->sx);
        ast_free(p->ast);
    }
    mem_free(p->initial);
    diag_free(&p->diags);
}

bool fz_program_load(struct fz_program *p, const char *file, const char *folder,
                     const char *compiler, struct sx_options how, bool complain)
{
    *p = (struct fz_program){.how = how};
    if (!parse(p, file, complain)) {
        p->ast = NULL;
        return false;
    }
    fz_database_init(&p->db, p->ast);
    if (!sx_run(p->ast, &how, &p->diags, &p->sx)) {
        if (complain)
            diag_print(&p->diags, stderr, false);
        return false;
    }
    p->native = fz_native_load(p->ast, file, folder, compiler);
    p->initial = mem_calloc(p->db.n + 1, sizeof *p->initial);
    if (p->native)
        fz_native_initial(p->native, &p->db, p->initial);
    return p->native != NULL;
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

static void random_input(uint64_t *rng, const struct fz_program *p, const struct ast_func *f,
                         struct fz_input *in)
{
    for (uint32_t i = 0; i < f->n_params && i < FZ_ARGS; i++)
        in->args[i] = random_value(rng, f->params[i]->type);
    for (unsigned i = 0; i < FZ_NONDET; i++) {
        in->nondet[i] = random_below(rng, 8) ? (ast_int)random_below(rng, 8) - 2
                                             : (ast_int)(int32_t)random_next(rng);
        in->returned[i] = random_below(rng, 4) ? (ast_int)random_below(rng, 20) - 4
                                               : (ast_int)(int64_t)random_next(rng);
    }
    for (uint32_t i = 0; i < p->db.n; i++)
        in->state[i] = f->role == AST_INITIAL ? p->initial[i] : random_value(rng, p->db.types[i]);
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

static const char *compare_native(struct fz_setting *s, const struct fz_program *p,
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
    return fz_compare_native(native, interp, &p->db);
}

struct running {
    struct fz_setting *s;
    struct fz_program *p;
    struct fz_input in;
    struct term_evaluator evaluator;
    uint64_t seed;
    char *who;
};

static const char *run_once(struct running *r, struct sx_program *sx, const struct sx_summary *sum)
{
    struct fz_setting *s = r->s;
    struct fz_program *p = r->p;
    const struct fz_input *in = &r->in;
    struct fz_outcome native, interp, summary;
    fz_outcome_init(&native, &p->db, in);
    fz_outcome_init(&interp, &p->db, in);
    fz_outcome_init(&summary, &p->db, in);
    fz_native_run(p->native, &p->db, sum->func, in, &native);
    fz_interp_run(p->ast, &p->db, sum->func, &p->how, in, &interp);
    fz_summary_run(sx, &p->db, sum, in, &r->evaluator, &summary);
    const char *difference = NULL;
    if (interp.end == FZ_TOO_LONG)
        s->totals.skipped++;
    else
        difference = compare_native(s, p, sum->func, &native, &interp);
    if (!difference && summary.end == FZ_TOO_LONG && !summary.problem)
        s->totals.skipped++; /* the unwinding bound: says nothing, and says so */
    else if (!difference)
        difference = fz_compare_summary(&summary, &interp, &p->db, sum->func);
    s->totals.runs++;
    s->totals.ends[interp.end]++;
    s->totals.calls += interp.calls.len;
    s->totals.inexact += interp.inexact;
    fz_outcome_free(&native);
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
        random_input(&rng, r->p, sum->func, &r->in);
        difference = run_once(r, sx, sum);
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
    const char *difference = "the summary of INITIAL failed";
    for (uint32_t i = 0; i < ast->n_funcs; i++) {
        roles[i] = ast->funcs[i]->role;
        ast->funcs[i]->role = AST_HELPER;
    }
    f->role = AST_INITIAL;
    if (sx_run(ast, &r->p->how, &r->p->diags, &sx))
        difference = run_function(r, &sx, sx.initial);
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
    r.in.state = mem_calloc(p->db.n + 1, sizeof *r.in.state);
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
    term_evaluator_free(&r.evaluator);
    return difference;
}
