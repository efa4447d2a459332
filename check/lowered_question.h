/* A history with its predicate reads in terms of items, for the levels of a question
 * (history/lower/lower.h). */
#ifndef CHECK_LOWERED_QUESTION_H
#define CHECK_LOWERED_QUESTION_H

#include "certify/certify.h"
#include "check/predicate/missing_rows.h"
#include "history/lower/lower.h"

struct check_lowering {
    const struct history *recorded;
    bool needed;                 /* false: the levels see the history as it was recorded */
    const struct history *shown; /* what the last of the levels sees; but for repeatable read,
                                    unless that is the only level */
    struct lowered items;        /* what levels other than repeatable read see first, */
    struct lowered repeatable;   /* … and what it sees; no history: as it was recorded */
    struct missing_rows_search search;

    /* An answer for all levels that was found on the way. */
    const char *unknown;            /* why the history is outside of what is decided; or NULL */
    const struct lowered *mismatch; /* `items` or `repeatable` has a result that nothing gives */
    const char *fault; /* the history in terms of items does not stand, a bug of ours; or NULL */
};

/* Does one of the levels depend on predicate reads? */
bool lowering_needed(const struct history *h, const struct level *levels, size_t count);
/* Texts are owned by the arena, which must stay as long as the lowering. */
void lowering_make(struct check_lowering *x, const struct history *h, const struct level *levels,
                   size_t count, struct arena *messages);
void lowering_free(struct check_lowering *x);

#endif
