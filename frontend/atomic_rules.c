/* ATOMIC: what its body may do, and what it does.
 *
 * The body of an ATOMIC statement is walked in the order of evaluation.  Every assignment is one to
 * a row or to a local; rows are compared by the expressions that name them, so that a statement is
 * known to change one row if all its assignments name it in the same way.  In C the parts of the
 * statement run one after the other, while an UPDATE sees every row but the one at hand as it was
 * before: where that could make a difference, the statement is refused. */
#include <string.h>

#include "frontend/build.h"
#include "frontend/walk.h"

/* The place of a row, as the program names it. */
struct named {
    const struct ast_expr *row; /* a VAR, INDEX or DEREF */
    struct src_loc loc;
    bool hidden; /* in the other branch of an if */
};

struct rules {
    struct builder *b;
    bool *addressed; /* by table id: its address is taken somewhere */
    bool *stops;     /* by function id: it uses builtins, itself or in what it calls */
    VEC(const struct ast_var *) pointed; /* locals whose addresses are taken somewhere */
    /* the ATOMIC statement at hand */
    struct ast_stmt *stmt;
    VEC(struct named) writes;
    VEC(const struct ast_var *) locals;           /* that it assigns */
    VEC(const struct ast_var *) loops;            /* the indices of its loops */
    const struct ast_expr *local_at, *pointed_at; /* the first of them; of an address handed out */
    const struct ast_expr *target; /* the row that the expression at hand is assigned to, or NULL */
    const struct ast_expr *changed; /* the first read of a row that may have been changed before */
    bool in_where, in_else;
};

static const struct ast_expr *root_of(const struct ast_expr *place)
{
    while (place->kind == AST_INDEX || place->kind == AST_FIELD)
        place = place->a;
    return place;
}

static const struct ast_type *strip_arrays(const struct ast_type *t)
{
    while (t->kind == AST_ARRAY)
        t = t->elem;
    return t;
}

/* Tables and rows ------------------------------------------------------------------------------
 */

/* May a pointer to this type lead to a row of the table? */
static bool may_lead_to(const struct rules *r, const struct ast_type *target,
                        const struct ast_var *table)
{
    return r->addressed[table->id] && strip_arrays(target) == table->row;
}

/* The first table, from *i on, that the place may be a part of; NULL: none. */
static struct ast_var *next_table(const struct rules *r, const struct ast_expr *place, size_t *i)
{
    const struct ast_expr *root = root_of(place);
    while (*i < r->b->tables.len) {
        struct ast_var *table = r->b->tables.data[(*i)++];
        if (table->is_ghost) /* no row: ghost_rules.c refuses it */
            continue;
        if (root->kind == AST_VAR ? root->var == table : may_lead_to(r, root->type, table))
            return table;
    }
    return NULL;
}

static bool in_database(const struct rules *r, const struct ast_expr *place)
{
    size_t i = 0;
    return next_table(r, place, &i) != NULL;
}

/* The part of a place in the database that names the row. */
static const struct ast_expr *row_of(const struct ast_expr *place)
{
    const struct ast_expr *row = place;
    for (; place->kind == AST_INDEX || place->kind == AST_FIELD; place = place->a)
        if (place->kind == AST_FIELD)
            row = place->a;
    if (place->kind == AST_VAR) { /* a row of integers that are arrays has none: all are indices */
        uint32_t steps = 0, dims = place->var->n_dims;
        for (const struct ast_expr *p = row; p != place; p = p->a)
            steps++;
        for (; steps > dims; steps--)
            row = row->a;
    }
    return row;
}

/* Does the statement leave the local alone, and can no pointer reach it? */
static bool is_steady(const struct rules *r, const struct ast_var *v)
{
    for (size_t i = 0; i < r->locals.len; i++)
        if (r->locals.data[i] == v)
            return false;
    for (size_t i = 0; i < r->pointed.len; i++)
        if (r->pointed.data[i] == v)
            return false;
    return v->kind != AST_VAR_DATABASE;
}

