/* What the files share that judge violations by clauses.
 *
 * certify_violation.c: is a cycle one that the level forbids, and what does it rest on?  That is a
 * lemma, a clause: not all of this is true.
 * certify_choices.c: the variables of these clauses, and what the definitions say of them.
 * certify_results.c: what the results of aggregates say of them.
 * certify_cases.c: the cases and the conclusion, which follow from the clauses. */
#ifndef CERTIFY_VIOLATION_CERTIFY_CLAIMS_H
#define CERTIFY_VIOLATION_CERTIFY_CLAIMS_H

#include "base/map.h"
#include "certify/certify.h"
#include "certify/certify_aggregate.h"
#include "certify/violation/certify_cover.h"
#include "certify/history_facts.h"
#include "certify/refutation.h"

struct judge {
    struct hist_facts f;
    const struct certify_question *o;
    const struct check_result *r;
    struct proof_reader proofs;
    struct arena *messages;
    struct aggregates aggregates;
    bool unknown; /* some transaction is of unknown outcome */

    struct formula formula;
    struct map reads;  /* those that the clauses speak of */
    struct map covers; /* a key of a list: index in cover + 1 */
    VEC(struct cover) cover;
    clause_lits new_txns, new_reads; /* what the definitions say of these is not there yet */
    uint8_t *joined; /* per predicate read: the clauses of the aggregate are there; or NULL */
    enum check_scope scope; /* what the clauses speak of */

    clause_lits path;                /* not all that the cases around suppose: a clause */
    uint32_t lemma;                  /* the clause of the cycle at hand, or HIST_NONE */
    uint32_t next;                   /* case to look at */
    VEC(struct check_fact) rests_on; /* what the cycle that is being judged rests on */
    struct map recorded;             /* two versions, older first: 1 no, 2 it is on record */
    hist_facts_ops sources, left;    /* scratch */
};

static inline uint64_t judge_pair(uint32_t a, uint32_t b)
{
    return (uint64_t)a << 32 | b;
}

const char *judge_wrong(struct judge *j, const char *why);

/* certify_violation.c: is this a cycle that the level forbids, every edge of which follows from the
 * history and from j->rests_on? */
const char *judge_cycle(struct judge *j, uint32_t index);
/* The history says that version a is older than b. */
bool judge_recorded(struct judge *j, uint32_t a, uint32_t b);
/* Is the operation the version of the key that the transaction wrote? */
bool judge_is_version(struct judge *j, uint32_t op, uint32_t txn, uint32_t key);

/* certify_choices.c: literals.  What the definitions say of them is there after choices_complete.
 */
uint32_t choices_order(struct judge *j, uint32_t a, uint32_t b);
uint32_t choices_source(struct judge *j, uint32_t read, uint32_t write);
/* HIST_NONE: the transaction counts anyway. */
uint32_t choices_happened(struct judge *j, uint32_t txn);
uint32_t choices_fact(struct judge *j, const struct check_fact *f);
void choices_complete(struct judge *j);
/* Whose append made which element of a list, for all that is spoken of from now on, or was. */
void choices_add_lists(struct judge *j);
/* Speak of every transaction of unknown outcome. */
void choices_add_outcomes(struct judge *j);
void choices_free(struct judge *j);

/* certify_results.c: the aggregate, of a transaction that counts, cannot be had from the sources
 * that are not false now. */
bool results_none_left(struct judge *j, uint32_t aggregate);
/* The clauses of the aggregates that are spoken of; of all of them in the wide scope. */
const char *results_add(struct judge *j);

/* certify_anomaly.c: is the anomaly of single operations in the history? */
const char *certify_anomaly(struct hist_facts *f, const struct certify_question *o,
                            const struct check_result *r, struct proof_reader *proofs,
                            struct arena *messages);

/* certify_cases.c: do the cases and the conclusion follow? */
const char *judge_cases(struct judge *j);
/* The clauses speak of more, step by step up to the scope. */
const char *judge_extend(struct judge *j, enum check_scope scope);

#endif
