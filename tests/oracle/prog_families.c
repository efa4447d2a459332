/* Random programs on tables of any size, of the kinds that applications are made of: conserved
 * sums, counters, unique names, references, sequences, queues, bulk updates.  Each kind comes in
 * correct and in careless variants; some programs get a mistake on top.  Values are small, so that
 * brute force can try everything with one, two and three rows. */
#include <stdlib.h>
#include "tests/oracle/prog_tables.h"

static const char *const family_names[ORC_FAMILIES] = {"bank",     "likes",  "unique", "references",
                                                       "sequence", "queue",  "bulk",   "owner",
                                                       "best",     "groups", "pairs",  "soup"};

const char *orc_family_name(int family)
{
    return family_names[family];
}

/* The body under a condition: an if, an assumption before it, or a rollback. */
static int guarded(struct orc_maker *m, int e, int body)
{
    switch (mk_below(m, 4)) {
    case 0:
        return orc_seq(m->p, mk_word(m, ORC_ASSUME, e), body);
    case 1:
        return orc_seq(m->p, mk_when(m, mk_not(m, e), mk_word(m, ORC_ROLLBACK, 0)), body);
    default:
        return mk_when(m, e, body);
    }
}

static void initially(struct orc_maker *m, int body)
{
    m->p->has_initial = true;
    m->p->initial = m->p->n_txns || m->p->initial != -1 ? orc_seq(m->p, m->p->initial, body) : body;
}

/* table[i].field = value for all i, and perhaps one row that differs by `other`, made up for by the
 * last one or by the caller. */
static void fill(struct orc_maker *m, int table, int field, int value)
{
    initially(m, mk_write(m, m->p->tables[table].dim[0], -1,
                          mk_put(m, table, mk_var(m, 0), field, mk_num(m, value))));
}

/* if (table[i].field == value), which in C may leave out the == 1 of a bool. */
static int is(struct orc_maker *m, int e, int value)
{
    return mk_bin(m, ORC_EQ, e, mk_num(m, value));
}

/* A predicate `for every i` of the condition about index e: a parameter or a fold. */
static void for_all_rows(struct orc_maker *m, int dim, int (*condition)(struct orc_maker *, int))
{
    switch (mk_below(m, 3)) {
    case 0: { /* all */
        int body = mk_all(m, 0, dim, condition(m, mk_var(m, 0)));
        mk_pred(m, body, is(m, mk_reg(m, 0), 1));
        break;
    }
    case 1: { /* for … if (!c) return false; return true; */
        int give = mk_word(m, ORC_GIVE, mk_num(m, 0));
        int body = mk_write(m, dim, mk_not(m, condition(m, mk_var(m, 0))), give);
        mk_pred(m, body, mk_num(m, 1));
        break;
    }
    default:
        mk_every(m, mk_pred(m, -1, condition(m, mk_par(m, 0))), dim);
    }
}

/* ---- the kinds ---- */

static int not_negative(struct orc_maker *m, int i)
{
    return mk_bin(m, ORC_LE, mk_num(m, 0), mk_cell(m, 0, i, 0));
}

/* Transfers, deposits; no account is overdrawn, and the sum is what it was or what a row says. */
static void bank(struct orc_maker *m)
{
    bool total = mk_below(m, 2), amounts = mk_below(m, 3) == 0;
    int a = mk_table(m, "account", 1, ANY_ROWS, 0, 1 + mk_below(m, 2)), each = 1 + mk_below(m, 2);
    int sum = total ? mk_table(m, "total", 0, 0, 0, 1) : -1;
    fill(m, a, 0, each);
    if (total)
        initially(m,
                  mk_put(m, sum, mk_num(m, 0), 0, mk_bin(m, ORC_MUL, mk_num(m, each), mk_size(m))));
    int amount = amounts ? mk_par(m, 2) : mk_num(m, 1);
    int move =
        orc_seq(m->p, mk_plus(m, a, mk_par(m, 0), 0, ORC_SUB, amount),
                mk_plus(m, a, mk_par(m, 1), 0, ORC_ADD, amounts ? mk_par(m, 2) : mk_num(m, 1)));
    int enough =
        mk_bin(m, ORC_LE, amounts ? mk_par(m, 2) : mk_num(m, 1), mk_cell(m, a, mk_par(m, 0), 0));
    int t = mk_txn(m, guarded(m, enough, move));
    mk_index(m, t, ANY_ROWS);
    mk_index(m, t, ANY_ROWS);
    if (amounts)
        mk_values(m, t, 1, 2);
    if (total && mk_below(m, 2)) {
        int pay = orc_seq(m->p, mk_plus(m, a, mk_par(m, 0), 0, ORC_ADD, mk_num(m, 1)),
                          mk_plus(m, sum, mk_num(m, 0), 0, ORC_ADD, mk_num(m, 1)));
        mk_index(m, mk_txn(m, pay), ANY_ROWS);
    }
    if (total && mk_below(m, 2)) { /* interest for all, or for those who have something */
        int more = mk_write(m, ANY_ROWS, -1, mk_plus(m, a, mk_var(m, 0), 0, ORC_ADD, mk_num(m, 1)));
        mk_txn(m, orc_seq(m->p, more, mk_plus(m, sum, mk_num(m, 0), 0, ORC_ADD, mk_size(m))));
    }
    int body = mk_sum(m, 0, ANY_ROWS, -1, mk_cell(m, a, mk_var(m, 0), 0));
    int is_sum = total ? mk_row(m, sum, 0) : mk_bin(m, ORC_MUL, mk_num(m, each), mk_size(m));
    mk_pred(m, body, mk_bin(m, ORC_EQ, mk_reg(m, 0), is_sum));
    if (mk_below(m, 3))
        for_all_rows(m, ANY_ROWS, not_negative);
}

