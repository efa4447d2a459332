/* What a format cannot say about a history, before it is written.
 *
 * There are two kinds of loss.  Some change what a checker may answer: a null where there is no
 * null, an outcome that is unknown, a write id that tells two equal values apart.  Those are
 * errors.  The others (names, timestamps, operations that failed anyway) are notes.
 *
 * Initial values are the difficult case: most formats fix one for all keys.  If a key starts with
 * another value, reads of that value can be written as reads of the format's, as long as no other
 * operation on that key uses either value; and a key whose initial value nobody saw may start with
 * any value. */
#include "history/format/format_internal.h"

#include <inttypes.h>

#include "base/map.h"
#include "base/strbuf.h"

/* --- numbering ----------------------------------------------------------------------------- */

struct fmt_numbers fmt_numbers_new(const struct history *h, int64_t initial)
{
    struct fmt_numbers n = {.h = h, .initial = initial};
    n.keys = mem_alloc(mem_mul(h->keys.len + 1, sizeof *n.keys));
    n.initials = hist_initial_values(h);
    struct map used = {0};
    for (size_t i = 0; h->key_texts.names.len && i < h->keys.len; i++)
        if (h->keys.data[i].text == HIST_NONE)
            map_put(&used, (uint64_t)h->keys.data[i].number, 1, NULL);
    int64_t next = 0;
    for (size_t i = 0; i < h->keys.len; i++) {
        if (h->keys.data[i].text == HIST_NONE) {
            n.keys[i] = h->keys.data[i].number;
            continue;
        }
        while (map_get(&used, (uint64_t)next))
            next++;
        n.keys[i] = next++;
    }
    map_free(&used);
    return n;
}

void fmt_numbers_free(struct fmt_numbers *n)
{
    mem_free(n->keys);
    mem_free(n->initials);
    *n = (struct fmt_numbers){0};
}

/* --- initial values ------------------------------------------------------------------------ */

/* What the operations on a key do with its own initial value and with the format's. */
enum { READS_OWN = 1, WRITES_OWN = 2, READS_THEIRS = 4, WRITES_THEIRS = 8 };

static bool initial_fits(const struct format *f, unsigned use, bool same)
{
    if (same)
        return !f->unless_written || (use & (READS_OWN | WRITES_OWN)) != (READS_OWN | WRITES_OWN);
    if (!(use & (READS_OWN | READS_THEIRS)))
        return true;
    if (!(use & READS_OWN))
        return f->unless_written && use & WRITES_THEIRS;
    return !(use & (WRITES_OWN | READS_THEIRS | WRITES_THEIRS));
}

/* HIST_NONE, or the first key whose initial value cannot be written.  *renamed: the format's stands
 * for another one that was read. */
static uint32_t bad_initial(const struct history *h, const struct format *f,
                            const struct hist_value *own, bool *renamed)
{
    /* Named values are numbered from 1 on, see fmt_value_number: none of them is 0. */
    bool free_zero = h->value_names.names.len && !(f->keeps & FMT_TEXTS);
    struct hist_value theirs = f->null_initial ? hist_null() : hist_int(free_zero ? -1 : 0);
    uint8_t *use = mem_calloc(h->keys.len + 1, 1);
    for (size_t i = 0; i < h->ops.len; i++) {
        const struct hist_op *op = &h->ops.data[i];
        if ((op->kind != HIST_READ && op->kind != HIST_WRITE) || op->flags & HIST_OP_FAILED)
            continue;
        struct hist_value v = hist_op_value(op);
        bool read = op->kind == HIST_READ;
        if (hist_value_eq(v, own[op->key]))
            use[op->key] |= read ? READS_OWN : WRITES_OWN;
        if (hist_value_eq(v, theirs))
            use[op->key] |= read ? READS_THEIRS : WRITES_THEIRS;
    }
    uint32_t bad = HIST_NONE;
    for (uint32_t k = 0; bad == HIST_NONE && k < h->keys.len; k++) {
        bool same = hist_value_eq(own[k], theirs);
        *renamed |= !same && use[k] & READS_OWN;
        if (!initial_fits(f, use[k], same))
            bad = k;
    }
    mem_free(use);
    return bad;
}

