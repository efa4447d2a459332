/* Random histories for tests and benchmarks: a store is simulated at a level, its clients'
 * transactions run interleaved, and the history records what they saw.  So it satisfies the level
 * by construction (with session order).  An anomaly can be injected; then it surely does not.
 *
 *     struct gen_options o = gen_defaults();
 *     o.level = MODEL_SI;
 *     const char *error = gen_history(&o, &messages, &history);
 *
 * The same options give the same history, on every machine. */
#ifndef HISTORY_GENERATE_GENERATE_H
#define HISTORY_GENERATE_GENERATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "history/history.h"
#include "models/models.h"

enum gen_distribution { GEN_UNIFORM, GEN_ZIPF, GEN_HOTSPOT };

struct gen_options {
    enum model_id level;
    uint32_t sessions, operations, keys; /* operations per transaction */
    uint32_t transactions;               /* in all */
    double reads;                        /* share of the operations */
    double rmw;                          /* share of the writes that read their key first */
    enum gen_distribution distribution;
    bool lists;          /* appends and reads of lists instead of registers */
    bool aborts;         /* record conflicting transactions as aborted instead of retrying them */
    const char *anomaly; /* a name of the table below, or NULL */
    uint64_t seed;
};

struct gen_options gen_defaults(void);
/* NULL, or what is wrong with the options.  The history is finished. */
const char *gen_history(const struct gen_options *o, struct arena *messages, struct history **out);

struct gen_anomaly {
    const char *name, *alias; /* alias: another name, or NULL */
    const char *title;
    uint32_t violates; /* bit set of 1u << enum model_id: the levels that it rules out */
    bool lists_only;
    /* What each of its transactions does, see generate_anomaly.c.  sessions: the session of each
     * transaction, as a letter. */
    const char *sessions, *script[4];
};

size_t gen_anomaly_count(void);
const struct gen_anomaly *gen_anomaly_at(size_t i);
const struct gen_anomaly *gen_anomaly_find(const char *name); /* or NULL */

#endif
