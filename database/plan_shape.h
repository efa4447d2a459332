/* The shape of what `visar verify --json` prints: which members there are, of which types, in which
 * ranges.  docs/json.md says it in words. */
#ifndef DATABASE_PLAN_SHAPE_H
#define DATABASE_PLAN_SHAPE_H

#include <jansson.h>

#include "base/arena.h"

/* More transactions, sessions or indices of a row than that are not replayed. */
enum { PLAN_TXNS_MAX = 1000, PLAN_DIMS_MAX = 16 };

/* NULL if the report has that shape.  Otherwise the first place that has not, and what was expected
 * there: "results[0].model: expected the name of a model, found \"zzz\"". */
const char *plan_check_shape(const json_t *report, struct arena *messages);

#endif
