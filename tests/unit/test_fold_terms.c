/* Summaries of programs with tables of any size (options.rows = 0, SX_FOLDS_TERMS). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

/* ---- folds ----------------------------------------------------------------------------------- */

#define ACCOUNTS                                                                                   \
    "DATABASE struct { bool present; int owner; int balance; } account[ANY];\n"                    \
    "DATABASE struct { int to, n; } edge[7];\n"

static void returns(const char *body, const char *text)
{
    struct fixture f;
    char program[2000];
    snprintf(program, sizeof program, ACCOUNTS "TRANSACTION long f(int n, bool b) { %s }\n", body);
    summarise(&f, program);
    expect_term(&f, f.sx.txns[0], f.sx.txns[0]->returned[0], text);
    release(&f);
}

#define EACH "for (int i = 0; i < ANY; i++) "

static void test_shapes(void **state)
{
    (void)state;
    returns("long s = 0; " EACH "s += account[i].balance; return s;",
            "(sum of account[i].balance over all i)");
    returns("int c = 0; " EACH "if (account[i].owner == n) c++; return c;",
            "(count of i with n == account[i].owner)");
    returns("int c = 0; " EACH "c++; return c;", "ANY");
    returns("int c = 0; " EACH "c += 0; return c;", "0");
    returns("long s = n; " EACH "{ if (account[i].present) continue; s -= account[i].owner; } "
            "return s;",
            "n + (sum of -account[i].owner over all i with account[i].present == 0)");
    returns("bool ok = true; " EACH "ok = ok && account[i].balance >= 0; return ok;",
            "(all i: account[i].balance >= 0)");
    returns("bool any = b; " EACH "if (account[i].owner == n) any = true; return any;",
            "(not all i: n != account[i].owner) ? 1 : b");
    returns("int m = n; " EACH "if (account[i].balance < m) m = account[i].balance; return m;",
            "(least of n and account[i].balance over all i)");
    returns("long m = n; " EACH
            "if (account[i].present) m = m < account[i].balance ? account[i].balance : m; "
            "return m;",
            "(greatest of n and account[i].balance over all i with account[i].present != 0)");
    returns("int k = -1; " EACH "if (account[i].owner == n) { k = i; break; } return k;",
            "ANY <= (first i with n == account[i].owner) ? -1 : (first i with n == "
            "account[i].owner)");
    returns(EACH "if (account[i].owner == n) return 5; return 6;",
            "(not all i: n != account[i].owner) ? 5 : 6");
    returns("int c = 0; for (int i = 0; i < ANY; i++) for (int j = i + 1; j < ANY; j++) "
            "if (account[i].owner == account[j].owner) c++; return c;",
            "(sum of (count of j >= i + 1 with account[i].owner == account[j].owner) over all i)");
    /* Constants: few rounds are unrolled. */
    returns("int c = 0; for (int i = 0; i < 7; i++) c += edge[i].n == n; return c;",
            "(sum of n == edge[i].n over all i)");
}

/* Equal folds are one, and what nothing mentions is none. */
static void test_one_fold(void **state)
{
    (void)state;
    struct fixture f;
    summarise(&f, ACCOUNTS "TRANSACTION long f(int n) { long s = 0, t = 0;\n" EACH
                           "s += account[i].balance;\n"
                           "for (int k = 0; k < ANY; k++) t += account[k].balance;\n"
                           "return s * 2 - t; }\n");
    const struct sx_summary *s = f.sx.txns[0];
    assert_int_equal(s->n_folds, 1);
    assert_int_equal(s->returned[0], s->folds[0].leaf);
    assert_int_equal(s->n_reads, 1);
    assert_int_equal(s->reads[0].n_bound, 1);
    assert_int_equal(s->reads[0].bound[0].hi, f.sx.size);
    assert_int_equal(s->n_points, 0); /* a long holds every sum of ints */
    release(&f);
}

/* One effect: ALL.  Several: the first rounds are compared, so that a rollback in a later round
 * does not hide a failed check in an earlier one. */
static void test_stops(void **state)
{
    (void)state;
    struct fixture f;
    summarise(&f, ACCOUNTS
              "TRANSACTION void f(int n) { " EACH "if (account[i].owner == n) rollback(); }\n"
              "TRANSACTION int g(int n) { int s = 0; " EACH
              "{ if (account[i].owner == n) rollback(); s += edge[account[i].balance].n & 0; }\n"
              "return s; }\n"
              "TRANSACTION void h(int n) { " EACH
              "{ assert(account[i].balance); if (account[i].owner == n) break; } }\n");
    const struct sx_summary *s = f.sx.txns[0];
    expect_term(&f, s, s->points[0].cond, "(all i: n != account[i].owner)");
    assert_true(s->points[0].rolls_back);
    s = f.sx.txns[1];
    assert_int_equal(s->points[0].kind, SX_ROLLBACK);
    assert_int_equal(s->points[1].kind, SX_BOUNDS);
    size_t first = 0;
    for (size_t i = 0; i < s->n_folds; i++)
        first += s->folds[i].kind == SX_FOLD_FIRST;
    assert_true(first >= 2);
    s = f.sx.txns[2];
    expect_term(&f, s, s->points[0].cond,
                "(all i: account[i].balance != 0 || i > (first i with n == account[i].owner))");
    release(&f);
}

