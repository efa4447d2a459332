/* See looks.h. */
#include "report/page/looks.h"

#include <string.h>

#include "history/predicate.h"
#include "report/page/words.h"

#define LONGEST (4 * WORDS_LONG)

static bool is_new(const struct history *h, uint32_t key)
{
    return key >= h->keys.len - h->lowered.keys;
}

static uint32_t text_of(const struct history *h, uint32_t key)
{
    return h->lowered.texts.data[key - (h->keys.len - h->lowered.keys)];
}

bool look_is_match(const struct history *h, uint32_t key)
{
    return is_new(h, key) && text_of(h, key) != HIST_NONE;
}

bool look_is_item(const struct history *h, uint32_t key)
{
    return is_new(h, key) && text_of(h, key) == HIST_NONE;
}

bool look_is_search(const struct history *h, uint32_t op)
{
    const struct hist_op *o = &h->ops.data[op];
    return o->kind == HIST_READ && !(o->flags & HIST_OP_ANY) &&
           (o->flags & HIST_OP_NOT_FOUND || look_is_match(h, o->key));
}

/* As lower_copy.c writes it. */
bool look_matches(const struct history *h, uint32_t op)
{
    const struct hist_op *o = &h->ops.data[op];
    if (o->flags & HIST_OP_NULL)
        return false;
    if (!h->value_names.names.len)
        return o->value & 1;
    return !strncmp(intern_name(&h->value_names, (uint32_t)o->value), "yes", 3);
}

uint32_t look_row(const struct history *h, uint32_t key)
{
    return is_new(h, key) ? h->lowered.rows.data[key - (h->keys.len - h->lowered.keys)] : key;
}

void look_condition(const struct history *h, uint32_t key, struct strbuf *out)
{
    const char *text = intern_name(&h->texts, text_of(h, key));
    words_safe(text, strlen(text), LONGEST, out);
}

static const struct hist_predicate *range_of(const struct history *h, uint32_t op)
{
    for (uint32_t i = hist_first_predicate(h, hist_op_txn(h, op)); i < h->predicates.len; i++) {
        const struct hist_predicate *q = &h->predicates.data[i];
        if (op >= q->first_op && op < q->first_op + q->rows)
            return q->kind == HIST_RANGE ? q : NULL;
    }
    return NULL;
}

void look_target(const struct history *h, uint32_t op, struct strbuf *out)
{
    uint32_t key = h->ops.data[op].key;
    if (look_is_match(h, key)) {
        bool all = !strcmp(intern_name(&h->texts, text_of(h, key)), PRED_ALL);
        sb_puts(out, all ? "all rows" : "rows where ");
        if (!all)
            look_condition(h, key, out);
        return;
    }
    const struct hist_predicate *q = range_of(h, op);
    struct strbuf raw = {0};
    if (q)
        pred_text(h, q, &raw);
    sb_puts(out, q ? "the range " : "a range of keys");
    words_safe(sb_str(&raw), raw.len, LONGEST, out);
    sb_free(&raw);
}