/* Do two expressions have the same value wherever they stand in the statement? */
static bool same(const struct rules *r, const struct ast_expr *x, const struct ast_expr *y)
{
    if (!x || !y)
        return x == y;
    if (x->kind != y->kind || x->type != y->type || x->n_args || y->n_args)
        return false;
    switch (x->kind) {
    case AST_CONST:
        return x->value == y->value;
    case AST_ANY:
        return true;
    case AST_VAR:
        return x->var == y->var && (x->var->kind == AST_VAR_DATABASE || is_steady(r, x->var));
    case AST_LOAD: /* of a local; the value of a row may be another one each time */
        return root_of(x->a)->kind == AST_VAR && root_of(x->a)->var->kind != AST_VAR_DATABASE &&
               same(r, x->a, y->a);
    case AST_INDEX:
    case AST_DEREF:
    case AST_CAST:
    case AST_UNARY:
    case AST_BINARY:
    case AST_ADDR:
        return x->op == y->op && same(r, x->a, y->a) && same(r, x->b, y->b);
    case AST_FIELD:
        return x->field == y->field && same(r, x->a, y->a);
    default:
        return false;
    }
}

/* Do the constants among their indices tell two rows of one table apart? */
static bool differ(const struct ast_expr *x, const struct ast_expr *y)
{
    if (root_of(x)->kind != AST_VAR || root_of(y)->kind != AST_VAR)
        return false;
    for (; x->kind == AST_INDEX && y->kind == AST_INDEX; x = x->a, y = y->a)
        if (x->b->kind == AST_CONST && y->b->kind == AST_CONST && x->b->value != y->b->value)
            return true;
    return false;
}

static bool may_be_one_table(const struct rules *r, const struct ast_expr *x,
                             const struct ast_expr *y)
{
    for (size_t i = 0, k; i < r->b->tables.len;) {
        const struct ast_var *table = next_table(r, x, &i);
        for (k = 0; table && k < r->b->tables.len;)
            if (next_table(r, y, &k) == table)
                return true;
    }
    return false;
}

/* The walk -------------------------------------------------------------------------------------
 */

static void visit(struct rules *r, const struct ast_expr *e);

/* A read of a row: if the statement may have changed it before, C sees the change and an UPDATE
 * does not, unless it is the row at hand. */
static void visit_read(struct rules *r, const struct ast_expr *place)
{
    if (!in_database(r, place))
        return;
    const struct ast_expr *row = row_of(place);
    if (r->changed || (r->target && same(r, row, r->target)))
        return;
    for (size_t i = 0; i < r->writes.len; i++) {
        const struct named *w = &r->writes.data[i];
        if (!w->hidden && may_be_one_table(r, row, w->row) && !differ(row, w->row))
            r->changed = place;
    }
}

/* The indices and pointers of a place. */
static void visit_place(struct rules *r, const struct ast_expr *place)
{
    for (; place->kind == AST_INDEX || place->kind == AST_FIELD; place = place->a)
        if (place->kind == AST_INDEX)
            visit(r, place->b);
    if (place->kind == AST_DEREF)
        visit(r, place->a);
}

static const char *place_name(const struct ast_expr *place)
{
    const struct ast_expr *root = root_of(place);
    return root->kind == AST_VAR ? root->var->name : "what a pointer points to";
}

static void visit_assignment(struct rules *r, const struct ast_expr *e)
{
    const struct ast_expr *outer = r->target, *root = root_of(e->a);
    bool row = in_database(r, e->a);
    if (r->in_where)
        refuse(r->b, e->loc, REFUSE_ATOMIC_WHERE, place_name(e->a));
    else if (r->in_else && row)
        refuse(r->b, e->loc, REFUSE_ATOMIC_ELSE);
    visit_place(r, e->a);
    if (row)
        r->target = row_of(e->a);
    if (e->kind != AST_ASSIGN)
        visit_read(r, e->a);
    if (e->b)
        visit(r, e->b);
    r->target = outer;
    if (row) {
        vec_push(&r->writes, ((struct named){row_of(e->a), e->loc, false}));
    } else {
        if (!r->local_at)
            r->local_at = e;
        if (root->kind == AST_VAR)
            vec_push(&r->locals, root->var);
    }
}

