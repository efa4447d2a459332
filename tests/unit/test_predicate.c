/* A predicate on many rows at once says of each row what it says of that row alone, whatever kinds
 * of keys, values and constants stand beside each other. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "formats_help.h"
#include "history/predicate.h"

static const char *const keys[] = {"1", "2", "1.5", "-1.5", "true", "\"a\"", "[1,2]", "1e30"};
static const char *const values[] = {"3",     "-7",        "2.5",        "false",
                                     "\"b\"", "{\"n\":4}", "{\"n\":0.5}"};
static const char *const constants[] = {"1", "-2", "1.5", "true", "\"a\"", "4"};
static const char *const operators[] = {"=", "!=", "<", "<=", ">", ">="};
static const char *const fields[] = {"key", "value", "n"};

#define LEN(a) (sizeof(a) / sizeof *(a))

static void compare(const struct history *h, unsigned *matched)
{
    struct pred p;
    pred_init(&p, h);
    for (size_t q = 0; q < h->predicates.len; q++)
        for (size_t i = 0; i < h->ops.len; i++) {
            uint32_t key = h->ops.data[i].key;
            struct hist_value v = hist_op_value(&h->ops.data[i]);
            struct pred_table t = {.p = &p, .len = 1, .key = &key, .value = &v};
            uint8_t match = 2;
            pred_table_match(&t, &h->predicates.data[q], &match);
            bool alone = pred_matches(&p, &h->predicates.data[q], key, v);
            assert_int_equal(match, alone);
            *matched += alone;
            pred_table_free(&t);
        }
    pred_free(&p);
}

/* One kind of key, value and constant at a time: what the others make of the history must not hide
 * what these do. */
static void test_one_row(void **state)
{
    (void)state;
    unsigned matched = 0, asked = 0;
    for (size_t k = 0; k < LEN(keys); k++)
        for (size_t v = 0; v < LEN(values); v++)
            for (size_t c = 0; c < LEN(constants); c++)
                for (size_t o = 0; o < LEN(operators); o++)
                    for (size_t f = 0; f < LEN(fields); f++) {
                        char text[256];
                        snprintf(text, sizeof text,
                                 TXN("[\"w\",%s,%s],[\"predicate\",[[\"%s\",\"%s\",%s]],"
                                     "{\"count\":1}]"),
                                 keys[k], values[v], fields[f], operators[o], constants[c]);
                        struct parsed p;
                        parse(&p, "jsonl", text);
                        if (!p.error) {
                            compare(p.r.history, &matched);
                            asked++;
                        }
                        release(&p);
                    }
    assert_true(asked > 4000);
    assert_true(matched > 500);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_one_row)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
