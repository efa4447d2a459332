/* Inside the oracle: short names for building programs on tables of any size; m is the maker. */
#ifndef TESTS_ORACLE_PROG_TABLES_H
#define TESTS_ORACLE_PROG_TABLES_H

#include "tests/oracle/oracle.h"

struct orc_maker {
    struct orc_rng *r;
    struct orc_prog *p;
};

enum { ANY_ROWS = 0 };

/* Tables.  dims: 0 … 2 of them, each a number or ANY_ROWS. */
int mk_table(struct orc_maker *m, const char *name, int n_dims, int first, int second, int fields);
int mk_txn(struct orc_maker *m, int body);
void mk_index(struct orc_maker *m, int txn, int dim);               /* a parameter: an index */
void mk_values(struct orc_maker *m, int txn, int first, int count); /* … or one of these */
int mk_pred(struct orc_maker *m, int body, int e);
void mk_every(struct orc_maker *m, int pred, int dim); /* a parameter: for every index */
void mk_every_value(struct orc_maker *m, int pred);

/* Statements. */
int mk_put(struct orc_maker *m, int table, int index, int field, int e);
int mk_put2(struct orc_maker *m, int table, int index, int second, int field, int e);
int mk_plus(struct orc_maker *m, int table, int index, int field, enum orc_expr_kind op, int e);
int mk_plus2(struct orc_maker *m, int table, int index, int second, int field,
             enum orc_expr_kind op, int e);
int mk_when(struct orc_maker *m, int e, int yes);
int mk_set(struct orc_maker *m, int reg, int e);
int mk_word(struct orc_maker *m, enum orc_stmt_kind kind, int e);
int mk_loop(struct orc_maker *m, int var, int from, int dim, int body);
int mk_seq3(struct orc_maker *m, int a, int b, int c);

/* Expressions. */
int mk_cell(struct orc_maker *m, int table, int index, int field);
int mk_cell2(struct orc_maker *m, int table, int index, int second, int field);
int mk_row(struct orc_maker *m, int table, int field); /* of a table without dimensions */
int mk_bin(struct orc_maker *m, enum orc_expr_kind kind, int a, int b);
int mk_num(struct orc_maker *m, int value);
int mk_reg(struct orc_maker *m, int number);
int mk_par(struct orc_maker *m, int number);
int mk_var(struct orc_maker *m, int number);
int mk_not(struct orc_maker *m, int e);
int mk_size(struct orc_maker *m);
int mk_fresh(struct orc_maker *m, int table, int lead);

static inline int mk_below(struct orc_maker *m, int n)
{
    return orc_below(m->r, n);
}

/* Folds, over the whole dimension with loop variable 0; the condition is about mk_var(m, 0), or -1.
 */
int mk_sum(struct orc_maker *m, int to, int dim, int condition, int e);
int mk_count(struct orc_maker *m, int to, int dim, int condition);
int mk_any(struct orc_maker *m, int to, int dim, int condition);
int mk_all(struct orc_maker *m, int to, int dim, int condition);
int mk_first(struct orc_maker *m, int to, int dim, int condition); /* -1: none */
int mk_most(struct orc_maker *m, int to, int dim, int condition, int e, bool max);
int mk_write(struct orc_maker *m, int dim, int condition, int body);

/* One mistake somewhere, such as a statement left out or a number that is one too large.  Folds
 * keep their shapes.  False if the program has no place for it. */
bool orc_prog_mutate(struct orc_rng *r, struct orc_prog *p);
/* A program made of parts that have nothing to do with each other (prog_soup.c). */
void orc_soup(struct orc_maker *m);

#endif
