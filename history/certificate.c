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
 * begin and `c S.I` for its commit.  The last line tells a whole file from one that was cut off. */
#include "history/certify.h"

#include <inttypes.h>
#include <string.h>

static const char *const order_names[] = {"serial", "events", "arbitration"};
static const char *const time_names[] = {"none", "commits", "strict", "items-only"};

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

/* "S.I", and nothing after it. */
static bool read_place(const struct history *h, const char *s, uint32_t *txn)
{
    uint64_t session, index;
    int end = 0;
    if (sscanf(s, "%10" SCNu64 ".%10" SCNu64 "%n", &session, &index, &end) != 2 || s[end] ||
        *s < '0' || *s > '9' || session >= h->session_count)
        return false;
    if (index >= h->session_start[session + 1] - h->session_start[session])
        return false;
    *txn = h->session_txns[h->session_start[session] + index];
    return true;
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
    if (!error && strcmp(next_line(in), "end"))
        error = bad(in, "end");
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
    vec_free(&in.order);
    return error;
}
