/* Learning from conflicts: the first unique implication point, minimized (Sörensson and Biere, SAT
 * 2009), ranked by how many levels it joins (Audemard and Simon, IJCAI 2009). */
#include "check/solver/sat_internal.h"

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
        sat_trace_use(s, s->arena.data[c + C_TRACE]);
        for (uint32_t i = 0; i < s->arena.data[c + C_SIZE]; i++) {
            uint32_t v = l[i] / 2;
            if ((!first && l[i] == lit) || s->seen[v] || !s->level[v])
                continue;
            mark(s, v);
            if (s->conflicts > CALM + s->vars / 10)
                sat_bump(s, v);
            if (s->level[v] == level)
                open++;
            else
                vec_push(&s->clause, l[i]);
        }
        do
            lit = s->trail.data[--at];
        while (!s->seen[lit / 2] || s->level[lit / 2] != level);
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
    sat_trace_use(s, s->arena.data[c + C_TRACE]);
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

void sat_learn(struct sat *s, uint32_t conflict)
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
    uint32_t lbd = count_levels(s, c), level = (uint32_t)s->limits.len;
    bool far = s->far && level - back > s->far;
    sat_backtrack(s, far ? level - 1 : back);
    s->mixed |= far;
    uint32_t trace = sat_trace_clause(s, TRACE_LEARNED, 0, c->data, c->len);
    uint32_t clause = sat_new_clause(s, c->data, c->len, lbd, trace);
    sat_assign(s, c->data[0], clause);
    s->bump *= 1 / 0.95;
}
