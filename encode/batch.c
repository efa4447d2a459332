/* Questions in parallel: a shared counter deals them out to threads, each with a program of its
 * own.  Questions are asked in order, so with one thread this is a plain loop. */
#include "encode/batch.h"

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/vec.h"

struct batch {
    struct ast_program *ast;
    struct verify_options options;
    struct diag_list *diags;
    unsigned jobs;
    VEC(struct verify_program *) programs;
    VEC(struct verify_result *) answers;
};

struct deal {
    const struct verify_question *questions;
    struct verify_result **answers;
    struct stats *stats; /* one for each question */
    size_t n;
    unsigned jobs_each;
    atomic_size_t next;
};

struct hand {
    struct deal *deal;
    struct verify_program *program;
    pthread_t thread;
};

static unsigned processors(void)
{
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n > 0 && n < 1024 ? (unsigned)n : 1;
}

unsigned batch_jobs(const struct batch *b)
{
    return b->jobs;
}

/* Programs are opened from the calling thread: the diagnostics are not shared. */
static bool open_programs(struct batch *b, size_t n)
{
    while (b->programs.len < n) {
        struct verify_program *v = verify_open(b->ast, &b->options, b->diags);
        if (!v)
            return false;
        vec_push(&b->programs, v);
    }
    return true;
}

struct batch *batch_open(struct ast_program *ast, const struct verify_options *options,
                         unsigned jobs, struct diag_list *d)
{
    struct batch *b = mem_calloc(1, sizeof *b);
    b->ast = ast;
    b->options = *options;
    b->diags = d;
    b->jobs = jobs ? jobs : processors();
    if (open_programs(b, 1))
        return b;
    batch_close(b);
    return NULL;
}

void batch_close(struct batch *b)
{
    if (!b)
        return;
    for (size_t i = 0; i < b->answers.len; i++)
        verify_result_free(b->answers.data[i]);
    for (size_t i = 0; i < b->programs.len; i++)
        verify_close(b->programs.data[i]);
    vec_free(&b->answers);
    vec_free(&b->programs);
    mem_free(b);
}

static void *work(void *arg)
{
    struct hand *hand = arg;
    struct deal *deal = hand->deal;
    size_t i;
    while ((i = atomic_fetch_add(&deal->next, 1)) < deal->n) {
        struct verify_question q = deal->questions[i];
        q.jobs = deal->jobs_each;
        q.stats = &deal->stats[i];
        deal->answers[i] = verify_run(hand->program, &q);
        assert(deal->answers[i]);
    }
    return NULL;
}

void batch_run(struct batch *b, const struct verify_question *questions, size_t n,
               struct verify_result **answers)
{
    if (n == 0)
        return;
    size_t threads = n < b->jobs ? n : b->jobs;
    open_programs(b, threads); /* what opened once opens again; if not, fewer will do */
    if (threads > b->programs.len)
        threads = b->programs.len;
    struct deal deal = {questions, answers, mem_calloc(n, sizeof *deal.stats), n, 1, 0};
    deal.jobs_each = threads == 1 ? b->jobs : 1;
    struct hand *hands = mem_calloc(threads, sizeof *hands);
    size_t started = 1;
    for (size_t i = 0; i < threads; i++)
        hands[i] = (struct hand){.deal = &deal, .program = b->programs.data[i]};
    while (started < threads &&
           pthread_create(&hands[started].thread, NULL, work, &hands[started]) == 0)
        started++;
    work(&hands[0]);
    for (size_t i = 1; i < started; i++)
        pthread_join(hands[i].thread, NULL);
    for (size_t i = 0; i < n; i++) {
        if (questions[i].stats)
            stats_add(questions[i].stats, &deal.stats[i]);
        vec_push(&b->answers, answers[i]);
    }
    mem_free(hands);
    mem_free(deal.stats);
}
