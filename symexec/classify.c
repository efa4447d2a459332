/* Which loops are folds (struct ast_fold, docs/language.md).
 *
 * A fold is one statement: what it computes does not depend on the order of its rounds, or only by
 * where it ends.  So what a round hands to the next one must have one of a few shapes.  A variable
 * that the body changes and that lives longer than a round is
 *
 *     a sum or count       v += e, v -= e, v++, v = v + e
 *     a flag               v = c under conditions, always with the same constant c; v = v && e;
 *                          v = v || e; on bool also v &= e and v |= e
 *     a least or greatest  if (e < v) v = e; v = e < v ? e : v; and the like
 *     what was found       v = e on the way to a break or return
 *
 * where e looks at no such variable, and no other expression of the body looks at v, nor at the
 * value of such an assignment.  In a body
 * that a break or return leaves, only what was found is carried out.  Rows that the body writes are
 * rows of the index: one dimension of the table has the loop's index wherever the body names a row
 * of it.
 *
 * The test is syntactic and knows nothing of values, so that every execution of a loop gets the
 * same answer, from the executor and from the interpreter. */
#include <assert.h>

#include "symexec/fold_shape.h"
#include "symexec/summary.h"

struct carried {
    const struct ast_var *var;
    enum sx_shape shape;
    ast_int value; /* of a flag */
};

/* Where the rows of a table that the body names have the index. */
struct touched {
    const struct ast_var *table;
    bool written;
    uint32_t dims; /* a bit for each dimension that is the index wherever the table is named */
};

struct scan {
    const struct ast_fold *fold;
    VEC(const struct ast_var *) own; /* variables that the body declares */
    VEC(struct carried) carried;
    VEC(struct touched) touched;
    bool leaves;      /* by break or return */
    bool reads_afar;  /* through pointers or in functions: tables that are not known here */
    unsigned inside;  /* loops and switches around the statement at hand, in the body */
    bool leaving;     /* a break or return follows in the block at hand */
    const char *why;  /* it is no fold */
    const char *name; /* the variable that does not fit, or NULL */
    struct src_loc at;
};

static void refute(struct scan *s, struct src_loc at, const char *name, const char *why)
{
    if (s->why)
        return;
    s->why = why;
    s->name = name;
    s->at = at;
}

/* ---- expressions --------------------------------------------------------------------------- */

static const struct ast_expr *stripped(const struct ast_expr *e)
{
    while (e->kind == AST_CAST && e->type->kind == AST_INT)
        e = e->a;
    return e;
}

/* The same without conversions that may change the value. */
static const struct ast_expr *kept(const struct ast_expr *e)
{
    while (e->kind == AST_CAST && e->type->kind == AST_INT && e->a->type->kind == AST_INT &&
           ast_int_min(e->type) <= ast_int_min(e->a->type) &&
           ast_int_max(e->type) >= ast_int_max(e->a->type))
        e = e->a;
    return e;
}

static const struct ast_var *var_of(const struct ast_expr *e)
{
    return e->kind == AST_LOAD && e->a->kind == AST_VAR ? e->a->var : NULL;
}

static const struct ast_var *loaded(const struct ast_expr *e)
{
    return var_of(stripped(e));
}

static bool same_expr(const struct ast_expr *a, const struct ast_expr *b)
{
    if (!a || !b)
        return a == b;
    a = kept(a);
    b = kept(b);
    if (a->kind != b->kind || a->type != b->type || a->n_args || b->n_args)
        return false;
    switch (a->kind) {
    case AST_VAR:
        return a->var == b->var;
    case AST_CONST:
        return a->value == b->value;
    case AST_ANY:
        return true;
    case AST_FIELD:
    case AST_MEMBER:
        return a->field == b->field && same_expr(a->a, b->a);
    case AST_UNARY:
    case AST_BINARY:
        return a->op == b->op && same_expr(a->a, b->a) && same_expr(a->b, b->b);
    case AST_CAST:
    case AST_LOAD:
    case AST_INDEX:
    case AST_DEREF:
        return same_expr(a->a, b->a) && same_expr(a->b, b->b);
    default:
        return false;
    }
}

static bool is_own(const struct scan *s, const struct ast_var *v)
{
    for (size_t i = 0; i < s->own.len; i++)
        if (s->own.data[i] == v)
            return true;
    return false;
}

