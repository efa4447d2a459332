/* What certify_violation.c and certify_lemmas.c share. */
#ifndef CERTIFY_CERTIFY_JUDGE_H
#define CERTIFY_CERTIFY_JUDGE_H

#include "base/map.h"
#include "certify/certify.h"
#include "certify/certify_aggregate.h"
#include "certify/history_facts.h"
#include "certify/refutation.h"

/* What is taken for true at some point of the tree of cases.  Orders and sources are kept in maps
 * from pairs to how often they hold; `trail` undoes them. */
enum claim { CLAIM_ORDER, CLAIM_SOURCE, CLAIM_NOT_SOURCE, CLAIM_COUNTS, CLAIM_KINDS };
struct claim_entry {
    enum claim kind;
    uint32_t a, b;
};

struct judge {
    struct hist_facts f;
    const struct certify_question *o;
    const struct check_result *r;
    struct proof_reader proofs;
    struct arena *messages;
    struct map claims[CLAIM_KINDS];
    VEC(struct claim_entry) trail;
    uint32_t next; /* case to look at */
    hist_facts_ops sources;
    struct aggregates aggregates;
    bool unknown; /* some transaction is of unknown outcome */
    bool lemma;   /* orders and sources are taken on trust and collected in `used` */
    VEC(struct claim_entry) used;
    VEC(uint32_t) asking; /* transactions whose outcome is being looked into */
};

static inline uint64_t judge_pair(uint32_t a, uint32_t b)
{
    return (uint64_t)a << 32 | b;
}

const char *judge_wrong(struct judge *j, const char *why);
bool judge_claimed(const struct judge *j, enum claim kind, uint32_t a, uint32_t b);
/* Is this a cycle that the level forbids, every edge of which follows? */
const char *judge_cycle(struct judge *j, uint32_t index);
/* All ways to get the result of an aggregate from the sources that are left. */
void judge_find_ways(struct judge *j, const struct hist_predicate *q, struct aggregate_ways *w);
/* On record, or claimed: version a is older than b. */
bool judge_older(struct judge *j, uint32_t a, uint32_t b);
/* certify_lemmas.c */
const char *judge_lemmas(struct judge *j);
/* Sources and outcomes cannot be chosen so that all claims hold and transaction `absent`, of
 * unknown outcome, did not happen (HIST_NONE: whoever happened). */
bool judge_impossible(struct judge *j, uint32_t absent);

#endif
