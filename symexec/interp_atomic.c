/* ATOMIC at the levels of databases, concretely: what exec_atomic.c says, for one run. */
#include <string.h>

#include "symexec/interp_internal.h"

static bool same_row(struct interp_row a, struct interp_row b)
{
    return a.table && a.table == b.table &&
           (a.table->n_dims == 0 || !memcmp(a.index, b.index, a.table->n_dims * sizeof *a.index));
}

bool in_atomic_own(const struct interp *in, const struct in_place *p)
{
    return same_row((struct interp_row){p->var, p->index}, in->atomic->row);
}

/* The row that the place names; false: there is none, its index is out of bounds. */
static bool find_row(struct interp *in, const struct ast_expr *e, struct interp_row *row)
{
    jmp_buf outer;
    size_t stack = in->stack.len;
    struct in_frame *frame = in->frame;
    uint64_t context = in->context, statement = in->statement;
    memcpy(&outer, &in->stop, sizeof outer);
    static const struct in_atomic no_row;
    bool found = setjmp(in->stop) == 0;
    if (found) {
        in->atomic = in->options->database == INTERP_INNODB_RR ? &no_row : NULL;
        struct in_place p = in_place_of(in, e);
        found = p.kind == IN_ROW;
        *row = (struct interp_row){p.var, p.index};
    } else { /* as if nothing had happened */
        in->run->end = INTERP_COMMITTED;
        in->run->kind = INTERP_NOTHING;
        in->stack.len = stack;
        in->frame = frame;
        in->context = context;
        in->statement = statement;
    }
    in->atomic = NULL;
    memcpy(&in->stop, &outer, sizeof outer);
    return found;
}

static bool where(struct interp *in, const struct ast_atomic *a, const struct in_atomic *row)
{
    in->atomic = row;
    bool holds = !a->where || in_eval(in, a->where->expr) != 0;
    in->atomic = NULL;
    return holds;
}

static void update_row(struct interp *in, const struct ast_atomic *a, struct interp_row own)
{
    struct in_atomic row = {own, a->many};
    if (own.table) { /* else there is no such row, and the body may find that out */
        in_touch(in, own, SX_TOUCH_WRITE);
        vec_last(&in->run->touches).atomic = true;
    }
    bool holds = where(in, a, &row);
    const struct ast_stmt *s = !a->where ? a->core : holds ? a->where->body : a->where->other;
    if (holds)
        in->atomic = &row;
    if (s)
        in_exec(in, s);
    in->atomic = NULL;
}

bool in_atomic_part(struct interp *in, const struct ast_stmt *s)
{
    const struct ast_atomic *a = in->updates;
    if (!a || a->core != s || in->atomic)
        return false;
    struct interp_row *row = arena_array(in->arena, struct interp_row, a->n_rows + 1);
    in->updates = NULL;
    for (size_t i = 0; i < a->n_rows; i++) {
        if (in->options->database != INTERP_INNODB_RR && !where(in, a, NULL)) {
            if (a->where->other)
                in_exec(in, a->where->other);
            continue;
        }
        bool is_new = true;
        if (!find_row(in, a->rows[i], &row[i]))
            row[i] = (struct interp_row){0};
        for (size_t k = 0; k < i && is_new; k++)
            is_new = !row[i].table || !same_row(row[k], row[i]);
        if (is_new)
            update_row(in, a, row[i]);
    }
    in->updates = a;
    return true;
}
