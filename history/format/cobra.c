/* Cobra's logs (Tan et al., OSDI 2020): a folder with one .log file per session.  A file is a
 * sequence of records, a letter and big-endian 64-bit numbers:
 *
 *     S txn                                begin
 *     C txn                                commit
 *     A txn                                abort
 *     W write-id key value-hash
 *     R writer-txn write-id key value-hash
 *
 * Some numbers are marks.  A read from writer 0xbebeebee saw the initial version, whose value is
 * the hash that the read gives; 0xdeadbeef says that there was no such row (as the id of a write:
 * that it deletes the row).  0xabddefee stands for "some writer".
 *
 * The two kinds of log differ in that mark only.  With real write ids ("cobra-ids") the id decides
 * which write was read, and the writer named by the read must be the one that made it; with
 * 0xabddefee everywhere ("cobra") the value's hash decides, and it may be written twice.  Each
 * operation is taken for what it says, so one reader does for both.  Fence transactions need no
 * care: their epoch key is a key like any other. */
#include "history/format/format_internal.h"

#include <inttypes.h>

#include "base/map.h"
#include "base/scan.h"

#define MARK_INITIAL 0xbebeebeeu
#define MARK_NULL 0xdeadbeefu
#define MARK_DELETED 0xabcdefabu
#define MARK_SOME 0xabddefeeu

struct claim { /* a read's word on who wrote what it saw */
    uint64_t id, writer;
    size_t file;
    const char *at;
};

struct reader {
    const struct fmt_input *in;
    struct fmt_context *c;
    struct history *h;
    struct scan s;
    size_t file;
    uint32_t session;
    bool open;
    uint64_t txn;        /* the open transaction's number */
    struct map txns;     /* numbers seen */
    struct map writes;   /* write id → transaction's number */
    struct map initials; /* key → (nothing), keys whose initial value was seen */
    VEC(struct claim) claims;
};

static uint64_t load_u64(const char *p)
{
    uint64_t v = 0;
    for (int i = 0; i < 8; i++)
        v = v << 8 | (unsigned char)p[i];
    return v;
}

static const char *numbers(struct reader *r, const char *what, int n, uint64_t *out)
{
    if ((size_t)(r->s.end - r->s.p) < 8u * (unsigned)n)
        return scan_binary_error(&r->s, r->s.p,
                                 "expected %s (%d numbers of 8 bytes), found the end of the file",
                                 what, n);
    for (int i = 0; i < n; i++, r->s.p += 8)
        out[i] = load_u64(r->s.p);
    return NULL;
}

static const char *begin(struct reader *r, const char *at)
{
    if (r->open)
        return scan_binary_error(
            &r->s, at, "expected the end of transaction %" PRIu64 ", found the begin of another",
            r->txn);
    const char *error = numbers(r, "a transaction", 1, &r->txn);
    if (error)
        return error;
    bool fresh;
    map_put(&r->txns, r->txn, 1, &fresh);
    if (!fresh)
        return scan_binary_error(&r->s, at, "expected a new transaction, found %" PRIu64 " again",
                                 r->txn);
    if (r->txn == HIST_NO_LABEL)
        return scan_binary_error(&r->s, at, "transaction number %" PRIu64 " is reserved", r->txn);
    hist_begin_txn(r->h, r->session);
    hist_txn_line(r->h, (uint64_t)(at - r->s.start) + 1);
    hist_txn_label(r->h, r->txn);
    r->open = true;
    return NULL;
}

static const char *end(struct reader *r, const char *at, enum hist_status status)
{
    uint64_t txn;
    const char *error = numbers(r, "a transaction", 1, &txn);
    if (error)
        return error;
    if (!r->open || txn != r->txn)
        return scan_binary_error(&r->s, at, "expected the end of %s, found that of %" PRIu64,
                                 r->open ? "the open transaction" : "nothing", txn);
    hist_end_txn(r->h, status);
    r->open = false;
    return NULL;
}

static const char *no_id(struct reader *r, const char *at)
{
    return scan_binary_error(&r->s, at, "expected a write id, found 0, which stands for none");
}

static const char *write_op(struct reader *r, const char *at)
{
    enum { ID, KEY, VALUE, COUNT };
    uint64_t n[COUNT];
    const char *error = numbers(r, "a write", COUNT, n);
    if (error)
        return error;
    uint32_t key = hist_key_int(r->h, (int64_t)n[KEY]);
    bool deletes = n[ID] == MARK_NULL || n[ID] == MARK_DELETED;
    hist_write(r->h, key, deletes ? hist_null() : hist_int((int64_t)n[VALUE]));
    if (n[ID] == MARK_SOME || deletes)
        return NULL;
    if (n[ID] == 0)
        return no_id(r, at);
    bool fresh;
    map_put(&r->writes, n[ID], r->txn, &fresh);
    if (!fresh)
        return scan_binary_error(&r->s, at, "expected a new write id, found %" PRIu64 " again",
                                 n[ID]);
    hist_write_id(r->h, n[ID]);
    return NULL;
}

