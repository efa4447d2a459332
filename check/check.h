/* The door of the history engine: does a history satisfy these isolation levels?
 *
 *     struct named_level si = {"si"};
 *     level_find("si", &si.level);
 *     struct check_request q = {.levels = &si, .count = 1, .options = check_defaults()};
 *     struct check_answers a;
 *     check(h, &q, &a);
 *     … a.at[0].verdict, a.at[0].result->cycles, a.at[0].result->order …
 *     check_answers_free(&a);
 *
 * Every verdict on a history, whoever asks, comes through this header.  All guards are behind it:
 *   - predicate reads are put in terms of items, each level as it sees them, and rows that were not
 *     returned must not be visible;
 *   - a result that contradicts its version set violates every level;
 *   - an OK has an order of the transactions that was replayed, and for repeatable read the order
 *     explains the history as it was recorded, too;
 *   - a VIOLATION has an anomaly of single operations, or cycles whose every edge follows from the
 *     history and each of which is impossible under the level;
 *   - the answers for several levels agree with the lattice of levels.
 * An answer that a guard stops is CHECK_BROKEN: a bug of ours, exit code 6, never a verdict. */
#ifndef CHECK_CHECK_H
#define CHECK_CHECK_H

#include "check/problem/question.h"
#include "models/lattice.h"
#include "history/lower/lower.h"

struct check_answers;

struct check_request {
    const struct named_level *levels; /* at most LATTICE_MAX */
    size_t count;
    /* Which of the levels are the strongest that hold?  A violation may then settle other levels,
     * and only the weakest violated ones have reasons of their own.  Without: each has. */
    bool strongest;
    struct check_options options; /* but for `level` */
    /* What is being done, "" if nothing is; or NULL. */
    void (*progress)(void *arg, const char *text);
    /* Some verdicts are known; or NULL. */
    void (*known)(void *arg, const struct check_answers *so_far);
    void *arg; /* of both */
};

/* The answer for one level.  A level may be settled by the answer for another one: a satisfied
 * level satisfies all weaker ones, and a violation may rule out several. */
struct check_answer {
    const char *name; /* of the level, as in the request: "si" */
    struct level level;
    enum check_verdict verdict;
    const struct check_result *result; /* its `history` is NULL: the level was not looked at */
    size_t by;                         /* index of the answer that was checked; its own if it was */
    double seconds;                    /* user time of the check; 0 if settled by another */
};

/* Must stay where it is while it is in use. */
struct check_answers {
    struct check_answer at[LATTICE_MAX];
    size_t count;
    const struct history *history; /* as the levels see it first: the one given, or made from it */
    bool several_rows;             /* it has reads of several rows; if not, PL-2.99 is SER */

    /* The same answer for all levels, found before any of them was looked at: why; else NULL.  It
     * is UNKNOWN, or with `mismatch` a VIOLATION: a result that nothing gives. */
    const char *beforehand;
    const struct lowered *mismatch;
    bool unique_values_refused; /* UNKNOWN: they cannot be asked for with predicate reads */
    const char *fault; /* CHECK_BROKEN: the history in terms of items did not pass its guards */

    struct check_result results[LATTICE_MAX];
    struct check_lowering *lowering;
    struct arena arena;
};

/* The history must stay as long as the answers. */
void check(const struct history *h, const struct check_request *q, struct check_answers *out);
void check_answers_free(struct check_answers *a);

/* Is the solver that the options ask for there?  NULL, or what is wrong (owned by the arena). */
const char *check_solver_missing(const struct check_options *o, struct arena *messages);

/* --- an expected serialization order -----------------------------------------------------------
 */

struct check_order_answer {
    const char *unreadable;   /* why it is no order of the history's transactions; or NULL */
    const char *stopped;      /* a limit was reached; or NULL */
    const char *fault;        /* a guard stopped the answer, a bug of ours; or NULL */
    const char *disagreement; /* why the order does not explain the history; NULL: it does */
    const char *note;         /* how the text is taken, if that is not obvious; or NULL */
    uint32_t late_in_session; /* a transaction that comes before an earlier one of its session, or
                                 HIST_NONE */
};
/* The text is described in check/order/expected_order.h.  Texts are owned by the arena. */
void check_expected_order(const struct history *h, const char *path, const char *text, size_t size,
                          struct arena *messages, struct check_order_answer *out);

#endif
