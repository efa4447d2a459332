/* InnoDB's levels: the state of the enumeration, and the rules that work on it.
 *
 * "the primary key is the identity": a state maps keys to values.  "Locking statements and all
 * changes … see the newest state and lock it; there is no first-updater-wins." */
#ifndef TESTS_CONFORMANCE_INNODB_H
#define TESTS_CONFORMANCE_INNODB_H

#include "tests/conformance/statements.h"

/* What T has done to a key, as bits of a set: a shared or an exclusive lock of its record, a lock
 * of the gap where it is not ("compatible with other gap locks, blocks inserts"), a change of the
 * record. */
enum { INNODB_S = 1, INNODB_X = 2, INNODB_GAP = 4, INNODB_CHANGE = 8 };

struct innodb_state {
    uint32_t present; /* a set of keys */
    int value[CF_KEYS];
};

/* A transaction that runs or has run. */
struct innodb_transaction {
    unsigned who, position; /* its number in the program and in ar */
    enum cf_level level;
    int snapshot; /* my-rr: the position of the one snapshot; -1 before the first plain read */
    unsigned end; /* f of the last statement, the least that the rules allow */
    int last;     /* see cf_last_value */

    uint32_t changed; /* the keys that T has changed: */
    struct innodb_state own;
    uint8_t locks[CF_KEYS];
};

struct innodb_search {
    const struct cf_program *program;
    const struct cf_order *order;
    uint32_t keys;                                  /* all keys of the program */
    struct innodb_state state[CF_TRANSACTIONS + 1]; /* St(0), St(1), … */
    struct innodb_transaction done[CF_TRANSACTIONS];
    struct cf_outcome outcome;
    struct cf_outcomes *out;
};

/* A statement on its way: it visits keys in their order at growing positions. */
struct innodb_step {
    const struct innodb_search *search;
    const struct cf_statement *statement;
    void (*next)(void *context, const struct innodb_transaction *t, const struct cf_result *result);
    void *context;
};

/* The row of a key as T sees it at a position; false: it is absent. */
bool innodb_row(const struct innodb_search *search, const struct innodb_transaction *t,
                unsigned position, int key, struct cf_row *row);
/* The least position at which T can have a lock: everybody before T in ar with a lock that
 * conflicts is within it. */
unsigned innodb_lock_position(const struct innodb_search *search,
                              const struct innodb_transaction *t, int key, uint8_t lock);
/* T takes a lock; its end moves there. */
void innodb_lock(const struct innodb_search *search, struct innodb_transaction *t, int key,
                 uint8_t lock);
/* T changes the row of a key, or deletes it (value NULL). */
void innodb_change(struct innodb_transaction *t, int key, const int *value);
/* Calls step->next for each way in which the statement can go. */
void innodb_execute(const struct innodb_step *step, const struct innodb_transaction *t);

void innodb_allowed(const struct cf_program *p, const struct cf_order *order,
                    struct cf_outcomes *out);

#endif
