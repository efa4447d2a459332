/* Robustness for any number of transactions, each in a session of its own: a static argument.
 *
 * Suppose that some execution is not serializable.  Connect its transactions by these edges, with
 * the versions of each row in the order of ar:
 *
 *     ww  S wrote a version of a row that T wrote, too, and S ar T
 *     wr  S wrote the version that a read of T saw, or an older one
 *     rw  a read of T saw a version that is older than the one that S wrote (from T to S)
 *
 * Then there is a cycle: otherwise an order that keeps all edges explains every read and the final
 * state.  (Session order adds no edge, because nobody shares a session.)  Take a shortest cycle.
 *
 * 1. Two transactions of which one writes a row that the other reads or writes have an edge, in one
 *    direction or the other.  So two that are not neighbours on the cycle do not meet in such a
 *    row: an edge between them would make a shorter cycle.
 * 2. Let F be the first transaction of the cycle in ar, and P the one before F on the cycle.  The
 *    edge from P to F goes against ar.  ww follows ar, and so does wr, as what a transaction sees
 *    comes before it in ar.  Hence P -rw-> F.
 *
 * Any part of an execution satisfies the axioms of the model, since they speak of all pairs and
 * triples of transactions.  So it is enough to refute, with the axioms, two or three instances that
 * make up the whole cycle, and for longer cycles four that make up a part of it:
 *
 *     F → N, …, Q → P -rw-> F,  where F and Q do not meet, nor do P and N,
 *     and N and Q are neighbours (N → Q) or do not meet either.
 *
 * The instances run on snapshots of any values, so nothing is assumed about the initial state,
 * about invariants, or about the transactions that are not looked at.  The source of a read is
 * known only by which of the instances wrote versions up to it ("older"):
 *
 *   - a writer that the read sees is older; whoever wrote before an older one is older; older ones
 *     come before the reader in ar;
 *   - reads of one row with one visible set have one source;
 *   - where visible sets are prefixes of ar (pc, si, and each statement's at rcs), and where
 *     conflicting writers see each other and visibility is transitive (psi), an older writer is
 *     visible: it comes before the source in ar, or is seen by it, and the source is visible.
 *
 * This covers what is known of single models.  At si the rule finds nothing unless there are
 * two rw edges in a row between concurrent transactions that do not conflict (Fekete et al. 2005):
 * PREFIX makes the edge into P such an edge, and NOCONFLICT is one of the axioms. */
#include "encode/enc_internal.h"
#include "encode/result/loops.h"
#include "encode/robust.h"

/* A question that takes more work than that is better left to bounded runs. */
#define PROOF_WORK 40000000u

struct cycle {
    struct enc *e;
    struct problem *p;
    uint32_t n;
    Z3_ast *edge, *rw, *meet; /* by pair */
};

/* ---- which version a read saw -------------------------------------------------------------- */

/* Is an older writer visible to the read? */
static bool older_is_visible(const struct model *m)
{
    return m->snapshot == SNAPSHOT_STATEMENT || model_has(m, AXIOM_PREFIX) ||
           model_has(m, AXIOM_TOTALVIS) ||
           (model_has(m, AXIOM_NOCONFLICT) && model_has(m, AXIOM_TRANSVIS));
}

struct seen {
    const struct prob_read *read;
    Z3_ast happens;
    Z3_ast *hit, *older; /* by instance: it writes the row; its version is not newer */
};
typedef VEC(struct seen) seen_list;

static struct seen see(struct cycle *c, uint32_t i, const struct prob_read *read)
{
    struct enc *e = c->e;
    struct seen s = {.read = read, .happens = zterm(&e->t, read->guard)};
    s.hit = arena_array(&e->arena, Z3_ast, c->n + 1);
    s.older = arena_array(&e->arena, Z3_ast, c->n + 1);
    for (uint32_t j = 0; j < c->n; j++) {
        s.hit[j] = j == i ? e->z.no : enc_writes_row(e, j, read->row);
        s.hit[j] = z3ctx_name(&e->z, z3ctx_and2(&e->z, s.happens, s.hit[j]), "hit");
        s.older[j] = s.hit[j] == e->z.no ? e->z.no : z3ctx_bool(&e->z, "older");
    }
    return s;
}

