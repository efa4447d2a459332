/* The model table against the order of the models as the documentation states it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "models/lattice.h"

static void order_is_as_documented(void **state)
{
    (void)state;
    static const char *const above[] = {"ec<rc",  "ec<ser", "ec<rcs", "ec<ra",  "rc<rcs", "rc<ra",
                                        "ra<cc",  "cc<pc",  "rcs<pc", "cc<psi", "pc<si",  "psi<si",
                                        "si<ser", "rc<ser", "ra<si",  "rcs<ser"};
    for (size_t i = 0; i < sizeof above / sizeof *above; i++) {
        char a[4] = {0}, b[4] = {0};
        assert_int_equal(2, sscanf(above[i], "%3[a-z]<%3s", a, b));
        enum model_id x = model_find(a)->id, y = model_find(b)->id;
        assert_true(model_weaker_or_equal(x, y));
        assert_false(model_weaker_or_equal(y, x));
    }
}

static void incomparable_models(void **state)
{
    (void)state;
    static const enum model_id pairs[][2] = {{MODEL_PC, MODEL_PSI},
                                             {MODEL_RCS, MODEL_RA},
                                             {MODEL_RCS, MODEL_CC},
                                             {MODEL_RCS, MODEL_PSI}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        assert_false(model_weaker_or_equal(pairs[i][0], pairs[i][1]));
        assert_false(model_weaker_or_equal(pairs[i][1], pairs[i][0]));
    }
}

static void table_lists_weaker_first(void **state)
{
    (void)state;
    for (int i = 0; i < MODEL_COUNT; i++) {
        assert_int_equal(model_table[i].id, i);
        assert_ptr_equal(model_find(model_table[i].name), &model_table[i]);
        assert_int_equal(model_table[i].below >> i, 0);
    }
}

static void axioms_are_as_documented(void **state)
{
    (void)state;
    const struct model *psi = model_find("PSI"), *pc = model_find("prefix consistency");
    assert_true(model_has(psi, AXIOM_TRANSVIS) && model_has(psi, AXIOM_NOCONFLICT));
    assert_false(model_has(psi, AXIOM_PREFIX));
    assert_true(model_has(pc, AXIOM_PREFIX));
    assert_false(model_has(pc, AXIOM_NOCONFLICT));
    assert_int_equal(model_find("ra")->axioms, 0);
    assert_null(model_find("sir"));
}

static void profiles_name_models(void **state)
{
    (void)state;
    for (size_t i = 0; i < model_profile_count; i++) {
        assert_true(model_profiles[i].model < MODEL_COUNT);
        assert_true(model_profiles[i].exact || *model_profiles[i].note);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(order_is_as_documented),   cmocka_unit_test(incomparable_models),
        cmocka_unit_test(table_lists_weaker_first), cmocka_unit_test(axioms_are_as_documented),
        cmocka_unit_test(profiles_name_models),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
