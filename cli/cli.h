/* The command line: what was asked, and what every command may rely on.
 *
 * main() parses into a `struct cli`, starts the limits and calls one cmd_* function, which returns
 * the exit code.  A command prints its verdict to c->out and everything else to stderr. */
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/stats.h"
#include "base/vec.h"

enum exit_code {
    EXIT_HOLDS = 0,
    EXIT_USAGE = 1,
    EXIT_BAD_INPUT = 2,
    EXIT_UNKNOWN = 5,
    EXIT_INTERNAL = 6,
    EXIT_VIOLATED = 10
};

enum command_id {
#define COMMAND(id, name, arguments, summary, text, examples) COMMAND_##id,
#include "cli/commands.def"
#undef COMMAND
    COMMAND_COUNT
};

typedef VEC(const char *) text_list;

#define TYPE_FLAG bool
#define TYPE_INT int64_t
#define TYPE_REAL double
#define TYPE_LIMIT double
#define TYPE_TEXT const char *
#define TYPE_CHOICE const char *
#define TYPE_LIST text_list
#define TYPE_OUTPUT const char *
#define TYPE_MODEL const char *
#define TYPE_MODELS const char *
#define TYPE_LEVELS const char *
#define TYPE_READER const char *
#define TYPE_WRITER const char *
#define TYPE_ANOMALY const char *
#define AGAIN(kind, field, name, short_, metavar, default_, commands, help)
struct options {
#define OPTION(kind, field, name, short_, metavar, default_, commands, help) TYPE_##kind field;
#include "cli/options.def"
#undef OPTION
};
/* Was it on the command line? */
struct options_given {
#define OPTION(kind, field, name, short_, metavar, default_, commands, help) bool field;
#include "cli/options.def"
#undef OPTION
};
#undef AGAIN
#define OPTION_GIVEN(c, field) ((c)->given.field)

struct cli {
    enum command_id command;
    struct options opt;
    struct options_given given;
    text_list files; /* the operands */
    text_list extra; /* what follows "--" */
    struct arena arena;
    struct diag_list diags;
    struct stats stats;
    FILE *out;   /* the verdict; stdout */
    bool color;  /* on `out` */
    int columns; /* of the terminal that `out` is; 0: it is none, and lines are not broken */
};

#define COMMAND(id, name, arguments, summary, text, examples) int cmd_##name(struct cli *c);
#include "cli/commands.def"
#undef COMMAND

/* A usage error: one line, then where to look; gives EXIT_USAGE. */
int cli_usage(const struct cli *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Called before any work: can the files that options name be written, and is none of them an input,
 * or named twice?  (outputs.c) */
int cli_check_outputs(struct cli *c);
/* Print the collected diagnostics and return EXIT_BAD_INPUT.  They go to stderr; with several files
 * (cli_file), where each file has an answer of its own, they go to c->out as the file's answer. */
int cli_bad_input(struct cli *c);
/* The current file cannot be asked this question, for a reason that does not name it.  Returns
 * `code`.  Printed where cli_bad_input prints. */
int cli_cannot_answer(struct cli *c, int code, const char *reason);
/* One operand exactly; NULL and a usage error otherwise. */
const char *cli_one_file(struct cli *c, const char *what);

/* Progress on stderr, only on a terminal and only after the first second: the text and the seconds
 * that have passed, until the next text.  An empty text removes the line; it is needed before
 * anything else is printed. */
void cli_progress_start(const struct cli *c);
void cli_progress_stop(void);
void cli_progress_leave(void); /* called by the watcher, which must not wait */
void cli_progress(struct cli *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* What is known so far, and the exit code that it alone would give, for a limit that ends the
 * program.  The text must stay valid. */
void cli_known(const char *text, int code);
/* The worse of two exit codes. */
int cli_worse(int a, int b);
/* The report is printed (limit_speak() was called before): a limit that is hit from now on changes
 * nothing.  Returns rc. */
int cli_said(struct cli *c, int rc);
/* For commands with several files: the command is at c->files.data[i], and the exit code of the
 * files before it is `worst`.  A limit that ends the program reports UNKNOWN for this file and the
 * rest. */
void cli_file(struct cli *c, size_t i, int worst);
/* Prints "UNKNOWN: reason" (or its JSON form) for a limit that was hit; gives EXIT_UNKNOWN. */
int cli_unknown(struct cli *c, const char *reason);

/* "did you mean": the candidate closest to word, if it is close enough, else NULL. */
const char *cli_closest(const char *word, const char *const *candidates, size_t count);

/* Parsing and the texts made from the tables (options.c, help.c). */
int cli_parse(struct cli *c, int argc, char **argv); /* EXIT_HOLDS, or what to exit with */
void cli_print_overview(FILE *out);
void cli_print_command_help(FILE *out, enum command_id command);
void cli_print_version(FILE *out);
void cli_print_man(FILE *out);      /* the man page, troff */
void cli_print_markdown(FILE *out); /* docs/cli.md */
const char *cli_command_name(enum command_id command);

#endif
