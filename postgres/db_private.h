/* What db.c and db_rows.c share. */
#ifndef POSTGRES_DB_PRIVATE_H
#define POSTGRES_DB_PRIVATE_H

#include <libpq-fe.h>

#include "postgres/db.h"

enum { DB_WHY = 120 };

/* The rows of one result of libpq, looked at.  False, and why they are not what was asked for. */
bool db_rows_take(struct db_rows *rows, const struct db_shape *shape, const PGresult *r,
                  char why[DB_WHY]);
/* All of them are there. */
bool db_rows_done(const struct db_rows *rows, const struct db_shape *shape, char why[DB_WHY]);

#endif
