/* The scheduler of the agenda with techniques that do nothing but count. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "check/agenda/agenda.h"

enum { FAKES = 4, TURNS = 64 };

/* What a fake technique would need, and what it was given. */
struct fake {
    bool applies;
    uint64_t needs;    /* steps to an answer; 0: there is none */
    uint64_t gives_up; /* … or to the end of what it can try; 0: it spends whatever it gets */
    uint64_t spent;    /* in all */
    uint64_t last;     /* the budget of its last turn */
    unsigned turns;
};
struct world {
    struct fake fakes[FAKES];
    char order[TURNS]; /* who had a turn: letters from A on */
    size_t len;
};

static bool run_fake(struct world *w, int i, struct budget *b)
{
    struct fake *f = &w->fakes[i];
    uint64_t wants = f->needs ? f->needs : f->gives_up ? f->gives_up : b->left;
    uint64_t steps = wants < b->left ? wants : b->left;
    assert_true(w->len + 1 < TURNS);
    w->order[w->len++] = (char)('A' + i);
    f->last = b->left;
    f->turns++;
    f->spent += steps;
    budget_spend(b, steps);
    return f->needs && steps == f->needs;
}

#define FAKE(i)                                                                                    \
    static bool applies_##i(const void *question)                                                  \
    {                                                                                              \
        return ((const struct world *)question)->fakes[i].applies;                                 \
    }                                                                                              \
    static bool run_##i(void *question, struct budget *b)                                          \
    {                                                                                              \
        return run_fake(question, i, b);                                                           \
    }
FAKE(0)
FAKE(1)
FAKE(2)
FAKE(3)
#undef FAKE

static const struct technique rows[FAKES] = {
    {"A", TECHNIQUE_ONCE, 0, applies_0, run_0},
    {"B", TECHNIQUE_PARTIAL, 2, applies_1, run_1},
    {"C", TECHNIQUE_PARTIAL, 1, applies_2, run_2},
    {"D", TECHNIQUE_COMPLETE, 1, applies_3, run_3},
};

static struct agenda agenda_for(struct world *w)
{
    return (struct agenda){.rows = rows, .count = FAKES, .question = w, .unit = 100};
}

static void test_order_and_budgets(void **state)
{
    (void)state;
    struct world w = {{{true, 0, 5, 0, 0, 0}, {true}, {true}, {true, 2000, 0, 0, 0, 0}}, "", 0};
    struct agenda a = agenda_for(&w);
    assert_string_equal(agenda_run(&a), "D");
    assert_string_equal(w.order, "ABCDBCDBCDBCD"); /* 100, 400, 1600, 6400 steps for D */
    assert_int_equal(w.fakes[1].spent, 200 + 800 + 3200 + 12800);
    assert_int_equal(w.fakes[2].spent, 100 + 400 + 1600 + 6400);
    assert_int_equal(w.fakes[3].spent, 100 + 400 + 1600 + 2000);
    assert_true(w.fakes[0].last == BUDGET_ENDLESS);
}

/* The first that answers ends it, and those that do not apply have no turn. */
static void test_first_answer(void **state)
{
    (void)state;
    struct world w = {{{false}, {true, 150, 0, 0, 0, 0}, {true}, {true}}, "", 0};
    struct agenda a = agenda_for(&w);
    assert_string_equal(agenda_run(&a), "B");
    assert_string_equal(w.order, "B");
    w = (struct world){{{true, 1, 0, 0, 0, 0}, {true}, {true}, {true}}, "", 0};
    assert_string_equal(agenda_run(&a), "A");
    assert_string_equal(w.order, "A");
}

/* Whoever wins, the others together cost at most a few times as much. */
static void test_bounded_share(void **state)
{
    (void)state;
    for (uint64_t needs = 1; needs < 100000000; needs = needs * 3 + 1)
        for (int winner = 1; winner < FAKES; winner++) {
            struct world w = {{{false}, {true}, {true}, {true}}, "", 0};
            struct agenda a = agenda_for(&w);
            uint64_t first = 100 * (winner == 1 ? 2 : 1), lost = 0;
            w.fakes[winner].needs = needs;
            assert_string_equal(agenda_run(&a), rows[winner].name);
            for (int i = 1; i < FAKES; i++)
                lost += i == winner ? 0 : w.fakes[i].spent;
            uint64_t most = needs > first ? needs : first;
            assert_true(lost <= 3 * AGENDA_GROWTH * AGENDA_GROWTH * most / (AGENDA_GROWTH - 1));
            assert_true(w.fakes[winner].spent <=
                        needs + needs * AGENDA_GROWTH / (AGENDA_GROWTH - 1));
        }
}

