/* Jepsen's EDN histories: rw-register (`:w`) and list-append (`:append`).
 *
 *     {:type :invoke, :f :txn, :value [[:append 3 1] [:r 4 nil]], :process 0, :time 5, :index 0}
 *     {:type :ok, :f :txn, :value [[:append 3 1] [:r 4 [7 9]]], :process 0, :time 8, :index 1}
 *
 * A sequence of such maps, or a vector or list of them; fields may be missing and others may be
 * there; maps may carry a tag (#jepsen.history.Op{…}).  Operations whose process is not a number
 * (:nemesis) are not about data.
 *
 * An invocation and the next completion of the same process are one transaction.  :ok committed,
 * :fail did not, :info may have done either; so may one that never completes.  Of an :ok, the value
 * of the completion counts; of the others, the writes of the invocation, because their reads saw
 * nothing.  An invocation is read as strictly as a completion even where nothing of it counts, and
 * every other field by the grammar of EDN.  Sessions are processes.  Without :process, a completion
 * belongs to the invocation just before it, and every transaction is a session of its own.
 *
 * A transaction of unknown outcome may take effect at any time, even after later transactions of
 * its process.  (Jepsen gives a process a new number then; other generators do not.)  So it is held
 * back until the process is known to do nothing more; if the process does go on, the transaction
 * gets a session of its own.
 *
 * Times are :time, or :index in a history without :time.  The first client operation decides.
 * A transaction is one call: begin and commit were both asked for by the invocation and both
 * answered by the completion.
 *
 * `[:r k nil]` is a read of nothing in a register and of the empty list in a list.  An :append to
 * the key or a list read from it, maybe later, shows which of them the key is, so reads of nil are
 * revisited when everything has been read. */
#include "history/format/format_internal.h"

#include <inttypes.h>

#include "history/format/edn.h"

enum type { TYPE_NONE, TYPE_INVOKE, TYPE_OK, TYPE_FAIL, TYPE_INFO };
enum process_kind { PROCESS_NONE, PROCESS_NUMBER, PROCESS_OTHER };

struct event {
    enum type type;
    enum process_kind process_kind;
    int64_t process, time, index; /* times: HIST_NO_TIME if missing */
    const char *at, *value;       /* where the map and its :value begin; value may be NULL */
    bool other_f;                 /* :f is there and is not :txn */
    bool parsed;                  /* the value's operations are in mops */
    bool checked;                 /* … are well-formed */
    unsigned fields;              /* those that were there, if only with nil: enum field */
};
enum field { FIELD_PROCESS = 1, FIELD_TIME = 2, FIELD_INDEX = 4, FIELD_F = 8 };

struct process {
    uint32_t session; /* HIST_NONE: not yet used */
    uint32_t tuple; /* … for transactions of this independent key (an id in tuples), or HIST_NONE */
    bool open, crashed; /* invoked; or invoked and then :info */
    const char *value;  /* of the invocation */
    int64_t number, begin, label;
    uint64_t line; /* … of it, or of a completion without invocation */
};

/* A transaction on its way into the history. */
struct arrival {
    struct edn_mops ops;
    uint32_t session;
    enum hist_status status;
    int64_t begin, end, label;
    uint64_t line;
};
enum { QUEUE = 16, HALF = QUEUE / 2 };

struct reader {
    struct scan s;
    struct history *h;
    struct edn_mops *ops; /* those of the transaction being read: in the queue's next place */
    struct arrival queue[QUEUE];
    uint64_t arrived, added;
    struct strbuf scratch;
    struct fmt_keys keys;
    struct map by_number; /* process → index in processes */
    uint32_t small[64];   /* for small process numbers: index in processes + 1, or 0 */
    VEC(struct process) processes;
    struct process nobody; /* transactions without a process */
    bool clock_chosen, use_index;
    struct intern tuples;      /* the keys of independent histories */
    struct fmt_pairs sessions; /* (process, key) → session, where a process has several */
};

