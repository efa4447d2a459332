/* The tables of commands and options as arrays, for parsing and for every text made from them. */
#ifndef CLI_TABLE_H
#define CLI_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "cli/cli.h"

enum option_kind {
    KIND_FLAG,
    KIND_INT,
    KIND_REAL,
    KIND_LIMIT, /* a number above 0 */
    KIND_TEXT,
    KIND_CHOICE,
    KIND_LIST,
    KIND_OUTPUT,
    KIND_MODEL,  /* this and the rest: option_names.c knows them */
    KIND_MODELS, /* several, or `all` */
    KIND_LEVELS,
    KIND_READER,
    KIND_WRITER,
    KIND_ANOMALY
};

#define OPTION_IDLE 16

struct option_info {
    enum option_kind kind;
    const char *name;
    char short_name;
    const char *metavar, *default_text;
    uint32_t commands; /* bit per command; and from OPTION_IDLE on, where it has no effect */
    const char *help;
    size_t offset, given; /* in struct options, in struct options_given */
};

struct command_info {
    const char *name, *arguments, *summary, *text, *examples;
    int (*run)(struct cli *c);
};

/* The rows of the table. */
#define OPTION(kind, field, name, short_, metavar, default_, commands, help) +1
#define AGAIN(kind, field, name, short_, metavar, default_, commands, help) +1
enum {
    OPTION_COUNT =
#include "cli/options.def"
};
#undef OPTION
#undef AGAIN

extern const struct option_info option_table[OPTION_COUNT];
static inline bool option_has_effect(const struct option_info *o, size_t command)
{
    return o->commands >> command & 1 && !(o->commands >> OPTION_IDLE >> command & 1);
}
extern const struct command_info command_table[COMMAND_COUNT];

/* The names that an option of this kind takes, one after the other, then NULL (option_names.c). */
const char *cli_name_at(enum option_kind kind, size_t i);
/* A usage error that says what was probably meant, or else what there is. */
int cli_unknown_name(const struct cli *c, enum option_kind kind, const char *word);

#endif
