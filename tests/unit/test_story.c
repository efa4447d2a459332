/* Counterexamples as text and as histories, from executions made by hand: the write skew of
 * examples/bank.c, whose every line is known. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/mem.h"
#include "cli/cross_check.h"
#include "encode/export.h"
#include "report/verify/verify_report.h"
#include "tests/unit/lying_search.h"

/* ---- a world: the bank, its table, two withdrawals ------------------------------------------ */

static const bool yes[2] = {true, true}, no[2] = {false, false};

struct world {
    struct diag_list diags;
    struct ast_program *ast;
    struct sx_program sx;
    struct sx_table table;
    struct sx_field field;
    struct sx_summary scenario;
    term_int value[8][1];
    struct exec_row initial[2], final[2];
    struct exec_read reads[2][2], seen[2];
    struct exec_write writes[2];
    bool sees[2][2], sees_all[2];
    uint32_t ar[2];
    struct exec_txn txns[2];
    struct execution x;
    struct verify_property property;
    struct verify_verdict verdict;
    struct verify_result result;
    struct verify_view view;
};

static struct exec_row row(struct world *w, uint64_t number, int slot, int value)
{
    w->value[slot][0] = value;
    return (struct exec_row){0, number, w->value[slot], yes};
}

static void make_tables(struct world *w)
{
    static const uint64_t dims[] = {2};
    const char *dirs[] = {"frontend/include"};
    struct ast_options o = {.include_dirs = dirs, .n_include_dirs = 1, .no_compile_commands = true};
    assert_true(ast_parse("examples/bank.c", &o, &w->diags, &w->ast));
    w->field = (struct sx_field){".balance", w->ast->tables[0]->row->fields[0].type};
    w->table = (struct sx_table){.name = "account",
                                 .var = w->ast->tables[0],
                                 .n_dims = 1,
                                 .dims = dims,
                                 .n_fields = 1,
                                 .fields = &w->field};
    w->sx.ast = w->ast;
    w->sx.tables = &w->table;
    w->sx.n_tables = 1;
    w->scenario.func = ast_find_func(w->ast, "two_tellers");
}

static void make_txn(struct world *w, uint32_t t, const char *name)
{
    struct src_loc call = {w->ast->main_file, 22, 35};
    w->reads[t][0] = (struct exec_read){.row = row(w, 0, 0, 60), .source = EXEC_INITIAL};
    w->reads[t][1] = (struct exec_read){.row = row(w, 1, 1, 60), .source = EXEC_INITIAL};
    w->writes[t] = (struct exec_write){.row = row(w, t, 2 + (int)t, -40), .touched = yes};
    w->txns[t] = (struct exec_txn){.func = ast_find_func(w->ast, "withdraw"),
                                   .name = name,
                                   .level = model_get(MODEL_SI),
                                   .session = t,
                                   .call_loc = call,
                                   .end_loc = SRC_LOC_NONE,
                                   .reads = w->reads[t],
                                   .n_reads = 2,
                                   .writes = &w->writes[t],
                                   .n_writes = 1,
                                   .n_points = 1,
                                   .visible = w->sees[t]};
}

static struct world *make_world(void)
{
    struct world *w = mem_calloc(1, sizeof *w);
    make_tables(w);
    make_txn(w, 0, "withdraw(0, 100)");
    make_txn(w, 1, "withdraw(1, 100)");
    const struct ast_func *solvent = ast_find_func(w->ast, "solvent");
    for (uint32_t r = 0; r < 2; r++) {
        w->initial[r] = row(w, r, 4, 60);
        w->final[r] = row(w, r, 5, -40);
        w->seen[r] = (struct exec_read){.row = row(w, r, 6, -40), .source = r};
        w->ar[r] = r;
        w->sees_all[r] = true;
    }
    w->x = (struct execution){.program = &w->sx,
                              .model = model_get(MODEL_SI),
                              .session_order = true,
                              .scenario = &w->scenario,
                              .txns = w->txns,
                              .n_txns = 2,
                              .n_sessions = 2,
                              .ar = w->ar,
                              .initial = w->initial,
                              .n_initial = 2,
                              .final = w->final,
                              .n_final = 2,
                              .observer = {.present = true,
                                           .func = solvent,
                                           .name = "solvent",
                                           .position = 2,
                                           .n_points = 1,
                                           .visible = w->sees_all,
                                           .reads = w->seen,
                                           .n_reads = 2}};
    w->property = (struct verify_property){VERIFY_INVARIANT, "solvent", solvent, solvent->loc};
    w->verdict = (struct verify_verdict){
        .status = VERIFY_VIOLATED, .scenario = &w->scenario, .bound = 2, .execution = &w->x};
    w->result = (struct verify_result){.program = &w->sx,
                                       .model = model_get(MODEL_SI),
                                       .properties = &w->property,
                                       .n_properties = 1,
                                       .verdicts = &w->verdict,
                                       .n_verdicts = 1,
                                       .overall = VERIFY_VIOLATED};
    w->view = (struct verify_view){.ast = w->ast, .files = &w->diags};
    return w;
}

