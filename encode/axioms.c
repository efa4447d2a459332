/* Order and visibility, see axioms.h; the axioms are those of docs/semantics.md, one function each.
 */
#include "encode/axioms.h"

#include <assert.h>

/* ---- levels -------------------------------------------------------------------------------- */

static bool level_has(const struct order *o, const struct model *m, enum model_axiom a)
{
    if (model_has(m, a))
        return true;
    /* SER towards others obeys SI's rules; if all are SER, vis = ar says it all. */
    enum model_axiom conflicts = model_is_server(m) ? AXIOM_FIRSTUPDATER : AXIOM_NOCONFLICT;
    return !o->all_ser && model_has(m, AXIOM_TOTALVIS) && (a == AXIOM_PREFIX || a == conflicts);
}

/* Does the level's set number k have to be a prefix of ar? */
static bool level_prefix(const struct order *o, const struct model *m, bool last)
{
    if (m->snapshot == SNAPSHOT_STATEMENT)
        return true;
    return last && level_has(o, m, AXIOM_PREFIX);
}

typedef bool (*level_test)(const struct order *o, const struct model *m, int arg);

static Z3_ast node_is(const struct order *o, uint32_t i, level_test test, int arg)
{
    if (i >= o->p->txns.len)
        return test(o, o->observer_level, arg) ? o->z->yes : o->z->no;
    const struct prob_txn *t = &o->p->txns.data[i];
    if (t->n_alts == 1)
        return test(o, prob_level(o->p, t, 0), arg) ? o->z->yes : o->z->no;
    bool all = true;
    z3ctx_asts some = {0};
    for (size_t k = 0; k < t->n_alts; k++) {
        if (test(o, prob_level(o->p, t, k), arg))
            vec_push(&some, zterm(o->t, t->alts[k].chosen));
        else
            all = false;
    }
    Z3_ast a = all ? o->z->yes : z3ctx_or(o->z, &some); /* an idle node minds nothing */
    vec_free(&some);
    return a;
}

static bool test_axiom(const struct order *o, const struct model *m, int axiom)
{
    return level_has(o, m, (enum model_axiom)axiom);
}

static bool test_prefix(const struct order *o, const struct model *m, int last)
{
    return level_prefix(o, m, last);
}

static bool test_grows(const struct order *o, const struct model *m, int unused)
{
    (void)o, (void)unused;
    return m->snapshot != SNAPSHOT_ANY;
}

static bool test_ser(const struct order *o, const struct model *m, int unused)
{
    (void)o, (void)unused;
    return model_has(m, AXIOM_TOTALVIS);
}

/* Node i is at a level that has the axiom (counting SER's NOCONFLICT and PREFIX among mixed ones).
 */
static Z3_ast has_axiom(const struct order *o, uint32_t i, enum model_axiom a)
{
    return node_is(o, i, test_axiom, (int)a);
}

bool order_any_has(const struct order *o, enum model_axiom a)
{
    for (uint32_t i = 0; i < o->n; i++)
        if (has_axiom(o, i, a) != o->z->no)
            return true;
    return false;
}

static bool every_level_is_ser(const struct problem *p, const struct model *observer)
{
    for (size_t i = 0; i < p->txns.len; i++)
        for (size_t k = 0; k < p->txns.data[i].n_alts; k++)
            if (!model_has(prob_level(p, &p->txns.data[i], k), AXIOM_TOTALVIS))
                return false;
    return !observer || model_has(observer, AXIOM_TOTALVIS);
}

/* ---- ar ------------------------------------------------------------------------------------ */

/* Pairs that are decided: sessions, results, symmetry; all lead from lower to higher numbers, so
 * they are acyclic and their closure is one pass per middle node (Warshall). */
static bool *decided_pairs(struct order *o)
{
    uint32_t n = o->n;
    bool *d = arena_array(&o->arena, bool, (size_t)n *n);
    const struct problem *p = o->p;
    for (uint32_t i = 0; p->session_order && i < p->txns.len; i++)
        for (uint32_t j = i + 1; j < p->txns.len; j++)
            d[i * n + j] = p->txns.data[i].session == p->txns.data[j].session &&
                           model_counts_sessions(prob_level(p, &p->txns.data[j], 0));
    for (size_t i = 0; i < p->before.len; i += 2)
        d[p->before.data[i] * n + p->before.data[i + 1]] = true;
    for (size_t i = 0; i < p->symmetric.len; i += 2)
        d[p->symmetric.data[i] * n + p->symmetric.data[i + 1]] = true;
    for (uint32_t m = 0; m < n; m++)
        for (uint32_t i = 0; i < n; i++)
            for (uint32_t j = 0; j < n; j++)
                d[i * n + j] |= d[i * n + m] && d[m * n + j];
    return d;
}

