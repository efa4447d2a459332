/* Reports of check from results made by hand: every sentence to the letter, JSON that parses back,
 * names that try to break out of their quotes, and which levels a cycle rules out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>
#include <jansson.h>

#include "certify/ruled_out.h"
#include "report/story/phrases.h"
#include "report/report.h"
#include "report/page/words.h"

/* ---- histories and results ------------------------------------------------------------------ */

/* Sessions of one transaction each: T0.0, T1.0, … */
static void begin(struct history *h)
{
    hist_begin_txn(h, hist_add_session(h, NULL));
}

static uint32_t key(struct history *h, const char *name)
{
    return hist_key_str(h, name, strlen(name));
}

/* Ops 0: r x 0, 1: w y 1 of T0.0; 2: r y 0, 3: w x 1 of T1.0. */
static struct history *write_skew(void)
{
    struct history *h = hist_new();
    hist_set_initial_default(h, hist_int(0));
    begin(h);
    hist_read(h, key(h, "x"), hist_int(0));
    hist_write(h, key(h, "y"), hist_int(1));
    hist_end_txn(h, HIST_COMMITTED);
    begin(h);
    hist_read(h, key(h, "y"), hist_int(0));
    hist_write(h, key(h, "x"), hist_int(1));
    hist_end_txn(h, HIST_COMMITTED);
    assert_null(hist_finish(h));
    return h;
}

static struct check_result result(enum model_id model, enum anomaly anomaly)
{
    struct check_result r = {.level = {model, true, LEVEL_NO_TIME},
                             .verdict = CHECK_VIOLATION,
                             .reason = "",
                             .anomaly = anomaly,
                             .cycle = HIST_NONE};
    return r;
}

static void add_edge(struct check_result *r, enum check_edge_kind kind, uint32_t from, uint32_t to,
                     uint32_t k, uint32_t from_op, uint32_t to_op, uint32_t via, uint32_t because)
{
    vec_push(&r->edges, ((struct check_edge){kind, from, to, k, from_op, to_op, via, because}));
}

/* The edges added since the last cycle are one. */
static uint32_t end_cycle(struct check_result *r)
{
    uint32_t start = r->cycles.len ? vec_last(&r->cycles).start + vec_last(&r->cycles).len : 0;
    vec_push(&r->cycles, ((struct check_cycle){start, (uint32_t)r->edges.len - start}));
    return (uint32_t)r->cycles.len - 1;
}

static struct check_result write_skew_result(void)
{
    struct check_result r = result(MODEL_SER, ANOMALY_WRITE_SKEW);
    add_edge(&r, CHECK_RW, 0, 1, 0, 0, 3, HIST_NONE, HIST_NONE);
    add_edge(&r, CHECK_RW, 1, 0, 1, 2, 1, HIST_NONE, HIST_NONE);
    r.cycle = end_cycle(&r);
    return r;
}

static void release(struct history *h, struct check_result *r)
{
    vec_free(&r->order);
    vec_free(&r->txns);
    vec_free(&r->ops);
    vec_free(&r->edges);
    vec_free(&r->cycles);
    vec_free(&r->cases);
    arena_free(&r->arena);
    hist_free(h);
}

enum form { TEXT, JSON, DOT };

static char *print(const struct check_report *c, enum form form)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (form == TEXT)
        report_check_text(c, out);
    else if (form == JSON)
        report_check_json(c, out);
    else
        assert_true(report_check_dot(c, out));
    fclose(out);
    return text;
}

static char *print_one(const struct history *h, const struct check_result *r, enum form form,
                       bool quiet)
{
    struct check_result of = *r;
    of.history = h;
    struct check_answer a = {.name = model_get(r->level.model)->name,
                             .level = r->level,
                             .verdict = r->verdict,
                             .result = &of};
    struct check_report c = {
        .h = h, .file = "h.txt", .format = "blocks", .answers = &a, .count = 1, .quiet = quiet};
    return print(&c, form);
}

/* ---- text ----------------------------------------------------------------------------------- */

