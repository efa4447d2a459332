/* Which combinations of rows give an aggregate?
 *
 * Every row has options, each of which contributes a number or nothing; one option of each row is
 * taken.  The partial results, row by row, are the nodes of a layered diagram: sums (a count is a
 * sum of ones), or, for a minimum or maximum, whether some row has reached it already.  Only nodes
 * on a path from the start to the recorded result are kept, so an option that is on no such path is
 * impossible, whichever options the other rows take.
 *
 *     diagram_start(&d, q, &fixed);
 *     diagram_row(&d); diagram_option(&d, …); …      for each row
 *     if (diagram_close(&d) == DIAGRAM_FINE) … diagram_allows(&d, row, option) …
 *     diagram_free(&d); */
#ifndef HISTORY_LOWER_AGGREGATE_DIAGRAM_H
#define HISTORY_LOWER_AGGREGATE_DIAGRAM_H

#include "history/predicate.h"

/* What a version of a row contributes. */
struct diagram_option {
    bool counts; /* false: nothing */
    int64_t number;
};

enum diagram_answer { DIAGRAM_FINE, DIAGRAM_NONE, DIAGRAM_TOO_MANY };

struct diagram {
    uint8_t kind; /* enum hist_predicate_kind */
    struct hist_value result;
    bool dead; /* the fixed rows alone rule the result out */
    __int128 start;
    VEC(struct diagram_option) options; /* after closing: per row sorted, without repetitions */
    VEC(uint32_t) rows;   /* where the options of each row start; one more at the end */
    VEC(__int128) nodes;  /* layer by layer, ascending */
    VEC(uint32_t) layers; /* where the nodes before each row start; two more at the end */
    VEC(uint8_t) allowed; /* per option */
    uint32_t limit;       /* nodes */
    bool wide;            /* FINE, but with too many nodes to keep: only `allowed` is known */
};

/* q: an aggregate.  fixed: the part of the rows that are not a choice. */
void diagram_start(struct diagram *d, const struct hist_predicate *q, const struct pred_sum *fixed);
void diagram_row(struct diagram *d);
void diagram_option(struct diagram *d, struct diagram_option o);
enum diagram_answer diagram_close(struct diagram *d);
void diagram_free(struct diagram *d);

/* After DIAGRAM_FINE. */
bool diagram_allows(const struct diagram *d, uint32_t row, struct diagram_option o);
/* The node that follows when the row takes an option; HIST_NONE: the result is out of reach then.
 * Not for wide diagrams. */
uint32_t diagram_next(const struct diagram *d, uint32_t row, uint32_t node,
                      struct diagram_option o);

/* What a version contributes to an aggregate. */
struct diagram_option diagram_value(const struct pred *p, const struct hist_predicate *q,
                                    uint32_t key, struct hist_value v);

#endif
