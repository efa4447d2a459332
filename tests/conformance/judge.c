#include "tests/conformance/judge.h"

#include <string.h>

/* Orders of commits for which the allowed outcomes are known already. */
struct known {
    struct cf_outcomes allowed;
    struct cf_order order[80]; /* of up to 4 transactions there are 65 */
    unsigned orders;
};

static void know(struct known *k, const struct cf_program *p, const struct cf_outcome *o)
{
    struct cf_order order = {.commits = o->commits};
    memcpy(order.order, o->order, o->commits);
    for (unsigned i = 0; i < k->orders; i++)
        if (k->order[i].commits == order.commits &&
            !memcmp(k->order[i].order, order.order, order.commits))
            return;
    k->order[k->orders++] = order;
    cf_allowed(p, &order, &k->allowed);
}

static void judge_seen(struct known *k, const struct cf_program *p, const struct cf_outcomes *seen,
                       struct cf_outcomes *forbidden)
{
    for (size_t i = 0; i < seen->count; i++) {
        know(k, p, &seen->data[i]);
        if (!cf_outcomes_has(&k->allowed, &seen->data[i]))
            cf_outcomes_add(forbidden, &seen->data[i]);
    }
}

static size_t find_unseen(const struct cf_program *p, const struct cf_outcomes *seen,
                          struct cf_outcomes *unseen)
{
    struct cf_outcomes all = {0};
    cf_allowed(p, NULL, &all);
    for (size_t i = 0; i < all.count; i++)
        if (!cf_outcomes_has(seen, &all.data[i]))
            cf_outcomes_add(unseen, &all.data[i]);
    size_t count = all.count;
    cf_outcomes_free(&all);
    return count;
}

static bool skips_locked(const struct cf_program *p)
{
    for (unsigned i = 0; i < p->transactions; i++)
        for (unsigned s = 0; s < p->transaction[i].statements; s++)
            if (p->transaction[i].statement[s].kind == CF_SKIP)
                return true;
    return false;
}

void cf_judge(const struct cf_program *p, const struct cf_outcomes *seen, bool complete,
              struct cf_figures *f, struct cf_outcomes *forbidden, struct cf_outcomes *unseen)
{
    struct known known = {0};
    cf_outcomes_clear(forbidden);
    cf_outcomes_clear(unseen);
    judge_seen(&known, p, seen, forbidden);
    f->programs++;
    f->seen += seen->count;
    f->forbidden += forbidden->count;
    if (complete) {
        f->complete++;
        f->allowed += find_unseen(p, seen, unseen);
        f->unseen += unseen->count;
        f->unseen_skip += skips_locked(p) ? unseen->count : 0;
        f->exact += unseen->count == 0;
    }
    cf_outcomes_free(&known.allowed);
}

void cf_figures_print(FILE *to, const char *name, const struct cf_figures *f)
{
    fprintf(to,
            "# %-8s %5zu programs %7zu runs %6zu outcomes, %zu not allowed; complete: %5zu "
            "programs, %zu exact, %6zu outcomes allowed, %zu not seen (%zu with SKIP LOCKED)\n",
            name, f->programs, f->runs, f->seen, f->forbidden, f->complete, f->exact, f->allowed,
            f->unseen, f->unseen_skip);
}

void cf_figures_add(struct cf_figures *sum, const struct cf_figures *f)
{
    sum->programs += f->programs;
    sum->runs += f->runs;
    sum->seen += f->seen;
    sum->forbidden += f->forbidden;
    sum->complete += f->complete;
    sum->exact += f->exact;
    sum->allowed += f->allowed;
    sum->unseen += f->unseen;
    sum->unseen_skip += f->unseen_skip;
}

unsigned cf_group(const struct cf_program *p)
{
    enum cf_level level = p->transaction[0].level;
    for (unsigned i = 1; i < p->transactions; i++)
        if (p->transaction[i].level != level)
            return cf_is_pg(level) ? CF_PG_MIXED : CF_MY_MIXED;
    return level;
}

const char *cf_group_name(unsigned group)
{
    if (group == CF_PG_MIXED)
        return "pg-mixed";
    return group == CF_MY_MIXED ? "my-mixed" : cf_level_name((enum cf_level)group);
}
