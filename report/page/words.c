/* See words.h. */
#include "report/page/words.h"

#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "history/predicate.h"
#include "report/page/looks.h"

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

static void put_value(const struct history *h, struct hist_value v, struct strbuf *out)
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
        put_value(h, hist_int(h->lists.data[op->list.start + i]), out);
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
        put_value(h, hist_op_value(o), out);
}

void words_aggregate(const struct history *h, uint32_t op, struct strbuf *out)
{
    struct strbuf raw = {0};
    pred_result_text(h, pred_of_row(h, op), &raw);
    words_safe(sb_str(&raw), raw.len, 4 * WORDS_LONG, out);
    sb_free(&raw);
}

#define ROWS_NAMED 3

/* Numbers that follow one another are a range. */
static bool is_range(const struct history *h, const uint32_t *ops, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        const struct hist_key_name *k = &h->keys.data[look_row(h, h->ops.data[ops[i]].key)];
        const struct hist_key_name *first = &h->keys.data[look_row(h, h->ops.data[ops[0]].key)];
        if (k->text != HIST_NONE || (uint64_t)k->number != (uint64_t)first->number + i)
            return false;
    }
    return n > ROWS_NAMED;
}

static void rows(const struct history *h, const uint32_t *ops, uint32_t n, struct strbuf *out)
{
    if (is_range(h, ops, n)) {
        sb_puts(out, "each of ");
        words_key(h, look_row(h, h->ops.data[ops[0]].key), out);
        sb_puts(out, " to ");
        words_key(h, look_row(h, h->ops.data[ops[n - 1]].key), out);
        return;
    }
    uint32_t named = n > ROWS_NAMED + 1 ? ROWS_NAMED : n; /* one more is not worth "1 other" */
    for (uint32_t i = 0; i < named; i++) {
        sb_puts(out, !i ? "" : i + 1 == n ? " and " : ", ");
        words_key(h, look_row(h, h->ops.data[ops[i]].key), out);
    }
    if (n > named)
        sb_printf(out, " and %" PRIu32 " others", n - named);
}

/* Everything but the rows. */
static void frame(const struct history *h, uint32_t op, struct strbuf *out)
{
    words_ops(h, &op, 0, out);
}

bool words_alike(const struct history *h, uint32_t a, uint32_t b)
{
    const struct hist_op *x = &h->ops.data[a], *y = &h->ops.data[b];
    struct strbuf first = {0}, second = {0};
    bool plain = !(x->flags & HIST_OP_ANY) && !look_is_search(h, a) && !look_is_match(h, x->key);
    if (plain && x->kind != HIST_LIST_READ && x->value != y->value)
        return false; /* as it mostly is, and quickly seen */
    if (x->kind != y->kind || ((x->flags ^ y->flags) & (HIST_OP_ANY | HIST_OP_NULL)))
        return false;
    frame(h, a, &first);
    frame(h, b, &second);
    bool same = !strcmp(sb_str(&first), sb_str(&second));
    sb_free(&first);
    sb_free(&second);
    return same;
}

void words_op(const struct history *h, uint32_t op, struct strbuf *out)
{
    words_ops(h, &op, 1, out);
}

void words_ops(const struct history *h, const uint32_t *ops, uint32_t n, struct strbuf *out)
{
    uint32_t op = ops[0];
    const struct hist_op *o = &h->ops.data[op];
    bool read = o->kind == HIST_READ || o->kind == HIST_LIST_READ;
    if (o->flags & HIST_OP_ANY) {
        sb_puts(out, n > 1 ? "rows " : "row ");
        rows(h, ops, n, out);
        sb_puts(out, " of ");
        words_aggregate(h, op, out);
        return;
    }
    if (look_is_search(h, op)) {
        look_target(h, op, out);
        sb_puts(out, look_matches(h, op) ? ": with " : ": without ");
        rows(h, ops, n, out);
        return;
    }
    sb_puts(out, read ? "read(" : o->kind == HIST_WRITE ? "write(" : "append(");
    rows(h, ops, n, out);
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

#define WHOLE_MAX 40 /* bytes of a text that is not broken */

void words_whole(const struct strbuf *text, struct strbuf *out)
{
    for (size_t i = 0; i < text->len; i++)
        if (text->data[i] == ' ' && text->len <= WHOLE_MAX)
            sb_puts(out, "\u00a0");
        else
            sb_putc(out, text->data[i]);
}
