/* Any instances of a program's transactions: every multiset of them is a program of its own. */
#include <stdlib.h>
#include <string.h>
#include "tests/oracle/oracle.h"

struct crowd {
    const struct orc_prog *p;
    struct orc_prog some; /* the program with the instances as its transactions */
    const struct orc_run *run;
    int size; /* instances wanted */
    struct orc_any any;
};

static void judge(struct crowd *c)
{
    struct orc_outcome out = orc_prog_axioms(&c->some, c->run), *all = &c->any.outcome;
    all->exists |= out.exists;
    all->assert_failed |= out.assert_failed;
    all->out_of_bounds |= out.out_of_bounds;
    all->not_serial |= out.not_serial;
    all->preds |= out.preds;
    all->preds_initially |= out.preds_initially;
    if (out.invariant_violated && (c->any.fewest_txns < 0 || c->any.fewest_txns == c->size)) {
        bool first = !all->invariant_violated;
        if (first || (out.fewest_writes >= 0 && out.fewest_writes < all->fewest_writes))
            all->fewest_writes = out.fewest_writes;
        c->any.fewest_txns = c->size;
    }
    all->invariant_violated |= out.invariant_violated;
    free(out.finals);
}

/* Instance number `at` and those after it: transactions in growing order. */
static void choose(struct crowd *c, int at, int least)
{
    if (at == c->size) {
        judge(c);
        return;
    }
    for (int t = least; t < c->p->n_txns; t++) {
        if (c->p->txns[t].same_as)
            continue;
        c->some.txns[at] = c->p->txns[t];
        c->some.txns[at].session = at;
        memset(c->some.txns[at].shared, 0, sizeof c->some.txns[at].shared);
        choose(c, at + 1, t);
    }
}

struct orc_any orc_prog_any(const struct orc_prog *p, const struct orc_run *run, int n)
{
    struct crowd *c = calloc(1, sizeof *c);
    if (!c)
        abort();
    c->p = p;
    c->some = *p;
    c->run = run;
    c->any = (struct orc_any){.outcome.fewest_writes = -1, .fewest_txns = -1};
    for (c->size = 1; c->size <= n; c->size++) {
        c->some.n_txns = c->size;
        choose(c, 0, 0);
    }
    struct orc_any any = c->any;
    free(c);
    return any;
}
