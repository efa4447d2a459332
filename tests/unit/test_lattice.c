/* The lattice of levels: which is asked next, and what answers come to. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "models/lattice.h"

static struct lattice all_levels(struct named_level *names)
{
    struct lattice l = {.count = lattice_all(true, true, names), .several_rows = true};
    for (size_t i = 0; i < l.count; i++)
        l.levels[i] = names[i].level;
    return l;
}

/* "si ser" as a set. */
static uint32_t set_of(const struct named_level *names, size_t count, const char *text)
{
    uint32_t set = 0;
    for (const char *p = text; *p; p += strcspn(p, " "), p += *p == ' ')
        for (size_t i = 0; i < count; i++)
            if (strlen(names[i].name) == strcspn(p, " ") &&
                !strncmp(names[i].name, p, strcspn(p, " ")))
                set |= 1u << i;
    return set;
}

static void below_and_above(void **state)
{
    (void)state;
    static const struct {
        const char *level, *below, *above;
    } rows[] = {
        {"si", "ec rc rcs ra cc psi pc adya-si si", "si ser strong-si strict-ser"},
        {"pl-2.99", "pl-2.99", "pl-2.99 ser strict-ser"},
        {"gsi", "ec adya-si gsi", "gsi strong-si"},
        {"strict-ser", "ec rc rcs ra cc psi pc adya-si si pl-2.99 ser strict-ser", "strict-ser"},
        {"strong-si", "ec rc rcs ra cc psi pc adya-si si gsi strong-si", "strong-si"},
    };
    struct named_level names[LATTICE_MAX];
    struct lattice l = all_levels(names);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct level level;
        assert_true(level_find(rows[i].level, &level));
        assert_int_equal(lattice_below(&l, level), set_of(names, l.count, rows[i].below));
        assert_int_equal(lattice_above(&l, level), set_of(names, l.count, rows[i].above));
    }
}

/* Stronger levels come before weaker ones, and each comes once. */
static void next_is_strongest(void **state)
{
    (void)state;
    struct named_level names[LATTICE_MAX];
    struct lattice l = all_levels(names);
    uint32_t left = (1u << l.count) - 1;
    for (size_t n = 0; n < l.count; n++) {
        size_t i = lattice_next(&l, left);
        assert_true(i < l.count && left >> i & 1);
        assert_int_equal(lattice_above(&l, l.levels[i]) & left, 1u << i);
        left &= ~(1u << i);
    }
    assert_int_equal(lattice_next(&l, left), LATTICE_NONE);
}

/* Two names for one level: the later one is asked, and none is stronger than the other. */
static void one_level_twice(void **state)
{
    (void)state;
    struct lattice l = {.count = 2, .several_rows = true};
    l.levels[0] = l.levels[1] = (struct level){MODEL_SI, true, LEVEL_NO_TIME};
    assert_int_equal(lattice_next(&l, 3), 1);
    assert_int_equal(lattice_next(&l, 1), 0);
    assert_int_equal(lattice_strongest(&l, 3), 0);
}

static void strongest_and_weakest(void **state)
{
    (void)state;
    struct named_level names[LATTICE_MAX];
    struct lattice l = all_levels(names);
#define SET(text) set_of(names, l.count, text)
    assert_int_equal(lattice_strongest(&l, SET("ec rc rcs ra cc psi pc")), SET("psi pc"));
    assert_int_equal(lattice_strongest(&l, SET("ec rc pl-2.99")), SET("rc pl-2.99"));
    assert_int_equal(lattice_weakest(&l, SET("si ser strong-si strict-ser")), SET("si"));
    assert_int_equal(lattice_weakest(&l, SET("adya-si si ser")), SET("si")); /* for both */
    assert_int_equal(lattice_weakest(&l, SET("pl-2.99 ser")), SET("pl-2.99"));
    l.several_rows = false; /* PL-2.99 is SER */
    assert_int_equal(lattice_weakest(&l, SET("pl-2.99 ser")), SET("ser"));
    assert_int_equal(lattice_strongest(&l, SET("ec rc pl-2.99")), SET("rc"));
#undef SET
}

static void sets_of_models(void **state)
{
    (void)state;
    uint32_t pc_psi = 1u << MODEL_PC | 1u << MODEL_PSI;
    assert_int_equal(models_strongest(model_and_below(MODEL_SI) & ~(1u << MODEL_SI)), pc_psi);
    assert_int_equal(models_weakest(model_and_above(MODEL_CC) & ~(1u << MODEL_CC)), pc_psi);
    assert_int_equal(models_strongest(0), 0);
    for (int m = 0; m < MODEL_COUNT; m++) {
        assert_int_equal(models_strongest(model_and_below((enum model_id)m)), 1u << m);
        assert_int_equal(models_weakest(model_and_above((enum model_id)m)), 1u << m);
    }
}

/* An argument that needs session order or real time carries over only where these count. */
static void rules_out(void **state)
{
    (void)state;
    struct named_level names[LATTICE_MAX];
    struct lattice l = all_levels(names);
    uint32_t si = model_and_above(MODEL_SI);
    struct ruled_out plain = {.shapes = si, .items = true};
    struct ruled_out sessions = {.shapes = si, .needs_sessions = true};
    struct ruled_out begins = {.shapes = si, .needs_real_time = true, .needs_begins = true};
    assert_int_equal(lattice_ruled_out(&l, &plain),
                     set_of(names, l.count, "adya-si si pl-2.99 ser gsi strong-si strict-ser"));
    assert_int_equal(lattice_ruled_out(&l, &sessions),
                     set_of(names, l.count, "si ser strong-si strict-ser"));
    assert_int_equal(lattice_ruled_out(&l, &begins),
                     set_of(names, l.count, "strong-si strict-ser"));
    assert_string_equal(ruled_out_extra(&begins, 0), "strong-si");
    assert_string_equal(ruled_out_extra(&begins, 1), "strict-ser");
    assert_null(ruled_out_extra(&begins, 2));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(below_and_above), cmocka_unit_test(next_is_strongest),
        cmocka_unit_test(one_level_twice), cmocka_unit_test(strongest_and_weakest),
        cmocka_unit_test(sets_of_models),  cmocka_unit_test(rules_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