static void no_three_cycles(struct z3ctx *z, Z3_ast *order, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = i + 1; j < n; j++)
            for (uint32_t k = j + 1; k < n; k++) {
                z3ctx_rule(z, order[i * n + k], 2, order[i * n + j], order[j * n + k]);
                z3ctx_rule(z, order[k * n + i], 2, order[k * n + j], order[j * n + i]);
            }
}

static void total_order(struct order *o, Z3_ast *order, const bool *decided, const char *name)
{
    uint32_t n = o->n;
    for (uint32_t i = 0; i < n; i++) {
        order[i * n + i] = o->z->no;
        for (uint32_t j = i + 1; j < n; j++) {
            assert(!decided[j * n + i]);
            order[i * n + j] =
                decided[i * n + j] ? o->z->yes : z3ctx_bool(o->z, "%s %u %u", name, i, j);
            order[j * n + i] = z3ctx_not(o->z, order[i * n + j]);
        }
    }
    no_three_cycles(o->z, order, n);
}

/* ---- visible sets -------------------------------------------------------------------------- */

static bool session_sees(const struct order *o, uint32_t i, uint32_t j)
{
    const struct problem *p = o->p;
    if (!p->session_order || i >= p->txns.len || j >= i)
        return false;
    const struct prob_txn *t = &p->txns.data[i];
    return p->txns.data[j].session == t->session &&
           model_sees_session(prob_level(p, t, 0)); /* RC: so ⊆ ar only; EC: not even that */
}

static void declare_set(struct order *o, uint32_t i, uint32_t k)
{
    for (uint32_t j = 0; j < o->n; j++) {
        Z3_ast v;
        if (j == i || j >= o->p->txns.len || order_ar(o, j, i) == o->z->no)
            v = o->z->no;
        else if (o->all_ser || k == o->n_views[i])
            v = order_ar(o, j, i);
        else if (session_sees(o, i, j))
            v = o->z->yes;
        else
            v = z3ctx_bool(o->z, "vis %u in %u.%u", j, i, k);
        vec_push(&o->vis, v);
    }
}

void order_init(struct order *o, struct z3ctx *z, struct zterm *t, const struct problem *p,
                const struct model *observer_level, uint32_t observer_sets)
{
    *o = (struct order){.z = z, .t = t, .p = p, .observer_level = observer_level};
    o->n = (uint32_t)p->txns.len + (observer_level != NULL);
    o->all_ser = every_level_is_ser(p, observer_level);
    o->ar = arena_array(&o->arena, Z3_ast, (size_t)o->n * o->n + 1);
    o->first_set = arena_array(&o->arena, uint32_t, o->n + 1);
    o->n_sets = arena_array(&o->arena, uint32_t, o->n + 1);
    o->n_views = arena_array(&o->arena, uint32_t, o->n + 1);
    total_order(o, o->ar, decided_pairs(o), "ar");
    for (uint32_t i = 0, sets = 0; i < o->n; i++) {
        o->n_sets[i] = i < p->txns.len ? p->txns.data[i].n_points : observer_sets;
        o->n_views[i] = o->n_sets[i] - (i < p->txns.len && p->txns.data[i].newest);
        o->first_set[i] = sets;
        sets += o->n_sets[i];
        for (uint32_t k = 0; k < o->n_sets[i]; k++)
            declare_set(o, i, k);
    }
}

void order_free(struct order *o)
{
    vec_free(&o->vis);
    arena_free(&o->arena);
}

/* ---- axioms -------------------------------------------------------------------------------- */