static void a_cycle_to_the_letter(void **state)
{
    (void)state;
    struct history *h = write_skew();
    struct check_result r = write_skew_result();
    char *text = print_one(h, &r, TEXT, false);
    assert_string_equal(
        text,
        "VIOLATION: write skew (G2-item): h.txt does not satisfy SER\n"
        "\n"
        "Transactions\n"
        "  T0.0  (session 0)  read(x) = 0, write(y, 1)\n"
        "  T1.0  (session 1)  read(y) = 0, write(x, 1)\n"
        "\n"
        "Why\n"
        "  1. T0.0 read x = 0, the initial value, which T1.0 overwrote with 1, so T0.0 comes "
        "before\n     T1.0.\n"
        "  2. T1.0 read y = 0, the initial value, which T0.0 overwrote with 1, so T1.0 comes "
        "before\n     T0.0.\n"
        "  T0.0 would have to come before itself, which is impossible.\n"
        "\n"
        "write skew (G2-item): each transaction overwrote what another of them had read.\n"
        "Rules out: ser (with or without session order); and pl-2.99, plain-ser, strict-ser.\n");
    free(text);
    text = print_one(h, &r, TEXT, true);
    assert_string_equal(text, "VIOLATION: write skew (G2-item): h.txt does not satisfy SER\n");
    free(text);
    release(h, &r);
}

/* T0 writes x=1, T1 writes x=2, T2 reads 1 then T3 … : both orders of two versions refuted. */
static void cases_are_nested_and_numbered(void **state)
{
    (void)state;
    struct history *h = hist_new();
    hist_set_initial_default(h, hist_int(0));
    for (int v = 1; v <= 2; v++) { /* ops 0, 1 */
        begin(h);
        hist_write(h, key(h, "x"), hist_int(v));
        hist_end_txn(h, HIST_COMMITTED);
    }
    begin(h); /* ops 2, 3 */
    hist_read(h, key(h, "x"), hist_int(1));
    hist_read(h, key(h, "y"), hist_int(7));
    hist_end_txn(h, HIST_COMMITTED);
    assert_null(hist_finish(h));
    struct check_result r = result(MODEL_SI, ANOMALY_UNSATISFIABLE);
    r.no_source = true;
    vec_push(&r.cases, ((struct check_case){CHECK_ORDER, 0, 1, HIST_NONE, 0}));
    vec_push(&r.cases, ((struct check_case){CHECK_ORDER, 1, 0, HIST_NONE, HIST_NONE}));
    vec_push(&r.cases, ((struct check_case){CHECK_SOURCE, 2, 0, 1, 1}));
    vec_push(&r.ops, 3);
    add_edge(&r, CHECK_WW, 0, 1, 0, 0, 1, HIST_NONE, 0);
    add_edge(&r, CHECK_WR, 1, 0, 0, 1, 2, HIST_NONE, HIST_NONE);
    end_cycle(&r);
    add_edge(&r, CHECK_WW, 1, 0, 0, 1, 0, HIST_NONE, 1);
    add_edge(&r, CHECK_RW, 2, 1, 0, 2, 1, 0, 0);
    r.cycle = end_cycle(&r);
    char *text = print_one(h, &r, TEXT, false);
    assert_non_null(strstr(text,
                           "Why\n"
                           "  1) Suppose T0.0's x = 1 is older than T1.0's x = 2.\n"
                           "      - T1.0 overwrote T0.0's x = 1 with 2 (as supposed), so T0.0 "
                           "committed before T1.0's\n"
                           "        snapshot was taken (of two concurrent writers one aborts).\n"));
    assert_non_null(strstr(text,
                           "      So T1.0's x = 2 is older than T0.0's x = 1.\n"
                           "  2) Suppose T1.0's x = 2 is older than T0.0's x = 1.\n"
                           "      2.1) Suppose T2.0, reading x = 1, saw the write of T0.0.\n"));
    assert_non_null(strstr(text, "          - T2.0 read x = 1 (of T0.0), which T1.0 overwrote with "
                                 "2 (by case 1), so T2.0's\n"
                                 "            snapshot was taken before T1.0 committed.\n"));
    assert_non_null(strstr(text, "      Some read would have seen nothing at all.  So T0.0's x"));
    assert_non_null(
        strstr(text, "\n  No write is left that T2.0, reading y = 7, could have seen.\n"));
    free(text);
    release(h, &r);
}

static char *anomaly_sentence(enum anomaly anomaly, struct history *h, uint32_t op1, uint32_t op2)
{
    struct check_result r = result(MODEL_SI, anomaly);
    vec_push(&r.ops, op1);
    if (op2 != HIST_NONE)
        vec_push(&r.ops, op2);
    struct story s;
    struct strbuf b = {0};
    story_make(&s, h, &r, STORY_ALL_CASES);
    phrase_anomaly(&s, &b);
    char *text = strdup(sb_str(&b));
    sb_free(&b);
    story_free(&s);
    vec_free(&r.ops);
    return text;
}

