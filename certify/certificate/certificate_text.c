/* Certificates as text files.  Of satisfied levels:
 *
 *     visar-certificate 3
 *     level si session-order=on real-time=none clock-drift=0
 *     order events 2
 *     b 0.0
 *     c 0.0
 *     end
 *
 * The orders are those of enum check_order_kind: `serial` and `arbitration` have lines `t S.I`, the
 * I-th transaction (from 0, all statuses counted) of the session with the number S, which is the
 * history file's own (hist_session_number); `events` has `b S.I` for its begin and `c S.I` for its
 * commit.  The last line tells a whole file from one that was cut off.
 *
 * An arbitration order does not say which of several equal writes a read saw.  Where that is a
 * choice, lines follow the order: `sources N`, then N lines `r S.I.O S.I.O`, the read and the
 * write, O being the operation's position in its transaction, from 0; `-` is the initial version.
 *
 * A history whose predicate reads did not return many rows is explained, or not, with some of these
 * in terms of items (missing_rows.h): `rows N` before the order or the violation, and N lines `p
 * S.I Q K` say which, the row with key K (from 0, in the order in which the history first names its
 * keys) of the transaction's predicate read Q, from 0.  Before that, `sets exact` says of an order
 * for CC that it explains version sets as if no other versions than theirs had been seen.
 *
 * Of violated levels: certificate_violation_text.c, certificate_proofs_text.c and
 * certificate_mismatch_text.c. */
#include "certify/certificate/certificate_internal.h"
#include "certify/anomaly_name.h"
#include "certify/ruled_out.h"
#include "history/rereads.h"

#include <inttypes.h>
#include <string.h>

const char *const certificate_order_names[] = {"serial", "events", "arbitration"};
const char *const certificate_time_names[] = {"none", "commits", "strict", "items-only"};

/* ---- reading -------------------------------------------------------------------------------- */

const char *certificate_bad(struct certificate_reader *in, const char *expected)
{
    in->c->bad_line = in->line;
    return arena_printf(in->arena, "expected %s", expected);
}

bool certificate_next(const char *file, size_t size, struct certificate_piece *p)
{
    static const char border[] = "\nend\nvisar-certificate ";
    const char *start = p->text ? p->text + p->size : file, *end = file + size;
    if (p->text && start == end)
        return false;
    for (const char *s = p->text; s && s < start; s++)
        p->lines_before += *s == '\n';
    const char *next = memmem(start, (size_t)(end - start), border, sizeof border - 1);
    p->text = start;
    p->size = (size_t)((next ? next + strlen("\nend\n") : end) - start);
    return true;
}

/* Starts to read; an error: it is no text. */
static const char *start(struct certificate_reader *in, const struct certificate_piece *p)
{
    const char *zero = memchr(p->text, 0, p->size);
    in->line = p->lines_before;
    in->next = arena_strndup(in->arena, p->text, p->size);
    for (const char *s = p->text; zero && s < zero; s++)
        in->line += *s == '\n';
    in->line += zero != NULL;
    return zero ? certificate_bad(in, "text, found a zero byte") : NULL;
}

char *certificate_line(struct certificate_reader *in)
{
    char *line = in->next, *end = strchr(line, '\n');
    in->line++;
    in->next = end ? end + 1 : line + strlen(line);
    if (end)
        *end = 0;
    return line;
}

int certificate_find(const char *word, const char *const *table, int n)
{
    for (int i = 0; i < n; i++)
        if (!strcmp(word, table[i]))
            return i;
    return -1;
}

static const char *read_level(struct certificate_reader *in)
{
    int64_t *clock_drift = &in->c->clock_drift;
    char model[16], sessions[8], real_time[16], more;
    int got = sscanf(certificate_line(in),
                     "level %15s session-order=%7s real-time=%15s clock-drift=%" SCNd64 "%c", model,
                     sessions, real_time, clock_drift, &more);
    const struct model *m = got == 4 ? model_find(model) : NULL;
    int time = got == 4 ? certificate_find(real_time, certificate_time_names, 4) : -1;
    if (!m || time < 0 || *clock_drift < 0 || (strcmp(sessions, "on") && strcmp(sessions, "off")))
        return certificate_bad(in, "level MODEL session-order=on|off "
                                   "real-time=none|commits|strict|items-only clock-drift=N");
    in->c->level =
        level_normal((struct level){m->id, !strcmp(sessions, "on"), (enum level_time)time});
    return NULL;
}

/* What is named is not there: the certificate is of another history, or wrong. */
static const char *foreign(struct certificate_reader *in, const char *what, const char *name,
                           int len)
{
    in->c->foreign = arena_printf(in->arena, "line %zu names the %s %.*s, which does not exist",
                                  in->line, what, len, name);
    return NULL;
}

const char *certificate_txn(struct certificate_reader *in, const char *s, uint32_t *txn)
{
    uint64_t session, index;
    int end = 0;
    if (*s < '0' || *s > '9' ||
        sscanf(s, "%19" SCNu64 ".%10" SCNu64 "%n", &session, &index, &end) != 2)
        return NULL;
    *txn = hist_find_txn(in->h, session, index);
    return *txn == HIST_NONE ? foreign(in, "transaction", s, end) : s + end;
}

