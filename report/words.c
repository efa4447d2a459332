/* See words.h. */
#include "report/words.h"

#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "history/predicate.h"
#include "report/looks.h"

/* ---- characters ----------------------------------------------------------------------------- */

void words_safe(const char *s, size_t n, size_t longest, struct strbuf *out)
{
    if (n <= longest) {
        text_safe(s, n, out);
        return;
    }
    size_t head = text_cut(s, longest * 2 / 3);
    size_t tail = text_cut(s, n - longest / 4);
    text_safe(s, head, out);
    sb_puts(out, "…");
    text_safe(s + tail, n - tail, out);
}

void words_utf8(const char *s, size_t n, struct strbuf *out)
{
    for (size_t i = 0, len; i < n; i += len ? len : 1) {
        uint32_t code;
        len = text_decode(s + i, n - i, &code);
        if (len)
            sb_add(out, s + i, len);
        else
            sb_puts(out, "\xef\xbf\xbd");
    }
}

/* In a quoted string of DOT only the quote needs a backslash, but a label is read a second time:
 * backslashes are escapes and & starts an entity. */
void words_dot(const char *s, size_t n, struct strbuf *out)
{
    struct strbuf plain = {0};
    text_safe(s, n, &plain);
    for (size_t i = 0; i < plain.len; i++) {
        char c = plain.data[i];
        if (c == '&')
            sb_puts(out, "&amp;");
        else if (c == '\\')
            sb_puts(out, "\\\\");
        else if (c == '"')
            sb_puts(out, "\\\"");
        else
            sb_putc(out, c);
    }
    sb_free(&plain);
}

/* ---- parts of a history --------------------------------------------------------------------- */

static void move_safely(struct strbuf *raw, struct strbuf *out)
{
    words_safe(sb_str(raw), raw->len, WORDS_LONG, out);
    sb_free(raw);
}

void words_key(const struct history *h, uint32_t key, struct strbuf *out)
{
    struct strbuf raw = {0};
    hist_key_text(h, key, &raw);
    move_safely(&raw, out);
}

void words_value(const struct history *h, struct hist_value v, struct strbuf *out)
{
    struct strbuf raw = {0};
    hist_value_to_text(h, v, &raw);
    move_safely(&raw, out);
}

void words_txn(const struct history *h, uint32_t txn, struct strbuf *out)
{
    struct strbuf raw = {0};
    hist_txn_text(h, txn, &raw);
    move_safely(&raw, out);
}

void words_session(const struct history *h, uint32_t session, struct strbuf *out)
{
    struct strbuf raw = {0};
    hist_session_text(h, session, &raw);
    move_safely(&raw, out);
}

#define LIST_LONG 12 /* elements */

static void list(const struct history *h, const struct hist_op *op, struct strbuf *out)
{
    uint32_t n = op->list.len;
    sb_putc(out, '[');
    for (uint32_t i = 0; i < n; i++) {
        if (n > LIST_LONG && i == LIST_LONG / 2) {
            sb_puts(out, " …");
            i = n - LIST_LONG / 3;
        }
        if (i)
            sb_putc(out, ' ');
        words_value(h, hist_int(h->lists.data[op->list.start + i]), out);
    }
    sb_putc(out, ']');
    if (n > LIST_LONG)
        sb_printf(out, " (%" PRIu32 " elements)", n);
}

void words_result(const struct history *h, uint32_t op, struct strbuf *out)
{
    const struct hist_op *o = &h->ops.data[op];
    if (o->kind == HIST_LIST_READ)
        list(h, o, out);
    else
        words_value(h, hist_op_value(o), out);
}

void words_aggregate(const struct history *h, uint32_t op, struct strbuf *out)
{
    struct strbuf raw = {0};
    pred_result_text(h, pred_of_row(h, op), &raw);
    words_safe(sb_str(&raw), raw.len, 4 * WORDS_LONG, out);
    sb_free(&raw);
}

void words_op(const struct history *h, uint32_t op, struct strbuf *out)
{
    const struct hist_op *o = &h->ops.data[op];
    bool read = o->kind == HIST_READ || o->kind == HIST_LIST_READ;
    if (o->flags & HIST_OP_ANY) {
        sb_puts(out, "row ");
        words_key(h, o->key, out);
        sb_puts(out, " of ");
        words_aggregate(h, op, out);
        return;
    }
    if (look_is_search(h, op)) {
        look_target(h, op, out);
        sb_puts(out, look_matches(h, op) ? ": with " : ": without ");
        words_key(h, look_row(h, o->key), out);
        return;
    }
    sb_puts(out, read ? "read(" : o->kind == HIST_WRITE ? "write(" : "append(");
    words_key(h, look_row(h, o->key), out);
    if (look_is_item(h, o->key)) { /* whatever its value */
        sb_putc(out, ')');
        return;
    }
    if (look_is_match(h, o->key)) {
        sb_puts(out, look_matches(h, op) ? "), which matches " : "), which does not match ");
        look_condition(h, o->key, out);
        return;
    }
    sb_puts(out, read ? ") = " : ", ");
    words_result(h, op, out);
    if (!read)
        sb_putc(out, ')');
}
