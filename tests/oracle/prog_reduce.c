/* A reducer: tries one step after the other, keeps those after which the program still fails, and
 * starts again until none is left.  Steps leave out a transaction, a predicate, a statement (an if
 * or a fold may leave its body), a parameter's values but the first, or half of an expression. */
#include <stdlib.h>
#include "tests/oracle/reduce.h"

struct reducer {
    orc_test still;
    void *arg;
    struct orc_prog now, next;
};

/* Keeps the next program if it still fails. */
static bool keep(struct reducer *r)
{
    if (!r->still(&r->next, r->arg))
        return false;
    r->now = r->next;
    return true;
}

static bool drop_txns(struct reducer *r)
{
    bool any = false;
    for (int t = r->now.n_txns - 1; t >= 0 && r->now.n_txns > 1; t--) {
        r->next = r->now;
        for (int i = t; i + 1 < r->next.n_txns; i++)
            r->next.txns[i] = r->next.txns[i + 1];
        r->next.n_txns--;
        any |= keep(r);
    }
    return any;
}

static bool drop_preds(struct reducer *r)
{
    bool any = false;
    for (int q = r->now.n_preds - 1; q >= 0 && r->now.n_preds > 1; q--) {
        r->next = r->now;
        for (int i = q; i + 1 < r->next.n_preds; i++)
            r->next.preds[i] = r->next.preds[i + 1];
        r->next.n_preds--;
        any |= keep(r);
    }
    return any;
}

/* Does the statement contain a break of the loop around it?  Then it cannot do without the loop. */
static bool breaks(const struct orc_prog *p, int s)
{
    for (; s >= 0; s = p->stmts[s].next)
        if (p->stmts[s].kind == ORC_BREAK ||
            (p->stmts[s].kind == ORC_IF &&
             (breaks(p, p->stmts[s].yes) || breaks(p, p->stmts[s].no))))
            return true;
    return false;
}

/* Step 0 leaves the statement out, steps 1 and 2 leave a branch of it. */
static bool drop_at(struct reducer *r, const int *link)
{
    size_t offset = (size_t)((const char *)link - (const char *)&r->now);
    const struct orc_stmt *s = &r->now.stmts[*link];
    for (int step = 0; step < 3; step++) {
        int branch = step == 1 ? s->yes : s->no;
        if (step && (s->kind != ORC_IF || branch < 0))
            continue;
        r->next = r->now;
        int *to = (int *)((char *)&r->next + offset);
        *to = step ? orc_seq(&r->next, branch, s->next) : s->next;
        if (keep(r))
            return true;
    }
    return false;
}

/* All statements of the list; in a fold the shape is kept by leaving whole statements alone that
 * end with a break. */
static bool drop_stmts(struct reducer *r, const int *link)
{
    bool any = false;
    while (*link >= 0) {
        const struct orc_stmt *s = &r->now.stmts[*link];
        bool fixed = s->kind == ORC_BREAK || (s->next >= 0 && breaks(&r->now, s->next));
        if (!fixed && drop_at(r, link)) {
            any = true;
            continue;
        }
        if (s->kind == ORC_IF || s->kind == ORC_FOR)
            any |= drop_stmts(r, &s->yes);
        if (s->kind == ORC_IF)
            any |= drop_stmts(r, &s->no);
        link = &r->now.stmts[*link].next;
    }
    return any;
}

static bool drop_values(struct reducer *r)
{
    bool any = false;
    for (int t = 0; t < r->now.n_txns; t++)
        for (int i = 0; i < r->now.txns[t].n_params; i++) {
            if (r->now.txns[t].is_index[i] || r->now.txns[t].n_choices[i] < 2)
                continue;
            r->next = r->now;
            r->next.txns[t].n_choices[i] = 1;
            any |= keep(r);
        }
    return any;
}

/* a && b to a or b, a + b to a: the operands that are conditions stay conditions. */
static bool drop_operands(struct reducer *r)
{
    bool any = false;
    for (int e = 0; e < r->now.n_exprs; e++) {
        enum orc_expr_kind kind = r->now.exprs[e].kind;
        if (kind != ORC_AND && kind != ORC_OR && kind != ORC_ADD && kind != ORC_SUB)
            continue;
        for (int side = 0; side < 2; side++) {
            r->next = r->now;
            r->next.exprs[e] = r->next.exprs[side ? r->now.exprs[e].b : r->now.exprs[e].a];
            if (keep(r)) {
                any = true;
                break;
            }
        }
    }
    return any;
}

static bool drop_once(struct reducer *r)
{
    bool any = drop_txns(r) | drop_preds(r);
    for (int t = 0; t < r->now.n_txns; t++)
        any |= drop_stmts(r, &r->now.txns[t].body);
    for (int q = 0; q < r->now.n_preds; q++)
        any |= drop_stmts(r, &r->now.preds[q].body);
    any |= drop_stmts(r, &r->now.initial);
    return any | drop_values(r) | drop_operands(r);
}

void orc_prog_reduce(const struct orc_prog *p, orc_test still, void *arg, struct orc_prog *small)
{
    struct reducer *r = calloc(1, sizeof *r);
    if (!r)
        abort();
    r->still = still;
    r->arg = arg;
    r->now = *p;
    while (drop_once(r))
        ;
    *small = r->now;
    free(r);
}
