/* Scalars of rows by their names, "account[1].balance": what the interpreter and a plan have in
 * common. */
#ifndef DATABASE_REPLAY_CELLS_H
#define DATABASE_REPLAY_CELLS_H

#include "base/strbuf.h"
#include "database/plan.h"
#include "symexec/interp.h"

/* The name of a cell of the interpreter's row, in `out`; NULL: the row has no such cell. */
const char *cells_name(struct interp_row row, uint32_t cell, struct strbuf *out);
/* The value of the cell of that name, if these cells have it. */
const char *cells_find(const struct plan *p, const struct plan_cells *cells, const char *name);
/* Row and column of the cell of that name; false: the plan does not mention it. */
bool cells_place(const struct plan *p, const char *name, uint32_t *row, uint32_t *column);

#endif
