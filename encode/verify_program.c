/* Opening and closing programs.  Questions make terms, so each thread has a store of terms of its
 * own; the summaries, which refer to terms by number, are the same for all. */
#include "encode/verify_program.h"

#include <assert.h>

#include "base/mem.h"

static void executed_free(struct executed *x)
{
    for (int kind = 0; kind < 3; kind++)
        sx_free(&x->sx[kind]); /* one that failed or was not begun, too */
    for (int kind = 0; kind < 3; kind++)
        vec_free(&x->initial_items[kind]);
    properties_free(&x->props);
    pthread_mutex_destroy(&x->lock);
    mem_free(x);
}

/* All three kinds are executed, whatever the questions will be: a check may be decided by one kind
 * and left to the solver by another, and the list of properties is the same for all models. */
static struct executed *execute(struct ast_program *ast, const struct verify_options *options,
                                struct diag_list *d)
{
    struct executed *x = mem_calloc(1, sizeof *x);
    pthread_mutex_init(&x->lock, NULL);
    for (int kind = SX_READS_SNAPSHOT; kind <= SX_READS_EACH; kind++) {
        struct sx_options o = {.reads = (enum sx_reads)kind,
                               .granularity = options->granularity,
                               .check_overflow = options->check_overflow,
                               .unwind = options->unwind};
        if (!sx_run(ast, &o, d, &x->sx[kind])) {
            executed_free(x);
            return NULL;
        }
        properties_collect(&x->props, &x->sx[kind]);
    }
    properties_collect_asserts(&x->props, ast);
    return x;
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
    struct executed *shared = execute(ast, options, d);
    return shared ? open_shared(ast, shared) : NULL;
}

struct verify_program *verify_open_again(struct verify_program *v)
{
    return open_shared(v->ast, v->shared);
}

void verify_close(struct verify_program *v)
{
    if (!v)
        return;
    for (int kind = 0; kind < 3; kind++)
        if (v->copied[kind])
            sx_free(&v->sx[kind]);
    assert(v->shared->users > 0);
    if (--v->shared->users == 0)
        executed_free(v->shared);
    mem_free(v);
}

struct sx_program *verify_summaries(struct verify_program *v, enum sx_reads kind)
{
    if (!v->copied[kind]) {
        sx_copy(&v->shared->sx[kind], &v->sx[kind]);
        v->copied[kind] = true;
    }
    return &v->sx[kind];
}
