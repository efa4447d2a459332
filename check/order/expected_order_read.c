/* Reading an expected serialization order; see expected_order.h. */
#include <string.h>

#include "base/strbuf.h"
#include "check/order/expected_order.h"

struct reader {
    const struct history *h;
    const char *path, *p, *end;
    size_t line; /* 0: the file as a whole */
    struct arena *messages;
    struct map labels; /* built when the first is needed */
    uint8_t *seen;
    bool events; /* begins and commits: the commits count */
};

static const char *wrong(const struct reader *r, uint32_t txn, const char *what)
{
    struct strbuf b = {0};
    if (txn != HIST_NONE) {
        sb_puts(&b, "transaction ");
        hist_txn_text(r->h, txn, &b);
        sb_putc(&b, ' ');
    }
    sb_puts(&b, what);
    const char *text = r->line
                           ? arena_printf(r->messages, "%s:%zu: %s", r->path, r->line, sb_str(&b))
                           : arena_printf(r->messages, "%s: %s", r->path, sb_str(&b));
    sb_free(&b);
    return text;
}

static bool number(struct reader *r, uint64_t *out)
{
    uint64_t v = 0;
    const char *start = r->p;
    for (; *r->p >= '0' && *r->p <= '9'; r->p++) {
        if (v > (UINT64_MAX - 9) / 10)
            return false;
        v = v * 10 + (uint64_t)(*r->p - '0');
    }
    *out = v;
    return r->p > start;
}

static uint32_t by_label(struct reader *r, uint64_t label, bool *several)
{
    const struct history *h = r->h;
    if (!h->labels)
        return HIST_NONE;
    if (!r->labels.len)
        for (uint32_t t = 0; t < h->txns.len; t++)
            if (h->labels[t] != HIST_NO_LABEL) {
                bool fresh;
                uint64_t *slot = map_put(&r->labels, h->labels[t], t, &fresh);
                *slot = fresh ? t : HIST_NONE; /* two of one number: neither */
            }
    const uint64_t *slot = map_get(&r->labels, label);
    *several = slot && *slot == HIST_NONE;
    return slot ? (uint32_t)*slot : HIST_NONE;
}

static const char *one_txn(struct reader *r, uint32_t *out)
{
    uint64_t s, i;
    if (r->p[0] == (r->events ? 'c' : 't') && r->p[1] == ' ')
        r->p += 2;
    *out = HIST_NONE;
    if (*r->p == 'T') {
        r->p++;
        if (!number(r, &s))
            return wrong(r, HIST_NONE, "expected a transaction: session.index, or T and a number");
        bool several = false;
        *out = by_label(r, s, &several);
        if (several)
            return wrong(r, HIST_NONE,
                         "several transactions have this number: name it session.index");
    } else {
        if (!number(r, &s) || *r->p++ != '.' || !number(r, &i))
            return wrong(r, HIST_NONE, "expected a transaction: session.index, or T and a number");
        *out = hist_find_txn(r->h, s, i);
    }
    while (*r->p == ' ' || *r->p == '\t' || *r->p == '\r')
        r->p++;
    if (*r->p != '\n' && r->p != r->end)
        return wrong(r, HIST_NONE, "expected one transaction on a line");
    return *out == HIST_NONE ? wrong(r, HIST_NONE,
                                     "the history has no such transaction (the session's "
                                     "number in the file, and its transactions from 0)")
                             : NULL;
}

static const char *take(struct reader *r, expected_order *out)
{
    uint32_t txn;
    const char *error = one_txn(r, &txn);
    if (error)
        return error;
    if (r->seen[txn])
        return wrong(r, txn, "stands in the order twice");
    if (r->h->txns.data[txn].status == HIST_ABORTED)
        return wrong(r, txn, "was aborted and cannot stand in the order");
    r->seen[txn] = 1;
    vec_push(out, txn);
    return NULL;
}

/* --- certificates --- */

static bool at_word(const char *p, const char *end, const char *word)
{
    size_t n = strlen(word);
    return (size_t)(end - p) >= n && !memcmp(p, word, n);
}

static const char *line_after(const char *p, const char *end)
{
    const char *eol = memchr(p, '\n', (size_t)(end - p));
    return eol ? eol + 1 : end;
}

/* Where the lines of the certificate's first order of this kind begin; NULL: it has none. */
static const char *find_order(const struct reader *r, const char *kind, size_t *line)
{
    *line = 1;
    for (const char *p = r->p; p < r->end; p = line_after(p, r->end), ++*line)
        if (at_word(p, r->end, kind))
            return line_after(p, r->end);
    return NULL;
}

/* Narrows the text down to the lines of one order.  A certificate may have several, one for each
 * level: a serial one says best what --order asks for. */
static const char *enter_certificate(struct reader *r, const char **note)
{
    static const char *const kinds[] = {"order serial ", "order arbitration ", "order events "};
    const char *at = NULL;
    size_t line = 0, kind = 0;
    while (kind < 3 && !(at = find_order(r, kinds[kind], &line)))
        kind++;
    if (!at)
        return wrong(r, HIST_NONE,
                     "this certificate proves a violation: there is no order of the transactions "
                     "in it");
    r->events = kind == 2;
    if (kind)
        *note = arena_printf(r->messages,
                             kind == 2 ? "%s orders begins and commits: the transactions are "
                                         "replayed in the order of their commits"
                                       : "%s is an arbitration order, for a level below ser: the "
                                         "transactions are replayed one after the other all the "
                                         "same",
                             r->path);
    const char *stop = at;
    while (stop < r->end && stop + 1 < r->end && strchr("tbc", *stop) && stop[1] == ' ')
        stop = line_after(stop, r->end);
    if (!memmem(stop, (size_t)(r->end - stop), "end\n", 4)) {
        r->line = 0;
        return wrong(r, HIST_NONE, "the certificate is cut off: expected a last line `end`");
    }
    r->p = at;
    r->end = stop;
    r->line = line;
    return NULL;
}

const char *expected_order_read(const struct history *h, const char *path, const char *text,
                                size_t size, struct arena *messages, expected_order *out,
                                const char **note)
{
    struct reader r = {.h = h, .path = path, .p = text, .end = text + size, .messages = messages};
    const char *error = NULL;
    *note = NULL;
    r.seen = mem_calloc(h->txns.len + 1, 1);
    if (at_word(r.p, r.end, "visar-certificate "))
        error = enter_certificate(&r, note);
    while (r.p < r.end && !error) {
        r.line++;
        while (*r.p == ' ' || *r.p == '\t' || *r.p == '\r')
            r.p++;
        if (*r.p == '#' || (r.events && *r.p == 'b'))
            while (r.p < r.end && *r.p != '\n')
                r.p++;
        else if (*r.p != '\n' && r.p < r.end)
            error = take(&r, out);
        r.p += r.p < r.end;
    }
    r.line = 0;
    for (uint32_t t = 0; t < h->txns.len && !error; t++)
        if (h->txns.data[t].status == HIST_COMMITTED && !r.seen[t])
            error = wrong(&r, t, "committed, but is not in the order");
    mem_free(r.seen);
    map_free(&r.labels);
    return error;
}
