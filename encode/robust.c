/* Executions that no serial order explains, as goals of the event encoding; see robust.h. */
#include "encode/robust.h"

#include <string.h>

#include "encode/enc_internal.h"

/* A read of transaction `txn` and what it says about each other transaction. */
struct robust_read {
    uint32_t txn;
    Z3_ast happens;
    Z3_ast *hit;    /* j writes the row */
    Z3_ast *match;  /* … and is visible */
    Z3_ast *source; /* … and is the last such in ar: the read sees its version */
};

/* A write of transaction `txn`. */
struct robust_write {
    uint32_t txn;
    Z3_ast last; /* it happens, and nobody after txn in ar writes the row */
    Z3_ast *hit; /* j writes the row, too */
};

struct robust {
    struct enc *e;
    uint32_t n;
    VEC(struct robust_read) reads;
    VEC(struct robust_write) writes;
    Z3_ast *edge; /* by pair: the dependency from i to j */
    Z3_ast asked; /* what refuted orders leave holds only for this question */
    uint32_t goal;
    struct arena arena;
};

/* ---- reads and writes ---------------------------------------------------------------------- */

static Z3_ast *literals(struct robust *r)
{
    Z3_ast *v = arena_array(&r->arena, Z3_ast, r->n + 1);
    for (uint32_t j = 0; j < r->n; j++)
        v[j] = r->e->z.no;
    return v;
}

static Z3_ast *who_writes(struct robust *r, uint32_t self, struct prob_row row)
{
    Z3_ast *hit = literals(r);
    for (uint32_t j = 0; j < r->n; j++)
        if (j != self)
            hit[j] = z3ctx_name(&r->e->z, enc_writes_row(r->e, j, row), "hit");
    return hit;
}

static void add_read(struct robust *r, uint32_t i, const struct prob_read *read)
{
    struct enc *e = r->e;
    struct robust_read x = {.txn = i, .happens = zterm(&e->t, read->guard)};
    if (x.happens == e->z.no)
        return;
    x.hit = who_writes(r, i, read->row);
    x.match = literals(r);
    x.source = literals(r);
    for (uint32_t j = 0; j < r->n; j++)
        x.match[j] = z3ctx_and2(&e->z, x.hit[j], order_vis(&e->o, i, read->point, j));
    for (uint32_t j = 0; j < r->n; j++) {
        Z3_ast last = x.match[j];
        for (uint32_t l = 0; l < r->n && last != e->z.no; l++)
            if (l != j && x.match[l] != e->z.no)
                last = z3ctx_and2(
                    &e->z, last,
                    z3ctx_not(&e->z, z3ctx_and2(&e->z, x.match[l], order_ar(&e->o, j, l))));
        x.source[j] = z3ctx_name(&e->z, last, "source");
    }
    vec_push(&r->reads, x);
}

static void add_write(struct robust *r, uint32_t i, const struct prob_write *write)
{
    struct enc *e = r->e;
    struct robust_write x = {.txn = i, .last = zterm(&e->t, write->guard)};
    if (x.last == e->z.no)
        return;
    x.hit = who_writes(r, i, write->row);
    for (uint32_t j = 0; j < r->n; j++)
        if (x.hit[j] != e->z.no)
            x.last =
                z3ctx_and2(&e->z, x.last, z3ctx_implies(&e->z, x.hit[j], order_ar(&e->o, j, i)));
    x.last = z3ctx_name(&e->z, x.last, "last");
    vec_push(&r->writes, x);
}

/* ---- dependencies -------------------------------------------------------------------------- */

static void add_edge(struct robust *r, uint32_t i, uint32_t j, Z3_ast a)
{
    Z3_ast *edge = &r->edge[i * r->n + j];
    if (i != j)
        *edge = z3ctx_or2(&r->e->z, *edge, a);
}

/* The version that j wrote is not newer than the one that the read saw. */
static Z3_ast is_older(struct robust *r, const struct robust_read *x, uint32_t j)
{
    struct enc *e = r->e;
    z3ctx_asts some = {0};
    for (uint32_t l = 0; l < r->n; l++)
        if (x->match[l] != e->z.no)
            vec_push(&some,
                     l == j ? x->match[l] : z3ctx_and2(&e->z, x->match[l], order_ar(&e->o, j, l)));
    Z3_ast older = z3ctx_or(&e->z, &some);
    vec_free(&some);
    return older;
}

/* wr from the writers of the version seen and of older ones (these have a path of ww to it), rw to
 * those of newer ones. */
