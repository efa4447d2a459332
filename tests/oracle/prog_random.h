/* Inside the oracle: what the makers of random programs share. */
#ifndef TESTS_ORACLE_PROG_RANDOM_H
#define TESTS_ORACLE_PROG_RANDOM_H

#include "tests/oracle/oracle.h"

struct orc_maker {
    struct orc_rng *r;
    const struct orc_prog_params *params;
    struct orc_prog *p;
    uint32_t set;    /* registers that have been set in this transaction */
    int index_param; /* this transaction's parameter that is a row index, or -1 */
    int value_param;
    int notes; /* a table with a row per transaction for what it saw, or -1 */
    int local; /* the fields of this transaction's local struct; 0: it has none yet */
};

int orc_maker_below(struct orc_maker *m, int n);
/* Expressions: a small number, an index of the table that is in bounds, a cell, an operand. */
int orc_maker_small(struct orc_maker *m);
int orc_maker_index_of(struct orc_maker *m, int table);
int orc_maker_any_cell(struct orc_maker *m);
int orc_maker_atom(struct orc_maker *m);
int orc_maker_stmt(struct orc_maker *m, int depth);
/* A transaction for databases (prog_random_server.c): reads, locks and writes of the first two
 * tables, one after the other.  What it read stays in its registers, and one that commits notes
 * that at the end. */
int orc_maker_busy(struct orc_maker *m);

#endif
