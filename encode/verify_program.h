/* A program that questions are asked about: its summaries, by kind of reads, and its properties. */
#ifndef ENCODE_VERIFY_PROGRAM_H
#define ENCODE_VERIFY_PROGRAM_H

#include <pthread.h>

#include "encode/result/properties.h"
#include "encode/run.h"

/* Is it known that every property holds in the initial state?  (initial_state.c) */
enum initial_answer { INITIAL_NOT_ASKED, INITIAL_HOLDS, INITIAL_UNCLEAR };

/* The program, executed in one way. */
struct summaries {
    struct sx_program sx;
    const char *why_not; /* the executor could not: why; else NULL */
    /* What questions found out about the initial state. */
    enum initial_answer initial;
    run_items initial_items; /* if it is INITIAL_HOLDS */
};

/* What symbolic execution says about a program.  All verify_programs of one program share it, and
 * the summaries do not change once they are there, so that the program is executed once for each
 * way. */
struct executed {
    struct verify_options options;
    struct properties props;
    unsigned users;
    const struct summaries *first; /* those of the opening */
    pthread_mutex_t lock;          /* guards what follows */
    VEC(struct summaries *) known; /* by their options */
    struct arena arena;            /* of the reasons */
};

/* Copies of the shared summaries that a program's questions make terms in: each copied when the
 * first question needs it. */
struct summaries_copy {
    struct summaries *of;
    struct sx_program sx;
};

struct verify_program {
    struct ast_program *ast;
    struct executed *shared;
    VEC(struct summaries_copy *) copies;
};

/* Bounded runs of the program have a number of rows: it has dimensions of any size, or large ones
 * of which a part is shown. */
bool verify_is_sized(const struct ast_program *ast);
/* The summaries with that kind of reads, loops unrolled, for bounded runs; terms may be added to
 * their store.  rows: of the dimensions of any size, and so many of large ones are shown (or a few
 * more); 0 if the program has none.  NULL: *why says
 * why the executor could not. */
struct sx_program *verify_summaries(struct verify_program *v, enum sx_reads kind, uint64_t rows,
                                    const char **why);
/* The summaries for proofs: folds are terms, tables of any size. */
struct sx_program *verify_fold_summaries(struct verify_program *v, enum sx_reads kind,
                                         const char **why);
/* What all programs share of summaries that verify_summaries gave. */
struct summaries *verify_shared(struct verify_program *v, const struct sx_program *copy);

#endif
