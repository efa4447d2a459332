/* What the weak_*.c files share: the judgement of one full set of choices. */
#ifndef CHECK_VISIBILITY_WEAK_INTERNAL_H
#define CHECK_VISIBILITY_WEAK_INTERNAL_H

#include "base/budget.h"
#include "check/problem/labelled_edge.h"
#include "check/problem/groups.h"
#include "check/solver/sat.h"
#include "check/visibility/weak.h"

/* Why version a is older than version b. */
enum weak_basis {
    WEAK_KNOWN,  /* the history says so */
    WEAK_CHOSEN, /* the solver chose it, or a guess */
    WEAK_SEEN    /* `read` saw b although a's transaction is visible to it */
};
struct weak_order {
    uint32_t a, b;
    /* WEAK_SEEN.  seen: for RC and RA, the read from a's transaction that makes it visible; else
     * HIST_NONE. */
    uint32_t read, seen;
    uint32_t basis;
};

/* A step of a cycle: an edge between transactions of the problem.  WW: `order` is the index of the
 * order of the two versions.  SO uses neither a nor b, and WR not b. */
struct weak_step {
    struct edge edge;
    uint32_t order;
};
/* A cycle that rules something out: with a and b, that b's version is older than a's. */
struct weak_cycle {
    uint32_t start, len;
    uint32_t a, b; /* HIST_NONE: the cycle is a contradiction by itself */
};

struct weak {
    struct prob *p;
    enum model_id model;
    bool sessions;
    bool no_guess;     /* tests: derive everything */
    bool first_reason; /* tests: derive nothing if the guess finds a contradiction */
    /* Reads with more than two candidates are left out, which leaves less to contradict; so only a
     * contradiction is an answer. */
    bool few;

    /* The choices. */
    uint32_t *src;    /* per read: the version; HIST_NONE: its transaction did not happen */
    uint8_t *present; /* per transaction; NULL: all */
    VEC(struct weak_order) orders;

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
    VEC(struct weak_step) steps;
    VEC(struct weak_cycle) cycles;
};

enum weak_outcome { WEAK_FINE, WEAK_CONFLICT, WEAK_STOPPED };

void weak_init(struct weak *w, struct prob *p);
void weak_free(struct weak *w);
size_t weak_memory(const struct prob *p); /* of the clocks */
void weak_make_clocks(struct weak *w);

/* Judge src, present and the orders that are KNOWN or CHOSEN.  FINE: w->order is an arbitration.
 * CONFLICT: w->cycles has the contradictions. */
enum weak_outcome weak_judge(struct weak *w);
/* For PSI: append to w->orders the recorded orders, and each version before the next one of its key
 * in the order of w->rank. */
void weak_add_versions(struct weak *w);

static inline bool weak_present(const struct weak *w, uint32_t txn)
{
    return !w->present || w->present[txn];
}
static inline bool weak_in_block(const struct weak *w, uint32_t chain)
{
    return chain - w->low < w->width;
}
/* a's chain must be in the block. */
static inline bool weak_reaches(const struct weak *w, uint32_t a, uint32_t b)
{
    const struct prob *p = w->p;
    return w->clock[(size_t)b * w->width + p->session[a] - w->low] > match_pos(p, a);
}
/* Is the order one between two transactions that happened? */
static inline bool weak_is_edge(const struct weak *w, const struct weak_order *o)
{
    const struct prob *p = w->p;
    return p->ver_txn[o->a] != PROB_INIT && p->ver_txn[o->b] != PROB_INIT &&
           weak_present(w, p->ver_txn[o->a]) && weak_present(w, p->ver_txn[o->b]);
}

void weak_build(struct weak *w); /* the graph alone */

/* weak_order.c.  given: the order of the history.  first: a first guess at the arbitration.
 * follows: does w->order follow sessions, reads and w->orders?  mend: make it do so with as few
 * changes as possible; `from` has per read the writer that it saw, or HIST_NONE.  False: it cannot
 * be done, and w->order is broken. */
void weak_given_order(struct weak *w);
void weak_first_order(struct weak *w);
/* As weak_first_order, but a history that has one session after the other is merged. */
void weak_merged_order(struct weak *w);
bool weak_by_session(struct weak *w); /* does the history have one session after the other? */
bool weak_follows(const struct weak *w);
bool weak_mend(struct weak *w, const uint32_t *from);

/* weak_schedule.c: an order that follows sessions, reads and w->orders (which must be acyclic), in
 * which a read comes before what overwrites the version that it saw if possible, and which is near
 * to w->rank otherwise. */
void weak_schedule(struct weak *w);

/* weak_guess.c.  FINE: w->order is an arbitration.  CONFLICT: each of w->orders must hold, and
 * together they are contradictory or impossible.  STOPPED: neither was found. */
enum weak_outcome weak_guess(struct weak *w);
/* With w->order as the arbitration: for every read that misses a visible version, append the order
 * that the read requires to w->orders.  Returns how many there are. */
