/* A budget of work, counted in steps.
 *
 * A step is a literal that became true, a node of a graph that a search met, a read that was looked
 * at: something that takes about ten nanoseconds.  Steps are counted and seconds are not, so that
 * the same question gets the same answer on every machine. */
#ifndef BASE_BUDGET_H
#define BASE_BUDGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BUDGET_ENDLESS UINT64_MAX

struct budget {
    uint64_t left; /* BUDGET_ENDLESS: the budget is never over */
    uint64_t spent;
};

static inline struct budget budget_of(uint64_t steps)
{
    return (struct budget){.left = steps};
}

/* All functions take NULL for a budget that is endless and that nobody asks about. */
static inline uint64_t budget_left(const struct budget *b)
{
    return b ? b->left : BUDGET_ENDLESS;
}

static inline bool budget_is_over(const struct budget *b)
{
    return b && !b->left;
}

/* False if the budget is over now. */
static inline bool budget_spend(struct budget *b, uint64_t steps)
{
    if (!b)
        return true;
    b->spent += steps;
    if (b->left != BUDGET_ENDLESS)
        b->left -= steps < b->left ? steps : b->left;
    return b->left > 0;
}

#endif
