/* The slot encoding and its lemmas: on programs whose transactions keep the invariant one by one,
 * so that lemmas are learned, it must give the verdicts in the files' headers, whatever the model.
 * (Random programs, which seldom keep anything, compare it with the oracle.) */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "encode/verify.h"

static bool expects_violated(const char *file, const struct model *m)
{
    char want[40], line[400];
    bool found = false;
    FILE *in = fopen(file, "r");
    assert_non_null(in);
    snprintf(want, sizeof want, " %s=violated", m->name);
    while (fgets(line, sizeof line, in))
        found |= strstr(line, want) != NULL;
    fclose(in);
    return found;
}

static void compare(const char *file)
{
    const char *headers = "frontend/include";
    struct ast_options options = {
        .include_dirs = &headers, .n_include_dirs = 1, .no_compile_commands = true};
    struct verify_options how = {.granularity = SX_ROW};
    struct diag_list diags = {0};
    struct ast_program *ast;
    assert_true(ast_parse(file, &options, &diags, &ast));
    struct verify_program *v = verify_open(ast, &how, &diags);
    assert_non_null(v);
    for (int m = MODEL_RA; m < MODEL_COUNT; m++) {
        struct verify_question q = {.model = model_get((enum model_id)m),
                                    .bounded = true,
                                    .keep_raw = true,
                                    .encoding = VERIFY_SLOT};
        struct verify_result *r = verify_run(v, &q);
        assert_null(r->error);
        assert_int_equal(r->overall,
                         expects_violated(file, q.model) ? VERIFY_VIOLATED : VERIFY_HOLDS);
        verify_result_free(r);
    }
    verify_close(v);
    ast_free(ast);
    diag_free(&diags);
}

static void test_kept_by_all(void **state)
{
    (void)state;
    compare("tests/verify/speed/transfers8.c");
    compare("tests/verify/speed/smallbank8.c");
    compare("tests/verify/speed/tpcc8.c");
    compare("examples/smallbank_checks.c");
    compare("examples/tickets_purchase.c");
    compare("examples/counter.c");
}

static void test_broken_before(void **state)
{
    (void)state;
    compare("tests/verify/cases/broken_then_kept.c");
    compare("examples/bank.c");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kept_by_all),
        cmocka_unit_test(test_broken_before),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
