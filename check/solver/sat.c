/* CDCL with a theory; see sat.h.
 *
 * The usual ingredients: two watched literals with blockers (Moskewicz et al., Chaff, DAC 2001),
 * first-UIP learning with minimization (Sörensson and Biere, SAT 2009), activities in a heap, saved
 * phases, Luby restarts, clauses ranked by how many levels they join (Audemard and Simon, IJCAI
 * 2009).  Clauses live in one arena and are named by their offset; offset 0 is no clause.
 *
 * The caller numbers related variables near each other, so at first variables are decided in that
 * order: a conflict then undoes little.  Activities come in when that has not helped for a while.
 */
#include "check/solver/sat.h"

#include <assert.h>

#include "base/limit.h"
#include "check/solver/sat_internal.h"

/* --- life ------------------------------------------------------------------------------------- */

struct sat *sat_new(uint64_t seed, bool trace)
{
    struct sat *s = mem_calloc(1, sizeof *s);
    s->random = seed;
    s->bump = 1;
    s->tracing = trace;
    s->next_reduce = 4000;
    vec_push(&s->arena, 0);
    return s;
}

void sat_free(struct sat *s)
{
    if (!s)
        return;
    for (uint32_t i = 0; i < 2 * s->vars; i++)
        vec_free(&s->watches[i]);
    mem_free(s->watches);
    mem_free(s->value);
    mem_free(s->level);
    mem_free(s->reason);
    mem_free(s->phase);
    mem_free(s->seen);
    mem_free(s->activity);
    mem_free(s->heap);
    mem_free(s->heap_at);
    vec_free(&s->arena);
    vec_free(&s->learned);
    vec_free(&s->trail);
    vec_free(&s->limits);
    vec_free(&s->trace);
    vec_free(&s->trace_from);
    vec_free(&s->trace_lits);
    vec_free(&s->chain);
    vec_free(&s->clause);
    vec_free(&s->minimized);
    vec_free(&s->clear);
    vec_free(&s->conflict);
    mem_free(s);
}

void sat_set_theory(struct sat *s, const struct sat_theory *t)
{
    assert(!s->limits.len);
    s->theory = *t;
    s->told = 0;
}

static void grow(struct sat *s)
{
    uint32_t cap = s->cap ? s->cap * 2 : 64;
    s->watches = mem_realloc(s->watches, mem_mul(cap, 2 * sizeof *s->watches));
    s->value = mem_realloc(s->value, mem_mul(cap, 2));
    s->level = mem_realloc(s->level, mem_mul(cap, sizeof *s->level));
    s->reason = mem_realloc(s->reason, mem_mul(cap, sizeof *s->reason));
    s->phase = mem_realloc(s->phase, cap);
    s->seen = mem_realloc(s->seen, cap);
    s->activity = mem_realloc(s->activity, mem_mul(cap, sizeof *s->activity));
    s->heap = mem_realloc(s->heap, mem_mul(cap, sizeof *s->heap));
    s->heap_at = mem_realloc(s->heap_at, mem_mul(cap, sizeof *s->heap_at));
    s->cap = cap;
}

static uint32_t new_var(struct sat *s, bool phase, bool passive)
{
    if (s->vars == s->cap)
        grow(s);
    uint32_t v = s->vars++;
    s->watches[2 * v] = s->watches[2 * v + 1] = (watch_vec){0};
    s->value[2 * v] = s->value[2 * v + 1] = 0;
    s->level[v] = s->reason[v] = 0;
    s->phase[v] = phase;
    s->seen[v] = 0;
    s->activity[v] = 0;
    s->heap_at[v] = passive ? PASSIVE : UINT32_MAX;
    return v;
}

uint32_t sat_new_var(struct sat *s, bool phase)
{
    return new_var(s, phase, false);
}

uint32_t sat_new_passive(struct sat *s)
{
    return new_var(s, false, true);
}

uint32_t sat_vars(const struct sat *s)
{
    return s->vars;
}

bool sat_value(const struct sat *s, uint32_t var)
{
    return s->value[2 * var] > 0;
}

