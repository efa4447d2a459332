/* Histories for tests in a few letters, and the engine's view of them.
 *
 *     "A: wx1 ry0  B?: rx1"
 *
 * A capital letter names a session and begins a transaction of it, which is committed (A:), aborted
 * (A!:) or of unknown outcome (A?:).  wx1 writes 1 to x, rx1 reads 1 from it.  Keys are small
 * letters, and every key is 0 at first.  So the operations and the transactions of the history have
 * the numbers in which they stand in the text. */
#ifndef TESTS_UNIT_SMALL_HISTORY_H
#define TESTS_UNIT_SMALL_HISTORY_H

#include "check/graph/polygraph.h"
#include "history/history.h"
#include "tests/oracle/oracle.h"

struct history *small_history(const char *text);
/* The same as a builder that is not finished, for tests that add something. */
struct history *small_builder(const char *text);

/* A history as the engine sees it before it begins to derive anything: matched, with the orders on
 * record, sorted if `sorted`. */
struct small_graph {
    struct history *h;
    struct check_result r;
    struct prob p;
    struct pg g;
    bool matched, sorted;
};
/* Takes the history.  `matched` is false if single operations show an anomaly; `r` then says so. */
void small_graph_init(struct small_graph *s, struct history *h, struct level level);
void small_graph_free(struct small_graph *s);

/* The level of a model, with session order. */
struct level small_level(enum model_id model);
/* The oracle's verdict on the same question. */
bool small_expected(const struct orc_history *o, enum model_id model);

/* Which nodes a node reaches along the known edges, itself among them, found by walking: what the
 * clocks must say.  reach[from * nodes + to]; free with mem_free. */
uint8_t *small_reachable(struct pg *g);

#endif
