/* Unit propagation with two watched literals per clause (Moskewicz et al., DAC 2001); see
 * clauses.h.
 *
 * Invariant: between calls the trail has only what follows from the clauses, and stays. */
#include "certify/clauses.h"

void clauses_free(struct clauses *c)
{
    for (size_t i = 0; i < c->at.len; i++)
        vec_free(&c->at.data[i]);
    vec_free(&c->at);
    vec_free(&c->lits);
    vec_free(&c->ends);
    vec_free(&c->value);
    vec_free(&c->seen);
    vec_free(&c->trail);
    vec_free(&c->clean);
    *c = (struct clauses){0};
}

uint32_t clauses_new_var(struct clauses *c)
{
    for (int i = 0; i < 2; i++) {
        vec_push(&c->value, 0);
        vec_push(&c->seen, 0);
        (void)vec_add(&c->at);
    }
    return clauses_vars(c) - 1;
}

static void make_true(struct clauses *c, uint32_t lit)
{
    c->value.data[lit] = 1;
    c->value.data[clause_not(lit)] = -1;
    vec_push(&c->trail, lit);
}

static uint32_t *clause_at(struct clauses *c, uint32_t clause, uint32_t *n)
{
    uint32_t start = clause ? c->ends.data[clause - 1] : 0;
    *n = c->ends.data[clause] - start;
    return c->lits.data + start;
}

/* A literal that is watched in the clause became false.  Gives the literal that is now watched
 * instead; the same one, if there is none: then the clause's other watched literal must be true. */
static uint32_t move_watch(struct clauses *c, uint32_t clause, uint32_t is_false, uint32_t *other)
{
    uint32_t n, *lits = clause_at(c, clause, &n);
    if (lits[0] == is_false) {
        lits[0] = lits[1];
        lits[1] = is_false;
    }
    *other = lits[0];
    for (uint32_t i = 2; i < n && c->value.data[lits[0]] <= 0; i++)
        if (c->value.data[lits[i]] >= 0) {
            lits[1] = lits[i];
            lits[i] = is_false;
            break;
        }
    return lits[1];
}

/* Look at all clauses that watch a literal which became false.  False: one of them is false. */
static bool visit(struct clauses *c, uint32_t is_false)
{
    bool fine = true;
    size_t kept = 0, i = 0, n = c->at.data[is_false].len;
    for (; i < n && fine; i++) {
        struct clause_watch w = c->at.data[is_false].data[i];
        if (c->value.data[w.other] <= 0) {
            uint32_t now = move_watch(c, w.clause, is_false, &w.other);
            if (now != is_false) {
                vec_push(&c->at.data[now], w);
                continue;
            }
            if (!c->value.data[w.other])
                make_true(c, w.other);
            fine = c->value.data[w.other] > 0;
        }
        c->at.data[is_false].data[kept++] = w;
    }
    while (i < n)
        c->at.data[is_false].data[kept++] = c->at.data[is_false].data[i++];
    c->at.data[is_false].len = kept;
    return fine;
}

/* False: some clause is false. */
static bool propagate(struct clauses *c)
{
    while (c->queue < c->trail.len)
        if (!visit(c, clause_not(c->trail.data[c->queue++])))
            return false;
    return true;
}

static void undo(struct clauses *c, size_t to)
{
    while (c->trail.len > to) {
        uint32_t lit = vec_pop(&c->trail);
        c->value.data[lit] = c->value.data[clause_not(lit)] = 0;
    }
    c->queue = to;
}

bool clauses_contradict(struct clauses *c)
{
    if (!c->contradiction)
        c->contradiction = !propagate(c);
    return c->contradiction;
}

/* Each literal once, into c->clean, those that are false last; gives how many are not.  *always: a
 * literal and its negation are both there. */
static size_t clean_up(struct clauses *c, const uint32_t *lits, size_t n, bool *always)
{
    size_t not_false = 0;
    *always = false;
    vec_clear(&c->clean);
    for (size_t i = 0; i < n; i++) {
        if (c->seen.data[lits[i]])
            continue;
        *always |= c->seen.data[clause_not(lits[i])];
        c->seen.data[lits[i]] = 1;
        vec_push(&c->clean, lits[i]);
        if (c->value.data[lits[i]] >= 0) {
            vec_last(&c->clean) = c->clean.data[not_false];
            c->clean.data[not_false++] = lits[i];
        }
    }
    for (size_t i = 0; i < c->clean.len; i++)
        c->seen.data[c->clean.data[i]] = 0;
    return not_false;
}

void clauses_add(struct clauses *c, const uint32_t *lits, size_t n)
{
    bool always;
    if (clauses_contradict(c))
        return;
    size_t not_false = clean_up(c, lits, n, &always);
    if (always)
        return;
    uint32_t index = (uint32_t)c->ends.len;
    for (size_t i = 0; i < c->clean.len; i++)
        vec_push(&c->lits, c->clean.data[i]);
    vec_push(&c->ends, (uint32_t)c->lits.len);
    if (!not_false) {
        c->contradiction = true;
    } else if (not_false == 1) {
        if (!c->value.data[c->clean.data[0]])
            make_true(c, c->clean.data[0]);
    } else {
        for (int i = 0; i < 2; i++)
            vec_push(&c->at.data[c->clean.data[i]],
                     ((struct clause_watch){index, c->clean.data[1 - i]}));
    }
}

bool clauses_suppose_false(struct clauses *c, const uint32_t *lits, size_t n)
{
    if (clauses_contradict(c))
        return false;
    bool fine = true;
    c->known = c->trail.len;
    for (size_t i = 0; i < n && fine; i++) {
        fine = c->value.data[lits[i]] <= 0;
        if (!c->value.data[lits[i]])
            make_true(c, clause_not(lits[i]));
    }
    return fine && propagate(c);
}

void clauses_retract(struct clauses *c)
{
    if (!c->contradiction)
        undo(c, c->known);
}

bool clauses_derive(struct clauses *c, const uint32_t *lits, size_t n)
{
    bool follows = !clauses_suppose_false(c, lits, n);
    clauses_retract(c);
    if (follows)
        clauses_add(c, lits, n);
    return follows;
}
