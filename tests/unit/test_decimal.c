/* Numbers as they are written: one text for each number, and exact comparisons. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/decimal.h"

static const struct {
    const char *text, *canonical; /* NULL: too long */
} spellings[] = {
    {"0", "0"},
    {"-0", "0"},
    {"-0.000e5", "0"},
    {"1.0", "1"},
    {"10e-1", "1"},
    {"0.00001e5", "1"},
    {"1.50", "1.5"},
    {"-12.750", "-12.75"},
    {"0.1", "0.1"},
    {"1e-1", "0.1"},
    {"0.30000000000000004", "0.30000000000000004"},
    {"0.000001", "0.000001"},
    {"0.0000001", "1e-7"},
    {"1.5E-9", "1.5e-9"},
    {"9223372036854775807.0", "9223372036854775807"},
    {"-9223372036854775808.0", "-9223372036854775808"},
    {"9223372036854775808.0", "9.223372036854775808e18"},
    {"1e30", "1e30"},
    {"100e28", "1e30"},
    {"123456789012345678901.25", "123456789012345678901.25"},
    {"1e99999", "1e99999"},
    {"1e100000", NULL},
    {"0e100000", "0"},
    {"0.1234567890123456789012345678901234567890123456789012345678901234",
     "0.1234567890123456789012345678901234567890123456789012345678901234"},
    {"0.12345678901234567890123456789012345678901234567890123456789012345", NULL},
};

static void test_canonical(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof spellings / sizeof *spellings; i++) {
        const char *text = spellings[i].text;
        struct decimal d;
        char integer[24];
        assert_int_equal(decimal_length(text, strlen(text)), strlen(text));
        bool fits = decimal_read(text, strlen(text), &d);
        assert_int_equal(fits, spellings[i].canonical != NULL);
        if (!fits)
            continue;
        snprintf(integer, sizeof integer, "%" PRId64, d.integer);
        assert_string_equal(d.is_integer ? integer : d.text, spellings[i].canonical);
        /* The canonical text is a number, the same one, and its own canonical text. */
        const char *canonical = spellings[i].canonical;
        assert_int_equal(decimal_length(canonical, strlen(canonical)), strlen(canonical));
        assert_int_equal(decimal_compare(text, strlen(text), canonical, strlen(canonical)), 0);
    }
}

static void test_order(void **state)
{
    (void)state;
    static const char *const rising[] = {"-1e30",    "-9223372036854775808",
                                         "-2.5",     "-2",
                                         "-0.1",     "-1e-9",
                                         "0",        "1e-9",
                                         "0.099999", "0.1",
                                         "0.11",     "1",
                                         "1.5",      "9223372036854775807",
                                         "1e30"};
    size_t n = sizeof rising / sizeof *rising;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            int order = decimal_compare(rising[i], strlen(rising[i]), rising[j], strlen(rising[j]));
            assert_int_equal((order > 0) - (order < 0), (i > j) - (i < j));
        }
}

static void test_no_numbers(void **state)
{
    (void)state;
    static const char *const wrong[] = {"", "-", ".5", "1.", "01", "+1", "1e", "1e+", "x", "--1"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_int_equal(decimal_length(wrong[i], strlen(wrong[i])), 0);
    assert_int_equal(decimal_length("12abc", 5), 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_canonical),
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_no_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