/* A technique that fails with steps to spare is not asked again, and the last one has no bound. */
static void test_last_one(void **state)
{
    (void)state;
    struct world w = {
        {{false}, {true, 0, 50, 0, 0, 0}, {true, 0, 300, 0, 0, 0}, {true, 1000000, 0, 0, 0, 0}},
        "",
        0};
    struct agenda a = agenda_for(&w);
    assert_string_equal(agenda_run(&a), "D");
    assert_string_equal(w.order, "BCDCD");
    assert_true(w.fakes[3].last == BUDGET_ENDLESS);
    assert_int_equal(w.fakes[1].turns, 1);
}

/* If the complete technique gives up for good, so does the agenda. */
static void test_complete_gives_up(void **state)
{
    (void)state;
    struct world w = {{{false}, {true}, {true}, {true, 0, 300, 0, 0, 0}}, "", 0};
    struct agenda a = agenda_for(&w);
    assert_null(agenda_run(&a));
    assert_string_equal(w.order, "BCDBCD");
    w = (struct world){{{false}, {true, 0, 9, 0, 0, 0}, {false}, {false}}, "", 0};
    assert_null(agenda_run(&a));
    assert_string_equal(w.order, "B");
}

static void test_total(void **state)
{
    (void)state;
    struct world w = {{{false}, {true}, {true}, {true, 1000000, 0, 0, 0, 0}}, "", 0};
    struct agenda a = agenda_for(&w);
    struct budget total = budget_of(1000);
    a.total = &total;
    assert_null(agenda_run(&a));
    assert_string_equal(w.order, "BCDB"); /* 200 + 100 + 100 + 600 that are left */
    assert_true(budget_is_over(&total));
    assert_int_equal(total.spent, 1000);
    w.len = 0;
    memset(w.order, 0, sizeof w.order);
    assert_null(agenda_run(&a));
    assert_int_equal(w.len, 0);
}

static void test_favourite(void **state)
{
    (void)state;
    struct world w = {{{true, 0, 5, 0, 0, 0}, {true}, {true, 90, 0, 0, 0, 0}, {true}}, "", 0};
    struct agenda a = agenda_for(&w);
    a.favourite = "C";
    assert_string_equal(agenda_run(&a), "C");
    assert_string_equal(w.order, "C");
    w = (struct world){{{true, 0, 5, 0, 0, 0}, {true}, {true, 390, 0, 0, 0, 0}, {true}}, "", 0};
    assert_string_equal(agenda_run(&a), "C");
    assert_string_equal(w.order, "CABDBC"); /* it has had its turn of the first round */
}

static void test_stats(void **state)
{
    (void)state;
    struct world w = {{{false}, {true}, {true}, {true, 300, 0, 0, 0, 0}}, "", 0};
    struct stats s = {0}, sum = {0};
    struct agenda a = agenda_for(&w);
    a.stats = &s;
    assert_string_equal(agenda_run(&a), "D");
    assert_string_equal(s.techniques[0].name, "B");
    assert_int_equal(s.techniques[0].steps, 200 + 800);
    assert_int_equal(s.techniques[0].answers, 0);
    assert_string_equal(s.techniques[2].name, "D");
    assert_int_equal(s.techniques[2].runs, 2);
    assert_int_equal(s.techniques[2].answers, 1);
    stats_add(&sum, &s);
    stats_add(&sum, &s);
    assert_int_equal(sum.techniques[2].steps, 2 * (100 + 300));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order_and_budgets), cmocka_unit_test(test_first_answer),
        cmocka_unit_test(test_bounded_share),     cmocka_unit_test(test_last_one),
        cmocka_unit_test(test_complete_gives_up), cmocka_unit_test(test_total),
        cmocka_unit_test(test_favourite),         cmocka_unit_test(test_stats),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
