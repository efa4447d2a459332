/* Folds as terms mean what the interpreter does: every function of a program with folds of every
 * shape, on random states of 1 to 5 rows, for each kind of snapshot.  The fuzzer does the same with
 * random programs and a compiler. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "base/map.h"
#include "tests/fuzz/symexec/fuzz.h"

#define FOLDS "tests/fuzz/symexec/programs/folds.c"
/* With skip_locked, for which compiled code has no choice, and ATOMIC loops. */
#define STATEMENTS "tests/golden/summary/programs/statements.c"
#define STATES 150

static uint64_t below(uint64_t *rng, uint64_t n)
{
    *rng += 0x9e3779b97f4a7c15u;
    return hash_u64(*rng) % n;
}

/* Small values, which meet each other; now and then one that makes sums overflow. */
static ast_int any_value(uint64_t *rng, const struct ast_type *t)
{
    if (below(rng, 60) == 0)
        return below(rng, 2) ? ast_int_max(t) : ast_int_max(t) / 2 + 1;
    return ast_int_cast(t, (ast_int)below(rng, 6) - (t->is_signed ? 1 : 0));
}

static void any_input(uint64_t *rng, const struct fz_database *db, const struct ast_func *f,
                      struct fz_input *in)
{
    for (uint32_t i = 0; i < f->n_params; i++) {
        const struct ast_var *v = f->params[i];
        in->args[i] = v->ranges ? (ast_int)below(rng, fz_extent(db, v->ranges))
                                : ast_int_cast(v->type, (ast_int)below(rng, 7) - 1);
    }
    for (uint32_t i = 0; i < FZ_NONDET; i++)
        in->nondet[i] = (ast_int)below(rng, 7) - 1;
    for (uint32_t i = 0; i < db->n; i++)
        in->state[i] = f->role == AST_INITIAL ? 0 : any_value(rng, db->types[i]);
}

struct bench {
    struct ast_program *ast;
    struct diag_list diags;
    struct sx_program sx;
    struct sx_evaluator evaluator;
    unsigned runs, stopped, overflows, partial;
};

/* The interpreter adds one by one: its sums may overflow where the total does not, or earlier. With
 * values that are hardly ever negative the total does, too, nearly always. */
static bool is_overflow(struct bench *b, const struct fz_outcome *interp,
                        const struct fz_outcome *summary)
{
    bool overflow = interp->end == FZ_OVERFLOW && !summary->problem;
    b->overflows += overflow;
    b->partial += overflow && summary->end != FZ_OVERFLOW;
    return overflow;
}

static void run_once(struct bench *b, const struct fz_database *db, const struct sx_summary *s,
                     struct fz_input *in)
{
    struct fz_outcome interp, summary;
    fz_outcome_init(&interp, db, in);
    fz_outcome_init(&summary, db, in);
    in->drift = s->func->role == AST_TRANSACTION ? b->sx.options.reads : SX_READS_SNAPSHOT;
    fz_interp_run(b->ast, db, s->func, &b->sx.options, in, &interp);
    fz_summary_run(&b->sx, db, s, in, &b->evaluator, &summary);
    b->runs++;
    b->stopped += interp.end != FZ_COMMITTED;
    if (!is_overflow(b, &interp, &summary)) {
        const char *difference = fz_compare_folds(&summary, &interp, db, s->func);
        if (difference)
            fail_msg("%s with %d rows: %s", s->func->name, (int)db->rows, difference);
    }
    fz_outcome_free(&interp);
    fz_outcome_free(&summary);
}

static void run_summary(struct bench *b, const struct sx_summary *s)
{
    uint64_t rng = hash_bytes(s->func->name, strlen(s->func->name));
    for (uint64_t rows = 1; rows <= FZ_SIZES; rows++) {
        struct fz_database db;
        struct fz_input in = {0};
        fz_database_init(&db, b->ast, rows);
        in.state = mem_calloc(db.n + 1, sizeof *in.state);
        for (unsigned i = 0; i < STATES / FZ_SIZES; i++) {
            any_input(&rng, &db, s->func, &in);
            run_once(b, &db, s, &in);
        }
        mem_free(in.state);
        fz_database_free(&db);
    }
}

static struct bench run_all(const char *program, struct sx_options options)
{
    const char *include[] = {"frontend/include"};
    struct ast_options o = {
        .include_dirs = include, .n_include_dirs = 1, .no_compile_commands = true};
    struct bench b = {0};
    bool ok = ast_parse(program, &o, &b.diags, &b.ast) && sx_classify(b.ast, &b.diags) &&
              sx_run(b.ast, &options, &b.diags, &b.sx);
    if (!ok)
        diag_print(&b.diags, stderr, false);
    assert_true(ok);
    if (b.sx.initial->func)
        run_summary(&b, b.sx.initial);
    for (uint32_t i = 0; i < b.sx.n_txns; i++)
        run_summary(&b, b.sx.txns[i]);
    for (uint32_t i = 0; i < b.sx.n_invariants; i++)
        run_summary(&b, b.sx.invariants[i]);
    for (uint32_t i = 0; i < b.sx.n_finals; i++)
        run_summary(&b, b.sx.finals[i]);
    for (uint32_t i = 0; i < b.sx.n_constraints; i++)
        run_summary(&b, b.sx.constraints[i]);
    sx_evaluator_free(&b.evaluator);
    sx_free(&b.sx);
    ast_free(b.ast);
    diag_free(&b.diags);
    return b;
}

static void run_both(struct sx_options options)
{
    struct bench b = run_all(FOLDS, options);
    assert_true(b.runs > 5000 && b.stopped > 500);
    assert_true(b.overflows > 50 && b.partial < b.overflows / 20);
    b = run_all(STATEMENTS, options);
    assert_true(b.runs > 800 && b.stopped > 30 && b.stopped < b.runs / 2);
}

static void one_snapshot(void **state)
{
    (void)state;
    run_both((struct sx_options){.folds = SX_FOLDS_TERMS});
}

static void snapshot_per_statement(void **state)
{
    (void)state;
    run_both((struct sx_options){.folds = SX_FOLDS_TERMS, .reads = SX_READS_STATEMENT});
}

static void each_read(void **state)
{
    (void)state;
    run_both((struct sx_options){.folds = SX_FOLDS_TERMS, .reads = SX_READS_EACH});
}

static void by_field(void **state)
{
    (void)state;
    run_both((struct sx_options){.folds = SX_FOLDS_TERMS, .granularity = SX_FIELD});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_snapshot),
        cmocka_unit_test(snapshot_per_statement),
        cmocka_unit_test(each_read),
        cmocka_unit_test(by_field),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
