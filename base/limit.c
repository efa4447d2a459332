#include "base/limit.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "base/io.h"
#include "base/mem.h"
#include "base/spare_memory.h"
#include "base/stats.h"

/* Signals, the clock and resident memory belong to the process, so the watcher's state is one per
 * process: the only such state besides the allocator's. */

#define INTERRUPTS_MAX 64
#define STOPPING_SECONDS 0.5 /* of the time limit, at most */
#define SPEAKING_SECONDS 5.0 /* a reader of the report that does not read on */
#define POLL_NANOSECONDS 20000000L
#define POLL_NEAR_NANOSECONDS 1000000L
/* No program touches fresh memory faster: so long the watcher may sleep. */
#define BYTES_PER_NANOSECOND 8
#define MEGABYTE ((uint64_t)1 << 20)
/* So far below the limit the program is told to stop. */
#define RESERVE_MEGABYTES 32

/* With less than this left, libraries crash: they want a thread, whose stack takes 8 MB. */
#define CROWDED_MEGABYTES 16
/* What the last words may take, once the program is at its limit. */
#define LAST_WORDS_MEGABYTES 2

#define PHASE_BYTES 240
#define NEEDS_BYTES 80
#define TEXT_BYTES (PHASE_BYTES + NEEDS_BYTES + 80)
#define TEXTS_MAX 64

/* UTTERED: some of the report is out, so nothing else can be said.  LEAVING: the watcher has the
 * word, and nobody else gets it. */
enum stage { WORKING, SPEAKING, UTTERED, SAID, LEAVING };

static struct {
    double started, seconds;
    size_t megabytes;
    bool spare; /* the megabytes are what the machine can spare */
    _Atomic double grace;
    int (*last_words)(enum limit_reason);
    atomic_int reason, stage, exit_code;
    atomic_bool exhausted; /* an allocation failed */
    pthread_mutex_t lock, phase_lock;
    struct {
        void (*fn)(void *);
        void *arg;
    } interrupts[INTERRUPTS_MAX];
    char phase[PHASE_BYTES]; /* of the thread that spoke last */
    char needs[NEEDS_BYTES]; /* "; a C program takes about 120 MB at least" */
    char texts[TEXTS_MAX][TEXT_BYTES];
    size_t n_texts;
    sigset_t signals;
    pthread_t thread;
    bool running;
    atomic_bool stopping;
    struct rlimit data_before;
} watch = {.grace = LIMIT_GRACE_SECONDS,
           .lock = PTHREAD_MUTEX_INITIALIZER,
           .phase_lock = PTHREAD_MUTEX_INITIALIZER};

/* Frozen when a limit is hit, so that it says what the thread was doing then. */
static _Thread_local char own_phase[PHASE_BYTES];
static _Thread_local size_t own_phase_length; /* without the step */

bool limit_reached(void)
{
    return atomic_load_explicit(&watch.reason, memory_order_relaxed) != LIMIT_NONE;
}

enum limit_reason limit_why(void)
{
    return (enum limit_reason)atomic_load(&watch.reason);
}

const char *limit_name(void)
{
    static const char *const names[] = {"", "time", "memory", "interrupt"};
    return names[limit_why()];
}

double limit_elapsed(void)
{
    return stats_wall_seconds() - watch.started;
}

/* The last part of the time is for stopping and saying what is known: a solver takes a while. */
static double work_seconds(void)
{
    return watch.seconds - fmin(watch.seconds / 10, STOPPING_SECONDS);
}

double limit_remaining(void)
{
    return watch.seconds > 0 ? work_seconds() - limit_elapsed() : HUGE_VAL;
}

/* ---- what is going on ------------------------------------------------------------------------ */

static void publish_phase(void)
{
    pthread_mutex_lock(&watch.phase_lock);
    memcpy(watch.phase, own_phase, sizeof watch.phase);
    pthread_mutex_unlock(&watch.phase_lock);
}

