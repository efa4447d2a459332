/* visar's own format: JSON Lines, a header and then one transaction per line; see
 * docs/history-format.md, which is the definition.
 *
 *     {"visar-history":1,"default":0,"sessions":2}
 *     {"session":0,"begin":3,"commit":9,"ops":[["r","x",0],["w","x",7]]}
 *     {"session":1,"status":"aborted","ops":[["r",12,[1,2]],["append",12,3]]}
 *
 * Unknown fields are errors, because a field that we do not know may change what the history means;
 * only names that begin with "x-" are left out.  Integers and structure are read in place, see
 * json.h: a tree per line made reading several times slower than everything after it. */
#include "history/format/jsonl.h"

#include <inttypes.h>
#include <stdio.h>

enum { FORMAT_VERSION = 1 };

enum field {
    F_HEADER,
    F_DEFAULT,
    F_SESSIONS,
    F_COMPLETE,
    F_SESSION,
    F_STATUS,
    F_BEGIN,
    F_BEGIN_ANSWERED,
    F_COMMIT_ASKED,
    F_COMMIT,
    F_ID,
    F_NAME,
    F_OPS,
    F_INITIAL,
    F_VERSIONS,
    F_ORDER,
    F_ARBITRATION,
    F_VISIBILITY,
    F_SET,
    F_SEES,
    FIELD_COUNT
};

static const char *const field_names[FIELD_COUNT] = {
    "visar-history", "default",    "sessions",    "versions-complete",
    "session",       "status",     "begin",       "begin-answered",
    "commit-asked",  "commit",     "id",          "name",
    "ops",           "initial",    "versions",    "order",
    "arbitration",   "visibility", "version-set", "sees",
};

#define BIT(f) (1u << (f))
#define TIMES (BIT(F_BEGIN) | BIT(F_BEGIN_ANSWERED) | BIT(F_COMMIT_ASKED) | BIT(F_COMMIT))
/* What may stand together on a line, and what must. */
static const struct {
    unsigned may, must;
} line_kinds[] = {
    {BIT(F_HEADER) | BIT(F_DEFAULT) | BIT(F_SESSIONS) | BIT(F_COMPLETE), BIT(F_HEADER)},
    {BIT(F_SESSION) | BIT(F_STATUS) | TIMES | BIT(F_ID) | BIT(F_NAME) | BIT(F_OPS),
     BIT(F_SESSION) | BIT(F_OPS)},
    {BIT(F_INITIAL), BIT(F_INITIAL)},
    {BIT(F_VERSIONS) | BIT(F_ORDER), BIT(F_VERSIONS) | BIT(F_ORDER)},
    {BIT(F_ARBITRATION), BIT(F_ARBITRATION)},
    {BIT(F_VISIBILITY), BIT(F_VISIBILITY)},
    {BIT(F_SET) | BIT(F_SEES), BIT(F_SET) | BIT(F_SEES)},
};

/* --- sessions ------------------------------------------------------------------------------ */

static const char *read_session(struct jsonl_reader *r)
{
    const char *at = r->s.p, *error;
    if (*at == '"') {
        struct js_text t;
        if ((error = js_string(&r->s, "a session", &r->scratch, &t)))
            return error;
        uint32_t id = intern_find(&r->session_texts, t.s, t.n);
        if (id == INTERN_NONE) {
            if (r->declared != HIST_NONE)
                return scan_error(&r->s, at, "expected a session that the header lists");
            id = intern_add(&r->session_texts, t.s, t.n);
            vec_push(&r->session_of_text,
                     hist_add_session(r->h, intern_name(&r->session_texts, id)));
        }
        r->session = r->session_of_text.data[id];
        return r->session == HIST_NONE
                   ? scan_error(&r->s, at, "expected a number, since two sessions have this name")
                   : NULL;
    }
    int64_t n = 0;
    if ((error = js_int(&r->s, "a session (a number or a name)", &n)))
        return error;
    if (r->declared != HIST_NONE) {
        if (n < 0 || n >= r->declared)
            return scan_error(&r->s, at,
                              "expected a session below %" PRIu32
                              ", as the header says, found %" PRId64,
                              r->declared, n);
        r->session = (uint32_t)n;
        return NULL;
    }
    bool fresh;
    uint64_t *slot = map_put(&r->sessions, (uint64_t)n, r->h->session_count, &fresh);
    r->session = (uint32_t)*slot;
    if (!fresh)
        return NULL;
    /* A session that is not called by its place keeps its number as a name. */
    char name[24];
    snprintf(name, sizeof name, "%" PRId64, n);
    hist_add_session(r->h, n == r->session ? NULL : name);
    return NULL;
}

