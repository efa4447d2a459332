/* What the visibility_*.c files share: the judgement of one full set of choices. */
#ifndef CHECK_VISIBILITY_VISIBILITY_INTERNAL_H
#define CHECK_VISIBILITY_VISIBILITY_INTERNAL_H

#include "base/budget.h"
#include "check/problem/labelled_edge.h"
#include "check/problem/groups.h"
#include "check/solver/sat.h"
#include "check/visibility/visibility.h"

/* Why version a is older than version b. */
enum vis_basis {
    VIS_KNOWN,  /* the history says so */
    VIS_CHOSEN, /* the solver chose it, or a guess */
    VIS_SEEN    /* `read` saw b although a's transaction is visible to it */
};
struct vis_order {
    uint32_t a, b;
    /* VIS_SEEN.  seen: for RC and RA, the read from a's transaction that makes it visible; else
     * HIST_NONE. */
    uint32_t read, seen;
    uint32_t basis;
};

/* A step of a cycle: an edge between transactions of the problem.  WW: `order` is the index of the
 * order of the two versions.  SO uses neither a nor b, and WR not b. */
struct vis_step {
    struct edge edge;
    uint32_t order;
};
/* A cycle that rules something out: with a and b, that b's version is older than a's. */
struct vis_cycle {
    uint32_t start, len;
    uint32_t a, b; /* HIST_NONE: the cycle is a contradiction by itself */
};

#define VIS_FEW 4

struct vis {
    struct prob *p;
    enum model_id model;
    bool sessions;
    bool no_guess;     /* tests: derive everything */
    bool first_reason; /* tests: derive nothing if the guess finds a contradiction */
    /* Reads with more than VIS_FEW candidates are left out, which leaves less to contradict; so
     * only a contradiction is an answer. */
    bool few;

    /* The choices. */
    uint32_t *src;    /* per read: the version; HIST_NONE: its transaction did not happen */
    uint8_t *present; /* per transaction; NULL: all */
    VEC(struct vis_order) orders;

    struct groups groups; /* CC, PSI */

    /* The graph as last built: edges of u are [out[u], out[u + 1]) of head and tag. */
    uint32_t *out, *head, *tag;
    size_t edge_cap;
    uint32_t *order, *rank, *degree; /* per transaction */
    uint32_t sorted;                 /* how many transactions `order` has */
    bool ranked;                     /* no edge contradicts `rank`, whatever was tried meanwhile */
    /* CC, PSI: whoever sees a transaction sees everything that it saw. */
    bool closed;
    /* Clocks of the chains low … low + width - 1: all chains for PSI, as many as fit for CC;
     * allocated when they are first needed. */
    uint32_t *clock, low, width;

    /* Scratch. */
    uint32_t *mark, stamp, *cost, *parent, *parent_tag; /* per transaction */
    sat_lits near, far;
    size_t work;                              /* edges that searches looked at */
    uint32_t *key_mark, *key_read, key_stamp; /* per key */
    VEC(uint32_t) emitted;                    /* per order: 1 + its cycle */

    /* What was found. */
    VEC(struct vis_step) steps;
    VEC(struct vis_cycle) cycles;
};

enum vis_outcome { VIS_FINE, VIS_CONFLICT, VIS_STOPPED };

void vis_init(struct vis *w, struct prob *p);
void vis_free(struct vis *w);
size_t vis_memory(const struct prob *p); /* of the clocks */
void vis_make_clocks(struct vis *w);

/* Judge src, present and the orders that are KNOWN or CHOSEN.  FINE: w->order is an arbitration.
 * CONFLICT: w->cycles has the contradictions. */
enum vis_outcome vis_judge(struct vis *w);
/* For PSI: append to w->orders the recorded orders, and each version before the next one of its key
 * in the order of w->rank. */
void vis_add_versions(struct vis *w);

static inline bool vis_present(const struct vis *w, uint32_t txn)
{
    return !w->present || w->present[txn];
}
static inline bool vis_in_block(const struct vis *w, uint32_t chain)
{
    return chain - w->low < w->width;
}
/* a's chain must be in the block. */
static inline bool vis_reaches(const struct vis *w, uint32_t a, uint32_t b)
{
    const struct prob *p = w->p;
    return w->clock[(size_t)b * w->width + p->session[a] - w->low] > match_pos(p, a);
}
/* Is the order one between two transactions that happened? */
static inline bool vis_is_edge(const struct vis *w, const struct vis_order *o)
{
    const struct prob *p = w->p;
    return p->ver_txn[o->a] != PROB_INIT && p->ver_txn[o->b] != PROB_INIT &&
           vis_present(w, p->ver_txn[o->a]) && vis_present(w, p->ver_txn[o->b]);
}

void vis_build(struct vis *w); /* the graph alone */

/* visibility_order.c.  given: the order of the history.  first: a first guess at the arbitration.
 * follows: does w->order follow sessions, reads and w->orders?  mend: make it do so with as few
 * changes as possible; `from` has per read the writer that it saw, or HIST_NONE.  False: it cannot
 * be done, and w->order is broken. */
void vis_given_order(struct vis *w);
void vis_first_order(struct vis *w);
/* As vis_first_order, but a history that has one session after the other is merged. */
void vis_merged_order(struct vis *w);
bool vis_by_session(struct vis *w); /* does the history have one session after the other? */
bool vis_follows(const struct vis *w);
bool vis_mend(struct vis *w, const uint32_t *from);

