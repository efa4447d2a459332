/* Writing Jepsen's EDN; its reader is in edn.c.
 *
 * Every transaction becomes an invocation and a completion of the process that is its session.
 * With times, the events of all sessions are merged by time, as Jepsen records them and other
 * checkers expect them; of two at the same time the invocation stands first, because equal times
 * order nothing.  Without times, each completion follows its invocation, and there is no :index
 * either, for a reader would take it for an order. */
#include "history/format/format_internal.h"

#include "history/format/edn.h"
#include "history/format/text_out.h"

struct writer {
    const struct history *h;
    struct hist_value *initials;
    struct out *o;
    uint64_t index;
};

/* --- values -------------------------------------------------------------------------------- */

void edn_put_string(struct out *o, const char *s, size_t n)
{
    if (fmt_is_keyword(s, n)) {
        out_bytes(o, s, n);
        return;
    }
    out_char(o, '"');
    for (size_t i = 0; i < n; i++) {
        const char *special = s[i] ? strchr("\n\t\r\\\"", s[i]) : NULL;
        if (special) {
            out_char(o, '\\');
            out_char(o, "ntr\\\""[special - strchr("\n\t\r\\\"", '\n')]);
        } else {
            out_char(o, s[i]);
        }
    }
    out_char(o, '"');
}

static void put_key(struct writer *w, uint32_t key)
{
    const struct hist_key_name *k = &w->h->keys.data[key];
    if (k->text == HIST_NONE) {
        out_int(w->o, k->number);
        return;
    }
    const char *name = intern_name(&w->h->key_texts, k->text);
    size_t n = w->h->key_texts.lengths.data[k->text];
    if (hist_key_is_literal(w->h, key))
        edn_put_literal(w->o, name, n - 1);
    else
        edn_put_string(w->o, name, n);
}

static void put_integer(struct writer *w, int64_t value)
{
    struct fmt_named name = fmt_value_name(w->h, value);
    if (name.kind == FMT_INTEGER)
        out_int(w->o, value);
    else if (name.kind == FMT_STRING)
        edn_put_string(w->o, name.s, name.n);
    else
        out_bytes(w->o, name.s, name.n);
}

static void put_read_value(struct writer *w, const struct hist_op *op)
{
    struct hist_value v = hist_op_value(op);
    if (op->kind == HIST_LIST_READ) {
        out_char(w->o, '[');
        for (uint32_t i = 0; i < op->list.len; i++) {
            if (i)
                out_char(w->o, ' ');
            put_integer(w, w->h->lists.data[op->list.start + i]);
        }
        out_char(w->o, ']');
    } else if (v.null || hist_value_eq(v, w->initials[op->key])) {
        out_text(w->o, "nil");
    } else {
        put_integer(w, v.value);
    }
}

/* done: reads have results. */
static void put_value(struct writer *w, uint32_t txn, bool done)
{
    const struct hist_op *op = hist_txn_ops(w->h, txn), *end = op + w->h->txns.data[txn].op_count;
    const char *separator = "";
    out_char(w->o, '[');
    for (; op < end; op++) {
        if (op->flags & HIST_OP_FAILED)
            continue;
        bool read = op->kind == HIST_READ || op->kind == HIST_LIST_READ;
        out_text(w->o, separator);
        separator = " ";
        out_text(w->o, read ? "[:r " : op->kind == HIST_WRITE ? "[:w " : "[:append ");
        put_key(w, op->key);
        out_char(w->o, ' ');
        if (read && done)
            put_read_value(w, op);
        else if (read || op->flags & HIST_OP_NULL)
            out_text(w->o, "nil");
        else
            put_integer(w, op->value);
        out_char(w->o, ']');
    }
    out_char(w->o, ']');
}

/* --- events -------------------------------------------------------------------------------- */

static void put_event(struct writer *w, uint32_t txn, bool done)
{
    static const char *const types[] = {":ok", ":fail", ":info"};
    const struct history *h = w->h;
    const struct hist_txn *t = &h->txns.data[txn];
    out_text(w->o, "{:type ");
    out_text(w->o, done ? types[t->status] : ":invoke");
    out_text(w->o, ", :f :txn, :value ");
    put_value(w, txn, done && t->status == HIST_COMMITTED);
    out_text(w->o, ", :process ");
    out_uint(w->o, t->session);
    if (h->times) {
        int64_t time = done ? h->times[txn].commit_answered : h->times[txn].begin_asked;
        out_text(w->o, ", :time ");
        if (time == HIST_NO_TIME)
            out_text(w->o, "nil");
        else
            out_int(w->o, time);
        out_text(w->o, ", :index ");
        out_uint(w->o, w->index++);
    }
    out_text(w->o, "}\n");
}

/* --- merging ------------------------------------------------------------------------------- */

struct next { /* a session's next event; a heap of them, the earliest on top */
    int64_t time;
    bool done;
    uint32_t session, place; /* place in session_txns */
};

static bool before(const struct next *a, const struct next *b)
{
    if (a->time != b->time)
        return a->time < b->time;
    if (a->done != b->done)
        return b->done;
    return a->session < b->session;
}

static void sift_down(struct next *heap, size_t n, size_t i)
{
    for (;;) {
        size_t least = i;
        for (size_t child = 2 * i + 1; child <= 2 * i + 2 && child < n; child++)
            if (before(&heap[child], &heap[least]))
                least = child;
        if (least == i)
            return;
        struct next t = heap[i];
        heap[i] = heap[least];
        heap[least] = t;
        i = least;
    }
}

/* The time of an event; one that is not known is that of the session's event before it. */
static int64_t event_time(const struct history *h, const struct next *x)
{
    uint32_t txn = h->index.session_txns[x->place];
    int64_t time = x->done ? h->times[txn].commit_answered : h->times[txn].begin_asked;
    return time == HIST_NO_TIME ? x->time : time;
}

static void put_merged(struct writer *w)
{
    const struct history *h = w->h;
    struct next *heap = mem_alloc(mem_mul(h->session_count + 1, sizeof *heap));
    size_t n = 0;
    for (uint32_t s = 0; s < h->session_count; s++) {
        struct next x = {INT64_MIN, false, s, h->index.session_start[s]};
        if (x.place == h->index.session_start[s + 1])
            continue;
        x.time = event_time(h, &x);
        heap[n++] = x;
    }
    for (size_t i = n; i-- > 0;)
        sift_down(heap, n, i);
    while (n) {
        struct next *x = &heap[0];
        put_event(w, h->index.session_txns[x->place], x->done);
        x->place += x->done;
        x->done = !x->done;
        if (x->place == h->index.session_start[x->session + 1])
            heap[0] = heap[--n];
        else
            x->time = event_time(h, x);
        sift_down(heap, n, 0);
    }
    mem_free(heap);
}

void fmt_write_edn(const struct history *h, FILE *file)
{
    struct writer w = {.h = h, .initials = hist_initial_values(h), .o = mem_alloc(sizeof *w.o)};
    w.o->file = file;
    w.o->len = 0;
    if (h->times)
        put_merged(&w);
    for (uint32_t i = 0; !h->times && i < h->txns.len; i++) {
        put_event(&w, i, false);
        put_event(&w, i, true);
    }
    out_flush(w.o);
    mem_free(w.o);
    mem_free(w.initials);
}
