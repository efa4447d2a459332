/* Checking histories with predicate reads, each level as it sees them (lower.h).
 *
 * Every row that a read without version set did not return is a read of "does not match".  In large
 * histories these are too many, and nearly all of them follow from others.  So we begin with none
 * of them, look for an explanation, see which rows it shows although they were not returned, put
 * these in terms of items and look again.  Histories with some of the rows ask for less than one
 * with all of them: a violation of theirs stands.  And an explanation that shows no row that was
 * not returned explains all of them, as certify_missing_rows finds out by the definitions. */
#ifndef CHECK_PREDICATE_MISSING_ROWS_H
#define CHECK_PREDICATE_MISSING_ROWS_H

#include "check/problem/question.h"
#include "history/lower/lower.h"

/* What has been found out for levels that see the history alike. */
struct missing_rows_view {
    lower_rows rows;          /* that matter, so far */
    struct lowered last;      /* with these rows */
    bool used;                /* an answer speaks of its history */
    bool lent;                /* it belongs to somebody else */
    struct check_trail trail; /* of the last explanation that showed too much */
};

/* Decides a history whose predicate reads are in terms of items: check_items. */
typedef void missing_rows_judge(const struct history *h, const struct check_options *o,
                                struct check_result *r);

struct missing_rows_search {
    const struct history *h; /* as it was recorded */
    missing_rows_judge *judge;
    bool all; /* all rows at once, in one round; for histories that are not large */
    struct arena *messages;
    struct missing_rows_view views[2][LOWER_VIEWS]; /* [1]: where session order counts */
    VEC(struct history *) kept;                     /* older ones that answers speak of */
    struct missing_rows *rows;                      /* certify_missing_rows.h */
    /* Before each round; or NULL. */
    void (*progress)(void *arg, struct level level, unsigned round);
    void *arg;
};

/* Are there so many rows that rounds pay? */
bool missing_rows_many(const struct history *h);

/* … and if they do: the view that is wanted first for the level. */
enum lower_view missing_rows_first_view(const struct history *h, struct level level);

void missing_rows_start(struct missing_rows_search *s, const struct history *h,
                        missing_rows_judge *judge, struct arena *messages);
/* The history as a view sees it first, with no row or all, is there already; it must stay.
 * by_session: as in struct lower_options. */
void missing_rows_lend(struct missing_rows_search *s, enum lower_view view, bool by_session,
                       const struct lowered *items);
void missing_rows_end(struct missing_rows_search *s);
/* As check_items, on h with all of its rows; r->history is one of the search, or h itself.  What
 * satisfies a stronger level satisfies the one that was asked about: then r->level is the stronger
 * one. */
void missing_rows_check(struct missing_rows_search *s, const struct check_options *o,
                        struct check_result *r);

#endif
