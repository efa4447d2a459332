/* How a program updates rows, as far as it matters on a real database: the models have neither row
 * locks nor UPDATE statements that re-read the rows that they change (docs/databases.md). */
#ifndef ENCODE_UPDATES_H
#define ENCODE_UPDATES_H

#include "symexec/summary.h"

struct updates {
    bool locks;   /* some transaction uses for_update */
    bool columns; /* some transaction writes rows of several fields, and the row is the unit */
    bool reading; /* some statement reads rows and writes one: it may be a single UPDATE */
    bool wider;   /* such a statement may read another row than it writes */
};

/* What the text of the transactions, and of the functions that they may call, shows.  In doubt (a
 * pointer may point to a local) the answer is yes. */
struct updates updates_of(const struct sx_program *p);

#endif
