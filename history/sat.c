/* CDCL with a theory; see sat.h.
 *
 * The usual ingredients: two watched literals with blockers (Moskewicz et al., Chaff, DAC 2001),
 * first-UIP learning with minimization (Sörensson and Biere, SAT 2009), activities in a heap, saved
 * phases, Luby restarts, clauses ranked by how many levels they join (Audemard and Simon, IJCAI
 * 2009).  Clauses live in one arena and are named by their offset; offset 0 is no clause.
 *
 * The caller numbers related variables near each other, so at first variables are decided in that
 * order: a conflict then undoes little.  Activities come in when that has not helped for a while.
 *
 * Invariants: the first two literals of a clause are watched; a reason's first literal is the one
 * it implies; trail[0 … told) is what the theory knows, in this order. */
#include "history/sat.h"

#include <assert.h>

#include "base/limit.h"
#include "base/map.h"
#include "base/mem.h"

#define NO_CLAUSE 0u
#define CALM 200 /* conflicts, and a tenth of the variables */

struct watch {
    uint32_t clause, blocker;
};
typedef VEC(struct watch) watch_vec;

/* A clause in the arena: size, lbd (0: given, DEAD: to be thrown away), trace id, literals. */
enum { C_SIZE, C_LBD, C_TRACE, C_LITS };
#define DEAD UINT32_MAX

/* How a clause came to be: from the user (tag: its number), the theory (tag: its tag), or by
 * resolution of the traced clauses trace_from[start … start + len). */
enum trace_kind { TRACE_GIVEN, TRACE_THEORY, TRACE_LEARNED };
struct trace {
    uint32_t kind, tag, start, len;
    uint32_t lits, size; /* a range of trace_lits */
};

struct sat {
    sat_lits arena;
    sat_lits learned; /* offsets */
    watch_vec *watches;
    int8_t *value; /* per literal: 1 true, -1 false, 0 open */
    uint32_t *level, *reason;
    uint8_t *phase, *seen;
    double *activity, bump;
    uint32_t *heap, *heap_at; /* heap_at: position, or UINT32_MAX */
    uint32_t heap_len, vars, cap;

    sat_lits trail, limits; /* limits: where each level starts in the trail */
    uint32_t queue, told;
    bool unsat;

    struct sat_theory theory;
    uint32_t given;
    uint64_t random;
    uint64_t conflicts, decisions, propagations, next_reduce;

    bool tracing;
    VEC(struct trace) trace;
    sat_lits trace_from, trace_lits, chain;
    uint32_t final; /* traced clause that is false at level 0 */

    sat_lits clause, minimized, clear, conflict;
};

/* --- variables and their heap ----------------------------------------------------------------- */

static bool before(const struct sat *s, uint32_t a, uint32_t b)
{
    return s->activity[a] > s->activity[b] || (s->activity[a] == s->activity[b] && a < b);
}

static void heap_up(struct sat *s, uint32_t i)
{
    uint32_t v = s->heap[i];
    for (; i && before(s, v, s->heap[(i - 1) / 2]); i = (i - 1) / 2) {
        s->heap[i] = s->heap[(i - 1) / 2];
        s->heap_at[s->heap[i]] = i;
    }
    s->heap[i] = v;
    s->heap_at[v] = i;
}

static void heap_down(struct sat *s, uint32_t i)
{
    uint32_t v = s->heap[i];
    for (;;) {
        uint32_t c = 2 * i + 1;
        if (c >= s->heap_len)
            break;
        if (c + 1 < s->heap_len && before(s, s->heap[c + 1], s->heap[c]))
            c++;
        if (!before(s, s->heap[c], v))
            break;
        s->heap[i] = s->heap[c];
        s->heap_at[s->heap[i]] = i;
        i = c;
    }
    s->heap[i] = v;
    s->heap_at[v] = i;
}

static void heap_insert(struct sat *s, uint32_t v)
{
    if (s->heap_at[v] != UINT32_MAX)
        return;
    s->heap[s->heap_len] = v;
    heap_up(s, s->heap_len++);
}

static uint32_t heap_pop(struct sat *s)
{
    uint32_t top = s->heap[0];
    s->heap_at[top] = UINT32_MAX;
    uint32_t last = s->heap[--s->heap_len];
    if (s->heap_len) {
        s->heap[0] = last;
        heap_down(s, 0);
    }
    return top;
}

