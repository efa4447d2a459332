/* Lists to which equal values were appended.
 *
 * The list that the reads of a key show is known by its values.  Where a value was appended twice,
 * which append made which element is a choice, and with it the order of the versions and what
 * every read of the list saw.  A transaction's appends to a key stand together, in their order, so
 * the choice is to lay the transactions' *blocks* end to end so that they make up the list; those
 * that find no place come after it.
 *
 * With a choice made, everything about lists is known, and the rest of the engine decides as it
 * does for lists of unique values, at any level.  A solver makes the choices; a violation that the
 * engine finds under one rules out all choices that agree with it in what it rests on.  The
 * violation of the whole is the collection of these (check.h: lemmas). */
#ifndef CHECK_PROBLEM_DUPLICATE_VALUES_H
#define CHECK_PROBLEM_DUPLICATE_VALUES_H

#include "check/problem/question.h"

/* What one transaction appended to one key: ops[first … first + count). */
struct duplicates_block {
    uint32_t txn; /* in the history */
    uint32_t first, count;
    /* So many elements it or, where sessions count, its session read before, which its own come
     * behind; and the block of its session's committed transaction before it, or HIST_NONE. */
    uint32_t after, before;
    uint32_t until; /* it ends there at the latest, and it has a place; HIST_NONE: nobody says so */
};

/* A key whose list can be made up in several ways, or in none. */
struct duplicates_key {
    uint32_t key;
    uint32_t read, len;           /* the longest list: so many elements of what this read shows */
    uint32_t first_block, blocks; /* in equal.blocks */
    uint32_t cut;                 /* in equal.cuts, len + 1 of them */
};

struct duplicates {
    VEC(struct duplicates_key) keys;
    VEC(struct duplicates_block) blocks;
    VEC(uint32_t) ops;
    VEC(uint8_t) cuts; /* per length: a read shows the list so long, so no block crosses it */
};

void duplicates_free(struct duplicates *q);

typedef void duplicates_judge(const struct history *h, const struct check_options *o,
                              struct check_result *r);
/* `judge` decides with check_options.places given.  *r as from check_items. */
void duplicates_check(const struct history *h, const struct check_options *o,
                      const struct duplicates *q, duplicates_judge *judge, struct check_result *r);

#endif