/* vis ⊆ ar; later sets contain earlier ones, at EC the last one contains all. */
static void within_ar(struct order *o, uint32_t i)
{
    Z3_ast grows = node_is(o, i, test_grows, 0);
    uint32_t last = o->n_sets[i] - 1;
    for (uint32_t k = 0; k < o->n_sets[i]; k++)
        for (uint32_t j = 0; j < o->n; j++) {
            z3ctx_rule(o->z, order_ar(o, j, i), 1, order_vis(o, i, k, j));
            if (k > 0 && grows != o->z->no)
                z3ctx_rule(o->z, order_vis(o, i, k, j), 2, grows, order_vis(o, i, k - 1, j));
            if (k < last && grows != o->z->yes)
                z3ctx_rule(o->z, order_vis(o, i, last, j), 1, order_vis(o, i, k, j));
        }
}

/* S vis U vis T ⇒ S vis T. */
static void transvis(struct order *o, uint32_t t)
{
    Z3_ast binds = has_axiom(o, t, AXIOM_TRANSVIS);
    for (uint32_t u = 0; u < o->n; u++)
        for (uint32_t s = 0; s < o->n; s++)
            if (u != t && s != t && s != u && binds != o->z->no)
                z3ctx_rule(o->z, order_sees(o, t, s), 3, binds, order_sees(o, u, s),
                           order_sees(o, t, u));
}

/* S ar U vis T ⇒ S vis T, for each visible set that must be a prefix. */
static void prefix(struct order *o, uint32_t t)
{
    for (uint32_t k = 0; k < o->n_views[t]; k++) {
        Z3_ast binds = node_is(o, t, test_prefix, k + 1 == o->n_views[t]);
        if (binds == o->z->no)
            continue;
        for (uint32_t u = 0; u < o->n; u++)
            for (uint32_t s = 0; s < o->p->txns.len; s++)
                if (u != t && s != t && s != u)
                    z3ctx_rule(o->z, order_vis(o, t, k, s), 3, binds, order_ar(o, s, u),
                               order_vis(o, t, k, u));
    }
}

void order_axioms(struct order *o)
{
    if (o->all_ser)
        return; /* vis = ar by construction */
    for (uint32_t i = 0; i < o->n; i++) {
        within_ar(o, i);
        transvis(o, i);
        prefix(o, i);
    }
}

void order_no_conflict(struct order *o, uint32_t s, uint32_t t, Z3_ast conflict)
{
    if (!o->all_ser)
        z3ctx_rule(o->z, order_sees(o, t, s), 3, has_axiom(o, t, AXIOM_NOCONFLICT), conflict,
                   order_ar(o, s, t));
}

void order_first_updater(struct order *o, uint32_t s, uint32_t t, Z3_ast conflict)
{
    if (!o->all_ser)
        z3ctx_rule(o->z, order_sees(o, t, s), 3, has_axiom(o, t, AXIOM_FIRSTUPDATER), conflict,
                   order_ar(o, s, t));
}

void order_locks(struct order *o, uint32_t s, uint32_t t, uint32_t view, Z3_ast conflict)
{
    if (!o->all_ser)
        z3ctx_rule(o->z, order_vis(o, t, view, s), 3, has_axiom(o, t, AXIOM_LOCKORDER), conflict,
                   order_ar(o, s, t));
}

/* ---- SER among others ---------------------------------------------------------------------- */

void ser_order_init(struct ser_order *s, struct order *o)
{
    bool *free_pairs = arena_array(&o->arena, bool, (size_t)o->n * o->n + 1);
    s->o = o;
    s->before = arena_array(&o->arena, Z3_ast, (size_t)o->n * o->n + 1);
    total_order(o, s->before, free_pairs, "ser");
    /* Session order counts, or SER for all would not be strong session SER. */
    for (uint32_t i = 0; i < o->n; i++)
        for (uint32_t j = 0; j < o->n; j++)
            if (session_sees(o, j, i))
                ser_order_depends(s, i, j, o->z->yes);
    /* So do results: with SER for all, who uses one sees the one who gave it. */
    for (size_t i = 0; i < o->p->before.len; i += 2)
        ser_order_depends(s, o->p->before.data[i], o->p->before.data[i + 1], o->z->yes);
}

void ser_order_depends(struct ser_order *s, uint32_t i, uint32_t j, Z3_ast edge)
{
    struct order *o = s->o;
    z3ctx_rule(o->z, s->before[i * o->n + j], 3, node_is(o, i, test_ser, 0),
               node_is(o, j, test_ser, 0), edge);
}
