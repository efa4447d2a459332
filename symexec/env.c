/* Persistent environments; see env.h for the idea. */
#include "symexec/env.h"

#include <assert.h>

void env_pool_init(struct env_pool *p)
{
    *p = (struct env_pool){0};
    vec_push(&p->nodes, (struct env_node){0});
}

void env_pool_free(struct env_pool *p)
{
    vec_free(&p->nodes);
}

struct env env_new(struct env_pool *p)
{
    return (struct env){.root = 0, .epoch = ++p->epoch};
}

struct env env_fork(struct env_pool *p, struct env *e)
{
    e->epoch = ++p->epoch;
    return (struct env){.root = e->root, .epoch = ++p->epoch};
}

static unsigned slot(uint32_t cell, int level)
{
    return (cell >> (ENV_BITS * level)) & (ENV_FANOUT - 1);
}

uint32_t env_get(const struct env_pool *p, struct env e, uint32_t cell)
{
    uint32_t n = e.root;
    for (int level = ENV_LEVELS - 1; level >= 0; level--) {
        if (n == 0)
            return 0;
        n = p->nodes.data[n].child[slot(cell, level)];
    }
    return n;
}

/* A node with the contents of n that may be written in this epoch. */
static uint32_t own(struct env_pool *p, uint32_t n, uint32_t epoch)
{
    if (n != 0 && p->nodes.data[n].epoch == epoch)
        return n;
    struct env_node copy = p->nodes.data[n];
    copy.epoch = epoch;
    vec_push(&p->nodes, copy);
    return (uint32_t)(p->nodes.len - 1);
}

void env_set(struct env_pool *p, struct env *e, uint32_t cell, uint32_t value)
{
    assert(cell < ENV_CELLS);
    uint32_t n = e->root = own(p, e->root, e->epoch);
    for (int level = ENV_LEVELS - 1; level > 0; level--) {
        unsigned i = slot(cell, level);
        uint32_t next = own(p, p->nodes.data[n].child[i], e->epoch);
        p->nodes.data[n].child[i] = next;
        n = next;
    }
    p->nodes.data[n].child[slot(cell, 0)] = value;
}

struct merging {
    struct env_pool *p;
    uint32_t epoch, limit;
    env_choose_fn fn;
    void *arg;
};

static uint32_t merge(struct merging *m, uint32_t a, uint32_t b, int level, uint32_t first)
{
    if (a == b || first >= m->limit)
        return a;
    if (level < 0)
        return m->fn(m->arg, first, a, b);
    uint32_t n = own(m->p, a, m->epoch);
    for (uint32_t i = 0; i < ENV_FANOUT; i++) {
        uint32_t x = m->p->nodes.data[n].child[i], y = m->p->nodes.data[b].child[i];
        uint32_t r = merge(m, x, y, level - 1, first + (i << (ENV_BITS * level)));
        m->p->nodes.data[n].child[i] = r;
    }
    return n;
}

void env_merge(struct env_pool *p, struct env *a, struct env b, uint32_t limit, env_choose_fn fn,
               void *arg)
{
    struct merging m = {p, ++p->epoch, limit, fn, arg};
    a->root = merge(&m, a->root, b.root, ENV_LEVELS - 1, 0);
    a->epoch = m.epoch;
}
