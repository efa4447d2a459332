/* Terms to Z3 expressions, see zterm.h.
 *
 * INT mode.  Terms are mathematical integers, so most operations are Z3's own.  Division truncates
 * in C and floors in SMT-LIB; a WRAP that can leave its range by at most one lap is a comparison
 * and a subtraction, any other one a `mod`.
 *
 * BITS mode.  A term with interval [lo, hi] is a signed bit-vector of the least width that holds
 * the interval.  Ring operations are computed at the width of the *result*: truncating the
 * arguments first does no harm modulo 2^width, and the result fits.  Comparisons extend both
 * sides to the wider one.  A term of unbounded interval occurs below a WRAP only, whose result
 * depends on the low 64 bits alone.
 *
 * FIT is the identity in INT mode, and a truncation in BITS mode: out of range it may be anything,
 * because there the execution has already stopped. */
#include "encode/z3/zterm.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"

#define ONE_HOT_MAX 32
#define WRAP_WIDTH 64

void zterm_init(struct zterm *t, struct z3ctx *z, const struct term_store *store,
                enum zterm_mode mode)
{
    *t = (struct zterm){.z = z, .store = store, .mode = mode};
}

void zterm_free(struct zterm *t)
{
    vec_free(&t->done);
    vec_free(&t->bits);
    vec_free(&t->hot);
    vec_free(&t->stack);
    map_free(&t->onehot);
    map_free(&t->index_eq);
}

/* ---- numbers ------------------------------------------------------------------------------- */

static bool is_unbounded(const struct term *x)
{
    return x->lo <= TERM_MIN || x->hi >= TERM_MAX;
}

static unsigned width_for(term_int lo, term_int hi)
{
    unsigned w = 1;
    while (lo < -((term_int)1 << (w - 1)) || hi > ((term_int)1 << (w - 1)) - 1)
        w++;
    return w;
}

static unsigned term_width(const struct term *x)
{
    return is_unbounded(x) ? WRAP_WIDTH : width_for(x->lo, x->hi);
}

static unsigned width_of(struct zterm *t, Z3_ast a)
{
    return Z3_get_bv_sort_size(t->z->c, Z3_get_sort(t->z->c, a));
}

/* Sign-extend or truncate. */
static Z3_ast resize(struct zterm *t, Z3_ast a, unsigned to)
{
    unsigned from = width_of(t, a);
    if (from == to)
        return a;
    if (from < to)
        return Z3_mk_sign_ext(t->z->c, to - from, a);
    return Z3_mk_extract(t->z->c, to - 1, 0, a);
}

static Z3_ast numeral(struct zterm *t, term_int v, Z3_sort sort)
{
    struct strbuf text = {0};
    term_int_print(v, &text);
    Z3_ast a = Z3_mk_numeral(t->z->c, sb_str(&text), sort);
    sb_free(&text);
    return a;
}

Z3_sort zterm_sort(struct zterm *t, term_int lo, term_int hi)
{
    return t->mode == ZTERM_INT ? t->z->int_sort : Z3_mk_bv_sort(t->z->c, width_for(lo, hi));
}

Z3_ast zterm_value(struct zterm *t, term_int v)
{
    return numeral(t, v, zterm_sort(t, v, v));
}

Z3_ast zterm_as(struct zterm *t, Z3_ast a, Z3_sort sort)
{
    return t->mode == ZTERM_INT ? a : resize(t, a, Z3_get_bv_sort_size(t->z->c, sort));
}

static void widen(struct zterm *t, Z3_ast *a, Z3_ast *b)
{
    unsigned wa = width_of(t, *a), wb = width_of(t, *b), w = wa > wb ? wa : wb;
    *a = resize(t, *a, w);
    *b = resize(t, *b, w);
}

Z3_ast zterm_le(struct zterm *t, Z3_ast a, Z3_ast b)
{
    if (t->mode == ZTERM_INT)
        return Z3_mk_le(t->z->c, a, b);
    widen(t, &a, &b);
    return Z3_mk_bvsle(t->z->c, a, b);
}

