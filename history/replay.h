/* An expected serialization order: run the transactions one after the other in that order, and
 * every read must see the current state; a version set of a predicate read must be the current
 * state up to versions that match alike, and version orders on record must be kept.  (Whether the
 * order follows the sessions does not matter to the replay; it is said beside the verdict.) */
#ifndef HISTORY_REPLAY_H
#define HISTORY_REPLAY_H

#include "history/history.h"

typedef VEC(uint32_t) replay_order;

/* One transaction per line: "2.17" (or "t 2.17", as in certificates) is the eighteenth transaction
 * of the third session, "T17" the one with that number in the history; empty lines and lines that
 * begin with # do not count.  A certificate of a satisfied level will do as well; *note then says
 * how it is taken, if that is not obvious, else it is NULL.  Gives NULL, or a message with its
 * place: an order must have every committed transaction once, and no aborted one. */
const char *replay_read(const struct history *h, const char *path, const char *text, size_t size,
                        struct arena *messages, replay_order *out, const char **note);

struct replay_answer {
    const char *disagreement; /* NULL: the order explains the history */
    uint32_t txn, op;         /* where; op HIST_NONE: a read of several rows, */
    uint32_t predicate;       /* … this one */
    uint32_t newer; /* op is a write: by the version orders, this one before it is newer */
    size_t place;   /* in the order, from 1 */
    uint32_t against_session; /* a transaction that comes before an earlier one of its session */
    const char *stopped;      /* a limit was reached */
};

/* Texts are owned by the arena. */
void replay_run(const struct history *h, const replay_order *order, struct arena *messages,
                struct replay_answer *out);

#endif
