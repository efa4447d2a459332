/* The frontend on small programs: what is built, what is accepted, where flags and headers come
 * from.  (What is refused is in tests/reject, with the exact messages.) */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/strbuf.h"
#include "frontend_help.h"

#define HEAD "#include <visar.h>\nDATABASE int x, y, a[3];\n"
#define BODY(statements) HEAD "TRANSACTION void t(int n, int i, int j) { " statements " }\n"

/* What is built ------------------------------------------------------------------------------- */

static void the_example(void **state)
{
    (void)state;
    dumps("#include <visar.h>\n"
          "DATABASE struct { int balance; } account[2];\n"
          "TRANSACTION void withdraw(int who, int amount)\n"
          "{\n"
          "    assume(who == 0 || who == 1);\n"
          "    if (account[0].balance + account[1].balance >= amount)\n"
          "        account[who].balance -= amount;\n"
          "}\n"
          "INITIAL void opening(void) { account[0].balance = 60; }\n"
          "INVARIANT bool solvent(void) { return account[0].balance >= 0; }\n"
          "SCENARIO void two(void) { withdraw(0, 1); SESSION { withdraw(1, 2); } }\n",
          "(struct \"struct at 2:10\"\n"
          "  (balance \"int\"))\n"
          "(DATABASE account \"struct at 2:10[2]\")\n"
          "(TRANSACTION withdraw \"void\" (who \"int\") (amount \"int\") reads writes\n"
          "  (block\n"
          "    (do #1 (assume (cast:bool (|| (== (load who) 0) (== (load who) 1)))))\n"
          "    (if #2 (>= (+ (load account[0].balance) (load account[1].balance)) (load amount))\n"
          "      (do #3 (-= account[(load who)].balance (load amount))))))\n"
          "(INITIAL opening \"void\" writes\n"
          "  (block\n"
          "    (do #1 (= account[0].balance 60))))\n"
          "(INVARIANT solvent \"bool\" reads\n"
          "  (block\n"
          "    (return #1 (cast:bool (>= (load account[0].balance) 0)))))\n"
          "(SCENARIO two \"void\"\n"
          "  (block\n"
          "    (do #1 (withdraw 0 1))\n"
          "    (session\n"
          "      (block\n"
          "        (do #2 (withdraw 1 2))))))\n");
}

