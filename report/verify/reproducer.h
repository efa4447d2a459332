/* A counterexample as a C program of its own, for `--reproducer`: it includes the user's source and
 * runs the transactions natively, each on the snapshot that it saw, in arbitration order. */
#ifndef REPORT_VERIFY_REPRODUCER_H
#define REPORT_VERIFY_REPRODUCER_H

#include "encode/verify.h"

struct reproducer {
    struct ast_program *ast;
    const struct diag_list *files;
    const struct verify_result *result;
    const struct verify_verdict *verdict; /* VIOLATED, with its execution */
    const char *include;                  /* the source, seen from where the program will be */
    const char *command;                  /* how to compile it */
};

/* The source, seen from the folder of `out`, the file that is going to include it. */
const char *reproducer_include(struct arena *a, const char *source, const char *out);
/* The shell's command that compiles and runs it.  include_dir: where visar.h is, or NULL; rows: of
 * the dimensions of any size, or 0. */
const char *reproducer_command(struct arena *a, const char *include_dir, const char *const *flags,
                               size_t n_flags, uint64_t rows, const char *out);
/* NULL, or why there is none for this execution (a text owned by the arena). */
const char *report_reproducer(const struct reproducer *r, struct arena *messages, FILE *out);

#endif