Z3_ast zterm_eq(struct zterm *t, Z3_ast a, Z3_ast b)
{
    if (a == b)
        return t->z->yes;
    if (t->mode == ZTERM_BITS && Z3_get_sort(t->z->c, a) != t->z->bool_sort)
        widen(t, &a, &b);
    if (Z3_is_numeral_ast(t->z->c, a) && Z3_is_numeral_ast(t->z->c, b))
        return a == b ? t->z->yes : t->z->no;
    return Z3_mk_eq(t->z->c, a, b);
}

Z3_ast zterm_between(struct zterm *t, Z3_ast a, term_int lo, term_int hi)
{
    return z3ctx_and2(t->z, zterm_le(t, zterm_value(t, lo), a), zterm_le(t, a, zterm_value(t, hi)));
}

void zterm_bound(struct zterm *t, Z3_ast a, term_int lo, term_int hi)
{
    z3ctx_assert(t->z, zterm_le(t, zterm_value(t, lo), a));
    z3ctx_assert(t->z, zterm_le(t, a, zterm_value(t, hi)));
}

/* A fresh number for a value in [lo, hi], with that range asserted. */
static Z3_ast number(struct zterm *t, term_int lo, term_int hi, const char *name)
{
    Z3_ast a = z3ctx_const(t->z, zterm_sort(t, lo, hi), "%s", name);
    zterm_bound(t, a, lo, hi);
    return a;
}

/* ---- leaves -------------------------------------------------------------------------------- */

static bool is_bit(const struct term *x)
{
    return x->sort == TERM_INT && x->lo >= 0 && x->hi <= 1;
}

static const char *leaf_name(const struct term_leaf *l)
{
    return l->name ? l->name : l->kind == TERM_LEAF_EXT ? "read" : "value";
}

/* External reads get their range from what they read: the encoder ties every one of them to a value
 * in range, so the bounds would only be more for the solver to carry along. */
static Z3_ast leaf_number(struct zterm *t, term_id id)
{
    const struct term copy = *term_get(t->store, id), *x = &copy;
    const struct term_leaf *l = &t->store->leaves.data[x->arg[0]];
    Z3_ast given = t->leaf ? t->leaf(t->leaf_arg, x->arg[0]) : NULL;
    if (given)
        return given;
    if (l->kind == TERM_LEAF_EXT)
        return z3ctx_const(t->z, zterm_sort(t, x->lo, x->hi), "%s", leaf_name(l));
    return number(t, x->lo, x->hi, leaf_name(l));
}

static Z3_ast leaf(struct zterm *t, term_id id)
{
    const struct term *x = term_get(t->store, id);
    if (!is_bit(x))
        return leaf_number(t, id);
    Z3_sort sort = zterm_sort(t, 0, 1);
    return z3ctx_ite(t->z, zterm_bit(t, id), numeral(t, 1, sort), numeral(t, 0, sort));
}

static Z3_ast leaf_bit(struct zterm *t, uint32_t leaf_number)
{
    Z3_ast given = t->leaf ? t->leaf(t->leaf_arg, leaf_number) : NULL;
    return given ? given : z3ctx_bool(t->z, "%s", leaf_name(&t->store->leaves.data[leaf_number]));
}

Z3_ast zterm_bit(struct zterm *t, term_id id)
{
    const struct term copy = *term_get(t->store, id), *x = &copy;
    struct z3ctx *z = t->z;
    if (t->bits.len <= id)
        vec_resize(&t->bits, t->store->terms.len);
    if (t->bits.data[id])
        return t->bits.data[id];
    Z3_ast b;
    if (x->op == TERM_OP_CONST)
        b = x->lo ? z->yes : z->no;
    else if (x->op == TERM_OP_LEAF)
        b = leaf_bit(t, x->arg[0]);
    else if (x->op == TERM_OP_ITE && is_bit(term_get(t->store, x->arg[1])) &&
             is_bit(term_get(t->store, x->arg[2])))
        b = z3ctx_ite(z, zterm(t, x->arg[0]), zterm_bit(t, x->arg[1]), zterm_bit(t, x->arg[2]));
    else
        b = z3ctx_not(z, zterm_eq(t, zterm(t, id), zterm_value(t, 0)));
    t->bits.data[id] = b;
    return b;
}

/* ---- operations, mathematical integers ----------------------------------------------------- */

static Z3_ast int_add(struct z3ctx *z, Z3_ast a, Z3_ast b)
{
    return Z3_mk_add(z->c, 2, (Z3_ast[]){a, b});
}

