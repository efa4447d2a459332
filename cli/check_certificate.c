/* visar check: certificates as files.
 *
 * A certificate is checked by code that knows nothing of the search (certify/certify.h).  An order
 * of transactions proves that the level is satisfied, a cycle with its cases that it is not; the
 * file says which, and for which level. */
#include <string.h>

#include "certify/certificate/certificate_check.h"
#include "certify/ruled_out.h"
#include "cli/cmd_check.h"
#include "cli/whitebox.h"
#include "models/lattice.h"

/* ---- writing --------------------------------------------------------------------------------- */

static void write_one(struct check_run *r, const struct check_answer *a)
{
    struct check_request q = check_question(r);
    struct certificate c = certificate_of_order(a->result->level, q.options.clock_drift, a->result);
    c.unique_values = r->c->opt.unique_values;
    if (a->verdict == CHECK_VIOLATION)
        c.violation = a->result;
    certificate_write(a->result->history, &c, r->certificate.file);
}

static bool has_verdict(const struct check_answer *a)
{
    return a->verdict == CHECK_OK || a->verdict == CHECK_VIOLATION;
}

int check_write_certificates(struct check_run *r)
{
    size_t written = 0;
    if (!r->c->opt.certificate)
        return EXIT_HOLDS;
    for (size_t i = 0; i < r->count; i++) {
        const struct check_answer *a = &r->answers.at[i];
        if (has_verdict(a) && a->by == i) {
            write_one(r, a);
            written++;
        } else if (!has_verdict(a)) {
            check_note(r, r->count == 1 ? "no certificate was written: there is no verdict"
                                        : arena_printf(&r->c->arena,
                                                       "there is no certificate for %s: there is "
                                                       "no verdict",
                                                       level_short_title(a->level)));
        }
    }
    if (!written) {
        io_discard(&r->certificate);
        return EXIT_HOLDS;
    }
    const char *error = io_commit(&r->certificate, &r->c->arena);
    return error ? check_cannot(r, r->c->opt.certificate, error) : EXIT_HOLDS;
}

int check_write_mismatch(struct check_run *r)
{
    if (!r->c->opt.certificate)
        return EXIT_HOLDS;
    if (!r->answers.mismatch) {
        check_note(r, "no certificate was written: there is no verdict");
        return EXIT_HOLDS;
    }
    struct certificate c = {.level = r->levels[0].level,
                            .clock_drift = check_question(r).options.clock_drift,
                            .mismatch = r->answers.mismatch};
    certificate_write(r->h, &c, r->certificate.file);
    const char *error = io_commit(&r->certificate, &r->c->arena);
    return error ? check_cannot(r, r->c->opt.certificate, error) : EXIT_HOLDS;
}

/* ---- checking one ---------------------------------------------------------------------------- */

/* What is wrong with a certificate.  It may prove what it says and yet not answer the question. */
struct rejection {
    const char *reason; /* NULL: nothing */
    bool proves;
};

/* The verdict on a claim about the level, or with claim NULL on what is missing. */
static void report(struct check_run *r, const char *level, const char *claim, struct rejection no)
{
    struct certificate_verdict v = {.file = r->path,
                                    .certificate = r->c->opt.verify_certificate,
                                    .level = level,
                                    .claim = claim,
                                    .rejected = no.reason,
                                    .proves = no.proves};
    if (r->c->opt.json)
        report_certificate_json(&v, r->c->out);
    else
        report_certificate_text(&v, r->c->color, r->c->out);
}

/* A certificate, and what its cycles rule out besides its own level. */
struct judged {
    struct certificate_answer a;
    struct ruled_out rules_out;
};

static void note_violation(void *self, const struct history *items,
                           const struct check_result *violation)
{
    struct judged *x = self;
    x->rules_out = ruled_out_by(items, violation);
}

/* Somebody who names levels wants a certificate for these: satisfied, by that of a stronger level;
 * violated, by that of a weaker one, or by cycles that are impossible under the level, too. */
static bool speaks_of(const struct judged *x, struct level asked)
{
    const struct certificate_answer *c = &x->a;
    return c->mismatch    ? true
           : !c->violated ? level_weaker_or_equal(asked, c->level)
                          : level_weaker_or_equal(c->level, asked) ||
                                (!c->rejected && ruled_out_level(&x->rules_out, asked));
}

static const char *not_for_level(struct check_run *r, const struct judged *c)
{
    const char *error = NULL;
    for (size_t i = 0; i < r->count && OPTION_GIVEN(r->c, level); i++) {
        if (speaks_of(c, r->levels[i].level))
            r->covered[i] = true;
        else if (!error)
            error = arena_printf(&r->c->arena, "which says nothing about %s",
                                 level_short_title(r->levels[i].level));
    }
    return r->alone ? error : NULL;
}

/* Behind the last of several: is there one for each level of --level? */
static int levels_covered(struct check_run *r)
{
    for (size_t i = 0; i < r->count && OPTION_GIVEN(r->c, level) && !r->alone; i++)
        if (!r->covered[i]) {
            const char *level = level_short_title(r->levels[i].level);
            const char *reason = arena_printf(&r->c->arena, "says nothing about %s", level);
            report(r, level, NULL, (struct rejection){.reason = reason});
            return EXIT_VIOLATED;
        }
    return EXIT_HOLDS;
}

static int cannot_read(struct check_run *r, const struct certificate_answer *a)
{
    diag_add(&r->c->diags, DIAG_ERROR, SRC_LOC_NONE, "%s:%zu: %s", r->c->opt.verify_certificate,
             a->line, a->unreadable);
    return cli_bad_input(r->c);
}

/* The verdict on the certificate at hand. */
static int tell(struct check_run *r, const struct judged *x)
{
    const struct certificate_answer *a = &x->a;
    if (a->unreadable)
        return cannot_read(r, a);
    if (a->fault)
        return whitebox_broken(r->c, a->fault);
    if (a->unknown)
        return cli_unknown(r->c, a->unknown);
    struct rejection no = {.reason = a->rejected};
    if (!no.reason) {
        no.reason = not_for_level(r, x);
        no.proves = true;
    }
    report(r, level_short_title(a->level), a->violated ? "violates" : "satisfies", no);
    return no.reason ? EXIT_VIOLATED : EXIT_HOLDS;
}

int check_read_certificates(struct check_run *r)
{
    const char *file = r->c->opt.verify_certificate;
    const char *error = io_read(file, &r->c->arena, &r->proof);
    return error ? check_cannot(r, file, error) : EXIT_HOLDS;
}

int check_verify_certificates(struct check_run *r)
{
    int rc = EXIT_HOLDS;
    for (size_t n = 1; certificate_next(r->proof.data, r->proof.size, &r->piece); n++) {
        struct judged x = {.rules_out = {0}};
        const struct certificate_witness shown = {note_violation, &x};
        certificate_check(r->h, &r->piece, &shown, &r->c->arena, &x.a);
        r->alone = n == 1 && r->piece.size == r->proof.size;
        rc = cli_worse(rc, tell(r, &x));
        if (rc != EXIT_HOLDS && rc != EXIT_VIOLATED)
            return rc;
    }
    return cli_worse(rc, levels_covered(r));
}
