/* Crashes of this program or of a library: print one line that says so and what to report, remove
 * half-written files, and end with an exit code; if the limit refused memory, end with UNKNOWN
 * instead.  The most likely reason is an exhausted stack, so the handler has a stack of its own,
 * and the main thread a larger one than usual. */
#ifndef BASE_CRASH_H
#define BASE_CRASH_H

#include <stddef.h>

/* `what`: the program and its version.  Call it first thing in main. */
void crash_catch(const char *what, int exit_code);
/* Gives the calling thread an alternate stack: to be called first thing in a thread that may need
 * much stack.  The stack is released when the thread ends.  Does nothing without crash_catch. */
void crash_thread(void);

#endif