static bool is_local(const struct ast_var *v)
{
    return v->kind == AST_VAR_LOCAL || v->kind == AST_VAR_PARAM;
}

static struct carried *find_carried(struct scan *s, const struct ast_var *v)
{
    for (size_t i = 0; i < s->carried.len; i++)
        if (s->carried.data[i].var == v)
            return &s->carried.data[i];
    return NULL;
}

static const struct ast_expr *root_of(const struct ast_expr *place)
{
    while (place->kind == AST_INDEX || place->kind == AST_FIELD)
        place = place->a;
    return place;
}

static void scan_expr(struct scan *s, const struct ast_expr *e);

static void scan_parts(struct scan *s, const struct ast_expr *e)
{
    if (e->a)
        scan_expr(s, e->a);
    if (e->b)
        scan_expr(s, e->b);
    if (e->c)
        scan_expr(s, e->c);
    for (uint64_t i = 0; i < e->n_args; i++)
        scan_expr(s, e->args[i]);
}

/* ---- rows ---------------------------------------------------------------------------------- */

static struct touched *touch(struct scan *s, const struct ast_var *table)
{
    for (size_t i = 0; i < s->touched.len; i++)
        if (s->touched.data[i].table == table)
            return &s->touched.data[i];
    vec_push(&s->touched, ((struct touched){table, false, UINT32_MAX}));
    return &vec_last(&s->touched);
}

/* The dimensions of the row that are the loop's index. */
static uint32_t index_dims(const struct scan *s, const struct ast_expr *place)
{
    const struct ast_var *table = root_of(place)->var;
    uint32_t depth = 0, dims = 0, k = 0;
    for (const struct ast_expr *e = place; e->kind != AST_VAR; e = e->a)
        depth += e->kind == AST_INDEX;
    for (const struct ast_expr *e = place; e->kind != AST_VAR; e = e->a)
        if (e->kind == AST_INDEX) {
            uint32_t d = depth - ++k; /* counted from the variable */
            if (d < table->n_dims && d < 32 && var_of(kept(e->b)) == s->fold->index)
                dims |= UINT32_C(1) << d;
        }
    return dims;
}

static void access_row(struct scan *s, const struct ast_expr *place, bool write)
{
    const struct ast_expr *root = root_of(place);
    if (root->kind == AST_VAR && root->var->kind == AST_VAR_DATABASE) {
        struct touched *t = touch(s, root->var);
        t->dims &= index_dims(s, place);
        t->written |= write;
    } else if (root->kind == AST_DEREF) {
        s->reads_afar = true;
        if (write)
            refute(s, place->loc, NULL, "it writes through a pointer");
    }
}

static void check_rows(struct scan *s)
{
    for (size_t i = 0; i < s->touched.len; i++) {
        const struct touched *t = &s->touched.data[i];
        if (!t->written)
            continue;
        if (t->dims == 0)
            refute(s, s->at, t->table->name, "a round may use rows of it that other rounds write");
        else if (s->reads_afar)
            refute(s, s->at, t->table->name,
                   "it is written while functions or pointers read the database");
    }
}

/* ---- carried variables --------------------------------------------------------------------- */

/* The variable gets this shape, unless it has another one. */
static void carry(struct scan *s, const struct ast_expr *e, const struct ast_var *v,
                  enum sx_shape shape, ast_int value)
{
    struct carried *c = find_carried(s, v);
    assert(c);
    if (s->leaving) {
        shape = SX_SHAPE_FOUND;
        value = 0; /* any may be found */
    }
    if (c->shape == SX_SHAPE_NOTHING) {
        c->shape = shape;
        c->value = value;
    } else if (c->shape != shape || c->value != value) {
        refute(s, e->loc, v->name, "it is carried from round to round in several ways");
    }
}

static void misfit(struct scan *s, const struct ast_expr *e, const struct ast_var *v)
{
    refute(s, e->loc, v->name, "what it carries from round to round has another shape");
}

/* e OP v or v OP e, as the least or greatest of the two where it is true that the other one is
 * taken; *other is e. */