/* --- transactions -------------------------------------------------------------------------- */

static const char *read_mops_at(struct reader *r, const char *at, enum edn_purpose purpose)
{
    const char *after = r->s.p;
    r->s.p = at;
    const char *error = edn_read_mops(r->ops, purpose);
    if (!error) /* an error's place is where it happened */
        r->s.p = after;
    return error;
}

static void add_mop(struct history *h, const struct edn_mop *m, const int64_t *values)
{
    switch (m->kind) {
    case HIST_READ:
        hist_read(h, m->key, m->value);
        break;
    case HIST_WRITE:
        hist_write(h, m->key, m->value);
        break;
    case HIST_APPEND:
        hist_append(h, m->key, m->value.value);
        break;
    case HIST_LIST_READ:
        hist_list_read(h, m->key, m->len ? values + m->start : NULL, m->len);
    }
}

/* Only committed transactions have reads. */
static void add_arrival(struct reader *r)
{
    const struct arrival *a = &r->queue[r->added++ % QUEUE];
    hist_begin_txn(r->h, a->session);
    hist_txn_line(r->h, a->line);
    if (a->begin != HIST_NO_TIME || a->end != HIST_NO_TIME)
        hist_txn_intervals(r->h, (struct hist_times){a->begin, a->end, a->begin, a->end});
    if (a->label >= 0)
        hist_txn_label(r->h, (uint64_t)a->label);
    for (size_t i = 0; i < a->ops.mops.len; i++) {
        const struct edn_mop *m = &a->ops.mops.data[i];
        if (a->status == HIST_COMMITTED || m->kind == HIST_WRITE || m->kind == HIST_APPEND)
            add_mop(r->h, m, a->ops.values.data);
    }
    hist_end_txn(r->h, a->status);
}

/* Transactions wait a little before they are added, so that the lists that theirs are compared with
 * can be fetched meanwhile: first where they lie, then they themselves. */
static void expect_lists(struct reader *r, uint64_t at,
                         void (*expect)(const struct history *, uint32_t))
{
    const struct edn_mops *ops = &r->queue[at % QUEUE].ops;
    for (size_t i = 0; i < ops->mops.len; i++)
        if (ops->mops.data[i].kind == HIST_LIST_READ)
            expect(r->h, ops->mops.data[i].key);
}

/* The transaction of r->ops, which the process is done with. */
static void add_txn(struct reader *r, const struct process *p, uint32_t session,
                    enum hist_status status, int64_t end, int64_t label)
{
    struct arrival *a = &r->queue[r->arrived % QUEUE];
    a->session = session;
    a->status = status;
    a->begin = p->begin;
    a->end = end;
    a->label = label;
    a->line = p->line;
    expect_lists(r, r->arrived++, hist_list_soon);
    if (r->arrived > HALF)
        expect_lists(r, r->arrived - 1 - HALF, hist_list_next);
    if (r->arrived - r->added == QUEUE)
        add_arrival(r);
    r->ops = &r->queue[r->arrived % QUEUE].ops;
}

/* The session of the transaction in r->ops.  The keys of an independent history have nothing to do
 * with each other, so a process has a session for each of them. */
static uint32_t session_of(struct reader *r, struct process *p)
{
    if (p == &r->nobody)
        return hist_add_session(r->h, NULL);
    const struct strbuf *key = &r->ops->tuple;
    uint32_t tuple = key->len ? intern_add(&r->tuples, key->data, key->len) : HIST_NONE;
    if (p->session != HIST_NONE && p->tuple == tuple)
        return p->session;
    bool fresh;
    uint64_t *session =
        fmt_pairs_put(&r->sessions, (uint64_t)p->number, tuple, r->h->session_count, &fresh);
    if (fresh) {
        const char *name = arena_printf(r->s.messages, "process %" PRId64, p->number);
        if (key->len)
            name = arena_printf(r->s.messages, "%s, key %s", name, sb_str(key));
        hist_add_session(r->h, name);
    }
    p->session = (uint32_t)*session;
    p->tuple = tuple;
    return p->session;
}