void limit_phase(const char *fmt, ...)
{
    if (limit_reached())
        return;
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(own_phase, sizeof own_phase, fmt, ap);
    va_end(ap);
    for (char *p = own_phase; *p;
         p++) /* names of files may hold anything, and a crash prints this */
        if ((unsigned char)*p < 0x20 || *p == 0x7f)
            *p = '?';
    own_phase_length = strlen(own_phase);
    if (errno == ENOMEM) /* what was refused before was borne: see limit_refused_memory */
        errno = 0;
    publish_phase();
}

void limit_step(const char *step)
{
    size_t n = own_phase_length;
    if (limit_reached())
        return;
    own_phase[n] = 0;
    if (*step)
        snprintf(own_phase + n, sizeof own_phase - n, n ? " (%s)" : "%s", step);
    publish_phase();
}

void limit_needs(size_t megabytes, const char *what)
{
    if (limit_reached() || !watch.megabytes || watch.megabytes >= megabytes)
        return;
    pthread_mutex_lock(&watch.phase_lock);
    snprintf(watch.needs, sizeof watch.needs, "; %s takes about %zu MB at least", what, megabytes);
    pthread_mutex_unlock(&watch.phase_lock);
}

const char *limit_phase_text(void)
{
    return watch.phase;
}

static void describe(enum limit_reason why, const char *how, const char *phase, char *out)
{
    char what[80] = "";
    switch (why) {
    case LIMIT_TIME:
        snprintf(what, sizeof what, "time ran out (%g s)", watch.seconds);
        break;
    case LIMIT_MEMORY:
        if (watch.megabytes)
            snprintf(what, sizeof what, "memory ran out (%zu MB%s)", watch.megabytes,
                     watch.spare ? ", all that could be spared" : "");
        else
            snprintf(what, sizeof what, "memory ran out");
        break;
    case LIMIT_INTERRUPT:
        snprintf(what, sizeof what, "interrupted");
        break;
    case LIMIT_NONE:
        break;
    }
    snprintf(out, TEXT_BYTES, "%s%s%s%s%s%s", how, *how ? ": " : "", what, *phase ? " while " : "",
             phase, why == LIMIT_MEMORY ? watch.needs : "");
}

/* Texts are kept: results have pointers to them, and outlive the threads that asked. */
static const char *kept_text(const char *how)
{
    if (limit_why() == LIMIT_NONE)
        return "";
    char text[TEXT_BYTES];
    size_t i = 0;
    pthread_mutex_lock(&watch.phase_lock);
    describe(limit_why(), how, *own_phase ? own_phase : watch.phase, text);
    while (i < watch.n_texts && strcmp(watch.texts[i], text) != 0)
        i++;
    if (i == TEXTS_MAX)
        i = 0;
    else if (i == watch.n_texts)
        memcpy(watch.texts[watch.n_texts++], text, sizeof text);
    pthread_mutex_unlock(&watch.phase_lock);
    return watch.texts[i];
}

const char *limit_text(void)
{
    return kept_text("");
}

const char *limit_text_of(const char *how)
{
    return kept_text(how);
}

static void enter(int stage)
{
    int now = atomic_load(&watch.stage);
    while (now != LEAVING && !atomic_compare_exchange_weak(&watch.stage, &now, stage))
        ;
    while (now == LEAVING) /* the watcher is faster */
        pause();
}

void limit_speak(void)
{
    enter(SPEAKING);
}

void limit_uttered(void)
{
    int now = SPEAKING;
    atomic_compare_exchange_strong(&watch.stage, &now, UTTERED);
    while (now == LEAVING)
        pause();
}

void limit_said(int exit_code)
{
    atomic_store(&watch.exit_code, exit_code);
    enter(SAID);
}

void limit_work(void)
{
    enter(WORKING);
}

