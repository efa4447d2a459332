/* The properties of a program.  A place is identified by its kind, location and text, so that the
 * unrolled copies of a loop and the inlined copies of a helper are one property. */
#include "encode/result/properties.h"

#include <string.h>

#include "base/mem.h"

const char *verify_status_name(enum verify_status s)
{
    static const char *const names[] = {"PROVED",  "HOLDS",   "VIOLATED",
                                        "UNKNOWN", "VACUOUS", "INTERNAL ERROR"};
    return names[s];
}

const char *verify_property_kind_name(enum verify_property_kind k)
{
    static const char *const names[] = {"invariant",      "final predicate", "serializability",
                                        "assertion",      "overflow check",  "bounds check",
                                        "division check", "shift check"};
    return names[k];
}

static bool kind_of(const struct sx_program *sx, enum sx_point_kind kind,
                    enum verify_property_kind *out)
{
    switch (kind) {
    case SX_ASSERT:
        *out = VERIFY_ASSERT;
        return true;
    case SX_OVERFLOW:
        *out = VERIFY_OVERFLOW;
        return sx->options.check_overflow;
    case SX_BOUNDS:
        *out = VERIFY_BOUNDS;
        return true;
    case SX_DIVISION:
        *out = VERIFY_DIVISION;
        return true;
    case SX_SHIFT:
        *out = VERIFY_SHIFT;
        return true;
    default:
        return false;
    }
}

static bool same_place(struct src_loc a, struct src_loc b)
{
    return a.file == b.file && a.line == b.line && a.col == b.col;
}

uint32_t properties_of_point(const struct properties *props, const struct sx_program *sx,
                             const struct sx_point *point)
{
    enum verify_property_kind kind;
    if (!kind_of(sx, point->kind, &kind))
        return PROPERTY_NONE;
    for (uint32_t i = 0; i < props->v.len; i++) {
        const struct verify_property *p = &props->v.data[i];
        if (p->kind == kind && same_place(p->loc, point->loc) && !strcmp(p->name, point->text))
            return i;
    }
    return PROPERTY_NONE;
}

uint32_t properties_of_predicate(const struct properties *props, const struct ast_func *f)
{
    for (uint32_t i = 0; i < props->v.len; i++)
        if (props->v.data[i].kind <= VERIFY_FINAL && props->v.data[i].func == f)
            return i;
    return PROPERTY_NONE;
}

bool properties_in(const struct properties *props, uint32_t property, const struct sx_summary *sum)
{
    for (size_t i = 0; i < props->places.len; i++)
        if (props->places.data[i].property == property && props->places.data[i].func == sum->func)
            return true;
    return false;
}

static void add_predicate(struct properties *props, enum verify_property_kind kind,
                          const struct ast_func *f)
{
    if (properties_of_predicate(props, f) == PROPERTY_NONE)
        vec_push(&props->v, ((struct verify_property){kind, f->name, f, f->loc}));
}

/* Is the point of the summary one of a property?  A predicate's value is exact even where C's
 * arithmetic would overflow. */
static bool is_property(const struct sx_program *sx, const struct sx_summary *sum,
                        const struct sx_point *pt, enum verify_property_kind *kind)
{
    bool predicate =
        sum->func && (sum->func->role == AST_INVARIANT || sum->func->role == AST_FINAL);
    return kind_of(sx, pt->kind, kind) && !(*kind == VERIFY_OVERFLOW && predicate);
}

static void add_points(struct properties *props, const struct sx_program *sx,
                       const struct sx_summary *sum)
{
    for (size_t i = 0; sum && i < sum->n_points; i++) {
        const struct sx_point *pt = &sum->points[i];
        enum verify_property_kind kind;
        if (!is_property(sx, sum, pt, &kind))
            continue;
        if (properties_of_point(props, sx, pt) == PROPERTY_NONE)
            vec_push(&props->v, ((struct verify_property){kind, pt->text, sum->func, pt->loc}));
        uint32_t property = properties_of_point(props, sx, pt);
        if (!properties_in(props, property, sum))
            vec_push(&props->places, ((struct property_place){property, sum->func}));
    }
}

void properties_collect(struct properties *props, const struct sx_program *sx)
{
    for (uint32_t i = 0; i < sx->n_invariants; i++)
        add_predicate(props, VERIFY_INVARIANT, sx->invariants[i]->func);
    for (uint32_t i = 0; i < sx->n_finals; i++)
        add_predicate(props, VERIFY_FINAL, sx->finals[i]->func);
    for (uint32_t i = 0; i < sx->n_txns; i++)
        add_points(props, sx, sx->txns[i]);
    for (uint32_t i = 0; i < sx->n_scenarios; i++)
        add_points(props, sx, sx->scenarios[i]);
    add_points(props, sx, sx->initial);
    for (uint32_t i = 0; i < sx->n_invariants; i++)
        add_points(props, sx, sx->invariants[i]);
    for (uint32_t i = 0; i < sx->n_finals; i++)
        add_points(props, sx, sx->finals[i]);
}

