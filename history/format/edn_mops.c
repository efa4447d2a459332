/* The operations of one transaction of a Jepsen history, [[:append 3 1] [:r 4 [7 9]] …].
 *
 * Nearly all of a large history is this, and nearly all of it is written in one way: one blank
 * between words, keys and values that are plain numbers.  That is read by quick_mop; whatever
 * is the least bit different is left to read_mop, which knows the whole notation and makes the
 * messages. */
#include <inttypes.h>

#include "history/format/edn.h"
#include "history/format/format_internal.h"

/* --- the usual spelling --------------------------------------------------------------------- */

/* Up to 18 digits: no check for overflow is needed.  EDN has no leading zeros. */
static inline const char *quick_number(const char *p, int64_t *out)
{
    const char *from = p;
    uint64_t v = 0; /* wraps where there are too many */
    for (; scan_is_digit(*p); p++)
        v = v * 10 + (uint64_t)(*p - '0');
    *out = (int64_t)v;
    if (*from == '0' && p - from > 1)
        return NULL;
    return p > from && p - from <= 18 ? p : NULL;
}

static const char *quick_list(struct edn_mops *m, const char *p, struct edn_mop *out)
{
    out->kind = HIST_LIST_READ;
    out->start = (uint32_t)m->values.len;
    while (*p != ']') {
        int64_t v;
        if (!(p = quick_number(p, &v)) || (*p != ' ' && *p != ']') || (p[0] == ' ' && p[1] == ']'))
            return NULL;
        vec_push(&m->values, v);
        p += *p == ' ';
    }
    out->len = (uint32_t)m->values.len - out->start;
    return p + 1;
}

static const char *quick_kind(const char *p, enum hist_kind *kind)
{
    if (p[0] != '[' || p[1] != ':')
        return NULL;
    if (p[2] == 'r' && p[3] == ' ') {
        *kind = HIST_READ;
        return p + 4;
    }
    if (p[2] == 'w' && p[3] == ' ') {
        *kind = HIST_WRITE;
        return p + 4;
    }
    *kind = HIST_APPEND;
    return memcmp(p + 2, "append ", 7) ? NULL : p + 9;
}

/* Where the operation ends, or NULL: not the usual spelling, and nothing happened. */
static const char *quick_mop(struct edn_mops *m, const char *p)
{
    struct edn_mop o = {0};
    int64_t key;
    if (m->s->end - p < 16 || !(p = quick_kind(p, &o.kind)) || !(p = quick_number(p, &key)) ||
        *p++ != ' ')
        return NULL;
    size_t values = m->values.len;
    o.key = fmt_key_int(m->keys, m->h, key);
    if (o.kind != HIST_READ) {
        p = quick_number(p, &o.value.value);
    } else if (*p == '[') {
        p = quick_list(m, p + 1, &o);
    } else if (p[0] == 'n' && p[1] == 'i' && p[2] == 'l') {
        o.value.null = true;
        p += 3;
    } else {
        p = quick_number(p, &o.value.value);
    }
    if (!p || *p != ']') {
        m->values.len = values;
        return NULL;
    }
    vec_push(&m->mops, o);
    return p + 1;
}

/* The same without keeping anything: an invocation whose completion says it all. */
static const char *quick_list_end(const char *p)
{
    int64_t v;
    while (*p != ']') {
        if (!(p = quick_number(p, &v)) || (*p != ' ' && *p != ']') || (p[0] == ' ' && p[1] == ']'))
            return NULL;
        p += *p == ' ';
    }
    return p + 1;
}

static const char *quick_mop_end(const char *p)
{
    enum hist_kind kind;
    int64_t number;
    if (!(p = quick_kind(p, &kind)) || !(p = quick_number(p, &number)) || *p++ != ' ')
        return NULL;
    if (kind == HIST_READ && p[0] == 'n' && p[1] == 'i' && p[2] == 'l')
        p += 3;
    else if (kind == HIST_READ && *p == '[')
        p = quick_list_end(p + 1);
    else
        p = quick_number(p, &number);
    return p && *p == ']' ? p + 1 : NULL;
}

const char *edn_quick_mops(const struct scan *s, const char *p)
{
    if (*p++ != '[')
        return NULL;
    while (*p != ']') {
        if (s->end - p < 16 || !(p = quick_mop_end(p)))
            return NULL;
        while (*p == ' ' || *p == ',')
            p++;
    }
    return p + 1;
}

/* --- any spelling --------------------------------------------------------------------------- */

