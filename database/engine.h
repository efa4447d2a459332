/* What the history engine says of an execution at a level of PostgreSQL.
 *
 * Every level is a model that the engine knows: READ COMMITTED is rcs with a snapshot for each
 * SELECT, REPEATABLE READ is si, SERIALIZABLE is ser, all with session order.  So the engine
 * decides whether the level allows the execution at all: if so, its certificate is an order of
 * begins and commits to run it in; if not, its anomaly says why.  (The engine does not consider
 * locks: see schedule.h.) */
#ifndef DATABASE_ENGINE_H
#define DATABASE_ENGINE_H

#include "database/plan.h"
#include "database/record.h"

enum engine_verdict {
    ENGINE_ACCEPTS,
    ENGINE_REFUSES,
    ENGINE_UNDECIDED, /* a limit was hit */
    ENGINE_BROKEN     /* its answer is not certified: a bug of this program */
};

struct engine_answer {
    enum engine_verdict verdict;
    /* ACCEPTS; arrays by transaction, owned by the arena given. */
    uint32_t *commit; /* transactions in the order of their commits */
    uint32_t *begin;  /* transactions in the order of their begins; NULL: not known */
    uint32_t *point;  /* [transaction]: how many commits come before its begin; NULL likewise */
    const char *why;  /* REFUSES: "long fork"; UNDECIDED, BROKEN: the reason */
};

const struct model *engine_model(enum record_isolation level);
void engine_ask(const struct plan *p, enum record_isolation level, struct arena *a,
                struct engine_answer *out);

#endif
