/* How a list may have come about, for re-checking violations: whose appends its elements are.
 *
 * A *place* says that the appends of a transaction to a key end with a certain element of the list
 * that a read shows.  That is a variable of a formula, and what every explanation of the history
 * obeys are its clauses.  Written from the definitions and sharing nothing with duplicate_values.c.
 */
#ifndef CERTIFY_VIOLATION_CERTIFY_COVER_H
#define CERTIFY_VIOLATION_CERTIFY_COVER_H

#include "certify/history_facts.h"
#include "certify/refutation.h"

struct cover_place {
    uint32_t last;       /* the transaction's last append to the key */
    uint32_t first, end; /* elements from first + 1 to end */
    uint32_t lit;
};

struct cover {
    uint32_t key, read, len;        /* so many elements of what the read shows */
    VEC(struct cover_place) places; /* by append, ascending */
};

/* The longest list that a transaction that counts read of the key, or that of one read; without
 * any, the list is empty. */
void cover_init(struct cover *c, struct hist_facts *f, struct level level, uint32_t key,
                uint32_t read, struct formula *out);
void cover_free(struct cover *c);
/* The places of an append that is its transaction's last to the key. */
void cover_range(const struct cover *c, uint32_t last, uint32_t *from, uint32_t *to);
/* Is what the read shows a beginning of the list? */
bool cover_begins_with(const struct cover *c, const struct hist_facts *f, uint32_t read);

/* The list that the read shows cannot be made up of whole transactions, each where the level
 * has it. */
bool cover_impossible(struct hist_facts *f, struct level level, uint32_t read,
                      struct proof_reader *proofs);

#endif
