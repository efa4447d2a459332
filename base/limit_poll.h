/* What code that may run for long asks: is there still time?  limit.c answers; a program without
 * limits (certifier/visar_certify.c) may answer itself. */
#ifndef BASE_LIMIT_POLL_H
#define BASE_LIMIT_POLL_H

#include <stdbool.h>

bool limit_reached(void);
/* "time ran out (10 s) while PHASE", "memory ran out (500 MB) while PHASE", "interrupted while
 * PHASE" or "".  PHASE is what the calling thread was doing when the limit was hit; without
 * "while" if it has not said.  The text stays valid. */
const char *limit_text(void);
/* Say what this thread does from now on, so that "… while PHASE" is English: "reading h.jsonl".
 * Has no effect once a limit is hit. */
void limit_phase(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif
