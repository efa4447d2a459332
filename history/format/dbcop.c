/* dbcop's binary format (Biswas and Enea, OOPSLA 2019), little-endian, no padding:
 *
 *     i64 id, sessions, keys, transactions, events        a description of the experiment
 *     string info, start, end                             i64 length, then the bytes
 *     i64 sessions { i64 transactions { i64 events { u8 write, i64 key, i64 value, u8 ok },
 *                                       u8 committed } }
 *
 * The header describes what was planned (transactions per session, events per transaction), not
 * what follows, so it is only skipped.  Every count is checked against the bytes that are left
 * before anything is allocated.  The initial value of every key is 0.
 *
 * An event with ok = 0 failed: it is kept, with a flag, so that a report can show it.  A committed
 * transaction with failed events is read as it stands, as other checkers do, with a warning. */
#include "history/format/format_internal.h"

#include <inttypes.h>

#include "base/scan.h"

enum { HEADER_NUMBERS = 5, HEADER_STRINGS = 3, EVENT_SIZE = 18, TXN_SIZE = 9, SESSION_SIZE = 8 };

struct reader {
    struct scan s;
    struct history *h;
    struct fmt_keys keys;
    size_t failed_txns;
};

static size_t left(const struct reader *r)
{
    return (size_t)(r->s.end - r->s.p);
}

static uint64_t load_u64(const char *p)
{
    uint64_t v = 0;
    for (int i = 7; i >= 0; i--)
        v = v << 8 | (unsigned char)p[i];
    return v;
}

static const char *number(struct reader *r, const char *what, uint64_t *out)
{
    if (left(r) < 8)
        return scan_binary_error(&r->s, r->s.p, "expected %s (8 bytes), found the end of the file",
                                 what);
    *out = load_u64(r->s.p);
    r->s.p += 8;
    return NULL;
}

/* A number of things of which each takes at least `size` bytes. */
static const char *count(struct reader *r, const char *what, size_t size, uint64_t *out)
{
    const char *at = r->s.p;
    const char *error = number(r, what, out);
    if (!error && *out > left(r) / size)
        error = scan_binary_error(
            &r->s, at, "expected %s that fits into the file, found %" PRIu64 " with %zu bytes left",
            what, *out, left(r));
    return error;
}

static const char *flag(struct reader *r, const char *what, bool *out)
{
    if (left(r) < 1)
        return scan_binary_error(&r->s, r->s.p, "expected %s (1 byte), found the end of the file",
                                 what);
    unsigned char c = (unsigned char)*r->s.p;
    if (c > 1)
        return scan_binary_error(&r->s, r->s.p, "expected %s (0 or 1), found %u", what, c);
    *out = c;
    r->s.p++;
    return NULL;
}

static const char *header(struct reader *r)
{
    uint64_t n = 0;
    const char *error = NULL;
    for (int i = 0; !error && i < HEADER_NUMBERS; i++)
        error = number(r, "a number of the header", &n);
    for (int i = 0; !error && i < HEADER_STRINGS; i++) {
        error = count(r, "the length of a string", 1, &n);
        if (!error)
            r->s.p += n;
    }
    return error;
}

/* The caller has checked that the event's bytes are there. */
static const char *event(struct reader *r, bool *failed)
{
    bool write = false, ok = true;
    const char *error = flag(r, "the kind of an event, 0 for a read and 1 for a write", &write);
    if (error)
        return error;
    int64_t key = (int64_t)load_u64(r->s.p), value = (int64_t)load_u64(r->s.p + 8);
    r->s.p += 16;
    error = flag(r, "whether an event succeeded", &ok);
    if (error)
        return error;
    uint32_t k = fmt_key_int(&r->keys, r->h, key);
    if (write)
        hist_write(r->h, k, hist_int(value));
    else
        hist_read(r->h, k, hist_int(value));
    if (!ok) {
        hist_op_flag(r->h, HIST_OP_FAILED);
        *failed = true;
    }
    return NULL;
}

static const char *transaction(struct reader *r, uint32_t session)
{
    uint64_t events = 0;
    bool committed = false, failed = false;
    uint64_t at = (uint64_t)(r->s.p - r->s.start);
    const char *error = count(r, "a number of events", EVENT_SIZE, &events);
    hist_begin_txn(r->h, session);
    hist_txn_line(r->h, at + 1);
    for (uint64_t i = 0; !error && i < events; i++)
        error = event(r, &failed);
    if (!error)
        error = flag(r, "whether a transaction committed", &committed);
    hist_end_txn(r->h, committed ? HIST_COMMITTED : HIST_ABORTED);
    r->failed_txns += committed && failed;
    return error;
}

