/* What a reader of a format is given, what it returns, and what the readers share.  The table of
 * formats is in formats.h. */
#ifndef HISTORY_FORMAT_READER_H
#define HISTORY_FORMAT_READER_H

#include "base/scan.h"
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

/* What a reader knows besides the bytes.  A reader that finds out late that its values are not all
 * integers sets text_values and `again`, and is then called a second time with a new history. */
struct fmt_context {
    struct arena *messages; /* owns error messages and notes */
    fmt_notes *notes;
    bool text_values, again;
    /* An error that hist_finish found in a transaction.  The file is read a second time only to
     * find the place of that transaction (fmt_complaint). */
    const char *complaint;
    uint32_t complaint_txn;
};

/* NULL, or an error message with its place.  Does not finish the history. */
typedef const char *fmt_reader(const struct fmt_input *in, struct fmt_context *c,
                               struct history *h);

/* The finished history that the reader makes of the files; or an error with its place. */
const char *fmt_read_history(const struct fmt_input *in, fmt_reader *read, struct arena *messages,
                             fmt_notes *notes, struct history **out);

/* hist_key_int for readers of large files: keys that are small numbers, as is usual, are looked up
 * in an array instead of a hash table.  A zeroed struct is empty. */
struct fmt_keys {
    VEC(uint32_t) ids; /* by number: the key + 1, or 0 */
};
uint32_t fmt_new_key(struct fmt_keys *k, struct history *h, int64_t number);
static inline uint32_t fmt_key_int(struct fmt_keys *k, struct history *h, int64_t number)
{
    if ((uint64_t)number < k->ids.len && k->ids.data[number])
        return k->ids.data[number] - 1;
    return fmt_new_key(k, h, number);
}

/* The key and the value of a JSON scalar (json.h).  fmt_json_value returns the error of
 * fmt_need_text_values. */
struct js_scalar;
uint32_t fmt_json_key(struct history *h, const struct js_scalar *k);
const char *fmt_json_value(struct fmt_context *c, struct history *h, const struct js_scalar *v,
                           struct hist_value *out);

/* A colon and a symbol. */
bool fmt_is_keyword(const char *s, size_t n);
/* Values as histories hold them; integers too are interned when c->text_values is set. */
struct hist_value fmt_int_value(struct fmt_context *c, struct history *h, int64_t v);
struct hist_value fmt_text_value(struct history *h, const char *s, size_t n);
/* For a reader that meets the first value that is not an integer: it has to start again, with this
 * error.  NULL: it knew already. */
const char *fmt_need_text_values(struct fmt_context *c);
static inline struct scan fmt_scan(const struct fmt_file *f, struct fmt_context *c)
{
    return (struct scan){.p = f->data,
                         .end = f->data + f->size,
                         .start = f->data,
                         .path = f->path,
                         .messages = c->messages,
                         .shown = f->shown ? f->shown : f->data,
                         .counted = f->data,
                         .line = 1};
}

/* NULL, or the complaint about a transaction once this many were read; `at`: the place of the
 * last. */
static inline const char *fmt_complaint(const struct scan *s, const struct fmt_context *c,
                                        uint64_t txns, const char *at)
{
    return c->complaint && txns > c->complaint_txn ? scan_error(s, at, "%s", c->complaint) : NULL;
}

#endif
