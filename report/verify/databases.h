/* Which levels of a database are enough for a program, from what is known about the models. */
#ifndef REPORT_VERIFY_DATABASES_H
#define REPORT_VERIFY_DATABASES_H

#include "report/verify/verify_report.h"

enum database_answer {
    DATABASE_ENOUGH,
    DATABASE_NOT_ENOUGH,
    DATABASE_UNSETTLED,  /* the model itself is not known to hold or to be violated */
    DATABASE_LOCKS,      /* not known: the models do not include the program's row locks */
    DATABASE_STATEMENTS, /* not known: it depends on which statements make the updates */
    DATABASE_LESS        /* not known: the level gives less than its model */
};

/* What was found for the level as it was measured; NULL: it was not asked. */
const struct server_line *report_server(const struct weakest_view *w, enum model_id m);

/* docs/databases.md has the reason for every case.  A level at which the program can fail is never
 * called enough, however its updates are written as statements. */
enum database_answer report_database(const struct weakest_view *w, const struct model_profile *p);

#endif