static const char *composite_key(struct edn_mops *m, uint32_t *out)
{
    struct strbuf text = {0};
    const char *error = edn_composite(m->s, m->scratch, &text);
    if (!error && m->purpose != EDN_CHECKED)
        *out = hist_key_literal(m->h, text.data, text.len);
    sb_free(&text);
    return error;
}

static const char *read_key(struct edn_mops *m, uint32_t *out)
{
    struct edn_token t;
    int64_t number;
    if (*m->s->p == ' ')
        m->s->p++;
    if (m->purpose != EDN_CHECKED && edn_int(m->s, &number)) {
        *out = fmt_key_int(m->keys, m->h, number);
        return NULL;
    }
    const char *error = edn_space(m->s);
    if (error)
        return error;
    if (*m->s->p == '[' || *m->s->p == '(')
        return composite_key(m, out);
    if ((error = edn_token(m->s, "a key", m->scratch, &t)))
        return error;
    struct js_scalar k = {.kind = JS_INT, .number = t.number, .text = {t.s, t.n}};
    if (t.kind == EDN_STRING || t.kind == EDN_KEYWORD)
        k.kind = JS_TEXT;
    else if (t.kind != EDN_INTEGER && !edn_other_scalar(&t, &k))
        return scan_expected(m->s, t.at,
                             "a key (a number, a string, a keyword, true, false or a vector)");
    if (m->purpose != EDN_CHECKED)
        *out = fmt_json_key(m->h, &k);
    return NULL;
}

/* The key k of the history that is the tuple's own. */
static uint32_t tuple_key(struct edn_mops *m, uint32_t key)
{
    const struct history *h = m->h;
    const struct hist_key_name *k = &h->keys.data[key];
    struct strbuf b = {0};
    sb_printf(&b, "[%s,", sb_str(&m->tuple));
    if (k->text == HIST_NONE)
        sb_printf(&b, "%" PRId64, k->number);
    else if (hist_key_is_literal(h, key))
        sb_puts(&b, intern_name(&h->key_texts, k->text));
    else
        js_put_string(intern_name(&h->key_texts, k->text), h->key_texts.lengths.data[k->text], &b);
    sb_putc(&b, ']');
    uint32_t composite = hist_key_literal(m->h, b.data, b.len);
    sb_free(&b);
    return composite;
}

static const char *scalar(struct edn_mops *m, struct hist_value *out)
{
    struct edn_token t;
    const char *error = edn_token(m->s, "a value", m->scratch, &t);
    if (error)
        return error;
    *out = hist_null();
    if (t.kind == EDN_NIL)
        return NULL;
    struct js_scalar v = {.kind = JS_INT, .number = t.number, .text = {t.s, t.n}};
    if (t.kind == EDN_STRING || t.kind == EDN_KEYWORD)
        v.kind = JS_TEXT;
    else if (t.kind != EDN_INTEGER && !edn_other_scalar(&t, &v))
        return scan_expected(m->s, t.at,
                             "a value (a number, a string, a keyword, true, false or nil)");
    *out = hist_int(0);
    return m->purpose == EDN_CHECKED ? NULL : fmt_json_value(m->c, m->h, &v, out);
}

static const char *read_list(struct edn_mops *m, struct edn_mop *o)
{
    char close = *m->s->p++ == '[' ? ']' : ')';
    const char *error = NULL;
    o->kind = HIST_LIST_READ;
    o->start = (uint32_t)m->values.len;
    while (!error && !(error = edn_space(m->s)) && *m->s->p != close) {
        struct hist_value v = {0};
        const char *at = m->s->p;
        if (!m->c->text_values && edn_int(m->s, &v.value)) {
            vec_push(&m->values, v.value);
            continue;
        }
        error = scalar(m, &v);
        if (!error && v.null)
            error = scan_expected(m->s, at, "an element of the list");
        vec_push(&m->values, v.value);
    }
    if (!error)
        m->s->p++;
    o->len = (uint32_t)m->values.len - o->start;
    return error;
}

static const char *read_mop_value(struct edn_mops *m, struct edn_mop *o)
{
    const char *error = edn_space(m->s), *at = m->s->p;
    if (error)
        return error;
    if (o->kind == HIST_READ && m->purpose != EDN_COMPLETED && (*at == ']' || *at == ')')) {
        o->value = hist_null();
        return NULL;
    }
    if (o->kind == HIST_READ && (*at == '[' || *at == '('))
        return read_list(m, o);
    if ((error = scalar(m, &o->value)))
        return error;
    if (o->kind == HIST_APPEND && o->value.null)
        return scan_expected(m->s, at, "a value to append");
    return NULL;
}

