/* A certificate as text against the history that it is about.
 *
 * Predicate reads are put in terms of items as the level and the head of the certificate ask for
 * (history/lower/lower.h), the claim is judged by certify.h, and rows that predicate reads did not
 * return must not be visible. */
#ifndef CERTIFY_CERTIFICATE_CERTIFICATE_CHECK_H
#define CERTIFY_CERTIFICATE_CERTIFICATE_CHECK_H

#include "certify/certify.h"

/* At most one of the first four is set; if none is, the claim is proved. */
struct certificate_answer {
    const char *unreadable; /* why it is no certificate, */
    size_t line;            /* … and at which line of its file */
    const char *rejected;   /* why it proves nothing */
    const char *unknown;    /* why the history is outside of what is decided */
    const char *fault;      /* the history in terms of items does not stand: a bug of ours */
    struct level level;     /* that the certificate is about */
    bool violated;          /* it says so; with `mismatch` for all levels */
    bool mismatch;
};

/* Somebody who wants to see violations that are proved: of the history in terms of items. */
struct certificate_witness {
    void (*show)(void *self, const struct history *items, const struct check_result *violation);
    void *self;
};

/* Does the certificate prove what it says of the history as it was recorded?  Texts are owned by
 * the arena.  `shown` may be NULL. */
void certificate_check(const struct history *h, const struct certificate_piece *p,
                       const struct certificate_witness *shown, struct arena *messages,
                       struct certificate_answer *out);

#endif