/* post[p] counts the likes that point to it. */
static void likes_by_row(struct orc_maker *m)
{
    int post = mk_table(m, "post", 1, ANY_ROWS, 0, 1);
    int like = mk_table(m, "like", 1, ANY_ROWS, 0, 2);
    m->p->tables[like].bools = 1;
    bool new_rows = mk_below(m, 2);
    int at = new_rows ? mk_reg(m, 0) : mk_par(m, 1);
    int body = mk_seq3(m, mk_put(m, like, at, 0, mk_num(m, 1)),
                       mk_put(m, like, new_rows ? mk_reg(m, 0) : mk_par(m, 1), 1, mk_par(m, 0)),
                       mk_plus(m, post, mk_par(m, 0), 0, ORC_ADD, mk_num(m, 1)));
    body = new_rows ? orc_seq(m->p, mk_set(m, 0, mk_fresh(m, like, 0)), body)
                    : guarded(m, mk_not(m, mk_cell(m, like, mk_par(m, 1), 0)), body);
    int t = mk_txn(m, body);
    mk_index(m, t, ANY_ROWS);
    if (!new_rows)
        mk_index(m, t, ANY_ROWS);
    if (mk_below(m, 2)) {
        int undo = orc_seq(
            m->p, mk_plus(m, post, mk_cell(m, like, mk_par(m, 0), 1), 0, ORC_SUB, mk_num(m, 1)),
            mk_put(m, like, mk_par(m, 0), 0, mk_num(m, 0)));
        mk_index(m, mk_txn(m, guarded(m, is(m, mk_cell(m, like, mk_par(m, 0), 0), 1), undo)),
                 ANY_ROWS);
    }
    int matches = mk_bin(m, ORC_AND, mk_cell(m, like, mk_var(m, 0), 0),
                         mk_bin(m, ORC_EQ, mk_cell(m, like, mk_var(m, 0), 1), mk_par(m, 0)));
    int pred = mk_pred(m, mk_count(m, 0, ANY_ROWS, matches),
                       mk_bin(m, ORC_EQ, mk_reg(m, 0), mk_cell(m, post, mk_par(m, 0), 0)));
    mk_every(m, pred, ANY_ROWS);
}

/* The same with a table of users and posts. */
static void likes_by_pair(struct orc_maker *m)
{
    int post = mk_table(m, "post", 1, ANY_ROWS, 0, 1);
    int like = mk_table(m, "like", 2, ANY_ROWS, ANY_ROWS, 1);
    int change = orc_seq(m->p, mk_put2(m, like, mk_par(m, 0), mk_par(m, 1), 0, mk_num(m, 1)),
                         mk_plus(m, post, mk_par(m, 1), 0, ORC_ADD, mk_num(m, 1)));
    int t =
        mk_txn(m, guarded(m, is(m, mk_cell2(m, like, mk_par(m, 0), mk_par(m, 1), 0), 0), change));
    mk_index(m, t, ANY_ROWS);
    mk_index(m, t, ANY_ROWS);
    if (mk_below(m, 2)) { /* the post goes, with all its likes */
        int clear = mk_write(m, ANY_ROWS, -1,
                             mk_put2(m, like, mk_var(m, 0), mk_par(m, 0), 0, mk_num(m, 0)));
        int none = mk_put(m, post, mk_par(m, 0), 0, mk_num(m, 0));
        mk_index(m, mk_txn(m, orc_seq(m->p, clear, none)), ANY_ROWS);
    }
    int pred =
        mk_pred(m, mk_sum(m, 0, ANY_ROWS, -1, mk_cell2(m, like, mk_var(m, 0), mk_par(m, 0), 0)),
                mk_bin(m, ORC_EQ, mk_reg(m, 0), mk_cell(m, post, mk_par(m, 0), 0)));
    mk_every(m, pred, ANY_ROWS);
}

