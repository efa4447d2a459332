/* Diagrams of the partial results of aggregates against all combinations, one by one.
 *
 * VISAR_FUZZ=N tries 20 N aggregates instead of the default; VISAR_SEED sets the seed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "history/lower/aggregate_diagram.h"
#include "tests/unit/oracle_history.h"

enum { ROWS = 4, OPTIONS = 4 };
struct ways {
    struct hist_predicate q;
    struct pred_sum own;
    int rows, options[ROWS];
    struct diagram_option option[ROWS][OPTIONS];
    bool allowed[ROWS][OPTIONS], any;
};

static void add_number(struct pred_sum *s, int64_t n)
{
    s->least = !s->numbers || n < s->least ? n : s->least;
    s->greatest = !s->numbers || n > s->greatest ? n : s->greatest;
    s->sum += n;
    s->count++;
    s->numbers++;
}

/* Every combination; which options are in one that gives the result? */
static bool try_all(struct ways *w, int row, struct pred_sum s)
{
    bool found = false;
    if (row >= ROWS || row == w->rows)
        return pred_agrees(&w->q, &s);
    for (int i = 0; i < w->options[row]; i++) {
        struct pred_sum next = s;
        if (w->option[row][i].counts)
            add_number(&next, w->option[row][i].number);
        if (try_all(w, row + 1, next))
            found = w->allowed[row][i] = true;
    }
    return found;
}

static void random_ways(struct orc_rng *rng, struct ways *w)
{
    int64_t unit = orc_percent(rng, 50) ? 1 : (int64_t)1 << 40; /* narrow and wide ranges */
    *w = (struct ways){.rows = orc_below(rng, ROWS + 1)};
    w->q.kind = (uint8_t)(HIST_COUNT + orc_below(rng, 4));
    bool count = w->q.kind == HIST_COUNT;
    for (int r = 0; r < w->rows; r++) {
        w->options[r] = 1 + orc_below(rng, OPTIONS);
        for (int i = 0; i < w->options[r]; i++)
            w->option[r][i] = (struct diagram_option){orc_percent(rng, 70),
                                                      count ? 1 : unit * (orc_below(rng, 11) - 5)};
    }
    while (orc_percent(rng, 30))
        add_number(&w->own, count ? 1 : unit * (orc_below(rng, 11) - 5));
    int64_t result = count ? orc_below(rng, 6) : unit * (orc_below(rng, 25) - 12);
    w->q.result = orc_percent(rng, 15) ? hist_null() : hist_int(result);
}

static void test_diagrams(void **state)
{
    (void)state;
    struct orc_rng rng = orc_rng((uint64_t)oracle_setting("VISAR_SEED", 27));
    long possible = 0, rounds = oracle_setting("VISAR_FUZZ", 1500) * 20;
    for (long n = 0; n < rounds; n++) {
        struct ways w;
        struct diagram d;
        random_ways(&rng, &w);
        w.any = try_all(&w, 0, w.own);
        diagram_start(&d, &w.q, &w.own);
        for (int r = 0; r < w.rows; r++) {
            diagram_row(&d);
            for (int i = 0; i < w.options[r]; i++)
                diagram_option(&d, w.option[r][i]);
        }
        enum diagram_answer a = diagram_close(&d);
        assert_int_equal(a, w.any ? DIAGRAM_FINE : DIAGRAM_NONE);
        for (int r = 0; r < w.rows && w.any; r++)
            for (int i = 0; i < w.options[r]; i++) {
                bool shared = false; /* with an option that contributes the same */
                for (int k = 0; k < w.options[r]; k++) {
                    const struct diagram_option *x = &w.option[r][i], *y = &w.option[r][k];
                    bool same = x->counts == y->counts && (!x->counts || x->number == y->number);
                    shared |= same && w.allowed[r][k];
                }
                assert_int_equal(diagram_allows(&d, (uint32_t)r, w.option[r][i]), shared);
            }
        diagram_free(&d);
        possible += w.any;
    }
    assert_true(possible > rounds / 20 && possible < rounds);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_diagrams),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
