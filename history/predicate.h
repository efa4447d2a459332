/* Predicates: does a row match, what is an aggregate over rows.
 *
 *     struct pred p;
 *     pred_init(&p, h);                     // takes the rows of the history apart, once
 *     if (pred_matches(&p, &h->predicates.data[i], key, value)) …
 *     pred_free(&p);
 *
 * A row is a key with a value.  If the value is an object, its fields can be compared; `value` is
 * the whole value and `key` the key.  Numbers compare with numbers, exactly, texts with texts, by
 * their bytes, and false is less than true; anything else does not match, as with SQL's NULL. */
#ifndef HISTORY_PREDICATE_H
#define HISTORY_PREDICATE_H

#include "base/strbuf.h"
#include "history/history.h"

struct pred_cell {
    uint32_t field;
    uint8_t type;   /* enum hist_type */
    int64_t number; /* of an integer or a truth value */
    const char *text;
    size_t len;
};

struct pred {
    const struct history *h;
    struct intern fields;
    uint32_t *condition_field; /* per condition of the history */
    uint32_t *text_field;      /* per text of the history: its field, if an aggregate uses it */
    uint32_t *row_start;       /* per named value, and one more: its cells; NULL without names */
    VEC(struct pred_cell) cells;
    bool decimals; /* some cell, key or constant is a number but not an integer */
    struct arena arena;
};

void pred_init(struct pred *p, const struct history *h);
void pred_free(struct pred *p);

/* The first aggregate whose field has a number that is not an integer in some row, because these
 * are not supported in aggregates; HIST_NONE: there is none. */
uint32_t pred_inexact_aggregate(const struct pred *p);

bool pred_matches(const struct pred *p, const struct hist_predicate *q, uint32_t key,
                  struct hist_value v);

/* A predicate evaluated on many rows at once: match[i] for row i of a table, which stores the
 * integers of the fields that conditions use in columns. */
struct pred_column {
    uint32_t field;
    int64_t *number;
    uint8_t *has;
};
struct pred_table {
    const struct pred *p;
    size_t len;
    const uint32_t *key;
    const struct hist_value *value;
    VEC(struct pred_column) columns;
};
void pred_table_match(struct pred_table *t, const struct hist_predicate *q, uint8_t *match);
void pred_table_free(struct pred_table *t);

/* An aggregate over the matching rows, one row at a time. */
struct pred_sum {
    __int128 sum;
    int64_t least, greatest;
    uint64_t count, numbers; /* matching rows, and how many of them have an integer field */
};
void pred_add(const struct pred *p, const struct hist_predicate *q, uint32_t key,
              struct hist_value v, struct pred_sum *s);
/* Does the aggregate equal the recorded result?  The sum of no rows is null, as in SQL. */
bool pred_agrees(const struct hist_predicate *q, const struct pred_sum *s);
/* The aggregate as text. */
void pred_sum_text(const struct hist_predicate *q, const struct pred_sum *s, struct strbuf *out);

/* "balance < 0 and owner = 'ann'", "7 … 12" for a range, PRED_ALL without conditions. */
#define PRED_ALL "everything"
void pred_text(const struct history *h, const struct hist_predicate *q, struct strbuf *out);
/* A text that is equal exactly for predicates with the same conditions.  (pred_text is ambiguous,
 * because it does not quote constants and fields.) */
void pred_identity(const struct history *h, const struct hist_predicate *q, struct strbuf *out);
/* The same for an aggregate, including its kind and its field. */
void pred_aggregate_identity(const struct history *h, const struct hist_predicate *q,
                             struct strbuf *out);
/* "count", "sum(balance)", "rows". */
void pred_kind_text(const struct history *h, const struct hist_predicate *q, struct strbuf *out);
/* "count where price > 10", "sum(balance) of all rows", "rows where …", "all rows", "range 7 … 12".
 */
void pred_read_text(const struct history *h, const struct hist_predicate *q, struct strbuf *out);
/* "count where price > 10, which gave 2". */
void pred_result_text(const struct history *h, const struct hist_predicate *q, struct strbuf *out);
/* The aggregate of which this operation, a read of an unknown version, is a row. */
const struct hist_predicate *pred_of_row(const struct history *h, uint32_t op);

#endif
