/* Order of evaluation (C11 6.5p2-3).
 *
 * C does not determine the order in which operands are evaluated.  A program whose result depends
 * on it (`i = i++`, or f() + g() where f changes what g reads) has no unique meaning, so it is
 * refused.  Two sides of an operator conflict if one writes a place that the other reads or writes,
 * where places are compared as far as constants and field names tell them apart; what a called
 * function touches counts by whole tables, and what it reaches through pointers by the type pointed
 * to.  Builtins that may stop the transaction conflict with each other unless they are of one kind.
 *
 * An assignment's own write comes after its operands' values but not after their pending side
 * effects: `i = i++` conflicts, `i = i + 1` and `i = (f(), 1)` do not. */
#include <assert.h>
#include <string.h>

#include "frontend/build.h"
#include "frontend/walk.h"

struct effect {
    bool write;
    const struct ast_expr *place; /* a place, */
    const struct ast_var *table;  /* or a whole table (or const), */
    const struct ast_type *outer; /* or whatever pointers to (arrays of) this type may reach */
    struct src_loc loc;
};

enum { STOP_ASSUME = 1, STOP_ASSERT = 2, STOP_ROLLBACK = 4 };

struct span { /* what evaluating an expression does: effects [from, to) */
    size_t from, to;
    bool writes;
    bool calls; /* a transaction, in a scenario */
    unsigned stops;
};

struct summary {                      /* of a function and what it calls */
    bool *reads, *writes;             /* by table id */
    bool *outer_reads, *outer_writes; /* by type id, arrays stripped */
    unsigned stops;
};

struct order {
    struct builder *b;
    VEC(struct effect) effects;
    struct summary *summaries;
    VEC(const struct ast_var *) addressed; /* variables whose address is taken somewhere */
    struct summary *now;
    bool changed, reported;
};

static const struct ast_type *strip_arrays(const struct ast_type *t)
{
    while (t->kind == AST_ARRAY)
        t = t->elem;
    return t;
}

static const struct ast_expr *root_of(const struct ast_expr *place)
{
    while (place->kind == AST_INDEX || place->kind == AST_FIELD)
        place = place->a;
    return place;
}

static bool address_taken(const struct order *o, const struct ast_var *v)
{
    for (size_t i = 0; i < o->addressed.len; i++)
        if (o->addressed.data[i] == v)
            return true;
    return false;
}

static void find_addresses(void *arg, struct ast_expr *e)
{
    struct order *o = arg;
    if (e->kind != AST_ADDR)
        return;
    const struct ast_expr *root = root_of(e->a);
    if (root->kind == AST_VAR && !address_taken(o, root->var))
        vec_push(&o->addressed, root->var);
}

/* Overlap ------------------------------------------------------------------------------------- */

static bool pointer_reaches(const struct order *o, const struct ast_type *target,
                            const struct ast_var *v)
{
    return strip_arrays(target) == strip_arrays(v->type) && address_taken(o, v);
}

static uint32_t depth_of(const struct ast_expr *place)
{
    uint32_t n = 0;
    for (; place->kind == AST_INDEX || place->kind == AST_FIELD; place = place->a)
        n++;
    return n;
}

/* Two places below one root (or below pointers to one type): do their steps tell them apart? */
static bool steps_differ(const struct ast_expr *x, const struct ast_expr *y)
{
    uint32_t dx = depth_of(x), dy = depth_of(y);
    for (; dx > dy; dx--)
        x = x->a;
    for (; dy > dx; dy--)
        y = y->a;
    for (; dx > 0; dx--, x = x->a, y = y->a) {
        if (x->kind == AST_FIELD && y->kind == AST_FIELD && x->field != y->field &&
            x->a->type == y->a->type)
            return true;
        if (x->kind == AST_INDEX && y->kind == AST_INDEX && x->b->kind == AST_CONST &&
            y->b->kind == AST_CONST && x->b->value != y->b->value)
            return true;
    }
    return false;
}

static bool places_overlap(const struct order *o, const struct ast_expr *x,
                           const struct ast_expr *y)
{
    const struct ast_expr *rx = root_of(x), *ry = root_of(y);
    if (rx->kind == AST_VAR && ry->kind == AST_VAR)
        return rx->var == ry->var && !steps_differ(x, y);
    if (rx->kind == AST_VAR)
        return pointer_reaches(o, ry->type, rx->var);
    if (ry->kind == AST_VAR)
        return pointer_reaches(o, rx->type, ry->var);
    if (rx->type != ry->type)
        return strip_arrays(rx->type) == strip_arrays(ry->type);
    /* Two pointers to one struct: the same object or different ones, either way fields tell apart;
     * elements only if it is the same pointer, so leave those as overlapping. */
    return rx->type->kind != AST_STRUCT || !steps_differ(x, y);
}