/* What an ATOMIC statement changes, whether it may be several rows, and which if is its WHERE. */
static void atomic(void **state)
{
    (void)state;
    static const struct {
        const char *text, *dump;
    } cases[] = {
        {"ATOMIC x++;", "(atomic (update x)\n"},
        {"ATOMIC if (x) x--;", "(atomic (update x where)\n"},
        {"ATOMIC if (x) { x--; j = 1; } else j = 0;", "(atomic (update x where)\n"},
        {"ATOMIC { if (x) x--; }", "(atomic (update x)\n"}, /* CASE */
        {"ATOMIC { if (x) x--; y + i; x = 2; }", "(atomic (update x)\n"},
        {"ATOMIC { a[1] = 1; a[2] = 1; }", "(atomic (update a many)\n"},
        {"ATOMIC { a[1] = 1; a[1] = 2; }", "(atomic (update a)\n"},
        {"ATOMIC if (a[0]) { a[i] = 1; a[i + 0] = 2; j = a[j]; }",
         "(atomic (update a many where)\n"},
        {"ATOMIC { a[i] = a[2]; a[j] = 2; }", "(atomic (update a many)\n"},
        {"ATOMIC a[i] = a[j];", "(atomic (update a)\n"},
        {"ATOMIC for (int k = 0; k < 3; k++) if (a[k] > y) a[k] = 0;",
         "(atomic (update a many where)\n"},
        {"ATOMIC for (int k = 1; k < 3; k++) { if (a[k] > y) a[k]--; }",
         "(atomic (update a many)\n"},
        {"int *p = &a[i]; ATOMIC if (*p) { *p = 1; *p -= 3; n = 1; }",
         "(atomic (update a where)\n"},
        {"int *p = &a[i], *q = &a[j]; ATOMIC { *p = 1; *q = 2; }", "(atomic (update a many)\n"},
        {"int *p = n ? &a[i] : &x; ATOMIC if (*p) { *p = 1; *p -= 3; n = 1; }",
         "(atomic (update * where)\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char source[512];
        snprintf(source, sizeof source, HEAD "TRANSACTION void t(int n, int i, int j) { %s }\n",
                 cases[i].text);
        if (i == 7) /* a local is set, but two ways of naming a row are two rows */
            refuses(source, "local 'j' is set");
        else
            dumps_part(source, cases[i].dump);
    }
    refuses(BODY("ATOMIC a[i++] = a[j];"), "local 'i', which an ATOMIC statement sets, names");
    dumps_part(BODY("for_share(a[i]);"), "(do #1 (for_share a[(load i)]))");
}

static void conversions(void **state)
{
    (void)state;
    dumps("#include <visar.h>\n"
          "DATABASE unsigned char c;\n"
          "DATABASE long l;\n"
          "TRANSACTION void t(unsigned u, short s, bool b)\n"
          "{\n"
          "    c += 300;\n"
          "    l = u + s;\n"
          "    l = u < s;\n"
          "    c = -c << l;\n"
          "    b = u;\n"
          "    l = b ? u : l;\n"
          "    l <<= s;\n"
          "    s++;\n"
          "    l = 0xffffffffffffffff + 'a';\n"
          "}\n",
          "(DATABASE c \"unsigned char\")\n"
          "(DATABASE l \"long\")\n"
          "(TRANSACTION t \"void\" (u \"unsigned int\") (s \"short\") (b \"bool\") reads writes\n"
          "  (block\n"
          "    (do #1 (+= c 300))\n"
          "    (do #2 (=:long l (cast:long (+:\"unsigned int\" (load:\"unsigned int\" u) "
          "(cast:\"unsigned int\" (load:short s))))))\n"
          "    (do #3 (=:long l (cast:long (< (load:\"unsigned int\" u) (cast:\"unsigned int\" "
          "(load:short s))))))\n"
          "    (do #4 (=:\"unsigned char\" c (cast:\"unsigned char\" (<< (- (cast (load:\"unsigned "
          "char\" c))) (load:long l)))))\n"
          "    (do #5 (=:bool b (cast:bool (load:\"unsigned int\" u))))\n"
          "    (do #6 (=:long l (?:long (cast (load:bool b)) (cast:long (load:\"unsigned int\" u)) "
          "(load:long l))))\n"
          "    (do #7 (<<=:long l (cast (load:short s))))\n"
          "    (do #8 (post++ s))\n"
          "    (do #9 (=:long l (cast:long (+:\"unsigned long\" 18446744073709551615:\"unsigned "
          "long\" 97:\"unsigned long\"))))))\n");
}

static void statements(void **state)
{
    (void)state;
    dumps(HEAD "TRANSACTION int t(int n)\n"
               "{\n"
               "    for (; n < 3;)\n"
               "        n++;\n"
               "    for (int i = 0;; i++)\n"
               "        break;\n"
               "    switch (n) {\n"
               "    case 1:\n"
               "    case 2: n = 3;\n"
               "    default: goto out;\n"
               "    }\n"
               "    do n--; while (n);\n"
               "out:\n"
               "    return n;\n"
               "}\n",
          "(DATABASE x \"int\")\n"
          "(DATABASE y \"int\")\n"
          "(DATABASE a \"int[3]\")\n"
          "(TRANSACTION t \"int\" (n \"int\")\n"
          "  (block\n"
          "    (for\n"
          "        (empty)\n"
          "        (test #1 (< (load n) 3))\n"
          "        (step)\n"
          "      (do #2 (post++ n)))\n"
          "    (for\n"
          "        (local i #3 0)\n"
          "        (test)\n"
          "        (step #4 (post++ i))\n"
          "      (break))\n"
          "    (switch #5 (load n)\n"
          "      (case 1)\n"
          "      (case 2)\n"
          "      (do #6 (= n 3))\n"
          "      (default)\n"
          "      (goto out))\n"
          "    (do-while #8 (load n)\n"
          "      (do #7 (post-- n)))\n"
          "    (label out)\n"
          "    (return #9 (load n))))\n");
}

static void initialisers(void **state)
{
    (void)state;
    dumps(
        "#include <visar.h>\n"
        "struct in { int a, b; };\n"
        "struct out { struct in i[2]; struct { int z; }; };\n"
        "DATABASE struct out r = {1, 2, 3, .z = 9};\n"
        "static const int t[] = {[2] = -7 / 2, 1 << 4, [0] = sizeof(struct in)};\n"
        "static const struct in c = {.b = t[2] * 2};\n"
        "TRANSACTION void f(struct in v)\n"
        "{\n"
        "    struct out o = {{v, {.b = v.a}}, {5}};\n"
        "    struct in w[2][2] = {{{1}}, [1][1].b = 4};\n"
        "    r = o;\n"
        "    r.i[0] = (struct in){.a = w[0][0].a};\n"
        "}\n",
        "(struct \"struct in\"\n"
        "  (a \"int\")\n"
        "  (b \"int\"))\n"
        "(struct \"struct at 3:30\"\n"
        "  (z \"int\"))\n"
        "(struct \"struct out\"\n"
        "  (i \"struct in[2]\")\n"
        "  ( \"struct at 3:30\"))\n"
        "(DATABASE r \"struct out\" (init:\"struct out\" (init:\"struct in[2]\" (init:\"struct "
        "in\" 1 2) (init:\"struct in\" 3 0)) (init:\"struct at 3:30\" 9)))\n"
        "(const t \"int[4]\" (init:int[4] 8 0 -3 16))\n"
        "(const c \"struct in\" (init:\"struct in\" 0 -6))\n"
        "(TRANSACTION f \"void\" (v \"struct in\") writes\n"
        "  (block\n"
        "    (local o:\"struct out\" #1 (init:\"struct out\" (init:\"struct in[2]\" (load:\"struct "
        "in\" v) (init:\"struct in\" 0 (load v.a))) (init:\"struct at 3:30\" 5)))\n"
        "    (local w:\"struct in[2][2]\" #2 (init:\"struct in[2][2]\" (init:\"struct in[2]\" "
        "(init:\"struct in\" 1 0) (init:\"struct in\" 0 0)) (init:\"struct in[2]\" (init:\"struct "
        "in\" 0 0) (init:\"struct in\" 0 4))))\n"
        "    (do #3 (=:\"struct out\" r (load:\"struct out\" o)))\n"
        "    (do #4 (=:\"struct in\" r.i[0] (init:\"struct in\" (load w[0][0].a) 0)))))\n");
}

static void text_of_expressions(void **state)
{
    (void)state;
    struct fixture x;
    setup(&x);
    assert_true(parse(&x, HEAD "#define SUM (x + y)\n"
                               "TRANSACTION void t(int n)\n{\n"
                               "    assert(a[0] /* first */ + a[n]\n        >= 0);\n"
                               "    assert(SUM > n);\n}\n"));
    const struct ast_func *f = ast_find_func(x.p, "t");
    assert_non_null(f);
    assert_null(ast_find_func(x.p, "nobody"));
    assert_string_equal(ast_text(x.p, f->body->items[0]->expr->args[0]), "a[0] + a[n] >= 0");
    assert_string_equal(ast_text(x.p, f->body->items[1]->expr->args[0]), "SUM > n");
    assert_int_equal(f->body->items[0]->expr->loc.line, 6);
    assert_string_equal(diag_file_name(&x.d, f->loc.file), x.file);
    teardown(&x);
}

static void effects_and_recursion(void **state)
{
    (void)state;
    struct fixture x;
    setup(&x);
    assert_true(parse(&x, HEAD "static int down(int n) { return n ? down(n - 1) : x; }\n"
                               "static void set(int *p) { *p = 1; }\n"
                               "TRANSACTION void r(void) { down(3); }\n"
                               "TRANSACTION void w(void) { set(&x); }\n"
                               "TRANSACTION void none(void) { }\n"));
    assert_true(ast_find_func(x.p, "down")->recursive);
    assert_false(ast_find_func(x.p, "r")->recursive);
    assert_true(ast_find_func(x.p, "r")->reads && !ast_find_func(x.p, "r")->writes);
    assert_true(ast_find_func(x.p, "w")->writes && !ast_find_func(x.p, "w")->reads);
    assert_true(!ast_find_func(x.p, "none")->writes && !ast_find_func(x.p, "none")->reads);
    teardown(&x);
}

static void integer_ranges(void **state)
{
    (void)state;
    const struct ast_type c = {.kind = AST_INT, .width = 8, .is_signed = true};
    const struct ast_type u = {.kind = AST_INT, .width = 64};
    const struct ast_type b = {.kind = AST_INT, .width = 1, .is_bool = true};
    assert_true(ast_int_min(&c) == -128 && ast_int_max(&c) == 127);
    assert_true(ast_int_max(&u) == (ast_int)UINT64_MAX && ast_int_min(&u) == 0);
    assert_true(ast_int_cast(&c, 200) == -56 && ast_int_cast(&c, -129) == 127);
    assert_true(ast_int_cast(&u, -1) == (ast_int)UINT64_MAX);
    assert_true(ast_int_cast(&b, 256) == 1 && ast_int_cast(&b, 0) == 0);
}

/* What is accepted ---------------------------------------------------------------------------- */

static void assert_in_any_order(void **state)
{
    (void)state;
    static const char *const heads[] = {
        "#include <visar.h>\n",
        "#include <assert.h>\n#include <visar.h>\n",
        "#include <visar.h>\n#include <assert.h>\n",
        "#define NDEBUG\n#include <visar.h>\n#include <assert.h>\n",
        "#define NDEBUG\n#include <assert.h>\n#include <visar.h>\n#undef NDEBUG\n#include "
        "<assert.h>\n",
    };
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
        struct fixture x;
        struct strbuf source = {0};
        setup(&x);
        sb_printf(&source,
                  "%sstatic_assert(1, \"\");\nDATABASE int x;\n"
                  "TRANSACTION void t(void) { assert(x > 0 && \"positive\"); }\n",
                  heads[i]);
        assert_true(parse(&x, source.data));
        const struct ast_expr *e = ast_find_func(x.p, "t")->body->items[0]->expr;
        assert_true(e->kind == AST_BUILTIN && e->builtin == AST_ASSERT);
        sb_free(&source);
        teardown(&x);
    }
}

