/* Summaries of small programs: what is read, written, required; how modes and granularity change
 * it; that sizes stay linear; and that a concrete run finds its inputs and reads in the summary by
 * their keys. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>
#include <jansson.h>

#include "symexec/interp.h"
#include "report/command/summary_report.h"
#include "symexec/summary_names.h"

struct fixture {
    struct diag_list diags;
    struct ast_program *ast;
    struct sx_program sx;
    char file[40];
};

static void summarise(struct fixture *f, const char *text, struct sx_options options)
{
    const char *include[] = {"frontend/include"};
    struct ast_options o = {
        .include_dirs = include, .n_include_dirs = 1, .no_compile_commands = true};
    *f = (struct fixture){0};
    snprintf(f->file, sizeof f->file, "%s", "/tmp/test_symexec_XXXXXX.c");
    int fd = mkstemps(f->file, 2);
    assert_true(fd >= 0);
    FILE *out = fdopen(fd, "w");
    fprintf(out, "#include <visar.h>\n%s", text);
    fclose(out);
    bool ok =
        ast_parse(f->file, &o, &f->diags, &f->ast) && sx_run(f->ast, &options, &f->diags, &f->sx);
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

static size_t count_points(const struct sx_summary *s, enum sx_point_kind kind)
{
    size_t n = 0;
    for (size_t i = 0; i < s->n_points; i++)
        n += s->points[i].kind == kind;
    return n;
}

/* ---- text ---------------------------------------------------------------------------------- */

static const char bank[] = "DATABASE struct { int balance; int uses; } account[2];\n"
                           "TRANSACTION int withdraw(int who, unsigned char amount)\n"
                           "{\n"
                           "    assume(who == 0 || who == 1);\n"
                           "    if (account[who].balance < amount)\n"
                           "        rollback();\n"
                           "    account[who].balance -= amount;\n"
                           "    assert(account[who].balance >= 0);\n"
                           "    return account[1 - who].balance;\n"
                           "}\n"
                           "INITIAL void opening(void) { account[1].balance = 60; }\n"
                           "INVARIANT bool solvent(void) { return account[0].balance >= 0; }\n"
                           "SCENARIO void both(void) { withdraw(0, 1); withdraw(1, 2); }\n";

static void test_print(void **state)
{
    (void)state;
    struct fixture f;
    char *text = NULL;
    size_t size = 0;
    summarise(&f, bank, (struct sx_options){0});
    FILE *out = open_memstream(&text, &size);
    struct page page = {out, false, PAGE_ENDLESS};
    report_summary_text(&f.sx, &f.diags, &page);
    fclose(out);
    assert_non_null(
        strstr(text, "  rolls back rollback()  if amount > account[who].balance  [7:9]"));
    assert_non_null(
        strstr(text, "  writes     account[who].balance = account[who].balance - amount"));
    assert_non_null(strstr(text, "  calls      withdraw(0, 1) in session 1"));
    assert_non_null(strstr(text, "  sets       account[1].balance = 60  [12:41]"));
    free(text);
    out = open_memstream(&text, &size);
    report_summary_json(&f.sx, &f.diags, out);
    fclose(out);
    json_t *j = json_loads(text, 0, NULL);
    free(text);
    json_t *t = json_array_get(json_object_get(j, "transactions"), 0);
    assert_string_equal(json_string_value(json_object_get(t, "name")), "withdraw");
    json_t *w = json_array_get(json_object_get(t, "writes"), 0);
    assert_string_equal(json_string_value(json_object_get(w, "row")), "account[who]");
    assert_string_equal(json_string_value(json_array_get(json_object_get(w, "carried"), 0)),
                        ".uses");
    json_decref(j);
    release(&f);
}

/* ---- rows ---------------------------------------------------------------------------------- */