static const char *session_name(struct jsonl_reader *r)
{
    if (js_word(&r->s, "null")) {
        hist_add_session(r->h, NULL);
        return NULL;
    }
    struct js_text t;
    const char *error = js_string(&r->s, "a session's name or null", &r->scratch, &t);
    if (error)
        return error;
    size_t before = r->session_texts.names.len;
    uint32_t id = intern_add(&r->session_texts, t.s, t.n);
    uint32_t session = hist_add_session(r->h, intern_name(&r->session_texts, id));
    if (id < before)
        r->session_of_text.data[id] = HIST_NONE; /* two of them: only their numbers tell */
    else
        vec_push(&r->session_of_text, session);
    return NULL;
}

/* A number or a list of names.  A number is believed only up to the size of the file. */
static const char *read_sessions(struct jsonl_reader *r)
{
    const char *at = r->s.p, *error = NULL;
    if (*at == '[') {
        bool first = true;
        r->s.p++;
        while (!error && js_more(&r->s, ']', &first, &error))
            error = session_name(r);
    } else {
        uint64_t n = 0;
        error = js_uint(&r->s, "a number of sessions or their names", &n);
        if (!error && n > (uint64_t)(r->s.end - r->s.start))
            error =
                scan_error(&r->s, at, "expected at most as many sessions as the file has bytes");
        for (uint64_t i = 0; !error && i < n; i++)
            hist_add_session(r->h, NULL);
    }
    r->declared = r->h->session_count;
    return error;
}

/* --- the other lines ----------------------------------------------------------------------- */

static const char *read_initials(struct jsonl_reader *r)
{
    bool first = true;
    const char *error = js_char(&r->s, '[');
    while (!error && js_more(&r->s, ']', &first, &error)) {
        uint32_t key = 0;
        struct hist_value v;
        const char *at = r->s.p;
        if ((error = js_char(&r->s, '[')) || (error = jsonl_key(r, &key)) ||
            (error = js_char(&r->s, ',')) || (error = jsonl_value(r, &v)) ||
            (error = js_char(&r->s, ']')))
            break;
        if (key >= r->initialised.len)
            vec_resize(&r->initialised, (size_t)key + 1);
        uint32_t *place = &r->initialised.data[key];
        if (*place && !hist_value_eq(r->h->initials.data[*place - 1].value, v))
            return scan_error(&r->s, at, "expected one initial value of the key, found a second");
        hist_set_initial(r->h, key, v);
        *place = (uint32_t)r->h->initials.len;
    }
    return error;
}

/* The number of a transaction: its place among the transaction lines before this one. */
static const char *read_txn(struct jsonl_reader *r, uint32_t *out)
{
    uint64_t n = 0;
    js_space(&r->s);
    const char *at = r->s.p, *error = js_uint(&r->s, "a transaction's number", &n);
    if (!error && n >= r->h->txns.len)
        error = scan_error(
            &r->s, at, "expected one of the %zu transactions above, counted from 0, found %" PRIu64,
            r->h->txns.len, n);
    *out = (uint32_t)n;
    return error;
}

