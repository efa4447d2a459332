/* What the files of `visar check` share: one history, the levels asked for, the answers. */
#ifndef CLI_CMD_CHECK_H
#define CLI_CMD_CHECK_H

#include "base/io.h"
#include "cli/cli.h"
#include "cli/whitebox.h"
#include "check/check.h"
#include "history/format/formats.h"
#include "report/report.h"

#define CHECK_LEVELS_MAX 32

struct check_run {
    struct cli *c;
    const char *path;
    struct history *h; /* as it was read, then as the first level sees it */
    const struct format *format;
    struct check_result results[CHECK_LEVELS_MAX];
    bool checked[CHECK_LEVELS_MAX];
    struct report_answer answers[CHECK_LEVELS_MAX];
    size_t count;
    struct io_out certificate, dot;
    struct io_bytes proof; /* --verify-certificate: one certificate after the other */
    struct {
        const char *text;
        size_t size, number;          /* from 1 */
    } piece;                          /* the one at hand */
    bool spoken_of[CHECK_LEVELS_MAX]; /* by a valid certificate */
    struct whitebox_answer beforehand;
};

/* Report an input or output that cannot be opened. */
int check_cannot(struct check_run *r, const char *path, const char *error);
void check_note(const struct check_run *r, const char *text);
int64_t check_clock_drift(const struct cli *c); /* in the nanoseconds of the history */

/* check_levels.c: take the levels of --level; or add all levels that apply to the history, weakest
 * first. */
int check_parse_levels(struct check_run *r);
void check_add_lattice(struct check_run *r);
/* The answers, level by level, or by walking the lattice. */
void check_each(struct check_run *r);
void check_strongest(struct check_run *r);
/* Does the history have reads of several rows? */
bool check_several_rows(const struct check_run *r);

/* check_certificate.c: --certificate, for every answer that has a result of its own. */
int check_write_certificates(struct check_run *r);
/* For the mismatch in `beforehand`; nothing without --certificate. */
int check_write_mismatch(struct check_run *r);
/* --verify-certificate: read the whole file; check_next_certificate then makes r->piece the next
 * certificate, and returns false after the last. */
int check_read_certificates(struct check_run *r);
bool check_next_certificate(struct check_run *r);
/* The level of the current certificate, into *level.  Returns 1, or 0 if the certificate does not
 * say. */
size_t check_certificate_level(const struct check_run *r, struct level *level);
/* Is the current certificate that of a result mismatch?  Such a certificate is about the history as
 * it was read. */
bool check_given_mismatch(const struct check_run *r);
int check_verify_certificate(struct check_run *r);
/* After the last certificate: is there one for each level of --level? */
int check_levels_covered(struct check_run *r);

#endif