static void likes(struct orc_maker *m)
{
    if (mk_below(m, 3))
        likes_by_row(m);
    else
        likes_by_pair(m);
}

/* No two users have one name: of all pairs, of every name, or by folds in one another. */
static void unique_names(struct orc_maker *m, int user, bool present, int name)
{
    int style = mk_below(m, 3);
    if (style == 0) {
        int same = mk_bin(m, ORC_EQ, mk_cell(m, user, mk_par(m, 0), name),
                          mk_cell(m, user, mk_par(m, 1), name));
        int e = present ? mk_bin(m, ORC_AND, mk_cell(m, user, mk_par(m, 0), 0),
                                 mk_cell(m, user, mk_par(m, 1), 0))
                        : mk_bin(m, ORC_NE, mk_cell(m, user, mk_par(m, 0), name), mk_num(m, 0));
        e = mk_bin(m, ORC_AND, mk_bin(m, ORC_NE, mk_par(m, 0), mk_par(m, 1)),
                   mk_bin(m, ORC_AND, e, same));
        int pred = mk_pred(m, -1, mk_not(m, e));
        mk_every(m, pred, ANY_ROWS);
        mk_every(m, pred, ANY_ROWS);
    } else if (style == 1) {
        int e = mk_bin(m, ORC_EQ, mk_cell(m, user, mk_var(m, 0), name), mk_par(m, 0));
        e = mk_bin(m, ORC_AND,
                   present ? mk_cell(m, user, mk_var(m, 0), 0)
                           : mk_bin(m, ORC_NE, mk_par(m, 0), mk_num(m, 0)),
                   e);
        int pred =
            mk_pred(m, mk_count(m, 0, ANY_ROWS, e), mk_bin(m, ORC_LE, mk_reg(m, 0), mk_num(m, 1)));
        mk_every_value(m, pred);
    } else {
        int same = mk_bin(m, ORC_EQ, mk_cell(m, user, mk_var(m, 0), name),
                          mk_cell(m, user, mk_var(m, 1), name));
        int e = present ? mk_bin(m, ORC_AND, mk_cell(m, user, mk_var(m, 0), 0),
                                 mk_cell(m, user, mk_var(m, 1), 0))
                        : mk_bin(m, ORC_NE, mk_cell(m, user, mk_var(m, 0), name), mk_num(m, 0));
        int inner = mk_when(m, mk_bin(m, ORC_AND, e, same), mk_set(m, 0, mk_num(m, 1)));
        int nested = mk_loop(m, 1, mk_bin(m, ORC_ADD, mk_var(m, 0), mk_num(m, 1)), ANY_ROWS, inner);
        int body = orc_seq(m->p, mk_set(m, 0, mk_num(m, 0)),
                           mk_loop(m, 0, mk_num(m, 0), ANY_ROWS, nested));
        mk_pred(m, body, is(m, mk_reg(m, 0), 0));
    }
}

