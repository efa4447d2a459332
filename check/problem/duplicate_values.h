/* Lists to which equal values were appended.
 *
 * The reads of a key show its list as values.  Where a value was appended twice, which append made
 * which element is a choice; the order of the versions and what every read of the list saw depend
 * on it.  The appends of one transaction to a key stand together and in their order, so the choice
 * is how to lay the *blocks* of the transactions end to end so that they make up the list.  Blocks
 * that find no place in it come after it.
 *
 * Once the choice is made, everything about lists is known, and the rest of the engine decides as
 * it does for lists of unique values, at any level.  A solver makes the choices.  A violation that
 * the engine finds under one choice rules out all choices that agree with it in what the violation
 * rests on; the violation of the history is the collection of these (verdict.h: lemmas). */
#ifndef CHECK_PROBLEM_DUPLICATE_VALUES_H
#define CHECK_PROBLEM_DUPLICATE_VALUES_H

#include "check/problem/question.h"

/* What one transaction appended to one key: ops[first … first + count). */
struct duplicates_block {
    uint32_t txn; /* in the history */
    uint32_t first, count;
    /* after: how many elements the transaction had read before (where session order counts, its
     * session); the block comes after these.  before: the previous block of a committed transaction
     * of the session, or HIST_NONE. */
    uint32_t after, before;
    /* The block is in the list and ends here at the latest; HIST_NONE: that is not known. */
    uint32_t until;
};

/* A key whose list can be made up of the blocks in several ways, or in none. */
struct duplicates_key {
    uint32_t key;
    /* The longest list: the first len elements of what this read shows. */
    uint32_t read, len;
    uint32_t first_block, blocks; /* a range of duplicates.blocks */
    /* Index in duplicates.cuts, which has len + 1 entries for the key. */
    uint32_t cut;
};

struct duplicates {
    VEC(struct duplicates_key) keys;
    VEC(struct duplicates_block) blocks;
    VEC(uint32_t) ops;
    VEC(uint8_t) cuts; /* per length: a read shows a list of this length, so no block crosses it */
};

void duplicates_free(struct duplicates *q);

typedef void duplicates_judge(const struct history *h, const struct check_options *o,
                              struct check_result *r);
/* `judge` decides with check_options.places given.  *r as from check_items. */
void duplicates_check(const struct history *h, const struct check_options *o,
                      const struct duplicates *q, duplicates_judge *judge, struct check_result *r);

#endif
