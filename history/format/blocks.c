/* The blocks format of AWDIT's tests: `r key value` and `w key value` lines, a line of dashes
 * between transactions, a line of equals signs between sessions.  Everything is committed; a block
 * without operations is no transaction.
 *
 * The format does not speak of initial values.  A read of 0 from a key to which nobody writes 0
 * is a read of the initial state; where the history itself writes 0, the key has no value before.
 */
#include "history/format/format_internal.h"

#include <inttypes.h>

#include "history/format/text_out.h"
#include "base/scan.h"

struct reader {
    struct scan s;
    struct history *h;
    uint32_t session; /* HIST_NONE: the next operation starts one */
    bool open;        /* a transaction is open */
};

static void end_txn(struct reader *r)
{
    if (r->open)
        hist_end_txn(r->h, HIST_COMMITTED);
    r->open = false;
}

static const char *operation(struct reader *r)
{
    struct scan *s = &r->s;
    const char *at = s->p;
    bool write = *s->p++ == 'w';
    int64_t key, value;
    if (*s->p != ' ' && *s->p != '\t')
        return scan_expected(s, s->p, "a blank");
    scan_blanks(s);
    if (!scan_int(s, &key))
        return scan_expected(s, s->p, "a key");
    if (*s->p != ' ' && *s->p != '\t')
        return scan_expected(s, s->p, "a blank");
    scan_blanks(s);
    if (!scan_int(s, &value))
        return scan_expected(s, s->p, "a value");
    if (r->session == HIST_NONE)
        r->session = hist_add_session(r->h, NULL);
    if (!r->open) {
        hist_begin_txn(r->h, r->session);
        hist_txn_line(r->h, scan_line(s, at));
    }
    r->open = true;
    uint32_t k = hist_key_int(r->h, key);
    if (write)
        hist_write(r->h, k, hist_int(value));
    else
        hist_read(r->h, k, hist_int(value));
    return NULL;
}

static const char *one_line(struct reader *r)
{
    struct scan *s = &r->s;
    const char *error = NULL;
    scan_blanks(s);
    char c = *s->p;
    if (c == '-' || c == '=') {
        while (*s->p == c)
            s->p++;
        end_txn(r);
        if (c == '=')
            r->session = HIST_NONE;
    } else if (c == 'r' || c == 'w') {
        error = operation(r);
    } else if (c != '\n' && c != '\r' && !scan_at_end(s)) {
        return scan_expected(s, s->p, "`r`, `w`, a line of `-` or a line of `=`");
    }
    scan_blanks(s);
    if (!error && !scan_eol(s))
        error = scan_expected(s, s->p, "the end of the line");
    return error;
}

static void set_initials(struct history *h)
{
    hist_set_initial_default(h, hist_int(0));
    bool *zero = mem_calloc(h->keys.len + 1, sizeof *zero);
    for (size_t i = 0; i < h->ops.len; i++) {
        const struct hist_op *op = &h->ops.data[i];
        if (op->kind == HIST_WRITE && op->value == 0 && !zero[op->key]) {
            zero[op->key] = true;
            hist_set_initial(h, op->key, hist_null());
        }
    }
    mem_free(zero);
}

static const char *read_blocks(const struct fmt_input *in, struct fmt_context *c, struct history *h)
{
    struct reader r = {.s = fmt_scan(&in->files.data[0], c), .h = h, .session = HIST_NONE};
    const char *error = NULL;
    while (!error && !scan_at_end(&r.s) && !(error = scan_interrupted()))
        error = one_line(&r);
    end_txn(&r);
    set_initials(h);
    return error;
}

static enum fmt_match detect_blocks(const struct fmt_input *in)
{
    if (in->folder)
        return FMT_NO;
    const char *p = in->files.data[0].data;
    while (*p == '\n' || *p == '\r' || *p == ' ' || *p == '\t' || *p == '-' || *p == '=')
        p++;
    return (*p == 'r' || *p == 'w') && (p[1] == ' ' || p[1] == '\t') ? FMT_SURE : FMT_NO;
}

static void put_txn(const struct history *h, const struct fmt_numbers *n, uint32_t txn,
                    struct out *o)
{
    const struct hist_op *op = hist_txn_ops(h, txn), *end = op + h->txns.data[txn].op_count;
    for (; op < end; op++) {
        if (op->flags & HIST_OP_FAILED)
            continue;
        out_text(o, op->kind == HIST_WRITE ? "w " : "r ");
        out_int(o, fmt_key_number(n, op->key));
        out_char(o, ' ');
        out_int(o, fmt_value_number(n, op));
        out_char(o, '\n');
    }
}

static void write_blocks(const struct history *h, FILE *file)
{
    struct fmt_numbers n = fmt_numbers_new(h, 0);
    struct out *o = mem_alloc(sizeof *o);
    o->file = file;
    o->len = 0;
    for (uint32_t s = 0; s < h->session_count; s++) {
        if (s)
            out_text(o, "=====\n");
        for (uint32_t i = h->index.session_start[s]; i < h->index.session_start[s + 1]; i++) {
            if (i > h->index.session_start[s])
                out_text(o, "-----\n");
            put_txn(h, &n, h->index.session_txns[i], o);
        }
    }
    out_flush(o);
    mem_free(o);
    fmt_numbers_free(&n);
}

const struct format fmt_blocks = {
    .name = "blocks",
    .title = "`r k v` and `w k v` lines, `-` between transactions, `=` between sessions",
    .detect = detect_blocks,
    .read = read_blocks,
    .write = write_blocks,
    .keeps = 0,
    .unless_written = true,
};