static Z3_ast int_sub(struct z3ctx *z, Z3_ast a, Z3_ast b)
{
    return Z3_mk_sub(z->c, 2, (Z3_ast[]){a, b});
}

/* SMT-LIB's div floors for positive divisors and rounds away from zero's side for negative ones, so
 * that the remainder is never negative; for a >= 0 it truncates, and C's quotient is odd in a. */
static Z3_ast int_tdiv(struct zterm *t, Z3_ast a, Z3_ast b)
{
    struct z3ctx *z = t->z;
    Z3_ast zero = zterm_value(t, 0);
    Z3_ast minus = Z3_mk_unary_minus(z->c, a);
    Z3_ast q = z3ctx_ite(z, Z3_mk_ge(z->c, a, zero), Z3_mk_div(z->c, a, b),
                         Z3_mk_unary_minus(z->c, Z3_mk_div(z->c, minus, b)));
    return z3ctx_ite(z, zterm_eq(t, b, zero), zero, q);
}

static Z3_ast int_trem(struct zterm *t, Z3_ast a, Z3_ast b)
{
    struct z3ctx *z = t->z;
    Z3_ast zero = zterm_value(t, 0);
    Z3_ast minus = Z3_mk_unary_minus(z->c, a);
    Z3_ast r = z3ctx_ite(z, Z3_mk_ge(z->c, a, zero), Z3_mk_mod(z->c, a, b),
                         Z3_mk_unary_minus(z->c, Z3_mk_mod(z->c, minus, b)));
    return z3ctx_ite(z, zterm_eq(t, b, zero), zero, r);
}

static bool wraps_once(const struct term *x, const struct term *arg)
{
    term_int lap = (term_int)1 << x->bits;
    return !is_unbounded(arg) && arg->lo >= term_type_min(x->bits, x->is_signed) - lap &&
           arg->hi <= term_type_max(x->bits, x->is_signed) + lap;
}

static Z3_ast int_wrap(struct zterm *t, const struct term *x, Z3_ast a)
{
    struct z3ctx *z = t->z;
    const struct term *arg = term_get(t->store, x->arg[0]);
    term_int lo = term_type_min(x->bits, x->is_signed), hi = term_type_max(x->bits, x->is_signed);
    Z3_ast lap = zterm_value(t, (term_int)1 << x->bits);
    if (!wraps_once(x, arg)) {
        Z3_ast base = zterm_value(t, lo);
        return int_add(z, Z3_mk_mod(z->c, int_sub(z, a, base), lap), base);
    }
    Z3_ast r = a;
    if (arg->hi > hi)
        r = z3ctx_ite(z, Z3_mk_gt(z->c, a, zterm_value(t, hi)), int_sub(z, a, lap), r);
    if (arg->lo < lo)
        r = z3ctx_ite(z, Z3_mk_lt(z->c, a, zterm_value(t, lo)), int_add(z, a, lap), r);
    return r;
}

static Z3_ast int_operation(struct zterm *t, const struct term *x, Z3_ast a, Z3_ast b)
{
    struct z3ctx *z = t->z;
    switch ((enum term_op)x->op) {
    case TERM_OP_ADD:
        return int_add(z, a, b);
    case TERM_OP_MUL:
        return Z3_mk_mul(z->c, 2, (Z3_ast[]){a, b});
    case TERM_OP_TDIV:
        return int_tdiv(t, a, b);
    case TERM_OP_TREM:
        return int_trem(t, a, b);
    case TERM_OP_FDIV:
        return Z3_mk_div(z->c, a, b);
    case TERM_OP_FMOD:
        return Z3_mk_mod(z->c, a, b);
    case TERM_OP_WRAP:
        return int_wrap(t, x, a);
    case TERM_OP_FIT:
        return a;
    default:
        break;
    }
    fprintf(stderr, "visar: internal error: %s needs bit-vectors\n",
            term_op_name((enum term_op)x->op));
    abort();
}

/* ---- operations, bit-vectors --------------------------------------------------------------- */

static Z3_ast bv_zero(struct zterm *t, unsigned w)
{
    return numeral(t, 0, Z3_mk_bv_sort(t->z->c, w));
}

