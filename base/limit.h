/* Limits: time, memory, Ctrl-C.  One watcher thread looks at the clock and the resident memory and
 * waits for SIGINT and SIGTERM.  When a limit is hit, it
 *   1. records why (limit_reached() is then true, for loops that poll),
 *   2. calls the registered interrupts (for solvers that can be told to stop from another thread),
 *   3. and if the program has not ended on its own after a quarter of a second (at once on a second
 *      Ctrl-C, or if the memory is all used up), calls the last-words hook and ends with the exit
 *      code that it gives.
 * Polling costs one relaxed load.
 *
 * The time limit counts as hit early, by a tenth of it but at most by half a second, so that the
 * program can stop in order and print what is decided; the quarter of a second begins at the limit
 * itself.
 *
 * There is no grace period for memory.  Step 1 happens a little below the limit, so that the
 * program can still report what it knows; at the limit the watcher ends the program at once.
 * Between two looks of the watcher the kernel refuses allocations beyond what was left
 * (RLIMIT_DATA), also in libraries.  A library that crashes because it was refused memory counts as
 * having hit the limit, too.
 *
 * Every stage says what it is doing (limit_phase), so that UNKNOWN names what was running. */
#ifndef BASE_LIMIT_H
#define BASE_LIMIT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/limit_poll.h"

enum limit_reason { LIMIT_NONE, LIMIT_TIME, LIMIT_MEMORY, LIMIT_INTERRUPT };

/* Start watching.  0 seconds means no limit, 0 megabytes what the machine can spare
 * (spare_memory.h). Call once, before other threads exist (the signal mask is inherited).
 * last_words prints the verdict in whatever format was asked for and gives the exit code, in
 * general 5, UNKNOWN. */
void limit_start(double seconds, size_t megabytes, int (*last_words)(enum limit_reason));
/* Stop watching and restore the signals' default actions. */
void limit_stop(void);
enum limit_reason limit_why(void);
const char *limit_name(void); /* "time", "memory", "interrupt" or "" */
/* As limit_text, for work that was not begun: "not tried: time ran out (10 s) while PHASE", where
 * `how` is "not tried" or the like. */
const char *limit_text_of(const char *how);

/* A step of the phase: "reading h.jsonl (STEP)", until the next step or phase; "" ends it. */
void limit_step(const char *step);
/* The work that begins now takes this much memory for any input; a smaller limit is reported as too
 * small. */
void limit_needs(size_t megabytes, const char *what);
/* The phase of the thread that set one last, or the phase when a limit was hit; "" if none was
 * set. */
const char *limit_phase_text(void);

/* The verdict is known and its printing begins: from now on the time limit does not count, and no
 * limit interrupts the output unless printing takes very long. */
void limit_speak(void);
/* Output of the report is about to be written.  A limit that is hit before this call still prints
 * its last words; after it, the program ends without another verdict. */
void limit_uttered(void);
/* The verdict is printed, and only cleaning up is left: from now on a limit ends the program
 * silently and with this exit code. */
void limit_said(int exit_code);
/* There is more work to do after all: the next file. */
void limit_work(void);
/* How long to wait, once a limit is hit, for the program to end on its own: longer than usual where
 * a server must be cleaned up, shorter inside a library that does not poll. */
void limit_allow(double seconds);
#define LIMIT_GRACE_SECONDS 0.25

/* Call fn(arg) from the watcher when a limit is hit (at once, if one already was). */
int limit_add_interrupt(void (*fn)(void *), void *arg);
void limit_remove_interrupt(int id);

/* For a signal handler: did this thread crash, with this errno, because it was refused memory?
 * Then limit_end_crashed ends the program as the limit does. */
bool limit_refused_memory(int error);
_Noreturn void limit_end_crashed(void);

double limit_elapsed(void);   /* wall-clock seconds since limit_start */
double limit_remaining(void); /* seconds of the time limit to work in; HUGE_VAL: no limit */

#endif
