/* Environments: maps from small numbers (storage cells, rows) to 32-bit values that can be forked
 * in constant time and merged in time proportional to what differs.
 *
 * A persistent radix tree: nodes of 16 children, six levels deep.  Every environment has an epoch
 * and may overwrite in place the nodes that carry it; forking gives both sides a fresh epoch, so
 * shared nodes are copied on the first write.  Equal subtrees are recognised by their index, which
 * makes the merge at the end of a branch cheap.  0 means "no value". */
#ifndef SYMEXEC_ENV_H
#define SYMEXEC_ENV_H

#include <stdint.h>

#include "base/vec.h"

#define ENV_BITS 4
#define ENV_FANOUT 16
#define ENV_LEVELS 6
#define ENV_CELLS (UINT32_C(1) << (ENV_BITS * ENV_LEVELS))

struct env_node {
    uint32_t epoch;
    uint32_t child[ENV_FANOUT]; /* nodes, or values on the lowest level */
};
struct env_pool {
    VEC(struct env_node) nodes; /* nodes.data[0] is the empty tree */
    uint32_t epoch;
};
struct env {
    uint32_t root, epoch;
};

void env_pool_init(struct env_pool *p);
void env_pool_free(struct env_pool *p);
struct env env_new(struct env_pool *p);
struct env env_fork(struct env_pool *p, struct env *e);
uint32_t env_get(const struct env_pool *p, struct env e, uint32_t cell);
void env_set(struct env_pool *p, struct env *e, uint32_t cell, uint32_t value);

/* The value of a cell in which a and b differ.  It must not touch the pool. */
typedef uint32_t (*env_choose_fn)(void *arg, uint32_t cell, uint32_t a, uint32_t b);
/* Merge the cells of b below `limit` into *a; b may not be used afterwards.  The cells from `limit`
 * on (storage that is no longer in use) are unspecified afterwards. */
void env_merge(struct env_pool *p, struct env *a, struct env b, uint32_t limit, env_choose_fn fn,
               void *arg);

#endif
