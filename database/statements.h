/* The statements of a transaction, at the levels of databases: those of the program, as SQL has
 * them (docs/databases.md).
 *
 * The interpreter runs the transaction on what the execution says that it saw, and its reads, locks
 * and assignments become statements: the reads of a C statement are one SELECT; each row that it
 * assigns is then one UPDATE of the assigned columns; for_update and for_share are statements of
 * their own; ATOMIC is one statement that reads and changes. */
#ifndef DATABASE_STATEMENTS_H
#define DATABASE_STATEMENTS_H

#include "database/plan.h"
#include "symexec/interp.h"

/* Which version of a row the transaction sees: its last writer among the first `base` commits, or
 * PLAN_INITIAL. */
uint32_t statements_source(const struct plan *p, uint32_t row, uint32_t base);
const struct plan_cells *statements_version(const struct plan *p, uint32_t row, uint32_t source);
/* The base of a statement by the interpreter's name of it (SX_NEWEST_KEY: all that commits before);
 * false: the execution does not have such a statement. */
bool statements_base(const struct plan_txn *t, uint64_t key, uint32_t *base);

/* What the run did, as statements of the transaction.  Reads of rows that the execution does not
 * list (nothing depends on them) are added to it.  NULL, or what is wrong. */
const char *statements_of_run(struct plan *p, uint32_t txn, const struct interp_run *run);
/* Who looks at the state: one SELECT. */
void statements_of_observer(struct plan_txn *t);

#endif
