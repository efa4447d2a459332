/* The history formats: what each reader understands, what it refuses and where, detection by
 * content, what writers refuse to lose, and round trips of generated histories through every
 * format.  The published histories are read as well, if they are there. */
#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include <cmocka.h>

#include "base/io.h"
#include "base/strbuf.h"
#include "history/formats.h"
#include "history/generate.h"

/* --- helpers --------------------------------------------------------------------------------- */

struct parsed {
    struct arena messages;
    struct fmt_input in;
    struct fmt_result r;
    const char *error;
};

/* Reads bytes as a format; in a folder format "%%" lines separate files. */
static void parse_bytes(struct parsed *p, const char *format, const char *bytes, size_t size)
{
    const struct format *f = fmt_find(format);
    *p = (struct parsed){0};
    p->in.path = "test";
    p->in.folder = f->folder;
    while (true) {
        const char *mark = f->folder ? memmem(bytes, size, "\n%%\n", 4) : NULL;
        size_t n = mark ? (size_t)(mark - bytes) : size;
        const char *name =
            arena_printf(&p->messages, f->folder ? "test/s%zu.log" : "test", p->in.files.len);
        vec_push(&p->in.files, ((struct fmt_file){name, arena_strndup(&p->messages, "", 0), 0}));
        char *copy = arena_alloc(&p->messages, n + 1);
        memcpy(copy, bytes, n);
        vec_last(&p->in.files).data = copy;
        vec_last(&p->in.files).size = n;
        if (!mark)
            break;
        bytes += n + 4;
        size -= n + 4;
    }
    p->error = fmt_parse(&p->in, f, &p->messages, &p->r);
}

static void parse(struct parsed *p, const char *format, const char *text)
{
    parse_bytes(p, format, text, strlen(text));
}

static void release(struct parsed *p)
{
    hist_free(p->r.history);
    vec_free(&p->r.notes);
    vec_free(&p->in.files);
    arena_free(&p->messages);
}

static char *dump(const struct history *h)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    hist_dump(h, out);
    fclose(out);
    return text;
}

static void expect_dump(const char *format, const char *text, const char *expected)
{
    struct parsed p;
    parse(&p, format, text);
    if (p.error)
        fail_msg("%s: %s", format, p.error);
    char *got = dump(p.r.history);
    assert_string_equal(got, expected);
    free(got);
    release(&p);
}

static void expect_error(const char *format, const char *text, const char *expected)
{
    struct parsed p;
    parse(&p, format, text);
    if (!p.error)
        fail_msg("%s accepted: %s", format, text);
    assert_string_equal(p.error, expected);
    release(&p);
}

static char *write_text(const struct history *h, const struct format *f, size_t *size)
{
    char *text = NULL;
    FILE *out = open_memstream(&text, size);
    f->write(h, out);
    fclose(out);
    return text;
}

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

static void put_le(struct strbuf *b, int n, ...)
{
    va_list ap;
    va_start(ap, n);
    while (n--) {
        uint64_t v = (uint64_t)va_arg(ap, int);
        for (int i = 0; i < 8; i++)
            sb_putc(b, (char)(v >> 8 * i));
    }
    va_end(ap);
}

static void put_event(struct strbuf *b, int write, int key, int value, int ok)
{
    sb_putc(b, (char)write);
    put_le(b, 2, key, value);
    sb_putc(b, (char)ok);
}

static void small_dbcop(struct strbuf *b)
{
    put_le(b, 5, 1, 99, 99, 99, 99);
    put_le(b, 1, 2);
    sb_puts(b, "db");
    put_le(b, 2, 0, 0);
    put_le(b, 1, 2); /* sessions */
    put_le(b, 1, 2); /* transactions */
    put_le(b, 1, 2);
    put_event(b, 1, 7, 1, 1);
    put_event(b, 0, 8, 0, 0);
    sb_putc(b, 1);
    put_le(b, 1, 1);
    put_event(b, 1, 8, -2, 1);
    sb_putc(b, 0);
    put_le(b, 1, 0);
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
                "  T5 committed begin 1 commit 2\n    append(3, 1)\n    read(4) = [7 9]\n"
                "  T0.1 unknown begin 10\n    append(5, 5)\n"
                "session 1 process 1\n"
                "  T1.0 aborted\n    append(4, 7)\n"
                "  T1.1 committed begin 8 commit 9\n    read(3) = []\n    read(3) = []\n"
                "session 2\n"
                "  T2.0 unknown begin 4\n    append(4, 9)\n");
}

