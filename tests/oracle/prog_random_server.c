/* Random transactions for databases: busy ones, with locks and single-statement updates. */
#include "tests/oracle/prog_random.h"

/* A cell of another table than t. */
static int cell_elsewhere(struct orc_maker *m, int t)
{
    m->p->reads_elsewhere = true;
    int n = m->notes < 0 ? m->p->n_tables : m->notes,
        other = (t + 1 + orc_maker_below(m, n - 1)) % n;
    return orc_e(m->p, ORC_CELL, other, orc_maker_index_of(m, other),
                 orc_maker_below(m, m->p->tables[other].fields));
}

/* An assignment to a field of the row table[index] in an ATOMIC statement. */
static int make_column(struct orc_maker *m, int t, int index)
{
    int fields = m->p->tables[t].fields, kind = orc_maker_below(m, 6);
    int own = orc_e(m->p, ORC_CELL, t, index, orc_maker_below(m, fields)), one = orc_num(m->p, 1);
    struct orc_stmt s = {
        .kind = ORC_WRITE, .table = t, .index = index, .field = orc_maker_below(m, fields)};
    if (kind == 0) {
        s.kind = ORC_COMPOUND;
        s.op = orc_maker_below(m, 2) ? ORC_ADD : ORC_SUB;
        s.e = one;
    } else if (kind < 3) {
        s.e = orc_e(m->p, ORC_ADD, own, orc_maker_below(m, 2) ? one : cell_elsewhere(m, t), 0);
    } else {
        s.e = kind == 3   ? orc_num(m->p, 1 + orc_maker_below(m, 2))
              : kind == 4 ? own
                          : cell_elsewhere(m, t);
    }
    int made = orc_s(m->p, s);
    if (orc_maker_below(m, 5)) /* else a CASE */
        return made;
    return orc_if(m->p, orc_e(m->p, ORC_LT, own, orc_num(m->p, 1 + orc_maker_below(m, 2)), 0), made,
                  -1);
}

/* An UPDATE of a row, or of all rows of a table; one of a row may say in a register what became of
 * it.  Of its own table it reads the row alone. */
static int make_atomic(struct orc_maker *m, int t, int index)
{
    struct orc_stmt s = {.kind = ORC_ATOMIC, .table = t, .index = index, .e = -1, .no = -1};
    s.many = m->p->tables[t].array && orc_maker_below(m, 3) == 0;
    if (s.many)
        s.index = orc_e(m->p, ORC_LOOP, 0, 0, 0);
    if (orc_maker_below(m, 2)) {
        static const enum orc_expr_kind cmp[] = {ORC_EQ, ORC_NE, ORC_LT, ORC_LE};
        int cell = orc_e(m->p, ORC_CELL, t, s.index, orc_maker_below(m, m->p->tables[t].fields));
        if (orc_maker_below(m, 5) == 0)
            cell = orc_e(m->p, ORC_ADD, cell, cell_elsewhere(m, t), 0);
        s.e = orc_e(m->p, cmp[orc_maker_below(m, 4)], cell, orc_maker_small(m), 0);
    }
    s.yes = make_column(m, t, s.index);
    if (orc_maker_below(m, 3) == 0)
        s.yes = orc_seq(m->p, s.yes, make_column(m, t, s.index));
    if (!s.many && orc_maker_below(m, 2)) {
        int r = orc_maker_below(m, 2), what = orc_num(m->p, 1);
        if (orc_maker_below(m, 2))
            what = orc_e(m->p, ORC_CELL, t, s.index, orc_maker_below(m, m->p->tables[t].fields));
        s.yes = orc_seq(m->p, s.yes, orc_set(m->p, r, what));
        if (s.e >= 0 && orc_maker_below(m, 2))
            s.no = orc_set(m->p, r, orc_num(m->p, 2));
        m->set |= 1u << r;
    }
    return orc_s(m->p, s);
}

int orc_maker_busy(struct orc_maker *m)
{
    int body = -1;
    for (int i = 1 + orc_maker_below(m, m->params->stmts); i >= 0; i--) {
        int t = orc_maker_below(m, 3) == 0, index = orc_maker_index_of(m, t),
            f = orc_maker_below(m, m->p->tables[t].fields), s;
        int cell = orc_e(m->p, ORC_CELL, t, index, f),
            kind = orc_maker_below(m, m->params->atomic ? 11 : 8);
        struct orc_stmt place = {.kind = ORC_FOR_UPDATE, .table = t, .index = index, .field = f};
        if (kind < 3) {
            int r = m->set & 1 ? 1 : 0;
            s = orc_set(m->p, r, cell);
            m->set |= 1u << r;
        } else if (kind > 7) {
            s = make_atomic(m, t, index);
        } else if (kind < 5 && (m->params->locks || m->params->for_update)) {
            if (m->params->atomic && orc_maker_below(m, 2))
                place.kind = ORC_FOR_SHARE;
            s = orc_s(m->p, place);
        } else if (kind < 7) {
            place.kind = ORC_WRITE;
            place.e = orc_maker_below(m, 3)
                          ? orc_num(m->p, 1 + orc_maker_below(m, 2))
                          : orc_e(m->p, ORC_ADD, orc_maker_atom(m), orc_num(m->p, 1), 0);
            s = orc_s(m->p, place);
        } else {
            s = orc_maker_stmt(m, 1);
        }
        body = orc_seq(m->p, body, s);
    }
    int saw = orc_e(m->p, ORC_MUL, orc_num(m->p, 3),
                    m->set & 1 ? orc_reg(m->p, 0) : orc_maker_any_cell(m), 0);
    saw = orc_e(m->p, ORC_ADD, saw, m->set & 2 ? orc_reg(m->p, 1) : orc_maker_any_cell(m), 0);
    return m->notes < 0 ? body
                        : orc_seq(m->p, body, orc_write(m->p, m->notes, m->p->n_txns, 0, saw));
}