static bool reaches(const struct order *o, const struct ast_type *outer, const struct effect *e)
{
    if (e->outer)
        return e->outer == outer;
    if (e->table)
        return pointer_reaches(o, outer, e->table);
    const struct ast_expr *root = root_of(e->place);
    if (root->kind == AST_DEREF)
        return strip_arrays(root->type) == outer;
    return pointer_reaches(o, outer, root->var);
}

static bool overlap(const struct order *o, const struct effect *x, const struct effect *y)
{
    if (x->outer)
        return reaches(o, x->outer, y);
    if (y->outer)
        return reaches(o, y->outer, x);
    if (x->place && y->place)
        return places_overlap(o, x->place, y->place);
    if (x->table && y->table)
        return x->table == y->table;
    const struct ast_var *table = x->table ? x->table : y->table;
    const struct ast_expr *root = root_of(x->table ? y->place : x->place);
    return root->kind == AST_VAR ? root->var == table : pointer_reaches(o, root->type, table);
}

/* Reports ------------------------------------------------------------------------------------- */

static const char *name_of(const struct effect *e)
{
    if (e->outer)
        return "what a pointer points to";
    if (e->table)
        return e->table->name;
    const struct ast_expr *root = root_of(e->place);
    return root->kind == AST_VAR ? root->var->name : "what a pointer points to";
}

static void report(struct order *o, const struct effect *e)
{
    const char *name = name_of(e);
    char quoted[256];
    snprintf(quoted, sizeof quoted, strchr(name, ' ') ? "%s" : "'%s'", name);
    if (!o->reported)
        refuse(o->b, e->loc, REFUSE_UNSEQUENCED, quoted);
    o->reported = true; /* one for each full expression */
}

static bool is_single(unsigned stops)
{
    return (stops & (stops - 1)) == 0;
}

/* x and y are evaluated in either order. */
static void unordered(struct order *o, struct span x, struct span y, struct src_loc loc)
{
    if (x.stops && y.stops && !is_single(x.stops | y.stops) && !o->reported) {
        refuse(o->b, loc, REFUSE_UNSEQUENCED_STOP);
        o->reported = true;
    }
    if (x.calls && y.calls && !o->reported) {
        refuse(o->b, loc, REFUSE_UNSEQUENCED_CALLS);
        o->reported = true;
    }
    if (!x.writes && !y.writes)
        return;
    for (size_t i = x.from; i < x.to; i++)
        for (size_t k = y.from; k < y.to; k++) {
            const struct effect *e = &o->effects.data[i], *f = &o->effects.data[k];
            if ((e->write || f->write) && overlap(o, e, f))
                report(o, e->write ? e : f);
        }
}

/* Effects of an expression -------------------------------------------------------------------- */

static struct span evaluate(struct order *o, const struct ast_expr *e);

static void add(struct order *o, struct span *s, struct effect e)
{
    vec_push(&o->effects, e);
    s->to = o->effects.len;
    s->writes |= e.write;
}

static struct span nothing(const struct order *o)
{
    return (struct span){.from = o->effects.len, .to = o->effects.len};
}

static struct span join(struct span x, struct span y)
{
    return (struct span){x.from, y.to > x.to ? y.to : x.to, x.writes || y.writes,
                         x.calls || y.calls, x.stops | y.stops};
}

/* Evaluating a place without reading it: its indices and pointers. */
static struct span evaluate_place(struct order *o, const struct ast_expr *place)
{
    switch (place->kind) {
    case AST_INDEX: {
        struct span x = evaluate_place(o, place->a), y = evaluate(o, place->b);
        unordered(o, x, y, place->loc);
        return join(x, y);
    }
    case AST_FIELD:
        return evaluate_place(o, place->a);
    case AST_DEREF:
        return evaluate(o, place->a);
    default:
        return nothing(o);
    }
}