static void free_world(struct world *w)
{
    ast_free(w->ast);
    diag_free(&w->diags);
    mem_free(w);
}

static char *story(struct world *w)
{
    char *text;
    size_t size;
    struct page p = {open_memstream(&text, &size), false, PAGE_WIDTH};
    report_story(&w->view, &p, &w->result, &w->verdict);
    fclose(p.out);
    return text;
}

/* ---- stories -------------------------------------------------------------------------------- */

static void write_skew(void **state)
{
    (void)state;
    struct world *w = make_world();
    char *text = story(w);
    assert_string_equal(
        text,
        "  at first    account[0].balance = 60, account[1].balance = 60\n"
        "\n"
        "  1. withdraw(0, 100), called at bank.c:22\n"
        "     reads account[0].balance = 60, account[1].balance = 60 from the initial state\n"
        "     writes account[0].balance = -40\n"
        "  2. withdraw(1, 100), called at bank.c:22\n"
        "     reads account[0].balance = 60 from the initial state, although withdraw(0, 100) had\n"
        "       already changed it to -40: it does not see that transaction\n"
        "     reads account[1].balance = 60 from the initial state\n"
        "     writes account[1].balance = -40\n"
        "\n"
        "  in the end  account[0].balance = -40, account[1].balance = -40\n"
        "  solvent     account[0].balance + account[1].balance >= 0\n"
        "              -40 + -40 >= 0 is false\n");
    free(text);
    free_world(w);
}

/* Two calls that look alike are told apart; a rollback has its place and no effect. */
static void like_calls(void **state)
{
    (void)state;
    struct world *w = make_world();
    w->txns[1].name = w->txns[0].name;
    w->txns[1].end = EXEC_ROLLED_BACK;
    w->txns[1].end_loc = (struct src_loc){w->ast->main_file, 14, 1};
    w->txns[1].n_writes = 0;
    char *text = story(w);
    assert_non_null(strstr(text, "1. withdraw(0, 100) [1], called"));
    assert_non_null(strstr(text, "although withdraw(0, 100) [1]"));
    assert_non_null(strstr(text, "rolls back at bank.c:14: no effect"));
    assert_null(strstr(text, "writes account[1]"));
    free(text);
    free_world(w);
}

/* What a later visible set sees and an earlier does not. */
static void too_early(void **state)
{
    (void)state;
    static const bool sets[] = {false, false, true, false};
    struct world *w = make_world();
    w->txns[1].level = model_get(MODEL_RC);
    w->txns[1].n_points = 2;
    w->txns[1].visible = sets;
    w->reads[1][1].point = 1;
    char *text = story(w);
    assert_non_null(strstr(text, "too early to see that"));
    free(text);
    free_world(w);
}

/* ---- conditions ----------------------------------------------------------------------------- */

static void conditions(void **state)
{
    (void)state;
    struct world *w = make_world();
    struct cex c;
    struct cex_condition out;
    cex_init(&c, w->ast, &w->diags, &w->sx, NULL);
    assert_true(cex_condition(&c, w->property.func, w->final, 2, &out));
    assert_string_equal(out.text, "account[0].balance + account[1].balance >= 0");
    assert_string_equal(out.values, "-40 + -40 >= 0");
    /* a row that is not known: nothing is made up */
    assert_false(cex_condition(&c, w->property.func, w->final, 1, &out));
    cex_free(&c);
    free_world(w);
}

