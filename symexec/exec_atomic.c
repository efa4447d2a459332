/* ATOMIC at the levels of databases: UPDATE … WHERE … of rows of one table.
 *
 * A row that the statement changes is read in its newest version, every other row in the view of
 * the statement (InnoDB at REPEATABLE READ: in its newest version, too).  PostgreSQL looks for the
 * rows in the view, locks them, and evaluates WHERE again on what it got.  So the part that changes
 * rows is run once for each row that it names:
 *
 *     c_view    WHERE, in the view
 *     the row is locked where that holds
 *     c_newest  WHERE, with this row in its newest version
 *     the body, where both hold: its assignments of this row
 *
 * InnoDB at REPEATABLE READ evaluates WHERE once, on the newest version, and keeps the lock in any
 * case.  At READ COMMITTED it gives up the lock of a row that does not match, so that others may
 * change the row afterwards: that is c_view, false.  If it matches, the row stays as it is; and
 * what else is read is read then, so that the view contains who touched the row before.
 *
 * A row may be named in several ways: the second time, nothing is left to do.  Where the row named
 * is out of bounds there is none, and nothing happens; that is no failed check unless the body
 * comes to it. */
#include <assert.h>

#include "symexec/exec.h"

/* ---- which row is meant -------------------------------------------------------------------- */

/* Evaluates the place of a row.  Checks that fail on the way are no failures: they are the
 * condition under which there is such a row. */
static struct sx_place find_row(struct sx_exec *x, const struct ast_expr *row, term_id *exists)
{
    size_t points = x->points.len, mark = facts_mark(&x->facts);
    term_id ok = x->ok;
    struct sx_place p = sx_eval_place(x, row);
    *exists = TERM_TRUE;
    for (size_t i = points; i < x->points.len; i++)
        *exists = term_and(x->store, *exists, x->points.data[i].cond);
    x->points.len = points;
    x->ok = ok;
    x->st.gone = false;
    facts_undo(&x->facts, mark);
    return p;
}

term_id sx_atomic_own(struct sx_exec *x, uint32_t object)
{
    term_id own = TERM_FALSE;
    if (!x->atomic)
        return own;
    for (size_t i = 0; i < x->atomic->rows.len; i++) {
        const struct sx_atomic_row *r = &x->atomic->rows.data[i];
        if (x->objects.data[r->object].table == x->objects.data[object].table)
            own = term_or(x->store, own,
                          term_and(x->store, r->cond, sx_row_same(x, object, r->object, true)));
    }
    return own;
}

/* The row that is changed now is none of those that were changed before, under other names. */
static term_id not_done(struct sx_exec *x, const struct sx_atomic_frame *f, uint32_t object)
{
    term_id done = TERM_FALSE;
    for (size_t i = 0; i < f->done.len; i++)
        if (x->objects.data[f->done.data[i].object].table == x->objects.data[object].table)
            done = term_or(x->store, done,
                           term_and(x->store, f->done.data[i].cond,
                                    sx_row_same(x, object, f->done.data[i].object, true)));
    return term_not(x->store, done);
}

/* The rows that the place may be (a pointer may lead to several), each with its condition. */
static void own_rows(struct sx_exec *x, struct sx_atomic_frame *f, const struct ast_expr *row,
                     term_id where)
{
    term_id exists;
    vec_clear(&f->rows);
    x->atomic = x->program->options.reads == SX_READS_INNODB_RR ? f : NULL; /* of no row yet */
    struct sx_place p = find_row(x, row, &exists);
    x->atomic = NULL;
    for (size_t i = 0; i < p.n; i++) {
        const struct sx_target *to = &p.alts[i].to;
        if (to->kind != SX_DATABASE)
            continue;
        uint32_t object = sx_row_object(x, x->first_table[to->var->id], to->index);
        term_id cond = term_and(x->store, term_and(x->store, where, exists), p.alts[i].cond);
        cond = term_and(x->store, cond, not_done(x, f, object));
        vec_push(&f->rows, ((struct sx_atomic_row){cond, object}));
    }
}

/* ---- one row ------------------------------------------------------------------------------- */

static void lock_rows(struct sx_exec *x, const struct sx_atomic_frame *f, enum sx_touch_mode mode,
                      struct src_loc loc)
{
    for (size_t i = 0; i < f->rows.len; i++)
        sx_row_touch(x, f->rows.data[i].object, f->rows.data[i].cond, mode, loc);
}

/* A condition, where `where` holds; elsewhere false. */
static term_id eval_where(struct sx_exec *x, term_id where, const struct ast_expr *e)
{
    struct sx_branch br;
    if (where == TERM_FALSE || sx_stopped(x))
        return TERM_FALSE;
    if (where == TERM_TRUE)
        return sx_eval_cond(x, e);
    sx_branch_then(x, &br, where);
    term_id c = sx_stopped(x) ? TERM_FALSE : sx_eval_cond(x, e);
    sx_branch_else(x, &br);
    sx_branch_join(x, &br);
    return term_and(x->store, where, c);
}

/* Runs one of two statements, either of which may be missing. */
static void run_either(struct sx_exec *x, term_id c, const struct ast_stmt *yes,
                       struct sx_atomic_frame *f, const struct ast_stmt *no)
{
    struct sx_branch br;
    if (sx_stopped(x))
        return;
    if (c != TERM_TRUE && c != TERM_FALSE)
        sx_branch_then(x, &br, c);
    if (c != TERM_FALSE) {
        x->atomic = f;
        sx_exec_stmt(x, yes);
        x->atomic = NULL;
    }
    if (c != TERM_TRUE && c != TERM_FALSE)
        sx_branch_else(x, &br);
    if (c != TERM_TRUE && no)
        sx_exec_stmt(x, no);
    if (c != TERM_TRUE && c != TERM_FALSE)
        sx_branch_join(x, &br);
}

static void update_row(struct sx_exec *x, struct sx_atomic_frame *f, const struct ast_atomic *a,
                       const struct ast_expr *row)
{
    enum sx_reads reads = x->program->options.reads;
    term_id where = TERM_TRUE;
    if (a->where && reads != SX_READS_INNODB_RR)
        where = eval_where(x, TERM_TRUE, a->where->expr);
    if (sx_stopped(x))
        return;
    own_rows(x, f, row, where);
    lock_rows(x, f, SX_TOUCH_WRITE, row->loc);
    if (a->where) {
        x->atomic = f;
        where = eval_where(x, where, a->where->expr);
        x->atomic = NULL;
    }
    run_either(x, where, a->where ? a->where->body : a->core, f, a->where ? a->where->other : NULL);
    for (size_t i = 0; i < f->rows.len; i++)
        vec_push(&f->done, f->rows.data[i]);
}

bool sx_atomic_part(struct sx_exec *x, const struct ast_stmt *s)
{
    const struct ast_atomic *a = x->updates;
    if (!a || a->core != s || x->atomic)
        return false;
    struct sx_atomic_frame f = {.many = a->many};
    x->updates = NULL;
    x->in_update = true;
    for (size_t i = 0; i < a->n_rows && !sx_stopped(x); i++)
        update_row(x, &f, a, a->rows[i]);
    x->in_update = false;
    x->updates = a;
    vec_free(&f.rows);
    vec_free(&f.done);
    return true;
}
