/* What the files fmt_*.c share: the formats themselves, for the table, and the numbering that the
 * integers-only writers need. */
#ifndef HISTORY_FMT_FORMATS_H
#define HISTORY_FMT_FORMATS_H

#include "history/formats.h"

extern const struct format fmt_jsonl, fmt_edn, fmt_dbcop, fmt_cobra, fmt_cobra_ids, fmt_viper,
    fmt_plume, fmt_blocks;

/* The name of a session's file, without folder and extensions. */
const char *fmt_base_name(struct arena *a, const char *path);

/* How a history looks in a format that knows only integers and one initial value for every key.
 * Keys that are texts get numbers that no other key has.  A read of a key's initial value becomes
 * a read of the format's; fmt_check_losses has made sure that this cannot be confused. */
struct fmt_numbers {
    const struct history *h;
    int64_t *keys;
    struct hist_value *initials; /* of the history, by key */
    struct hist_value initial;   /* of the format */
};

struct fmt_numbers fmt_numbers_new(const struct history *h, struct hist_value initial);
void fmt_numbers_free(struct fmt_numbers *n);
static inline int64_t fmt_key_number(const struct fmt_numbers *n, uint32_t key)
{
    return n->keys[key];
}
/* The operation's value as the format says it. */
static inline struct hist_value fmt_value(const struct fmt_numbers *n, const struct hist_op *op)
{
    struct hist_value v = hist_op_value(op);
    return op->kind == HIST_READ && hist_value_eq(v, n->initials[op->key]) ? n->initial : v;
}
static inline int64_t fmt_value_number(const struct fmt_numbers *n, const struct hist_op *op)
{
    return fmt_value(n, op).value;
}

#endif
