/* Limits: time, memory, Ctrl-C.  One watcher thread looks at the clock and the resident memory and
 * waits for SIGINT and SIGTERM.  When a limit is hit, it
 *   1. records why (limit_reached() is then true, for loops that poll),
 *   2. calls the registered interrupts (for solvers that can be told to stop from another thread),
 *   3. and if the program has not ended on its own after a grace period (or on a second Ctrl-C),
 *      calls the last-words hook and leaves with the exit code that it gives.
 * Polling costs one relaxed load. */
#ifndef BASE_LIMIT_H
#define BASE_LIMIT_H

#include <stdbool.h>
#include <stddef.h>

enum limit_reason { LIMIT_NONE, LIMIT_TIME, LIMIT_MEMORY, LIMIT_INTERRUPT };

/* Start watching.  0 means no limit.  Call once, before other threads exist (the signal mask is
 * inherited).  last_words prints the verdict in whatever format was asked for and gives the exit
 * code, in general 5, UNKNOWN. */
void limit_start(double seconds, size_t megabytes, int (*last_words)(enum limit_reason));
/* Stop watching; the signals' default effect is back. */
void limit_stop(void);
bool limit_reached(void);
enum limit_reason limit_why(void);
/* "time limit of 10 s reached", "memory limit of 500 MB reached", "interrupted" or "". */
const char *limit_text(void);

/* Call fn(arg) from the watcher when a limit is hit (at once, if one already was). */
int limit_add_interrupt(void (*fn)(void *), void *arg);
void limit_remove_interrupt(int id);

double limit_elapsed(void);   /* wall-clock seconds since limit_start */
double limit_remaining(void); /* seconds until the time limit; HUGE_VAL if there is none */

#endif