/* ---- histories ------------------------------------------------------------------------------ */

static void history(void **state)
{
    (void)state;
    struct world *w = make_world();
    struct arena messages = {0};
    struct history *h;
    uint32_t txn_of[3];
    assert_null(export_history(&w->x, "examples/bank.c", &messages, txn_of, &h));
    assert_int_equal(h->txns.len, 3);
    assert_int_equal(h->session_count, 3);
    assert_int_equal(h->ops.len, 3 + 3 + 2);
    assert_int_equal(h->arbitration.len, 3);
    assert_int_equal(h->visibility.len, 2); /* the observer sees both */
    char *text;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    for (uint32_t op = 0; op < h->ops.len; op++) {
        struct strbuf b = {0};
        hist_op_text(h, op, &b);
        fprintf(f, "%s #%d\n", sb_str(&b), (int)h->write_ids[op]);
        sb_free(&b);
    }
    fclose(f);
    assert_string_equal(text, "read(account[0]) = 60 #0\n"
                              "read(account[1]) = 60 #0\n"
                              "write(account[0], -40) #1\n"
                              "read(account[0]) = 60 #0\n"
                              "read(account[1]) = 60 #0\n"
                              "write(account[1], -40) #2\n"
                              "read(account[0]) = -40 #1\n"
                              "read(account[1]) = -40 #2\n");
    free(text);
    hist_free(h);
    arena_free(&messages);
    free_world(w);
}

/* A final observer reads all that was written, also what the predicate leaves alone. */
static void observer_reads_all(void **state)
{
    (void)state;
    struct world *w = make_world();
    struct arena messages = {0};
    struct history *h;
    w->x.observer.n_reads = 1;
    assert_null(export_history(&w->x, "", &messages, NULL, &h));
    assert_int_equal(h->txns.data[2].op_count, 2);
    hist_free(h);
    w->sees_all[1] = false; /* sees a part: then only what it looks at */
    assert_null(export_history(&w->x, "", &messages, NULL, &h));
    assert_int_equal(h->txns.data[2].op_count, 1);
    hist_free(h);
    arena_free(&messages);
    free_world(w);
}

/* Executions that contradict themselves are refused. */
static void nonsense(void **state)
{
    (void)state;
    struct world *w = make_world();
    struct arena messages = {0};
    struct history *h;
    w->seen[0].row = row(w, 0, 7, -39);
    assert_non_null(strstr(export_history(&w->x, "", &messages, NULL, &h), "another value"));
    w->seen[0].row = row(w, 0, 7, -40);
    w->seen[0].source = 1;
    assert_non_null(strstr(export_history(&w->x, "", &messages, NULL, &h), "does not write"));
    w->seen[0].source = 0;
    w->txns[1].session = 7;
    assert_non_null(strstr(export_history(&w->x, "", &messages, NULL, &h), "no place"));
    arena_free(&messages);
    free_world(w);
}

/* ---- JSON ----------------------------------------------------------------------------------- */

static void json(void **state)
{
    (void)state;
    struct world *w = make_world();
    json_t *j = report_verdict_json(&w->view, &w->result, &w->verdict);
    assert_non_null(j);
    json_t *x = json_object_get(j, "execution");
    assert_string_equal(json_string_value(json_object_get(j, "status")), "violated");
    json_t *second = json_array_get(json_object_get(x, "transactions"), 1);
    json_t *read = json_array_get(json_object_get(second, "reads"), 0);
    assert_int_equal(json_integer_value(json_object_get(read, "missed")), 0);
    assert_true(json_is_null(json_object_get(read, "from")));
    assert_string_equal(
        json_string_value(json_object_get(json_object_get(x, "observer"), "values")),
        "-40 + -40 >= 0");
    json_decref(j);
    json_t *big = report_int_json((term_int)UINT64_MAX);
    assert_string_equal(json_string_value(big), "18446744073709551615");
    json_decref(big);
    free_world(w);
}

/* Fields that are not known are left out everywhere. */
static void unknown_fields(void **state)
{
    (void)state;
    struct world *w = make_world();
    w->initial[0].known = no;
    char *text = story(w);
    assert_non_null(strstr(text, "  at first    account[1].balance = 60\n"));
    free(text);
    free_world(w);
}

