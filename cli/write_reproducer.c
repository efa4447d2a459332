#include "cli/write_reproducer.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/io.h"
#include "base/strbuf.h"
#include "cli/paths.h"
#include "report/verify/reproducer.h"

/* The source, seen from the folder of the file that is going to include it.  A name with a
 * quotation mark goes between < and >, which takes an absolute one. */
static const char *seen_from(struct arena *a, const char *source, const char *out)
{
    char from[PATH_MAX], to[PATH_MAX];
    const char *slash = strrchr(out, '/');
    const char *folder = slash ? arena_strndup(a, out, (size_t)(slash - out) + 1) : ".";
    if (!realpath(folder, from) || !realpath(source, to))
        return source;
    if (strchr(to, '"'))
        return arena_strdup(a, to);
    size_t common = 0; /* up to the last slash that both have */
    for (size_t i = 0; from[i] == to[i] || (!from[i] && to[i] == '/'); i++) {
        if (to[i] == '/')
            common = i + 1;
        if (!from[i] || !to[i])
            break;
    }
    struct strbuf b = {0};
    if (strlen(from) + 1 > common)
        for (const char *p = from + common; p; p = strchr(p, '/') ? strchr(p, '/') + 1 : NULL)
            sb_puts(&b, "../");
    sb_puts(&b, to + common);
    const char *path = arena_strdup(a, sb_str(&b));
    sb_free(&b);
    return path;
}

/* As one word of a shell's command line. */
static void put_word(struct strbuf *b, const char *s)
{
    if (*s && strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=/.,:") ==
                  strlen(s)) {
        sb_puts(b, s);
        return;
    }
    sb_putc(b, '\'');
    for (; *s; s++) {
        if (*s == '\'')
            sb_puts(b, "'\\'");
        sb_putc(b, *s);
    }
    sb_putc(b, '\'');
}

static const char *command(struct cli *c, const char *out)
{
    struct strbuf b = {0};
    const char *include = path_include(&c->arena);
    sb_puts(&b, "cc ");
    if (include) {
        sb_puts(&b, "-I");
        put_word(&b, include);
        sb_putc(&b, ' ');
    }
    for (size_t i = 0; i < c->extra.len; i++) {
        put_word(&b, c->extra.data[i]);
        sb_putc(&b, ' ');
    }
    put_word(&b, strcmp(out, "-") ? out : "cex.c");
    sb_puts(&b, " && ./a.out");
    const char *text = arena_strdup(&c->arena, sb_str(&b));
    sb_free(&b);
    return text;
}

int reproducer_save(struct cli *c, struct ast_program *ast, const struct verify_result *r,
                    const struct verify_verdict *d)
{
    const char *path = c->opt.reproducer;
    struct io_out out;
    struct reproducer p = {
        .ast = ast,
        .files = &c->diags,
        .result = r,
        .verdict = d,
        .include = seen_from(&c->arena, ast->file, path),
        .command = command(c, path),
    };
    const char *error = io_create(path, &c->arena, &out);
    if (!error) {
        const char *why = report_reproducer(&p, &c->arena, out.file);
        if (why) {
            io_discard(&out);
            fprintf(stderr, "visar: no reproducer for this counterexample: %s\n", why);
            return EXIT_HOLDS;
        }
        error = io_commit(&out, &c->arena);
    }
    if (!error)
        return EXIT_HOLDS;
    fprintf(stderr, "visar: %s: %s\n", path, error);
    return EXIT_BAD_INPUT;
}