/* A transaction of unknown outcome.  late: its process went on, so it is in a session of its own.
 */
static const char *add_unknown(struct reader *r, struct process *p, bool late)
{
    const char *error = p->value ? read_mops_at(r, p->value, EDN_INVOKED) : NULL;
    if (!error && p->value)
        add_txn(r, p, late ? hist_add_session(r->h, NULL) : session_of(r, p), HIST_UNKNOWN,
                HIST_NO_TIME, p->label);
    p->open = p->crashed = false;
    return error;
}

static const char *invoke(struct reader *r, const struct event *e, struct process *p)
{
    const char *error = NULL;
    if (p->open)
        return scan_error(&r->s, e->at,
                          "expected the completion of the process's transaction, found another "
                          "invocation");
    if (p->crashed)
        error = add_unknown(r, p, true);
    p->open = true;
    p->value = e->value;
    p->begin = e->time;
    p->label = e->index;
    p->line = scan_line(&r->s, e->at);
    return error;
}

static const char *complete(struct reader *r, const struct event *e, struct process *p)
{
    const char *error = NULL;
    bool parsed = e->parsed;
    if (!p->open) { /* only completions were recorded */
        if (p->crashed && (error = add_unknown(r, p, true)))
            return error;
        parsed = false; /* r->ops was that transaction's */
        p->value = e->value;
        p->begin = HIST_NO_TIME;
        p->line = scan_line(&r->s, e->at);
    }
    p->open = false;
    if (e->type == TYPE_INFO) {
        p->crashed = true;
        p->label = e->index;
        return p == &r->nobody ? add_unknown(r, p, false) : NULL;
    }
    if (e->type == TYPE_FAIL) {
        if (!p->value)
            return NULL;
        if ((error = read_mops_at(r, p->value, EDN_INVOKED)))
            return error;
    } else if (!e->value) {
        return scan_error(&r->s, e->at, "expected a :value, a vector of operations");
    } else if (!parsed && (error = read_mops_at(r, e->value, EDN_COMPLETED))) {
        return error;
    }
    int64_t begin = p->begin, end = e->time;
    if (begin != HIST_NO_TIME && end != HIST_NO_TIME && end < begin)
        return scan_error(&r->s, e->at, "the transaction ends before it begins");
    uint32_t session = session_of(r, p);
    add_txn(r, p, session, e->type == TYPE_OK ? HIST_COMMITTED : HIST_ABORTED, end, e->index);
    return NULL;
}

static struct process *process_of(struct reader *r, const struct event *e)
{
    if (e->process_kind == PROCESS_NONE)
        return &r->nobody;
    enum { SMALL = sizeof r->small / sizeof *r->small };
    bool small = (uint64_t)e->process < SMALL;
    if (small && r->small[e->process])
        return &r->processes.data[r->small[e->process] - 1];
    bool fresh;
    uint64_t *slot = map_put(&r->by_number, (uint64_t)e->process, r->processes.len, &fresh);
    if (fresh)
        vec_push(&r->processes, ((struct process){.session = HIST_NONE, .number = e->process}));
    if (small)
        r->small[e->process] = (uint32_t)*slot + 1;
    return &r->processes.data[*slot];
}

/* --- events -------------------------------------------------------------------------------- */

static const char *read_type(struct reader *r, struct event *e)
{
    static const char *const names[] = {
        [TYPE_INVOKE] = ":invoke", [TYPE_OK] = ":ok", [TYPE_FAIL] = ":fail", [TYPE_INFO] = ":info"};
    struct edn_token t;
    const char *error = edn_token(&r->s, "a type", &r->scratch, &t);
    for (int i = TYPE_INVOKE; !error && i <= TYPE_INFO; i++)
        if (edn_is(&t, names[i])) {
            e->type = (enum type)i;
            return NULL;
        }
    return error ? error : scan_expected(&r->s, t.at, "`:invoke`, `:ok`, `:fail` or `:info`");
}

