/* The event encoding: exact for all models.
 *
 * Transactions are nodes of `ar` with visible sets (axioms.c).  EXT is relational.  For a read of
 * row k in T and every other transaction j:
 *
 *     m_j ↔ j is visible and writes k
 *     src_j → m_j
 *     src_j → the read's value is j's
 *     src_j ∧ m_l → l ar j  (l ≠ j)
 *     no m ⇒ the initial value
 *     some m ⇒ some src
 *
 * This leaves no nested choice for the solver to unfold.  NOCONFLICT uses guards and rows, never
 * values.  Reads that do not happen are constrained as well, so that every leaf has a value in a
 * model. */
#include "encode/enc_internal.h"

#include <assert.h>

/* ---- who writes what ----------------------------------------------------------------------- */

static Z3_ast write_hits(struct enc *e, const struct prob_write *w, struct prob_row row)
{
    if (w->row.table != row.table)
        return e->z.no;
    Z3_ast guard = zterm(&e->t, w->guard);
    return guard == e->z.no ? guard : z3ctx_and2(&e->z, guard, enc_same_row(e, w->row, row));
}

Z3_ast enc_writes_row(struct enc *e, uint32_t j, struct prob_row row)
{
    const struct prob_txn *t = &e->p->txns.data[j];
    z3ctx_asts hits = {0};
    for (size_t w = 0; w < t->writes.len; w++)
        vec_push(&hits, write_hits(e, &t->writes.data[w], row));
    Z3_ast any = z3ctx_or(&e->z, &hits);
    vec_free(&hits);
    return any;
}

struct candidate {
    uint32_t txn;
    Z3_ast match, source;
    z3ctx_asts hits; /* by write of the transaction; z.no where it cannot hit */
};
typedef VEC(struct candidate) candidates;

static void add_candidate(struct enc *e, candidates *v, uint32_t j, Z3_ast visible,
                          struct prob_row row)
{
    const struct prob_txn *t = &e->p->txns.data[j];
    struct candidate c = {.txn = j};
    for (size_t w = 0; w < t->writes.len; w++)
        vec_push(&c.hits, write_hits(e, &t->writes.data[w], row));
    Z3_ast writes = z3ctx_or(&e->z, &c.hits);
    c.match = z3ctx_name(&e->z, z3ctx_and2(&e->z, visible, writes), "m");
    if (c.match == e->z.no)
        vec_free(&c.hits);
    else
        vec_push(v, c);
}

/* ---- EXT ----------------------------------------------------------------------------------- */

static Z3_ast reads_value(struct enc *e, const struct prob_read *r, const struct prob_write *w)
{
    z3ctx_asts eqs = {0};
    for (uint32_t f = 0; f < e->p->sx->tables[r->row.table].n_fields; f++)
        if (r->field[f] != TERM_NONE)
            vec_push(&eqs, zterm_eq(&e->t, enc_cell(e, r->row.table, f, r->field[f]),
                                    enc_cell(e, r->row.table, f, w->value[f])));
    Z3_ast all = z3ctx_and(&e->z, &eqs);
    vec_free(&eqs);
    return all;
}

static Z3_ast reads_initial(struct enc *e, const struct prob_read *r)
{
    z3ctx_asts eqs = {0};
    for (uint32_t f = 0; f < e->p->sx->tables[r->row.table].n_fields; f++)
        if (r->field[f] != TERM_NONE)
            vec_push(&eqs, zterm_eq(&e->t, enc_cell(e, r->row.table, f, r->field[f]),
                                    enc_initial_cell(e, r->row, f)));
    Z3_ast all = z3ctx_and(&e->z, &eqs);
    vec_free(&eqs);
    return all;
}

void enc_read_initial(struct enc *e, const struct prob_read *r)
{
    z3ctx_assert(&e->z, reads_initial(e, r));
}

static void tie_source(struct enc *e, const struct prob_read *r, const candidates *v, size_t j)
{
    const struct candidate *c = &v->data[j];
    const struct prob_txn *t = &e->p->txns.data[c->txn];
    z3ctx_rule(&e->z, c->match, 1, c->source);
    for (size_t w = 0; w < c->hits.len; w++)
        if (c->hits.data[w] != e->z.no)
            z3ctx_rule(&e->z, reads_value(e, r, &t->writes.data[w]), 2, c->source, c->hits.data[w]);
    for (size_t l = 0; l < v->len; l++)
        if (l != j)
            z3ctx_rule(&e->z, order_ar(&e->o, v->data[l].txn, c->txn), 2, c->source,
                       v->data[l].match);
}

