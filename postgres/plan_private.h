/* What the plan*.c files share while they read a report. */
#ifndef POSTGRES_PLAN_PRIVATE_H
#define POSTGRES_PLAN_PRIVATE_H

#include <jansson.h>

#include "postgres/plan.h"

struct reader {
    struct plan *p;
    struct arena *messages;
    const char *error; /* the first */
};

void plan_fail(struct reader *r, const char *what, const char *where);
/* Members of an object; `where` says of what, for the message. */
const char *plan_text_of(struct reader *r, const json_t *j, const char *key, const char *where);
const char *plan_optional_text(struct reader *r, const json_t *j, const char *key);
uint32_t plan_number_of(struct reader *r, const json_t *j, const char *key, const char *where);
const json_t *plan_list_of(struct reader *r, const json_t *j, const char *key, const char *where);
/* A value as SQL takes it; NULL after an error. */
const char *plan_value_text(struct reader *r, const json_t *v, enum plan_type *type);

/* First pass: all rows and columns there are, so that cells have their final size. */
void plan_collect_row(struct reader *r, const json_t *j);
struct plan_cells plan_cells_of(struct reader *r, const json_t *j);

#endif
