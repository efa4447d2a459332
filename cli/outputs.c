/* Files that options ask to write.  They are looked at before any work is done: a proof of minutes
 * must not be lost because a folder does not exist, nor a source file because its name was given
 * twice. */
#include <errno.h>
#include <libgen.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/table.h"

static bool to_file(const char *path)
{
    return path && strcmp(path, "-") != 0;
}

static bool same_file(const char *a, const char *b)
{
    struct stat x, y;
    if (!strcmp(a, b))
        return true;
    return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino &&
           S_ISREG(x.st_mode);
}

/* NULL, or why the file cannot be written. */
static const char *obstacle(struct cli *c, const char *path)
{
    struct stat info;
    if (stat(path, &info) == 0) {
        if (S_ISDIR(info.st_mode))
            return "it is a folder";
        return access(path, W_OK) == 0 ? NULL : strerror(errno);
    }
    const char *folder = dirname(arena_strdup(&c->arena, path));
    return access(folder, W_OK | X_OK) == 0 ? NULL : strerror(errno);
}

/* Options that name files to read. */
static bool reads(const struct cli *c, const char *path)
{
    const char *const inputs[] = {c->opt.version_order, c->opt.order, c->opt.verify_certificate};
    for (size_t i = 0; i < c->files.len; i++)
        if (to_file(c->files.data[i]) && same_file(path, c->files.data[i]))
            return true;
    for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++)
        if (to_file(inputs[i]) && same_file(path, inputs[i]))
            return true;
    return false;
}

int cli_check_outputs(struct cli *c)
{
    const char *seen[OPTION_COUNT];
    size_t n = 0;
    for (size_t i = 0; i < OPTION_COUNT; i++) {
        const struct option_info *o = &option_table[i];
        if (o->kind != KIND_OUTPUT || !(o->commands >> c->command & 1))
            continue;
        const char *path = *(const char **)((char *)&c->opt + o->offset);
        if (!to_file(path))
            continue;
        if (reads(c, path))
            return cli_usage(c, "--%s would overwrite '%s', which is read", o->name, path);
        for (size_t k = 0; k < n; k++)
            if (seen[k] != path && same_file(seen[k], path))
                return cli_usage(c, "'%s' is to be written twice", path);
        seen[n++] = path;
        const char *why = obstacle(c, path);
        if (why) {
            diag_add(&c->diags, DIAG_ERROR, SRC_LOC_NONE, "%s: cannot be written: %s", path, why);
            return cli_bad_input(c);
        }
    }
    return EXIT_HOLDS;
}
