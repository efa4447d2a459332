/* Checking histories with predicate reads by the rows that a predicate read did not return.
 *
 * For a predicate read without version set, every row that it did not return is a read of "does not
 * match".  In large histories these reads are too many, and nearly all of them follow from others.
 * So the search begins with none of them, looks for an explanation of the history, finds the
 * missing rows that would match in this explanation, adds them to the lowered history and looks
 * again.  Leaving rows out only weakens the constraints, so a violation found
 * without them is real.  An explanation in which no missing row matches explains all of them;
 * certify_missing_rows verifies that by the definitions. */
#ifndef CHECK_PREDICATE_MISSING_ROWS_H
#define CHECK_PREDICATE_MISSING_ROWS_H

#include "check/problem/question.h"
#include "history/lower/lower.h"

/* What has been found out for the levels that share a view of the history (lower.h). */
struct missing_rows_view {
    lower_rows rows;          /* the missing rows that have mattered so far */
    struct lowered last;      /* the history lowered with these rows */
    bool used;                /* an answer refers to its history */
    bool lent;                /* the caller owns it */
    struct check_trail trail; /* of the last explanation in which a missing row matched */
};

/* Decides a history whose predicate reads are in terms of items: check_items. */
typedef void missing_rows_judge(const struct history *h, const struct check_options *o,
                                struct check_result *r);

struct missing_rows_search {
    const struct history *h; /* as it was recorded */
    missing_rows_judge *judge;
    bool all; /* add all rows at once, in one round; for small histories */
    struct arena *messages;
    struct missing_rows_view views[2][LOWER_VIEWS]; /* [1]: where session order counts */
    VEC(struct history *) kept;                     /* older ones that answers refer to */
    struct missing_rows *rows;                      /* certify_missing_rows.h */
    /* Called before each round, or NULL. */
    void (*progress)(void *arg, struct level level, unsigned round);
    void *arg;
};

/* The view that the search needs first for the level, if rounds pay. */
enum lower_view missing_rows_first_view(const struct history *h, struct level level);

void missing_rows_start(struct missing_rows_search *s, const struct history *h,
                        missing_rows_judge *judge, struct arena *messages);
/* Hand in the history lowered for a view, with no missing row or with all of them.  The search does
 * not own it, so it must outlive the search.  by_session: as in struct lower_options. */
void missing_rows_lend(struct missing_rows_search *s, enum lower_view view, bool by_session,
                       const struct lowered *items);
void missing_rows_end(struct missing_rows_search *s);
/* As check_items, on h with all of its rows; r->history is one of the search, or h itself.  What
 * satisfies a stronger level satisfies the one that was asked about: then r->level is the stronger
 * one. */
void missing_rows_check(struct missing_rows_search *s, const struct check_options *o,
                        struct check_result *r);

#endif
