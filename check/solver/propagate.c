/* Unit propagation with two watched literals per clause (Moskewicz et al., DAC 2001) and reasons;
 * see propagate.h.
 *
 * Invariant: between calls the trail has only what follows from the clauses, and stays. */
#include "check/solver/propagate.h"

void propagate_init(struct propagate *p)
{
    *p = (struct propagate){.conflict = PROPAGATE_NONE};
}

void propagate_free(struct propagate *p)
{
    for (size_t i = 0; i < p->at.len; i++)
        vec_free(&p->at.data[i]);
    vec_free(&p->at);
    vec_free(&p->lits);
    vec_free(&p->ends);
    vec_free(&p->value);
    vec_free(&p->reason);
    vec_free(&p->trail);
    vec_free(&p->seen);
    vec_free(&p->clean);
    vec_free(&p->stack);
}

void propagate_new_var(struct propagate *p)
{
    for (int i = 0; i < 2; i++) {
        vec_push(&p->value, 0);
        (void)vec_add(&p->at);
    }
    vec_push(&p->reason, PROPAGATE_NONE);
    vec_push(&p->seen, 0);
}

static uint32_t *clause_at(const struct propagate *p, uint32_t clause, uint32_t *n)
{
    uint32_t start = clause ? p->ends.data[clause - 1] : 0;
    *n = p->ends.data[clause] - start;
    return p->lits.data + start;
}

static void make_true(struct propagate *p, uint32_t lit, uint32_t reason)
{
    p->value.data[lit] = 1;
    p->value.data[sat_neg(lit)] = -1;
    p->reason.data[lit / 2] = reason;
    vec_push(&p->trail, lit);
}

/* A literal that is watched in the clause became false.  Gives the literal that is now watched
 * instead; the same one, if there is none: then the clause's other watched literal must be true. */
static uint32_t move_watch(struct propagate *p, uint32_t clause, uint32_t is_false, uint32_t *other)
{
    uint32_t n, *lits = clause_at(p, clause, &n);
    if (lits[0] == is_false) {
        lits[0] = lits[1];
        lits[1] = is_false;
    }
    *other = lits[0];
    for (uint32_t i = 2; i < n && p->value.data[lits[0]] <= 0; i++)
        if (p->value.data[lits[i]] >= 0) {
            lits[1] = lits[i];
            lits[i] = is_false;
            break;
        }
    return lits[1];
}

/* Look at all clauses that watch a literal which became false. */
static void visit(struct propagate *p, uint32_t is_false)
{
    size_t kept = 0, i = 0, n = p->at.data[is_false].len;
    for (; i < n && p->conflict == PROPAGATE_NONE; i++) {
        struct propagate_watch w = p->at.data[is_false].data[i];
        if (p->value.data[w.other] <= 0) {
            uint32_t now = move_watch(p, w.clause, is_false, &w.other);
            if (now != is_false) {
                vec_push(&p->at.data[now], w);
                continue;
            }
            if (!p->value.data[w.other])
                make_true(p, w.other, w.clause);
            else if (p->value.data[w.other] < 0)
                p->conflict = w.clause;
        }
        p->at.data[is_false].data[kept++] = w;
    }
    while (i < n)
        p->at.data[is_false].data[kept++] = p->at.data[is_false].data[i++];
    p->at.data[is_false].len = kept;
}

static void propagate(struct propagate *p)
{
    while (p->queue < p->trail.len && p->conflict == PROPAGATE_NONE)
        visit(p, sat_neg(p->trail.data[p->queue++]));
}

/* What follows without any supposition. */
static void settle(struct propagate *p)
{
    if (p->contradiction)
        return;
    propagate(p);
    p->contradiction = p->conflict != PROPAGATE_NONE;
}

/* Each literal once, into p->clean, those that are false last; gives how many are not. */
static size_t clean_up(struct propagate *p, const uint32_t *lits, size_t n)
{
    size_t not_false = 0;
    vec_clear(&p->clean);
    for (size_t i = 0; i < n; i++) {
        bool twice = false;
        for (size_t k = 0; k < p->clean.len && !twice; k++)
            twice = p->clean.data[k] == lits[i];
        if (twice)
            continue;
        vec_push(&p->clean, lits[i]);
        if (p->value.data[lits[i]] >= 0) {
            vec_last(&p->clean) = p->clean.data[not_false];
            p->clean.data[not_false++] = lits[i];
        }
    }
    return not_false;
}

