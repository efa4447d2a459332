/* The history formats: what is refused, and the place and the words of the message. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "formats_help.h"

/* --- what is refused ------------------------------------------------------------------------- */

static const struct {
    const char *format, *text, *error;
} refused[] = {
    {"plume", "r(1,2,3,4)\nx", "test:2:1: expected `r(` or `w(`, found `x`"},
    {"plume", "r(1,2,3)", "test:1:8: expected `,`, found `)`"},
    {"plume", "r(1,2,3,4", "test:1:10: expected `)`, found the end of the file"},
    {"plume", "r(1,,3,4)", "test:1:5: expected a value, found `,`"},
    {"plume", "r(99999999999999999999,1,1,1)",
     "test:1:3: expected a key, found `9999999999999999…`, an integer beyond 64 bits"},
    {"plume", "w(1,1,1,-2)", "test:1:12: expected a transaction number, or -1 for an aborted one"},
    {"plume", "w(1,1,1,1) ", "test:1:11: expected the end of the line, found ` `"},
    {"blocks", "w 1", "test:1:4: expected a blank, found the end of the file"},
    {"blocks", "w 1 x", "test:1:5: expected a value, found `x`"},
    {"blocks", "w 1 2 3", "test:1:7: expected the end of the line, found `3`"},
    {"blocks", "--=", "test:1:3: expected the end of the line, found `=`"},
    {"blocks", "hello",
     "test:1:1: expected `r`, `w`, a line of `-` or a line of `=`, found `hello`"},
    {"viper", "{\"value\": [[\"r\", 1, 2.5, false]]}",
     "test/s0.log:1:21: expected a value, found `2.5`, which is not an integer"},
    {"viper", "{\"value\": [[\"w\", 1, 2, false]]}",
     "test/s0.log:1:24: expected true as the flag of a write, found false"},
    {"viper", "{\"value\": [[\"range\", 1, 2, []]]}", "test/s0.log:1:30: expected `,`, found `]`"},
    {"viper", "{\"value\": [[\"range\", 1, \"b\", [], []]]}",
     "test/s0.log:1:13: expected two integers or two strings as ends of the range"},
    {"viper", "{\"value\": [[\"range\", 1, 2, [{\"id\": 1}], []]]}",
     "test/s0.log:1:29: expected a row with the fields \"id\" and \"val\""},
    {"viper", "{\"value\": [[\"range\", 1, 2, [{\"id\": 3, \"val\": 1}], []]]}",
     "test/s0.log:1:1: a range returned a row that is not in it"},
    {"viper", "{\"value\": [[\"range\", 1, \"nil\", [], []]], \"isInitial\": true}",
     "test/s0.log:1:13: expected a range without ends in the initial transaction, found one "
     "with"},
    {"viper", "{\"valu\": []}", "test/s0.log:1:1: expected a field \"value\""},
    {"viper", "{\"value\": []}}", "test/s0.log:1:14: expected the end of the line, found `}`"},
    {"viper", "{\"value\": [[\"r\", 1, 007, false]]}",
     "test/s0.log:1:21: expected a value, found `007`: JSON has no leading zeros"},
    {"edn", "{:type :ok :value [[:r 1 1/5]]}",
     "test:1:26: expected a value (a number, a string, a keyword, true, false or nil), found "
     "`1/5`"},
    {"edn", "{:type :ok :value [[:r 1 ##NaN]]}",
     "test:1:26: expected a value (a number, a string, a keyword, true, false or nil), found "
     "`##NaN`"},
    {"edn", "{:type :ok :value [[:r [1 {}] 2]]}",
     "test:1:27: expected a part of a key (a number, a string, a keyword, true, false or a "
     "vector), found `{`"},
    {"edn", "{:type :ok :value [3 [[:r 1 2]] 4]}",
     "test:1:33: expected the end of the tuple of a key and its transaction, found `4`"},
    {"edn", "{:type :ok :value [3 4]}",
     "test:1:20: expected an operation, [:r …], [:w …] or [:append …], found `3`"},
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
     "test:1:1: used both as a register and as a list: key 1"},
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
     "test:2:30: expected two numbers or two strings as ends of the range"},
    {"jsonl", TXN("[\"predicate\",[[\"a\",\"~\",1]],[]]"),
     "test:2:40: expected \"=\", \"!=\", \"<\", \"<=\", \">\" or \">=\", found `\"~\"`"},
    {"jsonl", TXN("[\"w\",1,2,]"), "test:2:30: expected `{`, found `]`"},
    {"jsonl", TXN("[\"w\",1,[2]]"),
     "test:2:28: expected a value (a number, a string, true, false, a row or null), found `[`"},
    {"jsonl", TXN("[\"append\",1,null]"),
     "test:2:33: expected an element (a number, a string, true, false or a row), found "
     "`null`"},
    {"jsonl", TXN("[\"w\",1,2,{\"id\":0}]"), "test:2:36: expected a write id above 0"},
    {"jsonl", TXN("[\"w\",1,truth]"),
     "test:2:28: expected a value (a number, a string, true, false, a row or null), found "
     "`truth`"},
    {"jsonl", TXN("[\"w\",1,1.]"),
     "test:2:28: expected a value (a number, a string, true, false, a row or null), found `1.`"},
    {"jsonl", TXN("[\"w\",1,1e123456]"),
     "test:2:28: expected a number of at most 64 digits and a small exponent"},
    {"jsonl", TXN("[\"w\",[1,{}],2]"), "test:2:29: expected a part of a key, found `{`"},
    {"jsonl", TXN("[\"w\",{\"a\":1},2]"), "test:2:26: expected a key, found `{`"},
    {"jsonl", TXN("[\"range\",true,2,[]]"),
     "test:2:30: expected a number, a string or null as the end of the range, found `true`"},
    {"jsonl", TXN("[\"w\",1,{\"a\":[]}]"),
     "test:2:33: expected a number, a string, true, false or null in the field, found `[`"},
    {"jsonl", TXN("[\"w\",1,{\"a\":1,\"a\":2}]"),
     "test:2:28: expected a row: the field \"a\" is there twice"},
    {"jsonl", TXN("[\"w\",1,{\"a\":1.5}],[\"predicate\",[],{\"sum\":[\"a\",2]}]"),
     "test:2:1: sum, min and max are of integers, but the field \"a\" has other numbers"},
    {"jsonl", TXN("") " x", "test:2:24: expected the end of the line, found `x`"},
    {"jsonl", HEADER "{\"versions\":1,\"order\":[[0,0]]}",
     "test:2:25: expected one of the 0 transactions above, counted from 0, found 0"},
    {"jsonl", TXN("[\"w\",1,2]") "\n{\"versions\":2,\"order\":[[0,0]]}",
     "test:3:1: the version order names [0,0], which is not a write of the key"},
    {"jsonl", TXN("[\"r\",1,2]") "\n{\"versions\":1,\"order\":[[0,0]]}",
     "test:3:1: the version order names [0,0], which is not a write of the key"},
    {"jsonl", TXN("[\"predicate\",[],[]],[\"r\",1,2]") "\n{\"version-set\":[0,0],\"sees\":[[0,1]]}",
     "test:3:1: the version set names [0,1], which is not a write"},
    {"jsonl", TXN("[\"r\",1,2]") "\n{\"version-set\":[0,0],\"sees\":[]}",
     "test:3:1: a version set of something that is not a predicate read"},
    {"jsonl", TXN("[\"range\",1,2,[]]") "\n{\"version-set\":[0,0],\"sees\":[]}",
     "test:3:1: a version set of a range: its rows may carry write ids instead"},
    {"jsonl", HEADER "{\"initial\":[[1,2],[1,3]]}",
     "test:2:19: expected one initial value of the key, found a second"},
    {"jsonl", TXN("[\"w\",1,2,{\"initial\":true}]"),
     "test:2:31: expected \"initial\" with a read of one key only"},
    {"jsonl", TXN("[\"range\",1,2,[],{\"id\":3}]"),
     "test:2:43: expected a write id for each row, [key,value,id], not for all"},
    {"jsonl", TXN("[\"w\",1,99999999999999999999]"),
     "test:2:28: expected a value (a number, a string, true, false, a row or null), found "
     "`9999999999999999…`, an integer beyond 64 bits"},
    {"jsonl", HEADER "{\"session\":0,\"begin\":5,\"commit\":4,\"ops\":[]}",
     "test:2:1: transaction T0.0 ends before it begins"},
    {"jsonl", HEADER "{\"session\":0,\"begin\":5,\"begin-answered\":4,\"ops\":[]}",
     "test:2:1: transaction T0.0 has a begin that was answered before it was asked for"},
    {"jsonl", HEADER "{\"session\":0,\"commit-asked\":5,\"commit\":4,\"ops\":[]}",
     "test:2:1: transaction T0.0 has a commit that was answered before it was asked for"},
    {"jsonl", HEADER "{\"session\":0,\"begin\":5,\"commit-asked\":4,\"ops\":[]}",
     "test:2:1: transaction T0.0 has a commit that was asked for before its begin"},
    {"jsonl", HEADER "{\"session\":0,\"begin-answered\":5,\"commit\":4,\"ops\":[]}",
     "test:2:1: transaction T0.0 has a commit that was answered before its begin"},
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_deep_nesting),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
