/* The history formats: what each reader understands, and detection by content. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "formats_help.h"

/* --- what is understood ---------------------------------------------------------------------- */

static void test_plume(void **state)
{
    (void)state;
    expect_dump("plume",
                "w(1,5,1,1)\nr(2,0,1,1)\r\n\nr(1,5,2,2)\nw(1,6,1,3)\nw(2,9,2,-1)\nr(2,0,2,-1)\n"
                "w(2,8,1,3)",
                "initial 0\n"
                "session 0\n"
                "  T1 committed\n    write(1, 5)\n    read(2) = 0\n"
                "  T3 committed\n    write(1, 6)\n    write(2, 8)\n"
                "session 1\n"
                "  T2 committed\n    read(1) = 5\n"
                "  T1.1 aborted\n    write(2, 9)\n    read(2) = 0\n");
}

static void test_plume_initial_transaction(void **state)
{
    (void)state;
    expect_dump("plume", "w(1,7,0,0)\nw(2,7,0,0)\nr(1,7,1,1)\nw(2,3,1,1)\n",
                "initial 7\nsession 0\n  T1 committed\n    read(1) = 7\n    write(2, 3)\n");
    /* Not every key: an ordinary transaction. */
    expect_dump("plume", "w(1,7,0,0)\nr(1,7,1,1)\nw(2,3,1,1)\n",
                "initial 0\nsession 0\n  T0 committed\n    write(1, 7)\n"
                "session 1\n  T1 committed\n    read(1) = 7\n    write(2, 3)\n");
}

static void test_blocks(void **state)
{
    (void)state;
    expect_dump("blocks",
                "\n---\nw 0 0\nw 1 5\n=====\nr 0 0\n-----\n-\nr 1 5 \n  r 2 0\n==\n==\nr 1 0",
                "initial 0\ninitial 0 = null\n"
                "session 0\n  T0.0 committed\n    write(0, 0)\n    write(1, 5)\n"
                "session 1\n  T1.0 committed\n    read(0) = 0\n"
                "  T1.1 committed\n    read(1) = 5\n    read(2) = 0\n"
                "session 2\n  T2.0 committed\n    read(1) = 0\n");
}

static void test_dbcop(void **state)
{
    (void)state;
    struct strbuf b = {0};
    struct parsed p;
    small_dbcop(&b);
    parse_bytes(&p, "dbcop", b.data, b.len);
    assert_null(p.error);
    char *got = dump(p.r.history);
    assert_string_equal(got, "initial 0\n"
                             "session 0\n"
                             "  T0.0 committed\n    write(7, 1)\n    read(8) = 0 failed\n"
                             "  T0.1 aborted\n    write(8, -2)\n"
                             "session 1\n");
    assert_int_equal(p.r.notes.len, 1);
    free(got);
    release(&p);
    /* No prefix of it is a history. */
    for (size_t n = 0; n < b.len; n++) {
        parse_bytes(&p, "dbcop", b.data, n);
        assert_non_null(p.error);
        assert_non_null(strstr(p.error, "test: byte "));
        release(&p);
    }
    sb_free(&b);
}

static void put_record(struct strbuf *b, char letter, int n, ...)
{
    va_list ap;
    va_start(ap, n);
    sb_putc(b, letter);
    while (n--) {
        uint64_t v = va_arg(ap, uint64_t);
        for (int i = 7; i >= 0; i--)
            sb_putc(b, (char)(v >> 8 * i));
    }
    va_end(ap);
}

#define N(x) ((uint64_t)(x))
#define INITIAL N(0xbebeebee)
#define NOTHING N(0xdeadbeef)
#define SOME N(0xabddefee)

static void test_cobra_ids(void **state)
{
    (void)state;
    struct strbuf b = {0};
    struct parsed p;
    put_record(&b, 'S', 1, N(10));
    put_record(&b, 'W', 3, N(100), N(7), N(55));
    put_record(&b, 'R', 4, INITIAL, INITIAL, N(8), N(9));
    put_record(&b, 'R', 4, NOTHING, NOTHING, N(9), N(0));
    put_record(&b, 'C', 1, N(10));
    sb_puts(&b, "\n%%\n");
    put_record(&b, 'S', 1, N(11));
    put_record(&b, 'R', 4, N(10), N(100), N(7), N(55));
    put_record(&b, 'C', 1, N(11));
    parse_bytes(&p, "cobra-ids", b.data, b.len);
    assert_null(p.error);
    assert_string_equal(fmt_detect(&p.in)->name, "cobra-ids");
    char *got = dump(p.r.history);
    assert_string_equal(got, "initial null\ninitial 8 = 9\n"
                             "session 0 s0\n  T10 committed\n    write(7, 55) #100\n"
                             "    read(8) = 9 initial\n    read(9) = null\n"
                             "session 1 s1\n  T11 committed\n    read(7) = 55 #100\n");
    free(got);
    release(&p);
    sb_free(&b);
}

