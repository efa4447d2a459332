/* The frontend on tables of any size: dimensions, headers of folds, fresh, predicates for every
 * value.  (What is refused is in tests/reject.) */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "frontend_help.h"

#define ANY_HEAD                                                                                   \
    "#include <visar.h>\nDATABASE int account[ANY], orders[10][ANY], pair[(ANY)][ANY], "           \
    "small[10];\n"                                                                                 \
    "DATABASE struct { int line[5]; } cart[ANY];\n"                                                \
    "TRANSACTION void t(int n) { account[n] = 0; }\n"
#define ANY_BODY(statements) ANY_HEAD "TRANSACTION void u(int n, int m) { " statements " }\n"

static void tables_of_any_size(void **state)
{
    (void)state;
    dumps("#include <visar.h>\n"
          "#define ROWS ANY\n"
          "DATABASE int account[ANY], orders[10][ROWS];\n"
          "TRANSACTION void t(int n)\n"
          "{\n"
          "    int rows = ANY - 1;\n"
          "    account[fresh(account)] = fresh(orders[n]) + rows;\n"
          "    for (unsigned i = n + 1; ANY > i; ++i)\n"
          "        orders[0][i] = 0;\n"
          "}\n"
          "static bool fine(unsigned k) { return account[k] >= 0; }\n"
          "INVARIANT bool every(int i, long d, int v) { return fine(i) || orders[d][0] != v; }\n",
          "(DATABASE account \"int[ANY]\")\n"
          "(DATABASE orders \"int[10][ANY]\")\n"
          "(TRANSACTION t \"void\" (n \"int\") reads writes\n"
          "  (block\n"
          "    (local rows #1 (- ANY 1))\n"
          "    (do #2 (= account[(fresh account)] (+ (fresh orders[(load n)]) (load rows))))\n"
          "    (for (over i (cast:\"unsigned int\" (+ (load n) 1)) ANY)\n"
          "        (local i:\"unsigned int\" #3 (cast:\"unsigned int\" (+ (load n) 1)))\n"
          "        (test #4 (> (cast:\"unsigned int\" ANY) (load:\"unsigned int\" i)))\n"
          "        (step #5 (pre++:\"unsigned int\" i))\n"
          "      (do #6 (= orders[0][(load:\"unsigned int\" i)] 0)))))\n"
          "(helper fine \"bool\" (k \"unsigned int\") reads\n"
          "  (block\n"
          "    (return #1 (cast:bool (>= (load account[(load:\"unsigned int\" k)]) 0)))))\n"
          "(INVARIANT every \"bool\" (i \"int\" over ANY) (d \"long\" over 10) (v \"int\") reads\n"
          "  (block\n"
          "    (return #1 (cast:bool (|| (cast (fine:bool (cast:\"unsigned int\" (load i))))"
          " (!= (load orders[(load:long d)][0]) (load v)))))))\n");
}

static void dimensions(void **state)
{
    (void)state;
    struct fixture x;
    setup(&x);
    assert_true(parse(&x, ANY_HEAD));
    assert_true(x.p->any);
    const struct ast_var *pair = x.p->tables[2], *orders = x.p->tables[1];
    assert_int_equal(orders->n_dims, 2);
    assert_true(orders->dims[0] == 10 && orders->dims[1] == AST_ANY_ROWS);
    assert_true(pair->dims[0] == AST_ANY_ROWS && pair->dims[1] == AST_ANY_ROWS);
    assert_int_equal(orders->type->size, 0);
    assert_int_equal(orders->type->elem->size, 0);
    assert_string_equal(pair->row->name, "int");
    teardown(&x);
}

static void any_with_a_value(void **state)
{
    (void)state;
    struct fixture x;
    setup(&x);
    x.args[0] = "-DANY=7919"; /* the number that stands for ANY otherwise */
    x.n_args = 1;
    assert_true(parse(&x, "#include <visar.h>\n"
                          "#if ANY < 10\n#error few\n#endif\n"
                          "enum { LAST = ANY - 1 };\n"
                          "DATABASE int account[ANY] = {1}, more[ANY + 1];\n"
                          "TRANSACTION void t(void) { account[LAST] = sizeof more; }\n"));
    assert_false(x.p->any);
    assert_int_equal(x.p->tables[0]->dims[0], 7919);
    teardown(&x);
    /* and it is an ordinary number in a program without ANY */
    accepts(
        "#include <visar.h>\nDATABASE int seat[7919];\n"
        "TRANSACTION void t(void) { int copy[7919]; copy[0] = sizeof seat; seat[0] = copy[0]; }\n");
}