static const char *read_dbcop(const struct fmt_input *in, struct fmt_context *c, struct history *h)
{
    struct reader r = {.s = fmt_scan(&in->files.data[0], c), .h = h};
    hist_set_initial_default(h, hist_int(0));
    h->bytes = true;
    const char *error = header(&r);
    uint64_t sessions = 0;
    if (!error)
        error = count(&r, "a number of sessions", SESSION_SIZE, &sessions);
    for (uint64_t i = 0; !error && i < sessions; i++) {
        uint64_t txns = 0;
        uint32_t session = hist_add_session(h, NULL);
        error = count(&r, "a number of transactions", TXN_SIZE, &txns);
        for (uint64_t j = 0; !error && j < txns && !(error = scan_interrupted()); j++)
            error = transaction(&r, session);
    }
    vec_free(&r.keys.ids);
    if (!error && left(&r))
        error = scan_binary_error(&r.s, r.s.p, "expected the end of the file, found %zu bytes more",
                                  left(&r));
    if (!error && r.failed_txns)
        vec_push(c->notes,
                 arena_printf(c->messages,
                              "%zu committed transactions have failed operations; a database that "
                              "rolls back at a failure never committed what came before it",
                              r.failed_txns));
    return error;
}

static enum fmt_match detect_dbcop(const struct fmt_input *in)
{
    const struct fmt_file *f = &in->files.data[0];
    if (in->folder || f->size < 8 * (HEADER_NUMBERS + HEADER_STRINGS + 1))
        return FMT_NO;
    const char *p = f->data + 8 * HEADER_NUMBERS, *end = f->data + f->size;
    for (int i = 0; i < HEADER_STRINGS; i++) {
        if (end - p < 8)
            return FMT_NO;
        uint64_t n = load_u64(p);
        p += 8;
        if (n > (uint64_t)(end - p))
            return FMT_NO;
        p += n;
    }
    return end - p >= 8 && load_u64(p) <= (uint64_t)(end - p) / SESSION_SIZE ? FMT_SURE : FMT_NO;
}

static void put_u64(FILE *out, uint64_t v)
{
    char bytes[8];
    for (int i = 0; i < 8; i++)
        bytes[i] = (char)(v >> 8 * i);
    fwrite(bytes, 1, sizeof bytes, out);
}

static void put_string(FILE *out, const char *s)
{
    put_u64(out, strlen(s));
    fputs(s, out);
}

static void put_txn(const struct history *h, const struct fmt_numbers *n, uint32_t txn, FILE *out)
{
    const struct hist_txn *t = &h->txns.data[txn];
    put_u64(out, t->op_count);
    for (const struct hist_op *op = hist_txn_ops(h, txn), *end = op + t->op_count; op < end; op++) {
        putc(op->kind == HIST_WRITE, out);
        put_u64(out, (uint64_t)fmt_key_number(n, op->key));
        put_u64(out, (uint64_t)fmt_value_number(n, op));
        putc(!(op->flags & HIST_OP_FAILED), out);
    }
    putc(t->status == HIST_COMMITTED, out);
}

/* The dates are empty: the same history gives the same bytes. */
static void write_dbcop(const struct history *h, FILE *out)
{
    struct fmt_numbers n = fmt_numbers_new(h, 0);
    put_u64(out, 0);
    put_u64(out, h->session_count);
    put_u64(out, h->keys.len);
    put_u64(out, h->txns.len);
    put_u64(out, h->ops.len);
    put_string(out, "visar");
    put_string(out, "");
    put_string(out, "");
    put_u64(out, h->session_count);
    for (uint32_t s = 0; s < h->session_count; s++) {
        put_u64(out, h->index.session_start[s + 1] - h->index.session_start[s]);
        for (uint32_t i = h->index.session_start[s]; i < h->index.session_start[s + 1]; i++)
            put_txn(h, &n, h->index.session_txns[i], out);
    }
    fmt_numbers_free(&n);
}

const struct format fmt_dbcop = {
    .name = "dbcop",
    .title = "dbcop's bincode, one binary file",
    .detect = detect_dbcop,
    .read = read_dbcop,
    .write = write_dbcop,
    .keeps = FMT_ABORTED | FMT_ABORTED_READS | FMT_FAILED | FMT_EMPTY,
};
