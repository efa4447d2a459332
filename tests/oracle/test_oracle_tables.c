/* Self test of the oracle on tables of any size: folds, fresh and quantified predicates by hand,
 * and its two enumerators of instances against each other on random programs. */
#include <stdlib.h>
#include "tests/oracle/check.h"
#include "tests/oracle/prog_tables.h"

static struct orc_prog program, sized;

static struct orc_maker start(void)
{
    static struct orc_rng r;
    r = orc_rng(1);
    orc_prog_init(&program);
    program.has_initial = program.no_scenario = true;
    program.initial = -1;
    return (struct orc_maker){&r, &program};
}

/* What up to n transactions on tables of the size can do. */
static struct orc_instances ask(int size, enum orc_level level, int n)
{
    orc_prog_sized(&program, size, &sized);
    return orc_prog_instances(&sized, level, n, 1000000);
}

static bool broken(int size, enum orc_level level, int n)
{
    return ask(size, level, n).preds[n];
}

/* All rows are set to one value; a reader notes whether it saw two. */
static void one_read(struct checks *c)
{
    struct orc_maker maker = start(), *m = &maker;
    int t = mk_table(m, "t", 1, ANY_ROWS, 0, 1), seen = mk_table(m, "seen", 0, 0, 0, 1);
    mk_txn(m, mk_write(m, ANY_ROWS, -1, mk_put(m, t, mk_var(m, 0), 0, mk_num(m, 1))));
    int sum = mk_sum(m, 0, ANY_ROWS, -1, mk_cell(m, t, mk_var(m, 0), 0));
    mk_txn(m, orc_seq(m->p, sum, mk_put(m, seen, mk_num(m, 0), 0, mk_reg(m, 0))));
    int none = mk_bin(m, ORC_EQ, mk_row(m, seen, 0), mk_num(m, 0));
    int all = mk_bin(m, ORC_EQ, mk_row(m, seen, 0), mk_size(m));
    mk_pred(m, -1, mk_bin(m, ORC_OR, none, all));
    for (int l = 0; l < ORC_LEVELS; l++)
        check(c, !broken(3, (enum orc_level)l, 3), "a fold reads all rows of one visible set");
}

/* The same reader without a fold. */
static void two_reads(struct checks *c)
{
    struct orc_maker maker = start(), *m = &maker;
    int t = mk_table(m, "t", 1, ANY_ROWS, 0, 1), seen = mk_table(m, "seen", 0, 0, 0, 1);
    mk_txn(m, mk_write(m, ANY_ROWS, -1, mk_put(m, t, mk_var(m, 0), 0, mk_num(m, 1))));
    int last = mk_bin(m, ORC_SUB, mk_size(m), mk_num(m, 1));
    int sum = mk_bin(m, ORC_ADD, mk_cell(m, t, mk_num(m, 0), 0), mk_cell(m, t, last, 0));
    mk_txn(m, mk_put(m, seen, mk_num(m, 0), 0, sum));
    mk_pred(m, -1, mk_bin(m, ORC_NE, mk_row(m, seen, 0), mk_num(m, 1)));
    check(c, broken(2, ORC_EC, 2) && broken(2, ORC_RC, 2), "two reads see two sets");
    check(c, !broken(2, ORC_RCS, 2) && !broken(2, ORC_RA, 2), "but in one statement or snapshot");
    check(c, broken(1, ORC_RC, 2) && !broken(1, ORC_RCS, 2), "of one row, too");
}

/* Two folds: the sets grow at RC, and EC knows no such thing. */
static void two_folds(struct checks *c)
{
    struct orc_maker maker = start(), *m = &maker;
    int t = mk_table(m, "t", 1, ANY_ROWS, 0, 1), fell = mk_table(m, "fell", 0, 0, 0, 1);
    mk_txn(m, mk_write(m, ANY_ROWS, -1, mk_put(m, t, mk_var(m, 0), 0, mk_num(m, 1))));
    int first = mk_sum(m, 0, ANY_ROWS, -1, mk_cell(m, t, mk_var(m, 0), 0));
    int second = mk_sum(m, 1, ANY_ROWS, -1, mk_cell(m, t, mk_var(m, 0), 0));
    int less = mk_bin(m, ORC_LT, mk_reg(m, 1), mk_reg(m, 0));
    mk_txn(m, mk_seq3(m, first, second,
                      mk_when(m, less, mk_put(m, fell, mk_num(m, 0), 0, mk_num(m, 1)))));
    mk_pred(m, -1, mk_bin(m, ORC_EQ, mk_row(m, fell, 0), mk_num(m, 0)));
    check(c, broken(2, ORC_EC, 2), "EC: the second fold may see less than the first");
    check(c, !broken(2, ORC_RC, 3) && !broken(2, ORC_RCS, 3), "RC, RCS: it does not");
}