static void tie_read(struct enc *e, const struct prob_read *r, candidates *v)
{
    z3ctx_asts any_match = {0}, any_source = {0};
    for (size_t j = 0; j < v->len; j++) {
        struct candidate *c = &v->data[j];
        c->source = v->len == 1 ? c->match : z3ctx_bool(&e->z, "src %u", c->txn);
        if (e->mixed_ser)
            vec_push(&e->sources, ((struct enc_source){c->txn, c->source}));
        vec_push(&any_match, c->match);
        vec_push(&any_source, c->source);
    }
    for (size_t j = 0; j < v->len; j++)
        tie_source(e, r, v, j);
    Z3_ast some = z3ctx_or(&e->z, &any_source);
    for (size_t j = 0; j < v->len; j++)
        z3ctx_rule(&e->z, some, 1, any_match.data[j]);
    Z3_ast matched = z3ctx_or(&e->z, &any_match);
    if (matched != e->z.yes)
        z3ctx_assert(&e->z, z3ctx_or2(&e->z, matched, reads_initial(e, r)));
    vec_free(&any_match);
    vec_free(&any_source);
}

static bool looks_at_something(const struct enc *e, const struct prob_read *r)
{
    for (uint32_t f = 0; f < e->p->sx->tables[r->row.table].n_fields; f++)
        if (r->field[f] != TERM_NONE)
            return true;
    return false;
}

void enc_read_ext(struct enc *e, const struct prob_read *r, uint32_t self, enc_sees sees, void *arg)
{
    if (!e->mixed_ser && !looks_at_something(e, r))
        return; /* (with mixed levels it is a dependency all the same) */
    candidates v = {0};
    for (uint32_t j = 0; j < e->p->txns.len; j++) {
        Z3_ast visible = j == self ? e->z.no : sees(arg, j);
        if (visible != e->z.no)
            add_candidate(e, &v, j, visible, r->row);
    }
    tie_read(e, r, &v);
    for (size_t j = 0; j < v.len; j++)
        vec_free(&v.data[j].hits);
    vec_free(&v);
}

struct set_of {
    const struct order *o;
    uint32_t node, set;
};

static Z3_ast in_set(void *arg, uint32_t j)
{
    const struct set_of *s = arg;
    return order_vis(s->o, s->node, s->set, j);
}

/* ---- conflicts ----------------------------------------------------------------------------- */

struct effect {
    struct prob_row row;
    term_id guard;
};
typedef VEC(struct effect) effects;

static void collect_effects(const struct prob_txn *t, bool locks, effects *v)
{
    vec_clear(v);
    for (size_t i = 0; i < t->writes.len; i++)
        vec_push(v, ((struct effect){t->writes.data[i].row, t->writes.data[i].guard}));
    for (size_t i = 0; locks && i < t->locks.len; i++)
        vec_push(v, ((struct effect){t->locks.data[i].row, t->locks.data[i].guard}));
}

/* Some effect of i and some effect of j meet in one row. */
static Z3_ast meets(struct enc *e, const effects *a, const effects *b)
{
    z3ctx_asts pairs = {0};
    for (size_t x = 0; x < a->len; x++)
        for (size_t y = 0; y < b->len; y++) {
            const struct effect *p = &a->data[x], *q = &b->data[y];
            if (p->row.table != q->row.table)
                continue;
            Z3_ast same = enc_same_row(e, p->row, q->row);
            if (same == e->z.no)
                continue;
            Z3_ast both = z3ctx_and2(&e->z, zterm(&e->t, p->guard), zterm(&e->t, q->guard));
            vec_push(&pairs, z3ctx_and2(&e->z, both, same));
        }
    Z3_ast any = z3ctx_name(&e->z, z3ctx_or(&e->z, &pairs), "conflict");
    vec_free(&pairs);
    return any;
}

Z3_ast enc_write_conflict(struct enc *e, uint32_t i, uint32_t j)
{
    effects a = {0}, b = {0};
    collect_effects(&e->p->txns.data[i], false, &a);
    collect_effects(&e->p->txns.data[j], false, &b);
    Z3_ast any = meets(e, &a, &b);
    vec_free(&a);
    vec_free(&b);
    return any;
}

/* s writes a row that t writes or locks.  (Two that only lock a row do not conflict.) */
static Z3_ast overwrites(struct enc *e, uint32_t s, uint32_t t)
{
    effects written = {0}, touched = {0};
    collect_effects(&e->p->txns.data[s], false, &written);
    collect_effects(&e->p->txns.data[t], true, &touched);
    Z3_ast any = meets(e, &written, &touched);
    vec_free(&written);
    vec_free(&touched);
    return any;
}

