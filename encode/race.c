/* The portfolio over the cores, see race.h.
 *
 * A runner works on its own program (terms are made while encoding, so programs are not shared), in
 * its own solver context, without a budget, with an encoding and a seed of its own.  When it is
 * done, it wakes the first thread if that is waiting for an answer which the runner has: every
 * property HOLDS or is VACUOUS, or has been settled by the first thread before.  A violation that a
 * runner finds is not reported: the first thread will find its own.
 *
 * One lock guards everything; the checks of the first thread are ended under it, which cannot
 * block: ending a check needs only the check's own lock. */
#include "encode/race.h"

#include <pthread.h>
#include <string.h>

#include "base/crash.h"
#include "base/mem.h"

struct runner {
    struct race *race;
    pthread_t thread;
    struct run_input in;
    struct verify_question question;
    struct stats stats;
    struct arena arena;
    run_items items;
    bool done;
};

struct race {
    pthread_mutex_t lock;
    size_t n_props;
    bool *wanted;    /* by property: at the start */
    bool *unsettled; /* still */
    bool waiting;
    struct z3ctx_stop *stop;
    struct runner *winner;
    struct runner *runners;
    size_t n_runners;
};

static const struct run_item *item_of(const struct runner *r, uint32_t property)
{
    for (size_t i = 0; i < r->items.len; i++)
        if (r->items.data[i].property == property)
            return &r->items.data[i];
    return NULL;
}

static bool settles(const struct run_item *item)
{
    return item && (item->status == VERIFY_HOLDS || item->status == VERIFY_VACUOUS);
}

/* With the lock: does a runner have the rest of the answer? */
static bool look_for_winner(struct race *race)
{
    for (size_t i = 0; i < race->n_runners && !race->winner; i++) {
        const struct runner *r = &race->runners[i];
        bool all = r->done;
        for (uint32_t p = 0; p < race->n_props && all; p++)
            all = !race->unsettled[p] || settles(item_of(r, p));
        if (all)
            race->winner = &race->runners[i];
    }
    return race->winner != NULL;
}

static void *run(void *arg)
{
    struct runner *r = arg;
    crash_thread();
    run_bounded(&r->in, &r->items);
    pthread_mutex_lock(&r->race->lock);
    r->done = true;
    if (look_for_winner(r->race) && r->race->waiting)
        enc_stop_now(r->race->stop);
    pthread_mutex_unlock(&r->race->lock);
    return NULL;
}

/* The encodings in turn, those that the first thread begins with last; then other seeds. */
static bool start(struct race *race, const struct run_input *in, size_t number, bool slots)
{
    struct runner *r = &race->runners[number];
    r->race = race;
    r->question = *in->question;
    r->question.encoding = slots && number % 2 ? VERIFY_SLOT : VERIFY_EVENT;
    r->question.stats = &r->stats;
    r->question.dump_smt2 = NULL;
    r->question.keep_raw = true;
    r->in = *in;
    r->in.question = &r->question;
    r->in.of = in->spare[number];
    r->in.spare = NULL;
    r->in.n_spare = 0;
    r->in.wanted = race->wanted;
    r->in.quietly = true;
    r->in.seed = (unsigned)(slots ? number / 2 : number + 1);
    r->in.stop = enc_stop_new();
    r->in.pool = enc_pool_new();
    r->in.arena = &r->arena;
    return pthread_create(&r->thread, NULL, run, r) == 0;
}

static void free_runner(struct runner *r)
{
    for (size_t i = 0; i < r->items.len; i++)
        exec_free(r->items.data[i].execution);
    vec_free(&r->items);
    enc_pool_free(r->in.pool);
    enc_stop_free(r->in.stop);
    arena_free(&r->arena);
}

struct race *race_start(const struct run_input *in, const bool *unsettled, bool slots)
{
    if (!in->n_spare)
        return NULL;
    struct race *race = mem_calloc(1, sizeof *race);
    pthread_mutex_init(&race->lock, NULL);
    race->n_props = in->of.props->v.len;
    race->wanted = mem_calloc(race->n_props + 1, sizeof *race->wanted);
    race->unsettled = mem_calloc(race->n_props + 1, sizeof *race->unsettled);
    memcpy(race->wanted, unsettled, race->n_props * sizeof *unsettled);
    memcpy(race->unsettled, unsettled, race->n_props * sizeof *unsettled);
    race->stop = enc_stop_new();
    race->runners = mem_calloc(in->n_spare, sizeof *race->runners);
    for (size_t i = 0; i < in->n_spare; i++) {
        /* Runners that are already there may look at the list of them. */
        pthread_mutex_lock(&race->lock);
        bool started = start(race, in, i, slots);
        race->n_runners += started;
        pthread_mutex_unlock(&race->lock);
        if (!started) {
            free_runner(&race->runners[i]);
            break;
        }
    }
    return race;
}

void race_end(struct race *race, struct stats *stats)
{
    if (!race)
        return;
    for (size_t i = 0; i < race->n_runners; i++)
        enc_stop_now(race->runners[i].in.stop);
    for (size_t i = 0; i < race->n_runners; i++) {
        pthread_join(race->runners[i].thread, NULL);
        if (stats)
            stats_add(stats, &race->runners[i].stats);
        free_runner(&race->runners[i]);
    }
    enc_stop_free(race->stop);
    pthread_mutex_destroy(&race->lock);
    mem_free(race->runners);
    mem_free(race->wanted);
    mem_free(race->unsettled);
    mem_free(race);
}

struct z3ctx_stop *race_stop(struct race *race)
{
    return race->stop;
}

bool race_enter(struct race *race)
{
    pthread_mutex_lock(&race->lock);
    race->waiting = !look_for_winner(race);
    bool enter = race->waiting;
    pthread_mutex_unlock(&race->lock);
    return enter;
}

void race_leave(struct race *race)
{
    pthread_mutex_lock(&race->lock);
    race->waiting = false;
    pthread_mutex_unlock(&race->lock);
}

void race_settled(struct race *race, uint32_t property)
{
    pthread_mutex_lock(&race->lock);
    race->unsettled[property] = false;
    pthread_mutex_unlock(&race->lock);
}

bool race_over(struct race *race)
{
    pthread_mutex_lock(&race->lock);
    bool over = race->winner != NULL;
    pthread_mutex_unlock(&race->lock);
    return over;
}

/* After race_over: the winner has ended, its items stay. */
const struct run_item *race_answer(struct race *race, uint32_t property)
{
    return item_of(race->winner, property);
}