static void visit_call(struct rules *r, const struct ast_expr *e)
{
    const struct ast_func *f = e->callee;
    if (f->writes)
        refuse(r->b, e->loc, REFUSE_ATOMIC_CALL, f->name);
    else if (r->stops[f->id])
        refuse(r->b, e->loc, REFUSE_ATOMIC_BUILTIN,
               arena_printf(r->b->arena, "'%s', which uses builtins,", f->name));
    if (f->reads && r->in_else)
        refuse(r->b, e->loc, REFUSE_ATOMIC_ELSE);
    if (f->reads && r->writes.len && !r->changed)
        r->changed = e;
}

static void visit(struct rules *r, const struct ast_expr *e)
{
    if (!e)
        return;
    switch (e->kind) {
    case AST_LOAD:
        visit_place(r, e->a);
        if (r->in_else && in_database(r, e->a))
            refuse(r->b, e->loc, REFUSE_ATOMIC_ELSE);
        visit_read(r, e->a);
        return;
    case AST_ADDR:
        visit_place(r, e->a);
        if (!r->pointed_at && !in_database(r, e->a))
            r->pointed_at = e;
        return;
    case AST_ASSIGN:
    case AST_COMPOUND:
    case AST_INCDEC:
        visit_assignment(r, e);
        return;
    case AST_BUILTIN:
        refuse(r->b, e->loc, REFUSE_ATOMIC_BUILTIN,
               arena_printf(r->b->arena, "%s()", ast_builtin_name(e->builtin)));
        return;
    default:
        visit(r, e->a);
        visit(r, e->b);
        visit(r, e->c);
        for (uint64_t i = 0; i < e->n_args; i++)
            visit(r, e->args[i]);
    }
    if (e->kind == AST_CALL)
        visit_call(r, e);
}

static void visit_stmt(struct rules *r, const struct ast_stmt *s);

struct decided {
    const struct rules *r;
    const struct ast_expr *row;
    bool several;
};

static void find_decided(void *arg, struct ast_expr *e)
{
    struct decided *d = arg;
    if ((e->kind != AST_ASSIGN && e->kind != AST_COMPOUND && e->kind != AST_INCDEC) ||
        !in_database(d->r, e->a))
        return;
    d->several |= d->row && !same(d->r, d->row, row_of(e->a));
    d->row = row_of(e->a);
}

/* The one row whose columns the condition of this if or switch decides about; NULL: there is no
 * such row, or there are several. */
static const struct ast_expr *decided_row(const struct rules *r, const struct ast_stmt *s)
{
    struct decided d = {.r = r};
    walk_exprs(s->body, find_decided, &d);
    walk_exprs(s->other, find_decided, &d);
    for (uint32_t i = 0; i < s->n_items; i++)
        walk_exprs(s->items[i], find_decided, &d);
    return d.several ? NULL : d.row;
}

static void visit_condition(struct rules *r, const struct ast_stmt *s)
{
    r->target = decided_row(r, s);
    visit(r, s->expr);
    r->target = NULL;
}

static void visit_if(struct rules *r, const struct ast_stmt *s)
{
    bool where = s == r->stmt->atomic->where;
    r->in_where = where;
    visit_condition(r, s);
    r->in_where = false;
    size_t from = r->writes.len;
    visit_stmt(r, s->body);
    size_t to = r->writes.len;
    for (size_t i = from; i < to; i++)
        r->writes.data[i].hidden = true;
    r->in_else |= where;
    visit_stmt(r, s->other);
    r->in_else &= !where;
    for (size_t i = from; i < to; i++)
        r->writes.data[i].hidden = false;
}

static void visit_stmt(struct rules *r, const struct ast_stmt *s)
{
    if (!s)
        return;
    if (s->kind == AST_STMT_IF) {
        visit_if(r, s);
        return;
    }
    if (s->kind == AST_STMT_SWITCH)
        visit_condition(r, s);
    else if (s->kind != AST_STMT_FOR)
        visit(r, s->expr);
    visit_stmt(r, s->body);
    for (uint32_t i = 0; i < s->n_items; i++)
        visit_stmt(r, s->items[i]);
}

/* Judgement ------------------------------------------------------------------------------------
 */