static void read_edges(struct robust *r, const struct robust_read *x)
{
    struct z3ctx *z = &r->e->z;
    for (uint32_t j = 0; j < r->n; j++) {
        Z3_ast both = z3ctx_and2(z, x->happens, x->hit[j]);
        if (both == z->no)
            continue;
        Z3_ast older = z3ctx_name(z, is_older(r, x, j), "older");
        add_edge(r, j, x->txn, z3ctx_and2(z, both, older));
        add_edge(r, x->txn, j, z3ctx_and2(z, both, z3ctx_not(z, older)));
    }
}

static void find_edges(struct robust *r)
{
    struct enc *e = r->e;
    const struct problem *p = e->p;
    r->edge = arena_array(&r->arena, Z3_ast, (size_t)r->n * r->n + 1);
    for (uint32_t i = 0; i < r->n * r->n; i++)
        r->edge[i] = e->z.no;
    for (uint32_t i = 0; i < r->n; i++)
        for (uint32_t j = i + 1; j < r->n; j++) {
            Z3_ast ww = enc_write_conflict(e, i, j);
            add_edge(r, i, j, z3ctx_and2(&e->z, ww, order_ar(&e->o, i, j)));
            add_edge(r, j, i, z3ctx_and2(&e->z, ww, order_ar(&e->o, j, i)));
            /* Calls are listed in the order of their session. */
            if (p->session_order && p->txns.data[i].session == p->txns.data[j].session)
                add_edge(r, i, j, e->z.yes);
        }
    for (size_t i = 0; i < p->before.len; i += 2)
        add_edge(r, p->before.data[i], p->before.data[i + 1], e->z.yes);
    for (size_t i = 0; i < r->reads.len; i++)
        read_edges(r, &r->reads.data[i]);
}

/* Each of some transactions has a dependency to another of them: among finitely many that is a
 * cycle.  Without a cycle every order that keeps the dependencies explains the execution. */
static Z3_ast is_cyclic(struct robust *r)
{
    struct z3ctx *z = &r->e->z;
    z3ctx_asts on = {0}, next = {0};
    for (uint32_t i = 0; i < r->n; i++)
        vec_push(&on, z3ctx_bool(z, "on cycle %u", i));
    for (uint32_t i = 0; i < r->n; i++) {
        vec_clear(&next);
        for (uint32_t j = 0; j < r->n; j++)
            vec_push(&next, z3ctx_and2(z, r->edge[i * r->n + j], on.data[j]));
        z3ctx_rule(z, z3ctx_or(z, &next), 1, on.data[i]);
    }
    Z3_ast some = z3ctx_or(z, &on);
    vec_free(&on);
    vec_free(&next);
    return some;
}

struct robust *robust_new(struct enc *e)
{
    struct robust *r = mem_calloc(1, sizeof *r);
    r->e = e;
    r->n = (uint32_t)e->p->txns.len;
    for (uint32_t i = 0; i < r->n; i++) {
        const struct prob_txn *t = &e->p->txns.data[i];
        for (size_t k = 0; k < t->reads.len; k++)
            add_read(r, i, &t->reads.data[k]);
        for (size_t k = 0; k < t->writes.len; k++)
            add_write(r, i, &t->writes.data[k]);
    }
    find_edges(r);
    r->asked = z3ctx_bool(&e->z, "robust");
    r->goal = enc_goal_execution(e, z3ctx_and2(&e->z, r->asked, is_cyclic(r)));
    return r;
}

void robust_free(struct robust *r)
{
    if (!r)
        return;
    vec_free(&r->reads);
    vec_free(&r->writes);
    arena_free(&r->arena);
    mem_free(r);
}

uint32_t robust_goal(const struct robust *r)
{
    return r->goal;
}

/* ---- serial orders ------------------------------------------------------------------------- */

/* In the serial order the read sees the version that it saw: the last transaction before its own
 * that writes the row, or none, is the same. */
static Z3_ast sees_the_same(struct robust *r, const struct robust_read *x, const uint32_t *order,
                            const uint32_t *position)
{
    struct z3ctx *z = &r->e->z;
    z3ctx_asts any = {0};
    for (uint32_t j = 0; j < r->n; j++)
        vec_push(&any, x->match[j]);
    Z3_ast same = z3ctx_not(z, z3ctx_or(z, &any));
    vec_free(&any);
    for (uint32_t at = 0; at < position[x->txn]; at++)
        same = z3ctx_ite(z, x->hit[order[at]], x->source[order[at]], same);
    return same;
}