void propagate_add(struct propagate *p, const uint32_t *lits, size_t n)
{
    uint32_t index = propagate_count(p);
    settle(p);
    size_t not_false = clean_up(p, lits, n);
    for (size_t i = 0; i < p->clean.len; i++)
        vec_push(&p->lits, p->clean.data[i]);
    vec_push(&p->ends, (uint32_t)p->lits.len);
    if (p->contradiction)
        return;
    if (!not_false) {
        p->contradiction = true;
        p->conflict = index;
    } else if (not_false == 1) {
        if (!p->value.data[p->clean.data[0]])
            make_true(p, p->clean.data[0], index);
    } else {
        for (int i = 0; i < 2; i++)
            vec_push(&p->at.data[p->clean.data[i]],
                     ((struct propagate_watch){index, p->clean.data[1 - i]}));
    }
}

bool propagate_suppose_false(struct propagate *p, const uint32_t *lits, size_t n)
{
    settle(p);
    if (p->contradiction)
        return true;
    p->known = p->trail.len;
    for (size_t i = 0; i < n; i++) {
        if (p->value.data[lits[i]] > 0) {
            p->conflict = p->reason.data[lits[i] / 2];
            return true;
        }
        if (!p->value.data[lits[i]])
            make_true(p, sat_neg(lits[i]), PROPAGATE_NONE);
    }
    propagate(p);
    return p->conflict != PROPAGATE_NONE;
}

void propagate_retract(struct propagate *p)
{
    if (p->contradiction)
        return;
    while (p->trail.len > p->known) {
        uint32_t lit = vec_pop(&p->trail);
        p->value.data[lit] = p->value.data[sat_neg(lit)] = 0;
        p->reason.data[lit / 2] = PROPAGATE_NONE;
    }
    p->queue = p->known;
    p->conflict = PROPAGATE_NONE;
}

/* --- hints ------------------------------------------------------------------------------------ */

/* The clauses that make the variable what it is, each behind those that it rests on: depth first.
 * On the stack are variables, and whether their reason has been looked into. */
static void explain(struct propagate *p, uint32_t var, const uint32_t *unit, sat_lits *hints)
{
    vec_push(&p->stack, 2 * var);
    while (p->stack.len) {
        uint32_t top = vec_pop(&p->stack), v = top / 2, n;
        if (top & 1) {
            vec_push(hints, p->reason.data[v]);
            continue;
        }
        if (p->seen.data[v] || p->reason.data[v] == PROPAGATE_NONE)
            continue;
        p->seen.data[v] = 1;
        vec_push(&p->clean, v);
        if (unit && unit[v] != PROPAGATE_NONE) {
            vec_push(hints, unit[v]);
            continue;
        }
        vec_push(&p->stack, 2 * v + 1);
        const uint32_t *lits = clause_at(p, p->reason.data[v], &n);
        for (uint32_t i = 0; i < n; i++)
            if (lits[i] / 2 != v && !p->seen.data[lits[i] / 2])
                vec_push(&p->stack, lits[i] & ~1u);
    }
}

static void forget_seen(struct propagate *p)
{
    while (p->clean.len)
        p->seen.data[vec_pop(&p->clean)] = 0;
}

void propagate_hints(struct propagate *p, const uint32_t *unit, sat_lits *hints)
{
    uint32_t n;
    if (p->conflict == PROPAGATE_NONE) /* the literals themselves contradict each other */
        return;
    const uint32_t *lits = clause_at(p, p->conflict, &n);
    vec_clear(&p->clean);
    for (uint32_t i = 0; i < n; i++)
        if (p->reason.data[lits[i] / 2] != p->conflict)
            explain(p, lits[i] / 2, unit, hints);
    vec_push(hints, p->conflict);
    forget_seen(p);
}

void propagate_hints_for(struct propagate *p, const uint32_t *vars, size_t n, const uint32_t *unit,
                         sat_lits *hints)
{
    vec_clear(&p->clean);
    for (size_t i = 0; i < n; i++)
        explain(p, vars[i], unit, hints);
    forget_seen(p);
}
