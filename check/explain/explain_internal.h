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
        /* Two versions, the older first → 1 + the case that settled their order; 0: not settled. */
        orders;
    struct map sources;  /* read → 1 + the version that it is supposed to have seen */
    struct map refuted;  /* read → 1 + the last case that refuted one of its sources */
    uint32_t *choice_of; /* per read: its choice, or HIST_NONE; NULL if there are none */
    uint8_t *explained;  /* per choice: its refuted candidates have been explained */
    /* With aggregates: the dropped candidates (match_drop) of each choice, ascending, and which of
     * them have been explained. */
    uint32_t *drop_start, *drops;
    uint8_t *drop_explained;
    uint32_t parent;
    VEC(uint64_t) trail; /* keys of `orders` set inside of a case */
};

void explain_init(struct explain *x, struct pg *g, struct check_result *r);
void explain_free(struct explain *x);

/* Begin a case: a hypothesis that will be refuted.  Returns its index. */
uint32_t explain_case(struct explain *x, enum check_hypothesis kind, uint32_t first,
                      uint32_t second);
/* Add a cycle of the graph to the result.  Returns its index. */
uint32_t explain_write(struct explain *x, const eg_path *path);
/* Explain every derived edge of a path; to be called before explain_write. */
void explain_path(struct explain *x, const eg_path *path);
/* Explain why version a is older than b, which followed when the graph had fewer than `limit`
 * edges. */
void explain_order(struct explain *x, uint32_t a, uint32_t b, uint32_t limit);

/* Explain why the dropped candidates of a read are impossible. */
void explain_choice(struct explain *x, uint32_t choice);

/* The same for all reads of an aggregate. */
void explain_aggregate(struct explain *x, uint32_t aggregate);

void explain_set_order(struct explain *x, uint32_t a, uint32_t b, uint32_t case_index);
void explain_set_source(struct explain *x, uint32_t read, uint32_t version);
/* Forget the orders that were settled since the trail had this length. */
void explain_rewind(struct explain *x, size_t trail);

#endif