static void test_carry(void **state)
{
    (void)state;
    struct fixture f;
    summarise(&f,
              "DATABASE struct { int a, b; } t[3];\n"
              "TRANSACTION void one(int i) { assume(i >= 0 && i < 3); t[i].a = 1; }\n"
              "TRANSACTION void all(void) { t[0].a = 1; t[0].b = 2; t[0].a++; }\n",
              (struct sx_options){0});
    const struct sx_summary *s = f.sx.txns[0];
    assert_int_equal(s->n_reads, 1);
    assert_true(s->reads[0].carry);
    assert_int_equal(s->reads[0].field[0], TERM_NONE);
    assert_int_equal(s->n_writes, 1);
    assert_true(s->writes[0].touched[0] && !s->writes[0].touched[1]);
    assert_int_equal(s->writes[0].value[1], s->reads[0].field[1]);
    s = f.sx.txns[1];
    assert_int_equal(s->n_writes, 1);
    expect_term(&f, s, s->writes[0].value[0], "2");
    expect_term(&f, s, s->writes[0].value[1], "2");
    release(&f);
    /* By field nothing is carried over, and each field is a table of its own. */
    summarise(&f,
              "DATABASE struct { int a, b; } t[3];\n"
              "TRANSACTION void one(int i) { assume(i >= 0 && i < 3); t[i].a = 1; }\n",
              (struct sx_options){.granularity = SX_FIELD});
    assert_int_equal(f.sx.n_tables, 2);
    assert_int_equal(f.sx.txns[0]->n_reads, 0);
    assert_int_equal(f.sx.txns[0]->n_writes, 1);
    assert_string_equal(f.sx.tables[1].fields[0].path, ".b");
    release(&f);
}

static void test_alias(void **state)
{
    (void)state;
    struct fixture f;
    summarise(
        &f,
        "DATABASE int t[4];\n"
        "TRANSACTION int f(int i, int j) {\n"
        "    assume(i >= 0 && i < 4); assume(j >= 0 && j < 4);\n"
        "    t[i] = 10; t[j] = 20; return t[i]; }\n"
        "TRANSACTION int g(int i) { assume(i >= 0 && i < 4); t[2] = 7; t[i] = 8; return t[2]; }\n"
        "TRANSACTION int h(bool c) { int *p = &t[0]; if (c) p = &t[1]; *p = 5; return t[1]; }\n",
        (struct sx_options){0});
    expect_term(&f, f.sx.txns[0], f.sx.txns[0]->returned[0], "i == j ? 20 : 10");
    assert_int_equal(f.sx.txns[0]->n_reads, 0);
    expect_term(&f, f.sx.txns[1], f.sx.txns[1]->returned[0], "i == 2 ? 8 : 7");
    const struct sx_summary *h = f.sx.txns[2];
    expect_term(&f, h, h->returned[0], "c == 0 ? t[1] : 5");
    assert_int_equal(h->n_writes, 2);
    expect_term(&f, h, h->writes[0].guard, "c != 0");
    expect_term(&f, h, h->writes[1].guard, "c == 0");
    release(&f);
}

static term_int leaf_from_args(void *arg, uint32_t leaf)
{
    const struct fixture *f = ((void **)arg)[0];
    const term_int *args = ((void **)arg)[1];
    const struct term_leaf *l = &f->sx.store.leaves.data[leaf];
    return l->kind == TERM_LEAF_PARAM ? args[l->a] : 100; /* every row holds 100 */
}

static int evaluate(struct fixture *f, term_id t, term_int a, term_int b)
{
    term_int args[2] = {a, b};
    void *arg[2] = {f, args};
    struct term_evaluator e = {.store = &f->sx.store, .leaf = leaf_from_args, .arg = arg};
    int v = (int)term_eval(&e, t);
    term_evaluator_free(&e);
    return v;
}

/* When a jump meets those who jumped before, what is known on its path says nothing about theirs.
 */
static void test_join_of_rows(void **state)
{
    (void)state;
    struct fixture f;
    summarise(
        &f,
        "DATABASE int t[4];\n"
        "static void h(int i, bool c) { if (c) { t[i] = 5; return; } if (i == 0) { t[1] = 7; "
        "return; } }\n"
        "TRANSACTION int f(int i, bool c) { assume(i >= 0 && i < 4); h(i, c); return t[1]; }\n",
        (struct sx_options){0});
    term_id r = f.sx.txns[0]->returned[0];
    assert_int_equal(evaluate(&f, r, 1, 1), 5);
    assert_int_equal(evaluate(&f, r, 0, 1), 100);
    assert_int_equal(evaluate(&f, r, 0, 0), 7);
    assert_int_equal(evaluate(&f, r, 1, 0), 100);
    release(&f);
}