static void expect_sentence(enum anomaly anomaly, struct history *h, uint32_t op1, uint32_t op2,
                            const char *expected)
{
    char *text = anomaly_sentence(anomaly, h, op1, op2);
    assert_string_equal(text, expected);
    free(text);
}

static void anomalies_of_single_operations(void **state)
{
    (void)state;
    struct history *h = hist_new();
    begin(h);
    uint32_t w = hist_write(h, key(h, "x"), hist_int(1));
    uint32_t w2 = hist_write(h, key(h, "x"), hist_int(2));
    hist_end_txn(h, HIST_ABORTED);
    begin(h);
    uint32_t r1 = hist_read(h, key(h, "x"), hist_int(1));
    uint32_t r2 = hist_read(h, key(h, "x"), hist_int(3));
    hist_end_txn(h, HIST_COMMITTED);
    begin(h);
    uint32_t l1 = hist_list_read(h, key(h, "l"), (int64_t[]){1, 2, 3}, 3);
    uint32_t l2 = hist_list_read(h, key(h, "l"), (int64_t[]){1, 3}, 2);
    hist_end_txn(h, HIST_COMMITTED);
    assert_null(hist_finish(h));
    expect_sentence(ANOMALY_G1A, h, w, r1,
                    "T1.0 read x = 1, but T0.0, which wrote x = 1, did not commit");
    expect_sentence(ANOMALY_G1B, h, w, r1,
                    "T1.0 read x = 1, but T0.0, which wrote x = 1, changed it again before it "
                    "committed");
    expect_sentence(ANOMALY_THIN_AIR, h, r2, HIST_NONE,
                    "T1.0 read x = 3, but nobody ever wrote that");
    expect_sentence(ANOMALY_NON_REPEATABLE, h, r1, r2,
                    "T1.0 read x = 1 and then 3, having written neither");
    expect_sentence(ANOMALY_DUPLICATE_WRITE, h, w, w2, "T0.0 and T0.0 both wrote x = 1");
    expect_sentence(ANOMALY_INCOMPATIBLE_ORDER, h, l1, l2,
                    "T2.0 read l = [1 2 3] and T2.0 read l = [1 3]: they differ from element 2 on, "
                    "and neither starts with the other");
    /* An operation that the sentence has no place for is never lost. */
    expect_sentence(ANOMALY_G1A, h, r1, HIST_NONE, "T1.0: read(x) = 1");
    hist_free(h);
}

static void an_order_is_elided(void **state)
{
    (void)state;
    struct history *h = hist_new();
    struct check_result r = {.level = {MODEL_SI, true, LEVEL_NO_TIME},
                             .verdict = CHECK_OK,
                             .order_kind = CHECK_EVENTS,
                             .reason = ""};
    for (uint32_t i = 0; i < 50; i++) {
        begin(h);
        hist_end_txn(h, HIST_COMMITTED);
        vec_push(&r.order, 2 * i);
        vec_push(&r.order, 2 * i + 1);
    }
    assert_null(hist_finish(h));
    char *text = print_one(h, &r, TEXT, false);
    assert_string_equal(text,
                        "OK: h.txt satisfies SI\n"
                        "  Certified by an order of its begins and commits, checked again:\n"
                        "  begin T0.0, commit T0.0, begin T1.0, commit T1.0, begin T2.0, commit "
                        "T2.0, … 88 more …,\n"
                        "  begin T47.0, commit T47.0, begin T48.0, commit T48.0, "
                        "begin T49.0, commit T49.0\n");
    free(text);
    release(h, &r);
}

/* ---- several levels ------------------------------------------------------------------------- */

