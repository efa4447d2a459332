/* Small programs for the tests of the frontend: written to a folder of their own and parsed. */
#ifndef TESTS_UNIT_FRONTEND_HELP_H
#define TESTS_UNIT_FRONTEND_HELP_H

#include "frontend/ast.h"

/* A folder for the test's files; the main file in it. */
struct fixture {
    char dir[64], file[96];
    struct diag_list d;
    struct ast_program *p;
    const char *args[4];
    size_t n_args;
    const char *compile_commands;
};

void write_file(const char *path, const char *text);
void setup(struct fixture *x);
/* source: written to the file first, unless NULL. */
bool parse(struct fixture *x, const char *source);
void teardown(struct fixture *x);

void accepts(const char *source);
void refuses(const char *source, const char *part); /* a part of the first message */
void dumps(const char *source, const char *expected);
void dumps_part(const char *source, const char *expected);

#endif