static void system_headers(void **state)
{
    (void)state;
    accepts("#include <stdbool.h>\n#include <stdint.h>\n#include <limits.h>\n#include <stddef.h>\n"
            "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n#include <visar.h>\n"
            "DATABASE uint64_t x;\n"
            "TRANSACTION void t(size_t n) { x = n + UINT32_MAX + INT_MAX; }\n"
            "int main(void) { printf(\"%f\", 1.5); return 0; }\n");
}

static void other_verifiers_names(void **state)
{
    (void)state;
    accepts("extern int __VERIFIER_nondet_int(void);\nextern void __VERIFIER_assume(int);\n" BODY(
        "n = __VERIFIER_nondet_int(); __VERIFIER_assume(n > 0); __CPROVER_assume(n < 9); x = n;"));
    accepts(
        "enum color { RED, BLUE };\nenum color nondet_color(void);\n" BODY("x = nondet_color();"));
}

static void pointers_that_are_fine(void **state)
{
    (void)state;
    static const char *const bodies[] = {
        BODY("int *p = &a[i]; *p += 1; p = &x; *p = p[0];"),
        BODY("int *p = n ? &x : &y; int *q = p; *q = 1;"),
        BODY("int l[2] = {0}; int (*p)[2] = &l; (*p)[1] = 3; const int *q = *p; x = *q;"),
        BODY("int l = 1; { int *p = &l; int *q = p; *q = 2; } x = l;"),
        BODY("switch (n) { case 1: { int *p = &x; *p = 1; break; } case 2: y = 1; }"),
        BODY("if (n) goto out; { int *p = &x; *p = 1; } out: y = 1;"),
        BODY("x = *a + *&y + (&a[1])[0];"),
    };
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++)
        accepts(bodies[i]);
}

