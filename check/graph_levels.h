/* SER, SI, PC and RCS on one graph of transactions, or of their begins and commits.
 *
 * Each function is a technique of the agenda (techniques.c has the table): true means that the
 * question is answered, in q->r; false means nothing.  They build on each other, in the order in
 * which they stand here. */
#ifndef CHECK_GRAPH_LEVELS_H
#define CHECK_GRAPH_LEVELS_H

#include "check/graph/polygraph.h"
#include "check/problem/match.h"

struct graph_question {
    struct prob *p;
    const struct check_options *o;
    struct check_result *r;
    struct pg g;
    bool built;     /* the graph is there */
    bool saturated; /* … and all that follows from it */
    bool hopeless;  /* r says why nothing else need be tried */
    uint32_t *guess;
    bool guess_improved;
};

void graph_start(struct graph_question *q, struct prob *p, const struct check_options *o,
                 struct check_result *r);
void graph_end(struct graph_question *q);

/* Lists: is there one order only, and does it do?  If not, the graph says why. */
bool graph_is_linear(const struct graph_question *q);
bool graph_linear(struct graph_question *q);
/* Does the order in which the transactions were recorded do? */
bool graph_recorded(struct graph_question *q);
/* Builds the graph.  Do the dependencies that are known have a cycle? */
bool graph_cycle(struct graph_question *q);
/* Does one transaction after the other get through, greedily? */
bool graph_replay(struct graph_question *q);
/* Does what follows from the known dependencies contradict itself? */
bool graph_saturate(struct graph_question *q, struct budget *b);
/* The solver decides what saturation left undecided. */
bool graph_solve(struct graph_question *q, struct budget *b);

void graph_give_up(struct check_result *r);

#endif