/* Check-then-insert, at a new row, the first free one, or a given one. */
static void unique(struct orc_maker *m)
{
    bool present = mk_below(m, 2);
    int user = mk_table(m, "user", 1, ANY_ROWS, 0, present ? 2 : 1), name = present ? 1 : 0;
    if (present)
        m->p->tables[user].bools = 1;
    int where = mk_below(m, 3), body = -1;
    int taken = mk_bin(m, ORC_EQ, mk_cell(m, user, mk_var(m, 0), name), mk_par(m, 0));
    if (present)
        taken = mk_bin(m, ORC_AND, mk_cell(m, user, mk_var(m, 0), 0), taken);
    int check = mk_below(m, 2) ? mk_any(m, 0, ANY_ROWS, taken) : -1;
    if (check < 0)
        body =
            mk_write(m, ANY_ROWS, taken, mk_word(m, mk_below(m, 3) ? ORC_ROLLBACK : ORC_RETURN, 0));
    int insert = mk_put(m, user, where == 2 ? mk_par(m, 1) : mk_reg(m, 1), name, mk_par(m, 0));
    if (present)
        insert = orc_seq(m->p,
                         mk_put(m, user, where == 2 ? mk_par(m, 1) : mk_reg(m, 1), 0, mk_num(m, 1)),
                         insert);
    if (where == 0)
        insert = orc_seq(m->p, mk_set(m, 1, mk_fresh(m, user, 0)), insert);
    if (where == 1)
        insert =
            orc_seq(m->p, mk_first(m, 1, ANY_ROWS, is(m, mk_cell(m, user, mk_var(m, 0), 0), 0)),
                    mk_when(m, mk_bin(m, ORC_LE, mk_num(m, 0), mk_reg(m, 1)), insert));
    if (where == 2 && mk_below(m, 2))
        insert = mk_when(m, is(m, mk_cell(m, user, mk_par(m, 1), 0), 0), insert);
    body = check < 0 ? orc_seq(m->p, body, insert)
                     : orc_seq(m->p, check, guarded(m, is(m, mk_reg(m, 0), 0), insert));
    int t = mk_txn(m, body);
    mk_values(m, t, 1, 2);
    if (where == 2)
        mk_index(m, t, ANY_ROWS);
    if (mk_below(m, 2))
        mk_index(m, mk_txn(m, mk_put(m, user, mk_par(m, 0), 0, mk_num(m, 0))), ANY_ROWS);
    unique_names(m, user, present, name);
}

/* A child's parent exists. */
static void references(struct orc_maker *m)
{
    int parent = mk_table(m, "parent", 1, ANY_ROWS, 0, 1);
    int child = mk_table(m, "child", 1, ANY_ROWS, 0, 2);
    m->p->tables[parent].bools = 1;
    m->p->tables[child].bools = 1;
    bool new_rows = mk_below(m, 2), cascade = mk_below(m, 2);
    if (mk_below(m, 2))
        fill(m, parent, 0, 1);
    int add =
        orc_seq(m->p, mk_put(m, child, new_rows ? mk_reg(m, 0) : mk_par(m, 1), 0, mk_num(m, 1)),
                mk_put(m, child, new_rows ? mk_reg(m, 0) : mk_par(m, 1), 1, mk_par(m, 0)));
    if (new_rows)
        add = orc_seq(m->p, mk_set(m, 0, mk_fresh(m, child, 0)), add);
    if (mk_below(m, 3) == 0)
        add = orc_seq(m->p,
                      orc_s(m->p, (struct orc_stmt){.kind = ORC_FOR_UPDATE,
                                                    .table = parent,
                                                    .index = mk_par(m, 0)}),
                      add);
    int t = mk_txn(m, guarded(m, is(m, mk_cell(m, parent, mk_par(m, 0), 0), 1), add));
    mk_index(m, t, ANY_ROWS);
    if (!new_rows)
        mk_index(m, t, ANY_ROWS);
    int mine = mk_bin(m, ORC_EQ, mk_cell(m, child, mk_var(m, 0), 1), mk_par(m, 0));
    if (mk_below(m, 4))
        mine = mk_bin(m, ORC_AND, mk_cell(m, child, mk_var(m, 0), 0), mine);
    int first = mk_write(m, ANY_ROWS, mine,
                         cascade ? mk_put(m, child, mk_var(m, 0), 0, mk_num(m, 0))
                                 : mk_word(m, ORC_ROLLBACK, 0));
    int gone = mk_put(m, parent, mk_par(m, 0), 0, mk_num(m, 0));
    mk_index(m, mk_txn(m, orc_seq(m->p, first, gone)), ANY_ROWS);
    if (mk_below(m, 3) == 0)
        mk_index(m, mk_txn(m, mk_put(m, parent, mk_par(m, 0), 0, mk_num(m, 1))), ANY_ROWS);
    int pred = mk_pred(m, -1,
                       mk_bin(m, ORC_OR, is(m, mk_cell(m, child, mk_par(m, 0), 0), 0),
                              mk_cell(m, parent, mk_cell(m, child, mk_par(m, 0), 1), 0)));
    mk_every(m, pred, ANY_ROWS);
}

static int zero_above(struct orc_maker *m, int i)
{
    return mk_bin(m, ORC_OR, mk_bin(m, ORC_LT, i, mk_row(m, 0, 0)), is(m, mk_cell(m, 1, i, 0), 0));
}

static int one_below(struct orc_maker *m, int i)
{
    return mk_bin(m, ORC_OR, mk_bin(m, ORC_LE, mk_row(m, 0, 0), i), is(m, mk_cell(m, 1, i, 0), 1));
}

