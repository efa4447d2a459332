#include "base/limit.h"

#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/stats.h"

/* Signals, the clock and resident memory belong to the process, so the watcher's state is one per
 * process: the only such state besides the allocator's. */

#define INTERRUPTS_MAX 64
#define GRACE_SECONDS 2.0
#define POLL_NANOSECONDS 20000000L

static struct {
    double started, seconds;
    size_t megabytes;
    int (*last_words)(enum limit_reason);
    atomic_int reason;
    pthread_mutex_t lock;
    struct {
        void (*fn)(void *);
        void *arg;
    } interrupts[INTERRUPTS_MAX];
    char text[80];
    sigset_t signals;
    pthread_t thread;
    bool running;
    atomic_bool stopping;
} watch = {.lock = PTHREAD_MUTEX_INITIALIZER};

bool limit_reached(void)
{
    return atomic_load_explicit(&watch.reason, memory_order_relaxed) != LIMIT_NONE;
}

enum limit_reason limit_why(void)
{
    return (enum limit_reason)atomic_load(&watch.reason);
}

const char *limit_text(void)
{
    return limit_why() == LIMIT_NONE ? "" : watch.text;
}

double limit_elapsed(void)
{
    return stats_wall_seconds() - watch.started;
}

double limit_remaining(void)
{
    return watch.seconds > 0 ? watch.seconds - limit_elapsed() : HUGE_VAL;
}

/* ---- interrupts ----------------------------------------------------------------------------- */

int limit_add_interrupt(void (*fn)(void *), void *arg)
{
    int id = -1;
    pthread_mutex_lock(&watch.lock);
    for (int i = 0; i < INTERRUPTS_MAX && id < 0; i++)
        if (!watch.interrupts[i].fn) {
            watch.interrupts[i].fn = fn;
            watch.interrupts[i].arg = arg;
            id = i;
        }
    pthread_mutex_unlock(&watch.lock);
    if (limit_reached())
        fn(arg);
    return id;
}

void limit_remove_interrupt(int id)
{
    if (id < 0)
        return;
    pthread_mutex_lock(&watch.lock);
    watch.interrupts[id].fn = NULL;
    pthread_mutex_unlock(&watch.lock);
}

static void call_interrupts(void)
{
    pthread_mutex_lock(&watch.lock);
    for (int i = 0; i < INTERRUPTS_MAX; i++)
        if (watch.interrupts[i].fn)
            watch.interrupts[i].fn(watch.interrupts[i].arg);
    pthread_mutex_unlock(&watch.lock);
}

/* ---- the watcher ---------------------------------------------------------------------------- */

static size_t resident_megabytes(void)
{
    FILE *f = fopen("/proc/self/statm", "r");
    unsigned long total = 0, resident = 0;
    if (!f)
        return 0;
    if (fscanf(f, "%lu %lu", &total, &resident) != 2)
        resident = 0;
    fclose(f);
    return resident / 1024 * (size_t)sysconf(_SC_PAGESIZE) / 1024;
}

static void describe(enum limit_reason why)
{
    switch (why) {
    case LIMIT_TIME:
        snprintf(watch.text, sizeof watch.text, "time limit of %g s reached", watch.seconds);
        break;
    case LIMIT_MEMORY:
        if (watch.megabytes)
            snprintf(watch.text, sizeof watch.text, "memory limit of %zu MB reached",
                     watch.megabytes);
        else
            snprintf(watch.text, sizeof watch.text, "out of memory");
        break;
    case LIMIT_INTERRUPT:
        snprintf(watch.text, sizeof watch.text, "interrupted");
        break;
    case LIMIT_NONE:
        break;
    }
}

_Noreturn static void leave(enum limit_reason why)
{
    _exit(watch.last_words ? watch.last_words(why) : 5);
}

static void hit(enum limit_reason why)
{
    describe(why);
    atomic_store(&watch.reason, (int)why);
    call_interrupts();
}

static enum limit_reason look(bool signalled)
{
    if (signalled)
        return LIMIT_INTERRUPT;
    if (watch.seconds > 0 && limit_elapsed() >= watch.seconds)
        return LIMIT_TIME;
    if (watch.megabytes && resident_megabytes() > watch.megabytes)
        return LIMIT_MEMORY;
    return LIMIT_NONE;
}

/* SIGUSR1 only wakes the watcher, so that limit_stop need not wait for its next look. */
static void *watcher(void *arg)
{
    (void)arg;
    const struct timespec poll = {0, POLL_NANOSECONDS};
    double since = 0;
    for (;;) {
        int got = sigtimedwait(&watch.signals, NULL, &poll);
        bool signalled = got == SIGINT || got == SIGTERM;
        if (atomic_load(&watch.stopping))
            return NULL;
        enum limit_reason before = limit_why();
        if (before == LIMIT_NONE) {
            enum limit_reason why = look(signalled);
            if (why != LIMIT_NONE) {
                hit(why);
                since = stats_wall_seconds();
            }
            continue;
        }
        call_interrupts(); /* a solver started since then must stop too */
        if (signalled || stats_wall_seconds() - since > GRACE_SECONDS)
            leave(before);
    }
}

static void memory_exhausted(void)
{
    if (limit_why() == LIMIT_NONE) {
        describe(LIMIT_MEMORY);
        atomic_store(&watch.reason, LIMIT_MEMORY);
    }
    leave(LIMIT_MEMORY);
}

void limit_start(double seconds, size_t megabytes, int (*last_words)(enum limit_reason))
{
    watch.started = stats_wall_seconds();
    watch.seconds = seconds;
    watch.megabytes = megabytes;
    watch.last_words = last_words;
    mem_on_exhausted(memory_exhausted);
    sigemptyset(&watch.signals);
    sigaddset(&watch.signals, SIGINT);
    sigaddset(&watch.signals, SIGTERM);
    sigaddset(&watch.signals, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &watch.signals, NULL);
    watch.running = pthread_create(&watch.thread, NULL, watcher, NULL) == 0;
    if (!watch.running) /* no watcher: Ctrl-C must still end the program */
        pthread_sigmask(SIG_UNBLOCK, &watch.signals, NULL);
}

void limit_stop(void)
{
    if (!watch.running)
        return;
    atomic_store(&watch.stopping, true);
    pthread_kill(watch.thread, SIGUSR1);
    pthread_join(watch.thread, NULL);
    watch.running = false;
    pthread_sigmask(SIG_UNBLOCK, &watch.signals, NULL);
}
