/* Strongly connected components (Tarjan, SIAM J. Comput. 1972).  The depth-first search keeps its
 * own stack, because paths can be as long as histories. */
#include "base/components.h"

#include "base/vec.h"

struct search {
    struct components *c;
    const uint32_t *start, *heads;
    uint32_t *number, *low,
        *at; /* per node; number 0: not met, UINT32_MAX: its component is done */
    uint32_t numbers;
    VEC(uint32_t) path, open;
};

static void enter(struct search *s, uint32_t u)
{
    s->number[u] = s->low[u] = ++s->numbers;
    s->at[u] = s->start[u];
    vec_push(&s->path, u);
    vec_push(&s->open, u);
}

static void leave(struct search *s, uint32_t u)
{
    struct components *c = s->c;
    s->path.len--;
    if (s->low[u] < s->number[u]) {
        uint32_t parent = vec_last(&s->path);
        if (s->low[u] < s->low[parent])
            s->low[parent] = s->low[u];
        return;
    }
    uint32_t v;
    do {
        v = vec_pop(&s->open);
        s->number[v] = UINT32_MAX;
        c->component[v] = c->count;
        c->size[c->count]++;
    } while (v != u);
    c->count++;
}

static void search(struct search *s, uint32_t root)
{
    enter(s, root);
    while (s->path.len) {
        uint32_t u = vec_last(&s->path);
        if (s->at[u] == s->start[u + 1]) {
            leave(s, u);
            continue;
        }
        uint32_t v = s->heads[s->at[u]++];
        if (!s->number[v])
            enter(s, v);
        else if (s->number[v] < s->low[u])
            s->low[u] = s->number[v];
    }
}

void components_find(struct components *c, uint32_t nodes, const uint32_t *start,
                     const uint32_t *heads)
{
    size_t n = (size_t)nodes + 1;
    struct search s = {.c = c, .start = start, .heads = heads};
    s.number = mem_calloc(n, sizeof *s.number);
    s.low = mem_alloc(mem_mul(n, sizeof *s.low));
    s.at = mem_alloc(mem_mul(n, sizeof *s.at));
    *c = (struct components){.component = mem_alloc(mem_mul(n, sizeof *c->component)),
                             .size = mem_calloc(n, sizeof *c->size)};
    for (uint32_t u = 0; u < nodes; u++)
        if (!s.number[u])
            search(&s, u);
    mem_free(s.number);
    mem_free(s.low);
    mem_free(s.at);
    vec_free(&s.path);
    vec_free(&s.open);
}

void components_free(struct components *c)
{
    mem_free(c->component);
    mem_free(c->size);
}
