/* visar-certify CERTIFICATE HISTORY: does the certificate prove what it says of the history?
 *
 * The program is made of the rooms certify/, history/ with the reader of visar's own format,
 * models/ and base/: none of the search that finds verdicts is in it.  Who doubts a verdict of
 * visar need trust no more than what is linked here.
 *
 * Exit codes: 0, what every certificate of the file says is proved; 10, a certificate proves
 * nothing or something else; 5, the history has predicate reads outside of what is decided; 2, a
 * file cannot be read; 1, the arguments are wrong; 6, a bug of this program. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/limit_poll.h"
#include "base/strbuf.h"
#include "base/text.h"
#include "certify/certificate/certificate_check.h"
#include "history/format/jsonl.h"
#include "history/version_order.h"

enum { CONFIRMED = 0, USAGE = 1, BAD_INPUT = 2, UNKNOWN = 5, BROKEN = 6, REJECTED = 10 };

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
    "Exit code 0: the verdict is confirmed.  10: REJECTED.  5: UNKNOWN.  2: bad input.\n";

/* "FILE:LINE[:COLUMN]: error: MESSAGE", if the error begins with its place. */
static int bad_input(const char *error)
{
    struct strbuf b = {0};
    text_safe(error, strlen(error), &b);
    size_t place = text_place(sb_str(&b));
    if (place)
        fprintf(stderr, "%.*s: error%s\n", (int)place, sb_str(&b), sb_str(&b) + place);
    else
        fprintf(stderr, "visar-certify: %s\n", sb_str(&b));
    sb_free(&b);
    return BAD_INPUT;
}

/* --- no limits -------------------------------------------------------------------------------- */

bool limit_reached(void)
{
    return false;
}

const char *limit_text(void)
{
    return "";
}

void limit_phase(const char *fmt, ...)
{
    (void)fmt;
}

/* --- reading ---------------------------------------------------------------------------------- */

/* The bytes of a file, and a zero byte that does not count. */
typedef VEC(char) file_bytes;

static const char *read_file(const char *path, struct arena *messages, file_bytes *out)
{
    enum { PIECE = 1 << 16 };
    size_t n = 0;
    FILE *in = fopen(path, "rb");
    if (!in)
        return arena_printf(messages, "%s: cannot be opened: %s", path, strerror(errno));
    do {
        vec_reserve(out, out->len + PIECE + 1);
        n = fread(out->data + out->len, 1, PIECE, in);
        out->len += n;
    } while (n);
    bool bad = ferror(in);
    out->data[out->len] = 0;
    fclose(in);
    return bad ? arena_printf(messages, "%s: cannot be read: %s", path, strerror(errno)) : NULL;
}

static const char *read_history(const char *path, struct arena *messages, struct history **h)
{
    file_bytes bytes = {0};
    struct fmt_input in = {.path = path};
    fmt_notes notes = {0};
    const char *error = read_file(path, messages, &bytes);
    if (error)
        return error;
    vec_push(&in.files, ((struct fmt_file){.path = path, .data = bytes.data, .size = bytes.len}));
    error = fmt_read_history(&in, jsonl_read, messages, &notes, h);
    vec_free(&notes);
    vec_free(&in.files);
    vec_free(&bytes);
    return error;
}

static const char *read_version_order(const char *path, struct arena *messages, struct history *h)
{
    file_bytes bytes = {0};
    const char *error = path ? read_file(path, messages, &bytes) : NULL;
    if (path && !error)
        error = vo_read(h, path, bytes.data, bytes.len, messages);
    vec_free(&bytes);
    return error ? error : vo_check(h, messages);
}

/* --- judging ---------------------------------------------------------------------------------- */

static int tell(const struct arguments *a, const struct certificate_answer *x)
{
    printf("%s: %s %s that %s %s %s%s: ", x->rejected ? "REJECTED" : "OK", a->certificate,
           x->rejected ? "does not prove" : "proves", a->history,
           x->violated ? "violates" : "satisfies", level_title(x->level),
           x->level.session_order ? "" : " without session order");
    if (x->rejected)
        printf("%s\n", x->rejected);
    else
        printf("the verdict %s is confirmed\n", x->violated ? "VIOLATION" : "OK");
    return x->rejected ? REJECTED : CONFIRMED;
}

static int judge_one(const struct arguments *a, const struct history *h,
                     const struct certificate_piece *p, struct arena *messages)
{
    struct certificate_answer x;
    certificate_check(h, p, NULL, messages, &x);
    if (x.fault) {
        fprintf(stderr, "visar-certify: internal error: %s\n", x.fault);
        return BROKEN;
    }
    if (x.unreadable)
        return bad_input(
            arena_printf(messages, "%s:%zu: %s", a->certificate, x.line, x.unreadable));
    if (x.unknown) {
        printf("UNKNOWN: %s: %s\n", a->history, x.unknown);
        return UNKNOWN;
    }
    return tell(a, &x);
}

static int judge_all(const struct arguments *a, const struct history *h, const file_bytes *b,
                     struct arena *messages)
{
    struct certificate_piece p = {0};
    int worst = CONFIRMED;
    while (certificate_next(b->data, b->len, &p)) {
        int rc = judge_one(a, h, &p, messages);
        if (rc == BAD_INPUT || rc == BROKEN)
            return rc;
        worst = rc == REJECTED || worst == CONFIRMED ? rc : worst;
    }
    return worst;
}

static int certify(const struct arguments *a, struct arena *messages)
{
    struct history *h = NULL;
    file_bytes certificate = {0};
    const char *error = read_history(a->history, messages, &h);
    if (!error)
        error = read_version_order(a->version_order, messages, h);
    if (!error)
        error = read_file(a->certificate, messages, &certificate);
    int rc = error ? bad_input(error) : judge_all(a, h, &certificate, messages);
    vec_free(&certificate);
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
        return bad_input("standard output cannot be written");
    return rc;
}
