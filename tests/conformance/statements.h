/* What kinds of statements have in common, for the rules of both databases. */
#ifndef TESTS_CONFORMANCE_STATEMENTS_H
#define TESTS_CONFORMANCE_STATEMENTS_H

#include "tests/conformance/conformance.h"

enum cf_arguments { CF_KEY, CF_KEY_VALUE, CF_KEY_KEY, CF_PREDICATE, CF_PREDICATE_CHANGE };

/* PostgreSQL's lock modes of rows, weakest first, as bits of a set. */
enum cf_mode { CF_NONE = 0, CF_KS = 1, CF_S = 2, CF_NU = 4, CF_U = 8 };

struct cf_kind_facts {
    const char *name;
    enum cf_arguments arguments;
    enum cf_mode mode;
    bool writes;
};
extern const struct cf_kind_facts cf_kinds[CF_KINDS];
extern const char *const cf_comparison_names[CF_COMPARISONS];

bool cf_compare(enum cf_comparison op, int a, int b);
bool cf_by_predicate(const struct cf_statement *s);
/* Does a row satisfy the WHERE of a statement that has one? */
bool cf_matches(const struct cf_statement *s, struct cf_row row);

/* What an UPDATE's expression reads besides its row: the sum of v over the table and the row
 * itself, both as a sub-select sees them, and the last value that the transaction has read. */
struct cf_around {
    long long sum;
    int self;
    int last;
};
/* The value that an UPDATE of a row gives.  False: it is out of range, and the statement fails. */
bool cf_new_value(const struct cf_statement *s, int value, const struct cf_around *around,
                  int *out);
/* The number that a later setl adds 1 to: the value of the last row that was read by key (0 if
 * there was none), or the number of rows that were counted or locked by predicate. */
int cf_last_value(const struct cf_statement *s, const struct cf_result *result, int last);

bool cf_to_int(long long value, int *out);

void cf_result_add(struct cf_result *r, struct cf_row row);
void cf_result_sort(struct cf_result *r);
/* What the database reports of a result; see struct cf_result. */
struct cf_result cf_reported(const struct cf_statement *s, enum cf_level level,
                             const struct cf_result *result);

#endif
