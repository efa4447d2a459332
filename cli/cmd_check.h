/* What the files of `visar check` share: one history, the levels asked for, the answers. */
#ifndef CLI_CMD_CHECK_H
#define CLI_CMD_CHECK_H

#include "base/io.h"
#include "certify/certify.h"
#include "cli/cli.h"
#include "check/check.h"
#include "history/format/formats.h"
#include "report/report.h"

struct check_run {
    struct cli *c;
    const char *path;
    struct history *h; /* as it was read */
    const struct format *format;
    struct named_level levels[LATTICE_MAX];
    size_t count;
    struct check_answers answers;
    struct io_out certificate, dot;
    struct io_bytes proof;          /* --verify-certificate: one certificate after the other */
    struct certificate_piece piece; /* the one at hand, */
    bool alone;                     /* … which is the only one */
    bool covered[LATTICE_MAX];      /* the levels that a certificate that stands is about */
};

/* Report an input or output that cannot be opened. */
int check_cannot(struct check_run *r, const char *path, const char *error);
void check_note(const struct check_run *r, const char *text);

/* check_levels.c: the levels of --level, into r->levels. */
int check_parse_levels(struct check_run *r);
/* The question, as the options have it. */
struct check_request check_question(struct check_run *r);

/* check_certificate.c: --certificate, for every answer that has a result of its own. */
int check_write_certificates(struct check_run *r);
/* For an answer beforehand; nothing without --certificate. */
int check_write_mismatch(struct check_run *r);
/* --verify-certificate: reads the file; then the verdicts on the certificates in it. */
int check_read_certificates(struct check_run *r);
int check_verify_certificates(struct check_run *r);

#endif