/* --- write ids ----------------------------------------------------------------------------- */

/* Whether reads can be matched by value alone: a read that names a write gives a value that only
 * this write wrote, and a read marked as initial gives the initial value, which nobody wrote. */
static bool values_decide(const struct history *h, const struct hist_value *initials)
{
    struct fmt_pairs writer = {0}; /* (key and whether null, value) → operation */
    const uint64_t several = UINT64_MAX;
    bool decide = true;
    for (size_t i = 0; i < h->ops.len; i++) {
        const struct hist_op *op = &h->ops.data[i];
        if (op->kind != HIST_WRITE || op->flags & HIST_OP_FAILED)
            continue;
        uint64_t *w = fmt_pairs_put(&writer, op->key * 2ull + !!(op->flags & HIST_OP_NULL),
                                    (uint64_t)op->value, i, NULL);
        if (*w != i)
            *w = several;
    }
    for (size_t i = 0; decide && i < h->ops.len; i++) {
        const struct hist_op *op = &h->ops.data[i];
        if (op->kind != HIST_READ || op->flags & HIST_OP_FAILED)
            continue;
        const uint64_t *w = fmt_pairs_get(&writer, op->key * 2ull + !!(op->flags & HIST_OP_NULL),
                                          (uint64_t)op->value);
        if (op->flags & HIST_OP_INITIAL)
            decide = !w && hist_value_eq(hist_op_value(op), initials[op->key]);
        else if (h->write_ids && h->write_ids[i])
            decide = w && *w != several && h->write_ids[*w] == h->write_ids[i];
    }
    fmt_pairs_free(&writer);
    return decide;
}

/* --- everything ---------------------------------------------------------------------------- */

static unsigned used_by_ops(const struct history *h, const struct hist_value *initials)
{
    unsigned used = 0;
    bool ids = h->write_ids != NULL;
    for (size_t i = 0; i < h->ops.len; i++) {
        const struct hist_op *op = &h->ops.data[i];
        if (op->flags & HIST_OP_FAILED) {
            used |= FMT_FAILED;
            continue;
        }
        if (op->flags & HIST_OP_NULL && (op->kind == HIST_WRITE || !initials[op->key].null))
            used |= FMT_NULLS;
        if (op->kind == HIST_APPEND || op->kind == HIST_LIST_READ)
            used |= FMT_LISTS;
        if (op->flags & HIST_OP_SAME_STMT)
            used |= FMT_STATEMENTS;
        ids |= op->flags & HIST_OP_INITIAL;
    }
    if (ids && !values_decide(h, initials))
        used |= FMT_WRITE_IDS;
    return used;
}

static unsigned used_by_txns(const struct history *h)
{
    unsigned used = 0;
    for (uint32_t i = 0; i < h->txns.len; i++) {
        const struct hist_txn *t = &h->txns.data[i];
        bool aborted = t->status == HIST_ABORTED;
        if (t->op_count == 0)
            used |= FMT_EMPTY;
        if (t->status == HIST_COMMITTED)
            continue;
        used |= aborted ? FMT_ABORTED : FMT_UNKNOWN;
        if (!aborted && h->index.session_txns[h->index.session_start[t->session + 1] - 1] != i)
            used |= FMT_UNKNOWN_INSIDE;
        const struct hist_op *op = hist_txn_ops(h, i);
        for (uint32_t j = 0; j < t->op_count; j++)
            if (op[j].kind == HIST_READ || op[j].kind == HIST_LIST_READ)
                used |= aborted ? FMT_ABORTED_READS : FMT_UNKNOWN_READS;
    }
    return used;
}

/* Does it say more than between which two times the whole transaction was? */
static bool has_intervals(const struct hist_times *t)
{
    return (t->begin_answered != HIST_NO_TIME && t->begin_answered != t->commit_answered) ||
           (t->commit_asked != HIST_NO_TIME && t->commit_asked != t->begin_asked);
}

