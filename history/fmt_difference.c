/* Whether two histories say the same, for the tests of readers, writers and conversions.
 *
 * Compared session by session and by names, because formats number keys and interleave sessions
 * differently.  A read of a key's initial value equals a read of the other's initial value,
 * whatever the values are: formats spell it differently. */
#include "history/fmt_formats.h"

#include <inttypes.h>

#include "base/strbuf.h"

struct side {
    const struct history *h;
    struct hist_value *initials;
};

static void list_text(const struct history *h, const struct hist_op *op, struct strbuf *out)
{
    for (uint32_t i = 0; i < op->list.len; i++) {
        sb_putc(out, i ? ' ' : '[');
        hist_value_to_text(h, hist_int(h->lists.data[op->list.start + i]), out);
    }
    sb_puts(out, op->list.len ? "]" : "[]");
}

static void op_text(const struct side *s, uint32_t index, unsigned keeps, struct strbuf *out)
{
    static const char *const kinds[] = {"read", "write", "append", "list read"};
    const struct hist_op *op = &s->h->ops.data[index];
    struct hist_value v = hist_op_value(op);
    sb_clear(out);
    sb_printf(out, "%s ", kinds[op->kind]);
    hist_key_text(s->h, op->key, out);
    sb_putc(out, ' ');
    if (op->kind == HIST_LIST_READ)
        list_text(s->h, op, out);
    else if (op->kind == HIST_READ && hist_value_eq(v, s->initials[op->key]))
        sb_puts(out, "initial");
    else
        hist_value_to_text(s->h, v, out);
    if (keeps & FMT_WRITE_IDS)
        sb_printf(out, " id %" PRIu64 " initial %d", s->h->write_ids ? s->h->write_ids[index] : 0,
                  !!(op->flags & HIST_OP_INITIAL));
    if (op->flags & HIST_OP_FAILED)
        sb_puts(out, " failed");
    if (keeps & FMT_STATEMENTS && op->flags & HIST_OP_SAME_STMT)
        sb_puts(out, " same statement");
}

static void txn_text(const struct history *h, uint32_t txn, unsigned keeps, struct strbuf *out)
{
    const struct hist_txn *t = &h->txns.data[txn];
    sb_clear(out);
    sb_printf(out, "status %d, %" PRIu32 " operations", t->status, t->op_count);
    if (keeps & FMT_TIMES)
        sb_printf(out, " from %" PRId64 " to %" PRId64,
                  h->begin_time ? h->begin_time[txn] : HIST_NO_TIME,
                  h->commit_time ? h->commit_time[txn] : HIST_NO_TIME);
    if (keeps & FMT_NAMES) {
        sb_printf(out, " label %" PRIu64, h->labels ? h->labels[txn] : HIST_NO_LABEL);
        if (h->names && h->names[txn] != HIST_NONE)
            sb_printf(out, " name %s", intern_name(&h->texts, h->names[txn]));
    }
}

static const char *differ(struct arena *messages, uint32_t session, uint32_t index,
                          const struct strbuf *a, const struct strbuf *b)
{
    return arena_printf(messages, "session %" PRIu32 ", transaction %" PRIu32 ": %s; %s", session,
                        index, sb_str(a), sb_str(b));
}

static const char *session_difference(const struct side *a, const struct side *b, uint32_t s,
                                      unsigned keeps, struct arena *messages)
{
    struct strbuf ta = {0}, tb = {0};
    const uint32_t *xa = a->h->session_txns + a->h->session_start[s];
    const uint32_t *xb = b->h->session_txns + b->h->session_start[s];
    uint32_t n = a->h->session_start[s + 1] - a->h->session_start[s];
    const char *error = NULL;
    if (n != b->h->session_start[s + 1] - b->h->session_start[s])
        error = arena_printf(messages, "session %" PRIu32 ": %" PRIu32 " transactions; %" PRIu32, s,
                             n, b->h->session_start[s + 1] - b->h->session_start[s]);
    for (uint32_t i = 0; !error && i < n; i++) {
        txn_text(a->h, xa[i], keeps, &ta);
        txn_text(b->h, xb[i], keeps, &tb);
        if (strcmp(sb_str(&ta), sb_str(&tb)))
            error = differ(messages, s, i, &ta, &tb);
        for (uint32_t j = 0; !error && j < a->h->txns.data[xa[i]].op_count; j++) {
            op_text(a, a->h->txns.data[xa[i]].first_op + j, keeps, &ta);
            op_text(b, b->h->txns.data[xb[i]].first_op + j, keeps, &tb);
            if (strcmp(sb_str(&ta), sb_str(&tb)))
                error = differ(messages, s, i, &ta, &tb);
        }
    }
    sb_free(&ta);
    sb_free(&tb);
    return error;
}

const char *fmt_difference(const struct history *a, const struct history *b, unsigned keeps,
                           struct arena *messages)
{
    if (a->session_count != b->session_count)
        return arena_printf(messages, "%" PRIu32 " sessions; %" PRIu32, a->session_count,
                            b->session_count);
    struct side sa = {a, hist_initial_values(a)}, sb = {b, hist_initial_values(b)};
    const char *error = NULL;
    for (uint32_t s = 0; !error && s < a->session_count; s++)
        error = session_difference(&sa, &sb, s, keeps, messages);
    mem_free(sa.initials);
    mem_free(sb.initials);
    return error;
}
