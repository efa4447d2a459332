/* Facts about terms on the current path; see facts.h. */
#include "symexec/facts.h"

#include <assert.h>

void facts_init(struct facts *f, struct term_store *s)
{
    *f = (struct facts){.store = s};
    vec_push(&f->pool, (struct fact_range){0});
}

void facts_free(struct facts *f)
{
    map_free(&f->known);
    map_free(&f->ranges);
    vec_free(&f->pool);
    vec_free(&f->undo);
}

size_t facts_mark(const struct facts *f)
{
    return f->undo.len;
}

static void set(struct facts *f, bool is_range, term_id t, uint32_t value)
{
    uint64_t *slot = map_put(is_range ? &f->ranges : &f->known, t, 0, NULL);
    if (*slot == value)
        return;
    vec_push(&f->undo, ((struct fact_undo){is_range, t, (uint32_t)*slot}));
    *slot = value;
}

void facts_undo(struct facts *f, size_t mark)
{
    while (f->undo.len > mark) {
        struct fact_undo u = vec_pop(&f->undo);
        *map_put(u.is_range ? &f->ranges : &f->known, u.term, 0, NULL) = u.old;
    }
}

/* ---- intervals ----------------------------------------------------------------------------- */

static term_int least(term_int a, term_int b)
{
    return a < b ? a : b;
}

static term_int greatest(term_int a, term_int b)
{
    return a > b ? a : b;
}

static struct fact_range own_range(const struct facts *f, term_id t)
{
    const struct term *n = term_get(f->store, t);
    struct fact_range r = {n->lo, n->hi};
    uint64_t *slot = map_get(&f->ranges, t);
    if (slot && *slot) {
        struct fact_range known = f->pool.data[*slot];
        r.lo = greatest(r.lo, known.lo);
        r.hi = least(r.hi, known.hi);
    }
    return r;
}

static bool is_moderate(struct fact_range r)
{
    term_int big = (term_int)1 << 80;
    return r.lo > -big && r.hi < big;
}

/* The interval of a term by its own facts and those of its parts, a few levels deep. */
static struct fact_range deep_range(const struct facts *f, term_id t, int depth)
{
    struct fact_range r = own_range(f, t), a, b;
    const struct term *n = term_get(f->store, t);
    if (depth == 0)
        return r;
    switch ((enum term_op)n->op) {
    case TERM_OP_FIT:
        a = deep_range(f, n->arg[0], depth - 1);
        break;
    case TERM_OP_ADD:
        a = deep_range(f, n->arg[0], depth - 1), b = deep_range(f, n->arg[1], depth - 1);
        if (!is_moderate(a) || !is_moderate(b))
            return r;
        a = (struct fact_range){a.lo + b.lo, a.hi + b.hi};
        break;
    case TERM_OP_MUL:
        a = deep_range(f, n->arg[0], depth - 1), b = own_range(f, n->arg[1]);
        if (b.lo != b.hi || !is_moderate(a) || b.lo < -1000000 || b.lo > 1000000)
            return r;
        a = b.lo >= 0 ? (struct fact_range){a.lo * b.lo, a.hi * b.lo}
                      : (struct fact_range){a.hi * b.lo, a.lo * b.lo};
        break;
    default:
        return r;
    }
    r.lo = greatest(r.lo, a.lo);
    r.hi = least(r.hi, a.hi);
    return r;
}

struct fact_range facts_range(const struct facts *f, term_id t)
{
    struct fact_range r = deep_range(f, t, 6);
    const struct term *n = term_get(f->store, t);
    if (r.lo > r.hi) /* the path is impossible, and nobody noticed: any answer is right */
        return (struct fact_range){n->lo, n->hi};
    return r;
}

static void narrow(struct facts *f, term_id t, struct fact_range r)
{
    struct fact_range old = own_range(f, t);
    if (r.lo <= old.lo && r.hi >= old.hi)
        return;
    r.lo = greatest(r.lo, old.lo);
    r.hi = least(r.hi, old.hi);
    vec_push(&f->pool, r);
    set(f, true, t, (uint32_t)(f->pool.len - 1));
}

