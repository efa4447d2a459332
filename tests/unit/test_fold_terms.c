/* Summaries of programs with tables of any size (options.rows = 0, SX_FOLDS_TERMS). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>

#include "symexec/summary_names.h"

struct fixture {
    struct diag_list diags;
    struct ast_program *ast;
    struct sx_program sx;
    char file[48];
};

static bool run(struct fixture *f, const char *text, struct sx_options options)
{
    const char *include[] = {"frontend/include"};
    struct ast_options o = {
        .include_dirs = include, .n_include_dirs = 1, .no_compile_commands = true};
    *f = (struct fixture){0};
    snprintf(f->file, sizeof f->file, "%s", "/tmp/test_fold_terms_XXXXXX.c");
    int fd = mkstemps(f->file, 2);
    assert_true(fd >= 0);
    FILE *out = fdopen(fd, "w");
    fprintf(out, "#include <visar.h>\n%s", text);
    fclose(out);
    bool parsed = ast_parse(f->file, &o, &f->diags, &f->ast) && sx_classify(f->ast, &f->diags);
    if (!parsed)
        diag_print(&f->diags, stderr, false);
    assert_true(parsed);
    return sx_run(f->ast, &options, &f->diags, &f->sx);
}

static void summarise(struct fixture *f, const char *text)
{
    bool ok = run(f, text, (struct sx_options){.folds = SX_FOLDS_TERMS});
    if (!ok)
        diag_print(&f->diags, stderr, false);
    assert_true(ok);
}

static void release(struct fixture *f)
{
    sx_free(&f->sx);
    ast_free(f->ast);
    diag_free(&f->diags);
    unlink(f->file);
}

static void expect_term(const struct fixture *f, const struct sx_summary *s, term_id t,
                        const char *text)
{
    struct strbuf b = {0};
    sx_term_text(&f->sx, s, t, 200, &b);
    assert_string_equal(sb_str(&b), text);
    sb_free(&b);
}

/* Without loops: extents are the SIZE leaf. */
static void test_any_size(void **state)
{
    (void)state;
    struct fixture f;
    summarise(&f, "DATABASE struct { bool present; int balance; } account[ANY];\n"
                  "DATABASE int grid[3][ANY];\n"
                  "INITIAL void opening(void) { account[0].balance = 10; }\n"
                  "TRANSACTION int put(int i, int j) {\n"
                  "    account[i].balance = 1; grid[j][ANY - 1] = account[0].balance;\n"
                  "    return ANY; }\n"
                  "TRANSACTION void insert(void) { account[fresh(account)].present = true; }\n"
                  "INVARIANT bool none(int i, int v) { return account[i].balance != v; }\n");
    const struct sx_summary *s = f.sx.txns[0];
    assert_true(f.sx.tables[0].dims[0] == AST_ANY_ROWS && f.sx.tables[1].dims[0] == 3);
    expect_term(&f, s, s->returned[0], "ANY");
    assert_int_equal(s->n_points, 2); /* ANY - 1 needs no check, and neither does 0 */
    expect_term(&f, s, s->points[0].cond, "ANY > i && i >= 0");
    expect_term(&f, s, s->points[1].cond, "j <= 2 && j >= 0");
    s = f.sx.txns[1];
    assert_int_equal(s->n_points, 0);
    assert_int_equal(s->inputs[0].below, f.sx.size);
    s = f.sx.invariants[0];
    assert_int_equal(s->n_points, 0);
    assert_int_equal(s->inputs[0].below, f.sx.size);
    assert_int_equal(s->inputs[1].below, TERM_NONE);
    assert_int_equal(f.sx.initial->n_writes, 1);
    release(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_any_size),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