static enum sx_shape compared(const struct ast_expr *cond, const struct ast_var *v,
                              const struct ast_expr **other)
{
    cond = stripped(cond);
    if (cond->kind != AST_BINARY || cond->op < C_LT || cond->op > C_GE)
        return SX_SHAPE_NOTHING;
    bool left = var_of(kept(cond->a)) == v, right = var_of(kept(cond->b)) == v;
    if (left == right)
        return SX_SHAPE_NOTHING;
    *other = left ? cond->b : cond->a;
    bool less = cond->op == C_LT || cond->op == C_LE;
    return less == right ? SX_SHAPE_LEAST : SX_SHAPE_GREATEST;
}

/* v = cond ? a : b as the least or greatest of v and another value. */
static enum sx_shape chosen(const struct ast_expr *e, const struct ast_var *v,
                            const struct ast_expr **other)
{
    enum sx_shape shape = compared(e->a, v, other);
    if (shape == SX_SHAPE_NOTHING)
        return SX_SHAPE_NOTHING;
    if (same_expr(e->b, *other) && var_of(kept(e->c)) == v)
        return shape;
    if (same_expr(e->c, *other) && var_of(kept(e->b)) == v)
        return shape == SX_SHAPE_LEAST ? SX_SHAPE_GREATEST : SX_SHAPE_LEAST;
    return SX_SHAPE_NOTHING;
}

static void scan_assign(struct scan *s, const struct ast_expr *e, const struct ast_var *v)
{
    const struct ast_expr *value = stripped(e->b), *other = NULL;
    enum sx_shape shape = SX_SHAPE_NOTHING;
    bool first = value->a && loaded(value->a) == v, second = value->b && loaded(value->b) == v;
    if (s->leaving || value->kind == AST_CONST) {
        scan_expr(s, e->b);
        carry(s, e, v, SX_SHAPE_FLAG, value->kind == AST_CONST ? value->value : 0);
        return;
    }
    if (value->kind == AST_BINARY && first != second &&
        (value->op == C_ADD || (value->op == C_SUB && first))) {
        shape = SX_SHAPE_SUM;
        other = first ? value->b : value->a;
    } else if ((value->kind == AST_AND || value->kind == AST_OR) && first != second) {
        shape = value->kind == AST_AND ? SX_SHAPE_ALL : SX_SHAPE_SOME;
        other = first ? value->b : value->a;
    } else if (value->kind == AST_COND && kept(e->b) == value) {
        shape = chosen(value, v, &other);
    }
    if (shape == SX_SHAPE_NOTHING) {
        misfit(s, e, v);
        return;
    }
    scan_expr(s, other);
    carry(s, e, v, shape, 0);
}

static void scan_update(struct scan *s, const struct ast_expr *e, const struct ast_var *v)
{
    bool is_bool = v->type->kind == AST_INT && v->type->is_bool;
    if (e->b)
        scan_expr(s, e->b);
    if (e->op == C_ADD || e->op == C_SUB)
        carry(s, e, v, SX_SHAPE_SUM, 0);
    else if (is_bool && (e->op == C_BITAND || e->op == C_BITOR))
        carry(s, e, v, e->op == C_BITAND ? SX_SHAPE_ALL : SX_SHAPE_SOME, 0);
    else
        misfit(s, e, v);
    if (s->leaving)
        misfit(s, e, v); /* it looks at the rounds before */
}

/* The target of an assignment: true if it is a variable that is carried. */
static bool scan_target(struct scan *s, const struct ast_expr *e)
{
    const struct ast_expr *root = root_of(e->a);
    access_row(s, e->a, true);
    if (root->kind != AST_VAR || !is_local(root->var) || is_own(s, root->var)) {
        for (const struct ast_expr *p = e->a; p != root; p = p->a)
            if (p->kind == AST_INDEX)
                scan_expr(s, p->b);
        if (root->kind == AST_DEREF)
            scan_expr(s, root->a);
        return false;
    }
    if (e->a->kind != AST_VAR || e->a->type->kind != AST_INT)
        misfit(s, e, root->var);
    return true;
}

