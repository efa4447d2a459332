/* What the formats share: the formats themselves, for the table, and the numbering that the writers
 * of integer-only formats need. */
#ifndef HISTORY_FORMAT_FORMAT_INTERNAL_H
#define HISTORY_FORMAT_FORMAT_INTERNAL_H

#include "base/map.h"
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

#endif
