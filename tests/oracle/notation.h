/* A short notation for programs built by hand; p is always the program being built. */
#ifndef TESTS_ORACLE_NOTATION_H
#define TESTS_ORACLE_NOTATION_H

#include "tests/oracle/oracle.h"

#define N(v) orc_num(p, v)
#define R(r) orc_reg(p, r)
#define C(t) orc_cell(p, t, 0, 0)
#define A(t, i) orc_cell(p, t, i, 0)
#define OP(kind, a, b) orc_e(p, ORC_##kind, a, b, 0)
#define IS(a, v) OP(EQ, a, N(v))
#define AND(a, b) OP(AND, a, b)
#define OR(a, b) OP(OR, a, b)
#define NOT(a) orc_e(p, ORC_NOT, a, 0, 0)
#define COND(a, b, c) orc_e(p, ORC_COND, a, b, c)
#define PUT(t, e) orc_write(p, t, 0, 0, e)
#define PUT_AT(t, i, e) orc_write(p, t, i, 0, e)
#define LET(r, e) orc_set(p, r, e)
#define IF(e, yes) orc_if(p, e, yes, -1)
#define SEQ(a, b) orc_seq(p, a, b)
#define TXN(body) orc_txn(p, p->n_txns, body)
#define ROW(name) orc_table(p, name, 0, 1)

#endif
