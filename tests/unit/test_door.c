/* The door of the history engine: no answer of the search gets through that does not stand, and
 * the answers for several levels are those for each of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "check/check.h"
#include "tests/unit/lying_search.h"

/* ---- histories ------------------------------------------------------------------------------- */

static void read_both(struct history *h, int64_t x, int64_t y)
{
    hist_read(h, hist_key_int(h, 0), hist_int(x));
    hist_read(h, hist_key_int(h, 1), hist_int(y));
}

/* Two transactions read both rows, and each writes one of them: allowed by SI, not by SER. */
static struct history *write_skew(void)
{
    struct history *h = hist_new();
    hist_set_initial_default(h, hist_int(0));
    for (uint32_t t = 0; t < 2; t++) {
        hist_begin_txn(h, hist_add_session(h, NULL));
        read_both(h, 0, 0);
        hist_write(h, hist_key_int(h, t), hist_int(1));
        hist_end_txn(h, HIST_COMMITTED);
    }
    assert_null(hist_finish(h));
    return h;
}

/* Both write both rows; the third transaction sees one row of each: RC allows it, RA does not. */
static struct history *fractured_read(void)
{
    struct history *h = hist_new();
    hist_set_initial_default(h, hist_int(0));
    for (uint32_t t = 0; t < 3; t++) {
        hist_begin_txn(h, hist_add_session(h, NULL));
        if (t == 2) {
            read_both(h, 1, 2);
        } else {
            hist_write(h, hist_key_int(h, 0), hist_int(t + 1));
            hist_write(h, hist_key_int(h, 1), hist_int(t + 1));
        }
        hist_end_txn(h, HIST_COMMITTED);
    }
    assert_null(hist_finish(h));
    return h;
}

/* ---- questions ------------------------------------------------------------------------------- */

static void ask(const struct history *h, const char *name, struct check_answers *a)
{
    struct named_level level = {.name = name};
    struct check_request q = {.levels = &level, .count = 1, .options = check_defaults()};
    assert_true(level_find(name, &level.level));
    check(h, &q, a);
}

static enum check_verdict verdict(const struct history *h, const char *name)
{
    struct check_answers a;
    ask(h, name, &a);
    enum check_verdict v = a.at[0].verdict;
    check_answers_free(&a);
    return v;
}

static void is_stopped(const struct history *h, const char *level, enum lie lie, const char *why)
{
    struct check_answers a;
    lying_search(lie);
    ask(h, level, &a);
    lying_search(LIE_NONE);
    if (a.at[0].verdict != CHECK_BROKEN)
        fail_msg("%s, lie %d: verdict %d", level, (int)lie, (int)a.at[0].verdict);
    if (why)
        assert_string_equal(a.at[0].result->reason, why);
    check_answers_free(&a);
}

/* ---- tests ----------------------------------------------------------------------------------- */

static void one_level(void **state)
{
    (void)state;
    struct history *h = write_skew();
    assert_int_equal(verdict(h, "si"), CHECK_OK);
    assert_int_equal(verdict(h, "ser"), CHECK_VIOLATION);
    assert_int_equal(verdict(h, "strict-ser"), CHECK_UNKNOWN); /* it has no time stamps */
    hist_free(h);
}

static void wrong_violations(void **state)
{
    (void)state;
    static const char *const levels[] = {"rc", "ra", "rcs", "cc", "psi", "pc", "si"};
    struct history *h = write_skew();
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++) {
        is_stopped(h, levels[i], LIE_VIOLATION, NULL);
        is_stopped(h, levels[i], LIE_RELABELLED,
                   "the cycles that were found do not contradict the level");
    }
    hist_free(h);
}

static void wrong_orders(void **state)
{
    (void)state;
    struct history *h = write_skew(), *fractured = fractured_read();
    is_stopped(h, "ser", LIE_ORDER, NULL);
    is_stopped(h, "si", LIE_ORDER, NULL);
    is_stopped(h, "ser", LIE_WEAKER, "the order that was found is one of a weaker level");
    is_stopped(fractured, "ra", LIE_WEAKER, "the order that was found is one of a weaker level");
    hist_free(h);
    hist_free(fractured);
}

/* Every level of the lattice at once, both ways, and each for itself. */
static void agree(const struct history *h)
{
    struct named_level levels[LATTICE_MAX];
    size_t count = lattice_all(true, false, levels);
    for (int strongest = 0; strongest < 2; strongest++) {
        struct check_request q = {
            .levels = levels, .count = count, .strongest = strongest, .options = check_defaults()};
        struct check_answers a;
        check(h, &q, &a);
        assert_int_equal(a.count, count);
        for (size_t i = 0; i < count; i++) {
            assert_string_equal(a.at[i].name, levels[i].name);
            assert_int_equal(a.at[i].verdict, verdict(h, levels[i].name));
        }
        check_answers_free(&a);
    }
}

static void several_levels_agree(void **state)
{
    (void)state;
    struct history *h[] = {write_skew(), fractured_read()};
    for (size_t i = 0; i < sizeof h / sizeof *h; i++) {
        agree(h[i]);
        hist_free(h[i]);
    }
}

/* An answer for each level may look right and yet contradict that for another. */
static void levels_that_contradict(void **state)
{
    (void)state;
    struct history *h = fractured_read();
    struct named_level levels[] = {{"ra", {MODEL_RA, true, LEVEL_NO_TIME}},
                                   {"ser", {MODEL_SER, true, LEVEL_NO_TIME}}};
    struct check_request q = {.levels = levels, .count = 2, .options = check_defaults()};
    struct check_answers a;
    lying_search(LIE_LATTICE);
    check(h, &q, &a);
    lying_search(LIE_NONE);
    for (size_t i = 0; i < a.count; i++) {
        assert_int_equal(a.at[i].verdict, CHECK_BROKEN);
        assert_string_equal(a.at[i].result->reason,
                            "of two levels, the weaker is violated and the stronger satisfied");
    }
    check_answers_free(&a);
    hist_free(h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_level),
        cmocka_unit_test(wrong_violations),
        cmocka_unit_test(wrong_orders),
        cmocka_unit_test(several_levels_agree),
        cmocka_unit_test(levels_that_contradict),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
