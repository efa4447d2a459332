/* The short names of prog_tables.h: parts of programs on tables of any size. */
#include <stdlib.h>
#include "tests/oracle/prog_tables.h"

int mk_table(struct orc_maker *m, const char *name, int n_dims, int first, int second, int fields)
{
    int t = orc_table(m->p, name, 0, fields);
    m->p->tables[t].array = n_dims > 0;
    m->p->tables[t].n_dims = n_dims;
    m->p->tables[t].dim[0] = first;
    m->p->tables[t].dim[1] = second;
    return t;
}

int mk_txn(struct orc_maker *m, int body)
{
    return orc_txn(m->p, m->p->n_txns, body);
}

void mk_index(struct orc_maker *m, int txn, int dim)
{
    struct orc_ptxn *t = &m->p->txns[txn];
    t->is_index[t->n_params] = true;
    t->dim[t->n_params++] = dim;
}

void mk_values(struct orc_maker *m, int txn, int first, int count)
{
    struct orc_ptxn *t = &m->p->txns[txn];
    for (int i = 0; i < count; i++)
        t->choices[t->n_params][i] = first + i;
    t->n_choices[t->n_params++] = count;
}

int mk_pred(struct orc_maker *m, int body, int e)
{
    if (m->p->n_preds == ORC_PREDS)
        abort();
    m->p->preds[m->p->n_preds] =
        (struct orc_pred){.body = body, .e = e, .wide = mk_below(m, 3) == 0};
    return m->p->n_preds++;
}

void mk_every(struct orc_maker *m, int pred, int dim)
{
    struct orc_pred *q = &m->p->preds[pred];
    q->is_index[q->n_params] = true;
    q->dim[q->n_params++] = dim;
}

void mk_every_value(struct orc_maker *m, int pred)
{
    m->p->preds[pred].n_params++;
}

int mk_put2(struct orc_maker *m, int table, int index, int second, int field, int e)
{
    return orc_s(m->p, (struct orc_stmt){.kind = ORC_WRITE,
                                         .table = table,
                                         .index = index,
                                         .second = second,
                                         .field = field,
                                         .e = e});
}

int mk_put(struct orc_maker *m, int table, int index, int field, int e)
{
    return mk_put2(m, table, index, 0, field, e);
}

int mk_plus2(struct orc_maker *m, int table, int index, int second, int field,
             enum orc_expr_kind op, int e)
{
    return orc_s(m->p, (struct orc_stmt){.kind = ORC_COMPOUND,
                                         .table = table,
                                         .index = index,
                                         .second = second,
                                         .field = field,
                                         .op = op,
                                         .e = e});
}

int mk_plus(struct orc_maker *m, int table, int index, int field, enum orc_expr_kind op, int e)
{
    return mk_plus2(m, table, index, 0, field, op, e);
}

int mk_when(struct orc_maker *m, int e, int yes)
{
    return orc_if(m->p, e, yes, -1);
}

int mk_set(struct orc_maker *m, int to, int e)
{
    return orc_set(m->p, to, e);
}

int mk_word(struct orc_maker *m, enum orc_stmt_kind kind, int e)
{
    return orc_s(m->p, (struct orc_stmt){.kind = kind, .e = e});
}

int mk_loop(struct orc_maker *m, int number, int from, int dim, int body)
{
    return orc_s(m->p, (struct orc_stmt){.kind = ORC_FOR,
                                         .reg = number,
                                         .e = from,
                                         .dim = dim,
                                         .yes = body,
                                         .no = -1,
                                         .skips = mk_below(m, 3) == 0});
}

int mk_seq3(struct orc_maker *m, int a, int b, int c)
{
    return orc_seq(m->p, orc_seq(m->p, a, b), c);
}

int mk_cell2(struct orc_maker *m, int table, int index, int second, int field)
{
    int e = orc_e(m->p, ORC_CELL, table, index, field);
    m->p->exprs[e].d = second;
    return e;
}

int mk_cell(struct orc_maker *m, int table, int index, int field)
{
    return orc_e(m->p, ORC_CELL, table, index, field);
}

int mk_row(struct orc_maker *m, int table, int field)
{
    return orc_cell(m->p, table, 0, field);
}

int mk_bin(struct orc_maker *m, enum orc_expr_kind kind, int a, int b)
{
    return orc_e(m->p, kind, a, b, 0);
}

int mk_num(struct orc_maker *m, int value)
{
    return orc_num(m->p, value);
}

int mk_reg(struct orc_maker *m, int number)
{
    return orc_reg(m->p, number);
}

int mk_par(struct orc_maker *m, int number)
{
    return orc_e(m->p, ORC_PARAM, number, 0, 0);
}

int mk_var(struct orc_maker *m, int number)
{
    return orc_e(m->p, ORC_LOOP, number, 0, 0);
}

int mk_not(struct orc_maker *m, int e)
{
    return orc_e(m->p, ORC_NOT, e, 0, 0);
}

int mk_size(struct orc_maker *m)
{
    return orc_e(m->p, ORC_SIZE, 0, 0, 0);
}

int mk_fresh(struct orc_maker *m, int table, int lead)
{
    return orc_e(m->p, ORC_FRESH, table, lead, 0);
}

/* ---- folds ---- */

static int under(struct orc_maker *m, int condition, int body)
{
    return condition < 0 ? body : mk_when(m, condition, body);
}

static int whole(struct orc_maker *m, int dim, int condition, int body)
{
    return mk_loop(m, 0, mk_num(m, 0), dim, under(m, condition, body));
}

int mk_sum(struct orc_maker *m, int to, int dim, int condition, int e)
{
    int start = mk_set(m, to, mk_num(m, 0));
    return orc_seq(m->p, start,
                   whole(m, dim, condition, mk_set(m, to, mk_bin(m, ORC_ADD, mk_reg(m, to), e))));
}

int mk_count(struct orc_maker *m, int to, int dim, int condition)
{
    return mk_sum(m, to, dim, condition, mk_num(m, 1));
}

int mk_any(struct orc_maker *m, int to, int dim, int condition)
{
    int start = mk_set(m, to, mk_num(m, 0)), body = mk_set(m, to, mk_num(m, 1));
    return orc_seq(m->p, start, whole(m, dim, condition, body));
}

int mk_all(struct orc_maker *m, int to, int dim, int condition)
{
    int start = mk_set(m, to, mk_num(m, 1)), body = mk_set(m, to, mk_num(m, 0));
    return orc_seq(m->p, start, whole(m, dim, mk_not(m, condition), body));
}

int mk_first(struct orc_maker *m, int to, int dim, int condition)
{
    int start = mk_set(m, to, mk_num(m, -1)), found = mk_set(m, to, mk_var(m, 0));
    int body = orc_seq(m->p, found, mk_word(m, ORC_BREAK, 0));
    return orc_seq(m->p, start, whole(m, dim, condition, body));
}

/* Starts at 0 if the greatest is wanted, else at 3. */
int mk_most(struct orc_maker *m, int to, int dim, int condition, int e, bool max)
{
    int start = mk_set(m, to, mk_num(m, max ? 0 : 3));
    int better = max ? mk_bin(m, ORC_LT, mk_reg(m, to), e) : mk_bin(m, ORC_LT, e, mk_reg(m, to));
    return orc_seq(m->p, start, whole(m, dim, condition, mk_when(m, better, mk_set(m, to, e))));
}

int mk_write(struct orc_maker *m, int dim, int condition, int body)
{
    return whole(m, dim, condition, body);
}