static void test_edn_register(void **state)
{
    (void)state;
    expect_dump(
        "edn",
        "[{:type :ok, :value [[:w :x 1] [:r \"y\" nil]] :index 3}\n"
        " {:type :invoke :value [[:w :x 2]] :index 4}"
        " {:type :ok :value [[:w :x 2] [:r 7 nil]] :index 8}]",
        "initial null\n"
        "session 0\n  T3 committed commit 3\n    write(:x, 1)\n    read(y) = null\n"
        "session 1\n  T8 committed begin 4 commit 8\n    write(:x, 2)\n    read(7) = null\n");
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

static const char jsonl_everything[] =
    "{\"visar-history\":1,\"default\":0,\"sessions\":[\"a\",null],\"versions-complete\":true}\n"
    "{\"initial\":[[\"x\",5]]}\n"
    "{\"initial\":[[7,null]]}\n"
    "{\"session\":0,\"begin\":3,\"commit\":9,\"id\":17,\"name\":\"withdraw(1, 5)\",\"ops\":"
    "[[\"r\",\"x\",5],[\"w\",\"x\",6,{\"id\":4}]]}\n"
    "{\"session\":1,\"status\":\"aborted\",\"ops\":[[\"w\",7,8,{\"failed\":true}],"
    "[\"r\",7,null,{\"initial\":true,\"same-statement\":true}]]}\n"
    "{\"session\":1,\"status\":\"unknown\",\"ops\":[[\"append\",9,1],[\"r\",9,[1,2]],"
    "[\"r\",9,[]]]}\n"
    "{\"session\":1,\"ops\":[]}\n"
    "{\"versions\":\"x\",\"order\":[[0,1]]}\n"
    "{\"arbitration\":[0,2]}\n"
    "{\"visibility\":[[0,2]]}\n";

static void test_jsonl(void **state)
{
    (void)state;
    expect_dump("jsonl", jsonl_everything,
                "initial 0\ninitial x = 5\ninitial 7 = null\n"
                "session 0 a\n  withdraw(1, 5) committed begin 3 commit 9\n"
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
                "    read(1) = 7\nsession 1\n  T1.0 committed\n    read(1) = 7\n");
}

/* --- what is refused ------------------------------------------------------------------------- */

#define HEADER "{\"visar-history\":1}\n"
#define TXN(ops) HEADER "{\"session\":0,\"ops\":[" ops "]}"

static const struct {
    const char *format, *text, *error;
} refused[] = {
    {"plume", "r(1,2,3,4)\nx", "test:2:1: expected `r(` or `w(`, found `x`"},
    {"plume", "r(1,2,3)", "test:1:8: expected `,`, found `)`"},
    {"plume", "r(1,2,3,4", "test:1:10: expected `)`, found the end of the file"},
    {"plume", "r(1,,3,4)", "test:1:5: expected a value, found `,`"},
    {"plume", "r(99999999999999999999,1,1,1)",
     "test:1:3: expected a key, found `9999999999999999`"},
    {"plume", "w(1,1,1,-2)", "test:1:12: expected a transaction number, or -1 for an aborted one"},
    {"plume", "w(1,1,1,1) ", "test:1:11: expected the end of the line, found ` `"},
    {"blocks", "w 1", "test:1:4: expected a blank, found the end of the file"},
    {"blocks", "w 1 x", "test:1:5: expected a value, found `x`"},
    {"blocks", "w 1 2 3", "test:1:7: expected the end of the line, found `3`"},
    {"blocks", "--=", "test:1:3: expected the end of the line, found `=`"},
    {"blocks", "hello",
     "test:1:1: expected `r`, `w`, a line of `-` or a line of `=`, found `hello`"},
    {"viper", "{\"value\": [[\"r\", 1, 2.5, false]]}",
     "test/s0.log:1:21: expected a value, an integer, found `2.`"},
    {"viper", "{\"value\": [[\"w\", 1, 2, false]]}",
     "test/s0.log:1:24: expected true as the flag of a write, found false"},
    {"viper", "{\"value\": [[\"range\", 1, 2, []]]}",
     "test/s0.log:1:13: range queries in Viper's logs are not supported"},
    {"viper", "{\"valu\": []}", "test/s0.log:1:1: expected a field \"value\""},
    {"viper", "{\"value\": []}}", "test/s0.log:1:14: expected the end of the line, found `}`"},
    {"viper", "{\"value\": [[\"r\", 1, 007, false]]}",
     "test/s0.log:1:21: expected a value, an integer, found `007,`"},
    {"edn", "{:type :ok :value [[:r 1 1.5]]}",
     "test:1:26: expected a value (an integer, a string, a keyword or nil), found `1.5`"},
    {"edn", "{:type :ok :value [[:cas 1 2]]}",
     "test:1:21: expected `:r`, `:w` or `:append`, found `:cas`"},
    {"edn", "{:type :ok :value [[:r 1 2 3]]}",
     "test:1:28: expected the end of the operation, found `3`"},
    {"edn", "{:type :ok :value [[:r 1 2]]",
     "test:1:29: expected a value, found the end of the file"},
    {"edn", "{:type :ok}", "test:1:1: expected a :value, a vector of operations"},
    {"edn", "{:value [[:r 1 2]]}", "test:1:1: expected a field :type"},
    {"edn", "{:type :ko}", "test:1:8: expected `:invoke`, `:ok`, `:fail` or `:info`, found `:ko`"},
    {"edn", "{:type :ok :f :read :process 1}",
     "test:1:1: expected `:f :txn`: only transactions are understood"},
    {"edn", "{:type :invoke :process 1 :value []}\n{:type :invoke :process 1 :value []}",
     "test:2:1: expected the completion of the process's transaction, found another invocation"},
    {"edn", "{:type :ok :value [[:w 1 \":a\"]]}",
     "test:1:26: a string that looks like a keyword cannot be told from one"},
    {"edn", "{:type :ok :value [[:append 1 nil]]}",
     "test:1:31: expected a value to append, found `nil`"},
    {"edn", "{:type :ok :value [[:append 1 2] [:w 1 3]]}",
     "test: used both as a register and as a list: key 1"},
    {"edn", "{:type :ok :x \"abc",
     "test:1:15: expected the end of the string, found the end of "
     "the file"},
    {"edn", "]", "test:1:1: expected an operation, {:type …}, found `]`"},
    {"jsonl", "", "test:1:1: expected a header line, found the end of the file"},
    {"jsonl", "{\"session\":0,\"ops\":[]}",
     "test:1:1: expected the header, {\"visar-history\":1,…}"},
    {"jsonl", "{\"visar-history\":2}", "test:1:18: expected version 1 of the format, found 2"},
    {"jsonl", HEADER HEADER, "test:2:18: expected one header, on the first line"},
    {"jsonl", "{\"visar-history\":1,\"sessions\":1000000}",
     "test:1:31: expected at most as many sessions as the file has bytes"},
    {"jsonl", "{\"visar-history\":1,\"sessions\":2}\n{\"session\":2,\"ops\":[]}",
     "test:2:12: expected a session below 2, as the header says, found 2"},
    {"jsonl", HEADER "{\"session\":0}", "test:2:1: expected a field \"ops\""},
    {"jsonl", HEADER "{\"session\":0,\"ops\":[],\"initial\":[]}",
     "test:2:1: these fields do not belong on one line"},
    {"jsonl", HEADER "{\"session\":0,\"ops\":[],\"level\":\"si\"}",
     "test:2:23: expected a field that this version knows, or one named \"x-…\", found "
     "`\"level\":\"si\"`"},
    {"jsonl", HEADER "{\"session\":0,\"session\":0,\"ops\":[]}",
     "test:2:14: expected the field \"session\" once, found it twice"},
    {"jsonl", TXN("[\"q\",1,2]"),
     "test:2:22: expected \"r\", \"w\", \"append\", \"insert\", \"delete\", \"range\" or "
     "\"predicate\", found `\"q\"`"},
    {"jsonl", TXN("[\"a\",1,2]"),
     "test:2:22: expected \"r\", \"w\", \"append\", \"insert\", \"delete\", \"range\" or "
     "\"predicate\", found `\"a\"`"},
    {"jsonl", TXN("[\"range\",1,\"b\",[]]"),
     "test:2:30: expected two integers or two strings as ends of the range"},
    {"jsonl", TXN("[\"predicate\",[[\"a\",\"~\",1]],[]]"),
     "test:2:40: expected \"=\", \"!=\", \"<\", \"<=\", \">\" or \">=\", found `\"~\"`"},
    {"jsonl", TXN("[\"w\",1,2,]"), "test:2:30: expected `{`, found `]`"},
    {"jsonl", TXN("[\"w\",1,[2]]"),
     "test:2:28: expected a value (an integer, a string or null), found `[`"},
    {"jsonl", TXN("[\"append\",1,null]"),
     "test:2:33: expected a value (an integer, a string or null), found `null`"},
    {"jsonl", TXN("[\"w\",1,2,{\"id\":0}]"), "test:2:36: expected a write id above 0"},
    {"jsonl", TXN("[\"w\",1,true]"),
     "test:2:28: expected a value (an integer, a string or null), found `true`"},
    {"jsonl", TXN("") " x", "test:2:24: expected the end of the line, found `x`"},
    {"jsonl", HEADER "{\"versions\":1,\"order\":[[0,0]]}",
     "test:2:25: expected one of the 0 transactions above, found 0"},
    {"jsonl", HEADER "{\"session\":0,\"begin\":5,\"commit\":4,\"ops\":[]}",
     "test: transaction T0.0 ends before it begins"},
    {"jsonl", HEADER "{\"session\":\"\xff\",\"ops\":[]}",
     "test:2:12: invalid JSON: unable to decode byte 0xff near '\"'"},
};

static void test_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        expect_error(refused[i].format, refused[i].text, refused[i].error);
}

