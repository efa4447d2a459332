/* The text format of Plume and PolySI: one operation per line,
 *
 *     r(key,value,session,transaction)
 *     w(key,value,session,transaction)
 *
 * all of them integers.  Transaction -1 is aborted.  Lines of different transactions may be
 * interleaved, so operations are collected first and then handed over transaction by transaction,
 * in the order in which the transactions first appear.
 *
 * The initial value of every key is 0.  Some files say so again with a first transaction 0 that is
 * alone in session 0 and writes one and the same value to every key.  That transaction *is* the
 * initial state: as an ordinary transaction it could be ordered after others. */
#include "history/format/format_internal.h"

#include <inttypes.h>

#include "history/format/text_out.h"
#include "base/scan.h"

struct line {
    int64_t value;
    uint32_t key, txn;
    bool write;
};

struct txn {
    uint32_t session, count;
    int64_t label; /* -1: aborted */
    uint64_t line; /* of its first operation */
};

struct reader {
    struct scan s;
    struct history *h;
    VEC(struct line) lines;
    struct fmt_keys keys;
    VEC(struct txn) txns;
    VEC(uint32_t) current; /* by session: its latest transaction */
    VEC(int64_t) session_numbers;
    struct map sessions;  /* number → session */
    struct fmt_pairs ids; /* (session, label) → transaction */
};

static uint32_t session_of(struct reader *r, int64_t number)
{
    bool fresh;
    uint64_t *slot = map_put(&r->sessions, (uint64_t)number, r->session_numbers.len, &fresh);
    uint32_t session = (uint32_t)*slot;
    if (fresh) {
        vec_push(&r->session_numbers, number);
        vec_push(&r->current, HIST_NONE);
    }
    return session;
}

static uint32_t new_txn(struct reader *r, uint32_t session, int64_t label)
{
    vec_push(&r->txns, ((struct txn){session, 0, label, scan_line(&r->s, r->s.p)}));
    return (uint32_t)r->txns.len - 1;
}

/* Aborted transactions have no number: a run of them in one session is one transaction. */
static uint32_t txn_of(struct reader *r, uint32_t session, int64_t label)
{
    uint32_t *current = &r->current.data[session];
    if (*current != HIST_NONE && r->txns.data[*current].label == label)
        return *current;
    if (label == -1)
        return *current = new_txn(r, session, label);
    bool fresh;
    uint64_t txn = *fmt_pairs_put(&r->ids, session, (uint64_t)label, r->txns.len, &fresh);
    if (fresh)
        new_txn(r, session, label);
    return *current = (uint32_t)txn;
}

static const char *one_line(struct reader *r)
{
    struct scan *s = &r->s;
    if (*s->p != 'r' && *s->p != 'w')
        return scan_expected(s, s->p, "`r(` or `w(`");
    bool write = *s->p++ == 'w';
    static const char *const what[] = {"a key", "a value", "a session", "a transaction"};
    int64_t field[4];
    for (int i = 0; i < 4; i++) {
        if (!scan_char(s, i ? ',' : '('))
            return scan_expected(s, s->p, i ? "`,`" : "`(`");
        if (!scan_int(s, &field[i]))
            return scan_expected(s, s->p, what[i]);
    }
    if (!scan_char(s, ')'))
        return scan_expected(s, s->p, "`)`");
    if (field[3] < -1)
        return scan_error(s, s->p, "expected a transaction number, or -1 for an aborted one");
    if (r->lines.len >= HIST_NONE - 16)
        return scan_error(s, s->p, "more than 2^32 operations");
    uint32_t txn = txn_of(r, session_of(r, field[2]), field[3]);
    r->txns.data[txn].count++;
    vec_push(&r->lines,
             ((struct line){field[1], fmt_key_int(&r->keys, r->h, field[0]), txn, write}));
    return scan_eol(s) ? NULL : scan_expected(s, s->p, "the end of the line");
}

/* Whether the first transaction is the initial state, see above.  by_txn: lines in order. */
static bool is_initial(const struct reader *r, const struct line *const *by_txn)
{
    const struct txn *t = &r->txns.data[0];
    if (t->label != 0 || r->session_numbers.data[t->session] != 0 || t->count != r->h->keys.len ||
        r->current.data[t->session] != 0 || r->txns.len == 1)
        return false;
    for (size_t i = 1; i < r->txns.len; i++)
        if (r->txns.data[i].session == t->session)
            return false;
    bool *seen = mem_calloc(r->h->keys.len, sizeof *seen);
    bool all = true;
    for (uint32_t i = 0; all && i < t->count; i++) {
        const struct line *l = by_txn[i];
        all = l->write && l->value == by_txn[0]->value && !seen[l->key];
        seen[l->key] = true;
    }
    mem_free(seen);
    return all;
}

