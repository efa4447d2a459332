/* PostgreSQL's rule 8, SKIP LOCKED, speaks of transactions after T in ar, too.  It is asked when
 * all transactions have joined. */
#include "tests/conformance/pg.h"

/* May S, of those that commit, be the reason that T skipped a row?  "another S locks it in a
 * conflicting mode, S not in T's base and T not in the base of S's locking statement …; if T is
 * before S, T never locks it later."  The mode is compatible with those in which T holds the row
 * already: locks that conflict are never held at the same time. */
static bool explains_skip(const struct pg_transaction *t, const struct pg_skipped *k,
                          const struct pg_transaction *s)
{
    if (s->position == t->position || s->position < k->base)
        return false;
    for (unsigned m = 0; m < PG_MODES; m++) {
        uint8_t mode = (uint8_t)(1u << m);
        if (!(s->locks[k->row] & mode) || s->lock_base[k->row][m] > t->position)
            continue;
        if (pg_conflict(mode, k->held))
            continue;
        if (s->position > t->position && pg_conflict(mode, t->locks[k->row]))
            continue;
        return true;
    }
    return false;
}

/* Can the statement lock this row in any state of the execution?  A new row of an aborted
 * transaction is seen by nobody else. */
static bool may_lock(const struct pg_search *search, const struct cf_statement *s, unsigned row)
{
    if (s->kind == CF_INS || s->kind == CF_INSSEL || s->kind == CF_INSN)
        return false;
    for (unsigned i = 0; i <= search->order->commits; i++)
        if (cf_by_predicate(s) || pg_rows_of_key(&search->state[i], s->key) & 1u << row)
            return true;
    return false;
}

static bool changes_keys(const struct cf_transaction *t)
{
    for (unsigned n = 0; n < t->statements; n++)
        if (t->statement[n].kind == CF_UPK)
            return true;
    return false;
}

/* "… or S aborted": a transaction that does not commit and has a statement that may lock the row.
 */
static bool aborted_locks(const struct pg_search *search, const struct cf_transaction *s,
                          const struct pg_skipped *k)
{
    for (unsigned n = 0; n < s->statements; n++) {
        uint8_t mode = (uint8_t)cf_kinds[s->statement[n].kind].mode;
        if (mode && !pg_conflict(mode, k->held) &&
            (changes_keys(s) || may_lock(search, &s->statement[n], k->row)))
            return true;
    }
    return false;
}

static bool aborted_explains_skip(const struct pg_search *search, const struct pg_skipped *k)
{
    unsigned committed = 0;
    for (unsigned i = 0; i < search->order->commits; i++)
        committed |= 1u << search->order->order[i];
    for (unsigned i = 0; i < search->program->transactions; i++)
        if (!(committed & 1u << i) && aborted_locks(search, &search->program->transaction[i], k))
            return true;
    return false;
}

static bool skip_explained(const struct pg_search *search, const struct pg_transaction *t,
                           const struct pg_skipped *k)
{
    if (aborted_explains_skip(search, k))
        return true;
    for (unsigned j = 0; j < search->order->commits; j++)
        if (explains_skip(t, k, &search->done[j]))
            return true;
    return false;
}

bool pg_skips_explained(const struct pg_search *search)
{
    for (unsigned i = 0; i < search->order->commits; i++) {
        const struct pg_transaction *t = &search->done[i];
        for (unsigned k = 0; k < t->skips; k++)
            if (!skip_explained(search, t, &t->skipped[k]))
                return false;
    }
    return true;
}
