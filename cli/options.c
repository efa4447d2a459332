/* Parsing the command line from the tables.  getopt_long does the syntax (`--name value`,
 * `--name=value`, bundled short options, operands anywhere, unique abbreviations); this file turns
 * its answers into values, checks them, and says what was probably meant. */
#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "cli/table.h"

#define COMMAND(id, name, arguments, summary, text, examples) ON_##id = 1u << COMMAND_##id,
enum {
#include "cli/commands.def"
    ALL = (1u << COMMAND_COUNT) - 1
};
#undef COMMAND

/* Taken by all these commands, but without effect on the `idle` ones, which do not show it. */
#define IDLE_ON(commands, idle) ((commands) | (uint32_t)(idle) << OPTION_IDLE)

#define OPTION(kind, field, name, short_, metavar, default_, commands, help)                       \
    {KIND_##kind,                                                                                  \
     name,                                                                                         \
     short_,                                                                                       \
     metavar,                                                                                      \
     default_,                                                                                     \
     commands,                                                                                     \
     help,                                                                                         \
     offsetof(struct options, field),                                                              \
     offsetof(struct options_given, field)},
#define AGAIN OPTION
const struct option_info option_table[OPTION_COUNT] = {
#include "cli/options.def"
};
#undef OPTION
#undef AGAIN

