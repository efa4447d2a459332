/* What driver_postgresql.c and driver_postgresql_rows.c share. */
#ifndef DATABASE_DRIVER_POSTGRESQL_H
#define DATABASE_DRIVER_POSTGRESQL_H

#include <libpq-fe.h>

#include "database/driver.h"

enum { DB_WHY = 120 };

/* The rows of one result of libpq, looked at.  False, and why they are not what was asked for. */
bool db_rows_take(struct db_rows *rows, const struct db_shape *shape, const PGresult *r,
                  char why[DB_WHY]);
/* All of them are there. */
bool db_rows_done(const struct db_rows *rows, const struct db_shape *shape, char why[DB_WHY]);

#endif