static void declared_elsewhere(void **state)
{
    (void)state;
    struct fixture x;
    setup(&x);
    assert_true(parse(&x,
                      "#include <visar.h>\nextern DATABASE int x[];\nTRANSACTION void t(void);\n"
                      "static const int limit;\nint x[3];\nvoid t(void) { x[1] = limit; }\n"));
    assert_int_equal(x.p->n_tables, 1);
    assert_int_equal(x.p->tables[0]->dims[0], 3);
    assert_int_equal(ast_find_func(x.p, "t")->role, AST_TRANSACTION);
    assert_true(x.p->consts[0]->init->value == 0);
    teardown(&x);
}

static void order_that_does_not_matter(void **state)
{
    (void)state;
    static const char *const bodies[] = {
        BODY("i = i + 1; i = j = n; a[i] = a[j]; a[0] = a[1] = 0; a[i] += a[i];"),
        BODY("i = (j++, j); j = n && i++; x = y++ + x;"),
        BODY("a[i++] = j++; x = y-- + a[i++];"),
        BODY("int l[2] = {i++, j++}; x = l[0]; x = -x; x -= x;"),
        HEAD "static int f(void) { return x; }\nstatic int g(int n) { y = n; return n; }\n"
             "TRANSACTION void t(void) { x = f() + f(); x = g(f()); x = g(1) + x; x = f() ? g(1) : "
             "g(2); }\n",
        "#include <visar.h>\nDATABASE struct { int a, b; } r[2];\n"
        "TRANSACTION void t(int i) { r[i].a = r[i].b++; r[0].a++, r[0].a++; }\n",
    };
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++)
        accepts(bodies[i]);
}

