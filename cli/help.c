/* Every text that is made from the tables: the overview, the help of a command, the man page, the
 * CLI reference and the completion scripts.  Nothing here names an option by hand. */
#include <ctype.h>
#include <string.h>

#include "base/strbuf.h"
#include "cli/table.h"
#include "cli/about.h"

/* Taken by all commands and shown by nearly all: those that only print a table or a script have
 * little to set, and one in which the option means something else has a row of its own. */
static bool is_common(const struct option_info *o)
{
    uint32_t all = (1u << COMMAND_COUNT) - 1, idle = o->commands >> OPTION_IDLE, taken = 0;
    for (size_t i = 0; i < OPTION_COUNT; i++)
        if (option_table[i].offset == o->offset)
            taken |= option_table[i].commands & all;
    return taken == all && 2 * __builtin_popcount(o->commands & all) > COMMAND_COUNT &&
           !(idle & ~(1u << COMMAND_MODELS | 1u << COMMAND_COMPLETION));
}

void cli_print_version(FILE *out)
{
    struct strbuf b = {0};
    cli_library_versions(&b);
    fprintf(out, "visar %s\n%s", VISAR_VERSION, sb_str(&b));
    sb_free(&b);
}

/* ---- the first screen ----------------------------------------------------------------------- */

void cli_print_overview(FILE *out)
{
    fputs(
        "visar: does your invariant survive your isolation level, and does your database keep it?\n"
        "\n"
        "Usage: visar COMMAND [OPTIONS] FILE…\n"
        "\n",
        out);
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        fprintf(out, "  %-11s %s\n", command_table[i].name, command_table[i].summary);
    fputs(
        "\n"
        "Start here:\n"
        "  visar weakest examples/bank.c           the weakest level that keeps the bank solvent\n"
        "  visar verify examples/bank.c --model si  what goes wrong under snapshot isolation\n"
        "  visar generate --level si --out h.jsonl && visar check h.jsonl --level si\n"
        "\n"
        "'visar COMMAND --help' explains a command, 'visar --version' names the libraries.\n"
        "Exit codes: 0 holds, 10 violated, 5 unknown, 1 usage, 2 bad input, 6 internal error.\n",
        out);
}

/* ---- one command ---------------------------------------------------------------------------- */

static void option_head(const struct option_info *o, struct strbuf *b)
{
    if (o->short_name)
        sb_printf(b, "-%c, ", o->short_name);
    else
        sb_puts(b, "    ");
    sb_printf(b, "--%s", o->name);
    if (o->metavar)
        sb_printf(b, " %s", o->metavar);
}

/* Characters, not bytes: metavars contain "…". */
static size_t width(const char *s)
{
    size_t n = 0;
    for (; *s; s++)
        n += ((unsigned char)*s & 0xc0) != 0x80;
    return n;
}

/* What an option means, with the names that it takes. */
static void option_text(const struct option_info *o, struct strbuf *b)
{
    sb_puts(b, o->help);
    for (size_t i = 0; cli_name_at(o->kind, i); i++)
        sb_printf(b, "%s%s", i ? ", " : ": ", cli_name_at(o->kind, i));
}

#define HELP_COLUMN 34
#define HELP_WIDTH 100

/* Words from column HELP_COLUMN on, in lines of at most HELP_WIDTH. */
static void print_wrapped(FILE *out, const char *text, size_t column)
{
    while (*text) {
        size_t n = strcspn(text, " ");
        struct strbuf word = {0};
        sb_add(&word, text, n);
        size_t w = width(sb_str(&word));
        if (column > HELP_COLUMN && column + 1 + w > HELP_WIDTH) {
            fprintf(out, "\n%*s", HELP_COLUMN, "");
            column = HELP_COLUMN;
        } else if (column > HELP_COLUMN) {
            fputc(' ', out);
            column++;
        }
        fputs(sb_str(&word), out);
        column += w;
        text += n + strspn(text + n, " ");
        sb_free(&word);
    }
    fputc('\n', out);
}

static void print_option(FILE *out, const struct option_info *o)
{
    struct strbuf head = {0}, text = {0};
    option_head(o, &head);
    size_t used = 2 + width(sb_str(&head));
    fprintf(out, "  %s", sb_str(&head));
    if (used + 1 > HELP_COLUMN)
        fprintf(out, "\n%*s", HELP_COLUMN, "");
    else
        fprintf(out, "%*s", (int)(HELP_COLUMN - used), "");
    option_text(o, &text);
    if (o->default_text && o->kind != KIND_FLAG)
        sb_printf(&text, " [%s]", o->default_text);
    print_wrapped(out, sb_str(&text), HELP_COLUMN);
    sb_free(&head);
    sb_free(&text);
}

static void print_options(FILE *out, enum command_id command, bool common)
{
    for (size_t i = 0; i < OPTION_COUNT; i++) {
        const struct option_info *o = &option_table[i];
        if (option_has_effect(o, command) && is_common(o) == common)
            print_option(out, o);
    }
}

static bool has_options(enum command_id command, bool common)
{
    for (size_t i = 0; i < OPTION_COUNT; i++)
        if (option_has_effect(&option_table[i], command) && is_common(&option_table[i]) == common)
            return true;
    return false;
}

/* Calls print for every line of the examples. */
static void each_example(const struct command_info *c, FILE *out, const char *before,
                         const char *after)
{
    for (const char *p = c->examples; *p;) {
        size_t n = strcspn(p, "\n");
        fprintf(out, "%s%.*s%s", before, (int)n, p, after);
        p += n + (p[n] == '\n');
    }
}

