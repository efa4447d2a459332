/* Viper's JSON logs (Zhang et al., EuroSys 2023): a folder with one file per session, one line per
 * transaction:
 *
 *     {"value": [["w", key, value, true], ["r", key, value, false], …]}
 *
 * Keys and values are integers or strings; "nil" and null mean that there was no value.  All
 * transactions are committed.  The flag of a read says whether the row it saw was dead (a
 * tombstone): versions are told apart by value all the same.  "i" and "d", an insert and a delete,
 * are writes like "w"; a delete writes a tombstone with a value of its own.  They may say what they
 * saw before they wrote: ["i", key, value, seen, dead, true, …].  A transaction with
 * "isInitial": true gives the initial values, by writes or by one range query without ends.
 *
 *     ["range", 3, "nil", [{"id": 4, "val": 7}, …], [{"id": 6, "val": 9}, …]]
 *
 * is a range query from key 3 on: the rows that it returned, and the dead ones that it filtered
 * out, by the values of their tombstones.  Any other key of the range had no row at all.
 *
 * Without one, the logs do not say what was there before.  If all reads of a key that saw a value
 * nobody wrote agree on that value, it is the key's initial value. */
#include "history/format/format_internal.h"

#include "base/json.h"

/* Which initial transaction wrote a key, from 1 (0: none), and the place in the initial values. */
struct initial_write {
    uint32_t txn, place;
};

struct reader {
    struct scan s;
    struct fmt_context *c;
    struct history *h;
    uint32_t session;
    uint64_t line; /* the number of the line being read */
    struct strbuf scratch;
    VEC(struct hist_initial)
    rows;                  /* what range queries returned: hist_finish makes reads of them */
    uint32_t initial_txns; /* so many were begun */
    VEC(struct initial_write) initial_of; /* by key */
};

static const char *key(struct reader *r, uint32_t *out)
{
    js_space(&r->s);
    if (*r->s.p == '"') {
        struct js_text t;
        const char *error = js_string(&r->s, "a key", &r->scratch, &t);
        if (!error)
            *out = hist_key_str(r->h, t.s, t.n);
        return error;
    }
    int64_t n = 0;
    const char *error = js_int(&r->s, "a key", &n);
    if (!error)
        *out = hist_key_int(r->h, n);
    return error;
}

static const char *value(struct reader *r, struct hist_value *out)
{
    js_space(&r->s);
    *out = hist_null();
    if (js_word(&r->s, "null"))
        return NULL;
    if (*r->s.p == '"') {
        struct js_text t;
        const char *error = js_string(&r->s, "a value", &r->scratch, &t);
        if (error || js_is(&t, "nil"))
            return error;
        error = fmt_need_text_values(r->c);
        if (!error)
            *out = fmt_text_value(r->h, t.s, t.n);
        return error;
    }
    int64_t n = 0;
    const char *error = js_int(&r->s, "a value", &n);
    if (!error)
        *out = fmt_int_value(r->c, r->h, n);
    return error;
}

/* What follows the value of a read or a write: a flag, in some logs more. */
static const char *flags(struct reader *r, bool write)
{
    bool first = false;
    const char *error = NULL;
    for (int i = 0; !error && js_more(&r->s, ']', &first, &error); i++) {
        const char *at = r->s.p;
        if (i == 0 && js_word(&r->s, "true"))
            continue;
        if (i == 0 && js_word(&r->s, "false")) {
            if (write)
                return scan_error(&r->s, at, "expected true as the flag of a write, found false");
            continue;
        }
        error = js_skip(&r->s);
    }
    return error;
}

/* What follows the value of an insert or a delete: a flag, or what was seen before, whether that
 * was dead, and the flag.  A read of what was seen belongs before the write. */
static const char *seen_before(struct reader *r, bool *any, struct hist_value *seen)
{
    struct scan look = r->s;
    *any = false;
    js_space(&look);
    if (*look.p != ',')
        return NULL;
    look.p++;
    js_space(&look);
    if (*look.p == 't' || *look.p == 'f')
        return NULL;
    const char *error;
    r->s = look;
    if ((error = value(r, seen)) || (error = js_char(&r->s, ',')))
        return error;
    js_space(&r->s);
    *any = true;
    return js_word(&r->s, "true") || js_word(&r->s, "false")
               ? NULL
               : scan_expected(&r->s, r->s.p, "true or false: was the row that was seen dead?");
}

/* Within one initial transaction the last write of a key counts, as in any transaction.  Of two
 * transactions that disagree nobody can say which one came last. */
static const char *set_initial(struct reader *r, const char *at, uint32_t key, struct hist_value v)
{
    struct history *h = r->h;
    if (key >= r->initial_of.len)
        vec_resize(&r->initial_of, (size_t)key + 1);
    struct initial_write *w = &r->initial_of.data[key];
    if (!w->txn) {
        *w = (struct initial_write){r->initial_txns, (uint32_t)h->initials.len};
        hist_set_initial(h, key, v);
        return NULL;
    }
    struct hist_value *old = &h->initials.data[w->place].value;
    if (w->txn != r->initial_txns && !hist_value_eq(*old, v))
        return scan_error(&r->s, at,
                          "expected one initial value of the key, found a second one in another "
                          "initial transaction");
    *old = v;
    w->txn = r->initial_txns;
    return NULL;
}

