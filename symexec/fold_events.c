/* Reads and locks of a fold: from the round to the loop.
 *
 * A row that mentions the index is read in the rounds that its guard says; one that does not is
 * read if some round reads it. */
#include "symexec/fold.h"

static uint32_t row_mask(struct sx_exec *x, struct sx_row row)
{
    uint32_t mask = 0;
    for (uint32_t i = 0; i < x->program->tables[row.table].n_dims; i++)
        mask |= sx_mask(x, row.index[i]);
    return mask;
}

static void lift(struct sx_exec *x, struct sx_fold_frame *f, struct sx_guarded *g, uint32_t mask)
{
    struct term_store *s = x->store;
    term_id guard = sx_holes_filled(x, f, g->guard), before = sx_holes_filled(x, f, g->before);
    term_id happens = sx_fold_happens(x, f);
    /* What did not happen did not stop: another loop may use the same event. */
    before = term_and(s, term_implies(s, happens, before), sx_fold_not_stopped(x, f));
    guard = term_and(s, happens, guard);
    if (mask >> f->depth == 0) {
        guard = sx_fold_any(x, f, term_and(s, before, guard));
        before = TERM_TRUE;
    }
    g->guard = guard;
    g->before = before;
}

void sx_fold_lift(struct sx_exec *x, struct sx_fold_frame *f)
{
    /* A guard may bring further reads with it. */
    for (size_t i = 0; i < f->reads.len && !x->failed; i++) {
        struct sx_guarded g = f->reads.data[i];
        lift(x, f, &g, row_mask(x, x->reads.data[g.id].row));
        f->reads.data[i] = g;
    }
    for (size_t i = 0; i < f->locks.len && !x->failed; i++) {
        struct sx_guarded g = f->locks.data[i];
        uint32_t mask = row_mask(x, x->locks.data[g.id].row), own = UINT32_C(1) << f->depth;
        if (!(mask & own) && mask >> f->depth)
            sx_fold_cannot(x, f, x->locks.data[g.id].loc,
                           "it locks rows of an inner loop's index that do not have its own");
        lift(x, f, &g, mask);
        f->locks.data[i] = g;
    }
}

static void add_to(struct sx_exec *x, sx_guards *list, struct sx_guarded g)
{
    for (size_t i = 0; i < list->len; i++)
        if (list->data[i].id == g.id) {
            list->data[i].guard = term_or(x->store, list->data[i].guard, g.guard);
            return;
        }
    vec_push(list, g);
}

static void hand_over(struct sx_exec *x, struct sx_guarded g, bool lock)
{
    struct term_store *s = x->store;
    g.guard = term_and(s, sx_path(x), g.guard);
    g.before = term_and(s, x->ok, term_implies(s, sx_path(x), g.before));
    if (x->fold) {
        add_to(x, lock ? &x->fold->locks : &x->fold->reads, g);
    } else if (lock) {
        struct sx_lock *l = &x->locks.data[g.id];
        l->guard = term_or(s, l->guard, g.guard);
    } else {
        struct sx_read *r = &x->reads.data[g.id];
        r->guard = term_or(s, r->guard, g.guard);
        if (r->before == TERM_NONE)
            r->before = g.before;
    }
}

void sx_fold_hand_over(struct sx_exec *x, struct sx_fold_frame *f)
{
    for (size_t i = 0; i < f->reads.len; i++)
        hand_over(x, f->reads.data[i], false);
    for (size_t i = 0; i < f->locks.len; i++)
        hand_over(x, f->locks.data[i], true);
    vec_free(&f->reads);
    vec_free(&f->locks);
}
