/* Crashes, ours or a library's: one line that says so and what to report, half-written files
 * removed, and an exit code; but UNKNOWN if it was memory that the limit refused.  A stack that is
 * used up is the most likely reason, so the handler has a stack of its own, and the main thread a
 * larger one than usual. */
#ifndef BASE_CRASH_H
#define BASE_CRASH_H

#include <stddef.h>

/* `what`: the program and its version.  Call it first thing in main. */
void crash_catch(const char *what, int exit_code);
/* A thread's own alternate stack: call it first thing in a thread that may need much stack.  It is
 * given back when the thread ends.  Without crash_catch it does nothing. */
void crash_thread(void);

#endif