static void bump_var(struct sat *s, uint32_t v)
{
    s->activity[v] += s->bump;
    if (s->activity[v] > 1e100) {
        for (uint32_t i = 0; i < s->vars; i++)
            s->activity[i] *= 1e-100;
        s->bump *= 1e-100;
    }
    if (s->heap_at[v] != UINT32_MAX)
        heap_up(s, s->heap_at[v]);
}

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
    s->theory = *t;
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

/* The seed only breaks ties, by a trifle of activity. */
uint32_t sat_new_var(struct sat *s, bool phase)
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
    if (s->random)
        s->activity[v] = (double)(hash_u64(s->random + v) >> 40) * 1e-12;
    s->heap_at[v] = UINT32_MAX;
    heap_insert(s, v);
    return v;
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

/* --- trace ------------------------------------------------------------------------------------ */

static uint32_t trace_clause(struct sat *s, enum trace_kind kind, uint32_t tag,
                             const uint32_t *lits, size_t n)
{
    if (!s->tracing)
        return 0;
    struct trace t = {
        .kind = kind, .tag = tag, .lits = (uint32_t)s->trace_lits.len, .size = (uint32_t)n};
    for (size_t i = 0; i < n; i++)
        vec_push(&s->trace_lits, lits[i]);
    t.start = (uint32_t)s->trace_from.len;
    if (kind == TRACE_LEARNED)
        for (size_t i = 0; i < s->chain.len; i++)
            vec_push(&s->trace_from, s->chain.data[i]);
    t.len = (uint32_t)s->trace_from.len - t.start;
    vec_push(&s->trace, t);
    return (uint32_t)s->trace.len - 1;
}

/* A clause that resolution uses; of the literals that are false at level 0, their reasons are used
 * as well, which sat_core finds by itself. */
static void trace_use(struct sat *s, uint32_t trace)
{
    if (s->tracing)
        vec_push(&s->chain, trace);
}

/* --- clauses ---------------------------------------------------------------------------------- */

static void watch(struct sat *s, uint32_t lit, uint32_t clause, uint32_t blocker)
{
    vec_push(&s->watches[lit], ((struct watch){clause, blocker}));
}

/* The literals to watch come first. */
static uint32_t new_clause(struct sat *s, const uint32_t *lits, size_t n, uint32_t lbd,
                           uint32_t trace)
{
    uint32_t c = (uint32_t)s->arena.len;
    vec_push(&s->arena, (uint32_t)n);
    vec_push(&s->arena, lbd);
    vec_push(&s->arena, trace);
    for (size_t i = 0; i < n; i++)
        vec_push(&s->arena, lits[i]);
    if (n >= 2) {
        watch(s, lits[0], c, lits[1]);
        watch(s, lits[1], c, lits[0]);
    }
    if (lbd)
        vec_push(&s->learned, c);
    return c;
}

static void assign(struct sat *s, uint32_t lit, uint32_t reason)
{
    uint32_t v = lit / 2;
    assert(!s->value[lit]);
    s->value[lit] = 1;
    s->value[lit ^ 1] = -1;
    s->level[v] = (uint32_t)s->limits.len;
    s->reason[v] = reason;
    vec_push(&s->trail, lit);
}

/* Level 0 only: what is false now stays false.  The clause is kept whole for the trace; watches go
 * to literals that are not false. */
uint32_t sat_add_clause(struct sat *s, const uint32_t *lits, size_t n)
{
    assert(!s->limits.len);
    uint32_t number = s->given++;
    sat_lits *c = &s->clause;
    vec_clear(c);
    for (size_t i = 0; i < n; i++) {
        bool twice = false;
        for (size_t j = 0; j < c->len; j++) {
            if (c->data[j] == (lits[i] ^ 1))
                return number; /* a tautology */
            twice |= c->data[j] == lits[i];
        }
        if (!twice)
            vec_push(c, lits[i]);
    }
    size_t open = 0;
    for (size_t i = 0; i < c->len; i++) {
        if (s->value[c->data[i]] > 0)
            return number;
        if (!s->value[c->data[i]]) {
            uint32_t lit = c->data[i];
            c->data[i] = c->data[open];
            c->data[open++] = lit;
        }
    }
    uint32_t trace = trace_clause(s, TRACE_GIVEN, number, c->data, c->len);
    if (s->unsat)
        return number;
    if (!open) {
        s->unsat = true;
        s->final = trace;
        return number;
    }
    uint32_t clause = new_clause(s, c->data, c->len, 0, trace);
    if (open == 1)
        assign(s, c->data[0], clause);
    return number;
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
            watch(s, l[1], w.clause, other);
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
        assign(s, other, w.clause);
    }
    while (i < ws->len)
        ws->data[keep++] = ws->data[i++];
    ws->len = keep;
    return conflict;
}

