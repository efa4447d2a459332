/* PostgreSQL's statements: rules 1, 2 and 4 to 8 of pg-rc, and what pg-rr adds to them. */
#include "tests/conformance/pg.h"

#include <assert.h>

void pg_overlay(struct pg_state *out, const struct pg_state *state, const struct pg_transaction *t)
{
    *out = *state;
    out->alive = (state->alive & ~t->wrote) | (t->own.alive & t->wrote);
    for (unsigned r = 0; r < CF_ROWS; r++)
        if (t->wrote & t->own.alive & 1u << r)
            out->row[r] = t->own.row[r];
}

uint32_t pg_rows_of_key(const struct pg_state *state, int key)
{
    uint32_t rows = 0;
    for (unsigned r = 0; r < CF_ROWS; r++)
        if (state->alive & 1u << r && state->row[r].key == key)
            rows |= 1u << r;
    return rows;
}

static uint32_t rows_that_match(const struct pg_state *state, const struct cf_statement *s)
{
    uint32_t rows = 0;
    for (unsigned r = 0; r < CF_ROWS; r++)
        if (state->alive & 1u << r && cf_matches(s, state->row[r]))
            rows |= 1u << r;
    return rows;
}

static long long sum_of(const struct pg_state *state, uint32_t rows)
{
    long long sum = 0;
    for (unsigned r = 0; r < CF_ROWS; r++)
        if (rows & 1u << r)
            sum += state->row[r].value;
    return sum;
}

static unsigned lowest(uint32_t rows)
{
    return (unsigned)__builtin_ctz(rows);
}

/* Goes on with a statement that has succeeded. */
static void go_on(struct pg_transaction *t, struct cf_result *result, pg_continue *next,
                  void *context)
{
    if (t->failed)
        return;
    cf_result_sort(result);
    next(context, t, result);
}

/* ---- rule 1: "Plain reads …: the view." ---- */

static void plain_read(const struct pg_step *step, struct pg_transaction *t, pg_continue *next,
                       void *context)
{
    const struct cf_statement *s = step->statement;
    struct cf_result result = {0};
    uint32_t rows = rows_that_match(&step->view, s);
    if (s->kind == CF_SEL) {
        for (unsigned r = 0; r < CF_ROWS; r++)
            if (rows & 1u << r)
                cf_result_add(&result, step->view.row[r]);
    } else {
        struct cf_row row = {.key = __builtin_popcount(rows)};
        if (!cf_to_int(sum_of(&step->view, rows), &row.value))
            return;
        cf_result_add(&result, row);
    }
    go_on(t, &result, next, context);
}

/* ---- rules 5 to 7: INSERT ---- */

/* Rule 5: "INSERT of key k: k is absent in the newest state, else T aborts." */
static void insert(const struct pg_step *step, struct pg_transaction *t, int value,
                   pg_continue *next, void *context)
{
    int key = step->statement->key;
    if (pg_rows_of_key(&step->newest, key))
        return;
    unsigned row = CF_KEYS + t->who * CF_STATEMENTS + step->number;
    struct cf_row version = {key, value};
    struct cf_result result = {0};
    pg_take_key(step->search, t, key);
    pg_write(t, row, CF_U, &version);
    cf_result_add(&result, version);
    go_on(t, &result, next, context);
}

/* Rule 6: "ON CONFLICT DO UPDATE: k is there in the newest state, visible or not ⇒ touched in NU
 * and updated; else 5."  pg-rr: "The conflicting row of ON CONFLICT is in the base or T's own",
 * since who inserted it wrote it in mode U. */
