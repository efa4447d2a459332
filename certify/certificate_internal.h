/* What the files of certificates share. */
#ifndef CERTIFY_CERTIFICATE_INTERNAL_H
#define CERTIFY_CERTIFICATE_INTERNAL_H

#include "certify/certify.h"

struct certificate_reader {
    char *next; /* the rest of the text, which is cut into lines on the way */
    size_t line;
    struct arena *arena;
    const struct history *h;
    struct certificate *c;
    VEC(uint32_t) order;
    VEC(struct hist_pair) sources;
};

const char *certificate_bad(const struct certificate_reader *in, const char *expected);
/* The next line, its end cut off; "" behind the last, which no caller expects. */
char *certificate_line(struct certificate_reader *in);
/* The index of a word in a table, or -1. */
int certificate_find(const char *word, const char *const *table, int n);

/* "S.I" at the start of s; where it ends, or NULL. */
const char *certificate_txn(struct certificate_reader *in, const char *s, uint32_t *txn);
/* " S.I.O", or " -" for HIST_NONE; where it ends, or NULL. */
const char *certificate_op(struct certificate_reader *in, const char *s, uint32_t *op);
void certificate_put_txn(const struct history *h, uint32_t txn, FILE *out);
void certificate_put_op(const struct history *h, uint32_t op, FILE *out);

/* Behind the header; reading ends before the last line. */
void certificate_put_violation(const struct history *h, const struct certificate *c, FILE *out);
const char *certificate_get_violation(struct certificate_reader *in);
/* Of the violation, behind the cases. */
void certificate_put_proofs(const struct history *h, const struct check_result *r, FILE *out);
const char *certificate_get_proofs(struct certificate_reader *in, struct check_result *r);
void certificate_put_mismatch(const struct history *h, const struct lowered *d, FILE *out);
const char *certificate_get_mismatch(struct certificate_reader *in);

#endif
