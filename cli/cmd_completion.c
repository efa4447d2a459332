/* visar completion bash|zsh: a script made from the tables. */
#include <string.h>

#include "cli/table.h"

/* The values that an option takes, if they can be listed: the words of a choice, or names. */
static bool has_words(const struct option_info *o)
{
    return o->kind == KIND_CHOICE || cli_name_at(o->kind, 0);
}

static void words(FILE *out, const struct option_info *o)
{
    for (const char *p = o->kind == KIND_CHOICE ? o->metavar : ""; *p; p++)
        fputc(*p == '|' ? ' ' : *p, out);
    for (size_t i = 0; cli_name_at(o->kind, i); i++)
        fprintf(out, "%s%s", i ? " " : "", cli_name_at(o->kind, i));
}

/* Lists of names are completed after the last comma. */
static bool takes_list(const struct option_info *o)
{
    return o->kind == KIND_MODELS || o->kind == KIND_LEVELS;
}

static void bash_options(FILE *out, size_t command)
{
    for (size_t i = 0; i < OPTION_COUNT; i++)
        if (option_has_effect(&option_table[i], command))
            fprintf(out, " --%s", option_table[i].name);
    fputs(" --help", out);
}

static void bash_values(FILE *out, size_t command)
{
    for (size_t i = 0; i < OPTION_COUNT; i++) {
        const struct option_info *o = &option_table[i];
        if (!has_words(o) || !option_has_effect(o, command))
            continue;
        fprintf(out, "        %s/--%s", command_table[command].name, o->name);
        if (o->short_name)
            fprintf(out, " | %s/-%c", command_table[command].name, o->short_name);
        fputs(takes_list(o) ? ") _visar_list \"" : ") _visar_words \"", out);
        words(out, o);
        fputs("\"; return ;;\n", out);
    }
}

static void print_bash(FILE *out)
{
    fputs("_visar_words() { COMPREPLY=($(compgen -W \"$1\" -- \"$cur\")); }\n"
          "_visar_list() {\n"
          "    local before= last=${cur##*,}\n"
          "    case $cur in *,*) before=${cur%,*}, ;; esac\n"
          "    COMPREPLY=($(compgen -P \"$before\" -W \"$1\" -- \"$last\"))\n"
          "}\n"
          "_visar() {\n"
          "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} options=\n"
          "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
          "        COMPREPLY=($(compgen -W \"",
          out);
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        fprintf(out, "%s ", command_table[i].name);
    fputs("--help --version\" -- \"$cur\"))\n        return\n    fi\n"
          "    case $cur in\n"
          "        =) cur= ;;\n"
          "        *) [ \"$prev\" = = ] && prev=${COMP_WORDS[COMP_CWORD-2]} ;;\n"
          "    esac\n"
          "    case ${COMP_WORDS[1]}/$prev in\n"
          "        completion/completion) _visar_words \"bash zsh\"; return ;;\n"
          "        help/help) _visar_words \"",
          out);
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        fprintf(out, "%s ", command_table[i].name);
    fputs("\"; return ;;\n", out);
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        bash_values(out, i);
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
    if (has_words(o)) {
        fprintf(out, takes_list(o) ? ":%s:_values -s , %s" : ":%s:(", o->name, o->name);
        if (takes_list(o))
            fputc(' ', out);
        words(out, o);
        fputs(takes_list(o) ? "" : ")", out);
    } else if (o->kind != KIND_FLAG) {
        fprintf(out, ":%s:%s", o->name,
                o->kind == KIND_OUTPUT || !strcmp(o->metavar, "FILE") ? "_files" : "");
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
        for (size_t o = 0; o < OPTION_COUNT; o++)
            if (option_has_effect(&option_table[o], i))
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
