/* A transaction, or INITIAL, as formulas: what it sees, what it does. */
#include <stdlib.h>

#include "encode/proof/step_internal.h"

/* ---- states -------------------------------------------------------------------------------- */

/* What the reads of one visible set have in common; it grows along the transaction. */
static uint32_t set_of(enum model_snapshot kind, const struct sx_read *r)
{
    return kind == SNAPSHOT_TRANSACTION ? 0 : kind == SNAPSHOT_STATEMENT ? r->statement : r->set;
}

static int by_number(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* One state for each visible set of T, in the order of the sets. */
static void make_states(struct proof_step *s)
{
    const struct sx_summary *sum = s->sum;
    enum model_snapshot kind = s->setting->model->snapshot;
    uint32_t *set = arena_array(&s->arena, uint32_t, sum->n_reads + 1);
    s->seen = arena_array(&s->arena, uint32_t, sum->n_reads + 1);
    s->read_state = arena_array(&s->arena, uint32_t, sum->n_reads + 1);
    s->before = s->full = fm_unknown_state(&s->fm, "B");
    s->seen_set = arena_array(&s->arena, uint32_t, sum->n_reads + 1);
    size_t n = 0;
    for (size_t i = 0; i < sum->n_reads; i++) {
        s->read_state[i] = s->before; /* the newest version is B's */
        if (!sum->reads[i].newest)
            set[n++] = set_of(kind, &sum->reads[i]);
    }
    qsort(set, n, sizeof *set, by_number);
    for (size_t i = 0; i < n; i++) {
        if (i > 0 && set[i] == set[i - 1])
            continue;
        s->seen[s->n_seen] = step_is_ser(s) ? s->before : fm_unknown_state(&s->fm, "A");
        for (size_t k = 0; k < sum->n_reads; k++)
            if (!sum->reads[k].newest && set_of(kind, &sum->reads[k]) == set[i])
                s->read_state[k] = s->seen[s->n_seen];
        s->seen_set[s->n_seen++] = set[i];
    }
}

/* ---- writes and locks ---------------------------------------------------------------------- */

/* Where the model says that T has seen the newest version of the rows that it writes (NOCONFLICT),
 * a value taken from the row itself may as well be taken from B. */
static term_id as_before(struct proof_step *s, const struct fm_write *w, term_id value)
{
    struct fm_subst subst;
    if (!model_has(s->setting->model, AXIOM_NOCONFLICT) || !s->n_seen)
        return value;
    fm_subst_begin(&subst, &s->fm);
    fm_subst_state(&subst, s->seen[0], s->before);
    subst.only = w->index;
    subst.only_table = w->table;
    value = fm_subst(&subst, value);
    fm_subst_end(&subst);
    return value;
}

static struct fm_write import_row(struct proof_step *s, struct fm_import *im,
                                  const struct sx_row *row, term_id guard,
                                  const struct sx_bound *bound, uint32_t n_bound)
{
    struct term_store *store = s->fm.store;
    struct fm_write w = {.table = row->table, .n_bound = n_bound};
    w.index = fm_import_all(im, row->index, s->sx->tables[row->table].n_dims);
    w.guard = term_and(store, s->committed, fm_import(im, guard));
    w.guard = term_and(store, w.guard, fm_import_range(im, bound, n_bound));
    if (n_bound > FM_INDICES)
        s->fm.limit = "loops are nested too deeply";
    return w;
}

static struct fm_write import_write(struct proof_step *s, struct fm_import *im,
                                    const struct sx_write *of)
{
    struct fm_write w = import_row(s, im, &of->row, of->guard, of->bound, of->n_bound);
    uint32_t n = s->sx->tables[w.table].n_fields;
    term_id *value = arena_array(&s->arena, term_id, n + 1);
    bool *same = arena_array(&s->arena, bool, n + 1);
    for (uint32_t f = 0; f < n; f++) {
        value[f] = as_before(s, &w, fm_import(im, of->value[f]));
        same[f] = value[f] == fm_cell(&s->fm, s->before, w.table, f, w.index);
    }
    w.value = value;
    w.same = same;
    w.of = of;
    return w;
}

/* The state after: the writes put on top of B, one after the other.  (Writes that meet agree.) */
static void apply_writes(struct proof_step *s)
{
    s->after = s->before;
    for (size_t i = 0; i < s->n_writes; i++)
        if (s->writes[i].guard != TERM_FALSE)
            s->after = fm_overwritten(&s->fm, s->after, &s->writes[i]);
}

/* From which state on a row that is touched is as in B: with a snapshot per statement those of
 * later statements; else the one snapshot, if nothing was asked for before. */
static uint32_t agrees_from(const struct proof_step *s, const struct sx_touch *t)
{
    uint32_t i = 0;
    if (s->setting->model->snapshot == SNAPSHOT_TRANSACTION)
        return 0;
    while (i < s->n_seen && s->seen_set[i] <= t->statement - t->first)
        i++;
    return i;
}

static term_id nothing_asked(struct proof_step *s, struct fm_import *im, const struct sx_touch *t)
{
    struct term_store *store = s->fm.store;
    term_id nothing = TERM_TRUE;
    if (s->setting->model->snapshot != SNAPSHOT_TRANSACTION)
        return nothing;
    for (size_t i = 0; i < s->sum->n_reads; i++) {
        const struct sx_read *r = &s->sum->reads[i];
        if (r->newest || r->statement > t->statement)
            continue;
        term_id before = r->n_bound ? TERM_TRUE : r->before; /* a fold's is one for each round */
        term_id asked = fm_import(im, term_and(store, before, r->asked));
        nothing = term_and(store, nothing, term_not(store, asked));
    }
    return nothing;
}

/* Rows are locked whatever the end is. */
static void import_touches(struct proof_step *s, struct fm_import *im)
{
    const struct sx_summary *sum = s->sum;
    if (!model_has(s->setting->model, AXIOM_LOCKORDER))
        return;
    s->touches = arena_array(&s->arena, struct fm_write, sum->n_touches + 1);
    s->touch_from = arena_array(&s->arena, uint32_t, sum->n_touches + 1);
    for (size_t i = 0; i < sum->n_touches; i++) {
        const struct sx_touch *t = &sum->touches[i];
        struct fm_write w = {.table = t->row.table};
        w.index = fm_import_all(im, t->row.index, s->sx->tables[w.table].n_dims);
        w.guard = fm_import(im, term_and(s->fm.store, t->before, t->guard));
        w.guard = term_and(s->fm.store, w.guard, nothing_asked(s, im, t));
        s->touch_from[s->n_touches] = agrees_from(s, t);
        s->touches[s->n_touches++] = w;
    }
}

static void import_effects(struct proof_step *s, struct fm_import *im)
{
    const struct sx_summary *sum = s->sum;
    s->writes = arena_array(&s->arena, struct fm_write, sum->n_writes + 1);
    s->locks = arena_array(&s->arena, struct fm_write, sum->n_locks + 1);
    for (size_t i = 0; i < sum->n_writes; i++)
        s->writes[s->n_writes++] = import_write(s, im, &sum->writes[i]);
    for (size_t i = 0; i < sum->n_locks; i++) {
        const struct sx_lock *l = &sum->locks[i];
        s->locks[s->n_locks++] = import_row(s, im, &l->row, l->guard, l->bound, l->n_bound);
    }
    import_touches(s, im);
    apply_writes(s);
}

/* ---- inputs and points --------------------------------------------------------------------- */

static void make_inputs(struct proof_step *s)
{
    const struct sx_summary *sum = s->sum;
    s->input = arena_array(&s->arena, term_id, sum->n_inputs + 1);
    for (size_t i = 0; i < sum->n_inputs; i++) {
        const struct term leaf = *term_get(s->fm.store, sum->inputs[i].leaf);
        s->input[i] = fm_unknown(&s->fm, sum->inputs[i].name, leaf.lo, leaf.hi);
    }
}

/* As for bounded runs (problem.c). */
static void import_points(struct proof_step *s, struct fm_import *im)
{
    const struct sx_summary *sum = s->sum;
    struct term_store *store = s->fm.store;
    term_id fails = term_not(store, s->exists), goes_on = TERM_TRUE;
    term_id **arrays[] = {&s->fires, &s->reached, &s->checked, &s->blocked};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        *arrays[i] = arena_array(&s->arena, term_id, sum->n_points + 1);
    for (size_t i = 0; i < sum->n_points; i++) {
        const struct sx_point *pt = &sum->points[i];
        term_id path = pt->kind == SX_ASSERT ? fm_import(im, pt->guard) : TERM_FALSE;
        term_id come = term_and(store, term_and(store, path, s->exists), fm_import(im, pt->before));
        s->fires[i] = fm_import(im, sx_point_fires(s->sx, pt));
        s->reached[i] = term_and(store, come, term_not(store, s->check_failed));
        s->checked[i] = term_and(store, come, s->check_failed);
        s->blocked[i] = term_and(store, path, term_and(store, fails, goes_on));
        if (pt->kind != SX_ASSUME && sx_point_stops(pt->kind))
            goes_on =
                term_and(store, goes_on, fm_import(im, term_implies(store, pt->guard, pt->cond)));
    }
}

void step_import_txn(struct proof_step *s)
{
    struct fm_import im;
    make_states(s);
    make_inputs(s);
    fm_import_begin(&im, &s->fm, s->sum, s->read_state, s->input);
    s->exists = fm_import(&im, s->sum->exists);
    s->committed = fm_import(&im, s->sum->committed);
    s->check_failed = fm_import(&im, s->sum->check_failed);
    import_points(s, &im);
    import_effects(s, &im);
    fm_import_end(&im);
    bool has_fresh = false;
    for (size_t i = 0; i < s->sum->n_inputs; i++)
        has_fresh |= s->sum->inputs[i].kind == SX_FRESH;
    if (has_fresh && !step_has_prefixes(s))
        s->full = fm_unknown_state(&s->fm, "F");
}

/* ---- the initial state --------------------------------------------------------------------- */

#define INITIALISED_MAX 512 /* rows with C initialisers that are not zero */

static bool is_zero_row(const struct sx_table *t, uint64_t row)
{
    for (uint32_t f = 0; f < t->n_fields; f++)
        if (t->init[row * t->n_fields + f])
            return false;
    return true;
}

static struct fm_write initialised_row(struct proof_step *s, uint32_t table, uint64_t row)
{
    const struct sx_table *t = &s->sx->tables[table];
    term_id *index = arena_array(&s->arena, term_id, t->n_dims + 1);
    term_id *value = arena_array(&s->arena, term_id, t->n_fields + 1);
    uint64_t rest = row;
    for (uint32_t d = t->n_dims; d-- > 0; rest /= t->dims[d])
        index[d] = term_const(s->fm.store, (term_int)(rest % t->dims[d]));
    for (uint32_t f = 0; f < t->n_fields; f++)
        value[f] = term_const(s->fm.store, t->init[row * t->n_fields + f]);
    return (struct fm_write){.table = table,
                             .index = index,
                             .guard = TERM_TRUE,
                             .value = value,
                             .same = arena_array(&s->arena, bool, t->n_fields + 1)};
}

/* C's initialisers are writes on top of zeros. */
static struct fm_write *initialised_rows(struct proof_step *s, size_t *n)
{
    struct fm_write *w = arena_array(&s->arena, struct fm_write, INITIALISED_MAX + 1);
    for (uint32_t t = 0; t < s->sx->n_tables; t++) {
        const struct sx_table *table = &s->sx->tables[t];
        uint64_t rows = table->init ? sx_table_rows(table) : 0;
        for (uint64_t row = 0; row < rows; row++) {
            if (is_zero_row(table, row))
                continue;
            if (*n == INITIALISED_MAX) {
                s->fm.limit = "many rows have C initialisers";
                return w;
            }
            w[(*n)++] = initialised_row(s, t, row);
        }
    }
    return w;
}

/* INITIAL's inputs are unknowns, its assumptions hold, and it comes to its end. */
void step_import_initial(struct proof_step *s)
{
    struct fm_import im;
    size_t n = 0;
    s->before = s->full = fm_zero_state(&s->fm);
    s->read_state = arena_array(&s->arena, uint32_t, s->sum->n_reads + 1);
    for (size_t i = 0; i < s->sum->n_reads; i++)
        s->read_state[i] = s->before;
    struct fm_write *rows = initialised_rows(s, &n);
    for (size_t i = 0; i < n; i++)
        s->before = fm_overwritten(&s->fm, s->before, &rows[i]);
    make_inputs(s);
    fm_import_begin(&im, &s->fm, s->sum, s->read_state, s->input);
    s->exists = fm_import(&im, s->sum->exists);
    s->committed = fm_import(&im, s->sum->committed);
    s->check_failed = TERM_FALSE;
    import_effects(s, &im);
    fm_import_end(&im);
}