static const char *read_op(struct reader *r, const char *at)
{
    enum { WRITER, ID, KEY, VALUE, COUNT };
    uint64_t n[COUNT];
    const char *error = numbers(r, "a read", COUNT, n);
    if (error)
        return error;
    uint32_t key = hist_key_int(r->h, (int64_t)n[KEY]);
    struct hist_value v = hist_int((int64_t)n[VALUE]);
    if (n[WRITER] == MARK_NULL || n[WRITER] == MARK_DELETED) {
        hist_read(r->h, key, hist_null());
    } else if (n[WRITER] == MARK_INITIAL) {
        bool fresh;
        map_put(&r->initials, key, 1, &fresh);
        if (fresh)
            hist_set_initial(r->h, key, v);
        hist_read_initial(r->h, key, v);
    } else {
        hist_read(r->h, key, v);
        if (n[ID] == MARK_SOME)
            return NULL;
        if (n[ID] == 0)
            return no_id(r, at);
        hist_write_id(r->h, n[ID]);
        if (n[WRITER] != MARK_SOME)
            vec_push(&r->claims, ((struct claim){n[ID], n[WRITER], r->file, at}));
    }
    return NULL;
}

static const char *record(struct reader *r)
{
    const char *at = r->s.p++;
    char letter = *at;
    if (letter == 'S')
        return begin(r, at);
    if (!letter || !strchr("CAWR", letter))
        return scan_binary_error(&r->s, at,
                                 "expected one of the letters S, C, A, W, R, found 0x%02x",
                                 (unsigned char)letter);
    if (!r->open)
        return scan_binary_error(&r->s, at, "expected the begin of a transaction, found `%c`",
                                 letter);
    switch (letter) {
    case 'C':
        return end(r, at, HIST_COMMITTED);
    case 'A':
        return end(r, at, HIST_ABORTED);
    case 'W':
        return write_op(r, at);
    default:
        return read_op(r, at);
    }
}

/* The client library stores a write's id and transaction with the value, so a read that names
 * another transaction is a broken log, not an anomaly.  (A write id that nobody made is one.) */
static const char *check_claims(struct reader *r)
{
    for (size_t i = 0; i < r->claims.len; i++) {
        const struct claim *k = &r->claims.data[i];
        const uint64_t *made = map_get(&r->writes, k->id);
        if (!made || *made == k->writer)
            continue;
        struct scan s = fmt_scan(&r->in->files.data[k->file], r->c);
        return scan_binary_error(&s, k->at,
                                 "the read says that transaction %" PRIu64 " made write %" PRIu64
                                 ", but transaction %" PRIu64 " did",
                                 k->writer, k->id, *made);
    }
    return NULL;
}

static const char *one_file(struct reader *r, size_t file)
{
    const struct fmt_file *f = &r->in->files.data[file];
    r->s = fmt_scan(f, r->c);
    r->file = file;
    r->session = hist_add_log(r->h, fmt_base_name(r->c->messages, f->path), f->path);
    const char *error = NULL;
    while (!error && !scan_at_end(&r->s) && !(error = scan_interrupted()))
        error = record(r);
    if (!error && r->open)
        error = scan_binary_error(
            &r->s, r->s.end,
            "expected the end of transaction %" PRIu64 ", found the end of the file", r->txn);
    return error;
}

static const char *read_cobra(const struct fmt_input *in, struct fmt_context *c, struct history *h)
{
    struct reader r = {.in = in, .c = c, .h = h};
    const char *error = NULL;
    h->bytes = true;
    for (size_t i = 0; !error && i < in->files.len; i++)
        error = one_file(&r, i);
    if (!error)
        error = check_claims(&r);
    map_free(&r.txns);
    map_free(&r.writes);
    map_free(&r.initials);
    vec_free(&r.claims);
    return error;
}

/* Looks at the records of the first files until a write settles the kind. */
static enum fmt_match detect_kind(const struct fmt_input *in, bool ids)
{
    bool any = false;
    for (size_t i = 0; i < in->files.len; i++) {
        const struct fmt_file *f = &in->files.data[i];
        const char *p = f->data, *stop = f->data + f->size;
        if (f->size && (*p != 'S' || f->size < 9))
            return FMT_NO;
        any |= f->size > 0;
        while (p < stop) {
            size_t n = *p == 'S' || *p == 'C' || *p == 'A' ? 1 : *p == 'W' ? 3 : *p == 'R' ? 4 : 0;
            if (!n || (size_t)(stop - p) < 1 + 8 * n)
                break; /* broken: the reader will say where */
            if (*p == 'W')
                return (load_u64(p + 1) != MARK_SOME) == ids ? FMT_SURE : FMT_NO;
            p += 1 + 8 * n;
        }
    }
    return any ? FMT_MAYBE : FMT_NO;
}

static enum fmt_match detect_cobra(const struct fmt_input *in)
{
    return detect_kind(in, false);
}

static enum fmt_match detect_cobra_ids(const struct fmt_input *in)
{
    return detect_kind(in, true);
}

const struct format fmt_cobra = {
    .name = "cobra",
    .title = "Cobra's logs without write ids, a folder",
    .folder = true,
    .detect = detect_cobra,
    .read = read_cobra,
};
const struct format fmt_cobra_ids = {
    .name = "cobra-ids",
    .title = "Cobra's logs with write ids, a folder",
    .folder = true,
    .detect = detect_cobra_ids,
    .read = read_cobra,
};
