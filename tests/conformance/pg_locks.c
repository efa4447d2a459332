/* PostgreSQL's row locks: which modes conflict, and what a touched row says about the end of the
 * statement. */
#include "tests/conformance/pg.h"

/* "Conflicts: KS–U; S–NU, S–U; NU–S, NU–NU, NU–U; U–all." */
static uint8_t conflicts_of(uint8_t mode)
{
    switch (mode) {
    case CF_KS:
        return CF_U;
    case CF_S:
        return CF_NU | CF_U;
    case CF_NU:
        return CF_S | CF_NU | CF_U;
    default:
        return CF_KS | CF_S | CF_NU | CF_U;
    }
}

/* Does some mode of one set conflict with some mode of the other? */
bool pg_conflict(uint8_t modes, uint8_t others)
{
    for (unsigned m = 0; m < PG_MODES; m++)
        if (modes & 1u << m && conflicts_of((uint8_t)(1u << m)) & others)
            return true;
    return false;
}

static void end_after(struct pg_transaction *t, unsigned position)
{
    if (t->end < position)
        t->end = position;
}

static void remember_lock(struct pg_transaction *t, unsigned row, uint8_t mode)
{
    for (unsigned m = 0; m < PG_MODES; m++)
        if (mode == 1u << m && !(t->locks[row] & mode))
            t->lock_base[row][m] = (uint8_t)t->base;
    t->locks[row] |= mode;
}

/* "T touches x at s in mode m, S before T in ar touched x in a conflicting mode ⇒ S is within f_s."
 *
 * pg-rr: "T touches x in mode m, S before T *wrote* x in a mode that conflicts with m ⇒ S is in the
 * base (else 40001).  S that only locked x: nothing."
 *
 * A row that is found deleted is not locked ("a candidate that is found deleted orders nothing"),
 * but the one who deleted it is within f_s. */
void pg_touch(const struct pg_step *step, struct pg_transaction *t, unsigned row, uint8_t mode)
{
    for (unsigned j = 0; j < t->position; j++) {
        const struct pg_transaction *s = &step->search->done[j];
        if (pg_conflict(mode, s->locks[row]))
            end_after(t, j + 1);
        if (t->level != CF_PG_RC && (int)j >= t->base && s->wrote & 1u << row &&
            pg_conflict(mode, s->write_mode[row]))
            t->failed = true;
    }
    if (step->newest.alive & 1u << row)
        remember_lock(t, row, mode);
}

/* "every S before T that inserted, deleted or re-keyed k is within f_s" */
void pg_take_key(const struct pg_search *search, struct pg_transaction *t, int key)
{
    for (unsigned j = 0; j < t->position; j++)
        if (search->done[j].keys & 1u << key)
            end_after(t, j + 1);
    t->keys |= 1u << key;
}

/* "A write is in mode U if it deletes or changes a key, or if T had locked that version for update;
 * else NU."  The caller says what the statement alone would do.  (A version that T wrote after such
 * a lock is a part of a write in mode U already.) */
void pg_write(struct pg_transaction *t, unsigned row, uint8_t mode, const struct cf_row *version)
{
    if (t->locks[row] & CF_U)
        mode = CF_U;
    remember_lock(t, row, mode);
    t->write_mode[row] |= mode;
    t->wrote |= 1u << row;
    t->own.alive &= ~(1u << row);
    if (version) {
        t->own.alive |= 1u << row;
        t->own.row[row] = *version;
    }
}