static void scan_load(struct scan *s, const struct ast_expr *e)
{
    const struct ast_expr *root = root_of(e->a);
    if (root->kind == AST_VAR && find_carried(s, root->var))
        refute(s, e->loc, root->var->name, "a round looks at what the rounds before it left there");
    access_row(s, e->a, false);
    for (const struct ast_expr *p = e->a; p != root; p = p->a)
        if (p->kind == AST_INDEX)
            scan_expr(s, p->b);
    if (root->kind == AST_DEREF)
        scan_expr(s, root->a);
}

static void scan_addr(struct scan *s, const struct ast_expr *e)
{
    const struct ast_expr *root = root_of(e->a);
    if (root->kind == AST_VAR && is_local(root->var) && !is_own(s, root->var))
        refute(s, e->loc, root->var->name, "its address is taken");
    else if (root->kind == AST_VAR && root->var->kind == AST_VAR_DATABASE)
        access_row(s, e->a, false); /* writes through pointers are refused */
    for (const struct ast_expr *p = e->a; p != root; p = p->a)
        if (p->kind == AST_INDEX)
            scan_expr(s, p->b);
}

static void scan_call(struct scan *s, const struct ast_expr *e)
{
    if (e->callee->role == AST_TRANSACTION)
        refute(s, e->loc, NULL, "it calls transactions");
    if (e->callee->writes)
        refute(s, e->loc, e->callee->name, "the function writes the database");
    s->reads_afar |= e->callee->reads;
    scan_parts(s, e);
}

static void scan_builtin(struct scan *s, const struct ast_expr *e)
{
    if (e->builtin == AST_NONDET || e->builtin == AST_FRESH)
        refute(s, e->loc, NULL, "every round would get a value of its own");
    else if (ast_is_lock(e->builtin))
        scan_addr(s, &(struct ast_expr){.kind = AST_ADDR, .a = e->args[0], .loc = e->loc});
    else
        scan_parts(s, e);
}

/* An expression whose value nobody uses. */
static void scan_effect(struct scan *s, const struct ast_expr *e)
{
    while (e->kind == AST_CAST && e->type->kind == AST_VOID)
        e = e->a;
    if (s->why)
        return;
    switch (e->kind) {
    case AST_ASSIGN:
        if (scan_target(s, e))
            scan_assign(s, e, root_of(e->a)->var);
        else
            scan_expr(s, e->b);
        return;
    case AST_COMPOUND:
    case AST_INCDEC:
        if (scan_target(s, e))
            scan_update(s, e, root_of(e->a)->var);
        else if (e->b)
            scan_expr(s, e->b);
        return;
    case AST_COMMA:
        scan_effect(s, e->a);
        scan_effect(s, e->b);
        return;
    default:
        scan_expr(s, e);
    }
}

static void scan_expr(struct scan *s, const struct ast_expr *e)
{
    if (s->why)
        return;
    switch (e->kind) {
    case AST_ASSIGN:
    case AST_COMPOUND:
    case AST_INCDEC:
        if (scan_target(s, e))
            refute(s, e->loc, root_of(e->a)->var->name, "a round uses the value that it gets");
        else if (e->b)
            scan_expr(s, e->b);
        return;
    case AST_COMMA:
        scan_effect(s, e->a);
        scan_expr(s, e->b);
        return;
    case AST_LOAD:
        scan_load(s, e);
        return;
    case AST_ADDR:
        scan_addr(s, e);
        return;
    case AST_CALL:
        scan_call(s, e);
        return;
    case AST_BUILTIN:
        scan_builtin(s, e);
        return;
    default:
        scan_parts(s, e);
    }
}

/* ---- statements ---------------------------------------------------------------------------- */

static void scan_stmt(struct scan *s, const struct ast_stmt *t);

static const struct ast_stmt *only(const struct ast_stmt *t)
{
    while (t && t->kind == AST_STMT_BLOCK && t->n_items == 1)
        t = t->items[0];
    return t;
}

/* The conjuncts of a condition but for one. */
static void scan_but(struct scan *s, const struct ast_expr *e, const struct ast_expr *but)
{
    if (e == but)
        return;
    if (e->kind == AST_AND) {
        scan_but(s, e->a, but);
        scan_but(s, e->b, but);
    } else {
        scan_expr(s, e);
    }
}