static void order_that_matters(void **state)
{
    (void)state;
    static const char *const bodies[] = {
        BODY("i = i++;"),
        BODY("x = i++ + i;"),
        BODY("a[i] = i = 2;"),
        BODY("a[i] = a[j]++;"),
        BODY("x = (x = 1) + 1 + y, x = x++;"),
        BODY("int l[2] = {i++, i};"),
        BODY("int *p = &i; *p = i++;"),
    };
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++)
        refuses(bodies[i], "order of evaluation");
}

/* Full expressions are numbered without gaps. */
static void mark_full(bool *seen, const struct ast_expr *e)
{
    if (!e)
        return;
    assert_true(e->full > 0 && e->full < 100 && !seen[e->full]);
    seen[e->full] = true;
}

static void mark_stmt(bool *seen, const struct ast_stmt *s)
{
    if (!s)
        return;
    mark_full(seen, s->expr);
    mark_full(seen, s->step);
    mark_stmt(seen, s->init);
    mark_stmt(seen, s->body);
    mark_stmt(seen, s->other);
    for (uint32_t i = 0; i < s->n_items; i++)
        mark_stmt(seen, s->items[i]);
}

static void full_expressions(void **state)
{
    (void)state;
    struct fixture x;
    bool seen[100] = {0};
    setup(&x);
    assert_true(parse(
        &x, BODY("int k = x, l; for (i = 0, l = 2; i < l; i++) { if (k) continue; while (j--) x = "
                 "k++; } switch (n) { case 1: return; default: y = l; } do ; while (0);")));
    const struct ast_func *f = ast_find_func(x.p, "t");
    mark_stmt(seen, f->body);
    for (uint32_t i = 1; i <= f->n_full; i++)
        assert_true(seen[i]);
    assert_false(seen[f->n_full + 1]);
    teardown(&x);
}

/* Flags and files ----------------------------------------------------------------------------- */

static void flags_and_includes(void **state)
{
    (void)state;
    struct fixture x;
    char include[80], header[96];
    setup(&x);
    snprintf(include, sizeof include, "-I%s", x.dir);
    snprintf(header, sizeof header, "%s/other.h", x.dir);
    write_file(header, "static int twice(int n) { return 2 * n; }\n");
    x.args[0] = include;
    x.args[1] = "-DN=4";
    x.args[2] = "-std=c11";
    x.n_args = 3;
    assert_true(parse(&x,
                      "#include <visar.h>\n#include <other.h>\nDATABASE int x[N];\n"
                      "TRANSACTION void t(void) { x[0] = twice(__STDC_VERSION__ == 201112L); }\n"));
    assert_int_equal(x.p->tables[0]->dims[0], 4);
    assert_non_null(ast_find_func(x.p, "twice"));
    teardown(&x);
}

