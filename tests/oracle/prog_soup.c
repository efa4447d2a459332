/* Programs made of folds and other statements at random, for what the kinds of prog_families.c do
 * not think of. */
#include "tests/oracle/prog_tables.h"

enum { T, S, TABLES }; /* t[ANY] with two fields, and a row s */

/* Something to compare: of round i of a fold (inside), or without one. */
static int atom(struct orc_maker *m, bool inside, bool params)
{
    switch (mk_below(m, inside ? 7 : 4)) {
    case 0:
        return mk_num(m, mk_below(m, 3));
    case 1:
        return mk_row(m, S, 0);
    case 2:
        return params ? mk_par(m, mk_below(m, 2)) : mk_num(m, 1);
    case 3:
        return params ? mk_cell(m, T, mk_par(m, 0), mk_below(m, 2)) : mk_num(m, 2);
    case 4:
        return mk_var(m, 0);
    default:
        return mk_cell(m, T, mk_var(m, 0), mk_below(m, 2));
    }
}

static int condition(struct orc_maker *m, bool inside, bool params)
{
    static const enum orc_expr_kind kinds[] = {ORC_EQ, ORC_NE, ORC_LT, ORC_LE};
    int left = inside ? mk_cell(m, T, mk_var(m, 0), mk_below(m, 2)) : mk_row(m, S, 0);
    int e = mk_bin(m, kinds[mk_below(m, 4)], left, atom(m, inside, params));
    if (mk_below(m, 4) == 0)
        e = mk_bin(
            m, mk_below(m, 2) ? ORC_AND : ORC_OR, e,
            mk_bin(m, kinds[mk_below(m, 4)], atom(m, inside, params), mk_num(m, mk_below(m, 3))));
    return e;
}

static int maybe(struct orc_maker *m, bool params)
{
    return mk_below(m, 4) ? condition(m, true, params) : -1;
}

/* A fold that sets register `to`. */
static int fold(struct orc_maker *m, int to, bool params)
{
    switch (mk_below(m, 8)) {
    case 0:
    case 1:
        return mk_sum(m, to, ANY_ROWS, maybe(m, params),
                      mk_cell(m, T, mk_var(m, 0), mk_below(m, 2)));
    case 2:
        return mk_count(m, to, ANY_ROWS, condition(m, true, params));
    case 3:
        return mk_any(m, to, ANY_ROWS, condition(m, true, params));
    case 4:
        return mk_all(m, to, ANY_ROWS, condition(m, true, params));
    case 5:
        return mk_first(m, to, ANY_ROWS, condition(m, true, params));
    default:
        return mk_most(m, to, ANY_ROWS, maybe(m, params),
                       mk_cell(m, T, mk_var(m, 0), mk_below(m, 2)), mk_below(m, 2));
    }
}

/* Two at once. */
static int two_folds(struct orc_maker *m)
{
    int count = mk_set(m, 0, mk_bin(m, ORC_ADD, mk_reg(m, 0), mk_num(m, 1)));
    int sum =
        mk_set(m, 1, mk_bin(m, ORC_ADD, mk_reg(m, 1), mk_cell(m, T, mk_var(m, 0), mk_below(m, 2))));
    int body = orc_seq(m->p, mk_when(m, condition(m, true, true), count),
                       mk_below(m, 2) ? sum : mk_when(m, condition(m, true, true), sum));
    return mk_loop(m, 0, mk_num(m, mk_below(m, 4) == 0), ANY_ROWS, body);
}

static int bulk_write(struct orc_maker *m)
{
    int field = mk_below(m, 2), body;
    if (mk_below(m, 2))
        body = mk_plus(m, T, mk_var(m, 0), field, mk_below(m, 3) ? ORC_ADD : ORC_SUB, mk_num(m, 1));
    else
        body = mk_put(m, T, mk_var(m, 0), field, atom(m, true, true));
    if (mk_below(m, 4) == 0)
        body =
            orc_seq(m->p, body, mk_put(m, T, mk_var(m, 0), 1 - field, mk_num(m, mk_below(m, 2))));
    return mk_write(m, ANY_ROWS, maybe(m, true), body);
}

static int lock_rows(struct orc_maker *m)
{
    int lock =
        orc_s(m->p, (struct orc_stmt){.kind = ORC_FOR_UPDATE, .table = T, .index = mk_var(m, 0)});
    return mk_write(m, ANY_ROWS, condition(m, true, true), lock);
}

static int plain_write(struct orc_maker *m)
{
    int e = mk_below(m, 3) ? mk_reg(m, mk_below(m, 2)) : atom(m, false, true);
    if (mk_below(m, 2))
        return mk_put(m, S, mk_num(m, 0), 0, e);
    if (mk_below(m, 3) == 0)
        return mk_plus(m, S, mk_num(m, 0), 0, ORC_ADD, mk_num(m, 1));
    return mk_put(m, T, mk_par(m, 0), mk_below(m, 2), e);
}