/* The theory's conflict is analyzed like a clause, but nobody watches it and nothing keeps it. */
static uint32_t theory_conflict(struct sat *s, uint32_t tag)
{
    uint32_t trace = trace_clause(s, TRACE_THEORY, tag, s->conflict.data, s->conflict.len);
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

static void backtrack(struct sat *s, uint32_t level)
{
    if (s->limits.len <= level)
        return;
    uint32_t start = s->limits.data[level];
    while (s->told > start) {
        s->told--;
        if (s->theory.untell)
            s->theory.untell(s->theory.self, s->trail.data[s->told]);
    }
    while (s->trail.len > start) {
        uint32_t lit = vec_pop(&s->trail);
        s->value[lit] = s->value[lit ^ 1] = 0;
        s->phase[lit / 2] = !(lit & 1);
        heap_insert(s, lit / 2);
    }
    s->limits.len = level;
    s->queue = start;
}

/* --- learning --------------------------------------------------------------------------------- */

static void mark(struct sat *s, uint32_t v)
{
    s->seen[v] = 1;
    vec_push(&s->clear, v);
}

/* Resolve the conflict backwards along the trail until one literal of the present level is left:
 * s->clause, that literal first. */
static void resolve(struct sat *s, uint32_t conflict)
{
    uint32_t open = 0, level = (uint32_t)s->limits.len, c = conflict, lit = 0;
    size_t at = s->trail.len;
    bool first = true;
    vec_clear(&s->clause);
    vec_push(&s->clause, 0);
    do {
        const uint32_t *l = s->arena.data + c + C_LITS;
        trace_use(s, s->arena.data[c + C_TRACE]);
        for (uint32_t i = 0; i < s->arena.data[c + C_SIZE]; i++) {
            uint32_t v = l[i] / 2;
            if ((!first && l[i] == lit) || s->seen[v] || !s->level[v])
                continue;
            mark(s, v);
            if (s->conflicts > CALM + s->vars / 10)
                bump_var(s, v);
            if (s->level[v] == level)
                open++;
            else
                vec_push(&s->clause, l[i]);
        }
        do
            lit = s->trail.data[--at];
        while (!s->seen[lit / 2]);
        c = s->reason[lit / 2];
        first = false;
        open--;
    } while (open);
    s->clause.data[0] = lit ^ 1;
}

/* Implied by the rest of the clause through its reason? */
static bool redundant(struct sat *s, uint32_t lit)
{
    uint32_t c = s->reason[lit / 2];
    if (c == NO_CLAUSE)
        return false;
    const uint32_t *l = s->arena.data + c + C_LITS;
    for (uint32_t i = 0; i < s->arena.data[c + C_SIZE]; i++)
        if (l[i] / 2 != lit / 2 && !s->seen[l[i] / 2] && s->level[l[i] / 2])
            return false;
    trace_use(s, s->arena.data[c + C_TRACE]);
    return true;
}

static void minimize(struct sat *s)
{
    vec_clear(&s->minimized);
    vec_push(&s->minimized, s->clause.data[0]);
    for (size_t i = 1; i < s->clause.len; i++)
        if (!redundant(s, s->clause.data[i]))
            vec_push(&s->minimized, s->clause.data[i]);
    for (size_t i = 0; i < s->clear.len; i++)
        s->seen[s->clear.data[i]] = 0;
    vec_clear(&s->clear);
}

static uint32_t count_levels(struct sat *s, const sat_lits *c)
{
    uint32_t levels = 0;
    for (size_t i = 0; i < c->len; i++) {
        uint32_t level = s->level[c->data[i] / 2];
        bool known = false;
        for (size_t j = 0; j < i && !known && j < 32; j++)
            known = s->level[c->data[j] / 2] == level;
        levels += !known;
    }
    return levels;
}

static void learn(struct sat *s, uint32_t conflict)
{
    vec_clear(&s->chain);
    resolve(s, conflict);
    minimize(s);
    sat_lits *c = &s->minimized;
    uint32_t back = 0;
    for (size_t i = 1; i < c->len; i++)
        if (s->level[c->data[i] / 2] > back) {
            back = s->level[c->data[i] / 2];
            uint32_t lit = c->data[i];
            c->data[i] = c->data[1];
            c->data[1] = lit;
        }
    uint32_t lbd = count_levels(s, c);
    backtrack(s, back);
    uint32_t trace = trace_clause(s, TRACE_LEARNED, 0, c->data, c->len);
    uint32_t clause = new_clause(s, c->data, c->len, lbd, trace);
    assign(s, c->data[0], clause);
    s->bump *= 1 / 0.95;
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
static void reduce(struct sat *s)
{
    backtrack(s, 0);
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
        uint32_t to = new_clause(s, c + C_LITS, c[C_SIZE], c[C_LBD], c[C_TRACE]);
        if (is_reason)
            s->reason[v] = to;
    }
    vec_free(&old);
    s->next_reduce = s->conflicts + 4000 + 400 * (s->conflicts / 4000);
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
    while (s->heap_len) {
        uint32_t v = heap_pop(s);
        if (s->value[2 * v])
            continue;
        s->decisions++;
        vec_push(&s->limits, (uint32_t)s->trail.len);
        assign(s, 2 * v + !s->phase[v], NO_CLAUSE);
        return true;
    }
    return false;
}

static enum sat_result search(struct sat *s, uint64_t budget)
{
    for (;;) {
        uint32_t conflict = propagate(s);
        if (conflict) {
            s->conflicts++;
            if (!s->limits.len) {
                s->unsat = true;
                s->final = s->arena.data[conflict + C_TRACE];
                return SAT_NO;
            }
            learn(s, conflict);
            if (budget && !--budget)
                return SAT_STOPPED;
            continue;
        }
        if (limit_reached())
            return SAT_STOPPED;
        if (!decide(s))
            return SAT_YES;
    }
}

void sat_restart(struct sat *s)
{
    backtrack(s, 0);
}

enum sat_result sat_solve(struct sat *s)
{
    if (s->unsat)
        return SAT_NO;
    for (uint64_t restarts = 0;; restarts++) {
        enum sat_result r = search(s, 64 * luby(restarts));
        if (r != SAT_STOPPED || limit_reached())
            return r;
        backtrack(s, 0);
        if (s->conflicts >= s->next_reduce)
            reduce(s);
    }
}

/* --- core ------------------------------------------------------------------------------------- */

static void use_trace(uint8_t *used, uint32_t trace, sat_lits *work)
{
    if (!used[trace])
        vec_push(work, trace);
    used[trace] = 1;
}

/* Everything that the final conflict rests on: a learned clause on those it was resolved from, and
 * any literal that is false at level 0 on the reason for that. */
void sat_core(struct sat *s, sat_lits *clauses, sat_lits *tags)
{
    assert(s->tracing && s->unsat);
    uint8_t *used = mem_calloc(s->trace.len + 1, 1);
    sat_lits work = {0};
    use_trace(used, s->final, &work);
    while (work.len) {
        const struct trace *t = &s->trace.data[vec_pop(&work)];
        if (t->kind == TRACE_GIVEN)
            vec_push(clauses, t->tag);
        if (t->kind == TRACE_THEORY)
            vec_push(tags, t->tag);
        for (uint32_t i = 0; i < t->len; i++)
            use_trace(used, s->trace_from.data[t->start + i], &work);
        for (uint32_t i = 0; i < t->size; i++) {
            uint32_t lit = s->trace_lits.data[t->lits + i], v = lit / 2;
            if (s->value[lit] >= 0 || s->level[v] || s->reason[v] == NO_CLAUSE)
                continue;
            use_trace(used, s->arena.data[s->reason[v] + C_TRACE], &work);
        }
    }
    vec_free(&work);
    mem_free(used);
}