static unsigned used_besides(const struct history *h)
{
    unsigned used = 0;
    if (h->version_orders.len)
        used |= FMT_VERSIONS;
    if (h->predicates.len)
        used |= FMT_PREDICATES;
    for (size_t i = 0; i < h->value_names.names.len; i++)
        if (*intern_name(&h->value_names, (uint32_t)i) == '{')
            used |= FMT_ROWS;
    if (h->key_texts.names.len || h->value_names.names.len)
        used |= FMT_TEXTS;
    if (h->times)
        used |= FMT_TIMES;
    for (size_t i = 0; h->times && i < h->txns.len; i++)
        if (has_intervals(&h->times[i]))
            used |= FMT_INTERVALS;
    if (h->labels || h->names)
        used |= FMT_NAMES;
    if (h->arbitration.len || h->visibility.len)
        used |= FMT_EXECUTION;
    for (uint32_t s = 0; s < h->session_count; s++) {
        if (h->session_names.data[s] != HIST_NONE)
            used |= FMT_NAMES;
        if (h->index.session_start[s] == h->index.session_start[s + 1])
            used |= FMT_EMPTY;
    }
    return used;
}

static const struct {
    enum fmt_feature feature;
    bool error;
    const char *text;
} losses[] = {
    {FMT_ABORTED, true, "aborted transactions"},
    {FMT_UNKNOWN, true, "transactions of unknown outcome"},
    {FMT_NULLS, true, "null values"},
    {FMT_LISTS, true, "lists"},
    {FMT_WRITE_IDS, true, "write ids, which tell equal values apart"},
    {FMT_VERSIONS, true, "version orders"},
    {FMT_UNKNOWN_READS, true, "reads of transactions of unknown outcome"},
    {FMT_UNKNOWN_INSIDE, true,
     "transactions of unknown outcome that are not the last of their session"},
    {FMT_PREDICATES, true, "reads of several rows at once"},
    {FMT_ROWS, true, "rows with fields"},
    {FMT_TEXTS, false, "keys or values that are not integers (numbered instead)"},
    {FMT_TIMES, false, "timestamps"},
    {FMT_INTERVALS, false, "when begins were answered and commits asked for"},
    {FMT_NAMES, false, "names and numbers of sessions and transactions"},
    {FMT_ABORTED_READS, false, "reads of aborted transactions"},
    {FMT_FAILED, false, "operations that failed"},
    {FMT_STATEMENTS, false, "which operations form one statement"},
    {FMT_EMPTY, false, "transactions without operations and sessions without transactions"},
    {FMT_EXECUTION, false, "how the counterexample ran"},
};

static void list_losses(struct strbuf *out, unsigned lost, bool error)
{
    for (size_t i = 0; i < sizeof losses / sizeof *losses; i++)
        if (lost & losses[i].feature && losses[i].error == error)
            sb_printf(out, "%s%s", out->len ? ", " : "", losses[i].text);
}

const char *fmt_check_losses(const struct history *h, const struct format *f,
                             struct arena *messages, fmt_notes *notes)
{
    if (!f->write)
        return arena_printf(messages, "the format %s is only read, not written", f->name);
    struct hist_value *initials = hist_initial_values(h);
    unsigned lost = (used_by_ops(h, initials) | used_by_txns(h) | used_besides(h)) & ~f->keeps;
    struct strbuf error = {0}, note = {0};
    if (lost & FMT_TIMES)
        lost &= ~(unsigned)FMT_INTERVALS;
    list_losses(&error, lost, true);
    list_losses(&note, lost, false);
    bool renamed = false;
    uint32_t key = f->keeps & FMT_INITIALS ? HIST_NONE : bad_initial(h, f, initials, &renamed);
    if (renamed)
        sb_printf(&note,
                  "%sinitial values (reads of them became reads of %s, which no verdict "
                  "depends on)",
                  note.len ? ", " : "", f->null_initial ? "null" : "0");
    if (key != HIST_NONE) {
        sb_printf(&error, "%sthe initial value of key ", error.len ? ", " : "");
        hist_key_text(h, key, &error);
    }
    mem_free(initials);
    const char *result = NULL;
    if (error.len)
        result = arena_printf(messages, "the format %s cannot express %s (jsonl can)", f->name,
                              sb_str(&error));
    else if (note.len)
        vec_push(notes,
                 arena_printf(messages, "lost in the format %s: %s", f->name, sb_str(&note)));
    sb_free(&error);
    sb_free(&note);
    return result;
}