/* Places whose side effects may still be pending when the value of e is known. */
typedef VEC(const struct ast_expr *) place_vec;
static void pending(const struct ast_expr *e, place_vec *out)
{
    if (!e)
        return;
    switch (e->kind) {
    case AST_CALL:
    case AST_BUILTIN:
        return;
    case AST_COMMA:
    case AST_AND:
    case AST_OR:
        pending(e->b, out);
        return;
    case AST_COND:
        pending(e->b, out);
        pending(e->c, out);
        return;
    case AST_ASSIGN:
    case AST_COMPOUND:
    case AST_INCDEC:
        vec_push(out, e->a);
        break;
    default:
        break;
    }
    pending(e->a, out);
    pending(e->b, out);
    for (uint64_t i = 0; i < e->n_args; i++)
        pending(e->args[i], out);
}

static struct span evaluate_assignment(struct order *o, const struct ast_expr *e)
{
    struct span s = evaluate_place(o, e->a);
    if (e->kind != AST_ASSIGN) {
        struct effect read = {.place = e->a, .loc = e->loc};
        add(o, &s, read);
    }
    if (e->b) {
        struct span value = evaluate(o, e->b);
        unordered(o, s, value, e->loc);
        s = join(s, value);
    }
    place_vec late = {0};
    struct effect write = {.write = true, .place = e->a, .loc = e->loc};
    pending(e->b, &late);
    for (const struct ast_expr *p = e->a; p->kind == AST_INDEX || p->kind == AST_FIELD; p = p->a)
        pending(p->b, &late);
    for (size_t i = 0; i < late.len; i++)
        if (places_overlap(o, late.data[i], e->a))
            report(o, &write);
    vec_free(&late);
    add(o, &s, write);
    return s;
}

static void add_summary(struct order *o, struct span *s, const struct ast_expr *call)
{
    const struct summary *f = &o->summaries[call->callee->id];
    if (call->callee->role == AST_TRANSACTION) { /* in a scenario: it runs in its own good time */
        s->calls = true;
        return;
    }
    s->stops |= f->stops;
    for (size_t i = 0; i < o->b->tables.len; i++)
        if (f->reads[i] || f->writes[i])
            add(o, s,
                (struct effect){
                    .write = f->writes[i], .table = o->b->tables.data[i], .loc = call->loc});
    for (size_t i = 0; i < o->b->types.len; i++)
        if (f->outer_reads[i] || f->outer_writes[i])
            add(o, s,
                (struct effect){
                    .write = f->outer_writes[i], .outer = o->b->types.data[i], .loc = call->loc});
}

/* Arguments and initialiser elements: in any order among themselves. */
static struct span evaluate_args(struct order *o, const struct ast_expr *e)
{
    struct span all = nothing(o);
    for (uint64_t i = 0; i < e->n_args; i++) {
        if (e->args[i]->kind == AST_CONST)
            continue;
        struct span s =
            ast_is_place(e->args[i]) ? evaluate_place(o, e->args[i]) : evaluate(o, e->args[i]);
        unordered(o, all, s, e->args[i]->loc);
        all = join(all, s);
    }
    return all;
}

static struct span evaluate_builtin(struct order *o, const struct ast_expr *e)
{
    static const unsigned stops[] = {
        [AST_ASSUME] = STOP_ASSUME, [AST_ASSERT] = STOP_ASSERT, [AST_ROLLBACK] = STOP_ROLLBACK,
        [AST_NONDET] = 0,           [AST_FOR_UPDATE] = 0,       [AST_FOR_SHARE] = 0,
        [AST_SKIP_LOCKED] = 0,      [AST_FRESH] = STOP_ASSUME, /* without a free row the execution
                                                                  does not exist */
    };
    struct span s = evaluate_args(o, e);
    s.stops |= stops[e->builtin];
    /* A lock writes what is there: as good as a read. */
    if (ast_is_lock(e->builtin) || e->builtin == AST_FRESH)
        add(o, &s, (struct effect){.place = e->args[0], .loc = e->loc});
    return s;
}

