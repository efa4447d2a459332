/* Certificates as text files:
 *
 *     visar-certificate 1
 *     level si session-order=on real-time=none clock-drift=0
 *     order events 2
 *     b 0.0
 *     c 0.0
 *     end
 *
 * The orders are those of enum check_order_kind: `serial` and `arbitration` have lines `t S.I`, the
 * I-th transaction of the S-th session (from 0, all statuses counted); `events` has `b S.I` for its
 * begin and `c S.I` for its commit.  The last line tells a whole file from one that was cut off.
 *
 * An arbitration order does not say which of several equal writes a read saw.  Where that is a
 * choice, lines follow the order: `sources N`, then N lines `r S.I.O S.I.O`, the read and the
 * write, O being the operation's position in its transaction, from 0; `-` is the initial version.
 */
#include "history/certify.h"

#include <inttypes.h>
#include <string.h>

static const char *const order_names[] = {"serial", "events", "arbitration"};
static const char *const time_names[] = {"none", "commits", "strict", "items-only"};

static void write_op(const struct history *h, uint32_t op, FILE *out)
{
    if (op == HIST_NONE) {
        fputs(" -", out);
        return;
    }
    const struct hist_txn *t = &h->txns.data[hist_op_txn(h, op)];
    fprintf(out, " %" PRIu32 ".%" PRIu32 ".%" PRIu32, t->session, t->index, op - t->first_op);
}

static void write_sources(const struct history *h, const struct certificate *c, FILE *out)
{
    if (c->source_count)
        fprintf(out, "sources %zu\n", c->source_count);
    for (size_t i = 0; i < c->source_count; i++) {
        fputc('r', out);
        write_op(h, c->sources[i].from, out);
        write_op(h, c->sources[i].to, out);
        fputc('\n', out);
    }
}

void certificate_write(const struct history *h, const struct certificate *c, FILE *out)
{
    fprintf(out, "visar-certificate 1\n");
    fprintf(out, "level %s session-order=%s real-time=%s clock-drift=%" PRId64 "\n",
            model_get(c->level.model)->name, c->level.session_order ? "on" : "off",
            time_names[c->level.real_time], c->clock_drift);
    fprintf(out, "order %s %zu\n", order_names[c->kind], c->len);
    for (size_t i = 0; i < c->len; i++) {
        bool events = c->kind == CHECK_EVENTS;
        uint32_t at = c->order[i];
        const struct hist_txn *t = &h->txns.data[events ? at / 2 : at];
        char letter = !events ? 't' : at % 2 ? 'c' : 'b';
        fprintf(out, "%c %" PRIu32 ".%" PRIu32 "\n", letter, t->session, t->index);
    }
    write_sources(h, c, out);
    fputs("end\n", out);
}

/* ---- reading -------------------------------------------------------------------------------- */

struct reader {
    char *next; /* the rest of the text, which is cut into lines on the way */
    size_t line;
    struct arena *arena;
    const struct history *h;
    struct certificate *c;
    VEC(uint32_t) order;
    VEC(struct hist_pair) sources;
};

static const char *bad(const struct reader *in, const char *expected)
{
    return arena_printf(in->arena, "line %zu: expected %s", in->line, expected);
}

/* The next line, its end cut off; "" behind the last, which no caller expects. */
static char *next_line(struct reader *in)
{
    char *line = in->next, *end = strchr(line, '\n');
    in->line++;
    in->next = end ? end + 1 : line + strlen(line);
    if (end)
        *end = 0;
    return line;
}

/* The index of a word in a table, or -1. */
static int find(const char *word, const char *const *table, int n)
{
    for (int i = 0; i < n; i++)
        if (!strcmp(word, table[i]))
            return i;
    return -1;
}

static const char *read_level(struct reader *in)
{
    int64_t *clock_drift = &in->c->clock_drift;
    char model[16], sessions[8], real_time[16], more;
    int got = sscanf(next_line(in),
                     "level %15s session-order=%7s real-time=%15s clock-drift=%" SCNd64 "%c", model,
                     sessions, real_time, clock_drift, &more);
    const struct model *m = got == 4 ? model_find(model) : NULL;
    int time = got == 4 ? find(real_time, time_names, 4) : -1;
    if (!m || time < 0 || *clock_drift < 0 || (strcmp(sessions, "on") && strcmp(sessions, "off")))
        return bad(in, "level MODEL session-order=on|off real-time=none|commits|strict "
                       "clock-drift=N");
    in->c->level = (struct check_level){m->id, !strcmp(sessions, "on"), (enum check_real_time)time};
    return NULL;
}

