/* The content of a violation: the transactions involved, each with its relevant operations only,
 * and the tree of cases.  Text, JSON and DOT all start from this. */
#ifndef REPORT_STORY_STORY_H
#define REPORT_STORY_STORY_H

#include "base/arena.h"
#include "base/map.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "check/check.h"

struct story_txn {
    uint32_t txn;
    const char *name;   /* safe to show, and unlike the names of all others in the story */
    VEC(uint32_t) ops;  /* relevant, in the transaction's order */
    VEC(uint32_t) told; /* the same, in the order in which the argument names them */
    uint32_t on_cycle;  /* how many of them belong to the anomaly or the cycle itself */
};

struct story {
    const struct history *h;
    const struct check_result *r;
    VEC(struct story_txn) txns; /* in order of appearance: the cycle, then the cases */
    struct map at;              /* transaction to its index in txns */
    size_t shown_cases;         /* cases [0, shown_cases) are part of the story, others left out */
    size_t shown_lemmas;        /* the same for result.lemmas */
    /* The tree of cases: per case its number among its siblings (from 1), its first child and the
     * sibling after it (HIST_NONE: none); `first` is the first of the outermost. */
    uint32_t *ordinal, *child, *sibling;
    uint32_t first;
    struct arena arena;
};

#define STORY_ALL_CASES SIZE_MAX
void story_make(struct story *s, const struct history *h, const struct check_result *r,
                size_t max_cases);
void story_free(struct story *s);

const char *story_name(const struct story *s, uint32_t txn);
/* The cycle of the i-th lemma. */
uint32_t story_lemma(const struct story *s, size_t i);
/* "2.1.3": the case as the report numbers it. */
void story_case_number(const struct story *s, uint32_t index, struct strbuf *out);
/* Is `outer` the case `inner` or one around it? */
bool story_is_around(const struct story *s, uint32_t outer, uint32_t inner);

#endif