void limit_allow(double seconds)
{
    atomic_store(&watch.grace, seconds);
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

/* ---- memory --------------------------------------------------------------------------------- */

struct usage {
    uint64_t resident, data; /* bytes: in memory; writable, in memory or not yet */
};

/* Without the C library's streams, which would want memory. */
static struct usage usage_now(void)
{
    struct usage u = {0, 0};
    unsigned long resident = 0, data = 0;
    char text[128];
    int fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
    if (fd >= 0)
        close(fd);
    text[n > 0 ? n : 0] = 0;
    if (sscanf(text, "%*u %lu %*u %*u %*u %lu", &resident, &data) == 2) {
        u.resident = resident * (uint64_t)sysconf(_SC_PAGESIZE);
        u.data = data * (uint64_t)sysconf(_SC_PAGESIZE);
    }
    return u;
}

static uint64_t most_bytes(void)
{
    return watch.megabytes * MEGABYTE;
}

static uint64_t room_of(struct usage u)
{
    return u.resident < most_bytes() ? most_bytes() - u.resident : 0;
}

/* Sanitizers map terabytes that they never use, and more at any time. */
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
#define KERNEL_HELPS false
#elif defined __has_feature
#define KERNEL_HELPS (!__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer))
#else
#define KERNEL_HELPS true
#endif

/* Nobody can allocate more than `room` until the next look.  The limit of the kernel is for memory
 * that may be written to, used or not; so what was allocated and never touched does not count. */
static void bar_data(struct usage u, uint64_t room)
{
    struct rlimit r = watch.data_before;
    if (!KERNEL_HELPS || !u.data)
        return;
    if (r.rlim_cur == RLIM_INFINITY || u.data + room < r.rlim_cur)
        r.rlim_cur = u.data + room;
    setrlimit(RLIMIT_DATA, &r);
}

/* ---- the end --------------------------------------------------------------------------------- */

static void hit(enum limit_reason why)
{
    pthread_mutex_lock(&watch.phase_lock);
    atomic_store(&watch.reason, (int)why);
    pthread_mutex_unlock(&watch.phase_lock);
    call_interrupts();
}

_Noreturn static void leave(void)
{
    int stage = atomic_exchange(&watch.stage, LEAVING);
    if (watch.megabytes)
        bar_data(usage_now(), LAST_WORDS_MEGABYTES * MEGABYTE);
    io_abandon_all();
    if (stage == SAID)
        _exit(atomic_load(&watch.exit_code));
    if (stage == UTTERED)
        _exit(5);
    _exit(watch.last_words ? watch.last_words(limit_why()) : 5);
}

/* A thread that gets no memory waits here for the end; the watcher has what it needs for its last
 * words. */
_Noreturn static void memory_exhausted(void)
{
    atomic_store(&watch.exhausted, true);
    if (watch.running && !pthread_equal(pthread_self(), watch.thread)) {
        pthread_kill(watch.thread, SIGUSR1);
        for (;;)
            pause();
    }
    if (limit_why() == LIMIT_NONE)
        atomic_store(&watch.reason, LIMIT_MEMORY);
    leave();
}

/* The kernel is asked whether it would give as much as libraries want at a time.  If it would, a
 * single large request may have been refused all the same: then the last error of the thread was
 * that there is no memory. */
bool limit_refused_memory(int error)
{
    size_t bytes = CROWDED_MEGABYTES * MEGABYTE;
    if (!watch.running || !watch.megabytes)
        return false;
    if (error == ENOMEM)
        return true;
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED)
        return true;
    munmap(p, bytes);
    return false;
}

_Noreturn void limit_end_crashed(void)
{
    memory_exhausted();
}

/* ---- the watcher ---------------------------------------------------------------------------- */

static enum limit_reason look(bool signalled, uint64_t room)
{
    uint64_t reserve = most_bytes() / 16;
    if (reserve > RESERVE_MEGABYTES * MEGABYTE)
        reserve = RESERVE_MEGABYTES * MEGABYTE;
    if (signalled)
        return LIMIT_INTERRUPT;
    if (watch.megabytes && room < reserve)
        return LIMIT_MEMORY;
    if (watch.seconds > 0 && limit_elapsed() >= work_seconds() &&
        atomic_load(&watch.stage) == WORKING)
        return LIMIT_TIME;
    return LIMIT_NONE;
}