static bool all_same(const struct rules *r)
{
    for (size_t i = 1; i < r->writes.len; i++)
        if (!same(r, r->writes.data[0].row, r->writes.data[i].row))
            return false;
    return true;
}

/* The one table that all rows are of, if that is known. */
static void find_table(struct rules *r)
{
    struct ast_var *found = NULL;
    bool several = false;
    for (size_t k = 0; k < r->writes.len; k++) {
        const struct ast_expr *row = r->writes.data[k].row;
        size_t i = 0;
        for (struct ast_var *t; (t = next_table(r, row, &i));) {
            if (found && t != found && root_of(row)->kind == AST_VAR && !several) {
                refuse(r->b, r->writes.data[k].loc, REFUSE_ATOMIC_TABLES, found->name, t->name);
                return;
            }
            several |= found && t != found;
            found = found ? found : t;
        }
    }
    if (several && !all_same(r))
        refuse(r->b, r->writes.data[0].loc, REFUSE_ATOMIC_POINTERS,
               root_of(r->writes.data[0].row)->type->name);
    r->stmt->atomic->table = several ? NULL : found;
}

static bool is_index(const struct ast_expr *row, const struct ast_var *v)
{
    for (; row->kind == AST_INDEX; row = row->a) {
        const struct ast_expr *e = row->b;
        while (e->kind == AST_CAST)
            e = e->a;
        if (e->kind == AST_LOAD && e->a->kind == AST_VAR && e->a->var == v)
            return true;
    }
    return false;
}

/* A loop changes each row once: all its indices name the row. */
static void check_loop_rows(struct rules *r)
{
    for (size_t i = 0; i < r->writes.len; i++)
        for (size_t k = 0; k < r->loops.len; k++)
            if (!is_index(r->writes.data[i].row, r->loops.data[k])) {
                refuse(r->b, r->writes.data[i].loc, REFUSE_ATOMIC_ROW, r->loops.data[k]->name);
                return;
            }
}

struct in_loop {
    struct rules *r;
    const struct ast_expr *found;
};

/* May a row that is read in a loop be one that another round changes?  Not if it is named as one
 * that is changed: such rows are named by the indices of the loops. */
static bool may_be_changed(const struct rules *r, const struct ast_expr *row)
{
    bool may_be = false;
    for (size_t i = 0; i < r->writes.len; i++) {
        const struct ast_expr *written = r->writes.data[i].row;
        if (same(r, row, written))
            return false;
        may_be |= may_be_one_table(r, row, written) && !differ(row, written);
    }
    return may_be;
}

static void find_other_row(void *arg, struct ast_expr *e)
{
    struct in_loop *l = arg;
    if (l->found)
        return;
    if (e->kind == AST_CALL && e->callee->reads)
        l->found = e;
    if (e->kind == AST_LOAD && in_database(l->r, e->a) && may_be_changed(l->r, row_of(e->a)))
        l->found = e->a;
}

static void check_changed(struct rules *r)
{
    const struct ast_expr *at = r->changed;
    if (r->loops.len && !at) {
        struct in_loop l = {.r = r};
        walk_exprs(r->stmt->body, find_other_row, &l);
        at = l.found;
    }
    if (at && r->stmt->atomic->many)
        refuse(r->b, at->loc, REFUSE_ATOMIC_CHANGED,
               r->stmt->atomic->table ? r->stmt->atomic->table->name : "a table");
}

/* A local that the statement sets names the row: which one that is would be seen too late. */
static void find_set_local(void *arg, const struct ast_expr *e)
{
    struct rules *r = arg;
    if (!e)
        return;
    for (size_t i = 0; e->kind == AST_VAR && i < r->locals.len; i++)
        if (r->locals.data[i] == e->var)
            refuse(r->b, e->loc, REFUSE_ATOMIC_NAMED, e->var->name);
    find_set_local(r, e->a);
    find_set_local(r, e->b);
    find_set_local(r, e->c);
    for (uint64_t i = 0; i < e->n_args; i++)
        find_set_local(r, e->args[i]);
}

