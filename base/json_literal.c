/* Scalars, composite keys and rows as JSON has them, each in one canonical text; see json.h.
 *
 * Equal values must be equal texts, because values and keys are told apart by what is interned:
 * numbers as decimal.h spells them, strings as jansson does, fields of rows in the order of their
 * names, and no white space. */
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>

#include "base/json.h"
#include "base/vec.h"

enum { DEPTH_MAX = 16 };

static const char *number(struct scan *s, const char *what, struct js_scalar *out)
{
    const char *from = s->p;
    if (scan_int(s, &out->number) && *s->p != '.' && *s->p != 'e' && *s->p != 'E') {
        out->kind = JS_INT;
        return js_check_number(s, from, what);
    }
    s->p = from;
    size_t n = decimal_length(from, (size_t)(s->end - from));
    bool fraction = memchr(from, '.', n) || memchr(from, 'e', n) || memchr(from, 'E', n);
    if (!n || !fraction) /* an integer beyond 64 bits is a mistake more often than not */
        return scan_expected(s, from, what);
    if (!decimal_read(from, n, &out->decimal))
        return scan_error(s, from, "expected a number of at most %d digits and a small exponent",
                          DECIMAL_DIGITS);
    s->p += n;
    out->kind = out->decimal.is_integer ? JS_INT : JS_DECIMAL;
    out->number = out->decimal.integer;
    out->text = (struct js_text){out->decimal.text, out->decimal.len};
    return NULL;
}

const char *js_scalar(struct scan *s, const char *what, struct strbuf *scratch,
                      struct js_scalar *out)
{
    if (*s->p == '"') {
        out->kind = JS_TEXT;
        return js_string(s, what, scratch, &out->text);
    }
    bool yes = *s->p == 't' && js_word(s, "true");
    if (yes || (*s->p == 'f' && js_word(s, "false"))) {
        out->kind = JS_BOOL;
        out->number = yes;
        out->text = yes ? (struct js_text){"true", 4} : (struct js_text){"false", 5};
        return NULL;
    }
    return number(s, what, out);
}

void js_put_string(const char *s, size_t n, struct strbuf *out)
{
    size_t plain = 0;
    while (plain < n && s[plain] >= 0x20 && s[plain] < 0x7f && s[plain] != '"' && s[plain] != '\\')
        plain++;
    json_t *v = plain == n ? NULL : json_stringn(s, n);
    char *text = v ? json_dumps(v, JSON_ENCODE_ANY) : NULL;
    if (text) {
        sb_puts(out, text);
    } else {
        sb_putc(out, '"');
        sb_add(out, s, plain);
        sb_putc(out, '"');
    }
    free(text);
    json_decref(v);
}

static void put_scalar(const struct js_scalar *v, struct strbuf *out)
{
    if (v->kind == JS_INT)
        sb_printf(out, "%" PRId64, v->number);
    else if (v->kind == JS_TEXT)
        js_put_string(v->text.s, v->text.n, out);
    else
        sb_add(out, v->text.s, v->text.n);
}

/* --- composite keys ------------------------------------------------------------------------ */

static const char *element(struct scan *s, int depth, struct strbuf *scratch, struct strbuf *out)
{
    struct js_scalar v;
    if (*s->p == 'n' && js_word(s, "null")) {
        sb_puts(out, "null");
        return NULL;
    }
    if (*s->p != '[') {
        const char *error = js_scalar(s, "a part of a key", scratch, &v);
        if (!error)
            put_scalar(&v, out);
        return error;
    }
    if (depth == DEPTH_MAX)
        return scan_error(s, s->p, "expected at most %d levels of nesting", DEPTH_MAX);
    bool first = true;
    const char *error = NULL;
    sb_putc(out, '[');
    s->p++;
    while (!error && js_more(s, ']', &first, &error)) {
        if (vec_last(out) != '[')
            sb_putc(out, ',');
        error = element(s, depth + 1, scratch, out);
    }
    sb_putc(out, ']');
    return error;
}

const char *js_key(struct scan *s, struct strbuf *scratch, struct js_scalar *out)
{
    if (*s->p != '[')
        return js_scalar(s, "a key", scratch, out);
    struct strbuf text = {0};
    const char *error = element(s, 0, scratch, &text);
    if (!error) {
        sb_clear(scratch);
        sb_add(scratch, text.data, text.len);
        out->kind = JS_ARRAY;
        out->text = (struct js_text){sb_str(scratch), scratch->len};
    }
    sb_free(&text);
    return error;
}

/* --- rows ---------------------------------------------------------------------------------- */

struct field {
    char *name;
    size_t n;
    char *text; /* NULL: absent */
};
typedef VEC(struct field) field_list;

static int by_name(const void *a, const void *b)
{
    const struct field *x = a, *y = b;
    int d = memcmp(x->name, y->name, x->n < y->n ? x->n : y->n);
    return d ? d : x->n < y->n ? -1 : x->n > y->n;
}

static const char *one_field(struct scan *s, struct strbuf *scratch, field_list *fields)
{
    struct js_text t;
    const char *at = s->p, *error = js_string(s, "a field's name", scratch, &t);
    if (error)
        return error;
    if (js_is(&t, "key") || js_is(&t, "value"))
        return scan_error(s, at, "expected another name: \"%.*s\" is the whole %.*s", (int)t.n, t.s,
                          (int)t.n, t.s);
    struct field *f = vec_add(fields);
    *f = (struct field){.name = mem_strndup(t.s, t.n), .n = t.n};
    if ((error = js_char(s, ':')))
        return error;
    js_space(s);
    if (*s->p == 'n' && js_word(s, "null"))
        return NULL;
    struct js_scalar v;
    struct strbuf text = {0};
    error = js_scalar(s, "a number, a string, true, false or null in the field", scratch, &v);
    if (!error) {
        put_scalar(&v, &text);
        f->text = mem_strdup(sb_str(&text));
    }
    sb_free(&text);
    return error;
}

static const char *put_row(const struct scan *s, const char *at, field_list *fields,
                           struct strbuf *out)
{
    if (fields->len)
        qsort(fields->data, fields->len, sizeof *fields->data, by_name);
    sb_putc(out, '{');
    bool first = true;
    for (size_t i = 0; i < fields->len; i++) {
        const struct field *f = &fields->data[i];
        if (i && !by_name(f - 1, f))
            return scan_error(s, at, "expected a row: the field \"%s\" is there twice", f->name);
        if (!f->text)
            continue;
        if (!first)
            sb_putc(out, ',');
        first = false;
        js_put_string(f->name, f->n, out);
        sb_putc(out, ':');
        sb_puts(out, f->text);
    }
    sb_putc(out, '}');
    return NULL;
}

const char *js_row(struct scan *s, struct strbuf *scratch, struct strbuf *out)
{
    field_list fields = {0};
    bool first = true;
    const char *at = s->p, *error = js_char(s, '{');
    while (!error && js_more(s, '}', &first, &error))
        error = one_field(s, scratch, &fields);
    sb_clear(out);
    if (!error)
        error = put_row(s, at, &fields, out);
    for (size_t i = 0; i < fields.len; i++) {
        mem_free(fields.data[i].name);
        mem_free(fields.data[i].text);
    }
    vec_free(&fields);
    return error;
}
