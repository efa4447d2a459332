/* visar's own format: JSON Lines, a header and then one transaction per line; see
 * docs/history-format.md, which is the definition.
 *
 *     {"visar-history":1,"default":0,"sessions":2}
 *     {"session":0,"begin":3,"commit":9,"ops":[["r","x",0],["w","x",7]]}
 *     {"session":1,"status":"aborted","ops":[["r",12,[1,2]],["append",12,3]]}
 *
 * Unknown fields are errors, because a field that we do not know may change what the history means;
 * only names that begin with "x-" are left out.  Integers and structure are read in place, see
 * fmt_json.h: a tree per line made reading several times slower than everything after it. */
#include "history/fmt_formats.h"

#include <inttypes.h>

#include "base/map.h"
#include "history/fmt_json.h"

enum { FORMAT_VERSION = 1 };

enum field {
    F_HEADER,
    F_DEFAULT,
    F_SESSIONS,
    F_COMPLETE,
    F_SESSION,
    F_STATUS,
    F_BEGIN,
    F_COMMIT,
    F_ID,
    F_NAME,
    F_OPS,
    F_INITIAL,
    F_VERSIONS,
    F_ORDER,
    F_ARBITRATION,
    F_VISIBILITY,
    FIELD_COUNT
};

static const char *const field_names[FIELD_COUNT] = {
    "visar-history",
    "default",
    "sessions",
    "versions-complete",
    "session",
    "status",
    "begin",
    "commit",
    "id",
    "name",
    "ops",
    "initial",
    "versions",
    "order",
    "arbitration",
    "visibility",
};

#define BIT(f) (1u << (f))
/* What may stand together on a line, and what must. */
static const struct {
    unsigned may, must;
} line_kinds[] = {
    {BIT(F_HEADER) | BIT(F_DEFAULT) | BIT(F_SESSIONS) | BIT(F_COMPLETE), BIT(F_HEADER)},
    {BIT(F_SESSION) | BIT(F_STATUS) | BIT(F_BEGIN) | BIT(F_COMMIT) | BIT(F_ID) | BIT(F_NAME) |
         BIT(F_OPS),
     BIT(F_SESSION) | BIT(F_OPS)},
    {BIT(F_INITIAL), BIT(F_INITIAL)},
    {BIT(F_VERSIONS) | BIT(F_ORDER), BIT(F_VERSIONS) | BIT(F_ORDER)},
    {BIT(F_ARBITRATION), BIT(F_ARBITRATION)},
    {BIT(F_VISIBILITY), BIT(F_VISIBILITY)},
};

struct reader {
    struct scan s;
    struct fmt_context *c;
    struct history *h;
    struct strbuf scratch, name;
    size_t lines;
    uint32_t declared; /* sessions of the header, or HIST_NONE */
    struct map sessions;
    struct intern session_texts;
    VEC(uint32_t) session_of_text;
    VEC(int64_t) list;
    struct fmt_keys keys;
    VEC(uint32_t) order;

    /* Of the line being read. */
    unsigned seen;
    bool open;
    uint32_t session;
    enum hist_status status;
    int64_t begin, commit;
    uint64_t id;
    struct scan ops; /* read last, if "session" came later */
    uint32_t version_key;
};

/* --- values -------------------------------------------------------------------------------- */

static const char *read_key(struct reader *r, uint32_t *out)
{
    js_space(&r->s);
    const char *error;
    if (*r->s.p == '"') {
        struct js_text t;
        error = js_string(&r->s, "a key", &r->scratch, &t);
        if (!error)
            *out = hist_key_str(r->h, t.s, t.n);
    } else {
        int64_t n = 0;
        error = js_int(&r->s, "a key", &n);
        if (!error)
            *out = fmt_key_int(&r->keys, r->h, n);
    }
    return error;
}