/* {"id": key, "val": value}, in any order; other fields do not matter. */
static const char *range_row(struct reader *r, bool initial)
{
    uint32_t k = HIST_NONE;
    struct hist_value v = {0};
    bool first = true, valued = false;
    js_space(&r->s);
    const char *at = r->s.p, *error = js_char(&r->s, '{');
    while (!error && js_more(&r->s, '}', &first, &error)) {
        struct js_text name;
        if ((error = js_string(&r->s, "a field's name", &r->scratch, &name)))
            break;
        bool id = js_is(&name, "id"), val = js_is(&name, "val");
        if ((error = js_char(&r->s, ':')))
            break;
        js_space(&r->s);
        error = id ? key(r, &k) : val ? value(r, &v) : js_skip(&r->s);
        valued |= val;
    }
    if (error)
        return error;
    if (k == HIST_NONE || !valued)
        return scan_error(&r->s, at, "expected a row with the fields \"id\" and \"val\"");
    if (initial)
        return set_initial(r, at, k, v);
    hist_returned_row(r->h, k, v, 0);
    vec_push(&r->rows, ((struct hist_initial){k, v}));
    return NULL;
}

static const char *range_rows(struct reader *r, bool initial)
{
    bool first = true;
    const char *error = js_char(&r->s, '[');
    while (!error && js_more(&r->s, ']', &first, &error))
        error = range_row(r, initial);
    return error;
}

/* One end of a range: a key, or nil. */
static const char *range_end(struct reader *r, bool initial, enum hist_compare c,
                             enum hist_type *type)
{
    js_space(&r->s);
    *type = HIST_OPEN;
    bool open = js_word(&r->s, "null");
    if (!open && *r->s.p == '"') {
        struct js_text t;
        const char *error = js_string(&r->s, "a key", &r->scratch, &t);
        if (error)
            return error;
        open = js_is(&t, "nil");
        if (!open)
            *type = HIST_TEXT;
        if (!open && !initial)
            hist_condition_text(r->h, "key", 3, c, HIST_TEXT, t.s, t.n);
    } else if (!open) {
        int64_t n = 0;
        const char *error = js_int(&r->s, "a key, or \"nil\" for an open end", &n);
        if (error)
            return error;
        *type = HIST_INT;
        if (!initial)
            hist_condition_int(r->h, "key", 3, c, n);
    }
    if (open && !initial)
        hist_condition_number(r->h, "key", 3, c, HIST_OPEN, 0);
    return NULL;
}

static const char *range(struct reader *r, const char *at, bool initial)
{
    enum hist_type low, high;
    const char *error;
    if (!initial)
        hist_predicate_read(r->h, HIST_RANGE);
    if ((error = js_char(&r->s, ',')) || (error = range_end(r, initial, HIST_GE, &low)) ||
        (error = js_char(&r->s, ',')) || (error = range_end(r, initial, HIST_LE, &high)))
        return error;
    if (initial && (low != HIST_OPEN || high != HIST_OPEN))
        return scan_error(
            &r->s, at, "expected a range without ends in the initial transaction, found one with");
    if (low != high && low != HIST_OPEN && high != HIST_OPEN)
        return scan_error(&r->s, at, "expected two integers or two strings as ends of the range");
    for (int i = 0; i < 2 && !error; i++) /* the rows, then the dead ones */
        if (!(error = js_char(&r->s, ',')))
            error = range_rows(r, initial);
    return error ? error : flags(r, false);
}

static const char *operation(struct reader *r, bool initial)
{
    struct js_text kind;
    uint32_t k = 0;
    struct hist_value v, seen = {0};
    const char *error = js_char(&r->s, '[');
    if (error)
        return error;
    js_space(&r->s);
    const char *at = r->s.p;
    error = js_string(&r->s, "\"r\" or \"w\"", &r->scratch, &kind);
    if (error)
        return error;
    if (js_is(&kind, "range"))
        return range(r, at, initial);
    bool read = js_is(&kind, "r"), plain = js_is(&kind, "w"), any = false;
    if (!read && !plain && !js_is(&kind, "i") && !js_is(&kind, "d"))
        return scan_expected(&r->s, at, "\"r\", \"w\", \"i\", \"d\" or \"range\"");
    if (read && initial)
        return scan_error(&r->s, at, "expected a write in the initial transaction, found a read");
    if ((error = js_char(&r->s, ',')) || (error = key(r, &k)) || (error = js_char(&r->s, ',')) ||
        (error = value(r, &v)))
        return error;
    if (!read && !plain && (error = seen_before(r, &any, &seen)))
        return error;
    if (initial) {
        error = set_initial(r, at, k, v);
        return error ? error : flags(r, true);
    }
    if (any)
        hist_read(r->h, k, seen);
    if (read)
        hist_read(r->h, k, v);
    else
        hist_write(r->h, k, v);
    return flags(r, !read);
}