/* Deep nesting must not be recursion without end. */
static void test_deep_nesting(void **state)
{
    (void)state;
    static const char *const starts[][2] = {{"edn", "{:x "}, {"jsonl", "{\"x-a\":"}};
    for (size_t i = 0; i < 2; i++) {
        struct strbuf b = {0};
        struct parsed p;
        sb_puts(&b, starts[i][1]);
        for (int j = 0; j < 1000000; j++)
            sb_putc(&b, '[');
        parse_bytes(&p, starts[i][0], b.data, b.len);
        assert_non_null(p.error);
        release(&p);
        sb_free(&b);
    }
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

/* --- writers --------------------------------------------------------------------------------- */

static void test_losses(void **state)
{
    (void)state;
    static const struct {
        const char *to, *text, *error;
    } cases[] = {
        {"cobra", TXN(""), "the format cobra is only read, not written"},
        {"plume", TXN("[\"append\",1,1]"), "the format plume has no way to say: lists (jsonl has)"},
        {"dbcop", TXN("[\"w\",1,null]"),
         "the format dbcop has no way to say: null values (jsonl has)"},
        {"blocks", HEADER "{\"session\":0,\"status\":\"aborted\",\"ops\":[]}",
         "the format blocks has no way to say: aborted transactions (jsonl has)"},
        {"plume", HEADER "{\"session\":0,\"status\":\"unknown\",\"ops\":[[\"r\",1,1]]}",
         "the format plume has no way to say: transactions of unknown outcome, reads of "
         "transactions of unknown outcome (jsonl has)"},
        {"edn",
         HEADER "{\"session\":0,\"status\":\"unknown\",\"ops\":[]}\n{\"session\":0,\"ops\":[]}",
         "the format edn has no way to say: transactions of unknown outcome that are not the last "
         "of their session (jsonl has)"},
        {"dbcop", TXN("[\"w\",1,1,{\"id\":1}],[\"w\",1,1,{\"id\":2}],[\"r\",1,1,{\"id\":2}]"),
         "the format dbcop has no way to say: write ids, which tell equal values apart (jsonl "
         "has)"},
        {"dbcop", TXN("[\"w\",1,0],[\"r\",1,null]"),
         "the format dbcop has no way to say: the initial value of key 1 (jsonl has)"},
        {"dbcop", TXN("[\"r\",1,0]"),
         "the format dbcop has no way to say: the initial value of key 1 (jsonl has)"},
        {"edn",
         "{\"visar-history\":1,\"default\":3}\n{\"session\":0,\"ops\":[[\"r\",1,3],[\"w\",1,3]]}",
         "the format edn has no way to say: the initial value of key 1 (jsonl has)"},
        {"plume",
         HEADER "{\"session\":0,\"ops\":[[\"w\",1,5]]}\n{\"versions\":1,\"order\":[[0,0]]}",
         "the format plume has no way to say: version orders (jsonl has)"},
        {"blocks",
         "{\"visar-history\":1,\"default\":0}\n{\"session\":0,\"ops\":[[\"r\",1,0],[\"w\",1,0]]}",
         "the format blocks has no way to say: the initial value of key 1 (jsonl has)"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct parsed p;
        parse(&p, "jsonl", cases[i].text);
        assert_null(p.error);
        const char *error =
            fmt_check_losses(p.r.history, fmt_find(cases[i].to), &p.messages, &p.r.notes);
        assert_string_equal(error ? error : "none", cases[i].error);
        release(&p);
    }
}

static void test_notes(void **state)
{
    (void)state;
    struct parsed p;
    parse(&p, "jsonl",
          HEADER
          "{\"session\":\"s\",\"begin\":1,\"ops\":[[\"w\",\"k\",\"v\"],[\"r\",\"k\",\"v\"]]}");
    const char *error = fmt_check_losses(p.r.history, fmt_find("plume"), &p.messages, &p.r.notes);
    assert_null(error);
    assert_int_equal(p.r.notes.len, 1);
    assert_string_equal(p.r.notes.data[0],
                        "lost in the format plume: keys or values that are not integers (numbered "
                        "instead), timestamps, names and numbers of sessions and transactions");
    size_t size;
    char *text = write_text(p.r.history, fmt_find("plume"), &size);
    assert_string_equal(text, "w(0,1,0,1)\nr(0,1,0,1)\n");
    free(text);
    release(&p);
}

/* --- round trips ----------------------------------------------------------------------------- */

static void round_trip(const struct history *h, const struct format *f)
{
    struct arena messages = {0};
    fmt_notes notes = {0};
    const char *error = fmt_check_losses(h, f, &messages, &notes);
    if (error)
        fail_msg("%s", error);
    size_t size;
    char *text = write_text(h, f, &size);
    struct parsed p;
    parse_bytes(&p, f->name, text, size);
    if (p.error)
        fail_msg("%s: %s", f->name, p.error);
    assert_ptr_equal(fmt_detect(&p.in), f);
    error = fmt_difference(h, p.r.history, f->keeps, &messages);
    if (error)
        fail_msg("%s: %s", f->name, error);
    free(text);
    release(&p);
    vec_free(&notes);
    arena_free(&messages);
}

static void test_round_trips(void **state)
{
    (void)state;
    for (int level = 0; level < MODEL_COUNT; level++)
        for (int seed = 0; seed < 5; seed++) {
            struct arena messages = {0};
            struct gen_options o = gen_defaults();
            struct history *h;
            o.level = (enum model_id)level;
            o.transactions = 200;
            o.seed = (uint64_t)seed;
            o.lists = seed == 4 && (level == MODEL_SER || level == MODEL_SI);
            const char *error = gen_history(&o, &messages, &h);
            if (error)
                fail_msg("%s", error);
            for (size_t i = 0; i < fmt_count(); i++)
                if (fmt_at(i)->write && (!o.lists || fmt_at(i)->keeps & FMT_LISTS))
                    round_trip(h, fmt_at(i));
            hist_free(h);
            arena_free(&messages);
        }
}

static void test_aborted_round_trips(void **state)
{
    (void)state;
    struct arena messages = {0};
    struct gen_options o = gen_defaults();
    struct history *h;
    o.keys = 4;
    o.sessions = 30;
    o.aborts = true;
    assert_null(gen_history(&o, &messages, &h));
    round_trip(h, fmt_find("jsonl"));
    round_trip(h, fmt_find("edn"));
    round_trip(h, fmt_find("dbcop"));
    hist_free(h);
    arena_free(&messages);
}

/* --- files ----------------------------------------------------------------------------------- */

static void test_files(void **state)
{
    (void)state;
    char folder[] = "/tmp/visar-formats-XXXXXX";
    assert_non_null(mkdtemp(folder));
    struct arena messages = {0};
    struct fmt_result r;
    const char *path = arena_printf(&messages, "%s/h.jsonl.gz", folder);
    gzFile gz = gzopen(path, "wb");
    gzputs(gz, jsonl_everything);
    gzclose(gz);
    assert_null(fmt_read(path, NULL, &messages, &r));
    assert_int_equal(r.history->txns.len, 4);

    const char *copy = arena_printf(&messages, "%s/copy.jsonl", folder);
    assert_null(fmt_write(r.history, r.format, copy, &messages, &r.notes));
    hist_free(r.history);
    vec_free(&r.notes);
    assert_null(fmt_read(copy, "jsonl", &messages, &r));
    hist_free(r.history);
    assert_non_null(fmt_read(copy, "edn", &messages, &r));
    assert_null(r.history);
    const char *error = fmt_read(copy, "xml", &messages, &r);
    assert_non_null(strstr(error, "unknown format `xml`"));
    error = fmt_read(folder, "plume", &messages, &r);
    assert_non_null(strstr(error, "found a folder"));
    unlink(path);
    unlink(copy);
    error = fmt_read(folder, NULL, &messages, &r);
    assert_non_null(strstr(error, "expected .log, .json or .jsonl files"));
    rmdir(folder);
    error = fmt_read(folder, NULL, &messages, &r);
    assert_non_null(strstr(error, "cannot be opened"));
    arena_free(&messages);
}

/* What the fuzzers start from, and what they found: read, and if that works written and read. */
static void test_corpus(void **state)
{
    (void)state;
    glob_t files;
    size_t read = 0;
    assert_int_equal(glob("tests/fuzz/formats/corpus/*/*", 0, NULL, &files), 0);
    for (size_t i = 0; i < files.gl_pathc; i++) {
        struct arena messages = {0};
        struct io_bytes bytes;
        struct parsed p;
        char *folder = arena_strdup(&messages, files.gl_pathv[i]);
        *strrchr(folder, '/') = 0;
        assert_null(io_read(files.gl_pathv[i], &messages, &bytes));
        parse_bytes(&p, strrchr(folder, '/') + 1, bytes.data, bytes.size);
        if (!p.error)
            round_trip(p.r.history, fmt_find("jsonl"));
        read += !p.error;
        release(&p);
        io_bytes_free(&bytes);
        arena_free(&messages);
    }
    globfree(&files);
    assert_true(read >= 10);
}

/* --- the published histories ----------------------------------------------------------------- */

static const char *histories_folder(void)
{
    const char *given = getenv("VISAR_HISTORIES");
    return given ? given : "../shared/histories";
}

/* Counted by another program from the bytes. */
static const struct {
    const char *path;
    uint32_t sessions;
    size_t committed, aborted, unknown, ops, keys;
} counts[] = {
    {"speed/duplicates-2k.bincode", 20, 2000, 0, 0, 30000, 4927},
    {"speed/rw-ser-10000.bincode", 25, 9565, 0, 0, 81429, 9992},
    {"speed/tpcc-10k-cobra", 8, 10364, 0, 0, 11397, 2849},
    {"speed/twitter-10k-cobra", 8, 10444, 0, 0, 51653, 16299},
    {"speed/rw-si-10000-cobra", 24, 9623, 0, 0, 76984, 9994},
    {"speed/rw-si-1000-viper-json", 24, 962, 0, 0, 7696, 5389},
    {"violations/dgraph/history.bincode", 10, 480, 320, 0, 16000, 1000},
    {"violations/cockroach-G2", 10, 446, 0, 0, 1338, 890},
    {"violations/yugabyte/yugabyte.txt", 2, 20, 0, 0, 200, 20},
    {"violations/yugabyte_tcc.txt", 2, 20, 0, 0, 200, 20},
    {"levels/causal/generated/l100e1000sqrt.txt", 33, 278, 0, 0, 1100, 33},
    {"elle/huge-scc.edn", 173, 3036, 7070, 148, 16400, 106},
    {"elle/paper-example.edn", 4, 4, 0, 0, 19, 4},
};

static void test_published_counts(void **state)
{
    (void)state;
    if (access(histories_folder(), R_OK))
        skip();
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        struct arena messages = {0};
        struct fmt_result r;
        const char *path = arena_printf(&messages, "%s/%s", histories_folder(), counts[i].path);
        const char *error = fmt_read(path, NULL, &messages, &r);
        if (error)
            fail_msg("%s", error);
        size_t status[3] = {0};
        for (size_t j = 0; j < r.history->txns.len; j++)
            status[r.history->txns.data[j].status]++;
        assert_int_equal(r.history->session_count, counts[i].sessions);
        assert_int_equal(status[HIST_COMMITTED], counts[i].committed);
        assert_int_equal(status[HIST_ABORTED], counts[i].aborted);
        assert_int_equal(status[HIST_UNKNOWN], counts[i].unknown);
        assert_int_equal(r.history->ops.len, counts[i].ops);
        if (counts[i].keys != 33)
            assert_int_equal(r.history->keys.len, counts[i].keys);
        hist_free(r.history);
        vec_free(&r.notes);
        arena_free(&messages);
    }
}

/* Every line of the manifest: the format is recognised, and visar's own format keeps everything. */
static void test_published_formats(void **state)
{
    (void)state;
    char line[4096];
    struct arena names = {0};
    FILE *manifest = fopen(arena_printf(&names, "%s/manifest.tsv", histories_folder()), "r");
    if (!manifest) {
        arena_free(&names);
        skip();
    }
    size_t read = 0;
    assert_non_null(fgets(line, sizeof line, manifest));
    while (fgets(line, sizeof line, manifest)) {
        struct arena messages = {0};
        struct fmt_result r;
        char *path = strtok(line, "\t"), *format = strtok(NULL, "\t");
        const char *error = fmt_read(arena_printf(&messages, "%s/%s", histories_folder(), path),
                                     NULL, &messages, &r);
        if (error)
            fail_msg("%s", error);
        assert_string_equal(r.format->name, format);
        round_trip(r.history, fmt_find("jsonl"));
        hist_free(r.history);
        vec_free(&r.notes);
        arena_free(&messages);
        read++;
    }
    assert_true(read > 100);
    fclose(manifest);
    arena_free(&names);
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
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_deep_nesting),
        cmocka_unit_test(test_detection),
        cmocka_unit_test(test_losses),
        cmocka_unit_test(test_notes),
        cmocka_unit_test(test_round_trips),
        cmocka_unit_test(test_aborted_round_trips),
        cmocka_unit_test(test_files),
        cmocka_unit_test(test_corpus),
        cmocka_unit_test(test_published_counts),
        cmocka_unit_test(test_published_formats),
    };
    return cmocka_run_group_tests_name("formats", tests, NULL, NULL);
}