/* The rows below next are in use. */
static void sequence(struct orc_maker *m)
{
    int next = mk_table(m, "next", 0, 0, 0, 1), t = mk_table(m, "t", 1, ANY_ROWS, 0, 1);
    int total = mk_below(m, 2) ? mk_table(m, "total", 0, 0, 0, 1) : -1;
    int use = orc_seq(m->p, mk_put(m, t, mk_row(m, next, 0), 0, mk_num(m, 1)),
                      mk_plus(m, next, mk_num(m, 0), 0, ORC_ADD, mk_num(m, 1)));
    if (total >= 0)
        use = orc_seq(m->p, use, mk_plus(m, total, mk_num(m, 0), 0, ORC_ADD, mk_num(m, 1)));
    mk_txn(m, guarded(m, mk_bin(m, ORC_LT, mk_row(m, next, 0), mk_size(m)), use));
    if (total >= 0 && mk_below(m, 2)) { /* more of one that is in use */
        int more = orc_seq(m->p, mk_plus(m, t, mk_par(m, 0), 0, ORC_ADD, mk_num(m, 1)),
                           mk_plus(m, total, mk_num(m, 0), 0, ORC_ADD, mk_num(m, 1)));
        mk_index(m,
                 mk_txn(m, mk_when(m, mk_bin(m, ORC_LT, mk_par(m, 0), mk_row(m, next, 0)), more)),
                 ANY_ROWS);
    } else if (mk_below(m, 3) == 0) {
        int clear = mk_write(m, ANY_ROWS, -1, mk_put(m, t, mk_var(m, 0), 0, mk_num(m, 0)));
        int again = mk_put(m, next, mk_num(m, 0), 0, mk_num(m, 0));
        if (total >= 0)
            again = orc_seq(m->p, again, mk_put(m, total, mk_num(m, 0), 0, mk_num(m, 0)));
        mk_txn(m, orc_seq(m->p, clear, again));
    }
    for_all_rows(m, ANY_ROWS, zero_above);
    if (total < 0)
        for_all_rows(m, ANY_ROWS, one_below);
    int in_use = mk_bin(m, ORC_LT, mk_var(m, 0), mk_row(m, next, 0));
    if (total >= 0)
        mk_pred(m, mk_sum(m, 0, ANY_ROWS, in_use, mk_cell(m, t, mk_var(m, 0), 0)),
                mk_bin(m, ORC_EQ, mk_reg(m, 0), mk_row(m, total, 0)));
    if (mk_below(m, 2))
        mk_pred(m, -1, mk_bin(m, ORC_LE, mk_row(m, next, 0), mk_size(m)));
}

/* Workers take the first job that is free; done counts the finished ones. */
static void queue(struct orc_maker *m)
{
    int job = mk_table(m, "job", 1, ANY_ROWS, 0, 2), done = mk_table(m, "done", 0, 0, 0, 1);
    int take = orc_seq(m->p, mk_put(m, job, mk_reg(m, 0), 0, mk_num(m, 1)),
                       mk_put(m, job, mk_reg(m, 0), 1, mk_par(m, 0)));
    int find = mk_first(m, 0, ANY_ROWS, is(m, mk_cell(m, job, mk_var(m, 0), 0), 0));
    bool found = mk_below(m, 4) > 0;
    int body =
        found
            ? mk_when(m, mk_bin(m, ORC_LE, mk_num(m, 0), mk_reg(m, 0)), take)
            : orc_seq(m->p, mk_word(m, ORC_ASSUME, mk_bin(m, ORC_NE, mk_reg(m, 0), mk_num(m, -1))),
                      take);
    body = orc_seq(m->p, find, body);
    if (mk_below(m, 2)) { /* only who has none */
        int mine = mk_bin(m, ORC_AND, is(m, mk_cell(m, job, mk_var(m, 0), 0), 1),
                          mk_bin(m, ORC_EQ, mk_cell(m, job, mk_var(m, 0), 1), mk_par(m, 0)));
        body = orc_seq(m->p, mk_write(m, ANY_ROWS, mine, mk_word(m, ORC_ROLLBACK, 0)), body);
        int twice = mk_bin(m, ORC_AND, is(m, mk_cell(m, job, mk_var(m, 0), 0), 1),
                           mk_bin(m, ORC_EQ, mk_cell(m, job, mk_var(m, 0), 1), mk_par(m, 0)));
        int pred = mk_pred(m, mk_count(m, 0, ANY_ROWS, twice),
                           mk_bin(m, ORC_LE, mk_reg(m, 0), mk_num(m, 1)));
        mk_every_value(m, pred);
    }
    mk_values(m, mk_txn(m, body), 1, 2);
    int finish = orc_seq(m->p, mk_put(m, job, mk_par(m, 0), 0, mk_num(m, 2)),
                         mk_plus(m, done, mk_num(m, 0), 0, ORC_ADD, mk_num(m, 1)));
    mk_index(m, mk_txn(m, guarded(m, is(m, mk_cell(m, job, mk_par(m, 0), 0), 1), finish)),
             ANY_ROWS);
    mk_pred(m, mk_count(m, 0, ANY_ROWS, is(m, mk_cell(m, job, mk_var(m, 0), 0), 2)),
            mk_bin(m, ORC_EQ, mk_reg(m, 0), mk_row(m, done, 0)));
}