/* [transaction, operation]. */
static const char *read_op(struct jsonl_reader *r, uint32_t *out)
{
    uint32_t txn;
    uint64_t op = 0;
    const char *error;
    if ((error = js_char(&r->s, '[')) || (error = read_txn(r, &txn)) ||
        (error = js_char(&r->s, ',')))
        return error;
    js_space(&r->s);
    const char *at = r->s.p;
    if ((error = js_uint(&r->s, "an operation's number", &op)))
        return error;
    const struct hist_txn *t = &r->h->txns.data[txn];
    if (op >= t->op_count)
        return scan_error(&r->s, at,
                          "expected one of the transaction's %" PRIu32
                          " operations, counted from 0, found %" PRIu64,
                          t->op_count, op);
    *out = t->first_op + (uint32_t)op;
    return js_char(&r->s, ']');
}

static const char *read_order(struct jsonl_reader *r)
{
    bool first = true;
    const char *error = js_char(&r->s, '[');
    vec_clear(&r->order);
    while (!error && js_more(&r->s, ']', &first, &error)) {
        uint32_t op = 0;
        error = read_op(r, &op);
        vec_push(&r->order, op);
    }
    return error;
}

static const char *read_arbitration(struct jsonl_reader *r)
{
    bool first = true;
    const char *error = js_char(&r->s, '[');
    while (!error && js_more(&r->s, ']', &first, &error)) {
        uint32_t txn;
        error = read_txn(r, &txn);
        if (!error)
            vec_push(&r->h->arbitration, txn);
    }
    return error;
}

static const char *read_visibility(struct jsonl_reader *r)
{
    bool first = true;
    const char *error = js_char(&r->s, '[');
    while (!error && js_more(&r->s, ']', &first, &error)) {
        struct hist_pair p;
        if ((error = js_char(&r->s, '[')) || (error = read_txn(r, &p.from)) ||
            (error = js_char(&r->s, ',')) || (error = read_txn(r, &p.to)) ||
            (error = js_char(&r->s, ']')))
            break;
        vec_push(&r->h->visibility, p);
    }
    return error;
}

/* --- lines --------------------------------------------------------------------------------- */

static const char *read_status(struct jsonl_reader *r)
{
    static const char *const names[] = {"committed", "aborted", "unknown"};
    struct js_text t;
    const char *at = r->s.p, *error = js_string(&r->s, "a status", &r->scratch, &t);
    if (error)
        return error;
    for (int i = 0; i < 3; i++)
        if (js_is(&t, names[i])) {
            r->status = (enum hist_status)i;
            return NULL;
        }
    return scan_expected(&r->s, at, "\"committed\", \"aborted\" or \"unknown\"");
}

static const char *read_time(struct jsonl_reader *r, int64_t *out)
{
    const char *at = r->s.p, *error = js_int(&r->s, "a time", out);
    return !error && *out == HIST_NO_TIME ? scan_error(&r->s, at, "this time is reserved") : error;
}

static const char *read_header(struct jsonl_reader *r)
{
    uint64_t version = 0;
    const char *at = r->s.p, *error = js_uint(&r->s, "the format's version", &version);
    if (!error && version != FORMAT_VERSION)
        error = scan_error(&r->s, at, "expected version %d of the format, found %" PRIu64,
                           FORMAT_VERSION, version);
    if (!error && r->lines)
        error = scan_error(&r->s, at, "expected one header, on the first line");
    return error;
}

static const char *read_default(struct jsonl_reader *r)
{
    struct hist_value v;
    const char *error = jsonl_value(r, &v);
    if (!error)
        hist_set_initial_default(r->h, v);
    return error;
}

static const char *read_complete(struct jsonl_reader *r)
{
    const char *at = r->s.p;
    r->h->version_orders_complete = js_word(&r->s, "true");
    r->h->complete_place = (struct hist_place){.line = r->line};
    return r->h->version_orders_complete || js_word(&r->s, "false")
               ? NULL
               : scan_expected(&r->s, at, "true or false");
}

