/* A whole database state as unknowns, for questions about "every state": the proof rule.
 *
 * Tables of few rows have one constant per cell; larger ones an uninterpreted function per field,
 * from row numbers to values.  Every row that is mentioned is noted, so that facts about all rows
 * can be asserted for those (the others are free to obey them). */
#ifndef ENCODE_ZSTATE_H
#define ENCODE_ZSTATE_H

#include "encode/problem.h"
#include "encode/zterm.h"

struct zstate {
    struct zterm *t;
    struct problem *p;
    const char *name;
    Z3_func_decl **function; /* [table][field], or NULL where there are constants */
    Z3_ast ***cell;          /* [table][field][row] */
};

void zstate_init(struct zstate *s, struct zterm *t, struct problem *p, struct arena *a,
                 const char *name);
/* The value of a field in a row; Bool for bool fields. */
Z3_ast zstate_cell(struct zstate *s, struct prob_row row, uint32_t field);
/* Ties the leaves of a read to the state. */
void zstate_read(struct zstate *s, const struct prob_read *r);
bool zstate_is_bit(const struct problem *p, uint32_t table, uint32_t field);
/* A term as the value of such a field. */
Z3_ast zstate_value(struct zterm *t, const struct problem *p, uint32_t table, uint32_t field,
                    term_id v);
/* In the model. */
term_int zstate_model(struct zstate *s, uint32_t table, uint64_t row, uint32_t field);
struct prob_row zstate_row(struct problem *p, uint32_t table, uint64_t number);
Z3_ast zstate_same_row(struct zterm *t, struct problem *p, struct prob_row a, struct prob_row b);

#endif
