/* Collects a story from a violation; see story.h.  A transaction joins when an edge, a hypothesis
 * or the list of the anomaly's operations first names it, so that the order is that of reading. */
#include "report/story/story.h"

#include <inttypes.h>
#include <stdlib.h>

#include "report/page/words.h"

/* ---- transactions and operations ------------------------------------------------------------ */

static struct story_txn *join(struct story *s, uint32_t txn)
{
    bool fresh;
    uint64_t *slot = map_put(&s->at, txn, s->txns.len, &fresh);
    if (fresh)
        vec_add(&s->txns)->txn = txn;
    return &s->txns.data[*slot];
}

/* Kept sorted: a transaction has few relevant operations. */
static void add_op(struct story *s, uint32_t op)
{
    if (op == HIST_NONE)
        return;
    struct story_txn *t = join(s, hist_op_txn(s->h, op));
    size_t i = t->ops.len;
    while (i > 0 && t->ops.data[i - 1] > op)
        i--;
    if (i > 0 && t->ops.data[i - 1] == op)
        return;
    vec_push(&t->told, op);
    vec_push(&t->ops, op);
    for (size_t j = t->ops.len - 1; j > i; j--)
        t->ops.data[j] = t->ops.data[j - 1];
    t->ops.data[i] = op;
}

static void add_cycle(struct story *s, uint32_t cycle)
{
    if (cycle == HIST_NONE)
        return;
    const struct check_cycle *c = &s->r->cycles.data[cycle];
    for (uint32_t i = 0; i < c->len; i++) {
        const struct check_edge *e = &s->r->edges.data[c->start + i];
        join(s, e->from);
        join(s, e->to);
        add_op(s, e->from_op);
        add_op(s, e->to_op);
    }
    /* Who wrote what was read stands behind those who are on the cycle. */
    for (uint32_t i = 0; i < c->len; i++)
        if (s->r->edges.data[c->start + i].kind == CHECK_RW)
            add_op(s, s->r->edges.data[c->start + i].via);
}

uint32_t story_lemma(const struct story *s, size_t i)
{
    return (uint32_t)(s->r->cycles.len - s->r->lemmas + i);
}

#define OPS_FEW 6 /* operations of an anomaly that are told one by one */

static void add_all(struct story *s)
{
    const struct check_result *r = s->r;
    for (size_t i = 0; i < r->txns.len; i++)
        join(s, r->txns.data[i]);
    if (r->ops.len <= OPS_FEW)
        for (size_t i = 0; i < r->ops.len; i++)
            add_op(s, r->ops.data[i]);
    if (!r->no_source)
        add_cycle(s, r->cycle);
    for (size_t i = 0; i < s->txns.len; i++)
        s->txns.data[i].on_cycle = (uint32_t)s->txns.data[i].told.len;
    for (size_t i = 0; i < r->ops.len; i++)
        add_op(s, r->ops.data[i]);
    for (size_t i = 0; i < s->shown_cases; i++) {
        add_op(s, r->cases.data[i].first);
        add_op(s, r->cases.data[i].second);
        add_cycle(s, r->cases.data[i].cycle);
    }
    for (size_t i = 0; i < s->shown_lemmas; i++)
        add_cycle(s, story_lemma(s, i));
}

/* Names need not be unique ("withdraw(1)" may have run twice): where one is not, say which. */
static void name_all(struct story *s)
{
    struct intern names = {0};
    VEC(uint32_t) uses = {0};
    struct strbuf b = {0};
    uint32_t *id = arena_array(&s->arena, uint32_t, s->txns.len + 1);
    for (size_t i = 0; i < s->txns.len; i++) {
        sb_clear(&b);
        words_txn(s->h, s->txns.data[i].txn, &b);
        id[i] = intern_add(&names, sb_str(&b), b.len);
        if (id[i] == uses.len)
            vec_push(&uses, 0);
        uses.data[id[i]]++;
        s->txns.data[i].name = arena_strdup(&s->arena, sb_str(&b));
    }
    for (size_t i = 0; i < s->txns.len; i++) {
        const struct hist_txn *t = &s->h->txns.data[s->txns.data[i].txn];
        if (uses.data[id[i]] > 1)
            s->txns.data[i].name =
                arena_printf(&s->arena, "%s #%" PRIu64 ".%" PRIu32, s->txns.data[i].name,
                             hist_session_number(s->h, t->session), t->index);
    }
    sb_free(&b);
    vec_free(&uses);
    intern_free(&names);
}

/* ---- the tree of cases ---------------------------------------------------------------------- */

static void link_cases(struct story *s)
{
    size_t n = s->r->cases.len;
    uint32_t *last = arena_array(&s->arena, uint32_t, n + 1);
    s->ordinal = arena_array(&s->arena, uint32_t, n + 1);
    s->child = arena_array(&s->arena, uint32_t, n + 1);
    s->sibling = arena_array(&s->arena, uint32_t, n + 1);
    s->first = HIST_NONE;
    for (size_t i = 0; i <= n; i++)
        last[i] = s->child[i] = s->sibling[i] = HIST_NONE;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t parent = s->r->cases.data[i].parent;
        uint32_t *end = &last[parent == HIST_NONE ? n : parent];
        if (*end != HIST_NONE)
            s->sibling[*end] = i;
        else if (parent == HIST_NONE)
            s->first = i;
        else
            s->child[parent] = i;
        s->ordinal[i] = *end == HIST_NONE ? 1 : s->ordinal[*end] + 1;
        *end = i;
    }
}

void story_case_number(const struct story *s, uint32_t index, struct strbuf *out)
{
    uint32_t parent = s->r->cases.data[index].parent;
    if (parent != HIST_NONE) {
        story_case_number(s, parent, out);
        sb_putc(out, '.');
    }
    sb_printf(out, "%" PRIu32, s->ordinal[index]);
}

bool story_is_around(const struct story *s, uint32_t outer, uint32_t inner)
{
    while (inner != HIST_NONE && inner != outer)
        inner = s->r->cases.data[inner].parent;
    return inner == outer;
}

/* ---- the whole ------------------------------------------------------------------------------ */

void story_make(struct story *s, const struct history *h, const struct check_result *r,
                size_t max_cases)
{
    *s = (struct story){.h = h, .r = r};
    s->shown_cases = r->cases.len < max_cases ? r->cases.len : max_cases;
    s->shown_lemmas = r->lemmas < max_cases ? r->lemmas : max_cases;
    link_cases(s);
    add_all(s);
    name_all(s);
}

void story_free(struct story *s)
{
    for (size_t i = 0; i < s->txns.len; i++) {
        vec_free(&s->txns.data[i].ops);
        vec_free(&s->txns.data[i].told);
    }
    vec_free(&s->txns);
    map_free(&s->at);
    arena_free(&s->arena);
}

static const struct story_txn *find(const struct story *s, uint32_t txn)
{
    uint64_t *slot = map_get(&s->at, txn);
    return slot ? &s->txns.data[*slot] : NULL;
}

const char *story_name(const struct story *s, uint32_t txn)
{
    const struct story_txn *t = find(s, txn);
    return t ? t->name : "a transaction";
}