static int within(struct orc_maker *m, int i)
{
    return mk_bin(m, ORC_LE, mk_cell(m, 0, i, 0), mk_cell(m, 0, i, 1));
}

static int at_most_limit(struct orc_maker *m, int i)
{
    return mk_bin(m, ORC_LE, mk_cell(m, 0, i, 0), mk_row(m, 1, 0));
}

/* Rows written many at a time. */
static void bulk(struct orc_maker *m)
{
    int t = mk_table(m, "t", 1, ANY_ROWS, 0, 2), limit = mk_table(m, "limit", 0, 0, 0, 1);
    fill(m, t, 1, 1);
    initially(m, mk_put(m, limit, mk_num(m, 0), 0, mk_num(m, 1)));
    if (mk_below(m, 2)) /* an exception */
        initially(
            m, mk_put(m, t,
                      mk_below(m, 2) ? mk_num(m, 0) : mk_bin(m, ORC_SUB, mk_size(m), mk_num(m, 1)),
                      1, mk_num(m, 2)));
    int kind = mk_below(m, 3);
    int some = mk_bin(m, kind ? ORC_LT : ORC_LE, mk_cell(m, t, mk_var(m, 0), 0),
                      kind == 2 ? mk_row(m, limit, 0) : mk_cell(m, t, mk_var(m, 0), 1));
    mk_txn(m, mk_write(m, ANY_ROWS, mk_below(m, 4) ? some : -1,
                       mk_plus(m, t, mk_var(m, 0), 0, ORC_ADD, mk_num(m, 1))));
    if (mk_below(m, 2))
        mk_txn(m, mk_write(m, ANY_ROWS, -1,
                           mk_put(m, t, mk_var(m, 0), 0,
                                  mk_below(m, 2) ? mk_num(m, 0) : mk_cell(m, t, mk_var(m, 0), 1))));
    if (mk_below(m, 2)) {
        int raise = mk_put(m, t, mk_par(m, 0), 1, mk_num(m, 2));
        mk_index(m, mk_txn(m, raise), ANY_ROWS);
    } else {
        int more = mk_plus(m, limit, mk_num(m, 0), 0, ORC_ADD, mk_num(m, 1));
        int grown = mk_below(m, 2) ? mk_write(m, ANY_ROWS, -1,
                                              mk_plus(m, t, mk_var(m, 0), 1, ORC_ADD, mk_num(m, 1)))
                                   : -1;
        mk_txn(m, orc_seq(m->p, more, grown));
    }
    if (kind < 2)
        for_all_rows(m, ANY_ROWS, within);
    else
        for_all_rows(m, ANY_ROWS, at_most_limit);
    if (mk_below(m, 2))
        for_all_rows(m, ANY_ROWS, not_negative);
}

