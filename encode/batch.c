/* Questions in parallel: a shared counter deals them out to threads, each with a program of its
 * own.  Questions are asked in order, so with one thread this is a plain loop. */
#include "encode/batch.h"

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "base/crash.h"
#include "base/mem.h"
#include "base/vec.h"

struct batch {
    unsigned jobs;
    VEC(struct verify_program *) programs;
    VEC(struct verify_result *) answers;
};

struct deal {
    const struct verify_question *questions;
    struct verify_result **answers;
    struct stats *stats; /* one for each question */
    size_t n;
    size_t spare; /* programs that each question may use besides its own */
    atomic_size_t next;
};

struct hand {
    struct deal *deal;
    struct verify_program *const *programs; /* 1 + deal->spare */
    pthread_t thread;
    bool helper; /* runs in a thread of its own */
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

/* Programs are opened from the calling thread: what they share counts its users without a lock. */
static void open_programs(struct batch *b, size_t n)
{
    while (b->programs.len < n)
        vec_push(&b->programs, verify_open_again(b->programs.data[0]));
}

struct batch *batch_open(struct ast_program *ast, const struct verify_options *options,
                         unsigned jobs, struct diag_list *d)
{
    struct verify_program *first = verify_open(ast, options, d);
    if (!first)
        return NULL;
    struct batch *b = mem_calloc(1, sizeof *b);
    b->jobs = jobs ? jobs : processors();
    vec_push(&b->programs, first);
    return b;
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
    if (hand->helper)
        crash_thread();
    while ((i = atomic_fetch_add(&deal->next, 1)) < deal->n) {
        struct verify_question q = deal->questions[i];
        q.spare = hand->programs + 1;
        q.n_spare = deal->spare;
        q.stats = &deal->stats[i];
        deal->answers[i] = verify_run(hand->programs[0], &q);
        assert(deal->answers[i]);
    }
    return NULL;
}

void batch_run(struct batch *b, const struct verify_question *questions, size_t n,
               struct verify_result **answers)
{
    if (n == 0)
        return;
    size_t threads = n < b->jobs ? n : b->jobs, each = b->jobs / threads;
    if (each > 1 + VERIFY_SPARE_MAX)
        each = 1 + VERIFY_SPARE_MAX;
    open_programs(b, threads * each);
    struct deal deal = {questions, answers, mem_calloc(n, sizeof *deal.stats), n, each - 1, 0};
    struct hand *hands = mem_calloc(threads, sizeof *hands);
    size_t started = 1;
    for (size_t i = 0; i < threads; i++)
        hands[i] =
            (struct hand){.deal = &deal, .programs = b->programs.data + i * each, .helper = i > 0};
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