static const char *read_id(struct jsonl_reader *r)
{
    const char *at = r->s.p, *error = js_uint(&r->s, "a transaction's number", &r->id);
    return !error && r->id == HIST_NO_LABEL ? scan_error(&r->s, at, "this number is reserved")
                                            : error;
}

static const char *read_name(struct jsonl_reader *r)
{
    struct js_text t;
    const char *error = js_string(&r->s, "a transaction's name", &r->scratch, &t);
    if (error)
        return error;
    sb_clear(&r->name);
    sb_add(&r->name, t.s, t.n);
    return NULL;
}

/* The operations belong to a session: they wait until it is known. */
static const char *read_ops(struct jsonl_reader *r)
{
    if (r->seen & BIT(F_SESSION))
        return jsonl_operations(r);
    r->ops = r->s;
    return js_pass(&r->s);
}

static const char *field_value(struct jsonl_reader *r, enum field f)
{
    switch (f) {
    case F_HEADER:
        return read_header(r);
    case F_DEFAULT:
        return read_default(r);
    case F_SESSIONS:
        return read_sessions(r);
    case F_COMPLETE:
        return read_complete(r);
    case F_SESSION:
        return read_session(r);
    case F_STATUS:
        return read_status(r);
    case F_BEGIN:
        return read_time(r, &r->times.begin_asked);
    case F_BEGIN_ANSWERED:
        return read_time(r, &r->times.begin_answered);
    case F_COMMIT_ASKED:
        return read_time(r, &r->times.commit_asked);
    case F_COMMIT:
        return read_time(r, &r->times.commit_answered);
    case F_ID:
        return read_id(r);
    case F_NAME:
        return read_name(r);
    case F_OPS:
        return read_ops(r);
    case F_INITIAL:
        return read_initials(r);
    case F_VERSIONS:
        return jsonl_key(r, &r->version_key);
    case F_ORDER:
    case F_SEES:
        return read_order(r);
    case F_SET:
        return read_op(r, &r->set_op);
    case F_ARBITRATION:
        return read_arbitration(r);
    default:
        return read_visibility(r);
    }
}

static const char *read_field(struct jsonl_reader *r)
{
    struct js_text t;
    const char *at = r->s.p, *error = js_string(&r->s, "a field's name", &r->scratch, &t);
    if (error)
        return error;
    bool extension = t.n > 2 && !memcmp(t.s, "x-", 2);
    unsigned f = 0;
    while (!extension && f < FIELD_COUNT && !js_is(&t, field_names[f]))
        f++;
    if (f == FIELD_COUNT)
        return scan_expected(&r->s, at, "a field that this version knows, or one named \"x-…\"");
    if (!extension && r->seen & BIT(f))
        return scan_error(&r->s, at, "expected the field \"%s\" once, found it twice",
                          field_names[f]);
    if ((error = js_char(&r->s, ':')))
        return error;
    js_space(&r->s);
    if (extension)
        return js_skip(&r->s);
    error = field_value(r, (enum field)f);
    r->seen |= BIT(f);
    return error;
}

static const char *check_line(const struct jsonl_reader *r, const char *at)
{
    if (!r->lines && !(r->seen & BIT(F_HEADER)))
        return scan_error(&r->s, at, "expected the header, {\"visar-history\":1,…}");
    for (size_t i = 0; i < sizeof line_kinds / sizeof *line_kinds; i++) {
        if (r->seen & ~line_kinds[i].may || !(r->seen & line_kinds[i].may))
            continue;
        unsigned missing = line_kinds[i].must & ~r->seen;
        for (unsigned f = 0; f < FIELD_COUNT; f++)
            if (missing & BIT(f))
                return scan_error(&r->s, at, "expected a field \"%s\"", field_names[f]);
        return NULL;
    }
    return scan_error(&r->s, at,
                      r->seen ? "these fields do not belong on one line"
                              : "expected a field that says what the line is");
}