static const char *read_process(struct reader *r, struct event *e)
{
    struct edn_token t;
    const char *error = edn_token(&r->s, "a process", &r->scratch, &t);
    if (error)
        return error;
    if (t.kind == EDN_OTHER)
        return scan_expected(&r->s, t.at, "a process (a number or a keyword)");
    e->process_kind = t.kind == EDN_INTEGER ? PROCESS_NUMBER
                      : t.kind == EDN_NIL   ? PROCESS_NONE
                                            : PROCESS_OTHER;
    e->process = t.number;
    return NULL;
}

static const char *read_number(struct reader *r, const char *what, int64_t *out)
{
    struct edn_token t;
    const char *error = edn_token(&r->s, what, &r->scratch, &t);
    if (error)
        return error;
    if (t.kind == EDN_NIL)
        return NULL;
    if (t.kind != EDN_INTEGER || t.number == HIST_NO_TIME)
        return scan_expected(&r->s, t.at, what);
    *out = t.number;
    return NULL;
}

/* A value is read at once if it is surely needed, to look at its bytes only once. */
static const char *read_event_value(struct reader *r, struct event *e)
{
    const char *error = edn_space(&r->s);
    if (error)
        return error;
    struct edn_token t;
    if (*r->s.p == 'n') {
        error = edn_token(&r->s, "a value", &r->scratch, &t);
        return error || t.kind == EDN_NIL ? error : scan_expected(&r->s, t.at, "a value");
    }
    e->value = r->s.p;
    if (e->type == TYPE_OK && e->process_kind != PROCESS_OTHER && !e->other_f && *r->s.p == '[') {
        e->parsed = true;
        return edn_read_mops(r->ops, EDN_COMPLETED);
    }
    const char *after = e->type == TYPE_INVOKE ? edn_quick_mops(&r->s, r->s.p) : NULL;
    if (!after)
        return edn_skip(&r->s);
    e->checked = true;
    r->s.p = after;
    return NULL;
}

#define STARTS(p, text) (!memcmp(p, text, sizeof text - 1))

/* Fields in the usual spelling: one blank after the name, and a comma or the end of the map after
 * the value.  False: look closer; nothing was consumed. */
static bool quick_number(struct reader *r, struct event *e, enum field field, size_t name,
                         int64_t *out)
{
    const char *at = r->s.p;
    r->s.p += name;
    if (!(e->fields & field) && edn_int(&r->s, out) && *out != HIST_NO_TIME) {
        e->fields |= field;
        return true;
    }
    r->s.p = at;
    return false;
}

static bool quick_type(struct reader *r, struct event *e)
{
    const char *p = r->s.p + 6;
    size_t n = 0;
    if (STARTS(p, ":invoke")) {
        e->type = TYPE_INVOKE;
        n = 7;
    } else if (STARTS(p, ":ok")) {
        e->type = TYPE_OK;
        n = 3;
    }
    if (!n || (p[n] != ',' && p[n] != '}')) {
        e->type = TYPE_NONE;
        return false;
    }
    r->s.p = p + n;
    return true;
}

static bool quick_field(struct reader *r, struct event *e)
{
    const char *p = r->s.p;
    if (r->s.end - p < 24)
        return false;
    switch (p[1]) {
    case 't':
        if (STARTS(p, ":type "))
            return e->type == TYPE_NONE && quick_type(r, e);
        return STARTS(p, ":time ") && quick_number(r, e, FIELD_TIME, 6, &e->time);
    case 'i':
        return STARTS(p, ":index ") && quick_number(r, e, FIELD_INDEX, 7, &e->index);
    case 'p':
        if (STARTS(p, ":process ") && quick_number(r, e, FIELD_PROCESS, 9, &e->process)) {
            e->process_kind = PROCESS_NUMBER;
            return true;
        }
        return false;
    case 'f':
        if (STARTS(p, ":f :txn,") && !(e->fields & FIELD_F)) {
            e->fields |= FIELD_F;
            r->s.p += 7;
            return true;
        }
        return false;
    default:
        return false;
    }
}