static void insert_or_update(const struct pg_step *step, struct pg_transaction *t,
                             pg_continue *next, void *context)
{
    const struct cf_statement *s = step->statement;
    uint32_t there = pg_rows_of_key(&step->newest, s->key);
    if (!there) {
        insert(step, t, s->value, next, context);
        return;
    }
    unsigned row = lowest(there);
    struct cf_row version = step->newest.row[row];
    struct cf_result result = {0};
    pg_touch(step, t, row, CF_NU);
    if (!cf_new_value(s, version.value, NULL, &version.value))
        return;
    pg_write(t, row, CF_NU, &version);
    cf_result_add(&result, version);
    go_on(t, &result, next, context);
}

/* Has someone in ar from position `from` on, before `to`, written the row? */
static bool written_between(const struct pg_search *search, unsigned row, unsigned from,
                            unsigned to)
{
    for (unsigned j = from; j < to; j++)
        if (search->done[j].wrote & 1u << row)
            return true;
    return false;
}

/* Rule 7: "ON CONFLICT DO NOTHING: k absent in the newest state ⇒ 5; or k is T's own, or is alive
 * in some St(m), f_(s−1) ≤ m ≤ f_s, m ≥ n_s ⇒ nothing happens, nothing is locked."  pg-rr: the
 * version that is alive in St(m) is in the base. */
static void insert_or_nothing(const struct pg_step *step, struct pg_transaction *t,
                              pg_continue *next, void *context)
{
    const struct cf_statement *s = step->statement;
    struct cf_result none = {0};
    if (pg_rows_of_key(&t->own, s->key) & t->wrote) {
        go_on(t, &none, next, context);
        return;
    }
    for (unsigned m = t->end; m <= t->position; m++) {
        uint32_t there = pg_rows_of_key(&step->search->state[m], s->key) & ~t->wrote;
        if (!there)
            continue;
        unsigned row = lowest(there);
        if (t->level != CF_PG_RC && written_between(step->search, row, (unsigned)t->base, m))
            continue;
        struct pg_transaction u = *t;
        u.end = m;
        u.nothing[u.nothings++] = (struct pg_nothing){(uint8_t)row, (uint8_t)m};
        go_on(&u, &none, next, context);
    }
    insert(step, t, s->value, next, context);
}

/* ---- rules 2, 4 and 5: UPDATE, DELETE, SELECT FOR … ---- */

/* Rule 4: "A touched row is seen in its newest value …  KEY SHARE returns the view's version unless
 * some S outside of the base wrote x in mode U."  NULL: the row is deleted. */
static const struct cf_row *touched_version(const struct pg_step *step,
                                            const struct pg_transaction *t, unsigned row)
{
    if (!(step->newest.alive & 1u << row))
        return NULL;
    if (step->statement->kind != CF_FKS || t->wrote & 1u << row)
        return &step->newest.row[row];
    for (unsigned j = (unsigned)t->base; j < t->position; j++)
        if (step->search->done[j].write_mode[row] & CF_U)
            return &step->newest.row[row];
    return &step->view.row[row];
}

/* Rule 5: "or a key changed to k".  A key that stays the same is an UPDATE of other columns. */
static bool change_key(const struct pg_step *step, struct pg_transaction *t, struct cf_row *version)
{
    int key = step->statement->value;
    if (key == version->key)
        return true;
    if (pg_rows_of_key(&step->newest, key))
        return false;
    t->keys |= 1u << version->key;
    pg_take_key(step->search, t, key);
    version->key = key;
    return true;
}

static uint8_t mode_of(const struct cf_statement *s)
{
    if (s->kind == CF_UPK && s->key == s->value)
        return CF_NU;
    return (uint8_t)cf_kinds[s->kind].mode;
}

/* A candidate that satisfies WHERE in its newest version is returned, deleted or updated; `around`
 * is as in the view.  False: the statement fails. */