static void test_cobra_by_value(void **state)
{
    (void)state;
    struct strbuf b = {0};
    struct parsed p;
    put_record(&b, 'S', 1, N(10));
    put_record(&b, 'W', 3, SOME, N(7), N(55));
    put_record(&b, 'C', 1, N(10));
    put_record(&b, 'S', 1, N(11));
    put_record(&b, 'R', 4, SOME, SOME, N(7), N(55));
    put_record(&b, 'C', 1, N(11));
    parse_bytes(&p, "cobra", b.data, b.len);
    assert_null(p.error);
    assert_string_equal(fmt_detect(&p.in)->name, "cobra");
    assert_null(p.r.history->write_ids);
    release(&p);
    for (size_t n = 1; n < b.len; n++) {
        bool whole = n == 9 + 25 + 9; /* the first transaction alone */
        parse_bytes(&p, "cobra", b.data, n);
        assert_int_equal(!p.error, whole);
        release(&p);
    }
    sb_free(&b);
}

static void test_cobra_wrong_writer(void **state)
{
    (void)state;
    struct strbuf b = {0};
    struct parsed p;
    put_record(&b, 'S', 1, N(10));
    put_record(&b, 'W', 3, N(100), N(7), N(55));
    put_record(&b, 'R', 4, N(12), N(100), N(7), N(55));
    put_record(&b, 'C', 1, N(10));
    parse_bytes(&p, "cobra-ids", b.data, b.len);
    assert_string_equal(p.error, "test/s0.log: byte 34: the read says that transaction 12 made "
                                 "write 100, but transaction 10 did");
    release(&p);
    sb_free(&b);
}

static void test_viper(void **state)
{
    (void)state;
    expect_dump("viper",
                "{\"value\": [[\"w\", 1, 10, true], [\"r\", 2, 77, false]]}\n"
                "{\"id\":[{}],\"value\":[[\"r\",1,10,true],[\"r\",3,\"nil\",false]]}\n"
                "%%\n\n{\"value\": []}\n",
                "initial null\ninitial 2 = 77\n"
                "session 0 s0\n  T0.0 committed\n    write(1, 10)\n    read(2) = 77\n"
                "  T0.1 committed\n    read(1) = 10\n    read(3) = null\n"
                "session 1 s1\n  T1.0 committed\n");
    expect_dump("viper",
                "{\"value\":[[\"w\",\"k\",7,true],[\"w\",\"k\",\"a\\u00e9\",true]],"
                "\"isInitial\":false}\n{\"value\":[[\"w\",2,3,true]],\"isInitial\":true}",
                "initial null\ninitial 2 = 3\nsession 0 s0\n  T0.0 committed\n"
                "    write(k, 7)\n    write(k, \"aé\")\n");
}

static void test_edn_append(void **state)
{
    (void)state;
    expect_dump("edn",
                "; comment {\n"
                "{:type :invoke, :f :txn, :process 0, :time 1, :value [[:append 3 1] [:r 4 nil]]}\n"
                "{:type :info :process :nemesis :f :kill :value {\"n\" #{:a \\} \"]\"}}}\n"
                "#jepsen.history.Op{:process 1 :type :invoke :value [[:append 4 7] [:r 3 nil]]}\n"
                "{:value [[:append 3 1] [:r 4 [7 9]]] :process 0, :time 2, :type :ok, :index 5}\n"
                "{:process 1 :type :fail :value nil :error #_ignored [:x #uuid \"a\"]}\n"
                "{:process 1 :type :invoke :time 4 :value ((:append 4 9) (:r 4 nil))}\n"
                "{:process 1 :type :info :time 6 :value nil}\n"
                "{:process 1 :type :invoke :time 8 :value [[:r 3 nil]]}\n"
                "{:process 1 :type :ok :time 9 :value [[:r 3 nil] [:r 3 []]]}\n"
                "{:process 0 :type :invoke :time 10 :value [[:append 5 5]]}\n",
                "initial null\n"
                "session 0 process 0\n"
                "  T5 committed begin 1 begin-answered 2 commit-asked 1 commit 2\n    append(3, "
                "1)\n    read(4) = [7 9]\n"
                "  T0.1 unknown begin 10 commit-asked 10\n    append(5, 5)\n"
                "session 1 process 1\n"
                "  T1.0 aborted\n    append(4, 7)\n"
                "  T1.1 committed begin 8 begin-answered 9 commit-asked 8 commit 9\n    read(3) = "
                "[]\n    read(3) = []\n"
                "session 2\n"
                "  T2.0 unknown begin 4 commit-asked 4\n    append(4, 9)\n");
}

