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
 * history or give a message with a place: nothing in between.
 *
 * Writers never lose anything silently.  What would change a verdict (an unknown outcome where the
 * format knows none, null where there is no null, …) is an error that names it; what only costs
 * names or timestamps is a note. */
#ifndef HISTORY_FORMAT_FORMATS_H
#define HISTORY_FORMAT_FORMATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/vec.h"
#include "history/history.h"

/* One file, whole and decompressed.  data[size] is NUL. */
struct fmt_file {
    const char *path;
    const char *data;
    size_t size;
    const char *shown; /* NULL: data; else what the user wrote, of the same size, for messages */
};

/* What a reader gets: one file, or those of a folder in natural order (T2 before T10). */
struct fmt_input {
    const char *path;
    bool folder;
    VEC(struct fmt_file) files;
};

typedef VEC(const char *) fmt_notes;

/* What a reader knows besides the bytes.  A format that finds out late that its values are not all
 * integers sets text_values and `again`: it is then called a second time, with a new history. */
struct fmt_context {
    struct arena *messages; /* owns error messages and notes */
    fmt_notes *notes;
    bool text_values, again;
    /* What was found to be wrong with a transaction when everything was there: the second reading
     * is only to find its place (fmt_complaint). */
    const char *complaint;
    uint32_t complaint_txn;
};

enum fmt_match { FMT_NO, FMT_MAYBE, FMT_SURE };

struct format {
    const char *name;  /* as on the command line: "dbcop" */
    const char *title; /* a few words for --help and the documentation */
    bool folder;       /* the input may be a folder, a file for each session */
    enum fmt_match (*detect)(const struct fmt_input *in);
    /* NULL, or a message with its place.  hist_finish is the caller's. */
    const char *(*read)(const struct fmt_input *in, struct fmt_context *c, struct history *h);
    /* NULL function: this format is only read.  The history can be written (fmt_check_losses). */
    void (*write)(const struct history *h, FILE *out);
    unsigned keeps;      /* bit set of enum fmt_feature: what a written file can say */
    bool null_initial;   /* every key is null at first; else 0 */
    bool unless_written; /* … except that a key to which the history writes 0 is null at first */
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
/* The format that claims the content most surely; NULL if none does. */
const struct format *fmt_detect(const struct fmt_input *in);

struct fmt_result {
    struct history *history;
    const struct format *format;
    const char *path; /* what was read: of a folder that stands for one file, that file */
    fmt_notes notes;  /* texts owned by the arena of messages; free with vec_free */
};

/* path: a file, a folder, or "-".  format: a name, or NULL for detection by content. */
const char *fmt_read(const char *path, const char *format, struct arena *messages,
                     struct fmt_result *out);
/* As fmt_read, from memory. */
const char *fmt_parse(const struct fmt_input *in, const struct format *format,
                      struct arena *messages, struct fmt_result *out);

/* What would be lost: NULL, or an error for what changes verdicts; the rest becomes notes. */
const char *fmt_check_losses(const struct history *h, const struct format *f,
                             struct arena *messages, fmt_notes *notes);
/* Check, then write to `path` ("-": standard output), whole or not at all. */
const char *fmt_write(const struct history *h, const struct format *f, const char *path,
                      struct arena *messages, fmt_notes *notes);

/* Do they say the same: sessions, transactions, operations, up to how keys are numbered, sessions
 * interleaved and initial values spelt?  Of times, names and write ids only what `keeps` lists.
 * NULL, or the first difference.  For tests of conversions. */
const char *fmt_difference(const struct history *a, const struct history *b, unsigned keeps,
                           struct arena *messages);

#endif
