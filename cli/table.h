/* The tables of commands and options as arrays, for parsing and for every text made from them. */
#ifndef CLI_TABLE_H
#define CLI_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "cli/cli.h"

enum option_kind { KIND_FLAG, KIND_INT, KIND_REAL, KIND_TEXT, KIND_CHOICE, KIND_LIST };

struct option_info {
    enum option_kind kind;
    const char *name;
    char short_name;
    const char *metavar, *default_text;
    uint32_t commands; /* bit per command */
    const char *help;
    size_t offset; /* in struct options */
};

struct command_info {
    const char *name, *arguments, *summary, *text, *examples;
    int (*run)(struct cli *c);
};

extern const struct option_info option_table[OPTION_INDEX_COUNT];
extern const struct command_info command_table[COMMAND_COUNT];

#endif
