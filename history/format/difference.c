/* Whether two histories are equal, for the tests of readers, writers and conversions.
 *
 * Each session becomes a text, one line per transaction and operation, by names, because formats
 * number keys and interleave sessions differently; the texts are sorted and compared.  A read of a
 * key's initial value equals a read of the other's initial value, whatever the values are: formats
 * spell it differently. */
#include "history/format/format_internal.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/strbuf.h"

struct side {
    const struct history *h;
    struct hist_value *initials;
    unsigned keeps;
};

static void list_text(const struct history *h, const struct hist_op *op, struct strbuf *out)
{
    for (uint32_t i = 0; i < op->list.len; i++) {
        sb_putc(out, i ? ' ' : '[');
        hist_value_to_text(h, hist_int(h->lists.data[op->list.start + i]), out);
    }
    sb_puts(out, op->list.len ? "]" : "[]");
}

static void op_text(const struct side *s, uint32_t index, struct strbuf *out)
{
    static const char *const kinds[] = {"read", "write", "append", "list read"};
    const struct hist_op *op = &s->h->ops.data[index];
    struct hist_value v = hist_op_value(op);
    if (op->flags & HIST_OP_FAILED && !(s->keeps & FMT_FAILED))
        return;
    sb_printf(out, "  %s ", kinds[op->kind]);
    if (s->keeps & FMT_TEXTS)
        hist_key_text(s->h, op->key, out);
    sb_putc(out, ' ');
    if (op->kind == HIST_LIST_READ)
        list_text(s->h, op, out);
    else if (op->kind == HIST_READ && hist_value_eq(v, s->initials[op->key]))
        sb_puts(out, "initial");
    else if (s->keeps & FMT_TEXTS || !s->h->value_names.names.len)
        hist_value_to_text(s->h, v, out);
    else
        sb_printf(out, "%" PRId64, v.value + 1); /* as fmt_value_number has it */
    if (s->keeps & FMT_WRITE_IDS)
        sb_printf(out, " id %" PRIu64 " initial %d", s->h->write_ids ? s->h->write_ids[index] : 0,
                  !!(op->flags & HIST_OP_INITIAL));
    if (op->flags & HIST_OP_FAILED)
        sb_puts(out, " failed");
    if (s->keeps & FMT_STATEMENTS && op->flags & HIST_OP_SAME_STMT)
        sb_puts(out, " same statement");
    sb_putc(out, '\n');
}

static void txn_text(const struct side *s, uint32_t txn, struct strbuf *out)
{
    const struct history *h = s->h;
    const struct hist_txn *t = &h->txns.data[txn];
    struct hist_times time = hist_txn_time(h, txn);
    size_t start = out->len;
    sb_printf(out, "transaction %d", t->status);
    if (s->keeps & FMT_TIMES)
        sb_printf(out, " from %" PRId64 " to %" PRId64, time.begin_asked, time.commit_answered);
    if (s->keeps & FMT_INTERVALS)
        sb_printf(out, " by %" PRId64 ", from %" PRId64, time.begin_answered, time.commit_asked);
    if (s->keeps & FMT_NAMES) {
        sb_printf(out, " label %" PRIu64, h->labels ? h->labels[txn] : HIST_NO_LABEL);
        if (h->names && h->names[txn] != HIST_NONE)
            sb_printf(out, " name %s", intern_name(&h->texts, h->names[txn]));
    }
    sb_putc(out, '\n');
    size_t empty = out->len;
    bool reads = t->status != HIST_ABORTED || s->keeps & FMT_ABORTED_READS;
    for (uint32_t i = t->first_op; i < t->first_op + t->op_count; i++)
        if (reads || h->ops.data[i].kind == HIST_WRITE || h->ops.data[i].kind == HIST_APPEND)
            op_text(s, i, out);
    if (out->len == empty && !(s->keeps & FMT_EMPTY))
        out->data[out->len = start] = 0;
}

static int compare(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The texts of the sessions that have transactions, sorted. */
static char **session_texts(const struct side *s, size_t *count)
{
    const struct history *h = s->h;
    char **texts = mem_calloc(h->session_count + 1, sizeof *texts);
    *count = 0;
    for (uint32_t i = 0; i < h->session_count; i++) {
        struct strbuf b = {0};
        if (s->keeps & FMT_NAMES && h->session_names.data[i] != HIST_NONE)
            sb_printf(&b, "session %s\n", intern_name(&h->texts, h->session_names.data[i]));
        size_t empty = b.len;
        for (uint32_t j = h->index.session_start[i]; j < h->index.session_start[i + 1]; j++)
            txn_text(s, h->index.session_txns[j], &b);
        if (b.len > empty)
            texts[(*count)++] = mem_strdup(sb_str(&b));
        sb_free(&b);
    }
    qsort(texts, *count, sizeof *texts, compare);
    return texts;
}

static const char *first_difference(const char *a, const char *b, struct arena *messages)
{
    size_t line = 0;
    for (size_t i = 0; a[i] && a[i] == b[i]; i++)
        if (a[i] == '\n')
            line = i + 1;
    return arena_printf(messages, "`%.*s`, `%.*s`", (int)strcspn(a + line, "\n"), a + line,
                        (int)strcspn(b + line, "\n"), b + line);
}

const char *fmt_difference(const struct history *a, const struct history *b, unsigned keeps,
                           struct arena *messages)
{
    size_t na, nb;
    struct side sa = {a, hist_initial_values(a), keeps}, sb = {b, hist_initial_values(b), keeps};
    char **ta = session_texts(&sa, &na), **tb = session_texts(&sb, &nb);
    const char *error = NULL;
    if (na != nb)
        error = arena_printf(messages, "%zu sessions, %zu sessions", na, nb);
    for (size_t i = 0; !error && i < na; i++)
        if (strcmp(ta[i], tb[i]))
            error = first_difference(ta[i], tb[i], messages);
    for (size_t i = 0; i < na; i++)
        mem_free(ta[i]);
    for (size_t i = 0; i < nb; i++)
        mem_free(tb[i]);
    mem_free(ta);
    mem_free(tb);
    mem_free(sa.initials);
    mem_free(sb.initials);
    return error;
}
