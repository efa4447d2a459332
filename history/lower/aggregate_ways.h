/* All ways to get the result of an aggregate from what its rows may be.
 *
 *     aggregate_ways_begin(&w, q, &own);
 *     vec_push(&w.rows, w.options.len); vec_push(&w.options, …); …     for each row
 *     aggregate_ways_close(&w);
 *     aggregate_ways_any(&w)                                           can it be had?
 *     aggregate_ways_free(&w); */
#ifndef HISTORY_LOWER_AGGREGATE_WAYS_H
#define HISTORY_LOWER_AGGREGATE_WAYS_H

#include "history/predicate.h"

/* What a row may be: writes that it may have seen, HIST_NONE for the initial version; or what it
 * may be besides. */
struct aggregate_option {
    uint32_t source;
    bool besides;
    bool counts;
    int64_t number; /* if it counts */
};
/* Partial results that can be had, row by row; the last layer has the result itself, or nothing. */
struct aggregate_ways {
    const struct hist_predicate *q;
    struct pred_sum own;
    VEC(struct aggregate_option) options;
    VEC(uint32_t) rows;   /* per row: where its options start; one more at the end */
    VEC(__int128) states; /* ascending in each layer */
    VEC(uint32_t) layers; /* where the states before each row start; two more */
    size_t widest;        /* states of a layer; 0: any number */
    bool too_many;
};

/* own: what the rows contribute that are no choice. */
void aggregate_ways_begin(struct aggregate_ways *w, const struct hist_predicate *q,
                          const struct pred_sum *own);
void aggregate_ways_close(struct aggregate_ways *w);
void aggregate_ways_free(struct aggregate_ways *w);
/* Can the result be had at all? */
bool aggregate_ways_any(const struct aggregate_ways *w);
/* The state behind an option, or HIST_NONE. */
uint32_t aggregate_ways_next(const struct aggregate_ways *w, uint32_t row, uint32_t state,
                             const struct aggregate_option *o);

/* What a version of a row contributes. */
struct aggregate_option aggregate_option_of(const struct pred *p, const struct hist_predicate *q,
                                            uint32_t key, struct hist_value v);

#endif