/* No memory is left, whatever else is going on.  Nobody is told to stop: who was refused memory may
 * hold the lock that this would need. */
static void mind_memory(uint64_t room)
{
    if (!atomic_load(&watch.exhausted) && (!watch.megabytes || room))
        return;
    if (limit_why() == LIMIT_NONE)
        atomic_store(&watch.reason, LIMIT_MEMORY);
    leave();
}

static bool grace_is_over(double since)
{
    int stage = atomic_load(&watch.stage);
    double seconds =
        stage == SPEAKING || stage == UTTERED ? SPEAKING_SECONDS : atomic_load(&watch.grace);
    return stats_wall_seconds() - since > seconds;
}

static struct timespec nap(uint64_t room)
{
    long ns = POLL_NANOSECONDS;
    if (watch.megabytes && room / BYTES_PER_NANOSECOND < POLL_NANOSECONDS)
        ns = (long)(room / BYTES_PER_NANOSECOND);
    if (watch.seconds > 0 && limit_remaining() * 1e9 < (double)ns)
        ns = (long)(limit_remaining() * 1e9);
    return (struct timespec){0, ns < POLL_NEAR_NANOSECONDS ? POLL_NEAR_NANOSECONDS : ns};
}

/* SIGUSR1 only wakes the watcher, so that limit_stop need not wait for its next look. */
static void *watcher(void *arg)
{
    (void)arg;
    double since = 0;
    free(malloc(1)); /* an arena of its own, as long as there is memory */
    while (!atomic_load(&watch.stopping)) {
        struct usage u = watch.megabytes ? usage_now() : (struct usage){0, 0};
        uint64_t room = room_of(u);
        if (watch.megabytes)
            bar_data(u, room);
        struct timespec poll = nap(room);
        mind_memory(room);
        int got = sigtimedwait(&watch.signals, NULL, &poll);
        bool signalled = got == SIGINT || got == SIGTERM;
        if (limit_why() != LIMIT_NONE) {
            call_interrupts(); /* a solver started since then must stop too */
            if (signalled || grace_is_over(since))
                leave();
        } else {
            enum limit_reason why = look(signalled, room);
            if (why != LIMIT_NONE) {
                hit(why);
                since = why == LIMIT_TIME ? watch.started + watch.seconds : stats_wall_seconds();
            }
        }
    }
    return NULL;
}

void limit_start(double seconds, size_t megabytes, int (*last_words)(enum limit_reason))
{
    watch.started = stats_wall_seconds();
    watch.seconds = seconds;
    watch.spare = !megabytes;
    watch.megabytes = megabytes ? megabytes : spare_megabytes("");
    watch.last_words = last_words;
    getrlimit(RLIMIT_DATA, &watch.data_before);
    mem_on_exhausted(memory_exhausted);
    sigemptyset(&watch.signals);
    sigaddset(&watch.signals, SIGINT);
    sigaddset(&watch.signals, SIGTERM);
    sigaddset(&watch.signals, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &watch.signals, NULL);
    watch.running = pthread_create(&watch.thread, NULL, watcher, NULL) == 0;
    if (!watch.running) /* Ctrl-C must still end the program */
        pthread_sigmask(SIG_UNBLOCK, &watch.signals, NULL);
    if (watch.megabytes) { /* from the beginning, however late the watcher gets its turn */
        struct usage u = usage_now();
        bar_data(u, room_of(u));
    }
}

void limit_stop(void)
{
    if (!watch.running)
        return;
    atomic_store(&watch.stopping, true);
    pthread_kill(watch.thread, SIGUSR1);
    pthread_join(watch.thread, NULL);
    watch.running = false;
    setrlimit(RLIMIT_DATA, &watch.data_before);
    pthread_sigmask(SIG_UNBLOCK, &watch.signals, NULL);
}