/* A bulk write, rows written by name before and after it, and a row read after it. */
static void test_writes(void **state)
{
    (void)state;
    struct fixture f;
    summarise(&f, ACCOUNTS "TRANSACTION int f(int n) { account[0].owner = 4;\n" EACH
                           "    if (account[i].owner == n) account[i].balance = i;\n"
                           "    account[1].balance = 9;\n"
                           "    return account[0].balance; }\n");
    const struct sx_summary *s = f.sx.txns[0];
    assert_int_equal(s->n_writes, 3);
    const struct sx_write *bulk = NULL;
    for (size_t i = 0; i < s->n_writes; i++)
        if (s->writes[i].n_bound)
            bulk = &s->writes[i];
    assert_non_null(bulk);
    expect_term(&f, s, bulk->guard, "n == (i == 0 ? 4 : account[i].owner)");
    expect_term(&f, s, bulk->value[2], "i == 1 ? 9 : i");
    expect_term(&f, s, s->returned[0], "n == 4 ? 0 : account[0].balance");
    release(&f);
}

/* What cannot be a term: refused for ANY, unrolled for a constant. */
static void test_refused(void **state)
{
    (void)state;
    struct fixture f;
    bool ok = run(&f,
                  ACCOUNTS "TRANSACTION int f(int n) { short s = 0; " EACH
                           "s += account[i].balance; return s; }\n",
                  (struct sx_options){.folds = SX_FOLDS_TERMS});
    assert_false(ok);
    assert_non_null(strstr(vec_last(&f.diags.items).text, "what 's' gets has no shape of a fold"));
    assert_int_equal(vec_last(&f.diags.items).loc.line, 4);
    release(&f);
    summarise(&f, ACCOUNTS "TRANSACTION int f(int n) { short s = 0;\n"
                           "for (int i = 0; i < 7; i++) s += edge[i].n; return s; }\n");
    assert_int_equal(f.sx.txns[0]->n_folds, 0);
    assert_int_equal(f.sx.txns[0]->n_reads, 7);
    release(&f);
}

/* The text of a loop over ANY that is no fold. */
static void refuses(const char *body, const char *why)
{
    const char *include[] = {"frontend/include"};
    struct ast_options o = {
        .include_dirs = include, .n_include_dirs = 1, .no_compile_commands = true};
    struct fixture f = {0};
    snprintf(f.file, sizeof f.file, "%s", "/tmp/test_fold_terms_XXXXXX.c");
    FILE *out = fdopen(mkstemps(f.file, 2), "w");
    fprintf(out,
            "#include <visar.h>\n" ACCOUNTS
            "TRANSACTION long f(int n, long d, unsigned u) { %s }\n",
            body);
    fclose(out);
    assert_true(ast_parse(f.file, &o, &f.diags, &f.ast));
    assert_false(sx_classify(f.ast, &f.diags));
    assert_non_null(strstr(vec_last(&f.diags.items).text, why));
    ast_free(f.ast);
    diag_free(&f.diags);
    unlink(f.file);
}

static void test_no_folds(void **state)
{
    (void)state;
    refuses("int c = 0, s = 0; " EACH "if (c++ < n) s += account[i].owner; return s;",
            "a round uses the value that it gets");
    refuses("int c = 0, s = 0; " EACH "s += c += account[i].owner; return s;",
            "a round uses the value that it gets");
    /* The least after a conversion is not the least. */
    refuses("int m = n; " EACH "if (account[i].balance * d < m) m = account[i].balance * d; "
            "return m;",
            "looks at what the rounds before it left");
    refuses("int m = n; " EACH "if (account[i].owner + u < m) m = account[i].owner + u; return m;",
            "looks at what the rounds before it left");
}

/* A fold is one statement; with rows, and without terms, it is unrolled as ever. */
static void test_modes(void **state)
{
    (void)state;
    static const char text[] =
        ACCOUNTS "TRANSACTION long f(void) { long s = 0; " EACH
                 "s += account[i].balance + account[0].owner; return s + account[0].owner; }\n";
    for (int mode = SX_READS_SNAPSHOT; mode <= SX_READS_EACH; mode++) {
        struct fixture f;
        bool ok = run(&f, text,
                      (struct sx_options){.folds = SX_FOLDS_TERMS, .reads = (enum sx_reads)mode});
        assert_true(ok);
        const struct sx_summary *s = f.sx.txns[0];
        assert_int_equal(s->n_reads, mode == SX_READS_SNAPSHOT ? 2 : 3);
        assert_int_equal(s->reads[0].statement, s->reads[1].statement);
        assert_int_equal(s->reads[0].set, s->reads[1].set);
        if (mode != SX_READS_SNAPSHOT)
            assert_true(s->reads[1].statement != s->reads[2].statement);
        release(&f);
        ok = run(&f, text, (struct sx_options){.rows = 3, .reads = (enum sx_reads)mode});
        assert_true(ok);
        assert_int_equal(f.sx.txns[0]->n_folds, 0);
        release(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_any_size), cmocka_unit_test(test_shapes),
        cmocka_unit_test(test_one_fold), cmocka_unit_test(test_stops),
        cmocka_unit_test(test_writes),   cmocka_unit_test(test_refused),
        cmocka_unit_test(test_modes),    cmocka_unit_test(test_no_folds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
