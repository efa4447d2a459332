/* Invariants that a proof can do without, see minimal.h. */
#include "encode/proof/minimal.h"

#include <string.h>

#include "base/limit.h"

#define FOUND_MAX 16 /* so many are tried: each costs a question for every transaction */

static struct proof_facts copy_of(const struct proof_facts *f)
{
    struct proof_facts c = {mem_calloc(f->n_inv + 1, sizeof(bool)),
                            mem_calloc(f->n_rely + 1, sizeof(bool)), f->n_inv, f->n_rely};
    memcpy(c.inv, f->inv, f->n_inv * sizeof *f->inv);
    memcpy(c.rely, f->rely, f->n_rely * sizeof *f->rely);
    return c;
}

static void release(struct proof_facts *f)
{
    mem_free(f->inv);
    mem_free(f->rely);
}

/* Drops what was found and is broken; false if something else is. */
static bool drop_found(const struct proof_minimal *m, struct proof_facts *facts,
                       const struct proof_facts *broken)
{
    bool fine = true;
    for (size_t i = 0; i < facts->n_inv; i++) {
        fine &= !broken->inv[i] || i >= m->first_found;
        facts->inv[i] &= !broken->inv[i];
    }
    for (size_t k = 0; k < facts->n_rely; k++)
        fine &= !broken->rely[k];
    return fine;
}

/* One step keeps the facts, without those found that it breaks. */
static bool step_keeps(const struct proof_minimal *m, struct proof_step *s,
                       struct proof_facts *facts, bool *changed)
{
    struct proof_facts broken = copy_of(facts);
    enum proof_answer a = PROOF_YES;
    bool fine = true;
    while (fine && (a = proof_step_breaks(s, facts, facts, &broken)) == PROOF_YES) {
        *changed = true;
        fine = !limit_reached() && drop_found(m, facts, &broken);
    }
    release(&broken);
    return fine && a == PROOF_NO;
}

/* Are the facts inductive, without those found that are not, and do they prove the property? */
static bool suffices(const struct proof_minimal *m, struct proof_facts *facts)
{
    bool changed = true;
    while (changed) {
        changed = false;
        for (size_t t = 0; t < m->n_steps; t++)
            if (!step_keeps(m, m->steps[t], facts, &changed))
                return false;
    }
    return !m->holds || m->holds(m->arg, facts);
}

static size_t n_found(const struct proof_minimal *m, const struct proof_facts *facts)
{
    size_t n = 0;
    for (size_t i = m->first_found; i < facts->n_inv; i++)
        n += facts->inv[i];
    return n;
}

void proof_minimise(const struct proof_minimal *m, struct proof_facts *used)
{
    size_t n = n_found(m, used);
    if (n == 0 || n > FOUND_MAX)
        return;
    for (size_t i = m->first_found; i < used->n_inv && !limit_reached(); i++) {
        if (!used->inv[i])
            continue;
        struct proof_facts less = copy_of(used);
        less.inv[i] = false;
        if (suffices(m, &less))
            memcpy(used->inv, less.inv, used->n_inv * sizeof *used->inv);
        release(&less);
    }
}
