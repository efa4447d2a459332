#include "base/crash.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/io.h"
#include "base/limit.h"

#define ALTERNATE_BYTES ((size_t)64 * 1024)
/* Linux leaves 128 MB below the stack of the main thread free, whatever its limit was. */
#define STACK_BYTES ((rlim_t)120 << 20)

/* A signal's handler knows nothing but what is global. */
static struct {
    const char *what;
    int exit_code;
    atomic_flag crashed;
    pthread_key_t stacks;
} crash = {.crashed = ATOMIC_FLAG_INIT};

static const char *name_of(int signal)
{
    switch (signal) {
    case SIGSEGV:
        return "SIGSEGV: a wild pointer, or the stack is used up";
    case SIGBUS:
        return "SIGBUS: a file that became shorter while it was read, or a wild pointer";
    case SIGFPE:
        return "SIGFPE: a division by zero";
    case SIGILL:
        return "SIGILL: an instruction that this processor does not have";
    default:
        return "SIGABRT";
    }
}

static void say(const char *text)
{
    if (write(STDERR_FILENO, text, strlen(text)) < 0)
        _exit(crash.exit_code);
}

/* Only what may be called in a signal's handler.  A library that was refused memory may well crash:
 * that is the limit, and not an error. */
static void crashed(int signal)
{
    int error = errno;
    if (atomic_flag_test_and_set(&crash.crashed)) /* another thread is already speaking */
        for (;;)
            pause();
    if (limit_refused_memory(error))
        limit_end_crashed();
    const char *phase = limit_phase_text();
    io_abandon_all();
    say("visar: internal error (");
    say(name_of(signal));
    say(")");
    if (*phase) {
        say(" while ");
        say(phase);
    }
    say("; no verdict is given.  Please report this line, the command, the input and the version "
        "(");
    say(crash.what);
    say(").\n");
    _exit(crash.exit_code);
}

void crash_thread(void)
{
    if (!crash.what) /* there is neither a handler nor a key */
        return;
    void *stack = malloc(ALTERNATE_BYTES);
    stack_t s = {.ss_sp = stack, .ss_size = ALTERNATE_BYTES};
    if (!stack || sigaltstack(&s, NULL) != 0)
        free(stack);
    else
        pthread_setspecific(crash.stacks, stack);
}

static void give_back(void *stack)
{
    stack_t none = {.ss_flags = SS_DISABLE};
    sigaltstack(&none, NULL);
    free(stack);
}

static void enlarge_stack(void)
{
    struct rlimit r;
    if (getrlimit(RLIMIT_STACK, &r) != 0 || r.rlim_cur == RLIM_INFINITY ||
        r.rlim_cur >= STACK_BYTES)
        return;
    r.rlim_cur =
        r.rlim_max == RLIM_INFINITY || r.rlim_max >= STACK_BYTES ? STACK_BYTES : r.rlim_max;
    setrlimit(RLIMIT_STACK, &r);
}

void crash_catch(const char *what, int exit_code)
{
    static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
    static char stack[ALTERNATE_BYTES];
    struct sigaction act = {.sa_handler = crashed, .sa_flags = SA_ONSTACK};
    stack_t s = {.ss_sp = stack, .ss_size = sizeof stack};
    crash.what = what;
    crash.exit_code = exit_code;
    pthread_key_create(&crash.stacks, give_back);
    sigemptyset(&act.sa_mask);
    sigaltstack(&s, NULL);
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        sigaction(signals[i], &act, NULL);
    enlarge_stack();
}