static const char *read_field(struct reader *r, struct event *e)
{
    struct edn_token t;
    const char *at = r->s.p, *error;
    if (quick_field(r, e))
        return NULL;
    if (r->s.end - at > 8 && STARTS(at, ":value ") && !e->value) {
        r->s.p += 7;
        return read_event_value(r, e);
    }
    if (*at != ':')
        return (error = edn_skip(&r->s)) ? error : edn_skip(&r->s);
    if ((error = edn_token(&r->s, "a field's name", &r->scratch, &t)))
        return error;
    if (edn_is(&t, ":type"))
        return e->type ? scan_error(&r->s, at, "expected one :type, found two") : read_type(r, e);
    if (edn_is(&t, ":value"))
        return e->value ? scan_error(&r->s, at, "expected one :value, found two")
                        : read_event_value(r, e);
    unsigned field = edn_is(&t, ":process") ? FIELD_PROCESS
                     : edn_is(&t, ":time")  ? FIELD_TIME
                     : edn_is(&t, ":index") ? FIELD_INDEX
                     : edn_is(&t, ":f")     ? FIELD_F
                                            : 0;
    if (e->fields & field)
        return scan_error(&r->s, at, "expected one %.*s, found two", (int)t.n, t.s);
    e->fields |= field;
    if (field == FIELD_PROCESS)
        return read_process(r, e);
    if (field == FIELD_TIME)
        return read_number(r, "a time", &e->time);
    if (field == FIELD_INDEX)
        return read_number(r, "an index", &e->index);
    if (field == FIELD_F) {
        if ((error = edn_token(&r->s, "the name of a function", &r->scratch, &t)))
            return error;
        e->other_f = !edn_is(&t, ":txn") && t.kind != EDN_NIL;
        return NULL;
    }
    return edn_skip(&r->s);
}

static const char *take_event(struct reader *r, struct event *e)
{
    if (e->process_kind == PROCESS_OTHER)
        return NULL;
    if (e->type == TYPE_NONE)
        return scan_error(&r->s, e->at, "expected a field :type");
    if (e->other_f)
        return scan_error(&r->s, e->at, "expected `:f :txn`: only transactions are understood");
    if (e->type == TYPE_INVOKE && e->value && !e->checked) {
        const char *error = read_mops_at(r, e->value, EDN_CHECKED);
        if (error)
            return error;
    }
    if (!r->clock_chosen) {
        r->use_index = !(e->fields & FIELD_TIME);
        r->clock_chosen = true;
    }
    if (r->use_index)
        e->time = e->index;
    if (e->index == HIST_NO_TIME)
        e->index = -1;
    struct process *p = process_of(r, e);
    return e->type == TYPE_INVOKE ? invoke(r, e, p) : complete(r, e, p);
}

static const char *read_event(struct reader *r)
{
    struct event e = {.at = r->s.p, .time = HIST_NO_TIME, .index = HIST_NO_TIME};
    const char *error = edn_tags(&r->s);
    if (error)
        return error;
    if (*r->s.p != '{')
        return scan_expected(&r->s, r->s.p, "an operation, {:type …}");
    r->s.p++;
    while (!error && !(error = edn_space(&r->s)) && *r->s.p != '}')
        error = read_field(r, &e);
    if (error)
        return error;
    r->s.p++;
    error = take_event(r, &e);
    return error ? error : fmt_complaint(&r->s, r->ops->c, r->arrived, e.at);
}

