/* A portfolio over the cores: other threads try a bounded run in other ways, and the first thread
 * that shows that everything holds ends the search of all.
 *
 * The thread that was asked, the *first* thread, proceeds as if it were alone (run.c), and only it
 * finds executions.  So verdicts and counterexamples do not depend on which thread is faster, nor
 * on the number of threads: the others can only save it the work of proving that there is no
 * violation. */
#ifndef ENCODE_RACE_H
#define ENCODE_RACE_H

#include "encode/run.h"

struct race;

/* Starts a thread for each spare program of the input; NULL if there is none.  unsettled: by
 * property, what is to be settled. */
struct race *race_start(const struct run_input *in, const bool *unsettled, bool slots);
/* Ends all threads. */
void race_end(struct race *r, struct stats *stats);

/* What ends the checks of the first thread, once another one has the answer. */
struct z3ctx_stop *race_stop(struct race *r);
/* The first thread begins (or ends) a check that another thread may make unnecessary.  False: it
 * already is. */
bool race_enter(struct race *r);
void race_leave(struct race *r);
/* The first thread has settled a property itself. */
void race_settled(struct race *r, uint32_t property);
/* Another thread has settled all that is left; then race_answer says how. */
bool race_over(struct race *r);
const struct run_item *race_answer(struct race *r, uint32_t property);

#endif