static struct span evaluate(struct order *o, const struct ast_expr *e)
{
    struct span x = nothing(o), y;
    switch (e->kind) {
    case AST_CONST:
    case AST_ANY:
        return x;
    case AST_LOAD:
        x = evaluate_place(o, e->a);
        add(o, &x, (struct effect){.place = e->a, .loc = e->loc});
        return x;
    case AST_ADDR:
        return evaluate_place(o, e->a);
    case AST_CAST:
    case AST_UNARY:
    case AST_MEMBER:
        return evaluate(o, e->a);
    case AST_BINARY:
        x = evaluate(o, e->a);
        y = evaluate(o, e->b);
        unordered(o, x, y, e->loc);
        return join(x, y);
    case AST_AND:
    case AST_OR:
    case AST_COMMA:
        x = evaluate(o, e->a);
        return join(x, evaluate(o, e->b));
    case AST_COND:
        x = evaluate(o, e->a);
        x = join(x, evaluate(o, e->b));
        return join(x, evaluate(o, e->c));
    case AST_ASSIGN:
    case AST_COMPOUND:
    case AST_INCDEC:
        return evaluate_assignment(o, e);
    case AST_INIT:
        return evaluate_args(o, e);
    case AST_CALL:
        x = evaluate_args(o, e);
        add_summary(o, &x, e);
        return x;
    case AST_BUILTIN:
        return evaluate_builtin(o, e);
    default:
        assert(!"a place where a value should be");
        return x;
    }
}

/* Functions ----------------------------------------------------------------------------------- */

static void set(struct order *o, bool *flag)
{
    o->changed |= !*flag;
    *flag = true;
}

static void touch(struct order *o, const struct ast_expr *place, bool write)
{
    const struct ast_expr *root = root_of(place);
    if (root->kind == AST_DEREF) {
        uint32_t t = strip_arrays(root->type)->id;
        set(o, write ? &o->now->outer_writes[t] : &o->now->outer_reads[t]);
    } else if (root->var->kind == AST_VAR_DATABASE) {
        set(o, write ? &o->now->writes[root->var->id] : &o->now->reads[root->var->id]);
    }
}

static void summarise(void *arg, struct ast_expr *e)
{
    struct order *o = arg;
    unsigned stops = o->now->stops;
    if (e->kind == AST_LOAD || e->kind == AST_COMPOUND || e->kind == AST_INCDEC)
        touch(o, e->a, false);
    if (e->kind == AST_ASSIGN || e->kind == AST_COMPOUND || e->kind == AST_INCDEC)
        touch(o, e->a, true);
    if (e->kind == AST_BUILTIN) {
        o->now->stops |= e->builtin == AST_ASSUME     ? STOP_ASSUME
                         : e->builtin == AST_FRESH    ? STOP_ASSUME
                         : e->builtin == AST_ASSERT   ? STOP_ASSERT
                         : e->builtin == AST_ROLLBACK ? STOP_ROLLBACK
                                                      : 0u;
        if (ast_is_lock(e->builtin) || e->builtin == AST_FRESH)
            touch(o, e->args[0], false);
    }
    if (e->kind == AST_CALL) {
        const struct summary *f = &o->summaries[e->callee->id];
        o->now->stops |= f->stops;
        for (size_t i = 0; i < o->b->tables.len; i++) {
            if (f->reads[i])
                set(o, &o->now->reads[i]);
            if (f->writes[i])
                set(o, &o->now->writes[i]);
        }
        for (size_t i = 0; i < o->b->types.len; i++) {
            if (f->outer_reads[i])
                set(o, &o->now->outer_reads[i]);
            if (f->outer_writes[i])
                set(o, &o->now->outer_writes[i]);
        }
    }
    o->changed |= stops != o->now->stops;
}

static void check_full(void *arg, struct ast_expr *e)
{
    struct order *o = arg;
    vec_clear(&o->effects);
    o->reported = false;
    evaluate(o, e);
}

void fe_check_order(struct builder *b)
{
    struct order o = {.b = b};
    struct arena scratch = {0};
    size_t n = b->funcs.len;
    o.summaries = arena_array(&scratch, struct summary, n);
    for (size_t i = 0; i < n; i++) {
        o.summaries[i].reads = arena_array(&scratch, bool, b->tables.len);
        o.summaries[i].writes = arena_array(&scratch, bool, b->tables.len);
        o.summaries[i].outer_reads = arena_array(&scratch, bool, b->types.len);
        o.summaries[i].outer_writes = arena_array(&scratch, bool, b->types.len);
        walk_exprs(b->funcs.data[i]->body, find_addresses, &o);
    }
    do {
        o.changed = false;
        for (size_t i = 0; i < n; i++) {
            o.now = &o.summaries[i];
            walk_exprs(b->funcs.data[i]->body, summarise, &o);
        }
    } while (o.changed);
    for (size_t i = 0; i < n; i++)
        walk_fulls(b->funcs.data[i]->body, check_full, &o);
    vec_free(&o.effects);
    vec_free(&o.addressed);
    arena_free(&scratch);
}