static Z3_ast bv_divide(struct zterm *t, const struct term *x, Z3_ast a, Z3_ast b)
{
    Z3_context c = t->z->c;
    widen(t, &a, &b);
    unsigned w = width_of(t, a) + 1; /* the least value divided by -1 */
    a = resize(t, a, w);
    b = resize(t, b, w);
    Z3_ast zero = bv_zero(t, w), r;
    switch ((enum term_op)x->op) {
    case TERM_OP_TDIV:
        r = Z3_mk_bvsdiv(c, a, b);
        break;
    case TERM_OP_TREM:
        r = Z3_mk_bvsrem(c, a, b);
        break;
    case TERM_OP_FMOD:
        r = Z3_mk_bvsmod(c, a, b);
        break;
    default: { /* FDIV: (a - mod) / b is exact */
        Z3_ast mod = Z3_mk_bvsmod(c, a, b);
        w += 1;
        r = Z3_mk_bvsdiv(c, Z3_mk_bvsub(c, resize(t, a, w), resize(t, mod, w)), resize(t, b, w));
        zero = bv_zero(t, w);
        b = resize(t, b, w);
    }
    }
    return z3ctx_ite(t->z, Z3_mk_eq(c, b, zero), zero, r);
}

/* The low `bits` of a, read as a value of the type. */
static Z3_ast bv_wrap(struct zterm *t, const struct term *x, Z3_ast a)
{
    if (x->bits < width_of(t, a))
        a = Z3_mk_extract(t->z->c, x->bits - 1u, 0, a);
    else
        a = resize(t, a, x->bits);
    return x->is_signed ? a : Z3_mk_zero_ext(t->z->c, 1, a);
}

static Z3_ast bv_shift(struct zterm *t, const struct term *x, Z3_ast a, Z3_ast b)
{
    Z3_context c = t->z->c;
    unsigned w = width_of(t, a), wb = width_of(t, b);
    if (w < x->bits + 1u)
        w = x->bits + 1u;
    if (w < wb)
        w = wb;
    a = resize(t, a, w);
    b = resize(t, b, w);
    Z3_ast zero = bv_zero(t, w), bits = numeral(t, x->bits, Z3_mk_bv_sort(c, w));
    Z3_ast fine = z3ctx_and2(t->z, Z3_mk_bvsle(c, zero, b), Z3_mk_bvslt(c, b, bits));
    if (x->op == TERM_OP_SHR)
        return z3ctx_ite(t->z, fine, Z3_mk_bvashr(c, a, b), zero);
    Z3_ast wrapped = bv_wrap(t, x, Z3_mk_bvshl(c, a, b));
    return z3ctx_ite(t->z, fine, wrapped, bv_zero(t, width_of(t, wrapped)));
}

static Z3_ast bv_operation(struct zterm *t, const struct term *x, Z3_ast a, Z3_ast b)
{
    Z3_context c = t->z->c;
    unsigned w = term_width(x);
    switch ((enum term_op)x->op) {
    case TERM_OP_ADD:
        return Z3_mk_bvadd(c, resize(t, a, w), resize(t, b, w));
    case TERM_OP_MUL:
        return Z3_mk_bvmul(c, resize(t, a, w), resize(t, b, w));
    case TERM_OP_TDIV:
    case TERM_OP_TREM:
    case TERM_OP_FDIV:
    case TERM_OP_FMOD:
        return resize(t, bv_divide(t, x, a, b), w);
    case TERM_OP_WRAP:
        return resize(t, bv_wrap(t, x, a), w);
    case TERM_OP_FIT:
        return resize(t, a, w);
    case TERM_OP_BAND:
    case TERM_OP_BOR:
    case TERM_OP_BXOR:
        widen(t, &a, &b);
        a = x->op == TERM_OP_BAND  ? Z3_mk_bvand(c, a, b)
            : x->op == TERM_OP_BOR ? Z3_mk_bvor(c, a, b)
                                   : Z3_mk_bvxor(c, a, b);
        return resize(t, a, w);
    case TERM_OP_SHL:
    case TERM_OP_SHR:
        return resize(t, bv_shift(t, x, a, b), w);
    default:
        break;
    }
    assert(!"not an operation on numbers");
    abort();
}

