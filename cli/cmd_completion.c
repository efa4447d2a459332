/* visar completion bash|zsh: a script made from the tables. */
#include <string.h>

#include "cli/table.h"

static void words(FILE *out, const char *choices)
{
    for (; *choices; choices++)
        fputc(*choices == '|' ? ' ' : *choices, out);
}

static void bash_options(FILE *out, size_t command)
{
    for (size_t i = 0; i < OPTION_INDEX_COUNT; i++)
        if (option_table[i].commands >> command & 1)
            fprintf(out, " --%s", option_table[i].name);
    fputs(" --help", out);
}

static void bash_values(FILE *out)
{
    for (size_t i = 0; i < OPTION_INDEX_COUNT; i++) {
        const struct option_info *o = &option_table[i];
        if (o->kind != KIND_CHOICE)
            continue;
        fprintf(out, "        --%s) COMPREPLY=($(compgen -W \"", o->name);
        words(out, o->metavar);
        fputs("\" -- \"$cur\")); return ;;\n", out);
    }
}

static void print_bash(FILE *out)
{
    fputs("_visar() {\n"
          "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} options=\n"
          "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
          "        COMPREPLY=($(compgen -W \"",
          out);
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        fprintf(out, "%s ", command_table[i].name);
    fputs("--help --version\" -- \"$cur\"))\n        return\n    fi\n    case $prev in\n", out);
    bash_values(out);
    fputs("    esac\n    case ${COMP_WORDS[1]} in\n", out);
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        fprintf(out, "        %s) options=\"", command_table[i].name);
        bash_options(out, i);
        fputs("\" ;;\n", out);
    }
    fputs("    esac\n"
          "    case $cur in\n"
          "        -*) COMPREPLY=($(compgen -W \"$options\" -- \"$cur\")) ;;\n"
          "        *) COMPREPLY=($(compgen -f -- \"$cur\")) ;;\n"
          "    esac\n"
          "}\n"
          "complete -o filenames -F _visar visar ./visar\n",
          out);
}

/* Inside single quotes; brackets and colons are syntax for _arguments. */
static void zsh_text(FILE *out, const char *s)
{
    for (; *s; s++) {
        if (*s == '\'')
            fputs("'\\''", out);
        else if (strchr("[]:", *s))
            fprintf(out, "\\%c", *s);
        else
            fputc(*s, out);
    }
}

static void zsh_option(FILE *out, const struct option_info *o)
{
    fprintf(out, " \\\n            '--%s[", o->name);
    zsh_text(out, o->help);
    fputs("]", out);
    if (o->kind == KIND_CHOICE) {
        fprintf(out, ":%s:(", o->name);
        words(out, o->metavar);
        fputs(")", out);
    } else if (o->kind != KIND_FLAG) {
        fprintf(out, ":%s:%s", o->name, strcmp(o->metavar, "FILE") ? "" : "_files");
    }
    fputs("'", out);
}

static void print_zsh(FILE *out)
{
    fputs("#compdef visar\n_visar() {\n    local -a commands=(\n", out);
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        fprintf(out, "        '%s:", command_table[i].name);
        zsh_text(out, command_table[i].summary);
        fputs("'\n", out);
    }
    fputs("    )\n    if (( CURRENT == 2 )); then\n        _describe command commands\n"
          "        return\n    fi\n    case ${words[2]} in\n",
          out);
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        fprintf(out, "        %s) _arguments '--help[help]'", command_table[i].name);
        for (size_t o = 0; o < OPTION_INDEX_COUNT; o++)
            if (option_table[o].commands >> i & 1)
                zsh_option(out, &option_table[o]);
        fputs(" \\\n            '*:file:_files' ;;\n", out);
    }
    fputs("    esac\n}\nif [ \"$funcstack[1]\" = _visar ]; then\n    _visar\nelse\n"
          "    compdef _visar visar\nfi\n",
          out);
}

int cmd_completion(struct cli *c)
{
    const char *shell = c->files.len == 1 ? c->files.data[0] : "";
    if (!strcmp(shell, "bash"))
        print_bash(c->out);
    else if (!strcmp(shell, "zsh"))
        print_zsh(c->out);
    else
        return cli_usage(c, "which shell: bash or zsh?");
    return EXIT_HOLDS;
}
