/* Headers of folds: for (T i = lo; i < D; i++), over a whole dimension.
 *
 * The finished tree is searched for loops with such a header (struct ast_fold); whether their
 * bodies are folds is the executor's to say.  A loop with another header is an ordinary one, which
 * is unrolled: so a loop whose condition mentions ANY is refused if its header does not fit, with
 * the part of it that does not. */
#include <limits.h>

#include "frontend/build.h"
#include "frontend/index_uses.h"
#include "frontend/walk.h"

struct header {
    struct builder *b;
    struct ast_func *function;
    struct ast_stmt *loop;
    struct ast_var *index;
    const struct ast_expr *lo;
    bool any;      /* D is ANY … */
    ast_int bound; /* … or this constant */
    /* Why the header does not fit, if it does not, and where. */
    const char *misfit;
    struct src_loc at;
};

static bool misfit(struct header *h, struct src_loc at, const char *why)
{
    if (!h->misfit) {
        h->misfit = why;
        h->at = at;
    }
    return false;
}

/* The start ------------------------------------------------------------------------------------
 *
 * Its value must be the same wherever the body looks at it: it consists of constants, ANY and
 * locals that the body leaves alone, and that no pointer reaches. */

struct addressed {
    const struct ast_var *v;
    bool found;
};

static void find_address(void *arg, struct ast_expr *e)
{
    struct addressed *a = arg;
    a->found |= e->kind == AST_ADDR && index_root(e->a) == a->v;
}

static bool changes(const struct header *h, const struct ast_var *v)
{
    struct addressed a = {.v = v};
    if (v == h->index || index_changed(h->loop->body, v))
        return true;
    walk_exprs(h->function->body, find_address, &a);
    return a.found;
}

static bool start_fits(struct header *h, const struct ast_expr *e);

static bool start_place_fits(struct header *h, const struct ast_expr *place)
{
    for (; place->kind == AST_INDEX || place->kind == AST_FIELD; place = place->a)
        if (place->kind == AST_INDEX && !start_fits(h, place->b))
            return false;
    if (place->kind != AST_VAR || place->var->kind == AST_VAR_DATABASE)
        return misfit(h, place->loc, "its start is read from the database, not from a local");
    if (place->var->kind != AST_VAR_CONST && changes(h, place->var))
        return misfit(h, place->loc, "its body changes what the start depends on");
    return true;
}

static bool start_fits(struct header *h, const struct ast_expr *e)
{
    switch (e->kind) {
    case AST_CONST:
    case AST_ANY:
        return true;
    case AST_LOAD:
        return start_place_fits(h, e->a);
    case AST_CAST:
    case AST_UNARY:
        return start_fits(h, e->a);
    case AST_BINARY:
    case AST_AND:
    case AST_OR:
        return start_fits(h, e->a) && start_fits(h, e->b);
    case AST_COND:
        return start_fits(h, e->a) && start_fits(h, e->b) && start_fits(h, e->c);
    default:
        return misfit(h, e->loc, "its start is more than an expression without side effects");
    }
}

static bool find_start(struct header *h)
{
    const struct ast_stmt *init = h->loop->init;
    if (!init || init->kind != AST_STMT_DECL || !init->expr || init->var->type->kind != AST_INT)
        return misfit(h, init ? init->loc : h->loop->loc, "it does not begin with int i = …");
    h->index = init->var;
    h->lo = init->expr;
    return start_fits(h, h->lo);
}

/* The condition ------------------------------------------------------------------------------- */

/* Does converting the index to this type keep its value, from the start on? */
static bool keeps_index(const struct header *h, const struct ast_type *as)
{
    const struct ast_type *t = h->index->type;
    ast_int lo;
    if (as->kind != AST_INT || ast_int_max(as) < ast_int_max(t))
        return false;
    return ast_int_min(as) <= ast_int_min(t) || (fe_constant_value(h->lo, &lo) && lo >= 0);
}

/* The index, possibly converted to types that hold it. */
static bool is_index(const struct header *h, const struct ast_expr *e)
{
    for (; e->kind == AST_CAST; e = e->a)
        if (!keeps_index(h, e->type))
            return false;
    return e->kind == AST_LOAD && e->a->kind == AST_VAR && e->a->var == h->index;
}

/* `bound` is D, or D - 1 if `last`. */
static bool find_bound(struct header *h, const struct ast_expr *bound, bool last)
{
    h->any = !last && index_stripped(bound)->kind == AST_ANY;
    if (h->any)
        return true;
    if (!fe_constant_value(bound, &h->bound))
        return misfit(h, bound->loc, "its condition is not i < ANY");
    h->bound += last;
    return true;
}

static enum c_operator mirrored(enum c_operator op)
{
    return op == C_GT ? C_LT : op == C_GE ? C_LE : op == C_NE ? C_NE : C_EQ;
}

