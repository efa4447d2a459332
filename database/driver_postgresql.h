/* What driver_postgresql.c and driver_postgresql_rows.c share. */
#ifndef DATABASE_DRIVER_POSTGRESQL_H
#define DATABASE_DRIVER_POSTGRESQL_H

#include <libpq-fe.h>

#include "database/driver.h"

enum { DB_WHY = 120 };

/* Check and take the rows of one result of libpq.  False: `why` says how they differ from the
 * shape. */
bool db_rows_take(struct db_rows *rows, const struct db_shape *shape, const PGresult *r,
                  char why[DB_WHY]);
/* Are all expected rows there? */
bool db_rows_done(const struct db_rows *rows, const struct db_shape *shape, char why[DB_WHY]);

#endif
