/* The term store: hash-consing, leaves, constants, and the meaning of one operation.
 *
 * Terms lie in one array; the table of slots holds indices and is probed linearly.  A term is never
 * removed.  The interval is computed when a term is made (term_range.c) and is part of the term but
 * not of its identity: equal operation and arguments imply an equal interval. */
#include "symexec/term.h"

#include <assert.h>

#include "symexec/term_internal.h"

static uint64_t term_hash(const struct term *t)
{
    uint64_t h = hash_pair((uint64_t)t->op << 16 | (uint64_t)t->bits << 8 | t->is_signed,
                           (uint64_t)t->arg[0] << 32 | t->arg[1]);
    if (t->op == TERM_OP_CONST)
        return hash_pair(hash_pair(h, (uint64_t)t->lo), (uint64_t)(t->lo >> 64));
    return hash_pair(h, t->arg[2]);
}

static bool term_same(const struct term *a, const struct term *b)
{
    return a->op == b->op && a->bits == b->bits && a->is_signed == b->is_signed &&
           a->arg[0] == b->arg[0] && a->arg[1] == b->arg[1] && a->arg[2] == b->arg[2] &&
           (a->op != TERM_OP_CONST || a->lo == b->lo);
}

static void grow_slots(struct term_store *s)
{
    size_t cap = s->slot_cap ? s->slot_cap * 2 : 1024;
    uint32_t *slots = mem_calloc(cap, sizeof *slots);
    for (size_t id = 1; id < s->terms.len; id++) {
        size_t i = term_hash(&s->terms.data[id]) & (cap - 1);
        while (slots[i])
            i = (i + 1) & (cap - 1);
        slots[i] = (uint32_t)id;
    }
    mem_free(s->slots);
    s->slots = slots;
    s->slot_cap = cap;
}

/* The address of the slot that holds this term, or of the free one where it belongs. */
static uint32_t *find_slot(struct term_store *s, const struct term *t)
{
    if (s->terms.len * 2 >= s->slot_cap)
        grow_slots(s);
    size_t i = term_hash(t) & (s->slot_cap - 1);
    while (s->slots[i] && !term_same(&s->terms.data[s->slots[i]], t))
        i = (i + 1) & (s->slot_cap - 1);
    return &s->slots[i];
}

static term_id insert(struct term_store *s, uint32_t *slot, struct term t)
{
    assert(s->terms.len < UINT32_MAX / 2);
    term_id id = (term_id)s->terms.len;
    vec_push(&s->terms, t);
    *slot = id;
    return id;
}

term_id term_const(struct term_store *s, term_int value)
{
    struct term t = {.op = TERM_OP_CONST, .sort = TERM_INT, .lo = value, .hi = value};
    uint32_t *slot = find_slot(s, &t);
    return *slot ? *slot : insert(s, slot, t);
}

static enum term_sort result_sort(const struct term_store *s, enum term_op op, term_id b)
{
    if (op == TERM_OP_ITE)
        return s->terms.data[b].sort;
    return op <= TERM_OP_LE ? TERM_BOOL : TERM_INT;
}

term_id term_make(struct term_store *s, enum term_op op, int bits, bool is_signed, term_id a,
                  term_id b, term_id c)
{
    struct term t = {.op = (uint8_t)op,
                     .sort = (uint8_t)result_sort(s, op, b),
                     .bits = (uint8_t)bits,
                     .is_signed = is_signed,
                     .arg = {a, b, c}};
    uint32_t *slot = find_slot(s, &t);
    if (*slot)
        return *slot;
    if (t.sort == TERM_BOOL) {
        t.hi = 1;
        return insert(s, slot, t);
    }
    struct term_range r = term_range_of(s, &t);
    assert(r.lo <= r.hi);
    if (r.lo == r.hi)
        return term_const(s, r.lo);
    t.lo = r.lo;
    t.hi = r.hi;
    return insert(s, slot, t);
}

term_id term_leaf(struct term_store *s, struct term_leaf leaf)
{
    assert(leaf.lo < leaf.hi);
    struct term t = {.op = TERM_OP_LEAF,
                     .sort = TERM_INT,
                     .arg = {(term_id)s->leaves.len},
                     .lo = leaf.lo,
                     .hi = leaf.hi};
    if (leaf.name)
        leaf.name = arena_strdup(&s->arena, leaf.name);
    uint32_t *slot = find_slot(s, &t);
    leaf.term = insert(s, slot, t);
    vec_push(&s->leaves, leaf);
    return leaf.term;
}

void term_store_init(struct term_store *s)
{
    *s = (struct term_store){0};
    vec_push(&s->terms, (struct term){0});
    struct term f = {.op = TERM_OP_FALSE}, t = {.op = TERM_OP_TRUE, .hi = 1};
    term_id id = insert(s, find_slot(s, &f), f);
    assert(id == TERM_FALSE);
    id = insert(s, find_slot(s, &t), t);
    assert(id == TERM_TRUE);
    (void)id;
}