/* An integer or a string. */
static const char *scalar(struct reader *r, struct hist_value *out)
{
    if (*r->s.p == '"') {
        struct js_text t;
        const char *error = js_string(&r->s, "a value", &r->scratch, &t);
        if (error)
            return error;
        if (!r->c->text_values) {
            r->c->text_values = r->c->again = true;
            return "";
        }
        *out = fmt_text_value(r->h, t.s, t.n);
        return NULL;
    }
    int64_t n = 0;
    const char *error = js_int(&r->s, "a value (an integer, a string or null)", &n);
    if (!error)
        *out = fmt_int_value(r->c, r->h, n);
    return error;
}

static const char *read_value(struct reader *r, struct hist_value *out)
{
    js_space(&r->s);
    *out = hist_null();
    return *r->s.p == 'n' && js_word(&r->s, "null") ? NULL : scalar(r, out);
}

static const char *read_list(struct reader *r)
{
    bool first = true;
    const char *error = NULL;
    r->s.p++;
    vec_clear(&r->list);
    while (!error && js_more(&r->s, ']', &first, &error)) {
        struct hist_value v = {0};
        error = scalar(r, &v);
        vec_push(&r->list, v.value);
    }
    return error;
}

/* --- operations ---------------------------------------------------------------------------- */

static const char *op_detail(struct reader *r)
{
    static const struct {
        const char *name;
        enum hist_op_flags flag;
    } flags[] = {{"initial", HIST_OP_INITIAL},
                 {"failed", HIST_OP_FAILED},
                 {"same-statement", HIST_OP_SAME_STMT}};
    struct js_text t;
    js_space(&r->s);
    const char *at = r->s.p, *error = js_string(&r->s, "a field's name", &r->scratch, &t);
    if (error)
        return error;
    if (t.n > 2 && !memcmp(t.s, "x-", 2))
        return (error = js_char(&r->s, ':')) ? error : (js_space(&r->s), js_skip(&r->s));
    if (js_is(&t, "id")) {
        uint64_t id = 0;
        if ((error = js_char(&r->s, ':')))
            return error;
        js_space(&r->s);
        at = r->s.p;
        error = js_uint(&r->s, "a write id", &id);
        if (!error && !id)
            error = scan_error(&r->s, at, "expected a write id above 0");
        hist_write_id(r->h, id);
        return error;
    }
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
        if (!js_is(&t, flags[i].name))
            continue;
        if ((error = js_char(&r->s, ':')))
            return error;
        js_space(&r->s);
        if (js_word(&r->s, "true"))
            hist_op_flag(r->h, flags[i].flag);
        else if (!js_word(&r->s, "false"))
            return scan_expected(&r->s, r->s.p, "true or false");
        return NULL;
    }
    return scan_expected(&r->s, at, "\"id\", \"initial\", \"failed\" or \"same-statement\"");
}

static const char *op_end(struct reader *r)
{
    bool first = false, first_field = true;
    const char *error = NULL;
    if (*r->s.p == ']') { /* nearly always */
        r->s.p++;
        return NULL;
    }
    if (!js_more(&r->s, ']', &first, &error))
        return error;
    error = js_char(&r->s, '{');
    while (!error && js_more(&r->s, '}', &first_field, &error))
        error = op_detail(r);
    return error ? error : js_char(&r->s, ']');
}

static const char *operation(struct reader *r)
{
    struct js_text kind;
    uint32_t key = 0;
    struct hist_value v = {0};
    const char *error = js_char(&r->s, '[');
    if (error)
        return error;
    js_space(&r->s);
    const char *at = r->s.p;
    error = js_string(&r->s, "\"r\", \"w\" or \"append\"", &r->scratch, &kind);
    if (error)
        return error;
    char c = kind.n == 1 ? *kind.s : js_is(&kind, "append") ? 'a' : 0;
    if (c != 'r' && c != 'w' && (c != 'a' || kind.n == 1))
        return scan_expected(&r->s, at, "\"r\", \"w\" or \"append\"");
    if ((error = js_char(&r->s, ',')) || (error = read_key(r, &key)) ||
        (error = js_char(&r->s, ',')))
        return error;
    js_space(&r->s);
    if (c == 'r' && *r->s.p == '[') {
        if ((error = read_list(r)))
            return error;
        hist_list_read(r->h, key, r->list.data, r->list.len);
    } else if (c == 'a') {
        if ((error = scalar(r, &v)))
            return error;
        hist_append(r->h, key, v.value);
    } else {
        if ((error = read_value(r, &v)))
            return error;
        if (c == 'w')
            hist_write(r->h, key, v);
        else
            hist_read(r->h, key, v);
    }
    js_space(&r->s);
    return op_end(r);
}