/* Somebody overwrites in the serial order what is the last version of a row. */
static Z3_ast overwrites_last(struct robust *r, const struct robust_write *x,
                              const uint32_t *position)
{
    struct z3ctx *z = &r->e->z;
    z3ctx_asts later = {0};
    for (uint32_t j = 0; j < r->n; j++)
        if (position[j] > position[x->txn])
            vec_push(&later, x->hit[j]);
    Z3_ast some = z3ctx_and2(z, x->last, z3ctx_or(z, &later));
    vec_free(&later);
    return some;
}

/* The order does not explain the execution. */
static Z3_ast differs(struct robust *r, const uint32_t *order, const uint32_t *position)
{
    struct z3ctx *z = &r->e->z;
    z3ctx_asts some = {0};
    for (size_t i = 0; i < r->reads.len; i++) {
        const struct robust_read *x = &r->reads.data[i];
        Z3_ast same = sees_the_same(r, x, order, position);
        vec_push(&some, z3ctx_and2(z, x->happens, z3ctx_not(z, same)));
    }
    for (size_t i = 0; i < r->writes.len; i++)
        vec_push(&some, overwrites_last(r, &r->writes.data[i], position));
    Z3_ast any = z3ctx_or(z, &some);
    vec_free(&some);
    return any;
}

/* Sessions, and results that calls use: of all pairs, or of those that are present. */
static bool keeps_order(const struct robust *r, const uint32_t *position, const bool *present)
{
    const struct problem *p = r->e->p;
    for (uint32_t i = 0; p->session_order && i < r->n; i++)
        for (uint32_t j = i + 1; j < r->n; j++)
            if (p->txns.data[i].session == p->txns.data[j].session && position[i] > position[j] &&
                (!present || (present[i] && present[j])))
                return false;
    for (size_t k = 0; k < p->before.len; k += 2) {
        uint32_t i = p->before.data[k], j = p->before.data[k + 1];
        if (position[i] > position[j] && (!present || (present[i] && present[j])))
            return false;
    }
    return true;
}

/* Positions for all of the problem's transactions; the absent ones come last. */
static void place_all(struct robust *r, const uint32_t *given, const bool *present, uint32_t *order,
                      uint32_t *position)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < r->n; i++)
        if (present[i])
            position[i] = given[n++];
    for (uint32_t i = 0; i < r->n; i++)
        if (!present[i])
            position[i] = n++;
    for (uint32_t i = 0; i < r->n; i++)
        order[position[i]] = i;
}

/* In another execution those that are absent now may be present.  If the order is not one of theirs
 * then, it is refuted only for executions without them. */
static Z3_ast some_absent_comes(struct robust *r, const bool *present)
{
    struct enc *e = r->e;
    Z3_ast some = e->z.no;
    for (uint32_t i = 0; i < r->n; i++)
        if (!present[i])
            some = z3ctx_or2(&e->z, some, zterm(&e->t, e->p->txns.data[i].present));
    return some;
}

bool robust_refute(struct robust *r, const uint32_t *given)
{
    struct z3ctx *z = &r->e->z;
    uint32_t *order = arena_array(&r->arena, uint32_t, r->n + 1);
    uint32_t *position = arena_array(&r->arena, uint32_t, r->n + 1);
    bool *present = arena_array(&r->arena, bool, r->n + 1);
    for (uint32_t i = 0; i < r->n; i++)
        present[i] = enc_condition(r->e, r->e->p->txns.data[i].present);
    place_all(r, given, present, order, position);
    Z3_ast not_it = differs(r, order, position);
    if (z3ctx_model_bool(z, not_it) || !keeps_order(r, position, present))
        return false;
    if (!keeps_order(r, position, NULL))
        not_it = z3ctx_or2(z, not_it, some_absent_comes(r, present));
    z3ctx_assert(z, z3ctx_implies(z, r->asked, not_it));
    return true;
}

/* ---- the property -------------------------------------------------------------------------- */

const struct properties *robust_properties(struct arena *a)
{
    struct properties *props = arena_new(a, struct properties);
    props->v.data = arena_new(a, struct verify_property);
    props->v.len = props->v.cap = 1;
    props->v.data[0] = (struct verify_property){
        .kind = VERIFY_SERIALIZABLE, .name = "serializability", .loc = SRC_LOC_NONE};
    return props;
}

void robust_observe(struct execution *x)
{
    bool *all = arena_array(&x->arena, bool, x->n_txns + 1);
    memset(all, true, x->n_txns);
    x->observer = (struct exec_observer){.present = true,
                                         .name = "the final state",
                                         .position = x->n_txns,
                                         .n_points = 1,
                                         .visible = all};
}
