/* The value of a row as a history has it: the same as `visar verify --save-history` writes, so that
 * counterexamples, recordings and replays can be compared.  A row with one scalar is that scalar,
 * any other an object of its fields, {"owner":0,"taken":1}.  Truth values are 0 and 1. */
#ifndef DATABASE_ROW_VALUE_H
#define DATABASE_ROW_VALUE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/strbuf.h"

struct row_cell {
    const char *path; /* ".owner", ".a[1]", "" */
    const char *text; /* digits, or a name; NULL: not known */
    bool quoted;      /* not a number: a name, or more than 64 bits with sign can hold */
};

/* Appends JSON that is also the name of the value in a history (history/format/values.c): without
 * blanks, the fields sorted. */
void row_value(const struct row_cell *cells, size_t n, struct strbuf *out);

#endif
