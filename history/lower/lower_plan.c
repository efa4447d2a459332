/* New keys and the operations on them; see lower.h. */
#include "history/lower/lower_internal.h"

#define MAX_OPS ((size_t)40 << 20) /* planned operations: more would not fit anyway */

static uint32_t class_of(struct lowering *d, const char *identity, const char *text)
{
    uint32_t id = intern_add(&d->classes, identity, strlen(identity));
    if (id == d->class_texts.len)
        vec_push(&d->class_texts, arena_strdup(&d->names, text));
    return id;
}

#define ITEM "item"

uint32_t lower_item_class(struct lowering *d)
{
    return class_of(d, ITEM, ITEM);
}

/* With and without version sets the new keys say different things. */
uint32_t lower_predicate_class(struct lowering *d, const struct hist_predicate *q)
{
    struct strbuf b = {0}, identity = {0};
    pred_text(d->h, q, &b);
    pred_identity(d->h, q, &identity);
    if (!q->has_set)
        sb_puts(&identity, ", in any version");
    uint32_t id = class_of(d, sb_str(&identity), sb_str(&b));
    sb_free(&b);
    sb_free(&identity);
    return id;
}

static uint32_t add_key(struct lowering *d, uint32_t class, uint32_t row, uint32_t op,
                        struct hist_value initial)
{
    struct strbuf b = {0};
    hist_key_text(d->h, row, &b);
    const char *text = d->class_texts.data[class];
    sb_printf(&b, " ? %s", text);
    if (op != HIST_NONE) {
        sb_puts(&b, " @ ");
        hist_txn_text(d->h, hist_op_txn(d->h, op), &b);
    }
    struct lower_key k = {arena_strdup(&d->names, sb_str(&b)), strcmp(text, ITEM) ? text : NULL,
                          initial, row, false};
    vec_push(&d->plan.keys, k);
    sb_free(&b);
    return (uint32_t)d->plan.keys.len - 1;
}

/* The row as a predicate sees it. */
uint32_t lower_row_key(struct lowering *d, uint32_t class, uint32_t row, struct hist_value initial,
                       bool *fresh)
{
    uint64_t *slot = map_put(&d->keys, (uint64_t)class << 32 | row, d->plan.keys.len, fresh);
    uint32_t key = (uint32_t)*slot;
    if (*fresh)
        add_key(d, class, row, HIST_NONE, initial);
    return key;
}

/* One version of it. */
uint32_t lower_single_key(struct lowering *d, uint32_t class, uint32_t row, uint32_t op)
{
    bool fresh;
    uint64_t *slot =
        map_put(&d->version_keys, (uint64_t)class << 32 | op, d->plan.keys.len, &fresh);
    uint32_t single = (uint32_t)*slot;
    if (fresh)
        add_key(d, class, row, op, hist_null());
    return single;
}

void lower_plan_op(struct lowering *d, struct lower_op op)
{
    if (d->plan.ops.len >= MAX_OPS)
        d->out->unknown = "the predicate reads have too many rows and versions in all";
    else
        vec_push(&d->plan.ops, op);
}

/* Values of the new keys: 0 and 1, does not match and matches, of the initial version and its run
 * or where that is all that matters; else the first write of the run, too, which tells the runs
 * apart.
 */
static int64_t run_value(uint32_t run, bool matches)
{
    return run == HIST_NONE ? matches : ((int64_t)run + 1) * 2 + matches;
}

/* The version of a row that write `op` made appears in the new key too. */
void lower_plan_write(struct lowering *d, uint32_t key, uint32_t op, uint32_t run, bool matches)
{
    bool fresh;
    map_put(&d->written, (uint64_t)key << 32 | op, 0, &fresh);
    if (!fresh)
        return;
    vec_push(&d->plan.versions,
             ((struct lower_version){key, d->chains.pos[op], (uint32_t)d->plan.ops.len}));
    lower_plan_op(d, (struct lower_op){.txn = d->op_txn[op],
                                       .at = op,
                                       .key = key,
                                       .write = true,
                                       .value = run_value(run, matches)});
}

void lower_plan_read(struct lowering *d, const struct hist_predicate *q, uint32_t key, uint32_t run,
                     bool matches)
{
    lower_plan_op(d, (struct lower_op){.txn = q->txn,
                                       .at = q->first_op,
                                       .key = key,
                                       .predicate = (uint32_t)(q - d->h->predicates.data),
                                       .value = run_value(run, matches)});
}