/* What an owner's accounts have together is not negative. */
static void owner(struct orc_maker *m)
{
    int a = mk_table(m, "account", 1, ANY_ROWS, 0, 2); /* balance, owner */
    fill(m, a, 0, 1);
    if (mk_below(m, 2))
        initially(m, mk_write(m, ANY_ROWS, mk_bin(m, ORC_LT, mk_num(m, 0), mk_var(m, 0)),
                              mk_put(m, a, mk_var(m, 0), 1, mk_num(m, 1))));
    int mine = mk_bin(m, ORC_EQ, mk_cell(m, a, mk_var(m, 0), 1), mk_cell(m, a, mk_par(m, 0), 1));
    int sum = mk_sum(m, 0, ANY_ROWS, mine, mk_cell(m, a, mk_var(m, 0), 0));
    int take = mk_plus(m, a, mk_par(m, 0), 0, ORC_SUB, mk_par(m, 1));
    int t = mk_txn(
        m, orc_seq(m->p, sum, guarded(m, mk_bin(m, ORC_LE, mk_par(m, 1), mk_reg(m, 0)), take)));
    mk_index(m, t, ANY_ROWS);
    mk_values(m, t, 1, 2);
    if (mk_below(m, 3) == 0)
        mk_index(m, mk_txn(m, mk_plus(m, a, mk_par(m, 0), 0, ORC_ADD, mk_num(m, 1))), ANY_ROWS);
    if (mk_below(m, 3) == 0) { /* gives it to the other one */
        int give = mk_put(m, a, mk_par(m, 0), 1,
                          mk_bin(m, ORC_SUB, mk_num(m, 1), mk_cell(m, a, mk_par(m, 0), 1)));
        if (mk_below(m, 2))
            give = mk_when(m, is(m, mk_cell(m, a, mk_par(m, 0), 0), 0), give);
        mk_index(m, mk_txn(m, give), ANY_ROWS);
    }
    bool by_value = mk_below(m, 2);
    int theirs = mk_bin(m, ORC_EQ, mk_cell(m, a, mk_var(m, 0), 1),
                        by_value ? mk_par(m, 0) : mk_cell(m, a, mk_par(m, 0), 1));
    int pred = mk_pred(m, mk_sum(m, 0, ANY_ROWS, theirs, mk_cell(m, a, mk_var(m, 0), 0)),
                       mk_bin(m, ORC_LE, mk_num(m, 0), mk_reg(m, 0)));
    if (by_value)
        mk_every_value(m, pred);
    else
        mk_every(m, pred, ANY_ROWS);
}

/* The best bid is the greatest of all. */
static void best(struct orc_maker *m)
{
    int bid = mk_table(m, "bid", 1, ANY_ROWS, 0, 1), top = mk_table(m, "top", 0, 0, 0, 1);
    bool known = mk_below(m, 2);
    int e = known ? mk_row(m, top, 0) : mk_reg(m, 0);
    int body = orc_seq(m->p, mk_put(m, bid, mk_par(m, 0), 0, mk_par(m, 1)),
                       mk_put(m, top, mk_num(m, 0), 0, mk_par(m, 1)));
    body = guarded(m, mk_bin(m, ORC_LT, e, mk_par(m, 1)), body);
    if (!known)
        body = orc_seq(m->p, mk_most(m, 0, ANY_ROWS, -1, mk_cell(m, bid, mk_var(m, 0), 0), true),
                       body);
    int t = mk_txn(m, body);
    mk_index(m, t, ANY_ROWS);
    mk_values(m, t, 1, 2);
    if (mk_below(m, 3) == 0) {
        int find = mk_most(m, 0, ANY_ROWS, mk_bin(m, ORC_NE, mk_var(m, 0), mk_par(m, 0)),
                           mk_cell(m, bid, mk_var(m, 0), 0), true);
        int back = orc_seq(m->p, mk_put(m, bid, mk_par(m, 0), 0, mk_num(m, 0)),
                           mk_put(m, top, mk_num(m, 0), 0, mk_reg(m, 0)));
        mk_index(m, mk_txn(m, orc_seq(m->p, find, back)), ANY_ROWS);
    }
    mk_pred(m, mk_most(m, 0, ANY_ROWS, -1, mk_cell(m, bid, mk_var(m, 0), 0), true),
            mk_below(m, 2) ? mk_bin(m, ORC_EQ, mk_reg(m, 0), mk_row(m, top, 0))
                           : mk_bin(m, ORC_LE, mk_reg(m, 0), mk_row(m, top, 0)));
}

