/* Small programs for the tests of the frontend. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "frontend_help.h"

void write_file(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

void setup(struct fixture *x)
{
    memset(x, 0, sizeof *x);
    strcpy(x->dir, "/tmp/visar-frontend-XXXXXX");
    assert_non_null(mkdtemp(x->dir));
    snprintf(x->file, sizeof x->file, "%s/app.c", x->dir);
}

bool parse(struct fixture *x, const char *source)
{
    static const char *const dirs[] = {"nowhere", "frontend/include"};
    struct ast_options options = {.include_dirs = dirs,
                                  .n_include_dirs = 2,
                                  .args = x->args,
                                  .n_args = x->n_args,
                                  .compile_commands = x->compile_commands};
    if (source)
        write_file(x->file, source);
    return ast_parse(x->file, &options, &x->d, &x->p);
}

void teardown(struct fixture *x)
{
    static const char *const names[] = {"app.c", "other.h", "compile_commands.json"};
    char path[128];
    ast_free(x->p);
    diag_free(&x->d);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "%s/%s", x->dir, names[i]);
        unlink(path);
    }
    rmdir(x->dir);
}

void accepts(const char *source)
{
    struct fixture x;
    setup(&x);
    if (!parse(&x, source)) {
        diag_print(&x.d, stderr, false);
        fail_msg("refused: %s", source);
    }
    assert_int_equal(x.d.errors, 0);
    teardown(&x);
}

void refuses(const char *source, const char *part)
{
    struct fixture x;
    setup(&x);
    assert_false(parse(&x, source));
    assert_null(x.p);
    assert_true(x.d.errors > 0);
    if (!strstr(x.d.items.data[0].text, part))
        fail_msg("'%s' instead of '%s'", x.d.items.data[0].text, part);
    teardown(&x);
}

static void dump(const char *source, const char *expected, bool part)
{
    struct fixture x;
    char *text = NULL;
    size_t size = 0;
    setup(&x);
    if (!parse(&x, source))
        diag_print(&x.d, stderr, false);
    assert_non_null(x.p);
    FILE *out = open_memstream(&text, &size);
    ast_print(x.p, out);
    fclose(out);
    if (!part || !strstr(text, expected))
        assert_string_equal(text, expected);
    free(text);
    teardown(&x);
}

void dumps(const char *source, const char *expected)
{
    dump(source, expected, false);
}

void dumps_part(const char *source, const char *expected)
{
    dump(source, expected, true);
}
