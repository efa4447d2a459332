/* The portfolio over the cores: with any number of threads the same verdicts and the same
 * executions; threads that are not needed end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/limit.h"
#include "base/mem.h"
#include "encode/verify.h"

#define THREADS 3

struct opened {
    struct ast_program *ast;
    struct verify_program *programs[THREADS];
    struct diag_list diags;
};

static void open_file(struct opened *o, const char *file)
{
    const char *headers = "frontend/include";
    struct ast_options options = {
        .include_dirs = &headers, .n_include_dirs = 1, .no_compile_commands = true};
    struct verify_options how = {.granularity = SX_ROW};
    memset(o, 0, sizeof *o);
    assert_true(ast_parse(file, &options, &o->diags, &o->ast));
    for (int i = 0; i < THREADS; i++)
        assert_non_null(o->programs[i] = verify_open(o->ast, &how, &o->diags));
}

static void close_file(struct opened *o)
{
    for (int i = 0; i < THREADS; i++)
        verify_close(o->programs[i]);
    ast_free(o->ast);
    diag_free(&o->diags);
}

static void same_execution(const struct execution *a, const struct execution *b)
{
    assert_int_equal(!a, !b);
    if (!a)
        return;
    assert_int_equal(a->n_txns, b->n_txns);
    for (size_t i = 0; i < a->n_txns; i++)
        assert_string_equal(a->txns[i].name, b->txns[i].name);
}

static void same(const struct verify_result *a, const struct verify_result *b)
{
    assert_int_equal(a->overall, b->overall);
    assert_int_equal(a->n_verdicts, b->n_verdicts);
    for (size_t i = 0; i < a->n_verdicts; i++) {
        assert_int_equal(a->verdicts[i].property, b->verdicts[i].property);
        assert_int_equal(a->verdicts[i].status, b->verdicts[i].status);
        same_execution(a->verdicts[i].execution, b->verdicts[i].execution);
    }
}

/* One thread, two, three: the same answers. */
static void race(const char *file, enum model_id model, unsigned txns)
{
    struct opened o;
    struct verify_result *r[THREADS];
    open_file(&o, file);
    for (size_t n = 0; n < THREADS; n++) {
        struct verify_question q = {.model = model_get(model),
                                    .bounded = true,
                                    .txns = txns,
                                    .encoding = VERIFY_RACE,
                                    .spare = o.programs + 1,
                                    .n_spare = n};
        r[n] = verify_run(o.programs[0], &q);
        assert_null(r[n]->error);
        same(r[0], r[n]);
    }
    for (size_t n = 0; n < THREADS; n++)
        verify_result_free(r[n]);
    close_file(&o);
}

static void test_holds(void **state)
{
    (void)state;
    race("examples/tpcc.c", MODEL_SER, 0);
    race("examples/counter.c", MODEL_SI, 0);
    race("examples/transfer_audit.c", MODEL_PSI, 3);
    race("examples/transfer_audit.c", MODEL_RA, 2);
}

static void test_violated(void **state)
{
    (void)state;
    race("examples/tpcc.c", MODEL_CC, 0);
    race("examples/doctors.c", MODEL_SI, 0);
    race("examples/transfer_audit.c", MODEL_RC, 2);
}

/* Many in a row: no thread is left behind, no answer is lost. */
static void test_again(void **state)
{
    (void)state;
    for (int i = 0; i < 10; i++)
        race("examples/counter.c", i % 2 ? MODEL_SI : MODEL_PC, 3);
}

/* A question that comes after the limit: it is not blamed for what another one did.  The last test:
 * a limit is not taken back. */
static void test_too_late(void **state)
{
    (void)state;
    struct opened o;
    open_file(&o, "examples/courseware_names.c");
    limit_phase("counting sheep");
    limit_allow(3600);
    limit_start(0.001, 0, NULL);
    while (!limit_reached())
        usleep(1000);
    for (int m = 0; m < MODEL_COUNT; m++) {
        struct verify_question q = {.model = model_get((enum model_id)m)};
        struct verify_result *r = verify_run(o.programs[0], &q);
        assert_int_equal(r->overall, VERIFY_UNKNOWN);
        assert_true(r->n_verdicts > 0);
        for (size_t i = 0; i < r->n_verdicts; i++)
            assert_string_equal(r->verdicts[i].reason,
                                "not tried: time ran out (0.001 s) while counting sheep");
        verify_result_free(r);
    }
    limit_stop();
    close_file(&o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_holds),
        cmocka_unit_test(test_violated),
        cmocka_unit_test(test_again),
        cmocka_unit_test(test_too_late),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