/* Two groups of rows, each with a counter. */
static void groups(struct orc_maker *m)
{
    int t = mk_table(m, "t", 2, 2, ANY_ROWS, 1), count = mk_table(m, "count", 1, 2, 0, 1);
    bool new_rows = mk_below(m, 3) > 0;
    int at = new_rows ? mk_reg(m, 0) : mk_par(m, 1);
    int add = orc_seq(m->p, mk_put2(m, t, mk_par(m, 0), at, 0, mk_num(m, 1)),
                      mk_plus(m, count, mk_par(m, 0), 0, ORC_ADD, mk_num(m, 1)));
    if (new_rows)
        add = orc_seq(m->p, mk_set(m, 0, mk_fresh(m, t, mk_par(m, 0))), add);
    else
        add = guarded(m, is(m, mk_cell2(m, t, mk_par(m, 0), mk_par(m, 1), 0), 0), add);
    int one = mk_txn(m, add);
    mk_index(m, one, 2);
    if (!new_rows)
        mk_index(m, one, ANY_ROWS);
    if (mk_below(m, 2)) {
        int clear =
            mk_write(m, ANY_ROWS, -1, mk_put2(m, t, mk_par(m, 0), mk_var(m, 0), 0, mk_num(m, 0)));
        int none = mk_put(m, count, mk_par(m, 0), 0, mk_num(m, 0));
        mk_index(m, mk_txn(m, orc_seq(m->p, clear, none)), 2);
    }
    if (mk_below(m, 2)) {
        int pred =
            mk_pred(m, mk_sum(m, 0, ANY_ROWS, -1, mk_cell2(m, t, mk_par(m, 0), mk_var(m, 0), 0)),
                    mk_bin(m, ORC_EQ, mk_reg(m, 0), mk_cell(m, count, mk_par(m, 0), 0)));
        mk_every(m, pred, 2);
    } else { /* all of both groups */
        int one_more = mk_set(m, 0, mk_bin(m, ORC_ADD, mk_reg(m, 0), mk_num(m, 1)));
        int inner = mk_when(m, is(m, mk_cell2(m, t, mk_var(m, 0), mk_var(m, 1), 0), 1), one_more);
        int nested = mk_loop(m, 1, mk_num(m, 0), ANY_ROWS, inner);
        int body =
            orc_seq(m->p, mk_set(m, 0, mk_num(m, 0)), mk_loop(m, 0, mk_num(m, 0), 2, nested));
        int both = mk_bin(m, ORC_ADD, mk_cell(m, count, mk_num(m, 0), 0),
                          mk_cell(m, count, mk_num(m, 1), 0));
        mk_pred(m, body, mk_bin(m, ORC_EQ, mk_reg(m, 0), both));
    }
}

/* Two tables that agree row by row, or a table whose rows are all the same. */
static void pairs(struct orc_maker *m)
{
    int a = mk_table(m, "a", 1, ANY_ROWS, 0, 1), b = mk_table(m, "b", 1, ANY_ROWS, 0, 1);
    bool same = mk_below(m, 2);
    int copy =
        mk_write(m, ANY_ROWS, -1, mk_put(m, b, mk_var(m, 0), 0, mk_cell(m, a, mk_var(m, 0), 0)));
    int one =
        orc_seq(m->p, mk_plus(m, a, mk_par(m, 0), 0, ORC_ADD, mk_num(m, 1)),
                mk_below(m, 3) ? mk_plus(m, b, mk_par(m, 0), 0, ORC_ADD, mk_num(m, 1))
                               : mk_put(m, b, mk_par(m, 0), 0, mk_cell(m, a, mk_par(m, 0), 0)));
    if (same) {
        int all = mk_write(m, ANY_ROWS, -1, mk_put(m, a, mk_var(m, 0), 0, mk_par(m, 0)));
        mk_values(m, mk_txn(m, all), 0, 3);
        int pred = mk_pred(
            m, -1,
            mk_bin(m, ORC_EQ, mk_cell(m, a, mk_par(m, 0), 0), mk_cell(m, a, mk_par(m, 1), 0)));
        mk_every(m, pred, ANY_ROWS);
        mk_every(m, pred, ANY_ROWS);
        if (mk_below(m, 2))
            mk_txn(m, mk_write(m, ANY_ROWS, -1,
                               mk_plus(m, a, mk_var(m, 0), 0, ORC_ADD, mk_num(m, 1))));
        return;
    }
    mk_index(m, mk_txn(m, one), ANY_ROWS);
    if (mk_below(m, 2))
        mk_txn(m, copy);
    int pred = mk_pred(
        m, -1, mk_bin(m, ORC_EQ, mk_cell(m, a, mk_par(m, 0), 0), mk_cell(m, b, mk_par(m, 0), 0)));
    mk_every(m, pred, ANY_ROWS);
}

void orc_tables_random(struct orc_rng *r, struct orc_prog *p, int family, bool *mutated)
{
    static void (*const make[])(struct orc_maker *) = {bank,     likes,  unique, references,
                                                       sequence, queue,  bulk,   owner,
                                                       best,     groups, pairs,  orc_soup};
    struct orc_maker m = {r, p};
    orc_prog_init(p);
    p->no_scenario = true;
    p->has_initial = true;
    p->initial = -1;
    make[family](&m);
    *mutated = orc_below(r, 5) < 2 && orc_prog_mutate(r, p);
}
