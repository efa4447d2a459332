/* Statements as SQL. */
#ifndef TESTS_CONFORMANCE_SQL_H
#define TESTS_CONFORMANCE_SQL_H

#include "tests/conformance/conformance.h"

enum { CF_SQL = 300 /* enough for every statement */ };

/* The table, and its rows at the start (nothing if there are none). */
#define CF_SQL_TABLE "t(k int PRIMARY KEY, v int)"
void cf_sql_rows(const struct cf_program *p, char out[static CF_SQL]);

/* A statement of a transaction at a level; `last` as in cf_last_value.  `gate`: the text of a
 * condition that is always true and that may be slow; it is evaluated between the statement's
 * snapshot and its locks.  NULL: none. */
void cf_sql(const struct cf_statement *s, enum cf_level level, int last, const char *gate,
            char out[static CF_SQL]);
/* Does the statement have a place for a gate? */
bool cf_sql_has_gate(const struct cf_statement *s);

#endif
