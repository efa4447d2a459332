/* History formats: reading any of them, writing most of them.
 *
 *     struct arena messages = {0};
 *     struct fmt_result r;
 *     const char *error = fmt_read("run.edn.gz", NULL, &messages, &r);   // NULL: by content
 *     if (error) …            // "run.edn.gz:17:4: expected a key, found `}`"
 *     use(r.history);         // r.format says what it was; r.notes what the user should know
 *     hist_free(r.history);
 *
 * A format is one row of a table and one file history/format/NAME.c; docs/how-to-add-a-format.md
 * says how. Readers see whole files in memory, already decompressed, and either build the whole
 * history or return an error message with its place.
 *
 * Writers never lose anything silently.  A loss that could change a verdict (an unknown outcome or
 * a null in a format without them, …) is an error that names it; a loss of names or timestamps only
 * is a note. */
#ifndef HISTORY_FORMAT_FORMATS_H
#define HISTORY_FORMAT_FORMATS_H

#include <stdio.h>

#include "history/format/reader.h"

enum fmt_match { FMT_NO, FMT_MAYBE, FMT_SURE };

struct format {
    const char *name;  /* as on the command line: "dbcop" */
    const char *title; /* a few words for --help and the documentation */
    bool folder;       /* the input may be a folder, a file for each session */
    enum fmt_match (*detect)(const struct fmt_input *in);
    fmt_reader *read;
    /* NULL: this format can only be read.  fmt_check_losses has accepted the history. */
    void (*write)(const struct history *h, FILE *out);
    unsigned keeps;      /* bit set of enum fmt_feature: what a file can express */
    bool null_initial;   /* every key is null at first; else 0 */
    bool unless_written; /* as 0, but a key to which the history writes 0 is null at first */
};

/* What a history may contain besides reads and writes of integers in committed transactions. */
enum fmt_feature {
    FMT_ABORTED = 1 << 0,
    FMT_UNKNOWN = 1 << 1,
    FMT_NULLS = 1 << 2,
    FMT_LISTS = 1 << 3,
    FMT_WRITE_IDS = 1 << 4,
    FMT_VERSIONS = 1 << 5,
    FMT_INITIALS = 1 << 6,      /* any initial values */
    FMT_UNKNOWN_READS = 1 << 7, /* reads in transactions of unknown outcome */
    FMT_TEXTS = 1 << 8,         /* keys and values that are not integers */
    FMT_TIMES = 1 << 9,
    FMT_NAMES = 1 << 10,  /* names of sessions, names and numbers of transactions */
    FMT_FAILED = 1 << 11, /* operations that failed */
    FMT_STATEMENTS = 1 << 12,
    FMT_EMPTY = 1 << 13, /* transactions without operations, sessions without transactions */
    FMT_UNKNOWN_INSIDE = 1 << 14, /* an unknown outcome that is not the last of its session */
    FMT_ABORTED_READS = 1 << 15,  /* reads in aborted transactions */
    FMT_EXECUTION = 1 << 16,      /* arbitration and visibility of a counterexample */
    FMT_PREDICATES = 1 << 17,     /* reads of several rows */
    FMT_ROWS = 1 << 18,           /* values with fields */
    FMT_INTERVALS = 1 << 19       /* when begins were answered and commits asked for */
};

size_t fmt_count(void);
const struct format *fmt_at(size_t i);
const struct format *fmt_find(const char *name); /* or NULL */
/* The format that recognises the content with the greatest certainty; NULL if none does. */
const struct format *fmt_detect(const struct fmt_input *in);

struct fmt_result {
    struct history *history;
    const struct format *format;
    const char *path; /* what was read; for a folder with one history, that file */
    fmt_notes notes;  /* texts owned by the arena of messages; free with vec_free */
};

/* path: a file, a folder, or "-".  format: a name, or NULL for detection by content. */
const char *fmt_read(const char *path, const char *format, struct arena *messages,
                     struct fmt_result *out);
/* As fmt_read, from memory. */
const char *fmt_parse(const struct fmt_input *in, const struct format *format,
                      struct arena *messages, struct fmt_result *out);

/* NULL, or an error that says which loss would change verdicts; other losses become notes. */
const char *fmt_check_losses(const struct history *h, const struct format *f,
                             struct arena *messages, fmt_notes *notes);
/* Check for losses, then write to `path` ("-": standard output), completely or not at all. */
const char *fmt_write(const struct history *h, const struct format *f, const char *path,
                      struct arena *messages, fmt_notes *notes);

/* Are two histories equal in sessions, transactions and operations?  The numbering of keys, the
 * interleaving of sessions and the spelling of initial values do not count; times, names and
 * write ids count only if `keeps` lists them.  NULL, or the first difference.  For tests of
 * conversions. */
const char *fmt_difference(const struct history *a, const struct history *b, unsigned keeps,
                           struct arena *messages);

#endif
