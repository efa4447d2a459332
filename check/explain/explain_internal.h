/* What explain.c and explain_tree.c share. */
#ifndef CHECK_EXPLAIN_EXPLAIN_INTERNAL_H
#define CHECK_EXPLAIN_EXPLAIN_INTERNAL_H

#include "check/explain/explain.h"
#include "check/explain/explain_graph.h"

struct explain {
    struct pg *g;
    struct eg eg;
    struct check_result *r;
    struct map
        orders; /* two versions, the older first: case that settled it, + 1; 0: not settled */
    struct map sources;  /* read: the version that it is now taken to have seen, + 1 */
    struct map refuted;  /* read: the last case that refuted one of its sources, + 1 */
    uint32_t *choice_of; /* per read: its choice, or HIST_NONE; NULL if there are none */
    uint8_t *explained;  /* per choice: its refuted candidates have been dealt with */
    /* With aggregates: the drops (match.h) of each choice, ascending, and which are dealt with. */
    uint32_t *drop_start, *drops;
    uint8_t *drop_explained;
    uint32_t parent;
    VEC(uint64_t) trail; /* keys of `orders` set inside of a case */
};

void explain_init(struct explain *x, struct pg *g, struct check_result *r);
void explain_free(struct explain *x);

/* A hypothesis, to be refuted; gives its index. */
uint32_t explain_case(struct explain *x, enum check_hypothesis kind, uint32_t first,
                      uint32_t second);
/* Write a cycle of the graph down; gives its index. */
uint32_t explain_write(struct explain *x, const eg_path *path);
/* Explain every derived edge of a path; before explain_write. */
void explain_path(struct explain *x, const eg_path *path);
/* Explain why version a is older than b, known when the graph had fewer than `limit` edges. */
void explain_order(struct explain *x, uint32_t a, uint32_t b, uint32_t limit);

/* Explain why the candidates of a read that are not possible any more are not. */
void explain_choice(struct explain *x, uint32_t choice);

/* The same for all reads of an aggregate. */
void explain_joint(struct explain *x, uint32_t aggregate);

void explain_set_order(struct explain *x, uint32_t a, uint32_t b, uint32_t case_index);
void explain_set_source(struct explain *x, uint32_t read, uint32_t version);
/* Forget what was settled since the trail was this long. */
void explain_rewind(struct explain *x, size_t trail);

#endif
