/* The reports of report/command/ on pages of several widths. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "report/command/models_report.h"
#include "report/command/no_answer.h"
#include "report/page/page.h"

/* The longest line, in columns. */
static int longest_line(const char *text)
{
    int longest = 0;
    while (*text) {
        size_t n = strcspn(text, "\n");
        int columns = page_columns(text, n);
        longest = columns > longest ? columns : longest;
        text += n + (text[n] == '\n');
    }
    return longest;
}

static char *models_on(int width)
{
    char *text = NULL;
    size_t size;
    struct page page = {open_memstream(&text, &size), false, width};
    report_models_text(&page, false);
    fclose(page.out);
    return text;
}

static void strip_blanks(char *text)
{
    char *to = text;
    for (const char *from = text; *from; from++)
        if (*from != ' ' && *from != '\n')
            *to++ = *from;
    *to = 0;
}

/* Whatever the width, the words are the same; and no line is longer than the page. */
static void test_models_wrap(void **state)
{
    (void)state;
    char *whole = models_on(PAGE_ENDLESS);
    assert_true(longest_line(whole) > 100);
    strip_blanks(whole);
    for (int width = 60; width <= 200; width += 20) {
        char *text = models_on(width);
        assert_true(longest_line(text) <= width);
        strip_blanks(text);
        assert_string_equal(text, whole);
        free(text);
    }
    free(whole);
}

/* Blanks that stand together stay together, or are where the line ends. */
static void test_wide_gaps(void **state)
{
    (void)state;
    char *text = NULL;
    size_t size;
    struct page page = {open_memstream(&text, &size), false, 38};
    page_text(&page, 2, 4, "one two  if three is four five six  [1:2]");
    fclose(page.out);
    assert_string_equal(text, "  one two  if three is four five six\n    [1:2]\n");
    free(text);
}

static char *error_text(struct no_answer a)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    report_error(&a, out);
    fclose(out);
    return text;
}

/* The file is named once, and a name that is no text does no harm. */
static void test_errors(void **state)
{
    (void)state;
    struct no_answer a = {.command = "check", .file = "h\x1b[1m", .reason = "is empty"};
    char *text = error_text(a);
    assert_string_equal(text, "ERROR: h\\x1b[1m: is empty\n");
    free(text);
    a.reason = "h\x1b[1m:3:4: expected a value";
    text = error_text(a);
    assert_string_equal(text, "ERROR: h\\x1b[1m:3:4: expected a value\n");
    free(text);
    a.json = true;
    a.file = "\xff";
    text = error_text(a);
    assert_non_null(strstr(text, "\"file\": \"\xef\xbf\xbd\""));
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_models_wrap),
        cmocka_unit_test(test_wide_gaps),
        cmocka_unit_test(test_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