/* "S.I", and nothing after it. */
static bool read_place(struct certificate_reader *in, const char *s, uint32_t *txn)
{
    const char *end = certificate_txn(in, s, txn);
    return end && !*end;
}

const char *certificate_op(struct certificate_reader *in, const char *s, uint32_t *op)
{
    uint32_t txn = 0;
    uint64_t position;
    int end = 0;
    *op = HIST_NONE;
    if (s[0] == ' ' && s[1] == '-')
        return s + 2;
    const char *dot = *s == ' ' ? certificate_txn(in, s + 1, &txn) : NULL;
    if (!dot || *dot != '.' || dot[1] < '0' || dot[1] > '9' ||
        sscanf(dot, ".%10" SCNu64 "%n", &position, &end) != 1)
        return NULL;
    if (position >= in->h->txns.data[txn].op_count)
        return foreign(in, "operation", s + 1, (int)(dot + end - s) - 1);
    *op = in->h->txns.data[txn].first_op + (uint32_t)position;
    return dot + end;
}

static const char *read_source(struct certificate_reader *in)
{
    struct hist_pair p = {0, HIST_NONE};
    const char *line = certificate_line(in);
    const char *rest = *line == 'r' ? certificate_op(in, line + 1, &p.from) : NULL;
    rest = rest ? certificate_op(in, rest, &p.to) : NULL;
    if (!rest || *rest || p.from == HIST_NONE)
        return certificate_bad(in, "`r S.I.O S.I.O` or `r S.I.O -`: operations of the history");
    vec_push(&in->sources, p);
    return NULL;
}

/* The last line, and nothing behind it. */
static const char *read_end(struct certificate_reader *in, const char *line)
{
    if (strcmp(line, "end"))
        return certificate_bad(in, "end");
    if (!*in->next)
        return NULL;
    in->line++;
    return certificate_bad(in, "nothing after end");
}

/* The optional sources, and the end. */
static const char *read_tail(struct certificate_reader *in)
{
    char more;
    uint64_t n = 0;
    const char *line = certificate_line(in), *error = NULL;
    if (sscanf(line, "sources %" SCNu64 "%c", &n, &more) == 1) {
        for (uint64_t i = 0; i < n && !error; i++)
            error = read_source(in);
        if (error)
            return error;
        line = certificate_line(in);
    }
    return read_end(in, line);
}

static const char *read_step(struct certificate_reader *in)
{
    bool events = in->c->kind == CHECK_EVENTS;
    const char *line = certificate_line(in);
    uint32_t txn = 0;
    bool known = events ? *line == 'b' || *line == 'c' : *line == 't';
    if (!known || line[1] != ' ' || !read_place(in, line + 2, &txn))
        return certificate_bad(in, events ? "`b S.I` or `c S.I` of a transaction of the history"
                                          : "`t S.I` of a transaction of the history");
    vec_push(&in->order, events ? 2 * txn + (*line == 'c') : txn);
    return NULL;
}

static const char *read_order(struct certificate_reader *in)
{
    char kind[16], more;
    uint64_t n = 0;
    const char *error = NULL;
    int got = sscanf(certificate_line(in), "order %15s %" SCNu64 "%c", kind, &n, &more);
    int order_kind = got == 2 ? certificate_find(kind, certificate_order_names, 3) : -1;
    if (order_kind < 0)
        return certificate_bad(in, "order serial|events|arbitration N, or violation and a name");
    in->c->kind = (enum check_order_kind)order_kind;
    for (uint64_t i = 0; i < n && !error; i++)
        error = read_step(in);
    return error ? error : read_tail(in);
}

static const char *read_header(struct certificate_reader *in)
{
    static const char magic[] = "visar-certificate ";
    const char *line = certificate_line(in);
    bool known = !strncmp(line, magic, sizeof magic - 1);
    if (!known || strcmp(line + sizeof magic - 1, "3"))
        return certificate_bad(in, known ? "visar-certificate 3: certificates of other versions "
                                           "have to be written again"
                                         : "visar-certificate 3");
    return read_level(in);
}

static const char *read_row(struct certificate_reader *in, struct hist_missing_row *row)
{
    const char *line = certificate_line(in), *s = NULL;
    char more;
    if (line[0] == 'p' && line[1] == ' ')
        s = certificate_txn(in, line + 2, &row->txn);
    if (!s || s[0] != ' ' || s[1] < '0' || s[1] > '9' ||
        sscanf(s, " %9" SCNu32 " %9" SCNu32 "%c", &row->number, &row->key, &more) != 2)
        return certificate_bad(in, "`p S.I Q K`: a predicate read and the number of a key");
    return NULL;
}

/* Version sets are taken at their word. */
static bool read_exact(struct certificate_reader *in)
{
    if (strncmp(in->next, "sets exact\n", 11))
        return false;
    certificate_line(in);
    return true;
}

