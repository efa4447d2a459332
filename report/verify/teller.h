/* One counterexample being told (verify_story.c), and its transactions (verify_txn.c). */
#ifndef REPORT_VERIFY_TELLER_H
#define REPORT_VERIFY_TELLER_H

#include "report/verify/verify_report.h"

#define NBSP "\u00a0"

struct teller {
    const struct verify_view *v;
    const struct page *p;
    const struct verify_result *r;
    const struct verify_verdict *d;
    int width; /* of the labels */
    struct cex c;
};

/* A transaction's name for running text: it does not break. */
const char *teller_name(struct teller *t, uint32_t txn);
/* "where n = 3": inputs that are no parameters, with so many blanks before. */
void teller_inputs(const struct teller *t, const struct exec_input *in, size_t n, int indent);
/* The transaction of that position in arbitration order: what it read, wrote and returned. */
void teller_txn(struct teller *t, uint32_t position);

#endif
