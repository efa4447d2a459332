/* A program that questions are asked about: its summaries, by kind of reads, and its properties. */
#ifndef ENCODE_VERIFY_PROGRAM_H
#define ENCODE_VERIFY_PROGRAM_H

#include "encode/properties.h"

/* What symbolic execution says about a program.  All verify_programs of one program share it, and
 * none changes it, so that the program is executed once for each kind of reads. */
struct executed {
    struct sx_program sx[3]; /* by enum sx_reads */
    struct properties props;
    unsigned users;
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
