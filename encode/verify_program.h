/* A program that questions are asked about: its summaries, by kind of reads, and its properties. */
#ifndef ENCODE_VERIFY_PROGRAM_H
#define ENCODE_VERIFY_PROGRAM_H

#include <pthread.h>

#include "encode/properties.h"
#include "encode/run.h"

/* Is it known that every property holds in the initial state?  (initial_state.c) */
enum initial_answer { INITIAL_NOT_ASKED, INITIAL_HOLDS, INITIAL_UNCLEAR };

/* What symbolic execution says about a program.  All verify_programs of one program share it, and
 * none changes it, so that the program is executed once for each kind of reads. */
struct executed {
    struct sx_program sx[3]; /* by enum sx_reads */
    struct properties props;
    unsigned users;
    /* What questions found out about the initial state, by kind of reads, guarded by the lock. */
    pthread_mutex_t lock;
    enum initial_answer initial[3];
    run_items initial_items[3]; /* if it is INITIAL_HOLDS */
};

struct verify_program {
    struct ast_program *ast;
    struct executed *shared;
    /* Copies of the shared summaries that this program's questions make terms in: each copied when
     * the first question needs it. */
    struct sx_program sx[3];
    bool copied[3];
};

/* The summaries with that kind of reads; terms may be added to their store. */
struct sx_program *verify_summaries(struct verify_program *v, enum sx_reads kind);

#endif
