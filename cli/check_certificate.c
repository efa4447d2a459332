/* visar check: certificates as files.
 *
 * A certificate is checked by code that knows nothing of the search (certify/certify.h).  An order
 * of transactions proves that the level is satisfied, a cycle with its cases that it is not; the
 * file says which, and for which level. */
#include <string.h>

#include "cli/cmd_check.h"
#include "certify/certify.h"
#include "certify/certify_whitebox.h"

/* ---- writing --------------------------------------------------------------------------------- */

static void write_one(struct check_run *r, const struct report_answer *a)
{
    struct certificate c =
        certificate_of_order(a->result->level, check_clock_drift(r->c), a->result);
    c.unique_values = r->c->opt.unique_values;
    if (a->verdict == CHECK_VIOLATION)
        c.violation = a->result;
    certificate_write(a->result->history, &c, r->certificate.file);
}

static bool has_verdict(const struct report_answer *a)
{
    return a->verdict == CHECK_OK || a->verdict == CHECK_VIOLATION;
}

int check_write_certificates(struct check_run *r)
{
    size_t written = 0;
    if (!r->c->opt.certificate)
        return EXIT_HOLDS;
    for (size_t i = 0; i < r->count; i++) {
        const struct report_answer *a = &r->answers[i];
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
    const char *file = r->c->opt.certificate, *error;
    if (!file)
        return EXIT_HOLDS;
    struct certificate c = {.level = r->answers[0].level,
                            .clock_drift = check_clock_drift(r->c),
                            .mismatch = r->beforehand.mismatch};
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

/* Is there one certificate, or several? */
static bool is_alone(const struct check_run *r)
{
    return r->piece.number == 1 && r->piece.text + r->piece.size == r->proof.data + r->proof.size;
}

/* The verdict on a claim about the level, or with claim NULL on what is missing. */
static void print_verdict(struct check_run *r, const char *level, const char *claim,
                          struct rejection no)
{
    struct cli *c = r->c;
    const char *file = c->opt.verify_certificate;
    if (c->opt.json) {
        report_certificate_json(r->path, file, level, claim, no.reason, c->out);
        return;
    }
    const char *color = !c->color ? "" : no.reason ? "\033[1;31m" : "\033[1;32m";
    fprintf(c->out, "%s%s%s: ", color, no.reason ? "REJECTED" : "OK", c->color ? "\033[0m" : "");
    if (!claim) {
        fprintf(c->out, "%s %s\n", file, no.reason);
        return;
    }
    fprintf(c->out, "%s %s that %s %s %s", file,
            no.reason && !no.proves ? "does not prove" : "proves",
            strcmp(r->path, "-") ? r->path : "standard input", claim, level);
    if (no.reason)
        fprintf(c->out, "%s%s\n", no.proves ? ", " : ": ", no.reason);
    else
        fprintf(c->out, ": the verdict %s is confirmed\n",
                !strcmp(claim, "satisfies") ? "OK" : "VIOLATION");
}

/* Somebody who names levels wants a certificate for these: satisfied, by that of a stronger level;
 * violated, by that of a weaker one. */
static bool speaks_of(const struct certificate *c, struct level asked)
{
    return c->mismatch    ? true
           : c->violation ? level_weaker_or_equal(c->level, asked)
                          : level_weaker_or_equal(asked, c->level);
}

static const char *not_for_level(struct check_run *r, const struct certificate *c)
{
    const char *error = NULL;
    for (size_t i = 0; i < r->count && OPTION_GIVEN(r->c, level); i++) {
        if (speaks_of(c, r->answers[i].level))
            r->spoken_of[i] = true;
        else if (!error)
            error = arena_printf(&r->c->arena, "which says nothing about %s",
                                 level_short_title(r->answers[i].level));
    }
    return is_alone(r) ? error : NULL;
}

int check_levels_covered(struct check_run *r)
{
    for (size_t i = 0; i < r->count && OPTION_GIVEN(r->c, level) && !is_alone(r); i++)
        if (!r->spoken_of[i]) {
            const char *level = level_short_title(r->answers[i].level);
            const char *reason = arena_printf(&r->c->arena, "says nothing about %s", level);
            print_verdict(r, level, NULL, (struct rejection){.reason = reason});
            return EXIT_VIOLATED;
        }
    return EXIT_HOLDS;
}

int check_read_certificates(struct check_run *r)
{
    const char *file = r->c->opt.verify_certificate;
    const char *error = io_read(file, &r->c->arena, &r->proof);
    return error ? check_cannot(r, file, error) : EXIT_HOLDS;
}

/* One ends behind its line `end`, if another one follows; whatever else follows is a fault of the
 * one before. */
bool check_next_certificate(struct check_run *r)
{
    static const char border[] = "\nend\nvisar-certificate ";
    const char *end = r->proof.data + r->proof.size;
    const char *start = r->piece.number ? r->piece.text + r->piece.size : r->proof.data;
    if (r->piece.number && start == end)
        return false;
    const char *next = memmem(start, (size_t)(end - start), border, sizeof border - 1);
    r->piece.text = start;
    r->piece.size = (size_t)((next ? next + strlen("\nend\n") : end) - start);
    r->piece.number++;
    return true;
}

size_t check_certificate_level(const struct check_run *r, struct level *level)
{
    return certificate_level(r->piece.text, r->piece.size, &r->c->arena, level) ? 1 : 0;
}

bool check_given_mismatch(const struct check_run *r)
{
    return r->c->opt.verify_certificate &&
           certificate_is_mismatch(r->piece.text, r->piece.size, &r->c->arena);
}

int check_verify_certificate(struct check_run *r)
{
    struct arena *messages = &r->c->arena;
    const char *file = r->c->opt.verify_certificate;
    struct certificate c = {0};
    struct rejection no = {0};
    const char *error = certificate_read(r->piece.text, r->piece.size, r->h, messages, &c);
    if (error && !c.foreign) {
        certificate_free(&c);
        if (!is_alone(r))
            error = arena_printf(messages, "certificate %zu, %s", r->piece.number, error);
        return check_cannot(r, file, error);
    }
    if (error)
        no.reason = c.foreign;
    else
        no.reason = c.mismatch ? certify_mismatch(r->h, c.mismatch, messages)
                               : certificate_judge(r->h, &c, messages);
    if (!no.reason && !violated(&c) && r->beforehand.original)
        no.reason = c.level.real_time == LEVEL_ITEMS_ONLY
                        ? certify_repeatable(r->beforehand.original, &c, messages)
                        : whitebox_certify_missing_rows(r->c, &r->beforehand, &c);
    if (!no.reason) {
        no.reason = not_for_level(r, &c);
        no.proves = true;
    }
    print_verdict(r, level_short_title(c.level), violated(&c) ? "violates" : "satisfies", no);
    certificate_free(&c);
    return no.reason ? EXIT_VIOLATED : EXIT_HOLDS;
}
