/* Keys, values and operations of visar's own format; see jsonl.c. */
#include "history/format/jsonl.h"

/* --- values -------------------------------------------------------------------------------- */

const char *jsonl_key(struct jsonl_reader *r, uint32_t *out)
{
    js_space(&r->s);
    struct js_scalar k;
    const char *error = js_key(&r->s, &r->scratch, &k);
    if (!error)
        *out = k.kind == JS_INT ? fmt_key_int(&r->keys, r->h, k.number) : fmt_json_key(r->h, &k);
    return error;
}

/* A scalar, or a row: an object. */
static const char *scalar(struct jsonl_reader *r, const char *what, struct hist_value *out)
{
    if (*r->s.p == '{')
        return jsonl_row(r, out);
    struct js_scalar v;
    const char *error = js_scalar(&r->s, what, &r->scratch, &v);
    return error ? error : fmt_json_value(r->c, r->h, &v, out);
}

const char *jsonl_value(struct jsonl_reader *r, struct hist_value *out)
{
    js_space(&r->s);
    *out = hist_null();
    return *r->s.p == 'n' && js_word(&r->s, "null")
               ? NULL
               : scalar(r, "a value (a number, a string, true, false, a row or null)", out);
}

static const char element[] = "an element (a number, a string, true, false or a row)";

static const char *read_list(struct jsonl_reader *r)
{
    bool first = true;
    const char *error = NULL;
    r->s.p++;
    vec_clear(&r->list);
    while (!error && js_more(&r->s, ']', &first, &error)) {
        struct hist_value v = {0};
        error = scalar(r, element, &v);
        vec_push(&r->list, v.value);
    }
    return error;
}

/* --- operations ---------------------------------------------------------------------------- */

/* Is the operation at hand of one of these kinds?  A detail that it cannot have would be believed
 * to mean something. */
static bool last_is(const struct jsonl_reader *r, unsigned a, unsigned b)
{
    unsigned kind = r->h->ops.len ? vec_last(&r->h->ops).kind : a;
    return kind == a || kind == b;
}

static const char *op_detail(struct jsonl_reader *r)
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
        if (!error && last_is(r, HIST_PREDICATE, HIST_PREDICATE))
            error = scan_error(&r->s, at,
                               "expected a write id for each row, [key,value,id], not for all");
        hist_write_id(r->h, id);
        return error;
    }
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
        if (!js_is(&t, flags[i].name))
            continue;
        if ((error = js_char(&r->s, ':')))
            return error;
        js_space(&r->s);
        bool yes = js_word(&r->s, "true");
        if (yes && flags[i].flag == HIST_OP_INITIAL && !last_is(r, HIST_READ, HIST_LIST_READ))
            return scan_error(&r->s, at, "expected \"initial\" with a read of one key only");
        if (yes)
            hist_op_flag(r->h, flags[i].flag);
        else if (!js_word(&r->s, "false"))
            return scan_expected(&r->s, r->s.p, "true or false");
        return NULL;
    }
    return scan_expected(&r->s, at, "\"id\", \"initial\", \"failed\" or \"same-statement\"");
}

static const char *op_end(struct jsonl_reader *r)
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

enum op_kind { OP_READ, OP_WRITE, OP_APPEND, OP_DELETE, OP_RANGE, OP_PREDICATE, OP_NONE };

static enum op_kind kind_of(const struct js_text *word)
{
    if (word->n == 1)
        return *word->s == 'r' ? OP_READ : *word->s == 'w' ? OP_WRITE : OP_NONE;
    return js_is(word, "append")      ? OP_APPEND
           : js_is(word, "insert")    ? OP_WRITE
           : js_is(word, "delete")    ? OP_DELETE
           : js_is(word, "range")     ? OP_RANGE
           : js_is(word, "predicate") ? OP_PREDICATE
                                      : OP_NONE;
}

/* What was read from the key, written or appended to it. */
static const char *operand(struct jsonl_reader *r, enum op_kind kind, uint32_t key)
{
    struct hist_value v = {0};
    const char *error;
    if (kind == OP_READ && *r->s.p == '[') {
        if (!(error = read_list(r)))
            hist_list_read(r->h, key, r->list.data, r->list.len);
        return error;
    }
    error = kind == OP_APPEND ? scalar(r, element, &v) : jsonl_value(r, &v);
    if (error)
        return error;
    if (kind == OP_APPEND)
        hist_append(r->h, key, v.value);
    else if (kind == OP_WRITE)
        hist_write(r->h, key, v);
    else
        hist_read(r->h, key, v);
    return NULL;
}

/* The key and the operand, if it has one. */
static const char *operation_on_key(struct jsonl_reader *r, enum op_kind kind)
{
    uint32_t key = 0;
    const char *error = js_char(&r->s, ',');
    if (error || (error = jsonl_key(r, &key)))
        return error;
    if (kind == OP_DELETE) {
        hist_write(r->h, key, hist_null());
        return NULL;
    }
    js_space(&r->s);
    if (*r->s.p != ',')
        return scan_expected(&r->s, r->s.p,
                             kind == OP_READ    ? "a comma and the value read"
                             : kind == OP_WRITE ? "a comma and the value written"
                                                : "a comma and the value appended");
    r->s.p++;
    js_space(&r->s);
    return operand(r, kind, key);
}

static const char *operation(struct jsonl_reader *r)
{
    struct js_text word;
    const char *error = js_char(&r->s, '[');
    if (error)
        return error;
    js_space(&r->s);
    const char *at = r->s.p;
    error = js_string(&r->s, "\"r\", \"w\" or \"append\"", &r->scratch, &word);
    if (error)
        return error;
    enum op_kind kind = kind_of(&word);
    if (kind == OP_NONE)
        return scan_expected(&r->s, at,
                             "\"r\", \"w\", \"append\", \"insert\", \"delete\", \"range\" or "
                             "\"predicate\"");
    error = kind == OP_RANGE       ? jsonl_range(r)
            : kind == OP_PREDICATE ? jsonl_predicate(r)
                                   : operation_on_key(r, kind);
    if (error)
        return error;
    js_space(&r->s);
    return op_end(r);
}

const char *jsonl_operations(struct jsonl_reader *r)
{
    bool first = true;
    hist_begin_txn(r->h, r->session);
    hist_txn_line(r->h, r->line);
    r->open = true;
    const char *error = js_char(&r->s, '[');
    while (!error && js_more(&r->s, ']', &first, &error))
        error = operation(r);
    return error;
}