static void test_edn_register(void **state)
{
    (void)state;
    expect_dump("edn",
                "[{:type :ok, :value [[:w :x 1] [:r \"y\" nil]] :index 3}\n"
                " {:type :invoke :value [[:w :x 2]] :index 4}"
                " {:type :ok :value [[:w :x 2] [:r 7 nil]] :index 8}]",
                "initial null\n"
                "session 0\n  T3 committed begin-answered 3 commit 3\n    write(:x, 1)\n    "
                "read(y) = null\n"
                "session 1\n  T8 committed begin 4 begin-answered 8 commit-asked 4 commit 8\n    "
                "write(:x, 2)\n    read(7) = null\n");
    expect_dump("edn", "{:type :ok :value [[:w 1 5] [:w 1 \"5\"] [:w 1 :five] [:r 1 -7N]]}",
                "initial null\nsession 0\n  T0.0 committed\n    write(1, 5)\n    write(1, \"5\")\n"
                "    write(1, :five)\n    read(1) = -7\n");
}

/* A nil that looks like a register's before the first list shows. */
static void test_edn_late_lists(void **state)
{
    (void)state;
    expect_dump("edn",
                "{:type :ok :process 1 :value [[:r 1 nil] [:r 2 nil]]}\n"
                "{:type :ok :process 1 :value [[:r 1 [4]] [:append 1 :a]]}",
                "initial null\nsession 0 process 1\n  T0.0 committed\n    read(1) = []\n"
                "    read(2) = null\n  T0.1 committed\n    read(1) = [4]\n    append(1, :a)\n");
}

static void test_jsonl(void **state)
{
    (void)state;
    expect_dump(
        "jsonl", jsonl_everything,
        "initial 0\ninitial x = 5\ninitial 7 = null\n"
        "session 0 a\n  withdraw(1, 5) committed begin 3 begin-answered 4 commit-asked 8 commit 9\n"
        "    read(x) = 5\n    write(x, 6) #4\n"
        "session 1\n  T1.0 aborted\n    write(7, 8) failed\n    + read(7) = null initial\n"
        "  T1.1 unknown\n    append(9, 1)\n    read(9) = [1 2]\n    read(9) = []\n"
        "  T1.2 committed\nversions x: withdraw(1, 5)=6\n");
    struct parsed p;
    parse(&p, "jsonl", jsonl_everything);
    size_t size;
    char *text = write_text(p.r.history, fmt_find("jsonl"), &size);
    assert_string_equal(text, jsonl_everything);
    free(text);
    release(&p);
}

/* Fields in any order, blanks, extensions, sessions that no header lists, texts. */
static void test_jsonl_variants(void **state)
{
    (void)state;
    expect_dump("jsonl",
                " { \"visar-history\" : 1 , \"x-by\" : [1.5e3, {\"a\":\"}\"}] } \r\n\n"
                "{\"ops\":[[\"w\" , \"k\\\"\" , \"v\"],[\"r\",1,7]] , \"session\":\"s\"}\n"
                "{\"session\":-3,\"ops\":[[\"r\",1,7,{\"x-y\":null}]]}",
                "initial null\nsession 0 s\n  T0.0 committed\n    write(k\", \"v\")\n"
                "    read(1) = 7\nsession 1 -3\n  T1.0 committed\n    read(1) = 7\n");
}

/* --- detection ------------------------------------------------------------------------------- */

static void test_detection(void **state)
{
    (void)state;
    static const char *const samples[][2] = {
        {"plume", "\r\nw(1,2,3,4)"},
        {"blocks", "\n=====\nr 1 2"},
        {"edn", "; c\n#_x [ {:type :ok}]"},
        {"edn", " #op{:a 1}"},
        {"jsonl", "  {\"x-a\":1,\"visar-history\":1}\n"},
        {"viper", "{\"value\": []}"},
        {NULL, "hello"},
        {NULL, ""},
        {NULL, "{\"other\": 1}"},
        {NULL, "S1234567890"},
    };
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        struct fmt_input in = {.path = "test"};
        vec_push(&in.files, ((struct fmt_file){"test", samples[i][1], strlen(samples[i][1])}));
        const struct format *f = fmt_detect(&in);
        if (samples[i][0])
            assert_string_equal(f ? f->name : "none", samples[i][0]);
        else if (f)
            assert_string_equal(f->name, "cobra"); /* a begin is a beginning; reading refuses it */
        vec_free(&in.files);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plume),
        cmocka_unit_test(test_plume_initial_transaction),
        cmocka_unit_test(test_blocks),
        cmocka_unit_test(test_dbcop),
        cmocka_unit_test(test_cobra_ids),
        cmocka_unit_test(test_cobra_by_value),
        cmocka_unit_test(test_cobra_wrong_writer),
        cmocka_unit_test(test_viper),
        cmocka_unit_test(test_edn_append),
        cmocka_unit_test(test_edn_register),
        cmocka_unit_test(test_edn_late_lists),
        cmocka_unit_test(test_jsonl),
        cmocka_unit_test(test_jsonl_variants),
        cmocka_unit_test(test_detection),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
