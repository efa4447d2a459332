/* One walk over the versions: a group begins where the session changes; see groups.h. */
#include "check/problem/groups.h"

void groups_make(struct groups *g, const struct prob *p)
{
    VEC(uint32_t) chain = {0}, first = {0};
    g->start = mem_alloc(mem_mul((size_t)p->keys + 1, sizeof *g->start));
    for (uint32_t k = 0; k < p->keys; k++) {
        g->start[k] = (uint32_t)chain.len;
        for (uint32_t v = p->ver_start[k] + 1; v < p->ver_start[k + 1]; v++) {
            uint32_t s = p->session[p->ver_txn[v]];
            if (chain.len > g->start[k] && vec_last(&chain) == s)
                continue;
            vec_push(&chain, s);
            vec_push(&first, v);
        }
    }
    g->start[p->keys] = (uint32_t)chain.len;
    g->chain = chain.data;
    g->first = first.data;
}

void groups_free(struct groups *g)
{
    mem_free(g->start);
    mem_free(g->chain);
    mem_free(g->first);
}
