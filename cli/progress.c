/* What the program is doing, on one line of the terminal: from the first second on, drawn anew
 * every quarter of a second by a thread of its own, so that also a step that takes long shows that
 * time passes.  The terminal is one per process, and so is this line. */
#include <pthread.h>
#include <stdarg.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/limit.h"
#include "base/strbuf.h"
#include "base/terminal.h"
#include "base/text.h"
#include "cli/cli.h"

#define FIRST_SECONDS 1.0
#define PERIOD_NANOSECONDS 250000000L
#define STACK_BYTES (128 * 1024)

static struct {
    pthread_mutex_t lock;
    pthread_cond_t stop;
    pthread_t thread;
    bool running, stopping;
    bool drawn;     /* the line is on the terminal */
    char text[300]; /* "": there is nothing to say */
} line = {.lock = PTHREAD_MUTEX_INITIALIZER, .stop = PTHREAD_COND_INITIALIZER};

/* Past the guard of standard error (base/terminal.h), which lets no such sequence through. */
static void clear_line(void)
{
    fflush(stderr);
    if (write(STDERR_FILENO, "\r\033[K", 4) < 0)
        line.drawn = false;
}

/* All of these with the lock held. */
static void erase(void)
{
    if (line.drawn)
        clear_line();
    line.drawn = false;
}

static void draw(void)
{
    struct strbuf b = {0};
    char time[32];
    if (!*line.text || limit_elapsed() < FIRST_SECONDS || limit_reached())
        return;
    snprintf(time, sizeof time, " … %.0f s", limit_elapsed());
    text_safe(line.text, strlen(line.text), &b);
    size_t room = (size_t)terminal_columns(STDERR_FILENO) - strlen(time);
    clear_line();
    fprintf(stderr, "%.*s%s", (int)text_cut(sb_str(&b), b.len < room ? b.len : room), sb_str(&b),
            time);
    fflush(stderr);
    line.drawn = true;
    sb_free(&b);
}

static void *ticker(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&line.lock);
    while (!line.stopping) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += PERIOD_NANOSECONDS;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        pthread_cond_timedwait(&line.stop, &line.lock, &until);
        if (!line.stopping)
            draw();
    }
    erase();
    pthread_mutex_unlock(&line.lock);
    return NULL;
}

void cli_progress_start(const struct cli *c)
{
    pthread_attr_t attributes;
    if (c->opt.quiet || !isatty(STDERR_FILENO) || pthread_attr_init(&attributes) != 0)
        return;
    pthread_attr_setstacksize(&attributes, STACK_BYTES); /* counts towards --memory */
    line.running = pthread_create(&line.thread, &attributes, ticker, NULL) == 0;
    pthread_attr_destroy(&attributes);
}

void cli_progress_leave(void)
{
    if (!line.running || pthread_mutex_trylock(&line.lock) != 0)
        return;
    *line.text = 0;
    erase();
    pthread_mutex_unlock(&line.lock);
}

void cli_progress_stop(void)
{
    if (!line.running)
        return;
    pthread_mutex_lock(&line.lock);
    line.stopping = true;
    pthread_cond_signal(&line.stop);
    pthread_mutex_unlock(&line.lock);
    pthread_join(line.thread, NULL);
    line.running = false;
}

void cli_progress(struct cli *c, const char *fmt, ...)
{
    va_list ap;
    (void)c;
    if (!line.running)
        return;
    pthread_mutex_lock(&line.lock);
    va_start(ap, fmt);
    vsnprintf(line.text, sizeof line.text, fmt, ap);
    va_end(ap);
    if (!*line.text)
        erase();
    else if (line.drawn)
        draw();
    pthread_mutex_unlock(&line.lock);
}