static void compile_commands(void **state)
{
    (void)state;
    static const char *const entries[] = {
        "[{\"directory\": \"%s\", \"file\": \"app.c\", \"command\": \"cc -Wall -O2 -DN=7 "
        "-DT=\\\"unsigned int\\\" -I. -fno-such-flag -c -o app.o app.c\"}]",
        "[{\"directory\": \"%s\", \"file\": \"app.c\", \"arguments\": [\"cc\", \"-D\", \"N=7\", "
        "\"-I\", "
        "\".\", \"-DT=unsigned int\", \"-c\", \"app.c\"]}]",
    };
    for (size_t i = 0; i < 2; i++) {
        struct fixture x;
        char path[128], text[512];
        setup(&x);
        snprintf(path, sizeof path, "%s/compile_commands.json", x.dir);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
        snprintf(text, sizeof text, entries[i], x.dir);
#pragma GCC diagnostic pop
        write_file(path, text);
        snprintf(path, sizeof path, "%s/other.h", x.dir);
        write_file(path, "#define M (N + 1)\n");
        x.compile_commands = i ? x.dir : NULL; /* asked for, or found beside the file */
        assert_true(parse(&x, "#include <visar.h>\n#include <other.h>\nDATABASE T x[M];\n"
                              "TRANSACTION void t(void) { x[0] = 1; }\n"));
        assert_int_equal(x.p->tables[0]->dims[0], 8);
        assert_false(x.p->tables[0]->row->is_signed);
        teardown(&x);
    }
}

static void bad_compile_commands(void **state)
{
    (void)state;
    struct fixture x;
    char path[128];
    setup(&x);
    snprintf(path, sizeof path, "%s/compile_commands.json", x.dir);
    x.compile_commands = x.dir;
    assert_false(parse(&x, BODY("x = 1;")));
    assert_non_null(strstr(x.d.items.data[0].text, "cannot be read"));
    write_file(path, "[]");
    assert_false(parse(&x, NULL));
    write_file(path, "[{]");
    assert_false(parse(&x, NULL));
    write_file(path, "{}");
    assert_false(parse(&x, NULL));
    assert_int_equal(x.d.errors, 4);
    teardown(&x);
}

static void unreadable(void **state)
{
    (void)state;
    struct fixture x;
    setup(&x);
    assert_false(parse(&x, NULL));
    assert_non_null(strstr(x.d.items.data[0].text, "cannot be read: No such file"));
    assert_int_equal(mkdir(x.file, 0700), 0);
    assert_false(parse(&x, NULL));
    assert_int_equal(x.d.errors, 2);
    rmdir(x.file);
    teardown(&x);
}

static void malformed(void **state)
{
    (void)state;
    refuses("", "no function is marked TRANSACTION");
    refuses("int x = ;", "expected expression");
    refuses("#include <visar.h>\nTRANSACTION void t(void) {", "expected '}'");
    refuses("#error no\n", "no");
    refuses("\x01\xff\xfe{{{((", "");
    refuses("#include <visar.h>\nTRANSACTION int t(struct nobody n) { return 1; }\n",
            "incomplete type");
    struct strbuf deep = {0};
    sb_puts(&deep, "#include <visar.h>\nDATABASE int x;\nTRANSACTION void t(int n) { x = n");
    for (int i = 0; i < AST_MAX_DEPTH; i++)
        sb_puts(&deep, "\n+ n");
    sb_puts(&deep, "; }\n");
    refuses(deep.data, "nested more than");
    sb_free(&deep);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_example),
        cmocka_unit_test(atomic),
        cmocka_unit_test(conversions),
        cmocka_unit_test(statements),
        cmocka_unit_test(initialisers),
        cmocka_unit_test(text_of_expressions),
        cmocka_unit_test(effects_and_recursion),
        cmocka_unit_test(integer_ranges),
        cmocka_unit_test(assert_in_any_order),
        cmocka_unit_test(system_headers),
        cmocka_unit_test(other_verifiers_names),
        cmocka_unit_test(pointers_that_are_fine),
        cmocka_unit_test(declared_elsewhere),
        cmocka_unit_test(order_that_does_not_matter),
        cmocka_unit_test(order_that_matters),
        cmocka_unit_test(full_expressions),
        cmocka_unit_test(flags_and_includes),
        cmocka_unit_test(compile_commands),
        cmocka_unit_test(bad_compile_commands),
        cmocka_unit_test(unreadable),
        cmocka_unit_test(malformed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
