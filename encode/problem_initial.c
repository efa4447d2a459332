/* The initial state of the program as terms: C's initialisers with the writes of INITIAL on top,
 * for any row, constant or not.  See problem.h. */
#include "encode/problem.h"

bool prob_const_row(const struct problem *p, struct prob_row row, uint64_t *number)
{
    const struct sx_table *t = &p->sx->tables[row.table];
    uint64_t n = 0;
    for (uint32_t d = 0; d < t->n_dims; d++) {
        const struct term *i = term_get(p->store, row.index[d]);
        if (i->op != TERM_OP_CONST || i->lo < 0 || i->lo >= (term_int)t->dims[d])
            return false;
        n = n * t->dims[d] + (uint64_t)i->lo;
    }
    *number = n;
    return true;
}

/* Row `row` is the row with this number. */
static term_id row_is(struct problem *p, struct prob_row row, uint64_t number)
{
    const struct sx_table *t = &p->sx->tables[row.table];
    term_id same = TERM_TRUE;
    for (uint32_t d = t->n_dims; d-- > 0; number /= t->dims[d])
        same = term_and(
            p->store, same,
            term_eq(p->store, row.index[d], term_const(p->store, (term_int)(number % t->dims[d]))));
    return same;
}

static term_id rows_equal(struct problem *p, struct prob_row a, struct prob_row b)
{
    term_id same = TERM_TRUE;
    for (uint32_t d = 0; d < p->sx->tables[a.table].n_dims; d++)
        same = term_and(p->store, same, term_eq(p->store, a.index[d], b.index[d]));
    return same;
}

/* The value that most rows have, so that the others are the exceptions: Boyer and Moore's majority
 * vote; any value would be right. */
static term_id majority(const term_id *value, size_t n)
{
    term_id best = value[0];
    size_t votes = 0;
    for (size_t i = 0; i < n; i++) {
        if (votes == 0)
            best = value[i];
        votes = value[i] == best ? votes + 1 : votes - 1;
    }
    return best;
}

/* The initial value of every row of a table as terms, INITIAL's writes at constant rows put in. */
static const struct prob_init *initial_rows(struct problem *p, uint32_t table, uint32_t field)
{
    for (size_t i = 0; i < p->inits.len; i++)
        if (p->inits.data[i].table == table && p->inits.data[i].field == field)
            return &p->inits.data[i];
    const struct sx_table *t = &p->sx->tables[table];
    uint64_t n = sx_table_rows(t), at;
    struct prob_init init = {.table = table, .field = field};
    init.rows = arena_array(&p->arena, term_id, n + 1);
    for (uint64_t i = 0; i < n; i++)
        init.rows[i] = term_const(p->store, t->init ? t->init[i * t->n_fields + field] : 0);
    for (size_t i = 0; i < p->initial_writes.len; i++) {
        const struct prob_write *w = &p->initial_writes.data[i];
        if (w->row.table != table)
            continue;
        if (prob_const_row(p, w->row, &at))
            init.rows[at] = term_ite(p->store, w->guard, w->value[field], init.rows[at]);
        else
            init.symbolic = true;
    }
    init.common = majority(init.rows, n);
    vec_push(&p->inits, init);
    return &vec_last(&p->inits);
}

term_id prob_initial_value(struct problem *p, struct prob_row row, uint32_t field)
{
    const struct prob_init init = *initial_rows(p, row.table, field);
    uint64_t n = sx_table_rows(&p->sx->tables[row.table]), at;
    term_id value = init.common;
    if (prob_const_row(p, row, &at))
        value = init.rows[at];
    else
        for (uint64_t i = 0; i < n; i++)
            if (init.rows[i] != init.common)
                value = term_ite(p->store, row_is(p, row, i), init.rows[i], value);
    /* Writes that agree where they meet: any order, and after the constant ones. */
    for (size_t i = 0; init.symbolic && i < p->initial_writes.len; i++) {
        const struct prob_write *w = &p->initial_writes.data[i];
        if (w->row.table == row.table && !prob_const_row(p, w->row, &at)) {
            term_id hit = term_and(p->store, w->guard, rows_equal(p, row, w->row));
            value = term_ite(p->store, hit, w->value[field], value);
        }
    }
    return value;
}