/* k = fresh(t); t[k] = 1; n++ */
static void fresh_rows(struct checks *c)
{
    struct orc_maker maker = start(), *m = &maker;
    int t = mk_table(m, "t", 1, ANY_ROWS, 0, 1);
    int body =
        orc_seq(m->p, mk_set(m, 0, mk_fresh(m, t, 0)), mk_put(m, t, mk_reg(m, 0), 0, mk_num(m, 1)));
    mk_txn(m, body);
    int count = mk_count(m, 0, ANY_ROWS, mk_cell(m, t, mk_var(m, 0), 0));
    mk_pred(m, count, mk_bin(m, ORC_LT, mk_reg(m, 0), mk_num(m, 2)));
    for (int l = 0; l < ORC_LEVELS; l++)
        check(c, broken(2, (enum orc_level)l, 2) && !broken(1, (enum orc_level)l, 3),
              "two calls of fresh get two rows, and there is no third of two");
    m->p->initial = mk_put(m, t, mk_num(m, 0), 0, mk_num(m, 1));
    check(c, !ask(1, ORC_RA, 2).exists[2], "without a free row there is no execution");
    check(c, broken(2, ORC_SER, 1) && !broken(2, ORC_SER, 0), "the free row is found");
}

/* Each of several rows set by a parameter, and a predicate of all pairs. */
static void every(struct checks *c)
{
    struct orc_maker maker = start(), *m = &maker;
    int t = mk_table(m, "t", 1, ANY_ROWS, 0, 1);
    mk_index(m, mk_txn(m, mk_put(m, t, mk_par(m, 0), 0, mk_num(m, 1))), ANY_ROWS);
    int pred = mk_pred(m, -1,
                       mk_bin(m, ORC_OR, mk_bin(m, ORC_EQ, mk_par(m, 0), mk_par(m, 1)),
                              mk_bin(m, ORC_LE,
                                     mk_bin(m, ORC_ADD, mk_cell(m, t, mk_par(m, 0), 0),
                                            mk_cell(m, t, mk_par(m, 1), 0)),
                                     mk_num(m, 1))));
    mk_every(m, pred, ANY_ROWS);
    mk_every(m, pred, ANY_ROWS);
    pred = mk_pred(
        m,
        mk_count(m, 0, ANY_ROWS, mk_bin(m, ORC_EQ, mk_cell(m, t, mk_var(m, 0), 0), mk_par(m, 0))),
        mk_bin(m, ORC_LE, mk_reg(m, 0), mk_num(m, 2)));
    mk_every_value(m, pred);
    check(c, ask(1, ORC_SER, 3).preds[3] == 0, "a pair needs two rows");
    check(c, ask(2, ORC_SER, 2).preds[1] == 0 && ask(2, ORC_SER, 2).preds[2] == 1,
          "two rows set: a pair");
    check(c, ask(3, ORC_SER, 3).preds[0] == 2, "three rows have one value, the value 0");
    check(c, !ask(3, ORC_SER, 3).out_of_bounds[3], "indices stay in bounds");
}

/* Both enumerators of any two instances. */
static void enumerators(struct checks *c)
{
    int different = 0, violated = 0, asked = 0;
    for (uint64_t seed = 0; seed < 600; seed++) {
        struct orc_rng r = orc_rng(seed);
        bool mutated;
        enum orc_level level = (enum orc_level)orc_below(&r, ORC_LEVELS);
        int size = 1 + orc_below(&r, 2);
        orc_tables_random(&r, &program, (int)(seed % ORC_FAMILIES), &mutated);
        struct orc_instances fast = ask(size, level, 2);
        struct orc_run run = orc_run_uniform(level, true);
        struct orc_outcome plain = orc_prog_any(&sized, &run, 2).outcome;
        asked++;
        violated += plain.preds != 0;
        different += fast.preds[2] != (plain.preds | plain.preds_initially) ||
                     fast.exists[2] != plain.exists ||
                     fast.assert_failed[2] != plain.assert_failed ||
                     fast.out_of_bounds[2] != plain.out_of_bounds || !fast.complete;
    }
    printf("# %d of %d programs violated\n", violated, asked);
    check(c, different == 0, "both enumerators of instances agree");
    check(c, violated > asked / 5 && violated < asked, "both verdicts are common");
}

int main(void)
{
    struct checks c = {0};
    one_read(&c);
    two_reads(&c);
    two_folds(&c);
    fresh_rows(&c);
    every(&c);
    enumerators(&c);
    return checks_done(&c);
}