static bool find_condition(struct header *h)
{
    const struct ast_expr *e = h->loop->expr;
    ast_int lo;
    if (!e || e->kind != AST_BINARY)
        return misfit(h, e ? e->loc : h->loop->loc, "its condition is not i < ANY");
    bool swapped = is_index(h, e->b);
    const struct ast_expr *left = swapped ? e->b : e->a, *right = swapped ? e->a : e->b;
    enum c_operator op = swapped ? mirrored(e->op) : e->op;
    bool from_zero = fe_constant_value(h->lo, &lo) && lo == 0;
    if (!is_index(h, left) || (op != C_LT && op != C_LE && op != C_NE) ||
        (op == C_NE && !from_zero))
        return misfit(h, e->loc, "its condition is not i < ANY");
    if (!find_bound(h, right, op == C_LE))
        return false;
    if (ast_int_max(h->index->type) < (h->any ? (ast_int)INT_MAX : h->bound))
        return misfit(h, h->index->loc, "its index is of a type that cannot count to ANY");
    return true;
}

/* The step and the body ----------------------------------------------------------------------- */

static bool step_fits(struct header *h)
{
    const struct ast_expr *e = h->loop->step;
    ast_int by = 1;
    bool fits = e && (e->kind == AST_INCDEC || e->kind == AST_COMPOUND) && e->op == C_ADD &&
                e->a->kind == AST_VAR && e->a->var == h->index &&
                (e->kind == AST_INCDEC || fe_constant_value(e->b, &by)) && by == 1;
    return fits || misfit(h, e ? e->loc : h->loop->loc, "its step is not i++");
}

static bool body_fits(struct header *h)
{
    const struct ast_expr *changed = index_changed(h->loop->body, h->index);
    if (!changed)
        return true;
    return misfit(h, changed->loc,
                  changed->kind == AST_ADDR ? "its body takes the address of the index"
                                            : "its body changes the index");
}

struct dimension {
    ast_int size;
    bool found;
};

/* An index of a table (not of an array inside a row), of a dimension of that size. */
static void note_dimension(void *arg, const struct ast_expr *use)
{
    struct dimension *d = arg;
    const struct ast_expr *base = use->a;
    while (base->kind == AST_INDEX)
        base = base->a;
    d->found |= base->kind == AST_VAR && base->var->kind == AST_VAR_DATABASE &&
                use->a->type->count != AST_ANY_ROWS && (ast_int)use->a->type->count == d->size;
}

/* Is the bound the size of a dimension that the body indexes by i? */
static bool bound_fits(struct header *h)
{
    struct dimension d = {.size = h->bound};
    if (h->any)
        return true;
    index_uses(h->loop->body, h->index, note_dimension, &d);
    return d.found;
}

static bool fits(struct header *h)
{
    return find_start(h) && find_condition(h) && step_fits(h) && body_fits(h) && bound_fits(h);
}

/* Loops --------------------------------------------------------------------------------------- */

static struct ast_fold *new_fold(const struct header *h)
{
    struct ast_fold *f = arena_new(h->b->arena, struct ast_fold);
    f->index = h->index;
    f->lo = h->loop->init->expr;
    f->size = h->any ? AST_ANY_ROWS : (uint64_t)h->bound;
    return f;
}

static void judge_loop(struct builder *b, struct ast_func *f, struct ast_stmt *s)
{
    struct header h = {.b = b, .function = f, .loop = s};
    bool any = fe_has_any(s->expr);
    if (f->role == AST_SCENARIO) {
        if (any)
            refuse(b, s->expr->loc, REFUSE_ANY_SCENARIO);
    } else if (s->kind != AST_STMT_FOR) {
        if (any)
            refuse(b, s->loc, REFUSE_ANY_LOOP, "it is no for loop");
    } else if (fits(&h)) {
        s->fold = new_fold(&h);
    } else if (any) {
        refuse(b, h.misfit ? h.at : s->loc, REFUSE_ANY_LOOP,
               h.misfit ? h.misfit : "its condition is not i < ANY");
    }
}

static void judge(struct builder *b, struct ast_func *f, struct ast_stmt *s)
{
    if (!s)
        return;
    if (s->kind == AST_STMT_FOR || s->kind == AST_STMT_WHILE || s->kind == AST_STMT_DO)
        judge_loop(b, f, s);
    judge(b, f, s->init);
    judge(b, f, s->body);
    judge(b, f, s->other);
    for (uint32_t i = 0; i < s->n_items; i++)
        judge(b, f, s->items[i]);
}

void fe_find_folds(struct builder *b)
{
    for (size_t i = 0; i < b->funcs.len; i++)
        judge(b, b->funcs.data[i], b->funcs.data[i]->body);
}