static const char *operations(struct reader *r)
{
    bool first = true;
    hist_begin_txn(r->h, r->session);
    r->open = true;
    const char *error = js_char(&r->s, '[');
    while (!error && js_more(&r->s, ']', &first, &error))
        error = operation(r);
    return error;
}

/* --- sessions ------------------------------------------------------------------------------ */

static const char *read_session(struct reader *r)
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
    if (fresh)
        hist_add_session(r->h, NULL);
    return NULL;
}

static const char *session_name(struct reader *r)
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
static const char *read_sessions(struct reader *r)
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

static const char *read_initials(struct reader *r)
{
    bool first = true;
    const char *error = js_char(&r->s, '[');
    while (!error && js_more(&r->s, ']', &first, &error)) {
        uint32_t key = 0;
        struct hist_value v;
        if ((error = js_char(&r->s, '[')) || (error = read_key(r, &key)) ||
            (error = js_char(&r->s, ',')) || (error = read_value(r, &v)) ||
            (error = js_char(&r->s, ']')))
            break;
        hist_set_initial(r->h, key, v);
    }
    return error;
}

/* The number of a transaction: its place among the transaction lines before this one. */
static const char *read_txn(struct reader *r, uint32_t *out)
{
    uint64_t n = 0;
    js_space(&r->s);
    const char *at = r->s.p, *error = js_uint(&r->s, "a transaction's number", &n);
    if (!error && n >= r->h->txns.len)
        error = scan_error(&r->s, at, "expected one of the %zu transactions above, found %" PRIu64,
                           r->h->txns.len, n);
    *out = (uint32_t)n;
    return error;
}

static const char *read_order(struct reader *r)
{
    bool first = true;
    const char *error = js_char(&r->s, '[');
    vec_clear(&r->order);
    while (!error && js_more(&r->s, ']', &first, &error)) {
        uint32_t txn;
        uint64_t op = 0;
        if ((error = js_char(&r->s, '[')) || (error = read_txn(r, &txn)) ||
            (error = js_char(&r->s, ',')))
            break;
        js_space(&r->s);
        const char *at = r->s.p;
        if ((error = js_uint(&r->s, "an operation's number", &op)))
            break;
        const struct hist_txn *t = &r->h->txns.data[txn];
        if (op >= t->op_count)
            return scan_error(&r->s, at,
                              "expected one of the transaction's %" PRIu32
                              " operations, found %" PRIu64,
                              t->op_count, op);
        vec_push(&r->order, t->first_op + (uint32_t)op);
        error = js_char(&r->s, ']');
    }
    return error;
}

static const char *read_arbitration(struct reader *r)
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

static const char *read_visibility(struct reader *r)
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

static const char *read_status(struct reader *r)
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

static const char *read_time(struct reader *r, int64_t *out)
{
    const char *at = r->s.p, *error = js_int(&r->s, "a time", out);
    return !error && *out == HIST_NO_TIME ? scan_error(&r->s, at, "this time is reserved") : error;
}

static const char *read_header(struct reader *r)
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