const struct command_info command_table[COMMAND_COUNT] = {
#define COMMAND(id, name, arguments, summary, text, examples)                                      \
    {#name, arguments, summary, text, examples, cmd_##name},
#include "cli/commands.def"
#undef COMMAND
};

/* Values of getopt's `val` beyond the short options. */
#define LONG_BASE 1000
#define LONG_HELP (LONG_BASE + OPTION_COUNT)

const char *cli_command_name(enum command_id command)
{
    return command_table[command].name;
}

/* ---- did you mean --------------------------------------------------------------------------- */

#define WORD_MAX 40

/* Edit distance, a swap of neighbours counting once (Damerau, optimal string alignment). */
static size_t distance(const char *a, const char *b)
{
    size_t n = strlen(a), m = strlen(b), d[WORD_MAX + 1][WORD_MAX + 1];
    if (n > WORD_MAX || m > WORD_MAX)
        return WORD_MAX;
    for (size_t i = 0; i <= n; i++)
        for (size_t j = 0; j <= m; j++) {
            if (i == 0 || j == 0) {
                d[i][j] = i + j;
                continue;
            }
            size_t best = d[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
            if (d[i - 1][j] + 1 < best)
                best = d[i - 1][j] + 1;
            if (d[i][j - 1] + 1 < best)
                best = d[i][j - 1] + 1;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
                d[i - 2][j - 2] + 1 < best)
                best = d[i - 2][j - 2] + 1;
            d[i][j] = best;
        }
    return d[n][m];
}

const char *cli_closest(const char *word, const char *const *candidates, size_t count)
{
    size_t limit = strlen(word) / 3 + 1, best = limit + 1;
    const char *found = NULL;
    for (size_t i = 0; i < count; i++) {
        size_t far = distance(word, candidates[i]);
        if (far < best) {
            best = far;
            found = candidates[i];
        }
    }
    return found;
}

/* ---- errors --------------------------------------------------------------------------------- */

int cli_usage(const struct cli *c, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    fputs("visar: ", stderr);
    vfprintf(stderr, fmt, ap);
    va_end(ap);
    if (c->command < COMMAND_COUNT)
        fprintf(stderr, "\nTry 'visar %s --help'.\n", cli_command_name(c->command));
    else
        fputs("\nTry 'visar --help'.\n", stderr);
    return EXIT_USAGE;
}

static int unknown_option(const struct cli *c, const char *word)
{
    const char *names[OPTION_COUNT + 1];
    size_t count = 0;
    for (size_t i = 0; i < OPTION_COUNT; i++)
        if (option_table[i].commands >> c->command & 1)
            names[count++] = option_table[i].name;
    names[count++] = "help";
    char bare[WORD_MAX + 1];
    size_t n = strcspn(word, "=");
    snprintf(bare, sizeof bare, "%.*s", (int)(n < WORD_MAX ? n : WORD_MAX), word);
    const char *close = bare[0] == '-' && bare[1] == '-' ? cli_closest(bare + 2, names, count) : 0;
    if (close)
        return cli_usage(c, "unknown option '%s' (did you mean '--%s'?)", bare, close);
    return cli_usage(c, "unknown option '%s'", bare);
}

static int unknown_command(struct cli *c, const char *word)
{
    const char *names[COMMAND_COUNT];
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        names[i] = command_table[i].name;
    const char *close = cli_closest(word, names, COMMAND_COUNT);
    if (close)
        return cli_usage(c, "unknown command '%s' (did you mean '%s'?)", word, close);
    return cli_usage(c, "unknown command '%s'", word);
}

/* ---- values --------------------------------------------------------------------------------- */

static bool is_choice(const char *choices, const char *word)
{
    size_t n = strlen(word);
    for (const char *p = choices; *p; p += *p == '|') {
        size_t length = strcspn(p, "|");
        if (length == n && !memcmp(p, word, n))
            return true;
        p += length;
    }
    return false;
}

static const char *set_number(const struct option_info *info, void *field, const char *text)
{
    char *end;
    errno = 0;
    if (info->kind == KIND_INT) {
        long long value = strtoll(text, &end, 10);
        *(int64_t *)field = value;
        if (*text && !*end && !errno && value >= 0)
            return NULL;
        return "a whole number, 0 or more";
    }
    double value = strtod(text, &end);
    *(double *)field = value;
    return *text && !*end && !errno && value >= 0 && value < 1e15 ? NULL : "a number, 0 or more";
}

/* A limit of 0 would be none at all, or nothing but UNKNOWN: neither is what anybody means. */
static const char *set_limit(void *field, const char *text)
{
    char *end;
    errno = 0;
    double value = strtod(text, &end);
    *(double *)field = value;
    return *text && !*end && !errno && value > 0 && value < 1e15 ? NULL : "a number above 0";
}

/* NULL, or what was expected. */
static const char *set_value(struct options *o, const struct option_info *info, const char *text)
{
    void *field = (char *)o + info->offset;
    switch (info->kind) {
    case KIND_FLAG:
        *(bool *)field = true;
        return NULL;
    case KIND_INT:
    case KIND_REAL:
        return set_number(info, field, text);
    case KIND_LIMIT:
        return set_limit(field, text);
    case KIND_CHOICE:
        if (!is_choice(info->metavar, text))
            return info->metavar;
        *(const char **)field = text;
        return NULL;
    case KIND_TEXT:
    case KIND_OUTPUT:
    case KIND_MODEL:
    case KIND_MODELS:
    case KIND_LEVELS:
    case KIND_READER:
    case KIND_WRITER:
    case KIND_ANOMALY:
        *(const char **)field = text;
        return NULL;
    case KIND_LIST:
        vec_push((text_list *)field, text);
        return NULL;
    }
    return NULL;
}

static void clear_value(struct options *o, const struct option_info *info)
{
    void *field = (char *)o + info->offset;
    if (info->kind == KIND_FLAG)
        *(bool *)field = false;
    else if (info->kind == KIND_INT)
        *(int64_t *)field = 0;
    else if (info->kind == KIND_REAL || info->kind == KIND_LIMIT)
        *(double *)field = 0;
    else if (info->kind != KIND_LIST)
        *(const char **)field = NULL;
}

/* Code that several commands share may look at options that one of them does not take: every field
 * has the default of its first row, unless the command has a row of its own. */
static void set_defaults(struct cli *c)
{
    for (size_t i = OPTION_COUNT; i-- > 0;)
        if (option_table[i].default_text)
            set_value(&c->opt, &option_table[i], option_table[i].default_text);
    for (size_t i = 0; i < OPTION_COUNT; i++) {
        const struct option_info *info = &option_table[i];
        if (!(info->commands >> c->command & 1))
            continue;
        if (info->default_text)
            set_value(&c->opt, info, info->default_text);
        else
            clear_value(&c->opt, info);
    }
}

/* An option that takes several values takes them one by one, too. */
static bool adds_up(const struct option_info *info)
{
    return info->kind == KIND_MODELS || info->kind == KIND_LEVELS || info->kind == KIND_LIST;
}

/* Have the two sets of options the same value here? */
static bool same_value(const struct options *a, const struct options *b,
                       const struct option_info *info)
{
    const void *x = (const char *)a + info->offset, *y = (const char *)b + info->offset;
    switch (info->kind) {
    case KIND_FLAG:
        return *(const bool *)x == *(const bool *)y;
    case KIND_INT:
        return *(const int64_t *)x == *(const int64_t *)y;
    case KIND_REAL:
    case KIND_LIMIT:
        return *(const double *)x == *(const double *)y;
    case KIND_LIST:
        return true;
    default:
        return !strcmp(*(const char *const *)x, *(const char *const *)y);
    }
}

/* Two values for one thing: which was meant?  To take the last would look at less than was asked
 * for, without a word. */
static int take(struct cli *c, size_t index, const char *text)
{
    const struct option_info *info = &option_table[index];
    bool *given = (bool *)&c->given + info->given;
    const struct options before = c->opt;
    if (*given && adds_up(info) && info->kind != KIND_LIST)
        text = arena_printf(&c->arena, "%s,%s", *(const char **)((char *)&c->opt + info->offset),
                            text);
    const char *expected = set_value(&c->opt, info, text);
    if (expected)
        return cli_usage(c, "--%s wants %s, not '%s'", info->name, expected, text);
    if (*given && !adds_up(info) && !same_value(&before, &c->opt, info))
        return cli_usage(c, "--%s is given twice", info->name);
    *given = true;
    return EXIT_HOLDS;
}

/* ---- getopt --------------------------------------------------------------------------------- */

/* Other words for an option: --output is what --out was called on some commands, and a level of a
 * database is a model of a program. */
static const struct {
    const char *word, *option;
} synonyms[] = {{"output", "out"}, {"level", "model"}, {"model", "level"}};
#define SYNONYM_COUNT (sizeof synonyms / sizeof *synonyms)

struct getopt_table {
    struct option longs[OPTION_COUNT + SYNONYM_COUNT + 2];
    struct strbuf shorts;
    size_t index_of_short[128];
};

static void build_table(struct getopt_table *t, enum command_id command)
{
    size_t n = 0;
    memset(t, 0, sizeof *t);
    sb_puts(&t->shorts, ":h");
    for (size_t i = 0; i < OPTION_COUNT; i++) {
        const struct option_info *info = &option_table[i];
        if (!(info->commands >> command & 1))
            continue;
        int has_argument = info->kind != KIND_FLAG;
        t->longs[n++] = (struct option){info->name, has_argument, NULL, LONG_BASE + (int)i};
        for (size_t k = 0; k < SYNONYM_COUNT; k++)
            if (!strcmp(info->name, synonyms[k].option))
                t->longs[n++] =
                    (struct option){synonyms[k].word, has_argument, NULL, LONG_BASE + (int)i};
        if (info->short_name) {
            sb_putc(&t->shorts, info->short_name);
            if (has_argument)
                sb_putc(&t->shorts, ':');
            t->index_of_short[(int)info->short_name] = i;
        }
    }
    t->longs[n] = (struct option){"help", 0, NULL, LONG_HELP};
}

/* One answer of getopt_long: EXIT_HOLDS, EXIT_USAGE, or -1 to say that help was printed. */
static int step(struct cli *c, const struct getopt_table *t, int got, char **argv)
{
    if (got == 'h' || got == LONG_HELP) {
        cli_print_command_help(stdout, c->command);
        return -1;
    }
    if (got == ':')
        return cli_usage(c, "%s wants a value", argv[optind - 1]);
    if (got == '?' && optopt >= LONG_BASE)
        return cli_usage(c, "--%s takes no value",
                         optopt == LONG_HELP ? "help" : option_table[optopt - LONG_BASE].name);
    if (got == '?') {
        char letter[3] = {'-', (char)optopt, 0};
        bool is_short = optopt > 0 && optopt < 128;
        return unknown_option(c, is_short ? letter : argv[optind - 1]);
    }
    return take(c, got >= LONG_BASE ? (size_t)(got - LONG_BASE) : t->index_of_short[got], optarg);
}

/* Flags for the compiler that stand before the "--": getopt would take them apart by letters. */
static bool is_compiler_flag(const char *word)
{
    static const char *const starts[] = {"-D",      "-U",         "-I",     "-W",        "-f",
                                         "-O",      "-g",         "-std=",  "-include",  "-isystem",
                                         "-iquote", "-idirafter", "-nostd", "-pedantic", "--std="};
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        if (!strncmp(word, starts[i], strlen(starts[i])))
            return true;
    return false;
}

static bool takes_compiler_flags(const struct cli *c)
{
    return strstr(command_table[c->command].arguments, "-- CLANG-FLAGS");
}

static int refuse_compiler_flags(const struct cli *c, int argc, char **argv)
{
    if (!takes_compiler_flags(c))
        return EXIT_HOLDS;
    for (int i = 1; i < argc; i++)
        if (is_compiler_flag(argv[i]))
            return cli_usage(c,
                             "unknown option '%s': flags for the compiler go after '--', as in\n"
                             "  visar %s FILE -- %s",
                             argv[i], cli_command_name(c->command), argv[i]);
    return EXIT_HOLDS;
}

static int parse_options(struct cli *c, int argc, char **argv)
{
    struct getopt_table t;
    if (refuse_compiler_flags(c, argc, argv) != EXIT_HOLDS)
        return EXIT_USAGE;
    build_table(&t, c->command);
    int rc = EXIT_HOLDS, got;
    opterr = 0;
    optind = 0;
    while (rc == EXIT_HOLDS && (got = getopt_long(argc, argv, t.shorts.data, t.longs, NULL)) != -1)
        rc = step(c, &t, got, argv);
    for (; rc == EXIT_HOLDS && optind < argc; optind++)
        vec_push(&c->files, argv[optind]);
    sb_free(&t.shorts);
    if (rc == EXIT_HOLDS && OPTION_GIVEN(c, jobs) && c->opt.jobs < 1)
        return cli_usage(c, "--jobs wants a whole number, 1 or more, not 0");
    return rc;
}

static int find_command(struct cli *c, const char *word)
{
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        if (!strcmp(word, command_table[i].name)) {
            c->command = (enum command_id)i;
            return EXIT_HOLDS;
        }
    return unknown_command(c, word);
}

/* `visar`, `visar --help`, `visar --version`, `visar help [COMMAND]`: -1 when it was one. */
static int parse_global(struct cli *c, int argc, char **argv)
{
    const char *word = argc > 1 ? argv[1] : "--help";
    c->command = COMMAND_COUNT;
    if (!strcmp(word, "--version") || !strcmp(word, "-V"))
        cli_print_version(stdout);
    else if (!strcmp(word, "help") && argc > 2 && !strcmp(argv[2], "--man"))
        cli_print_man(stdout);
    else if (!strcmp(word, "help") && argc > 2 && !strcmp(argv[2], "--markdown"))
        cli_print_markdown(stdout);
    else if (!strcmp(word, "help") && argc > 2) {
        int rc = find_command(c, argv[2]);
        if (rc != EXIT_HOLDS)
            return rc;
        cli_print_command_help(stdout, c->command);
    } else if (!strcmp(word, "--help") || !strcmp(word, "-h") || !strcmp(word, "help"))
        cli_print_overview(stdout);
    else if (word[0] == '-')
        return cli_usage(c, "unknown option '%s'; a command comes first", word);
    else
        return EXIT_HOLDS;
    return -1;
}

int cli_parse(struct cli *c, int argc, char **argv)
{
    int rc = parse_global(c, argc, argv);
    if (rc == EXIT_HOLDS)
        rc = find_command(c, argv[1]);
    if (rc != EXIT_HOLDS)
        return rc;
    set_defaults(c);
    /* Where there are no flags for a compiler, "--" ends the options, as everywhere: getopt's. */
    int end = takes_compiler_flags(c) ? 2 : argc;
    while (end < argc && strcmp(argv[end], "--"))
        end++;
    for (int i = end + 1; i < argc; i++)
        vec_push(&c->extra, argv[i]);
    argv[end] = NULL; /* at most argc, where C keeps a NULL anyway */
    return parse_options(c, end - 1, argv + 1);
}
