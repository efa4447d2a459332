/* visar check: certificates as files.
 *
 * A certificate is checked by code that knows nothing of the search (history/certify.h).  An order
 * of transactions proves that the level is satisfied, a cycle with its cases that it is not; the
 * file says which, and for which level. */
#include <string.h>

#include "cli/check.h"
#include "history/certify.h"
#include "history/certify_whitebox.h"

/* ---- writing --------------------------------------------------------------------------------- */

int check_write_certificate(struct check_run *r)
{
    const struct report_answer *a = &r->answers[0];
    if (!r->c->opt.certificate)
        return EXIT_HOLDS;
    if (a->verdict != CHECK_OK && a->verdict != CHECK_VIOLATION) {
        io_discard(&r->certificate);
        check_note(r, "no certificate was written: there is no verdict");
        return EXIT_HOLDS;
    }
    struct certificate c =
        certificate_of_order(a->result->level, check_clock_drift(r->c), a->result);
    c.unique_values = r->c->opt.unique_values;
    if (a->verdict == CHECK_VIOLATION)
        c.violation = a->result;
    certificate_write(a->result->history, &c, r->certificate.file);
    const char *error = io_commit(&r->certificate, &r->c->arena);
    return error ? check_cannot(r, r->c->opt.certificate, error) : EXIT_HOLDS;
}

int check_write_mismatch(struct check_run *r)
{
    const char *file = r->c->opt.certificate, *error;
    if (!file)
        return EXIT_HOLDS;
    struct certificate c = {.level = r->answers[0].level,
                            .clock_drift = check_clock_drift(r->c),
                            .mismatch = &r->beforehand.items};
    if ((error = io_create(file, &r->c->arena, &r->certificate)))
        return check_cannot(r, file, error);
    certificate_write(r->h, &c, r->certificate.file);
    error = io_commit(&r->certificate, &r->c->arena);
    return error ? check_cannot(r, file, error) : EXIT_HOLDS;
}

/* ---- checking one ---------------------------------------------------------------------------- */

/* What is wrong with a certificate.  It may prove what it says and yet not answer the question. */
struct rejection {
    const char *reason; /* NULL: nothing */
    bool proves;
};

static bool violated(const struct certificate *c)
{
    return c->violation || c->mismatch;
}

static void print_certified(struct check_run *r, const struct certificate *proof,
                            struct rejection no)
{
    struct cli *c = r->c;
    const char *title = report_level(proof->level), *file = c->opt.verify_certificate;
    const char *claim = violated(proof) ? "violates" : "satisfies";
    if (c->opt.json) {
        report_certificate_json(r->path, file, title, claim, no.reason, c->out);
        return;
    }
    const char *color = !c->color ? "" : no.reason ? "\033[1;31m" : "\033[1;32m";
    fprintf(c->out, "%s%s%s: %s %s that %s %s %s%s%s\n", color, no.reason ? "REJECTED" : "OK",
            c->color ? "\033[0m" : "", file, no.reason && !no.proves ? "does not prove" : "proves",
            strcmp(r->path, "-") ? r->path : "standard input", claim, title,
            !no.reason  ? ""
            : no.proves ? ", "
                        : ": ",
            no.reason ? no.reason : "");
}

/* Somebody who names levels wants a certificate for these: satisfied, by that of a stronger level;
 * violated, by that of a weaker one. */
static const char *not_for_level(struct check_run *r, const struct certificate *c)
{
    for (size_t i = 0; i < r->count && OPTION_GIVEN(r->c, level); i++) {
        struct check_level asked = r->answers[i].level;
        bool fits = c->mismatch    ? true
                    : c->violation ? report_level_weaker_or_equal(c->level, asked)
                                   : report_level_weaker_or_equal(asked, c->level);
        if (!fits)
            return arena_printf(&r->c->arena, "which says nothing about %s", report_level(asked));
    }
    return NULL;
}

int check_read_certificate(struct check_run *r)
{
    const char *file = r->c->opt.verify_certificate;
    const char *error = io_read(file, &r->c->arena, &r->proof);
    return error ? check_cannot(r, file, error) : EXIT_HOLDS;
}

size_t check_certificate_level(const struct check_run *r, struct check_level *level)
{
    return certificate_level(r->proof.data, r->proof.size, &r->c->arena, level) ? 1 : 0;
}

bool check_given_mismatch(const struct check_run *r)
{
    return r->c->opt.verify_certificate &&
           certificate_is_mismatch(r->proof.data, r->proof.size, &r->c->arena);
}

int check_verify_certificate(struct check_run *r)
{
    struct arena *messages = &r->c->arena;
    const char *file = r->c->opt.verify_certificate;
    struct certificate c = {0};
    struct rejection no = {0};
    const char *error = certificate_read(r->proof.data, r->proof.size, r->h, messages, &c);
    if (error && !c.foreign) {
        certificate_free(&c);
        return check_cannot(r, file, error);
    }
    if (error)
        no.reason = c.foreign;
    else
        no.reason = c.mismatch ? certify_mismatch(r->h, c.mismatch, messages)
                               : certificate_judge(r->h, &c, messages);
    if (!no.reason && !violated(&c) && r->beforehand.original)
        no.reason = c.level.real_time == CHECK_ITEMS_ONLY
                        ? certify_repeatable(r->beforehand.original, &c, messages)
                        : whitebox_certify_absent(r->c, &r->beforehand, &c);
    if (!no.reason) {
        no.reason = not_for_level(r, &c);
        no.proves = true;
    }
    print_certified(r, &c, no);
    certificate_free(&c);
    return no.reason ? EXIT_VIOLATED : EXIT_HOLDS;
}