void sat_stats(const struct sat *s, struct stats *out)
{
    out->conflicts += s->conflicts;
    out->decisions += s->decisions;
    out->propagations += s->propagations;
}

/* --- propagation ------------------------------------------------------------------------------ */

/* Visit the clauses that watch the negation of `lit`, which is true now. */
static uint32_t propagate_lit(struct sat *s, uint32_t lit)
{
    uint32_t falsified = lit ^ 1, conflict = NO_CLAUSE;
    watch_vec *ws = &s->watches[falsified];
    size_t keep = 0, i = 0;
    s->propagations++;
    while (i < ws->len) {
        struct watch w = ws->data[i++];
        if (s->value[w.blocker] > 0) {
            ws->data[keep++] = w;
            continue;
        }
        uint32_t *c = s->arena.data + w.clause, size = c[C_SIZE], *l = c + C_LITS;
        uint32_t other = l[0] ^ l[1] ^ falsified;
        if (s->value[other] > 0) {
            ws->data[keep++] = (struct watch){w.clause, other};
            continue;
        }
        uint32_t k = 2;
        while (k < size && s->value[l[k]] < 0)
            k++;
        if (k < size) {
            l[0] = other;
            l[1] = l[k];
            l[k] = falsified;
            sat_watch(s, l[1], w.clause, other);
            ws = &s->watches[falsified];
            continue;
        }
        ws->data[keep++] = w;
        l[0] = other;
        l[1] = falsified;
        if (s->value[other] < 0) {
            conflict = w.clause;
            break;
        }
        sat_assign(s, other, w.clause);
    }
    while (i < ws->len)
        ws->data[keep++] = ws->data[i++];
    ws->len = keep;
    return conflict;
}

/* The theory's conflict is analyzed like a clause, but nobody watches it and nothing keeps it. */
static uint32_t theory_conflict(struct sat *s, uint32_t tag)
{
    uint32_t trace = sat_trace_clause(s, TRACE_THEORY, tag, s->conflict.data, s->conflict.len);
    uint32_t c = (uint32_t)s->arena.len;
    vec_push(&s->arena, (uint32_t)s->conflict.len);
    vec_push(&s->arena, DEAD);
    vec_push(&s->arena, trace);
    for (size_t i = 0; i < s->conflict.len; i++) {
        assert(s->value[s->conflict.data[i]] < 0);
        vec_push(&s->arena, s->conflict.data[i]);
    }
    return c;
}

/* Clauses first, they are cheap; then the theory, one literal at a time. */
static uint32_t propagate(struct sat *s)
{
    for (;;) {
        while (s->queue < s->trail.len) {
            uint32_t conflict = propagate_lit(s, s->trail.data[s->queue++]);
            if (conflict)
                return conflict;
        }
        if (s->told == s->trail.len)
            return NO_CLAUSE;
        uint32_t tag = 0;
        vec_clear(&s->conflict);
        if (s->theory.tell &&
            !s->theory.tell(s->theory.self, s->trail.data[s->told], &s->conflict, &tag))
            return theory_conflict(s, tag);
        s->told++;
    }
}

/* What is implied at a lower level than where it stands in the trail stays; it is propagated and
 * told again. */
void sat_backtrack(struct sat *s, uint32_t level)
{
    if (s->limits.len <= level)
        return;
    uint32_t start = s->limits.data[level], kept = start;
    while (s->told > start) {
        s->told--;
        if (s->theory.untell)
            s->theory.untell(s->theory.self, s->trail.data[s->told]);
    }
    for (size_t i = s->trail.len; i-- > start;) {
        uint32_t lit = s->trail.data[i];
        if (s->level[lit / 2] <= level)
            continue;
        s->value[lit] = s->value[lit ^ 1] = 0;
        s->phase[lit / 2] = !(lit & 1);
        sat_reopen(s, lit / 2);
    }
    for (size_t i = start; i < s->trail.len && s->mixed; i++)
        if (s->value[s->trail.data[i]])
            s->trail.data[kept++] = s->trail.data[i];
    s->trail.len = kept;
    s->limits.len = level;
    s->queue = start;
    s->mixed &= level > 0;
}