static bool change(const struct pg_step *step, struct pg_transaction *t, unsigned row,
                   struct cf_row version, struct cf_around *around, struct cf_result *result)
{
    const struct cf_statement *s = step->statement;
    if (s->kind == CF_DEL || s->kind == CF_DELP) {
        t->keys |= 1u << version.key;
        pg_write(t, row, CF_U, NULL);
    } else if (cf_kinds[s->kind].writes) {
        around->self = step->view.row[row].value;
        if (!cf_new_value(s, version.value, around, &version.value))
            return false;
        if (s->kind == CF_UPK && !change_key(step, t, &version))
            return false;
        pg_write(t, row, mode_of(s), &version);
    }
    cf_result_add(result, version);
    return true;
}

/* Rule 2: "T touches every candidate, also those it then skips: the lock stays."  Rule 4: "WHERE is
 * evaluated again on it (other rows as in the view); deleted or not matching any more ⇒ skipped."
 */
static void touch_candidates(const struct pg_step *step, struct pg_transaction *t, uint32_t rows,
                             pg_continue *next, void *context)
{
    const struct cf_statement *s = step->statement;
    struct cf_around around = {.sum = sum_of(&step->view, step->view.alive), .last = t->last};
    struct cf_result result = {0};
    for (unsigned r = 0; r < CF_ROWS; r++) {
        if (!(rows & 1u << r))
            continue;
        pg_touch(step, t, r, mode_of(s));
        const struct cf_row *version = touched_version(step, t, r);
        if (!version || !cf_matches(s, *version))
            continue;
        if (!change(step, t, r, *version, &around, &result))
            return;
    }
    go_on(t, &result, next, context);
}

/* Rule 8: any set of candidates may be skipped, if others explain it in the end (pg_skips.c). */
static void skip_locked(const struct pg_step *step, const struct pg_transaction *t,
                        uint32_t candidates, pg_continue *next, void *context)
{
    for (uint32_t skipped = candidates;; skipped = (skipped - 1) & candidates) {
        struct pg_transaction u = *t;
        for (unsigned r = 0; r < CF_ROWS; r++)
            if (skipped & 1u << r)
                u.skipped[u.skips++] =
                    (struct pg_skipped){(uint8_t)r, (uint8_t)t->base, t->locks[r]};
        touch_candidates(step, &u, candidates & ~skipped, next, context);
        if (!skipped)
            return;
    }
}

/* Rule 2: "Candidates of UPDATE, DELETE, SELECT FOR …: the rows that satisfy WHERE in the view." */
static void locking_statement(const struct pg_step *step, struct pg_transaction *t,
                              pg_continue *next, void *context)
{
    const struct cf_statement *s = step->statement;
    uint32_t candidates = rows_that_match(&step->view, s);
    /* Its sub-select returns one row, or the statement fails. */
    if (s->kind == CF_UPDSELF && __builtin_popcount(candidates) > 1)
        return;
    if (s->kind == CF_SKIP)
        skip_locked(step, t, candidates, next, context);
    else
        touch_candidates(step, t, candidates, next, context);
}

void pg_execute(struct pg_step *step, const struct pg_transaction *before, pg_continue *next,
                void *context)
{
    const struct pg_search *search = step->search;
    const struct cf_statement *s = step->statement;
    struct pg_transaction t = *before;
    int sum;
    /* n_s ≤ f_s and f_(s−1) ≤ f_s; what the statement touches may move its end further. */
    if (t.end < (unsigned)t.base)
        t.end = (unsigned)t.base;
    pg_overlay(&step->view, &search->state[t.base], &t);
    pg_overlay(&step->newest, &search->state[t.position], &t);
    switch (s->kind) {
    case CF_SEL:
    case CF_AGG:
        plain_read(step, &t, next, context);
        break;
    case CF_INS:
        insert(step, &t, s->value, next, context);
        break;
    case CF_INSSEL:
        if (cf_to_int(sum_of(&step->view, step->view.alive), &sum))
            insert(step, &t, sum, next, context);
        break;
    case CF_UPS:
        insert_or_update(step, &t, next, context);
        break;
    case CF_INSN:
        insert_or_nothing(step, &t, next, context);
        break;
    default:
        locking_statement(step, &t, next, context);
    }
}