static const char *read_events(struct reader *r)
{
    const char *error = edn_space(&r->s);
    char close = *r->s.p == '[' ? ']' : *r->s.p == '(' ? ')' : 0;
    r->s.p += close != 0;
    while (!error && !(error = edn_space(&r->s)) && !scan_at_end(&r->s) && *r->s.p != close &&
           !(error = scan_interrupted()))
        error = read_event(r);
    if (!error && close) {
        if (*r->s.p != close)
            return scan_expected(&r->s, r->s.p, "the end of the history");
        r->s.p++;
        error = edn_space(&r->s);
    }
    if (!error && !scan_at_end(&r->s))
        error = scan_expected(&r->s, r->s.p, "the end of the file");
    return error;
}

/* A nil that was read from a list. */
static void fix_empty_lists(struct history *h)
{
    bool *is_list = mem_calloc(h->keys.len + 1, sizeof *is_list);
    for (size_t i = 0; i < h->ops.len; i++)
        is_list[h->ops.data[i].key] |=
            h->ops.data[i].kind == HIST_APPEND || h->ops.data[i].kind == HIST_LIST_READ;
    for (size_t i = 0; i < h->ops.len; i++) {
        struct hist_op *op = &h->ops.data[i];
        if (op->kind == HIST_READ && op->flags & HIST_OP_NULL && is_list[op->key])
            *op = (struct hist_op){.key = op->key, .kind = HIST_LIST_READ};
    }
    mem_free(is_list);
}

/* Transactions that never completed, then everything that waits. */
static const char *finish(struct reader *r)
{
    const char *error = NULL;
    for (size_t i = 0; !error && i < r->processes.len; i++)
        if (r->processes.data[i].open || r->processes.data[i].crashed)
            error = add_unknown(r, &r->processes.data[i], false);
    if (!error && r->nobody.open)
        error = add_unknown(r, &r->nobody, false);
    while (!error && r->added < r->arrived)
        add_arrival(r);
    return error;
}

static const char *read_edn(const struct fmt_input *in, struct fmt_context *c, struct history *h)
{
    struct reader *r = mem_calloc(1, sizeof *r);
    r->s = fmt_scan(&in->files.data[0], c);
    r->h = h;
    r->nobody.session = HIST_NONE;
    for (size_t i = 0; i < QUEUE; i++)
        r->queue[i].ops =
            (struct edn_mops){.s = &r->s, .c = c, .h = h, .scratch = &r->scratch, .keys = &r->keys};
    r->ops = &r->queue[0].ops;
    const char *error = read_events(r);
    if (!error)
        error = finish(r);
    if (!error)
        fix_empty_lists(h);
    for (size_t i = 0; i < QUEUE; i++)
        edn_mops_free(&r->queue[i].ops);
    sb_free(&r->scratch);
    vec_free(&r->keys.ids);
    map_free(&r->by_number);
    intern_free(&r->tuples);
    fmt_pairs_free(&r->sessions);
    vec_free(&r->processes);
    mem_free(r);
    return error;
}

/* EDN maps begin with a keyword, JSON objects with a string. */
static enum fmt_match detect_edn(const struct fmt_input *in)
{
    if (in->folder || fmt_is_jepsen_results(&in->files.data[0]))
        return FMT_NO;
    struct arena scrap = {0};
    struct fmt_context c = {.messages = &scrap};
    struct scan s = fmt_scan(&in->files.data[0], &c);
    enum fmt_match match = FMT_NO;
    if (!edn_space(&s)) {
        if (*s.p == '[' || *s.p == '(')
            s.p++;
        if (!edn_space(&s) && !edn_tags(&s) && *s.p == '{') {
            s.p++;
            if (!edn_space(&s))
                match = *s.p == ':' ? FMT_SURE : FMT_NO;
        }
    }
    arena_free(&scrap);
    return match;
}

const struct format fmt_edn = {
    .name = "edn",
    .title = "Jepsen's EDN, rw-register and list-append",
    .detect = detect_edn,
    .read = read_edn,
    .write = fmt_write_edn,
    .keeps = FMT_ABORTED | FMT_UNKNOWN | FMT_NULLS | FMT_LISTS | FMT_TEXTS | FMT_TIMES | FMT_EMPTY,
    .null_initial = true,
};
