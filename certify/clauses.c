/* Unit propagation along hints; see clauses.h. */
#include "certify/clauses.h"

void clauses_free(struct clauses *c)
{
    vec_free(&c->lits);
    vec_free(&c->ends);
    vec_free(&c->value);
    vec_free(&c->trail);
}

uint32_t clauses_new_var(struct clauses *c)
{
    vec_push(&c->value, 0);
    vec_push(&c->value, 0);
    return (uint32_t)(c->value.len / 2) - 1;
}

const uint32_t *clauses_get(const struct clauses *c, uint32_t i, uint32_t *n)
{
    uint32_t start = i ? c->ends.data[i - 1] : 0;
    *n = c->ends.data[i] - start;
    return c->lits.data + start;
}

void clauses_add(struct clauses *c, const uint32_t *lits, size_t n)
{
    for (size_t i = 0; i < n; i++)
        vec_push(&c->lits, lits[i]);
    vec_push(&c->ends, (uint32_t)c->lits.len);
}

static void make_true(struct clauses *c, uint32_t lit)
{
    c->value.data[lit] = 1;
    c->value.data[clause_not(lit)] = -1;
    vec_push(&c->trail, lit);
}

void clauses_retract(struct clauses *c)
{
    while (c->trail.len) {
        uint32_t lit = vec_pop(&c->trail);
        c->value.data[lit] = c->value.data[clause_not(lit)] = 0;
    }
}

/* Makes the one literal true that is not false. */
static enum clauses_outcome look_at(struct clauses *c, uint32_t clause)
{
    uint32_t n, left = 0, found = 0;
    const uint32_t *lits = clauses_get(c, clause, &n);
    for (uint32_t i = 0; i < n; i++) {
        if (clauses_value(c, lits[i]) < 0 || (found && lits[i] == left))
            continue;
        if (found++)
            return CLAUSES_WRONG;
        left = lits[i];
    }
    if (!found)
        return CLAUSES_FALSE;
    if (!clauses_value(c, left))
        make_true(c, left);
    return CLAUSES_OPEN;
}

enum clauses_outcome clauses_follow(struct clauses *c, const uint32_t *lits, size_t n,
                                    const uint32_t *hints, size_t hint_count)
{
    for (size_t i = 0; i < n; i++) {
        if (clauses_value(c, lits[i]) > 0) /* a literal and its negation: always true */
            return CLAUSES_FALSE;
        if (!clauses_value(c, lits[i]))
            make_true(c, clause_not(lits[i]));
    }
    enum clauses_outcome outcome = CLAUSES_OPEN;
    for (size_t i = 0; i < hint_count && outcome == CLAUSES_OPEN; i++)
        outcome = hints[i] < c->ends.len ? look_at(c, hints[i]) : CLAUSES_WRONG;
    return outcome;
}