void sat_set_budget(struct sat *s, uint64_t conflicts, uint64_t literals)
{
    s->most_conflicts = conflicts;
    s->most_propagations = literals ? s->propagations + literals : 0;
}

static bool spent(const struct sat *s)
{
    return s->most_propagations && s->propagations > s->most_propagations;
}

void sat_be_patient(struct sat *s, uint32_t far)
{
    s->far = far;
}

/* --- search ----------------------------------------------------------------------------------- */

/* 1 1 2 1 1 2 4 1 1 2 … (Luby, Sinclair and Zuckerman 1993). */
static uint64_t luby(uint64_t i)
{
    uint64_t k = 1;
    while ((1ull << k) - 1 < i + 1)
        k++;
    while ((1ull << k) - 1 != i + 1) {
        i -= (1ull << (k - 1)) - 1;
        k = 1;
        while ((1ull << k) - 1 < i + 1)
            k++;
    }
    return 1ull << (k - 1);
}

static bool decide(struct sat *s)
{
    uint32_t v = sat_next(s);
    if (v == UINT32_MAX)
        return false;
    s->decisions++;
    vec_push(&s->limits, (uint32_t)s->trail.len);
    sat_assign(s, 2 * v + !s->phase[v], NO_CLAUSE);
    return true;
}

/* Back to the level that the conflict belongs to.  True: that is where no decision was made. */
static bool fails(struct sat *s, uint32_t conflict)
{
    const uint32_t *c = s->arena.data + conflict;
    uint32_t level = 0;
    s->conflicts++;
    for (uint32_t i = 0; i < c[C_SIZE]; i++)
        if (s->level[c[C_LITS + i] / 2] > level)
            level = s->level[c[C_LITS + i] / 2];
    sat_backtrack(s, level);
    if (level)
        return false;
    s->unsat = true;
    s->final = s->arena.data[conflict + C_TRACE];
    return true;
}

static enum sat_result search(struct sat *s, uint64_t budget)
{
    for (;;) {
        uint32_t conflict = propagate(s);
        if (conflict) {
            if (fails(s, conflict))
                return SAT_NO;
            sat_learn(s, conflict);
            if (budget && !--budget)
                return SAT_STOPPED;
            continue;
        }
        if (limit_reached() || spent(s))
            return SAT_STOPPED;
        if (!decide(s))
            return SAT_YES;
    }
}

/* Everything that follows at the start. */
static void settle(struct sat *s)
{
    uint32_t conflict = s->unsat ? NO_CLAUSE : propagate(s);
    if (conflict)
        fails(s, conflict);
}

void sat_probe(struct sat *s, uint32_t lit)
{
    settle(s);
    if (s->unsat || s->value[lit])
        return;
    vec_push(&s->limits, (uint32_t)s->trail.len);
    sat_assign(s, lit, NO_CLAUSE);
    uint32_t conflict = propagate(s);
    if (conflict && !fails(s, conflict))
        sat_learn(s, conflict);
    sat_backtrack(s, 0);
    settle(s);
}

void sat_restart(struct sat *s)
{
    sat_backtrack(s, 0);
}

/* Decisions that would be made again stay (van der Tak, Ramos and Heule, JSAT 2011). */
static void restart(struct sat *s)
{
    uint32_t level = 0, next = sat_next(s);
    while (next != UINT32_MAX && level < s->limits.len &&
           sat_before(s, s->trail.data[s->limits.data[level]] / 2, next))
        level++;
    sat_backtrack(s, level);
}

enum sat_result sat_solve(struct sat *s)
{
    if (s->unsat)
        return SAT_NO;
    for (uint64_t restarts = 0;; restarts++) {
        enum sat_result r = search(s, 64 * luby(restarts));
        if (r != SAT_STOPPED || limit_reached())
            return r;
        if (spent(s) || (s->most_conflicts && s->conflicts > s->most_conflicts))
            return SAT_STOPPED;
        restart(s);
        if (s->conflicts >= s->next_reduce)
            sat_reduce(s);
    }
}