static void any_in_expressions(void **state)
{
    (void)state;
    accepts(ANY_BODY("int last = ANY - 1; const long rows = ANY; char c = ANY;"
                     "account[ANY / 2] = last + rows + c; if (n < ANY) account[n] = ANY % 3;"
                     "m = n ? ANY : -ANY; n <<= ANY > 3; struct { int rows; } s = {ANY};"
                     "int list[2] = {ANY, sizeof account[0]}; account[0] = s.rows + list[1];"
                     "int *row = &account[ANY - 1]; *row = sizeof(int);"));
    accepts("#include <visar.h>\nextern int late[];\nextern int late[];\n"
            "DATABASE int late[ANY];\nextern int late[];\nextern int late[ANY];\n"
            "TRANSACTION void t(int n) { late[n]++; }\n");
    accepts("#include <visar.h>\n#define SQUARE(n) [n][n]\nDATABASE int late SQUARE(ANY);\n"
            "TRANSACTION void t(int n) { late[n][n]++; }\n");
}

/* The loops of the first function, in order: how many rows each is over; 0: it is no fold. */
static void folds(const char *source, const uint64_t *expected, size_t n)
{
    struct fixture x;
    size_t found = 0;
    setup(&x);
    if (!parse(&x, source))
        diag_print(&x.d, stderr, false);
    assert_non_null(x.p);
    const struct ast_func *f = x.p->funcs[x.p->n_funcs - 1];
    for (uint32_t i = 0; i < f->body->n_items; i++) {
        const struct ast_stmt *s = f->body->items[i];
        if (s->kind != AST_STMT_FOR)
            continue;
        assert_true(found < n);
        uint64_t size = s->fold ? s->fold->size : 0;
        if (size != expected[found])
            fail_msg("line %u: %llu", s->loc.line, (unsigned long long)size);
        if (s->fold) {
            assert_ptr_equal(s->fold->index, s->init->var);
            assert_ptr_equal(s->fold->lo, s->init->expr);
            assert_false(s->fold->refuted);
        }
        found++;
    }
    assert_int_equal(found, n);
    teardown(&x);
}

static void headers_of_folds(void **state)
{
    (void)state;
    const uint64_t any[] = {AST_ANY_ROWS, AST_ANY_ROWS, AST_ANY_ROWS, AST_ANY_ROWS, AST_ANY_ROWS};
    folds(ANY_BODY(
              "for (int i = 0; i < ANY; i++) account[i] = 0;\n"
              "for (long i = n; ANY > i; i += 1) { account[i] = 0; if (m) break; }\n"
              "for (int i = 0; i != ANY; ++i) for (int j = i + 1; j < ANY; j++) pair[i][j] = 0;\n"
              "for (size_t i = 3; i < ANY; i++) n++;\n"
              "for (int i = m ? n - 1 : -n; i < ANY; i++) account[i] = m;"),
          any, 5);
    const uint64_t constant[] = {10, 10, 10, 10, 10, 10, 10};
    folds(ANY_HEAD "enum { TEN = 10 }; static const int ten = 9 + 1;\n"
                   "static int get(int k) { return small[k]; }\n"
                   "static int hand(long k) { return get(k); }\n"
                   "TRANSACTION void u(int n) {"
                   "for (int i = 0; i < 10; i++) small[i] = 0;\n"
                   "for (unsigned char i = 0; i <= 9; i++) orders[i][n] = 0;\n"
                   "for (int i = 0; 9 >= i; i++) n += hand(i);\n"
                   "for (int i = n; i < TEN; i++) small[i] = 0;\n"
                   "for (int i = 0; i < ten; i++) small[i] = 0;\n"
                   "for (int i = 0; i < sizeof small / sizeof *small; i++) small[i] = 0;\n"
                   "for (int i = 0; i != 10; i++) { small[i] = 0; small[n] = 1; } }",
          constant, 7);
    const uint64_t none[] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    folds(ANY_HEAD "static int get(int k) { k++; return small[k]; }\n"
                   "TRANSACTION void u(int n) { int list[10];"
                   "for (int i = 0; i < 9; i++) small[i] = 0;\n"      /* not the whole */
                   "for (int i = 0; i < 10; i++) list[i] = 0;\n"      /* no table */
                   "for (int i = 0; i < 10; i++) small[i / 2] = 0;\n" /* not the index itself */
                   "for (int i = 0; i < 10; i++) n += get(i);\n"
                   "for (int i = 0; i < 10; i++) { small[i] = 0; i++; }\n"
                   "for (int i = 0; i < 10; i += 2) small[i] = 0;\n"
                   "for (int i = n; i < 10; i++) { small[i] = 0; n--; }\n"
                   "for (int i = n; i < 10u; i++) small[i] = 0;\n" /* a negative i would end it */
                   "for (int i = 0; (signed char)i < 10; i++) small[i] = 0;\n"
                   "for (int i = 1; i != 10; i++) small[i] = 0;\n"
                   "for (int i = 0; i < 5; i++) cart[n].line[i] = 0;\n" /* inside a row */
                   "for (int i = small[0]; i < 10; i++) small[i] = 0;\n"
                   "n = list[0]; }",
          none, 12);
}

