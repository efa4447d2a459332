/* Checking histories with predicate reads, each level as it sees them (derive.h).
 *
 * Every row that a read without version set did not return is a read of "does not match".  In large
 * histories these are too many, and nearly all of them follow from others.  So we begin with none
 * of them, look for an explanation, see which rows it shows although they were not returned, put
 * these in terms of items and look again.  Histories with some of the rows ask for less than one
 * with all of them: a violation of theirs stands.  And an explanation that shows no row that was
 * not returned explains all of them, as certify_absent finds out by the definitions. */
#ifndef HISTORY_ABSENT_H
#define HISTORY_ABSENT_H

#include "history/check.h"
#include "history/derive.h"

/* What has been found out for levels that see the history alike. */
struct absent_view {
    derive_rows rows;         /* that matter, so far */
    struct derived last;      /* with these rows */
    bool used;                /* an answer speaks of its history */
    bool lent;                /* it belongs to somebody else */
    struct check_trail trail; /* of the last explanation that showed too much */
};

struct absent_search {
    const struct history *h; /* as it was recorded */
    bool all;                /* all rows at once, in one round; for histories that are not large */
    struct arena *messages;
    struct absent_view views[2][DERIVE_VIEWS]; /* [1]: where session order counts */
    VEC(struct history *) kept;                /* older ones that answers speak of */
    struct absent *rows;                       /* certify_absent.h */
    /* Before each round; or NULL. */
    void (*progress)(void *arg, struct check_level level, unsigned round);
    void *arg;
};

/* Are there so many rows that rounds pay? */
bool absent_many(const struct history *h);

/* … and if they do: the view that is wanted first for the level. */
enum derive_view absent_first_view(const struct history *h, struct check_level level);

void absent_start(struct absent_search *s, const struct history *h, struct arena *messages);
/* The history as a view sees it first, with no row or all, is there already; it must stay.
 * by_session: as in struct derive_options. */
void absent_lend(struct absent_search *s, enum derive_view view, bool by_session,
                 const struct derived *items);
void absent_end(struct absent_search *s);
/* As check_history, on h with all of its rows; r->history is one of the search, or h itself.  What
 * satisfies a stronger level satisfies the one that was asked about: then r->level is the stronger
 * one. */
void absent_check(struct absent_search *s, const struct check_options *o, struct check_result *r);

#endif