static void the_strongest_levels(void **state)
{
    (void)state;
    struct history *h = write_skew();
    struct check_result ser = write_skew_result();
    struct check_result si = {.level = {MODEL_SI, true, LEVEL_NO_TIME}, .reason = ""};
    ser.history = si.history = h;
    struct check_answer a[] = {
        {"ser", ser.level, CHECK_VIOLATION, &ser, 0, 0},
        {"si", si.level, CHECK_OK, &si, 1, 0},
        {"pc", {MODEL_PC, true, LEVEL_NO_TIME}, CHECK_OK, &si, 1, 0},
    };
    struct check_report c = {
        .h = h, .file = "h.txt", .format = "blocks", .answers = a, .count = 3, .strongest = true};
    assert_int_equal(report_verdict(&c), CHECK_OK);
    char *text = print(&c, TEXT);
    assert_non_null(strstr(text, "OK: h.txt satisfies SI, but not SER\n"));
    assert_non_null(strstr(text, "ok, as is SI\n"));
    assert_non_null(strstr(text, "Why not SER: write skew (G2-item)\n"));
    free(text);
    text = print(&c, JSON);
    json_t *j = json_loads(text, 0, NULL);
    assert_non_null(j);
    assert_string_equal(json_string_value(json_array_get(json_object_get(j, "strongest"), 0)),
                        "si");
    assert_int_equal(json_array_size(json_object_get(j, "strongest")), 1);
    json_decref(j);
    free(text);
    a[2].verdict = CHECK_UNKNOWN;
    assert_int_equal(report_verdict(&c), CHECK_UNKNOWN);
    c.strongest = false;
    assert_int_equal(report_verdict(&c), CHECK_VIOLATION);
    release(h, &ser);
}

/* ---- hostile names -------------------------------------------------------------------------- */

static void expect_words(const char *s, size_t longest, const char *safe, const char *dot)
{
    struct strbuf b = {0};
    words_safe(s, strlen(s), longest, &b);
    assert_string_equal(sb_str(&b), safe);
    sb_clear(&b);
    if (dot) {
        words_dot(s, strlen(s), &b);
        assert_string_equal(sb_str(&b), dot);
    }
    sb_free(&b);
}

static void hostile_texts_are_tamed(void **state)
{
    (void)state;
    expect_words("a\nb\033[31m\t\177", WORDS_ALL, "a\\nb\\x1b[31m\\t\\x7f",
                 "a\\\\nb\\\\x1b[31m\\\\t\\\\x7f");
    expect_words("\"];evil[label=\"\\", WORDS_ALL, "\"];evil[label=\"\\",
                 "\\\"];evil[label=\\\"\\\\");
    expect_words("<b>&lt;\\N", WORDS_ALL, "<b>&lt;\\N", "<b>&amp;lt;\\\\N");
    expect_words("é\xc3\x28\xff\xe2\x80\xae!", WORDS_ALL, "é\\xc3(\\xff\\u{202e}!", NULL);
    expect_words("\xed\xa0\x80\xf5\xc0\x80", WORDS_ALL, "\\xed\\xa0\\x80\\xf5\\xc0\\x80", NULL);
    expect_words("\xc2\x85x", WORDS_ALL, "\\x85x", NULL);
    expect_words("0123456789éééééééééé0123456789", 12, "01234567…789", NULL);
    expect_words("ééééééééééé", 8, "éé…é", NULL);
}

static void json_is_valid_for_any_bytes(void **state)
{
    (void)state;
    struct history *h = hist_new();
    hist_set_initial_default(h, hist_null());
    begin(h);
    hist_txn_name(h, "T\"\\\n\xff");
    uint32_t k = key(h, "k\xc3\"]}");
    hist_read(h, k, hist_int(hist_value_text(h, "v\xe2\x80", 3)));
    hist_end_txn(h, HIST_COMMITTED);
    assert_null(hist_finish(h));
    struct check_result r = result(MODEL_SI, ANOMALY_THIN_AIR);
    vec_push(&r.ops, 0);
    char *text = print_one(h, &r, JSON, false);
    json_error_t error;
    json_t *j = json_loads(text, 0, &error);
    assert_non_null(j);
    json_t *level = json_array_get(json_object_get(j, "levels"), 0);
    json_t *txn = json_array_get(json_object_get(level, "transactions"), 0);
    assert_string_equal(json_string_value(json_object_get(txn, "name")), "T\"\\\n\xef\xbf\xbd");
    json_t *op = json_array_get(json_object_get(txn, "operations"), 0);
    assert_string_equal(json_string_value(json_object_get(op, "key")), "k\xef\xbf\xbd\"]}");
    json_decref(j);
    free(text);
    release(h, &r);
}

static void equal_names_are_told_apart(void **state)
{
    (void)state;
    struct history *h = hist_new();
    for (int i = 0; i < 2; i++) {
        begin(h);
        hist_txn_name(h, "pay(1)");
        hist_write(h, key(h, "x"), hist_int(5));
        hist_end_txn(h, HIST_COMMITTED);
    }
    assert_null(hist_finish(h));
    expect_sentence(ANOMALY_DUPLICATE_WRITE, h, 0, 1,
                    "pay(1) #0.0 and pay(1) #1.0 both wrote x = 5");
    hist_free(h);
}

