/* What a scenario does between its calls: conditions, arithmetic and assumptions on their results.
 *
 * A call comes after those whose results its argument or guard uses.  An execution is complete when
 * every call is made or not: all whose guards are true, unless a division fails.  Then those behind
 * it that come after the result that it looked at are not made, and the others may have been. */
#include "tests/oracle/axioms.h"

void orc_calls_in_text(const struct orc_prog *p, int order[ORC_TXNS])
{
    int n = 0;
    uint32_t done = 0;
    for (int first = 0; first < p->n_txns; first++)
        for (int t = first; t < p->n_txns; t++)
            if (!orc_has(done, t) && p->txns[t].session == p->txns[first].session) {
                order[n++] = t;
                done |= 1u << t;
            }
}

/* The calls whose results the call uses. */
static uint32_t used(const struct orc_ptxn *t)
{
    uint32_t set = t->glue.guard ? 1u << (t->glue.guard - 1) : 0;
    for (int i = 0; i < t->n_params; i++)
        if (t->glue.arg[i])
            set |= 1u << (t->glue.arg[i] - 1);
    return set;
}

void orc_calls_after(const struct orc_prog *p, const struct orc_rules *rules,
                     uint32_t after[ORC_TXNS])
{
    int order[ORC_TXNS];
    orc_calls_in_text(p, order);
    for (int i = 0; i < p->n_txns; i++) {
        int t = order[i];
        after[t] = used(&p->txns[t]);
        for (int k = 0; k < i; k++) {
            bool so = rules->session && rules->level[t] != ORC_EC &&
                      p->txns[order[k]].session == p->txns[t].session;
            if (so || orc_has(used(&p->txns[t]), order[k]))
                after[t] |= after[order[k]] | 1u << order[k];
        }
    }
}

bool orc_call_wanted(const struct orc_prog *p, int t, const int result[ORC_TXNS])
{
    const struct orc_glue *g = &p->txns[t].glue;
    return !g->guard || result[g->guard - 1] == g->guard_is;
}

static bool divides(const struct orc_glue *g, const int result[ORC_TXNS])
{
    return !g->divide || result[g->divide - 1] != g->divide_not;
}

bool orc_calls_may_stop(const struct orc_prog *p, int t)
{
    int order[ORC_TXNS];
    orc_calls_in_text(p, order);
    for (int i = 0; i < p->n_txns; i++) {
        if (p->txns[order[i]].glue.divide)
            return true;
        if (order[i] == t)
            return false;
    }
    return false;
}

/* Of a call behind a division that failed: may it be made? */
static bool may_be_made(const struct orc_prog *p, const uint32_t after[ORC_TXNS], const int *order,
                        int at, const int result[ORC_TXNS], uint32_t made)
{
    int t = order[at];
    for (int i = 0; i <= at; i++) {
        const struct orc_glue *g = &p->txns[order[i]].glue;
        if (!divides(g, result) && orc_has(after[t], g->divide - 1))
            return false;
    }
    for (int i = 0; i < p->n_txns; i++)
        if (orc_has(after[t], i) && !orc_has(made, i) && orc_call_wanted(p, i, result))
            return false;
    return orc_call_wanted(p, t, result);
}

enum orc_calls_end orc_calls_judge(const struct orc_prog *p, const struct orc_rules *rules,
                                   const int result[ORC_TXNS], uint32_t made)
{
    int order[ORC_TXNS];
    uint32_t after[ORC_TXNS];
    bool stopped = false;
    orc_calls_in_text(p, order);
    orc_calls_after(p, rules, after);
    for (int i = 0; i < p->n_txns; i++) {
        int t = order[i];
        const struct orc_glue *g = &p->txns[t].glue;
        if (!stopped && g->assume && result[g->assume - 1] == g->assume_not)
            return ORC_CALLS_IMPOSSIBLE;
        stopped |= !divides(g, result);
        bool is = orc_has(made, t);
        if (stopped ? is && !may_be_made(p, after, order, i, result, made)
                    : is != orc_call_wanted(p, t, result))
            return ORC_CALLS_IMPOSSIBLE;
    }
    if (stopped)
        return ORC_CALLS_CHECK_FAILED;
    bool bad = p->assert_first && result[p->assert_first - 1] == p->assert_is[0] &&
               (!p->assert_second || result[p->assert_second - 1] == p->assert_is[1]);
    return bad ? ORC_CALLS_ASSERT_FAILED : ORC_CALLS_DONE;
}

/* ---- at random ------------------------------------------------------------------------------ */

/* One of the calls before `at` in the text, plus one; 0: none. */
static int earlier(struct orc_rng *r, const int *order, int at, int percent)
{
    return at && orc_percent(r, percent) ? order[orc_below(r, at)] + 1 : 0;
}

/* What assumptions and checks decide is no use of a result, and nothing here knows what they
 * decide: no guard asks for a value that they exclude. */
static void no_foregone_guards(struct orc_prog *p)
{
    for (int t = 0; t < p->n_txns; t++)
        for (int u = 0; u < p->n_txns; u++) {
            const struct orc_glue *g = &p->txns[t].glue;
            struct orc_glue *h = &p->txns[u].glue;
            if (g->guard && h->assume == g->guard && h->assume_not == g->guard_is)
                h->assume = 0;
            if (g->guard && h->divide == g->guard && h->divide_not == g->guard_is)
                h->divide = 0;
        }
}

void orc_calls_random(struct orc_rng *r, struct orc_prog *p)
{
    int order[ORC_TXNS];
    orc_calls_in_text(p, order);
    for (int i = 0; i < p->n_txns; i++) {
        struct orc_ptxn *t = &p->txns[order[i]];
        struct orc_glue *g = &t->glue;
        *g = (struct orc_glue){.assume = earlier(r, order, i, 30), .add = earlier(r, order, i, 20)};
        g->assume_not = orc_below(r, 3);
        g->divide = earlier(r, order, i, 15);
        g->divide_not = orc_below(r, 3);
        g->guard = earlier(r, order, i, 25);
        g->guard_is = orc_below(r, 2);
        for (int k = 0; k < t->n_params; k++) {
            g->arg[k] = earlier(r, order, i, 35);
            g->arg_add[k] = orc_below(r, 2);
            t->shared[k] &= !g->arg[k];
        }
    }
    no_foregone_guards(p);
    p->assert_first = earlier(r, order, p->n_txns, 80);
    p->assert_second = earlier(r, order, p->n_txns, 60);
    p->assert_is[0] = orc_below(r, 3);
    p->assert_is[1] = orc_below(r, 3);
}