static const char twice[] = "DATABASE int t[2];\n"
                            "TRANSACTION int f(void) {\n"
                            "    int a = t[0] + t[0];\n"
                            "    a += t[0];\n"
                            "    t[0] = a;\n"
                            "    return t[0]; }\n";

static void test_read_modes(void **state)
{
    (void)state;
    static const size_t expected[] = {
        [SX_READS_SNAPSHOT] = 1, [SX_READS_STATEMENT] = 2, [SX_READS_EACH] = 3};
    for (int mode = 0; mode < 3; mode++) {
        struct fixture f;
        summarise(&f, twice, (struct sx_options){.reads = (enum sx_reads)mode});
        const struct sx_summary *s = f.sx.txns[0];
        assert_int_equal(s->n_reads, expected[mode]);
        for (size_t i = 1; i < s->n_reads; i++)
            assert_true(s->reads[i - 1].statement <= s->reads[i].statement);
        release(&f);
    }
}

/* All reads of an ATOMIC statement are of one statement and have one visible set, carried fields
 * included; those before and after it have others. */
static void test_atomic(void **state)
{
    (void)state;
    for (int mode = SX_READS_STATEMENT; mode <= SX_READS_EACH; mode++) {
        struct fixture f;
        summarise(&f,
                  "DATABASE struct { int a, b; } t[4];\n"
                  "DATABASE int n;\n"
                  "static int twice(int v) { return v + v; }\n"
                  "TRANSACTION int f(void) {\n"
                  "    int old = n;\n"
                  "    ATOMIC if (n < t[0].a) { t[1].a = twice(t[2].b) + n; old = n; }\n"
                  "    return old + n; }\n",
                  (struct sx_options){.reads = (enum sx_reads)mode});
        const struct sx_summary *s = f.sx.txns[0];
        assert_int_equal(s->n_reads, 6); /* n; n, t[0], t[2], t[1] carried; n */
        for (size_t i = 1; i < 5; i++) {
            assert_int_equal(s->reads[i].statement, s->reads[1].statement);
            assert_true(s->reads[i].statement_key == s->reads[1].statement_key);
            assert_true(s->reads[i].key == s->reads[1].key);
            assert_int_equal(s->reads[i].set, s->reads[1].set);
        }
        assert_true(s->reads[4].carry);
        assert_true(s->reads[0].statement < s->reads[1].statement);
        assert_true(s->reads[4].statement < s->reads[5].statement);
        assert_int_not_equal(s->reads[0].set, s->reads[1].set);
        assert_int_not_equal(s->reads[5].set, s->reads[1].set);
        release(&f);
    }
}

static void test_lock(void **state)
{
    (void)state;
    struct fixture f;
    summarise(&f,
              "struct row { int a, b; };\n"
              "DATABASE struct row t[2];\n"
              "TRANSACTION void f(bool c) { if (c) for_update(t[1]); t[0].a = t[1].b; }\n"
              "TRANSACTION void g(bool c) { if (c) for_share(t[1]); t[0].a = t[1].b; }\n"
              "TRANSACTION void h(bool c) {\n"
              "    struct row l = {1, 2}, *p = c ? &t[1] : &l;\n"
              "    for_update(*p);\n"
              "    t[0].a = p->b; }\n",
              (struct sx_options){0});
    for (int i = 0; i < 3; i++) {
        const struct sx_summary *s = f.sx.txns[i];
        assert_int_equal(s->n_locks, 1);
        expect_term(&f, s, s->locks[0].guard, "c != 0");
        assert_int_equal(s->n_writes, 1);
    }
    release(&f);
}

/* ---- points -------------------------------------------------------------------------------- */

