/* How clauses came to be, and from that what a contradiction really rests on. */
#include <assert.h>

#include "check/solver/sat_internal.h"

uint32_t sat_trace_clause(struct sat *s, enum trace_kind kind, uint32_t tag, const uint32_t *lits,
                          size_t n)
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
void sat_trace_use(struct sat *s, uint32_t trace)
{
    if (s->tracing)
        vec_push(&s->chain, trace);
}

static void use_trace(uint8_t *used, uint32_t trace, sat_lits *work)
{
    if (!used[trace])
        vec_push(work, trace);
    used[trace] = 1;
}

/* Per traced clause, whether the final conflict rests on it: a learned clause rests on those it was
 * resolved from, and any literal that is false at level 0 on the reason for that.  Numbers and tags
 * of what was given are appended to *clauses and *tags. */
static uint8_t *find_used(struct sat *s, sat_lits *clauses, sat_lits *tags)
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
    return used;
}

void sat_core(struct sat *s, sat_lits *clauses, sat_lits *tags)
{
    mem_free(find_used(s, clauses, tags));
}

void sat_proof(struct sat *s, sat_lits *lits, sat_lits *ends)
{
    sat_lits clauses = {0}, tags = {0};
    uint8_t *used = find_used(s, &clauses, &tags);
    for (size_t i = 0; i < s->trace.len; i++) {
        const struct trace *t = &s->trace.data[i];
        if (!used[i] || t->kind != TRACE_LEARNED)
            continue;
        for (uint32_t k = 0; k < t->size; k++)
            vec_push(lits, s->trace_lits.data[t->lits + k]);
        vec_push(ends, (uint32_t)lits->len);
    }
    mem_free(used);
    vec_free(&clauses);
    vec_free(&tags);
}