static const char *field_value(struct reader *r, enum field f)
{
    struct js_text t;
    struct hist_value v;
    const char *error, *at = r->s.p;
    switch (f) {
    case F_HEADER:
        return read_header(r);
    case F_DEFAULT:
        if ((error = read_value(r, &v)))
            return error;
        hist_set_initial_default(r->h, v);
        return NULL;
    case F_SESSIONS:
        return read_sessions(r);
    case F_COMPLETE:
        r->h->version_orders_complete = js_word(&r->s, "true");
        return r->h->version_orders_complete || js_word(&r->s, "false")
                   ? NULL
                   : scan_expected(&r->s, at, "true or false");
    case F_SESSION:
        return read_session(r);
    case F_STATUS:
        return read_status(r);
    case F_BEGIN:
        return read_time(r, &r->begin);
    case F_COMMIT:
        return read_time(r, &r->commit);
    case F_ID:
        error = js_uint(&r->s, "a transaction's number", &r->id);
        return !error && r->id == HIST_NO_LABEL ? scan_error(&r->s, at, "this number is reserved")
                                                : error;
    case F_NAME:
        if ((error = js_string(&r->s, "a transaction's name", &r->scratch, &t)))
            return error;
        sb_clear(&r->name);
        sb_add(&r->name, t.s, t.n);
        return NULL;
    case F_OPS:
        if (r->seen & BIT(F_SESSION))
            return operations(r);
        r->ops = r->s;
        return js_pass(&r->s);
    case F_INITIAL:
        return read_initials(r);
    case F_VERSIONS:
        return read_key(r, &r->version_key);
    case F_ORDER:
        return read_order(r);
    case F_ARBITRATION:
        return read_arbitration(r);
    default:
        return read_visibility(r);
    }
}

static const char *read_field(struct reader *r)
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

static const char *check_line(const struct reader *r, const char *at)
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

static const char *end_line(struct reader *r, const char *at)
{
    const char *error = check_line(r, at);
    if (error)
        return error;
    if (r->seen & BIT(F_ORDER))
        hist_add_version_order(r->h, r->version_key, r->order.data, r->order.len);
    if (r->seen & BIT(F_OPS)) {
        if (!r->open) {
            struct scan after = r->s;
            r->s = r->ops;
            error = operations(r);
            r->s = after;
        }
        if (r->seen & (BIT(F_BEGIN) | BIT(F_COMMIT)))
            hist_txn_times(r->h, r->begin, r->commit);
        if (r->seen & BIT(F_ID))
            hist_txn_label(r->h, r->id);
        if (r->seen & BIT(F_NAME))
            hist_txn_name(r->h, sb_str(&r->name));
        hist_end_txn(r->h, r->status);
    }
    return error;
}

static const char *one_line(struct reader *r)
{
    bool first = true;
    const char *at = r->s.p, *error = js_char(&r->s, '{');
    r->seen = 0;
    r->open = false;
    r->status = HIST_COMMITTED;
    r->begin = r->commit = HIST_NO_TIME;
    while (!error && js_more(&r->s, '}', &first, &error))
        error = read_field(r);
    if (error || (error = end_line(r, at)))
        return error;
    js_space(&r->s);
    r->lines++;
    return scan_eol(&r->s) ? NULL : scan_expected(&r->s, r->s.p, "the end of the line");
}

static const char *read_jsonl(const struct fmt_input *in, struct fmt_context *c, struct history *h)
{
    struct reader r = {.s = scan_new(&in->files.data[0], c), .c = c, .h = h, .declared = HIST_NONE};
    const char *error = NULL;
    while (!error && !scan_at_end(&r.s) && !(error = scan_interrupted())) {
        js_space(&r.s);
        if (!scan_eol(&r.s))
            error = one_line(&r);
    }
    if (!error && !r.lines)
        error = scan_expected(&r.s, r.s.end, "a header line");
    sb_free(&r.scratch);
    sb_free(&r.name);
    map_free(&r.sessions);
    intern_free(&r.session_texts);
    vec_free(&r.session_of_text);
    vec_free(&r.list);
    vec_free(&r.keys.ids);
    vec_free(&r.order);
    return error;
}

static enum fmt_match detect_jsonl(const struct fmt_input *in)
{
    if (in->folder)
        return FMT_NO;
    const char *p = in->files.data[0].data;
    while (*p == ' ' || *p == '\t' || *p == '\n' || *p == '\r')
        p++;
    const char *eol = strchrnul(p, '\n');
    return *p == '{' && memmem(p, (size_t)(eol - p), "\"visar-history\"", 15) ? FMT_SURE : FMT_NO;
}

const struct format fmt_jsonl = {
    .name = "jsonl",
    .title = "visar's own JSON Lines, which can say everything",
    .detect = detect_jsonl,
    .read = read_jsonl,
    .write = fmt_write_jsonl,
    .keeps = ~0u,
};