/* The rows that are assigned, each name once. */
static void name_rows(struct rules *r)
{
    struct ast_atomic *a = r->stmt->atomic;
    a->rows = arena_array(r->b->arena, const struct ast_expr *, r->writes.len);
    for (size_t i = 0; i < r->writes.len; i++) {
        const struct ast_expr *row = r->writes.data[i].row;
        bool known = false;
        for (size_t k = 0; k < a->n_rows && !known; k++)
            known = same(r, a->rows[k], row);
        if (!known)
            a->rows[a->n_rows++] = row;
    }
    for (size_t i = 0; i < a->n_rows; i++)
        find_set_local(r, a->rows[i]);
}

static void judge(struct rules *r)
{
    struct ast_atomic *a = r->stmt->atomic;
    if (!r->writes.len) {
        refuse(r->b, r->stmt->loc, REFUSE_ATOMIC_NOTHING);
        return;
    }
    name_rows(r);
    a->many = r->loops.len || (r->writes.len > 1 && !all_same(r));
    find_table(r);
    check_loop_rows(r);
    if (a->many && r->local_at)
        refuse(r->b, r->local_at->loc, REFUSE_ATOMIC_LOCALS, place_name(r->local_at->a));
    if (a->many && r->pointed_at)
        refuse(r->b, r->pointed_at->loc, REFUSE_ATOMIC_POINTED, place_name(r->pointed_at->a));
    check_changed(r);
}

static void check_one(struct rules *r, struct ast_stmt *s)
{
    size_t errors = r->b->d->errors;
    struct ast_stmt *core = s->body;
    r->stmt = s;
    vec_clear(&r->writes);
    vec_clear(&r->locals);
    vec_clear(&r->loops);
    r->local_at = r->pointed_at = r->target = r->changed = NULL;
    for (; core->kind == AST_STMT_FOR; core = core->body)
        if (core->init && core->init->kind == AST_STMT_DECL)
            vec_push(&r->loops, core->init->var);
    s->atomic->where = core->kind == AST_STMT_IF ? core : NULL;
    s->atomic->core = core;
    visit_stmt(r, core);
    if (r->b->d->errors == errors)
        judge(r);
}

static void find_atomic(struct rules *r, struct ast_stmt *s)
{
    if (!s)
        return;
    if (s->kind == AST_STMT_ATOMIC)
        check_one(r, s);
    find_atomic(r, s->body);
    find_atomic(r, s->other);
    for (uint32_t i = 0; i < s->n_items; i++)
        find_atomic(r, s->items[i]);
}

/* Facts about the program ----------------------------------------------------------------------
 */

static void find_addresses(void *arg, struct ast_expr *e)
{
    struct rules *r = arg;
    if (e->kind != AST_ADDR)
        return;
    const struct ast_expr *root = root_of(e->a);
    if (root->kind != AST_VAR)
        return;
    if (root->var->kind == AST_VAR_DATABASE)
        r->addressed[root->var->id] = true;
    else
        vec_push(&r->pointed, root->var);
}

struct search {
    struct rules *r;
    bool found;
};

static void find_builtin(void *arg, struct ast_expr *e)
{
    struct search *s = arg;
    s->found |= e->kind == AST_BUILTIN || (e->kind == AST_CALL && s->r->stops[e->callee->id]);
}

static void find_stops(struct rules *r)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = 0; i < r->b->funcs.len; i++) {
            struct search s = {.r = r};
            if (r->stops[i])
                continue;
            walk_exprs(r->b->funcs.data[i]->body, find_builtin, &s);
            r->stops[i] = s.found;
            changed |= s.found;
        }
    }
}

void fe_check_atomic(struct builder *b)
{
    struct rules r = {.b = b};
    r.addressed = mem_calloc(b->tables.len + 1, sizeof *r.addressed);
    r.stops = mem_calloc(b->funcs.len + 1, sizeof *r.stops);
    for (size_t i = 0; i < b->funcs.len; i++)
        walk_exprs(b->funcs.data[i]->body, find_addresses, &r);
    find_stops(&r);
    for (size_t i = 0; i < b->funcs.len; i++)
        find_atomic(&r, b->funcs.data[i]->body);
    vec_free(&r.pointed);
    vec_free(&r.writes);
    vec_free(&r.locals);
    vec_free(&r.loops);
    mem_free(r.addressed);
    mem_free(r.stops);
}