static const char *read_mop_kind(struct edn_mops *m, enum hist_kind *kind)
{
    static const struct {
        const char *name;
        enum hist_kind kind;
    } kinds[] = {{":r ", HIST_READ}, {":append ", HIST_APPEND}, {":w ", HIST_WRITE}};
    for (size_t i = 0; i < 3; i++) {
        size_t n = strlen(kinds[i].name);
        if (!strncmp(m->s->p, kinds[i].name, n)) {
            m->s->p += n;
            *kind = kinds[i].kind;
            return NULL;
        }
    }
    /* Not followed by a blank, or after one. */
    struct edn_token t;
    const char *error = edn_token(m->s, "an operation's name", m->scratch, &t);
    for (size_t i = 0; !error && i < 3; i++)
        if (t.kind == EDN_KEYWORD && t.n == strlen(kinds[i].name) - 1 &&
            !memcmp(t.s, kinds[i].name, t.n)) {
            *kind = kinds[i].kind;
            return NULL;
        }
    return error ? error : scan_expected(m->s, t.at, "`:r`, `:w` or `:append`");
}

/* [:r key value], [:w key value], [:append key value]; the value of a read that was only invoked
 * may be missing. */
static const char *read_mop(struct edn_mops *m)
{
    struct edn_mop o = {0};
    const char *error = edn_space(m->s), *at = m->s->p;
    if (error)
        return error;
    if (*at != '[' && *at != '(')
        return scan_expected(m->s, at, "an operation, [:r …], [:w …] or [:append …]");
    char close = *m->s->p++ == '[' ? ']' : ')';
    if ((error = read_mop_kind(m, &o.kind)))
        return error;
    if ((error = read_key(m, &o.key)) || (error = read_mop_value(m, &o)) ||
        (error = edn_space(m->s)))
        return error;
    if (*m->s->p != close)
        return scan_expected(m->s, m->s->p, "the end of the operation");
    m->s->p++;
    vec_push(&m->mops, o);
    return NULL;
}

static const char *read_vector(struct edn_mops *m)
{
    struct scan *s = m->s;
    if (*s->p != '[' && *s->p != '(')
        return scan_expected(s, s->p, "a vector of operations");
    char close = *s->p++ == '[' ? ']' : ')';
    const char *error = NULL;
    while (!error && !(error = edn_space(s)) && *s->p != close) {
        bool quick = !m->c->text_values && m->purpose != EDN_CHECKED;
        const char *after = quick ? quick_mop(m, s->p) : NULL;
        if (after)
            s->p = after;
        else
            error = read_mop(m);
    }
    if (!error)
        s->p++;
    return error;
}

/* Is this [k [operations]]?  Then s->p is moved to k. */
static bool enters_tuple(struct scan *s)
{
    struct scan look = *s;
    if (*look.p++ != '[' || edn_space(&look) || *look.p == '[' || *look.p == '(' || *look.p == ']')
        return false;
    const char *key = look.p;
    if (edn_skip(&look) || edn_space(&look) || (*look.p != '[' && *look.p != '('))
        return false;
    s->p = key;
    return true;
}

static const char *read_tuple(struct edn_mops *m)
{
    struct scan *s = m->s;
    const char *error = edn_composite(s, m->scratch, &m->tuple);
    if (error || (error = edn_space(s)) || (error = read_vector(m)) || (error = edn_space(s)))
        return error;
    if (*s->p != ']')
        return scan_expected(s, s->p, "the end of the tuple of a key and its transaction");
    s->p++;
    for (size_t i = 0; i < m->mops.len && m->purpose != EDN_CHECKED; i++)
        m->mops.data[i].key = tuple_key(m, m->mops.data[i].key);
    return NULL;
}

const char *edn_read_mops(struct edn_mops *m, enum edn_purpose purpose)
{
    m->purpose = purpose;
    vec_clear(&m->mops);
    vec_clear(&m->values);
    sb_clear(&m->tuple);
    const char *error = edn_tags(m->s);
    if (error)
        return error;
    return enters_tuple(m->s) ? read_tuple(m) : read_vector(m);
}

void edn_mops_free(struct edn_mops *m)
{
    vec_free(&m->mops);
    vec_free(&m->values);
    sb_free(&m->tuple);
}