/* first_txn is 1 if transaction 0, and with it session 0, is the initial state. */
static void build(struct reader *r, const struct line *const *by_txn, uint32_t first_txn)
{
    struct history *h = r->h;
    for (size_t i = first_txn; i < r->session_numbers.len; i++)
        hist_add_session(h, NULL);
    for (uint32_t i = 0; i < r->txns.len; i++) {
        const struct txn *t = &r->txns.data[i];
        const struct line *const *end = by_txn + t->count;
        if (i < first_txn) {
            by_txn = end;
            continue;
        }
        hist_begin_txn(h, t->session - first_txn);
        hist_txn_line(h, t->line);
        if (t->label >= 0)
            hist_txn_label(h, (uint64_t)t->label);
        for (; by_txn < end; by_txn++) {
            const struct line *l = *by_txn;
            if (l->write)
                hist_write(h, l->key, hist_int(l->value));
            else
                hist_read(h, l->key, hist_int(l->value));
        }
        hist_end_txn(h, t->label < 0 ? HIST_ABORTED : HIST_COMMITTED);
    }
}

static const struct line **sort_lines(const struct reader *r)
{
    const struct line **sorted = mem_alloc(mem_mul(r->lines.len + 1, sizeof *sorted));
    size_t *next = mem_alloc(mem_mul(r->txns.len + 1, sizeof *next));
    next[0] = 0;
    for (size_t i = 0; i < r->txns.len; i++)
        next[i + 1] = next[i] + r->txns.data[i].count;
    for (size_t i = 0; i < r->lines.len; i++)
        sorted[next[r->lines.data[i].txn]++] = &r->lines.data[i];
    mem_free(next);
    return sorted;
}

static const char *read_plume(const struct fmt_input *in, struct fmt_context *c, struct history *h)
{
    struct reader r = {.s = fmt_scan(&in->files.data[0], c), .h = h};
    const char *error = NULL;
    while (!error && !scan_at_end(&r.s) && !(error = scan_interrupted()))
        if (!scan_eol(&r.s))
            error = one_line(&r);
    if (!error) {
        const struct line **by_txn = sort_lines(&r);
        bool initial = r.txns.len && is_initial(&r, by_txn);
        hist_set_initial_default(h, hist_int(initial ? by_txn[0]->value : 0));
        build(&r, by_txn, initial);
        if (initial)
            vec_push(c->notes, "transaction 0, alone in session 0, is taken as the initial state");
        mem_free(by_txn);
    }
    vec_free(&r.lines);
    vec_free(&r.keys.ids);
    vec_free(&r.txns);
    vec_free(&r.current);
    vec_free(&r.session_numbers);
    map_free(&r.sessions);
    fmt_pairs_free(&r.ids);
    return error;
}

static enum fmt_match detect_plume(const struct fmt_input *in)
{
    if (in->folder)
        return FMT_NO;
    const char *p = in->files.data[0].data;
    while (*p == '\n' || *p == '\r')
        p++;
    return (*p == 'r' || *p == 'w') && p[1] == '(' ? FMT_SURE : FMT_NO;
}

/* Transactions are numbered afresh: a transaction without a number must not get another's. */
static void write_plume(const struct history *h, FILE *file)
{
    struct fmt_numbers n = fmt_numbers_new(h, 0);
    struct out *o = mem_alloc(sizeof *o);
    o->file = file;
    o->len = 0;
    for (uint32_t i = 0; i < h->txns.len; i++) {
        const struct hist_txn *t = &h->txns.data[i];
        const struct hist_op *op = hist_txn_ops(h, i), *end = op + t->op_count;
        for (; op < end; op++) {
            if (op->flags & HIST_OP_FAILED)
                continue;
            out_text(o, op->kind == HIST_WRITE ? "w(" : "r(");
            out_int(o, fmt_key_number(&n, op->key));
            out_char(o, ',');
            out_int(o, fmt_value_number(&n, op));
            out_char(o, ',');
            out_uint(o, t->session);
            out_char(o, ',');
            out_int(o, t->status == HIST_ABORTED ? -1 : (int64_t)i + 1);
            out_text(o, ")\n");
        }
    }
    out_flush(o);
    mem_free(o);
    fmt_numbers_free(&n);
}

const struct format fmt_plume = {
    .name = "plume",
    .title = "text of Plume and PolySI, one operation per line",
    .detect = detect_plume,
    .read = read_plume,
    .write = write_plume,
    .keeps = FMT_ABORTED | FMT_ABORTED_READS,
};