/* What a version order or a version set names: writes, of the order's key. */
static const char *check_named(const struct jsonl_reader *r, const char *at)
{
    bool order = r->seen & BIT(F_ORDER);
    for (size_t i = 0; i < r->order.len; i++) {
        uint32_t index = r->order.data[i], txn = hist_op_txn(r->h, index);
        const struct hist_op *op = &r->h->ops.data[index];
        bool write = op->kind == HIST_WRITE || (order && op->kind == HIST_APPEND);
        if (!write || (order && op->key != r->version_key))
            return scan_error(
                &r->s, at, "the version %s names [%" PRIu32 ",%" PRIu32 "], which is not a write%s",
                order ? "order" : "set", txn, index - r->h->txns.data[txn].first_op,
                order ? " of the key" : "");
    }
    return NULL;
}

static const char *end_versions(struct jsonl_reader *r, const char *at)
{
    const char *error;
    if (r->h->error)
        return NULL;
    if ((error = check_named(r, at)))
        return error;
    if (r->seen & BIT(F_ORDER)) {
        hist_add_version_order(r->h, r->version_key, r->order.data, r->order.len);
        hist_version_order_place(r->h, (struct hist_place){.line = r->line});
    } else {
        hist_version_set(r->h, r->set_op, r->order.data, r->order.len);
    }
    return r->h->error ? scan_error(&r->s, at, "%s", r->h->error) : NULL;
}

static const char *end_line(struct jsonl_reader *r, const char *at)
{
    const char *error = check_line(r, at);
    if (!error && r->seen & (BIT(F_ORDER) | BIT(F_SEES)))
        error = end_versions(r, at);
    if (error)
        return error;
    if (r->seen & BIT(F_OPS)) {
        if (!r->open) {
            struct scan after = r->s;
            r->s = r->ops;
            error = jsonl_operations(r);
            r->s = after;
        }
        if (r->seen & TIMES)
            hist_txn_intervals(r->h, r->times);
        if (r->seen & BIT(F_ID))
            hist_txn_label(r->h, r->id);
        if (r->seen & BIT(F_NAME))
            hist_txn_name(r->h, sb_str(&r->name));
        hist_end_txn(r->h, r->status);
    }
    return error;
}

static const char *one_line(struct jsonl_reader *r)
{
    bool first = true;
    const char *at = r->s.p, *error = js_char(&r->s, '{');
    r->seen = 0;
    r->open = false;
    r->status = HIST_COMMITTED;
    r->times = (struct hist_times){HIST_NO_TIME, HIST_NO_TIME, HIST_NO_TIME, HIST_NO_TIME};
    while (!error && js_more(&r->s, '}', &first, &error))
        error = read_field(r);
    if (error || (error = end_line(r, at)))
        return error;
    js_space(&r->s);
    r->lines++;
    return scan_eol(&r->s) ? NULL : scan_expected(&r->s, r->s.p, "the end of the line");
}

const char *jsonl_read(const struct fmt_input *in, struct fmt_context *c, struct history *h)
{
    struct jsonl_reader r = {
        .s = fmt_scan(&in->files.data[0], c), .c = c, .h = h, .declared = HIST_NONE};
    const char *error = NULL;
    while (!error && !scan_at_end(&r.s) && !(error = scan_interrupted())) {
        js_space(&r.s);
        const char *line = r.s.p;
        r.line = scan_line(&r.s, line);
        if (!scan_eol(&r.s))
            error = one_line(&r);
        if (!error)
            error = fmt_complaint(&r.s, c, h->txns.len, line);
    }
    if (!error && !r.lines)
        error = scan_expected(&r.s, r.s.end, "a header line");
    sb_free(&r.scratch);
    sb_free(&r.name);
    sb_free(&r.field);
    map_free(&r.sessions);
    intern_free(&r.session_texts);
    vec_free(&r.session_of_text);
    vec_free(&r.list);
    vec_free(&r.keys.ids);
    vec_free(&r.order);
    vec_free(&r.initialised);
    return error;
}
