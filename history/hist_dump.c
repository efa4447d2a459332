/* Histories as text, for golden tests, `--dump history` and debugging; see history.h. */
#include <assert.h>
#include <inttypes.h>
#include "base/strbuf.h"
#include "base/text.h"
#include "history/history.h"
#include "history/predicate.h"

/* A line of a dump: names are anybody's, and stay on it. */
static void put_line(struct strbuf *b, FILE *out)
{
    struct strbuf safe = {0};
    text_safe(sb_str(b), b->len, &safe);
    fputs(sb_str(&safe), out);
    sb_free(&safe);
    sb_clear(b);
}

static void dump_op(const struct history *h, uint32_t op, FILE *out)
{
    struct strbuf b = {0};
    hist_op_text(h, op, &b);
    uint8_t flags = h->ops.data[op].flags;
    fputs(flags & HIST_OP_SAME_STMT ? "    + " : "    ", out);
    put_line(&b, out);
    if (h->write_ids && h->write_ids[op])
        fprintf(out, " #%" PRIu64, h->write_ids[op]);
    fprintf(out, "%s%s\n", flags & HIST_OP_INITIAL ? " initial" : "",
            flags & HIST_OP_FAILED ? " failed" : "");
    sb_free(&b);
}

/* The predicate reads that stand before an operation; gives the next one. */
static size_t dump_predicates(const struct history *h, size_t q, uint32_t txn, uint32_t op,
                              FILE *out)
{
    for (; q < h->predicates.len; q++) {
        const struct hist_predicate *p = &h->predicates.data[q];
        if (p->txn != txn || p->first_op != op)
            break;
        struct strbuf b = {0};
        pred_kind_text(h, p, &b);
        sb_puts(&b, " where ");
        pred_text(h, p, &b);
        if (p->kind >= HIST_COUNT && p->result.null)
            sb_puts(&b, " = null");
        else if (p->kind >= HIST_COUNT)
            sb_printf(&b, " = %" PRId64, p->result.value);
        if (p->kind < HIST_COUNT || p->any)
            sb_printf(&b, ": %" PRIu32 " read%s", p->rows, p->rows == 1 ? "" : "s");
        fputs("    ", out);
        put_line(&b, out);
        fputs(p->failed ? " failed\n" : "\n", out);
        sb_free(&b);
    }
    return q;
}

static void dump_times(const struct history *h, uint32_t txn, FILE *out)
{
    struct hist_times t = hist_txn_time(h, txn);
    if (t.begin_asked != HIST_NO_TIME)
        fprintf(out, " begin %" PRId64, t.begin_asked);
    if (t.begin_answered != HIST_NO_TIME)
        fprintf(out, " begin-answered %" PRId64, t.begin_answered);
    if (t.commit_asked != HIST_NO_TIME)
        fprintf(out, " commit-asked %" PRId64, t.commit_asked);
    if (t.commit_answered != HIST_NO_TIME)
        fprintf(out, " commit %" PRId64, t.commit_answered);
}

static void dump_txn(const struct history *h, uint32_t txn, FILE *out)
{
    static const char *const status[] = {"committed", "aborted", "unknown"};
    const struct hist_txn *t = &h->txns.data[txn];
    struct strbuf b = {0};
    hist_txn_text(h, txn, &b);
    fputs("  ", out);
    put_line(&b, out);
    fprintf(out, " %s", status[t->status]);
    dump_times(h, txn, out);
    fputc('\n', out);
    size_t q = 0;
    while (q < h->predicates.len && h->predicates.data[q].txn < txn)
        q++;
    for (uint32_t i = 0; i < t->op_count; i++) {
        q = dump_predicates(h, q, txn, t->first_op + i, out);
        dump_op(h, t->first_op + i, out);
    }
    dump_predicates(h, q, txn, t->first_op + t->op_count, out);
    sb_free(&b);
}

static void dump_initial(const struct history *h, FILE *out)
{
    struct strbuf b = {0};
    hist_value_to_text(h, h->initial_default, &b);
    fputs("initial ", out);
    put_line(&b, out);
    fputc('\n', out);
    for (size_t i = 0; i < h->initials.len; i++) {
        sb_clear(&b);
        hist_key_text(h, h->initials.data[i].key, &b);
        sb_puts(&b, " = ");
        hist_value_to_text(h, h->initials.data[i].value, &b);
        fputs("initial ", out);
        put_line(&b, out);
        fputc('\n', out);
    }
    sb_free(&b);
}

static void dump_version_orders(const struct history *h, FILE *out)
{
    struct strbuf b = {0};
    for (size_t i = 0; i < h->version_orders.len; i++) {
        const struct hist_version_order *o = &h->version_orders.data[i];
        sb_clear(&b);
        hist_key_text(h, o->key, &b);
        sb_putc(&b, ':');
        for (uint32_t j = 0; j < o->len; j++) {
            uint32_t op = h->version_ops.data[o->start + j];
            sb_putc(&b, ' ');
            hist_txn_text(h, hist_op_txn(h, op), &b);
            sb_putc(&b, '=');
            hist_value_to_text(h, hist_op_value(&h->ops.data[op]), &b);
        }
        fputs("versions ", out);
        put_line(&b, out);
        fputc('\n', out);
    }
    sb_free(&b);
}

void hist_dump(const struct history *h, FILE *out)
{
    assert(h->finished);
    dump_initial(h, out);
    for (uint32_t s = 0; s < h->session_count; s++) {
        struct strbuf b = {0};
        sb_printf(&b, "session %" PRIu64, hist_session_number(h, s));
        if (h->session_names.data[s] != HIST_NONE)
            sb_printf(&b, " %s", intern_name(&h->texts, h->session_names.data[s]));
        put_line(&b, out);
        fputc('\n', out);
        sb_free(&b);
        for (uint32_t i = h->index.session_start[s]; i < h->index.session_start[s + 1]; i++)
            dump_txn(h, h->index.session_txns[i], out);
    }
    dump_version_orders(h, out);
}