/* ---- the translation ----------------------------------------------------------------------- */

static Z3_ast hot_literal(struct zterm *t, term_id index, term_int value)
{
    uint64_t *at = map_get(&t->onehot, index);
    if (!at || value < 0 || (uint64_t)value >= (*at & 0xff))
        return NULL;
    return t->hot.data[(*at >> 8) + (uint64_t)value];
}

/* How many values of the index have a literal. */
static uint64_t hot_size(const struct zterm *t, term_id index)
{
    uint64_t *at = map_get(&t->onehot, index);
    return at ? *at & 0xff : 0;
}

static Z3_ast equality(struct zterm *t, const struct term *x)
{
    const struct term *a = term_get(t->store, x->arg[0]), *b = term_get(t->store, x->arg[1]);
    if (b->op == TERM_OP_CONST) {
        Z3_ast hot = hot_literal(t, x->arg[0], b->lo);
        if (hot)
            return hot;
    }
    if (is_bit(a) && is_bit(b))
        return z3ctx_iff(t->z, zterm_bit(t, x->arg[0]), zterm_bit(t, x->arg[1]));
    return zterm_eq(t, zterm(t, x->arg[0]), zterm(t, x->arg[1]));
}

static Z3_ast ite(struct zterm *t, const struct term *x)
{
    Z3_ast c = zterm(t, x->arg[0]), a = zterm(t, x->arg[1]), b = zterm(t, x->arg[2]);
    if (x->sort == TERM_INT && t->mode == ZTERM_BITS) {
        unsigned w = term_width(x);
        a = resize(t, a, w);
        b = resize(t, b, w);
    }
    return z3ctx_ite(t->z, c, a, b);
}

/* All arguments are done. */
static Z3_ast translate(struct zterm *t, term_id id)
{
    const struct term *x = term_get(t->store, id);
    struct z3ctx *z = t->z;
    switch ((enum term_op)x->op) {
    case TERM_OP_FALSE:
        return z->no;
    case TERM_OP_TRUE:
        return z->yes;
    case TERM_OP_NOT:
        return z3ctx_not(z, zterm(t, x->arg[0]));
    case TERM_OP_AND:
        return z3ctx_and2(z, zterm(t, x->arg[0]), zterm(t, x->arg[1]));
    case TERM_OP_ITE:
        return ite(t, x);
    case TERM_OP_EQ:
        return equality(t, x);
    case TERM_OP_LE:
        return zterm_le(t, zterm(t, x->arg[0]), zterm(t, x->arg[1]));
    case TERM_OP_CONST:
        return zterm_value(t, x->lo);
    case TERM_OP_LEAF:
        return leaf(t, id);
    default:
        break;
    }
    Z3_ast a = zterm(t, x->arg[0]), b = term_arity(x) > 1 ? zterm(t, x->arg[1]) : NULL;
    return t->mode == ZTERM_INT ? int_operation(t, x, a, b) : bv_operation(t, x, a, b);
}

/* An explicit stack: conditions of long transactions are deep. */
Z3_ast zterm(struct zterm *t, term_id id)
{
    if (t->done.len < t->store->terms.len)
        vec_resize(&t->done, t->store->terms.len);
    if (t->done.data[id])
        return t->done.data[id];
    size_t bottom = t->stack.len;
    vec_push(&t->stack, id);
    while (t->stack.len > bottom) {
        term_id now = vec_last(&t->stack);
        const struct term *x = term_get(t->store, now);
        bool ready = true;
        for (int i = 0; i < term_arity(x); i++)
            if (!t->done.data[x->arg[i]]) {
                vec_push(&t->stack, x->arg[i]);
                ready = false;
            }
        if (!ready)
            continue;
        (void)vec_pop(&t->stack);
        if (t->done.data[now])
            continue;
        Z3_ast a = translate(t, now); /* which may make room for more terms */
        t->done.data[now] = a;
    }
    return t->done.data[id];
}

/* ---- index terms --------------------------------------------------------------------------- */