static void tie_source(struct cycle *c, uint32_t i, const struct seen *s, const struct model *level)
{
    struct enc *e = c->e;
    for (uint32_t j = 0; j < c->n; j++) {
        if (s->hit[j] == e->z.no)
            continue;
        Z3_ast visible = order_vis(&e->o, i, s->read->point, j);
        z3ctx_rule(&e->z, s->older[j], 2, s->hit[j], visible);
        z3ctx_rule(&e->z, order_ar(&e->o, j, i), 2, s->hit[j], s->older[j]);
        if (older_is_visible(level))
            z3ctx_rule(&e->z, visible, 2, s->hit[j], s->older[j]);
        for (uint32_t l = 0; l < c->n; l++)
            if (l != j && s->hit[l] != e->z.no)
                z3ctx_rule(&e->z, s->older[l], 4, s->hit[j], s->older[j], s->hit[l],
                           order_ar(&e->o, l, j));
    }
}

/* Reads of one row with one visible set. */
static void tie_sources(struct cycle *c, const struct seen *a, const struct seen *b)
{
    struct enc *e = c->e;
    if (a->read->row.table != b->read->row.table || a->read->point != b->read->point)
        return;
    Z3_ast same = enc_same_row(e, a->read->row, b->read->row);
    if (same == e->z.no)
        return;
    for (uint32_t j = 0; j < c->n; j++) {
        z3ctx_rule(&e->z, b->older[j], 4, same, a->hit[j], b->hit[j], a->older[j]);
        z3ctx_rule(&e->z, a->older[j], 4, same, a->hit[j], b->hit[j], b->older[j]);
    }
}

/* ---- edges --------------------------------------------------------------------------------- */

static void add(struct cycle *c, Z3_ast *pairs, uint32_t i, uint32_t j, Z3_ast a)
{
    pairs[i * c->n + j] = z3ctx_or2(&c->e->z, pairs[i * c->n + j], a);
}

static void read_edges(struct cycle *c, uint32_t i, const struct seen *s)
{
    struct z3ctx *z = &c->e->z;
    for (uint32_t j = 0; j < c->n; j++) {
        if (s->hit[j] == z->no)
            continue;
        Z3_ast newer = z3ctx_and2(z, s->hit[j], z3ctx_not(z, s->older[j]));
        add(c, c->edge, j, i, z3ctx_and2(z, s->hit[j], s->older[j]));
        add(c, c->edge, i, j, newer);
        add(c, c->rw, i, j, newer);
        add(c, c->meet, i, j, s->hit[j]);
        add(c, c->meet, j, i, s->hit[j]);
    }
}

static void instance_edges(struct cycle *c, uint32_t i, const struct model *level)
{
    const struct prob_txn *t = &c->p->txns.data[i];
    seen_list v = {0};
    for (size_t r = 0; r < t->reads.len; r++)
        if (zterm(&c->e->t, t->reads.data[r].guard) != c->e->z.no)
            vec_push(&v, see(c, i, &t->reads.data[r]));
    for (size_t r = 0; r < v.len; r++) {
        tie_source(c, i, &v.data[r], level);
        read_edges(c, i, &v.data[r]);
        for (size_t k = 0; k < r; k++)
            tie_sources(c, &v.data[k], &v.data[r]);
    }
    vec_free(&v);
}

static void find_edges(struct cycle *c, const struct model *level)
{
    struct enc *e = c->e;
    Z3_ast **pairs[] = {&c->edge, &c->rw, &c->meet};
    for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++) {
        *pairs[k] = arena_array(&e->arena, Z3_ast, (size_t)c->n * c->n + 1);
        for (uint32_t i = 0; i < c->n * c->n; i++)
            (*pairs[k])[i] = e->z.no;
    }
    for (uint32_t i = 0; i < c->n; i++)
        for (uint32_t j = i + 1; j < c->n; j++) {
            Z3_ast ww = enc_write_conflict(e, i, j);
            add(c, c->edge, i, j, z3ctx_and2(&e->z, ww, order_ar(&e->o, i, j)));
            add(c, c->edge, j, i, z3ctx_and2(&e->z, ww, order_ar(&e->o, j, i)));
            add(c, c->meet, i, j, ww);
            add(c, c->meet, j, i, ww);
        }
    for (uint32_t i = 0; i < c->n; i++)
        instance_edges(c, i, level);
}

/* ---- cycles -------------------------------------------------------------------------------- */

static Z3_ast pair(const struct cycle *c, const Z3_ast *pairs, uint32_t i, uint32_t j)
{
    return pairs[i * c->n + j];
}

