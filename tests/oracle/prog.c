/* Building oracle programs by hand, a line per expression or statement. */
#include <stdlib.h>
#include <string.h>
#include "tests/oracle/oracle.h"

/* The arrays are fixed; a program that does not fit is the test's mistake, in every build. */
static void must_fit(bool fits)
{
    if (!fits)
        abort();
}

void orc_prog_init(struct orc_prog *p)
{
    memset(p, 0, sizeof *p);
    p->invariant = -1;
}

int orc_table(struct orc_prog *p, const char *name, int rows, int fields)
{
    must_fit(p->n_tables < ORC_TABLES);
    struct orc_table t = {.array = rows > 0,
                          .rows = rows > 0 ? rows : 1,
                          .fields = fields,
                          .base = p->n_cells,
                          .name = name,
                          .n_dims = rows > 0,
                          .dim = {rows}};
    p->tables[p->n_tables] = t;
    p->n_cells += t.rows * fields;
    must_fit(p->n_cells <= ORC_CELLS);
    return p->n_tables++;
}

int orc_e(struct orc_prog *p, enum orc_expr_kind kind, int a, int b, int c)
{
    must_fit(p->n_exprs < ORC_EXPRS);
    p->exprs[p->n_exprs] = (struct orc_expr){kind, a, b, c, 0};
    return p->n_exprs++;
}

int orc_num(struct orc_prog *p, int value)
{
    return orc_e(p, ORC_CONST, value, 0, 0);
}

int orc_reg(struct orc_prog *p, int reg)
{
    return orc_e(p, ORC_REG, reg, 0, 0);
}

int orc_cell(struct orc_prog *p, int table, int index, int field)
{
    return orc_e(p, ORC_CELL, table, orc_num(p, index), field);
}

int orc_s(struct orc_prog *p, struct orc_stmt s)
{
    must_fit(p->n_stmts < ORC_STMTS);
    s.next = -1;
    p->stmts[p->n_stmts] = s;
    return p->n_stmts++;
}

int orc_seq(struct orc_prog *p, int first, int second)
{
    int last = first;
    if (first < 0)
        return second;
    while (p->stmts[last].next >= 0)
        last = p->stmts[last].next;
    p->stmts[last].next = second;
    return first;
}

int orc_set(struct orc_prog *p, int reg, int e)
{
    return orc_s(p, (struct orc_stmt){.kind = ORC_SET, .reg = reg, .e = e});
}

int orc_write(struct orc_prog *p, int table, int index, int field, int e)
{
    return orc_s(
        p,
        (struct orc_stmt){
            .kind = ORC_WRITE, .table = table, .index = orc_num(p, index), .field = field, .e = e});
}

int orc_if(struct orc_prog *p, int e, int yes, int no)
{
    return orc_s(p, (struct orc_stmt){.kind = ORC_IF, .e = e, .yes = yes, .no = no});
}

int orc_assert(struct orc_prog *p, int e)
{
    return orc_s(p, (struct orc_stmt){.kind = ORC_ASSERT, .e = e});
}

int orc_txn(struct orc_prog *p, int session, int body)
{
    must_fit(p->n_txns < ORC_TXNS);
    p->txns[p->n_txns] = (struct orc_ptxn){.session = session, .body = body};
    return p->n_txns++;
}

int orc_callee(const struct orc_prog *p, int t)
{
    return p->txns[t].same_as ? p->txns[t].same_as - 1 : t;
}
