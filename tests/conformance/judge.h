/* What was seen on a server against what the axioms allow, both ways. */
#ifndef TESTS_CONFORMANCE_JUDGE_H
#define TESTS_CONFORMANCE_JUDGE_H

#include "tests/conformance/conformance.h"

struct cf_figures {
    size_t programs, runs;
    size_t seen;      /* outcomes */
    size_t forbidden; /* of those */
    /* Programs of which all interleavings were run, and those of which everything was seen. */
    size_t complete, exact;
    /* Of the complete programs: outcomes in which all commit, and those that were not seen. */
    size_t allowed, unseen;
    size_t unseen_skip; /* those of programs with SKIP LOCKED, of which rule 8 allows too much */
};

/* Adds a program to the figures.  `forbidden` gets the outcomes that were seen and are not allowed,
 * `unseen`, if the program is complete, those that are allowed and were not seen. */
void cf_judge(const struct cf_program *p, const struct cf_outcomes *seen, bool complete,
              struct cf_figures *figures, struct cf_outcomes *forbidden,
              struct cf_outcomes *unseen);
/* A line of figures; `name` is a level's, or "mixed". */
void cf_figures_print(FILE *to, const char *name, const struct cf_figures *f);
void cf_figures_add(struct cf_figures *sum, const struct cf_figures *f);

/* The levels that figures are kept for: those of all transactions, or a mixture. */
enum { CF_PG_MIXED = CF_LEVELS, CF_MY_MIXED, CF_GROUPS };
unsigned cf_group(const struct cf_program *p);
const char *cf_group_name(unsigned group);

#endif