static void test_points(void **state)
{
    (void)state;
    struct fixture f;
    summarise(&f,
              "DATABASE int t[4];\n"
              "TRANSACTION int f(int i, int d, unsigned n) {\n"
              "    assert(d != 3);\n"
              "    assume(d != 3);\n"
              "    int q = t[i] / d;\n"
              "    if (d == 0) t[0] = 1;\n" /* never: the check above stopped it */
              "    q = q << n;\n"
              "    if (i < 4) q = t[i];\n" /* no second check */
              "    return q; }\n",
              (struct sx_options){0});
    const struct sx_summary *s = f.sx.txns[0];
    assert_int_equal(count_points(s, SX_ASSERT), 1);
    assert_int_equal(count_points(s, SX_ASSUME), 1);
    assert_int_equal(count_points(s, SX_BOUNDS), 1);
    assert_int_equal(count_points(s, SX_DIVISION), 1);
    assert_int_equal(count_points(s, SX_SHIFT), 1);
    assert_int_equal(count_points(s, SX_OVERFLOW), 2);
    assert_int_equal(s->points[0].kind, SX_ASSERT);
    assert_int_equal(s->points[0].before, TERM_TRUE); /* not excused by the assumption after it */
    assert_int_equal(s->n_writes, 0);
    for (size_t i = 0; i < s->n_points; i++)
        assert_int_equal(s->points[i].rolls_back, s->points[i].kind == SX_OVERFLOW);
    release(&f);
    summarise(&f, "TRANSACTION int f(int i) { return i + 1; }\n",
              (struct sx_options){.check_overflow = true});
    assert_false(f.sx.txns[0]->points[0].rolls_back);
    assert_int_equal(f.sx.txns[0]->rolled_back, TERM_FALSE);
    release(&f);
}

static void test_unwinding(void **state)
{
    (void)state;
    struct fixture f;
    summarise(
        &f,
        "DATABASE int t[100];\n"
        "TRANSACTION void constant(void) { for (int i = 0; i < 100; i++) t[i] = i; }\n"
        "TRANSACTION void bounded(int n) { assume(n <= 9); for (int i = 0; i < n; i++) t[i] = i; "
        "}\n"
        "TRANSACTION void open(unsigned char n) { while (n--) t[0] = n; }\n"
        "TRANSACTION void search(int x) { for (int i = 0; i < 100; i++) if (t[i] == x) break; }\n"
        "TRANSACTION void forever(int x) { for (;;) { if (x % 7 == 0) break; x--; } }\n"
        "static int fac(int n) { return n <= 1 ? 1 : n * fac(n - 1); }\n"
        "TRANSACTION int recursive(int n) { return fac(5) + fac(n); }\n",
        (struct sx_options){.unwind = 12});
    static const size_t expected[] = {0, 0, 1, 0, 1, 1};
    for (uint32_t i = 0; i < f.sx.n_txns; i++)
        assert_int_equal(count_points(f.sx.txns[i], SX_UNWIND), expected[i]);
    assert_int_equal(f.sx.txns[0]->n_writes, 100);
    assert_int_equal(f.sx.txns[1]->n_writes, 9);
    release(&f);
}

/* The advice at the bound of the transaction's loop. */
static void advises(const struct fixture *f, uint32_t txn, const char *advice)
{
    const struct sx_summary *s = f->sx.txns[txn];
    for (size_t i = 0; i < s->n_points; i++)
        if (s->points[i].kind == SX_UNWIND) {
            if (advice)
                assert_string_equal(s->points[i].advice, advice);
            else
                assert_null(s->points[i].advice);
            return;
        }
    fail();
}

/* A higher bound is advised where it helps, and how high. */
static void test_unwinding_advice(void **state)
{
    (void)state;
    struct fixture f;
    summarise(
        &f,
        "DATABASE int t[100];\n"
        "TRANSACTION void any(int n) { for (int i = 0; i < n; i++) t[0] = i; }\n"
        "TRANSACTION void some(int n) { assume(n <= 20); for (int i = 0; i < n; i++) t[0] = i; "
        "}\n"
        "TRANSACTION void odd(int n) { while (n % 7 != 0) { n += n % 3 + 1; } t[0] = n; }\n"
        "TRANSACTION void search(int n) { for (int i = 0; i < 2000000000; i += 2) { if (i == n) "
        "break; t[0] = i; } }\n"
        "TRANSACTION void forever(void) { for (;;) t[0] ^= 1; }\n",
        (struct sx_options){.unwind = 8});
    advises(&f, 0, "and 2147483647 are possible: bound them with assume");
    advises(&f, 1, "and 20 are possible: raise --unwind to 20");
    advises(&f, 2, NULL);
    advises(&f, 3, "and 1000000000 are possible: bound them with assume");
    advises(&f, 4, "since nothing leaves this one");
    release(&f);
}

