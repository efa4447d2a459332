/* What the formats share: the formats themselves, for the table, and the numbering that the writers
 * of integer-only formats need. */
#ifndef HISTORY_FORMAT_FORMAT_INTERNAL_H
#define HISTORY_FORMAT_FORMAT_INTERNAL_H

#include "base/map.h"
#include "base/scan.h"
#include "history/format/formats.h"

extern const struct format fmt_jsonl, fmt_edn, fmt_elle, fmt_dbcop, fmt_cobra, fmt_cobra_ids,
    fmt_viper, fmt_plume, fmt_blocks;

/* Writers in files of their own. */
void fmt_write_jsonl(const struct history *h, FILE *file);
void fmt_write_edn(const struct history *h, FILE *file);

/* Reads a whole file and decompresses it.  The caller frees the data with mem_free. */
const char *fmt_load_file(const char *path, struct arena *messages, struct fmt_file *out);
/* The files of a folder that are to be read: those of all sessions, or the one history of the
 * folder, which is then the input as if it had been named itself.  named: the format that the user
 * named, or NULL. */
const char *fmt_load_folder(const char *path, const struct format *named, struct arena *messages,
                            struct fmt_input *in);
/* If the file only accompanies a history (version orders, certificates, results): a sentence that
 * says so, else NULL. */
const char *fmt_companion(const struct fmt_file *file);
/* An EDN map with :valid? and without :type, as Jepsen writes it beside a history. */
bool fmt_is_jepsen_results(const struct fmt_file *file);

/* The name of a session's file, without folder and extensions. */
const char *fmt_base_name(struct arena *a, const char *path);

/* A map from pairs of numbers to numbers.  base/map.h has 64-bit keys, so pairs are stored by their
 * hash, and a pair whose hash is taken is stored under a hash of that hash. */
struct fmt_pair_item {
    uint64_t a, b, value;
};
struct fmt_pairs {
    struct map slots; /* hash → index in items */
    VEC(struct fmt_pair_item) items;
};
/* The value, or NULL. */
uint64_t *fmt_pairs_get(const struct fmt_pairs *p, uint64_t a, uint64_t b);
/* The value, which is `initial` if the pair is new. */
uint64_t *fmt_pairs_put(struct fmt_pairs *p, uint64_t a, uint64_t b, uint64_t initial, bool *fresh);
void fmt_pairs_free(struct fmt_pairs *p);

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
/* The reverse.  FMT_INTEGER: the value itself; FMT_LITERAL: the text of a number, true or false, as
 * JSON and EDN spell them. */
struct fmt_named {
    enum { FMT_INTEGER, FMT_LITERAL, FMT_STRING, FMT_KEYWORD, FMT_ROW } kind;
    const char *s;
    size_t n;
};
struct fmt_named fmt_value_name(const struct history *h, int64_t value);

/* How a history looks in a format that knows only integers and one initial value for every key.
 * Keys that are texts get numbers that no other key has.  A read of a key's initial value becomes
 * a read of the format's; fmt_check_losses has made sure that this cannot be confused. */
struct fmt_numbers {
    const struct history *h;
    int64_t *keys;
    struct hist_value *initials; /* of the history, by key */
    int64_t initial;             /* of the format */
};

struct fmt_numbers fmt_numbers_new(const struct history *h, int64_t initial);
void fmt_numbers_free(struct fmt_numbers *n);
static inline int64_t fmt_key_number(const struct fmt_numbers *n, uint32_t key)
{
    return n->keys[key];
}
/* The operation's value in the format.  Values that have names are numbered from 1 on, so that 0
 * stays free for the initial value. */
static inline int64_t fmt_value_number(const struct fmt_numbers *n, const struct hist_op *op)
{
    struct hist_value v = hist_op_value(op);
    if (op->kind == HIST_READ && hist_value_eq(v, n->initials[op->key]))
        return n->initial;
    return v.value + (n->h->value_names.names.len > 0);
}

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
