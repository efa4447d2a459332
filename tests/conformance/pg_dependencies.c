/* SERIALIZABLE transactions among others.  semantics.md: "A SER transaction obeys SI's rules
 * towards everybody, and the dependencies wr, ww, rw *among the SER transactions* are acyclic." */
#include "tests/conformance/pg.h"

struct graph {
    unsigned nodes;
    unsigned edges[CF_TRANSACTIONS]; /* per position: the set of positions that follow */
};

static const struct cf_row *version_in(const struct pg_state *state, unsigned row)
{
    return state->alive & 1u << row ? &state->row[row] : NULL;
}

/* Does the result of the statement depend on a row in this version?  INSERTs look at the newest
 * state instead; they are ordered by their keys. */
static bool reads(const struct cf_statement *s, const struct cf_row *version)
{
    if (!version)
        return false;
    switch (s->kind) {
    case CF_INSSEL:
    case CF_UPDSUB:
        return true;
    case CF_INS:
    case CF_UPS:
    case CF_INSN:
        return false;
    default:
        return cf_matches(s, *version);
    }
}

/* Does it matter to a statement of T whether S's version of the row is there, or the one before? */
static bool matters(const struct pg_search *search, const struct pg_transaction *t,
                    const struct pg_transaction *s, unsigned row)
{
    const struct cf_transaction *program = &search->program->transaction[t->who];
    const struct cf_row *before = version_in(&search->state[s->position], row);
    const struct cf_row *after = version_in(&search->state[s->position + 1], row);
    for (unsigned n = 0; n < program->statements; n++)
        if (reads(&program->statement[n], before) || reads(&program->statement[n], after))
            return true;
    return false;
}

static bool last_writer(const struct pg_search *search, unsigned position, unsigned row,
                        unsigned base)
{
    for (unsigned j = position + 1; j < base; j++)
        if (search->done[j].wrote & 1u << row)
            return false;
    return true;
}

/* wr: T's base has S's version.  rw: S is outside of T's base.  ww: both write the row. */
static void row_dependencies(const struct pg_search *search, struct graph *g,
                             const struct pg_transaction *t, const struct pg_transaction *s,
                             unsigned row)
{
    unsigned base = t->base < 0 ? t->position : (unsigned)t->base;
    if (matters(search, t, s, row)) {
        if (s->position >= base)
            g->edges[t->position] |= 1u << s->position;
        else if (last_writer(search, s->position, row, base))
            g->edges[s->position] |= 1u << t->position;
    }
    if (t->wrote & 1u << row && s->position < t->position)
        g->edges[s->position] |= 1u << t->position;
}

/* DO NOTHING read that the row exists: who ends it outside of St(m) comes after T. */
static void nothing_dependencies(const struct pg_search *search, struct graph *g,
                                 const struct pg_transaction *t, const struct pg_transaction *s)
{
    for (unsigned k = 0; k < t->nothings; k++) {
        const struct pg_nothing *n = &t->nothing[k];
        const struct cf_row *after = version_in(&search->state[s->position + 1], n->row);
        const struct cf_row *seen = version_in(&search->state[n->seen], n->row);
        if (s->position >= n->seen && s->wrote & 1u << n->row &&
            (!after || !seen || after->key != seen->key))
            g->edges[t->position] |= 1u << s->position;
    }
}

static void dependencies(const struct pg_search *search, struct graph *g,
                         const struct pg_transaction *t, const struct pg_transaction *s)
{
    for (unsigned row = 0; row < CF_ROWS; row++)
        if (s->wrote & 1u << row)
            row_dependencies(search, g, t, s, row);
    nothing_dependencies(search, g, t, s);
    if (s->position < t->position && s->keys & t->keys)
        g->edges[s->position] |= 1u << t->position;
}

static bool acyclic(struct graph *g)
{
    for (unsigned k = 0; k < g->nodes; k++)
        for (unsigned i = 0; i < g->nodes; i++)
            if (g->edges[i] & 1u << k)
                g->edges[i] |= g->edges[k];
    for (unsigned i = 0; i < g->nodes; i++)
        if (g->edges[i] & 1u << i)
            return false;
    return true;
}

bool pg_dependencies_acyclic(const struct pg_search *search)
{
    struct graph g = {.nodes = search->order->commits};
    for (unsigned i = 0; i < g.nodes; i++)
        for (unsigned j = 0; j < g.nodes; j++)
            if (i != j && search->done[i].level == CF_PG_SER && search->done[j].level == CF_PG_SER)
                dependencies(search, &g, &search->done[i], &search->done[j]);
    return acyclic(&g);
}