/* How many rows follow; false: that is not what is there. */
static bool read_row_count(struct certificate_reader *in, uint64_t *n)
{
    char more;
    *n = 0;
    return strncmp(in->next, "rows", 4) ||
           sscanf(certificate_line(in), "rows %" SCNu64 "%c", n, &more) == 1;
}

/* The rows have been put in terms of items, if they exist. */
static const char *read_rows(struct certificate_reader *in)
{
    const struct history *h = in->h;
    const char *error = NULL;
    uint64_t n = 0;
    if (!read_row_count(in, &n))
        return certificate_bad(in, "rows N");
    for (uint64_t i = 0; i < n && !error; i++) {
        struct hist_missing_row row = {0}, *is = i < h->lowered.missing_rows.len
                                                     ? &h->lowered.missing_rows.data[i]
                                                     : NULL;
        const char *line = in->next;
        error = read_row(in, &row);
        if (!error &&
            (!is || is->txn != row.txn || is->number != row.number || is->key != row.key)) {
            foreign(in, "row", line + 2, (int)strlen(line + 2));
            error = certificate_bad(in, "rows of the history, ascending");
        }
    }
    return error;
}

/* The rows that exist, as far as they ascend; read_rows complains of others. */
static void read_head_rows(struct certificate_reader *in, struct certificate_head *out)
{
    const struct history *h = in->h;
    struct hist_missing_row row = {0};
    uint64_t n = 0;
    out->named = !strncmp(in->next, "rows", 4) && read_row_count(in, &n);
    for (uint64_t i = 0; i < n && !read_row(in, &row); i++) {
        uint32_t q = hist_first_predicate(h, row.txn) + row.number;
        struct hist_pair next = {q, row.key}, *last = out->rows.len ? &vec_last(&out->rows) : NULL;
        bool ascends = !last || last->from < q || (last->from == q && last->to < row.key);
        if (q < h->predicates.len && h->predicates.data[q].txn == row.txn &&
            row.key < h->keys.len && ascends)
            vec_push(&out->rows, next);
    }
}

bool certificate_read_head(const struct certificate_piece *p, const struct history *h,
                           struct arena *a, struct certificate_head *out)
{
    struct certificate c = {0};
    struct certificate_reader in = {.arena = a, .h = h, .c = &c};
    *out = (struct certificate_head){0};
    if (start(&in, p) || read_header(&in))
        return false;
    out->level = c.level;
    out->exact = read_exact(&in);
    read_head_rows(&in, out);
    out->mismatch = !strncmp(in.next, "mismatch", 8);
    return true;
}

static const char *read_violation(struct certificate_reader *in)
{
    bool mismatch = !strncmp(in->next, "mismatch", 8);
    const char *error = mismatch ? certificate_get_mismatch(in) : certificate_get_violation(in);
    return error ? error : read_end(in, certificate_line(in));
}

const char *certificate_read(const struct certificate_piece *p, const struct history *h,
                             struct arena *a, struct certificate *out)
{
    struct certificate_reader in = {.arena = a, .h = h, .c = out};
    *out = (struct certificate){0};
    const char *error = start(&in, p);
    if (!error)
        error = read_header(&in);
    bool exact = !error && read_exact(&in);
    if (!error)
        error = read_rows(&in);
    bool violation = !strncmp(in.next, "violation", 9) || !strncmp(in.next, "mismatch", 8);
    if (!error && exact && (violation || out->level.model != MODEL_CC || !out->level.session_order))
        error = certificate_bad(&in, "an order for cc, with session order, where sets are exact");
    if (!error)
        error = violation ? read_violation(&in) : read_order(&in);
    out->order = arena_copy(a, in.order.data, in.order.len * sizeof *in.order.data);
    out->len = in.order.len;
    out->sources = arena_copy(a, in.sources.data, in.sources.len * sizeof *in.sources.data);
    out->source_count = in.sources.len;
    vec_free(&in.order);
    vec_free(&in.sources);
    return error;
}

/* ---- judging -------------------------------------------------------------------------------- */

static const char *judge_violation(const struct history *h, const struct certificate *c,
                                   struct arena *messages)
{
    struct certify_question o = {c->level, c->clock_drift, c->unique_values};
    const struct check_result *r = c->violation;
    const char *error = certify_violation(h, &o, r, messages);
    if (!error && r->cycles.len && !(ruled_out_by_all(h, r) >> c->level.model & 1))
        error = "its cycles do not contradict the level";
    if (!error && !anomaly_is_named(h, r))
        error = "the anomaly has another name";
    return error;
}

const char *certificate_judge(const struct history *h, const struct certificate *c,
                              struct arena *messages)
{
    bool times =
        c->level.real_time == LEVEL_TIME_COMMITS || c->level.real_time == LEVEL_TIME_STRICT;
    if (times && !h->times)
        return "the level needs time stamps, and the history has none";
    struct history view;
    const struct history *settled = rereads_settle(h, c->level, &view);
    const char *error =
        c->violation ? judge_violation(settled, c, messages) : certify_order(settled, c, messages);
    rereads_free(settled, &view);
    return error;
}
