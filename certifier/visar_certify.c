/* visar-certify CERTIFICATE HISTORY: does the certificate prove what it says of the history?
 *
 * The program is made of the rooms certify/, history/ with the reader of visar's own format,
 * models/ and base/: none of the search that finds verdicts is in it.  Who doubts a verdict of
 * visar need trust no more than what is linked here.
 *
 * Exit codes: 0, what every certificate of the file says is proved; 10, a certificate proves
 * nothing or something else; 5, one is about something that this program does not judge; 2, a file
 * cannot be read; 1, the arguments are wrong. */
#include <stdio.h>
#include <string.h>

#include "base/io.h"
#include "certify/certify.h"
#include "history/format/jsonl.h"
#include "history/version_order.h"

enum { CONFIRMED = 0, USAGE = 1, BAD_INPUT = 2, NOT_JUDGED = 5, REJECTED = 10 };

struct arguments {
    const char *certificate, *history;
    const char *version_order; /* or NULL */
};

static const char usage[] =
    "usage: visar-certify [--version-order FILE] CERTIFICATE HISTORY\n"
    "\n"
    "Checks a certificate that `visar check --certificate FILE` wrote against a history in "
    "visar's\n"
    "own format (`visar convert --to jsonl` makes one), without any search.\n"
    "\n"
    "  --version-order FILE   version orders that are known besides (docs/history-format.md)\n"
    "  --help, --version\n"
    "\n"
    "Exit code 0: the verdict is confirmed.  10: REJECTED.  5: not judged.  2: bad input.\n";

static int bad_input(const char *path, const char *error)
{
    fprintf(stderr, "visar-certify: %s%s%s\n", path ? path : "", path ? ": " : "", error);
    return BAD_INPUT;
}

/* --- reading ---------------------------------------------------------------------------------- */

/* The reader may ask to read once more, values being texts. */
static const char *parse(const struct fmt_input *in, struct arena *messages, struct history **h)
{
    fmt_notes notes = {0};
    struct fmt_context c = {.messages = messages, .notes = &notes};
    const char *error;
    do {
        hist_free(*h);
        *h = hist_new();
        c.again = false;
        error = jsonl_read(in, &c, *h);
    } while (c.again);
    if (!error) {
        hist_set_source(*h, in->path);
        error = hist_finish(*h);
        error = error ? arena_printf(messages, "%s: %s", in->path, error) : NULL;
    }
    vec_free(&notes);
    return error;
}

static int read_history(const char *path, struct arena *messages, struct history **h)
{
    struct io_bytes bytes = {0};
    struct fmt_input in = {.path = path};
    const char *error = io_read(path, messages, &bytes);
    if (error)
        return bad_input(path, error);
    vec_push(&in.files, ((struct fmt_file){.path = path, .data = bytes.data, .size = bytes.size}));
    error = parse(&in, messages, h);
    vec_free(&in.files);
    io_bytes_free(&bytes);
    return error ? bad_input(NULL, error) : CONFIRMED;
}

static int read_version_order(const char *path, struct arena *messages, struct history *h)
{
    struct io_bytes bytes = {0};
    const char *error = path ? io_read(path, messages, &bytes) : NULL;
    if (error)
        return bad_input(path, error);
    if (path)
        error = vo_read(h, path, bytes.data, bytes.size, messages);
    io_bytes_free(&bytes);
    if (error)
        return bad_input(NULL, error);
    error = vo_check(h, messages);
    return error ? bad_input(path ? path : h->source, error) : CONFIRMED;
}

/* --- judging ---------------------------------------------------------------------------------- */

/* Why the certificate cannot be judged here, or NULL. */
static const char *not_judged(const struct history *h, const char *text, size_t size,
                              struct arena *messages)
{
    if (certificate_is_mismatch(text, size, messages))
        return "it is about the result of a predicate read";
    if (h->predicates.len)
        return "the history has predicate reads";
    return NULL;
}

static int judge_one(const struct arguments *a, const struct history *h, const char *text,
                     size_t size, struct arena *messages)
{
    struct certificate c = {0};
    const char *why = not_judged(h, text, size, messages);
    if (why) {
        printf("UNKNOWN: %s: %s, which only `visar check --verify-certificate` judges\n",
               a->certificate, why);
        return NOT_JUDGED;
    }
    const char *error = certificate_read(text, size, h, messages, &c);
    if (error && !c.foreign) {
        certificate_free(&c);
        return bad_input(a->certificate, error);
    }
    const char *reason = error ? c.foreign : certificate_judge(h, &c, messages);
    printf("%s: %s %s that %s %s %s%s: ", reason ? "REJECTED" : "OK", a->certificate,
           reason ? "does not prove" : "proves", a->history, c.violation ? "violates" : "satisfies",
           level_title(c.level), c.level.session_order ? "" : " without session order");
    if (reason)
        printf("%s\n", reason);
    else
        printf("the verdict %s is confirmed\n", c.violation ? "VIOLATION" : "OK");
    certificate_free(&c);
    return reason ? REJECTED : CONFIRMED;
}

/* One ends behind its line `end`, if another one follows. */
static int judge_all(const struct arguments *a, const struct history *h, const struct io_bytes *b,
                     struct arena *messages)
{
    static const char border[] = "\nend\nvisar-certificate ";
    const char *at = b->data, *end = b->data + b->size;
    int worst = CONFIRMED;
    do {
        const char *next = memmem(at, (size_t)(end - at), border, sizeof border - 1);
        next = next ? next + strlen("\nend\n") : end;
        int rc = judge_one(a, h, at, (size_t)(next - at), messages);
        if (rc == BAD_INPUT)
            return rc;
        worst = rc == REJECTED || worst == CONFIRMED ? rc : worst;
        at = next;
    } while (at < end);
    return worst;
}

static int certify(const struct arguments *a, struct arena *messages)
{
    struct history *h = NULL;
    struct io_bytes certificate = {0};
    int rc = read_history(a->history, messages, &h);
    if (rc == CONFIRMED)
        rc = read_version_order(a->version_order, messages, h);
    if (rc == CONFIRMED) {
        const char *error = io_read(a->certificate, messages, &certificate);
        rc = error ? bad_input(a->certificate, error) : judge_all(a, h, &certificate, messages);
    }
    io_bytes_free(&certificate);
    hist_free(h);
    return rc;
}

/* --- arguments -------------------------------------------------------------------------------- */

static bool parse_arguments(int argc, char **argv, struct arguments *a)
{
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--version-order") && i + 1 < argc && !a->version_order)
            a->version_order = argv[++i];
        else if (argv[i][0] == '-' && argv[i][1])
            return false;
        else if (!a->certificate)
            a->certificate = argv[i];
        else if (!a->history)
            a->history = argv[i];
        else
            return false;
    }
    return a->history != NULL;
}

int main(int argc, char **argv)
{
    struct arguments a = {0};
    struct arena messages = {0};
    bool help = argc == 2 && !strcmp(argv[1], "--help");
    if (help || (argc == 2 && !strcmp(argv[1], "--version"))) {
        fputs(help ? usage : "visar-certify " VISAR_VERSION "\n", stdout);
        return CONFIRMED;
    }
    if (!parse_arguments(argc, argv, &a)) {
        fputs(usage, stderr);
        return USAGE;
    }
    int rc = certify(&a, &messages);
    arena_free(&messages);
    if (fflush(stdout) || ferror(stdout))
        return bad_input(NULL, "standard output cannot be written");
    return rc;
}