void term_store_copy(const struct term_store *s, struct term_store *out)
{
    *out = (struct term_store){.slot_cap = s->slot_cap};
    if (s->terms.len) {
        vec_resize(&out->terms, s->terms.len);
        memcpy(out->terms.data, s->terms.data, s->terms.len * sizeof *s->terms.data);
    }
    if (s->leaves.len) {
        vec_resize(&out->leaves, s->leaves.len);
        memcpy(out->leaves.data, s->leaves.data, s->leaves.len * sizeof *s->leaves.data);
    }
    out->slots = mem_calloc(s->slot_cap, sizeof *out->slots);
    memcpy(out->slots, s->slots, s->slot_cap * sizeof *out->slots);
}

void term_store_free(struct term_store *s)
{
    vec_free(&s->terms);
    vec_free(&s->leaves);
    mem_free(s->slots);
    arena_free(&s->arena);
    *s = (struct term_store){0};
}

int term_arity(const struct term *t)
{
    switch ((enum term_op)t->op) {
    case TERM_OP_NONE:
    case TERM_OP_FALSE:
    case TERM_OP_TRUE:
    case TERM_OP_CONST:
    case TERM_OP_LEAF:
    case TERM_OP_COUNT:
        return 0;
    case TERM_OP_NOT:
    case TERM_OP_WRAP:
    case TERM_OP_FIT:
        return 1;
    case TERM_OP_ITE:
        return 3;
    default:
        return 2;
    }
}

const char *term_op_name(enum term_op op)
{
    static const char *const names[TERM_OP_COUNT] = {
        [TERM_OP_NONE] = "none", [TERM_OP_FALSE] = "false", [TERM_OP_TRUE] = "true",
        [TERM_OP_NOT] = "not",   [TERM_OP_AND] = "and",     [TERM_OP_ITE] = "ite",
        [TERM_OP_EQ] = "eq",     [TERM_OP_LE] = "le",       [TERM_OP_CONST] = "const",
        [TERM_OP_LEAF] = "leaf", [TERM_OP_ADD] = "add",     [TERM_OP_MUL] = "mul",
        [TERM_OP_TDIV] = "tdiv", [TERM_OP_TREM] = "trem",   [TERM_OP_FDIV] = "fdiv",
        [TERM_OP_FMOD] = "fmod", [TERM_OP_WRAP] = "wrap",   [TERM_OP_FIT] = "fit",
        [TERM_OP_BAND] = "band", [TERM_OP_BOR] = "bor",     [TERM_OP_BXOR] = "bxor",
        [TERM_OP_SHL] = "shl",   [TERM_OP_SHR] = "shr"};
    return names[op];
}

/* ---- the meaning of one operation ---------------------------------------------------------- */

/* C's operator on values of the term's type; where C defines no result, a shift is 0, and bits that
 * are shifted out are lost. */
static term_int apply_bits(const struct term *t, enum c_operator op, const term_int v[3])
{
    term_int out;
    (void)c_binary(op, (struct c_type){t->bits, t->is_signed}, v[0], v[1], &out);
    return out;
}

term_int term_apply(const struct term *t, const term_int v[3])
{
    switch ((enum term_op)t->op) {
    case TERM_OP_FALSE:
        return 0;
    case TERM_OP_TRUE:
        return 1;
    case TERM_OP_NOT:
        return !v[0];
    case TERM_OP_AND:
        return v[0] && v[1];
    case TERM_OP_ITE:
        return v[0] ? v[1] : v[2];
    case TERM_OP_EQ:
        return v[0] == v[1];
    case TERM_OP_LE:
        return v[0] <= v[1];
    case TERM_OP_CONST:
        return t->lo;
    case TERM_OP_ADD:
        return c_sum(v[0], v[1]);
    case TERM_OP_MUL:
        return c_product(v[0], v[1]);
    case TERM_OP_TDIV:
        return v[1] ? c_quotient(v[0], v[1]) : 0;
    case TERM_OP_TREM:
        return v[1] ? c_remainder(v[0], v[1]) : 0;
    case TERM_OP_FDIV:
        return term_floor_div(v[0], v[1]);
    case TERM_OP_FMOD:
        return v[0] - v[1] * term_floor_div(v[0], v[1]);
    case TERM_OP_WRAP:
        return c_wrap((struct c_type){t->bits, t->is_signed}, v[0]);
    case TERM_OP_FIT:
        return v[0];
    case TERM_OP_BAND:
        return apply_bits(t, C_BITAND, v);
    case TERM_OP_BOR:
        return apply_bits(t, C_BITOR, v);
    case TERM_OP_BXOR:
        return apply_bits(t, C_BITXOR, v);
    case TERM_OP_SHL:
        return apply_bits(t, C_SHL, v);
    case TERM_OP_SHR:
        return apply_bits(t, C_SHR, v);
    case TERM_OP_NONE:
    case TERM_OP_LEAF:
    case TERM_OP_COUNT:
        break;
    }
    assert(!"an operation");
    return 0;
}