/* However often a loop could go round, it is not refused if something may leave it, and loops that
 * are only run now and then do not multiply. */
static void test_long_loops(void **state)
{
    (void)state;
    struct fixture f;
    summarise(
        &f,
        "DATABASE int t[100];\n"
        "TRANSACTION void left(void) { for (int i = 0; i < 2147483647; i++) if (i == 5) break; "
        "}\n"
        "TRANSACTION void over(void) { for (int i = 0; i < 2147483647; i++) { t[0] = i; if (i "
        "== 5) rollback(); } }\n"
        "static int f(int i) { if (i > 5) return 1; for (int j = 0; j < 4000; j++) i ^= j; "
        "return i; }\n"
        "TRANSACTION void once(void) { int s = 0; for (int i = 0; i < 2000; i++) { if (i == 9) "
        "for (int j = 0; j < 2000; j++) s ^= j; s ^= f(i); } t[0] = s; }\n"
        "TRANSACTION void moved(void) { for (int i = 0; i < 2000000; i++) i += 999999; }\n",
        (struct sx_options){.unwind = 8});
    for (uint32_t i = 0; i < f.sx.n_txns; i++)
        assert_int_equal(count_points(f.sx.txns[i], SX_UNWIND), 0);
    release(&f);
}

/* ---- size ---------------------------------------------------------------------------------- */

static size_t terms_for_ifs(int n)
{
    struct fixture f;
    struct strbuf b = {0};
    sb_puts(&b, "DATABASE int t[2];\nTRANSACTION int f(int a, int b) {\n int x = 0;\n");
    for (int i = 0; i < n; i++)
        sb_printf(&b,
                  " if ((a ^ %d) > (b | %d)) x = (x ^ %d) & 1023; else if (b == %d) t[1] = x;\n", i,
                  i, i * 3 + 1, i);
    sb_puts(&b, " return x; }\n");
    summarise(&f, sb_str(&b), (struct sx_options){0});
    size_t size = f.sx.store.terms.len;
    sb_free(&b);
    release(&f);
    return size;
}

static void test_linear(void **state)
{
    (void)state;
    size_t small = terms_for_ifs(20), large = terms_for_ifs(200);
    assert_true(small < 1000);
    assert_true(large < 12 * small);
}

/* ---- initial states, predicates, scenarios -------------------------------------------------- */

static void test_initial(void **state)
{
    (void)state;
    struct fixture f;
    summarise(&f,
              "DATABASE int t[3] = {5, 6};\n"
              "DATABASE struct { short a; bool b; } s = {7, 1};\n"
              "INITIAL void one(void) { int i = nondet_int(); assume(i >= 0 && i < 3); t[2] = t[i] "
              "+ t[1]; s.a = t[2]; }\n"
              "TRANSACTION void two(void) { s.a = t[2]; }\n",
              (struct sx_options){0});
    const struct sx_summary *s = f.sx.initial;
    assert_int_equal(s->n_reads, 0);
    assert_int_equal(s->n_writes, 2);
    assert_int_equal((int)f.sx.tables[0].init[1], 6);
    expect_term(&f, s, s->writes[1].value[1], "1");
    assert_int_equal(count_points(s, SX_ASSUME), 1);
    release(&f);
}

static void test_predicate(void **state)
{
    (void)state;
    struct fixture f;
    summarise(&f,
              "DATABASE int t[3];\n"
              "TRANSACTION void f(void) { t[0] = 1; }\n"
              "INVARIANT bool sum(void) { int s = 0; for (int i = 0; i < 3; i++) s += t[i]; return "
              "s >= 0; }\n",
              (struct sx_options){0});
    const struct sx_summary *s = f.sx.invariants[0];
    expect_term(&f, s, s->holds, "t[0] + t[1] + t[2] >= 0"); /* exact, whatever overflows */
    assert_int_equal(s->committed, TERM_TRUE);
    assert_int_equal(count_points(s, SX_OVERFLOW), 2);
    release(&f);
}

