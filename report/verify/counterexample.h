/* A counterexample in the user's words: names of transactions, places, values, what each read
 * missed, and the predicate with its values.  Text and JSON both start from here.
 *
 * (story.h describes the violation of a history; this file is about executions of a program, which
 * have source lines, visible sets and an order.) */
#ifndef REPORT_VERIFY_COUNTEREXAMPLE_H
#define REPORT_VERIFY_COUNTEREXAMPLE_H

#include "base/strbuf.h"
#include "encode/verify.h"

struct cex {
    struct ast_program *ast;
    const struct diag_list *files;
    const struct execution *x; /* NULL: only places, values and predicates can be asked for */
    const struct sx_program *program; /* of the execution, if there is one */
    const char **names; /* by transaction, each unlike all others: "increment() [2]" */
    struct arena arena;
};

void cex_init(struct cex *c, struct ast_program *ast, const struct diag_list *files,
              const struct sx_program *program, const struct execution *x);
void cex_free(struct cex *c);

/* "bank.c:22", the folder left out; "" for no place. */
const char *cex_place(struct cex *c, struct src_loc loc);
/* "bank.c:22" with the folder as the user gave it. */
const char *cex_full_place(struct cex *c, struct src_loc loc);
void cex_value(const struct ast_type *type, term_int v, struct strbuf *out);
/* The fields of a row that are known: "account[1].balance = 60", commas between.  With `mask`
 * (one per field) only those.  Blanks inside are no-break spaces. */
void cex_row(struct cex *c, const struct exec_row *row, const bool *mask, struct strbuf *out);
/* The text with no-break spaces for blanks: page_text keeps it on one line. */
const char *cex_unbroken(struct cex *c, const char *text);
const struct exec_row *cex_find_row(const struct exec_row *rows, size_t n, uint32_t table,
                                    uint64_t row);

/* The latest writer of the read's row that comes before transaction t in ar, is not in the visible
 * set of the read, and had assigned another value to a field that was read; EXEC_INITIAL if there
 * is none.  *write (may be NULL) is its write. */
uint32_t cex_missed(const struct cex *c, uint32_t t, const struct exec_read *r,
                    const struct exec_write **write);
/* Does transaction t's write w carry the field over and so replace a newer value by an old one?
 * Then the latest transaction before t in ar that had assigned the newer value, with its write;
 * else EXEC_INITIAL. */
uint32_t cex_undone(const struct cex *c, uint32_t t, const struct exec_write *w, uint32_t field,
                    const struct exec_write **undone);
/* Did the write change this field of what was read? */
bool cex_changes(const struct exec_write *w, const struct exec_row *seen, uint32_t field);

/* The condition of a predicate, as written and with the values of a state.  False if the predicate
 * is more than `return condition;`, or if the condition's text does not show its reads (macros,
 * calls); the caller then lists the values. */
struct cex_condition {
    const char *text, *values;
};
bool cex_condition(struct cex *c, const struct ast_func *f, const struct exec_row *rows, size_t n,
                   struct cex_condition *out);
/* The property's name; of a predicate with parameters with the values that the execution is about:
 * "nobody_owes(i = 2)". */
const char *cex_property(struct cex *c, const struct verify_property *p);
/* The rows that the observer looked at, as it saw them. */
struct exec_row *cex_observed(struct cex *c, size_t *n);

#endif