static void dot_names_nodes_by_number(void **state)
{
    (void)state;
    struct history *h = hist_new();
    hist_set_initial_default(h, hist_int(0));
    for (int i = 0; i < 2; i++) {
        begin(h);
        hist_txn_name(h, i ? "b" : "\"]; x -> y; \\");
        hist_read(h, key(h, i ? "y" : "<x>"), hist_int(0));
        hist_write(h, key(h, i ? "<x>" : "y"), hist_int(1));
        hist_end_txn(h, HIST_COMMITTED);
    }
    assert_null(hist_finish(h));
    struct check_result r = write_skew_result();
    char *text = print_one(h, &r, DOT, false);
    assert_non_null(strstr(text, "    t0 [label=\"\\\"]; x -> y; \\\\ (session 0)\\lread(<x>) = "
                                 "0\\lwrite(y, 1)\\l\"];\n"));
    assert_non_null(strstr(text, "    t0 -> t1 [label=\"rw <x>\", "));
    free(text);
    release(h, &r);
}

/* ---- which levels --------------------------------------------------------------------------- */

/* A cycle through transactions 0, 1, … of edges of these kinds ("wr rw": two edges); to_op and
 * from_op as numbers that grow, so that a wr arrives before the rw that leaves. */
static uint32_t ruled_out(const char *kinds)
{
    struct history *h = write_skew();
    struct check_result r = result(MODEL_SER, ANOMALY_G2_ITEM);
    uint32_t n = (uint32_t)(strlen(kinds) + 1) / 3;
    for (uint32_t i = 0; i < n; i++) {
        const char *k = kinds + 3 * i;
        enum check_edge_kind kind = k[0] == 's'   ? CHECK_SO
                                    : k[0] == 'r' ? CHECK_RW
                                    : k[1] == 'r' ? CHECK_WR
                                                  : CHECK_WW;
        add_edge(&r, kind, i, (i + 1) % n, i, kind == CHECK_RW ? 2 : HIST_NONE, 1, HIST_NONE, 0);
    }
    r.cycle = end_cycle(&r);
    uint32_t bits = ruled_out_by(h, &r).models;
    release(h, &r);
    return bits;
}

static uint32_t models(const char *names)
{
    uint32_t bits = 0;
    char *copy = strdup(names), *rest = copy, *name;
    while ((name = strsep(&rest, " ")))
        bits |= 1u << model_find(name)->id;
    free(copy);
    return bits;
}

static void cycles_rule_out_what_they_should(void **state)
{
    (void)state;
    static const char *const table[][2] = {
        {"rw rw", "ser"},                           /* write skew */
        {"wr wr", "ec rc rcs ra cc pc psi si ser"}, /* circular information flow */
        {"ww ww", "ec rc rcs ra cc pc psi si ser"}, /* write cycle */
        {"wr rw", "rc rcs ra cc pc psi si ser"},    /* read skew, the fresh read first */
        {"so wr", "rc rcs ra cc pc psi si ser"},
        {"so rw", "rcs ra cc pc psi si ser"}, /* a session that misses its own write */
        {"wr wr rw", "rcs cc pc psi si ser"}, /* causality */
        {"wr so rw", "rcs cc pc psi si ser"},
        {"ww rw", "psi si ser"},          /* lost update */
        {"wr rw wr rw", "rcs pc si ser"}, /* long fork */
        {"wr rw rw", "ser"},
        {"ww wr rw", "rcs pc psi si ser"},
        {"wr ww rw", "psi si ser"},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        uint32_t got = ruled_out(table[i][0]), want = models(table[i][1]);
        if (got != want)
            print_error("%s: %x, not %x\n", table[i][0], got, want);
        assert_int_equal(got, want);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cycle_to_the_letter),
        cmocka_unit_test(cases_are_nested_and_numbered),
        cmocka_unit_test(anomalies_of_single_operations),
        cmocka_unit_test(an_order_is_elided),
        cmocka_unit_test(the_strongest_levels),
        cmocka_unit_test(hostile_texts_are_tamed),
        cmocka_unit_test(json_is_valid_for_any_bytes),
        cmocka_unit_test(equal_names_are_told_apart),
        cmocka_unit_test(dot_names_nodes_by_number),
        cmocka_unit_test(cycles_rule_out_what_they_should),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
