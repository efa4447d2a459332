/* What the files of certificates share. */
#ifndef CERTIFY_CERTIFICATE_CERTIFICATE_INTERNAL_H
#define CERTIFY_CERTIFICATE_CERTIFICATE_INTERNAL_H

#include "certify/certify.h"

/* The words of the format, by what they stand for. */
extern const char *const certificate_order_names[3];
extern const char *const certificate_time_names[4];
extern const char *const certificate_edge_names[5];
extern const char *const certificate_rt_names[3];
extern const char *const certificate_case_names[2];
extern const char *const certificate_fault_names[3];
extern const char *const certificate_fact_names[CHECK_FACT_KINDS];
/* What follows the name of a fact: operations (o), transactions (t), numbers (n). */
extern const char *const certificate_fact_parts[CHECK_FACT_KINDS];
extern const char *const certificate_scope_names[3];

struct certificate_reader {
    char *next; /* the rest of the text, which is cut into lines on the way */
    size_t line;
    struct arena *arena;
    const struct history *h;
    struct certificate *c;
    VEC(uint32_t) order;
    VEC(struct hist_pair) sources;
};

/* The error "expected …" at the line that was read last. */
const char *certificate_bad(struct certificate_reader *in, const char *expected);
/* The next line, its end cut off; "" behind the last, which no caller expects. */
char *certificate_line(struct certificate_reader *in);
/* The index of a word in a table, or -1. */
int certificate_find(const char *word, const char *const *table, int n);

/* "S.I" at the start of s; where it ends, or NULL. */
const char *certificate_txn(struct certificate_reader *in, const char *s, uint32_t *txn);
/* " S.I.O", or " -" for HIST_NONE; where it ends, or NULL. */
const char *certificate_op(struct certificate_reader *in, const char *s, uint32_t *op);

/* Behind the header; reading ends before the last line. */
const char *certificate_get_violation(struct certificate_reader *in);
/* Of the violation, behind the cases. */
const char *certificate_get_proofs(struct certificate_reader *in, struct check_result *r);
const char *certificate_get_mismatch(struct certificate_reader *in);

#endif
