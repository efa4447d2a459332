/* A program is executed once for each kind of reads that its questions need, and once so that every
 * read is an event of its own: that one finds all properties of the other kinds, too. */
#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "encode/verify_program.h"

struct opened {
    struct diag_list diags;
    struct ast_program *ast;
    struct verify_program *v;
};

static void open_file(struct opened *o, const char *file, bool models_only)
{
    const char *headers = "frontend/include";
    struct ast_options options = {
        .include_dirs = &headers, .n_include_dirs = 1, .no_compile_commands = true};
    struct verify_options how = {.granularity = SX_ROW, .models_only = models_only};
    *o = (struct opened){0};
    assert_true(ast_parse(file, &options, &o->diags, &o->ast));
    o->v = verify_open(o->ast, &how, &o->diags);
    assert_non_null(o->v);
}

static void close_file(struct opened *o)
{
    verify_close(o->v);
    ast_free(o->ast);
    diag_free(&o->diags);
}

static void ask(struct opened *o, enum model_id m)
{
    struct verify_question q = {.model = model_get(m), .bounded = true};
    struct verify_result *r = verify_run(o->v, &q);
    assert_null(r->error);
    verify_result_free(r);
}

static void test_only_what_is_needed(void **state)
{
    (void)state;
    struct opened o;
    open_file(&o, "examples/usernames_key.c", true);
    size_t first = o.v->shared->known.len;
    assert_in_range(first, 1, 2); /* a row or two */
    for (size_t i = 0; i < first; i++)
        assert_int_equal(o.v->shared->known.data[i]->sx.options.reads, SX_READS_EACH);
    ask(&o, MODEL_SI);
    for (size_t i = 0; i < o.v->shared->known.len; i++)
        assert_int_not_equal(o.v->shared->known.data[i]->sx.options.reads, SX_READS_STATEMENT);
    close_file(&o);
}

/* A list that lacks a property is noticed when a kind of reads has it. */
static void test_incomplete_list(void **state)
{
    (void)state;
    struct opened o;
    struct verify_question q = {.model = model_get(MODEL_SI)};
    open_file(&o, "tests/golden/verify/programs/builtin.c", true);
    assert_true(o.v->shared->props.places.len > 0);
    o.v->shared->props.places.len = 0;
    struct verify_result *r = verify_run(o.v, &q);
    assert_int_equal(r->overall, VERIFY_UNKNOWN);
    assert_true(r->n_verdicts > 0);
    for (size_t i = 0; i < r->n_verdicts; i++)
        assert_non_null(strstr(r->verdicts[i].reason, "the list of properties lacks"));
    verify_result_free(r);
    close_file(&o);
}

static void all_kinds(const char *file, bool models_only, enum sx_reads last)
{
    struct opened o;
    open_file(&o, file, models_only);
    bool sized = verify_is_sized(o.ast);
    for (int kind = SX_READS_SNAPSHOT; kind <= (int)last; kind++)
        for (uint64_t rows = sized; rows <= (sized ? 3 : 0); rows++) {
            const char *why = NULL;
            if (!verify_summaries(o.v, (enum sx_reads)kind, rows, &why) &&
                (kind <= SX_READS_EACH || strstr(why, "lacks")))
                fail_msg("%s: %s", file, why);
        }
    close_file(&o);
}

/* The check of usernames_key.c is decided by one snapshot, and is a property all the same. */
static void test_same_list(void **state)
{
    (void)state;
    glob_t files;
    assert_int_equal(glob("examples/*.c", 0, NULL, &files), 0);
    assert_int_equal(glob("tests/verify/cases/*.c", GLOB_APPEND, NULL, &files), 0);
    for (size_t i = 0; i < files.gl_pathc; i++) {
        all_kinds(files.gl_pathv[i], true, SX_READS_EACH);
        all_kinds(files.gl_pathv[i], false, SX_READS_INNODB_RR);
    }
    globfree(&files);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_only_what_is_needed),
        cmocka_unit_test(test_incomplete_list),
        cmocka_unit_test(test_same_list),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
