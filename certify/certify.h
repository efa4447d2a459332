/* Re-checking answers.  This code knows nothing of the search: it sees the history, the level and
 * the answer, and goes through the definitions again, in linear time.
 *
 * Every function returns NULL if the answer stands, else what is wrong with it (owned by the
 * arena). */
#ifndef CERTIFY_CERTIFY_H
#define CERTIFY_CERTIFY_H

#include "certify/clauses.h"
#include "certify/verdict.h"
#include "history/lower/lower.h"

struct certificate {
    struct level level;
    int64_t clock_drift;
    enum check_order_kind kind;
    const uint32_t *order;
    size_t len;
    /* ARBITRATION: reads and the writes that they saw, for reads that have a choice. */
    const struct hist_pair *sources;
    size_t source_count;
    /* Not satisfied: why (with --unique-values or without).  NULL: satisfied. */
    const struct check_result *violation;
    bool unique_values;
    /* Not satisfied: a result that nothing gives, of the history before its predicate reads were
     * put in terms of items.  To be judged by certify_mismatch.  NULL: no such claim. */
    const struct lowered *mismatch;
    /* certificate_read gave an error: the line of the file, and, if something is named there that
     * the history does not have, what; else NULL. */
    size_t bad_line;
    const char *foreign;
};

/* That the order of r explains a history under the level. */
static inline struct certificate certificate_of_order(struct level level, int64_t clock_drift,
                                                      const struct check_result *r)
{
    return (struct certificate){.level = level,
                                .clock_drift = clock_drift,
                                .kind = r->order_kind,
                                .order = r->order.data,
                                .len = r->order.len,
                                .sources = r->sources.data,
                                .source_count = r->sources.len};
}

/* Does the order explain every read of the history under the level? */
const char *certify_order(const struct history *h, const struct certificate *c,
                          struct arena *messages);
/* What was asked, as far as a violation depends on it. */
struct certify_question {
    struct level level;
    int64_t clock_drift; /* time stamps this close prove no order */
    bool unique_values;  /* two writes of one value to one key are an anomaly */
};
/* Does the violation follow from the history? */
const char *certify_violation(const struct history *h, const struct certify_question *o,
                              const struct check_result *r, struct arena *messages);

/* The same, while the verdict is being made: its proofs are not there yet.  Wherever one is needed,
 * the prover is asked to add one to r->proofs, that the clause `goal` follows from those of the
 * formula; j is NULL where these are of one list only.  The certifier replays it all the same, and
 * never has a prover when it judges a verdict. */
struct judge;
struct formula;
struct certify_prover {
    void *self;
    void (*prove)(void *self, struct judge *j, struct formula *f, const clause_lits *goal);
};
const char *certify_prove(const struct history *h, const struct certify_question *o,
                          struct check_result *r, const struct certify_prover *prover,
                          struct arena *messages);

/* Certificates as text: a header that names the level, then one event of an order or one edge of a
 * cycle per line. */
void certificate_write(const struct history *h, const struct certificate *c, FILE *out);
/* One of the certificates of a file. */
struct certificate_piece {
    const char *text; /* NULL: before the first */
    size_t size;
    size_t lines_before; /* in the file */
};
/* The next certificate of a file; false: there is none.  An empty file has one, which cannot be
 * read. */
bool certificate_next(const char *file, size_t size, struct certificate_piece *p);
/* *out is owned by the arena, except for what certificate_free frees, also after errors.  Returns
 * NULL, or what is wrong with the line out->bad_line. */
const char *certificate_read(const struct certificate_piece *p, const struct history *h,
                             struct arena *a, struct certificate *out);
void certificate_free(struct certificate *c);

/* What a certificate says before its claim. */
struct certificate_head {
    struct level level;
    bool mismatch; /* the claim is a result mismatch, of the history as it was recorded */
    /* How its predicate reads are put in terms of items: whether version sets are taken literally,
     * and which missing rows (certify_missing_rows.h) count. */
    bool exact, named; /* named: it names rows, or says that there is none */
    lower_rows rows;   /* to be freed */
};
/* False: there is no head, and the certificate cannot be read. */
bool certificate_read_head(const struct certificate_piece *p, const struct history *h,
                           struct arena *a, struct certificate_head *out);
/* Does the certificate's claim follow from the history, and is the anomaly's name right? */
const char *certificate_judge(const struct history *h, const struct certificate *c,
                              struct arena *messages);

#endif