static Z3_ast apart(const struct cycle *c, uint32_t i, uint32_t j)
{
    return z3ctx_not(&c->e->z, pair(c, c->meet, i, j));
}

/* Instance 0 is F, the last one P.  Of four instances, 1 is N and 2 is Q. */
static uint32_t cycle_goal(struct cycle *c)
{
    struct enc *e = c->e;
    uint32_t last = c->n - 1;
    z3ctx_asts all = {0};
    for (uint32_t i = 0; i < c->n; i++)
        vec_push(&all, zterm(&e->t, c->p->txns.data[i].present));
    for (uint32_t i = 1; i < c->n; i++)
        vec_push(&all, order_ar(&e->o, 0, i));
    vec_push(&all, pair(c, c->rw, last, 0));
    vec_push(&all, pair(c, c->edge, 0, 1));
    if (c->n > 2)
        vec_push(&all, pair(c, c->edge, last - 1, last));
    if (c->n == 4) {
        vec_push(&all, apart(c, 0, 2));
        vec_push(&all, apart(c, 1, 3));
        vec_push(&all, z3ctx_or2(&e->z, pair(c, c->edge, 1, 2), apart(c, 1, 2)));
    }
    uint32_t goal = enc_goal_execution(e, z3ctx_and(&e->z, &all));
    vec_free(&all);
    return goal;
}

static struct problem *instances(struct sx_program *sx, uint32_t n, const struct model *level,
                                 struct arena *arena)
{
    const struct model **levels = arena_array(arena, const struct model *, sx->n_txns + 1);
    for (uint32_t i = 0; i < sx->n_txns; i++)
        levels[i] = level;
    struct problem *p = prob_any(sx, n, levels, false, true);
    vec_clear(&p->symmetric); /* each has its place on the cycle */
    return p;
}

static struct enc *encode(struct problem *p, struct z3ctx_pool *pool)
{
    struct enc_options options = {
        .pool = pool, .bits = enc_needs_bits(p, NULL, 0), .work = PROOF_WORK};
    struct enc *e = enc_new(p, &options);
    order_axioms(&e->o);
    enc_conflicts(e);
    enc_fresh_distinct(e);
    return e;
}

/* NULL: no cycle of n transactions, or (4) of that many and more. */
static const char *refute(struct sx_program *sx, uint32_t n, const struct model *level,
                          struct z3ctx_pool *pool, struct arena *arena)
{
    struct problem *p = instances(sx, n, level, arena);
    struct cycle c = {.e = encode(p, pool), .p = p, .n = n};
    find_edges(&c, level);
    uint32_t goal = cycle_goal(&c);
    enum enc_answer answer = enc_check(c.e, &goal, 1);
    const char *why = NULL;
    if (answer == ENC_YES)
        why = "the transactions may depend on each other in a cycle, as far as the static argument "
              "can tell";
    else if (answer == ENC_UNKNOWN)
        why = arena_printf(arena, "the static argument was given up: %s", enc_why(c.e));
    enc_free(c.e);
    prob_free(p);
    return why;
}

/* NULL: no loop bound is hit, on any snapshot. */
static const char *unwinds(struct sx_program *sx, const struct model *level,
                           struct z3ctx_pool *pool, struct arena *arena)
{
    struct problem *p = instances(sx, 1, level, arena);
    struct enc *e = encode(p, pool);
    uint32_t goal = enc_goal_unwinds(e);
    enum enc_answer answer = enc_check(e, &goal, 1);
    const char *why = NULL;
    loop_list loops = {0};
    for (size_t i = 0; i < p->points.len; i++)
        loops_add(&loops, p->points.data[i].of, 1);
    if (answer == ENC_YES)
        why = loops_text(&loops, sx->ast, arena);
    else if (answer == ENC_UNKNOWN)
        why = arena_printf(arena, "the static argument was given up: %s", enc_why(e));
    vec_free(&loops);
    enc_free(e);
    prob_free(p);
    return why;
}

const char *robust_prove(struct sx_program *sx, const struct model *level, struct z3ctx_pool *pool,
                         struct arena *arena)
{
    if (model_has(level, AXIOM_TOTALVIS))
        return NULL; /* vis = ar: every execution is a serial one */
    const char *why = unwinds(sx, level, pool, arena);
    for (uint32_t n = 2; n <= 4 && !why; n++)
        why = refute(sx, n, level, pool, arena);
    return why;
}