static bool covers(const struct properties *props, const struct sx_program *sx,
                   const struct sx_summary *sum)
{
    enum verify_property_kind kind;
    for (size_t i = 0; sum && i < sum->n_points; i++)
        if (is_property(sx, sum, &sum->points[i], &kind) &&
            !properties_in(props, properties_of_point(props, sx, &sum->points[i]), sum))
            return false;
    return true;
}

bool properties_cover(const struct properties *props, const struct sx_program *sx)
{
    bool all = covers(props, sx, sx->initial);
    for (uint32_t i = 0; i < sx->n_txns && all; i++)
        all = covers(props, sx, sx->txns[i]);
    for (uint32_t i = 0; i < sx->n_scenarios && all; i++)
        all = covers(props, sx, sx->scenarios[i]);
    for (uint32_t i = 0; i < sx->n_invariants && all; i++)
        all = covers(props, sx, sx->invariants[i]);
    for (uint32_t i = 0; i < sx->n_finals && all; i++)
        all = covers(props, sx, sx->finals[i]);
    return all;
}

/* ---- assertions in the source -------------------------------------------------------------- */

struct assert_search {
    struct properties *props;
    struct ast_program *ast;
    const struct ast_func *of; /* the TRANSACTION or SCENARIO */
    bool *visited;             /* by function */
};

static void search_func(struct assert_search *s, const struct ast_func *f);

static void found_assert(struct assert_search *s, const struct ast_expr *e)
{
    const char *text = ast_text(s->ast, e->args[0]);
    struct verify_property p = {VERIFY_ASSERT, text ? text : "", s->of, e->loc};
    uint32_t at = 0;
    while (at < s->props->v.len && !(s->props->v.data[at].kind == VERIFY_ASSERT &&
                                     same_place(s->props->v.data[at].loc, e->loc) &&
                                     !strcmp(s->props->v.data[at].name, p.name)))
        at++;
    if (at == s->props->v.len)
        vec_push(&s->props->v, p);
    for (size_t i = 0; i < s->props->places.len; i++)
        if (s->props->places.data[i].property == at && s->props->places.data[i].func == s->of)
            return;
    vec_push(&s->props->places, ((struct property_place){at, s->of}));
}

static void search_expr(struct assert_search *s, const struct ast_expr *e)
{
    if (!e)
        return;
    if (e->kind == AST_BUILTIN && e->builtin == AST_ASSERT)
        found_assert(s, e);
    search_expr(s, e->a);
    search_expr(s, e->b);
    search_expr(s, e->c);
    for (uint64_t i = 0; e->args && i < e->n_args; i++)
        search_expr(s, e->args[i]);
    /* What a scenario calls is a transaction of its own. */
    if (e->kind == AST_CALL && e->callee->role == AST_HELPER)
        search_func(s, e->callee);
}

static void search_stmt(struct assert_search *s, const struct ast_stmt *st)
{
    if (!st)
        return;
    search_expr(s, st->expr);
    search_expr(s, st->step);
    search_stmt(s, st->init);
    search_stmt(s, st->body);
    search_stmt(s, st->other);
    for (uint32_t i = 0; i < st->n_items; i++)
        search_stmt(s, st->items[i]);
}

static void search_func(struct assert_search *s, const struct ast_func *f)
{
    if (s->visited[f->id])
        return;
    s->visited[f->id] = true;
    search_stmt(s, f->body);
}

void properties_collect_asserts(struct properties *props, struct ast_program *ast)
{
    for (uint32_t i = 0; i < ast->n_funcs; i++) {
        const struct ast_func *f = ast->funcs[i];
        if (f->role != AST_TRANSACTION && f->role != AST_SCENARIO)
            continue;
        struct assert_search s = {props, ast, f, mem_calloc(ast->n_funcs + 1, sizeof(bool))};
        search_func(&s, f);
        mem_free(s.visited);
    }
}

bool properties_is_check(const struct sx_point *point)
{
    return sx_point_stops(point->kind) && point->kind != SX_ASSUME && !point->rolls_back;
}

bool properties_contradiction(const struct sx_point *point, struct src_loc loc)
{
    return point->kind == SX_ASSUME && point->cond == TERM_FALSE && point->loc.file == loc.file &&
           point->loc.line <= loc.line;
}

void properties_free(struct properties *props)
{
    vec_free(&props->v);
    vec_free(&props->places);
}
