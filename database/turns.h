/* Turns: one of several threads runs at a time, in an order that a seed determines.
 *
 * The thread that has the turn keeps it until turns_next, which draws the next of the remaining
 * threads.  What the threads do then depends on the seed alone, not on the machine's speed: a
 * recording with the same seed has the same transactions, interleaved in the same way. */
#ifndef DATABASE_TURNS_H
#define DATABASE_TURNS_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

struct turns {
    bool on; /* false: everybody runs freely, and the functions do nothing */
    pthread_mutex_t lock;
    pthread_cond_t moved;
    unsigned n, here, now; /* threads; those still there; whose turn it is */
    bool *gone;
    uint64_t rng;
};

void turns_init(struct turns *t, bool on, unsigned n, uint64_t seed);
void turns_free(struct turns *t);
/* Wait for the first turn; called once by each thread. */
void turns_join(struct turns *t, unsigned who);
/* Give the turn to one of the remaining threads, and wait until it comes back. */
void turns_next(struct turns *t, unsigned who);
/* Leave for good; thread `who` has the turn, or never joined. */
void turns_leave(struct turns *t, unsigned who);

#endif