/* A sum that overflows is exact; shifted left it must fit, and is not cut to fit; shifted right it
 * is divided. */
static void test_predicate_shifts(void **state)
{
    (void)state;
    struct fixture f;
    summarise(&f,
              "DATABASE int a, b;\n"
              "TRANSACTION void t(int x) { a = x; }\n"
              "INVARIANT bool left(void) { return ((a + b) << 1) <= 100; }\n"
              "INVARIANT bool right(void) { return ((a + b) >> 1) >= 0; }\n"
              "INVARIANT bool by(void) { return ((a + b) >> (a & 1)) >= 0; }\n",
              (struct sx_options){0});
    const struct sx_summary *s = f.sx.invariants[0];
    assert_int_equal(count_points(s, SX_SHIFT), 1);
    expect_term(&f, s, s->points[1].cond, "a + b <= 1073741823 && a + b >= 0");
    s = f.sx.invariants[1];
    expect_term(&f, s, s->holds, "a + b >> 1 >= 0");
    s = f.sx.invariants[2];
    assert_int_equal(count_points(s, SX_SHIFT), 0);
    release(&f);
}

/* A division by zero behind an overflow is still one: overflow does not end a predicate. */
static void test_predicate_goes_on(void **state)
{
    (void)state;
    struct fixture f;
    summarise(&f,
              "DATABASE int a, b, c;\n"
              "TRANSACTION void t(int x) { a = x; }\n"
              "INVARIANT bool quotient(void) { return (a + b) / c >= 0; }\n",
              (struct sx_options){0});
    const struct sx_summary *s = f.sx.invariants[0];
    for (size_t i = 0; i < s->n_points; i++) {
        assert_int_equal(s->points[i].before == TERM_TRUE,
                         s->points[i].kind != SX_OVERFLOW || i == 0);
        if (s->points[i].kind == SX_DIVISION)
            expect_term(&f, s, sx_point_fires(&f.sx, &s->points[i]), "c == 0");
    }
    expect_term(&f, s, s->committed, "c != 0");
    expect_term(&f, s, s->check_failed, "c == 0");
    release(&f);
}

static void test_scenario(void **state)
{
    (void)state;
    struct fixture f;
    summarise(
        &f,
        "DATABASE int t[3];\n"
        "struct pair { int x; bool y; };\n"
        "TRANSACTION struct pair f(int i, struct pair p) { p.x += i; t[0] = p.x; return p; }\n"
        "SCENARIO void s(void) {\n"
        "    int n = nondet_int();\n"
        "    struct pair p = {n, true};\n"
        "    assume(n > 2);\n"
        "    for (int i = 0; i < 2; i++) f(i, p);\n"
        "    SESSION { struct pair q = f(7, p); if (q.y) f(8, q); assert(q.x == n + 7); }\n"
        "}\n",
        (struct sx_options){0});
    const struct sx_summary *s = f.sx.scenarios[0];
    assert_int_equal(s->n_calls, 4);
    assert_int_equal(s->n_sessions, 3);
    assert_int_equal(s->calls[2].session, 2);
    assert_int_equal(s->calls[3].session, 2);
    assert_int_equal(s->calls[3].n_args, 3);
    assert_int_equal(s->calls[3].args[1], s->calls[2].ret[0]);
    assert_int_equal(s->calls[0].guard, TERM_TRUE);
    assert_int_not_equal(s->calls[3].guard, TERM_TRUE);
    assert_int_equal(count_points(s, SX_ASSERT), 1);
    release(&f);
}

/* ---- a concrete run finds its way in the summary --------------------------------------------- */

struct replay {
    const struct sx_program *p;
    const struct sx_summary *s;
    struct term_evaluator e;
    term_int nondet[16]; /* by input */
    size_t reads, asked;
};