/* ---- the second opinion --------------------------------------------------------------------- */

static void agrees(void **state)
{
    (void)state;
    struct world *w = make_world();
    struct cli c = {0};
    struct cross_check o;
    cross_check_init(&o, &c);
    cross_check_ask(&o, &w->result);
    assert_null(o.trouble);
    assert_int_equal(o.list.len, 1);
    assert_int_equal(o.list.data[0].refused_by->id, MODEL_SER);
    assert_int_equal(o.list.data[0].refusal->anomaly, ANOMALY_WRITE_SKEW);
    cross_check_free(&o);
    arena_free(&c.arena);
    free_world(w);
}

/* Mixed levels: accepted under the strongest model that is no stronger than any of them. */
static void agrees_on_mixed_levels(void **state)
{
    (void)state;
    struct world *w = make_world();
    struct cli c = {0};
    struct cross_check o;
    w->x.model = NULL;
    w->txns[0].level = model_get(MODEL_SER);
    cross_check_init(&o, &c);
    cross_check_ask(&o, &w->result);
    assert_null(o.trouble);
    assert_int_equal(o.list.data[0].refused_by->id, MODEL_SER);
    cross_check_free(&o);
    arena_free(&c.arena);
    free_world(w);
}

/* An execution that is none of the model's: both sides are saved. */
static void disagrees(void **state)
{
    (void)state;
    struct world *w = make_world();
    struct cli c = {0};
    struct cross_check o;
    char folder[] = "/tmp/visar-test-XXXXXX", *back = getcwd(NULL, 0);
    assert_non_null(mkdtemp(folder));
    assert_int_equal(chdir(folder), 0);
    w->x.model = model_get(MODEL_SER);
    cross_check_init(&o, &c);
    cross_check_ask(&o, &w->result);
    assert_non_null(o.trouble);
    assert_non_null(strstr(o.trouble, "does not accept the execution under ser"));
    assert_int_equal(access("visar-internal-error-1.txt", R_OK), 0);
    w->seen[0].row = row(w, 0, 7, -39); /* and one that contradicts itself */
    cross_check_ask(&o, &w->result);
    assert_int_equal(access("visar-internal-error-2.txt", R_OK), 0);
    unlink("visar-internal-error-1.txt");
    unlink("visar-internal-error-2.txt");
    assert_int_equal(chdir(back), 0);
    rmdir(folder);
    free(back);
    cross_check_free(&o);
    arena_free(&c.arena);
    free_world(w);
}

/* An answer of the engine that does not stand is no second opinion, whichever way it is wrong. */
static void engine_is_guarded(void **state)
{
    (void)state;
    static const enum lie lies[] = {LIE_VIOLATION, LIE_RELABELLED, LIE_ORDER, LIE_WEAKER};
    char folder[] = "/tmp/visar-test-XXXXXX", *back = getcwd(NULL, 0);
    for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
        struct world *w = make_world();
        struct cli c = {0};
        struct cross_check o;
        strcpy(folder + strlen(folder) - 6, "XXXXXX");
        assert_non_null(mkdtemp(folder));
        assert_int_equal(chdir(folder), 0);
        cross_check_init(&o, &c);
        lying_search(lies[i]);
        cross_check_ask(&o, &w->result);
        lying_search(LIE_NONE);
        assert_non_null(o.trouble);
        assert_non_null(strstr(o.trouble, "the history engine's answer is not certified"));
        unlink("visar-internal-error-1.txt");
        assert_int_equal(chdir(back), 0);
        rmdir(folder);
        cross_check_free(&o);
        arena_free(&c.arena);
        free_world(w);
    }
    free(back);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(write_skew),
        cmocka_unit_test(like_calls),
        cmocka_unit_test(too_early),
        cmocka_unit_test(conditions),
        cmocka_unit_test(history),
        cmocka_unit_test(observer_reads_all),
        cmocka_unit_test(nonsense),
        cmocka_unit_test(json),
        cmocka_unit_test(unknown_fields),
        cmocka_unit_test(agrees),
        cmocka_unit_test(agrees_on_mixed_levels),
        cmocka_unit_test(disagrees),
        cmocka_unit_test(engine_is_guarded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