size_t weak_complain(struct weak *w);

/* weak_sources.c: true: with the sources that are now in src, the order of the history, in
 * w->order, is an arbitration.  For problems without transactions of unknown outcome. */
bool weak_choose(struct weak *w, struct budget *b);
/* weak_replay.c: the same for an order that is found on the way, at this level or a weaker one.
 * w->orders: what is on record. */
bool weak_replay(struct weak *w, enum model_id model, struct budget *b);
/* The version of the key that t's session wrote last before t, or HIST_NONE. */
uint32_t weak_session_wrote(const struct prob *p, uint32_t key, uint32_t t);
/* Sort the candidates of each choice by the rank of their writers. */
void weak_sort_candidates(struct weak *w);

/* weak_visible.c: append the orders that follow from what is visible to w->orders, without those
 * that the clocks already show. */
void weak_derive(struct weak *w);
/* The version of the key that a transaction wrote, or HIST_NONE. */
uint32_t weak_version_of(const struct prob *p, uint32_t key, uint32_t txn);
/* The latest version in a group of the key (whose chain is in the block) that is visible to t and
 * not t's own, or HIST_NONE.  `clock` is t's. */
uint32_t weak_latest_visible(const struct weak *w, uint32_t key, uint32_t group, uint32_t t,
                             const uint32_t *clock);

/* weak_vars.c: the unknowns as variables of a solver.  w->rank is the order by which it guesses. */
struct weak_vars {
    const struct prob *p;
    bool few; /* as in struct weak */
    struct sat *sat;
    uint32_t *source;     /* per candidate in p->cand */
    uint32_t *picked;     /* per choice: its present candidate, or HIST_NONE */
    uint32_t *happened;   /* per transaction; HIST_NONE: it surely happened; NULL: all did */
    struct map aggregate; /* clause of the solver → 1 + its aggregate */
    uint32_t aggregate_now;
    bool loose;             /* some aggregate was too large and has no clauses */
    sat_lits clause, chain; /* scratch */
};
void weak_vars_init(struct weak_vars *v, const struct weak *w, uint64_t seed);
static inline bool weak_takes_part(bool few, const struct match_choice *c)
{
    return !few || c->len <= 2;
}
void weak_vars_free(struct weak_vars *v);
/* The literal that the transaction happened, or HIST_NONE if it surely did. */
uint32_t weak_happened_lit(const struct weak_vars *v, uint32_t txn);
/* After SAT_YES: copy the solver's values into src and present. */
void weak_vars_get(struct weak_vars *v, struct weak *w);
/* These clauses contradict each other without any cycle; report the aggregates among them. */
void weak_vars_mismatch(const struct weak_vars *v, const sat_lits *clauses, struct check_result *r);
/* Push onto v->clause the negation of the sources and outcomes that a step of a cycle uses. */
void weak_vars_not(struct weak_vars *v, const struct weak *w, const struct edge *e);

/* weak_reject.c: the cycles that were found, for the explanation. */
struct weak_proof {
    VEC(struct weak_step) steps; /* WR, RW: `order` is the version that was seen */
    VEC(struct weak_cycle) lemmas;
    struct map of_clause; /* clause of the solver → 1 + lemma */
};
void weak_proof_free(struct weak_proof *x);
void weak_proof_add(struct weak_proof *x, const struct weak *w, const struct weak_cycle *c);
/* Note that the last lemma is this clause of the solver. */
void weak_proof_name(struct weak_proof *x, uint32_t clause);
/* Write the lemmas as cases, each of which settles one order; the last lemma is the
 * contradiction. */
void weak_reject_by_cases(const struct weak_proof *x, const struct prob *p, struct check_result *r);
/* The lemmas among some clauses; then the violation by lemmas that together leave no choice. */
void weak_proof_used(const struct weak_proof *x, const sat_lits *clauses, sat_lits *lemmas);
void weak_reject_by_lemmas(const struct weak_proof *x, const struct prob *p, const sat_lits *lemmas,
                           struct check_result *r);

/* weak_search.c: RC, RA and CC with choices. */
void weak_search(struct weak *w, const struct check_options *o, struct check_result *r);

/* weak.c: judge the reads that have no choice.  False: *r has the answer.  Afterwards w->order
 * follows these reads, and w->orders has the orders that they require. */
void weak_set_sure(struct weak *w); /* take only these reads and the recorded orders */
bool weak_judge_sure(struct weak *w, struct check_result *r);
/* *r becomes OK with w->order and w->src.  add_known sets w->orders to the recorded orders. */
void weak_accept(const struct weak *w, struct check_result *r);
void weak_add_known(struct weak *w);

/* weak_cycle.c */
/* Append a cycle of the graph, which has one, to w->cycles. */
void weak_find_cycle(struct weak *w);
/* Append why a SEEN order holds to w->cycles. */
void weak_emit_order(struct weak *w, uint32_t index);

#endif