/* visibility_schedule.c: an order that follows sessions, reads and w->orders (which must be
 * acyclic), in which a read comes before what overwrites the version that it saw if possible, and
 * which is near to w->rank otherwise. */
void vis_schedule(struct vis *w);

/* visibility_guess.c.  FINE: w->order is an arbitration.  CONFLICT: each of w->orders must hold,
 * and together they are contradictory or impossible.  STOPPED: neither was found. */
enum vis_outcome vis_guess(struct vis *w);
/* With w->order as the arbitration: for every read that misses a visible version, append the order
 * that the read requires to w->orders.  Returns how many there are. */
size_t vis_complain(struct vis *w);

/* visibility_sources.c: true: with the sources that are now in src, the order of the history, in
 * w->order, is an arbitration.  For problems without transactions of unknown outcome. */
bool vis_choose(struct vis *w, struct budget *b);
/* visibility_replay.c: the same for an order that is found on the way, at this level or a weaker
 * one. w->orders: what is on record. */
bool vis_replay(struct vis *w, enum model_id model, struct budget *b);
/* The version of the key that t's session wrote last before t, or HIST_NONE. */
uint32_t vis_session_wrote(const struct prob *p, uint32_t key, uint32_t t);
/* Sort the candidates of each choice by the rank of their writers. */
void vis_sort_candidates(struct vis *w);

/* visibility_derive.c: append the orders that follow from what is visible to w->orders, without
 * those that the clocks already show. */
void vis_derive(struct vis *w);
/* The version of the key that a transaction wrote, or HIST_NONE. */
uint32_t vis_version_of(const struct prob *p, uint32_t key, uint32_t txn);
/* The latest version in a group of the key (whose chain is in the block) that is visible to t and
 * not t's own, or HIST_NONE.  `clock` is t's. */
uint32_t vis_latest_visible(const struct vis *w, uint32_t key, uint32_t group, uint32_t t,
                            const uint32_t *clock);

/* visibility_vars.c: the unknowns as variables of a solver.  w->rank is the order by which it
 * guesses. */
struct vis_vars {
    const struct prob *p;
    bool few; /* as in struct vis */
    struct sat *sat;
    uint32_t *source;     /* per candidate in p->cand */
    uint32_t *picked;     /* per choice: its present candidate, or HIST_NONE */
    uint32_t *happened;   /* per transaction; HIST_NONE: it surely happened; NULL: all did */
    struct map aggregate; /* clause of the solver → 1 + its aggregate */
    uint32_t aggregate_now;
    bool loose;             /* some aggregate was too large and has no clauses */
    sat_lits clause, chain; /* scratch */
};
void vis_vars_init(struct vis_vars *v, const struct vis *w, uint64_t seed);
static inline bool vis_takes_part(bool few, const struct match_choice *c)
{
    return !few || c->len <= VIS_FEW;
}
void vis_vars_free(struct vis_vars *v);
/* The literal that the transaction happened, or HIST_NONE if it surely did. */
uint32_t vis_happened_lit(const struct vis_vars *v, uint32_t txn);
/* After SAT_YES: copy the solver's values into src and present. */
void vis_vars_get(struct vis_vars *v, struct vis *w);
/* These clauses contradict each other without any cycle; report the aggregates among them. */
void vis_vars_mismatch(const struct vis_vars *v, const sat_lits *clauses, struct check_result *r);
/* Push onto v->clause the negation of the sources and outcomes that a step of a cycle uses. */
void vis_vars_not(struct vis_vars *v, const struct vis *w, const struct edge *e);

/* visibility_reject.c: the cycles that were found, for the explanation. */
struct vis_proof {
    VEC(struct vis_step) steps; /* WR, RW: `order` is the version that was seen */
    VEC(struct vis_cycle) lemmas;
    struct map of_clause; /* clause of the solver → 1 + lemma */
};
void vis_proof_free(struct vis_proof *x);
void vis_proof_add(struct vis_proof *x, const struct vis *w, const struct vis_cycle *c);
/* Note that the last lemma is this clause of the solver. */
void vis_proof_name(struct vis_proof *x, uint32_t clause);
/* Write the lemmas as cases, each of which settles one order; the last lemma is the
 * contradiction. */
void vis_reject_by_cases(const struct vis_proof *x, const struct prob *p, struct check_result *r);
/* The lemmas among some clauses; then the violation by lemmas that together leave no choice. */
void vis_proof_used(const struct vis_proof *x, const sat_lits *clauses, sat_lits *lemmas);
void vis_reject_by_lemmas(const struct vis_proof *x, const struct prob *p, const sat_lits *lemmas,
                          struct check_result *r);

/* visibility_search.c: RC, RA and CC with choices. */
void vis_search(struct vis *w, const struct check_options *o, struct check_result *r);

/* visibility.c: judge the reads that have no choice.  False: *r has the answer.  Afterwards
 * w->order follows these reads, and w->orders has the orders that they require. */
void vis_set_sure(struct vis *w); /* take only these reads and the recorded orders */
bool vis_judge_sure(struct vis *w, struct check_result *r);
/* *r becomes OK with w->order and w->src.  add_known sets w->orders to the recorded orders. */
void vis_accept(const struct vis *w, struct check_result *r);
void vis_add_known(struct vis *w);

/* visibility_cycle.c */
/* Append a cycle of the graph, which has one, to w->cycles. */
void vis_find_cycle(struct vis *w);
/* Append why a SEEN order holds to w->cycles. */
void vis_emit_order(struct vis *w, uint32_t index);

#endif