static term_int replay_leaf(void *arg, uint32_t leaf)
{
    struct replay *r = arg;
    const struct term_leaf *l = &r->p->store.leaves.data[leaf];
    return l->kind == TERM_LEAF_NONDET ? r->nondet[l->a] : 10;
}

static ast_int replay_read(void *arg, struct interp_row row, uint32_t cell, uint64_t statement,
                           uint64_t read)
{
    struct replay *r = arg;
    size_t found = 0;
    (void)cell;
    for (size_t i = 0; i < r->s->n_reads; i++) {
        const struct sx_read *e = &r->s->reads[i];
        bool same =
            r->p->options.reads == SX_READS_EACH ? e->key == read : e->statement_key == statement;
        found += same && term_eval(&r->e, e->guard) &&
                 (uint64_t)term_eval(&r->e, e->row.index[0]) == row.index[0];
    }
    assert_int_equal(found, 1);
    r->reads++;
    return 10;
}

static ast_int replay_nondet(void *arg, const struct ast_type *type, uint64_t key,
                             bool uninitialised)
{
    struct replay *r = arg;
    (void)type, (void)uninitialised;
    for (size_t i = 0; i < r->s->n_inputs; i++) {
        if (r->s->inputs[i].key == key && term_eval(&r->e, r->s->inputs[i].guard)) {
            r->asked++;
            return r->nondet[i];
        }
    }
    fail_msg("no input with this key");
    return 0;
}

static void test_keys(void **state)
{
    (void)state;
    for (int mode = SX_READS_STATEMENT; mode <= SX_READS_EACH; mode++) {
        struct fixture f;
        summarise(
            &f,
            "DATABASE int t[8];\n"
            "static int pick(int m) { int n = nondet_int(); assume(n >= 0 && n < m); return n; }\n"
            "TRANSACTION int f(void) {\n"
            "    int s = 0, n = pick(4), junk;\n"
            "    for (int i = 0; i < n; i++) {\n"
            "        int k = pick(8);\n"
            "        if (k % 2) continue;\n"
            "        s += t[k] + t[pick(3)] + t[7 - k];\n"
            "        ATOMIC if (t[k] > t[7 - k]) t[k] = s; else s += 2;\n"
            "    }\n"
            "    return s + (junk & 1); }\n",
            (struct sx_options){.reads = (enum sx_reads)mode});
        struct replay r = {.p = &f.sx, .s = f.sx.txns[0]};
        r.e = (struct term_evaluator){.store = &f.sx.store, .leaf = replay_leaf, .arg = &r};
        assert_true(r.s->n_inputs <= 16);
        for (size_t i = 0; i < r.s->n_inputs; i++)
            r.nondet[i] = i == 0 ? 3 : (term_int)((i * 2) % 3);
        struct interp_host host = {.arg = &r, .read = replay_read, .nondet = replay_nondet};
        struct interp_options o = {0};
        struct interp_run run;
        interp_run(f.ast, r.s->func, NULL, &o, &host, &run);
        assert_int_equal(run.end, INTERP_COMMITTED);
        assert_true(r.reads > 0 && r.asked >= 5);
        assert_true(run.result[0] == (ast_int)term_eval(&r.e, r.s->returned[0]));
        interp_run_free(&run);
        term_evaluator_free(&r.e);
        release(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_print),
                                       cmocka_unit_test(test_carry),
                                       cmocka_unit_test(test_alias),
                                       cmocka_unit_test(test_read_modes),
                                       cmocka_unit_test(test_atomic),
                                       cmocka_unit_test(test_lock),
                                       cmocka_unit_test(test_join_of_rows),
                                       cmocka_unit_test(test_points),
                                       cmocka_unit_test(test_unwinding),
                                       cmocka_unit_test(test_unwinding_advice),
                                       cmocka_unit_test(test_long_loops),
                                       cmocka_unit_test(test_linear),
                                       cmocka_unit_test(test_initial),
                                       cmocka_unit_test(test_predicate),
                                       cmocka_unit_test(test_predicate_shifts),
                                       cmocka_unit_test(test_predicate_goes_on),
                                       cmocka_unit_test(test_scenario),
                                       cmocka_unit_test(test_keys)};
    return cmocka_run_group_tests_name("symexec", tests, NULL, NULL);
}
