/* Histories as text: names of keys, values, operations and transactions, and `--dump history`. */
#include <assert.h>
#include <inttypes.h>

#include "base/strbuf.h"
#include "base/text.h"
#include "history/history.h"
#include "history/predicate.h"

void hist_key_text(const struct history *h, uint32_t key, struct strbuf *out)
{
    const struct hist_key_name *k = &h->keys.data[key];
    if (k->text == HIST_NONE)
        sb_printf(out, "%" PRId64, k->number);
    else
        sb_puts(out, intern_name(&h->key_texts, k->text));
}

void hist_value_to_text(const struct history *h, struct hist_value v, struct strbuf *out)
{
    if (v.null)
        sb_puts(out, "null");
    else if (h->value_names.names.len && v.value >= 0 &&
             (uint64_t)v.value < h->value_names.names.len)
        sb_puts(out, intern_name(&h->value_names, (uint32_t)v.value));
    else
        sb_printf(out, "%" PRId64, v.value);
}

static void list_text(const struct history *h, const struct hist_op *op, struct strbuf *out)
{
    sb_putc(out, '[');
    for (uint32_t i = 0; i < op->list.len; i++) {
        if (i)
            sb_putc(out, ' ');
        hist_value_to_text(h, hist_int(h->lists.data[op->list.start + i]), out);
    }
    sb_putc(out, ']');
}

void hist_op_text(const struct history *h, uint32_t index, struct strbuf *out)
{
    const struct hist_op *op = &h->ops.data[index];
    bool read = op->kind == HIST_READ || op->kind == HIST_LIST_READ;
    if (op->flags & HIST_OP_ANY) {
        sb_puts(out, "row ");
        hist_key_text(h, op->key, out);
        sb_puts(out, " of ");
        pred_result_text(h, pred_of_row(h, index), out);
        return;
    }
    sb_puts(out, read ? "read(" : op->kind == HIST_WRITE ? "write(" : "append(");
    hist_key_text(h, op->key, out);
    sb_puts(out, read ? ") = " : ", ");
    if (op->kind == HIST_LIST_READ)
        list_text(h, op, out);
    else
        hist_value_to_text(h, hist_op_value(op), out);
    if (!read)
        sb_putc(out, ')');
}

void hist_txn_text(const struct history *h, uint32_t txn, struct strbuf *out)
{
    const struct hist_txn *t = &h->txns.data[txn];
    if (h->names && h->names[txn] != HIST_NONE)
        sb_puts(out, intern_name(&h->texts, h->names[txn]));
    else if (h->labels && h->labels[txn] != HIST_NO_LABEL)
        sb_printf(out, "T%" PRIu64, h->labels[txn]);
    else
        sb_printf(out, "T%" PRIu64 ".%" PRIu32, hist_session_number(h, t->session), t->index);
}

const char *hist_of_txn(const struct history *h, uint32_t txn, const char *what, struct arena *a)
{
    struct strbuf b = {0};
    hist_txn_text(h, txn, &b);
    const char *text = arena_printf(a, "transaction %s %s", sb_str(&b), what);
    sb_free(&b);
    return text;
}

const char *hist_of_op(const struct history *h, uint32_t op, const char *what, struct arena *a)
{
    struct strbuf b = {0};
    hist_op_text(h, op, &b);
    sb_puts(&b, " of ");
    hist_txn_text(h, hist_op_txn(h, op), &b);
    const char *text = arena_printf(a, "%s %s", sb_str(&b), what);
    sb_free(&b);
    return text;
}