static const struct ast_expr *conjunct(const struct ast_expr *e, const struct ast_var *v,
                                       enum sx_shape *shape, const struct ast_expr **other)
{
    *shape = compared(e, v, other);
    if (*shape != SX_SHAPE_NOTHING)
        return e;
    if (e->kind != AST_AND)
        return NULL;
    const struct ast_expr *left = conjunct(e->a, v, shape, other);
    return left ? left : conjunct(e->b, v, shape, other);
}

/* if (… && e < v) v = e; */
static bool scan_extreme(struct scan *s, const struct ast_stmt *t)
{
    const struct ast_stmt *body = only(t->body);
    const struct ast_expr *set = body && body->kind == AST_STMT_EXPR ? body->expr : NULL, *other;
    enum sx_shape shape;
    while (set && set->kind == AST_CAST && set->type->kind == AST_VOID)
        set = set->a;
    if (t->other || s->leaving || !set || set->kind != AST_ASSIGN || set->a->kind != AST_VAR)
        return false;
    const struct ast_var *v = set->a->var;
    const struct ast_expr *compare = NULL;
    if (find_carried(s, v))
        compare = conjunct(t->expr, v, &shape, &other);
    if (!compare || !same_expr(other, set->b))
        return false;
    scan_but(s, t->expr, compare);
    scan_expr(s, other);
    carry(s, set, v, shape, 0);
    return true;
}

/* Does control leave the loop at the end of this block? */
static bool block_leaves(const struct scan *s, const struct ast_stmt *t)
{
    if (t->n_items == 0)
        return false;
    enum ast_stmt_kind last = t->items[t->n_items - 1]->kind;
    return last == AST_STMT_RETURN || (last == AST_STMT_BREAK && s->inside == 0);
}

static void scan_block(struct scan *s, const struct ast_stmt *t)
{
    bool outer = s->leaving;
    s->leaving |= t->kind == AST_STMT_BLOCK && block_leaves(s, t);
    for (uint32_t i = 0; i < t->n_items; i++)
        scan_stmt(s, t->items[i]);
    s->leaving = outer;
}

static void scan_inside(struct scan *s, const struct ast_stmt *t)
{
    s->inside++;
    if (t->init)
        scan_stmt(s, t->init);
    if (t->expr)
        scan_expr(s, t->expr);
    if (t->step)
        scan_effect(s, t->step);
    if (t->body)
        scan_stmt(s, t->body);
    scan_block(s, t);
    s->inside--;
}

static void scan_stmt(struct scan *s, const struct ast_stmt *t)
{
    if (s->why)
        return;
    switch (t->kind) {
    case AST_STMT_IF:
        if (scan_extreme(s, t))
            return;
        scan_expr(s, t->expr);
        scan_stmt(s, t->body);
        if (t->other)
            scan_stmt(s, t->other);
        return;
    case AST_STMT_BLOCK:
        scan_block(s, t);
        return;
    case AST_STMT_SWITCH:
    case AST_STMT_WHILE:
    case AST_STMT_DO:
    case AST_STMT_FOR:
        if (t->fold && t->fold->skip)
            refute(s, t->loc, NULL, "every round would find a row of its own with skip_locked");
        scan_inside(s, t);
        return;
    case AST_STMT_BREAK:
        s->leaves |= s->inside == 0;
        return;
    case AST_STMT_RETURN:
        s->leaves = true;
        if (t->expr)
            scan_expr(s, t->expr);
        return;
    case AST_STMT_EXPR:
        scan_effect(s, t->expr);
        return;
    case AST_STMT_GOTO:
    case AST_STMT_LABEL:
    case AST_STMT_SESSION:
    case AST_STMT_ATOMIC:
        refute(s, t->loc, NULL, "it has a goto, a label, a session or an ATOMIC in it");
        return;
    default:
        if (t->expr)
            scan_expr(s, t->expr);
    }
}

/* ---- the loop ------------------------------------------------------------------------------ */

static void find_own(struct scan *s, const struct ast_stmt *t)
{
    if (!t)
        return;
    if (t->kind == AST_STMT_DECL)
        vec_push(&s->own, t->var);
    find_own(s, t->init);
    find_own(s, t->body);
    find_own(s, t->other);
    for (uint32_t i = 0; i < t->n_items; i++)
        find_own(s, t->items[i]);
}

