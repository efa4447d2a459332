/* What the plan*.c files share while they read a report. */
#ifndef DATABASE_PLAN_INTERNAL_H
#define DATABASE_PLAN_INTERNAL_H

#include <jansson.h>

#include "base/strbuf.h"
#include "database/plan.h"

struct reader {
    struct plan *p;
    struct arena *messages;
    struct strbuf path; /* where the reader is: "results[0].verdicts[0].execution" */
    const char *error;  /* the first, with its place */
};

/* What is wrong where the reader is. */
void plan_fail(struct reader *r, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Descends into a part of the report; the result is the argument for plan_leave. */
size_t plan_enter(struct reader *r, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void plan_leave(struct reader *r, size_t from);

/* Members of an object, whose types plan_check_shape has checked. */
const char *plan_text_of(struct reader *r, const json_t *j, const char *key);
const char *plan_optional_text(struct reader *r, const json_t *j, const char *key);
uint32_t plan_number_of(const json_t *j, const char *key);
const char *plan_value_text(struct reader *r, const json_t *v, enum plan_type *type);

/* First pass: all rows and columns there are, so that cells have their final size. */
void plan_collect_row(struct reader *r, const json_t *j);
struct plan_cells plan_cells_of(struct reader *r, const json_t *j);

/* Do the parts of the execution that was read agree with each other (plan_check.c)?  Otherwise the
 * first error is set: a server that answers something else would not be to blame. */
void plan_check(struct reader *r, const json_t *execution, size_t n_txns);
void plan_check_observer(struct reader *r, const json_t *execution, size_t n_txns);

#endif
