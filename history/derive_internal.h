/* What derive.c decides and derive_copy.c writes down: operations on the new keys. */
#ifndef HISTORY_DERIVE_INTERNAL_H
#define HISTORY_DERIVE_INTERNAL_H

#include "base/strbuf.h"
#include "history/derive.h"
#include "history/version_order.h"

/* An operation on a new key.  It stands before operation `at` of the transaction (a read) or just
 * after the write `at`. */
struct derive_op {
    uint32_t txn, at;
    uint32_t key; /* number of the new key, from 0 */
    bool write;
    uint32_t predicate; /* of a read: whose, for statements */
    int64_t value;
};

/* The versions of a new key, in the order of the chain that they come from. */
struct derive_version {
    uint32_t key, pos; /* new key; place in the chain of the row */
    uint32_t op;       /* index in ops */
};

struct derive_key {
    const char *name;
    struct hist_value initial;
};

struct derive_plan {
    VEC(struct derive_op) ops;
    VEC(struct derive_key) keys;
    VEC(struct derive_version) versions;
    uint8_t *drop; /* per operation of the history: leave it out; or NULL */
};

/* The history with the plan's keys and operations. */
struct history *derive_copy(const struct history *h, const struct derive_plan *p);

#endif
