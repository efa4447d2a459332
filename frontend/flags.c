/* Compile flags.
 *
 * In order: what visar needs (its include folders, __VISAR__), the flags of the file's entry in
 * compile_commands.json, the flags given on the command line.  Of the entry only what
 * changes the meaning of the source is taken over: include paths, macros, the language standard,
 * the target's word size.  Warnings, optimisation and output names mean nothing here and some
 * compilers' flags would not even be understood. */
#include <jansson.h>
#include <libgen.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/strbuf.h"
#include "frontend/flags.h"

static void push(struct flags *f, const char *arg)
{
    vec_push(&f->args, arena_strdup(&f->arena, arg));
}

static bool starts_with(const char *s, const char *prefix)
{
    return strncmp(s, prefix, strlen(prefix)) == 0;
}

/* visar's own
 * -------------------------------------------------------------------------------------- */

static void add_own(struct flags *f, const struct ast_options *options)
{
    push(f, "-D__VISAR__=1");
    push(f, "-ferror-limit=0");
    push(f, "-Wno-unknown-attributes");
    for (size_t i = 0; i < options->n_include_dirs; i++) {
        const char *dir = options->include_dirs[i];
        if (access(arena_printf(&f->arena, "%s/visar.h", dir), R_OK) != 0)
            continue;
        push(f, "-isystem");
        push(f, dir);
        push(f, "-isystem");
        push(f, arena_printf(&f->arena, "%s/visar", dir)); /* our <assert.h> */
        return;
    }
}

/* compile_commands.json
 * ---------------------------------------------------------------------------- */

/* Words of a shell command: quotes and backslashes, no expansions. */
static void split_command(struct flags *f, const char *s, struct flags *out)
{
    struct strbuf word = {0};
    bool any = false;
    char quote = 0;
    for (; *s; s++) {
        if (quote ? *s == quote : (*s == '"' || *s == '\'')) {
            quote = quote ? 0 : *s;
            any = true;
        } else if (*s == '\\' && s[1] && quote != '\'') {
            sb_putc(&word, *++s);
            any = true;
        } else if (!quote && (*s == ' ' || *s == '\t' || *s == '\n')) {
            if (any)
                vec_push(&out->args, arena_strdup(&f->arena, sb_str(&word)));
            sb_clear(&word);
            any = false;
        } else {
            sb_putc(&word, *s);
            any = true;
        }
    }
    if (any)
        vec_push(&out->args, arena_strdup(&f->arena, sb_str(&word)));
    sb_free(&word);
}

static const char *absolute(struct flags *f, const char *dir, const char *path)
{
    return path[0] == '/' ? path : arena_printf(&f->arena, "%s/%s", dir, path);
}

/* Take over what matters of one command line, paths made absolute. */
static void take_over(struct flags *f, const struct flags *command, const char *dir)
{
    static const char *const with_path[] = {"-isystem", "-iquote", "-idirafter", "-include",
                                            "-imacros", "-I",      NULL};
    static const char *const plain[] = {"-std=",
                                        "-m32",
                                        "-m64",
                                        "-ansi",
                                        "-fsigned-char",
                                        "-funsigned-char",
                                        "-fshort-enums",
                                        "-fno-short-enums",
                                        "-fms-extensions",
                                        NULL};
    for (size_t i = 1; i < command->args.len; i++) {
        const char *arg = command->args.data[i];
        for (int k = 0; with_path[k]; k++) {
            if (!starts_with(arg, with_path[k]))
                continue;
            const char *rest = arg + strlen(with_path[k]);
            if (!*rest && i + 1 < command->args.len)
                rest = command->args.data[++i];
            push(f, with_path[k]);
            push(f, absolute(f, dir, rest));
            break;
        }
        for (int k = 0; plain[k]; k++)
            if (starts_with(arg, plain[k]))
                push(f, arg);
        if (starts_with(arg, "-D") || starts_with(arg, "-U")) {
            push(f, arg);
            if (!arg[2] && i + 1 < command->args.len)
                push(f, command->args.data[++i]);
        }
    }
}

static bool same_file(const char *a, const char *b)
{
    struct stat x, y;
    return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

static const char *string_of(const json_t *entry, const char *key)
{
    const char *s = json_string_value(json_object_get(entry, key));
    return s ? s : "";
}

static bool use_entry(struct flags *f, const json_t *entry, const char *file)
{
    const char *dir = string_of(entry, "directory");
    if (!same_file(absolute(f, dir, string_of(entry, "file")), file))
        return false;
    struct flags command = {0};
    const json_t *arguments = json_object_get(entry, "arguments"), *word;
    size_t i;
    json_array_foreach(arguments, i, word) if (json_is_string(word))
        vec_push(&command.args, json_string_value(word));
    if (!json_is_array(arguments))
        split_command(f, string_of(entry, "command"), &command);
    take_over(f, &command, dir);
    vec_free(&command.args);
    return true;
}

static bool use_database(struct flags *f, const char *path, const char *file, struct diag_list *d,
                         bool required)
{
    json_error_t error;
    json_t *all = json_load_file(path, 0, &error);
    bool found = false;
    if (!json_is_array(all)) {
        struct src_loc loc = {diag_file(d, path), 0, 0};
        if (all || error.line < 0)
            diag_add(d, DIAG_ERROR, loc, "not a list of compile commands");
        else
            diag_add(d, DIAG_ERROR,
                     (struct src_loc){loc.file, (uint32_t)error.line, (uint32_t)error.column}, "%s",
                     error.text);
        json_decref(all);
        return false;
    }
    for (size_t i = 0; i < json_array_size(all) && !found; i++)
        found = use_entry(f, json_array_get(all, i), file);
    json_decref(all);
    if (!found && required) {
        diag_add(d, DIAG_ERROR, (struct src_loc){diag_file(d, path), 0, 0}, "no entry for %s",
                 file);
        diag_hint(d, "give the flags after -- instead");
    }
    return found || !required;
}

/* The nearest compile_commands.json in the file's folder or above it. */
static bool search_database(struct flags *f, const char *file, struct diag_list *d)
{
    char path[PATH_MAX + 32], full[PATH_MAX];
    if (!realpath(file, full))
        return true; /* the caller says that the file cannot be read */
    for (char *dir = dirname(full);; dir = dirname(dir)) {
        snprintf(path, sizeof path, "%s/compile_commands.json", strcmp(dir, "/") ? dir : "");
        if (access(path, R_OK) == 0)
            return use_database(f, path, file, d, false);
        if (!strcmp(dir, "/") || !strcmp(dir, "."))
            return true;
    }
}

bool flags_collect(struct flags *f, const char *file, const struct ast_options *options,
                   struct diag_list *d)
{
    bool ok = true;
    add_own(f, options);
    if (options->compile_commands) {
        char *path = arena_printf(&f->arena, "%s/compile_commands.json", options->compile_commands);
        if (access(path, R_OK) != 0) {
            diag_add(d, DIAG_ERROR, (struct src_loc){diag_file(d, path), 0, 0}, "cannot be read");
            return false;
        }
        ok = use_database(f, path, file, d, true);
    } else if (!options->no_compile_commands) {
        ok = search_database(f, file, d);
    }
    for (size_t i = 0; i < options->n_args; i++)
        push(f, options->args[i]);
    push(f, "-xc"); /* last, so that it wins: flags for C++ are then an error of clang's */
    return ok;
}

void flags_free(struct flags *f)
{
    vec_free(&f->args);
    arena_free(&f->arena);
}