static void find_carried_in(struct scan *s, const struct ast_expr *e)
{
    if (!e)
        return;
    if (e->kind == AST_ASSIGN || e->kind == AST_COMPOUND || e->kind == AST_INCDEC) {
        const struct ast_expr *root = root_of(e->a);
        if (root->kind == AST_VAR && is_local(root->var) && !is_own(s, root->var) &&
            !find_carried(s, root->var))
            vec_push(&s->carried, ((struct carried){.var = root->var}));
    }
    find_carried_in(s, e->a);
    find_carried_in(s, e->b);
    find_carried_in(s, e->c);
    for (uint64_t i = 0; i < e->n_args; i++)
        find_carried_in(s, e->args[i]);
}

static void find_all_carried(struct scan *s, const struct ast_stmt *t)
{
    if (!t)
        return;
    find_carried_in(s, t->expr);
    find_carried_in(s, t->step);
    find_all_carried(s, t->init);
    find_all_carried(s, t->body);
    find_all_carried(s, t->other);
    for (uint32_t i = 0; i < t->n_items; i++)
        find_all_carried(s, t->items[i]);
}

static void check_leaving(struct scan *s)
{
    for (size_t i = 0; s->leaves && i < s->carried.len; i++)
        if (s->carried.data[i].shape != SX_SHAPE_FOUND)
            refute(s, s->at, s->carried.data[i].var->name,
                   "with break or return, only what is set on the way out is carried out");
}

static void scan_loop(struct scan *s, const struct ast_stmt *loop)
{
    s->at = loop->loc;
    find_own(s, loop->body);
    find_all_carried(s, loop->body);
    scan_stmt(s, loop->body);
    check_leaving(s);
    check_rows(s);
}

static void free_scan(struct scan *s)
{
    vec_free(&s->own);
    vec_free(&s->carried);
    vec_free(&s->touched);
}

struct sx_fold_shape sx_fold_shape(const struct ast_stmt *loop, struct arena *a)
{
    struct scan s = {.fold = loop->fold};
    scan_loop(&s, loop);
    assert(!s.why);
    struct sx_fold_shape f = {
        .carried = arena_array(a, struct sx_shaped, s.carried.len + 1),
        .written = arena_array(a, const struct ast_var *, s.touched.len + 1),
        .n_carried = (uint32_t)s.carried.len,
    };
    for (size_t i = 0; i < s.carried.len; i++)
        f.carried[i] = (struct sx_shaped){s.carried.data[i].var, s.carried.data[i].shape};
    for (size_t i = 0; i < s.touched.len; i++)
        if (s.touched.data[i].written)
            f.written[f.n_written++] = s.touched.data[i].table;
    free_scan(&s);
    return f;
}

static void refuse(const struct scan *s, struct diag_list *d)
{
    if (s->name)
        diag_add(d, DIAG_ERROR, s->at, "this loop over ANY is no fold because of '%s': %s", s->name,
                 s->why);
    else
        diag_add(d, DIAG_ERROR, s->at, "this loop over ANY is no fold: %s", s->why);
    diag_hint(d, "what fits: sums and counts (v += e), flags (v = true, v = v && e), the least or "
                 "greatest (if (e < v) v = e), the first match (v = i; break;), and writes to rows "
                 "of the index (t[i] = …), each under conditions");
}

static bool classify(const struct ast_stmt *t, struct diag_list *d)
{
    bool fine = true;
    if (!t)
        return true;
    if (t->kind == AST_STMT_FOR && t->fold) {
        struct scan s = {.fold = t->fold};
        scan_loop(&s, t);
        t->fold->refuted = s.why != NULL;
        if (s.why && t->fold->size == AST_ANY_ROWS) {
            refuse(&s, d);
            fine = false;
        }
        free_scan(&s);
    }
    fine &= classify(t->init, d);
    fine &= classify(t->body, d);
    fine &= classify(t->other, d);
    for (uint32_t i = 0; i < t->n_items; i++)
        fine &= classify(t->items[i], d);
    return fine;
}

bool sx_classify(struct ast_program *p, struct diag_list *d)
{
    bool fine = true;
    for (uint32_t i = 0; i < p->n_funcs; i++)
        fine &= classify(p->funcs[i]->body, d);
    sx_find_large(p);
    return fine;
}
