/* Clauses in their arena: adding, watching, assigning, keeping them few. */
#include <assert.h>

#include "check/solver/sat_internal.h"

/* --- clauses ---------------------------------------------------------------------------------- */

void sat_watch(struct sat *s, uint32_t lit, uint32_t clause, uint32_t blocker)
{
    vec_push(&s->watches[lit], ((struct watch){clause, blocker}));
}

/* The literals to watch come first. */
uint32_t sat_new_clause(struct sat *s, const uint32_t *lits, size_t n, uint32_t lbd, uint32_t trace)
{
    uint32_t c = (uint32_t)s->arena.len;
    vec_push(&s->arena, (uint32_t)n);
    vec_push(&s->arena, lbd);
    vec_push(&s->arena, trace);
    for (size_t i = 0; i < n; i++)
        vec_push(&s->arena, lits[i]);
    if (n >= 2) {
        sat_watch(s, lits[0], c, lits[1]);
        sat_watch(s, lits[1], c, lits[0]);
    }
    if (lbd)
        vec_push(&s->learned, c);
    return c;
}

/* The level at which a clause implies a literal. */
static uint32_t implied_level(const struct sat *s, uint32_t lit, uint32_t reason)
{
    if (!s->mixed || reason == NO_CLAUSE)
        return (uint32_t)s->limits.len;
    const uint32_t *c = s->arena.data + reason;
    uint32_t level = 0;
    for (uint32_t i = 0; i < c[C_SIZE]; i++)
        if (c[C_LITS + i] != lit && s->level[c[C_LITS + i] / 2] > level)
            level = s->level[c[C_LITS + i] / 2];
    return level;
}

void sat_assign(struct sat *s, uint32_t lit, uint32_t reason)
{
    uint32_t v = lit / 2;
    assert(!s->value[lit]);
    s->value[lit] = 1;
    s->value[lit ^ 1] = -1;
    s->level[v] = implied_level(s, lit, reason);
    s->reason[v] = reason;
    vec_push(&s->trail, lit);
}

/* s->clause: the literals without repetitions.  False: a tautology. */
static bool simplify(struct sat *s, const uint32_t *lits, size_t n)
{
    sat_lits *c = &s->clause;
    vec_clear(c);
    for (size_t i = 0; i < n; i++) {
        bool twice = false;
        for (size_t j = 0; j < c->len; j++) {
            if (c->data[j] == (lits[i] ^ 1))
                return false;
            twice |= c->data[j] == lits[i];
        }
        if (!twice)
            vec_push(c, lits[i]);
    }
    return true;
}

/* Level 0 only: what is false now stays false.  The clause is kept whole for the trace; watches go
 * to literals that are not false. */
static void add(struct sat *s, enum trace_kind kind, uint32_t tag, const uint32_t *lits, size_t n)
{
    assert(!s->limits.len);
    if (!simplify(s, lits, n))
        return;
    sat_lits *c = &s->clause;
    size_t open = 0;
    for (size_t i = 0; i < c->len; i++) {
        if (s->value[c->data[i]] > 0)
            return;
        if (!s->value[c->data[i]]) {
            uint32_t lit = c->data[i];
            c->data[i] = c->data[open];
            c->data[open++] = lit;
        }
    }
    uint32_t trace = sat_trace_clause(s, kind, tag, c->data, c->len);
    if (s->unsat)
        return;
    if (!open) {
        s->unsat = true;
        s->final = trace;
        return;
    }
    uint32_t clause = sat_new_clause(s, c->data, c->len, 0, trace);
    if (open == 1)
        sat_assign(s, c->data[0], clause);
}

uint32_t sat_add_clause(struct sat *s, const uint32_t *lits, size_t n)
{
    add(s, TRACE_GIVEN, s->given, lits, n);
    return s->given++;
}

void sat_add_lemma(struct sat *s, const uint32_t *lits, size_t n, uint32_t tag)
{
    add(s, TRACE_THEORY, tag, lits, n);
}

/* --- keeping the clauses few ------------------------------------------------------------------ */

static bool locked(const struct sat *s, uint32_t c)
{
    uint32_t lit = s->arena.data[c + C_LITS];
    return s->value[lit] > 0 && s->reason[lit / 2] == c;
}

static void sort_by_lbd(const struct sat *s, sat_lits *v)
{
    /* Counting sort; what joins many levels is all alike. */
    enum { MANY = 64 };
    uint32_t count[MANY + 1] = {0};
    sat_lits sorted = {0};
    vec_reserve(&sorted, v->len + 1);
    sorted.len = v->len;
    for (size_t i = 0; i < v->len; i++) {
        uint32_t l = s->arena.data[v->data[i] + C_LBD];
        count[(l < MANY ? l : MANY - 1) + 1]++;
    }
    for (int i = 0; i < MANY; i++)
        count[i + 1] += count[i];
    for (size_t i = 0; i < v->len; i++) {
        uint32_t l = s->arena.data[v->data[i] + C_LBD];
        sorted.data[count[l < MANY ? l : MANY - 1]++] = v->data[i];
    }
    vec_free(v);
    *v = sorted;
}

/* Throw the worse half of the learned clauses away, move the rest together, watch anew. */
void sat_reduce(struct sat *s)
{
    sat_backtrack(s, 0);
    sort_by_lbd(s, &s->learned);
    size_t keep = s->learned.len / 2;
    for (size_t i = keep; i < s->learned.len; i++) {
        uint32_t c = s->learned.data[i];
        if (!locked(s, c) && s->arena.data[c + C_LBD] > 2 && s->arena.data[c + C_SIZE] > 2)
            s->arena.data[c + C_LBD] = DEAD;
    }
    sat_lits old = s->arena;
    s->arena = (sat_lits){0};
    vec_push(&s->arena, 0);
    vec_clear(&s->learned);
    for (uint32_t i = 0; i < 2 * s->vars; i++)
        vec_clear(&s->watches[i]);
    for (uint32_t i = 1; i < old.len; i += old.data[i] + C_LITS) {
        const uint32_t *c = old.data + i;
        uint32_t first = c[C_LITS], v = first / 2;
        bool is_reason = s->value[first] > 0 && s->reason[v] == i;
        if (c[C_LBD] == DEAD)
            continue;
        uint32_t to = sat_new_clause(s, c + C_LITS, c[C_SIZE], c[C_LBD], c[C_TRACE]);
        if (is_reason)
            s->reason[v] = to;
    }
    vec_free(&old);
    s->next_reduce = s->conflicts + 4000 + 400 * (s->conflicts / 4000);
}