static int new_row(struct orc_maker *m)
{
    return orc_seq(m->p, mk_set(m, 2, mk_fresh(m, T, 0)),
                   mk_put(m, T, mk_reg(m, 2), mk_below(m, 2), mk_num(m, 1 + mk_below(m, 2))));
}

static int statement(struct orc_maker *m, int depth)
{
    switch (mk_below(m, 12)) {
    case 0:
    case 1:
        return fold(m, mk_below(m, 2), true);
    case 2:
        return two_folds(m);
    case 3:
    case 4:
    case 5:
        return bulk_write(m);
    case 6:
        return depth ? plain_write(m) : mk_when(m, condition(m, false, true), statement(m, 1));
    case 7:
        return depth
                   ? plain_write(m)
                   : orc_seq(m->p, fold(m, 0, true),
                             mk_when(m,
                                     mk_bin(m, ORC_LT, mk_reg(m, 0), mk_num(m, 1 + mk_below(m, 2))),
                                     statement(m, 1)));
    case 8:
        return new_row(m);
    case 9:
        switch (mk_below(m, 4)) {
        case 0:
            return lock_rows(m);
        case 1:
            return mk_write(m, ANY_ROWS, condition(m, true, true), mk_word(m, ORC_ROLLBACK, 0));
        case 2:
            return mk_loop(
                m, 0, mk_num(m, 0), ANY_ROWS,
                mk_word(m, mk_below(m, 2) ? ORC_ASSERT : ORC_ASSUME,
                        mk_bin(m, ORC_LE, mk_cell(m, T, mk_var(m, 0), 0), mk_num(m, 1))));
        default:
            return mk_word(m, ORC_ASSERT, condition(m, false, true));
        }
    default:
        return plain_write(m);
    }
}

static void transaction(struct orc_maker *m)
{
    int body = -1, n = 1 + mk_below(m, 3);
    for (int i = 0; i < n; i++)
        body = orc_seq(m->p, body, statement(m, 0));
    int t = mk_txn(m, body);
    mk_index(m, t, ANY_ROWS);
    mk_values(m, t, 1, 1 + mk_below(m, 2));
}

static void start(struct orc_maker *m)
{
    int body = -1;
    if (mk_below(m, 2))
        body = mk_write(m, ANY_ROWS,
                        mk_below(m, 2) ? -1 : mk_bin(m, ORC_LT, mk_num(m, 0), mk_var(m, 0)),
                        mk_put(m, T, mk_var(m, 0), mk_below(m, 2),
                               mk_below(m, 3) ? mk_num(m, 1) : mk_var(m, 0)));
    if (mk_below(m, 3) == 0)
        body = orc_seq(m->p, body,
                       mk_put(m, T, mk_num(m, 0), mk_below(m, 2), mk_num(m, mk_below(m, 2))));
    if (mk_below(m, 3) == 0)
        body = orc_seq(m->p, body,
                       mk_put(m, S, mk_num(m, 0), 0, mk_below(m, 2) ? mk_num(m, 1) : mk_size(m)));
    m->p->initial = body;
}

static bool holds_initially(const struct orc_prog *p)
{
    static struct orc_prog sized;
    for (int size = 1; size <= 3; size++) {
        orc_prog_sized(p, size, &sized);
        sized.n_txns = 0;
        if (orc_prog_instances(&sized, ORC_SER, 0, 0).preds[0])
            return false;
    }
    return true;
}

static void predicate(struct orc_maker *m)
{
    static const enum orc_expr_kind kinds[] = {ORC_EQ, ORC_NE, ORC_LT, ORC_LE};
    int saved_stmts = m->p->n_stmts, saved_exprs = m->p->n_exprs, n = m->p->n_preds;
    for (int tries = 0; tries < 8; tries++) {
        m->p->n_preds = n;
        m->p->n_stmts = saved_stmts;
        m->p->n_exprs = saved_exprs;
        if (mk_below(m, 3) == 0) {
            int e = mk_bin(m, kinds[mk_below(m, 4)], mk_cell(m, T, mk_par(m, 0), mk_below(m, 2)),
                           mk_below(m, 2) ? mk_num(m, mk_below(m, 3))
                                          : mk_cell(m, T, mk_par(m, 0), mk_below(m, 2)));
            mk_every(m, mk_pred(m, -1, e), ANY_ROWS);
        } else {
            int right = mk_below(m, 2) ? mk_num(m, mk_below(m, 3)) : mk_row(m, S, 0);
            mk_pred(m, fold(m, 0, false), mk_bin(m, kinds[mk_below(m, 4)], mk_reg(m, 0), right));
        }
        if (holds_initially(m->p))
            return;
    }
}

void orc_soup(struct orc_maker *m)
{
    mk_table(m, "t", 1, ANY_ROWS, 0, 2);
    mk_table(m, "s", 0, 0, 0, 1);
    start(m);
    transaction(m);
    if (mk_below(m, 2))
        transaction(m);
    predicate(m);
    if (mk_below(m, 3) == 0)
        predicate(m);
}