/* If `cond` (or its negation) bounds a single term by constants, say which and how. */
static bool bounds(const struct facts *f, term_id cond, bool negated, int depth, term_id *x,
                   struct fact_range *r)
{
    const struct term *n = term_get(f->store, cond);
    if (depth == 0)
        return false;
    if (n->op == TERM_OP_NOT)
        return bounds(f, n->arg[0], !negated, depth - 1, x, r);
    if (n->op == TERM_OP_AND) {
        term_id y;
        struct fact_range q;
        if (!bounds(f, n->arg[0], negated, depth - 1, x, r) ||
            !bounds(f, n->arg[1], negated, depth - 1, &y, &q) || *x != y)
            return false;
        r->lo = negated ? least(r->lo, q.lo) : greatest(r->lo, q.lo);
        r->hi = negated ? greatest(r->hi, q.hi) : least(r->hi, q.hi);
        return r->lo <= r->hi;
    }
    if ((n->op != TERM_OP_LE && n->op != TERM_OP_EQ) || !term_is_const(f->store, n->arg[1]))
        return false;
    term_int k = term_get(f->store, n->arg[1])->lo;
    *x = n->arg[0];
    *r = own_range(f, *x);
    if (n->op == TERM_OP_LE)
        *r = negated ? (struct fact_range){k + 1, r->hi} : (struct fact_range){r->lo, k};
    else if (!negated)
        *r = (struct fact_range){k, k};
    else if (r->lo == k)
        r->lo = k + 1;
    else if (r->hi == k)
        r->hi = k - 1;
    return true;
}

/* ---- conditions ---------------------------------------------------------------------------- */

static void add(struct facts *f, term_id cond, int depth)
{
    const struct term *n = term_get(f->store, cond);
    bool negated = n->op == TERM_OP_NOT;
    term_id x, inner = negated ? n->arg[0] : cond;
    struct fact_range r;
    if (inner == TERM_TRUE || inner == TERM_FALSE)
        return;
    set(f, false, inner, negated ? 2 : 1);
    if (bounds(f, cond, false, 16, &x, &r))
        narrow(f, x, r);
    if (n->op == TERM_OP_AND && depth > 0) {
        term_id a = n->arg[0], b = n->arg[1];
        add(f, a, depth - 1);
        add(f, b, depth - 1);
    }
}

void facts_add(struct facts *f, term_id cond)
{
    add(f, cond, 24);
}

static term_id fold_compare(struct facts *f, term_id cond, const struct term *n)
{
    struct fact_range a = facts_range(f, n->arg[0]), b = facts_range(f, n->arg[1]);
    if (n->op == TERM_OP_LE) {
        if (a.hi <= b.lo)
            return TERM_TRUE;
        return a.lo > b.hi ? TERM_FALSE : cond;
    }
    if (a.hi < b.lo || a.lo > b.hi)
        return TERM_FALSE;
    return a.lo == a.hi && b.lo == b.hi && a.lo == b.lo ? TERM_TRUE : cond;
}

static term_id fold(struct facts *f, term_id cond, int depth)
{
    if (cond == TERM_TRUE || cond == TERM_FALSE)
        return cond;
    uint64_t *known = map_get(&f->known, cond);
    if (known && *known)
        return term_bool(*known == 1);
    struct term n = *term_get(f->store, cond);
    switch ((enum term_op)n.op) {
    case TERM_OP_NOT:
        return term_not(f->store, fold(f, n.arg[0], depth));
    case TERM_OP_AND:
        if (depth == 0)
            return cond;
        return term_and(f->store, fold(f, n.arg[0], depth - 1), fold(f, n.arg[1], depth - 1));
    case TERM_OP_LE:
    case TERM_OP_EQ:
        return fold_compare(f, cond, &n);
    case TERM_OP_ITE: {
        term_id c = depth == 0 ? n.arg[0] : fold(f, n.arg[0], depth - 1);
        return c == TERM_TRUE ? n.arg[1] : c == TERM_FALSE ? n.arg[2] : cond;
    }
    default:
        return cond;
    }
}

term_id facts_fold(struct facts *f, term_id cond)
{
    return fold(f, cond, 6);
}

term_id facts_value(struct facts *f, term_id t)
{
    for (int i = 0; i < 64; i++) {
        const struct term *n = term_get(f->store, t);
        if (n->op != TERM_OP_ITE)
            break;
        term_id a = n->arg[1], b = n->arg[2], c = fold(f, n->arg[0], 2);
        if (c != TERM_TRUE && c != TERM_FALSE)
            break;
        t = c == TERM_TRUE ? a : b;
    }
    return t;
}
