/* The agenda: techniques that may answer one question take turns until one of them does.
 *
 * A technique is a row of a table.  In the first round every technique that applies gets a small
 * budget of steps, in the order of the table; in each later round the budgets are GROWTH times as
 * large.  A technique that fails although its budget is not over has nothing more to say and is
 * not asked again.  As soon as one technique alone is left, its budget is endless.  So a technique
 * that loses costs a bounded share of the whole, and no order of the rows can be very wrong.
 *
 * A technique starts anew in every round; since budgets grow geometrically, that costs at most a
 * third of its last budget. */
#ifndef CHECK_AGENDA_AGENDA_H
#define CHECK_AGENDA_AGENDA_H

#include "base/budget.h"
#include "base/stats.h"

#define AGENDA_GROWTH 4

enum technique_kind {
    TECHNIQUE_ONCE,    /* runs once, to its end, with no budget: its work is about linear */
    TECHNIQUE_PARTIAL, /* may fail for good */
    TECHNIQUE_COMPLETE /* decides every question if its budget is large enough; if it fails although
                          its budget is not over, the agenda ends */
};

struct technique {
    const char *name;
    enum technique_kind kind;
    uint32_t share; /* the first budget, in units; 0 for TECHNIQUE_ONCE */
    bool (*applies)(const void *question);
    /* True: the question is answered.  A technique that stops because the budget is over must have
     * spent it. */
    bool (*run)(void *question, struct budget *b);
};

struct agenda {
    const struct technique *rows;
    size_t count;
    void *question;
    uint64_t unit;         /* in steps, by the size of the question; at least 1 */
    struct budget *total;  /* of all techniques together; NULL: endless */
    const char *favourite; /* the technique to begin with, or NULL */
    struct stats *stats;   /* or NULL */
};

/* The name of the technique that answered; NULL: none did, the total budget is over, or a limit is
 * reached. */
const char *agenda_run(const struct agenda *a);

#endif
