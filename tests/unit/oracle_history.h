/* Histories of the oracle as histories of the engine. */
#ifndef TESTS_UNIT_ORACLE_HISTORY_H
#define TESTS_UNIT_ORACLE_HISTORY_H

#include "history/history.h"
#include "tests/oracle/oracle.h"

enum {
    ORACLE_ABSENT = 1,   /* 0 is an absent row, else a value */
    ORACLE_COMPLETE = 2, /* the version orders are complete */
    ORACLE_IDS = 4       /* writes have ids; reads that are named say which */
};

/* With the version orders (whole ones and pairs) and version sets that it has. */
struct history *oracle_history(const struct orc_history *o, int flags);

/* Random histories as several tests draw them: with unique values, with values that repeat, and
 * with aborted and unknown transactions and statements. */
extern const struct orc_hist_params oracle_unique, oracle_repeated, oracle_outcomes;

/* A number from the environment. */
long oracle_setting(const char *name, long value);

#endif
