/* Arbitration and visibility as literals, and the axioms of the models over them.
 *
 * Nodes are the problem's transactions, in its order, and perhaps one more: an observer that may
 * see any set that its level allows.  `ar` is one literal per pair, with both 3-cycles of every
 * triple forbidden; pairs that sessions or symmetry decide are constants.  Every node has one or
 * more *visible sets* (literals by node): one per transaction, statement or read, as its level
 * says.
 *
 * With mixed levels an axiom binds only the transactions whose level has it, so it comes with the
 * literal "the level of node i has the axiom": a constant except where the solver chooses the
 * transaction. */
#ifndef ENCODE_AXIOMS_H
#define ENCODE_AXIOMS_H

#include "encode/problem.h"
#include "encode/z3/zterm.h"

struct order {
    struct z3ctx *z;
    struct zterm *t;
    const struct problem *p;
    const struct model *observer_level; /* NULL: no observer node */
    uint32_t n;                         /* nodes */
    Z3_ast *ar;                         /* ar[i * n + j]: i ar j */
    uint32_t *first_set, *n_sets;       /* by node */
    uint32_t *n_views; /* by node: n_sets, or one less where the last set is all before it in ar */
    z3ctx_asts vis;    /* vis.data[set * n + j]: the set contains j */
    bool all_ser;      /* one level for all: SER, so vis = ar */
    struct arena arena;
};

void order_init(struct order *o, struct z3ctx *z, struct zterm *t, const struct problem *p,
                const struct model *observer_level, uint32_t observer_sets);
void order_free(struct order *o);

static inline Z3_ast order_ar(const struct order *o, uint32_t i, uint32_t j)
{
    return o->ar[i * o->n + j];
}
/* Visible set number k of node i contains j. */
static inline Z3_ast order_vis(const struct order *o, uint32_t i, uint32_t k, uint32_t j)
{
    return o->vis.data[(o->first_set[i] + k) * o->n + j];
}
/* i sees j: in its last view. */
static inline Z3_ast order_sees(const struct order *o, uint32_t i, uint32_t j)
{
    return order_vis(o, i, o->n_views[i] - 1, j);
}

/* All axioms that do not depend on what is read and written: vis ⊆ ar, SESSION, TRANSVIS, PREFIX,
 * growing sets. */
void order_axioms(struct order *o);
/* NOCONFLICT for two nodes, where `conflict` says that s writes a row that t writes or locks. */
void order_no_conflict(struct order *o, uint32_t s, uint32_t t, Z3_ast conflict);

/* FIRSTUPDATER for two nodes, where `conflict` says that s writes a row that t touches. */
void order_first_updater(struct order *o, uint32_t s, uint32_t t, Z3_ast conflict);
/* LOCKORDER: `conflict` says that s and t touch a row in modes that conflict; `view` is the first
 * view of t after that. */
void order_locks(struct order *o, uint32_t s, uint32_t t, uint32_t view, Z3_ast conflict);

/* Some node is, maybe. */
bool order_any_has(const struct order *o, enum model_axiom a);

/* Mixed levels: the dependencies among the SER nodes are acyclic.  A second total order, of which
 * order_depends asserts one pair: if both are SER and `edge`, i comes before j. */
struct ser_order {
    struct order *o;
    Z3_ast *before; /* n * n */
};
void ser_order_init(struct ser_order *s, struct order *o);
void ser_order_depends(struct ser_order *s, uint32_t i, uint32_t j, Z3_ast edge);

#endif
