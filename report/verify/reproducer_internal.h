/* What the reproducer*.c files share. */
#ifndef REPORT_VERIFY_REPRODUCER_INTERNAL_H
#define REPORT_VERIFY_REPRODUCER_INTERNAL_H

#include "base/vec.h"
#include "report/verify/counterexample.h"
#include "report/verify/reproducer.h"

/* A place in the program's text that reads or writes the database. */
struct step_site {
    const struct ast_expr *place;
    bool write;
    size_t statement; /* of steps.statements, from 1 */
    bool in_fold;     /* that statement is a fold, which is one read as well */
};

/* A function that is copied and runs step by step (reproducer_steps.c). */
struct step_copy {
    const struct ast_func *func;
    uint32_t start, body, end; /* bytes of its file: the declaration, its '{', after its '}' */
    bool has_sites;            /* it reads or writes the database, or calls a function that does */
};

/* A fold that is not part of another one: all of it is one statement. */
struct step_fold {
    const struct ast_func *func;
    uint32_t begin; /* byte of its file */
    size_t statement;
};

struct steps {
    VEC(struct step_site) sites;
    VEC(const struct ast_expr *) statements; /* full expressions; NULL: a fold */
    VEC(struct step_fold) folds;
    VEC(struct step_copy) copies;
};

struct writer {
    const struct reproducer *r;
    const struct execution *x;
    const struct sx_program *p;
    const struct verify_property *property;
    struct cex cex;
    struct arena *messages;
    FILE *out;
    uint32_t *number; /* of each transaction: its place in ar, from 1 */
    /* By transaction, the observer last: it reads something twice with two values. */
    bool *stepped;
    bool any_stepped;
    struct steps steps;
};

void repro_string(struct writer *w, const char *s);
const char *repro_place(struct writer *w, const struct exec_row *row, uint32_t field);

/* Collects what a function and those that it calls do.  NULL, or why it cannot be copied. */
const char *steps_add(struct writer *w, const struct ast_func *f);
/* Writes the code that runs the copies, then the copies. */
void steps_put_copies(struct writer *w);
/* The list of what the reads of a run saw, as cex_reads_NAME. */
void steps_put_reads(struct writer *w, const char *name, const struct model *level,
                     const struct exec_read *reads, size_t n);
void steps_free(struct steps *s);

#endif