void enc_conflicts(struct enc *e)
{
    if (e->o.all_ser || !order_any_has(&e->o, AXIOM_NOCONFLICT))
        return;
    for (uint32_t i = 0; i < e->p->txns.len; i++)
        for (uint32_t j = i + 1; j < e->p->txns.len; j++) {
            bool locks = e->p->txns.data[i].locks.len || e->p->txns.data[j].locks.len;
            Z3_ast conflict = overwrites(e, i, j);
            order_no_conflict(&e->o, i, j, conflict);
            order_no_conflict(&e->o, j, i, locks ? overwrites(e, j, i) : conflict);
        }
}

/* ---- mixed levels with SER ----------------------------------------------------------------- */

/* rw: i read a row that j writes and does not see j, so j overwrote what i read (i's visible set is
 * a prefix of ar). */
static void overwritten(struct enc *e, uint32_t i, const struct prob_read *read, uint32_t j,
                        Z3_ast active)
{
    const struct prob_txn *writer = &e->p->txns.data[j];
    for (size_t w = 0; w < writer->writes.len; w++) {
        Z3_ast edge = write_hits(e, &writer->writes.data[w], read->row);
        edge = z3ctx_and2(&e->z, edge, z3ctx_not(&e->z, order_sees(&e->o, i, j)));
        edge = z3ctx_and2(&e->z, edge, z3ctx_and2(&e->z, active, zterm(&e->t, read->guard)));
        ser_order_depends(&e->ser, i, j, edge);
    }
}

/* wr, for the sources noted since number `from`. */
static void read_from(struct enc *e, uint32_t i, const struct prob_read *read, size_t from,
                      Z3_ast active)
{
    Z3_ast happens = z3ctx_and2(&e->z, active, zterm(&e->t, read->guard));
    for (size_t k = from; k < e->sources.len; k++)
        ser_order_depends(&e->ser, e->sources.data[k].writer, i,
                          z3ctx_and2(&e->z, happens, e->sources.data[k].source));
}

static void write_edges(struct enc *e)
{
    for (uint32_t i = 0; i < e->p->txns.len; i++)
        for (uint32_t j = i + 1; j < e->p->txns.len; j++) {
            Z3_ast ww = enc_write_conflict(e, i, j);
            ser_order_depends(&e->ser, i, j, z3ctx_and2(&e->z, ww, order_ar(&e->o, i, j)));
            ser_order_depends(&e->ser, j, i, z3ctx_and2(&e->z, ww, order_ar(&e->o, j, i)));
        }
}

/* ---- the whole ----------------------------------------------------------------------------- */

/* One read of a node: EXT, and its dependencies if they matter. */
static void tie_node_read(struct enc *e, uint32_t i, const struct prob_read *r, Z3_ast active)
{
    struct set_of s = {&e->o, i, r->point};
    size_t from = e->sources.len;
    enc_read_ext(e, r, i, in_set, &s);
    if (!e->mixed_ser)
        return;
    read_from(e, i, r, from, active);
    for (uint32_t j = 0; j < e->p->txns.len; j++)
        if (j != i)
            overwritten(e, i, r, j, active);
}

static Z3_ast sees_all(void *arg, uint32_t j)
{
    (void)j;
    return ((struct enc *)arg)->z.yes;
}

/* The observer of one predicate reads what that predicate asks for, and no more: its dependencies
 * count only while the goal in question is asked (`active`). */
static void tie_predicate(struct enc *e, struct prob_predicate *pred, enum enc_place place,
                          Z3_ast active)
{
    for (size_t r = 0; r < pred->reads.len; r++) {
        const struct prob_read *read = &pred->reads.data[r];
        if (place == ENC_FINAL)
            enc_read_ext(e, read, UINT32_MAX, sees_all, e);
        else
            tie_node_read(e, (uint32_t)e->p->txns.len, read, active);
    }
}

struct enc *enc_event(struct problem *p, const struct enc_options *options)
{
    struct enc *e = enc_new(p, options);
    e->tie_predicate = tie_predicate;
    e->mixed_ser = !e->o.all_ser && order_any_has(&e->o, AXIOM_TOTALVIS);
    order_axioms(&e->o);
    if (e->mixed_ser) {
        ser_order_init(&e->ser, &e->o);
        write_edges(e);
    }
    for (uint32_t i = 0; i < p->txns.len; i++)
        for (size_t r = 0; r < p->txns.data[i].reads.len; r++)
            tie_node_read(e, i, &p->txns.data[i].reads.data[r], e->z.yes);
    enc_conflicts(e);
    enc_touches(e);
    enc_fresh(e);
    enc_constraints(e);
    return e;
}