static const char *operations(struct reader *r, bool initial)
{
    bool first = true;
    const char *error = js_char(&r->s, '[');
    if (error)
        return error;
    if (!initial) {
        hist_begin_txn(r->h, r->session);
        hist_txn_line(r->h, r->line);
    }
    r->initial_txns += initial;
    while (!error && js_more(&r->s, ']', &first, &error))
        error = operation(r, initial);
    if (!initial)
        hist_end_txn(r->h, HIST_COMMITTED);
    return error;
}

/* "isInitial" may follow "value", so the operations are read last. */
static const char *one_line(struct reader *r)
{
    struct scan ops = {0};
    bool initial = false, first = true;
    const char *at = r->s.p, *error = js_char(&r->s, '{');
    while (!error && js_more(&r->s, '}', &first, &error)) {
        struct js_text name;
        if ((error = js_string(&r->s, "a field's name", &r->scratch, &name)))
            break;
        bool is_value = js_is(&name, "value"), is_initial = js_is(&name, "isInitial");
        if ((error = js_char(&r->s, ':')))
            break;
        js_space(&r->s);
        if (is_value) {
            if (ops.p)
                return scan_error(&r->s, r->s.p, "expected one field \"value\", found two");
            ops = r->s;
            error = js_pass(&r->s);
        } else if (is_initial && js_word(&r->s, "true")) {
            initial = true;
        } else {
            error = js_skip(&r->s);
        }
    }
    if (error)
        return error;
    if (!ops.p)
        return scan_error(&r->s, at, "expected a field \"value\"");
    js_space(&r->s);
    struct scan after = r->s;
    r->s = ops;
    error = operations(r, initial);
    r->s = after;
    if (!error && !scan_eol(&r->s))
        error = scan_expected(&r->s, r->s.p, "the end of the line");
    return error;
}

static void guess(struct history *h, const struct fmt_pairs *written, bool *known, uint32_t key,
                  struct hist_value v)
{
    if (v.null || known[key] || fmt_pairs_get(written, key, (uint64_t)v.value))
        return;
    known[key] = true;
    hist_set_initial(h, key, v);
}

/* The values that are read but never written; see above. */
static void guess_initials(struct reader *r)
{
    struct history *h = r->h;
    struct fmt_pairs written = {0};
    bool *known = mem_calloc(h->keys.len + 1, sizeof *known);
    for (size_t i = 0; i < h->ops.len; i++)
        if (h->ops.data[i].kind == HIST_WRITE && !(h->ops.data[i].flags & HIST_OP_NULL))
            fmt_pairs_put(&written, h->ops.data[i].key, (uint64_t)h->ops.data[i].value, 1, NULL);
    for (size_t i = 0; i < h->ops.len; i++)
        if (h->ops.data[i].kind == HIST_READ)
            guess(h, &written, known, h->ops.data[i].key, hist_op_value(&h->ops.data[i]));
    for (size_t i = 0; i < r->rows.len; i++)
        guess(h, &written, known, r->rows.data[i].key, r->rows.data[i].value);
    mem_free(known);
    fmt_pairs_free(&written);
}

static const char *read_viper(const struct fmt_input *in, struct fmt_context *c, struct history *h)
{
    struct reader r = {.c = c, .h = h};
    const char *error = NULL;
    for (size_t i = 0; !error && i < in->files.len; i++) {
        r.s = fmt_scan(&in->files.data[i], c);
        const char *path = in->files.data[i].path;
        r.session = hist_add_log(h, fmt_base_name(c->messages, path), path);
        while (!error && !scan_at_end(&r.s) && !(error = scan_interrupted())) {
            js_space(&r.s);
            const char *line = r.s.p;
            r.line = scan_line(&r.s, line);
            if (!scan_eol(&r.s))
                error = one_line(&r);
            if (!error)
                error = fmt_complaint(&r.s, c, h->txns.len, line);
        }
    }
    if (!error && !r.initial_txns)
        guess_initials(&r);
    sb_free(&r.scratch);
    vec_free(&r.initial_of);
    vec_free(&r.rows);
    return error;
}

static enum fmt_match detect_viper(const struct fmt_input *in)
{
    enum fmt_match match = FMT_NO;
    for (size_t i = 0; i < in->files.len; i++) {
        const char *p = in->files.data[i].data, *line = p;
        if (in->files.data[i].size == 0)
            continue;
        while (*line == ' ' || *line == '\n' || *line == '\r' || *line == '\t')
            line++;
        const char *eol = strchrnul(line, '\n');
        if (*line != '{' || !memmem(line, (size_t)(eol - line), "\"value\"", 7))
            return FMT_NO;
        match = FMT_SURE;
    }
    return match;
}

const struct format fmt_viper = {
    .name = "viper",
    .title = "Viper's JSON logs, a folder",
    .folder = true,
    .detect = detect_viper,
    .read = read_viper,
};