void cli_print_command_help(FILE *out, enum command_id command)
{
    const struct command_info *c = &command_table[command];
    fprintf(out, "visar %s: %s\n\nUsage: visar %s [OPTIONS]%s%s\n\n%s", c->name, c->summary,
            c->name, *c->arguments ? " " : "", c->arguments, c->text);
    if (has_options(command, false)) {
        fputs("\nOptions:\n", out);
        print_options(out, command, false);
    }
    if (has_options(command, true)) {
        fputs("\nCommon options:\n", out);
        print_options(out, command, true);
    }
    fputs("\nExamples:\n", out);
    each_example(c, out, "  ", "\n");
}

/* ---- man page ------------------------------------------------------------------------------- */

/* Text for troff: a leading dot and backslashes are escaped, hyphens stay hyphens. */
static void man_text(FILE *out, const char *s)
{
    for (bool start = true; *s; s++) {
        if (start && (*s == '.' || *s == '\''))
            fputs("\\&", out);
        if (*s == '\\')
            fputs("\\e", out);
        else if (*s == '-')
            fputs("\\-", out);
        else
            fputc(*s, out);
        start = *s == '\n';
    }
}

static void man_option(FILE *out, const struct option_info *o)
{
    fputs(".TP\n.B ", out);
    struct strbuf head = {0};
    option_head(o, &head);
    const char *h = sb_str(&head);
    man_text(out, h + strspn(h, " "));
    fputc('\n', out);
    sb_free(&head);
    struct strbuf text = {0};
    option_text(o, &text);
    man_text(out, sb_str(&text));
    sb_free(&text);
    if (o->default_text && o->kind != KIND_FLAG) {
        fputs(" (default: ", out);
        man_text(out, o->default_text);
        fputc(')', out);
    }
    fputc('\n', out);
}

static void man_command(FILE *out, const struct command_info *c, size_t index)
{
    fprintf(out, ".SS visar %s %s\n", c->name, c->arguments);
    man_text(out, c->text);
    for (size_t i = 0; i < OPTION_COUNT; i++)
        if (option_has_effect(&option_table[i], index) && !is_common(&option_table[i]))
            man_option(out, &option_table[i]);
    fputs(".PP\nExamples:\n.EX\n", out);
    for (const char *p = c->examples; *p;) {
        size_t n = strcspn(p, "\n");
        struct strbuf line = {0};
        sb_add(&line, p, n);
        man_text(out, sb_str(&line));
        fputc('\n', out);
        sb_free(&line);
        p += n + (p[n] == '\n');
    }
    fputs(".EE\n", out);
}

void cli_print_man(FILE *out)
{
    fprintf(
        out,
        ".TH VISAR 1 \"\" \"visar %s\" \"User commands\"\n"
        ".SH NAME\nvisar \\- verify invariants and histories against isolation levels\n"
        ".SH SYNOPSIS\n.B visar\n.I COMMAND\n[\\fIOPTIONS\\fR] \\fIFILE\\fR...\n"
        ".SH DESCRIPTION\nvisar decides whether a program's invariant holds under an isolation\n"
        "level, which level is the weakest that is enough, and whether a history recorded from\n"
        "a database satisfies a level.\n"
        ".SH COMMANDS\n",
        VISAR_VERSION);
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        man_command(out, &command_table[i], i);
    fputs(".SH COMMON OPTIONS\n", out);
    for (size_t i = 0; i < OPTION_COUNT; i++)
        if (is_common(&option_table[i]))
            man_option(out, &option_table[i]);
    fputs(".SH EXIT STATUS\n"
          ".TP\n.B 0\nholds, or OK\n.TP\n.B 10\nviolated\n.TP\n.B 5\nunknown: a limit was hit\n"
          ".TP\n.B 1\nusage\n.TP\n.B 2\nbad input\n.TP\n.B 6\ninternal error\n",
          out);
}

/* ---- docs/cli.md ---------------------------------------------------------------------------- */

static void markdown_options(FILE *out, size_t command, bool common)
{
    fputs("| option | meaning | default |\n|---|---|---|\n", out);
    for (size_t i = 0; i < OPTION_COUNT; i++) {
        const struct option_info *o = &option_table[i];
        if (is_common(o) != common || !option_has_effect(o, command))
            continue;
        struct strbuf head = {0};
        option_head(o, &head);
        fputs("| `", out);
        const char *h = sb_str(&head);
        for (h += strspn(h, " "); *h; h++)
            fputs(*h == '|' ? "\\|" : (char[2]){*h, 0}, out);
        struct strbuf text = {0};
        option_text(o, &text);
        fprintf(out, "` | %s | %s |\n", sb_str(&text), o->default_text ? o->default_text : "");
        sb_free(&text);
        sb_free(&head);
    }
    fputc('\n', out);
}

void cli_print_markdown(FILE *out)
{
    fputs("# Command line\n\nMade from the program's own tables by `visar help --markdown`.\n\n",
          out);
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        const struct command_info *c = &command_table[i];
        fprintf(out, "## visar %s %s\n\n%s: %s\n\n%s\n", c->name, c->arguments, c->name, c->summary,
                c->text);
        if (has_options((enum command_id)i, false))
            markdown_options(out, i, false);
        fputs("```sh\n", out);
        each_example(c, out, "", "\n");
        fputs("```\n\n", out);
    }
    fputs("## Common options\n\n", out);
    markdown_options(out, 0, true);
    fputs("## Exit codes\n\n"
          "| code | meaning |\n|---|---|\n| 0 | holds, OK |\n| 10 | violated |\n"
          "| 5 | unknown: a limit was hit, and the output says which |\n| 1 | usage |\n"
          "| 2 | bad input |\n| 6 | internal error |\n",
          out);
}