/* "S.I" at the start of s; where it ends, or NULL. */
static const char *read_txn(const struct history *h, const char *s, uint32_t *txn)
{
    uint64_t session, index;
    int end = 0;
    if (*s < '0' || *s > '9' ||
        sscanf(s, "%10" SCNu64 ".%10" SCNu64 "%n", &session, &index, &end) != 2 ||
        session >= h->session_count ||
        index >= h->session_start[session + 1] - h->session_start[session])
        return NULL;
    *txn = h->session_txns[h->session_start[session] + index];
    return s + end;
}

/* "S.I", and nothing after it. */
static bool read_place(const struct history *h, const char *s, uint32_t *txn)
{
    const char *end = read_txn(h, s, txn);
    return end && !*end;
}

/* " S.I.O"; where it ends, or NULL. */
static const char *read_op(const struct history *h, const char *s, uint32_t *op)
{
    uint32_t txn = 0;
    uint64_t position;
    int end = 0;
    const char *dot = *s == ' ' ? read_txn(h, s + 1, &txn) : NULL;
    if (!dot || *dot != '.' || dot[1] < '0' || dot[1] > '9' ||
        sscanf(dot, ".%10" SCNu64 "%n", &position, &end) != 1 ||
        position >= h->txns.data[txn].op_count)
        return NULL;
    *op = h->txns.data[txn].first_op + (uint32_t)position;
    return dot + end;
}

static const char *read_source(struct reader *in)
{
    struct hist_pair p = {0, HIST_NONE};
    const char *line = next_line(in);
    const char *rest = *line == 'r' ? read_op(in->h, line + 1, &p.from) : NULL;
    if (rest && strcmp(rest, " -"))
        rest = read_op(in->h, rest, &p.to);
    else if (rest)
        rest += 2;
    if (!rest || *rest)
        return bad(in, "`r S.I.O S.I.O` or `r S.I.O -`: operations of the history");
    vec_push(&in->sources, p);
    return NULL;
}

/* The optional sources, and the end. */
static const char *read_tail(struct reader *in)
{
    char more;
    uint64_t n = 0;
    const char *line = next_line(in), *error = NULL;
    if (sscanf(line, "sources %" SCNu64 "%c", &n, &more) == 1) {
        for (uint64_t i = 0; i < n && !error; i++)
            error = read_source(in);
        if (error)
            return error;
        line = next_line(in);
    }
    return strcmp(line, "end") ? bad(in, "end") : NULL;
}

static const char *read_step(struct reader *in)
{
    bool events = in->c->kind == CHECK_EVENTS;
    const char *line = next_line(in);
    uint32_t txn = 0;
    bool known = events ? *line == 'b' || *line == 'c' : *line == 't';
    if (!known || line[1] != ' ' || !read_place(in->h, line + 2, &txn))
        return bad(in, events ? "`b S.I` or `c S.I` of a transaction of the history"
                              : "`t S.I` of a transaction of the history");
    vec_push(&in->order, events ? 2 * txn + (*line == 'c') : txn);
    return NULL;
}

static const char *read_order(struct reader *in)
{
    char kind[16], more;
    uint64_t n = 0;
    const char *error = NULL;
    int got = sscanf(next_line(in), "order %15s %" SCNu64 "%c", kind, &n, &more);
    int order_kind = got == 2 ? find(kind, order_names, 3) : -1;
    if (order_kind < 0)
        return bad(in, "order serial|events|arbitration N");
    in->c->kind = (enum check_order_kind)order_kind;
    for (uint64_t i = 0; i < n && !error; i++)
        error = read_step(in);
    if (!error)
        error = read_tail(in);
    if (!error && *in->next) {
        in->line++;
        error = bad(in, "nothing after end");
    }
    return error;
}

const char *certificate_read(const char *text, size_t size, const struct history *h,
                             struct arena *a, struct certificate *out)
{
    *out = (struct certificate){0};
    if (memchr(text, 0, size))
        return "expected text, found a zero byte";
    struct reader in = {.next = arena_strndup(a, text, size), .arena = a, .h = h, .c = out};
    const char *error = NULL;
    if (strcmp(next_line(&in), "visar-certificate 1"))
        error = bad(&in, "visar-certificate 1");
    if (!error)
        error = read_level(&in);
    if (!error)
        error = read_order(&in);
    out->order = arena_copy(a, in.order.data, in.order.len * sizeof *in.order.data);
    out->len = in.order.len;
    out->sources = arena_copy(a, in.sources.data, in.sources.len * sizeof *in.sources.data);
    out->source_count = in.sources.len;
    vec_free(&in.order);
    vec_free(&in.sources);
    return error;
}
