/* See operations.h. */
#include "report/story/operations.h"

#include <inttypes.h>
#include <stdlib.h>

#include "report/page/looks.h"
#include "report/page/words.h"

#define SHOWN_MAX 12  /* phrases */
#define ALIKE_LEAST 4 /* as many operations that look alike are told as one */

/* Operations that are told in one phrase: of[first … first + count). */
struct group {
    uint32_t first, count;
    uint32_t rank; /* of the one that the argument names first */
    bool left_out;
};

struct list {
    const struct history *h;
    const struct story_txn *x;
    uint32_t *of;   /* all operations of the story, group by group */
    uint32_t *rank; /* per operation of x->ops: its place in x->told */
    VEC(struct group) groups;
};

static bool is_read(const struct history *h, uint32_t op)
{
    return h->ops.data[op].kind == HIST_READ || h->ops.data[op].kind == HIST_LIST_READ;
}

static int by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

/* Where an operation stands in x->ops, which is sorted. */
static size_t place_of(const struct story_txn *x, uint32_t op)
{
    const uint32_t *at = bsearch(&op, x->ops.data, x->ops.len, sizeof op, by_number);
    return (size_t)(at - x->ops.data);
}

/* Those that look like the one at `i` and that nothing but reads stands between; reads may be told
 * in another order than they were made in, writes may not.  What the cycle is made of stands by
 * itself. */
static uint32_t gather(const struct list *l, size_t i, const bool *done, uint32_t *into)
{
    const uint32_t *ops = l->x->ops.data;
    uint32_t n = 0;
    into[n++] = (uint32_t)i;
    if (l->rank[i] < l->x->on_cycle)
        return n;
    for (size_t k = i + 1; k < l->x->ops.len; k++) {
        bool alike = !done[k] && l->rank[k] >= l->x->on_cycle && words_alike(l->h, ops[i], ops[k]);
        if (alike)
            into[n++] = (uint32_t)k;
        else if (!is_read(l->h, ops[i]) || !is_read(l->h, ops[k]))
            break;
    }
    return n;
}

static void make_groups(struct list *l)
{
    size_t len = l->x->ops.len;
    bool *done = mem_calloc(len + 1, sizeof *done);
    uint32_t *members = mem_alloc(mem_mul(len + 1, sizeof *members));
    uint32_t used = 0;
    for (size_t i = 0; i < len; i++) {
        if (done[i])
            continue;
        struct group g = {.first = used, .rank = UINT32_MAX};
        g.count = gather(l, i, done, members);
        if (g.count < ALIKE_LEAST)
            g.count = 1;
        for (uint32_t k = 0; k < g.count; k++) {
            done[members[k]] = true;
            l->of[used++] = l->x->ops.data[members[k]];
            if (l->rank[members[k]] < g.rank)
                g.rank = l->rank[members[k]];
        }
        vec_push(&l->groups, g);
    }
    mem_free(members);
    mem_free(done);
}

/* Of too many, those stay that the argument names first. */
static void leave_out(struct list *l)
{
    uint32_t *ranks = mem_alloc(mem_mul(l->groups.len + 1, sizeof *ranks));
    for (size_t i = 0; i < l->groups.len; i++)
        ranks[i] = l->groups.data[i].rank;
    qsort(ranks, l->groups.len, sizeof *ranks, by_number);
    for (size_t i = 0; i < l->groups.len && l->groups.len > SHOWN_MAX; i++)
        l->groups.data[i].left_out = l->groups.data[i].rank > ranks[SHOWN_MAX - 1];
    mem_free(ranks);
}

/* Is it in the file?  What a search did not find, and rows as searches see them, are not. */
static bool is_told(const struct history *h, uint32_t op)
{
    const struct hist_op *o = &h->ops.data[op];
    return !(o->flags & (HIST_OP_ANY | HIST_OP_NOT_FOUND)) && !look_is_match(h, o->key) &&
           !look_is_item(h, o->key);
}

static uint32_t count_told(const struct history *h, uint32_t txn)
{
    const struct hist_txn *t = &h->txns.data[txn];
    uint32_t n = 0;
    for (uint32_t i = 0; i < t->op_count; i++)
        n += is_told(h, t->first_op + i);
    return n;
}

void operations_text(const struct history *h, const struct story_txn *x, struct strbuf *out)
{
    struct list l = {.h = h, .x = x};
    struct strbuf phrase = {0};
    uint32_t others = count_told(h, x->txn);
    bool any = false;
    l.of = mem_alloc(mem_mul(x->ops.len + 1, sizeof *l.of));
    l.rank = mem_alloc(mem_mul(x->ops.len + 1, sizeof *l.rank));
    for (size_t i = 0; i < x->told.len; i++)
        l.rank[place_of(x, x->told.data[i])] = (uint32_t)i;
    make_groups(&l);
    leave_out(&l);
    for (size_t i = 0; i < l.groups.len; i++) {
        const struct group *g = &l.groups.data[i];
        if (g->left_out)
            continue;
        sb_clear(&phrase);
        words_ops(h, l.of + g->first, g->count, &phrase);
        sb_puts(out, any ? ", " : "");
        words_whole(&phrase, out);
        any = true;
        for (uint32_t k = 0; k < g->count; k++)
            others -= is_told(h, l.of[g->first + k]);
    }
    if (!any)
        sb_printf(out, "%" PRIu32 " operation%s", others, others == 1 ? "" : "s");
    else if (others)
        sb_printf(out, ", …\u00a0%" PRIu32 "\u00a0other%s", others, others == 1 ? "" : "s");
    sb_free(&phrase);
    vec_free(&l.groups);
    mem_free(l.of);
    mem_free(l.rank);
}
