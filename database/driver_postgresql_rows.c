/* Rows as a server sent them: everything that is not as expected is rejected. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "database/driver_postgresql.h"

enum { DIGITS = 38 }; /* that certainly fit into 127 bits */

void db_rows_free(struct db_rows *r)
{
    vec_free(&r->cells);
    *r = (struct db_rows){0};
}

const char *db_int_text(db_int v, struct arena *a)
{
    char text[48], *p = text + sizeof text;
    bool minus = v < 0;
    *--p = '\0';
    do {
        int digit = (int)(v % 10);
        *--p = (char)('0' + (digit < 0 ? -digit : digit));
        v /= 10;
    } while (v != 0);
    if (minus)
        *--p = '-';
    return arena_strdup(a, p);
}

/* Exactly the n bytes of s. */
static bool parse_integer(const char *s, size_t n, db_int *out)
{
    bool minus = n > 0 && *s == '-';
    db_int v = 0;
    s += minus;
    n -= minus;
    if (n == 0 || n > DIGITS)
        return false;
    for (size_t i = 0; i < n; i++) {
        if (s[i] < '0' || s[i] > '9')
            return false;
        v = v * 10 + (s[i] - '0');
    }
    *out = minus ? -v : v;
    return true;
}

static bool parse_truth(const char *s, size_t n, db_int *out)
{
    *out = n == 1 && *s == 't';
    return n == 1 && (*s == 't' || *s == 'f');
}

static bool take_cell(struct db_rows *rows, const struct db_column *c, const PGresult *r, int row,
                      int column, char why[DB_WHY])
{
    const char *s = PQgetvalue(r, row, column);
    size_t n = (size_t)PQgetlength(r, row, column);
    db_int v = 0;
    if (PQgetisnull(r, row, column)) {
        snprintf(why, DB_WHY, "NULL in column %d", column + 1);
        return false;
    }
    if (!(c->kind == DB_BOOLEAN ? parse_truth : parse_integer)(s, n, &v)) {
        snprintf(why, DB_WHY, "column %d is not %s", column + 1,
                 c->kind == DB_BOOLEAN ? "a truth value" : "an integer");
        return false;
    }
    if (v < c->least || v > c->most) {
        snprintf(why, DB_WHY, "the integer in column %d is out of range", column + 1);
        return false;
    }
    vec_push(&rows->cells, v);
    return true;
}

bool db_rows_take(struct db_rows *rows, const struct db_shape *shape, const PGresult *r,
                  char why[DB_WHY])
{
    int wanted = shape ? (int)shape->n : 0, n = PQnfields(r);
    if (n != wanted) {
        snprintf(why, DB_WHY, "%d column%s instead of %d", n, n == 1 ? "" : "s", wanted);
        return false;
    }
    rows->columns = (size_t)n;
    for (int i = 0; i < PQntuples(r); i++) {
        if (!shape || rows->count == shape->most) {
            snprintf(why, DB_WHY, "more than %" PRIu64 " row%s", shape ? shape->most : 0,
                     shape && shape->most == 1 ? "" : "s");
            return false;
        }
        for (int c = 0; c < n; c++)
            if (!take_cell(rows, &shape->columns[c], r, i, c, why))
                return false;
        rows->count++;
    }
    return true;
}

bool db_rows_done(const struct db_rows *rows, const struct db_shape *shape, char why[DB_WHY])
{
    if (!shape || rows->count >= shape->least)
        return true;
    snprintf(why, DB_WHY, "%" PRIu64 " row%s instead of %" PRIu64, rows->count,
             rows->count == 1 ? "" : "s", shape->least);
    return false;
}