static void order_of_fresh(void **state)
{
    (void)state;
    accepts(ANY_BODY("account[fresh(account)] = fresh(account) + fresh(orders[n]);"
                     "assume(fresh(account) < 3);"));
    refuses(ANY_BODY("n = fresh(account) + (account[0] = 1);"), "order of evaluation");
    refuses(ANY_HEAD "static int stop(void) { rollback(); return 1; }\n"
                     "TRANSACTION void u(int n) { n = fresh(account) + stop(); }\n",
            "order of evaluation");
}

static void ranges_of_parameters(void **state)
{
    (void)state;
    static const struct {
        const char *predicate;
        uint64_t ranges;
    } cases[] = {
        {"INVARIANT bool p(int i) { return account[i] == i; }", AST_ANY_ROWS},
        {"INVARIANT bool p(int i) { return account[i + 1] == i; }", 0},
        {"INVARIANT bool p(bool b) { return account[0] == b; }", 0},
        {"FINAL int p(unsigned char i) { return small[i]; }", 10},
        {"INVARIANT bool p(int i) { return cart[0].line[i] > 0; }", 5},
        {"INVARIANT bool p(int i) { return small[(unsigned char)i] > 0; }", 0},
        {"INVARIANT bool p(unsigned long i) { return small[(short)account[(long)i]]; }",
         AST_ANY_ROWS},
        {"INVARIANT bool p(int i) { i++; return small[0] > i; }", 0},
        {"static bool q(int n, int k) { return n > 3 ? q(n - 1, k) : account[k] > n; }"
         "INVARIANT bool p(int i) { return q(4, i); }",
         AST_ANY_ROWS},
        {"static bool q(int k) { k = 0; return account[k]; }"
         "INVARIANT bool p(int i) { return q(i); }",
         0},
        {"enum color { RED, BLUE }; INVARIANT bool p(enum color i) { return small[i]; }", 10},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct fixture x;
        char source[2000];
        snprintf(source, sizeof source, "%s%s\n", ANY_HEAD, cases[i].predicate);
        setup(&x);
        if (!parse(&x, source))
            diag_print(&x.d, stderr, false);
        assert_non_null(x.p);
        const struct ast_func *p = ast_find_func(x.p, "p");
        if (p->params[0]->ranges != cases[i].ranges)
            fail_msg("%s", cases[i].predicate);
        teardown(&x);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_of_any_size),   cmocka_unit_test(dimensions),
        cmocka_unit_test(any_with_a_value),     cmocka_unit_test(any_in_expressions),
        cmocka_unit_test(headers_of_folds),     cmocka_unit_test(order_of_fresh),
        cmocka_unit_test(ranges_of_parameters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