void zterm_index(struct zterm *t, term_id index, uint64_t size)
{
    if (size < 2 || size > ONE_HOT_MAX || term_is_const(t->store, index) ||
        map_get(&t->onehot, index))
        return;
    z3ctx_asts lits = {0};
    Z3_ast number = zterm(t, index);
    for (uint64_t v = 0; v < size; v++) {
        Z3_ast b = z3ctx_bool(t->z, "is %d", (int)v);
        z3ctx_assert(t->z, z3ctx_iff(t->z, b, zterm_eq(t, number, zterm_value(t, (term_int)v))));
        vec_push(&lits, b);
    }
    z3ctx_at_most_one(t->z, &lits);
    Z3_ast in = z3ctx_and2(t->z, zterm_le(t, zterm_value(t, 0), number),
                           zterm_le(t, number, zterm_value(t, (term_int)size - 1)));
    z3ctx_assert(t->z, z3ctx_implies(t->z, in, z3ctx_or(t->z, &lits)));
    map_put(&t->onehot, index, t->hot.len << 8 | size, NULL);
    for (uint64_t v = 0; v < size; v++)
        vec_push(&t->hot, lits.data[v]);
    vec_free(&lits);
}

Z3_ast zterm_index_eq(struct zterm *t, term_id a, term_id b, uint64_t size)
{
    const struct term *x = term_get(t->store, a), *y = term_get(t->store, b);
    if (a == b)
        return t->z->yes;
    if (x->lo > y->hi || y->lo > x->hi)
        return t->z->no;
    if (x->op == TERM_OP_CONST && hot_literal(t, b, x->lo))
        return hot_literal(t, b, x->lo);
    if (y->op == TERM_OP_CONST && hot_literal(t, a, y->lo))
        return hot_literal(t, a, y->lo);
    /* One term may be an index of tables of several sizes, with literals for the first of them. */
    uint64_t literals = hot_size(t, a);
    if (literals < size || hot_size(t, b) != literals)
        return zterm_eq(t, zterm(t, a), zterm(t, b));
    uint64_t *known = map_get(&t->index_eq, (uint64_t)a << 32 | b);
    if (known)
        return (Z3_ast)(uintptr_t)*known;
    z3ctx_asts both = {0};
    for (uint64_t v = 0; v < literals; v++)
        vec_push(&both,
                 z3ctx_and2(t->z, hot_literal(t, a, (term_int)v), hot_literal(t, b, (term_int)v)));
    Z3_ast eq = z3ctx_name(t->z, z3ctx_or(t->z, &both), "same row");
    vec_free(&both);
    map_put(&t->index_eq, (uint64_t)a << 32 | b, (uintptr_t)eq, NULL);
    map_put(&t->index_eq, (uint64_t)b << 32 | a, (uintptr_t)eq, NULL);
    return eq;
}

/* ---- models -------------------------------------------------------------------------------- */

static term_int parse_decimal(const char *s)
{
    bool minus = *s == '-';
    term_int v = 0;
    for (s += minus; *s >= '0' && *s <= '9'; s++)
        v = v * 10 + (*s - '0');
    return minus ? -v : v;
}

term_int zterm_model(struct zterm *t, Z3_ast number)
{
    Z3_context c = t->z->c;
    Z3_ast v = NULL;
    if (!Z3_model_eval(c, t->z->model, number, true, &v))
        abort();
    if (Z3_get_sort(c, v) == t->z->bool_sort)
        return Z3_get_bool_value(c, v) == Z3_L_TRUE;
    term_int n = parse_decimal(Z3_get_numeral_string(c, v));
    if (t->mode == ZTERM_INT)
        return n;
    return c_wrap((struct c_type){(uint8_t)width_of(t, v), true}, n);
}

/* ---- which mode ---------------------------------------------------------------------------- */

struct bits_search {
    const struct term_store *store;
    bool found;
};

static void look_for_bits(void *arg, term_id id)
{
    struct bits_search *s = arg;
    const struct term *x = term_get(s->store, id);
    switch ((enum term_op)x->op) {
    case TERM_OP_BAND:
    case TERM_OP_BOR:
    case TERM_OP_BXOR:
    case TERM_OP_SHL:
    case TERM_OP_SHR:
        s->found = true;
        break;
    default:
        break;
    }
}

bool zterm_needs_bits(const struct term_store *store, const term_id *roots, size_t n)
{
    struct bits_search s = {.store = store};
    term_each(store, roots, n, look_for_bits, &s);
    return s.found;
}
